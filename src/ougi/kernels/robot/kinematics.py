"""Poses of joints, and how far points can move while joints change."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.records import Vec3
from ougi.kernels.robot.constants import MAX_CHORD
from ougi.kernels.robot.lean import lean
from ougi.kernels.robot.records import Joints, LinkShapes, RobotWorkspace
from ougi.kernels.vec3 import along, cross, dot, length_sq, sub


@device
def transform(pose: Floats, k: int, p: Vec3) -> Vec3:
    """A point of frame k in the world."""
    return Vec3(
        pose[k, 0] * p.x + pose[k, 1] * p.y + pose[k, 2] * p.z + pose[k, 9],
        pose[k, 3] * p.x + pose[k, 4] * p.y + pose[k, 5] * p.z + pose[k, 10],
        pose[k, 6] * p.x + pose[k, 7] * p.y + pose[k, 8] * p.z + pose[k, 11],
    )


@device
def turn(pose: Floats, k: int, v: Vec3) -> Vec3:
    """A direction of frame k in the world."""
    return Vec3(
        pose[k, 0] * v.x + pose[k, 1] * v.y + pose[k, 2] * v.z,
        pose[k, 3] * v.x + pose[k, 4] * v.y + pose[k, 5] * v.z,
        pose[k, 6] * v.x + pose[k, 7] * v.y + pose[k, 8] * v.z,
    )


@device
def turn_back(pose: Floats, k: int, v: Vec3) -> Vec3:
    """A direction of the world in frame k."""
    return Vec3(
        pose[k, 0] * v.x + pose[k, 3] * v.y + pose[k, 6] * v.z,
        pose[k, 1] * v.x + pose[k, 4] * v.y + pose[k, 7] * v.z,
        pose[k, 2] * v.x + pose[k, 5] * v.y + pose[k, 8] * v.z,
    )


@lean
def place_joints(joints: Joints, work: RobotWorkspace) -> None:
    """Compute the poses and axes of all joints at `work.value`; Rodrigues' formula at each rotation."""
    pose, axis = work.pose, work.axis
    for k in range(len(joints.parent)):
        parent, o, a = joints.parent[k], joints.origin, joints.axis
        # Rotation of the origin times the motion of the joint, then the pose of the parent.
        x, y, z = a[k, 0], a[k, 1], a[k, 2]
        value = work.value[k]
        if joints.turns[k]:
            c, s = math.cos(value), math.sin(value)
            v = 1.0 - c
            r0, r1, r2 = c + x * x * v, x * y * v - z * s, x * z * v + y * s
            r3, r4, r5 = x * y * v + z * s, c + y * y * v, y * z * v - x * s
            r6, r7, r8 = x * z * v - y * s, y * z * v + x * s, c + z * z * v
            px, py, pz = o[k, 9], o[k, 10], o[k, 11]
        else:
            r0, r1, r2, r3, r4, r5, r6, r7, r8 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
            px = o[k, 9] + value * (o[k, 0] * x + o[k, 1] * y + o[k, 2] * z)
            py = o[k, 10] + value * (o[k, 3] * x + o[k, 4] * y + o[k, 5] * z)
            pz = o[k, 11] + value * (o[k, 6] * x + o[k, 7] * y + o[k, 8] * z)
        for i in range(3):
            g0, g1, g2 = pose[parent, 3 * i], pose[parent, 3 * i + 1], pose[parent, 3 * i + 2]
            h0 = g0 * o[k, 0] + g1 * o[k, 3] + g2 * o[k, 6]
            h1 = g0 * o[k, 1] + g1 * o[k, 4] + g2 * o[k, 7]
            h2 = g0 * o[k, 2] + g1 * o[k, 5] + g2 * o[k, 8]
            pose[k, 3 * i] = h0 * r0 + h1 * r3 + h2 * r6
            pose[k, 3 * i + 1] = h0 * r1 + h1 * r4 + h2 * r7
            pose[k, 3 * i + 2] = h0 * r2 + h1 * r5 + h2 * r8
            pose[k, 9 + i] = g0 * px + g1 * py + g2 * pz + pose[parent, 9 + i]
            axis[k, i] = h0 * x + h1 * y + h2 * z


