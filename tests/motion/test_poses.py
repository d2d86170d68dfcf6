"""Poses: what they do to points, how they combine, and what they refuse."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from expected_poses import ROUNDING, Z3, poses, random_points, turn_2d
from scipy.spatial.transform import Rotation

import ougi


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_pose_turns_and_then_moves(dimension: int) -> None:
    for pose in poses(dimension, 20):
        for p in random_points(dimension):
            np.testing.assert_allclose(
                pose.apply(p), pose.rotation @ p + pose.position, rtol=0, atol=ROUNDING
            )


@pytest.mark.parametrize("dimension", [2, 3])
def test_rotations_of_poses_are_rotations(dimension: int) -> None:
    r = poses(dimension, 100).rotation
    np.testing.assert_allclose(
        r @ np.swapaxes(r, -1, -2), np.tile(np.eye(dimension), (100, 1, 1)), rtol=0, atol=1e-15
    )
    np.testing.assert_allclose(np.linalg.det(r), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("dimension", [2, 3])
def test_points_and_poses_broadcast(dimension: int) -> None:
    batch = poses(dimension, 4)
    points = random_points(dimension, 4)
    assert batch.apply(points[0]).shape == (4, dimension)
    assert batch.apply(points).shape == (4, dimension)
    assert batch[:, None].apply(points).shape == (4, 4, dimension)
    assert batch[0].apply(points.reshape((2, 2, dimension))).shape == (2, 2, dimension)
    assert batch[:0].apply(points[0]).shape == (0, dimension)
    table = batch[:, None].apply(points)
    for i, j in itertools.product(range(4), range(4)):
        np.testing.assert_allclose(table[i, j], batch[i].apply(points[j]), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_product_of_poses_is_first_the_right_then_the_left(dimension: int) -> None:
    a, b = poses(dimension, 50, 1), poses(dimension, 50, 2)
    p = random_points(dimension, 50)
    np.testing.assert_allclose((a @ b).apply(p), a.apply(b.apply(p)), rtol=0, atol=10 * ROUNDING)
    np.testing.assert_allclose((a @ b).matrix(), a.matrix() @ b.matrix(), rtol=0, atol=10 * ROUNDING)
    assert (a[:, None] @ b[:3]).shape == (50, 3)
    assert (a[0] @ b).shape == (50,)
    assert (a[:0] @ b[0]).shape == (0,)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_inverse_of_a_pose_is_the_inverse_of_its_matrix(dimension: int) -> None:
    a = poses(dimension, 50)
    np.testing.assert_allclose(a.inverse().matrix(), np.linalg.inv(a.matrix()), rtol=0, atol=10 * ROUNDING)


@pytest.mark.parametrize("dimension", [2, 3])
def test_homogeneous_matrices_move_points_like_the_pose(dimension: int) -> None:
    a = poses(dimension, 5)
    assert a.matrix().shape == (5, dimension + 1, dimension + 1)
    assert a[0].matrix()[-1].tolist() == [0] * dimension + [1]
    p = random_points(dimension, 1)[0]
    np.testing.assert_allclose((a.matrix() @ [*p, 1])[:, :-1], a.apply(p), rtol=0, atol=ROUNDING)
    a.matrix()[:] = 0  # a copy: the pose stays what it is
    assert a == poses(dimension, 5)


def test_without_a_rotation_a_pose_does_not_turn() -> None:
    for dimension in (2, 3):
        pose = ougi.Pose(np.zeros((4, dimension)))
        assert pose.dimension == dimension
        assert np.array_equal(pose.rotation, np.tile(np.eye(dimension), (4, 1, 1)))


def test_a_pose_in_the_plane_takes_an_angle_or_a_matrix() -> None:
    a, b = ougi.Pose([1, 2], 0.3), ougi.Pose([1, 2], turn_2d(0.3))
    np.testing.assert_allclose(a.matrix(), b.matrix(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(a.rotation, turn_2d(0.3), rtol=0, atol=1e-15)


@pytest.mark.parametrize("shape", [(2,), (3,), (2, 3), (3, 2), (2, 2), (3, 2, 2)])
def test_a_table_of_angles_turns_a_table_of_poses(shape: tuple[int, ...]) -> None:
    angles = np.random.default_rng(0).uniform(-3, 3, shape)
    pose = ougi.Pose(np.zeros((*shape, 2)), angles)
    assert pose.shape == shape
    np.testing.assert_allclose(pose.rotation[..., 1, 0], np.sin(angles), rtol=0, atol=1e-15)


def test_a_pose_in_space_takes_quaternion_matrix_and_scipy_rotation() -> None:
    turns = Rotation.random(10, random_state=3)
    for r in (turns.as_quat(), turns.as_matrix(), turns):
        np.testing.assert_allclose(ougi.Pose(Z3, r).rotation, turns.as_matrix(), rtol=0, atol=1e-15)


BAD_POSES: dict[str, tuple[Any, Any, type[Exception], str]] = {
    "four components": ([1, 2, 3, 4], None, ValueError, r"position must have 2 or 3 components.*\(4,\)"),
    "a number": (1.0, None, ValueError, r"position must have 2 or 3 components.*\(\)"),
    "nan": ([[0, 0], [0, np.nan]], None, ValueError, r"position must be finite, got nan at index \(1, 1\)"),
    "nan angle": ([0, 0], np.nan, ValueError, "rotation must be finite, got nan"),
    "infinite quaternion": (Z3, [0, 0, 0, np.inf], ValueError, "rotation must be finite, got inf at index 3"),
    "long quaternion": (
        Z3,
        [[0, 0, 0, 1], [0, 0, 0, 2]],
        ValueError,
        "rotation.*unit quaternion.*2.*index 1",
    ),
    "three numbers": (Z3, [0, 0, 1], ValueError, r"rotation must be a quaternion.*\(3,\)"),
    "reflection": (Z3, np.diag([1, 1, -1]), ValueError, "rotation.*not a reflection"),
    "reflection in the plane": ([0, 0], [[1, 0], [0, -1]], ValueError, "rotation.*not a reflection"),
    "stretched": ([0, 0], [[2, 0], [0, 2]], ValueError, r"rotation.*orthonormal"),
    "planar matrix in space": (Z3, np.eye(2), ValueError, r"rotation.*\(2, 2\)"),
    "words": ("here", None, TypeError, "position must be numbers, got str"),
    "rotation of words": (Z3, "left", TypeError, "rotation must be numbers, got str"),
    "no common batch": (np.zeros((2, 2)), [1, 2, 3], ValueError, r"position \(2,\), rotation \(3,\)"),
}


@pytest.mark.parametrize("what", BAD_POSES)
def test_bad_poses_are_refused(what: str) -> None:
    position, rotation, kind, words = BAD_POSES[what]
    with pytest.raises(kind, match=words):
        ougi.Pose(position, rotation)


def test_poses_of_two_dimensions_do_not_combine() -> None:
    flat, solid = ougi.Pose([0, 0]), ougi.Pose(Z3)
    with pytest.raises(ValueError, match="2-D pose with a 3-D pose"):
        flat @ solid
    with pytest.raises(ValueError, match=r"(2-D.*3-D|3-D.*2-D)"):
        ougi.between(flat, solid)


@pytest.mark.parametrize("other", [np.eye(3), [0.0, 0.0, 0.0], 2.0, None], ids=repr)
def test_a_pose_combines_with_poses_only(other: Any) -> None:
    with pytest.raises(TypeError):
        ougi.Pose(Z3) @ other
    with pytest.raises(TypeError):
        other @ ougi.Pose(Z3)


def test_points_of_the_wrong_dimension_are_refused() -> None:
    with pytest.raises(ValueError, match=r"points must have 3 components.*\(2,\)"):
        ougi.Pose(Z3).apply([1, 2])
    with pytest.raises(ValueError, match="points must be finite, got nan at index 1"):
        ougi.Pose([0, 0]).apply([1, np.nan])


def test_a_pose_has_no_columns_and_says_so() -> None:
    with pytest.raises((TypeError, ValueError), match="Pose"):
        ougi.Pose(Z3).columns()
