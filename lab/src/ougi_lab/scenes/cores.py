"""Convex cores of shapes, in plain NumPy and from public fields alone: nothing here is shared with kernels.

Every shape is a convex *core* (point, segment, triangle, box) with a radius around it. Arrays are
component-major: vectors (d, n), corners (k, d, n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Floats


@dataclass(frozen=True)
class Core:
    """n convex bodies: corners around an origin, edge directions, face normals, and a radius around all."""

    kind: str
    origin: Floats  # (d, n)
    corners: Floats  # (k, d, n), relative to the origin
    edges: Floats  # (m, d, n), of any length
    faces: Floats  # (f, d, n), unit vectors; none in the plane, where edges suffice
    half: Floats  # (d, n) half edges of a box along `edges`, else empty
    radius: Floats  # (n,)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.origin.shape[0])

    def take(self, index: Any) -> Core:
        """Return a subset of the bodies."""
        arrays = (self.origin, self.corners, self.edges, self.faces, self.half, self.radius)
        return Core(self.kind, *(x[..., index] for x in arrays))


def extract_core(shape: Any) -> Core:
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
    raise TypeError(f"no core for {name}")


def _build_simple(kind: str, origin: Floats, sides: list[Floats], radius: Any = None) -> Core:
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
    return Core(kind, start, corners, edges, faces, np.empty((0, n)), radius)


def _build_box(origin: Floats, half: Floats, axes: Floats, at_corner: bool = False) -> Core:
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
