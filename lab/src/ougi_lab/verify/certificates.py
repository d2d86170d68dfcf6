"""Proofs of distances, in slow and plain NumPy: nothing here is shared with the kernels.

Every shape is a convex *core* (point, segment, triangle, box) with a radius. For any unit vector n the gap

    g(n) = min over b of n.x  -  max over a of n.x  -  radii

is a lower bound of the signed distance, and the largest gap over all n *is* the signed distance. Points p of
a and q of b bound it from above by |q - p|. An answer whose points and normal bound it from both sides within
the rounding band is proved. Where the cores overlap no two points bound the depth; there the largest gap is
looked for among all normals of the Minkowski difference's faces: face normals and cross products of edges.

Arrays are component-major: vectors (d, n), corners (k, d, n).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats

EPS = float(np.finfo(np.float64).eps)

# The rounding band, in eps x (largest coordinate + size): the one formula of all evidence.
BAND = 64.0


@dataclass(frozen=True)
class Core:
    """n convex bodies: corners around an origin, edge directions, face normals, and a radius around all."""

    kind: str
    origin: Floats  # (d, n)
    corners: Floats  # (k, d, n), relative to the origin
    edges: Floats  # (m, d, n), of any length
    faces: Floats  # (f, d, n), unit vectors; none in the plane, where edges say it all
    half: Floats  # (d, n) half edges of a box along `edges`, else empty
    radius: Floats  # (n,)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.origin.shape[0])

    def take(self, index: Any) -> Core:
        """Some of the bodies."""
        arrays = (self.origin, self.corners, self.edges, self.faces, self.half, self.radius)
        return Core(self.kind, *(x[..., index] for x in arrays))


def core_of(shape: Any) -> Core:
    """The cores of a batch of shape (n,), from its public fields."""
    name = type(shape).__name__
    if name.startswith("Point"):
        return _plain("point", shape.position, [])
    if name in ("Circle", "Sphere"):
        return _plain("point", shape.center, [], shape.radius)
    if name.startswith("Segment"):
        return _plain("segment", shape.start, [shape.end - shape.start])
    if name.startswith("Capsule"):
        return _plain("segment", shape.start, [shape.end - shape.start], shape.radius)
    if name.startswith("Triangle"):
        return _plain("triangle", shape.a, [shape.b - shape.a, shape.c - shape.a])
    if name.startswith("Aabb"):
        d = shape.dimension
        axes = np.broadcast_to(np.eye(d)[:, :, None], (d, d, shape.count))
        # The lower corner is exact, the middle would be rounded.
        return _box(shape.lower.T, (shape.upper - shape.lower).T / 2, axes, at_corner=True)
    if name == "Rectangle":
        c, s = np.cos(shape.angle), np.sin(shape.angle)
        return _box(shape.center.T, shape.size.T / 2, np.stack([np.stack([c, s]), np.stack([-s, c])]))
    if name == "Box":
        return _box(shape.center.T, shape.size.T / 2, shape.rotation.transpose(2, 1, 0))
    raise TypeError(f"no core for {name}")


def _plain(kind: str, origin: Floats, sides: list[Floats], radius: Any = None) -> Core:
    """A point, a segment or a triangle: the origin and one or two sides from there."""
    start = np.ascontiguousarray(origin.T)
    d, n = start.shape
    corners = np.stack([np.zeros((d, n)), *(side.T for side in sides)])
    edges = corners[1:]
    faces = np.empty((0, d, n))
    if kind == "triangle":
        edges = np.stack([corners[1], corners[2] - corners[1], corners[2]])
        if d == 3:
            faces = _triangle_frame(edges)[2][None]
    radius = np.zeros(n) if radius is None else np.asarray(radius)
    return Core(kind, start, corners, edges, faces, np.empty((0, n)), radius)


def _box(origin: Floats, half: Floats, axes: Floats, at_corner: bool = False) -> Core:
    d, n = origin.shape
    signs = np.stack(np.meshgrid(*([[-1.0, 1.0]] * d), indexing="ij"), axis=-1).reshape((-1, d))
    if at_corner:
        signs = signs + 1.0
    corners = np.einsum("ki,in,ijn->kjn", signs, half, axes)
    faces = axes if d == 3 else np.empty((0, d, n))
    return Core("corner box" if at_corner else "box", origin, corners, axes, faces, half, np.zeros(n))


def dot(u: Floats, v: Floats) -> Floats:
    """Inner products of (..., d, n) vectors."""
    products: Floats = np.einsum("...dn,...dn->...n", u, v)
    return products


def unit(v: Floats) -> Floats:
    """Unit vectors; zero stays zero."""
    largest = np.abs(v).max(axis=0)
    v = v / np.where(largest > 0, largest, 1.0)
    length = np.sqrt(dot(v, v))
    result: Floats = v / np.where(length > 0, length, 1.0)
    return result


def across(v: Floats, direction: Floats) -> Floats:
    """v without its part along a unit vector, as a unit vector: twice, because once leaves a rounding error
    that is large beside a short remainder."""
    for _ in range(2):
        v = unit(v - dot(v, direction) * direction)
    return v


def cross(u: Floats, v: Floats) -> Floats:
    """Cross products of (3, n) vectors."""
    return np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def _triangle_frame(edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Orthonormal axes of triangles in space: along the longest edge, across it in the plane, and the normal.

    Slivers have an accurate frame as well; three collinear corners have some plane through them.
    """
    lengths = dot(edges, edges)
    longest = np.argmax(lengths, axis=0)
    n = edges.shape[2]
    x = unit(edges[longest, :, np.arange(n)].T)
    x = np.where(dot(x, x) > 0, x, np.eye(3)[0][:, None])
    side = edges[(longest + 1) % 3, :, np.arange(n)].T
    y = across(side, x)
    y = np.where(dot(y, y) > 0, y, across(np.eye(3)[:, np.argmin(np.abs(x), axis=0)], x))
    return x, y, cross(x, y)


