"""An outcome for people: tables and verdicts on the standard output."""

from __future__ import annotations

import sys

from ougi.lab import tables as drawing
from ougi.lab.reproduce.experiment import Cell, Outcome, Table, Verdict


def text(cell: Cell) -> str:
    """A cell as it is printed.

    >>> [text(x) for x in (None, "box", 12345, 67.676, 0.0, 0.0042)]
    ['', 'box', '12,345', '67.68', '0.00', '0.0042']
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.2f}" if abs(cell) >= 0.1 or cell == 0 else f"{cell:.2g}"
    return cell if isinstance(cell, str) else f"{cell:,}"


def numeric(table: Table, column: int) -> bool:
    """Does a column hold numbers, to be set to the right?"""
    cells = [row[column] for row in table.rows]
    return any(isinstance(cell, int | float) for cell in cells)


def judged(verdict: Verdict) -> str:
    """One word; a claim that fails without being binding is no failure of ours."""
    if verdict.holds:
        return "holds"
    return "FAILS" if verdict.binding else "does not hold"


def show(outcome: Outcome) -> None:
    """Print one experiment."""
    sys.stdout.write(f"\n{outcome.name}: {outcome.title}\n\n")
    drawing.show([_drawable(table) for table in outcome.tables])
    sys.stdout.write("\n")
    for verdict in outcome.verdicts:
        sys.stdout.write(f"{judged(verdict):>13}  {verdict.claim} ({verdict.detail})\n")
    for note in outcome.notes:
        sys.stdout.write(f"note: {note}\n")


def _drawable(table: Table) -> drawing.Table:
    headings = tuple(
        f">{name}" if numeric(table, column) else name for column, name in enumerate(table.columns)
    )
    rows = [tuple(map(text, row)) for row in table.rows]
    return drawing.Table(table.title, headings, rows, (table.note,) if table.note else ())
