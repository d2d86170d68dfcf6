"""Queries for first contacts that are put to every front end: all pairs of shapes, and motions in turn."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ougi

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


def make_queries(dimension: int) -> list[Any]:
    """A moving shape, its motion, a target beside the start, and its motion or None."""
    shapes, motions = (FLAT if dimension == 2 else SOLID), MOTIONS[dimension]
    found = []
    for k, (a, b) in enumerate((a, b) for a in shapes for b in shapes):
        name = list(motions)[k % len(motions)]
        other = (None, None, motions[list(motions)[(k // 2) % len(motions)]].scaled(-0.4))[k % 3]
        target = _place_target(shapes[b])
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
