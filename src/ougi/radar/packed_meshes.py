"""Meshes in flat arrays, and tests which of them a radar can touch."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.kernels.records import Vec3
from ougi.radar.motion_frames import MotionFrame, to_local
from ougi.radar.triangles import load_vertex
from ougi.radar.windows import ImageBounds


class PackedMeshes(NamedTuple):
    """Meshes in flat arrays.

    Mesh k has the faces face_starts[k] to face_starts[k + 1] and the vertices vertex_starts[k] to
    vertex_starts[k + 1], and lies between lower[k] and upper[k].
    """

    vertices: Floats
    faces: Ints
    face_starts: Ints
    vertex_starts: Ints
    lower: Floats
    upper: Floats
    solid: Bools
    bodies: Ints


@device
def is_ignored(body: int, ignored: Ints) -> bool:
    """Is the body in the list?"""
    for k in range(len(ignored)):  # noqa: SIM110, Numba compiles no generators
        if ignored[k] == body:
            return True
    return False


@device
def is_excluded(scene: PackedMeshes, mesh: int, ignored: Ints) -> bool:
    """Is a mesh's body ignored? If nearly all are, in the order of the meshes, one comparison is enough."""
    body = scene.bodies[mesh]
    return (mesh < len(ignored) and ignored[mesh] == body) or is_ignored(body, ignored)


@procedure
def has_any(scene: PackedMeshes, ignored: Ints) -> bool:
    """Is there a mesh whose body is not ignored?"""
    for mesh in range(len(scene.face_starts) - 1):  # noqa: SIM110, Numba compiles no generators
        if not is_excluded(scene, mesh, ignored):
            return True
    return False


@procedure
def is_outside_view(frame: MotionFrame, scene: PackedMeshes, mesh: int, view: ImageBounds) -> bool:
    """Is a mesh, by its axis-aligned box, wholly outside of a box of the frame?"""
    lower, upper = load_vertex(scene.lower, mesh), load_vertex(scene.upper, mesh)
    m = to_local(frame, Vec3(0.5 * (lower.x + upper.x), 0.5 * (lower.y + upper.y), 0.5 * (lower.z + upper.z)))
    h = Vec3(0.5 * (upper.x - lower.x), 0.5 * (upper.y - lower.y), 0.5 * (upper.z - lower.z))
    x = abs(frame.x.x) * h.x + abs(frame.x.y) * h.y + abs(frame.x.z) * h.z
    y = abs(frame.y.x) * h.x + abs(frame.y.y) * h.y + abs(frame.y.z) * h.z
    z = abs(frame.z.x) * h.x + abs(frame.z.y) * h.y + abs(frame.z.z) * h.z
    slack = 1e-12 * (abs(m.x) + abs(m.y) + abs(m.z) + x + y + z)
    if not frame.turns:
        return (
            m.x + x + slack < view.u0
            or m.x - x - slack > view.u1
            or m.y + y + slack < view.v0
            or m.y - y - slack > view.v1
            or m.z + z + slack < view.z0
            or m.z - z - slack > view.z1
        )
    radius, across = math.hypot(m.x, m.y), math.hypot(x, y) + slack
    if radius + across < view.u0 or radius - across > view.u1:
        return True
    # v is z - pitch angle, and the sensor's angles lie between -3 pi and 3 pi.
    p = abs(frame.pitch) * (4.0 * math.pi + frame.length)
    return m.z + z + slack + p < view.v0 or m.z - z - slack - p > view.v1
