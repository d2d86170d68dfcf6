"""Tables: drawn on a terminal, as plain aligned lines anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

Cell = str | int | float | None


class Table(NamedTuple):
    """A title, headings, rows of cells and notes below; a cell that is None is empty.

    Columns with numbers are set to the right, and so are columns of text with a heading that starts with '>'.
    On a terminal rows that end in MISSED are red.
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    notes: tuple[str, ...] = ()


def format_cell(cell: Cell) -> str:
    """The text of a cell.

    >>> [format_cell(x) for x in (None, "box", 12345, 67.676, 0.0, 0.0042)]
    ['', 'box', '12,345', '67.68', '0.00', '0.0042']
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.2f}" if abs(cell) >= 0.1 or cell == 0 else f"{cell:.2g}"
    return cell if isinstance(cell, str) else f"{cell:,}"


def list_headings(table: Table) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """The headings without marks, and which columns are set to the right."""
    right = tuple(
        heading.startswith(">") or any(isinstance(row[k], int | float) for row in table.rows)
        for k, heading in enumerate(table.headings)
    )
    return tuple(heading.lstrip(">") for heading in table.headings), right


def format_table(table: Table) -> str:
    """Aligned lines without any drawing."""
    headings, right = list_headings(table)
    lines = [headings, *(tuple(map(format_cell, row)) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def align(cells: tuple[str, ...]) -> str:
        sides = zip(cells, widths, right, strict=True)
        return "  ".join(cell.rjust(w) if to_right else cell.ljust(w) for cell, w, to_right in sides).rstrip()

    title = [table.title] if table.title else []
    return "\n".join([*title, *map(align, lines), *table.notes, ""])


def print_tables(tables: Sequence[Table]) -> None:
    """Write tables to the standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write("\n".join(map(format_table, tables)))
        return
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console(markup=False)  # names may hold brackets
    for table in tables:
        rich_table = RichTable(
            title=table.title or None, caption="\n".join(table.notes), caption_justify="left"
        )
        for heading, to_right in zip(*list_headings(table), strict=True):
            rich_table.add_column(heading, justify="right" if to_right else "left")
        for row in table.rows:
            cells = tuple(map(format_cell, row))
            rich_table.add_row(*cells, style="red" if cells[-1].endswith("MISSED") else None)
        console.print(rich_table)
