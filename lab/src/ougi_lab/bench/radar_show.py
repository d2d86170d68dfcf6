"""The table of `ougi bench radar`."""

from __future__ import annotations

from collections.abc import Sequence

from ougi.cli.tables import Table
from ougi_lab.bench.radar import Row
from ougi_lab.bench.show import verdict


def table(rows: Sequence[Row], load: float | None) -> Table:
    """Times, answers, and how far they are from the exact ones."""
    lines = [
        (
            row.question,
            row.way,
            f"{row.ms:.3f}",
            "-" if row.answer is None else f"{row.answer:.9g}",
            "-" if row.error is None else f"{row.error:.1e}",
            "" if row.target is None else verdict(f"<= {row.target:g}", bool(row.kept)),
        )
        for row in rows
    ]
    notes = (
        "CPU ms on one thread, medians; ten calls in a row, a hundred of boxes. Distance: a length, or "
        "radians; -: no contact found.",
        "Deforming: all vertices are given anew each time. coal is advanced by its distances to a gap "
        "of 1e-9 of the size.",
        *(() if load is None else (f"Load of the machine before: {load:.1f}.",)),
    )
    return Table(
        "first contacts of meshes",
        ("question", "way", ">ms", ">distance", ">off by", ">target"),
        lines,
        notes,
    )
