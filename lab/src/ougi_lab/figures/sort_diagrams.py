"""The diagrams of SORT chapters 2 and 3: bounding volumes, all pairs, and bodies in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi_lab.figures.drawing import (
    DARK,
    FREE,
    HIT,
    PALE,
    Drawing,
    add_panels,
    draw_arrow,
    draw_disc,
    draw_line,
    draw_polygon,
    put_label,
)

# Bodies of figures 4 and 5: name -> center.
_BODIES = {"A": (2.6, 1.9), "B": (3.35, 1.75), "C": (1.2, 3.05), "D": (2.0, 1.1), "E": (0.9, 1.2),
           "F": (4.2, 3.1), "G": (3.0, 0.55)}  # fmt: skip
_RADIUS = 0.3


def _outline_body() -> Any:
    """A body with corners all around."""
    turn = np.linspace(0, 2 * np.pi, 14)[:-1]
    radius = 1.0 + 0.25 * np.cos(5 * turn)
    return np.stack([1.3 * radius * np.cos(turn), radius * np.sin(turn)], axis=1)


def _draw_bounds(sheet: Any) -> None:
    titles = ("1: a sphere about the centre, through the farthest point", "2: the box that holds the body")
    sphere, box = add_panels(sheet, titles)
    corners = _outline_body()
    for axes in (sphere, box):
        draw_polygon(axes, corners, FREE)
    draw_disc(sphere, (0, 0), float(np.linalg.norm(corners, axis=1).max()), "none")
    low, high = corners.min(axis=0), corners.max(axis=0)
    draw_polygon(box, [low, (high[0], low[1]), high, (low[0], high[1])], "none", alpha=1.0)


def _draw_all_pairs(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("four bodies, six tests",))
    places = {"A": (0.5, 0.6), "B": (2.6, 0.4), "C": (3.0, 2.2), "D": (0.9, 2.5)}
    names = list(places)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            draw_line(axes, [places[a], places[b]], PALE)
    for name, place in places.items():
        draw_disc(axes, place, 0.3, FREE)
        put_label(axes, place, name, -4, -4)
    _draw_axes(axes, 3.8, 3.2)


def _draw_axes(axes: Any, width: float, height: float) -> None:
    draw_arrow(axes, (0, 0), (width, 0))
    draw_arrow(axes, (0, 0), (0, height))
    for text, place in (("x", (width, 0)), ("y", (0, height)), ("o", (0, 0))):
        put_label(axes, place, text, -12, -12)


def _draw_bodies_by_distance(axes: Any, marked: tuple[str, ...]) -> None:
    for name, place in _BODIES.items():
        draw_line(axes, [(0, 0), place], PALE, lw=0.8)
        color = HIT if name == "A" else FREE if name in marked else PALE
        draw_disc(axes, place, _RADIUS, color)
        put_label(axes, place, name, -4, -4)
    _draw_axes(axes, 4.8, 3.7)


def _draw_row(axes: Any, names: list[str], marked: tuple[str, ...]) -> None:
    for k, name in enumerate(names):
        color = HIT if name == "A" else FREE if name in marked else "none"
        draw_polygon(axes, [(k, 0), (k + 1, 0), (k + 1, 1), (k, 1)], color)
        put_label(axes, (k + 0.5, 0.5), name, -4, -4)


def _sort_by_distance() -> list[str]:
    return sorted(_BODIES, key=lambda name: float(np.hypot(*_BODIES[name])))


def _find_near() -> tuple[str, ...]:
    """Bodies whose distance from the origin differs from A's by two radii at most."""
    own = np.hypot(*_BODIES["A"])
    return tuple(n for n, p in _BODIES.items() if n != "A" and abs(np.hypot(*p) - own) <= 2 * _RADIUS)


def _draw_sorted(sheet: Any) -> None:
    left, right = add_panels(
        sheet, ("(a) bodies and their position vectors", "(b) in the order of their distance")
    )
    _draw_bodies_by_distance(left, tuple(_BODIES))
    for radius in (np.hypot(*_BODIES[name]) for name in ("A", "C")):
        arc = [(radius * np.cos(t), radius * np.sin(t)) for t in np.linspace(0.1, 1.45, 40)]
        draw_line(left, arc, PALE, ls=":")
    _draw_row(right, _sort_by_distance(), ())


