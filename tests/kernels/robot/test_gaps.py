"""Bounds of gaps during an interval, against samples of the interval by plain corners and axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi.kernels.records import Vec3
from ougi.kernels.robot.edges import place_during
from ougi.kernels.robot.gaps import bound_gap, check_pair
from ougi.kernels.robot.kinematics import place_shape
from ougi.robot.pair_table import build_workspace

pytestmark = pytest.mark.plain

# A tree: two arms on one base, with a slide, a joint that follows another one, and boxes and capsules.
TREE = """<robot name="tree"><link name="base"/>
  <link name="a"><collision><origin xyz="0.3 0 0.1" rpy="0.3 0.2 0.1"/>
    <geometry><box size="0.6 0.1 0.2"/></geometry></collision></link>
  <link name="b"><collision><origin xyz="0 0.2 0"/>
    <geometry><capsule radius="0.05" length="0.5"/></geometry></collision></link>
  <link name="c"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="d"><collision><origin xyz="0 0 0.3"/>
    <geometry><box size="0.1 0.2 0.7"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="bend" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.7 0 0"/>
    <axis xyz="0 1 0.4"/></joint>
  <joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="0.1 0.3 0"/>
    <axis xyz="1 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
  <joint name="other" type="continuous"><parent link="a"/><child link="d"/><origin xyz="0 0.5 0.2"/>
    <axis xyz="1 0 0"/><mimic joint="bend" multiplier="-1.5" offset="0.2"/></joint></robot>"""


def _list_corners(shape: ougi.Shape) -> Floats:
    """Points (n, 3) of which the core of a shape is the convex hull."""
    if isinstance(shape, ougi.Box):
        signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape((-1, 3))
        return shape.center + (signs * shape.size) @ shape.rotation.T
    if isinstance(shape, ougi.Capsule3d):
        return np.array([shape.start, shape.end])
    assert isinstance(shape, ougi.Sphere)
    return shape.center[None]


def _place_corners(robot: ougi.Robot, shape: int, q: Floats) -> Floats:
    """Corners (n, corners, 3) at configurations (n, dof)."""
    pose = robot.forward_kinematics(q)[robot.shapes[shape].link]
    corners = _list_corners(robot.shapes[shape].shape)
    placed: Floats = np.einsum("nij,cj->nci", pose.rotation, corners) + pose.position[:, None]
    return placed


def _measure_slack(robot: ougi.Robot, terms: Floats, t: float, half: float, n: Floats) -> Floats:
    """By how much the bound of each pair is below the smallest gap along n among samples."""
    tables = robot._prepare(None).tables
    joints, shapes = robot._kinematics.joints, tables.shapes
    work = build_workspace(joints, tables)
    place_during(joints, terms, 0, t, half, work)
    times = np.linspace(t - half, t + half, 41)
    q = sum(times[:, None] ** k * terms[0, k] for k in range(terms.shape[1]))
    slack = []
    for a, b, level, *_ in tables.pairs.row[tables.pairs.n_groups :].tolist():
        for s in (a, b):
            place_shape(joints, shapes, s, work)
        bound = bound_gap(joints, shapes, work, a, b, level, Vec3(*(2.0 * n).tolist()))
        first, second = _place_corners(robot, a, q), _place_corners(robot, b, q)
        # Directions turn with the frame of the last joint above both shapes.
        frame = np.eye(3)[None]
        if level:
            poses = robot.forward_kinematics(np.vstack([q, q[20]]))["a"].rotation
            frame = poses[:-1] @ poses[-1].T
        along = frame @ n
        gaps = np.einsum("nci,ni->nc", first, np.broadcast_to(along, (41, 3))).min(axis=1)
        gaps -= np.einsum("nci,ni->nc", second, np.broadcast_to(along, (41, 3))).max(axis=1)
        slack.append(gaps.min() - bound)
    return np.array(slack)


@pytest.mark.parametrize("degree", [1, 3])
def test_gaps_are_bounded_to_second_order(tmp_path: Path, degree: int) -> None:
    (tmp_path / "tree.urdf").write_text(TREE)
    robot = ougi.Robot.load(tmp_path / "tree.urdf").ignore([("base", "a")])
    assert {robot.shapes[k].link for k in robot.checked_pairs.ravel()} == {"a", "b", "c", "d"}
    rng = np.random.default_rng(5)
    wide, narrow = [], []
    for _ in range(25):
        terms = rng.normal(size=(1, degree + 1, robot.dof))
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        wide.append(_measure_slack(robot, terms, 0.4, 0.2, n))
        narrow.append(_measure_slack(robot, terms, 0.4, 0.02, n))
    assert np.min(wide) >= -1e-12
    assert np.min(narrow) >= -1e-12
    # An interval of a tenth has an error of a hundredth.
    assert np.sum(narrow) < 0.015 * np.sum(wide)
    assert 0.0 < np.max(narrow) < 0.02


@pytest.mark.parametrize("left", [np.nan, 1e300, 1.0])
def test_results_do_not_depend_on_what_a_workspace_held(tmp_path: Path, left: float) -> None:
    """Pairs with closed forms once took the direction that an earlier pair, or nothing, had left there."""
    (tmp_path / "tree.urdf").write_text(TREE)
    robot = ougi.Robot.load(tmp_path / "tree.urdf").ignore([("base", "a")])
    joints = robot._kinematics.joints
    rng = np.random.default_rng(6)
    for _ in range(20):
        terms = rng.normal(size=(1, 2, robot.dof))
        tables = robot._prepare(None).tables
        decided = []
        for value in (0.0, left):
            work = build_workspace(joints, tables)
            place_during(joints, terms, 0, 0.5, 0.1, work)
            for pair in range(tables.pairs.n_groups, len(tables.pairs.row)):
                a, b, level, *_ = tables.pairs.row[pair].tolist()
                work.simplex[:] = value
                decided.append(
                    check_pair(joints, tables.shapes, work, a, b, level, 0.0, 0.0, 1e-9, False, pair)
                )
                decided.append(
                    check_pair(joints, tables.shapes, work, b, a, level, 0.0, 0.0, 1e-9, False, pair)
                )
        half = len(decided) // 2
        assert decided[:half] == decided[half:]


def test_joints_that_turn_far_are_not_bounded(tmp_path: Path) -> None:
    (tmp_path / "tree.urdf").write_text(TREE)
    robot = ougi.Robot.load(tmp_path / "tree.urdf")
    terms = np.zeros((1, 2, robot.dof))
    terms[0, 1, 0] = 5.0
    tables = robot._prepare(None).tables
    work = build_workspace(robot._kinematics.joints, tables)
    place_during(robot._kinematics.joints, terms, 0, 0.5, 0.5, work)
    place_shape(robot._kinematics.joints, tables.shapes, 0, work)
    place_shape(robot._kinematics.joints, tables.shapes, 2, work)
    bound = bound_gap(robot._kinematics.joints, tables.shapes, work, 2, 0, 0, Vec3(1.0, 0.0, 0.0))
    assert bound == -np.inf
