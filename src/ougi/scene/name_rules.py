"""Which pairs of names a list of pattern pairs selects, without comparing every pattern with every pair.

A file may have as many rules as bodies, so the work must not grow with their product. A name without a
wildcard is found in a dictionary, a pattern is compared with the names that share its literal beginning or
end, and a pair is decided once for all bodies that match the same rules.
"""

from __future__ import annotations

import bisect
import fnmatch
import re
from collections.abc import Callable, Sequence

import numpy as np

from ougi._typing import Bools, Ints

_WILDCARD = re.compile(r"[*?\[]")

# Pairs decided at once; larger parts only take more memory.
_PART = 1_000_000


def has_wildcard(pattern: str) -> bool:
    """Does it match more than one name?"""
    return _WILDCARD.search(pattern) is not None


class NameIndex:
    """Finds the names that match a pattern with `*`, `?` and `[...]`, as `fnmatch.fnmatchcase` does.

    Attributes
    ----------
    comparisons
        How many names have been compared with a pattern so far.

    >>> from ougi.scene.name_rules import NameIndex
    >>> index = NameIndex(["left wall", "ball", "right wall"])
    >>> index.find("* wall").tolist(), index.find("ball").tolist(), index.find("cup").tolist()
    ([0, 2], [1], [])
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.comparisons = 0
        self._by_name: dict[str, list[int]] = {}
        for k, name in enumerate(names):
            self._by_name.setdefault(name, []).append(k)
        self._forward = sorted(range(len(names)), key=names.__getitem__)
        self._backward = sorted(range(len(names)), key=lambda k: names[k][::-1])
        self._found: dict[str, Ints] = {"*": np.arange(len(names))}

    def find(self, pattern: str) -> Ints:
        """The indices of the names that match, in increasing order."""
        if pattern not in self._found:
            self._found[pattern] = np.array(sorted(self._search(pattern)), np.int64)
        return self._found[pattern]

    def _search(self, pattern: str) -> list[int]:
        wildcard = _WILDCARD.search(pattern)
        if wildcard is None:
            return self._by_name.get(pattern, [])
        prefix = pattern[: wildcard.start()]
        candidates = _find_with_prefix(self._forward, self.names.__getitem__, prefix)
        suffix = re.split(r"[*?\]]", pattern)[-1]
        if suffix:
            others = _find_with_prefix(self._backward, lambda k: self.names[k][::-1], suffix[::-1])
            candidates = min(candidates, others, key=len)
        self.comparisons += len(candidates)
        if pattern == f"{prefix}*":
            return candidates
        matches = re.compile(fnmatch.translate(pattern)).match
        return [k for k in candidates if matches(self.names[k])]


def _find_with_prefix(order: list[int], text: Callable[[int], str], prefix: str) -> list[int]:
    """The part of a sorted order in which texts begin with a prefix."""
    size = len(prefix)
    first = bisect.bisect_left(order, prefix, key=lambda k: text(k)[:size])
    last = bisect.bisect_right(order, prefix, key=lambda k: text(k)[:size])
    return order[first:last]


class PairRules:
    """The pairs selected by rules (a, b): one name matches the pattern a, the other one the pattern b.

    Attributes
    ----------
    matches
        The number of matches of a rule and a name; memory grows with it. A pattern that matches all names
        counts as nothing.
    with_every_name
        (n,), names that are selected with every other one.
    classes
        (n,), a number for each name, equal for names that match the same other rules.

    >>> from ougi.scene.name_rules import NameIndex, PairRules
    >>> rules = PairRules([("* wall", "ball")], NameIndex(["left wall", "ball", "right wall"]))
    >>> rules.selects([0, 1, 0], [1, 2, 2]).tolist()
    [True, True, False]
    """

    def __init__(self, rules: Sequence[tuple[str, str]], index: NameIndex) -> None:
        count = len(index.names)
        self.with_every_name = np.zeros(count, bool)
        sides: tuple[list[Ints], list[Ints]] = ([], [])
        for a, b in dict.fromkeys(rules):
            in_a, in_b = index.find(a), index.find(b)
            if count in (len(in_a), len(in_b)):
                self.with_every_name[in_a if len(in_b) == count else in_b] = True
            elif len(in_a) and len(in_b):
                sides[0].append(in_a)
                sides[1].append(in_b)
        self.matches = sum(len(found) for side in sides for found in side)
        # Bodies that match the same rules on both sides are one class: a pair of classes is decided once.
        rows = zip(_list_rules_by_name(sides[0], count), _list_rules_by_name(sides[1], count), strict=True)
        classes: dict[tuple[bytes, bytes], int] = {}
        self.classes = np.array([classes.setdefault(row, len(classes)) for row in rows], np.int64)
        self._rules = [
            tuple(frozenset(np.frombuffer(side, np.int32).tolist()) for side in row) for row in classes
        ]

    def selects(self, i: Ints | Sequence[int], j: Ints | Sequence[int]) -> Bools:
        """Which pairs (i, j) of indices of names are selected by a rule, in either order."""
        i, j = np.asarray(i, np.int64), np.asarray(j, np.int64)
        selected: Bools = self.with_every_name[i] | self.with_every_name[j]
        open_pairs = np.flatnonzero(~selected)
        for first in range(0, len(open_pairs), _PART):
            part = open_pairs[first : first + _PART]
            selected[part] = self._selects_classes(self.classes[i[part]], self.classes[j[part]])
        return selected

    def _selects_classes(self, i: Ints, j: Ints) -> Bools:
        count = len(self._rules)
        codes, places = np.unique(np.minimum(i, j) * count + np.maximum(i, j), return_inverse=True)
        selected = [self._selects_pair(*divmod(code, count)) for code in codes.tolist()]
        return np.array(selected, bool)[places]

    def _selects_pair(self, i: int, j: int) -> bool:
        (a_of_i, b_of_i), (a_of_j, b_of_j) = self._rules[i], self._rules[j]
        return not (a_of_i.isdisjoint(b_of_j) and a_of_j.isdisjoint(b_of_i))


def _list_rules_by_name(found: list[Ints], count: int) -> list[bytes]:
    """For each of `count` names the rules that it matches, as the bytes of increasing int32 numbers."""
    names = np.concatenate([np.empty(0, np.int64), *found])
    rules = np.repeat(np.arange(len(found), dtype=np.int32), [len(each) for each in found])
    rules = rules[np.argsort(names, kind="stable")]
    ends = np.cumsum(np.bincount(names, minlength=count)).tolist()
    return [rules[start:end].tobytes() for start, end in zip([0, *ends], ends, strict=False)]