def largest_coordinate(a: Core) -> Floats:
    """The largest absolute coordinate of the corners."""
    biggest: Floats = np.abs(a.origin + a.corners).max(axis=(0, 1))
    return biggest


def size(a: Core) -> Floats:
    """The longest side of the core's bounding box, and the diameter of what is around it."""
    extent: Floats = (a.corners.max(axis=0) - a.corners.min(axis=0)).max(axis=0) + 2 * a.radius
    return extent


def band(a: Core, b: Core) -> Floats:
    """How far a rounded answer may be from the truth: 64 eps x (largest coordinate + size)."""
    coordinate = np.maximum(largest_coordinate(a), largest_coordinate(b))
    width = BAND * EPS * (coordinate + np.maximum(size(a), size(b)))
    return np.maximum(width, np.finfo(np.float64).tiny)  # two points at the origin have neither


def distance_from(a: Core, p: Floats) -> Floats:
    """How far points (d, n), relative to the origin, are from the cores; 0 inside."""
    if a.kind == "point":
        return np.sqrt(dot(p, p))
    if a.kind == "segment":
        return _from_segment(p, a.corners[1])
    if a.kind == "triangle":
        return _from_triangle(a, p)
    q = dot(a.edges, p)
    middle = a.half if a.kind == "corner box" else 0.0
    over = np.maximum(np.abs(q - middle) - a.half, 0.0)
    return np.sqrt(dot(over, over))


def _from_segment(p: Floats, e: Floats) -> Floats:
    length_sq = dot(e, e)
    t = np.clip(dot(p, e) / np.where(length_sq > 0, length_sq, 1.0), 0.0, 1.0)
    rest = p - t * e
    return np.sqrt(dot(rest, rest))


