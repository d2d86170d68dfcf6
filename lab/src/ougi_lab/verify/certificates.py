"""Proofs of distances, in slow and plain NumPy: nothing here is shared with the kernels.

Every shape is a convex *core* (point, segment, triangle, box, hull) with a radius. For any unit vector n the
gap

    g(n) = min over b of n.x  -  max over a of n.x  -  radii

is a lower bound of the signed distance, and the largest gap over all n *is* the signed distance. Points p of
a and q of b bound it from above by |q - p|. An answer whose points and normal bound it from both sides within
the rounding band is proved. Where the cores overlap no two points bound the depth; there the largest gap is
searched among all normals of the Minkowski difference's faces: face normals and cross products of edges.

Arrays are component-major: vectors (d, n), corners (k, d, n).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ougi._typing import Bools, Floats
from ougi_lab.scenes.cores import ConvexCore, build_triangle_frame, cross, dot, perpendicular, unit

EPS = float(np.finfo(np.float64).eps)

# The rounding band, in eps x (largest coordinate + size): the one formula of all evidence.
BAND = 64.0


def largest_coordinate(a: ConvexCore) -> Floats:
    """The largest absolute coordinate of the corners."""
    biggest: Floats = np.abs(a.origin + a.corners).max(axis=(0, 1))
    return biggest


def size(a: ConvexCore) -> Floats:
    """The longest side of the core's bounding box, and the diameter of what is around it."""
    extent: Floats = (a.corners.max(axis=0) - a.corners.min(axis=0)).max(axis=0) + 2 * a.radius
    return extent


def band(a: ConvexCore, b: ConvexCore) -> Floats:
    """How far a rounded answer may be from the truth: 64 eps x (largest coordinate + size)."""
    coordinate = np.maximum(largest_coordinate(a), largest_coordinate(b))
    width = BAND * EPS * (coordinate + np.maximum(size(a), size(b)))
    return np.maximum(width, np.finfo(np.float64).tiny)  # two points at the origin have neither


def compute_distance(a: ConvexCore, p: Floats) -> Floats:
    """How far points (d, n), relative to the origin, are from the cores; 0 inside."""
    if a.kind == "point":
        return np.sqrt(dot(p, p))
    if a.kind == "segment":
        return _distance_to_segment(p, a.corners[1])
    if a.kind == "triangle":
        return _distance_to_triangle(a.edges, a.corners, p)
    if a.triangles is not None:
        return _distance_to_hull(a, a.triangles, p)
    q = dot(a.edges, p)
    middle = a.half if a.kind == "corner box" else 0.0
    over = np.maximum(np.abs(q - middle) - a.half, 0.0)
    return np.sqrt(dot(over, over))


def _distance_to_segment(p: Floats, e: Floats) -> Floats:
    length_sq = dot(e, e)
    t = np.clip(dot(p, e) / np.where(length_sq > 0, length_sq, 1.0), 0.0, 1.0)
    rest = p - t * e
    return np.sqrt(dot(rest, rest))


def _distance_to_hull(a: ConvexCore, triangles: Floats, p: Floats) -> Floats:
    """The least distance from the triangles; 0 behind all faces of a solid."""
    nearest = np.full(p.shape[1], np.inf)
    for o, q, r in triangles:
        corners = np.stack([np.zeros_like(o), q - o, r - o])
        edges = np.stack([q - o, r - q, r - o])
        nearest = np.minimum(nearest, _distance_to_triangle(edges, corners, p - o))
    over = [dot(face, p) - dot(face, a.corners).max(axis=0) for face in a.faces]
    behind = np.max([np.full(p.shape[1], -np.inf), *over], axis=0) <= 0
    # Behind all faces, or beside them by more than rounding: Qhull's faces of a needle can be anywhere.
    for i in np.flatnonzero(behind | (nearest > EPS * size(a))):
        nearest[i] = min(nearest[i], _measure_distance_by_weights(a.corners[:, :, i], p[:, i]))
    return nearest


def _measure_distance_by_weights(corners: Floats, p: Floats) -> float:
    """The distance of a point from the hull of corners (k, d), by non-negative least squares (Lawson and
    Hanson).

    Weights w >= 0 that make sum w (x - p) as small and sum w as near to 1 as possible belong to the nearest
    point, but for a factor.
    """
    from scipy.optimize import nnls

    offsets = (corners - p).T
    unit_length = np.abs(offsets).max()
    if unit_length == 0:
        return 0.0
    rows = np.vstack([offsets / unit_length, np.ones(len(corners))])
    weights, _ = nnls(rows, np.append(np.zeros(len(p)), 1.0))
    return float(np.linalg.norm(offsets @ weights) / weights.sum())


def _distance_to_triangle(edges: Floats, corners: Floats, p: Floats) -> Floats:
    sides = np.stack([p, p - corners[1], p - corners[2]])
    nearest = np.minimum(_distance_to_segment(sides[0], edges[0]), _distance_to_segment(sides[1], edges[1]))
    nearest = np.minimum(nearest, _distance_to_segment(sides[0], edges[2]))
    if len(p) == 3:
        x, y, z = build_triangle_frame(edges)
        flat, height = np.stack([dot(sides, x), dot(sides, y)], axis=1), np.abs(dot(p, z))
    else:
        flat, height = sides, np.zeros(p.shape[1])
    turns = [flat[i][0] * flat[j][1] - flat[i][1] * flat[j][0] for i, j in ((0, 1), (1, 2), (2, 0))]
    area = np.abs(sum(turns))
    inside = (np.abs(turns).sum(axis=0) <= area) & (area > 0)
    return np.where(inside, np.minimum(height, nearest), nearest)


