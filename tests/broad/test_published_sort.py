"""SORT's methods: the same pairs as brute force where rounding decides, and the counts of SORT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ougi
from ougi._typing import Floats
from ougi.broad import count_tests
from ougi.broad.published import PUBLISHED

SORTING = [name for name in PUBLISHED if name != "brute"]


def require_agreement(a: Any, b: Any = None) -> list[list[int]]:
    """The pairs that every method finds."""
    found: list[list[int]] = ougi.candidate_pairs(a, b, method="brute").tolist()
    for method in SORTING:
        assert ougi.candidate_pairs(a, b, method=method).tolist() == found, method
    return found


def ends(shapes: Any) -> tuple[Floats, Floats]:
    box = shapes.bounds()
    return box.lower, box.upper


def overlaps(lower: Floats, upper: Floats) -> Any:
    """(n, n): do intervals overlap?"""
    both = (lower[:, None] <= upper) & (lower <= upper[:, None])
    np.fill_diagonal(both, False)
    return both


# --- pairs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0.0, 0.1, 1e6, -1e38, 1e-38])
def test_neighbours_that_touch_up_to_rounding_are_found_alike(at: float) -> None:
    """Radii of a third and steps of two thirds: each pair touches, or not, by a rounding error."""
    rng = np.random.default_rng(1)
    unit = max(abs(at), 1.0) if at != 1e-38 else at
    steps = np.cumsum(np.full(60, 2 * unit / 3))
    for direction in ([1, 0, 0], [0, 0, 1], [1, 1, 1], [3, -4, 12]):
        v = np.asarray(direction) / np.linalg.norm(direction)
        row = ougi.Sphere(at * np.array([1, 0.5, 0.25]) + steps[:, None] * v, unit / 3)
        found = require_agreement(row)
        assert found
        shuffled = row[rng.permutation(60)]
        assert len(require_agreement(shuffled)) == len(found)
        require_agreement(shuffled[:20], shuffled[20:])


@pytest.mark.plain
def test_balls_whose_distance_underflows_touch() -> None:
    """The square of 1e-170 is 0, so `intersects` calls such points equal."""
    centers = 1e-170 * np.array([[0, 0, 0], [1, 0, 0], [0, -1, 0], [1e170, 0, 0]])
    points = ougi.Sphere._from_fields((4,), {"center": centers, "radius": np.zeros(4)})
    assert require_agreement(points) == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.plain
def test_a_ball_inside_another_is_found() -> None:
    """S1: as printed, the enclosing body is dropped."""
    rng = np.random.default_rng(2)
    small = rng.uniform(-15, 15, (10, 3))
    balls = ougi.Sphere(np.concatenate([[[0, 0, 0]], small]), [20.0, *[1.0] * 10])
    found = require_agreement(balls)
    assert sum(i == 0 for i, _ in found) >= 8


@pytest.mark.plain
def test_bodies_that_lie_behind_each_other_on_their_best_axes_are_found() -> None:
    """S4: the first two touch; on x, best for one, and on y, best for the other, each comes later."""
    centers = [[1, 0, 0], [0, 1, 0], [50, -1.5, 10], [-1.5, 50, 20], [100, 100, 0], [200, 200, 0]]
    assert require_agreement(ougi.Sphere(np.array(centers), 1)) == [[0, 1]]


coordinate = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0])
bodies = st.lists(
    st.tuples(coordinate, coordinate, coordinate, st.sampled_from([0.0, 0.5, 1.0, 4.0])), max_size=9
)


@given(bodies, bodies)
def test_on_a_lattice_all_methods_agree(a: list[tuple[float, ...]], b: list[tuple[float, ...]]) -> None:
    first, second = (np.array(rows, np.float64).reshape((-1, 4)) for rows in (a, b))
    balls, others = (ougi.Sphere(rows[:, :3], rows[:, 3]) for rows in (first, second))
    discs = ougi.Circle(first[:, :2], first[:, 3])
    for shapes in (balls, balls.bounds(), discs, discs.bounds()):
        require_agreement(shapes)
    require_agreement(balls, others)
    require_agreement(balls.bounds(), others)


# --- counts ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def world() -> Any:
    rng = np.random.default_rng(3)
    return ougi.Sphere(rng.uniform(-48, 48, (300, 3)), rng.uniform(0.2, 4, 300))


def test_brute_force_tests_every_pair_once(world: Any) -> None:
    counted = count_tests(world, method="brute")
    assert (counted.tests, counted.per_object, counted.share) == (300 * 299 // 2, 299 / 2, 1.0)


@pytest.mark.plain
def test_tests_on_x_are_the_overlaps_on_x(world: Any) -> None:
    lower, upper = ends(world)
    expected = np.count_nonzero(overlaps(lower[:, 0], upper[:, 0])) // 2
    counted = count_tests(world, method="x")
    assert counted.tests == expected
    assert counted.per_object == expected / 300
    assert counted.touching == len(ougi.candidate_pairs(world))


def test_tests_by_distance_are_those_within_twice_the_largest_radius(world: Any) -> None:
    distance = np.linalg.norm(world.center, axis=1)
    near = np.abs(distance[:, None] - distance) <= 2 * world.radius.max()
    assert count_tests(world, method="origin").tests == (np.count_nonzero(near) - 300) // 2


@pytest.mark.parametrize(("method", "axes"), [("xy", 2), ("axes", 3)])
@pytest.mark.parametrize("n", [5, 12, 40, 300])
def test_bodies_that_overlap_no_other_are_dropped_and_the_rest_tested_on_the_last_axis(
    world: Any, method: str, axes: int, n: int
) -> None:
    lower, upper = ends(world[:n])
    left = np.arange(n)
    for axis in range(axes - 1):
        left = left[overlaps(lower[left, axis], upper[left, axis]).any(axis=1)]
    last = overlaps(lower[left, axes - 1], upper[left, axes - 1])
    assert count_tests(world[:n], method=method).tests == np.count_nonzero(last) // 2


@pytest.mark.plain
def test_the_best_axis_is_that_with_the_fewest_candidates_on_both_sides(world: Any) -> None:
    lower, upper = ends(world)
    tables = np.stack([overlaps(lower[:, axis], upper[:, axis]) for axis in range(3)])
    counts = tables.sum(axis=2)
    best = counts.argmin(axis=0)
    choose_search = np.triu(tables[best, np.arange(300)], 1)  # candidates j > i of each i
    assert count_tests(world, method="best-axis").tests == np.count_nonzero(choose_search)


@pytest.mark.plain
def test_of_two_batches_only_pairs_of_one_of_each_are_tested(world: Any) -> None:
    a, b = world[:100], world[100:]
    lower, upper = ends(world)
    mixed = overlaps(lower[:, 0], upper[:, 0])[:100, 100:]
    counted = count_tests(a, b, method="x")
    assert counted.tests == np.count_nonzero(mixed)
    assert counted.share == counted.tests / (100 * 200)
    tables = np.stack([overlaps(lower[:, axis], upper[:, axis])[:100, 100:] for axis in range(3)])
    fewest = tables.sum(axis=2).min(axis=0)
    assert count_tests(a, b, method="best-axis").tests == fewest.sum()
    # Bodies that meet only their own kind are dropped as well.
    left_a, left_b = mixed.any(axis=1), mixed.any(axis=0)
    on_y = overlaps(lower[:, 1], upper[:, 1])[:100, 100:][np.ix_(left_a, left_b)]
    assert count_tests(a, b, method="xy").tests == np.count_nonzero(on_y)


def test_in_the_plane_there_is_no_third_axis() -> None:
    rng = np.random.default_rng(4)
    discs = ougi.Circle(rng.uniform(-20, 20, (80, 2)), 1)
    assert count_tests(discs, method="axes") == count_tests(discs, method="xy")
    assert count_tests(discs, method="best-axis").tests < count_tests(discs, method="x").tests


def test_nothing_needs_no_tests() -> None:
    none = ougi.Sphere(np.empty((0, 3)), 1)
    for method in PUBLISHED:
        for counted in (count_tests(none, method=method), count_tests(none, none, method=method)):
            assert (counted.tests, counted.touching, counted.per_object, counted.share) == (0, 0, 0.0, 0.0)


def test_methods_without_counts_are_named() -> None:
    with pytest.raises(ValueError, match=r"method must be one of brute, origin, .*; got 'auto'"):
        count_tests(np.zeros((2, 3)), method="auto")
