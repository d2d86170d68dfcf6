"""Queries of bodies that are made of parts: those of the parts, of which the nearest decides."""

from __future__ import annotations

import numpy as np

from ougi import _check
from ougi._typing import Array, ArrayLike, Bools, DTypeLike, DynamicBatch, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.query.dispatch import broadcast_pairs, compute_pairs
from ougi.query.inside import get_points
from ougi.shapes import Circle, Point2d, Polygon2d, Shape
from ougi.shapes.compound import split_parts

# Pairs of bodies whose parts are compared at a time.
_CHUNK = 4096


def compute_compound_pairs(
    question: str, verb: str, a: Shape, b: Shape, pairs: ArrayLike | None, rows: int | None, dtype: DTypeLike
) -> tuple[Array, bool]:
    """`compute_pairs` where a or b is a compound."""
    if pairs is not None:
        index = _check.pairs(pairs, a.count, b.count)
        batch: tuple[int, ...] = (len(index),)
    else:
        batch = _check.broadcast_shape(a=a.shape, b=b.shape)
        index = broadcast_pairs(a, b, batch)
    lead = () if rows is None else (rows,)
    if isinstance(a, Polygon2d) and isinstance(b, _BALLS):
        out = _compute_ball_pairs(question, verb, b, a, index[:, ::-1], rows)
        return out.reshape(lead + batch), True
    if isinstance(b, Polygon2d) and isinstance(a, _BALLS):
        return _compute_ball_pairs(question, verb, a, b, index, rows).reshape(lead + batch), False
    out = np.zeros(len(index), np.bool_) if dtype is np.bool_ else np.full((*lead, len(index)), np.inf)
    for start in range(0, len(index), _CHUNK):
        part = slice(start, start + _CHUNK)
        _reduce_parts(question, verb, a, b, index[part], out[..., part])
    enclosed = find_enclosed_by_polygons(a, b, index)
    if dtype is np.bool_:
        out |= enclosed
    else:
        signed = out if rows is None else out[0]
        signed[enclosed & (signed > 0)] = 0.0  # a body in the seam of two parts
    return out.reshape(lead + batch), False


def _reduce_parts(question: str, verb: str, a: Shape, b: Shape, index: Ints, best: Array) -> None:
    """Write the results of pairs (n, 2): does one pair of parts touch, or that of the nearest parts."""
    rows = len(best) if best.ndim == 2 else None
    for x in split_parts(a):
        for y in split_parts(b):
            case, listed = x.pair(y, index)
            try:
                found, swapped = compute_pairs(question, verb, x.shape, y.shape, listed, rows, best.dtype)
            except UnsupportedPairError as error:
                names = " and ".join(type(shape).__name__ for shape in (a, b))
                raise UnsupportedPairError(f"{error} (parts of {names})") from None
            if best.dtype == np.bool_:
                best[case[found]] = True
                continue
            if rows is not None and swapped:
                found = swap_bodies(found)
            signed, known = (found, best) if rows is None else (found[0], best[0])
            order = np.lexsort((signed, case))
            cases, first = np.unique(case[order], return_index=True)
            source = order[first]
            nearer = signed[source] < known[cases]
            best[..., cases[nearer]] = found[..., source[nearer]]


def swap_bodies(found: Floats) -> Floats:
    """Rows of a separation (distance, normal, two points) with its bodies exchanged."""
    d = (len(found) - 1) // 3
    normal, point_a, point_b = (found[1 + k * d : 1 + (k + 1) * d] for k in range(3))
    return np.concatenate([found[:1], -normal, point_b, point_a])


# Bodies that have a depth in a polygon: from its border, whatever its parts are.
_BALLS = (Point2d, Circle)


def _compute_ball_pairs(
    question: str, verb: str, balls: DynamicBatch, polygon: Polygon2d, index: Ints, rows: int | None
) -> Array:
    """Results of balls and polygons: distances of the centers from the border, less the radius."""
    center, radius = (x[index[:, 0]] for x in balls.reshape((balls.count,))._bounding_sphere())
    points = Point2d._from_fields((len(index),), {"position": center})
    which = np.stack([np.arange(len(index)), index[:, 1]], axis=-1)
    is_test = question == "intersects"
    outline = polygon._outline()
    out: Array
    out, _ = compute_compound_pairs(
        "distance" if is_test else question, verb, points, outline, which, rows, np.float64
    )
    outward = np.where(polygon._encloses(center, index[:, 1]), -1.0, 1.0)
    signed = out if rows is None else out[0]
    signed[:] = outward * np.abs(signed) - radius
    if rows is not None:
        out[1:3] *= outward
        out[3:5] += radius * out[1:3]
    return signed <= 0 if is_test else out


def find_enclosed_by_polygons(a: Shape, b: Shape, index: Ints) -> Bools:
    """For which pairs (n, 2) does a polygon hold a point of the other body?"""
    enclosed = np.zeros(len(index), np.bool_)
    for outer, inner, k in ((a, b, 1), (b, a, 0)):
        if isinstance(outer, Polygon2d) and not np.isinf(inner._bounding_sphere()[1]).any():
            enclosed |= outer._encloses(get_points(inner)[index[:, k]], index[:, 1 - k])
    return enclosed
