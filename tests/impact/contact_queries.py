"""Queries for first contacts that are put to every front end: all pairs of shapes, and motions in turn."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ougi
from ougi.impact.engine import plan

TETRAHEDRON = ougi.Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)

# At the origin, and of a size of about 1.
FLAT = {
    "circle": ougi.Circle([0, 0], 0.5),
    "capsule": ougi.Capsule2d([-0.5, 0], [0.5, 0.2], 0.2),
    "segment": ougi.Segment2d([-0.5, 0], [0.5, 0.2]),
    "triangle": ougi.Triangle2d([0, 0], [1, 0], [0, 1]),
    "rectangle": ougi.Rectangle([0, 0], [1, 0.6], 0.3),
    "aabb": ougi.Aabb2d([-0.5, -0.4], [0.5, 0.4]),
    "convex-polygon": ougi.ConvexPolygon2d([[-0.5, -0.3], [0.4, -0.4], [0.6, 0.1], [0, 0.5]]),
    "polygon": ougi.Polygon2d([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [0, -0.1], [-0.5, 0.5]]),
    "compound": ougi.Compound2d([ougi.Circle([-0.3, 0], 0.2), ougi.Rectangle([0.3, 0], [0.4, 0.6])]),
    "half-space": ougi.HalfSpace2d([-1, 0.1], 0.4),
    "sector": ougi.Sector2d([-0.6, 0], [1, 0], 0.5, 0.3, 1.2),
}
SOLID = {
    "sphere": ougi.Sphere([0, 0, 0], 0.5),
    "capsule": ougi.Capsule3d([-0.5, 0, 0], [0.5, 0.2, 0], 0.2),
    "segment": ougi.Segment3d([-0.5, 0, 0], [0.5, 0.2, 0]),
    "triangle": ougi.Triangle3d([0, 0, 0], [1, 0, 0], [0, 1, 0.2]),
    "box": ougi.Box([0, 0, 0], [1, 0.6, 0.4]),
    "aabb": ougi.Aabb3d([-0.5, -0.4, -0.3], [0.5, 0.4, 0.3]),
    "cylinder": ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, 0.5, 0.4),
    "mesh": TETRAHEDRON,
    "hull": ougi.ConvexHull3d(
        [[-0.5, -0.3, 0], [0.4, -0.4, 0.1], [0.6, 0.1, -0.3], [0, 0.5, 0], [0, 0, 0.6]]
    ),
    "drum": ougi.Cylinder([0, 0, 0], [0.4, 0.1, 1], 0.4, 0.5),
    "cone": ougi.Cone([0, 0, 0], [0.4, 0.1, 1], 0.5, 0.4),
    "ellipsoid": ougi.Ellipsoid([0, 0, 0], [1, 0.6, 0.4]),
    "compound": ougi.Compound3d([ougi.Sphere([-0.3, 0, 0], 0.2), ougi.Box([0.3, 0, 0], [0.4, 0.6, 0.4])]),
    "half-space": ougi.HalfSpace3d([-1, 0.1, 0.2], 0.4),
    "sector": ougi.Sector3d([-0.6, 0, 0], [0.1, 0, 1], [1, 0, 0], 0.5, 0.3, 1.2, 0.2),
}
MOTIONS = {
    2: {
        "translation": ougi.Translation2d([5, 0.2]),
        "rotation": ougi.Rotation2d([1.5, -2], 2.0),
        "chain": ougi.Chain(ougi.Translation2d([5, 0]), ougi.Rotation2d([0, 0], 1.0)),
    },
    3: {
        "translation": ougi.Translation3d([5, 0.2, 0.1]),
        "rotation": ougi.Rotation3d([1.5, -2, 0], [0, 0.1, 1], 2.0),
        "screw": ougi.Screw3d([1.5, -2, 0], [0, 0.1, 1], 2.0, 0.2),
        "chain": ougi.Chain(ougi.Translation3d([5, 0, 0]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)),
    },
}


def make_queries(dimension: int, *, together: bool = False) -> list[Any]:
    """A moving shape, its motion, a target, and its motion or None, if supported.

    The target is beside the start, or in the same place, so that both overlap there.
    """
    return [query for query in _make_all(dimension, together=together) if _is_supported(*query.values)]


def make_unsupported_queries() -> list[Any]:
    """Queries that no engine computes."""
    return [query for d in (2, 3) for query in _make_all(d) if not _is_supported(*query.values)]


def _is_supported(a: Any, motion: Any, b: Any, other: Any) -> bool:
    try:
        plan(a, motion, b, other)
    except ougi.UnsupportedPairError:
        return False
    return True


def _make_all(dimension: int, *, together: bool = False) -> list[Any]:
    shapes, motions = (FLAT if dimension == 2 else SOLID), MOTIONS[dimension]
    found = []
    # Worlds and checks leave out pairs of half-spaces, which are floors and walls.
    pairs = [(a, b) for a in shapes for b in shapes if not a == b == "half-space"]
    if (
        together
    ):  # the half-space is apart from the origin, and the segment passes below the triangle of space
        apart = [{"half-space", name} for name in shapes]
        apart += [] if dimension == 2 else [{"segment", "triangle"}]
        pairs = [pair for pair in pairs if set(pair) not in apart]
    for k, (a, b) in enumerate(pairs):
        name = list(motions)[k % len(motions)]
        others = (None, None, motions[list(motions)[(k // 2) % len(motions)]].scaled(-0.4))
        other = others[k // len(motions) % 3]  # so that each motion meets each of them
        target = shapes[b] if together else _place_target(shapes[b])
        found.append(
            pytest.param(shapes[a], motions[name], target, other, id=f"{dimension}-D {a} {name} {b}")
        )
    return found


def _place_target(shape: Any) -> Any:
    """The shape beside the start, so that motions pass it, meet it or miss it."""
    d = shape.dimension
    offset = [3.0, -0.3, 0.1][:d]
    if isinstance(shape, ougi.Aabb2d | ougi.Aabb3d):
        return type(shape)(shape.lower + offset, shape.upper + offset)
    return shape.transformed(ougi.Pose(offset, 0.4 if d == 2 else [0, 0, 0.28, 0.96]))
