"""The motion from one pose to another."""

from __future__ import annotations

from typing import Any

import hypothesis
import numpy as np
import pytest
from expected_poses import Z3, poses
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import ougi
from ougi.scene import Body, Piece


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


def make_mixed_poses(n: int, seed: int) -> tuple[ougi.Pose, ougi.Pose]:
    """Of every three bodies one turns, one moves straight and one rests."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-5, 5, (2, n, 2))
    before, turn = rng.uniform(-3, 3, (2, n))
    k = np.arange(n) % 3
    return ougi.Pose(a, before), ougi.Pose(
        np.where((k == 2)[:, None], a, b), np.where(k == 0, before + turn, before)
    )


def test_between_takes_a_batch_that_mixes_turns_with_translations_in_the_plane() -> None:
    start, end = make_mixed_poses(300, 0)
    motion = assert_leads(start, end)
    assert type(motion) is ougi.Displacement2d
    assert ((motion.angle != 0) == (np.arange(300) % 3 == 0)).all()
    for k in range(12):
        single: Any = ougi.between(start[k], end[k])
        for t in (0.0, 0.3, 1.0):
            np.testing.assert_allclose(motion[k].at(t).matrix(), single.at(t).matrix(), rtol=0, atol=1e-14)


@pytest.mark.parametrize("moving_target", [False, True])
@pytest.mark.parametrize("margin", [0.0, 0.2])
def test_first_contacts_of_mixed_motions_are_those_of_single_calls(
    moving_target: bool, margin: float
) -> None:
    rng = np.random.default_rng(5)
    n = 150
    motion: Any = ougi.between(*make_mixed_poses(n, 1))
    other: Any = ougi.between(*make_mixed_poses(n, 2))[rng.permutation(n)] if moving_target else None
    at, aim = rng.uniform(-2, 2, (2, n, 2))
    body = ougi.Rectangle(at, rng.uniform(0.2, 1, (n, 2)), rng.uniform(-3, 3, n))
    for target in (
        ougi.Circle(aim, 0.5),
        ougi.Rectangle(aim, [1, 0.4], rng.uniform(-3, 3, n)),
        ougi.Capsule2d(aim, aim + 1, 0.1),
    ):
        together = ougi.time_of_impact(body, motion, target, other, margin=margin)
        assert (together.status == 1).sum() > 5
        for k in range(n):
            motions = [None if each is None else plain(each[k]) for each in (motion, other)]
            alone = ougi.time_of_impact(body[k], motions[0], target[k], motions[1], margin=margin)  # type: ignore[arg-type]
            assert together.status[k] == alone.status
            assert together.t[k] == pytest.approx(float(alone.t), abs=1e-8, nan_ok=True)
            if alone.status == 1 and alone.t > 0:
                np.testing.assert_allclose(together.point[k], alone.point, rtol=0, atol=1e-6)


def plain(motion: Any) -> Any:
    """A single motion as the class that holds it alone."""
    if motion.angle == 0:
        return ougi.Translation2d(motion.offset)
    return ougi.Rotation2d(motion.center, motion.angle)


def test_mixed_motions_go_into_worlds_chains_sweeps_and_scenes() -> None:
    rng = np.random.default_rng(6)
    n = 30
    motion: Any = ougi.between(*make_mixed_poses(n, 3))
    at = rng.uniform(-4, 4, (n, 2))
    body = ougi.Rectangle(at, rng.uniform(0.2, 2, (n, 2)), rng.uniform(-3, 3, n))
    together, alone = ougi.World(), ougi.World()
    together.add(body, motion)
    for k in range(n):
        alone.add(body[k], plain(motion[k]))
    for _ in range(3):
        a, b = together.step(0.4), alone.step(0.4)
        assert len(a) > 10
        assert {(*p, s) for p, s in zip(map(tuple, a.pair.tolist()), a.state, strict=True)} == {
            (*p, s) for p, s in zip(map(tuple, b.pair.tolist()), b.state, strict=True)
        }
        np.testing.assert_allclose(np.sort(a.time), np.sort(b.time), rtol=0, atol=1e-8)
    bounds: Any = ougi.sweep(body, motion, "speculative-ideal")
    around: Any = ougi.sweep(body, motion, "speculative-inflated")
    exact: Any = ougi.sweep(body, motion, "exact").transformed(ougi.Pose([1, 2], 0.3))
    chain = ougi.Chain(motion, ougi.Rotation2d([0, 0], 1.0))
    rest = chain.part(0.3, 1.0)
    readings: list[tuple[Any, Any]] = [("ideal", bounds), ("inflated", around)]
    for k in range(n):
        for name, made in readings:
            single: Any = ougi.sweep(body[k], plain(motion[k]), f"speculative-{name}")
            np.testing.assert_allclose(made[k].lower, single.lower, rtol=0, atol=1e-12)
            np.testing.assert_allclose(made[k].upper, single.upper, rtol=0, atol=1e-12)
        there = ougi.sweep(body[k], plain(motion[k]), "exact").transformed(ougi.Pose([1, 2], 0.3))
        spots = ougi.Circle(rng.uniform(-5, 5, (20, 2)), 0.3)
        assert (ougi.intersects(exact[k], spots) == ougi.intersects(there, spots)).all()
        both = ougi.Chain(plain(motion[k]), ougi.Rotation2d([0, 0], 1.0))
        np.testing.assert_allclose(
            rest[k].at(1).matrix(), both.part(0.3, 1.0).at(1).matrix(), rtol=0, atol=1e-12
        )

    def check_bodies(convert: Any) -> Any:
        bodies = [Body(f"{k}", body[k], (Piece(0.0, 1.0, convert(motion[k])),)) for k in range(n)]
        return ougi.check(ougi.Scene(tuple(bodies)))

    mixed, known = check_bodies(lambda single: single), check_bodies(plain)
    assert len(mixed.contacts) > 20
    assert sorted(mixed.names(mixed.contacts)) == sorted(known.names(known.contacts))
    np.testing.assert_allclose(np.sort(mixed.contacts.time), np.sort(known.contacts.time), rtol=0, atol=1e-7)


def test_a_displacement_is_a_turn_or_a_move() -> None:
    with pytest.raises(ValueError, match=r"offset must be 0 where angle is not, got \[1.0, 0.0\] at index 1"):
        ougi.Displacement2d([0, 0], [0.0, 0.5], [[1, 0], [1, 0]])


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
