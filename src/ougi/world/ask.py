"""What does a shape touch among bodies that hold still?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import time_of_impact
from ougi.motion import Chain, Motion
from ougi.query import intersects
from ougi.query.queries import separation
from ougi.shapes import Shape
from ougi.sweeps._engines import sweep_bounds
from ougi.world.bodies import Scene
from ougi.world.events import Hits


def hits(scene: Scene, probe: Shape, motion: Motion | None, mask: int, tol: float) -> Hits:
    """The bodies that the probe touches at once, or on its way; the first one first."""
    around = _around(probe, motion)
    parts = [_nothing(probe.dimension)]
    for kind, shape, bounds in zip(scene.roster.kinds, scene.shapes, scene.bounds, strict=True):
        near = np.flatnonzero(_near(bounds, around, tol) & (kind.group & mask != 0))
        if len(near):
            pairs = np.stack([np.zeros_like(near), near], axis=-1)
            part = (
                _overlaps(probe, shape, pairs) if motion is None else _way(probe, motion, shape, pairs, tol)
            )
            parts.append((kind.ids[part[0]], *part[1:]))
    body, t, point, normal, undecided = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    return Hits(body, t, point, normal, undecided)[np.lexsort((body, t))]  # type: ignore[no-any-return]


def _around(probe: Shape, motion: Motion | None) -> tuple[Floats, Floats]:
    """Bounds of all that the probe covers."""
    if motion is None:
        return probe._bounds()
    if isinstance(motion, Chain):
        return motion.path_bounds(*probe._bounding_sphere())
    return sweep_bounds(probe, motion)


def _nothing(dimension: int) -> tuple[Any, ...]:
    none = np.empty((0, dimension))
    return np.empty(0, np.int64), np.empty(0), none, none, np.empty(0, np.bool_)


def _near(bounds: tuple[Floats, Floats], around: tuple[Floats, Floats], tol: float) -> Bools:
    """Which of the bodies lie near the box around the probe, with room for rounding?"""
    lower, upper = bounds
    room = 8 * tol * (np.abs(lower).max(-1) + np.abs(upper).max(-1) + np.abs(around).max())[..., None]
    near: Bools = ((lower <= around[1] + room) & (upper >= around[0] - room)).all(axis=-1)
    return np.atleast_1d(near)


def _overlaps(probe: Shape, shape: Shape, pairs: Ints) -> tuple[Any, ...]:
    """Bodies that overlap the probe now; fans have no contact points."""
    pairs = pairs[intersects(probe, shape, pairs=pairs)]
    none = np.zeros(len(pairs), np.bool_)
    try:
        _, normal, first, second = separation("closest_points", probe, shape, pairs)
        point = (first + second) / 2
    except UnsupportedPairError:
        point = normal = np.full((len(pairs), probe.dimension), np.nan)
    return pairs[:, 1], np.zeros(len(pairs)), point, normal, none


def _way(probe: Shape, motion: Motion, shape: Shape, pairs: Ints, tol: float) -> tuple[Any, ...]:
    """Bodies that the probe meets on its way."""
    impact = time_of_impact(probe, motion, shape, tol=tol, pairs=pairs)
    rows = np.flatnonzero(impact.status > 0)
    some = impact[rows]
    return pairs[rows, 1], some.t, some.point, some.normal, some.status == 3
