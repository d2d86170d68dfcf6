"""Messages that name what is meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._hints import SYNONYMS


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Polygon", "use ConvexPolygon2d"),
        ("Ray", "use raycast"),
        ("AABB", "use Aabb2d or Aabb3d"),
        ("Rect", "use Rectangle or Aabb2d"),
        ("Hull", "use ConvexHull3d or ConvexPolygon2d"),
        ("toi", "use time_of_impact"),
        ("Point3d", "points are plain arrays"),
        ("Spher", "did you mean 'Sphere'"),
        ("intersect", "did you mean 'intersects'"),
        ("corridors", "did you mean 'corridor'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_right_one(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'; {hint}"):
        getattr(ougi, name)


def test_hints_name_what_exists() -> None:
    names = {*dir(ougi), "half_angle", "inner_radius"}
    for hint in SYNONYMS.values():
        assert [word for word in hint.replace(";", "").split() if word in names] or "plain arrays" in hint


UNCHECKED: Any = ougi  # so that type checkers do not refuse the mistakes before we do


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: UNCHECKED.Sphere(centre=[0, 0, 0], radius=1),
            r"Sphere\(\) got.*'centre'; did you mean 'center'",
        ),
        (
            lambda: UNCHECKED.Box([0, 0, 0], half_extents=[1, 1, 1]),
            r"Box\(\).*'half_extents'; did you mean 'size'",
        ),
        (lambda: UNCHECKED.Circle([0, 0], 1, color="red"), r"'color'; it has center, radius"),
        (lambda: UNCHECKED.Rotation3d([0, 0, 0], [0, 0, 1], angel=1), r"'angel'; did you mean 'angle'"),
        (lambda: UNCHECKED.Pose(pos=[0, 0, 0]), r"'pos'; (did you mean 'position'|it has)"),
        (lambda: UNCHECKED.Mesh(np.eye(3), [[0, 1, 2]], closed=True), r"'closed'; did you mean 'solid'"),
    ],
)
def test_an_unknown_keyword_is_answered_with_the_right_one(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        build()


def test_signatures_of_shapes_and_motions_are_those_of_their_constructors() -> None:
    assert list(inspect.signature(ougi.Box).parameters) == ["center", "size", "rotation"]
    assert list(inspect.signature(ougi.Rotation2d).parameters) == ["center", "angle", "degrees"]
    assert inspect.signature(ougi.Rotation2d).parameters["degrees"].default is False
    assert inspect.signature(ougi.Chain).parameters["motions"].kind is inspect.Parameter.VAR_POSITIONAL


def test_batches_of_different_lengths_are_compared_all_with_all_by_an_index() -> None:
    three, four = ougi.Circle(np.zeros((3, 2)), 1), ougi.Circle(np.zeros((4, 2)), 1)
    with pytest.raises(ValueError, match=r"a \(3,\), b \(4,\); a\[:, None\] compares every a with every b"):
        ougi.intersects(three, four)
    assert ougi.intersects(three[:, None], four).shape == (3, 4)


def test_other_errors_of_a_constructor_stay_what_they_are() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'radius'"):
        ougi.Sphere([0, 0, 0])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="radius must be numbers"):
        ougi.Sphere([0, 0, 0], radius="unexpected keyword")


@pytest.mark.parametrize("convert", [np.asarray, np.array, np.sqrt, lambda batch: np.stack([batch, batch])])
def test_a_shape_is_not_an_array_of_numbers(convert: Callable[[Any], Any]) -> None:
    for batch in (ougi.Sphere([0, 0, 0], 1), ougi.Translation2d([[1, 0]]), ougi.Pose([0, 0])):
        with pytest.raises(TypeError, match=r"not an array of numbers; use its fields|not support ufuncs"):
            convert(batch)


@pytest.mark.parametrize(
    ("motion", "hint"),
    [
        ([4, 0, 0], "motion must be a motion, got list; a displacement is a Translation3d"),
        (np.array([4.0, 0.0]), "motion must be a motion, got ndarray; a displacement is a Translation2d"),
        (ougi.Pose([4, 0, 0]), "motion must be a motion, got Pose; between"),
        ([ougi.Translation3d([4, 0, 0])] * 2, "got list of Translation3d; ougi.concatenate joins"),
        (4.0, "motion must be a motion, got float$"),
    ],
)
def test_a_displacement_or_pose_instead_of_a_motion_names_the_right_class(motion: Any, hint: str) -> None:
    ball = ougi.Sphere([0, 0, 0], 1)
    with pytest.raises(TypeError, match=hint):
        ougi.time_of_impact(ball, motion, ball)
    with pytest.raises(TypeError, match=hint.replace("be a motion,", "be a motion or None,")):
        ougi.World().add(ball, motion)
