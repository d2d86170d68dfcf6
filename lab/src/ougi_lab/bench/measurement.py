"""The results of every benchmark: one record for each number, and one document for a run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from ougi.cli.machine import describe_machine
from ougi.cli.progress import show_progress
from ougi.cli.tables import Table

SCHEMA = "ougi-bench/2"

Case: TypeAlias = Mapping[str, Any]  # values are strings and numbers


class MeasurementTarget(NamedTuple):
    """A bound for one number of a measurement, and whether the number meets it."""

    bound: float
    met: bool
    of: str = "value"
    sense: Literal["<=", ">="] = "<="


def require_max(bound: float, number: float, of: str = "value") -> MeasurementTarget:
    """Return an upper target for a number that is called `of` in its measurement.

    >>> require_max(2.0, 1.5).met, require_min(4.0, 3.0, of="ratio").met
    (True, False)
    """
    return MeasurementTarget(bound, number <= bound, of)


def require_min(bound: float, number: float, of: str = "value") -> MeasurementTarget:
    """Return a lower target."""
    return MeasurementTarget(bound, number >= bound, of, ">=")


@dataclass(frozen=True)
class Measurement:
    """What one method needs for one case, or why there is no number."""

    subject: str  # "radar", or a part of a subject: "corridor/casts"
    case: Case  # names what was computed, such as {"scene": "ii even", "n": 5000}
    method: str  # one of ours, or another library
    value: float | None = None  # median of the rounds
    unit: str = "ms"
    best: float | None = None
    worst: float | None = None
    ratio: float | None = None  # to the reference of the subject, which its table names
    wrong: int | None = None  # results that differ from the reference
    missing: str | None = None  # why there is no number
    target: MeasurementTarget | None = None
    facts: dict[str, Any] = field(default_factory=dict)  # further numbers of the subject

    def __getitem__(self, name: str) -> Any:
        """A number by its name, wherever it is; None if it is unknown."""
        if name in self.facts:
            return self.facts[name]
        return getattr(self, name) if name in _FIELDS else self.case.get(name)

    def to_dict(self) -> dict[str, Any]:
        """As JSON stores it, without what is unknown."""
        known = {name: getattr(self, name) for name in _FIELDS if getattr(self, name) is not None}
        if self.target is not None:
            known["target"] = self.target._asdict()
        return {name: value for name, value in known.items() if (name, value) != ("facts", {})}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Measurement:
        """The inverse of `to_dict`.

        >>> one = Measurement("radar", {"scene": "boxes"}, "exact", 0.04, target=require_max(0.05, 0.04))
        >>> Measurement.from_dict(one.to_dict()) == one
        True
        """
        target = stored.get("target")
        return cls(**{**stored, "target": None if target is None else MeasurementTarget(**target)})


_FIELDS = tuple(each.name for each in fields(Measurement))


@dataclass(frozen=True)
class Options:
    """The options of `ougi bench`, as a subject gets them."""

    names: tuple[str, ...] = ()
    count: int = 100_000
    listed: int = 1_000_000
    tests: int = 2_000
    repeats: int = 15
    quick: bool = False
    large: bool = False
    plot: Path | None = None
    load: float | None = None  # of the machine, before the run


class BenchReport(NamedTuple):
    """What a subject returns: its measurements, and how to show them."""

    parameters: dict[str, Any]
    measurements: list[Measurement]
    tables: list[Table]
    versions: Mapping[str, str | None] = {}
    machine: Mapping[str, Any] = {}  # what it knows beyond `ougi.cli.machine`

    def to_dict(self, subject: str) -> dict[str, Any]:
        """The document that `--output FILE.json` writes, alike for all subjects."""
        return {
            "schema": SCHEMA,
            "subject": subject,
            "machine": {**describe_machine(), **self.machine},
            "parameters": self.parameters,
            "versions": dict(self.versions),
            "measurements": [each.to_dict() for each in self.measurements],
        }


def format_document(document: Mapping[str, Any]) -> str:
    """A document as JSON with one line for each measurement."""
    head = {name: value for name, value in document.items() if name != "measurements"}
    lines = ",\n  ".join(json.dumps(each, allow_nan=False) for each in document["measurements"])
    text = json.dumps(head, indent=1, allow_nan=False).removesuffix("\n}")
    return f'{text},\n "measurements": [\n  {lines}\n ]\n}}\n'


def read_measurements(document: Mapping[str, Any]) -> list[Measurement]:
    """The measurements of a document that was read from JSON."""
    return [Measurement.from_dict(stored) for stored in document["measurements"]]


def list_missing(subject: str, case: Case, missing: Mapping[str, str]) -> list[Measurement]:
    """A measurement without a number for each method that has no part in a case."""
    return [Measurement(subject, case, method, missing=why) for method, why in missing.items()]


def select(
    measurements: Iterable[Measurement], subject: str | None = None, /, **case: Any
) -> list[Measurement]:
    """The measurements of one part of a subject, or those with these values.

    >>> known = [Measurement("cuda/radars", {"n": n}, method) for n in (1, 2) for method in ("CPU", "GPU")]
    >>> len(select(known, "cuda/radars", n=1)), select(known, method="GPU") == known[1::2]
    (2, True)
    """
    return [
        each
        for each in measurements
        if subject in (None, each.subject) and all(each[name] == value for name, value in case.items())
    ]


def collect(
    measured: Iterable[Measurement | Sequence[Measurement]], label: str, total: int | None = None
) -> list[Measurement]:
    """Run a benchmark that yields its measurements one by one or case by case, and show how far it is."""
    found: list[Measurement] = []
    with show_progress(f"measuring {label}") as update:
        for done, each in enumerate(measured, 1):
            found += [each] if isinstance(each, Measurement) else each
            update(done, total)
    return found
