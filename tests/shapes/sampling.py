"""Slow and simple geometry that shares no code with what it judges: points of a shape, and membership.

Everything here takes a single shape and reads only its public fields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import ougi
from ougi._typing import Floats

Random: TypeAlias = np.random.Generator


def points_of(shape: Any, n: int, seed: int = 0) -> Floats:
    """About n points (m, d) of a single shape: inside, on the surface, at corners."""
    return _POINTS[type(shape)](shape, n, np.random.default_rng(seed))


def outside(shape: Any, points: Floats) -> Floats:
    """By how much points (n, d) break the definition of a single shape; 0 where they belong to it."""
    return np.maximum(_OUTSIDE[type(shape)](shape, points), 0.0)


# --- points ---------------------------------------------------------------------------------------------


def _ball(n: int, dimension: int, rng: Random) -> Floats:
    """Points of the unit ball, two thirds of them on its surface, with its poles."""
    v = rng.normal(size=(n, dimension))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    v[: n // 3] *= rng.uniform(0, 1, (n // 3, 1))
    poles = np.eye(dimension)
    return np.concatenate([v, poles, -poles])


def _mix_corners(corners: Any, n: int, rng: Random) -> Floats:
    """Points of the convex hull of corners, and the corners."""
    weights = rng.dirichlet(np.full(len(corners), 0.5), n)
    return np.concatenate([weights @ np.asarray(corners), np.asarray(corners)])


def _cube(n: int, dimension: int, rng: Random) -> Floats:
    """Points of the cube [-1, 1]^d, many on its faces, and its corners."""
    v = np.clip(rng.uniform(-2, 2, (n, dimension)), -1, 1)
    corners = np.stack(np.meshgrid(*[[-1.0, 1.0]] * dimension), axis=-1).reshape((-1, dimension))
    return np.concatenate([v, corners])


def _axes(shape: Any) -> Floats:
    """The edges' directions of a rectangle or box, as columns."""
    if isinstance(shape, ougi.Box):
        return shape.rotation
    c, s = np.cos(shape.angle), np.sin(shape.angle)
    return np.array([[c, -s], [s, c]])


def _block(shape: Any, n: int, rng: Random) -> Floats:
    local = _cube(n, shape.dimension, rng) * shape.size / 2
    return np.array([shape.center + _axes(shape) @ p for p in local])


def _aabb(shape: Any, n: int, rng: Random) -> Floats:
    share = (_cube(n, shape.dimension, rng) + 1) / 2
    return np.asarray(shape.lower * (1 - share) + shape.upper * share)


def _capsule(shape: Any, n: int, rng: Random) -> Floats:
    ball = _ball(n, shape.dimension, rng) * shape.radius
    share = np.clip(rng.uniform(-1, 2, (len(ball), 1)), 0, 1)
    core = shape.start * (1 - share) + shape.end * share
    poles = ball[-2 * shape.dimension :]
    along = (shape.end - shape.start) / np.linalg.norm(shape.end - shape.start)
    tips = [shape.start - shape.radius * along, shape.end + shape.radius * along]
    return np.concatenate([core + ball, shape.start + poles, shape.end + poles, tips])


def _sector(shape: Any, n: int, rng: Random) -> Floats:
    third = np.cross(shape.axis, shape.direction)
    share = _cube(n, 3, rng)
    angle = share[:, 0] * shape.half_angle
    inner, outer = shape.inner_radius, shape.outer_radius
    radius = inner + (outer - inner) * (share[:, 1] + 1) / 2
    flat = np.cos(angle)[:, None] * shape.direction + np.sin(angle)[:, None] * third
    return np.asarray(
        shape.center + radius[:, None] * flat + (share[:, 2] * shape.half_height)[:, None] * shape.axis
    )


def _sector2d(shape: Any, n: int, rng: Random) -> Floats:
    share = _cube(n, 2, rng)
    angle = share[:, :1] * shape.half_angle
    radius = shape.inner_radius + (shape.outer_radius - shape.inner_radius) * (share[:, 1:] + 1) / 2
    x, y = shape.direction
    flat = np.cos(angle) * shape.direction + np.sin(angle) * np.array([-y, x])
    return np.asarray(shape.center + radius * flat)


def _mesh(shape: Any, n: int, rng: Random) -> Floats:
    each = n // len(shape.faces)
    return np.concatenate([_mix_corners(shape.vertices[face], each, rng) for face in shape.faces])


