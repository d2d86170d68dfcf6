"""Chains: poses against the matrix exponential, speeds against differences, and what all batches do."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from conftest import MOTIONS
from numpy.typing import NDArray
from scipy.linalg import expm

import ougi
from ougi_lab.scenes.batches import draw_batch

Floats = NDArray[np.float64]


def twist(motion: Any) -> Floats:
    """The 4 x 4 generator of a single motion: its pose at t is expm(t * twist)."""
    out = np.zeros((4, 4))
    if isinstance(motion, ougi.Translation2d | ougi.Translation3d):
        out[: motion.dimension, 3] = motion.offset
        return out
    axis = np.array([0.0, 0.0, 1.0]) if motion.dimension == 2 else motion.axis
    center = np.zeros(3)
    center[: motion.dimension] = motion.center
    x, y, z = axis * motion.angle
    out[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    out[:3, 3] = -out[:3, :3] @ center + getattr(motion, "advance", 0.0) * axis
    return out


def pose_of(motions: list[Any], t: float) -> Floats:
    matrix = np.eye(4)
    for motion in motions:
        matrix = matrix @ expm(t * twist(motion))
    return matrix


def random_motion(rng: np.random.Generator, dimension: int) -> Any:
    classes = [recipe.cls for recipe in MOTIONS if recipe.dimension == dimension]
    return draw_batch(classes[rng.integers(len(classes))], 1, rng)[0]


def random_motions(seed: int, dimension: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [random_motion(rng, dimension) for _ in range(rng.integers(1, 6))]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(20))
def test_the_pose_is_the_product_of_exponentials(seed: int, dimension: int) -> None:
    motions = random_motions(seed, dimension)
    chain = ougi.Chain(*motions)
    assert chain.dimension == dimension
    for t in (0.0, 0.3, 1.0, -0.7, 2.5):
        whole = pose_of(motions, t)
        keep = [*range(dimension), 3]
        np.testing.assert_allclose(chain.at(t).matrix(), whole[np.ix_(keep, keep)], rtol=0, atol=1e-12)


@hypothesis.given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.floats(0, 1), st.floats(0, 1))
def test_no_point_of_the_ball_is_faster_than_the_bound(seed: int, dimension: int, s: float, e: float) -> None:
    start, stop = min(s, e), max(s, e)
    rng = np.random.default_rng(seed)
    chain = ougi.Chain(*random_motions(seed, dimension))
    center, radius = rng.uniform(-3, 3, dimension), rng.uniform(0, 2)
    bound = chain.speed_bound(center, radius, start=start, stop=stop)
    out = rng.normal(size=(50, dimension))
    points = center + radius * out / np.linalg.norm(out, axis=1, keepdims=True)
    h = 1e-5
    t = rng.uniform(start, stop, (20, 1))
    speed = np.linalg.norm(chain.at(t + h).apply(points) - chain.at(t - h).apply(points), axis=-1) / (2 * h)
    assert speed.max() <= bound * (1 + 1e-6) + 1e-6


def test_the_bound_of_a_single_motion_is_the_speed_of_its_fastest_point() -> None:
    turn = ougi.Rotation3d([1, 0, 0], [0, 0, 1], -2.0)
    assert turn.speed_bound([4, 0, 7], 1.0) == pytest.approx(8)
    assert ougi.Screw3d([0, 0, 0], [0, 0, 1], 3, 4).speed_bound([1, 0, 0]) == pytest.approx(5)
    assert ougi.Translation2d([3, 4]).speed_bound([9, 9], 5) == pytest.approx(5)
    assert ougi.Rotation2d([0, 1], 2).speed_bound([0, 4], 1) == pytest.approx(8)


def test_shorter_spans_have_smaller_bounds_that_approach_the_sum_of_speeds() -> None:
    arm = ougi.Chain(ougi.Rotation2d([0, 0], 2), ougi.Rotation2d([1, 0], 3))
    bounds = [float(arm.speed_bound([2, 0], start=0, stop=span)) for span in (1, 0.5, 0.1, 0.01, 0.0)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] == pytest.approx(2 * 2 + 3 * 1)


def test_bounds_broadcast() -> None:
    chain = ougi.Chain(ougi.Rotation3d(np.zeros((4, 3)), [0, 0, 1], 1), ougi.Translation3d([1, 0, 0]))
    assert chain.speed_bound([1, 0, 0], [[0.0], [1.0]]).shape == (2, 4)
    with pytest.raises(ValueError, match=r"radius must not be negative, got -1.0"):
        chain.speed_bound([1, 0, 0], -1.0)
    with pytest.raises(ValueError, match=r"start must not lie behind stop, got 0.7"):
        chain.speed_bound([1, 0, 0], start=0.7, stop=0.2)


@hypothesis.given(st.integers(0, 10**6), st.sampled_from([2, 3]))
def test_a_ball_does_not_leave_the_bounds_of_its_path(seed: int, dimension: int) -> None:
    rng = np.random.default_rng(seed)
    chain = ougi.Chain(*random_motions(seed, dimension))
    center, radius = rng.uniform(-3, 3, dimension), rng.uniform(0, 2)
    start, stop = np.sort(rng.uniform(0, 1, 2))
    lower, upper = chain.path_bounds(center, radius, start=start, stop=stop)
    path = chain.at(rng.uniform(start, stop, 200)).apply(center)
    assert (path - radius >= lower).all()
    assert (path + radius <= upper).all()
    # Not much larger than need be: the ways of half a span, each way.
    slack = (upper - lower) - (np.ptp(path, axis=0) + 2 * radius)
    assert slack.max() <= chain.speed_bound(center) * (stop - start) / 4 + 1e-9


def test_sweeps_of_chains_are_those_that_need_poses_only() -> None:
    arm = ougi.Chain(ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1), ougi.Translation3d([1, 0, 0]))
    box = ougi.Box([1, 0, 0], [1, 1, 1])
    for method in ("cast", "swept-sphere", "substeps", "speculative-start-end"):
        assert isinstance(ougi.sweep(box, arm, method), ougi.Shape)
    for method in ("exact", "sector", "sector-enclosing", "sector-balanced"):
        with pytest.raises(ValueError, match="a Chain has no sweep by the method"):
            ougi.sweep(box, arm, method)
    with pytest.raises(ValueError, match="speculative-start-end"):
        ougi.sweep(box, arm, "speculative-ideal")


def test_chains_are_predicted() -> None:
    journey = ougi.Chain(ougi.Translation2d([30, 0]), ougi.Translation2d([30, 0]))
    result = ougi.predict(
        ougi.Circle([0, 0], 1), journey, ougi.Aabb2d([10, -5], [11, 5]), frames=60, dt=1 / 60
    )
    assert result.frame == 8


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_inverse_undoes_the_chain_at_every_time(seed: int, dimension: int) -> None:
    chain = ougi.Chain(*random_motions(seed, dimension))
    t = np.linspace(0, 1, 7)
    np.testing.assert_allclose(
        (chain.inverse().at(t) @ chain.at(t)).matrix(), np.tile(np.eye(dimension + 1), (7, 1, 1)), atol=1e-12
    )
    np.testing.assert_allclose(chain.scaled(0.4).at(t).matrix(), chain.at(0.4 * t).matrix(), atol=1e-13)


def test_chains_among_the_motions_are_opened() -> None:
    a, b, c = (random_motion(np.random.default_rng(k), 3) for k in range(3))
    assert ougi.Chain(ougi.Chain(a, b), c) == ougi.Chain(a, ougi.Chain(b, c)) == ougi.Chain(a, b, c)
    assert len(ougi.Chain(a, b, c).factors) == 3


@pytest.mark.parametrize("dimension", [2, 3])
def test_factors_make_the_chain_again(dimension: int) -> None:
    chain = ougi.Chain(*random_motions(3, dimension))
    np.testing.assert_allclose(
        ougi.Chain(*chain.factors).at(0.7).matrix(), chain.at(0.7).matrix(), rtol=0, atol=1e-14
    )


def test_a_chain_is_a_batch() -> None:
    turns = ougi.Rotation3d(np.arange(12.0).reshape(4, 3), [0, 0, 1], [0.1, 0.2, 0.3, 0.4])
    chain = ougi.Chain(turns, ougi.Translation3d([1, 2, 3]))
    assert chain.shape == (4,)
    assert chain[2].at(1).matrix() == pytest.approx(chain.at(1).matrix()[2])
    assert chain[:, None].shape == (4, 1)
    assert chain[[0, 2]].scaled([1, 2]).shape == (2,)
    assert pickle.loads(pickle.dumps(chain)) == chain == copy.deepcopy(chain)
    assert ougi.concatenate([chain, chain[:1]]).shape == (5,)
    with pytest.raises(ValueError, match="chains must have as many motions, got 2 and, at index 1, 3"):
        ougi.concatenate([chain, ougi.Chain(chain, turns)])
    assert repr(chain) == "<Chain of 2 motions, batch of shape (4,)>"
    assert repr(ougi.Chain(ougi.Rotation2d([1, 0], 2))) == "Chain(Rotation2d(center=[1.0, 0.0], angle=2.0))"


def test_shapes_are_transformed_by_chains() -> None:
    arm = ougi.Chain(ougi.Rotation2d([0, 0], math.pi), ougi.Translation2d([1, 0]))
    moved = ougi.Circle([1, 0], 1).transformed(arm)
    np.testing.assert_allclose(moved.center, [-2, 0], atol=1e-15)


def test_what_is_no_chain_is_refused() -> None:
    flat, solid = ougi.Translation2d([1, 0]), ougi.Translation3d([1, 0, 0])
    with pytest.raises(ValueError, match="at least one motion"):
        ougi.Chain()
    with pytest.raises(TypeError, match="got Pose at index 1"):
        ougi.Chain(flat, ougi.Pose([0, 0]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"2-D Translation2d and, at index 1, a 3-D Translation3d"):
        ougi.Chain(flat, solid)
    with pytest.raises(ValueError, match=r"motion 0 \(2,\), motion 1 \(3,\)"):
        ougi.Chain(ougi.Translation2d(np.zeros((2, 2))), ougi.Translation2d(np.zeros((3, 2))))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_parts_one_after_the_other_make_the_whole(seed: int, dimension: int) -> None:
    for motion in (ougi.Chain(*random_motions(seed, dimension)), random_motions(seed, dimension)[0]):
        part = motion.part(0.3, 0.8)
        for share in (0.0, 0.4, 1.0):
            now = part.at(share) @ motion.at(0.3)
            np.testing.assert_allclose(
                now.matrix(), motion.at(0.3 + 0.5 * share).matrix(), rtol=0, atol=1e-12
            )


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_a_placed_motion_is_seen_from_the_pose_as_before(seed: int, dimension: int) -> None:
    rng = np.random.default_rng(seed)
    turn: Any = rng.uniform(-3, 3)
    if dimension == 3:
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
    pose = ougi.Pose(rng.uniform(-2, 2, dimension), turn)
    for motion in (ougi.Chain(*random_motions(seed, dimension)), *random_motions(seed, dimension)):
        placed = motion.placed(pose)
        seen = pose @ motion.at(0.7) @ pose.inverse()
        np.testing.assert_allclose(placed.at(0.7).matrix(), seen.matrix(), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match=rf"cannot place a {dimension}-D motion by a {5 - dimension}-D pose"):
        motion.placed(ougi.Pose(np.zeros(5 - dimension)))


@pytest.mark.parametrize("dimension", [2, 3])
def test_chains_are_joined_with_all_their_factors(dimension: int) -> None:
    chains = [ougi.Chain(*random_motions(seed, dimension)) for seed in (1, 1, 1)]
    joined = ougi.concatenate(chains)
    assert joined.shape == (3,)
    assert joined.dimension == dimension
    np.testing.assert_array_equal(joined.at(0.3)[1].matrix(), chains[1].at(0.3).matrix())
