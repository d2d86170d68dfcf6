"""Poses and motions, against SciPy and against the plain definition of a turn."""

from __future__ import annotations

import itertools
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import ougi
from ougi._typing import Floats
from ougi.kernels.moving import load_screw

ROUNDING = 1e-14  # of coordinates below 10
Z3 = [0.0, 0.0, 0.0]


def turn_2d(angle: Any) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def expected(motion: Any, t: float, p: Floats) -> Floats:
    """Where a single motion brings a point, from its definition: p - center turned, put back, moved along."""
    if isinstance(motion, ougi.Translation2d | ougi.Translation3d):
        return np.asarray(p + t * motion.offset)
    arm = p - motion.center
    if isinstance(motion, ougi.Rotation2d):
        return np.asarray(motion.center + turn_2d(motion.angle * t) @ arm)
    turned = Rotation.from_rotvec(motion.axis * motion.angle * t).apply(arm)
    advance = motion.advance * t * motion.axis if isinstance(motion, ougi.Screw3d) else 0.0
    return np.asarray(motion.center + turned + advance)


def random_points(dimension: int, n: int = 20) -> Floats:
    return np.random.default_rng(9).uniform(-5, 5, (n, dimension))


# --- motions --------------------------------------------------------------------------------------------


def test_at_zero_a_motion_has_not_begun(motions: Any) -> None:
    for motion in (motions.build(), motions.build((4,)), motions.build((2, 3))):
        pose = motion.at(0)
        assert pose == ougi.Pose(np.zeros((*motion.shape, motion.dimension)))


@pytest.mark.parametrize("t", [1.0, 0.5, 0.1, -1.0, 3.0])
def test_a_motion_brings_points_where_its_definition_says(motions: Any, t: float) -> None:
    for motion in motions.build((20,)):
        for p in random_points(motion.dimension):
            np.testing.assert_allclose(
                motion.at(t).apply(p), expected(motion, t, p), rtol=0, atol=20 * ROUNDING
            )


def test_all_times_at_once_are_each_time_alone(motions: Any) -> None:
    motion = motions.build()
    times = np.linspace(0, 1, 7)
    poses = motion.at(times)
    assert poses.shape == (7,)
    for pose, t in zip(poses, times, strict=True):
        alone = motion.at(t)
        np.testing.assert_allclose(pose.matrix(), alone.matrix(), rtol=0, atol=ROUNDING)
    assert motion.at([[0.0, 0.5, 1.0]]).shape == (1, 3)
    assert motion.at([]).shape == (0,)


def test_times_broadcast_against_motions(motions: Any) -> None:
    batch = motions.build((3,))
    assert batch.at(0.5).shape == (3,)
    assert batch.at([0.1, 0.2, 0.3]).shape == (3,)
    table = batch.at(np.linspace(0, 1, 5)[:, None])
    assert table.shape == (5, 3)
    for i, t in enumerate(np.linspace(0, 1, 5)):
        for j in range(3):
            np.testing.assert_allclose(table[i, j].matrix(), batch[j].at(t).matrix(), rtol=0, atol=ROUNDING)


def test_times_that_do_not_broadcast_are_refused_with_both_shapes(motions: Any) -> None:
    with pytest.raises(ValueError, match=r"\bt \(2,\)") as caught:
        motions.build((3,)).at([0.0, 1.0])
    assert "(3,)" in str(caught.value)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_time_that_is_not_finite_is_refused(motions: Any, bad: float) -> None:
    with pytest.raises(ValueError, match=f"t must be finite, got {bad} at index 1"):
        motions.build().at([0.0, bad])


def test_the_inverse_undoes_the_motion(motions: Any) -> None:
    batch = motions.build((50,))
    assert type(batch.inverse()) is type(batch)
    for t in (0.3, 1.0):
        both = batch.inverse().at(t) @ batch.at(t)
        np.testing.assert_allclose(
            both.matrix(), np.tile(np.eye(batch.dimension + 1), (50, 1, 1)), rtol=0, atol=10 * ROUNDING
        )


