"""Motions that OMPL's planners accept are certified free."""

from __future__ import annotations

from pathlib import Path

import pytest

import ougi

pytest.importorskip("ompl")

ARM = Path(__file__).parents[2] / "examples/scenes/robot_arm.urdf"


def test_the_validator_answers_as_the_robot() -> None:
    from ompl import base

    from ougi.adapters.ompl import MotionValidator, build_space

    robot = ougi.Robot.load(ARM)
    posts = ougi.Capsule3d([0.3, 0.6, 0], [0.3, 0.6, 1], 0.03)
    space = build_space(robot)
    validator = MotionValidator(base.SpaceInformation(space), robot, posts)
    states = [space.allocState() for _ in range(2)]
    for goal in ([1.2, 0.2, 0.2, 0.0], [-1.1, 0.2, 0.2, 0.05]):
        for state, values in zip(states, ([-1.2, 0.2, 0.2, 0.0], goal), strict=True):
            for k, value in enumerate(values):
                state[k] = value
        start, end = map(validator.read_state, states)
        assert validator.checkMotion(*states) == robot.is_free(start, end, posts)
        assert validator.is_valid(states[0])
    assert validator.count == 2
