"""Bounds of nodes of trees, against points that are drawn from both."""

from __future__ import annotations

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi.kernels.records import Vec3
from ougi.kernels.robot.gjk import Core
from ougi.kernels.robot.nodes import (
    LocalBox,
    bound_core,
    bound_node_from_box,
    bound_nodes,
    relate_frames,
)
from ougi.robot.shape_table import join_rows, read_rows

pytestmark = pytest.mark.plain


def _draw_poses(rng: np.random.Generator) -> Floats:
    """Two frames, as rows of a workspace, and that of the world."""
    poses = np.zeros((3, 12))
    for row in poses[:2]:
        row[:9] = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
        row[9:] = rng.normal(size=3)
    poses[2, :9] = np.eye(3).ravel()
    return poses


def _place(pose: Floats, points: Floats) -> Floats:
    placed: Floats = points @ pose[:9].reshape((3, 3)).T + pose[9:]
    return placed


def _sample(node: Floats, rng: np.random.Generator) -> Floats:
    """Points of a box and its corners."""
    signs = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape((-1, 3))
    return node[:3] + np.vstack([signs, rng.uniform(-1, 1, (40, 3))]) * node[3:6]


def test_two_nodes_are_not_nearer_than_their_bound() -> None:
    rng = np.random.default_rng(1)
    slack, positive = [], 0
    for _ in range(400):
        poses = _draw_poses(rng)
        nodes = np.column_stack(
            [rng.normal(size=(2, 3)), rng.uniform(0, 1, (2, 3)) ** 4, rng.uniform(3, 4, 2)]
        )
        bound = bound_nodes(nodes, 1, 0, relate_frames(poses, 0, 1))
        first, second = _place(poses[0], _sample(nodes[0], rng)), _place(poses[1], _sample(nodes[1], rng))
        distance = np.linalg.norm(first[:, None] - second, axis=2).min()
        assert bound <= distance + 1e-12
        positive += bound > 0.0
        slack.append((distance - bound) / distance)
    assert positive > 300
    assert np.median(slack) < 0.3


def test_balls_bound_what_boxes_do_not() -> None:
    poses = np.zeros((2, 12))
    poses[:, :9] = np.eye(3).ravel()
    poses[1, 9:] = [3.0, 3.0, 0.0]
    nodes = np.array([[0, 0, 0, 1, 1, 1, 1.0], [0, 0, 0, 1, 1, 1, 1.0]])
    assert bound_nodes(nodes, 1, 0, relate_frames(poses, 0, 1)) == pytest.approx(np.sqrt(18) - 2)


def test_plates_above_each_other_are_apart() -> None:
    """Their balls overlap, and once all their nodes had to be searched."""
    poses = np.zeros((2, 12))
    poses[:, :9] = np.eye(3).ravel()
    poses[1, 11] = 0.01
    nodes = np.array([[0, 0, 0, 1, 1, 0, 1.5], [0, 0, 0, 1, 1, 0, 1.5]])
    assert bound_nodes(nodes, 1, 0, relate_frames(poses, 0, 1)) == pytest.approx(0.01)


def test_nodes_that_overlap_more_come_first() -> None:
    poses = np.zeros((2, 12))
    poses[:, :9] = np.eye(3).ravel()
    nodes = np.array([[0, 0, 0, 1, 1, 1, 2.0], [0.5, 0, 0, 1, 1, 1, 2.0], [1.5, 0, 0, 1, 1, 1, 2.0]])
    frame = relate_frames(poses, 0, 1)
    assert bound_nodes(nodes, 1, 0, frame) < bound_nodes(nodes, 2, 0, frame) < 0.0


@pytest.mark.parametrize(
    ("shape", "points"),
    [
        (ougi.Capsule3d([0, 1, 0], [1, 2, 3], 0.5), [[0, 1, 0], [1, 2, 3]]),  # the core is the segment
        (ougi.Box([1, 2, 3], [2, 4, 6]), [[0, 0, 0], [2, 4, 6], [2, 0, 0], [0, 4, 6]]),
        (ougi.Sphere([1, 2, 3], 0.5), [[1, 2, 3]]),
        (ougi.Triangle3d([0, 0, 0], [1, 0, 0], [0, 1, 2]), [[0, 0, 0], [1, 0, 0], [0, 1, 2]]),
    ],
)
def test_the_box_around_a_core_holds_it(shape: ougi.Shape, points: list[list[float]]) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        poses = _draw_poses(rng)
        shapes = join_rows(read_rows(shape), [0])
        box = bound_core(shapes, poses, Core(0, 0, -1), 1)
        placed = (_place(poses[0], np.array(points, float)) - poses[1, 9:]) @ poses[1, :9].reshape((3, 3))
        assert (np.abs(placed - np.array(box.center)) <= np.array(box.half) + 1e-12).all()
        corners = 8 if isinstance(shape, ougi.Box) else len(points)
        if corners == len(points):  # and it is the smallest
            assert np.ptp(placed, axis=0) / 2 == pytest.approx(np.array(box.half), abs=1e-12)


def test_a_box_in_the_frame_of_a_node_is_measured_exactly() -> None:
    nodes = np.array([[0, 0, 0, 1, 2, 3, 9.0]])
    box = LocalBox(Vec3(5.0, 7.0, 0.0), Vec3(1.0, 1.0, 1.0))
    assert bound_node_from_box(nodes, 0, box) == 5.0
