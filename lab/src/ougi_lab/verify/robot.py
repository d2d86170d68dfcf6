"""`ougi verify robot`: are edges that are certified free free, and are first contacts the first ones?

Random robots (chains and trees, all types of joints, mimics, several shapes on a link) among random
obstacles, and robots of the distribution `example-robot-data`, all read from URDF files. Kinematics come from
plain matrices and from pinocchio, and distances from coal. Each edge is sampled evenly, and more finely where
its gap is smallest. A contact is judged by the distance of its pair at the reported time.

What coal measures near zero is computed again with 50 digits, because the gap at a reported time lies within
2e-9 and coal's distances of cylinders are less exact than that.

A case is an edge: straight in joint values, or a cubic or quintic polynomial.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ougi._typing import Floats
from ougi.results import Status
from ougi.robot import Robot, RobotContacts
from ougi.shapes import Shape
from ougi_lab.scenes.robots import KINDS, draw_obstacles, draw_robot
from ougi_lab.verify.robot_scan import TOL, PinocchioRobot, Scan, scan_random_robot
from ougi_lab.verify.tally import PeerCount, Tally

# Edges of one robot.
_EDGES = 25

# What poses may differ by. Unit: length.
_POSE_ACCURACY = 1e-12

# Robots of `example-robot-data`: arms, hands and quadrupeds, of primitives and of meshes.
FILES = ("panda", "panda_collision", "ur5_robot", "xarm7", "z1", "allegro_left_hand", "a1", "solo12")

# By link, 4x4 matrices (n, 4, 4).
LinkPoses = dict[str, Floats]


def run_ougi(robot: Robot, terms: Floats, obstacles: list[Shape]) -> RobotContacts:
    """The result under test."""
    return robot.first_contact_of_polynomials(terms, obstacles, tol=TOL)


@dataclass(frozen=True)
class Robots:
    """The subject `robot` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[Robot, Floats, list[Shape]], RobotContacts] = field(default=run_ougi)
    name: str = "robot"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/robot", "robot")
    chunk: int = 250

    def pairs(self) -> tuple[str, ...]:
        """Robots by the classes of their shapes, and files that are installed."""
        return (*KINDS, *find_files())

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check edges of as many robots as it takes."""
        tally = Tally()
        path = find_files().get(pair)
        while tally.cases < n:
            size = min(_EDGES, n - tally.cases)
            if path is not None:
                self._check_file(tally, path, size, rng)
                continue
            with tempfile.TemporaryDirectory() as folder:
                self._check_random(tally, pair, size, Path(folder), rng)
        return tally

    def _check_random(self, tally: Tally, kind: str, n: int, folder: Path, rng: np.random.Generator) -> None:
        drawn = draw_robot(kind, rng)
        obstacles = draw_obstacles(kind, int(rng.integers(0, 5)), rng)
        path = drawn.write(folder)
        robot = load_robot(path)
        terms = draw_edges(n, robot.dof, rng)
        q = terms[:, 0]
        own = q[:, [robot.joint_names.index(name) for name in drawn.columns]]
        _compare_poses(
            tally, "matrices", robot, q, {f"l{k}": pose for k, pose in enumerate(drawn.place_links(own))}
        )
        if find_spec("pinocchio") is not None and not any(j.type == "spherical" for j in drawn.joints):
            bare = folder / "bare.urdf"  # its parser knows no capsules
            bare.write_text(replace(drawn, shapes=[]).to_urdf(), encoding="utf-8")
            _compare_poses(tally, "pinocchio", robot, q, PinocchioRobot(bare, robot).place_links(q))
        scan = scan_random_robot(drawn, robot, obstacles)
        self._judge(tally, robot, terms, obstacles, scan, drawn.to_urdf())

    def _check_file(self, tally: Tally, path: Path, n: int, rng: np.random.Generator) -> None:
        robot = _load_file(path)
        obstacles = draw_obstacles("convex", int(rng.integers(0, 4)), rng)
        lower, upper = robot.get_sampling_bounds()
        terms = draw_edges(4 * n, robot.dof, rng)
        terms[:, 0] = rng.uniform(lower, upper, (4 * n, robot.dof))
        # Most of the motions begin without a contact.
        starts_free = ~robot.collides(terms[:, 0], obstacles)
        terms = terms[np.argsort(~starts_free, kind="stable")][:n]
        peer = PinocchioRobot(path, robot)
        _compare_poses(tally, "pinocchio", robot, terms[:, 0], peer.place_links(terms[:, 0]))
        self._judge(tally, robot, terms, obstacles, peer.scan(obstacles), path.name)

    def _judge(
        self, tally: Tally, robot: Robot, terms: Floats, obstacles: list[Shape], scan: Scan, text: str
    ) -> None:
        found = self.query(robot, terms, obstacles)
        errors = [scan.find_errors(terms[k], found[k]) for k in range(len(terms))]
        coal = max(error.pop("coal") for error in errors)
        tally.judge(
            {name: np.array([error[name] for error in errors]) for name in errors[0]},
            lambda k: {"a": text, "b": repr(obstacles), "question": repr(terms[k].tolist())},
        )
        tally.cases += len(terms)
        tally.undecided += int((found.status == Status.UNDECIDED).sum())
        tally.add_counts({"contacts": int(found.hit.sum()), "robots": 1})
        tally.largest["error of coal"] = max(tally.largest.get("error of coal", 0.0), coal)


def _compare_poses(tally: Tally, name: str, robot: Robot, q: Floats, expected: LinkPoses) -> None:
    """Count configurations (n, dof) at which a link is elsewhere for a peer."""
    poses = robot.forward_kinematics(q)
    error = np.max([np.abs(poses[link].matrix() - expected[link]).max(axis=(1, 2)) for link in poses], axis=0)
    wrong = int((~(error <= _POSE_ACCURACY)).sum())
    tally.peers.setdefault(name, PeerCount()).add(PeerCount(len(q), wrong, float(error.max())))
    tally.judge({f"pose, {name}": error / _POSE_ACCURACY}, lambda k: {"question": repr(q[k].tolist())})


def load_robot(path: Path) -> Robot:
    """A robot without warnings: it may have no shapes, or a mimic of a fixed joint."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Robot.load(path)


@cache
def _load_file(path: Path) -> Robot:
    """A robot without the pairs of links that touch by design."""
    robot = load_robot(path)
    always, _ = robot.find_constant_pairs(200)
    return robot.ignore(always)


@cache
def find_files() -> dict[str, Path]:
    """The robots of `FILES` that are installed, with their paths, if pinocchio is."""
    try:
        listed = files("example-robot-data") or []
    except PackageNotFoundError:
        return {}
    if find_spec("pinocchio") is None:
        return {}
    found = {Path(str(file)).stem: Path(str(file.locate())) for file in listed if file.suffix == ".urdf"}
    return {name: found[name] for name in FILES if name in found}


def draw_edges(n: int, dof: int, rng: np.random.Generator) -> Floats:
    """Motions (n, degree + 1, dof) of one degree."""
    degree = int(rng.choice([1, 1, 3, 5]))
    terms = rng.normal(size=(n, degree + 1, dof)) / np.arange(1, degree + 2)[:, None]
    terms[:, 0] = rng.uniform(-3, 3, (n, dof))
    return terms * float(rng.choice([0.3, 1.0, 2.0]))
