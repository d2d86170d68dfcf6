"""First hits of rays."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from ougi import _check
from ougi._native import Loops, Parts, each, run
from ougi._typing import ArrayLike, Floats, Ints, Record
from ougi.errors import UnsupportedPairError
from ougi.kernels.mesh.constants import STACK_SIZE
from ougi.kernels.mesh.rays import cast_rays
from ougi.query.answers import RayHits
from ougi.query.inside import find_inside
from ougi.query.trees import get_tree, to_local_rays
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Compound,
    Compound2d,
    Compound3d,
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Cylinder,
    Ellipsoid,
    HalfSpace2d,
    HalfSpace3d,
    Mesh,
    Point2d,
    Point3d,
    Polygon2d,
    Rectangle,
    Sector2d,
    Sector3d,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)
from ougi.shapes.compound import split_parts

# Rays that one thread casts at a time, and pairs of rays and bodies whose results are held at once.
_CHUNK, _PAIRS = 2048, 1 << 18

# How kernels of rays read each class; shapes of the plane lie at z = 0.
LAYOUTS: dict[type[Shape], str] = {
    **dict.fromkeys(
        (Point2d, Circle, Segment2d, Capsule2d, Triangle2d, Rectangle, Aabb2d, ConvexPolygon2d), "polygon2d"
    ),
    Sector2d: "sector3d",
    HalfSpace2d: "halfspace2d",
    Point3d: "sphere",
    Sphere: "sphere",
    Segment3d: "capsule3d",
    Capsule3d: "capsule3d",
    Triangle3d: "triangle3d",
    Box: "box",
    Aabb3d: "box",
    ConvexHull3d: "hull3d",
    Cylinder: "sector3d",
    Sector3d: "sector3d",
    Cone: "solid3d",
    Ellipsoid: "solid3d",
    HalfSpace3d: "halfspace3d",
}


def raycast(
    origin: ArrayLike, direction: ArrayLike, target: Shape | Sequence[Shape], *, max_t: float = np.inf
) -> RayHits:
    """Find the first hit of each ray with shapes of any classes. Borders count.

    Neighbouring faces of a mesh leave no gap: a ray at a common edge or vertex hits one of them. Triangles
    and flat hulls that are seen edge-on are not hit.

    Parameters
    ----------
    origin, direction
        (..., d); they broadcast. A direction need not have length 1, and must not be zero.
    target
        A shape, a batch of shapes, or a list of them; a Mesh is one body.
    max_t
        Hits with a larger t are ignored. If the direction has length 1, t is a distance.

    Returns
    -------
    RayHits
        hit, t, point, normal, body, face. Bodies are counted through all batches of the list.

    >>> import ougi
    >>> balls, box = ougi.Sphere([[0, 0, 5], [0, 0, 2]], 1), ougi.Box([9, 0, 1], [2, 2, 2])
    >>> room = [ougi.HalfSpace3d([0, 0, 1]), balls, box]
    >>> hits = ougi.raycast([[0, 0, 9], [0, 4, 9], [2, 0, 1]], [[0, 0, -1], [0, 0, -1], [1, 0, 0]], room)
    >>> hits.t.tolist(), hits.body.tolist(), hits.normal[2].tolist()
    ([3.0, 9.0, 6.0], [1, 0, 3], [-1.0, 0.0, 0.0])
    """
    if isinstance(target, Shape) and (one := _cast_single(origin, direction, target, max_t)) is not None:
        return one
    bodies = [target] if isinstance(target, Shape) else list(target)
    d, limit = _check_bodies(bodies, origin), _read_limit(max_t)
    start, along = _check.vectors("origin", origin, d), _check.vectors("direction", direction, d)
    _check.refuse((along == 0).all(axis=-1), "direction", "not be zero", along)
    _check.refuse_tiny(direction=along)
    batch = _check.broadcast_shape(origin=start.shape[:-1], direction=along.shape[:-1])
    flat = [np.broadcast_to(x, (*batch, d)).reshape((-1, d)) for x in (start, along)]
    found = _FirstHits(flat[0], flat[1])
    for number, body in zip(_number_bodies(bodies), bodies, strict=True):
        if isinstance(body, Mesh):
            found.cast_at_mesh(body, number, limit)
        elif body.count:
            for parts in split_parts(body):
                found.cast_at_bodies(parts.shape, number + parts.owner, limit)
    hit, t = found.body >= 0, found.t
    point = np.where(hit[:, None], flat[0] + np.where(hit, t, 0.0)[:, None] * flat[1], np.nan)
    columns: list[Record] = [x.reshape(batch)[()] for x in (hit, t, found.body, found.face)]
    point, normal = (x.reshape((*batch, d)) for x in (point, found.normal + 0.0))
    return RayHits(columns[0], columns[1], point, normal, columns[2], columns[3])


def _check_bodies(bodies: list[Shape], origin: ArrayLike) -> int:
    """The dimension of the bodies; without any, that of the rays."""
    for k, body in enumerate(bodies):
        classes = (
            {type(parts.shape) for parts in split_parts(body)} if isinstance(body, Compound) else {type(body)}
        )
        if not classes <= {*LAYOUTS, Mesh}:
            name = _check.describe_class(body)
            known = ", ".join(cls.__name__ for cls in (*LAYOUTS, Mesh, Polygon2d, Compound2d, Compound3d))
            raise UnsupportedPairError(
                f"raycast is not supported for {name} at target[{k}]; it takes: {known}"
            )
        if body.dimension != bodies[0].dimension:
            raise ValueError(
                f"target must hold shapes of one dimension, got a {bodies[0].dimension}-D "
                f"{type(bodies[0]).__name__} and a {body.dimension}-D {type(body).__name__} at index {k}"
            )
    if bodies:
        return bodies[0].dimension
    return 2 if np.shape(origin)[-1:] == (2,) else 3


def _read_limit(max_t: float) -> float:
    """Any number that is not negative, also infinity."""
    if isinstance(max_t, float) and max_t > _check.MAX_LENGTH:
        return float(max_t)
    return _check.number("max_t", max_t, positive=False)


def _number_bodies(bodies: list[Shape]) -> list[int]:
    """The number of the first body of each batch."""
    counts = [body.count for body in bodies]
    return [sum(counts[:k]) for k in range(len(counts))]


@functools.cache
def ray_loops(layout: str) -> Loops:
    """The loops of rays and bodies of one layout."""

    def find_parts() -> Parts:
        from ougi.kernels.rays import flat_bodies, records, round_bodies, sectors, solids
        from ougi.query.dispatch import find_loader

        modules = (round_bodies, flat_bodies, sectors, solids)
        kernel = next(getattr(m, f"cast_{layout}") for m in modules if hasattr(m, f"cast_{layout}"))
        return Parts(kernel, records.load_ray, find_loader(layout), records.store_hit)

    return Loops(f"raycast_{layout}", find_parts)


class _FirstHits:
    """The first hits of rays (n, d) so far; of equal ones that with the first body."""

    def __init__(self, origin: Floats, direction: Floats) -> None:
        n, d = origin.shape
        self.origin, self.direction = origin, direction
        self.t, self.normal = np.full(n, np.inf), np.full((n, d), np.nan)
        self.body, self.face = np.full(n, -1), np.full(n, -1)
        self._rays = np.zeros((6, n))
        self._rays[:d], self._rays[3 : 3 + d] = origin.T, direction.T

    def cast_at_bodies(self, shape: Shape, numbers: Ints, max_t: float) -> None:
        """Every ray against every shape of a batch; `numbers` are those of their bodies."""
        layout, m, d = LAYOUTS[type(shape)], shape.count, shape.dimension
        columns, made = shape.columns(layout), ray_loops(layout)
        step = max(_PAIRS // m, 1)
        for first in range(0, len(self.t), step):
            rays = _check.frozen(np.ascontiguousarray(self._rays[:, first : first + step]))
            n = rays.shape[1]
            out = np.empty((4, n * m))
            run(made.cross, rays, columns, out, size=n * m)
            t = out[0].reshape((n, m))
            nearest = np.argmin(t, axis=1)
            rows = np.arange(n)
            best = t[rows, nearest]
            chosen = np.flatnonzero((best < self.t[first : first + n]) & (best <= max_t))
            at = first + chosen
            self.t[at], self.body[at], self.face[at] = best[chosen], numbers[nearest[chosen]], -1
            self.normal[at] = out[1 : 1 + d].reshape((d, n, m))[:, chosen, nearest[chosen]].T

    def cast_at_mesh(self, mesh: Mesh, number: int, max_t: float) -> None:
        """Every ray against a mesh, by its tree of boxes."""
        found = _find_faces(self.origin, self.direction, mesh, max_t)
        chosen = np.flatnonzero(found[:, 0] < self.t)
        self.t[chosen], self.body[chosen], self.face[chosen] = found[chosen, 0], number, found[chosen, 1]
        self.normal[chosen] = found[chosen, 2:]


def _find_faces(origin: Floats, direction: Floats, mesh: Mesh, max_t: float) -> Floats:
    """For each ray (n, 3): t, face and normal (n, 5) of the first hit; 0, -1 and NaN in a solid mesh."""
    n = len(origin)
    tree, rays = get_tree(mesh), to_local_rays(mesh, origin, direction)
    found = np.empty((n, 5))

    def cast(first: int) -> None:
        stack, enters = np.empty(STACK_SIZE, np.int64), np.empty(STACK_SIZE)
        cast_rays(tree, rays, max_t, found, stack, enters, first, min(first + _CHUNK, n))

    if n <= _CHUNK:
        cast(0)
    else:
        each(cast, range(0, n, _CHUNK))
    if "_moved_by" in mesh.__dict__:
        found[:, 2:] = found[:, 2:] @ mesh._pose.rotation.T
    if mesh.solid:
        found[find_inside(mesh, origin)] = 0.0, -1.0, np.nan, np.nan, np.nan
    return found


def _cast_single(origin: ArrayLike, direction: ArrayLike, target: Shape, max_t: float) -> RayHits | None:
    """One ray at one shape, without the arrays that batches need. None for all else, also what is wrong."""
    layout, d = LAYOUTS.get(type(target)), target.dimension
    is_mesh = type(target) is Mesh
    if (not is_mesh and (layout is None or target._shape)) or type(max_t) is not float or not max_t >= 0.0:
        return None
    start, along = _check.read_point(origin, d), _check.read_point(direction, d)
    if start is None or along is None or not np.abs(along).max() >= _check.MIN_LENGTH:
        return None
    if isinstance(target, Mesh):
        t, face, *normal = _find_faces(start[None], along[None], target, max_t)[0].tolist()
    else:
        ray, out = np.zeros((6, 1)), np.empty((4, 1))
        ray[:d, 0], ray[3 : 3 + d, 0] = start, along
        ray_loops(str(layout)).cross(_check.frozen(ray), target.columns(str(layout)), out, 0, 1)
        (t, *normal), face = out[: 1 + d, 0].tolist(), -1.0
        if not t <= max_t:
            t, normal = math.inf, [math.nan] * d
    hit = t < math.inf
    point = start + t * along if hit else np.full(d, np.nan)
    body, of_mesh = np.array([0 if hit else -1, face], np.int64)
    scalars: Record = np.bool_(hit), np.float64(t), body, of_mesh
    return RayHits(scalars[0], scalars[1], point, np.array(normal) + 0.0, scalars[2], scalars[3])
