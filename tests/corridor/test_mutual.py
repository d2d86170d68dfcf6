"""Characters that bounce off each other as well as off the wall."""

from __future__ import annotations

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles
from ougi_lab.scenes.corridors import select_separate as apart_of

HALL = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])


@pytest.mark.plain
def test_equal_balls_exchange_their_velocities() -> None:
    moved = HALL.step([[1, 1], [3, 1]], [[1, 0], [-1, 0]], 0.25, 1.0, mutual=True)
    assert moved.velocity.tolist() == [[-1, 0], [1, 0]]
    assert moved.position.tolist() == [[1.5, 1], [2.5, 1]]
    assert moved.bounce_count.tolist() == [1, 1]


def test_a_light_ball_comes_back_from_a_heavy_one() -> None:
    moved = HALL.step([[1, 1], [3, 1]], [[4, 0], [0, 0]], [0.1, 0.5], 0.4, mutual=True)
    # Masses 1 and 25: v = (1 - 25) / 26 * 4, and 2 / 26 * 4.
    assert moved.velocity[:, 0] == pytest.approx([-24 / 26 * 4, 2 / 26 * 4])


def test_circles_that_meet_no_other_move_as_if_alone() -> None:
    start, motion = np.array([[1.0, 1.0], [3.0, 2.5]]), np.array([[0.0, -7.0], [0.1, 0.0]])
    alone, among = (HALL.step(start, motion, 0.25, 1.0, mutual=x) for x in (False, True))
    assert among.position == pytest.approx(alone.position)
    assert among.bounce_count.tolist() == alone.bounce_count.tolist()


def apart(position: Floats, radius: Floats) -> float:
    """The least gap between two circles, by all pairs."""
    gap = np.hypot(*(position[:, None] - position).transpose(2, 0, 1)) - radius[:, None] - radius
    return float(gap[~np.eye(len(position), dtype=bool)].min())


@pytest.mark.parametrize("speed", [1.0, 20.0])
def test_a_group_keeps_its_energy_and_its_distances(speed: float) -> None:
    rng = np.random.default_rng(2)
    walls = Corridor(corridors.make_maze(3, rng, segments=300, openings=2))
    places, motions = draw_circles(walls, 400, 0.04, speed, rng)
    free = apart_of(places, 0.04)
    position, velocity = places[free], motions[free]
    radius = rng.uniform(0.02, 0.04, len(position))
    mass = radius**2
    energy = float(mass @ (velocity**2).sum(axis=1))
    met = 0
    for _ in range(20):
        moved = walls.step(position, velocity, radius, 1.0, mutual=True)
        position, velocity = moved.position, moved.velocity
        met += int(moved.bounce_count.sum())
        assert apart(position, radius) > -1e-11
        assert (walls.nearest(position).distance > radius * (1 - 1e-9)).all()
        assert walls.inside(position).all()
        assert (moved.time_left == 0).all()
    assert float(mass @ (velocity**2).sum(axis=1)) == pytest.approx(energy, rel=1e-9)
    assert met > 100


def by_all_pairs(walls: Corridor, p: Floats, v: Floats, r: Floats, seconds: float) -> tuple[Floats, Floats]:
    """A frame, contact by contact: of all pairs, and of the wall by every segment."""
    p, v, mass, left = p.copy(), v.copy(), r**2, seconds
    i, j = np.triu_indices(len(p), 1)
    while True:
        wall = walls.cast(p, v * left, r, method="brute", check=False)
        wall_time = np.where(wall.hit, wall.t * left, np.inf)
        w, d, reach = p[i] - p[j], v[i] - v[j], r[i] + r[j]
        a, b, c = (d * d).sum(1), (w * d).sum(1), (w * w).sum(1) - reach**2
        root = np.sqrt(np.maximum(b * b - a * c, 0))
        meets = (b < 0) & (b * b >= a * c)
        pair_time = np.where(meets, np.maximum((-b - root) / np.where(a > 0, a, 1), 0), np.inf)
        k, m = int(wall_time.argmin()), int(pair_time.argmin())
        first = min(wall_time[k], pair_time[m])
        p += min(first, left) * v
        if first >= left:
            return p, v
        left -= first
        if wall_time[k] <= pair_time[m]:
            v[k] -= 2 * (v[k] @ wall.normal[k]) * wall.normal[k]
        else:
            x, y = i[m], j[m]
            n = (p[x] - p[y]) / np.hypot(*(p[x] - p[y]))
            push = 2 * ((v[x] - v[y]) @ n) / (mass[x] + mass[y]) * n
            v[x], v[y] = v[x] - mass[y] * push, v[y] + mass[x] * push


@pytest.mark.parametrize("speed", [5.0, 20.0])
def test_contacts_come_in_the_order_in_which_all_pairs_meet(speed: float) -> None:
    rng = np.random.default_rng(4)
    walls = Corridor(corridors.make_maze(2, rng, segments=60))
    places, motions = draw_circles(walls, 60, 0.06, speed, rng)
    free = apart_of(places, 0.06)
    position, velocity = places[free], motions[free] * rng.uniform(0, 1, (int(free.sum()), 1))
    radius = rng.uniform(0.02, 0.06, len(position))
    moved = walls.step(position, velocity, radius, 1.0, mutual=True)
    p, v = by_all_pairs(walls, position, velocity, radius, 1.0)
    assert moved.bounce_count.sum() > 15
    assert np.abs(moved.position - p).max() < 1e-7
    assert np.abs(moved.velocity - v).max() < 1e-6


def test_momentum_stays_where_no_circle_meets_the_wall() -> None:
    rng = np.random.default_rng(3)
    hall = Corridor(200 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    velocity, radius = rng.uniform(-8, 8, grid.shape), rng.uniform(0.1, 0.45, len(grid))
    moved = hall.step(grid, velocity, radius, 3.0, mutual=True)
    mass = radius**2
    assert moved.bounce_count.sum() > 200
    assert mass @ moved.velocity == pytest.approx(mass @ velocity, rel=1e-12)
    assert mass @ (moved.velocity**2).sum(1) == pytest.approx(mass @ (velocity**2).sum(1), rel=1e-12)
    assert apart(moved.position, radius) > -1e-12


def test_a_jammed_group_stands_still_and_the_busiest_is_named() -> None:
    """Three balls in a row with a hair's breadth between the ends: their contacts have no end."""
    gap = 1e-9
    hall = Corridor(np.array([[0, 0], [3 + gap, 0], [3 + gap, 2], [0, 2]]))
    start = np.array([[0.5 + gap / 8, 1], [1.5 + gap / 4, 1], [2.5 + gap / 2, 1]])
    with pytest.warns(RuntimeWarning, match=r"circle \d at .* stands still"):
        moved = hall.step(start, np.array([[1.0, 0], [0, 0], [0, 0]]), 0.5, 1.0, mutual=True)
    assert moved.stopped.tolist() == [0, 1, 2]
    assert 3000 <= moved.bounce_count.sum() <= 6000
    assert hall.inside(moved.position).all()


def test_overlapping_characters_are_named() -> None:
    with pytest.raises(ValueError, match=r"circles 0 and 2 overlap: their distance is 0.1"):
        HALL.step(np.array([[1, 1], [3, 1], [1.1, 1]]), np.zeros((3, 2)), 0.25, 1.0, mutual=True)


def test_other_structures_cannot_do_it() -> None:
    with pytest.raises(ValueError, match="mutual=True needs the method 'reach', got 'chain'"):
        HALL.step([1, 1], [0, 0], 0.25, 1.0, mutual=True, method="chain")
