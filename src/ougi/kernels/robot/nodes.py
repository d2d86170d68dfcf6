"""Lower bounds of distances between nodes of the trees of meshes, and of nodes from cores.

A node is a box along the axes of its mesh, and a ball about the same center. Boxes bound plates and long
triangles, balls what is turned against the axes. Both are lower bounds, so the larger one counts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.records import Vec3
from ougi.kernels.robot.gjk import Core, support
from ougi.kernels.robot.kinematics import turn, turn_back
from ougi.kernels.robot.lean import lean
from ougi.kernels.robot.records import LinkShapes
from ougi.kernels.vec3 import dot, length_sq, sub


class RelativeAxes(NamedTuple):
    """Axes and origin of one frame in another one."""

    x: Vec3
    y: Vec3
    z: Vec3
    origin: Vec3


class LocalBox(NamedTuple):
    """A box along the axes of a frame."""

    center: Vec3
    half: Vec3


@device
def relate_frames(pose: Floats, own: int, other: int) -> RelativeAxes:
    """The frame of another joint in the own one."""
    apart = Vec3(
        pose[other, 9] - pose[own, 9], pose[other, 10] - pose[own, 10], pose[other, 11] - pose[own, 11]
    )
    return RelativeAxes(
        turn_back(pose, own, Vec3(pose[other, 0], pose[other, 3], pose[other, 6])),
        turn_back(pose, own, Vec3(pose[other, 1], pose[other, 4], pose[other, 7])),
        turn_back(pose, own, Vec3(pose[other, 2], pose[other, 5], pose[other, 8])),
        turn_back(pose, own, apart),
    )


@lean
def bound_core(shapes: LinkShapes, pose: Floats, core: Core, joint: int) -> LocalBox:
    """The box around a core in the frame of a joint, by its furthest points along the axes."""
    origin = Vec3(pose[joint, 9], pose[joint, 10], pose[joint, 11])
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    x0, x1 = _bound_along(shapes, pose, core, turn(pose, joint, x), origin)
    y0, y1 = _bound_along(shapes, pose, core, turn(pose, joint, y), origin)
    z0, z1 = _bound_along(shapes, pose, core, turn(pose, joint, z), origin)
    return LocalBox(
        Vec3(0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)),
        Vec3(0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0)),
    )


@device
def _bound_along(shapes: LinkShapes, pose: Floats, core: Core, n: Vec3, origin: Vec3) -> tuple[float, float]:
    low = support(shapes, pose, core, Vec3(-n.x, -n.y, -n.z))
    high = support(shapes, pose, core, n)
    return dot(sub(low, origin), n), dot(sub(high, origin), n)


@device
def _load(nodes: Floats, k: int, i: int) -> Vec3:
    return Vec3(nodes[k, i], nodes[k, i + 1], nodes[k, i + 2])


@device
def _measure_outside(s: Vec3) -> float:
    """The distance of two boxes whose projections on three axes are this far apart; below 0 they overlap."""
    x, y, z = max(s.x, 0.0), max(s.y, 0.0), max(s.z, 0.0)
    d_sq = x * x + y * y + z * z
    return math.sqrt(d_sq) if d_sq > 0.0 else max(s.x, s.y, s.z)


@device
def bound_node_from_box(nodes: Floats, i: int, box: LocalBox) -> float:
    """A lower bound of the distance of node i from a box in the frame of its mesh."""
    c, h = _load(nodes, i, 0), _load(nodes, i, 3)
    return _measure_outside(
        Vec3(
            abs(c.x - box.center.x) - h.x - box.half.x,
            abs(c.y - box.center.y) - h.y - box.half.y,
            abs(c.z - box.center.z) - h.z - box.half.z,
        )
    )


@lean
def bound_nodes(nodes: Floats, i: int, j: int, frame: RelativeAxes) -> float:
    """A lower bound of the distance of node i, whose mesh has this frame in that of node j, from node j.

    Gaps of the projections on the three axes of one box are those of two boxes along these axes.
    """
    p, h = _load(nodes, i, 0), _load(nodes, i, 3)
    q, g = _load(nodes, j, 0), _load(nodes, j, 3)
    x, y, z = frame.x, frame.y, frame.z
    d = Vec3(
        x.x * p.x + y.x * p.y + z.x * p.z + frame.origin.x - q.x,
        x.y * p.x + y.y * p.y + z.y * p.z + frame.origin.y - q.y,
        x.z * p.x + y.z * p.y + z.z * p.z + frame.origin.z - q.z,
    )
    along_j = Vec3(
        abs(d.x) - g.x - (abs(x.x) * h.x + abs(y.x) * h.y + abs(z.x) * h.z),
        abs(d.y) - g.y - (abs(x.y) * h.x + abs(y.y) * h.y + abs(z.y) * h.z),
        abs(d.z) - g.z - (abs(x.z) * h.x + abs(y.z) * h.y + abs(z.z) * h.z),
    )
    along_i = Vec3(
        abs(dot(d, x)) - h.x - (abs(x.x) * g.x + abs(x.y) * g.y + abs(x.z) * g.z),
        abs(dot(d, y)) - h.y - (abs(y.x) * g.x + abs(y.y) * g.y + abs(y.z) * g.z),
        abs(dot(d, z)) - h.z - (abs(z.x) * g.x + abs(z.y) * g.y + abs(z.z) * g.z),
    )
    balls = math.sqrt(length_sq(d)) - nodes[i, 6] - nodes[j, 6]
    bound: float = max(_measure_outside(along_j), _measure_outside(along_i), balls)
    return bound