def test_rates_are_constant(motions: Any) -> None:
    """Two halves of the way make the whole."""
    batch = motions.build((50,))
    half = batch.at(0.5)
    np.testing.assert_allclose((half @ half).matrix(), batch.at(1).matrix(), rtol=0, atol=10 * ROUNDING)


def test_motions_of_nothing_are_empty(motions: Any) -> None:
    nothing = motions.build((0,))
    assert nothing.at(0.5).shape == (0,)
    assert nothing.at(np.zeros((4, 1))).shape == (4, 0)
    assert nothing.inverse().shape == (0,)
    assert nothing.scaled(np.ones((4, 1))).shape == (4, 0)
    if nothing.dimension == 3:  # those of the plane are read by kernels as motions of space
        assert nothing.columns().shape[1] == 0


@pytest.mark.plain
def test_a_scaled_motion_is_there_at_once(motions: Any) -> None:
    batch = motions.build((3,))
    factors = np.array([0.3, -2.0, 0.0])
    scaled = batch.scaled(factors)
    assert type(scaled) is type(batch)
    np.testing.assert_allclose(scaled.at(1).matrix(), batch.at(factors).matrix(), rtol=0, atol=10 * ROUNDING)
    assert batch.scaled(np.ones((2, 1))).shape == (2, 3)
    with pytest.raises(ValueError, match="factor must be finite"):
        batch.scaled(np.nan)


def test_motions_of_the_wrong_dimension_are_refused(motions: Any) -> None:
    for name, value in motions.arguments().items():
        if value.ndim == 1:
            with pytest.raises(ValueError, match=rf"{name} must have {value.size} components.*\(4,\)"):
                motions.cls(**{**motions.arguments(), name: np.ones(4)})


@pytest.mark.parametrize("cls", [ougi.Rotation3d, ougi.Screw3d])
def test_an_axis_without_length_is_refused(cls: Any) -> None:
    more = [1.0] if cls is ougi.Screw3d else []
    with pytest.raises(ValueError, match=r"axis must not have zero length.* at index 1"):
        cls(Z3, [[0, 0, 1], [0, 0, 0]], 1.0, *more)


def test_rotation_matrices_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    axis = rng.normal(size=(1000, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = rng.uniform(-20, 20, 1000)
    ours = ougi.Rotation3d(Z3, axis, angle).at(1).rotation
    theirs = Rotation.from_rotvec(axis * angle[:, None]).as_matrix()
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=5e-15)


def test_positive_angles_turn_by_the_right_hand() -> None:
    quarter = np.pi / 2
    for axis, p, q in [([0, 0, 1], [1, 0, 0], [0, 1, 0]), ([1, 0, 0], [0, 1, 0], [0, 0, 1])]:
        np.testing.assert_allclose(ougi.Rotation3d(Z3, axis, quarter).at(1).apply(p), q, atol=1e-15)
    np.testing.assert_allclose(ougi.Rotation2d([0, 0], quarter).at(1).apply([1, 0]), [0, 1], atol=1e-15)


@pytest.mark.parametrize("turns", [-1000, -3, -1, 1, 2, 1000])
def test_many_turns_end_where_they_began_and_pass_through_the_middle(turns: int) -> None:
    motion = ougi.Rotation3d([1, 2, 3], [1, 2, 2], 2 * np.pi * turns)
    loose = abs(turns) * 1e-14
    np.testing.assert_allclose(motion.at(1).apply([4, 5, 6]), [4, 5, 6], rtol=0, atol=loose)
    half_a_turn = motion.at(0.5 / turns).apply([4, 5, 6])
    there = expected(ougi.Rotation3d([1, 2, 3], [1, 2, 2], np.pi), 1.0, np.array([4.0, 5.0, 6.0]))
    np.testing.assert_allclose(half_a_turn, there, rtol=0, atol=loose)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6, -1e-9])
