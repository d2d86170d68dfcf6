"""The result of an experiment: numbers and verdicts, without printing, files and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ougi.cli.tables import Cell, Table


@dataclass(frozen=True)
class Figure:
    """A picture and the numbers it shows.

    `draw` fills a matplotlib figure; `rows` under `columns` are what the CSV beside it holds. `small` figures
    belong to a series and stand beside each other.
    """

    name: str
    title: str
    draw: Callable[[Any], None]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    small: bool = False


@dataclass(frozen=True)
class Verdict:
    """A claim and whether our numbers support it, with what was found.

    A verdict that is `binding` sets the exit code; orderings of times never do.
    """

    claim: str
    holds: bool
    detail: str
    binding: bool = True


Results = TypeVar("Results")


@dataclass(frozen=True)
class Claim(Generic[Results]):
    """A claim of a paper, or of ours, and how the results of a run decide it.

    Attributes
    ----------
    text
        The claim.
    test, measured
        Whether results support it, and what was found, in words.
    section
        Where the paper states it; stands before the text.
    binding
        As of a `Verdict`.
    """

    text: str
    test: Callable[[Results], bool]
    measured: Callable[[Results], str]
    section: str = ""
    binding: bool = True


def evaluate(claims: Iterable[Claim[Results]], results: Results) -> tuple[Verdict, ...]:
    """One verdict for each claim.

    >>> evaluate([Claim("it is positive", lambda x: x > 0, lambda x: f"it is {x}", "2.1")], 3)
    (Verdict(claim='2.1: it is positive', holds=True, detail='it is 3', binding=True),)
    """
    return tuple(
        Verdict(
            f"{claim.section}: {claim.text}" if claim.section else claim.text,
            bool(claim.test(results)),
            claim.measured(results),
            claim.binding,
        )
        for claim in claims
    )


@dataclass(frozen=True)
class Section:
    """A part of an outcome, for experiments of several parts."""

    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    parameters: dict[str, Cell] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """All that one run of an experiment found.

    `numbers` can be written to a file, and all the rest follows from them: each experiment has a function
    `build_outcome(numbers)`.
    """

    name: str
    title: str
    parameters: dict[str, Cell]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    numbers: dict[str, Any] = field(default_factory=dict)
