"""Bounds of the gap of two bodies with 50 digits, to judge what floating-point libraries disagree on.

Bodies are those that a URDF can name. Their poses are floating-point numbers, and everything after that is
decimal arithmetic. The search is Gilbert's: the nearest point of a simplex gives an upper bound of the
distance, and the support points along it give a lower one. Both hold however the search went.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ougi._typing import Floats

Vector: TypeAlias = tuple[Decimal, Decimal, Decimal]

_DIGITS = 50

# Bounds that differ by less agree. Unit: length.
_AGREEMENT = Decimal("1e-16")

# A distance below this is none. Unit: length. Points whose determinant is below the other one are dependent.
_NOTHING, _DEPENDENT = Decimal("1e-20"), Decimal("1e-42")

_MAX_ITERATIONS = 400


class ExactBody(NamedTuple):
    """A body: its name in a URDF, its sizes, and its pose (4, 4). A mesh has corners (n, 3, 3) as sizes."""

    tag: str
    sizes: Any
    pose: Floats


class GapBounds(NamedTuple):
    """The gap lies between them; both are negative where bodies with a radius overlap."""

    lower: float
    upper: float


class _Core(NamedTuple):
    """A convex body without the radius around it: `support` returns its furthest point along a direction."""

    support: Callable[[Vector], Vector]
    radius: Decimal
    middle: Vector


def bound_gap(a: ExactBody, b: ExactBody) -> GapBounds:
    """Bounds of the gap of two bodies. Of surfaces of meshes it is the smallest one of their triangles."""
    getcontext().prec = _DIGITS
    best = GapBounds(np.inf, np.inf)
    for k, (first, second, apart) in enumerate(_list_parts(a, b)):
        if k and apart > best.upper:
            break
        found = _bound_cores(first, second)
        best = GapBounds(min(best.lower, found.lower), min(best.upper, found.upper))
    return best


def _list_parts(a: ExactBody, b: ExactBody) -> Iterator[tuple[_Core, _Core, float]]:
    """Pairs of convex parts with a lower bound of their gap, from the smallest one on."""
    parts = [_split(body) for body in (a, b)]
    (centers, radii), (others, other_radii) = (
        (np.array([p.pose[:3, 3] for p, _ in each]), np.array([r for _, r in each])) for each in parts
    )
    apart = np.linalg.norm(centers[:, None] - others[None], axis=2) - radii[:, None] - other_radii[None]
    for k in np.argsort(apart, axis=None).tolist():
        i, j = divmod(k, len(others))
        # Rounding of this bound must not hide a pair.
        yield _build_core(parts[0][i][0]), _build_core(parts[1][j][0]), float(apart[i, j]) - 1e-12


def _split(body: ExactBody) -> list[tuple[ExactBody, float]]:
    """Convex parts with the radii of balls around them; a triangle's pose has its middle."""
    if body.tag != "mesh":
        sizes = np.concatenate([np.atleast_1d(value) for value in body.sizes.values()])
        return [(body, float(np.linalg.norm(sizes)) + float(body.sizes.get("radius", 0.0)))]
    corners = body.sizes @ body.pose[:3, :3].T + body.pose[:3, 3]
    out = []
    for triangle in corners:
        pose = np.eye(4)
        pose[:3, 3] = triangle.mean(axis=0)
        reach = float(np.linalg.norm(triangle - pose[:3, 3], axis=1).max())
        out.append((ExactBody("triangle", {"corners": triangle}, pose), reach))
    return out


