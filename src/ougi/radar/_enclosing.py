"""Is one solid inside of another?"""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi._typing import Ints
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import cross, dot, length, sub
from ougi.radar._packed import Packed, is_excluded
from ougi.radar._ways import load_corner


@procedure
def find_enclosing(
    sensors: Packed,
    i: int,
    scene: Packed,
    own_seeds: tuple[Ints, Ints],
    seeds: tuple[Ints, Ints],
    ignored: Ints,
) -> int:
    """A solid of the scene that encloses a piece of the sensor, or has one that the sensor encloses; -1 if
    there is none.

    Where no triangles cross, one corner speaks for all that hang together.
    """
    own, own_starts = own_seeds
    others, starts = seeds
    for mesh in range(len(scene.parts) - 1):
        if is_excluded(scene, mesh, ignored):
            continue
        if scene.solid[mesh]:
            for k in range(own_starts[i], own_starts[i + 1]):
                if _is_inside(scene, mesh, load_corner(sensors.vertices, own[k])):
                    return mesh
        if sensors.solid[i]:
            for k in range(starts[mesh], starts[mesh + 1]):
                if _is_inside(sensors, i, load_corner(scene.vertices, others[k])):
                    return mesh
    return -1


@device
def _is_inside(meshes: Packed, i: int, p: Vec3) -> bool:
    return _holds(meshes, i, p) and _winding(meshes, i, p) > 0.5


@device
def _holds(meshes: Packed, i: int, p: Vec3) -> bool:
    a, b = load_corner(meshes.lower, i), load_corner(meshes.upper, i)
    return a.x <= p.x <= b.x and a.y <= p.y <= b.y and a.z <= p.z <= b.z


@procedure
def _winding(meshes: Packed, i: int, p: Vec3) -> float:
    """How often closed faces go round a point: the sum of solid angles (van Oosterom and Strackee 1983)."""
    total = 0.0
    for face in range(meshes.parts[i], meshes.parts[i + 1]):
        a = sub(load_corner(meshes.vertices, meshes.faces[face, 0]), p)
        b = sub(load_corner(meshes.vertices, meshes.faces[face, 1]), p)
        c = sub(load_corner(meshes.vertices, meshes.faces[face, 2]), p)
        la, lb, lc = length(a), length(b), length(c)
        below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        total += math.atan2(dot(a, cross(b, c)), below)
    return total / (2.0 * math.pi)
