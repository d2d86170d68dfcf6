"""Single bodies skip the steps of batches. Their fields and results are those of batches, to the last bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi import _check
from ougi.impact.single import find_single_contact
from ougi.impact.tables import LAYOUTS
from ougi.query.dispatch import compute_single
from ougi.query.tables import TABLES
from ougi_lab.scenes.batches import draw_batch

N = 12

# A constructor, and arguments with ints, floats and both.
MADE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (ougi.Circle, ([1, -2.5], 3)),
    (ougi.Sphere, ([1, -2.5, 2**60 + 1], 0.1)),
    (ougi.Box, ([1, -2.5, 1e30], [1, 0.1, 2])),
    (ougi.Translation2d, ([1, -2.5],)),
    (ougi.Translation3d, ([0, 0.1, -0.0],)),
    (ougi.Rotation2d, ([1, -2.5], -7)),
    (ougi.Rotation3d, ([1, -2.5, 0.1], [3, 0.1, -7], 0.3)),
    (ougi.Rotation3d, ([0, 0, 0], [0, -1e-30, 0], 3)),
    (ougi.Rotation3d, ([0, 0, 0], [10**30, 10**29 + 7, 3], 1e5)),
]


@pytest.mark.plain
@pytest.mark.parametrize(("cls", "arguments"), MADE)
def test_fields_of_a_single_one_are_those_of_a_batch(cls: Any, arguments: tuple[Any, ...]) -> None:
    expected = cls(*([each] if isinstance(each, list) else each for each in arguments))[0]
    as_tuples = [tuple(each) if isinstance(each, list) else each for each in arguments]
    as_arrays = [np.array(each, np.float64) if isinstance(each, list) else each for each in arguments]
    for given in (arguments, as_tuples, as_arrays):
        made = cls(*given)
        assert made.shape == ()
        for name in cls._fields:
            found, wanted = getattr(made, name), getattr(expected, name)
            assert (found.shape, found.dtype, found.tobytes()) == (
                wanted.shape,
                wanted.dtype,
                wanted.tobytes(),
            )
            assert not found.flags.writeable
        if made.layouts:
            assert made.columns().tobytes() == expected.columns().tobytes()
            assert made.columns().flags.c_contiguous
            assert not made.columns().flags.writeable


@pytest.mark.plain
def test_an_array_that_was_given_may_change_later() -> None:
    center = np.zeros(3)
    ball = ougi.Sphere(center, 1.0)
    center[:] = 7
    assert ball.center.tolist() == [0, 0, 0]


# Ordinary numbers, borderline numbers, and what is refused.
NUMBERS: tuple[Any, ...] = (
    1, 0, -0.0, 2.5, 1e40, 1.1e40, -1e41, 1e-40, 1e-41, 10**40, 10**400, math.nan, math.inf,
    True, 1j, "1", b"1", None, [1], np.array(3), np.ma.array(1.0, mask=True),
    np.float64(2), np.float32(2), np.int8(2), np.bool_(1),
)  # fmt: skip


def describe_outcome(make: Callable[[], Any]) -> str:
    """The fields of what is made, or the error."""
    try:
        made = make()
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return repr([(name, getattr(made, name).tolist()) for name in made._fields])


@pytest.mark.plain
@pytest.mark.filterwarnings("ignore:Warning. converting a masked element")
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: repr(number).split("\n")[0])
def test_every_number_is_accepted_or_refused_as_by_the_full_checks(
    number: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers: list[Callable[[], Any]] = [
        lambda: ougi.Circle([0, number], 1),
        lambda: ougi.Sphere([0, number, 0], 1),
        lambda: ougi.Sphere((number, number, number), 1e-41),
        lambda: ougi.Sphere([0, 0, 0], number),
        lambda: ougi.Sphere([1, 2], number),
        lambda: ougi.Box([0, 0, number], [1, 1, 1]),
        lambda: ougi.Box([0, 0, 0], [1, number, 1]),
        lambda: ougi.Box([0, 0, 0], [1, -1, number]),
        lambda: ougi.Translation2d([number, number]),
        lambda: ougi.Translation3d(number),
        lambda: ougi.Rotation2d([0, number], number),
        lambda: ougi.Rotation3d([0, 0, 0], [number, number, number], 1),
        lambda: ougi.Rotation3d([0, 0, 0], [0, 0, 1], number),
        lambda: ougi.Rotation3d([0, 0, 0], [0, 0, 1], number, degrees=True),
    ]
    found = [describe_outcome(make) for make in makers]
    monkeypatch.setattr(_check, "_read_numbers", lambda *_: None)
    monkeypatch.setattr(_check, "read_number", lambda *_: None)
    assert found == [describe_outcome(make) for make in makers]


def draw(cls: Any, seed: int) -> Any:
    if cls.__name__.startswith("Point"):
        return cls(np.random.default_rng(seed).uniform(-2, 2, (N, cls.dimension)))
    return draw_batch(cls, N, seed)


@pytest.mark.parametrize("question", ["intersects", "distance"])
def test_two_single_shapes_get_the_result_of_a_batch(question: str) -> None:
    query = getattr(ougi, question)
    dtype = np.bool_ if question == "intersects" else np.float64
    pairs = np.stack([np.arange(N)] * 2, axis=1)
    for row in TABLES[question]:
        for first, second in ((row.a, row.b), (row.b, row.a)):
            a, b = draw(first, 1), draw(second, 2)
            expected = query(a, b, pairs=pairs)
            for k in range(N):
                found = compute_single(question, a[k], b[k], dtype)
                assert type(found) is dtype
                assert found == expected[k], (row, k)


MOTIONS = {
    2: (ougi.Translation2d, ougi.Rotation2d),
    3: (ougi.Translation3d, ougi.Rotation3d, ougi.Screw3d),
}


def test_one_moving_body_gets_the_contact_of_a_batch() -> None:
    classes = [cls for cls in LAYOUTS if cls is not ougi.Sector3d]
    pairs = [(a, b) for a in classes for b in classes if a.dimension == b.dimension]
    single = 0
    for a, b in pairs:
        for motion in MOTIONS[a.dimension]:
            shape, target, path = draw(a, 1), draw(b, 2), draw_batch(motion, N, 3)
            expected = ougi.time_of_impact(shape, path, target)
            for k in range(N):
                found = find_single_contact(shape[k], path[k], target[k], 1e-9)
                if found is None:
                    assert expected.status[k] in (1, 2)  # points and normals of overlaps are computed apart
                    found = ougi.time_of_impact(shape[k], path[k], target[k])
                else:
                    single += 1
                assert found == expected[k], (a, b, motion, k, found, expected[k])
                assert type(found.status) is type(expected.status[k])
                assert type(found.hit) is type(expected.hit[k])
    assert single > 1000


@pytest.mark.parametrize("tol", [0, 0.0, -1e-9, math.nan, math.inf, "1e-9", None, True])
def test_tolerances_of_single_queries_are_checked(tol: Any) -> None:
    ball = ougi.Sphere([0, 0, 0], 1)
    with pytest.raises((TypeError, ValueError), match="tol must"):
        ougi.time_of_impact(ball, ougi.Translation3d([1, 0, 0]), ball, tol=tol)


def test_single_operands_that_do_not_fit_are_refused() -> None:
    ball, disc = ougi.Sphere([0, 0, 0], 1), ougi.Circle([0, 0], 1)
    with pytest.raises(ougi.UnsupportedPairError):
        ougi.intersects(ball, disc)
    with pytest.raises(ValueError, match="motion must be 3-D"):
        ougi.time_of_impact(ball, ougi.Translation2d([1, 0]), ball)
    with pytest.raises(TypeError, match="motion must be a motion"):
        ougi.time_of_impact(ball, ougi.Pose([1, 0, 0]), ball)  # type: ignore[arg-type]