_POINTS: dict[type[Any], Callable[[Any, int, Random], Floats]] = {
    ougi.Circle: lambda s, n, rng: np.asarray(s.center + s.radius * _ball(n, 2, rng)),
    ougi.Sphere: lambda s, n, rng: np.asarray(s.center + s.radius * _ball(n, 3, rng)),
    ougi.Rectangle: _block,
    ougi.Box: _block,
    ougi.Aabb2d: _aabb,
    ougi.Aabb3d: _aabb,
    ougi.Capsule2d: _capsule,
    ougi.Capsule3d: _capsule,
    ougi.Segment2d: lambda s, n, rng: _mix_corners([s.start, s.end], n, rng),
    ougi.Segment3d: lambda s, n, rng: _mix_corners([s.start, s.end], n, rng),
    ougi.Triangle2d: lambda s, n, rng: _mix_corners([s.a, s.b, s.c], n, rng),
    ougi.Triangle3d: lambda s, n, rng: _mix_corners([s.a, s.b, s.c], n, rng),
    ougi.Sector2d: _sector2d,
    ougi.Sector3d: _sector,
    ougi.Mesh: _mesh,
}


# --- membership -----------------------------------------------------------------------------------------


def _outside_ball(shape: Any, points: Floats) -> Floats:
    return np.asarray(np.linalg.norm(points - shape.center, axis=1) - shape.radius)


def _outside_block(shape: Any, points: Floats) -> Floats:
    local = np.array([_axes(shape).T @ (p - shape.center) for p in points])
    return np.asarray((np.abs(local) - shape.size / 2).max(axis=1))


def _outside_aabb(shape: Any, points: Floats) -> Floats:
    return np.asarray(np.maximum(shape.lower - points, points - shape.upper).max(axis=1))


def _to_segment(start: Floats, end: Floats, points: Floats) -> Floats:
    along = end - start
    t = np.clip((points - start) @ along / (along @ along), 0, 1)
    return np.asarray(np.linalg.norm(points - start - t[:, None] * along, axis=1))


def _outside_triangle(a: Floats, b: Floats, c: Floats, points: Floats) -> Floats:
    """Misfit of barycentric coordinates; a measure of distance, not the distance."""
    edges = np.stack([b - a, c - a], axis=1)
    uv = np.linalg.lstsq(edges, (points - a).T, rcond=None)[0]
    off_plane = np.linalg.norm((points - a).T - edges @ uv, axis=0)
    u, v = uv
    return np.asarray(off_plane + np.maximum.reduce([-u, -v, u + v - 1, np.zeros_like(u)]))


def _outside_sector(shape: Any, points: Floats) -> Floats:
    third = np.cross(shape.axis, shape.direction)
    x, y, z = (np.stack([shape.direction, third, shape.axis]) @ (points - shape.center).T)[:3]
    rho, phi = np.hypot(x, y), np.abs(np.arctan2(y, x))
    excess: Floats = np.maximum.reduce(
        [
            np.abs(z) - shape.half_height,
            rho - shape.outer_radius,
            shape.inner_radius - rho,
            rho * (phi - shape.half_angle),
        ]
    )
    return excess


def _outside_sector2d(shape: Any, points: Floats) -> Floats:
    x, y = shape.direction
    a, b = np.array([[x, y], [-y, x]]) @ (points - shape.center).T
    rho, phi = np.hypot(a, b), np.abs(np.arctan2(b, a))
    excess: Floats = np.maximum.reduce(
        [rho - shape.outer_radius, shape.inner_radius - rho, rho * (phi - shape.half_angle)]
    )
    return excess


def _outside_mesh(shape: Any, points: Floats) -> Floats:
    v = shape.vertices
    each = [_outside_triangle(v[i], v[j], v[k], points) for i, j, k in shape.faces]
    return np.asarray(np.min(each, axis=0))


_OUTSIDE: dict[type[Any], Callable[[Any, Floats], Floats]] = {
    ougi.Circle: _outside_ball,
    ougi.Sphere: _outside_ball,
    ougi.Rectangle: _outside_block,
    ougi.Box: _outside_block,
    ougi.Aabb2d: _outside_aabb,
    ougi.Aabb3d: _outside_aabb,
    ougi.Capsule2d: lambda s, p: np.asarray(_to_segment(s.start, s.end, p) - s.radius),
    ougi.Capsule3d: lambda s, p: np.asarray(_to_segment(s.start, s.end, p) - s.radius),
    ougi.Segment2d: lambda s, p: _to_segment(s.start, s.end, p),
    ougi.Segment3d: lambda s, p: _to_segment(s.start, s.end, p),
    ougi.Triangle2d: lambda s, p: _outside_triangle(s.a, s.b, s.c, p),
    ougi.Triangle3d: lambda s, p: _outside_triangle(s.a, s.b, s.c, p),
    ougi.Sector2d: _outside_sector2d,
    ougi.Sector3d: _outside_sector,
    ougi.Mesh: _outside_mesh,
}
