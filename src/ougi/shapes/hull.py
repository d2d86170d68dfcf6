"""Convex hulls in space and convex polygons in the plane, of any number of vertices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ougi import _check
from ougi._typing import Array, ArrayLike, DynamicBatch, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial
from ougi.shapes.polytope import Polytope, find_hull, group_templates, make_polygon, turn_exactly


class _Hull(Shape):
    """A template of vertices, placed by a rotation and a position, and made larger by a radius."""

    template: Any  # an array of Polytope
    position: Floats
    rotation: Floats
    radius: Floats

    @property
    def vertices(self) -> Array:
        """The vertices (n, d) of a single body; of a batch an array of such arrays."""
        out = np.empty(self.shape, object)
        for index in np.ndindex(self.shape):
            corners = self.template[index].vertices[:, : self.dimension]
            out[index] = corners @ np.swapaxes(self.rotation[index], -1, -2) + self.position[index]
        return out[()] if self.shape else out.item()

    def _bounds(self) -> tuple[Floats, Floats]:
        d = self.dimension
        turns = self.rotation.reshape((-1, d, d))
        lower = np.empty((len(turns), d))
        upper = np.empty((len(turns), d))
        for template, rows in group_templates(self.template):
            corners = turns[rows] @ template.vertices[:, :d].T
            lower[rows], upper[rows] = corners.min(axis=-1), corners.max(axis=-1)
        shape = (*self.shape, d)
        reach = self.radius[..., None]
        return (
            self.position + lower.reshape(shape) - reach,
            self.position + upper.reshape(shape) + reach,
        )

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        """About the middle of the bounds at the time of building; not the smallest."""
        flat = np.empty(self.count)
        for template, rows in group_templates(self.template):
            flat[rows] = template.radius
        return self.position, flat.reshape(self.shape) + self.radius

    def _transformed(self, pose: Pose) -> DynamicBatch:
        return self._moved(pose, "position", rotation=pose.rotation @ self.rotation)

    def __repr__(self) -> str:
        if self.shape:
            return super().__repr__()
        radius = f", radius {self.radius}" if self.radius else ""
        return f"<{type(self).__name__} of {len(self.template.item().vertices)} vertices{radius}>"


class ConvexHull3d(_Hull, Spatial):
    """The convex hulls of points in space; with a radius, all points within that distance of them.

    Parameters
    ----------
    points
        (n, 3) for one hull, n at least 1; a sequence of such arrays for a batch. Points inside of the hull
        are dropped. Points on one plane or line, or a single one, make a flat hull.
    radius
        Not negative; one number, or one for each hull.

    >>> import ougi
    >>> roof = ougi.ConvexHull3d([[0, 0, 0], [4, 0, 0], [0, 2, 0], [4, 2, 0], [1, 1, 1], [3, 1, 1]])
    >>> roof
    <ConvexHull3d of 6 vertices>
    >>> ougi.distance(roof, [[2, 1, 1.5], [2, 1, 0.25]]).tolist()
    [0.5, -0.25]
    >>> many = roof.transformed(ougi.Pose([[0, 0, 0], [9, 0, 0]]))
    >>> ougi.intersects(many, ougi.Sphere([10, 1, 1], 0.5)).tolist()
    [False, True]
    """

    _fields: ClassVar = {"template": (), "position": (3,), "rotation": (3, 3), "radius": ()}
    layouts: ClassVar = ("hull3d",)

    def __init__(self, points: ArrayLike | Sequence[ArrayLike], radius: ArrayLike = 0.0) -> None:
        clouds, shape = _read_clouds("points", points, 3)
        middles = [_middle(cloud) for cloud in clouds]
        hulls = [find_hull(cloud - middle) for cloud, middle in zip(clouds, middles, strict=True)]
        self._set(**_describe("points", hulls, np.reshape(middles, (*shape, 3)), radius))


class ConvexPolygon2d(_Hull, Planar):
    """Convex polygons in the plane; with a radius, all points within that distance of them.

    Parameters
    ----------
    vertices
        (n, 2) for one polygon, n at least 1, in either sense of rotation; a sequence of such arrays for a
        batch. Two vertices make a segment, one a point. `from_points` takes the convex hull of any points.
    radius
        Not negative; one number, or one for each polygon.

    >>> import ougi
    >>> house = ougi.ConvexPolygon2d([[0, 0], [2, 0], [2, 1], [1, 2], [0, 1]])
    >>> house
    <ConvexPolygon2d of 5 vertices>
    >>> ougi.intersects(house, ougi.Circle([[2.5, 2], [1.5, 1.75]], 0.5)).tolist()
    [False, True]
    """

    _fields: ClassVar = {"template": (), "position": (2,), "rotation": (2, 2), "radius": ()}
    layouts: ClassVar = ("polygon2d",)

    def __init__(self, vertices: ArrayLike | Sequence[ArrayLike], radius: ArrayLike = 0.0) -> None:
        clouds, shape = _read_clouds("vertices", vertices, 2)
        several = bool(shape)
        ordered = [_order("vertices", cloud, i if several else None) for i, cloud in enumerate(clouds)]
        middles = [_middle(cloud) for cloud in ordered]
        flats = [
            make_polygon(_in_space(cloud - middle)) for cloud, middle in zip(ordered, middles, strict=True)
        ]
        self._set(**_describe("vertices", flats, np.reshape(middles, (*shape, 2)), radius))

    @classmethod
    def from_points(cls, points: ArrayLike | Sequence[ArrayLike], radius: ArrayLike = 0.0) -> ConvexPolygon2d:
        """The convex hulls of points (n, 2), in any order.

        >>> import ougi
        >>> ougi.ConvexPolygon2d.from_points([[0, 0], [1, 1], [2, 0], [1, 0.5], [0, 2], [2, 2]])
        <ConvexPolygon2d of 4 vertices>
        """
        clouds, shape = _read_clouds("points", points, 2)
        hulls = np.empty(len(clouds), object)
        for k, cloud in enumerate(clouds):
            hulls[k] = find_hull(_in_space(cloud)).vertices[:, :2]
        return cls(hulls if shape else hulls[0], radius)


def _read_clouds(name: str, points: Any, d: int) -> tuple[list[Floats], tuple[int, ...]]:
    """Arrays (n, d) of points, and the batch shape: () for one array."""
    if isinstance(points, np.ndarray):
        # `vertices` of a batch is an array of arrays.
        several = points.ndim == 3 or (points.ndim == 1 and points.dtype == object)
    else:
        several = np.ndim(_first(points)) == 2
    named = [(f"{name}[{i}]", each) for i, each in enumerate(points)] if several else [(name, points)]
    clouds = [_check.vectors(own, each, d) for own, each in named]
    for i, cloud in enumerate(clouds):
        where = f" at index {i}" if several else ""
        if cloud.ndim != 2 or not len(cloud):
            raise ValueError(f"{name} must have shape (n, {d}) with n at least 1, got {cloud.shape}{where}")
        if _check.are_tiny(cloud):
            _check.refuse_tiny(**{name: np.abs(cloud).max(initial=0.0)[None]})
    return clouds, (len(clouds),) if several else ()


def _first(points: Any) -> Any:
    """The first element of a sequence, or what it is if it is none."""
    return points[0] if isinstance(points, Sequence) and len(points) else points


def _order(name: str, cloud: Floats, index: int | None) -> Floats:
    """The corners of a convex polygon, counterclockwise, without repeated and straight ones."""
    where = "" if index is None else f" of polygon {index}"
    different = (cloud != np.roll(cloud, 1, axis=0)).any(axis=1)
    cloud = cloud[different] if different.any() else cloud[:1]
    if len(cloud) < 3:
        return cloud
    turns = [turn_exactly(cloud[i - 1], cloud[i], cloud[(i + 1) % len(cloud)]) for i in range(len(cloud))]
    hull = find_hull(_in_space(cloud)).vertices[:, :2]
    if 1 in turns and -1 in turns:
        bad = turns.index(-1 if turns.count(1) > turns.count(-1) else 1)
        raise ValueError(
            f"{name} must be a convex polygon, got a corner that turns the other way at index {bad}{where}; "
            "use ConvexPolygon2d.from_points for its convex hull"
        )
    if len(hull) > 2 and (sum(turn != 0 for turn in turns) != len(hull) or _count_reversals(cloud) > 2):
        raise ValueError(
            f"{name} must not wind around more than once or repeat corners{where}; use "
            "ConvexPolygon2d.from_points for the convex hull"
        )
    return hull


def _count_reversals(cloud: Floats) -> int:
    """How often corners change between rising and falling x (then y): twice in one turn."""
    (x, y), (next_x, next_y) = cloud.T, np.roll(cloud, -1, axis=0).T
    rises = (next_x > x) | ((next_x == x) & (next_y > y))
    return int((rises != np.roll(rises, 1)).sum())


def _middle(cloud: Floats) -> Floats:
    middle: Floats = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
    return middle


def _in_space(cloud: Floats) -> Floats:
    return np.column_stack([cloud, np.zeros(len(cloud))])


def _describe(name: str, templates: list[Polytope], middles: Floats, radius: ArrayLike) -> dict[str, Array]:
    array = np.empty(len(templates), object)
    array[:] = templates
    *shape, d = middles.shape
    reach = _check.not_negative("radius", radius)
    _check.broadcast_shape(**{name: tuple(shape), "radius": reach.shape})
    return {"template": array.reshape(shape), "position": middles, "rotation": np.eye(d), "radius": reach}
