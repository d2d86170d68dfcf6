"""Corridors as pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import ArrayLike, Floats
from ougi.corridor import Corridor

# Circles are blue: they are free.
_FLOOR, _WALL, _BALL = "#f4efe6", "#10151c", "#1f4e9c"


def draw_corridor(
    axes: Any,
    corridor: Corridor,
    positions: ArrayLike | None = None,
    radius: ArrayLike = 0.0,
    *,
    line: float = 0.8,
) -> None:
    """Draw a corridor, its holes left open, and characters in it, on matplotlib's axes.

    Parameters
    ----------
    axes
        To draw on.
    corridor
        The corridor.
    positions, radius
        Characters (n, 2), and one radius for all or (n,).
    line
        Width of the wall in points.

    >>> import matplotlib.figure
    >>> axes = matplotlib.figure.Figure().add_subplot()
    >>> draw_corridor(axes, Corridor([[0, 0], [4, 0], [4, 3], [0, 3]]), [[1, 1]], 0.5)
    >>> len(axes.patches), len(axes.collections)
    (1, 1)
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle, PathPatch
    from matplotlib.path import Path

    parts = [_close_path(Path, loop) for loop in corridor.loops]
    # Holes have the opposite orientation, so they stay open.
    axes.add_patch(PathPatch(Path.make_compound_path(*parts), fc=_FLOOR, ec=_WALL, lw=line))
    if positions is not None:
        centers: Floats = np.reshape(positions, (-1, 2)).astype(np.float64)
        sizes = np.broadcast_to(np.asarray(radius, np.float64), len(centers))
        circles = [Circle(tuple(center), float(size)) for center, size in zip(centers, sizes, strict=True)]
        axes.add_collection(PatchCollection(circles, fc=_BALL, ec="none", zorder=3))
    axes.set_aspect("equal")
    axes.autoscale_view()


def _close_path(path: Any, corners: Floats) -> Any:
    return path(np.concatenate([corners, corners[:1]]), closed=True)
