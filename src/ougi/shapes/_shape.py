"""What all shapes share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ougi import _check
from ougi._batch import Batch
from ougi._typing import ArrayLike, DynamicBatch, Floats
from ougi.motion import Motion, Pose, Rotation2d, Rotation3d, Translation2d, Translation3d
from ougi.shapes.as_polytope import lay_out_hulls

if TYPE_CHECKING:
    from ougi.shapes.aabb import Aabb2d, Aabb3d
    from ougi.shapes.circle import Circle
    from ougi.shapes.sphere import Sphere


# Kernels divide by squares of edges. An edge of 1e-160 beside a coordinate of 1 is not 0, but its square is.
# Added and subtracted again, this rounds numbers to multiples of 1e-100 and leaves those above 1e-68 alone.
_SNAP = 2.0**-280

# Records without edges, which stay what they are: broad phases are exact on every scale.
_WITHOUT_EDGES = ("circle", "sphere", "point3d", "aabb2d", "aabb3d")


class Shape(Batch):
    """What all shapes share: batches of bodies in the plane or in space.

    >>> import ougi
    >>> isinstance(ougi.Box([0, 0, 0], [1, 1, 1]), ougi.Shape)
    True
    """

    dimension: ClassVar[int]
    # Does it have an interior, so that it can be penetrated? Segments, points and triangles in space do not.
    solid: bool = True
    # Fields that are coordinates or sizes. Those of a body must not all be tiny.
    _lengths: ClassVar[tuple[str, ...]] = ()

    def _set(self, **values: Floats) -> None:
        super()._set(**values)
        # The last is a size, if there is one, and enough for nearly all bodies.
        if self._lengths and _check.are_tiny(values[self._lengths[-1]]):
            _check.refuse_tiny(
                **{n: values[n] if self._fields[n] else values[n][..., None] for n in self._lengths}
            )

    def _round(self, layout: str, columns: Floats) -> None:
        if layout not in _WITHOUT_EDGES:
            columns += _SNAP
            columns -= _SNAP

    def columns(self, layout: str | None = None) -> Floats:
        """The numbers that kernels read: a (k, count) float64 array, C-contiguous and read-only.

        Every convex body can be laid out as `solid3d`, every polytope as `hull3d` or `polygon2d`. Templates
        then follow behind the rows.
        """
        if layout is None and self.layouts:
            layout = self.layouts[0]
        if layout not in ("hull3d", "polygon2d", "solid3d"):
            return super().columns(layout)
        layout = "hull3d" if layout == "solid3d" else layout
        if layout not in self._columns:
            self._columns[layout] = _check.frozen(lay_out_hulls(self))
        return self._columns[layout]

    def bounds(self) -> Aabb2d | Aabb3d:
        """The tight axis-aligned boxes around the shapes.

        >>> import ougi
        >>> ougi.Sphere([1, 2, 3], 1).bounds()
        Aabb3d(lower=[0.0, 1.0, 2.0], upper=[2.0, 3.0, 4.0])
        """
        from ougi.shapes.aabb import Aabb2d, Aabb3d

        lower, upper = self._bounds()
        cls = Aabb2d if self.dimension == 2 else Aabb3d
        return cls._from_fields(self.shape, {"lower": lower, "upper": upper})

    def bounding_sphere(self) -> Sphere | Circle:
        """Spheres (in the plane: circles) around the shapes, the smallest ones unless the class says else.

        >>> import ougi
        >>> ougi.Box([0, 0, 0], [2, 4, 4]).bounding_sphere()
        Sphere(center=[0.0, 0.0, 0.0], radius=3.0)
        """
        from ougi.shapes.circle import Circle
        from ougi.shapes.sphere import Sphere

        center, radius = self._bounding_sphere()
        cls = Circle if self.dimension == 2 else Sphere
        return cls._from_fields(self.shape, {"center": center, "radius": radius})

    def transformed(self, to: Pose | Motion) -> Self:
        """The shapes moved by a pose, or by the whole of a motion; batches broadcast.

        >>> import math, ougi
        >>> ougi.Sphere([1, 0, 0], 2).transformed(ougi.Translation3d([0, 5, 0]))
        Sphere(center=[1.0, 5.0, 0.0], radius=2.0)
        """
        if not isinstance(to, Pose | Motion):
            raise TypeError(f"to must be a Pose or a motion, got {type(to).__name__}")
        kind = "pose" if isinstance(to, Pose) else "motion"
        if to.dimension != self.dimension:
            mine, theirs = type(self).__name__, type(to).__name__
            raise ValueError(f"cannot move a {self.dimension}-D {mine} by a {to.dimension}-D {theirs}")
        _check.broadcast_shape(shape=self.shape, **{kind: to.shape})
        moved: Self = self._transformed(to if isinstance(to, Pose) else to._at(np.ones(())))
        return moved

    def translated(self, offset: ArrayLike) -> Self:
        """The shapes moved straight by an offset (..., d).

        >>> import ougi
        >>> ougi.Sphere([1, 0, 0], 2).translated([0, 5, 0])
        Sphere(center=[1.0, 5.0, 0.0], radius=2.0)
        """
        return self.transformed(Translation2d(offset) if self.dimension == 2 else Translation3d(offset))

    def rotated(
        self,
        angle: ArrayLike,
        axis: ArrayLike | None = None,
        *,
        center: ArrayLike | None = None,
        degrees: bool = False,
    ) -> Self:
        """The shapes turned by an angle (...) in radians, or in degrees.

        Parameters
        ----------
        angle
            (...), counter-clockwise; in space right-handed about the axis.
        axis
            (..., 3) in space; None in the plane.
        center
            (..., d), a point that stays where it is; the origin by default.
        degrees
            True if the angle is in degrees.

        >>> import ougi
        >>> ougi.Segment2d([1, 0], [2, 0]).rotated(90, center=[1, 0], degrees=True).end.round(12).tolist()
        [1.0, 1.0]
        """
        point = np.zeros(self.dimension) if center is None else center
        if self.dimension == 2:
            if axis is not None:
                raise TypeError(f"axis must not be given for a {type(self).__name__}, which is 2-D")
            return self.transformed(Rotation2d(point, angle, degrees=degrees))
        if axis is None:
            raise TypeError(f"axis must be given for a {type(self).__name__}, which is 3-D")
        return self.transformed(Rotation3d(point, axis, angle, degrees=degrees))

    def _bounds(self) -> tuple[Floats, Floats]:
        raise NotImplementedError

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        raise NotImplementedError

    def _transformed(self, pose: Pose) -> DynamicBatch:
        raise NotImplementedError

    def _moved(self, pose: Pose, *points: str, **other: Floats) -> DynamicBatch:
        """This class with the named point fields moved and other fields replaced."""
        values = {name: getattr(self, name) for name in self._fields}
        values.update({name: pose._apply(getattr(self, name)) for name in points}, **other)
        shape = np.broadcast_shapes(self.shape, pose.shape)
        return self._from_fields(shape, values)


class Planar(Shape):
    """Shapes of the plane."""

    dimension = 2

    if TYPE_CHECKING:

        def bounds(self) -> Aabb2d: ...
        def bounding_sphere(self) -> Circle: ...


class Spatial(Shape):
    """Shapes of space."""

    dimension = 3

    if TYPE_CHECKING:

        def bounds(self) -> Aabb3d: ...
        def bounding_sphere(self) -> Sphere: ...


def corner_bounds(*corners: Floats) -> tuple[Floats, Floats]:
    """Bounds of shapes given by their corners."""
    lower, upper = corners[0], corners[0]
    for corner in corners[1:]:
        lower, upper = np.minimum(lower, corner), np.maximum(upper, corner)
    return lower, upper


def triangle_sphere(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """The smallest sphere (circle) around triangles: on the longest side, or through all three corners."""
    corners = np.stack([a, b, c], axis=-2)
    sides = np.stack([b - c, c - a, a - b], axis=-2)
    unit = np.abs(sides).max(axis=(-1, -2))[..., None]  # scaled, so that squares stay in range
    unit = np.where(unit > 0, unit, 1.0)
    longest = np.argmax(((sides / unit[..., None]) ** 2).sum(-1), axis=-1)[..., None, None]
    apex, p, q = (np.take_along_axis(corners, (longest + k) % 3, -2)[..., 0, :] for k in range(3))
    # The apex, opposite to the longest side, has the largest angle: the formula is well conditioned there.
    u, v = (p - apex) / unit, (q - apex) / unit
    uu, vv, uv = ((x * y).sum(-1)[..., None] for x, y in ((u, u), (v, v), (u, v)))
    acute = uv > 0
    cross_sq = np.where(acute, uu * vv - uv * uv, 1.0)
    circum = apex + unit * (vv * (uu - uv) * u + uu * (vv - uv) * v) / (
        2 * np.where(cross_sq > 0, cross_sq, 1.0)
    )
    center = np.where(acute & (cross_sq > 0), circum, (p + q) / 2)
    radius = unit[..., 0] * np.linalg.norm((corners - center[..., None, :]) / unit[..., None], axis=-1).max(
        axis=-1
    )
    return center, radius