def _draw_near(sheet: Any) -> None:
    near = _find_near()
    text = f"A can touch {', '.join(near)} alone: |D − D_A| ≤ 2 r_max"
    left, right = add_panels(sheet, (text, "its neighbours in the order"))
    _draw_bodies_by_distance(left, near)
    own = np.hypot(*_BODIES["A"])
    for radius in (own - 2 * _RADIUS, own + 2 * _RADIUS):
        arc = [(radius * np.cos(t), radius * np.sin(t)) for t in np.linspace(0.05, 1.5, 40)]
        draw_line(left, arc, HIT, ls="--", lw=1.0)
    _draw_row(right, _sort_by_distance(), near)


def _draw_box(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("the box of a body and its two ends on each axis",))
    front, shift = np.array([(0, 0), (2, 0), (2, 1.3), (0, 1.3)], np.float64), np.array([0.8, 0.6])
    for corners in (front, front + shift):
        draw_polygon(axes, corners, "none", alpha=1.0)
    for corner in front:
        draw_line(axes, [corner, corner + shift])
    put_label(axes, (0, 0), "(sx, sy, sz)", -40, -16)
    put_label(axes, front[2] + shift, "(ex, ey, ez)", 4, 4)
    for start, end, name in (
        ((0, -0.5), (2, -0.5), "Δx"),
        ((-0.5, 0), (-0.5, 1.3), "Δy"),
        ((2.2, 0), (3.0, 0.6), "Δz"),
    ):
        draw_arrow(axes, start, end, name, both=True)


# Bodies of figures 7 and 8: low and high corners.
_BOXES = {"O1": ((0.2, 0.4), (1.3, 1.3)), "O2": ((0.9, 2.0), (2.1, 3.0)), "O3": ((2.5, 1.0), (3.3, 1.9)),
          "O4": ((3.7, 2.1), (5.0, 3.1)), "O5": ((4.4, 0.3), (5.5, 1.2))}  # fmt: skip


def _draw_overlaps(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("O1 and O2, O4 and O5 overlap on x; O3 stands alone and is dropped",))
    for k, (name, (low, high)) in enumerate(_BOXES.items()):
        color = PALE if name == "O3" else FREE
        draw_polygon(axes, [low, (high[0], low[1]), high, (low[0], high[1])], color)
        put_label(axes, np.add(low, high) / 2, name, -8, -4)
        y = -0.35 - 0.16 * k
        draw_line(axes, [(low[0], y), (high[0], y)], color if name == "O3" else HIT, lw=3)
    _draw_axes(axes, 6.0, 3.4)


def _draw_best_axis(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("on y fewer bodies overlap A than on x: A is tested on y",))
    places = {
        "A": (1.2, 1.2),
        "B": (1.4, 2.2),
        "C": (1.0, 3.2),
        "D": (1.5, 4.1),
        "E": (3.2, 1.4),
        "F": (3.6, 3.6),
    }
    size = 0.35
    axes.axhspan(1.2 - size, 1.2 + size, color=HIT, alpha=0.15, lw=0)
    axes.axvspan(1.2 - size, 1.2 + size, color=FREE, alpha=0.12, lw=0)
    for name, (x, y) in places.items():
        color = HIT if name in ("A", "E") else PALE
        draw_polygon(
            axes,
            [(x - size, y - size), (x + size, y - size), (x + size, y + size), (x - size, y + size)],
            color,
        )
        put_label(axes, (x, y), name, -4, -4)
    put_label(axes, (4.4, 1.2), "1 candidate on y", 2, -4)
    put_label(axes, (1.2, 4.8), "3 candidates on x", -40, 0)
    _draw_axes(axes, 4.6, 4.8)
    axes.plot([6.4], [0], color=DARK, alpha=0)


FIGURES = {
    "sort-1": Drawing("SORT figures 1, 2: bounding sphere and bounding box", _draw_bounds, (7.2, 3.4)),
    "sort-3": Drawing("SORT figure 3: all pairs are tested", _draw_all_pairs, (4.6, 3.8)),
    "sort-4": Drawing(
        "SORT figure 4: bodies in the order of their distance from the origin", _draw_sorted, (8.4, 3.6)
    ),
    "sort-5": Drawing("SORT figure 5: only near distances are tested", _draw_near, (8.4, 3.6)),
    "sort-6": Drawing("SORT figure 6: the bounding box", _draw_box, (4.8, 3.4)),
    "sort-7": Drawing("SORT figure 7: bodies that can touch overlap on the axis", _draw_overlaps, (6.4, 4.4)),
    "sort-8": Drawing("SORT figure 8: the axis with the fewest candidates", _draw_best_axis, (5.6, 4.4)),
}
