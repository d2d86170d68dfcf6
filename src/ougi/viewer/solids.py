"""Shapes for the browser: meshes of unit size, each drawn many times with other poses and scales."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.plot.bodies import build_mesh, build_outline
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Compound,
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Ellipsoid,
    Mesh,
    Point2d,
    Point3d,
    Rectangle,
    Sector2d,
    Sector3d,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
)

_UP = np.eye(3)

# Around a ball: thousands of them must be drawn by processors without a graphics card, too.
_PIECES = 20

# Points and segments have no surface: they are drawn as balls and rods of this share of the scene.
_THIN = 0.004
# Shapes of the plane are drawn as plates; their half thickness is this share of the scene.
_PLATE = 0.01


class Solid(NamedTuple):
    """One of many like meshes: solids with one `key` share theirs, which `make` makes."""

    key: Hashable
    make: Callable[[], Mesh]
    center: Floats
    rotation: Floats
    scale: Floats


class SolidGroup(NamedTuple):
    """A mesh and the shapes that are drawn by it: their indices, and how each lies in its own coordinates."""

    vertices: Floats
    faces: Ints
    members: Ints
    center: Floats  # (n, 3)
    rotation: Floats  # (n, 3, 3)
    scale: Floats  # (n, 3)


def group_solids(shapes: Sequence[Shape], extent: float) -> list[SolidGroup]:
    """Single shapes by meshes; `extent` is the size of the scene, for what has no thickness of its own.

    >>> import ougi
    >>> balls = [ougi.Sphere([0, 0, k], k + 1) for k in range(5)]
    >>> [len(group.members) for group in group_solids([*balls, ougi.Box([0, 0, 0], [1, 2, 3])], 10.0)]
    [5, 1]
    """
    solids = [build_solid(shape, extent) for shape in shapes]
    by_key: dict[Hashable, list[int]] = {}
    for k, one in enumerate(solids):
        by_key.setdefault(one.key, []).append(k)
    found = []
    for members in by_key.values():
        first = solids[members[0]].make()
        placed = [np.array([getattr(solids[k], name) for k in members]) for name in Solid._fields[2:]]
        found.append(SolidGroup(first.vertices, first.faces, np.array(members), *placed))
    return found


def build_solid(shape: Shape, extent: float) -> Solid:
    """How a single shape is drawn."""
    match shape:
        case Compound():
            turn, place = _UP.copy(), np.zeros(3)
            d = shape.dimension
            turn[:d, :d], place[:d] = shape.rotation, shape.position
            template = shape.template.item()
            key = "compound", id(template), extent
            return Solid(key, lambda: _join_parts(template.shapes, extent), place, turn, np.ones(3))
        case Sphere():
            return _build_ball(shape.center, float(shape.radius))
        case Box():
            return Solid("box", _build_unit_box, shape.center, shape.rotation, shape.size)
        case Aabb3d():
            return Solid(
                "box", _build_unit_box, (shape.lower + shape.upper) / 2, _UP, shape.upper - shape.lower
            )
        case Capsule3d() | Segment3d():
            return _build_rod(shape.start, shape.end, float(getattr(shape, "radius", _THIN * extent)))
        case Sector3d() if shape.half_angle >= np.pi and shape.inner_radius == 0:
            radius, axis = float(shape.outer_radius), shape.axis
            turn = np.stack([shape.direction, np.cross(axis, shape.direction), axis], axis=1)
            size = np.array([radius, radius, 2 * float(shape.half_height)])
            return Solid("cylinder", _build_unit_cylinder, shape.center, turn, size)
        case Cone():
            center, turn, size, _ = shape._solid()
            return Solid("cone", _build_unit_cone, center, turn, size)
        case Ellipsoid():
            return Solid("ball", _build_unit_ball, shape.center, shape.rotation, shape.radii)
        case Point3d():
            return _build_ball(shape.position, _THIN * extent)
        case ConvexHull3d() if shape.radius == 0 and len(shape.vertices) < 3:
            return _build_rod(shape.vertices[0], shape.vertices[-1], _THIN * extent)
        case ConvexHull3d():
            own = ConvexHull3d(shape.template.item().vertices, shape.radius)
            key = "hull", shape.template.item(), float(shape.radius)
            return Solid(key, lambda: build_mesh(own, _PIECES), shape.position, shape.rotation, np.ones(3))
    if shape.dimension == 2:
        return _build_plate(shape, extent)
    return Solid(id(shape), lambda: build_mesh(shape), np.zeros(3), _UP, np.ones(3))


def _join_parts(parts: Sequence[Shape], extent: float) -> Mesh:
    """The parts of a compound as one mesh."""
    vertices, faces, count = [], [], 0
    for part in parts:
        solid = build_solid(part, extent)
        made = solid.make()
        vertices.append((made.vertices * solid.scale) @ solid.rotation.T + solid.center)
        faces.append(made.faces + count)
        count += len(made.vertices)
    return Mesh._from_arrays(np.concatenate(vertices), np.concatenate(faces))


def _build_plate(shape: Shape, extent: float) -> Solid:
    half = _PLATE * extent
    match shape:
        case Circle():
            radius = float(shape.radius)
            size = np.array([radius, radius, 2 * half])
            return Solid("cylinder", _build_unit_cylinder, np.append(shape.center, 0.0), _UP, size)
        case Rectangle():
            turn = _UP.copy()
            c, s = np.cos(shape.angle), np.sin(shape.angle)
            turn[:2, :2] = [[c, -s], [s, c]]
            size = np.append(shape.size, 2 * half)
            return Solid("box", _build_unit_box, np.append(shape.center, 0.0), turn, size)
        case Aabb2d():
            return _build_plate(Rectangle((shape.lower + shape.upper) / 2, shape.upper - shape.lower), extent)
        case Segment2d():
            return _build_plate(Capsule2d(shape.start, shape.end, _THIN * extent), extent)
        case Point2d():
            return _build_plate(Circle(shape.position, _THIN * extent), extent)
        case ConvexPolygon2d() if shape.radius == 0 and len(shape.vertices) < 3:
            return _build_plate(Segment2d(shape.vertices[0], shape.vertices[-1]), extent)
        case Sector2d():
            fan = Sector3d(
                np.append(shape.center, 0.0),
                [0, 0, 1],
                np.append(shape.direction, 0.0),
                shape.half_angle,
                shape.inner_radius,
                shape.outer_radius,
                half,
            )
            return Solid(id(shape), lambda: build_mesh(fan), np.zeros(3), _UP, np.ones(3))
    return Solid(id(shape), lambda: prism(build_outline(shape), half), np.zeros(3), _UP, np.ones(3))


def prism(corners: Floats, half: float) -> Mesh:
    """A convex polygon (k, 2) as a plate from -half to half, wound outward.

    >>> prism(np.array([[0.0, 0], [1, 0], [0, 1]]), 0.1)
    <Mesh of 6 vertices and 8 faces>
    """
    x, y = corners.T
    if np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) < 0:
        corners = corners[::-1]
    n = len(corners)
    z = np.full((n, 1), half)
    vertices = np.concatenate([np.hstack([corners, -z]), np.hstack([corners, z])])
    p, middle = np.arange(n), np.arange(1, n - 1)
    q, zero = (p + 1) % n, np.zeros(n - 2, np.int64)
    faces = [
        np.stack([zero, middle + 1, middle], axis=1),
        np.stack([zero + n, middle + n, middle + 1 + n], axis=1),
        np.stack([p, q, q + n], axis=1),
        np.stack([p, q + n, p + n], axis=1),
    ]
    return Mesh._from_arrays(vertices, np.concatenate(faces))


def _build_ball(center: Floats, radius: float) -> Solid:
    return Solid("ball", _build_unit_ball, center, _UP, np.full(3, radius))


def _build_rod(start: Floats, end: Floats, radius: float) -> Solid:
    """A capsule; capsules of one proportion share a mesh along z, of radius 1."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0 or radius == 0:
        return _build_ball(start, radius) if radius else _build_rod(start, end, 1e-3 * length)
    ratio = round(length / radius, 6)
    return Solid(
        ("rod", ratio),
        lambda: build_mesh(Capsule3d([0, 0, -ratio / 2], [0, 0, ratio / 2], 1.0), _PIECES),
        (start + end) / 2,
        _turn_z_to(along / length),
        np.full(3, radius),
    )


def _turn_z_to(z: Floats) -> Floats:
    """A rotation that takes the z axis to a unit vector."""
    x = np.cross(z, _UP[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _build_unit_ball() -> Mesh:
    return build_mesh(Sphere([0, 0, 0], 1), _PIECES)


def _build_unit_box() -> Mesh:
    return build_mesh(Box([0, 0, 0], [1, 1, 1]))


def _build_unit_cone() -> Mesh:
    return build_mesh(Cone([0, 0, 0], [0, 0, 1], 1, 1))


def _build_unit_cylinder() -> Mesh:
    return build_mesh(Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 0, 1, 0.5))
