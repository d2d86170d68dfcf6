"""Queries of two shapes. Touching counts. Arrays of points are operands too."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, DynamicBatch, Floats
from ougi.query.answers import Closest, Contact
from ougi.query.dispatch import as_operands, compute_pairs, compute_single
from ougi.shapes import Shape, ShapeLike, as_shape

_BOOL, _FLOAT64 = np.dtype(np.bool_), np.dtype(np.float64)

IntersectsMethod: TypeAlias = Literal["exact", "published", "published-fan2d"]


def intersects(
    a: ShapeLike, b: ShapeLike, *, pairs: ArrayLike | None = None, method: IntersectsMethod = "exact"
) -> Bools:
    """Test which shapes touch.

    Parameters
    ----------
    a, b
        Shapes or arrays of points (..., d), of one dimension. Their batch shapes broadcast: use `a[:, None]`
        for all against all.
    pairs
        (m, 2) integers: test only a[i] against b[j] for each row (i, j). Indices count in the flattened
        batches.
    method
        `exact`; or for a sector the papers' own tests, with their errata repaired: `published` is that of
        FAN (against points, circles, capsules and rectangles of the plane, and points, balls and capsules of
        space), `published-fan2d` that of FAN2D (points, circles and rectangles; half_angle up to pi / 2).
        FAN's test of capsules in space may report contacts that are none.

    Returns
    -------
    Booleans in the broadcast shape, or (m,). Shapes that touch up to rounding (64 eps times the largest
    coordinate and size) may get either answer, and not the same as from `contacts`.

    Raises
    ------
    UnsupportedPairError
        For a pair of classes that has no test; `ougi pairs` lists those that have.

    >>> import ougi
    >>> balls = ougi.Sphere([[0, 0, 0], [2, 0, 0], [9, 0, 0]], 1)
    >>> ougi.intersects(ougi.Box([1, 0, 0], [1, 1, 1]), balls).tolist()
    [True, True, False]
    >>> ougi.intersects(balls, balls, pairs=[[0, 1], [0, 2]]).tolist()
    [True, False]
    >>> fan = ougi.Sector2d([0, 0], [1, 0], 0.5, 1, 2)
    >>> ougi.intersects(fan, ougi.Circle([[3, 0], [4, 0]], 1), method="published").tolist()
    [True, False]
    """
    if method == "exact":
        if pairs is None and (hit := compute_single("intersects", a, b, _BOOL)) is not None:
            return hit  # type: ignore[no-any-return]
        return _find_touching("intersects", *as_operands(a, b), pairs)
    if method not in get_args(IntersectsMethod):
        raise ValueError(f"method must be one of {', '.join(get_args(IntersectsMethod))}; got {method!r}")
    from ougi.query.published import intersects_as_published  # its kernels are rarely used

    return intersects_as_published(method, *as_operands(a, b), pairs)


def contains(shape: Shape, points: ArrayLike, *, pairs: ArrayLike | None = None) -> Bools:
    """Test which points lie in the shapes. The border belongs to the shape.

    Parameters
    ----------
    shape
        A shape; its batch shape broadcasts against the points' leading axes.
    points
        (..., d).
    pairs
        (m, 2) integers, as in `intersects`.

    >>> import ougi
    >>> ougi.contains(ougi.Circle([0, 0], 1), [[0, 1], [1, 1]]).tolist()
    [True, False]
    """
    if not isinstance(shape, Shape):
        raise TypeError(f"shape must be a shape, got {_check.describe_class(shape)}")
    if isinstance(points, Shape):
        raise TypeError(f"points must be an array (..., {shape.dimension}), got {type(points).__name__}")
    return _find_touching("contains", shape, as_shape("points", points, shape), pairs)


def _find_touching(verb: str, a: DynamicBatch, b: DynamicBatch, pairs: ArrayLike | None) -> Bools:
    """Test pairs by their kernel; shapes of higher layers (`Sweep`) bring a test of their own."""
    if hasattr(a, "_intersects"):
        return a._intersects(b, pairs)  # type: ignore[no-any-return]
    if hasattr(b, "_intersects"):
        turned = None if pairs is None else _check.pairs(pairs, a.count, b.count)[:, ::-1]
        return b._intersects(a, turned)  # type: ignore[no-any-return]
    result, _ = compute_pairs("intersects", verb, a, b, pairs, None, np.bool_)
    return result[()]


def distance(a: ShapeLike, b: ShapeLike, *, pairs: ArrayLike | None = None) -> Floats:
    """Compute the signed distance of the shapes: positive apart, 0 touching, negative overlapping.

    One rule holds for all pairs. Where two convex shapes overlap, the distance is minus the penetration
    depth, the least translation that separates them. A shape without volume is the limit of thicker
    ones: a point is a ball of radius 0, a segment a capsule of radius 0, and a triangle in space a thin
    plate. So the distance of a point inside of a box is negative. `contacts` reports the same depth.

    Shapes that are not convex have a depth in one case only: a point or a ball and a solid `Mesh`. There the
    distance is that of the center from the surface, negative inside, less the radius. Sectors, surface meshes
    and all other bodies against a solid mesh have the distance 0 where they overlap. Two half-spaces that no
    translation separates have the distance -inf.

    Parameters
    ----------
    a, b, pairs
        As in `intersects`.

    >>> import ougi
    >>> ougi.distance(ougi.Box([0, 0, 0], [2, 2, 2]), [[3, 0, 0], [0, 0, 0]]).tolist()
    [2.0, -1.0]
    >>> float(ougi.distance(ougi.Box([0, 0, 0], [2, 2, 2]), ougi.Sphere([1, 0, 0], 1)))
    -1.0
    """
    if pairs is None and (single := compute_single("distance", a, b, _FLOAT64)) is not None:
        return single  # type: ignore[no-any-return]
    signed, _ = compute_pairs("distance", "distance", *as_operands(a, b), pairs, None, np.float64)
    return signed[()]


def closest_points(a: ShapeLike, b: ShapeLike, *, pairs: ArrayLike | None = None) -> Closest:
    """Find the nearest points of the shapes; where they overlap, the deepest pair.

    Parameters
    ----------
    a, b, pairs
        As in `intersects`.

    Returns
    -------
    Closest
        distance, point_a, point_b.

    >>> import ougi
    >>> near = ougi.closest_points([0, 0], ougi.Segment2d([3, -1], [3, 1]))
    >>> near.point_b.tolist(), float(near.distance)
    ([3.0, 0.0], 3.0)
    """
    signed, _, point_a, point_b = separation("closest_points", *as_operands(a, b), pairs)
    return Closest(signed[()], point_a, point_b)


def contacts(a: ShapeLike, b: ShapeLike, *, pairs: ArrayLike | None = None) -> Contact:
    """Find one contact for each pair that touches: point, normal from a to b, and depth.

    Parameters
    ----------
    a, b, pairs
        As in `intersects`.

    Returns
    -------
    Contact
        hit, point, normal, depth; NaN where there is no contact. The depth is minus the `distance`.

    >>> import ougi
    >>> contact = ougi.contacts(ougi.Box([0, 0, 0], [2, 2, 2]), ougi.Sphere([0, 0, 1.5], 1))
    >>> bool(contact.hit), float(contact.depth), contact.normal.tolist()
    (True, 0.5, [0.0, 0.0, 1.0])
    """
    signed, normal, point_a, point_b = separation("contacts", *as_operands(a, b), pairs)
    hit = np.asarray(signed <= 0)
    free = ~hit[..., None]
    point = np.where(free, np.nan, (point_a + point_b) / 2)
    depth = np.where(hit, np.maximum(-signed, 0.0), np.nan)
    return Contact(hit[()], point, np.where(free, np.nan, normal), depth[()])


def separation(
    verb: str, a: Shape, b: Shape, pairs: ArrayLike | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Signed distance, normal from a to b, and the two points."""
    d = a.dimension
    rows, swapped = compute_pairs("separation", verb, a, b, pairs, 1 + 3 * d, np.float64)
    normal, point_a, point_b = (np.moveaxis(rows[1 + k * d : 1 + (k + 1) * d], 0, -1) for k in range(3))
    if swapped:
        normal, point_a, point_b = -normal, point_b, point_a
    return rows[0], normal + 0.0, point_a, point_b  # + 0.0 removes -0.0
