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


@pytest.mark.plain
def test_an_overlap_at_the_start_has_the_separating_direction() -> None:
    box, still = ougi.Box([0, 0, 0], [2, 2, 2]), ougi.Translation3d([0, 0, 0])
    blocks = ougi.Box([[1.5, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, -1.4, 0.0]], [2, 1, 2])
    for target_motion in (None, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1)):
        impact = ougi.time_of_impact(box, still, blocks, target_motion)
        assert impact.status.tolist() == [2, 0, 2]
        near = ougi.closest_points(box, blocks)
        np.testing.assert_array_equal(impact.point[[0, 2]], near.point_b[[0, 2]])
        np.testing.assert_allclose(impact.normal[[0, 2]], [[1, 0, 0], [0, -1, 0]], rtol=0, atol=1e-15)
        assert np.isnan(impact.point[1]).all()
        assert np.isnan(impact.normal[1]).all()


def test_what_cannot_be_decided_is_undecided() -> None:
    """More turns beside the target than there are steps: the time is the last one known to be free."""
    bat, screw = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Screw3d([0, 0, 0], [0, 0, 1], 6e6, 3)
    impact = ougi.time_of_impact(bat, screw, ougi.Sphere([0, 1, 2], 0.3))
    assert impact.status == 3
    assert not impact.hit
    assert 0 < impact.t < (2 - 0.3 - 0.05) / 3
    assert np.isnan(impact.point).all()
    assert ougi.intersects(ougi.sweep(bat, screw), ougi.Sphere([0, 1, 2], 0.3))  # never a miss without proof


# Bodies about the z axis, and balls beside the path of a screw that climbs by 300 in 2000 turns.
SCREW_BODIES: list[Any] = [
    ougi.Sphere([1, 0, 0], 0.05),
    ougi.Capsule3d([1, 0, 0], [1.4, 0.2, 0.3], 0.05),
    ougi.Box([1, 0, 0], [1, 0.1, 0.1]),
    ougi.Sector3d([1, 0, 0], [0, 1, 0], [1, 0, 0], np.pi, 0, 0.1, 0.2),
]


@pytest.mark.plain
@pytest.mark.parametrize("body", SCREW_BODIES, ids=lambda body: type(body).__name__)
@pytest.mark.parametrize("sense", [1, -1])
def test_screws_of_thousands_of_turns_are_decided(body: Any, sense: int) -> None:
    """The turns that matter are those at the height of the target. The oracle is the screw of these alone."""
    angle, climb, turns = 2 * np.pi * 2000, 300.0, 1980
    screw = ougi.Screw3d([0, 0, 0], [0, 0, sense], angle, climb)
    ball = ougi.Sphere([0.3, 0.95, sense * 297.5], 0.2)
    late = ougi.Screw3d([0, 0, 0], [0, 0, sense], angle / 2000 * 20, climb / 2000 * 20)
    impact = ougi.time_of_impact(body, screw, ball)
    start = body.transformed(ougi.Translation3d([0, 0, sense * climb / 2000 * turns]))
    alone = ougi.time_of_impact(start, late, ball)
    assert impact.status == alone.status == 1
    assert impact.t == pytest.approx((turns + alone.t * 20) / 2000, abs=1e-9)
    assert impact.point == pytest.approx(alone.point, abs=1e-5)
    assert impact.normal == pytest.approx(alone.normal, abs=1e-5)


@pytest.mark.plain
def test_screws_that_pass_beside_the_target_are_free() -> None:
    """Before, above and inside of a helix of 10,000 turns."""
    body, screw = ougi.Sphere([1, 0, 0], 0.05), ougi.Screw3d([0, 0, 0], [0, 0, 1], 2 * np.pi * 10_000, 2000)
    targets = ougi.Sphere([[1.0, 0.0, -0.5], [1.0, 0.0, 2000.5], [0.0, 0.0, 1000.0]], 0.3)
    assert (ougi.time_of_impact(body, screw, targets).status == 0).all()
    assert (ougi.time_of_impact(targets, screw.inverse(), body).status == 0).all()


