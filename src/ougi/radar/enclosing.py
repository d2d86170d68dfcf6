"""Solid meshes that enclose a part of another mesh."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi._typing import Ints
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import cross, dot, length, sub
from ougi.radar.packed_meshes import PackedMeshes, is_excluded
from ougi.radar.triangles import load_vertex


@procedure
def find_enclosing(
    sensors: PackedMeshes,
    i: int,
    scene: PackedMeshes,
    sensor_seeds: tuple[Ints, Ints],
    scene_seeds: tuple[Ints, Ints],
    ignored: Ints,
) -> int:
    """A mesh of the scene that encloses a part of sensor i, or is enclosed by it in part; -1 if there is
    none.

    Where no triangles cross, one vertex decides for all that is connected with it.
    """
    own, own_starts = sensor_seeds
    others, starts = scene_seeds
    for mesh in range(len(scene.face_starts) - 1):
        if is_excluded(scene, mesh, ignored):
            continue
        if scene.solid[mesh]:
            for k in range(own_starts[i], own_starts[i + 1]):
                if _is_inside(scene, mesh, load_vertex(sensors.vertices, own[k])):
                    return mesh
        if sensors.solid[i]:
            for k in range(starts[mesh], starts[mesh + 1]):
                if _is_inside(sensors, i, load_vertex(scene.vertices, others[k])):
                    return mesh
    return -1


@device
def _is_inside(meshes: PackedMeshes, i: int, p: Vec3) -> bool:
    return _is_in_box(meshes, i, p) and _winding_number(meshes, i, p) > 0.5


@device
def _is_in_box(meshes: PackedMeshes, i: int, p: Vec3) -> bool:
    a, b = load_vertex(meshes.lower, i), load_vertex(meshes.upper, i)
    return a.x <= p.x <= b.x and a.y <= p.y <= b.y and a.z <= p.z <= b.z


@procedure
def _winding_number(meshes: PackedMeshes, i: int, p: Vec3) -> float:
    """How often closed faces go round a point: the sum of solid angles (van Oosterom and Strackee 1983)."""
    total = 0.0
    for face in range(meshes.face_starts[i], meshes.face_starts[i + 1]):
        a = sub(load_vertex(meshes.vertices, meshes.faces[face, 0]), p)
        b = sub(load_vertex(meshes.vertices, meshes.faces[face, 1]), p)
        c = sub(load_vertex(meshes.vertices, meshes.faces[face, 2]), p)
        la, lb, lc = length(a), length(b), length(c)
        below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        total += math.atan2(dot(a, cross(b, c)), below)
    return total / (2.0 * math.pi)
