"""Tables for people: drawn on a terminal, as plain aligned lines anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """Headings that start with '>' are set to the right, with their column.

    On a terminal rows whose last cell ends in MISSED are red.
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()


def plain(table: Table) -> str:
    """Aligned lines without any drawing."""
    headings = tuple(heading.lstrip(">") for heading in table.headings)
    widths = [max(len(line[k]) for line in (headings, *table.rows)) for k in range(len(headings))]

    def aligned(cells: tuple[str, ...]) -> str:
        padded = [
            cell.rjust(width) if heading.startswith(">") else cell.ljust(width)
            for cell, width, heading in zip(cells, widths, table.headings, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([table.title, *map(aligned, (headings, *table.rows)), *table.notes, ""])


def show(tables: Sequence[Table]) -> None:
    """Write tables to the standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write("\n".join(map(plain, tables)))
        return
    from rich.console import Console
    from rich.table import Table as Drawn

    console = Console(markup=False)  # names may hold brackets
    for table in tables:
        drawn = Drawn(title=table.title, caption="\n".join(table.notes), caption_justify="left")
        for heading in table.headings:
            drawn.add_column(heading.lstrip(">"), justify="right" if heading.startswith(">") else "left")
        for row in table.rows:
            drawn.add_row(*row, style="red" if row[-1].endswith("MISSED") else None)
        console.print(drawn)
