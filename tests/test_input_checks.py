"""Values that are no numbers: refused by name, with what they are and what to do instead."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ougi
from ougi import _check

BALL = ougi.Sphere([0, 0, 0], 1)
STEP = ougi.Translation3d([1, 0, 0])
HALL = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])


class Column:
    """What pandas calls a categorical column: NumPy would take its categories for numbers."""

    class dtype:
        name = "category"

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([1, 2, 3])


class Table(Column):
    """A table with such a column."""

    dtypes = (np.dtype(float), Column.dtype)


# What is given -> words of the message.
NO_NUMBERS: dict[str, tuple[Any, str]] = {
    "complex": (1 + 2j, "complex numbers"),
    "complex of NumPy": (np.complex128(1), "complex numbers"),
    "complex array": (np.array([1, 2, 3j]), r"complex numbers; give real ones, for example their \.real"),
    "complex in a list": ([1.0, 2.0, 3j], "complex numbers"),
    "complex object": (np.array([1, 2j, 3], object), "complex numbers"),
    "masked array": (
        np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
        r"a masked array; fill it by \.filled",
    ),
    "masked array without masked elements": (np.ma.array([1.0, 2.0, 3.0]), "a masked array"),
    "masked element": (np.ma.masked, "a masked array"),
    "bytes": (b"123", "bytes; convert them"),
    "byte array": (bytearray(b"123"), "bytes; convert them"),
    "view of bytes": (memoryview(b"123"), "bytes; convert them"),
    "array of bytes": (np.array([b"1", b"2", b"3"]), "bytes; convert them"),
    "text": ("123", "text; convert it"),
    "array of text": (np.array(["1", "2", "3"]), "text; convert it"),
    "text among objects": (np.array([1, "2", 3], object), "text; convert it"),
    "bool": (True, r"booleans; if 1 and 0 are meant, convert them with astype\(float\)"),
    "bool of NumPy": (np.True_, "booleans"),
    "array of bools": (np.array([True, False, True]), "booleans"),
    "list of bools": ([True, False, True], "booleans"),
    "date": (np.datetime64("2026-01-01"), r"dates; subtract .* to get seconds"),
    "array of dates": (np.array(["2026", "2027", "2028"], "datetime64[Y]"), "dates"),
    "date of Python": (datetime.datetime(2026, 1, 1), "dates"),
    "duration": (np.timedelta64(3, "s"), r"durations; divide them by np\.timedelta64\(1, 's'\)"),
    "duration of Python": (datetime.timedelta(seconds=3), "durations"),
    "categorical column": (Column(), r"a categorical column; convert it by \.astype\(float\)"),
    "table with a categorical column": (Table(), "a categorical column"),
    "records": (np.zeros(3, [("x", float)]), "records with named fields"),
    "None": (None, "no value|None"),
    "shape": (BALL, "Sphere"),
}

# Argument -> a call that takes it.
ARRAYS: dict[str, Callable[[Any], Any]] = {
    "center": lambda x: ougi.Sphere(x, 1),
    "radius": lambda x: ougi.Sphere([0, 0, 0], x),
    "offset": ougi.Translation3d,
    "angle": lambda x: ougi.Rotation3d([0, 0, 0], [0, 0, 1], x),
    "points": lambda x: STEP.at(1.0).apply(x),
    "vertices": lambda x: ougi.Mesh(x, [[0, 1, 2]]),
    "position": lambda x: HALL.cast(x, [1, 0], 0.5),
    "size": lambda x: ougi.radar.Volume([0, 0, 0], [0, 0, 1], x),
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "tol": lambda x: ougi.time_of_impact(BALL, STEP, BALL, tol=x),
    "margin": lambda x: ougi.time_of_impact(BALL, STEP, BALL, margin=x),
    "dt": lambda x: HALL.step([1, 1], [1, 0], 0.5, x),
    "max_t": lambda x: ougi.raycast([-3, 0, 0], [1, 0, 0], BALL, max_t=x),
}


@pytest.mark.parametrize("what", NO_NUMBERS)
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_no_numbers_are_refused_by_name(name: str, what: str) -> None:
    value, words = NO_NUMBERS[what]
    with pytest.raises(TypeError, match=rf"^{name} must be numbers, got \w+: .*({words})"):
        ARRAYS[name](value)


@pytest.mark.parametrize("what", NO_NUMBERS)
@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_no_number_is_refused_by_name(name: str, what: str) -> None:
    value, words = NO_NUMBERS[what]
    with pytest.raises(TypeError, match=rf"(?s)^{name} must be a number, got .*({words})"):
        NUMBERS[name](value)


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), Decimal(2), Fraction(2), np.array(2)])
def test_numbers_of_any_class_are_taken(value: Any) -> None:
    assert ougi.Sphere([value] * 3, value) == ougi.Sphere([2, 2, 2], 2)
    assert _check.number("tol", value, positive=True) == 2.0


@pytest.mark.parametrize("value", [90, "yes", None, [True], np.ma.masked])
def test_a_switch_is_a_bool(value: Any) -> None:
    with pytest.raises(TypeError, match="degrees must be True or False, got"):
        ougi.Rotation2d([0, 0], 1.0, degrees=value)
    with pytest.raises(TypeError, match="solid must be True or False, got"):
        ougi.Mesh(np.eye(3), [[0, 1, 2]], solid=value)


def test_a_whole_number_is_no_bool() -> None:
    values: list[Any] = [True, np.True_]
    for value in values:
        with pytest.raises(ValueError, match="frames must be a positive whole number"):
            ougi.predict(BALL, STEP, BALL, dt=1.0, frames=value)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_number_beyond_the_range_of_floats_is_refused_by_name(value: int) -> None:
    with pytest.raises(ValueError, match="tol must be finite"):
        ougi.time_of_impact(BALL, STEP, BALL, tol=value)


INDICES: dict[str, Callable[[Any], Any]] = {
    "pairs": lambda x: ougi.intersects(BALL[None], BALL[None], pairs=x),
    "faces": lambda x: ougi.Mesh(np.eye(3), x),
    "bodies": lambda x: ougi.radar.Meshes(ougi.Mesh(np.eye(3), [[0, 1, 2]]), bodies=x),
    "pixels": lambda x: ougi.radar.Volume([0, 0, 0], [0, 0, 1], [1, 1, 1], pixels=x),
}


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("what", ["masked array", "categorical column", "bytes"])
def test_indices_that_numpy_would_take_for_integers_are_refused(name: str, what: str) -> None:
    value = (
        np.ma.array([[0, 0, 0]], mask=[[False, True, False]])
        if what == "masked array"
        else NO_NUMBERS[what][0]
    )
    with pytest.raises(TypeError, match=f"^{name} must be integers, got .*{NO_NUMBERS[what][1]}"):
        INDICES[name](value)


LISTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a": (lambda x: ougi.intersects(x, BALL), "a must be a shape or points, got list of Sphere"),
    "b": (lambda x: ougi.distance(BALL, x), "b must be a shape or points, got list of Sphere"),
    "shape of contains": (lambda x: ougi.contains(x, [0, 0, 0]), "shape must be a shape, got list of Sphere"),
    "target": (
        lambda x: ougi.time_of_impact(BALL, STEP, x),
        "target must be a shape or points, got list of Sphere",
    ),
    "bodies that are swept": (
        lambda x: ougi.sweep(x, STEP),
        "shape must be a shape or points, got list of Sphere",
    ),
    "motions": (
        lambda x: ougi.time_of_impact(BALL, [STEP, STEP], BALL),  # type: ignore[arg-type]
        "motion must be a motion, got list of Translation3d",
    ),
    "numbers": (lambda x: ougi.Sphere(x, 1), "center must be numbers, got list: .*Sphere"),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", [[BALL, BALL], [[BALL, BALL], [BALL]]], ids=["list", "ragged list"])
def test_a_list_of_shapes_is_refused_with_the_function_that_joins_them(name: str, value: Any) -> None:
    call, words = LISTS[name]
    with pytest.raises(TypeError, match=rf"{words}.*ougi\.concatenate"):
        call(value)


def test_ragged_lists_of_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="center must be numbers, got list: lists of different lengths"):
        ougi.Sphere([[0, 0, 0], [1, 1]], 1)


def test_columns_of_pandas_are_taken_unless_they_are_categories() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"x": [0.0, 1.0], "y": [0.0, 1.0], "z": [0.0, 1.0]})
    assert ougi.Sphere(table, 1) == ougi.Sphere([[0, 0, 0], [1, 1, 1]], 1)
    assert ougi.Sphere([0, 0, 0], table["x"]).shape == (2,)
    table["z"] = table["z"].astype("category")
    with pytest.raises(TypeError, match="center must be numbers, got DataFrame: a categorical column"):
        ougi.Sphere(table, 1)
    with pytest.raises(TypeError, match="radius must be numbers, got Series: a categorical column"):
        ougi.Sphere([0, 0, 0], table["z"])


@pytest.mark.parametrize("value", [[True] * 10**6, "x" * 10**6, [[0] * 9] * 10**6, np.zeros(10**6)])
def test_messages_stay_short_for_large_values(value: Any) -> None:
    ball = ougi.Sphere([0, 0, 0], 1)
    for call in (
        lambda: ougi.World().step(value),
        lambda: ougi.sweep(ball, ougi.Translation3d([1, 0, 0]), value),
        lambda: ougi.candidate_pairs(ball, max_pairs=value),
        lambda: ougi.Mesh(np.eye(3), [[0, 1, 2]], solid=value),
        lambda: ougi.scene.Body("x", ball, group=10**400),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 500
        assert "\n" not in str(caught.value)


def test_a_whole_number_of_thousands_of_digits_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^steps must .*, got a number of thousands of digits"):
        ougi.sweep(ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([1, 0, 0]), "substeps", steps=-(10**5000))
