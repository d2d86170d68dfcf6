"""`ougi verify cuda-robot`: does the GPU find the first contacts of robots that the CPU finds?

Random robots as in `ougi verify robot`. Poses differ in the last bits, because sines do. So a motion of which
the times differ, or of which only one is free, is judged by gaps that the CPU measures: at the reported time
the gap of the reported pair must be that of a contact, and before it no gap of the samples may be negative.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.query import distance
from ougi.results import Status
from ougi.robot import Robot, RobotContacts
from ougi.shapes import Cylinder, Sector3d, Shape
from ougi_lab.scenes.robots import KINDS, draw_obstacles, draw_robot
from ougi_lab.verify.robot import load_robot
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

# Motions of one robot, and configurations at which a motion that differs is sampled.
_EDGES, _SAMPLES = 2_000, 2_001

# Of contacts; rounding of poses of a few units.
_TOL, _ROUNDING = 1e-9, 1e-12


def run_gpu(robot: Robot, obstacles: list[Shape], q0: Floats, q1: Floats) -> RobotContacts:
    """The result under test."""
    from ougi.cuda import DeviceRobot
    from ougi.cuda.driver import to_device

    there = DeviceRobot(robot, obstacles)
    return there.first_contact(to_device(q0), to_device(q1), tol=_TOL, result="numpy")


@dataclass(frozen=True)
class CudaRobots:
    """The subject `cuda-robot` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[Robot, list[Shape], Floats, Floats], RobotContacts] = field(default=run_gpu)
    name: str = "cuda-robot"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("cuda", "kernels", "kernels/robot", "robot")
    chunk: int = 100_000

    def pairs(self) -> tuple[str, ...]:
        """Robots by the classes of their shapes."""
        return KINDS

    def facts(self) -> dict[str, Any]:
        """The GPU."""
        from ougi_lab.machine import describe_gpu

        return describe_gpu()

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Compare n motions of as many robots as it takes."""
        tally = Tally(counts={"times that differ": 0, "contacts": 0})
        while tally.cases < n:
            with tempfile.TemporaryDirectory() as folder:
                drawn = draw_robot(pair, rng)
                robot = load_robot(drawn.write(Path(folder)))
            obstacles = draw_obstacles(pair, int(rng.integers(0, 5)), rng)
            q0 = rng.uniform(-3, 3, (min(_EDGES, n - tally.cases), robot.dof))
            q1 = q0 + rng.normal(size=q0.shape) * rng.choice([0.1, 0.5])
            ours = robot.first_contact(q0, q1, obstacles, tol=_TOL)
            theirs = self.query(robot, obstacles, q0, q1)
            differs = (ours.status != theirs.status) | ~(
                (ours.t == theirs.t) | np.isnan(ours.t) & np.isnan(theirs.t)
            )
            error = np.zeros(len(q0))
            for k in np.flatnonzero(differs).tolist():
                error[k] = measure_error(robot, obstacles, q0[k], q1[k], theirs[k])
            describe = partial(_describe, drawn.to_urdf(), obstacles, q0, q1)
            tally.judge({"first contact": error}, describe)
            tally.cases += len(q0)
            tally.undecided += int((theirs.status == Status.UNDECIDED).sum())
            tally.add_counts({"times that differ": int(differs.sum()), "contacts": int(ours.hit.sum())})
        return tally


def _describe(text: str, obstacles: list[Shape], q0: Floats, q1: Floats, k: int) -> dict[str, Any]:
    """What repeats a case."""
    return {"a": text, "b": repr(obstacles), "question": repr([q0[k].tolist(), q1[k].tolist()])}


def measure_error(
    robot: Robot, obstacles: list[Shape], q0: Floats, q1: Floats, found: RobotContacts
) -> float:
    """Of the reported first contact of one motion; 1 and less is right."""
    if found.status == Status.UNDECIDED:
        return 0.0  # counted by itself
    end = float(found.t) if found.hit else 1.0
    times = np.linspace(0.0, end, _SAMPLES)[:, None]
    path = q0 + times * (q1 - q0)
    gap = _measure_gap(robot, obstacles, path[-1], found) if found.hit else 0.0
    if found.status == Status.OVERLAPPING:
        return 0.0 if end == 0.0 and gap <= 2 * _TOL + _ROUNDING else NONFINITE_ERROR
    # Two shapes that overlap have the gap 0, and up to rounding so have two that touch.
    if (robot.distance(path[:-1], obstacles).distance <= 0.0).any():
        return NONFINITE_ERROR
    return max(gap - _ROUNDING, 0.0) / (2 * _TOL)


def _measure_gap(robot: Robot, obstacles: list[Shape], q: Floats, found: RobotContacts) -> float:
    """The gap of the reported pair by the kernel of that pair.

    `Robot.distance` would do, but where a cylinder nearly touches it is off by up to 5e-8.
    """
    poses = robot.forward_kinematics(q)
    first = robot.shapes[int(found.shape)]
    body = first.shape.transformed(poses[first.link])
    if found.obstacle >= 0:
        return float(distance(_to_solid(body), _to_solid(obstacles[int(found.obstacle)])))
    second = robot.shapes[int(found.other)]
    return float(distance(_to_solid(body), _to_solid(second.shape.transformed(poses[second.link]))))


def _to_solid(shape: Shape) -> Shape:
    """A cylinder that is written as a whole sector, as a shape that has distances to all others."""
    if not isinstance(shape, Sector3d):
        return shape
    return Cylinder(shape.center, shape.axis, shape.outer_radius, 2 * shape.half_height)
