"""Which pairs of a scene's bodies are checked, which are excluded, and why."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ougi._typing import Bools, Ints
from ougi.scene.name_rules import NameIndex, PairRules, has_wildcard

# Why a pair is excluded; the first reason that holds counts.
COVERED, BY_GROUP, BY_CHECK, BY_IGNORE, RIGID, NEIGHBOUR, DISABLED = range(7)
REASONS = {
    BY_GROUP: "groups and masks",
    BY_CHECK: "not in a [[check]]",
    BY_IGNORE: "[[ignore]]",
    RIGID: "rigidly connected",
    NEIGHBOUR: "neighbours at a joint",
    DISABLED: "disabled by the SRDF",
}

# Entries of a table of classes that are computed at once.
_TABLE = 1 << 22


@dataclass(frozen=True)
class PairCounts:
    """How many pairs of bodies a scene has, and how many of them are not checked.

    Attributes
    ----------
    total
        All pairs of two bodies.
    covered
        Pairs that are checked: all that are not excluded.
    excluded
        How many pairs are excluded, by reason; each pair counts once. The reasons are `groups and masks`,
        `not in a [[check]]`, `[[ignore]]`, `rigidly connected`, `neighbours at a joint` and
        `disabled by the SRDF`. Reasons without a pair are not listed.

    >>> import ougi
    >>> from ougi.scene import Body, Check
    >>> balls = [Body(name, ougi.Circle([9 * k, 0], 1)) for k, name in enumerate("abcd")]
    >>> ougi.Scene(tuple(balls), ignore=(Check("a", "*"),)).pair_counts
    PairCounts(total=6, covered=3, excluded={'[[ignore]]': 3})
    """

    total: int
    covered: int
    excluded: dict[str, int]


class PairFilter:
    """Decides which pairs of bodies are checked.

    Parameters
    ----------
    names
        Of the bodies, all different.
    group, mask
        (n,), bits.
    carrier
        (n,), a number for each rigid assembly; bodies of an assembly are not checked against each other. -1
        for bodies that belong to none.
    checks, ignored
        Pairs of patterns. With any `checks`, pairs that match none of them are excluded, and assemblies do
        not matter. Pairs that match one of `ignored` are excluded.
    neighbours, disabled
        Pairs of indices that are excluded.
    """

    def __init__(
        self,
        names: NameIndex,
        group: Ints,
        mask: Ints,
        carrier: Ints,
        checks: Sequence[tuple[str, str]],
        ignored: Sequence[tuple[str, str]],
        neighbours: Collection[tuple[int, int]] = (),
        disabled: Collection[tuple[int, int]] = (),
    ) -> None:
        self._n = len(names.names)
        self._group, self._mask, self._carrier = group, mask, carrier
        self._checks = _Rules(names, checks) if checks else None
        self._ignored = _Rules(names, ignored)
        self._listed = {NEIGHBOUR: _codes_of(neighbours, self._n), DISABLED: _codes_of(disabled, self._n)}

    def reasons(self, i: Ints, j: Ints) -> Ints:
        """Why each pair is excluded; COVERED where it is not."""
        return self._reasons(i, j, listed=True)

    def _reasons(self, i: Ints, j: Ints, *, listed: bool) -> Ints:
        """As `reasons`; without what names single pairs, if `listed` is False."""
        out = np.full(np.broadcast_shapes(i.shape, j.shape), COVERED)
        for reason in (DISABLED, NEIGHBOUR) if listed else ():
            if len(self._listed[reason]):
                out[np.isin(_codes(i, j, self._n), self._listed[reason])] = reason
        if self._checks is None:
            out[(self._carrier[i] == self._carrier[j]) & (self._carrier[i] >= 0)] = RIGID
        out[self._ignored.match(i, j, listed=listed)] = BY_IGNORE
        if self._checks is not None:
            out[~self._checks.match(i, j, listed=listed)] = BY_CHECK
        together = (self._group[i] & self._mask[j] != 0) & (self._group[j] & self._mask[i] != 0)
        out[~together] = BY_GROUP
        return out

    @functools.cached_property
    def counts(self) -> PairCounts:
        """How many pairs are excluded for each reason, without making all pairs.

        Bodies with the same groups, masks and patterns are one class, so pairs of classes decide. What an
        assembly or a list of single pairs changes is counted after that.
        """
        count = np.zeros(len(REASONS) + 1, np.int64)
        first, label, size = self._classes()
        for rows in _chunks(len(first)):
            i, j = np.broadcast_arrays(first[rows, None], first[None, :])
            reason = self._reasons_of_classes(i, j)
            pairs = size[rows, None] * size[None, :]
            same = i == j
            pairs[same] = (size * (size - 1))[rows]  # both orders of a pair are counted
            count += [int(pairs[reason == code].sum()) for code in range(len(count))]
        count //= 2
        if self._checks is None:
            rigid = self._count_rigid(first, label)
            count[COVERED] -= rigid
            count[RIGID] += rigid
        lists = [*self._listed.values(), self._ignored.pairs]
        lists += [] if self._checks is None else [self._checks.pairs]
        i, j = np.divmod(np.unique(np.concatenate(lists)), max(self._n, 1))
        i, j = i[i != j], j[i != j]
        np.subtract.at(count, self._reasons(i, j, listed=False), 1)
        np.add.at(count, self._reasons(i, j, listed=True), 1)
        excluded = {word: int(count[code]) for code, word in REASONS.items() if count[code]}
        return PairCounts(self._n * (self._n - 1) // 2, int(count[COVERED]), excluded)

    def _classes(self) -> tuple[Ints, Ints, Ints]:
        """One body of each class, the class of each body, and how many bodies a class has."""
        rules = [self._ignored] if self._checks is None else [self._ignored, self._checks]
        columns: list[Ints | Bools] = [self._group, self._mask]
        columns += [column for each in rules for column in each.columns()]
        label = np.zeros(self._n, np.int64)
        for column in columns:
            _, label = np.unique(label * 2**32 + _number(column), return_inverse=True)
            label = label.ravel()
        _, first, size = np.unique(label, return_index=True, return_counts=True)
        return first, label, size

    def _reasons_of_classes(self, i: Ints, j: Ints) -> Ints:
        """As `_reasons`, of bodies that stand for their classes, whatever they are fixed to."""
        out = self._reasons(i, j, listed=False)
        out[out == RIGID] = COVERED
        return out

    def _count_rigid(self, first: Ints, label: Ints) -> int:
        """Pairs of one assembly that nothing else excludes."""
        fixed = np.flatnonzero(self._carrier >= 0)
        parts, size = np.unique(
            np.stack([self._carrier[fixed], label[fixed]], axis=1).reshape((-1, 2)),
            axis=0,
            return_counts=True,
        )
        borders = np.flatnonzero(np.diff(parts[:, 0])) + 1
        total = 0
        for part, many in zip(np.split(parts[:, 1], borders), np.split(size, borders), strict=True):
            if many.sum() < 2:
                continue
            i, j = np.broadcast_arrays(first[part][:, None], first[part][None, :])
            pairs = many[:, None] * many[None, :]
            np.fill_diagonal(pairs, many * (many - 1))
            total += int(pairs[self._reasons_of_classes(i, j) == COVERED].sum()) // 2
        return total


class _Rules:
    """Pairs of patterns. A pair of names without wildcards is stored as a pair of indices."""

    def __init__(self, names: NameIndex, rules: Iterable[tuple[str, str]]) -> None:
        self._n = len(names.names)
        given = list(dict.fromkeys(rules))
        plain = [rule for rule in given if not any(map(has_wildcard, rule))]
        found = [(names.find(a), names.find(b)) for a, b in plain]
        self.pairs = _codes_of([(int(a[0]), int(b[0])) for a, b in found if len(a) and len(b)], self._n)
        self._patterns = PairRules([rule for rule in given if any(map(has_wildcard, rule))], names)

    def columns(self) -> list[Ints | Bools]:
        """Numbers that are the same for bodies that match the same patterns."""
        return [self._patterns.classes, self._patterns.with_every_name]

    def match(self, i: Ints, j: Ints, *, listed: bool) -> Bools:
        """Which pairs match a rule; without pairs of two names, if `listed` is False."""
        i, j = np.broadcast_arrays(i, j)
        found = self._patterns.selects(i.ravel(), j.ravel()).reshape(i.shape)
        if listed and len(self.pairs):
            found |= np.isin(_codes(i, j, self._n), self.pairs)
        return found


def _codes(i: Ints, j: Ints, n: int) -> Ints:
    """Pairs in either order as single numbers."""
    codes: Ints = np.minimum(i, j) * np.int64(max(n, 1)) + np.maximum(i, j)
    return codes


def _codes_of(pairs: Collection[tuple[int, int]], n: int) -> Ints:
    listed = np.array(list(pairs), np.int64).reshape((-1, 2))
    return _codes(listed[:, 0], listed[:, 1], n)


def _number(column: Ints | Bools) -> Ints:
    """A number below 2**32 for each different value."""
    _, number = np.unique(column, return_inverse=True)
    return np.asarray(number.ravel(), np.int64)


def _chunks(rows: int) -> Iterable[slice]:
    """Parts of the rows of a square table."""
    step = max(_TABLE // max(rows, 1), 1)
    return (slice(k, k + step) for k in range(0, rows, step))


__all__ = ["COVERED", "REASONS", "PairCounts", "PairFilter"]
