"""Contact manifolds of two batches."""

from __future__ import annotations

import numpy as np

from ougi import _check
from ougi._native import each
from ougi._typing import ArrayLike, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.kernels.manifold.constants import MAX_POINTS
from ougi.kernels.manifold.pairs import ManifoldWorkspace, find_manifolds
from ougi.query.answers import Manifold
from ougi.query.dispatch import as_operands, broadcast_pairs
from ougi.query.queries import separation
from ougi.query.tables import HALF_SPACES, HULLS
from ougi.shapes import HalfSpace, Shape, ShapeLike
from ougi.shapes.half_space import lay_out_planes

# Classes with flat faces: polytopes with radii, and half-spaces.
_CLASSES = {row.a for row in HULLS} | {row.b for row in (*HULLS, *HALF_SPACES)}

# Pairs whose manifolds one thread finds at a time.
_CHUNK = 1024


def manifolds(a: ShapeLike, b: ShapeLike, *, pairs: ArrayLike | None = None) -> Manifold:
    """Find the contact manifold of each pair that touches: up to 2 points in the plane, up to 4 in space.

    Points, balls, capsules, triangles, boxes, hulls, polygons and half-spaces have manifolds. The normal and
    the largest depth are those of `contacts`. The other points are corners of the region in which the faces
    at the contact lie above each other: four for a box that lies on a box, two for one that stands on an
    edge or for a capsule, one for a corner or where edges cross. If there are more than four corners, the
    points are the largest quadrilateral with a deepest corner.

    Parameters
    ----------
    a, b, pairs
        As in `intersects`.

    Returns
    -------
    Manifold
        count, normal, point, depth; NaN where there is no point.

    Raises
    ------
    UnsupportedPairError
        For sectors, curved solids, meshes and compounds.

    >>> import ougi
    >>> table = ougi.Box([0, 0, -0.5], [9, 9, 1])
    >>> book = ougi.Box([4, 0, 0.49], [2, 1, 1])
    >>> manifold = ougi.manifolds(table, book)
    >>> int(manifold.count), manifold.depth.round(9).tolist()
    (4, [0.01, 0.01, 0.01, 0.01])
    >>> sorted(manifold.point[:, :2].round(9).tolist())
    [[3.0, -0.5], [3.0, 0.5], [4.5, -0.5], [4.5, 0.5]]
    """
    first, second = as_operands(a, b)
    signed, normal, point_a, point_b = separation("manifolds", first, second, pairs)
    _require_faces(first, second)
    d, batch = first.dimension, np.shape(signed)
    listed = broadcast_pairs(first, second, batch) if pairs is None else None
    index = _check.pairs(pairs, first.count, second.count) if listed is None else listed
    hit = np.flatnonzero(signed.ravel() <= 0)
    contacts = np.zeros((10, len(hit)))
    contacts[0] = signed.ravel()[hit]
    for row, vectors in zip((1, 4, 7), (normal, point_a, point_b), strict=True):
        contacts[row : row + d] = vectors.reshape((-1, d))[hit].T
    found, counts = _run(first, second, index[hit], contacts)
    size = 2 if d == 2 else MAX_POINTS
    point = np.full((len(index), size, d), np.nan)
    depth = np.full((len(index), size), np.nan)
    count = np.zeros(len(index), np.int64)
    point[hit], depth[hit], count[hit] = found[:, :size, :d], found[:, :size, 3], counts
    return Manifold(
        count.reshape(batch)[()],
        np.where((signed <= 0)[..., None], normal, np.nan),
        point.reshape((*batch, size, d)),
        depth.reshape((*batch, size)),
    )


def _require_faces(a: Shape, b: Shape) -> None:
    if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
        raise UnsupportedPairError(
            "manifolds of two half-spaces are not supported, because their surfaces have no end; use contacts"
        )
    if {type(a), type(b)} <= _CLASSES:
        return
    odd = next(shape for shape in (a, b) if type(shape) not in _CLASSES)
    names = ", ".join(type(shape).__name__ for shape in (a, b))
    raise UnsupportedPairError(
        f"manifolds({names}) is not supported: a {type(odd).__name__} is no polytope with "
        "flat faces; use contacts, which finds one point"
    )


def _lay_out(shape: Shape) -> Floats:
    """The columns of polytopes and half-spaces as hulls."""
    if isinstance(shape, HalfSpace):
        return _check.frozen(lay_out_planes(shape))
    return shape.columns("polygon2d" if shape.dimension == 2 else "hull3d")


def _run(a: Shape, b: Shape, index: Ints, contacts: Floats) -> tuple[Floats, Ints]:
    """Points and depths (n, 4, 4) of pairs that touch, NaN where there are none, and their numbers (n,)."""
    first, second = (_lay_out(shape) for shape in (a, b))
    found, counts = np.full((len(index), MAX_POINTS, 4), np.nan), np.zeros(len(index), np.int64)
    edges = [max(int(c[24].max(initial=0)), 1) for c in (first, second)]
    pairs, contacts = _check.frozen(index), _check.frozen(contacts)

    def find(start: int) -> None:
        work = ManifoldWorkspace(
            np.empty((edges[0], 6)), np.empty((edges[1], 6)), np.empty((2 * sum(edges) + 1, 4))
        )
        stop = min(start + _CHUNK, len(index))
        find_manifolds(first, second, pairs, contacts, work, a.dimension == 2, found, counts, start, stop)

    each(find, range(0, len(index), _CHUNK))
    return found, counts
