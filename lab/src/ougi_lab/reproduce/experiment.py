"""What an experiment gives back: numbers and claims. Printing, files and pictures are elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A table of the paper, or of ours; a cell that is None is empty."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


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
    """A claim of the paper and whether ours bears it out.

    A verdict that is `binding` sets the exit code; orderings of times never do.
    """

    claim: str
    holds: bool
    detail: str
    binding: bool = True


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
    `outcome(numbers)`.
    """

    name: str
    title: str
    parameters: dict[str, Cell]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    numbers: dict[str, Any] = field(default_factory=dict)
