"""Triangles of meshes in the frame of a motion, and bounds of them."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi._typing import Floats
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.vec3 import cross, dot, sub
from ougi.radar.fragments import TriangleBuffer, bound_straight, bound_turning, load_box, store_box
from ougi.radar.motion_frames import MotionFrame, to_local
from ougi.radar.packed_meshes import PackedMeshes
from ougi.radar.triangles import load_vertex, store_triangle
from ougi.radar.windows import ImageBounds

# Columns of a vertex in the frame: its coordinates, and for rotations its distance from the axis and its
# angle.
AXIS_DISTANCE, ANGLE = 3, 4
VERTEX_COLUMNS = 5


@procedure
def project_mesh(
    frame: MotionFrame,
    meshes: PackedMeshes,
    mesh: int,
    swept: ImageBounds,
    vertices: Floats,
    buffer: TriangleBuffer,
    count: int,
) -> int:
    """Append the triangles of a mesh that are not outside of the swept box; returns how many there are then.

    Vertices are transformed once, not once for each of the six triangles that share them. If the triangles
    exceed the buffer, the rest is only counted.
    """
    start, faces = meshes.vertex_starts[mesh], meshes.faces
    for k in range(start, meshes.vertex_starts[mesh + 1]):
        p = to_local(frame, load_vertex(meshes.vertices, k))
        vertices[k - start, 0], vertices[k - start, 1], vertices[k - start, 2] = p.x, p.y, p.z
        if frame.turns:
            vertices[k - start, AXIS_DISTANCE] = math.sqrt(p.x * p.x + p.y * p.y)
            vertices[k - start, ANGLE] = math.atan2(p.y, p.x)
    for face in range(meshes.face_starts[mesh], meshes.face_starts[mesh + 1]):
        a, b, c = faces[face, 0] - start, faces[face, 1] - start, faces[face, 2] - start
        t = Triangle3d(load_vertex(vertices, a), load_vertex(vertices, b), load_vertex(vertices, c))
        if frame.turns:
            far = max(vertices[a, AXIS_DISTANCE], max(vertices[b, AXIS_DISTANCE], vertices[c, AXIS_DISTANCE]))
            angles = vertices[a, ANGLE], vertices[b, ANGLE], vertices[c, ANGLE]
            box = bound_turning(t, angles[0], angles[1], angles[2], far, frame.pitch)
            if box.u1 < swept.u0 or box.u0 > swept.u1:
                continue
        else:
            box = bound_straight(t)
            if _are_separate(box, swept) or _plane_is_outside(t, swept):
                continue
        if count < len(buffer.rows):
            store_triangle(buffer.rows, count, t)
            store_box(buffer.boxes, count, box)
            buffer.numbers[count] = face
        count += 1
    return count


@device
def _are_separate(box: ImageBounds, other: ImageBounds) -> bool:
    return (
        box.u1 < other.u0
        or box.u0 > other.u1
        or box.v1 < other.v0
        or box.v0 > other.v1
        or box.z1 < other.z0
        or box.z0 > other.z1
    )


@device
def _plane_is_outside(t: Triangle3d, swept: ImageBounds) -> bool:
    """Is a triangle's plane outside of the swept box? Walls and floors fill images, but seldom that.

    An infinite box has no middle, and then the plane is not outside.
    """
    e, f = sub(t.b, t.a), sub(t.c, t.a)
    n = cross(e, f)
    m = Vec3(0.5 * (swept.u0 + swept.u1), 0.5 * (swept.v0 + swept.v1), 0.5 * (swept.z0 + swept.z1))
    x, y, z = swept.u1 - m.x, swept.v1 - m.y, swept.z1 - m.z
    d = sub(m, t.a)
    reach = abs(n.x) * x + abs(n.y) * y + abs(n.z) * z
    # Rounding of the product is proportional to the sides, not to n, which is short for a sliver.
    sides = (abs(e.x) + abs(e.y) + abs(e.z)) * (abs(f.x) + abs(f.y) + abs(f.z))
    slack = 1e-9 * sides * (abs(d.x) + abs(d.y) + abs(d.z) + x + y + z)
    return abs(dot(n, d)) > reach + slack


@procedure
def find_max_coordinate(rows: Floats, n: int) -> float:
    """The largest absolute coordinate of n triangles."""
    largest = 0.0
    for i in range(n):
        for k in range(9):
            largest = max(largest, abs(rows[i, k]))
    return largest


@procedure
def bound_boxes(boxes: Floats, n: int) -> ImageBounds:
    """The box around n boxes, a little wider, because flat bodies have no width at all."""
    u0, u1, v0, v1, z0, z1 = math.inf, -math.inf, math.inf, -math.inf, math.inf, -math.inf
    for i in range(n):
        box = load_box(boxes, i)
        u0, u1 = min(u0, box.u0), max(u1, box.u1)
        v0, v1 = min(v0, box.v0), max(v1, box.v1)
        z0, z1 = min(z0, box.z0), max(z1, box.z1)
    wider = 1e-12 * max(max(abs(u0), abs(u1)), max(max(abs(v0), abs(v1)), 1e-280))
    return ImageBounds(u0 - wider, u1 + wider, v0 - wider, v1 + wider, z0 - wider, z1 + wider)
