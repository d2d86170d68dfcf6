"""The figures of FAN sec. 3.1, 3.2: accuracy by angle and by shape, and the seven groups as points."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.shapes import Box
from ougi_lab.lattice.count import BALANCED, BITMAPS, ENCLOSING, EXACT, METHODS, POSES, SECTOR, find_members
from ougi_lab.lattice.readings import TEXT
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Figure
from ougi_lab.scenes.fan_motions import FanMotions

ANGLE_BINS = 36
SHAPE_GROUPS = 20

# Points of a group that are drawn; all of them are in the CSV.
_DRAWN = 6_000
# Fewer points are drawn large.
_SMALL = 1_000

# Method -> label, colour, marker and line: distinct without colour too. Other readings are thin and grey.
_LINES = {
    EXACT: ("exact sweep", "#222222", "", "-"),
    BALANCED: ("balanced sector", "#2e8b57", "s", "-"),
    ENCLOSING: ("enclosing sector", "#e3a02b", "^", "-"),
    SECTOR: ("sector (FAN)", "#d73a2d", "o", "-"),
    TEXT: ("S-CCD: AABB of start and end", "#1f4e9c", "v", "--"),
    "PhysX: start ± (|v| + |w| |extents|)": ("S-CCD: PhysX's rule", "#1f4e9c", "x", ":"),
    "search: start and end, doubled": ("S-CCD: that AABB doubled", "#7a4fa3", "d", "-."),
}

GROUPS = {
    "A": "the 100 poses only",
    "B": "S-CCD only",
    "C": "the sector only",
    "D": "the 100 poses and S-CCD",
    "E": "the 100 poses and the sector",
    "F": "S-CCD and the sector",
    "G": "all three",
}


@dataclass(frozen=True)
class Curve:
    """Mean accuracy of each method over ranges of something, in a form that files hold.

    Attributes
    ----------
    figure, x_label
        Which figure of the paper, and what the ranges are of.
    labels, x, motions
        A name, a place and the number of motions of each range.
    means
        Method -> mean of each range in percent; None where both sets are always empty.
    """

    figure: str
    x_label: str
    labels: list[str]
    x: list[float]
    motions: list[int]
    means: dict[str, list[float | None]]

    def of(self, method: str) -> Floats:
        """The means of one method; not a number where there is none."""
        return np.array(self.means[method], np.float64)


def average_by_angle(angle: Floats, accuracy: Floats) -> Curve:
    """Figure 3.8: 36 ranges of 10 degrees; those without a motion are skipped."""
    width = 360 / ANGLE_BINS
    index = np.minimum(np.degrees(angle) // width, ANGLE_BINS - 1).astype(int)
    filled = [k for k in range(ANGLE_BINS) if (index == k).any()]
    return Curve(
        "Figure 3.8",
        "angle of the turn (degrees)",
        [f"{width * k:.0f}-{width * (k + 1):.0f}°" for k in filled],
        [width * (k + 0.5) for k in filled],
        [int((index == k).sum()) for k in filled],
        _average_parts([accuracy[index == k] for k in filled]),
    )


def average_by_shape(stretch: Floats, accuracy: Floats) -> Curve:
    """Figure 3.9: motions in the order of Wy - Wx, 20 groups of the same size."""
    parts = [part for part in np.array_split(np.argsort(stretch, kind="stable"), SHAPE_GROUPS) if len(part)]
    return Curve(
        "Figure 3.9",
        "Wy − Wx (lattice steps), mean of the group",
        [f"{stretch[part].min():.1f}…{stretch[part].max():.1f}" for part in parts],
        [round(float(stretch[part].mean()), 4) for part in parts],
        [len(part) for part in parts],
        _average_parts([accuracy[part] for part in parts]),
    )


def _average_parts(parts: list[Floats]) -> dict[str, list[float | None]]:
    """Of the motions (rows) in each part, method by method (columns)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a range in which both sets are always empty
        found = np.stack([np.nanmean(part, axis=0) for part in parts], axis=1)
    return {
        method: [None if np.isnan(mean) else round(float(mean), 4) for mean in means]
        for method, means in zip(METHODS, found, strict=True)
    }


# Method -> ratio -> (mean %, standard error, motions), against one reference.
Ratios = Mapping[str, Mapping[str, tuple[float | None, float | None, int]]]


def build_figures(posed: Ratios, angle: Curve, shape: Curve) -> tuple[Figure, ...]:
    """All of them, in the order of the paper; `posed` are the ratios against the 100 poses."""
    curves = (_build_curve_figure("figure-3-8", angle), _build_curve_figure("figure-3-9", shape))
    return (*build_group_figures(), _build_ratio_figure(posed), *curves)


def _build_ratio_figure(posed: Ratios) -> Figure:
    """Table 3.1 as bars, for all methods."""
    methods = [*BITMAPS[1:], *(method for method in METHODS if method not in BITMAPS)]
    labels = [method if method in BITMAPS else f"S-CCD: {method}" for method in methods]
    rows = tuple(
        (label, *(mean for mean, _, _ in posed[method].values()))
        for label, method in zip(labels, methods, strict=True)
    )
    columns = ("method", *(f"{ratio} (%)" for ratio in next(iter(posed.values()))))
    draw = functools.partial(_draw_ratios, rows=rows, names=columns[1:])
    return Figure("table-3-1", "Table 3.1 for all methods, against 100 poses", draw, columns, rows)


def _draw_ratios(figure: Any, rows: tuple[Any, ...], names: tuple[str, ...]) -> None:
    """One bar for each method."""
    figure.set_size_inches(9.0, 1.1 + 0.27 * len(rows))
    axes = figure.subplots()
    parts = {name: [row[k] or 0.0 for row in rows] for k, name in enumerate(names, start=1)}
    notes = ["" if row[1] is None else f"{row[1]:.1f} % right" for row in rows]
    charts.draw_bars(axes, [row[0] for row in rows], parts, "share of the points of either set (%)", notes)
    figure.legend(loc="outside lower center", ncols=3, frameon=False)


