"""Triangles in arrays, and contacts of two of them."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.vec3 import along, dot, scale, sub

# The features that touch: the sensor's corner and the target's face, and so on.
NOTHING, CORNER_FACE, FACE_CORNER, EDGE_EDGE = 0, 1, 2, 3


class TriangleContact(NamedTuple):
    """The gap of two triangles along a motion (inf: they never touch), the features, the point and the
    normal.

    `approach` is the part of the velocity there that is along the normal.
    """

    gap: float
    kind: int
    point: Vec3
    normal: Vec3
    approach: float


@device
def load_vertex(vertices: Floats, i: int) -> Vec3:
    return Vec3(vertices[i, 0], vertices[i, 1], vertices[i, 2])


@device
def load_triangle(rows: Floats, i: int) -> Triangle3d:
    """A triangle of the frame, stored as nine numbers."""
    return Triangle3d(
        Vec3(rows[i, 0], rows[i, 1], rows[i, 2]),
        Vec3(rows[i, 3], rows[i, 4], rows[i, 5]),
        Vec3(rows[i, 6], rows[i, 7], rows[i, 8]),
    )


@device
def store_triangle(rows: Floats, i: int, t: Triangle3d) -> None:
    """Write a triangle as row i."""
    rows[i, 0], rows[i, 1], rows[i, 2] = t.a.x, t.a.y, t.a.z
    rows[i, 3], rows[i, 4], rows[i, 5] = t.b.x, t.b.y, t.b.z
    rows[i, 6], rows[i, 7], rows[i, 8] = t.c.x, t.c.y, t.c.z


@device
def corner(triangle: Triangle3d, k: int) -> Vec3:
    """Corner k, modulo 3, for k up to 4."""
    if k == 0 or k == 3:
        return triangle.a
    return triangle.b if k == 1 or k == 4 else triangle.c


@device
def max_coordinate(triangle: Triangle3d) -> float:
    """The largest absolute coordinate."""
    a, b, c = triangle.a, triangle.b, triangle.c
    return max(
        max(max(abs(a.x), abs(a.y)), abs(a.z)),
        max(max(max(abs(b.x), abs(b.y)), abs(b.z)), max(max(abs(c.x), abs(c.y)), abs(c.z))),
    )


@device
def orient_normal(normal: Vec3, velocity: Vec3) -> Vec3:
    """The unit normal that points in the direction in which the sensor moves."""
    n = math.sqrt(dot(normal, normal))
    if not n > 0.0:
        return velocity
    sense = -1.0 if dot(normal, velocity) < 0.0 else 1.0
    return scale(normal, sense / n)


@device
def between(p: Vec3, q: Vec3, t: float) -> Vec3:
    return along(p, sub(q, p), t)


@device
def is_earlier(gap: float, approach: float, best: TriangleContact, tie: float) -> bool:
    """Is a contact before the best so far, or at the same time and more head-on?

    Where bodies meet at many features at once, those along which they slide have no useful normal.
    """
    return gap < best.gap - tie or (gap <= best.gap + tie and approach > best.approach)
