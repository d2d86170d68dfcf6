"""First contacts of meshes with meshes, boxes and triangles: asked of the exact radar, `ougi.radar`.

The radar lies below: it knows meshes and motions, and nothing of impacts. It takes what moves as one screw;
margins, chains, and two motions that are not one are advanced instead (`impact/advance.py`), and so is what
the radar finds overlapping at the start, which it knows no way out of.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.impact import Impact, _carried, _entries
from ougi.impact._relative import are_one, relative
from ougi.impact.advance import OVERLAPPING, _cases, _in_shape, _nothing, advance
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.radar.collide import is_steep, resolved, sides_of, ways_of
from ougi.radar.meshes import Meshes
from ougi.shapes import Aabb3d, Box, Mesh, Shape, Triangle3d, as_shape

_SOLIDS = (Box, Aabb3d)

_BOX_FACES = np.array(
    [
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
        [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
    ]
)  # fmt: skip


def can_look(shape: Any, motion: Any, target: Any, target_motion: Any, margin: float) -> bool:
    """Is this a question for the radar?"""
    kinds = (Mesh, *_SOLIDS, Triangle3d)
    if margin != 0 or not (isinstance(shape, kinds) and isinstance(target, kinds)):
        return False
    if not isinstance(motion, Translation3d | Rotation3d | Screw3d):
        return False
    if target_motion is None:
        return True
    if not isinstance(target_motion, Translation3d | Rotation3d | Screw3d):
        return False
    _check.broadcast_shape(motion=motion.shape, target_motion=target_motion.shape)
    return bool(are_one(motion, target_motion).all())


def look(
    shape: Any, motion: Motion, target: Any, target_motion: Motion | None, tol: float, pairs: Any
) -> Impact:
    """`time_of_impact` of meshes, case by case."""
    a, b = as_shape("shape", shape), as_shape("target", target)
    batch, cases = _cases(a, motion, b, target_motion, pairs)
    n = len(cases.shape)
    ways = _entries(motion, np.asarray(cases.motion)) if motion.shape else motion
    other = None
    if target_motion is not None:
        other = (
            _entries(target_motion, np.asarray(cases.target_motion)) if target_motion.shape else target_motion
        )
    seen = ways if other is None else relative(ways, other)
    found, left = _nothing(n, 3), []
    made: dict[tuple[int, int], Meshes] = {}
    for i in range(n):
        way: Any = seen[i] if seen.shape else seen
        parts = [
            _mesh(made, k, body, int(index[i]))
            for k, body, index in ((0, a, cases.shape), (1, b, cases.target))
        ]
        if (
            _is_hard(way, parts[0])
            or not _ask(found, i, way, parts[0], parts[1])
            or _holds_corner(a, int(cases.shape[i]), b, parts[1])
            or _holds_corner(b, int(cases.target[i]), a, parts[0])
        ):
            left.append(i)
    if other is not None:
        found = _carried(found, other)
    if left:
        _advanced(found, left, (a, cases.shape), ways, (b, cases.target), other, tol)
    return _in_shape(found, batch)


def _ask(found: Impact, i: int, way: Any, sensor: Meshes, scene: Meshes) -> bool:
    """Case i by the radar; False if it overlaps at the start."""
    answer = resolved(ways_of(way, sensor), sides_of(None, sensor), sensor, scene, np.empty((1, 0), np.int64))
    if answer.status[0] == OVERLAPPING:
        return False
    if answer.hit[0]:
        found.status[i], found.hit[i], found.t[i] = 1, True, answer.t[0]
        found.point[i], found.normal[i] = answer.center[0], answer.normal[0]
    return True


def _is_hard(way: Any, sensor: Meshes) -> bool:
    """Does the motion go nowhere, or is it a screw that is all but straight?"""
    columns = way.columns()
    return not columns[6:8].any() or bool(is_steep(columns, sensor)[0])


def _mesh(made: dict[tuple[int, int], Meshes], side: int, shape: Shape, index: int) -> Meshes:
    """A body as a surface of triangles; what a box holds is looked at apart."""
    key = side, 0 if isinstance(shape, Mesh) else index
    if key not in made:
        made[key] = Meshes(_triangles(shape, index), surface=True)
    return made[key]


def _triangles(shape: Any, index: int) -> Mesh:
    if isinstance(shape, Mesh):
        if not len(shape.faces):
            raise ValueError("a Mesh without faces touches nothing; give it faces")
        return shape
    if isinstance(shape, Triangle3d):
        one = shape.reshape((shape.count,))[index]
        return Mesh(np.stack([one.a, one.b, one.c]), [[0, 1, 2]])
    center, half, axes = _solid(shape, index)
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)]) * 2.0 - 1.0
    return Mesh(center + (bits * half) @ axes.T, _BOX_FACES)


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


def _advanced(found: Impact, left: list[int], a: Any, ways: Any, b: Any, other: Any, tol: float) -> None:
    """Put the answers of advancement where the radar has none."""
    which = np.array(left)
    bodies = [
        body if isinstance(body, Mesh) else _entries(body, np.asarray(index)[which]) for body, index in (a, b)
    ]
    motions = [way if way is None or not way.shape else way[which] for way in (ways, other)]
    shapes = (bodies[0].shape, bodies[1].shape, *(way.shape for way in motions if way is not None))
    if all(shape == () for shape in shapes):
        which = which[:1]
    part = advance(bodies[0], motions[0], bodies[1], motions[1], tol=tol)
    for field in fields(Impact):
        getattr(found, field.name)[which] = getattr(part, field.name)
