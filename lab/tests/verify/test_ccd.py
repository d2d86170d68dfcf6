"""Wrong first contacts that `ougi verify ccd` must catch, and right ones that it must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi.shapes import Box, Capsule3d, Circle, Rectangle, Segment3d, Sphere, Triangle3d
from ougi_lab.scenes.cores import unit
from ougi_lab.scenes.motions import MOTIONS, MovingPairs, draw_grazing_pairs, draw_moving_pairs, gap_at
from ougi_lab.verify.ccd import (
    Ccd,
    compute_band,
    compute_scale,
    repeat_case,
    run_ougi,
    split_by_angle,
    split_cases,
)
from ougi_lab.verify.ccd_oracle import build_bodies, find_free_time
from ougi_lab.verify.ccd_walk import walk_paths
from ougi_lab.verify.narrow import parse_pair
from ougi_lab.verify.runner import Task, run_task

PAIRS = ["sphere-box", "capsule3d-capsule3d", "segment3d-triangle3d", "box-box", "circle-rectangle"]


def _late(result: Any) -> Any:
    return replace(result, t=np.where(result.status == 1, np.minimum(result.t + 1e-6, 1.0), result.t))


def _early(result: Any) -> Any:
    return replace(result, t=np.where(result.status == 1, result.t * (1 - 1e-6), result.t))


def _drop_hits(result: Any) -> Any:
    status = np.where(result.status == 1, 0, result.status)
    return replace(result, status=status, hit=status == 2)


def _second_contact(result: Any) -> Any:
    """Hits are reported at the end, where some bodies happen to touch no more."""
    return replace(result, t=np.where(result.status == 1, 1.0, result.t))


def _free_at_the_start(result: Any) -> Any:
    return replace(result, status=np.where(result.status == 2, 0, result.status))


def _flip_normal(result: Any) -> Any:
    return replace(result, normal=-result.normal)


def _point_beside(result: Any) -> Any:
    return replace(result, point=result.point + 1e-5)


def _no_contact(result: Any) -> Any:
    return replace(result, point=result.point * np.nan)


@pytest.mark.parametrize(
    ("mistake", "check"),
    [
        (_late, "late"),
        (_early, "early"),
        (_drop_hits, "before"),
        (_second_contact, "before"),
        (_free_at_the_start, "start"),
        (_flip_normal, "normal"),
        (_point_beside, "point"),
        (_no_contact, "contact"),
    ],
)
@pytest.mark.parametrize("pair", ["sphere-box", "rectangle-rectangle"])
def test_a_planted_mistake_is_caught(pair: str, mistake: Callable[[Any], Any], check: str) -> None:
    wrong = Ccd(query=lambda case: mistake(run_ougi(case)))
    tally = wrong.check(pair, "random", 600, np.random.default_rng(1))
    assert tally.failed.get(check, 0) > 10
    assert tally.first is not None
    assert "motion=" in tally.first["question"]
    assert sum(group.disagreements for group in tally.groups.values()) == tally.disagreements


@pytest.mark.parametrize("pair", ["point2d-segment2d", "point3d-triangle3d", "segment3d-segment3d"])
def test_thin_bodies_that_pass_through_each_other_in_an_instant_are_caught(pair: str) -> None:
    wrong = Ccd(query=lambda case: _drop_hits(run_ougi(case)))
    assert wrong.check(pair, "random", 600, np.random.default_rng(3)).failed.get("before", 0) > 30


def test_overlaps_of_a_millionth_are_caught() -> None:
    wrong = Ccd(query=lambda case: _drop_hits(run_ougi(case)))
    tally = wrong.check("sphere-box", "near", 200, np.random.default_rng(4))
    assert tally.failed["before"] > 50


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_right_answers_are_proved(pair: str, kind: str) -> None:
    tally = Ccd().check(pair, kind, 120, np.random.default_rng(2))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.unproved == 0


def test_undecided_cases_are_counted_and_listed() -> None:
    def shrug(case: MovingPairs) -> Any:
        result = run_ougi(case)
        return replace(result, status=np.full_like(result.status, 3), t=np.zeros_like(result.t))

    tally = Ccd(query=shrug).check("sphere-sphere", "random", 60, np.random.default_rng(2))
    assert tally.undecided == 60
    assert len(tally.undecided_cases) == 20
    assert tally.undecided_cases[0] == {"share": "one rotation", "number": 0, "index": 0}
    assert sum(group.undecided for group in tally.groups.values()) == 60


def test_every_range_motion_and_mover_is_reported() -> None:
    tally = Ccd().check("sphere-box", "random", 1_200, np.random.default_rng(5))
    motions = [f"{mover} {motion}" for mover in ("one", "both") for motion in ("rotation", "screw")]
    ranges = ("0-10", "10-90", "90-180", "180-360", "360-1080")
    expected = {f"{motion} {span}" for motion in motions for span in ranges}
    assert set(tally.groups) == expected | {"one translation", "both translation"}
    assert sum(group.cases for group in tally.groups.values()) == tally.cases == 1_200


def test_shares_add_up_and_a_full_turn_belongs_to_the_last_range() -> None:
    assert sum(share.size for share in split_cases("box-box", 1_001)) == 1_001
    share = next(split_cases("box-box", 100))
    case = draw_moving_pairs(Box, Box, "rotation", False, 50, np.random.default_rng(1))
    groups = dict(split_by_angle(share, case))
    degrees = np.degrees(np.abs(case.motion.angle))
    assert (degrees[groups["one rotation 360-1080"]] >= 360).all()
    assert sum(chosen.sum() for chosen in groups.values()) == 50


def test_about_a_third_of_the_random_cases_are_hits() -> None:
    case = draw_moving_pairs(Box, Sphere, "rotation", False, 1_000, np.random.default_rng(6))
    status = run_ougi(case).status
    assert (status == 1).mean() > 0.2
    assert (status == 0).mean() > 0.2


@pytest.mark.parametrize("both", [False, True])
def test_grazing_targets_miss_or_overlap_by_a_millionth(both: bool) -> None:
    case = draw_grazing_pairs(Box, Sphere, "rotation", both, 150, np.random.default_rng(4))
    assert case.body.count > 120
    reach = case.body.bounding_sphere().radius + case.target.bounding_sphere().radius
    result = run_ougi(case._replace(tol=1e-12))
    assert 0.25 < (result.status == 0).mean() < 0.75
    # Moved away by two millionths of their size, no target is touched; nearer by as much, almost all are.
    assert (run_ougi(case._replace(margin=2e-6 * float(reach.max()))).status > 0).all()


MOVING = [
    (a, b, motion)
    for a, b in ((Box, Sphere), (Capsule3d, Box), (Segment3d, Triangle3d), (Box, Box), (Rectangle, Circle))
    for motion in MOTIONS[a.dimension]
]


@pytest.mark.parametrize(("a", "b", "motion"), MOVING)
@pytest.mark.parametrize("both", [False, True])
def test_planes_promise_no_more_than_is_true(a: Any, b: Any, motion: str, both: bool) -> None:
    """Between any pose and the end of the promised time the gap along the way stays open."""
    rng = np.random.default_rng(7)
    n = 200
    case = draw_moving_pairs(a, b, motion, both, n, rng)
    t, flat = rng.random(n), np.zeros((3 - a.dimension, n))
    guess = unit(np.vstack([rng.normal(size=(a.dimension, n)), flat]))
    scene = build_bodies(*case[:4], 0.0)
    for thorough in (False, True):
        gap, free = find_free_time(scene, t, guess, 1 - t, thorough)
        held = np.flatnonzero(gap > 0)
        assert len(held) > 10
        assert (free[gap <= 0] == 0).all()
        width = compute_band(case)[held]
        for share in np.linspace(0, 1, 40):
            later = gap_at(case.take(held), t[held] + share * free[held])
            assert (later >= -width).all()


def test_a_tangent_plane_is_good_for_the_whole_way() -> None:
    """A ball that turns about an axis across a flat side never comes nearer: one plane proves it."""
    from ougi.motion import Rotation3d

    ball, floor = Sphere([[3.0, 0, 2]], 1.0), Box([[0.0, 0, 0]], [20, 20, 1.9])
    case = MovingPairs(ball, Rotation3d([[0.0, 0, 0]], [0, 0, 1], 100.0), floor)
    scene = build_bodies(*case[:4], 0.0)
    gap, free = find_free_time(scene, np.zeros(1), np.array([[0.0], [0.0], [-1.0]]), np.ones(1), False)
    assert gap == pytest.approx(0.05)
    assert free == 1.0


def test_a_walk_through_an_obstacle_ends_there() -> None:
    from ougi.motion import Translation3d

    case = MovingPairs(
        Sphere([[0.0, 0, 0]], 1.0), Translation3d([[20.0, 0, 0]]), Box([[10.0, 0, 0]], [1, 1, 1])
    )
    width, scale = compute_band(case), compute_scale(case)
    through = walk_paths(case, np.ones(1), width, scale)
    assert not through.proved
    assert through.smallest < -1e-9
    assert through.at == pytest.approx(8.5 / 20, abs=1e-3)
    assert walk_paths(case, np.full(1, 8.5 / 20 - 1e-12), width, scale).proved


@pytest.mark.parametrize("pair", ["point2d-circle", "box-box"])
def test_pairs_are_those_of_the_library(pair: str) -> None:
    assert pair in Ccd().pairs()
    assert len(Ccd().pairs()) == 56
    a, b = parse_pair(pair)
    assert a.dimension == b.dimension


def test_a_listed_case_can_be_repeated() -> None:
    def unsure(case: MovingPairs) -> Any:
        result = run_ougi(case)
        status = np.where(np.arange(len(result.status)) == 3, 3, result.status)
        return replace(result, status=status, t=np.where(status == 3, 0.0, result.t))

    seen: list[MovingPairs] = []
    task = Task("sphere-box", "near", 2, 96)

    def note(case: MovingPairs) -> Any:
        seen.append(case)
        return unsure(case)

    tally = run_task(Ccd(query=note), task, seed=5)
    assert len(tally.undecided_cases) == len(seen) == 12
    for place, case in zip(tally.undecided_cases, seen, strict=True):
        again = repeat_case("sphere-box", place)
        assert again.body == case.body[[3]]
        assert again.target == case.target[[3]]
        assert again.motion == case.motion[[3]]
        assert again.tol == case.tol


def test_faces_that_meet_flat_have_no_exact_time() -> None:
    """A face swings towards one at rest until both lie on each other: near the foot the gap is quadratic."""
    from ougi.motion import Rotation2d
    from ougi.shapes import Aabb2d

    case = MovingPairs(
        Aabb2d([[-1.0, 0.5]], [[0.0, 2.5]]),
        Rotation2d([[1.9999999999999998, 1.5]], [5.042220751061759]),
        Rectangle([[1.5, 2.5]], [[2.0, 1.0]], [4.71238898038469]),
        tol=1e-14,
    )
    t = run_ougi(case).t
    assert gap_at(case, t - 1e-7)[0] < 1e-10 < -gap_at(case, t + 1e-7)[0]
    assert Ccd()._measure_time_errors(case, t) == 0
    head_on = case._replace(target=Rectangle([[2.0, -1.2]], [[0.5, 0.5]], [0.3]))
    t = run_ougi(head_on).t
    assert Ccd()._measure_time_errors(head_on, t) <= 1 < Ccd()._measure_time_errors(head_on, t - 1e-9)
