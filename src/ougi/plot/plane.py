"""The panel for shapes of the plane."""

from __future__ import annotations

import numpy as np

from ougi._typing import Floats
from ougi.motion import Motion
from ougi.plot.bodies import build_outline, list_rings
from ougi.plot.panel import Color, Panel, Style, draw_rulers, mix_colors
from ougi.shapes import Compound, Point2d, Segment2d, Shape

_SHADES = 240  # poses whose union is what a body covers: at a full turn every 1.5 degrees


class Plane(Panel):
    """A panel for shapes of the plane.

    >>> import matplotlib.figure, ougi
    >>> from ougi.plot import Plane
    >>> panel = Plane(matplotlib.figure.Figure().add_subplot())
    >>> panel.draw(ougi.Circle([0, 0], 1), label="ball")
    >>> panel.finish()
    """

    dimension = 2
    opaque = 0.6

    def finish(self) -> None:
        """Put limits, grid and axes in place."""
        if self._planes:
            seen = self.axes.dataLim.get_points()
            self._draw_planes(*(seen if np.isfinite(seen).all() else np.array([[-1.0, -1.0], [1.0, 1.0]])))
        draw_rulers(self.axes)

    def _reach(self, points: Floats) -> None:
        self.axes.update_datalim(points)

    def _flat(self, points: Floats) -> Floats:
        return points

    def _body(self, one: Shape, style: Style) -> None:
        from matplotlib.colors import to_rgba
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        closed = not isinstance(one, Segment2d)
        face = to_rgba(style.color, style.alpha) if closed else "none"
        edge = mix_colors(style.color, "black", 0.3) if style.line else "none"
        width = style.line if closed else 2 * style.line
        rings = [Path([*ring, ring[0]] if closed else ring, closed=closed) for ring in list_rings(one)]
        path = Path.make_compound_path(*rings)
        self.axes.add_patch(PathPatch(path, fc=face, ec=edge, lw=width, joinstyle="round", zorder=2))

    def _points(self, points: Floats, style: Style) -> None:
        self.axes.plot(*points.T, "o", ms=3, color=style.color, alpha=style.alpha, mew=0)

    def _shade(self, body: Shape, motion: Motion, color: Color) -> None:
        from matplotlib.collections import PolyCollection

        times = np.linspace(0, 1, _SHADES)
        if isinstance(body, Point2d):
            self.path(motion.at(times).apply(body.position), color=color, width=0.8)
            return
        pale = mix_colors(color, "white", 0.84)
        for part in body.parts if isinstance(body, Compound) else [body]:
            poses = motion.at(times[:, None]).apply(build_outline(part))
            self.axes.add_collection(PolyCollection(list(poses), fc=pale, ec=pale, lw=0.3, zorder=0.8))
