"""Which bodies does a shape touch, at once or on its path, while they rest?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import FirstContacts, Status, time_of_impact
from ougi.impact.contacts import make_free
from ougi.impact.table import TOLERANCE_GROWTH
from ougi.motion import Chain, Motion
from ougi.query import intersects
from ougi.query.queries import separation
from ougi.shapes import Shape
from ougi.sweeps._engines import sweep_bounds
from ougi.timeline import BodyGroup
from ougi.world.events import Hits


def find_hits(
    groups: list[BodyGroup], time: float, probe: Shape, motion: Motion | None, mask: int, tol: float
) -> Hits:
    """The bodies that the probe touches where they are at a time, the earliest first."""
    swept = _sweep_bounds(probe, motion)
    parts = [(np.empty(0, np.int64), make_free(0, probe.dimension))]
    for group in groups:
        rows = np.flatnonzero(group.group & mask)
        if not len(rows):
            continue
        shape, _ = group.during(rows, np.full(len(rows), time), np.zeros(len(rows)))
        near = np.flatnonzero(_is_near(shape._bounds(), swept, tol))
        pairs = np.stack([np.zeros_like(near), near], axis=-1)
        if motion is None:
            found = _find_overlaps(probe, shape, pairs)
        else:
            found = time_of_impact(probe, motion, shape, tol=tol, pairs=pairs)
        chosen = np.flatnonzero(found.status)
        parts.append((group.body[rows[near[chosen]]], found[chosen]))
    body = np.concatenate([ids for ids, _ in parts])
    names = ("status", "hit", "t", "point", "normal")
    columns: Any = [np.concatenate([getattr(found, name) for _, found in parts]) for name in names]
    order = np.lexsort((body, columns[2]))
    return Hits(*(column[order] for column in [*columns, body]))


def _sweep_bounds(probe: Shape, motion: Motion | None) -> tuple[Floats, Floats]:
    """Bounds of all that the probe sweeps over."""
    if motion is None:
        return probe._bounds()
    if isinstance(motion, Chain):
        return motion.path_bounds(*probe._bounding_sphere())
    return sweep_bounds(probe, motion)


def _is_near(bounds: tuple[Floats, Floats], swept: tuple[Floats, Floats], tol: float) -> Bools:
    """Which bounds meet those of the probe, or do so up to the tolerance of first contacts?"""
    lower, upper = bounds
    size = np.abs(lower).max(-1) + np.abs(upper).max(-1) + np.abs(swept).max()
    grow = TOLERANCE_GROWTH * tol * size[..., None]
    near: Bools = ((lower <= swept[1] + grow) & (upper >= swept[0] - grow)).all(axis=-1)
    return np.atleast_1d(near)


def _find_overlaps(probe: Shape, shape: Shape, pairs: Ints) -> FirstContacts:
    """Bodies that overlap the probe now, as contacts at the start; sectors have no points."""
    overlap = intersects(probe, shape, pairs=pairs)
    found = make_free(len(pairs), probe.dimension)
    found.status[overlap], found.hit[overlap], found.t[overlap] = Status.OVERLAPPING, True, 0.0
    measured: Any = pairs[overlap]
    try:
        _, found.normal[overlap], first, second = separation("closest_points", probe, shape, measured)
    except UnsupportedPairError:
        return found
    found.point[overlap] = (first + second) / 2
    return found