def test_a_far_center_costs_no_digits_beyond_rounding(far: float, angle: float) -> None:
    """The way of the origin about (far, 0), against 1 - cos and sin in closed form."""
    way = [2 * np.sin(angle / 2) ** 2 * far, -np.sin(angle) * far]
    np.testing.assert_allclose(ougi.Rotation2d([far, 0], angle).at(1).position, way, rtol=1e-15)
    turn = ougi.Rotation3d([far, 0, 0], [0, 0, 1], angle)
    np.testing.assert_allclose(turn.at(1).position, [*way, 0], rtol=1e-15)


def test_where_on_its_axis_the_center_lies_does_not_matter() -> None:
    axis = np.array([1.0, 2.0, 2.0]) / 3
    for along in (-5.0, 1.0, 1e3):
        a = ougi.Screw3d([1, 2, 3], axis, 2.0, 0.5).at(1)
        b = ougi.Screw3d([1, 2, 3] + along * axis, axis, 2.0, 0.5).at(1)
        np.testing.assert_allclose(a.matrix(), b.matrix(), rtol=0, atol=2e-15 * (10 + abs(along)))


@hypothesis.given(st.floats(-1e3, 1e3), st.floats(0, 1), st.floats(-10, 10), st.floats(-10, 10))
def test_a_turn_keeps_the_distance_from_its_center(angle: float, t: float, x: float, y: float) -> None:
    moved = ougi.Rotation2d([1, 2], angle).at(t).apply([x, y])
    assert np.hypot(*(moved - [1, 2])) == pytest.approx(np.hypot(x - 1, y - 2), abs=1e-13)


# --- columns of motions ---------------------------------------------------------------------------------

SPATIAL = [
    ougi.Translation3d([[3.0, 4.0, 12.0], [0.0, 0.0, 0.0]]),
    ougi.Rotation3d([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 2.0, 2.0], [7.0, -8.0]),
    ougi.Screw3d([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1.0, 2.0, 2.0], [7.0, -8.0], [9.0, -10.0]),
]


@pytest.mark.plain
@pytest.mark.parametrize("motion", SPATIAL, ids=lambda m: type(m).__name__)
def test_motions_in_space_are_read_back_as_screws(motion: Any) -> None:
    columns = motion.columns("screw3d")
    assert columns.shape == (8, 2)
    assert columns.flags.c_contiguous
    assert not columns.flags.writeable
    assert motion.columns() is columns
    for i in range(2):
        screw = load_screw(columns, i)
        assert [*screw.center, *screw.axis, screw.angle, screw.advance] == columns[:, i].tolist()
        assert np.linalg.norm(screw.axis) == pytest.approx(1, abs=1e-15)
        same = ougi.Screw3d(screw.center, screw.axis, screw.angle, screw.advance)
        np.testing.assert_allclose(same.at(0.7).matrix(), motion[i].at(0.7).matrix(), rtol=0, atol=ROUNDING)


# --- poses ----------------------------------------------------------------------------------------------


def poses(dimension: int, n: int, seed: int = 0, reach: float = 5.0) -> ougi.Pose:
    rng = np.random.default_rng(seed)
    position = rng.uniform(-reach, reach, (n, dimension))
    if dimension == 3:
        return ougi.Pose(position, Rotation.random(n, random_state=seed))
    return ougi.Pose(position, rng.uniform(-np.pi, np.pi, n))


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


# --- between --------------------------------------------------------------------------------------------


def assert_leads(start: ougi.Pose, end: ougi.Pose, atol: float = 1e-12) -> Any:
    """`between` leads from start to end, by a screw of at most half a turn."""
    motion: Any = ougi.between(start, end)
    np.testing.assert_allclose((motion.at(1) @ start).matrix(), end.matrix(), rtol=0, atol=atol)
    if start.dimension == 3:
        assert type(motion) is ougi.Screw3d
        np.testing.assert_allclose(np.linalg.norm(motion.axis, axis=-1), 1, rtol=0, atol=1e-15)
        assert (motion.angle >= 0).all()
        assert (motion.angle <= np.pi).all()
    return motion


