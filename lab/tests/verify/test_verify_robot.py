"""`ougi verify robot` finds nothing wrong, and finds planted mistakes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.results import Status
from ougi.robot import Robot, RobotContacts
from ougi.shapes import Shape
from ougi_lab.verify.robot import Robots, run_ougi

pytest.importorskip("coal")


@pytest.mark.parametrize("kind", ["spheres", "convex", "meshes"])
def test_motions_of_random_robots_are_right(kind: str) -> None:
    tally = Robots().check(kind, "random", 150, np.random.default_rng(11))
    assert tally.disagreements == 0, tally.first
    assert tally.undecided == 0
    assert tally.counts["contacts"] > 5


def _miss(robot: Robot, terms: Floats, obstacles: list[Shape]) -> RobotContacts:
    found = run_ougi(robot, terms, obstacles)
    return replace(found, status=0 * found.status, hit=found.hit & False)


def _delay(robot: Robot, terms: Floats, obstacles: list[Shape]) -> RobotContacts:
    found = run_ougi(robot, terms, obstacles)
    return replace(found, t=np.where(found.status == Status.HIT, np.minimum(found.t + 0.02, 1.0), found.t))


def _advance(robot: Robot, terms: Floats, obstacles: list[Shape]) -> RobotContacts:
    found = run_ougi(robot, terms, obstacles)
    return replace(found, t=found.t * 0.99)


@pytest.mark.parametrize(("query", "check"), [(_miss, "missed"), (_delay, "late"), (_advance, "false")])
def test_planted_mistakes_are_found(query: object, check: str) -> None:
    subject = Robots(query=query)  # type: ignore[arg-type]
    tally = subject.check("convex", "random", 100, np.random.default_rng(4))
    assert tally.failed[check] > 0
