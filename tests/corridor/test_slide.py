"""Circles that slide: they enter no wall, and stop only where walls leave no direction to go on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi.corridor.structures import EXACT
from ougi_lab.scenes.corridors import draw_rough_maze
from ougi_lab.verify.corridor import compute_distances, is_inside

HALL = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
# An L: its inner corner at (2, 2) turns right.
ANGLE = Corridor([[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]])


@pytest.mark.plain
def test_slides_follow_the_wall_and_stop_in_corners() -> None:
    assert HALL.slide([1, 1], [2, -2], 0.5).position.tolist() == [3.0, 0.5]
    wedged = HALL.slide([1, 1], [-3, -2], 0.5)
    assert wedged.position.tolist() == [0.5, 0.5]
    assert wedged.velocity.tolist() == [0, 0]


@pytest.mark.plain
def test_a_slide_goes_round_a_corner_of_the_wall() -> None:
    moved = ANGLE.slide([1.0, 1.0], [1.8, 1.0], 0.5)
    assert moved.position[0] > 2.2
    assert ANGLE.nearest(moved.position).distance >= 0.5 * (1 - 1e-12)


@pytest.mark.plain
def test_a_slide_straight_against_a_wall_or_a_corner_stops() -> None:
    for motion in ([0, -9], [9, 0]):
        assert HALL.slide([1, 1], motion, 0.5).velocity.tolist() == [0, 0]
    assert ANGLE.slide([1, 1], [2, 2], 0.5).velocity == pytest.approx([0, 0], abs=1e-15)


def _draw_starts(corridor: Corridor, radius: float, rng: np.random.Generator) -> Floats:
    """Free circles, of which two thirds touch the wall, or nearly so."""
    lower, upper = corridor.segments.min(axis=(0, 1)), corridor.segments.max(axis=(0, 1))
    start = rng.uniform(lower, upper, (900, 2))
    apart, wall = compute_distances(corridor.segments, start)
    gap: Floats = rng.choice(np.array([0.0, 1e-3, np.inf]), len(start))[:, None] * radius
    start = wall + (start - wall) / apart[:, None] * np.minimum(radius + gap, apart[:, None])
    apart, _ = compute_distances(corridor.segments, start)
    return start[(apart >= radius * (1 - 1e-10)) & is_inside(corridor.segments, start)][:100]


def _slide_in_small_steps(segments: Floats, position: Floats, motion: Floats, radius: float) -> Floats:
    """The oracle: after each small step, circles are moved out of the wall and lose their speed into it."""
    steps, velocity = 1500, motion.copy()
    for _ in range(steps):
        position = position + velocity / steps
        for _ in range(3):
            apart, wall = compute_distances(segments, position)
            rows = np.flatnonzero(apart < radius * (1 - 1e-12))
            if not len(rows):
                break
            normal = (position[rows] - wall[rows]) / apart[rows, None]
            position[rows] += (radius - apart[rows, None]) * normal
            velocity[rows] -= np.minimum((velocity[rows] * normal).sum(axis=1), 0)[:, None] * normal
        else:
            velocity[rows] = 0.0  # between two walls
    return position


def _make_tiles(seed: int) -> Corridor:
    return Corridor.from_grid(np.random.default_rng(seed).random((10, 10)) < 0.3, cell=16)


@pytest.mark.parametrize("seed", range(3))
def test_slides_are_those_of_small_steps(seed: int) -> None:
    """Circles stopped at corners of tiles with most of their motion unused, two of a hundred of these."""
    corridor, rng = _make_tiles(seed), np.random.default_rng(seed)
    start = _draw_starts(corridor, 5.0, rng)
    motion = rng.uniform(-24, 24, start.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a million bounces
        moved = corridor.slide(start, motion, 5.0)
    assert moved.bounce_count.max() <= 6
    assert (moved.bounce_count > 0).mean() > 0.5
    truth = _slide_in_small_steps(corridor.segments, start, motion, 5.0)
    assert np.abs(moved.position - truth).max() < 0.25


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("scene", ["tiles", "rough"])
def test_no_slide_enters_a_wall(scene: str, method: str) -> None:
    """Limits of bounces give the corners of the path."""
    rng = np.random.default_rng(4)
    corridor, radius = (_make_tiles(1), 5.0) if scene == "tiles" else (draw_rough_maze(rng), 0.05)
    start = _draw_starts(corridor, radius, rng)
    motion = rng.uniform(-6, 6, start.shape) * radius
    before, count = start, 1
    while True:
        moved = corridor.slide(start, motion, radius, method=method, max_bounces=count)
        for share in np.linspace(0, 1, 12):
            apart, _ = compute_distances(corridor.segments, before + share * (moved.position - before))
            assert apart.min() >= radius * (1 - 1e-9)
        if not len(moved.stopped):
            break
        before, count = moved.position, count + 1
    assert is_inside(corridor.segments, moved.position).all()
    assert count < 200
