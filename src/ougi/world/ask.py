"""What does a shape touch among bodies that hold still?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import time_of_impact
from ougi.motion import Motion
from ougi.query import contacts, intersects
from ougi.shapes import Shape
from ougi.sweeps._engines import sweep_bounds
from ougi.world.bodies import Scene
from ougi.world.events import Hits


def hits(scene: Scene, probe: Shape, motion: Motion | None, mask: int, tol: float) -> Hits:
    """The bodies that the probe touches at once, or on its way; the first one first."""
    around = probe._bounds() if motion is None else sweep_bounds(probe, motion)
    parts = [_nothing(probe.dimension)]
    for kind, shape in zip(scene.kinds, scene.shapes, strict=True):
        near = np.flatnonzero(_near(shape, around, tol) & (kind.group & mask != 0))
        if len(near):
            part = _overlaps(probe, shape[near]) if motion is None else _way(probe, motion, shape[near], tol)
            parts.append((kind.ids[near[part[0]]], *part[1:]))
    body, t, point, normal, undecided = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    return Hits(body, t, point, normal, undecided)[np.lexsort((body, t))]  # type: ignore[no-any-return]


def _nothing(dimension: int) -> tuple[Any, ...]:
    none = np.empty((0, dimension))
    return np.empty(0, np.int64), np.empty(0), none, none, np.empty(0, np.bool_)


def _near(shape: Shape, around: tuple[Floats, Floats], tol: float) -> Bools:
    """Which of the shapes lie near the box around the probe, with room for rounding?"""
    lower, upper = shape._bounds()
    room = 8 * tol * (np.abs(lower).max(-1) + np.abs(upper).max(-1) + np.abs(around).max())[..., None]
    near: Bools = ((lower <= around[1] + room) & (upper >= around[0] - room)).all(axis=-1)
    return near


def _overlaps(probe: Shape, shape: Shape) -> tuple[Any, ...]:
    """Rows that overlap the probe now; fans have no contact points."""
    rows: Ints = np.flatnonzero(intersects(probe, shape))
    try:
        touch = contacts(probe, shape[rows])
        point, normal = touch.point, touch.normal
    except UnsupportedPairError:
        point = normal = np.full((len(rows), probe.dimension), np.nan)
    return rows, np.zeros(len(rows)), point, normal, np.zeros(len(rows), np.bool_)


def _way(probe: Shape, motion: Motion, shape: Shape, tol: float) -> tuple[Any, ...]:
    """Rows that the probe meets on its way."""
    impact = time_of_impact(probe, motion, shape, tol=tol)
    rows = np.flatnonzero(impact.status > 0)
    some = impact[rows]
    return rows, some.t, some.point, some.normal, some.status == 3
