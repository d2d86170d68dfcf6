"""First contact of a moving box with balls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ougi

Floats = NDArray[np.float64]


def gap_at(box: ougi.Box, motion: Any, ball: ougi.Sphere, t: Floats) -> Floats:
    """Signed gap at times t by rotation matrices and clamping: no code of the kernel."""
    pose = motion.at(t)
    center = (pose.rotation @ box.center[..., None])[..., 0] + pose.position
    axes = pose.rotation @ box.rotation
    local = ((ball.center - center)[..., None, :] @ axes)[..., 0, :]
    over = np.maximum(np.abs(local) - box.size / 2, 0)
    out: Floats = np.linalg.norm(over, axis=-1) - ball.radius
    return out


def random_cases(n: int, turns: tuple[float, float], seed: int) -> tuple[ougi.Box, ougi.Screw3d, ougi.Sphere]:
    rng = np.random.default_rng(seed)
    box = ougi.Box(rng.uniform(-2, 2, (n, 3)), rng.uniform(0, 2, (n, 3)), Rotation.random(n, rng=seed))
    angle = np.radians(rng.uniform(*turns, n)) * rng.choice([-1, 1], n)
    advance = np.where(rng.random(n) < 0.6, 0.0, rng.uniform(-3, 3, n))
    motion = ougi.Screw3d(rng.uniform(-2, 2, (n, 3)), rng.normal(size=(n, 3)), angle, advance)
    ball = ougi.Sphere(rng.uniform(-3, 3, (n, 3)), rng.uniform(0, 1, n))
    return box, motion, ball


@pytest.mark.parametrize("turns", [(0, 10), (10, 90), (90, 180), (180, 360), (360, 1080)])
def test_no_miss_no_false_hit_never_late(turns: tuple[float, float]) -> None:
    n = 4_000
    box, motion, ball = random_cases(n, turns, seed=int(turns[1]))
    impact = ougi.time_of_impact(box, motion, ball)
    assert set(np.unique(impact.status)) <= {0, 1, 2}
    hit, start = impact.status == 1, impact.status == 2
    scale = 10.0
    assert np.array_equal(start, gap_at(box, motion, ball, np.zeros(n)) <= 0)
    at_hit = gap_at(box, motion, ball, np.where(impact.hit, impact.t, 0.0))[hit]
    assert (at_hit > 0).all()
    assert (at_hit <= 1e-9 * scale).all()
    before = np.where(impact.hit, np.nan_to_num(impact.t), 1.0)
    for share in np.linspace(0, 1, 300, endpoint=False):
        gap = gap_at(box, motion, ball, share * before)
        assert (gap[~start] > 0).all()


def test_time_is_exact_where_the_approach_is_not_grazing() -> None:
    """Against bisection on the independent gap, bracketed by the reported time."""
    n = 3_000
    box, motion, ball = random_cases(n, (10, 360), seed=77)
    impact = ougi.time_of_impact(box, motion, ball, tol=1e-14)
    step = 1e-7
    early, late = impact.t - step, impact.t + step
    keep = (impact.status == 1) & (early > 0) & (late < 1)
    keep &= gap_at(box, motion, ball, np.where(keep, late, 0.0)) < -1e-3 * step  # not grazing
    assert keep.sum() > 200
    box, motion, ball, t = box[keep], motion[keep], ball[keep], impact.t[keep]
    lo, hi = t - step, t + step
    for _ in range(40):
        mid = (lo + hi) / 2
        free = gap_at(box, motion, ball, mid) > 0
        lo, hi = np.where(free, mid, lo), np.where(free, hi, mid)
    assert np.abs(t - hi).max() < 1e-11


def test_point_lies_on_the_ball_and_normal_points_to_it() -> None:
    box, motion, ball = random_cases(2_000, (10, 360), seed=5)
    impact = ougi.time_of_impact(box, motion, ball)
    hit = impact.status == 1
    point, normal = impact.point[hit], impact.normal[hit]
    assert np.allclose(np.linalg.norm(normal, axis=-1), 1, atol=1e-12)
    assert np.allclose(point + normal * ball.radius[hit][:, None], ball.center[hit], atol=1e-12)
    moved = box[hit].transformed(motion[hit].at(impact.t[hit]))
    assert ougi.distance(moved, point).max() < 1e-8


@pytest.mark.plain
def test_a_quarter_turn_meets_the_ball_at_the_known_angle() -> None:
    """The bat's side is 0.03 from its middle line: first contact at 90 deg - asin(0.07 / 0.7)."""
    bat = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06])
    swing = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170))
    impact = ougi.time_of_impact(bat, swing, ougi.Sphere([0, 0.7, 0], 0.04), tol=1e-13)
    known = (math.pi / 2 - math.asin(0.1)) / math.radians(170)
    assert impact.t == pytest.approx(known, abs=1e-12)
    assert impact.normal == pytest.approx([-math.cos(math.asin(0.1)), 0.1, 0], abs=1e-9)


@pytest.mark.plain
def test_turning_the_other_way_takes_the_other_time() -> None:
    bat, ball = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Sphere([0, 1, 0], 0.1)
    there = ougi.time_of_impact(bat, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.tau), ball)
    back = ougi.time_of_impact(bat, ougi.Rotation3d([0, 0, 0], [0, 0, 1], -math.tau), ball)
    flipped = ougi.time_of_impact(bat, ougi.Rotation3d([0, 0, 0], [0, 0, -1], math.tau), ball)
    assert there.t == pytest.approx(0.25 - math.asin(0.15) / math.tau, abs=1e-8)
    assert back.t == pytest.approx(0.75 - math.asin(0.15) / math.tau, abs=1e-8)
    assert flipped == back


