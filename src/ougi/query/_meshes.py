"""Queries of meshes: of their triangles, by their trees of balls, and of what solid ones enclose.

Pairs of nodes descend both trees in waves, as arrays. Two balls bound the distance of their triangles from
below. Pairs that cannot be the nearest are dropped. Of the others, children replace the larger node.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.query._dispatch import compute_pairs, find_triangle_partners
from ougi.query._inside import find_enclosed, find_inside
from ougi.shapes import Mesh, Point3d, Shape, Sphere, Triangle3d

# The rounding band, 64 eps, in units of coordinates and sizes.
_BAND = 1.5e-14

# Pairs of nodes that are computed together; the latest first, so that not too many wait.
_WAVE = 8192


class Side(NamedTuple):
    """The nodes of one side: those of a mesh's tree, or one ball for each body of a batch.

    `part` is the triangle of a leaf, -1 for nodes with children; of other bodies 0.
    """

    center: Floats
    radius: Floats
    first: Any
    second: Any
    part: Ints


def build_side(shape: Shape) -> Side:
    """The nodes of a mesh, or of a flat batch of other bodies."""
    if isinstance(shape, Mesh):
        tree = shape._tree()
        return Side(tree.center, tree.radius, tree.first, tree.second, tree.leaf)
    center, radius = shape.reshape((shape.count,))._bounding_sphere()
    return Side(center, radius, None, None, np.zeros(shape.count, np.int64))


def select_parts(shape: Shape, index: Ints, part: Ints) -> Shape:
    """Triangles of a mesh, or bodies of a batch."""
    if not isinstance(shape, Mesh):
        return shape.reshape((shape.count,))[index]
    corners = shape.vertices[shape.faces[part]]
    return Triangle3d._from_fields((len(part),), dict(zip("abc", np.moveaxis(corners, 1, 0), strict=True)))


def compute_mesh_pairs(
    question: str, verb: str, a: Shape, b: Shape, pairs: Any, rows: int | None, dtype: type[Any]
) -> tuple[Any, bool]:
    """`fill` where a or b is a mesh."""
    _require_support(question, verb, a, b)
    if pairs is not None:
        index = _check.pairs(pairs, a.count, b.count)
        batch: tuple[int, ...] = (len(index),)
    else:
        batch = _check.broadcast_shape(a=a.shape, b=b.shape)
        bodies = np.arange(math.prod(batch))  # one of the two is a single mesh
        index = np.stack([np.zeros_like(bodies) if isinstance(x, Mesh) else bodies for x in (a, b)], axis=-1)
    if question == "intersects":
        touching = find_enclosed(a, b, index)
        rest = np.flatnonzero(~touching)
        touching[rest] = _Descent(question, verb, a, b, index[rest]).find_touching()
        return touching.reshape(batch), False
    lead = () if rows is None else (rows,)
    if a.solid and isinstance(b, _BALLS):
        out = _compute_ball_pairs(question, verb, b, a, index[:, 1], rows)
        return out.reshape((*lead, *batch)), True
    if b.solid and isinstance(a, _BALLS):
        out = _compute_ball_pairs(question, verb, a, b, index[:, 0], rows)
        return out.reshape((*lead, *batch)), False
    descent = _Descent(question, verb, a, b, index)
    parts = descent.find_nearest()
    out, swapped = compute_pairs(
        question, verb, *descent.bodies(np.arange(len(index)), *parts), None, rows, dtype
    )
    signed = out if rows is None else out[0]
    np.maximum(signed, 0.0, out=signed)  # no depths: what overlaps has the distance 0
    signed[find_enclosed(a, b, index)] = 0.0
    return out.reshape((*lead, *batch)), swapped


# Bodies that can lie at a depth in a solid mesh; others that overlap it have the distance 0.
_BALLS = (Point3d, Sphere)


def _compute_ball_pairs(
    question: str, verb: str, balls: Shape, mesh: Any, which: Ints, rows: int | None
) -> Floats:
    """Distances and nearest points of balls and a solid mesh: those of the centers, less the radius."""
    center, radius = (x[which] for x in balls.reshape((balls.count,))._bounding_sphere())
    points = Point3d._from_fields((len(which),), {"position": center})
    case = np.arange(len(which))
    descent = _Descent(question, verb, points, mesh, np.stack([case, np.zeros_like(case)], axis=-1))
    out: Floats
    out, _ = compute_pairs(
        question, verb, *descent.bodies(case, *descent.find_nearest()), None, rows, np.float64
    )
    outward = np.where(find_inside(mesh, center), -1.0, 1.0)
    signed = out if rows is None else out[0]
    signed[:] = outward * np.abs(signed) - radius
    if rows is not None:
        out[1:4] *= outward
        out[4:7] += radius * out[1:4]
    return out


def _require_support(question: str, verb: str, a: Shape, b: Shape) -> None:
    named = f"{verb}({', '.join('points' if 'Point' in (n := type(x).__name__) else n for x in (a, b))})"
    if verb == "contains" and not a.solid:
        raise UnsupportedPairError(
            f"{named} is not supported: this Mesh is a surface and contains no points; "
            "Mesh(..., solid=True) is a volume"
        )
    if verb == "contacts":
        raise UnsupportedPairError(
            f"{named} is not supported: a Mesh has no penetration depth; use closest_points"
        )
    partners = find_triangle_partners(question)
    if not all(isinstance(x, Mesh) or type(x) in partners for x in (a, b)):
        others = ", ".join(cls.__name__ for cls in partners).replace("Point3d", "points")
        raise UnsupportedPairError(f"{named} is not supported; a Mesh can be tested against: Mesh, {others}")


class _Work(NamedTuple):
    """Pairs of nodes."""

    case: Ints
    a: Ints
    b: Ints

    def take(self, which: Any) -> _Work:
        return _Work(*(column[which] for column in self))


class _Descent:
    """One query of cases (n, 2), indices into both batches; 0 for a mesh."""

    def __init__(self, question: str, verb: str, a: Shape, b: Shape, index: Ints) -> None:
        self.question, self.verb = question, verb
        self.shapes = a, b
        self.index = index
        self.count = len(index)
        self.sides = build_side(a), build_side(b)

    def bodies(self, case: Ints, part_a: Ints, part_b: Ints) -> tuple[Shape, Shape]:
        """The bodies of cases, or triangles of them."""
        return (
            select_parts(self.shapes[0], self.index[case, 0], part_a),
            select_parts(self.shapes[1], self.index[case, 1], part_b),
        )

    def find_touching(self) -> Bools:
        """Find the cases with parts that touch."""
        found = np.zeros(self.count, np.bool_)

        def settle(work: _Work, near: Bools) -> Bools:
            return near & ~found[work.case]

        for work, parts in self._iterate_leaves(lambda low, band, work: settle(work, low <= band)):
            answer, _ = compute_pairs(
                "intersects", self.verb, *self.bodies(work.case, *parts), None, None, np.bool_
            )
            found[work.case[answer]] = True
        return found

    def find_nearest(self) -> tuple[Ints, Ints]:
        """Find the nearest parts of each case; of those that touch, the first found."""
        best = np.full(self.count, np.inf)
        chosen = np.zeros((2, self.count), np.int64)

        def promising(low: Floats, band: Floats, work: _Work) -> Bools:
            return (low - band <= best[work.case]) & (best[work.case] > 0)

        for work, parts in itertools.chain(self._descend_straight(), self._iterate_leaves(promising)):
            gap, _ = compute_pairs(
                "distance", self.verb, *self.bodies(work.case, *parts), None, None, np.float64
            )
            order = np.lexsort((parts[1], parts[0], gap, work.case))
            case, first = np.unique(work.case[order], return_index=True)
            source = order[first]
            better = gap[source] < best[case]
            case, source = case[better], source[better]
            best[case] = gap[source]
            chosen[:, case] = parts[0][source], parts[1][source]
        return chosen[0], chosen[1]

    def _iterate_leaves(self, is_wanted: Any) -> Iterator[tuple[_Work, tuple[Ints, Ints]]]:
        """Yield pairs of parts that must be computed, wave after wave.

        `is_wanted(low, band, work)` selects the pairs of nodes to follow; their parts are at least `low`
        apart, up to rounding.
        """
        waiting = self._build_roots()
        while len(waiting.case):
            work, waiting = waiting.take(slice(-_WAVE, None)), waiting.take(slice(0, -_WAVE))
            work = work.take(is_wanted(*self._bound_distances(work), work))
            parts, ready = self._get_parts(work)
            if ready.any():
                yield work.take(ready), (parts[0][ready], parts[1][ready])
            waiting = _join_work([waiting, *split_nodes(self.sides, work.take(~ready))])

    def _descend_straight(self) -> Iterator[tuple[_Work, tuple[Ints, Ints]]]:
        """Yield one pair of parts for each case: at every node, descend to the nearer child."""
        work = self._build_roots()
        while len(work.case):
            parts, ready = self._get_parts(work)
            if ready.any():
                yield work.take(ready), (parts[0][ready], parts[1][ready])
            work = _join_work([work.take(slice(0, 0)), *split_nodes(self.sides, work.take(~ready))])
            if len(work.case):
                order = np.lexsort((self._bound_distances(work)[0], work.case))
                _, first = np.unique(work.case[order], return_index=True)
                work = work.take(order[first])

    def _build_roots(self) -> _Work:
        case = np.arange(self.count)
        meshes = (isinstance(shape, Mesh) for shape in self.shapes)
        return _Work(case, *(0 * case if mesh else self.index[:, k] for k, mesh in enumerate(meshes)))

    def _get_parts(self, work: _Work) -> tuple[tuple[Ints, Ints], Bools]:
        """The parts of pairs of nodes, and which of them are parts on both sides."""
        a, b = self.sides[0].part[work.a], self.sides[1].part[work.b]
        return (a, b), (a >= 0) & (b >= 0)

    def _bound_distances(self, work: _Work) -> tuple[Floats, Floats]:
        """How far apart the parts of two nodes are at least, and rounding."""
        nodes = work.a, work.b
        centers, radii = (
            [field[k] for field, k in zip(fields, nodes, strict=True)]
            for fields in zip(*((side.center, side.radius) for side in self.sides), strict=True)
        )
        low = np.linalg.norm(centers[1] - centers[0], axis=-1) - radii[0] - radii[1]
        parts, _ = self._get_parts(work)
        for k in (0, 1):
            # A part is measured itself: it may be far smaller than its ball.
            which = np.flatnonzero((parts[k] >= 0) & (parts[1 - k] < 0))
            if len(which):
                body = self.bodies(work.case[which], parts[0][which], parts[1][which])[k]
                ball = {"center": centers[1 - k][which], "radius": radii[1 - k][which]}
                balls = Sphere._from_fields((len(which),), ball)
                low[which], _ = compute_pairs("distance", self.verb, body, balls, None, None, np.float64)
        size = np.abs(centers[0]).max(axis=-1) + np.abs(centers[1]).max(axis=-1) + radii[0] + radii[1]
        return low, _BAND * size


def split_nodes(sides: tuple[Any, Any], work: Any) -> list[Any]:
    """Two pairs for each: children replace the larger of its nodes that has children."""
    open_a, open_b = sides[0].part[work.a] < 0, sides[1].part[work.b] < 0
    larger = sides[0].radius[work.a] >= sides[1].radius[work.b]
    in_a = open_a & (larger | ~open_b)
    first, second = work.take(in_a), work.take(~in_a)
    return [
        *(first._replace(a=child[first.a]) for child in (sides[0].first, sides[0].second) if len(first.case)),
        *(
            second._replace(b=child[second.b])
            for child in (sides[1].first, sides[1].second)
            if len(second.case)
        ),
    ]


def _join_work(parts: list[_Work]) -> _Work:
    return _Work(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
