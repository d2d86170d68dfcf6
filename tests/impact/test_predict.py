"""Contacts of the coming frames."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact.queries import _in_frames


def test_constant_motion_hits_in_the_frame_where_stepping_would() -> None:
    rng = np.random.default_rng(1)
    n, frames = 200, 12
    box = ougi.Box(rng.uniform(-1, 1, (n, 3)), rng.uniform(0.1, 1, (n, 3)))
    turn = ougi.Rotation3d(rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 3)), rng.uniform(-0.5, 0.5, n))
    ball = ougi.Sphere(rng.uniform(-3, 3, (n, 3)), rng.uniform(0.1, 0.5, n))
    result = ougi.predict(box, turn, ball, frames=frames)
    listed = ougi.predict(box, [turn] * frames, ball)
    assert result.hit.any()
    assert not result.hit.all()
    assert np.array_equal(result.hit, listed.hit)
    early, late = result.frame + np.nan_to_num(result.t), listed.frame + np.nan_to_num(listed.t)
    assert np.allclose(early, late, atol=1e-6)
    assert np.array_equal(result.frame == -1, ~result.hit)
    assert np.isnan(result.t[~result.hit]).all()


def test_motions_follow_each_other() -> None:
    ball = ougi.Sphere([0, 0, 0], 0.1)
    path = [ougi.Translation3d([1, 0, 0]), ougi.Translation3d([0, 1, 0]), ougi.Translation3d([0, 0, 1])]
    result = ougi.predict(ball, path, [[1.0, 1.0, 0.6], [0.5, 0.0, 0.0], [9.0, 9.0, 9.0]])
    assert result.frame.tolist() == [2, 0, -1]
    assert result.t[:2] == pytest.approx([0.5, 0.4], abs=1e-6)
    assert ougi.predict(ball, path, [[1, 1, 0.6]], frames=2).hit.tolist() == [False]


def test_dt_scales_the_motion() -> None:
    hand = ougi.Capsule2d([0, 0], [1, 0], 0.05)
    spin = ougi.Rotation2d([0, 0], math.tau)  # one turn per second
    result = ougi.predict(hand, spin, ougi.Circle([0, 0.8], 0.1), frames=60, dt=1 / 60)
    assert result.frame == 13
    assert not ougi.predict(hand, spin, ougi.Circle([0, 0.8], 0.1), frames=13, dt=1 / 60).hit


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"frames": 0}, ValueError, "frames must be a positive whole number, got 0"),
        ({"frames": 1.5}, ValueError, "frames must be a positive whole number, got 1.5"),
        ({}, ValueError, "frames must be a positive whole number, got None"),
        ({"frames": True}, ValueError, "frames must be a positive whole number, got True"),
        ({"frames": 3, "dt": 0}, ValueError, "dt must be positive, got 0"),
        ({"frames": 3, "dt": "x"}, TypeError, "dt must be a number, got 'x'"),
        (
            {"motion": None, "frames": 3},
            TypeError,
            "motion must be a motion or a sequence of motions, got NoneT",
        ),
        ({"motion": [], "frames": None}, ValueError, "frames must be a positive whole number, got 0"),
        ({"motion": [ougi.Translation3d([1, 0, 0])], "frames": 2}, ValueError, "not exceed the 1 motions"),
        ({"motion": [3.0]}, TypeError, "motion must be a motion, got float"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    good: dict[str, Any] = {
        "shape": ougi.Sphere([0, 0, 0], 1),
        "motion": ougi.Translation3d([1, 0, 0]),
        "target": [5.0, 0, 0],
    }
    with pytest.raises(error, match=message):
        ougi.predict(**{**good, **changes})


def test_an_overlap_at_the_start_is_reported_for_the_first_frame_alone() -> None:
    ball, pin = ougi.Circle([0, 0], 1), ougi.Circle([0.5, 0], 1)
    away, back = ougi.Translation2d([-9, 0]), ougi.Translation2d([9, 0])
    result = ougi.predict(ball, [away, back], pin)
    assert (int(result.status), int(result.frame), float(result.t)) == (2, 0, 0.0)


def test_a_contact_at_the_very_end_belongs_to_the_last_frame() -> None:
    none = np.full(3, np.nan)
    end = ougi.FirstContacts(np.int64(1), np.bool_(True), np.float64(1.0), none, none)  # type: ignore[arg-type]
    result = _in_frames(end, 4)
    assert (int(result.frame), float(result.t)) == (3, 1.0)


def test_more_frames_than_floats_can_count_are_refused() -> None:
    ball = ougi.Circle([0, 0], 1)
    with pytest.raises(ValueError, match=r"frames must be 2\*\*53 or less"):
        ougi.predict(ball, ougi.Translation2d([1, 0]), ball, frames=10**400)
