"""The panel for shapes of space: what is drawn is kept, cut to pieces and painted from back to front."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from ougi._typing import DynamicBatch, Floats, Foreign
from ougi.motion import Motion
from ougi.plot.bodies import build_mesh, build_stadium
from ougi.plot.camera import Camera, compute_brightness, compute_normals, cut_polygons, find_visible_edges
from ougi.plot.panel import AXES, TEXT, Color, Panel, Style, draw_rulers, mix_colors
from ougi.shapes import (
    Capsule3d,
    Compound3d,
    ConvexHull3d,
    Mesh,
    Point3d,
    Segment3d,
    Shape,
    Sphere,
    Triangle3d,
)

_SHADES = 120  # poses whose union is what a body covers, seen from above
_PIECES = 40  # the picture's diagonal over the longest side of a painted piece
_DOT = 0.006  # radius of a point, as a share of the diagonal


@dataclass
class _Paint:
    """Polygons of k corners in the viewer's frame, their colours, and how wide their borders are."""

    polygons: Floats  # (m, k, 3)
    faces: Floats  # (m, 4), rgba
    edges: Floats  # (m, 4), rgba
    line: float
    layer: int = 1  # 0 lies under everything else
    nearer: float = 0.0  # edges win over the faces they border; a share of the diagonal
    depth: Floats = field(init=False)


