"""What panels of the plane and of space share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, Foreign
from ougi.motion import Motion
from ougi.plot.bodies import cut_half_space, iter_shapes
from ougi.query import Contact, Manifold, RayHits
from ougi.results import FirstContacts
from ougi.shapes import HalfSpace, Mesh, Point2d, Point3d, Shape, ShapeLike, as_shape
from ougi.sweeps import Sweep

Color: TypeAlias = str | tuple[float, ...]
# Red and blue as in the paper, here of different lightness, for readers who cannot distinguish the hues.
RED, BLUE = "#d73a2d", "#1f4e9c"
BODY, FAN, GREY = "#5c5c5c", "#e3a02b", "#9a9a9a"
AXES = ("#c0392b", "#2e8b57", "#3b5fc4")
TEXT = 9.5  # size of letters, in points
_ARROW = 26  # length of a normal on the sheet, in points


@dataclass(frozen=True)
class Style:
    """How a body is painted; alpha is that of its faces, line the width of its edges in points."""

    color: Color
    alpha: float = 1.0
    line: float = 0.9


class Panel:
    """Draws shapes, motions and contacts on matplotlib axes; `Plane` and `Space` are the two kinds.

    >>> from ougi.plot import Panel, Plane, Space
    >>> [kind.dimension for kind in (Plane, Space) if issubclass(kind, Panel)]
    [2, 3]
    """

    dimension: int
    opaque: float  # alpha of a moving body where it is drawn in full

    def __init__(self, axes: Foreign, caption: str = "") -> None:
        self.axes = axes
        self.entries: dict[str, Foreign] = {}  # label -> what the legend shows beside it
        self._notes: list[Foreign] = []
        self._planes: list[tuple[HalfSpace, Style]] = []  # drawn last, as wide as everything else
        if caption:
            axes.set_title(caption, fontsize=TEXT + 0.5)

    def draw(
        self,
        shape: ShapeLike,
        *,
        hit: ArrayLike | None = None,
        color: Color = GREY,
        alpha: float = 1.0,
        edges: bool = True,
        label: str | tuple[str, str] = "",
    ) -> None:
        """Draw a shape, a batch or points (..., d).

        Parameters
        ----------
        shape
            Shapes of any class and batch shape, of the panel's dimension.
        hit
            Bools that broadcast to the batch: red where true, blue where false. None for one `color`.
        color, alpha
            Of the faces. Edges are opaque, and not drawn if `edges` is false.
        label
            For the legend. With `hit` a pair for the two colours, ("hit", "free") by default.
        """
        given = self._own("shape", shape)
        if label and isinstance(label, str) != (hit is None):
            raise ValueError(f"label must be a pair with hit and one text without, got {label!r}")
        line = Style.line if edges else 0.0
        if hit is None:
            self._paint(given, Style(color, alpha, line), str(label))
            return
        marks = np.asarray(hit, np.bool_)
        if _check.broadcast_shape(shape=given.shape, hit=marks.shape) != given.shape:
            raise ValueError(f"hit must have the shapes' batch shape {given.shape}, got {marks.shape}")
        marks, names = np.broadcast_to(marks, given.shape).ravel(), label or ("hit", "free")
        for wanted, tone, name in ((False, BLUE, names[1]), (True, RED, names[0])):
            if (marks == wanted).any():
                part = given if isinstance(given, Mesh) else given.reshape((given.count,))[marks == wanted]
                self._paint(part, Style(tone, alpha, line), name)

    def motion(
        self,
        body: ShapeLike,
        motion: Motion,
        *,
        poses: int = 6,
        times: ArrayLike = (),
        color: Color = BODY,
        shade: bool = True,
        label: str = "",
    ) -> None:
        """Draw a moving body: start and end in full, ghosts between, what it covers as a shade.

        Parameters
        ----------
        body, motion
            A single shape or point, and how it moves.
        poses
            The number of ghosts between start and end.
        times
            Further poses that are drawn in full, such as those of contacts; NaN is skipped.
        shade
            Show what the body covers: in the plane and seen from above its area, else the path of its middle.
        """
        moving = self._own("body", body)
        for name, batch in (("body", moving), ("motion", motion)):
            if batch.shape:
                raise ValueError(f"{name} must be one {name}, got a batch of shape {batch.shape}")
        if motion.dimension != self.dimension:
            kind = type(motion).__name__
            raise ValueError(f"motion must be {self.dimension}-D on this panel, got a {kind}")
        if shade and not isinstance(moving, HalfSpace):  # what that covers has no end
            self._shade(moving, motion, color)
        for t in np.linspace(0, 1, poses + 2)[1:-1]:
            self._paint(moving.transformed(motion.at(t)), Style(color, 0.1, 0.4), "")
        wanted = np.asarray(times, np.float64).ravel()
        for t in (1.0, *wanted[np.isfinite(wanted)], 0.0):
            self._paint(moving.transformed(motion.at(t)), Style(color, self.opaque), label)

    def contacts(
        self,
        found: FirstContacts | Contact | Manifold | RayHits,
        *,
        color: Color = "black",
        label: str = "contact and normal",
    ) -> None:
        """Draw points and normals of contacts, where known."""
        point, normal = (np.asarray(v, np.float64) for v in (found.point, found.normal))
        if normal.ndim < point.ndim:  # one normal for all points of a manifold
            normal = np.broadcast_to(normal[..., None, :], point.shape)
        point, normal = (v.reshape(-1, self.dimension) for v in (point, normal))
        known = np.isfinite(point).all(axis=1) & np.isfinite(normal).all(axis=1)
        for foot, toward in zip(self._flat(point[known]), self._flat(normal[known]), strict=True):
            self._arrow(foot, toward, color)
        if known.any() and label:
            self.entries[label] = _mark(color, "o")

    def path(
        self,
        points: ArrayLike,
        *,
        color: Color = GREY,
        label: str = "",
        width: float = 1.2,
        dashed: bool = False,
    ) -> None:
        """Draw a line through points (k, d), over everything else."""
        flat = self._flat(np.asarray(points, np.float64))
        (line,) = self.axes.plot(*flat.T, "--" if dashed else "-", color=color, lw=width, zorder=6)
        if label:
            self.entries[label] = line

    def include(self, shape: ShapeLike) -> None:
        """Make the view hold shapes without drawing them, so that panels show the same part of the world."""
        bounds = self._own("shape", shape).bounds()
        corners = np.stack([bounds.lower, bounds.upper]).reshape(-1, self.dimension)
        self._reach(corners[np.isfinite(corners).all(axis=1)])

    def note(
        self, at: ArrayLike, text: str, *, color: Color = "black", shift: tuple[float, float] = (7, 7)
    ) -> None:
        """Write a text beside a point (d,), on white; or on the point itself, with no shift.

        The shift is in points of the sheet.
        """
        across = "left" if shift[0] > 0 else "right" if shift[0] < 0 else "center"
        upward = "bottom" if shift[1] > 0 else "top" if shift[1] < 0 else "center"
        paper = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75}
        written = self.axes.annotate(
            text,
            self._flat(np.asarray(at, np.float64)),
            xytext=shift,
            textcoords="offset points",
            color=color,
            fontsize=TEXT,
            ha=across,
            va=upward,
            zorder=9,
            bbox=paper if any(shift) else None,
        )
        if any(shift):
            self._notes.append(written)

    def spread_notes(self) -> None:
        """Lift texts that would cover others; `Picture.save` calls it when all else is in place."""
        placed: list[Foreign] = []
        for note in self._notes:
            box = note.get_window_extent()
            while any(box.overlaps(other) for other in placed):
                note.xyann = (note.xyann[0], note.xyann[1] + TEXT)
                box = note.get_window_extent()
            placed.append(box)

    def finish(self) -> None:
        """Put limits, grid and axes in place; `Picture.save` calls it."""
        raise NotImplementedError

    def _own(self, name: str, value: ShapeLike) -> Shape:
        """A shape or points, of this panel's dimension."""
        shape = as_shape(name, value)
        if shape.dimension != self.dimension:
            kind = f"{shape.dimension}-D {type(shape).__name__}"
            raise ValueError(f"{name} must be {self.dimension}-D on this panel, got a {kind}")
        return shape

    def _paint(self, shape: Shape, style: Style, label: str) -> None:
        """Draw all shapes of a batch alike."""
        is_points = isinstance(shape, Point2d | Point3d)
        if label:
            self.entries[label] = _mark(style.color, "o") if is_points else _patch(style)
        if isinstance(shape, Point2d | Point3d):
            self._points(shape.position.reshape(-1, self.dimension), style)
            return
        for one in iter_shapes(shape):
            if isinstance(one, Sweep):
                self.motion(one.body, one.motion, color=style.color)
            elif isinstance(one, HalfSpace):
                self._planes.append((one, style))
            else:
                self._body(one, style)

    def _arrow(self, foot: Floats, toward: Floats, color: Color) -> None:
        self.axes.plot(*foot, "o", ms=4, mec="white", mew=0.6, color=color, zorder=8)
        self.axes.annotate(
            "",
            xy=foot,
            xytext=_ARROW * toward,  # the head is where the text would be
            textcoords="offset points",
            arrowprops={"arrowstyle": "<|-", "color": color, "lw": 1.1, "shrinkA": 0, "shrinkB": 0},
            zorder=8,
        )

    def _draw_planes(self, lower: Floats, upper: Floats) -> None:
        """Draw the half-spaces below a box around everything else."""
        for plane, style in self._planes:
            self._body(cut_half_space(plane, lower, upper), style)

    def _reach(self, points: Floats) -> None:
        """Make the panel show these points (k, d)."""
        raise NotImplementedError

    def _flat(self, points: Floats) -> Floats:
        """Points (..., d) on the sheet."""
        raise NotImplementedError

    def _body(self, one: Shape, style: Style) -> None:
        """Paint a single shape that is not a point."""
        raise NotImplementedError

    def _points(self, points: Floats, style: Style) -> None:
        raise NotImplementedError

    def _shade(self, body: Shape, motion: Motion, color: Color) -> None:
        """Show faintly what a single body covers while it moves."""
        raise NotImplementedError


