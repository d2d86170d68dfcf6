"""The diagrams of FAN chapter 2 and of FAN2D chapter 2: what the letters and the steps of the tests mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi_lab.figures.drawing import (
    DARK,
    FAN,
    FREE,
    HIT,
    PALE,
    Drawing,
    add_panels,
    draw_arrow,
    draw_disc,
    draw_fan,
    draw_line,
    draw_polygon,
    outline_rectangle,
    polar,
    put_label,
)


def _draw_letters(sheet: Any) -> None:
    above, beside = add_panels(sheet, ("seen along the axis U", "seen from the side"))
    draw_fan(above, 1.2, 3.0, 10, 90)
    draw_disc(above, (0, 0), 0.05, DARK)
    put_label(above, (0, 0), "O, U", -24, -12)
    draw_arrow(above, (0, 0), polar(2.2, 50), "")
    put_label(above, polar(2.2, 50), "A")
    draw_line(above, [polar(0, 0), polar(3.0, 10)], ls=":")
    draw_line(above, [polar(0, 0), polar(3.0, 90)], ls=":")
    for degrees in (30, 70):
        put_label(above, polar(0.65, degrees), "θ", -4, -4)
    draw_arrow(above, (0, 0), polar(1.2, 18), "r")
    draw_arrow(above, (0, 0), polar(3.0, 4), "R")
    draw_polygon(beside, [(1.2, -0.5), (3.0, -0.5), (3.0, 0.5), (1.2, 0.5)], FAN)
    draw_arrow(beside, (0, -1.1), (0, 1.3), "U")
    draw_disc(beside, (0, 0), 0.05, DARK)
    put_label(beside, (0, 0), "O", -14, -4)
    draw_arrow(beside, (3.3, -0.5), (3.3, 0.5), "2h", both=True)


def _draw_widest_discs(sheet: Any) -> None:
    """A ball beside the slab, and one whose centre lies in it (2.12)."""
    panels = add_panels(sheet, ("2.5: Pz lies outside of the slab", "2.6: Pz lies in the slab"))
    for axes, height in zip(panels, (1.25, 0.3), strict=True):
        axes.axhspan(-0.7, 0.7, color=FAN, alpha=0.4, lw=0)
        draw_disc(axes, (0, height), 1.0, PALE)
        cut = min(height, 0.7)
        half = float(np.sqrt(1.0 - (height - cut) ** 2))
        draw_line(axes, [(-half, cut), (half, cut)], HIT, lw=2.2)
        put_label(axes, (half / 2, cut), "Rm", 0, -14)
        draw_arrow(axes, (0, height), polar(1.0, 60) + np.array([0, height]), "rs")
        put_label(axes, (0, height), "P", -14, 2)
        draw_arrow(axes, (-1.7, -0.7), (-1.7, 0.7), "2h", both=True)
        axes.set_xlim(-2.1, 1.6)
        axes.set_ylim(-1.2, 2.5)


def _draw_discriminants(sheet: Any) -> None:
    """The line of a capsule and the two circles that its radius grows or shrinks."""
    titles = ("D_R < 0: no t", "D_R ≥ 0, D_r ≥ 0: two ranges", "D_R ≥ 0, D_r < 0: one range")
    for axes, title, height in zip(add_panels(sheet, titles), titles, (2.7, 0.5, 1.6), strict=True):
        for radius, name in ((2.3, "R + rc"), (1.0, "r − rc")):
            draw_disc(axes, (0, 0), radius, "none")
            put_label(axes, polar(radius, 230), name, -30, -14)
        ends = [(-3.0, height), (3.0, height)]
        draw_line(axes, ends, PALE, lw=1.2)
        roots = [np.sqrt(radius**2 - height**2) if radius > height else None for radius in (2.3, 1.0)]
        if roots[0] is not None:
            inner = roots[1] or 0.0
            for side in (-1, 1):
                draw_line(axes, [(side * inner, height), (side * roots[0], height)], HIT, lw=3)
            put_label(axes, (-roots[0], height), "a_R", -14, 6)
            put_label(axes, (roots[0], height), "b_R", 2, 6)
            if roots[1] is not None:
                put_label(axes, (-roots[1], height), "a_r", -8, 6)
                put_label(axes, (roots[1], height), "b_r", -8, 6)
        axes.set_title(title, fontsize=9)


def _draw_hit_without_t(sheet: Any) -> None:
    """A capsule whose segment lies beside the angle: only the distance from the fan's edge finds it."""
    (axes,) = add_panels(sheet, ("no t satisfies (2.14), (2.15) and (2.20), yet the capsule touches",))
    draw_fan(axes, 1.0, 3.0, -40, 40)
    start, end = polar(1.6, 62), polar(2.7, 54)
    _draw_capsule(axes, start, end, 0.62, HIT)
    foot = polar(float(end @ polar(1.0, 40)), 40)
    draw_arrow(axes, end, foot, "d_G", both=True)
    put_label(axes, start, "S")
    put_label(axes, end, "E")


def _draw_capsule(axes: Any, start: Any, end: Any, radius: float, color: str) -> None:
    along = (end - start) / np.linalg.norm(end - start)
    side = radius * np.array([-along[1], along[0]])
    angle = float(np.degrees(np.arctan2(along[1], along[0])))
    first = [start + polar(radius, angle + 90 + 180 * t) for t in np.linspace(0, 1, 25)]
    last = [end + polar(radius, angle - 90 + 180 * t) for t in np.linspace(0, 1, 25)]
    draw_polygon(axes, [start + side, *first, start - side, end - side, *last, end + side], color)
    draw_line(axes, [start, end], lw=1.0)