@device
def place_shape(joints: Joints, shapes: LinkShapes, s: int, work: RobotWorkspace) -> None:
    """Compute where the bounding ball of a shape is, and how far a point of its core can move.

    From the joint of the shape towards the base: relative to joint j a point moves by d at most, so it stays
    within rho + d of the axis, where rho is its distance now. A turn by at most c then adds c (rho + d) to
    d. A translation adds c. All points of the core lie within its radius of the center.
    """
    stamp = work.stamp[len(work.stamp) - 1]
    if work.stamp[s] == stamp:
        return
    work.stamp[s] = stamp
    k = shapes.joint[s]
    p = transform(work.pose, k, Vec3(shapes.center[s, 0], shapes.center[s, 1], shapes.center[s, 2]))
    work.place[s, 0], work.place[s, 1], work.place[s, 2] = p.x, p.y, p.z
    motion, d = work.motion, 0.0
    if k < 0:
        motion[s, 0] = 0.0
        return
    motion[s, joints.depth[k] + 1] = 0.0
    extent = shapes.radius[s, 1]
    while k >= 0:
        c = work.change[k]
        if c > 0.0:
            if joints.turns[k]:
                ax, ay, az = work.axis[k, 0], work.axis[k, 1], work.axis[k, 2]
                x, y, z = p.x - work.pose[k, 9], p.y - work.pose[k, 10], p.z - work.pose[k, 11]
                u, v, w = ay * z - az * y, az * x - ax * z, ax * y - ay * x
                d += min(c, MAX_CHORD) * (math.sqrt(u * u + v * v + w * w) + extent + d)
            else:
                d += c
        motion[s, joints.depth[k]] = d
        k = joints.parent[k]


class CoreRates(NamedTuple):
    """How points of a core move along n while a time u goes from -1 to 1.

    Relative to the center c of its ball, a point x moves by u * (rate + turn . (x - c)). `rest` bounds what
    is missing: joints that do not move at their rates, and arcs that leave their tangents.
    """

    rate: float
    turn: Vec3
    rest: float


@device
def bound_rates(
    joints: Joints, shapes: LinkShapes, work: RobotWorkspace, s: int, level: int, n: Vec3
) -> CoreRates:
    """Bound the motion of a core along n, relative to the frame above the joint of a depth.

    As in `place_shape`, a point moves by d at most relative to joint j. A turn by at most c adds c (rho + d)
    to d. Of this, rho c^2 / 2 + c d is not linear in the joints: the arc leaves its tangent, and d turns.
    """
    k, d, rate, rest = shapes.joint[s], 0.0, 0.0, 0.0
    p, turned = Vec3(work.place[s, 0], work.place[s, 1], work.place[s, 2]), Vec3(0.0, 0.0, 0.0)
    extent = shapes.radius[s, 1]
    while k >= 0 and joints.depth[k] >= level:
        c, r = work.change[k], work.rate[k]
        if c > 0.0:
            axis = Vec3(work.axis[k, 0], work.axis[k, 1], work.axis[k, 2])
            after, uneven = work.motion[s, joints.depth[k]], c - abs(r)
            if joints.turns[k]:
                if c > MAX_CHORD:  # `place_shape` added less
                    return CoreRates(0.0, turned, math.inf)
                arm = cross(n, axis)
                speed = dot(arm, sub(p, Vec3(work.pose[k, 9], work.pose[k, 10], work.pose[k, 11])))
                rest += 0.5 * c * (after + (1.0 - c) * d)  # rho c^2 / 2 + c d
                rest += uneven * (abs(speed) + extent * math.sqrt(length_sq(arm)))
                turned = along(turned, arm, r)
            else:
                speed = dot(n, axis)
                rest += uneven * abs(speed)
            rate += r * speed
            d = after
        k = joints.parent[k]
    return CoreRates(rate, turned, rest)
