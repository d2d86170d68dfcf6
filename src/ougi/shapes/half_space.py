"""Half-spaces and half-planes: floors, walls and ceilings without an end."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial
from ougi.shapes.polytope import PlacedTemplates, Polytope, lay_out, pack_templates


class HalfSpace(Shape):
    """All points x with normal . x <= offset."""

    normal: Floats
    offset: Floats

    def __init__(self, normal: ArrayLike, offset: ArrayLike = 0.0) -> None:
        given = _check.vectors("normal", normal, self.dimension)
        level = _check.array("offset", offset)
        unit = _check.unit_vectors("normal", given, self.dimension)
        length = (given * unit).sum(axis=-1)
        with np.errstate(over="ignore"):
            distance = level / length
        self._set(normal=unit, offset=_check.in_range("offset / |normal|", distance))

    @classmethod
    def from_point(cls, point: ArrayLike, normal: ArrayLike) -> Self:
        """The half-spaces whose surfaces go through points (..., d).

        >>> import ougi
        >>> ougi.HalfSpace3d.from_point([5, 5, 2], [0, 0, 1])
        HalfSpace3d(normal=[0.0, 0.0, 1.0], offset=2.0)
        """
        at = _check.vectors("point", point, cls.dimension)
        unit = _check.unit_vectors("normal", normal, cls.dimension)
        _check.broadcast_shape(point=at.shape[:-1], normal=unit.shape[:-1])
        return cls(unit, (at * unit).sum(axis=-1))

    def _rows(self, layout: str) -> list[Floats]:
        flat = [np.zeros(self.shape)] if self.dimension == 2 else []
        return [self.normal, *flat, self.offset]

    def _bounds(self) -> tuple[Floats, Floats]:
        """Without an end, but for the side to which the normal points along an axis."""
        lower = np.full((*self.shape, self.dimension), -np.inf)
        upper = np.full((*self.shape, self.dimension), np.inf)
        level = np.broadcast_to(self.offset[..., None], upper.shape)
        np.copyto(upper, level, where=self.normal == 1.0)
        np.copyto(lower, -level, where=self.normal == -1.0)
        return lower, upper

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.normal * self.offset[..., None], np.full(self.shape, np.inf)

    def _transformed(self, pose: Pose) -> Any:
        normal = (pose.rotation @ self.normal[..., None])[..., 0]
        shape = np.broadcast_shapes(self.shape, pose.shape)
        offset = self.offset + (normal * pose.position).sum(axis=-1)
        return self._from_fields(shape, {"normal": normal, "offset": offset})


class HalfSpace3d(HalfSpace, Spatial):
    """All points of space on one side of a plane: every x with normal . x <= offset.

    Parameters
    ----------
    normal
        (..., 3), out of the half-space, of any length but zero.
    offset
        (...); the distance of the surface from the origin along the normal if that has length 1.

    >>> import ougi
    >>> floor = ougi.HalfSpace3d([0, 0, 1])
    >>> ougi.distance(floor, ougi.Sphere([[0, 0, 3], [9, 9, 0.5]], 1)).tolist()
    [2.0, -0.5]
    >>> fall = ougi.Translation3d([0, 0, -4])
    >>> round(float(ougi.time_of_impact(ougi.Sphere([0, 0, 3], 1), fall, floor).t), 6)
    0.5
    """

    _fields: ClassVar = {"normal": (3,), "offset": ()}
    layouts: ClassVar = ("halfspace3d",)


class HalfSpace2d(HalfSpace, Planar):
    """All points of the plane on one side of a line: every x with normal . x <= offset.

    Parameters
    ----------
    normal
        (..., 2), out of the half-plane, of any length but zero.
    offset
        (...); the distance of the border from the origin along the normal if that has length 1.

    >>> import ougi
    >>> ground = ougi.HalfSpace2d([0, 1], 1)
    >>> float(ougi.contacts(ougi.Rectangle([5, 1], [2, 2]), ground).depth)
    1.0
    """

    _fields: ClassVar = {"normal": (2,), "offset": ()}
    layouts: ClassVar = ("halfspace2d",)


def lay_out_planes(planes: HalfSpace) -> Floats:
    """The columns of half-spaces as hulls of one vertex and one face without a border, for manifolds."""
    n, d = planes.count, planes.dimension
    normal, center = np.zeros((n, 3)), np.zeros((n, 3))
    normal[:, :d] = planes.normal.reshape((n, d))
    center[:, :d] = (planes.normal * planes.offset[..., None]).reshape((n, d))
    none = np.empty((0, 4), np.int64)
    face = Polytope(np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), none, none[:, :3], 3)
    templates, index = pack_templates([face]), np.zeros(n, np.int64)
    other = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
    y = np.cross(normal, other)
    y /= np.linalg.norm(y, axis=1)[:, None]
    axes = np.stack([normal, y, np.cross(normal, y)], axis=-1)
    return lay_out(PlacedTemplates(center, axes, np.ones((n, 3)), np.zeros(n), templates, index))
