"""Enclosing sectors of turning bodies as a mid phase between swept boxes and first contacts (FAN sec. 4.4).

A test takes nanoseconds and a first contact some hundred, but swept boxes are tight already and a sector
takes microseconds to build. So it pays for wide turns, which have many candidates (`ougi bench world`).
"""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.impact.tables import HULLS
from ougi.motion import Rotation2d, Rotation3d, Screw3d
from ougi.query import intersects
from ougi.shapes import Aabb3d, Circle, Compound, HalfSpace, Sphere
from ougi.sweeps import sweep
from ougi.timeline.timeline import Timeline

# Sectors are worth their cost from this number of candidate pairs on: for the call, and for each body that
# turns.
_MIN_PAIRS, _MIN_PAIRS_PER_BODY = 2_000, 30


def is_worthwhile(timeline: Timeline, pairs: Ints) -> bool:
    """Are there so many pairs (m, 2) with turning bodies that sectors save more time than they take?"""
    needed = _MIN_PAIRS + _MIN_PAIRS_PER_BODY * timeline.turning_count
    if len(pairs) < needed or not timeline.turning_count:
        return False
    turns = timeline.turns
    return bool(np.count_nonzero(turns[pairs[:, 0]] | turns[pairs[:, 1]]) >= needed)


def find_apart(timeline: Timeline, pairs: Ints, boxes: Aabb3d, start: float, seconds: float) -> Bools:
    """Which pairs of rows (m, 2) does a sector prove to be free? Other bodies lie in balls around boxes."""
    d = timeline.dimension
    ends: Bools = np.asarray(np.isfinite(np.stack([boxes.lower, boxes.upper])).all(axis=(0, 2)))
    boxes = (
        boxes
        if ends.all()
        else Aabb3d(*(np.where(ends[:, None], x, 0.0) for x in (boxes.lower, boxes.upper)))
    )
    center, radius = (boxes.lower + boxes.upper)[:, :d] / 2, _half_diagonal(boxes, d)
    balls = Circle(center, radius) if d == 2 else Sphere(center, radius)
    apart = np.zeros(len(pairs), np.bool_)
    for k, group in enumerate(timeline.groups):
        if isinstance(group.shape, HalfSpace) or not isinstance(
            group.motion, Rotation2d | Rotation3d | Screw3d
        ):
            continue
        for first, second in (pairs.T, pairs.T[::-1]):
            own = np.flatnonzero((timeline.group[first] == k) & ends[second] & ~apart)
            rows, index = np.unique(first[own], return_inverse=True)
            for part in rows[:, None] if group.is_mesh else [rows] if len(rows) else []:
                chosen = np.flatnonzero(np.isin(first[own], part))
                body, motion = group.during(timeline.local[part], start, seconds)
                assert motion is not None
                if isinstance(body, (*HULLS, Compound)):
                    body = body.bounds()._turnable()
                sector = sweep(body, motion, "sector-enclosing")
                numbers = np.zeros_like(chosen) if group.is_mesh else index.ravel()[chosen]
                listed = np.stack([numbers, second[own[chosen]]], axis=1)
                apart[own[chosen]] = ~intersects(sector, balls, pairs=listed)
    return apart


def _half_diagonal(boxes: Aabb3d, d: int) -> Floats:
    half: Floats = np.linalg.norm((boxes.upper - boxes.lower)[:, :d], axis=1) / 2
    return half
