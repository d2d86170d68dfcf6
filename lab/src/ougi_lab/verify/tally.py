"""What a run counts, chunk by chunk and pair by pair; plain numbers that go through JSON unchanged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from ougi._typing import Floats

# Stands for an error that is infinite or NaN, which JSON cannot hold.
HOPELESS = 1e300


@dataclass
class Opinion:
    """How often another library was asked, and contradicted."""

    cases: int = 0
    disagreements: int = 0
    worst: float = 0.0

    def add(self, other: Opinion) -> None:
        """Count another chunk's."""
        self.cases += other.cases
        self.disagreements += other.disagreements
        self.worst = max(self.worst, other.worst)


@dataclass
class Mean:
    """The mean of a figure, and what is promised of it."""

    total: float = 0.0
    total_sq: float = 0.0
    count: int = 0
    promised: float = 0.0

    def add(self, other: Mean) -> None:
        """Count another chunk's."""
        self.total += other.total
        self.total_sq += other.total_sq
        self.count += other.count
        self.promised = max(self.promised, other.promised)

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
    def kept(self) -> bool:
        """Is the promise kept, as far as chance lets one say?"""
        return self.value + 3 * self.error >= self.promised


@dataclass
class Group:
    """The same counts for a part of the cases, such as one range of angles."""

    cases: int = 0
    near: int = 0
    in_band: int = 0
    disagreements: int = 0
    undecided: int = 0
    unproved: int = 0
    worst: float = 0.0

    def add(self, other: Group) -> None:
        """Count another chunk's."""
        for name, value in asdict(other).items():
            if name != "worst":
                setattr(self, name, getattr(self, name) + value)
        self.worst = max(self.worst, other.worst)

    def row(self) -> list[float]:
        """The numbers in the order of `GROUP_COLUMNS`."""
        return [*list(asdict(self).values())[:-1], float(f"{self.worst:.3g}")]


GROUP_COLUMNS = tuple(field.name for field in fields(Group))


# Undecided cases that are listed with all it takes to repeat them; all are counted.
LISTED = 20


@dataclass
class Tally:
    """Cases, disagreements by check, and the largest errors in units of the rounding band.

    Where a subject knows these states, `undecided` are cases in which the library itself gave no answer, and
    `unproved` those in which the oracle could only look at samples. `counts`, `largest` and `means` are
    figures that are reported, not judged.
    """

    cases: int = 0
    near: int = 0
    in_band: int = 0
    disagreements: int = 0
    worst: dict[str, float] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    first: dict[str, Any] | None = None
    opinions: dict[str, Opinion] = field(default_factory=dict)
    undecided: int = 0
    unproved: int = 0
    undecided_cases: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)
    means: dict[str, Mean] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    largest: dict[str, float] = field(default_factory=dict)

    def judge(self, errors: dict[str, Floats]) -> int | None:
        """Count the errors of one batch; above 1 (or NaN) a check has failed. The first bad case, if any."""
        bad = np.zeros(len(next(iter(errors.values()))), np.bool_)
        for name, error in errors.items():
            wrong = ~(error <= 1.0)
            bad |= wrong
            self.worst[name] = max(self.worst.get(name, 0.0), finite(np.max(error, initial=0.0)))
            if wrong.any():
                self.failed[name] = self.failed.get(name, 0) + int(wrong.sum())
        self.disagreements += int(bad.sum())
        return int(np.argmax(bad)) if bad.any() else None

    def add(self, other: Tally) -> None:
        """Count another chunk's; the order of chunks decides only which disagreement is the first."""
        self.cases += other.cases
        self.near += other.near
        self.in_band += other.in_band
        self.disagreements += other.disagreements
        for name, error in other.worst.items():
            self.worst[name] = max(self.worst.get(name, 0.0), error)
        for name, count in other.failed.items():
            self.failed[name] = self.failed.get(name, 0) + count
        self.first = self.first or other.first
        self.undecided += other.undecided
        self.unproved += other.unproved
        self.undecided_cases = (self.undecided_cases + other.undecided_cases)[:LISTED]
        for name, opinion in other.opinions.items():
            self.opinions.setdefault(name, Opinion()).add(opinion)
        for name, group in other.groups.items():
            self.groups.setdefault(name, Group()).add(group)
        for name, count in other.counts.items():
            self.counts[name] = self.counts.get(name, 0) + count
        for name, figure in other.largest.items():
            self.largest[name] = max(self.largest.get(name, 0.0), figure)
        for name, mean in other.means.items():
            self.means.setdefault(name, Mean()).add(mean)

    @property
    def worst_error(self) -> float:
        """The largest error of all checks, in bands."""
        return max(self.worst.values(), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """As plain objects."""
        return asdict(self)

    def told(self) -> dict[str, Any]:
        """For a report: means as such, groups as rows of `GROUP_COLUMNS`, nothing that a subject lacks."""
        parts = self.to_json()
        parts["means"] = {
            name: {"mean": mean.value, "error": mean.error, "count": mean.count, "promised": mean.promised}
            for name, mean in self.means.items()
        }
        parts["groups"] = {name: group.row() for name, group in self.groups.items()}
        always = {*list(parts)[:8]}
        return {name: part for name, part in parts.items() if part or name in always}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Tally:
        """Back from plain objects."""
        parts: dict[str, Any] = {"opinions": Opinion, "groups": Group, "means": Mean}
        built = {
            field: {name: make(**part) for name, part in values.get(field, {}).items()}
            for field, make in parts.items()
        }
        return cls(**{**values, **built})


def finite(x: Any) -> float:
    """A number that JSON can hold."""
    return float(x) if math.isfinite(x) else HOPELESS


def place(i: int, errors: dict[str, Floats], signed: Floats, a: Any, b: Any) -> dict[str, Any]:
    """Case i of two batches and the check that it fails by most; `signed` is what the answer was."""
    check = max(errors, key=lambda name: finite(errors[name][i]))
    return {
        "index": i,
        "check": check,
        "error": finite(errors[check][i]),
        "signed": finite(signed[i]),
        "a": repr(a[i]),
        "b": repr(b[i]),
    }


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum, in the order given."""
    out = Tally()
    for tally in tallies:
        out.add(tally)
    return out
