"""What the loops of radars share: the frame in which a motion is simple, triangles in it, touches, windows.

Seen in its frame, a straight motion goes along z and a turn or screw goes about z by a positive angle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop
from ougi._typing import Floats
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.vec3 import add, along, cross, dot, scale, sub, unit_or

# What a pair of triangles touches with: the sensor's corner and the target's face, and so on.
NOTHING, CORNER_FACE, FACE_CORNER, EDGE_EDGE = 0, 1, 2, 3

# The rounding band: 64 eps of the largest coordinate and the size.
BAND = 64 * 2.220446049250313e-16


class Way(NamedTuple):
    """A motion in its frame: `length` along z, or an angle about z with `pitch` lengths along z per radian.

    `full` is the length or angle of the whole motion; after a whole turn without pitch nothing is new.
    """

    origin: Vec3
    x: Vec3
    y: Vec3
    z: Vec3
    length: float
    pitch: float
    turns: bool
    full: float


class Touch(NamedTuple):
    """How far two triangles are from touching (inf: they never do), with what, where, along which normal, and
    which part of the velocity there goes along it.
    """

    gap: float
    kind: int
    point: Vec3
    normal: Vec3
    approach: float


class Window(NamedTuple):
    """Pixels over two image axes, u and v."""

    u: float
    v: float
    per_u: float
    per_v: float
    columns: int
    rows: int


@device
def load_way(ways: Floats, i: int) -> Way:
    return Way(
        Vec3(ways[i, 0], ways[i, 1], ways[i, 2]),
        Vec3(ways[i, 3], ways[i, 4], ways[i, 5]),
        Vec3(ways[i, 6], ways[i, 7], ways[i, 8]),
        Vec3(ways[i, 9], ways[i, 10], ways[i, 11]),
        ways[i, 12],
        ways[i, 13],
        ways[i, 14] > 0.0,
        ways[i, 15],
    )


@loop
def lay_out(motions: Floats, lower: Floats, upper: Floats, ways: Floats) -> None:
    """The frames of motions, given as columns of screws (one for all, or one for each), for bodies between
    lower and upper. A motion that goes nowhere has `full` 0.

    Turning backward about an axis is turning forward about its opposite, and so for moving along it.
    """
    for i in range(len(ways)):
        k = i if motions.shape[1] > 1 else 0
        center = Vec3(motions[0, k], motions[1, k], motions[2, k])
        axis = Vec3(motions[3, k], motions[4, k], motions[5, k])
        angle, rise = motions[6, k], motions[7, k]
        turns = angle != 0.0
        if (angle if turns else rise) < 0.0:
            axis, angle, rise = scale(axis, -1.0), -angle, -rise
        middle = Vec3(
            0.5 * (lower[i, 0] + upper[i, 0]),
            0.5 * (lower[i, 1] + upper[i, 1]),
            0.5 * (lower[i, 2] + upper[i, 2]),
        )
        origin = along(center, axis, dot(sub(middle, center), axis)) if turns else middle
        x = _across(axis)
        pitch = (rise / angle if angle * 1e300 > abs(rise) else 0.0) if turns else 0.0
        full = angle if turns else rise
        y = cross(axis, x)
        ways[i, 0], ways[i, 1], ways[i, 2] = origin.x, origin.y, origin.z
        ways[i, 3], ways[i, 4], ways[i, 5] = x.x, x.y, x.z
        ways[i, 6], ways[i, 7], ways[i, 8] = y.x, y.y, y.z
        ways[i, 9], ways[i, 10], ways[i, 11] = axis.x, axis.y, axis.z
        ways[i, 12] = min(full, 2.0 * math.pi) if turns and pitch == 0.0 else full
        ways[i, 13], ways[i, 14], ways[i, 15] = pitch, 1.0 if turns else 0.0, full


@device
def _across(z: Vec3) -> Vec3:
    """A unit vector across z; for an axis of the world another one, exactly."""
    e = Vec3(1.0, 0.0, 0.0)
    if abs(z.y) < abs(z.x) and abs(z.y) <= abs(z.z):
        e = Vec3(0.0, 1.0, 0.0)
    elif abs(z.z) < abs(z.x) and abs(z.z) < abs(z.y):
        e = Vec3(0.0, 0.0, 1.0)
    return unit_or(along(e, z, -dot(e, z)), e)


@device
def inward(way: Way, p: Vec3) -> Vec3:
    """A point of the world in the frame."""
    q = sub(p, way.origin)
    return Vec3(dot(q, way.x), dot(q, way.y), dot(q, way.z))


@device
def turned_outward(way: Way, v: Vec3) -> Vec3:
    """A vector of the frame in the world."""
    return add(add(scale(way.x, v.x), scale(way.y, v.y)), scale(way.z, v.z))


@device
def outward(way: Way, p: Vec3) -> Vec3:
    """A point of the frame in the world."""
    return add(way.origin, turned_outward(way, p))


@device
def load_corner(vertices: Floats, i: int) -> Vec3:
    return Vec3(vertices[i, 0], vertices[i, 1], vertices[i, 2])


@device
def load_row(rows: Floats, i: int) -> Triangle3d:
    """A triangle of the frame, kept as nine numbers."""
    return Triangle3d(
        Vec3(rows[i, 0], rows[i, 1], rows[i, 2]),
        Vec3(rows[i, 3], rows[i, 4], rows[i, 5]),
        Vec3(rows[i, 6], rows[i, 7], rows[i, 8]),
    )


@device
def corner(triangle: Triangle3d, k: int) -> Vec3:
    """Corner k; k may run on past 2."""
    if k == 0 or k == 3:
        return triangle.a
    return triangle.b if k == 1 or k == 4 else triangle.c


@device
def column(window: Window, u: float) -> int:
    """The column in which u lies, or the nearest one."""
    return int(min(max((u - window.u) * window.per_u, 0.0), window.columns - 1.0))


@device
def row(window: Window, v: float) -> int:
    """The row in which v lies, or the nearest one."""
    return int(min(max((v - window.v) * window.per_v, 0.0), window.rows - 1.0))


@device
def size_of(triangle: Triangle3d) -> float:
    """The largest coordinate."""
    a, b, c = triangle.a, triangle.b, triangle.c
    return max(
        max(max(abs(a.x), abs(a.y)), abs(a.z)),
        max(max(max(abs(b.x), abs(b.y)), abs(b.z)), max(max(abs(c.x), abs(c.y)), abs(c.z))),
    )


@device
def turned(p: Vec3, angle: float, pitch: float) -> Vec3:
    """A point of the frame after a turn about z."""
    c, s = math.cos(angle), math.sin(angle)
    return Vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z + pitch * angle)


@device
def towards(normal: Vec3, velocity: Vec3) -> Vec3:
    """The unit normal that looks where the sensor goes."""
    n = math.sqrt(dot(normal, normal))
    if not n > 0.0:
        return velocity
    sense = -1.0 if dot(normal, velocity) < 0.0 else 1.0
    return scale(normal, sense / n)


@device
def between(p: Vec3, q: Vec3, t: float) -> Vec3:
    return along(p, sub(q, p), t)


@device
def is_sooner(gap: float, approach: float, best: Touch, tie: float) -> bool:
    """Is a contact before the best so far, or with it and more head-on?

    Where bodies meet at many features at once, those along which they slide have no normal to speak of.
    """
    return gap < best.gap - tie or (gap <= best.gap + tie and approach > best.approach)
