"""The queries as users call them: broadcasting, listed pairs, single shapes, bad input."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.query.tables import TABLES

RNG = np.random.default_rng(3)
BALLS = ougi.Sphere(RNG.uniform(-2, 2, (7, 3)), RNG.uniform(0.1, 1, 7))
BOXES = ougi.Box(RNG.uniform(-2, 2, (5, 3)), RNG.uniform(0.1, 2, (5, 3)))
QUESTIONS: list[Any] = [ougi.intersects, ougi.distance, ougi.closest_points, ougi.contacts]


def query_one_by_one(question: Any, a: Any, b: Any) -> np.ndarray[Any, Any]:
    return np.array([[question(x, y) for y in b] for x in a])


@pytest.mark.plain
@pytest.mark.parametrize("question", [ougi.intersects, ougi.distance])
def test_all_against_all_equals_one_by_one(question: Any) -> None:
    expected = query_one_by_one(question, BALLS, BOXES)
    assert np.array_equal(question(BALLS[:, None], BOXES), expected)
    assert np.array_equal(question(BALLS, BOXES[:, None]), expected.T)
    assert np.array_equal(question(BOXES[:, None], BALLS), expected.T)
    assert np.array_equal(question(BOXES, BALLS[:, None]), expected)


@pytest.mark.plain
@pytest.mark.parametrize("question", [ougi.intersects, ougi.distance])
def test_broadcasting_that_is_no_cross_product(question: Any) -> None:
    a = BALLS[:6].reshape((2, 3))
    b = BOXES[:3]
    expected = np.array([[question(a[i, j], b[j]) for j in range(3)] for i in range(2)])
    assert np.array_equal(question(a, b), expected)
    assert np.array_equal(question(b, a), expected)
    same = np.array([question(x, y) for x, y in zip(BALLS[:5], BOXES, strict=True)])
    assert np.array_equal(question(BALLS[:5], BOXES), same)


def test_listed_pairs_equal_indexing() -> None:
    pairs = RNG.integers(0, 5, (40, 2))
    assert np.array_equal(
        ougi.distance(BALLS, BOXES, pairs=pairs), ougi.distance(BALLS[pairs[:, 0]], BOXES[pairs[:, 1]])
    )
    assert np.array_equal(
        ougi.distance(BOXES, BALLS, pairs=pairs), ougi.distance(BOXES[pairs[:, 0]], BALLS[pairs[:, 1]])
    )


def test_swapping_the_operands_turns_the_normal_round() -> None:
    there = ougi.contacts(BALLS[:, None], BOXES)
    back = ougi.contacts(BOXES[:, None], BALLS)
    assert np.array_equal(there.hit, back.hit.T)
    assert np.array_equal(there.normal, -np.swapaxes(back.normal, 0, 1), equal_nan=True)
    assert np.array_equal(there.point, np.swapaxes(back.point, 0, 1), equal_nan=True)
    near, far = ougi.closest_points(BALLS[:, None], BOXES), ougi.closest_points(BOXES[:, None], BALLS)
    assert np.array_equal(near.point_a, np.swapaxes(far.point_b, 0, 1))
    assert np.array_equal(near.point_b, np.swapaxes(far.point_a, 0, 1))


def test_single_shapes_give_numpy_scalars() -> None:
    a, b = BALLS[0], BOXES[0]
    assert isinstance(ougi.intersects(a, b), np.bool_)
    assert isinstance(ougi.contains(a, [0, 0, 0]), np.bool_)
    assert isinstance(ougi.distance(a, b), np.float64)
    assert isinstance(ougi.contacts(a, b).hit, np.bool_)
    assert isinstance(ougi.contacts(a, b).depth, np.float64)
    assert ougi.contacts(a, b).normal.shape == (3,)


def test_answers_of_several_fields_are_neither_true_nor_false() -> None:
    for result in (ougi.contacts(BALLS[0], BOXES[0]), ougi.closest_points(BALLS, BOXES[0])):
        with pytest.raises(TypeError, match=r"a (Contact is .* test one of hit,|Closest is .* distance)"):
            assert result
    world = ougi.World()
    assert not world.step(1.0)  # no events: there are rows, or there are none


@pytest.mark.parametrize("question", QUESTIONS)
def test_empty_in_empty_out(question: Any) -> None:
    none = BALLS[:0]
    for result in (
        question(none, BOXES[0]),
        question(BOXES[0], none),
        question(BALLS, BOXES, pairs=np.empty((0, 2), int)),
        question(BALLS, BOXES, pairs=[]),
        question(BOXES[0], []),
        question([], BOXES[0]),
    ):
        first = result if isinstance(result, np.ndarray) else next(iter(vars(result).values()))
        assert first.shape == (0,)
    grid = question(none[:, None], BOXES)
    first = grid if isinstance(grid, np.ndarray) else next(iter(vars(grid).values()))
    assert first.shape == (0, 5)


def test_points_are_arrays_in_either_place() -> None:
    points = RNG.uniform(-2, 2, (50, 3))
    inside = ougi.contains(BOXES[:, None], points)
    assert np.array_equal(ougi.intersects(points[:, None], BOXES).T, inside)
    assert np.array_equal(ougi.distance(points, BOXES[0]) <= 0, inside[0])
    assert np.array_equal(ougi.contains(BOXES[0], points[3]), inside[0, 3])


def test_contains_wants_a_shape_and_points() -> None:
    with pytest.raises(TypeError, match="shape must be a shape, got list"):
        ougi.contains([0, 0, 0], [0, 0, 0])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="points must be an array"):
        ougi.contains(BALLS, BOXES)


def test_no_contact_is_nan_everywhere_but_in_hit() -> None:
    contact = ougi.contacts(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([5, 0, 0], 1))
    assert not contact.hit
    assert np.isnan(contact.point).all()
    assert np.isnan(contact.normal).all()
    assert np.isnan(contact.depth)


def test_thin_shapes_lie_as_deep_as_thicker_ones() -> None:
    box, needle = ougi.Box([0, 0, 0], [2, 2, 2]), ougi.Segment3d([-5, 0.75, 0], [5, 0.75, 0])
    assert ougi.distance(box, needle) == -0.25
    assert ougi.closest_points(needle, box).distance == -0.25
    assert ougi.distance(box, [0, 0.75, 0]) == -0.25
    assert ougi.distance(box, ougi.Triangle3d([0, 0.75, 0], [3, 0.75, 0], [0, 0.75, 3])) == -0.25
    assert ougi.contacts(box, needle).depth == pytest.approx(0.25, abs=1e-15)
    assert ougi.distance(box, ougi.Capsule3d([-5, 0.75, 0], [5, 0.75, 0], 0.5)) == pytest.approx(-0.75)


def test_mixing_dimensions_is_refused() -> None:
    with pytest.raises(ougi.UnsupportedPairError, match=r"Circle is 2-D and Sphere is 3-D"):
        ougi.intersects(ougi.Circle([0, 0], 1), ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(ougi.UnsupportedPairError, match=r"points is 2-D and Sphere is 3-D"):
        ougi.distance([[0, 0]], ougi.Sphere([0, 0, 0], 1))


def test_an_unsupported_pair_names_what_is_supported() -> None:
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 1, 0, 1, 1)
    with pytest.raises(ougi.UnsupportedPairError) as caught:
        ougi.distance(fan, BOXES)
    assert str(caught.value) == (
        "distance(Sector3d, Box) is not supported; Sector3d can be tested against: "
        "points, Sphere, Segment3d, Capsule3d, HalfSpace3d"
    )
    with pytest.raises(ougi.UnsupportedPairError, match=r"contacts\(Sector3d, Sphere\)"):
        ougi.contacts(fan, BALLS)


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([[0.5, 1]], TypeError, "pairs must be integers, got float64"),
        ([0, 1], ValueError, r"pairs must have shape \(m, 2\), got \(2,\)"),
        ([[0, 1, 2]], ValueError, r"pairs must have shape \(m, 2\), got \(1, 3\)"),
        ([[0, 0], [7, 1]], IndexError, r"pairs\[1, 0\] is 7, but that batch holds 7 shapes"),
        ([[0, -1]], IndexError, r"pairs\[0, 1\] is -1, but that batch holds 5 shapes"),
    ],
)
def test_bad_pairs_are_named(pairs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ougi.intersects(BALLS, BOXES, pairs=pairs)


def test_batches_that_do_not_broadcast_are_named() -> None:
    with pytest.raises(ValueError, match=r"batch shapes do not broadcast: a \(7,\), b \(5,\)"):
        ougi.intersects(BALLS, BOXES)


@pytest.mark.parametrize("bad", [[[0, np.nan, 0]], [[0, np.inf, 0]]])
def test_points_that_are_not_finite_are_named(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"b must be finite, got (nan|inf) at index \(0, 1\)"):
        ougi.intersects(BALLS[0], bad)


def test_no_pair_stands_in_a_table_twice() -> None:
    for rows in TABLES.values():
        keys = [frozenset((row.a, row.b)) for row in rows]
        assert len(keys) == len(set(keys))


def test_all_pairs_of_primitives_of_one_dimension_are_answered() -> None:
    for question, rows in TABLES.items():
        known = {frozenset((row.a, row.b)) for row in rows}
        for dimension in (2, 3):
            plain = {row.a for row in TABLES["separation"] if row.a.dimension == dimension} | {
                row.b for row in TABLES["separation"] if row.b.dimension == dimension
            }
            assert len(plain) == 7
            for a, b in itertools.combinations_with_replacement(plain, 2):
                assert frozenset((a, b)) in known, (question, a, b)


def test_answers_can_be_indexed_and_compared() -> None:
    all_of_them = ougi.contacts(BALLS[:, None], BOXES)
    assert all_of_them[2, 3] == ougi.contacts(BALLS[2], BOXES[3])
    assert all_of_them != ougi.contacts(BALLS[:, None], BOXES[::-1])


def test_contains_names_its_points() -> None:
    with pytest.raises(ValueError, match="points must be finite, got nan"):
        ougi.contains(ougi.Circle([0, 0], 1), [np.nan, 0])
