"""Tables for people: drawn on a terminal, as plain aligned lines anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

Cell = str | int | float | None


class Table(NamedTuple):
    """A title, headings, rows of cells and notes below; a cell that is None is empty.

    Columns that hold a number are set to the right. So are columns of text whose heading starts with '>'.
    On a terminal rows whose last cell ends in MISSED are red.
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()


def format_cell(cell: Cell) -> str:
    """A cell as it is printed.

    >>> [format_cell(x) for x in (None, "box", 12345, 67.676, 0.0, 0.0042)]
    ['', 'box', '12,345', '67.68', '0.00', '0.0042']
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.2f}" if abs(cell) >= 0.1 or cell == 0 else f"{cell:.2g}"
    return cell if isinstance(cell, str) else f"{cell:,}"


def headings_and_sides(table: Table) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The headings as they are printed, and which columns are set to the right."""
    right = tuple(
        heading.startswith(">") or any(isinstance(row[k], int | float) for row in table.rows)
        for k, heading in enumerate(table.headings)
    )
    return tuple(heading.lstrip(">") for heading in table.headings), right


def plain(table: Table) -> str:
    """Aligned lines without any drawing."""
    headings, right = headings_and_sides(table)
    lines = [headings, *(tuple(map(format_cell, row)) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def align(cells: tuple[str, ...]) -> str:
        sides = zip(cells, widths, right, strict=True)
        return "  ".join(cell.rjust(w) if to_right else cell.ljust(w) for cell, w, to_right in sides).rstrip()

    title = [table.title] if table.title else []
    return "\n".join([*title, *map(align, lines), *table.notes, ""])


def show(tables: Sequence[Table]) -> None:
    """Write tables to the standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write("\n".join(map(plain, tables)))
        return
    from rich.console import Console
    from rich.table import Table as Drawn

    console = Console(markup=False)  # names may hold brackets
    for table in tables:
        drawn = Drawn(title=table.title or None, caption="\n".join(table.notes), caption_justify="left")
        for heading, to_right in zip(*headings_and_sides(table), strict=True):
            drawn.add_column(heading, justify="right" if to_right else "left")
        for row in table.rows:
            cells = tuple(map(format_cell, row))
            drawn.add_row(*cells, style="red" if cells[-1].endswith("MISSED") else None)
        console.print(drawn)
