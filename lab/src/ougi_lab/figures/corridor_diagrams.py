"""The diagrams of CORRIDOR: a character in a corridor, where it touches a segment, and groups of segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi.corridor import Corridor
from ougi_lab.figures.corridor import draw_corridor
from ougi_lab.figures.drawing import (
    DARK,
    FREE,
    Drawing,
    add_panels,
    draw_arrow,
    draw_disc,
    draw_line,
    draw_polygon,
    polar,
    put_label,
)
from ougi_lab.scenes.corridors import make_strip

GROUP_COLORS = ("#1f4e9c", "#e3a02b", "#2e8b57", "#8e6bb5", "#d73a2d")


def _build_strip() -> Corridor:
    return Corridor(make_strip(60, np.random.default_rng(3)))


def _draw_character(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("a circle moves in a corridor of many segments",))
    corridor = _build_strip()
    middle = corridor.segments.reshape((-1, 2)).mean(axis=0)
    draw_corridor(axes, corridor, [[2.2, float(middle[1])]], 0.1)
    draw_arrow(axes, (2.2, float(middle[1])), (2.9, float(middle[1]) + 0.1))
    axes.set_xlim(0, 7)


def _draw_narrow_phase(sheet: Any) -> None:
    """Within the band of a segment a circle touches it; near an end point the segment that starts there."""
    (axes,) = add_panels(
        sheet, ("the centre enters the band: it is reflected; at an end point the next one counts",)
    )
    a, b, c = np.array([0.0, 0.0]), np.array([3.0, 0.4]), np.array([5.0, -0.9])
    radius = 0.7
    for start, end in ((a, b), (b, c)):
        along = (end - start) / np.linalg.norm(end - start)
        side = radius * np.array([-along[1], along[0]])
        draw_polygon(axes, [start, end, end + side, start + side], "#9cc9ec", ec="none")
    draw_disc(axes, b, radius, "#f3b6c0", ec="none", zorder=0)
    draw_line(axes, [a, b, c], lw=2.2)
    for name, place in (("Ls", a), ("Le = next Ls", b)):
        draw_disc(axes, place, 0.06, DARK, alpha=1.0)
        put_label(axes, place, name, -8, -16)
    draw_disc(axes, (1.4, 0.85), radius, "none")
    draw_arrow(axes, (0.4, 1.9), (1.4, 0.85))
    draw_arrow(axes, (1.4, 0.85), (2.55, 1.75))
    draw_arrow(axes, (1.4, 0.85), np.array([1.4, 0.85]) + polar(1.0, 97.6), "n")


def draw_groups(axes: Any, corridor: Corridor, k: int = 8) -> None:
    """Paint groups of k segments of the chain, which share the last one with the next group."""
    chain = corridor.segments
    for group, first in enumerate(range(0, len(chain), k - 1)):
        color = GROUP_COLORS[group % len(GROUP_COLORS)]
        part = chain[first : first + k]
        draw_line(axes, np.concatenate([part[:, 0], part[-1:, 1]]), color, lw=2.6)
        low, high = part[..., 0].min(), part[..., 0].max()
        axes.axvspan(low, high, color=color, alpha=0.05, lw=0)


def _draw_grouping(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("k = 8 segments each; the last one is the first of the next group",))
    draw_groups(axes, _build_strip())
    draw_disc(axes, (2.2, 0.3), 0.08, FREE)
    axes.set_xlim(0, 7)


FIGURES = {
    "corridor-1": Drawing("CORRIDOR figure 1: a character in a corridor", _draw_character, (7.4, 2.2)),
    "corridor-2": Drawing("CORRIDOR figure 2: a circle and segments", _draw_narrow_phase, (6.4, 3.4)),
    "corridor-3": Drawing("CORRIDOR figure 3: groups of segments", _draw_grouping, (7.4, 2.2)),
}
