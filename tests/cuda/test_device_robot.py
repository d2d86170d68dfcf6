"""Edges of robots on a GPU: the results of the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from devices import SIMULATED, assert_same_form, on_host
from numba import cuda

import ougi
import ougi.cuda
from ougi_lab.scenes.robots import KINDS, draw_obstacles, draw_robot

_EDGES = 3 if SIMULATED else 2000


def _draw(kind: str, seed: int, folder: Path) -> tuple[ougi.Robot, list[Any], Any, Any]:
    rng = np.random.default_rng(seed)
    robot = ougi.Robot.load(draw_robot(kind, rng).write(folder))
    place = ougi.Pose(rng.normal(size=3), [0.0, 0.6, 0.0, 0.8])
    obstacles = [
        *draw_obstacles(kind, 2, rng),
        ougi.HalfSpace3d([0.1, 0, 1], -1.2),
        ougi.Cone([0, 0.2, 0], [0, 0, 1], 0.2, 0.3).transformed(place),
        ougi.Ellipsoid([0, -0.2, 0], [0.1, 0.2, 0.3]).transformed(place),
    ]
    q0 = rng.uniform(-3, 3, (_EDGES, robot.dof))
    return robot, obstacles, q0, q0 + rng.normal(size=q0.shape) / 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(1 if SIMULATED else 20))
def test_first_contacts_are_those_of_the_cpu(kind: str, seed: int, tmp_path: Path) -> None:
    robot, obstacles, q0, q1 = _draw(kind, seed, tmp_path)
    there = ougi.cuda.DeviceRobot(robot, obstacles)
    expected = robot.first_contact(q0, q1, obstacles)
    found = there.first_contact(cuda.to_device(q0), cuda.to_device(q1), result="numpy")
    assert_same_form(found, expected)
    assert found.status.tolist() == expected.status.tolist()
    np.testing.assert_allclose(found.t, expected.t, rtol=0, atol=1e-6)
    free = there.is_free(cuda.to_device(q0), cuda.to_device(q1))
    assert on_host(free).tolist() == robot.is_free(q0, q1, obstacles).tolist()