@pytest.mark.plain
def test_a_ball_on_the_axis_is_met_at_the_start_or_never() -> None:
    bat, turn = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 5)
    assert ougi.time_of_impact(bat, turn, ougi.Sphere([0, 0, 0], 0.4999)).status == 0
    assert ougi.time_of_impact(bat, turn, ougi.Sphere([0, 0, 0], 0.5001)).status == 2


@pytest.mark.plain
@pytest.mark.parametrize("motion", [ougi.Translation3d([0, 0, 9]), ougi.Chain(ougi.Translation3d([0, 0, 9]))])
@pytest.mark.parametrize("name", ["box", "hull", "cone", "mesh", "compound"])
def test_an_overlap_at_the_start_is_one_with_a_margin_too(name: str, motion: ougi.Motion) -> None:
    """Another part that is only within the margin must not hide it, whatever the order of parts."""
    box = ougi.Box([0, 0, 0], [1, 1, 1])
    near, far = ougi.Sphere([0, 0, 2.2], 0.3), ougi.Sphere([0, 0, 0.7], 0.3)
    tetrahedron = ougi.Mesh(
        [[-1, -1, -1], [1, -1, -1], [0, 2, -1], [0, 0, 2.0]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    )
    bodies = {
        "box": box,
        "hull": ougi.ConvexHull3d(np.array([[0, 0, 1], [0.5, 0, 0], [0, 0.5, 0], [0, 0, -1.5]])),
        "cone": ougi.Cone([0, 0, 0], [0, 0, 1], 0.5, 1.5),
        "mesh": tetrahedron.translated([0, 0, 0.3]),
        "compound": ougi.Compound3d([near, box]),
    }
    body = bodies[name]
    for target in (tetrahedron, ougi.Compound3d([near, far]), ougi.Compound3d([far, near])):
        for margin in (0.0, 2.0):
            first = ougi.time_of_impact(body, motion, target, margin=margin)
            touches = bool(ougi.intersects(body, target))
            assert (first.status == ougi.Status.OVERLAPPING) == touches
            if margin:
                assert first.hit
                assert first.t == 0


def test_margin_finds_near_misses() -> None:
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


@pytest.mark.parametrize("moves", [False, True])
def test_pairs_choose_entries_of_both_sides(moves: bool) -> None:
    rng = np.random.default_rng(5)
    boxes = ougi.Box(rng.uniform(-1, 1, (3, 1, 3)), rng.uniform(0.1, 1, (3, 1, 3)))
    motions = ougi.Rotation3d(rng.uniform(-1, 1, (4, 3)), rng.normal(size=(4, 3)), rng.uniform(-9, 9, 4))
    balls = ougi.Sphere(rng.uniform(-2, 2, (5, 3)), 0.2)
    shift = ougi.Translation3d([0.3, 0.2, -0.1]) if moves else None
    table = ougi.time_of_impact(boxes[..., None], motions[:, None], balls, shift)
    rows = rng.integers(0, (12, 5), (40, 2))
    subset = ougi.time_of_impact(boxes, motions, balls, shift, pairs=rows)
    entries = np.unravel_index(rows[:, 0] * 5 + rows[:, 1], (3, 4, 5))
    for field in ("status", "t", "point", "normal"):
        np.testing.assert_array_equal(getattr(subset, field), getattr(table, field)[entries])
    single = ougi.time_of_impact(boxes[0, 0], motions[0], balls[0], shift, pairs=[[0, 0], [0, 0]])
    assert single.t.shape == (2,)
    assert ougi.time_of_impact(boxes, motions, balls, shift, pairs=np.empty((0, 2), int)).t.shape == (0,)
    with pytest.raises(IndexError, match=r"pairs\[1, 0\] is 12, but that batch holds 12"):
        ougi.time_of_impact(boxes, motions, balls, shift, pairs=[[0, 0], [12, 0]])


def test_points_are_targets_too() -> None:
    bat, turn = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi)
    impact = ougi.time_of_impact(bat, turn, [[0, 1, 0], [0, 1, 1]])
    assert impact.hit.tolist() == [True, False]
    assert impact.t[0] == pytest.approx(0.5 - math.asin(0.05) / math.pi, abs=1e-8)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"tol": 0}, ValueError, "tol must be positive, got 0"),
        ({"tol": math.nan}, ValueError, "tol must be finite, got nan"),
        ({"tol": None}, TypeError, "tol must be a number, got None"),
        ({"tol": [1e-9]}, TypeError, r"tol must be a number, got \[1e-09\]"),
        ({"margin": -1}, ValueError, "margin must not be negative, got -1"),
        ({"margin": math.inf}, ValueError, "margin must be finite, got inf"),
        ({"margin": "a"}, TypeError, "margin must be a number, got 'a'"),
        ({"shape": "box"}, TypeError, "shape must be numbers, got str"),
        ({"motion": ougi.Rotation2d([0, 0], 1)}, ValueError, "motion must be 3-D .* got a Rotation2d"),
        ({"motion": ougi.Pose([0, 0, 0])}, TypeError, "motion must be a motion, got Pose"),
        ({"target_motion": 3}, TypeError, "target_motion must be a motion, got int"),
        ({"target": ougi.Circle([0, 0], 1)}, ougi.UnsupportedPairError, "Box is 3-D and Circle is 2-D"),
        (
            {"shape": ougi.HalfSpace3d([0, 0, 1]), "target": ougi.HalfSpace3d([0, 0, -1], -2)},
            ougi.UnsupportedPairError,
            "time_of_impact of two half-spaces takes translations, got a Rotation3d",
        ),
        ({"method": "guess"}, ValueError, "method must be one of auto, advancement; got 'guess'"),
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


