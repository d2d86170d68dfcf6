"""Vectors in the plane."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.records import Vec2


@device
def add(a: Vec2, b: Vec2) -> Vec2:
    return Vec2(a.x + b.x, a.y + b.y)


@device
def sub(a: Vec2, b: Vec2) -> Vec2:
    return Vec2(a.x - b.x, a.y - b.y)


@device
def scale(a: Vec2, s: float) -> Vec2:
    return Vec2(a.x * s, a.y * s)


@device
def neg(a: Vec2) -> Vec2:
    return Vec2(-a.x, -a.y)


@device
def dot(a: Vec2, b: Vec2) -> float:
    return a.x * b.x + a.y * b.y


@device
def cross(a: Vec2, b: Vec2) -> float:
    """The z component of the product in space: positive where b lies to the left of a."""
    return a.x * b.y - a.y * b.x


@device
def turn_left(a: Vec2) -> Vec2:
    """a turned by a quarter to the left."""
    return Vec2(-a.y, a.x)


@device
def length_sq(a: Vec2) -> float:
    return a.x * a.x + a.y * a.y


@device
def length(a: Vec2) -> float:
    return math.sqrt(a.x * a.x + a.y * a.y)


@device
def along(p: Vec2, v: Vec2, t: float) -> Vec2:
    """The point p + t v."""
    return Vec2(p.x + t * v.x, p.y + t * v.y)


@device
def mid(a: Vec2, b: Vec2) -> Vec2:
    return Vec2(0.5 * (a.x + b.x), 0.5 * (a.y + b.y))


@device
def unit_or(a: Vec2, fallback: Vec2) -> Vec2:
    """a made a unit vector, or `fallback` where a is zero. No intermediate overflow or underflow."""
    size = max(abs(a.x), abs(a.y))
    if not size > 0.0:
        return fallback
    b = Vec2(a.x / size, a.y / size)
    return scale(b, 1.0 / math.sqrt(b.x * b.x + b.y * b.y))