class Space(Panel):
    """A panel for shapes of space, seen by a camera.

    >>> import matplotlib.figure, ougi
    >>> from ougi.plot import Space
    >>> panel = Space(matplotlib.figure.Figure().add_subplot())
    >>> panel.draw(ougi.Sphere([0, 0, 0], 1), label="ball")
    >>> panel.finish()
    """

    dimension = 3
    opaque = 1.0

    def __init__(self, axes: Foreign, caption: str = "", camera: Camera | None = None) -> None:
        super().__init__(axes, caption)
        self.camera = camera or Camera()
        self._paints: list[_Paint] = []
        self._dots: list[tuple[Floats, Style]] = []
        self._world: list[Floats] = []  # points (..., 3) that lie in the picture

    def finish(self) -> None:
        """Paint what has been drawn, and put grid and axes in place."""
        from matplotlib.collections import PolyCollection

        self._draw_planes(*self._extent())
        size = self._size()
        if not self.camera.is_plan:
            self._ground()
        paints = [*self._paints, *(self._dot_paint(points, style, size) for points, style in self._dots)]
        for paint in paints:
            _in_pieces(paint, size)
        if paints:
            # Thousands of pieces: in an SVG they become one image, lines and letters stay.
            style: dict[str, Foreign] = {"capstyle": "round", "joinstyle": "round", "rasterized": True}
            self.axes.add_collection(PolyCollection(**_sort_paints(paints), **style, zorder=2))
        if self.camera.is_plan:
            draw_rulers(self.axes, ("x", "y") if self.camera.up == "z" else ("x", "-z"))
        else:
            self.axes.set_aspect("equal")
            self.axes.margins(0.02)
            self.axes.autoscale_view()
            self.axes.set_axis_off()

    def _reach(self, points: Floats) -> None:
        self._world.append(points)
        self.axes.update_datalim(self._flat(points))

    def _flat(self, points: Floats) -> Floats:
        flat: Floats = self.camera.project(points)[..., :2]
        return flat

    def _body(self, one: Shape, style: Style) -> None:
        if _is_thin_hull(one):
            one = Segment3d(one.vertices[0], one.vertices[-1])
        if isinstance(one, Segment3d):
            ends = np.stack([one.start, one.end])
            self._world.append(ends)
            self._line(self.camera.project(ends)[None], mix_colors(style.color, "black", 0.2), 2 * style.line)
            return
        body, solid = build_mesh(one), not isinstance(one, Triangle3d | Mesh)
        self._world.append(body.vertices)
        seen = Mesh._from_arrays(self.camera.project(body.vertices), body.faces)
        self._surface(seen, solid, style)
        if style.line:
            edges = (
                self._contour(one) if isinstance(one, Sphere | Capsule3d) else find_visible_edges(seen, solid)
            )
            self._line(edges, mix_colors(style.color, "black", 0.35), style.line, nearer=0.01)

    def _surface(self, seen: Mesh, solid: bool, style: Style, layer: int = 1) -> None:
        """The faces that look this way, shaded."""
        normal = compute_normals(seen.vertices, seen.faces)
        front = normal[:, 2] > 1e-9 if solid else np.ones(len(normal), np.bool_)
        light = compute_brightness(normal[front], solid)[:, None] if layer else np.ones((int(front.sum()), 1))
        colors = np.column_stack(
            [light * np.array(mix_colors(style.color)), np.full(len(light), style.alpha)]
        )
        # Borders in the face's colour close the seams between pieces; those of a veil would darken it.
        opaque = style.alpha == 1
        edges = colors if opaque else np.zeros_like(colors)
        self._paints.append(
            _Paint(seen.vertices[seen.faces[front]], colors, edges, 0.4 if opaque else 0.0, layer)
        )

    def _contour(self, one: DynamicBatch) -> Floats:
        """The outline of a ball or capsule: from anywhere it looks like a disc or a planar capsule."""
        ends = (one.center, one.center) if isinstance(one, Sphere) else (one.start, one.end)
        start, end = self.camera.project(np.stack(ends))
        flat = build_stadium(start[:2], end[:2], float(one.radius))
        ring = np.column_stack([flat, np.repeat([start[2], end[2]], len(flat) // 2)])
        return np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)

    def _line(self, segments: Floats, color: tuple[float, ...], width: float, nearer: float = 0.0) -> None:
        edges = np.tile([*color, 1.0], (len(segments), 1))
        self._paints.append(_Paint(segments, np.zeros_like(edges), edges, width, nearer=nearer))

    def _points(self, points: Floats, style: Style) -> None:
        self._world.append(points)
        self._dots.append((self.camera.project(points), style))

    def _dot_paint(self, points: Floats, style: Style, size: float) -> _Paint:
        turn = np.linspace(0, 2 * math.pi, 9)[:-1]
        ring = _DOT * size * np.stack([np.cos(turn), np.sin(turn), np.zeros(8)], axis=1)
        colors = np.tile([*mix_colors(style.color), style.alpha], (len(points), 1))
        return _Paint(points[:, None] + ring, colors, np.zeros_like(colors), 0.0)

    def _shade(self, body: Shape, motion: Motion, color: Color) -> None:
        """From above, what the body covers; else the path of its middle, so that nothing is hidden."""
        if self.camera.is_plan and isinstance(body, Compound3d):
            for part in body.parts:
                self._shade(part, motion, color)
            return
        if self.camera.is_plan and not (isinstance(body, Point3d | Segment3d) or _is_thin_hull(body)):
            pale = Style(mix_colors(color, "white", 0.84))
            for t in np.linspace(0, 1, _SHADES):
                self._surface(build_mesh(body.transformed(motion.at(t))), True, pale, layer=0)
            return
        middle = body.bounding_sphere().center
        path = self.camera.project(motion.at(np.linspace(0, 1, 200)).apply(middle))
        self._line(np.stack([path[:-1], path[1:]], axis=1), mix_colors(color, "white", 0.2), 0.9)

    def _size(self) -> float:
        """The diagonal of all that is drawn."""
        lower, upper = self._extent()
        return float(np.linalg.norm(upper - lower)) or 1.0

    def _extent(self) -> tuple[Floats, Floats]:
        every = np.concatenate([np.zeros((1, 3)), *(points.reshape(-1, 3) for points in self._world)])
        return every.min(axis=0), every.max(axis=0)

    def _ground(self) -> None:
        """A grid on the ground, across the axis that points up, and the axes, as far as one sees."""
        lower, upper = self._extent()
        one, other = (0, 1) if self.camera.up == "z" else (0, 2)
        step = _round_step((float((upper - lower)[[one, other]].max()) or self._size()) / 8)
        low, high = np.floor(lower / step + 1e-9) * step, np.ceil(upper / step - 1e-9) * step
        lines = []
        for i, j in ((one, other), (other, one)):
            for at in np.arange(low[i], high[i] + step / 2, step):
                ends = np.zeros((2, 3))
                ends[:, i], ends[:, j] = at, (low[j], high[j])
                lines.append(ends)
        self._line(self.camera.project(np.array(lines)), (0.8, 0.8, 0.8), 0.6, nearer=-0.012)
        for k, name in enumerate("xyz"):
            tip = np.zeros(3)
            tip[k] = max(high[k], step) + 0.4 * step
            self._line(self.camera.project(np.stack([np.zeros(3), tip]))[None], mix_colors(AXES[k]), 1.3)
            x, y = self._flat(tip)
            self.axes.text(x, y, f" {name}", color=AXES[k], fontsize=TEXT, va="center")
        scale = {"transform": self.axes.transAxes, "color": "#8a8a8a", "fontsize": TEXT - 2, "ha": "right"}
        self.axes.text(1.0, 0.0, f"grid {step:g}", **scale)


def _is_thin_hull(shape: Shape) -> TypeGuard[ConvexHull3d]:
    """Is it a hull of one or two points, without a surface?"""
    return isinstance(shape, ConvexHull3d) and float(shape.radius) == 0 and len(shape.vertices) < 3


def _round_step(length: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(length))
    return next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= length * (1 - 1e-9))


def _in_pieces(paint: _Paint, size: float) -> None:
    """Cut what is long, so that the middles of pieces give their order."""
    if paint.layer:
        paint.polygons, owner = cut_polygons(paint.polygons, size / _PIECES)
        paint.faces, paint.edges = paint.faces[owner], paint.edges[owner]
    paint.depth = paint.polygons[:, :, 2].mean(axis=1) + paint.nearer * size


def _sort_paints(paints: list[_Paint]) -> dict[str, Foreign]:
    """The arguments of a PolyCollection, from back to front."""
    depth = np.concatenate([paint.depth for paint in paints])
    layer = np.concatenate([np.full(len(paint.depth), paint.layer) for paint in paints])
    order = np.lexsort((depth, layer))
    polygons = [polygon[:, :2] for paint in paints for polygon in paint.polygons]
    lines = np.concatenate([np.full(len(paint.depth), paint.line) for paint in paints])
    return {
        "verts": [polygons[k] for k in order],
        "facecolors": np.concatenate([paint.faces for paint in paints])[order],
        "edgecolors": np.concatenate([paint.edges for paint in paints])[order],
        "linewidths": lines[order],
    }
