"""Bad input to shapes: the message names the argument, what is wrong, the value and where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ougi

NAN, INF = float("nan"), float("inf")
Z = [0, 0, 0]
UP = [0, 0, 1]
RIGHT = [1, 0, 0]
REFLECTION = np.diag([1.0, 1.0, -1.0])
SHEAR = np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def sector(**changes: Any) -> Any:
    good: dict[str, Any] = {
        "center": Z,
        "axis": UP,
        "direction": RIGHT,
        "half_angle": 1.0,
        "inner_radius": 1.0,
        "outer_radius": 2.0,
        "half_height": 0.5,
    }
    return ougi.Sector3d(**{**good, **changes})


def require_error(make: Callable[[], Any], kind: type[Exception], *words: str) -> str:
    """The message of the expected error; each of the words must stand in it, in this order."""
    with pytest.raises(kind) as caught:
        make()
    message = str(caught.value)
    assert re.search(".*".join(re.escape(word) for word in words), message, re.DOTALL), message
    return message


# --- for every argument of every class ------------------------------------------------------------------


@pytest.mark.parametrize(("bad", "word"), [(NAN, "nan"), (INF, "inf"), (-INF, "-inf")])
def test_numbers_that_are_not_finite_are_refused(recipe: Any, bad: float, word: str) -> None:
    for name in recipe.arguments():
        arguments = recipe.arguments((3,))
        arguments[name][(1,) + (0,) * (arguments[name].ndim - 1)] = bad
        place = "index (1, 0)" if arguments[name].ndim == 2 else "index 1"
        require_error(partial(recipe.cls, **arguments), ValueError, name, "be finite", word, place)
        arguments = recipe.arguments(())
        arguments[name] = np.full_like(arguments[name], bad)
        require_error(partial(recipe.cls, **arguments), ValueError, name, "be finite", word)


def test_words_are_refused(recipe: Any) -> None:
    for name in recipe.arguments():
        arguments = {**recipe.arguments(), name: "banana"}
        require_error(partial(recipe.cls, **arguments), TypeError, name, "numbers", "str")


def test_digits_in_quotes_are_refused(recipe: Any) -> None:
    for name, value in recipe.arguments().items():
        arguments = {**recipe.arguments(), name: value.astype(str)}
        require_error(partial(recipe.cls, **arguments), TypeError, name, "numbers")


def test_complex_numbers_are_refused(recipe: Any) -> None:
    for name, value in recipe.arguments().items():
        for bad in (value + 0j, (value + 1j).tolist()):
            arguments = {**recipe.arguments(), name: bad}
            require_error(partial(recipe.cls, **arguments), TypeError, name, "numbers", "complex")


def test_things_that_are_no_numbers_are_refused(recipe: Any) -> None:
    for name in recipe.arguments():
        for bad in ({}, object(), [[1.0, 2.0], [3.0]]):
            arguments = {**recipe.arguments(), name: bad}
            require_error(partial(recipe.cls, **arguments), TypeError, name, "numbers")


def test_vectors_of_the_wrong_length_are_refused(shapes: Any) -> None:
    for name, value in shapes.arguments().items():
        if value.ndim == 0 or name == "rotation":
            continue
        for wrong in (np.ones(value.size + 1), np.ones(value.size - 1), np.ones((2, value.size + 1)), 1.0):
            arguments = {**shapes.arguments(), name: wrong}
            require_error(
                partial(shapes.cls, **arguments),
                ValueError,
                name,
                f"must have {value.size} components",
                str(np.shape(wrong)),
            )


@pytest.mark.parametrize("value", [10**400, Fraction(10**400, 3)], ids=["an integer", "a fraction"])
def test_a_number_beyond_the_range_of_floats_is_refused_by_name(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="radius"):
        ougi.Sphere(Z, value)


# --- values ---------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "negative radius of one": (lambda: ougi.Sphere(Z, -2), ("radius", "negative", "-2")),
    "negative radius of many": (
        lambda: ougi.Sphere(Z, [1, -2, -3]),
        ("radius", "negative", "-2", "index 1"),
    ),
    "negative radius in a table": (
        lambda: ougi.Circle([0, 0], [[1, 2], [3, -4]]),
        ("radius", "negative", "-4", "index (1, 1)"),
    ),
    "negative radius of a capsule": (
        lambda: ougi.Capsule3d(Z, UP, [1, -0.5]),
        ("radius", "negative", "-0.5", "index 1"),
    ),
    "negative radius of a stadium": (
        lambda: ougi.Capsule2d([0, 0], [1, 0], -0.5),
        ("radius", "negative", "-0.5"),
    ),
    "negative size of a box": (
        lambda: ougi.Box(Z, [[1, 2, 3], [4, -5, 6]]),
        ("size", "negative", "4.", "-5.", "6.", "index 1"),
    ),
    "negative size of a rectangle": (lambda: ougi.Rectangle([0, 0], [-1, 2]), ("size", "negative", "-1")),
    "upper below lower": (
        lambda: ougi.Aabb3d([[0, 0, 0], [0, 7, 0]], [9, 5, 9]),
        ("upper", "below lower", "9.", "5.", "9.", "index 1"),
    ),
    "upper below lower in the plane": (
        lambda: ougi.Aabb2d([0, 7], [9, 5]),
        ("upper", "below lower", "9.", "5."),
    ),
    "half angle below zero": (
        lambda: sector(half_angle=[0.5, -0.5]),
        ("half_angle", "[0, pi]", "-0.5", "index 1"),
    ),
    "half angle above half a turn": (lambda: sector(half_angle=3.2), ("half_angle", "[0, pi]", "3.2")),
    "half angle in degrees": (lambda: sector(half_angle=90), ("half_angle", "[0, pi]", "90")),
    "inner beyond outer": (
        lambda: sector(inner_radius=[1, 3], outer_radius=2),
        ("inner_radius", "outer_radius", "3", "index 1"),
    ),
    "inner beyond one of many outer": (
        lambda: sector(inner_radius=1.5, outer_radius=[[2], [1]]),
        ("inner_radius", "outer_radius", "1.5", "index (1, 0)"),
    ),
    "negative inner radius": (lambda: sector(inner_radius=-1), ("inner_radius", "negative", "-1")),
    "negative outer radius": (lambda: sector(outer_radius=-1), ("outer_radius", "negative", "-1")),
    "negative half height": (lambda: sector(half_height=-1), ("half_height", "negative", "-1")),
    "axis without length": (
        lambda: sector(axis=[UP, Z]),
        ("axis", "zero length", "0.", "index 1"),
    ),
    "direction without length": (lambda: sector(direction=Z), ("direction", "zero length")),
    "direction along the axis": (
        lambda: sector(direction=[[1, 0, 0], [0, 0, 5]]),
        ("direction", "parallel to axis", "0.", "0.", "5.", "index 1"),
    ),
    "direction against the axis": (
        lambda: sector(direction=[0, 0, -5]),
        ("direction", "parallel to axis", "0.", "0.", "-5."),
    ),
    "direction almost along the axis": (
        lambda: sector(axis=[1, 1, 1], direction=[1, 1, 1 + 1e-12]),
        ("direction", "parallel to axis"),
    ),
    "one of many directions along the one axis": (
        lambda: sector(axis=[[UP], [RIGHT]], direction=[[0, 1, 0], [1, 0, 0]]),
        ("direction", "parallel to axis", "index (1, 1)"),
    ),
    "quaternion that is too long": (
        lambda: ougi.Box(Z, Z, [[0, 0, 0, 1], [0, 0, 1, 1]]),
        ("rotation", "unit quaternion", "0.0, 0.0, 1.0, 1.0", "index 1"),
    ),
    "quaternion of zeros": (lambda: ougi.Box(Z, Z, [0, 0, 0, 0]), ("rotation", "unit quaternion")),
    "quaternion a little too long": (
        lambda: ougi.Box(Z, Z, [0, 0, 0, 1 + 2e-6]),
        ("rotation", "unit quaternion"),
    ),
    "huge quaternion": (lambda: ougi.Box(Z, Z, [1e200, 0, 0, 0]), ("rotation", "unit quaternion")),
    "reflection": (
        lambda: ougi.Box(Z, Z, [np.eye(3), REFLECTION]),
        ("rotation", "reflection", "-1", "index 1"),
    ),
    "sheared matrix": (
        lambda: ougi.Box(Z, Z, [np.eye(3), SHEAR]),
        ("rotation", "rotation matrix", "0.1", "index 1"),
    ),
    "scaled matrix": (lambda: ougi.Box(Z, Z, 2 * np.eye(3)), ("rotation", "rotation matrix", "2.")),
    "huge matrix": (lambda: ougi.Box(Z, Z, 1e200 * np.eye(3)), ("rotation", "rotation matrix")),
    "matrix of zeros": (lambda: ougi.Box(Z, Z, np.zeros((3, 3))), ("rotation", "rotation matrix")),
    "rotation of the wrong shape": (
        lambda: ougi.Box(Z, Z, [1, 2, 3]),
        ("rotation", "quaternion", "3 x 3", "(3,)"),
    ),
    "rotation in the plane": (lambda: ougi.Box(Z, Z, np.eye(2)), ("rotation", "3 x 3", "(2, 2)")),
    "rotation by an angle": (lambda: ougi.Box(Z, Z, 0.5), ("rotation", "quaternion", "()")),
    "batches that do not broadcast": (
        lambda: ougi.Sphere(np.zeros((3, 3)), [1, 2]),
        ("broadcast", "center (3,)", "radius (2,)"),
    ),
    "radii that do not broadcast": (
        lambda: sector(inner_radius=[1, 1], outer_radius=[2, 2, 2]),
        ("broadcast", "inner_radius (2,)", "outer_radius (3,)"),
    ),
    "axes that do not broadcast": (
        lambda: sector(axis=[UP, UP], direction=[RIGHT, RIGHT, RIGHT]),
        ("broadcast", "axis (2,)", "direction (3,)"),
    ),
    "corners that do not broadcast": (
        lambda: ougi.Aabb2d(np.zeros((2, 2)), np.ones((3, 2))),
        ("broadcast", "lower (2,)", "upper (3,)"),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_value_that_makes_no_shape_is_refused(what: str) -> None:
    make, words = REFUSED[what]
    require_error(make, ValueError, *words)


# --- what is not bad ------------------------------------------------------------------------------------


def test_borders_of_what_is_allowed_are_allowed() -> None:
    assert sector(half_angle=np.pi).half_angle == np.pi
    assert sector(half_angle=0).half_angle == 0
    assert sector(inner_radius=2, outer_radius=2, half_height=0).inner_radius == 2
    assert ougi.Sphere(Z, 0).radius == 0
    assert ougi.Aabb3d(Z, Z).upper.tolist() == Z
    assert ougi.Rectangle([0, 0], [0, 0]).size.tolist() == [0, 0]


@pytest.mark.parametrize("length", [1 - 9e-7, 1 - 1e-9, 1 + 1e-9, 1 + 9e-7])
def test_a_quaternion_that_is_almost_of_unit_length_is_normalised(length: float) -> None:
    q = np.array([1.0, -2.0, 3.0, 4.0]) / np.sqrt(30)
    rotation = ougi.Box(Z, Z, q * length).rotation
    np.testing.assert_allclose(rotation, Rotation.from_quat(q).as_matrix(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), rtol=0, atol=1e-15)


def test_a_matrix_that_is_almost_a_rotation_is_made_one() -> None:
    exact = Rotation.from_quat([1, -2, 3, 4]).as_matrix()
    rough = exact + 1e-7 * np.random.default_rng(0).uniform(-1, 1, (3, 3))
    rotation = ougi.Box(Z, Z, rough).rotation
    np.testing.assert_allclose(rotation, exact, rtol=0, atol=3e-7)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), rtol=0, atol=1e-15)


def test_rotations_are_taken_as_quaternion_matrix_or_scipy_rotation() -> None:
    turns = Rotation.random(20, random_state=0)
    boxes = [ougi.Box(Z, [1, 2, 3], r) for r in (turns.as_quat(), turns.as_matrix(), turns, -turns.as_quat())]
    for box in boxes:
        assert box.shape == (20,)
        np.testing.assert_allclose(box.rotation, turns.as_matrix(), rtol=0, atol=1e-15)


def test_an_exact_rotation_stays_exact() -> None:
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.array_equal(ougi.Box(Z, Z, quarter).rotation, quarter)
    assert np.array_equal(ougi.Box(Z, Z, [0, 0, 0, 1]).rotation, np.eye(3))
    assert np.array_equal(ougi.Box(Z, Z, [0, 0, 0, -1]).rotation, np.eye(3))


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-160, 1.0, 1e160, 1e308])
def test_directions_of_any_length_are_made_unit(scale: float) -> None:
    fan = sector(axis=[0, 0, scale], direction=[scale, 0, 0])
    assert fan.axis.tolist() == [0, 0, 1]
    assert fan.direction.tolist() == [1, 0, 0]
    turn = ougi.Rotation3d(Z, [0, -scale, 0], 1)
    assert turn.axis.tolist() == [0, -1, 0]


def test_the_direction_of_a_fan_is_made_perpendicular_to_its_axis() -> None:
    rng = np.random.default_rng(0)
    axis, direction = rng.normal(size=(2, 1000, 3))
    direction[:100] = axis[:100] + 1e-4 * direction[:100]
    fan = sector(axis=axis, direction=direction)
    np.testing.assert_allclose((fan.axis * fan.direction).sum(axis=1), 0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(fan.direction, axis=1), 1, rtol=0, atol=1e-15)
    # It stays in the half plane of the axis and the given direction.
    assert ((fan.direction * direction).sum(axis=1) > 0).all()
    assert np.abs(np.linalg.det(np.stack([fan.axis, fan.direction, direction], axis=1))).max() < 1e-14


def test_a_polygon_of_one_place_is_a_point() -> None:
    assert len(ougi.ConvexPolygon2d([[1, 2]] * 5).vertices) == 1
    assert ougi.distance(ougi.ConvexPolygon2d([[1, 2]] * 5), [1, 4]) == 2


def test_radii_of_hulls_fit_the_batch() -> None:
    corners = [[0, 0], [1, 0], [0, 1]]
    require_error(
        partial(ougi.ConvexPolygon2d, [corners] * 2, [1, 2, 3]), ValueError, "vertices (2,), radius (3,)"
    )
    points = [[0, 0, 0], [1, 0, 0]]
    require_error(partial(ougi.ConvexHull3d, [points] * 2, [1, 2, 3]), ValueError, "points (2,), radius (3,)")