def _build_curve_figure(name: str, curve: Curve) -> Figure:
    drawn = METHODS[1:]  # all but the reference
    rows = tuple(
        zip(curve.labels, curve.x, curve.motions, *(curve.means[method] for method in drawn), strict=True)
    )
    title = f"{curve.figure}: accuracy by {curve.x_label.split(' (')[0]}"
    columns = ("range", curve.x_label, "motions", *(f"{method}, accuracy (%)" for method in drawn))
    return Figure(name, title, functools.partial(_draw_curve, curve=curve), columns, rows)


def _draw_curve(figure: Any, curve: Curve) -> None:
    figure.set_size_inches(7.6, 4.8)
    axes = figure.add_subplot()
    for method, (label, color, marker, line) in _LINES.items():
        axes.plot(
            curve.x, curve.of(method), line, color=color, marker=marker, markersize=4, label=label, zorder=2
        )
    others = [method for method in METHODS if method not in _LINES and method not in BITMAPS]
    for k, method in enumerate(others):
        once = "other readings of S-CCD" if k == 0 else None
        axes.plot(curve.x, curve.of(method), color="#bbbbbb", linewidth=0.7, label=once, zorder=1)
    charts.style_axes(axes, curve.x_label, "mean accuracy against 100 poses (%)")
    if curve.figure == "Figure 3.8":
        axes.set_xticks(range(0, 361, 60))
    axes.set_ylim(0, 101)
    # The sector rises and S-CCD stays below, so there is space between them.
    axes.legend(fontsize=8, loc="center right", bbox_to_anchor=(1.0, 0.42), frameon=False, handlelength=3)


def build_example() -> FanMotions:
    """A turn in which none of the groups is empty: a thin, high and long box, almost a whole turn."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    radial = np.cross(axis, [1.0, 0.0, 0.0])
    return FanMotions(
        axis[None],
        radial[None] / np.linalg.norm(radial),
        angle=np.radians([330.0]),
        lever=np.array([25.0]),
        size=np.array([[1.8, 25.0, 25.0]]),
    )


def split_into_groups(sets: Bools) -> dict[str, Bools]:
    """Return the points of FAN's groups A..G, from the members of the sets METHODS."""
    pose, box, fan = (sets[METHODS.index(method)] for method in (POSES, TEXT, SECTOR))
    return {
        "A": pose & ~box & ~fan,
        "B": ~pose & box & ~fan,
        "C": ~pose & ~box & fan,
        "D": pose & box & ~fan,
        "E": pose & ~box & fan,
        "F": ~pose & box & fan,
        "G": pose & box & fan,
    }


def build_group_figures() -> tuple[Figure, ...]:
    """Figures 3.1 to 3.7: the groups of one motion as points."""
    coordinates, sets = find_members(build_example())
    found = []
    for k, (group, inside) in enumerate(split_into_groups(sets).items(), start=1):
        points = coordinates[np.argwhere(inside)]
        title = f"Figure 3.{k}: group {group}, {len(points):,} points of {GROUPS[group]}"
        rows = tuple(tuple(map(float, point)) for point in points)
        draw = functools.partial(_draw_points, points=points)
        found.append(Figure(f"figure-3-{k}", title, draw, ("x", "y", "z"), rows, small=True))
    return tuple(found)


def _draw_points(figure: Any, points: Floats) -> None:
    figure.set_size_inches(5.6, 5.0)
    axes = figure.add_subplot(projection="3d")
    axes.view_init(elev=48, azim=35)  # away from the axis of the turn, so that the ring is visible
    shown = points[:: max(1, -(-len(points) // _DRAWN))]
    size = 12.0 if len(points) < _SMALL else 2.5
    axes.scatter(*shown.T, s=size, c=shown[:, 2], cmap="viridis", vmin=-50, vmax=50, depthshade=False)
    _draw_turn(axes)
    for name, limits in (("x", axes.set_xlim), ("y", axes.set_ylim), ("z", axes.set_zlim)):
        limits(-40, 40)  # no set reaches further
        getattr(axes, f"set_{name}ticks")(range(-40, 41, 20))
        getattr(axes, f"set_{name}label")(name)
    axes.set_box_aspect((1, 1, 1), zoom=0.97)
    drawn = f"all {len(points):,}" if len(shown) == len(points) else f"{len(shown):,} of {len(points):,}"
    axes.set_title(f"{drawn} points drawn, lighter is higher (z); lengths in lattice steps", fontsize=9)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)


def _draw_turn(axes: Any) -> None:
    """The axis, and the box at the start and at the end: where a group of few points lies."""
    motion = build_example()
    box = motion.box()
    for body, line, label in ((box, "-", "start"), (box.transformed(motion.motion()), "--", "end")):
        edges = _trace_edges(body)
        axes.plot(*edges.T, line, color="#555555", lw=0.8, label=f"box at the {label}")
    axes.plot(*np.outer([-32, 32], motion.axis[0]).T, "-.", color="black", lw=1.4, label="axis of the turn")


def _trace_edges(box: Box) -> Floats:
    """One line along all edges of a box, (n, 3); it passes some of them twice."""
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]
    signs = [(x, y, -1) for x, y in corners] + [(x, y, 1) for x, y in corners]
    signs += [(1, -1, 1), (1, -1, -1), (1, 1, -1), (1, 1, 1), (-1, 1, 1), (-1, 1, -1)]
    corner: Floats = box.center[0] + (np.array(signs) * box.size[0] / 2) @ box.rotation[0].T
    return corner
