"""What a run counts, chunk by chunk and pair by pair; plain numbers that go through JSON unchanged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
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
class Tally:
    """Cases, disagreements by check, and the largest errors in units of the rounding band."""

    cases: int = 0
    near: int = 0
    in_band: int = 0
    disagreements: int = 0
    worst: dict[str, float] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    first: dict[str, Any] | None = None
    opinions: dict[str, Opinion] = field(default_factory=dict)

    def judge(self, errors: dict[str, Floats]) -> int | None:
        """Count the errors of one batch; above 1 (or NaN) a check has failed. The first bad case, if any."""
        bad = np.zeros(len(next(iter(errors.values()))), np.bool_)
        for name, error in errors.items():
            wrong = ~(error <= 1.0)
            bad |= wrong
            top = float(np.max(error, initial=0.0))
            self.worst[name] = max(self.worst.get(name, 0.0), top if math.isfinite(top) else HOPELESS)
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
        for name, opinion in other.opinions.items():
            self.opinions.setdefault(name, Opinion()).add(opinion)

    @property
    def worst_error(self) -> float:
        """The largest error of all checks, in bands."""
        return max(self.worst.values(), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """As plain objects."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Tally:
        """Back from plain objects."""
        opinions = {name: Opinion(**opinion) for name, opinion in values["opinions"].items()}
        return cls(**{**values, "opinions": opinions})


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum, in the order given."""
    out = Tally()
    for tally in tallies:
        out.add(tally)
    return out