def test_nearly_parallel_flat_boxes_are_apart_as_long_as_a_gap_is_left() -> None:
    """Edges at an angle of 1e-7: their product is the only axis that separates the two."""
    plate = ougi.Box(
        [-1.4932510130041647, 1.3986583492156814, 0.5287158099404174],
        [2.4737625272747814, 2.0964691380822145, 0.0],
        [
            [-0.9925922589223326, -0.11870848641279413, 0.025863154893484324],
            [-0.028302331399554466, 0.4329488824570261, 0.9009740524657532],
            [-0.11815069007335793, 0.8935678823865569, -0.4331014361583134],
        ],
    )
    block = ougi.Box(
        [-1.78544301296572, 2.761113235941802, 2.657072973184045],
        [0.5963698991662202, 2.312519102682531, 2.9563120498886235],
        [
            [0.025863010628398502, -0.9925922643492701, -0.11870847246605473],
            [0.9009740439103602, -0.028302457477150194, 0.4329488920191002],
            [-0.4331014625708943, -0.11815061428000632, 0.8935678796063617],
        ],
    )
    turn = ougi.Rotation3d(
        [82.91048685612053, -90.33138053647701, -39.96848968257066],
        [0.6745648344915836, 0.5690884173531611, -0.4702134167607479],
        9.710434675282796,
    )
    assert ougi.distance(plate, block) > 1e-9
    assert ougi.time_of_impact(plate, turn, block).status == 1