def _build_core(body: ExactBody) -> _Core:
    middle = _convert(body.pose[:3, 3])
    if body.tag == "triangle":
        corners = [_convert(corner) for corner in body.sizes["corners"]]
        return _Core(lambda n: max(corners, key=lambda p: _dot(p, n)), Decimal(0), middle)
    axes = [_convert(body.pose[:3, k]) for k in range(3)]
    sizes = {name: np.atleast_1d(value) for name, value in body.sizes.items()}
    radius = Decimal(float(sizes["radius"][0])) if "radius" in sizes else Decimal(0)
    half = [Decimal(float(x)) / 2 for x in sizes.get("size", sizes.get("length", np.zeros(1)))]

    def support(n: Vector) -> Vector:
        p = middle
        if body.tag == "box":
            for axis, h in zip(axes, half, strict=True):
                p = _add(p, axis, h if _dot(axis, n) >= 0 else -h)
        elif body.tag != "sphere":
            height = _dot(axes[2], n)
            p = _add(p, axes[2], half[0] if height >= 0 else -half[0])
            if body.tag == "cylinder":
                flat = _add(n, axes[2], -height / _dot(axes[2], axes[2]))
                length = _dot(flat, flat).sqrt()
                p = _add(p, flat, radius / length) if length > _NOTHING else p
        return p

    return _Core(support, Decimal(0) if body.tag in ("cylinder", "box") else radius, middle)


def _bound_cores(a: _Core, b: _Core) -> GapBounds:
    radius = a.radius + b.radius
    v = _add(a.middle, b.middle, Decimal(-1))
    if not any(v):
        v = _convert(np.array([1.0, 0.0, 0.0]))
    simplex = [_subtract(a, b, v)]
    lower, upper = Decimal("-Infinity"), Decimal("Infinity")
    for _ in range(_MAX_ITERATIONS):
        v, simplex = _find_nearest(simplex)
        upper = _dot(v, v).sqrt()
        if upper < _NOTHING:
            return GapBounds(float(-radius), float(-radius))
        w = _subtract(a, b, v)
        lower = max(lower, _dot(w, v) / upper)
        if upper - lower <= _AGREEMENT or w in simplex:
            break
        simplex.append(w)
    return GapBounds(float(lower - radius), float(upper - radius))


def _subtract(a: _Core, b: _Core, v: Vector) -> Vector:
    """The point of a - b that is furthest along -v."""
    back: Any = tuple(-x for x in v)
    return _add(a.support(back), b.support(v), Decimal(-1))


def _find_nearest(points: list[Vector]) -> tuple[Vector, list[Vector]]:
    """The point of a simplex that is nearest to the origin, and the corners that it lies between."""
    found: list[tuple[Decimal, Vector, list[Vector]]] = []
    for size in range(1, len(points) + 1):
        for corners in combinations(points, size):
            weights = _solve(corners)
            if weights is not None and min(weights) >= 0:
                v: Any = tuple(sum(w * p[i] for w, p in zip(weights, corners, strict=True)) for i in range(3))
                found.append((_dot(v, v), v, list(corners)))
    _, nearest, chosen = min(found, key=lambda each: each[0])
    return nearest, chosen


def _solve(corners: tuple[Vector, ...]) -> list[Decimal] | None:
    """Weights of the point nearest to the origin of the plane through points; None if they are dependent."""
    first, n = corners[0], len(corners) - 1
    edges = [_add(p, first, Decimal(-1)) for p in corners[1:]]
    rows = [[*(_dot(e, f) for f in edges), -_dot(e, first)] for e in edges]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) < _DEPENDENT:
            return None
        for i in range(n):
            if i != k:
                share = rows[i][k] / rows[k][k]
                rows[i] = [x - share * y for x, y in zip(rows[i], rows[k], strict=True)]
    weights = [rows[k][n] / rows[k][k] for k in range(n)]
    return [1 - sum(weights, Decimal(0)), *weights]


def _convert(values: Floats) -> Vector:
    x, y, z = (Decimal(float(value)) for value in values)
    return x, y, z


def _dot(a: Vector, b: Vector) -> Decimal:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _add(p: Vector, v: Vector, factor: Decimal) -> Vector:
    return p[0] + factor * v[0], p[1] + factor * v[1], p[2] + factor * v[2]
