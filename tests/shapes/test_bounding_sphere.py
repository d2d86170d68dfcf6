"""Spheres and circles around shapes contain them, and are the smallest unless a class states otherwise."""

from __future__ import annotations

import itertools
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from sampling import points_of

import ougi
from ougi._typing import Floats

ROUNDING = 1e-12  # of coordinates below 10


def assert_contains(shape: Any) -> None:
    ball = shape.bounding_sphere()
    away = np.linalg.norm(points_of(shape, 3000) - ball.center, axis=1)
    assert away.max() <= ball.radius + ROUNDING


def test_bounding_sphere_contains_the_shape(shapes: Any) -> None:
    batch = shapes.build((12,))
    balls = batch.bounding_sphere()
    assert type(balls) is (ougi.Circle if batch.dimension == 2 else ougi.Sphere)
    assert balls.shape == (12,)
    for i, shape in enumerate(batch):
        assert_contains(shape)
        one = shape.bounding_sphere()
        np.testing.assert_allclose(balls[i].center, one.center, rtol=0, atol=1e-14)
        np.testing.assert_allclose(balls[i].radius, one.radius, rtol=0, atol=1e-14)


def test_no_sphere_is_wider_than_the_widest_two_points_demand(shapes: Any) -> None:
    """Two points a diameter apart prove a sphere smallest; for triangles and fans there is Jung's theorem."""
    d = shapes.cls.dimension
    lopsided = shapes.name.startswith(("Triangle", "Sector"))
    limit = np.sqrt(d / (2 * (d + 1))) if lopsided else 0.5
    for shape in shapes.build((6,)):
        points = points_of(shape, 1500)
        widest = max(float(np.linalg.norm(points - p, axis=1).max()) for p in points)
        assert widest / 2 - ROUNDING <= shape.bounding_sphere().radius <= limit * widest + 0.01


def test_bounding_sphere_of_nothing_is_empty(shapes: Any) -> None:
    assert shapes.build((0,)).bounding_sphere().shape == (0,)
    assert shapes.build((2, 0)).bounding_sphere().shape == (2, 0)


# --- triangles ------------------------------------------------------------------------------------------


def smallest_radius(*corners: Floats) -> float:
    """By trying the spheres on two and on three corners."""

    def reach(center: Floats) -> float:
        return max(float(np.linalg.norm(p - center)) for p in corners)

    best = min(reach((p + q) / 2) for p, q in itertools.combinations(corners, 2))
    a, b, c = corners
    edges = np.stack([b - a, c - a])
    around = a + np.linalg.lstsq(edges, (edges**2).sum(axis=1) / 2, rcond=None)[0]
    return min(best, reach(around))


def assert_smallest(cls: Any, corners: Any, tol: float = 1e-12) -> None:
    points = [np.asarray(p, float) for p in corners]
    ball = cls(*points).bounding_sphere()
    scale = max(float(np.abs(p).max()) for p in points) + 1e-300
    for p in points:
        assert np.linalg.norm(p - ball.center) <= ball.radius + tol * scale
    assert ball.radius == pytest.approx(smallest_radius(*points), rel=0, abs=tol * scale)


TRIANGLES: dict[str, list[list[float]]] = {
    "acute": [[0, 0], [4, 0], [2, 3]],
    "equilateral": [[0, 0], [2, 0], [1, np.sqrt(3)]],
    "right": [[0, 0], [4, 0], [0, 3]],
    "obtuse": [[0, 0], [10, 0], [3, 1]],
    "very obtuse": [[0, 0], [10, 0], [5, 1e-9]],
    "collinear": [[0, 0], [1, 1], [3, 3]],
    "two equal": [[1, 2], [1, 2], [4, 6]],
    "all equal": [[1, 2], [1, 2], [1, 2]],
    "far away": [[1e6, 1e6], [1e6 + 4, 1e6], [1e6 + 2, 1e6 + 3]],
}


@pytest.mark.parametrize("name", TRIANGLES)
def test_sphere_around_a_triangle_is_the_smallest(name: str) -> None:
    for corners in itertools.permutations(TRIANGLES[name]):
        assert_smallest(ougi.Triangle2d, corners)
        assert_smallest(ougi.Triangle3d, [[x, 7.0, y] for x, y in corners])


@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-8, 1e-9, 1e-12])
def test_sphere_around_an_acute_needle_is_half_as_wide_as_it_is_long(width: float) -> None:
    needle = ougi.Triangle2d([0, 0], [1, width], [1, -width])
    assert needle.bounding_sphere().radius == pytest.approx(0.5, abs=2 * width + 1e-9)


@pytest.mark.parametrize("size", [1e-40, 1e-20, 1e39])
def test_sphere_around_a_triangle_of_any_size_is_the_smallest(size: float) -> None:
    corners = np.array([[0, 0], [4, 0], [2, 3]]) * size
    ball = ougi.Triangle2d(*corners).bounding_sphere()
    assert ball.radius / size == pytest.approx(13 / 6)
    assert ball.center / size == pytest.approx([2, 5 / 6])


@hypothesis.given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=3, max_size=3))
def test_sphere_around_any_triangle_of_a_grid_is_the_smallest(corners: list[tuple[int, int, int]]) -> None:
    assert_smallest(ougi.Triangle3d, corners)


def test_spheres_around_random_triangles_are_the_smallest() -> None:
    rng = np.random.default_rng(0)
    for corners in rng.uniform(-1, 1, (1000, 3, 3)):
        assert_smallest(ougi.Triangle3d, corners)


# --- sectors --------------------------------------------------------------------------------------------


def sector(half_angle: float, inner: float, outer: float, half_height: float) -> ougi.Sector3d:
    return ougi.Sector3d([1, 2, 3], [0, 0, 1], [1, 0, 0], half_angle, inner, outer, half_height)


SECTORS = [
    (angle, inner, 1.0, height)
    for angle in (0.0, 0.1, 0.7, 1.2, 1.5, np.pi / 2, 2.0, np.pi)
    for inner in (0.0, 0.3, 0.9, 1.0)
    for height in (0.0, 0.5)
]


@pytest.mark.parametrize("parameters", SECTORS, ids=str)
def test_sphere_contains_a_sector_of_every_kind(parameters: Any) -> None:
    assert_contains(sector(*parameters))


@pytest.mark.parametrize("parameters", SECTORS, ids=str)
def test_sphere_around_a_sector_is_no_larger_than_the_one_around_its_center(parameters: Any) -> None:
    _, _, outer, height = parameters
    assert sector(*parameters).bounding_sphere().radius <= np.hypot(outer, height) + ROUNDING


@pytest.mark.parametrize("parameters", SECTORS, ids=str)
def test_sphere_around_a_sector_is_the_smallest(parameters: Any) -> None:
    """By trying centers on the middle ray; by symmetry the best one lies there."""
    half_angle, inner, outer, height = parameters
    angle = np.linspace(0, half_angle, 200)
    arcs = np.concatenate([r * np.stack([np.cos(angle), np.sin(angle)], axis=1) for r in (inner, outer)])
    shifts = np.linspace(-0.1, 1.1, 1201)
    reach = np.linalg.norm(arcs[:, None] - np.stack([shifts, 0 * shifts], axis=1), axis=-1).max(axis=0)
    smallest = np.hypot(reach.min(), height)
    assert sector(*parameters).bounding_sphere().radius == pytest.approx(smallest, abs=1e-3)
