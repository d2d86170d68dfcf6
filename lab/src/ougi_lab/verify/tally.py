"""The counts of a run, chunk by chunk and pair by pair, as plain numbers that JSON can hold."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from ougi._typing import Floats

# An index in a batch -> what it takes to repeat that case.
Describe = Callable[[int], dict[str, Any]]

# Stands for an error that is infinite or NaN, which JSON cannot hold, and for a wrong answer of yes or no.
NONFINITE_ERROR = 1e300


# Undecided cases that are listed with all it takes to repeat them; all are counted.
LISTED = 20

# Fields of which the maximum is taken; other numbers are added.
_MAXIMA = ("worst", "largest", "promised")


class _Addable:
    """A dataclass of counts that can be summed over chunks."""

    def add(self, other: Any) -> None:
        """Count another chunk's; the order of chunks decides only which disagreement is the first."""
        for each in fields(other):
            setattr(self, each.name, _combine(each.name, getattr(self, each.name), getattr(other, each.name)))


def _combine(name: str, own: Any, others: Any) -> Any:
    if name == "first":
        return own or others
    if isinstance(others, _Addable):
        own = copy.copy(own)
        own.add(others)
        return own
    if isinstance(others, list):
        return (own + others)[:LISTED]
    if isinstance(others, dict):
        return {**own, **{k: _combine(name, own[k], x) if k in own else x for k, x in others.items()}}
    return max(own, others) if name in _MAXIMA else own + others


@dataclass
class PeerCount(_Addable):
    """The number of cases that a peer library computed, and of disagreements."""

    cases: int = 0
    disagreements: int = 0
    worst: float = 0.0


@dataclass
class Mean(_Addable):
    """The mean of a figure, and its target."""

    total: float = 0.0
    total_sq: float = 0.0
    count: int = 0
    promised: float = 0.0

    @property
    def value(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """One standard error of the mean."""
        if self.count < 2:
            return 0.0
        return math.sqrt(max(self.total_sq / self.count - self.value**2, 0.0) / (self.count - 1))

    @property
    def is_met(self) -> bool:
        """Whether the mean is not below the target by more than three standard errors."""
        return self.value + 3 * self.error >= self.promised


@dataclass
class TallyGroup(_Addable):
    """The same counts for a part of the cases, such as one range of angles."""

    cases: int = 0
    near: int = 0
    in_band: int = 0
    disagreements: int = 0
    undecided: int = 0
    unproved: int = 0
    worst: float = 0.0

    def to_row(self) -> list[float]:
        """The numbers in the order of `GROUP_COLUMNS`."""
        return [*list(asdict(self).values())[:-1], float(f"{self.worst:.3g}")]


GROUP_COLUMNS = tuple(field.name for field in fields(TallyGroup))


@dataclass
class Tally(_Addable):
    """Cases, disagreements by check, and the largest errors in units of the rounding band.

    Where a subject knows these states, `undecided` are cases in which the library itself has no result, and
    `unproved` those in which the oracle could only test samples. `counts`, `largest` and `means` are
    figures that are reported, not judged.
    """

    cases: int = 0
    near: int = 0
    in_band: int = 0
    disagreements: int = 0
    worst: dict[str, float] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    first: dict[str, Any] | None = None
    peers: dict[str, PeerCount] = field(default_factory=dict)
    undecided: int = 0
    unproved: int = 0
    undecided_cases: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, TallyGroup] = field(default_factory=dict)
    means: dict[str, Mean] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    largest: dict[str, float] = field(default_factory=dict)

    def judge(
        self, errors: dict[str, Floats], describe: Describe | dict[str, Any] | None = None
    ) -> int | None:
        """Count the errors of one batch: above 1, or NaN, a check has failed.

        Returns the index of the first failed case, or None. If it is the first of all, it is recorded with
        the check that it fails by the largest error and with what `describe` adds, which may be a
        dictionary if there is one case.
        """
        bad = np.zeros(len(next(iter(errors.values()))), np.bool_)
        for name, error in errors.items():
            wrong = ~(error <= 1.0)
            bad |= wrong
            self.worst[name] = max(self.worst.get(name, 0.0), to_finite(np.max(error, initial=0.0)))
            if wrong.any():
                self.failed[name] = self.failed.get(name, 0) + int(wrong.sum())
        self.disagreements += int(bad.sum())
        if not bad.any():
            return None
        i = int(np.argmax(bad))
        if self.first is None and describe is not None:
            check = max(errors, key=lambda name: to_finite(errors[name][i]))
            case = describe(i) if callable(describe) else describe
            self.first = {"index": i, "check": check, "error": to_finite(errors[check][i]), **case}
        return i

    def add_counts(self, counts: dict[str, int]) -> None:
        """Add to the figures of these names."""
        for name, count in counts.items():
            self.counts[name] = self.counts.get(name, 0) + count

    @property
    def worst_error(self) -> float:
        """The largest error of all checks, in bands."""
        return max(self.worst.values(), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """As plain objects."""
        return asdict(self)

    def to_report(self) -> dict[str, Any]:
        """For a report: means as such, groups as rows of `GROUP_COLUMNS`, no figures that a subject lacks."""
        parts = self.to_json()
        parts["means"] = {
            name: {"mean": mean.value, "error": mean.error, "count": mean.count, "promised": mean.promised}
            for name, mean in self.means.items()
        }
        parts["groups"] = {name: group.to_row() for name, group in self.groups.items()}
        always = {*list(parts)[:8]}
        return {name: part for name, part in parts.items() if part or name in always}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Tally:
        """Back from plain objects."""
        parts: dict[str, Any] = {"peers": PeerCount, "groups": TallyGroup, "means": Mean}
        built = {
            field: {name: make(**part) for name, part in values.get(field, {}).items()}
            for field, make in parts.items()
        }
        return cls(**{**values, **built})


def to_finite(x: Any) -> float:
    """A number that JSON can hold."""
    return float(x) if math.isfinite(x) else NONFINITE_ERROR


def describe_pair(signed: Floats, a: Any, b: Any, question: Callable[[int], str] | None = None) -> Describe:
    """What to record of a case of two batches; `signed` is the result of the code under test."""

    def describe(i: int) -> dict[str, Any]:
        case = {"signed": to_finite(signed[i]), "a": _format_shape(a[i]), "b": _format_shape(b[i])}
        return case if question is None else {**case, "question": question(i)}

    return describe


def _format_shape(shape: Any) -> str:
    """What builds a shape again."""
    if hasattr(shape, "template"):
        return f"{type(shape).__name__}({shape.vertices.tolist()}, {shape.radius.item()})"
    return repr(shape)


def sum_tallies(tallies: Iterable[Tally]) -> Tally:
    """The sum, in the order given."""
    out = Tally()
    for tally in tallies:
        out.add(tally)
    return out