def _from_triangle(a: Core, p: Floats) -> Floats:
    sides = np.stack([p, p - a.corners[1], p - a.corners[2]])
    nearest = np.minimum(_from_segment(sides[0], a.edges[0]), _from_segment(sides[1], a.edges[1]))
    nearest = np.minimum(nearest, _from_segment(sides[0], a.edges[2]))
    if a.dimension == 3:
        x, y, z = _triangle_frame(a.edges)
        flat, height = np.stack([dot(sides, x), dot(sides, y)], axis=1), np.abs(dot(p, z))
    else:
        flat, height = sides, np.zeros(p.shape[1])
    turns = [flat[i][0] * flat[j][1] - flat[i][1] * flat[j][0] for i, j in ((0, 1), (1, 2), (2, 0))]
    area = np.abs(sum(turns))
    inside = (np.abs(turns).sum(axis=0) <= area) & (area > 0)
    return np.where(inside, np.minimum(height, nearest), nearest)


def gap(a: Core, b: Core, n: Floats) -> Floats:
    """How far the core b lies beyond the core a along unit vectors (d, n); negative where they overlap."""
    top, bottom = dot(a.corners, n).max(axis=0), dot(b.corners, n).min(axis=0)
    along: Floats = dot(b.origin - a.origin, n) + bottom - top
    return along


def largest_gap(a: Core, b: Core, guess: Floats) -> Floats:
    """The largest gap over the normals of all faces that the cores' Minkowski difference can have.

    For overlapping cores it is minus the depth; for others, with a guess near the direction from the nearest
    point of a to that of b, their distance.
    """
    apart = b.origin - a.origin
    best = np.full(guess.shape[1], -np.inf)
    for n in _axes(a, b, unit(guess)):
        at_a, at_b, along = dot(a.corners, n), dot(b.corners, n), dot(apart, n)
        forth = along + at_b.min(axis=0) - at_a.max(axis=0)
        back = at_a.min(axis=0) - at_b.max(axis=0) - along
        np.maximum(best, np.where(dot(n, n) > 0.5, np.maximum(forth, back), -np.inf), out=best)
    return best


def _axes(a: Core, b: Core, guess: Floats) -> Iterator[Floats]:
    """Unit vectors, or zero where an edge has no length or two are parallel."""
    yield guess
    for body in (a, b):
        yield from body.faces
        for e in body.edges:
            if a.dimension == 2:
                yield unit(np.stack([-e[1], e[0]]))
            yield across(guess, unit(e))
    if a.dimension == 3:
        for e in a.edges:
            along = unit(e)
            for f in b.edges:
                yield cross(along, across(f, along))
        for body in (a, b):  # both on one line: nothing above is perpendicular to it
            if len(body.edges):
                along = unit(body.edges[0])
                yield across(np.eye(3)[:, np.argmin(np.abs(along), axis=0)], along)


@dataclass(frozen=True)
class Certificate:
    """What is wrong with n answers: each error in units of the band; above 1 (or NaN) it is disproved."""

    band: Floats
    errors: dict[str, Floats]

    @property
    def refuted(self) -> Bools:
        """Which answers are wrong."""
        wrong: Bools = ~(worst(self.errors) <= 1.0)
        return wrong


def worst(errors: dict[str, Floats]) -> Floats:
    """The largest of each case's errors, NaN if one is."""
    largest: Floats = np.max(list(errors.values()), axis=0)
    return largest


def certify(
    a: Core, b: Core, signed: Floats, normal: Floats, point_a: Floats, point_b: Floats
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
    off = np.where(core_signed > 0, 0.0, np.sqrt(_square(between - core_signed * normal)))
    length = np.abs(np.sqrt(_square(between)) - np.abs(core_signed))
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
        "unit": np.abs(np.sqrt(_square(normal)) - 1.0) / (BAND * EPS),
        "point_a": distance_from(a, p) / width,
        "point_b": distance_from(b, q) / width,
        "link": np.maximum(off, np.maximum(length, np.abs(dot(between, normal) - core_signed))) / width,
        "distance": np.abs(core_signed - top) / width,
        "normal": np.where(signed > 0, 0.0, np.maximum(-freed, 0.0) / width),
    }
    return Certificate(width, errors)


def _square(v: Floats) -> Floats:
    return dot(v, v)
