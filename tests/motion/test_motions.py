"""Motions against their definitions."""

from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from expected_poses import ROUNDING, Z3, random_points, turn_2d
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import ougi
from ougi._typing import Floats
from ougi.kernels.impact.movers import load_screw


def compute_expected(motion: Any, t: float, p: Floats) -> Floats:
    """Where a single motion brings a point, from its definition: p - center turned, put back, moved along."""
    if isinstance(motion, ougi.Translation2d | ougi.Translation3d):
        return np.asarray(p + t * motion.offset)
    arm = p - motion.center
    if isinstance(motion, ougi.Rotation2d | ougi.Displacement2d):
        offset = motion.offset * t if isinstance(motion, ougi.Displacement2d) else 0.0
        return np.asarray(motion.center + turn_2d(motion.angle * t) @ arm + offset)
    turned = Rotation.from_rotvec(motion.axis * motion.angle * t).apply(arm)
    advance = motion.advance * t * motion.axis if isinstance(motion, ougi.Screw3d) else 0.0
    return np.asarray(motion.center + turned + advance)


def test_at_zero_a_motion_has_not_begun(motions: Any) -> None:
    for motion in (motions.build(), motions.build((4,)), motions.build((2, 3))):
        pose = motion.at(0)
        assert pose == ougi.Pose(np.zeros((*motion.shape, motion.dimension)))


@pytest.mark.parametrize("t", [1.0, 0.5, 0.1, -1.0, 3.0])
def test_a_motion_brings_points_where_its_definition_says(motions: Any, t: float) -> None:
    for motion in motions.build((20,)):
        for p in random_points(motion.dimension):
            np.testing.assert_allclose(
                motion.at(t).apply(p), compute_expected(motion, t, p), rtol=0, atol=20 * ROUNDING
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
    there = compute_expected(ougi.Rotation3d([1, 2, 3], [1, 2, 2], np.pi), 1.0, np.array([4.0, 5.0, 6.0]))
    np.testing.assert_allclose(half_a_turn, there, rtol=0, atol=loose)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6, -1e-9])
def test_a_far_center_costs_no_digits_beyond_rounding(far: float, angle: float) -> None:
    """The way of the origin about (far, 0), against 1 - cos and sin in closed form."""
    shift = [2 * np.sin(angle / 2) ** 2 * far, -np.sin(angle) * far]
    np.testing.assert_allclose(ougi.Rotation2d([far, 0], angle).at(1).position, shift, rtol=1e-15)
    turn = ougi.Rotation3d([far, 0, 0], [0, 0, 1], angle)
    np.testing.assert_allclose(turn.at(1).position, [*shift, 0], rtol=1e-15)


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
