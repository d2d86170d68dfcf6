"""Bodies of a table in an order that depends on what they are, not on when they were added."""

from __future__ import annotations

from ougi._native import loop, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.impact.table import HEIGHT, BodyTable


@procedure
def comes_before(layout: Ints, columns: Floats, screws: Floats, start: Floats, i: int, j: int) -> bool:
    """Does body i come before body j by content? So results do not depend on the order of the rows.

    Layouts are compared first, then records, motions, and the times `start` (n,) for which they hold.
    """
    if layout[i] != layout[j]:
        return bool(layout[i] < layout[j])
    for row in range(HEIGHT):
        if columns[row, i] != columns[row, j]:
            return bool(columns[row, i] < columns[row, j])
    for row in range(8):
        if screws[row, i] != screws[row, j]:
            return bool(screws[row, i] < screws[row, j])
    return bool(start[i] < start[j])


@loop
def compare_bodies(table: BodyTable, start: Floats, a: Ints, b: Ints, out: Bools) -> None:
    """Write whether body b[k] comes before body a[k]."""
    layout, columns, screws = table.layout, table.columns, table.screws
    for k in range(len(a)):
        out[k] = comes_before(layout, columns, screws, start, b[k], a[k])
