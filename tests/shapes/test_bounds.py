"""Axis-aligned bounds, against points of the shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sampling import outside, points_of

import ougi

ROUNDING = 1e-12  # of coordinates below 10


def assert_tight(shape: Any, near: float) -> None:
    """All points lie within, and some come within `near` of each face."""
    points = points_of(shape, 4000)
    box = shape.bounds()
    assert (points >= box.lower - ROUNDING).all()
    assert (points <= box.upper + ROUNDING).all()
    np.testing.assert_allclose(points.min(axis=0), box.lower, rtol=0, atol=near)
    np.testing.assert_allclose(points.max(axis=0), box.upper, rtol=0, atol=near)


def test_the_oracle_agrees_with_itself(shapes: Any) -> None:
    for shape in shapes.build((8,)):
        points = points_of(shape, 500)
        assert outside(shape, points).max() < ROUNDING
        assert outside(shape, points + 20).min() > 1


def test_bounds_contain_the_shape_and_touch_it_on_every_side(shapes: Any) -> None:
    batch = shapes.build((12,))
    box = batch.bounds()
    assert type(box) is (ougi.Aabb2d if batch.dimension == 2 else ougi.Aabb3d)
    assert box.shape == (12,)
    for shape in batch:
        assert_tight(shape, near=0.02)  # 4000 points on a curved face of radius up to 3


def test_bounds_of_a_batch_are_the_bounds_of_its_members(shapes: Any) -> None:
    batch = shapes.build((2, 3))
    box = batch.bounds()
    assert box.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            one = batch[i, j].bounds()
            np.testing.assert_allclose(box[i, j].lower, one.lower, rtol=0, atol=1e-15)
            np.testing.assert_allclose(box[i, j].upper, one.upper, rtol=0, atol=1e-15)


def test_bounds_of_nothing_are_empty(shapes: Any) -> None:
    assert shapes.build((0,)).bounds().shape == (0,)
    assert shapes.build((2, 0)).bounds().shape == (2, 0)


def test_an_empty_list_of_vectors_makes_an_empty_batch(shapes: Any) -> None:
    for name, value in shapes.arguments().items():
        if value.ndim == 1 and name != "rotation":
            assert shapes.cls(**{**shapes.arguments(), name: []}).shape == (0,)


def test_bounds_are_read_only(shapes: Any) -> None:
    box = shapes.build((2,)).bounds()
    assert not box.lower.flags.writeable
    assert not box.upper.flags.writeable


def test_bounds_of_an_aabb_are_itself() -> None:
    box = ougi.Aabb3d([[0, 1, 2], [3, 4, 5]], 6 * np.ones(3))
    assert box.bounds() == box


# One fan for each way in which a side of its bounds can be reached.
FANS = {
    "narrow": (0.3, 1, 3, 0.5),
    "right angle": (np.pi / 4, 1, 3, 0.5),
    "half disc": (np.pi / 2, 0, 2, 0.1),
    "behind its center": (2.5, 0.5, 2, 0.1),
    "full ring": (np.pi, 1, 2, 0.3),
    "full disc": (np.pi, 0, 2, 0.3),
    "ray": (0.0, 1, 3, 0.0),
    "arc": (1.0, 2, 2, 0.0),
    "point": (1.0, 0, 0, 0.0),
    "stick": (1.0, 0, 0, 2.0),
}


@pytest.mark.parametrize("name", FANS)
@pytest.mark.parametrize("turn", range(8))
def test_bounds_of_fans_of_every_kind(name: str, turn: int) -> None:
    rng = np.random.default_rng(turn)
    axis = rng.normal(size=3) if turn else np.array([0.0, 0.0, 1.0])
    direction = rng.normal(size=3) if turn else np.array([1.0, 0.0, 0.0])
    assert_tight(ougi.Sector3d([1, 2, 3], axis, direction, *FANS[name]), near=0.02)


def test_bounds_of_a_fan_that_looks_away_are_made_by_its_inner_arc() -> None:
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi / 3, 1, 2, 0.25)
    box = fan.bounds()
    np.testing.assert_allclose(box.lower, [0.5, -np.sqrt(3), -0.25], rtol=0, atol=1e-15)
    np.testing.assert_allclose(box.upper, [2, np.sqrt(3), 0.25], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "shape",
    [
        ougi.Circle([1, 2], 0),
        ougi.Sphere([1, 2, 3], 0),
        ougi.Rectangle([1, 2], [0, 0], 1),
        ougi.Box([1, 2, 3], [0, 0, 0]),
        ougi.Capsule2d([1, 2], [1, 2], 0),
        ougi.Capsule3d([1, 2, 3], [1, 2, 3], 0),
        ougi.Segment2d([1, 2], [1, 2]),
        ougi.Segment3d([1, 2, 3], [1, 2, 3]),
        ougi.Triangle2d([1, 2], [1, 2], [1, 2]),
        ougi.Triangle3d([1, 2, 3], [1, 2, 3], [1, 2, 3]),
        ougi.Aabb2d([1, 2], [1, 2]),
        ougi.Aabb3d([1, 2, 3], [1, 2, 3]),
        ougi.Mesh([[1, 2, 3]], [[0, 0, 0]]),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_bounds_of_a_shape_shrunk_to_a_point_are_the_point(shape: Any) -> None:
    point = [1.0, 2.0, 3.0][: shape.dimension]
    assert shape.bounds().lower.tolist() == point
    assert shape.bounds().upper.tolist() == point
    ball = shape.bounding_sphere()
    assert ball.center.tolist() == point
    assert ball.radius == 0
