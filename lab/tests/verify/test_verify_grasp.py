"""The oracle of grasps: short runs find no mistake, planted ones are caught."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi_lab.grasp import (
    TARGETS,
    Grasp,
    GraspFrame,
    StepSizes,
    build_human_hand,
    place_one_hand,
    simulate_grasp,
)
from ougi_lab.grasp.moves import find_exact_distances
from ougi_lab.scenes.meshes import make_box, make_sphere, move_mesh
from ougi_lab.verify import grasp as verify
from ougi_lab.verify.grasp import GraspOracle, Grasps, draw_case

EYE = np.eye(3)


@pytest.mark.parametrize("row", ["stone", "five"])
def test_a_short_run_finds_no_mistake(row: str) -> None:
    tally = Grasps().check(row, "random", 1, np.random.default_rng(8))
    assert tally.disagreements == 0, tally.first
    assert tally.cases > 30
    assert tally.counts["at target"] > 0
    assert 0 < tally.largest["gap at a stop / size"] < 1e-5


def wrong_by(angle: float) -> Any:
    """A simulation whose fingers go too far, or not far enough."""

    def rule(moves: Any, sensors: Any, scene: Any, clearance: float) -> Any:
        free = find_exact_distances(moves, sensors, scene, clearance)
        turns = moves.turns[moves.starts]
        return free._replace(distance=np.where(turns, free.distance + angle, free.distance))

    return lambda hand, target, poses: simulate_grasp(hand, target, poses, rule=rule)


def hasty(hand: Any, target: Any, poses: Any) -> Grasp:
    return simulate_grasp(hand, target, poses, step_sizes=StepSizes(bend=0.1))


def endless(hand: Any, target: Any, poses: Any) -> Grasp:
    return simulate_grasp(hand, target, poses, frames=3)


def loose(hand: Any, target: Any, poses: Any) -> Grasp:
    """Joints that go on beyond their limits."""
    run = simulate_grasp(hand, target, poses)
    last: GraspFrame = run.frames[-1]
    return replace(run, frames=(*run.frames[:-1], replace(last, angles=last.angles - 1e-3)))


@pytest.mark.parametrize(
    ("mistake", "check"),
    [
        (wrong_by(2e-3), "overlap"),
        (wrong_by(-5e-3), "stop"),
        (hasty, "pace"),
        (endless, "end"),
        (loose, "limits"),
    ],
)
def test_planted_mistakes_are_caught(mistake: Any, check: str) -> None:
    tally = Grasps(simulate=mistake).check("ball", "random", 1, np.random.default_rng(2))
    assert tally.failed[check] > 0
    assert tally.first is not None


def measure_overlap(oracle: GraspOracle, place: list[float]) -> float:
    turns, shifts = oracle.place_parts(EYE[None], np.array([place]), np.zeros((1, 5, 3)))
    return oracle._measure_overlap(turns, shifts, np.ones(len(turns), np.bool_))


@pytest.mark.parametrize("coal", [True, False])
def test_the_oracle_sees_overlaps_and_what_lies_inside(coal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if coal:
        pytest.importorskip("coal")
    else:
        monkeypatch.setattr(verify, "build_coal_model", missing)
    wall = GraspOracle(build_human_hand(), make_box((1000, 1000, 20)), 1)
    assert measure_overlap(wall, [0, 0, 100.0]) == 0.0
    assert measure_overlap(wall, [0, 0, 20.0]) > 1.0
    around = GraspOracle(build_human_hand(), make_box((2000, 2000, 2000)), 1)
    assert measure_overlap(around, [0, 0, 0.0]) > 1.0


def missing(mesh: Any) -> Any:
    raise ImportError("no coal")


def test_joints_are_skipped_and_fingers_are_not() -> None:
    oracle = GraspOracle(build_human_hand(), move_mesh(make_sphere(6, 4), EYE, np.full(3, 1e4)), 1)
    assert len(oracle.pairs) == 17 * 16 // 2 - 15
    turns, shifts = oracle.place_parts(EYE[None], np.zeros((1, 3)), np.zeros((1, 5, 3)))
    everything = np.ones(len(turns), np.bool_)
    assert oracle._measure_overlap(turns, shifts, everything) == 0.0
    bent = np.zeros((1, 5, 3))
    bent[0, 2] = [1.57, 2.3, 1.3]
    assert oracle._measure_overlap(*oracle.place_parts(EYE[None], np.zeros((1, 3)), bent), everything) > 1.0


def test_cases_start_apart_and_depend_on_the_seed_alone() -> None:
    for row in (*TARGETS, "five"):
        target, poses = draw_case(row, np.random.default_rng(4))
        again, _ = draw_case(row, np.random.default_rng(4))
        assert target == again
        assert poses.shape == ((5,) if row == "five" else ())
        assert len(simulate_grasp(build_human_hand(), target, poses, frames=1).frames) == 2


def test_the_oracle_poses_parts_as_the_hand_does() -> None:
    rng = np.random.default_rng(6)
    hand, angles = build_human_hand(), rng.uniform(0, 1, (1, 5, 3))
    pose = place_one_hand()
    turns, shifts = GraspOracle(hand, make_box(), 1).place_parts(
        pose.rotation[None], pose.position[None], angles
    )
    ours = hand.place_parts(pose.rotation[None], pose.position[None], angles)
    assert turns[1:] == pytest.approx(ours[0][0], abs=1e-12)
    assert shifts[1:] == pytest.approx(ours[1][0], abs=1e-9)


def test_the_command_runs_one_target(capsys: pytest.CaptureFixture[str]) -> None:
    from ougi.cli import app as cli

    assert cli.run(["verify", "grasp", "rod", "--cases", "1", "--near", "0"]) == 0
    assert "0 disagreements in 1 pairs" in capsys.readouterr().out