def mix_colors(color: Color, other: Color = "white", share: float = 0.0) -> tuple[float, ...]:
    """A color with a share of another in it, as red, green and blue."""
    from matplotlib.colors import to_rgb

    return tuple((1 - share) * a + share * b for a, b in zip(to_rgb(color), to_rgb(other), strict=True))


def draw_rulers(axes: Foreign, names: tuple[str, str] = ("x", "y")) -> None:
    """Equal scales, a light grid, and two coloured axes through the origin where it is in view."""
    axes.set_aspect("equal")
    axes.set_axisbelow(True)
    axes.grid(color="#e8e8e8", lw=0.7)
    axes.autoscale_view()
    axes.margins(0.04)
    colors = [AXES["xyz".index(name[-1])] for name in names]
    axes.axhline(0, color=colors[0], lw=0.8, zorder=0.9, alpha=0.7)
    axes.axvline(0, color=colors[1], lw=0.8, zorder=0.9, alpha=0.7)
    axes.tick_params(labelsize=TEXT - 1.5, color="#b0b0b0")
    axes.set_xlabel(names[0], fontsize=TEXT, color=colors[0])
    axes.set_ylabel(names[1], fontsize=TEXT, color=colors[1], rotation=0)
    axes.spines[:].set_color("#b0b0b0")


def _patch(style: Style) -> Foreign:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch

    return Patch(fc=to_rgba(style.color, max(style.alpha, 0.15)), ec=mix_colors(style.color, "black", 0.3))


def _mark(color: Color, marker: str) -> Foreign:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=color, marker=marker, ls="", ms=5)
