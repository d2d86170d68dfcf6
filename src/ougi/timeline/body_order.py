"""Bodies of a table in an order that depends on what they are, not on when they were added."""

from __future__ import annotations

from ougi._native import loop, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.impact.table import HEIGHT, BodyTable


@procedure
def comes_before(table: BodyTable, start: Floats, i: int, j: int) -> bool:
    """Does body i come before body j by content? So results do not depend on the order of the rows.

    Layouts are compared first, then records, motions, and the times `start` (n,) for which they hold.
    """
    if table.layout[i] != table.layout[j]:
        return bool(table.layout[i] < table.layout[j])
    for row in range(HEIGHT):
        if table.columns[row, i] != table.columns[row, j]:
            return bool(table.columns[row, i] < table.columns[row, j])
    for row in range(8):
        if table.screws[row, i] != table.screws[row, j]:
            return bool(table.screws[row, i] < table.screws[row, j])
    return bool(start[i] < start[j])


@loop
def compare_bodies(table: BodyTable, start: Floats, a: Ints, b: Ints, out: Bools) -> None:
    """Write whether body b[k] comes before body a[k]."""
    for k in range(len(a)):
        out[k] = comes_before(table, start, b[k], a[k])
