"""An outcome for people: tables and verdicts on the standard output."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence

from ougi.cli import tables as drawing
from ougi_lab.reproduce.experiment import Cell, Outcome, Table, Verdict

_WIDEST = 118  # columns of a paragraph


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


def summary(verdicts: Sequence[Verdict]) -> str:
    """How many claims hold, in words; empty without claims.

    >>> summary([Verdict("a", True, ""), Verdict("b", False, "", binding=False)])
    '2 claims: 1 holds, 1 does not (not binding)'
    """
    held = sum(verdict.holds for verdict in verdicts)
    failed = sum(verdict.binding and not verdict.holds for verdict in verdicts)
    loose = len(verdicts) - held - failed
    parts = [f"{held} hold{'s' if held == 1 else ''}"]
    if failed:
        parts.append(f"{failed} FAIL{'S' if failed == 1 else ''}")
    if loose:
        parts.append(f"{loose} do{'es' if loose == 1 else ''} not (not binding)")
    return f"{len(verdicts)} claims: {', '.join(parts)}" if verdicts else ""


def took(seconds: Mapping[str, float]) -> str:
    """How long a run took by the clock, and what it worked.

    >>> took({"wall": 250.0, "cpu": 190.0}), took({"wall": 3.0, "cpu": 2.94})
    ('4.2 min (3.2 min of CPU time)', '3 s (3 s of CPU time)')
    """
    wall, cpu = (f"{s:.0f} s" if s < 120 else f"{s / 60:.1f} min" for s in (seconds["wall"], seconds["cpu"]))
    return f"{wall} ({cpu} of CPU time)"


def show(outcome: Outcome) -> None:
    """Print one experiment."""
    sys.stdout.write(f"\n{outcome.name}: {outcome.title}\n\n")
    drawing.show([_drawable(table) for table in outcome.tables])
    sys.stdout.write("\n")
    for verdict in outcome.verdicts:
        _write(f"{judged(verdict):>13}  ", f"{verdict.claim} ({verdict.detail})")
    for note in outcome.notes:
        _write("note: ", note)
    sys.stdout.write(f"{summary(outcome.verdicts)}\n")


def _width() -> int:
    """Of a paragraph: some columns less than the terminal has."""
    return min(_WIDEST, max(40, shutil.get_terminal_size((_WIDEST + 2, 24)).columns - 2))


def _write(head: str, words: str) -> None:
    """A paragraph behind a head."""
    hanging = " " * len(head)
    lines = textwrap.wrap(words, _width(), initial_indent=head, subsequent_indent=hanging)
    sys.stdout.write("\n".join(lines) + "\n")


def _drawable(table: Table) -> drawing.Table:
    headings = tuple(
        f">{name}" if numeric(table, column) else name for column, name in enumerate(table.columns)
    )
    rows = [tuple(map(text, row)) for row in table.rows]
    return drawing.Table(table.title, headings, rows, tuple(textwrap.wrap(table.note, _width())))