def test_thin_bodies_far_from_the_origin_do_not_tunnel() -> None:
    """Two crossing segments, 3e5 away from the origin, at a tol below the rounding of such coordinates."""

    def far(x: float, y: float, z: float) -> Floats:
        return np.array([290944.0 + x, -61390.0 + y, -38659.0 + z])

    a = ougi.Segment3d(far(-1, 0, 0), far(1, 0, 0))
    b = ougi.Segment3d(far(0, -1, 0.5), far(0, 1, 0.5))
    down = ougi.Screw3d(far(0, 0, 0.5), [0, 0, 1], 0.3, -0.8)
    turn = ougi.Rotation3d(far(5, 0, 0), [0, 1, 0], 1e-3)
    for tol in (1e-9, 1e-12, 1e-15):
        impact = ougi.time_of_impact(b, down, a, turn, tol=tol)
        assert impact.status == 1
        assert 0.6 < impact.t < 0.65


@pytest.mark.plain
def test_a_segment_slides_along_another_end_past_end() -> None:
    """At a gap of 1e-8 the difference of two ends is all rounding, which a whole segment levers up."""
    slider = ougi.Segment2d(
        [-1.2459113049720518, 1.082261589555862], [-0.26192988095021336, 1.384376627122739]
    )
    rail = ougi.Segment2d([1.1355751557649212, 1.813457160788265], [-0.26192987749109786, 1.3843766158564828])
    path = ougi.Translation2d([3.158786674461451, 1.0288375988348357])
    impact = ougi.time_of_impact(slider, path, rail)
    gap = ougi.distance(slider.transformed(path.at(np.linspace(0, 1, 1001))), rail).min()
    assert impact.status == (0 if gap > 1e-8 else 1)


def test_needles_are_not_stopped_before_their_tips_meet() -> None:
    """Slivers tip to tip: the gap along every side's normal is gone long before the distance is."""
    a = ougi.Triangle2d(
        [-0.3916247922736276, -0.15700184703605088],
        [-0.39245034592918315, -0.15740829431555647],
        [-0.3923520951609714, -0.15735992222346984],
    )
    b = ougi.Triangle2d(
        [-0.3916744593190343, -0.4540467517377721],
        [-0.3916739001172738, -0.4540464491709383],
        [-0.39167461129143233, -0.4540468339653517],
    )
    down = ougi.Translation2d([0.0, -0.6561235074113345])
    impact = ougi.time_of_impact(a, down, b)
    assert impact.status == 1
    assert ougi.distance(a.transformed(down.at(impact.t)), b) < 1e-11


def test_a_capsule_past_the_end_of_an_edge_is_as_far_as_it_is() -> None:
    """Almost along an edge, nearest just beyond its end: the edge's perpendicular is not the way."""
    plate = ougi.Box(
        [-1.8566737268899276, -1.9207868664771803, -1.7088617420048657],
        [2.9291387451539146, 2.006536039736773, 0.13002098150512992],
        [
            [0.13285028171924085, 0.42826721079435603, -0.8938333171265999],
            [-0.8913821254030795, -0.3426713590177201, -0.29667195051240913],
            [-0.43334594628195944, 0.8361599941801636, 0.3362257500157025],
        ],
    )
    rod = ougi.Capsule3d(
        [-2.190268743412201, -0.9033078648901685, 0.201547860716639],
        [-3.0579626278489673, -0.20903616423147375, -1.4925601296664377],
        0.5833692017896662,
    )
    path = ougi.Translation3d([1.347316593748253, -2.8057904698756486, -4.891645045010248])
    impact = ougi.time_of_impact(rod, path, plate)
    assert 0 <= ougi.distance(rod.transformed(path.at(impact.t)), plate) < 1e-8


@pytest.mark.parametrize("angle", [1e-30, 1e-80, -1e-100, 1e-140, 1e-160, 1e-300])
def test_screws_that_hardly_turn_hit_as_straight_ones(angle: float) -> None:
    box, far = ougi.Box([0, 0, 0], [1, 1, 1]), ougi.Box([0, 0, 3], [1, 1, 1])
    impact = ougi.time_of_impact(box, ougi.Screw3d([0.2, 0.1, 0], [0, 0, 1], angle, 10), far)
    assert impact.hit
    assert impact.t == pytest.approx(0.2, abs=1e-9)
