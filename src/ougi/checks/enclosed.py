"""Bodies inside of closed surfaces.

A mesh that is not solid is a surface, so a body inside of it touches nothing. A report names such bodies,
because a certificate does not cover what fills the mesh. A body that starts outside can only get in through a
contact or by a jump, so only the start and the arrivals of jumps are tested.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from ougi._typing import Bools, DynamicBatch, Floats, Ints
from ougi.broad import candidate_pairs
from ougi.checks.report import Enclosed
from ougi.impact import Status
from ougi.shapes import Aabb2d, Mesh, Sector3d, Shape
from ougi.shapes._closed import label_parts
from ougi.timeline import Contacts
from ougi.timeline.repeat_contacts import is_at_once
from ougi.timeline.spans import PairSpans, SceneSpans

# Vertices nearer than this share of a mesh's extent are one, if a mesh is not closed without that.
_MERGE = 1e-7

# A ray that passes an edge within this share of the extent may be counted wrong; another one is taken.
_EDGE = 1e-10

# Rays of different directions, tried one after the other.
_RAYS = 8


def find_enclosed(spans: SceneSpans, pairs: PairSpans, contacts: Contacts) -> Enclosed:
    """Bodies that are inside of a closed mesh without touching it, at the start or after a jump."""
    is_mesh = np.array([group.is_mesh for group in spans.groups], np.bool_)[spans.group]
    begins = (pairs.start == 0) | spans.get_jumps(pairs)
    rows = np.flatnonzero(
        begins
        & (is_mesh[pairs.a] | is_mesh[pairs.b])
        & ~is_at_once(contacts)
        & (contacts.status != Status.UNSUPPORTED)
    )
    now = pairs.take(rows)
    found: list[tuple[float, int, int]] = []
    solids: dict[int, _Solid] = {}
    for query in spans.iter_queries(now.a, now.b, now.start, 0.0):
        sides = [spans.body[column[query.rows]] for column in (now.a, now.b)]
        sides = sides[::-1] if query.swapped else sides
        for inner, outer, (own, mesh) in ((query.a, query.b, sides), (query.b, query.a, sides[::-1])):
            if isinstance(outer, Mesh):
                number = int(mesh[0])  # all rows are of one mesh
                solid = solids.setdefault(number, _Solid(spans.scene.bodies[number].shape))
                inside = _is_inside(inner, outer, solid, len(own))
                times = now.start[query.rows]
                found += [(float(times[k]), int(own[k]), number) for k in np.flatnonzero(inside)]
    found.sort()
    time = np.array([row[0] for row in found], np.float64)
    return Enclosed(np.array([row[1:] for row in found], np.int64).reshape((-1, 2)), time)


def _is_inside(inner: Shape, outer: Mesh, solid: _Solid, n: int) -> Bools:
    """Which of n bodies lie inside of a mesh that they do not touch? One point of each is enough."""
    (low, high), (lower, upper) = inner._bounds(), outer._bounds()
    fits = ((lower <= low) & (high <= upper)).all(axis=-1)
    rows = np.flatnonzero(np.broadcast_to(fits, (n,)))
    inside = np.zeros(n, np.bool_)
    if len(rows) and len(solid.faces):
        points = _points(inner)
        corners = outer.vertices[solid.faces]
        if isinstance(inner, Mesh):  # of one body, a point of each part
            inside[:] = is_enclosed(points, corners, oriented=solid.is_oriented).any()
        else:
            inner_points = np.broadcast_to(points, (n, 3))[rows]
            inside[rows] = is_enclosed(inner_points, corners, oriented=solid.is_oriented)
    return inside


def _points(shape: Shape) -> Floats:
    """A point of each shape; of a mesh, a point of each part."""
    if isinstance(shape, Mesh):
        _, first = np.unique(
            label_parts(shape.faces, len(shape.vertices))[shape.faces[:, 0]], return_index=True
        )
        return np.asarray(shape.vertices[shape.faces[first, 0]])
    if isinstance(shape, Sector3d):  # the center lies in the hole of a ring
        return np.asarray(shape.center + shape.outer_radius[..., None] * shape.direction)
    name = next(name for name in ("center", "start", "a") if name in shape._fields)
    return np.asarray(getattr(shape, name))


@dataclass(frozen=True, eq=False)
class _Solid:
    """What a mesh encloses."""

    mesh: DynamicBatch

    @functools.cached_property
    def _closed(self) -> tuple[Ints, bool]:
        extent = float(np.ptp(self.mesh._used(), axis=0).max())
        for step in (0.0, _MERGE * extent):
            faces, is_oriented = closed_faces(self.mesh.vertices, self.mesh.faces, step)
            if len(faces):
                break
        return faces, is_oriented

    @property
    def faces(self) -> Ints:
        """The faces (m, 3) of all parts that are closed."""
        return self._closed[0]

    @property
    def is_oriented(self) -> bool:
        """Are these wound alike?"""
        return self._closed[1]


def closed_faces(vertices: Floats, faces: Ints, step: float = 0.0) -> tuple[Ints, bool]:
    """The faces of a mesh's closed parts, and are they wound alike?

    A part is closed if an even number of faces meets at each edge, and wound alike if as many pass an edge in
    one direction as in the other. Vertices at one place count as one, up to a grid of this step.

    >>> import numpy as np
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> closed, oriented = closed_faces(corners, faces)
    >>> len(closed), oriented, len(closed_faces(corners, faces[1:])[0])
    (4, True, 0)
    """
    places = vertices if step == 0 else np.round(vertices / step)
    _, same = np.unique(places, axis=0, return_inverse=True)
    corners = same.ravel()[faces]
    proper = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
    corners, faces = corners[proper], faces[proper]
    n = int(corners.max()) + 1 if len(corners) else 0
    part = label_parts(corners, n)
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    edge, which = np.unique(
        np.minimum(start, end) * np.int64(max(n, 1)) + np.maximum(start, end), return_inverse=True
    )
    which = which.ravel()
    odd = np.bincount(which, minlength=len(edge)) % 2 == 1
    is_open = np.zeros(n, np.bool_)
    is_open[part[start[odd[which]]]] = True
    chosen = ~is_open[part[corners[:, 0]]]
    sense = np.bincount(which, np.where(start < end, 1, -1) * np.repeat(chosen, 3), minlength=len(edge))
    return faces[chosen], not sense.any()


def is_enclosed(points: Floats, triangles: Floats, *, oriented: bool) -> Bools:
    """Which points (n, 3) lie inside of a closed surface (m, 3, 3)?

    A ray from an inner point does not cross as many faces inward as outward or, if faces are not wound alike,
    crosses an odd number of faces. Where a ray passes too near to an edge, another one is taken.
    """
    inside = np.zeros(len(points), np.bool_)
    left = np.arange(len(points))
    rng = np.random.default_rng(0)
    for _ in range(_RAYS):
        frame, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        crossed, is_doubtful = _crossings(points[left] @ frame, triangles @ frame, oriented)
        inside[left] = crossed != 0 if oriented else crossed % 2 == 1
        left = left[is_doubtful]
        if not len(left):
            break
    return inside


def _crossings(points: Floats, triangles: Floats, oriented: bool) -> tuple[Ints, Bools]:
    """How often rays along z cross the triangles, signed if these are oriented; where is that in doubt?"""
    n = len(points)
    near = _EDGE * float(np.ptp(triangles.reshape((-1, 3)), axis=0).max())
    flat = triangles[..., :2]
    boxes = Aabb2d(flat.min(axis=1) - near, flat.max(axis=1) + near)
    k, face = candidate_pairs(Aabb2d(points[:, :2], points[:, :2]), boxes, sort=False).T
    corners, p = flat[face], points[k, None, :2]
    along = np.roll(corners, -1, axis=1) - corners
    to = p - corners
    side = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]  # twice the areas beside each edge
    width = near * np.linalg.norm(along, axis=-1)
    within = (side > width).all(axis=1) | (side < -width).all(axis=1)
    beside = ((side >= -width).all(axis=1) | (side <= width).all(axis=1)) & ~within
    k, face, side, doubtful = k[within], face[within], side[within], k[beside]
    height = (np.roll(side, -1, axis=1) * triangles[face, :, 2]).sum(axis=1) / side.sum(axis=1)
    above = height > points[k, 2]
    weight = np.where(above, np.sign(side[:, 0]) if oriented else 1.0, 0.0)
    is_doubtful = np.zeros(n, np.bool_)
    is_doubtful[doubtful] = True
    return np.bincount(k, weight, minlength=n).astype(np.int64), is_doubtful


__all__ = ["closed_faces", "find_enclosed", "is_enclosed"]
