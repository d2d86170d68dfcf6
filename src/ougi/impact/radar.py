"""First contacts of meshes with meshes, boxes and triangles by the exact radar, `ougi.radar`.

The radar lies below: it knows meshes and motions, and nothing of first contacts. What it cannot see is
advanced (`advancement.py`), and so is what it finds overlapping at the start: it computes no depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.impact import advancement
from ougi.impact.contacts import make_free, to_world
from ougi.impact.pairing import PairIndex, take
from ougi.impact.relative import are_one, relative
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.radar.exact import choose_pixels, find_exact_contacts
from ougi.radar.meshes import Meshes
from ougi.radar.motions import is_steep, make_frames
from ougi.results import FirstContacts, Status
from ougi.shapes import Aabb3d, Box, Mesh, Shape, Triangle3d

_SOLIDS = (Box, Aabb3d)
_SHAPES = (Mesh, *_SOLIDS, Triangle3d)
_SCREWS = (Translation3d, Rotation3d, Screw3d)

# Radians: a thousand turns, 2 s for two meshes of 128 triangles. Advancement ends after a number of steps.
_MAX_TURN = 2000 * np.pi

_BOX_FACES = np.array(
    [
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
        [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
    ]
)  # fmt: skip


def is_supported(shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None) -> bool:
    """Can the radar see these shapes and motions?"""
    return (
        isinstance(shape, _SHAPES)
        and isinstance(target, _SHAPES)
        and isinstance(motion, _SCREWS)
        and (target_motion is None or isinstance(target_motion, _SCREWS))
    )


def find_first_contacts(
    shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None, index: PairIndex, tol: float
) -> FirstContacts:
    """First contacts of listed pairs by the radar, one after the other; see `engine.run`.

    Pairs that it cannot see are advanced: two motions that do not amount to one, screws that are all but
    straight or of many turns, motions by nothing, and bodies that overlap at the start.
    """
    n = len(index.shape)
    first = take(motion, index.motion)
    second = None if target_motion is None else take(target_motion, index.target_motion)
    is_one = np.ones(n, np.bool_) if second is None else np.broadcast_to(are_one(first, second), (n,))
    seen = first
    if second is not None and is_one.any():
        seen = relative(*(given if not given.shape else given[is_one] for given in (first, second)))
    rank = np.cumsum(is_one) - 1  # where in `seen` a pair finds its motion
    found, advanced = make_free(n, 3), np.flatnonzero(~is_one).tolist()
    meshes: dict[tuple[int, int], Meshes] = {}
    for i in np.flatnonzero(is_one).tolist():
        screw: Any = seen[int(rank[i])] if seen.shape else seen
        parts = [
            _cached_mesh(meshes, k, body, int(which[i]))
            for k, body, which in ((0, shape, index.shape), (1, target, index.target))
        ]
        if (
            _is_hard(screw, parts[0])
            or not _write_contact(found, i, screw, parts[0], parts[1])
            or _holds_corner(shape, int(index.shape[i]), target, parts[1])
            or _holds_corner(target, int(index.target[i]), shape, parts[0])
        ):
            advanced.append(i)
    if second is not None:
        found = to_world(found, second)
    if advanced:
        rows = np.sort(np.array(advanced))
        measure = advancement.choose_measure(shape, motion, target, target_motion)
        part = advancement.find_first_contacts(
            shape, motion, target, target_motion, index.take(rows), tol, 0.0, measure
        )
        found.write(rows, part)
    return found


def _write_contact(found: FirstContacts, i: int, screw: Any, sensor: Meshes, scene: Meshes) -> bool:
    """Compute pair i; False if the bodies overlap at the start."""
    nothing_ignored = np.empty((1, 0), np.int64)
    pixels = choose_pixels(None, sensor)
    answer = find_exact_contacts(make_frames(screw, sensor), pixels, sensor, scene, nothing_ignored)
    if answer.status[0] == Status.OVERLAPPING:
        return False
    if answer.hit[0]:
        found.status[i], found.hit[i], found.t[i] = Status.HIT, True, answer.t[0]
        found.point[i], found.normal[i] = answer.point[0], answer.normal[0]
    return True


def _is_hard(screw: Any, sensor: Meshes) -> bool:
    """Is the motion zero, a screw that is all but straight, or one of many turns?"""
    columns = screw.columns()
    many_turns = abs(float(columns[6, 0])) > _MAX_TURN
    return not columns[6:8].any() or many_turns or bool(is_steep(columns, sensor)[0])


def _cached_mesh(made: dict[tuple[int, int], Meshes], side: int, shape: Shape, index: int) -> Meshes:
    """A body as a surface of triangles; what a box holds is tested apart."""
    key = side, 0 if isinstance(shape, Mesh) else index
    if key not in made:
        made[key] = Meshes(_triangles(shape, index))
    return made[key]


def _triangles(shape: Any, index: int) -> Mesh:
    if isinstance(shape, Mesh):
        if not len(shape.faces):
            raise ValueError("a Mesh without faces touches nothing; give it faces")
        # The engine tests what solids enclose.
        return Mesh._from_arrays(shape.vertices, shape.faces) if shape.solid else shape
    if isinstance(shape, Triangle3d):
        one = shape.reshape((shape.count,))[index]
        return Mesh._from_arrays(np.stack([one.a, one.b, one.c]), np.array([[0, 1, 2]]))
    center, half, axes = _solid(shape, index)
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)]) * 2.0 - 1.0
    return Mesh._from_arrays(center + (bits * half) @ axes.T, _BOX_FACES.copy())


def _solid(shape: Any, index: int) -> tuple[Floats, Floats, Floats]:
    """Center, half size and axes (columns) of a box."""
    if isinstance(shape, Aabb3d):
        one = shape.reshape((shape.count,))[index]
        return (one.lower + one.upper) / 2, (one.upper - one.lower) / 2, np.eye(3)
    one = shape.reshape((shape.count,))[index]
    return one.center, one.size / 2, one.rotation


def _holds_corner(solid: Any, index: int, other: Any, meshes: Meshes) -> bool:
    """Is a corner of the other body, whose triangles cross no box's side, inside of a box?"""
    if not isinstance(solid, _SOLIDS):
        return False
    center, half, axes = _solid(solid, index)
    used = meshes.vertices if not isinstance(other, Mesh) else other._used()
    return bool((np.abs((used - center) @ axes) <= half).all(axis=1).any())
