"""The bouncing balls of SORT 4.2."""

from __future__ import annotations

import numpy as np
import pytest

from ougi.errors import InvalidInputError
from ougi_lab.scenes.bouncing import BouncingBalls, exchange_momentum


@pytest.mark.parametrize("collide", [False, True])
def test_balls_stay_in_the_cube_and_keep_their_energy(collide: bool) -> None:
    world = BouncingBalls(300, seed=1, collide=collide)
    before = world.energy
    bounced = 0
    for _ in range(1000):
        direction = np.sign(world.velocity)
        world.step()
        bounced += int(np.count_nonzero(np.sign(world.velocity) != direction))
        assert np.abs(world.center).max() <= 48.0
    assert world.energy == pytest.approx(before, rel=1e-12)
    assert bounced > 500
    if not collide:
        assert world.energy == before  # only signs change
    assert (np.abs(world.velocity) <= 0.5).all() or collide


def test_the_scene_is_that_of_the_paper() -> None:
    world = BouncingBalls(2000, seed=2)
    assert world.radius == 2
    for values, limit in ((world.center, 48.0), (world.velocity, 0.5)):
        assert limit * 0.99 < np.abs(values).max() <= limit
        np.testing.assert_allclose(values.mean(axis=0), 0, atol=0.05 * limit)
        np.testing.assert_allclose(values.std(axis=0), limit / np.sqrt(3), rtol=0.05)


def test_a_seed_decides_everything() -> None:
    first, again, other = (BouncingBalls(50, seed=seed, collide=True) for seed in (3, 3, 4))
    for _ in range(50):
        for world in (first, again, other):
            world.step()
    assert np.array_equal(first.center, again.center)
    assert np.array_equal(first.velocity, again.velocity)
    assert not np.array_equal(first.center, other.center)


def test_a_wall_reflects() -> None:
    world = BouncingBalls(1, seed=5)
    world.center[:] = [[47.9, 0, -47.75]]
    world.velocity[:] = [[0.3, 0.1, -0.5]]
    world.step()
    np.testing.assert_allclose(world.center, [[47.8, 0.1, -47.75]])
    np.testing.assert_allclose(world.velocity, [[-0.3, 0.1, 0.5]])


def test_equal_masses_swap_their_speeds_along_the_normal() -> None:
    center = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0]])
    velocity = np.array([[0.5, 0.2, 0], [-0.1, 0.3, 0], [0, 0.4, 0]])
    pairs = np.array([[0, 1], [0, 2]])
    pairs.flags.writeable = False
    exchange_momentum(center, velocity, pairs)
    # The third flies away from the first: nothing happens between them.
    np.testing.assert_allclose(velocity, [[-0.1, 0.2, 0], [0.5, 0.3, 0], [0, 0.4, 0]])


def test_collisions_keep_momentum_among_themselves() -> None:
    world = BouncingBalls(400, seed=6, collide=True)
    from ougi import candidate_pairs
    from ougi._check import frozen

    before = world.velocity.copy()
    pairs = candidate_pairs(world.balls)
    exchange_momentum(world.center, world.velocity, frozen(pairs))
    assert len(pairs) > 10
    assert not np.array_equal(world.velocity, before)
    np.testing.assert_allclose(world.velocity.sum(axis=0), before.sum(axis=0), atol=1e-12)


def test_bad_worlds_are_refused() -> None:
    for wrong in ({"radius": 50.0}, {"speed": -0.1}, {"speed": 60.0}, {"edge": 0.0}):
        with pytest.raises(InvalidInputError, match="balls must fit"):
            BouncingBalls(10, seed=0, **wrong)  # type: ignore[arg-type]
