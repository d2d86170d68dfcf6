"""Convex cores of shapes, in plain NumPy and from public fields alone: nothing here is shared with kernels.

Every shape is a convex *core* (point, segment, triangle, box, hull) with a radius around it. Arrays are
component-major: vectors (d, n), corners (k, d, n).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats, Ints

# Widths of flat hulls, as shares of their lengths: below the first their planes are fitted, below the second
# they have none.
_NARROW, _STRAIGHT = 1e-4, 1e-9


@dataclass(frozen=True)
class ConvexCore:
    """n convex bodies: corners around an origin, edge directions, face normals, and a radius around all."""

    kind: str
    origin: Floats  # (d, n)
    corners: Floats  # (k, d, n), relative to the origin
    edges: Floats  # (m, d, n), of any length
    faces: Floats  # (f, d, n), unit vectors; none in the plane, where edges suffice
    half: Floats  # (d, n) half edges of a box along `edges`, else empty
    radius: Floats  # (n,)
    triangles: Floats | None = None  # (t, 3, d, n), of hulls: they cover the surface, in the plane the area

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.origin.shape[0])

    def take(self, index: Any) -> ConvexCore:
        """Return a subset of the bodies."""
        changes: dict[str, Any] = {
            name: value[..., index] for name, value in vars(self).items() if isinstance(value, np.ndarray)
        }
        return replace(self, **changes)


def extract_core(shape: Any) -> ConvexCore:
    """Extract the cores of a batch of shape (n,) from its public fields."""
    name = type(shape).__name__
    if name.startswith("Point"):
        return _build_simple("point", shape.position, [])
    if name in ("Circle", "Sphere"):
        return _build_simple("point", shape.center, [], shape.radius)
    if name.startswith("Segment"):
        return _build_simple("segment", shape.start, [shape.end - shape.start])
    if name.startswith("Capsule"):
        return _build_simple("segment", shape.start, [shape.end - shape.start], shape.radius)
    if name.startswith("Triangle"):
        return _build_simple("triangle", shape.a, [shape.b - shape.a, shape.c - shape.a])
    if name.startswith("Aabb"):
        d = shape.dimension
        axes = np.broadcast_to(np.eye(d)[:, :, None], (d, d, shape.count))
        # The lower corner is exact, the middle would be rounded.
        return _build_box(shape.lower.T, (shape.upper - shape.lower).T / 2, axes, at_corner=True)
    if name == "Rectangle":
        c, s = np.cos(shape.angle), np.sin(shape.angle)
        return _build_box(shape.center.T, shape.size.T / 2, np.stack([np.stack([c, s]), np.stack([-s, c])]))
    if name == "Box":
        return _build_box(shape.center.T, shape.size.T / 2, shape.rotation.transpose(2, 1, 0))
    if name.startswith("Convex"):
        return _build_hull(shape)
    raise TypeError(f"no core for {name}")


def extract_core_around(shape: Any) -> ConvexCore:
    """As `extract_core`; for cylinders, cones and ellipsoids their bounds."""
    return extract_core(shape.bounds() if hasattr(shape, "_solid") else shape)


class _Parts(NamedTuple):
    """A hull in its own frame: corners (k, d), edges (m, d), normals (f, d), indices of triangles (t, 3)."""

    corners: Floats
    edges: Floats
    faces: Floats
    triangles: Ints


def _build_hull(shape: Any) -> ConvexCore:
    """Hulls: their parts, padded to a common number by repetition and by zeros."""
    d, n = shape.dimension, shape.count
    rows: dict[int, list[int]] = {}
    for i, template in enumerate(shape.template):
        rows.setdefault(id(template), []).append(i)
    groups = [(_find_scaled_parts(shape.template[own[0]].vertices[:, :d]), own) for own in rows.values()]
    corners = np.zeros((max(len(p.corners) for p, _ in groups), d, n))
    edges = np.zeros((max(len(p.edges) for p, _ in groups), d, n))
    faces = np.zeros((max(len(p.faces) for p, _ in groups), d, n))
    triangles = np.zeros((max(len(p.triangles) for p, _ in groups), 3, d, n))
    for part, own in groups:
        turn = shape.rotation[own]
        placed = _turn(part.corners, turn)
        corners[:, :, own] = placed[np.arange(len(corners)) % len(placed)]
        edges[: len(part.edges), :, own] = _turn(part.edges, turn)
        faces[: len(part.faces), :, own] = _turn(part.faces, turn)
        triangles[..., own] = placed[part.triangles][np.arange(len(triangles)) % len(part.triangles)]
    return ConvexCore(
        "hull", shape.position.T, corners, edges, faces, np.empty((0, n)), np.asarray(shape.radius), triangles
    )


def _turn(vectors: Floats, turns: Floats) -> Floats:
    """Vectors (k, d) turned by each of n rotations: (k, d, n)."""
    turned: Floats = np.einsum("kd,ned->ken", vectors, turns)
    return turned


def _find_scaled_parts(vertices: Floats) -> _Parts:
    """Parts of a hull of any size: those of one between 1 and 2, for Qhull, times a power of two."""
    unit_length = 2.0 ** np.floor(np.log2(np.abs(vertices).max() or 1.0))
    parts = _find_parts((vertices / unit_length).tobytes(), vertices.shape[1])
    return parts._replace(corners=parts.corners * unit_length, edges=parts.edges * unit_length)


@functools.lru_cache(1000)
def _find_parts(vertices: bytes, d: int) -> _Parts:
    """Parts of a hull by Qhull; of a flat one, whose corners are in order, by its corners."""
    from scipy.spatial import ConvexHull, QhullError

    corners = np.frombuffer(vertices).reshape((-1, d))
    n = len(corners)
    none = np.empty((0, d))
    if n < 3:
        return _Parts(corners, corners[1:] - corners[:-1], none, np.array([[0, n - 1, n - 1]]))
    ring = np.roll(corners, -1, axis=0) - corners
    fan = np.array([[0, i, i + 1] for i in range(1, n - 1)])
    if d == 2:
        return _Parts(corners, ring, none, fan)
    try:
        hull = ConvexHull(corners)
    except QhullError:
        hull = None
    if hull is None or np.ptp(corners @ hull.equations[:, :3].T, axis=0).min() < 1e-12 * np.ptp(corners):
        plane = sum(np.cross(corners[i] - corners[0], corners[i + 1] - corners[0]) for i in range(1, n - 1))
        length = float(np.linalg.norm(plane))
        if not length > _NARROW * np.ptp(corners) ** 2:  # the products are all rounding
            _, extents, axes = np.linalg.svd(corners - corners.mean(axis=0))
            plane, length = axes[-1], float(extents[1] > _STRAIGHT * extents[0])
        return _Parts(corners, ring, np.asarray(plane / length)[None] if length > 0 else none, fan)
    pairs = np.unique(np.sort(hull.simplices[:, [0, 1, 1, 2, 2, 0]].reshape((-1, 2)), axis=1), axis=0)
    edges = corners[pairs[:, 1]] - corners[pairs[:, 0]]
    return _Parts(corners, edges, hull.equations[:, :3], hull.simplices.astype(np.int64))


def _build_simple(kind: str, origin: Floats, sides: list[Floats], radius: Any = None) -> ConvexCore:
    """Build points, segments or triangles from an origin and up to two sides."""
    start = np.ascontiguousarray(origin.T)
    d, n = start.shape
    corners = np.stack([np.zeros((d, n)), *(side.T for side in sides)])
    edges = corners[1:]
    faces = np.empty((0, d, n))
    if kind == "triangle":
        edges = np.stack([corners[1], corners[2] - corners[1], corners[2]])
        if d == 3:
            faces = build_triangle_frame(edges)[2][None]
    radius = np.zeros(n) if radius is None else np.asarray(radius)
    return ConvexCore(kind, start, corners, edges, faces, np.empty((0, n)), radius)


def _build_box(origin: Floats, half: Floats, axes: Floats, at_corner: bool = False) -> ConvexCore:
    d, n = origin.shape
    signs = np.stack(np.meshgrid(*([[-1.0, 1.0]] * d), indexing="ij"), axis=-1).reshape((-1, d))
    if at_corner:
        signs = signs + 1.0
    corners = np.einsum("ki,in,ijn->kjn", signs, half, axes)
    faces = axes if d == 3 else np.empty((0, d, n))
    return ConvexCore("corner box" if at_corner else "box", origin, corners, axes, faces, half, np.zeros(n))


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


def perpendicular(v: Floats, direction: Floats) -> Floats:
    """Return the unit vector of v without its component along a unit vector.

    The component is removed twice, because the rounding error of once is large beside a short remainder.
    """
    for _ in range(2):
        v = unit(v - dot(v, direction) * direction)
    return v


def cross(u: Floats, v: Floats) -> Floats:
    """Cross products of (3, n) vectors."""
    return np.stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])


def build_triangle_frame(edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Orthonormal axes of triangles in space: along the longest edge, across it in the plane, and the normal.

    Slivers have an accurate frame as well. Three collinear corners have any plane through them.
    """
    lengths = dot(edges, edges)
    longest = np.argmax(lengths, axis=0)
    n = edges.shape[2]
    x = unit(edges[longest, :, np.arange(n)].T)
    x = np.where(dot(x, x) > 0, x, np.eye(3)[0][:, None])
    side = edges[(longest + 1) % 3, :, np.arange(n)].T
    y = perpendicular(side, x)
    y = np.where(dot(y, y) > 0, y, perpendicular(np.eye(3)[:, np.argmin(np.abs(x), axis=0)], x))
    return x, y, cross(x, y)
