"""First contacts of meshes with meshes, boxes and triangles by the exact radar, `ougi.radar`.

The radar lies below: it knows meshes and motions, and nothing of first contacts. What it cannot see is
advanced (`advancement.py`), and so is what it finds overlapping at the start: it computes no depth.
"""

from __future__ import annotations

import numpy as np

from ougi._typing import DynamicBatch, Floats, Ints
from ougi.impact import advancement
from ougi.impact.contacts import make_free, to_world
from ougi.impact.near_parts import NearParts, list_windows, make_moving_parts
from ougi.impact.pairing import PairIndex, take
from ougi.impact.relative import are_one, relative
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.query.inside import get_points
from ougi.query.meshes import find_rows_of_meshes
from ougi.query.trees import get_pose, get_tree
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
    meshes: dict[tuple[int, int], Mesh] = {}
    for i in np.flatnonzero(is_one).tolist():
        screw: DynamicBatch = seen[int(rank[i])] if seen.shape else seen
        bodies = [
            _cached_mesh(meshes, k, body, int(which[i]))
            for k, body, which in ((0, shape, index.shape), (1, target, index.target))
        ]
        if _is_hard(screw) or _overlap(bodies[0], bodies[1]):
            advanced.append(i)
            continue
        if (
            not _find_contact(found, i, screw, bodies, tol)
            or _holds_part(shape, int(index.shape[i]), bodies[1])
            or _holds_part(target, int(index.target[i]), bodies[0])
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


def _overlap(a: Mesh, b: Mesh) -> bool:
    """Do two surfaces touch at the start?"""
    return bool(find_rows_of_meshes(a, b, get_pose(a), get_pose(b), nearest=False)[0, 0] >= 0)


def _find_contact(found: FirstContacts, i: int, screw: DynamicBatch, bodies: list[Mesh], tol: float) -> bool:
    """Compute pair i; False as in `_write_contact`."""
    parts = make_moving_parts(bodies[0], 0, screw, 0), make_moving_parts(bodies[1], 0, None, 0)
    for until, near in list_windows(*parts, tol):
        if len(near.t) and not _write_contact(found, i, screw, bodies, near):
            return False
        if found.hit[i] and found.t[i] <= until:
            break
    return True


def _write_contact(
    found: FirstContacts, i: int, screw: DynamicBatch, bodies: list[Mesh], near: NearParts
) -> bool:
    """Compute pair i; False if the bodies overlap at the start, or if the radar cannot see the motion."""
    sensor, scene = (Meshes(_take_faces(*one)) for one in zip(bodies, (near.a, near.b), strict=True))
    if is_steep(screw.columns(), sensor)[0]:
        return False
    nothing_ignored = np.empty((1, 0), np.int64)
    pixels = choose_pixels(None, sensor)
    result = find_exact_contacts(make_frames(screw, sensor), pixels, sensor, scene, nothing_ignored)
    if result.status[0] == Status.OVERLAPPING:
        return False
    if result.hit[0]:
        found.status[i], found.hit[i], found.t[i] = Status.HIT, True, result.t[0]
        found.point[i], found.normal[i] = result.point[0], result.normal[0]
    return True


def _is_hard(screw: DynamicBatch) -> bool:
    """Is the motion zero, or one of many turns?"""
    columns = screw.columns()
    return not columns[6:8].any() or abs(float(columns[6, 0])) > _MAX_TURN


def _cached_mesh(made: dict[tuple[int, int], Mesh], side: int, shape: Shape, index: int) -> Mesh:
    """A body as a surface of triangles; what a box holds is tested apart."""
    key = side, 0 if isinstance(shape, Mesh) else index
    if key not in made:
        made[key] = _triangles(shape, index)
    return made[key]


def _take_faces(mesh: Mesh, rows: Ints) -> Mesh:
    """The faces in these rows of a mesh's tree, as a surface of their own."""
    corners = mesh._get_corners(get_tree(mesh).faces[np.unique(rows)])
    return Mesh._from_arrays(corners.reshape((-1, 3)), np.arange(3 * len(corners)).reshape((-1, 3)))


def _triangles(shape: DynamicBatch, index: int) -> Mesh:
    if isinstance(shape, Mesh):
        if not len(shape.faces):
            raise ValueError("a Mesh without faces touches nothing; give it faces")
        return shape  # the engine tests what solids enclose
    if isinstance(shape, Triangle3d):
        one = shape.reshape((shape.count,))[index]
        return Mesh._from_arrays(np.stack([one.a, one.b, one.c]), np.array([[0, 1, 2]]))
    center, half, axes = _solid(shape, index)
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)]) * 2.0 - 1.0
    return Mesh._from_arrays(center + (bits * half) @ axes.T, _BOX_FACES.copy())


def _solid(shape: DynamicBatch, index: int) -> tuple[Floats, Floats, Floats]:
    """Center, half size and axes (columns) of a box."""
    if isinstance(shape, Aabb3d):
        one = shape.reshape((shape.count,))[index]
        return (one.lower + one.upper) / 2, (one.upper - one.lower) / 2, np.eye(3)
    one = shape.reshape((shape.count,))[index]
    return one.center, one.size / 2, one.rotation


def _holds_part(solid: DynamicBatch, index: int, other: Mesh) -> bool:
    """Is a part of another body inside of a box whose sides its triangles do not cross?"""
    if not isinstance(solid, _SOLIDS):
        return False
    center, half, axes = _solid(solid, index)
    return bool((np.abs((get_points(other) - center) @ axes) <= half).all(axis=1).any())
