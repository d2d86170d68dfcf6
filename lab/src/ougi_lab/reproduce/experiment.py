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

    Attributes
    ----------
    claim, detail
        The claim, and what was found.
    holds
        None if there are too few data to judge.
    binding
        Whether it sets the exit code. Orderings of times never do.
    paper, section
        Where it is stated; empty for claims of ours.
    change
        What would change the verdict.
    """

    claim: str
    holds: bool | None
    detail: str
    binding: bool = True
    paper: str = ""
    section: str = ""
    change: str = ""

    @property
    def is_refuted(self) -> bool:
        """Is it a binding claim that does not hold?"""
        return self.binding and self.holds is False


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
    binding, change
        As of a `Verdict`.
    paper
        The key of the paper, if it is not that of the experiment; "ours" for claims of ours.
    always
        Whether any amount of data is enough: a single counterexample refutes it.
    """

    text: str
    test: Callable[[Results], bool]
    measured: Callable[[Results], str]
    section: str = ""
    binding: bool = True
    change: str = ""
    paper: str = ""
    always: bool = False


def evaluate(
    claims: Iterable[Claim[Results]], results: Results, *, paper: str = "", enough: bool = True
) -> tuple[Verdict, ...]:
    """One verdict for each claim; those of too few data hold neither nor fail, and bind nothing.

    >>> evaluate([Claim("it is positive", lambda x: x > 0, lambda x: f"it is {x}", "2.1")], 3)[0].holds
    True
    >>> evaluate([Claim("it is positive", lambda x: x > 0, lambda x: f"it is {x}")], 3, enough=False)[0].holds
    """
    found = []
    for claim in claims:
        is_judged = enough or claim.always
        source = claim.paper or paper
        found.append(
            Verdict(
                f"{claim.section}: {claim.text}" if claim.section else claim.text,
                bool(claim.test(results)) if is_judged else None,
                claim.measured(results),
                claim.binding and is_judged,
                "" if source == "ours" or "ours)" in claim.text else source,
                claim.section,
                claim.change,
            )
        )
    return tuple(found)


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
