"""Meshes in flat arrays, and which of them a radar has to see."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.kernels.records import Triangle3d, Vec3
from ougi.radar._fragments import Box
from ougi.radar._ways import Way, inward, load_corner


class Packed(NamedTuple):
    """Meshes in flat arrays: mesh k has the faces parts[k] to parts[k + 1], the vertices vertex_parts[k] to
    vertex_parts[k + 1], and lies between lower[k] and upper[k].
    """

    vertices: Floats
    faces: Ints
    parts: Ints
    vertex_parts: Ints
    lower: Floats
    upper: Floats
    solid: Bools
    bodies: Ints


@device
def store_triangle(rows: Floats, i: int, t: Triangle3d) -> None:
    """Write a triangle as row i."""
    rows[i, 0], rows[i, 1], rows[i, 2] = t.a.x, t.a.y, t.a.z
    rows[i, 3], rows[i, 4], rows[i, 5] = t.b.x, t.b.y, t.b.z
    rows[i, 6], rows[i, 7], rows[i, 8] = t.c.x, t.c.y, t.c.z


@device
def is_ignored(body: int, ignored: Ints) -> bool:
    """Is the body in the list?"""
    for k in range(len(ignored)):  # noqa: SIM110, Numba compiles no generators
        if ignored[k] == body:
            return True
    return False


@device
def is_excluded(scene: Packed, mesh: int, ignored: Ints) -> bool:
    """Is a mesh's body ignored? Where nearly all are, in the order of the meshes, that is seen at once."""
    body = scene.bodies[mesh]
    return (mesh < len(ignored) and ignored[mesh] == body) or is_ignored(body, ignored)


@procedure
def has_any(scene: Packed, ignored: Ints) -> bool:
    """Is there a mesh whose body is not ignored?"""
    for mesh in range(len(scene.parts) - 1):  # noqa: SIM110, Numba compiles no generators
        if not is_excluded(scene, mesh, ignored):
            return True
    return False


@procedure
def is_beside(way: Way, scene: Packed, mesh: int, swept: Box) -> bool:
    """Does a mesh lie, by its axis-aligned box, wholly outside of what the sensor sweeps?"""
    lower, upper = load_corner(scene.lower, mesh), load_corner(scene.upper, mesh)
    m = inward(way, Vec3(0.5 * (lower.x + upper.x), 0.5 * (lower.y + upper.y), 0.5 * (lower.z + upper.z)))
    h = Vec3(0.5 * (upper.x - lower.x), 0.5 * (upper.y - lower.y), 0.5 * (upper.z - lower.z))
    x = abs(way.x.x) * h.x + abs(way.x.y) * h.y + abs(way.x.z) * h.z
    y = abs(way.y.x) * h.x + abs(way.y.y) * h.y + abs(way.y.z) * h.z
    z = abs(way.z.x) * h.x + abs(way.z.y) * h.y + abs(way.z.z) * h.z
    room = 1e-12 * (abs(m.x) + abs(m.y) + abs(m.z) + x + y + z)
    if not way.turns:
        return (
            m.x + x + room < swept.u0
            or m.x - x - room > swept.u1
            or m.y + y + room < swept.v0
            or m.y - y - room > swept.v1
            or m.z + z + room < swept.z0
            or m.z - z - room > swept.z1
        )
    radius, across = math.hypot(m.x, m.y), math.hypot(x, y) + room
    if radius + across < swept.u0 or radius - across > swept.u1:
        return True
    # v is z - pitch angle, and the sensor's angles lie between -3 pi and 3 pi.
    p = abs(way.pitch) * (4.0 * math.pi + way.length)
    return m.z + z + room + p < swept.v0 or m.z - z - room - p > swept.v1