def _list_discs(count: int = 61) -> list[tuple[float, float]]:
    """Along a capsule that rises through the slab |z| <= 0.5: where, and the radius that the slab leaves."""
    found = []
    for t in np.linspace(0, 1, count):
        x, z = -2.0 + 4.0 * t, 1.6 - 2.1 * t
        over = max(abs(z) - 0.5, 0.0)
        if over < 0.9:
            found.append((float(x), float(np.sqrt(0.81 - over**2))))
    return found


def _draw_pseudo_capsule(sheet: Any) -> None:
    side, above = add_panels(
        sheet, ("a capsule and the slab, from the side", "its discs in the slab, from above")
    )
    side.axhspan(-0.5, 0.5, color=FAN, alpha=0.4, lw=0)
    _draw_capsule(side, np.array([-2.0, 1.6]), np.array([2.0, -0.5]), 0.9, PALE)
    side.set_xlim(-3.3, 3.3)
    for x, radius in _list_discs():
        draw_disc(above, (x, 0), radius, DARK, ec="none", alpha=1.0)


def _draw_enclosed(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("the planar capsule C′ around the pseudo-capsule: more than it",))
    discs = _list_discs()
    radius = max(r for _, r in discs)
    left, right = min(x - r for x, r in discs), max(x + r for x, r in discs)
    _draw_capsule(axes, np.array([left + radius, 0.0]), np.array([right - radius, 0.0]), radius, HIT)
    for x, r in discs:
        draw_disc(axes, (x, 0), r, DARK, ec="none", alpha=1.0)


def _draw_w(sheet: Any) -> None:
    """How far the centre of a ball moves sideways while it rises by the radius (2.26)."""
    (axes,) = add_panels(sheet, ("w: how far the line of the capsule runs in xy while it rises by rc",))
    draw_line(axes, [(-0.6, -0.8), (2.4, 3.2)], DARK)
    draw_line(axes, [(0, 0), (1.05, 0), (1.05, 1.4)], PALE)
    draw_arrow(axes, (0, -0.2), (1.05, -0.2), "w", both=True)
    draw_arrow(axes, (1.3, 0), (1.3, 1.4), "rc", both=True)
    draw_disc(axes, (0, 0), 0.05, HIT)
    put_label(axes, (0, 0), "Q", -16, 4)
    put_label(axes, (2.2, 2.9), "M")


def _draw_planar_motion(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("a rectangle turns by up to 180° about a point outside of it",))
    for degrees in (0, 35, 70):
        draw_polygon(axes, outline_rectangle(polar(2.2, degrees), (1.8, 0.5), degrees), FREE, alpha=0.3)
    draw_disc(axes, (0, 0), 0.06, DARK)
    put_label(axes, (0, 0), "O", -14, -12)
    arc = [polar(3.4, t) for t in np.linspace(5, 65, 40)]
    draw_line(axes, arc, ls=":")
    draw_arrow(axes, arc[-2], arc[-1])


def _draw_planar_forms(sheet: Any) -> None:
    panels = add_panels(sheet, ("2.2: a piece of shortcake", "2.3: a piece of Baumkuchen"))
    for axes, inner in zip(panels, (0.0, 1.3), strict=True):
        draw_fan(axes, inner, 3.1, 5, 75)
        draw_disc(axes, (0, 0), 0.05, DARK)


def _draw_planar_letters(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("the pivot O, and the ends of the two straight edges",))
    draw_fan(axes, 1.3, 3.1, 10, 80)
    for name, place in {"O": polar(0, 0), "A": polar(1.3, 10), "B": polar(3.1, 10)}.items():
        draw_disc(axes, place, 0.05, DARK)
        put_label(axes, place, name, 4, -14)
    for name, place in {"A′": polar(1.3, 80), "B′": polar(3.1, 80)}.items():
        draw_disc(axes, place, 0.05, DARK)
        put_label(axes, place, name, 4, 6)


_NARROW = (4.6, 3.6)
FIGURES = {
    "fan-2.4": Drawing("FAN figure 2.4: the numbers of a sector", _draw_letters, (7.2, 3.6)),
    "fan-2.5": Drawing(
        "FAN figures 2.5, 2.6: the widest disc that the slab leaves of a ball", _draw_widest_discs
    ),
    "fan-2.7": Drawing("FAN figure 2.7: three cases of the discriminants", _draw_discriminants, (8.4, 3.2)),
    "fan-2.8": Drawing("FAN figure 2.8: a hit without a t", _draw_hit_without_t, _NARROW),
    "fan-2.9": Drawing("FAN figure 2.9: the pseudo-capsule", _draw_pseudo_capsule, (7.2, 2.8)),
    "fan-2.10": Drawing("FAN figure 2.10: a capsule around the pseudo-capsule", _draw_enclosed, (6.0, 2.6)),
    "fan-2.11": Drawing("FAN figure 2.11: the number w", _draw_w, _NARROW),
    "fan2d-2.1": Drawing("FAN2D figure 2.1: the motion", _draw_planar_motion, _NARROW),
    "fan2d-2.2": Drawing("FAN2D figures 2.2, 2.3: the two forms of a sector", _draw_planar_forms),
    "fan2d-2.4": Drawing("FAN2D figure 2.4: the points of a sector", _draw_planar_letters, _NARROW),
}
