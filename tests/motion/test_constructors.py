"""Other ways to build poses and motions, and to move shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import RigidTransform, Rotation

import ougi

RNG = np.random.default_rng(12)


def test_degrees_are_radians_times_180_over_pi() -> None:
    angle = np.array([-720.0, 0.0, 33.0])
    turn = np.radians(angle)
    point, axis = RNG.normal(size=3), RNG.normal(size=3)
    assert ougi.Rotation2d([1, 2], angle, degrees=True) == ougi.Rotation2d([1, 2], turn)
    assert ougi.Rotation3d(point, axis, angle, degrees=True) == ougi.Rotation3d(point, axis, turn)
    assert ougi.Screw3d(point, axis, angle, 3, degrees=True) == ougi.Screw3d(point, axis, turn, 3)
    zero = np.zeros((3, 2))
    assert ougi.Displacement2d(zero, angle, zero, degrees=True) == ougi.Displacement2d(zero, turn, zero)
    with pytest.raises(ValueError, match="angle must not exceed"):
        ougi.Rotation2d([0, 0], 1e9, degrees=True)


def test_poses_come_from_the_matrices_that_they_make() -> None:
    poses = ougi.Pose(RNG.normal(size=(4, 3)), Rotation.random(4, rng=RNG))
    again = ougi.Pose.from_matrix(poses.matrix())
    np.testing.assert_array_equal(again.position, poses.position)
    np.testing.assert_allclose(again.rotation, poses.rotation, atol=1e-15)
    flat = ougi.Pose([[1, 2], [3, 4]], [0.5, -0.2])
    np.testing.assert_allclose(ougi.Pose.from_matrix(flat.matrix()).rotation, flat.rotation, atol=1e-15)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(5), r"matrix must have shape \(..., 3, 3\) or \(..., 4, 4\), got \(5, 5\)"),
        (np.eye(4)[::-1], "matrix must have .* as its last row"),
        (2 * np.eye(4), "last row"),
        (np.diag([2.0, 2, 2, 1]), "matrix must be a rotation matrix"),
        (np.diag([-1.0, 1, 1, 1]), "not a reflection"),
        ([1, 2, 3], "matrix must have shape"),
    ],
)
def test_matrices_that_are_no_rigid_motion_are_refused(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ougi.Pose.from_matrix(matrix)


def test_poses_and_turns_come_from_scipy() -> None:
    rotation, offset, points = Rotation.random(5, rng=RNG), RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3))
    turned = rotation.apply(points)
    np.testing.assert_allclose(ougi.Pose.from_scipy(rotation).apply(points), turned, atol=1e-14)
    rigid = RigidTransform.from_components(offset, rotation)
    np.testing.assert_allclose(ougi.Pose.from_scipy(rigid).apply(points), rigid.apply(points), atol=1e-14)
    single = ougi.Pose.from_scipy(rotation[0])
    assert single.shape == ()
    motion = ougi.Rotation3d.from_scipy(rotation)
    np.testing.assert_allclose(motion.at(1).apply(points), turned, atol=1e-14)
    about = ougi.Rotation3d.from_scipy(rotation, center=offset)
    np.testing.assert_allclose(about.at(1).apply(offset), offset, atol=1e-14)
    assert float(ougi.Rotation3d.from_scipy(Rotation.identity()).angle) == 0
    with pytest.raises(TypeError, match="transform must be a Rotation or RigidTransform, got list"):
        ougi.Pose.from_scipy([0, 0, 0, 1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rotation must be a scipy Rotation, got int"):
        ougi.Rotation3d.from_scipy(3)  # type: ignore[arg-type]


def test_motions_are_chained_by_the_sign_of_products() -> None:
    first, second = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0), ougi.Translation3d([1, 2, 3])
    assert (first @ second) == ougi.Chain(first, second)
    t, point = np.linspace(0, 1, 5), np.array([0.3, 0.2, 0.1])
    expected = (first.at(t) @ second.at(t)).apply(point)
    np.testing.assert_allclose((first @ second).at(t).apply(point), expected, atol=1e-14)
    assert len((first @ second @ first).factors) == 3
    with pytest.raises(TypeError, match="unsupported operand"):
        first @ ougi.Pose([0, 0, 0])  # type: ignore[operator]


def test_shapes_are_translated_and_rotated() -> None:
    box = ougi.Box([1, 0, 0], [1, 2, 3])
    assert box.translated([0, 1, 0]) == box.transformed(ougi.Translation3d([0, 1, 0]))
    many = box.translated(RNG.normal(size=(4, 3)))
    assert many.shape == (4,)
    turned = box.rotated(90, [0, 0, 1], center=[1, 0, 0], degrees=True)
    np.testing.assert_allclose(turned.center, box.center, atol=1e-15)
    np.testing.assert_allclose(turned.bounds().upper, [2, 0.5, 1.5], atol=1e-15)
    disc = ougi.Circle([1, 0], 1).rotated(np.pi / 2)
    np.testing.assert_allclose(disc.center, [0, 1], atol=1e-15)
    assert isinstance(ougi.Aabb2d([0, 0], [1, 1]).translated([1, 0]), ougi.Aabb2d)
    with pytest.raises(TypeError, match="axis must be given for a Box"):
        box.rotated(1.0)
    with pytest.raises(TypeError, match="axis must not be given for a Circle"):
        disc.rotated(1.0, [0, 0, 1])
