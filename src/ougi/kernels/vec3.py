"""Vectors in space."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.records import Vec3

ZERO = Vec3(0.0, 0.0, 0.0)
UNITS = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))

# A point or normal that does not exist.
NOWHERE = Vec3(math.nan, math.nan, math.nan)


@device
def add(a: Vec3, b: Vec3) -> Vec3:
    return Vec3(a.x + b.x, a.y + b.y, a.z + b.z)


@device
def sub(a: Vec3, b: Vec3) -> Vec3:
    return Vec3(a.x - b.x, a.y - b.y, a.z - b.z)


@device
def scale(a: Vec3, s: float) -> Vec3:
    return Vec3(a.x * s, a.y * s, a.z * s)


@device
def neg(a: Vec3) -> Vec3:
    return Vec3(-a.x, -a.y, -a.z)


@device
def dot(a: Vec3, b: Vec3) -> float:
    return a.x * b.x + a.y * b.y + a.z * b.z


@device
def cross(a: Vec3, b: Vec3) -> Vec3:
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@device
def length_sq(a: Vec3) -> float:
    return a.x * a.x + a.y * a.y + a.z * a.z


@device
def length(a: Vec3) -> float:
    return math.sqrt(a.x * a.x + a.y * a.y + a.z * a.z)


@device
def along(p: Vec3, v: Vec3, t: float) -> Vec3:
    """The point p + t v."""
    return Vec3(p.x + t * v.x, p.y + t * v.y, p.z + t * v.z)


@device
def mid(a: Vec3, b: Vec3) -> Vec3:
    return Vec3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z))


@device
def pick(choose: bool, a: Vec3, b: Vec3) -> Vec3:
    """a if `choose`, else b: three selects, no branch."""
    return Vec3(a.x if choose else b.x, a.y if choose else b.y, a.z if choose else b.z)


@device
def unit_or(a: Vec3, fallback: Vec3) -> Vec3:
    """a made a unit vector, or `fallback` where a is zero. No intermediate overflow or underflow."""
    size = max(abs(a.x), max(abs(a.y), abs(a.z)))
    if not size > 0.0:
        return fallback
    b = Vec3(a.x / size, a.y / size, a.z / size)
    return scale(b, 1.0 / math.sqrt(b.x * b.x + b.y * b.y + b.z * b.z))


@device
def perpendicular(a: Vec3) -> Vec3:
    """A unit vector perpendicular to a; any one if a is zero."""
    x, y, z = abs(a.x), abs(a.y), abs(a.z)
    if x <= y and x <= z:
        return unit_or(Vec3(0.0, a.z, -a.y), Vec3(1.0, 0.0, 0.0))
    if y <= z:
        return unit_or(Vec3(-a.z, 0.0, a.x), Vec3(1.0, 0.0, 0.0))
    return unit_or(Vec3(a.y, -a.x, 0.0), Vec3(1.0, 0.0, 0.0))