def test_between_random_poses_in_space_leads_from_one_to_the_other() -> None:
    start, end = poses(3, 10_000, 1), poses(3, 10_000, 2)
    motion = assert_leads(start, end)
    # SciPy agrees how far they are turned against each other.
    turned = Rotation.from_matrix(end.rotation) * Rotation.from_matrix(start.rotation).inv()
    np.testing.assert_allclose(motion.angle, turned.magnitude(), rtol=0, atol=1e-13)


def test_between_random_poses_in_the_plane_leads_from_one_to_the_other() -> None:
    motion = assert_leads(poses(2, 10_000, 1), poses(2, 10_000, 2))
    assert type(motion) is ougi.Rotation2d
    assert np.abs(motion.angle).max() <= np.pi


def test_between_broadcasts() -> None:
    start, end = poses(3, 4, 1), poses(3, 3, 2)
    assert ougi.between(start[:, None], end).shape == (4, 3)
    assert ougi.between(start[0], end).shape == (3,)
    assert ougi.between(start, end[0]).shape == (4,)


def test_between_nothing_is_empty() -> None:
    assert ougi.between(poses(3, 0), poses(3, 1)).shape == (0,)
    assert ougi.between(poses(2, 0), poses(2, 1)).shape == (0,)


def test_between_a_pose_and_itself_is_rest() -> None:
    for start in poses(3, 20):
        motion = assert_leads(start, start)
        assert motion.angle == 0
        assert motion.advance == pytest.approx(0, abs=1e-14)
    still = ougi.between(ougi.Pose(Z3), ougi.Pose(Z3))
    assert still.at(1) == ougi.Pose(Z3)


def test_between_poses_of_one_orientation_is_a_translation_along_the_axis() -> None:
    rng = np.random.default_rng(0)
    turns = Rotation.random(200, random_state=0)
    a, b = rng.uniform(-5, 5, (2, 200, 3))
    motion: Any = assert_leads(ougi.Pose(a, turns), ougi.Pose(b, turns))
    assert not motion.angle.any()
    length = np.linalg.norm(b - a, axis=1)
    np.testing.assert_allclose(motion.advance, length, rtol=1e-13)
    np.testing.assert_allclose(motion.axis, (b - a) / length[:, None], rtol=0, atol=1e-13)


def test_between_poses_of_one_orientation_in_the_plane_is_a_translation() -> None:
    rng = np.random.default_rng(0)
    for angle in [0.0, np.pi / 2, np.pi, -1.0, *rng.uniform(-np.pi, np.pi, 50)]:
        a, b = rng.uniform(-5, 5, (2, 2))
        motion = ougi.between(ougi.Pose(a, angle), ougi.Pose(b, angle))
        assert type(motion) is ougi.Translation2d
        np.testing.assert_allclose(motion.offset, b - a, rtol=0, atol=1e-13)


AXES = {
    "x": [1, 0, 0],
    "y": [0, 1, 0],
    "z": [0, 0, 1],
    "minus x": [-1, 0, 0],
    "skew": [1, 2, 3],
    "almost x": [1, 1e-9, -1e-9],
    "mixed signs": [-1, 1, -0.3],
}


@pytest.mark.parametrize("axis", AXES)
def test_between_takes_half_a_turn_about_any_axis(axis: str) -> None:
    u = np.array(AXES[axis], float)
    u /= np.linalg.norm(u)
    end = ougi.Screw3d([1, -2, 3], u, np.pi, 4).at(1)
    motion = assert_leads(ougi.Pose(Z3), end)
    assert motion.angle == pytest.approx(np.pi, abs=1e-15)
    assert abs(motion.axis @ u) == pytest.approx(1, abs=1e-14)
    assert motion.advance * np.sign(motion.axis @ u) == pytest.approx(4, abs=1e-13)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", [10.0**-k for k in range(3, 16)])
