"""Characters that bounce off each other as well as off the wall."""

from __future__ import annotations

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor, generate
from ougi.lab.verify.corridor_scenes import crowd

ROOM = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])


def test_equal_balls_exchange_their_velocities() -> None:
    moved = ROOM.step([[1, 1], [3, 1]], [[1, 0], [-1, 0]], 0.25, 1.0, among=True)
    assert moved.velocity.tolist() == [[-1, 0], [1, 0]]
    assert moved.position.tolist() == [[1.5, 1], [2.5, 1]]
    assert moved.bounces.tolist() == [1, 1]


def test_a_light_ball_comes_back_from_a_heavy_one() -> None:
    moved = ROOM.step([[1, 1], [3, 1]], [[4, 0], [0, 0]], [0.1, 0.5], 0.4, among=True)
    # Masses 1 and 25: v = (1 - 25) / 26 * 4, and 2 / 26 * 4.
    assert moved.velocity[:, 0] == pytest.approx([-24 / 26 * 4, 2 / 26 * 4])


def test_those_who_meet_nobody_move_as_if_alone() -> None:
    start, way = np.array([[1.0, 1.0], [3.0, 2.5]]), np.array([[0.0, -7.0], [0.1, 0.0]])
    alone, among = (ROOM.step(start, way, 0.25, 1.0, among=x) for x in (False, True))
    assert among.position == pytest.approx(alone.position)
    assert among.bounces.tolist() == alone.bounces.tolist()


def apart(position: Floats, radius: Floats) -> float:
    """The least gap between two circles, by all pairs."""
    gap = np.hypot(*(position[:, None] - position).transpose(2, 0, 1)) - radius[:, None] - radius
    return float(gap[~np.eye(len(position), dtype=bool)].min())


@pytest.mark.parametrize("speed", [1.0, 20.0])
def test_a_crowd_keeps_its_energy_and_its_distances(speed: float) -> None:
    rng = np.random.default_rng(2)
    room = Corridor(generate.maze(3, rng, segments=300, openings=2))
    places, ways = crowd(room, 400, 0.04, speed, rng)
    chosen: list[int] = []
    for k in range(len(places)):
        if all(np.hypot(*(places[k] - places[j])) > 0.081 for j in chosen):
            chosen.append(k)
    position, velocity = places[chosen], ways[chosen]
    radius = rng.uniform(0.02, 0.04, len(chosen))
    mass = radius**2
    energy = float(mass @ (velocity**2).sum(axis=1))
    met = 0
    for _ in range(20):
        moved = room.step(position, velocity, radius, 1.0, among=True)
        position, velocity = moved.position, moved.velocity
        met += int(moved.bounces.sum())
        assert apart(position, radius) > -1e-11
        assert (room.nearest(position).distance > radius * (1 - 1e-9)).all()
        assert room.inside(position).all()
        assert (moved.left == 0).all()
    assert float(mass @ (velocity**2).sum(axis=1)) == pytest.approx(energy, rel=1e-9)
    assert met > 100


def test_overlapping_characters_are_named() -> None:
    with pytest.raises(ValueError, match=r"characters 0 and 2 overlap: they are 0.1 apart"):
        ROOM.step(np.array([[1, 1], [3, 1], [1.1, 1]]), np.zeros((3, 2)), 0.25, 1.0, among=True)


def test_other_structures_cannot_do_it() -> None:
    with pytest.raises(ValueError, match="among takes the structure reach, got 'chain'"):
        ROOM.step([1, 1], [0, 0], 0.25, 1.0, among=True, structure="chain")
