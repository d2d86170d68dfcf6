"""Two cylinders, which have no kernel and no distance: one of them is replaced by bodies that hold it.

What a box or a capsule around a cylinder does not touch, the cylinder does not touch; where neither settles
it, a prism with many sides does. So misses are certified. A contact with the prism is none with the cylinder
yet: such pairs are undecided from that time on, with a gap of at most 0.13 % of the radius.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.impact import Impact, time_of_impact
from ougi.impact.advance import OVERLAPPING, UNDECIDED, _nothing
from ougi.motion import Motion
from ougi.query import contains, intersects
from ougi.shapes import Box, Capsule3d, Mesh, Sector3d

# The corners of the prism lie at the radius over cos(pi / 64), 0.12 % outside.
_SIDES = 64


def first_contacts(
    a: Sector3d, motion: Motion, b: Sector3d, other: Motion | None, tol: float, margin: float
) -> Impact:
    """When cylinders (n,) may first touch: `UNDECIDED`, or `OVERLAPPING` at the start."""
    impact = _nothing(a.count, 3)
    inside = np.asarray(contains(a, b.center)) | np.asarray(intersects(within(a), b))
    impact.status[inside], impact.hit[inside], impact.t[inside] = OVERLAPPING, True, 0.0
    left = np.flatnonzero(~inside)
    for cover in (around, rounded):
        one, way, mate, mate_way = (_entries(x, left) for x in (a, motion, b, other))
        met = time_of_impact(cover(one), way, mate, mate_way, tol=tol, margin=margin)
        left = left[met.status > 0]
    for k in left:
        one, way, mate, mate_way = (_entries(x, k) for x in (a, motion, b, other))
        met = time_of_impact(prism(one), way, mate, mate_way, tol=tol, margin=margin)
        if met.status > 0:
            impact.status[k], impact.t[k] = UNDECIDED, met.t
            impact.point[k], impact.normal[k] = met.point, met.normal
    return impact


def _entries(batch: Any, index: Any) -> Any:
    return batch if batch is None or batch.shape == () else batch[index]


def around(cylinder: Sector3d) -> Box:
    """Boxes that touch the cylinders from outside."""
    side = np.cross(cylinder.axis, cylinder.direction)
    frame: Floats = np.stack([cylinder.direction, side, cylinder.axis], axis=-1)
    width, height = 2 * cylinder.outer_radius, 2 * cylinder.half_height
    return Box(cylinder.center, np.stack([width, width, height], axis=-1), frame)


def within(cylinder: Sector3d) -> Box:
    """Boxes that the cylinders hold: what touches them overlaps."""
    outer = around(cylinder)
    return Box(outer.center, outer.size * [math.sqrt(0.5), math.sqrt(0.5), 1.0], outer.rotation)


def rounded(cylinder: Sector3d) -> Capsule3d:
    """Capsules that hold the cylinders and touch their walls."""
    up = cylinder.half_height[..., None] * cylinder.axis
    return Capsule3d(cylinder.center - up, cylinder.center + up, cylinder.outer_radius)


def prism(cylinder: Sector3d) -> Mesh:
    """The surface of a prism that holds a single cylinder and touches it with every side."""
    radius = cylinder.outer_radius / math.cos(math.pi / _SIDES)
    wide = Sector3d(
        cylinder.center, cylinder.axis, cylinder.direction, math.pi, 0.0, radius, cylinder.half_height
    )
    return wide.mesh(_SIDES)