@pytest.mark.plain
def test_several_turns_scale_the_time() -> None:
    bat, ball = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Sphere([0, 1, 0], 0.1)
    once = ougi.time_of_impact(bat, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.tau), ball)
    often = ougi.time_of_impact(bat, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 10 * math.tau), ball)
    assert often.t * 10 == pytest.approx(once.t, abs=1e-12)


@pytest.mark.plain
@pytest.mark.parametrize("speed", [1e-6, 1.0, 1e6])
def test_a_straight_move_takes_one_division(speed: float) -> None:
    box, ball = ougi.Box([0, 0, 0], [2, 2, 2]), ougi.Sphere([3, 0, 0], 1)
    impact = ougi.time_of_impact(box, ougi.Translation3d([speed, 0, 0]), ball)
    assert bool(impact.hit) == (speed >= 1)
    if impact.hit:
        assert impact.t * speed == pytest.approx(1, abs=1e-7)
    assert not ougi.time_of_impact(box, ougi.Translation3d([-speed, 0, 0]), ball).hit


@pytest.mark.plain
def test_resting_shapes_touch_at_the_start_or_never() -> None:
    box = ougi.Box([0, 0, 0], [2, 2, 2])
    still = ougi.Translation3d([0, 0, 0])
    assert ougi.time_of_impact(box, still, ougi.Sphere([0, 0, 1.5], 1)).status == 2
    assert ougi.time_of_impact(box, still, ougi.Sphere([0, 0, 3], 1)).status == 0
    inside = ougi.time_of_impact(box, still, ougi.Sphere([0, 0, 0], 0.1))
    assert inside.status == 2
    assert inside.t == 0
    assert np.isnan(inside.normal).all()


@pytest.mark.plain
def test_a_ball_on_the_axis_is_met_at_the_start_or_never() -> None:
    bat, turn = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 5)
    assert ougi.time_of_impact(bat, turn, ougi.Sphere([0, 0, 0], 0.4999)).status == 0
    assert ougi.time_of_impact(bat, turn, ougi.Sphere([0, 0, 0], 0.5001)).status == 2


@pytest.mark.plain
def test_margin_asks_for_near_misses() -> None:
    bat, turn = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3)
    ball = ougi.Sphere([0, 1, 0.3], 0.2)  # passes 0.05 above the bat
    assert not ougi.time_of_impact(bat, turn, ball).hit
    assert ougi.time_of_impact(bat, turn, ball, margin=0.06).hit
    assert not ougi.time_of_impact(bat, turn, ball, margin=0.04).hit


def test_batches_of_shapes_motions_and_targets_broadcast() -> None:
    boxes = ougi.Box([[1, 0, 0], [2, 0, 0]], [1, 0.1, 0.1])
    turns = ougi.Rotation3d([0, 0, 0], [0, 0, 1], [1.0, 2.0, 3.0])
    balls = ougi.Sphere([[0, 1, 0], [0, 2, 0], [0, -1, 0], [0, 0, 5]], 0.1)
    grid = ougi.time_of_impact(boxes[:, None, None], turns[:, None], balls)
    assert grid.t.shape == (2, 3, 4)
    assert grid.point.shape == (2, 3, 4, 3)
    for i, j, k in np.ndindex(2, 3, 4):
        assert grid[i, j, k] == ougi.time_of_impact(boxes[i], turns[j], balls[k])
    assert ougi.time_of_impact(boxes[:0], turns[0], balls[0]).t.shape == (0,)


def test_points_are_targets_too() -> None:
    bat, turn = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi)
    impact = ougi.time_of_impact(bat, turn, [[0, 1, 0], [0, 1, 1]])
    assert impact.hit.tolist() == [True, False]
    assert impact.t[0] == pytest.approx(0.5 - math.asin(0.05) / math.pi, abs=1e-8)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"tol": 0}, ValueError, "tol must be positive, got 0"),
        ({"tol": math.nan}, ValueError, "tol must be positive, got nan"),
        ({"margin": -1}, ValueError, "margin must not be negative, got -1"),
        ({"shape": "box"}, TypeError, "shape must be numbers, got str"),
        ({"motion": ougi.Rotation2d([0, 0], 1)}, ValueError, "motion must be 3-D .* got a Rotation2d"),
        ({"motion": ougi.Pose([0, 0, 0])}, TypeError, "motion must be a motion, got Pose"),
        ({"target_motion": 3}, TypeError, "target_motion must be a motion, got int"),
        ({"target": ougi.Circle([0, 0], 1)}, ougi.UnsupportedPairError, "Box is 3-D and Circle is 2-D"),
        (
            {
                "shape": ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, 1, 1),
                "target": ougi.Sector3d([5, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, 1, 1),
            },
            ougi.UnsupportedPairError,
            r"\(Sector3d, Sector3d\) is not supported; .* two cylinders: points, Sphere, .*Box, Aabb3d",
        ),
        ({"target": [0, math.inf, 0]}, ValueError, "target must be finite, got inf at index 1"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    good: dict[str, Any] = {
        "shape": ougi.Box([0, 0, 0], [1, 1, 1]),
        "motion": ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1),
        "target": ougi.Sphere([0, 0, 0], 1),
    }
    with pytest.raises(error, match=message):
        ougi.time_of_impact(**{**good, **changes})