def test_between_takes_tiny_turns_and_turns_a_little_short_of_half(axis: str, angle: float) -> None:
    for part in (angle, np.pi - angle):
        u = np.array(AXES[axis], float)
        end = ougi.Rotation3d(Z3, u, part).at(1)
        there = ougi.Pose([1, 2, 3], end.rotation)
        motion = assert_leads(ougi.Pose(Z3), there)
        assert motion.angle == pytest.approx(part, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("angle", [10.0**-k for k in range(3, 16)])
def test_between_takes_tiny_turns_from_any_pose(angle: float) -> None:
    rng = np.random.default_rng(0)
    turns = Rotation.random(200, random_state=1)
    axis = rng.normal(size=(200, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    a, b = rng.uniform(-5, 5, (2, 200, 3))
    assert_leads(ougi.Pose(a, turns), ougi.Pose(b, Rotation.from_rotvec(angle * axis) * turns))


@pytest.mark.parametrize("angle", [s * 10.0**-k for s in (1, -1) for k in range(1, 16, 2)])
def test_between_takes_tiny_turns_in_the_plane(angle: float) -> None:
    motion = assert_leads(ougi.Pose([0, 0]), ougi.Pose([3, -4], angle))
    assert motion.angle == pytest.approx(angle, rel=1e-15)
    motion = assert_leads(ougi.Pose([0, 0]), ougi.Pose([3, -4], np.pi - angle))
    assert abs(motion.angle) == pytest.approx(np.pi - abs(angle), rel=1e-15)


@pytest.mark.parametrize("angle", [1e-30, 1e-200, 1e-310, 5e-324])
def test_between_takes_turns_too_small_to_have_a_center(angle: float) -> None:
    """The center lies 1 / angle away: beyond the range of floats, but the end pose is not."""
    assert_leads(ougi.Pose([0, 0]), ougi.Pose([3, -4], angle))
    small = np.eye(3)
    small[1, 0], small[0, 1] = angle, -angle
    assert_leads(ougi.Pose(Z3), ougi.Pose([3, -4, 5], small))


def test_between_half_a_turn_in_the_plane_turns_about_the_middle() -> None:
    motion = assert_leads(ougi.Pose([1, 2], 0.5), ougi.Pose([5, 4], 0.5 + np.pi))
    assert abs(motion.angle) == pytest.approx(np.pi)
    middle = motion.at(1).apply([1, 2])
    np.testing.assert_allclose(middle, [5, 4], rtol=0, atol=1e-14)
    np.testing.assert_allclose(motion.center, [3, 3], rtol=0, atol=1e-14)


def test_between_refuses_a_batch_that_mixes_turns_with_translations_in_the_plane() -> None:
    with pytest.raises(ValueError, match=r"all turn or all keep.* at index 1"):
        ougi.between(ougi.Pose([0, 0]), ougi.Pose([[1, 0], [1, 0], [1, 0]], [0.5, 0.0, -0.5]))


def test_between_takes_a_batch_that_mixes_turns_with_translations_in_space() -> None:
    end = ougi.Pose([[1, 2, 3], [0, 0, 0], [4, 5, 6]], [[0, 0, 0, 1], [0, 0, 0, 1], [0.6, 0, 0, 0.8]])
    motion = assert_leads(ougi.Pose(Z3), end)
    assert motion.angle.tolist()[:2] == [0, 0]


@hypothesis.given(
    st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: sum(x * x for x in q) > 1e-3),
    st.tuples(*[st.floats(-10, 10)] * 3),
)
def test_between_leads_from_rest_to_any_pose(q: tuple[float, ...], p: tuple[float, ...]) -> None:
    assert_leads(ougi.Pose(Z3), ougi.Pose(p, np.array(q) / np.linalg.norm(q)))


def test_between_and_back_is_the_inverse() -> None:
    start, end = poses(3, 500, 1), poses(3, 500, 2)
    there, back = ougi.between(start, end), ougi.between(end, start)
    both = back.at(1) @ there.at(1)
    np.testing.assert_allclose(both.matrix(), np.tile(np.eye(4), (500, 1, 1)), rtol=0, atol=1e-12)
    np.testing.assert_allclose(there.inverse().at(1).matrix(), back.at(1).matrix(), rtol=0, atol=1e-12)
