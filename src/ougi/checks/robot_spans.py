"""First contacts of robots in a scene, by the loop of `Robot.first_contact`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ougi._check import frozen
from ougi._native import each
from ougi._typing import Bools, FloatLike, Floats, Ints, Record
from ougi.errors import UnsupportedPairError
from ougi.impact.contacts import make_free
from ougi.impact.contacts import read_rows as read_contacts
from ougi.kernels.robot.edges import find_edge_contacts
from ougi.kernels.robot.records import LinkShapes, Pairs
from ougi.motion import Pose
from ougi.results import Status
from ougi.robot.kinematics import Kinematics, build_kinematics
from ougi.robot.pair_table import CheckTables, build_workspace, count_common, measure_extent
from ougi.robot.shape_table import Row, join_rows, read_rows
from ougi.scene import Body, Scene
from ougi.scene.robot import Joint, RobotMotion, place_links
from ougi.shapes import HalfSpace3d, Mesh
from ougi.timeline import Contacts
from ougi.timeline.contacts import make_contacts
from ougi.timeline.spans import SceneSpans

# Intervals of a pair after which it is undecided, as in `Robot.first_contact`.
_MAX_INTERVALS = 20_000

# Instead of a robot: pairs that its loop does not decide, and pairs that are known to be free.
_NO_ROBOT, _FREE = -1, -2


class SceneRobot(NamedTuple):
    """A robot of a scene: its tree of joints in the world, its trajectory, and its links at the start."""

    kinematics: Kinematics
    motion: RobotMotion
    start: dict[str, Pose]

    def interpolate(self, start: Floats, stop: Floats) -> Floats:
        """Motions (n, 2, dof) between times that no row of the trajectory separates: start and difference.

        Bodies that rest may have rows in between: joints that move there do not move these bodies.
        """
        times, rows = np.array(self.motion.times), self.motion.rows
        k = np.clip(np.searchsorted(times, start, side="right") - 1, 0, len(times) - 2)
        ends = []
        for t in (start, stop):
            share = np.clip((t - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
            ends.append(rows[k] + share[:, None] * (rows[k + 1] - rows[k]))
        return np.stack([ends[0], ends[1] - ends[0]], axis=1)


class RobotSpans(SceneSpans):
    """The spans of a scene. Pairs of shapes of one robot, and of a robot and what rests, are edges of it.

    Between two rows of a trajectory all joints move evenly. So the loop that proves edges for planners finds
    the first contacts, one pair at a time. Motions that have a kernel of their own keep it.

    Bodies that are known to be free rest where they start, because only what encloses them is still to be
    found. None of their pairs has a contact, also where another body comes to where they rest.
    """

    def __init__(self, scene: Scene, free: frozenset[int] = frozenset()) -> None:
        bodies = [replace(body, pieces=()) if k in free else body for k, body in enumerate(scene.bodies)]
        scene = replace(scene, bodies=tuple(bodies))
        super().__init__(scene)
        self._is_free: Bools = np.isin(np.arange(len(bodies)), list(free))
        robots = list(
            {id(b.robot): b.robot for b in scene.bodies if b.robot is not None and b.moves}.values()
        )
        numbers = {id(robot): k for k, robot in enumerate(robots)}
        self._robots = [build_scene_robot(robot) for robot in robots]
        self._robot_of: Ints = np.array(
            [numbers[id(b.robot)] if b.robot is not None and b.moves else -1 for b in scene.bodies], np.int64
        )
        self._rests: Bools = np.array([not body.moves for body in scene.bodies], np.bool_)
        self._rows: dict[int, Row | None] = {}

    def find_first_contacts(
        self,
        a: Ints,
        b: Ints,
        start: FloatLike,
        seconds: FloatLike,
        tol: float,
        margin: float = 0.0,
        progress: Callable[[int], None] | None = None,
        *,
        complete: bool = True,
    ) -> Contacts:
        """As in `Timeline`."""
        find = functools.partial(super().find_first_contacts, complete=complete)
        start, seconds = np.broadcast_to(start, len(a)), np.broadcast_to(seconds, len(a))
        robot = self._find_robots(a, b)
        if not (robot != _NO_ROBOT).any():
            return find(a, b, start, seconds, tol, margin, progress)
        rows, parts = [], []
        for k in np.unique(robot).tolist():
            rows.append(i := np.flatnonzero(robot == k))
            if k == _NO_ROBOT:
                parts.append(find(a[i], b[i], start[i], seconds[i], tol, margin, progress))
                continue
            if k == _FREE:
                parts.append(self._make_free(a[i], b[i]))
            else:
                parts.append(
                    self._find_by_robot(self._robots[k], a[i], b[i], start[i], seconds[i], tol, margin)
                )
            if progress is not None:
                progress(len(i))
        contacts: Contacts = Contacts.join(parts)[np.argsort(np.concatenate(rows), kind="stable")]
        return contacts

    def _find_robots(self, a: Ints, b: Ints) -> Ints:
        """(n,), the robot whose loop decides for each pair of rows, or _NO_ROBOT or _FREE."""
        first, second = self.body[a], self.body[b]
        one, other = self._robot_of[first], self._robot_of[second]
        robot = np.where(
            (one >= 0) & ((one == other) | self._rests[second]),
            one,
            np.where((other >= 0) & self._rests[first], other, _NO_ROBOT),
        )
        robot[np.maximum(a, b) < self.kernel_count] = _NO_ROBOT
        is_free = self._is_free[first] | self._is_free[second]
        robot[is_free] = _FREE
        bodies = np.unique(np.concatenate([first[robot >= 0], second[robot >= 0]])).tolist()
        unknown = [k for k in bodies if self._read_row(k) is None]
        robot[~is_free & (np.isin(first, unknown) | np.isin(second, unknown))] = _NO_ROBOT
        return robot

    def _make_free(self, a: Ints, b: Ints) -> Contacts:
        """No contacts of pairs of rows."""
        pair = np.stack([self.body[a], self.body[b]], axis=1)
        return make_contacts(make_free(len(a), 3), pair, np.full(len(a), np.nan), np.full(len(a), "", "U11"))

    def _read_row(self, body: int) -> Row | None:
        """The shape of a body in the frame of its joint; None if the loop does not know it."""
        if body not in self._rows:
            own = self.scene.bodies[body]
            robot = self._robots[self._robot_of[body]] if own.robot is not None and own.moves else None
            self._rows[body] = read_body(own, robot)
        return self._rows[body]

    def _find_by_robot(
        self, robot: SceneRobot, a: Ints, b: Ints, start: Floats, seconds: Floats, tol: float, margin: float
    ) -> Contacts:
        """First contacts of pairs of rows of one robot, pair by pair."""
        pair = np.stack([self.body[a], self.body[b]], axis=1)
        bodies, local = np.unique(pair, return_inverse=True)
        shapes, extent = self._join(robot, bodies.tolist())
        terms = robot.interpolate(start, start + seconds)
        unique, which = np.unique(local.reshape((-1, 2)), axis=0, return_inverse=True)
        out = np.empty((len(a), 10))
        joints = robot.kinematics.joints

        def work(k: int) -> None:
            own = np.flatnonzero(which.ravel() == k)
            i, j = unique[k].tolist()
            level = count_common(joints, int(shapes.joint[i]), int(shapes.joint[j]))
            row = frozen(np.array([[i, j, level, 1, 2], [i, j, level, 0, 0]], np.int64))
            tables = CheckTables(shapes, Pairs(row, 1), extent, len(bodies))
            part, inner = np.empty((len(own), 10)), frozen(terms[own])
            find_edge_contacts(
                joints, shapes, tables.pairs, inner, margin, extent, tol, False, _MAX_INTERVALS,
                build_workspace(joints, tables), part, 0, len(own),
            )  # fmt: skip
            out[own] = part

        each(work, range(len(unique)))
        found = read_contacts(np.ascontiguousarray(out[:, [0, 1, 3, 4, 5, 6, 7, 8]].T), 3)
        time = start + np.where(found.status == Status.FREE, np.nan, found.t * seconds)
        return make_contacts(found, pair, time, np.full(len(a), "robot", "U11"))

    def _join(self, robot: SceneRobot, bodies: list[int]) -> tuple[LinkShapes, float]:
        """The table of the shapes of bodies, and how far they reach."""
        rows = [row for k in bodies if (row := self._read_row(k)) is not None]
        placed = robot.kinematics.links
        joints = [
            placed[body.link].joint if body.moves else -1 for body in (self.scene.bodies[k] for k in bodies)
        ]
        columns: Record = map(frozen, join_rows(rows, joints))
        table = LinkShapes(*columns)
        return table, measure_extent(robot.kinematics.joints, table)


def build_scene_robot(robot: RobotMotion) -> SceneRobot:
    """The robot that bodies of a scene were built from."""
    start = place_links(robot.links, robot.joints, robot.rows[0].tolist(), robot.frame)
    return SceneRobot(_build_joints(robot), robot, start)


def read_body(body: Body, robot: SceneRobot | None) -> Row | None:
    """The shape of a body in the world, or of a moving one in the frame of its joint; None if unsupported."""
    shape = body.shape
    if isinstance(shape, Mesh) and shape.solid:
        return None  # the loop knows surfaces only
    if robot is not None:
        if isinstance(shape, HalfSpace3d):
            return None  # in the loop half-spaces rest
        own, start = robot.motion.links[body.link].shapes[body.link_shape], robot.start[body.link]
        if own.transformed(start) != shape:  # a hull, or what a user has put there
            own = shape.transformed(start.inverse())
        shape = own.transformed(robot.kinematics.links[body.link].pose)
    try:
        (row,) = read_rows(shape)
    except (UnsupportedPairError, ValueError):
        return None
    return row


def _build_joints(robot: RobotMotion) -> Kinematics:
    """The tree of joints in the world. All degrees of freedom have columns, also those that follow others."""
    children = {joint.child for joint in robot.joints}

    def place(joint: Joint) -> Joint:
        frame = Pose(np.zeros(3)) if joint.parent in children else robot.frame
        freedoms = tuple(freedom._replace(mimic=None) for freedom in joint.freedoms)
        return joint._replace(origin=frame @ joint.origin, freedoms=freedoms)

    return build_kinematics(robot.links, [place(joint) for joint in robot.joints])
