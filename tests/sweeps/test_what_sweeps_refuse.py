"""Inputs, queries and options that a sweep refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from swept import BOX, FAN, TETRAHEDRON, TURN

import ougi


def test_sweep_stays_a_function_whatever_is_imported_first() -> None:
    assert ougi.Sweep is not None
    assert callable(ougi.sweep)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((BOX, ougi.Rotation3d([0, 0, 0], [0, 1, 1], 1.0), "sector"), ValueError, "axis must be parallel"),
        ((ougi.Box([3, 1, 0], [2, 1, 1]), TURN, "sector"), ValueError, "middle line"),
        ((ougi.Box([0.5, 0, 0], [2, 1, 1]), TURN, "sector"), ValueError, "pivot must not lie inside"),
        ((BOX, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 7.0), "sector"), ValueError, "at most one turn"),
        ((BOX, ougi.Screw3d([0, 0, 0], [0, 0, 1], 1, 1), "sector"), ValueError, "without advance"),
        ((BOX, ougi.Translation3d([1, 0, 0]), "sector-enclosing"), ValueError, "needs a turn"),
        ((ougi.Sphere([3, 0, 0], 1), TURN, "sector"), ValueError, "turns a Box or a Rectangle"),
        ((BOX, TURN, "fan"), ValueError, "method must be one of exact, sector, .*got 'fan'"),
        ((BOX, ougi.Rotation2d([0, 0], 1), "sector"), ValueError, "3-D Box by a 2-D Rotation2d"),
        ((BOX, 3.0, "sector"), TypeError, "motion must be a motion, got float"),
        (([1, 2, 3], TURN, "sector"), ValueError, "turns a Box or a Rectangle, got points"),
        (
            (ougi.Mesh.from_heights([[0, 0], [0, 1]]), TURN, "sector"),
            ValueError,
            "got Mesh; methods that can: sector-enclosing, speculative-ideal, swept-sphere$",
        ),
        (("box", TURN, "sector"), TypeError, "shape must be numbers, got str"),
        (
            (ougi.Box([0.75, 0, 0], [2, 1, 1]), TURN, "sector"),
            ValueError,
            r"got -0\.25; methods that can: exact",
        ),
        ((FAN, TURN, "exact"), ValueError, "Sector3d has no exact sweep unless .* can: sector-enclosing"),
        ((FAN, TURN, "cast"), ValueError, "Sector3d has no exact sweep unless .* can: speculative"),
        (
            (ougi.Sector2d([0, 0], [1, 0], 1, 0, 1), ougi.Rotation2d([3, 0], 1)),
            ValueError,
            "a Sector2d has no",
        ),
        ((TETRAHEDRON, TURN), ValueError, "a Mesh has no exact sweep; methods that can: sector-enclosing"),
        ((TETRAHEDRON, TURN, "substeps"), ValueError, "does not come in batches; .* sector-enclosing"),
        ((TETRAHEDRON, TURN[None], "sector-enclosing"), ValueError, "a single motion, got a batch of shape"),
        ((ougi.sweep(BOX, TURN), TURN), ValueError, "a Sweep has no exact sweep; .* can: speculative"),
        ((ougi.sweep(BOX, TURN), TURN, "sector-enclosing"), ValueError, "methods that can: speculative"),
    ],
)
def test_what_a_method_cannot_express_is_refused(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        ougi.sweep(*arguments)
    if "sector" in arguments and error is ValueError and "-D" not in message:
        assert "sector-enclosing" in str(caught.value)


@pytest.mark.parametrize("method", ["exact", "sector", "speculative-ideal", "substeps"])
def test_bad_options_are_refused_whether_the_method_uses_them_or_not(method: Any) -> None:
    for steps in (0, -3, 2.0, True, "4", None):
        with pytest.raises(ValueError, match=f"steps must be a positive whole number, got {steps!r}"):
            ougi.sweep(BOX, TURN, method, steps=steps)  # type: ignore[arg-type]


def test_steps_are_a_million_at_most() -> None:
    """A thousand million were a MemoryError."""
    with pytest.raises(ValueError, match="steps must not exceed 1000000, got 1000000000"):
        ougi.sweep(ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([1, 0, 0]), "substeps", steps=10**9)


def test_steps_may_be_a_numpy_integer() -> None:
    assert ougi.sweep(BOX, TURN, "substeps", steps=np.int32(4)).shape == (5,)  # type: ignore[call-overload]


def test_an_axis_a_hundred_thousandth_off_is_not_parallel() -> None:
    """Its cosine differs from 1 by a rounding that hides the angle."""
    with pytest.raises(ValueError, match="axis must be parallel to an axis of the box"):
        ougi.sweep(ougi.Box([0, 3, 0], [1, 2, 1]), ougi.Rotation3d([0, 0, 0], [1e-5, 0, 1], 1.0), "sector")


@pytest.mark.parametrize(
    ("swept", "other", "message"),
    [
        (ougi.sweep(BOX, TURN), [[2.0, 0.0]], r"\(Sweep, points\) .*: Sweep is 3-D and points is 2-D"),
        (
            ougi.sweep(BOX, TURN),
            ougi.Circle([0, 0], 1),
            r"\(Sweep, Circle\) .*: Sweep is 3-D and Circle is 2-D",
        ),
        (
            ougi.sweep([1.0, 0], ougi.Rotation2d([0, 0], 1)),
            BOX,
            r"\(Sweep, Box\) .*: Sweep is 2-D and Box is 3-D",
        ),
        (ougi.sweep(BOX, TURN), TETRAHEDRON, r"\(Sweep, Mesh\) is not supported"),
    ],
)
def test_queries_that_a_sweep_does_not_support(swept: Any, other: Any, message: str) -> None:
    with pytest.raises(ougi.UnsupportedPairError, match=rf"intersects{message}"):
        ougi.intersects(swept, other)
    with pytest.raises(ougi.UnsupportedPairError, match=rf"intersects{message}"):
        ougi.intersects(other, swept)


def test_points_of_another_dimension_are_not_in_a_sweep() -> None:
    with pytest.raises(ougi.UnsupportedPairError, match="Sweep is 3-D and points is 2-D"):
        ougi.contains(ougi.sweep(BOX, TURN), [[2.0, 0.0]])


def test_only_turning_boxes_are_laid_out() -> None:
    assert ougi.sweep(BOX, TURN).columns().shape[1] == 1
    screw = ougi.Screw3d([0, 0, 0], [0, 0, 1], 1, 1)
    for swept in (ougi.sweep(BOX, screw), ougi.sweep(ougi.Sphere([1, 0, 0], 1), TURN)):
        with pytest.raises(ValueError, match="a Sweep can be laid out as nothing, not as None"):
            swept.columns()
        with pytest.raises(ValueError, match="a Sweep can be laid out as nothing, not as 'boxturn'"):
            swept.columns("boxturn")