def gap(a: ConvexCore, b: ConvexCore, n: Floats) -> Floats:
    """How far the core b lies beyond the core a along unit vectors (d, n); negative where they overlap."""
    top, bottom = dot(a.corners, n).max(axis=0), dot(b.corners, n).min(axis=0)
    along: Floats = dot(b.origin - a.origin, n) + bottom - top
    return along


def largest_gap(a: ConvexCore, b: ConvexCore, guess: Floats) -> Floats:
    """The largest gap over the normals of all faces that the cores' Minkowski difference can have.

    For overlapping cores it is minus the depth; for others, with a guess near the direction from the nearest
    point of a to that of b, their distance.
    """
    apart = b.origin - a.origin
    best = np.full(guess.shape[1], -np.inf)
    for n in _iterate_axes(a, b, unit(guess)):
        at_a, at_b, along = dot(a.corners, n), dot(b.corners, n), dot(apart, n)
        forth = along + at_b.min(axis=0) - at_a.max(axis=0)
        back = at_a.min(axis=0) - at_b.max(axis=0) - along
        np.maximum(best, np.where(dot(n, n) > 0.5, np.maximum(forth, back), -np.inf), out=best)
    return best


def _iterate_axes(a: ConvexCore, b: ConvexCore, guess: Floats) -> Iterator[Floats]:
    """Unit vectors, or zero where an edge has no length or two are parallel."""
    yield guess
    for body in (a, b):
        yield from body.faces
        for e in body.edges:
            if a.dimension == 2:
                yield unit(np.stack([-e[1], e[0]]))
            yield perpendicular(guess, unit(e))
    if a.dimension == 3:
        for e in a.edges:
            along = unit(e)
            for f in b.edges:
                yield cross(along, perpendicular(f, along))
        for body in (a, b):  # both on one line: nothing above is perpendicular to it
            if len(body.edges):
                along = unit(body.edges[0])
                yield perpendicular(np.eye(3)[:, np.argmin(np.abs(along), axis=0)], along)


@dataclass(frozen=True)
class Certificate:
    """The errors of n results in units of the band; above 1 (or NaN) a result is disproved."""

    band: Floats
    errors: dict[str, Floats]

    @property
    def refuted(self) -> Bools:
        """Which answers are wrong."""
        wrong: Bools = ~(worst(self.errors) <= 1.0)
        return wrong


def worst(errors: dict[str, Floats]) -> Floats:
    """The largest of each case's errors, NaN if one is."""
    largest: Floats = np.stack(list(errors.values())).max(axis=0)
    return largest


def certify(
    a: ConvexCore, b: ConvexCore, signed: Floats, normal: Floats, point_a: Floats, point_b: Floats
) -> Certificate:
    """Check signed distances (n,), unit normals from a to b and points (d, n).

    The errors are

    * `unit`: the length of the normal;
    * `point_a`, `point_b`: the points lie on the surfaces, along the normal from points of the cores;
    * `link`: the points are `signed` apart, and along the normal;
    * `distance`: the largest gap is the signed distance;
    * `normal`, for contacts: b moved by the depth along the normal no longer overlaps a.
    """
    width = band(a, b)
    core_signed = signed + a.radius + b.radius
    p = point_a - a.radius * normal - a.origin
    q = point_b + b.radius * normal - b.origin
    between = (b.origin - a.origin) + (q - p)
    # Nearest points of almost parallel edges are ill-conditioned, their distance is not: where the cores are
    # apart, `between` may lean from the normal as far as its length permits. An overlap has no such excuse.
    off = np.where(core_signed > 0, 0.0, np.sqrt(_dot_self(between - core_signed * normal)))
    length = np.abs(np.sqrt(_dot_self(between)) - np.abs(core_signed))
    along = gap(a, b, normal)
    top, freed = along.copy(), along - core_signed
    # The normal settles most cases; where it is off by more than a tenth of the band, all axes are tried.
    unclear = np.flatnonzero(~(np.abs(freed) <= 0.1 * width) | ~(core_signed > width))
    if len(unclear):
        x, y = a.take(unclear), b.take(unclear)
        n = np.where(np.isfinite(normal), normal, 0.0)[:, unclear]
        top[unclear] = np.maximum(along[unclear], largest_gap(x, y, n))
    stuck = np.flatnonzero(~(np.abs(freed) <= width) & (signed <= 0))
    if len(stuck):
        x, y = a.take(stuck), b.take(stuck)
        n, depth = normal[:, stuck], -signed[stuck]
        out = replace(y, origin=y.origin + depth * n)
        freed[stuck] = np.maximum(gap(x, out, n), largest_gap(x, out, n)) - x.radius - y.radius
    errors = {
        "unit": np.abs(np.sqrt(_dot_self(normal)) - 1.0) / (BAND * EPS),
        "point_a": compute_distance(a, p) / width,
        "point_b": compute_distance(b, q) / width,
        "link": np.maximum(off, np.maximum(length, np.abs(dot(between, normal) - core_signed))) / width,
        "distance": np.abs(core_signed - top) / width,
        "normal": np.where(signed > 0, 0.0, np.maximum(-freed, 0.0) / width),
    }
    return Certificate(width, errors)


def _dot_self(v: Floats) -> Floats:
    return dot(v, v)
