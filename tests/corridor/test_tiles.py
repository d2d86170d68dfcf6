"""Corridors of tile maps, and walls that touch at corners."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Bools, Floats
from ougi.corridor import Corridor, WallError


def draw_grid(seed: int, share: float) -> Bools:
    """Random cells; half-filled grids have many that touch at corners."""
    rng = np.random.default_rng(seed)
    solid = rng.random((int(rng.integers(1, 12)), int(rng.integers(2, 15)))) < share
    solid[0, 0] = False
    return np.asarray(solid, np.bool_)


def list_tiles(solid: Bools, cell: Floats, origin: Floats) -> ougi.Aabb2d:
    """All solid cells, and those around the grid."""
    rows, columns = np.nonzero(np.pad(solid, 1, constant_values=True))
    low = origin + np.stack([columns - 1, rows - 1], axis=1) * cell
    return ougi.Aabb2d(low, low + cell)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("seed", range(8))
def test_free_cells_are_the_corridor(seed: int, share: float) -> None:
    rng, solid = np.random.default_rng(seed), draw_grid(seed, share)
    cell, origin = rng.uniform(0.5, 20, 2), rng.uniform(-50, 50, 2)
    corridor = Corridor.from_grid(solid, cell=cell, origin=origin)
    assert corridor.area == pytest.approx((~solid).sum() * cell.prod())
    places = rng.uniform(-1, 1 + np.array(solid.shape[::-1]), (2000, 2))
    index = np.floor(places).astype(int)
    within = ((index >= 0) & (index < solid.shape[::-1])).all(axis=1)
    free = np.array(within)
    free[within] = ~solid[index[within, 1], index[within, 0]]
    assert corridor.inside(origin + places * cell).tolist() == free.tolist()


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_circles_hit_the_tiles_that_are_there(seed: int, share: float) -> None:
    rng, solid = np.random.default_rng(seed), draw_grid(seed, share)
    corridor = Corridor.from_grid(solid, cell=2.0)
    tiles = list_tiles(solid, np.full(2, 2.0), np.zeros(2))
    places, radius = rng.uniform(0, 2 * np.array(solid.shape[::-1]), (400, 2)), rng.uniform(0.05, 0.9, 400)
    free = ~ougi.intersects(ougi.Circle(places[:, None], radius[:, None]), tiles).any(axis=1)
    places, radius, motion = places[free], radius[free], rng.normal(0, 8, (free.sum(), 2))
    found = corridor.cast(places, motion, radius)
    circles = ougi.Circle(places[:, None], radius[:, None])
    exact = ougi.time_of_impact(circles, ougi.Translation2d(motion[:, None]), tiles)
    expected = np.where(exact.hit, exact.t, np.inf).min(axis=1)
    assert np.asarray(found.hit).tolist() == np.isfinite(expected).tolist()
    assert np.asarray(found.t)[found.hit] == pytest.approx(expected[np.isfinite(expected)], abs=1e-8)
    assert found.hit.sum() > 10


@pytest.mark.parametrize("seed", range(8))
def test_shuffled_segments_that_touch_at_corners_make_the_same_corridor(seed: int) -> None:
    """Turned by any angle, so that no coordinate is round."""
    rng = np.random.default_rng(seed)
    traced = Corridor.from_grid(draw_grid(seed, 0.5))
    angle = rng.uniform(0, 2 * math.pi)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    segments = traced.segments[rng.permutation(len(traced.segments))] @ turn.T
    flipped = rng.random(len(segments)) < 0.5
    segments[flipped] = segments[flipped][:, ::-1]
    corridor = Corridor(segments)
    assert corridor.area == pytest.approx(traced.area)
    places = rng.uniform(-1, 15, (2000, 2))
    assert corridor.inside(places @ turn.T).tolist() == traced.inside(places).tolist()


def test_touching_rooms_are_not_connected() -> None:
    square = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], float)
    both = [np.stack([loop, np.roll(loop, -1, axis=0)], axis=1) for loop in (square, square + 4)]
    halls = Corridor(np.concatenate(both))
    assert (halls.report.loops, halls.report.holes, halls.area) == (2, 0, 32)
    places: Any = [[2, 2], [6, 6], [6, 2], [2, 6], [4.1, 3.9]]
    assert halls.inside(places).tolist() == [
        True,
        True,
        False,
        False,
        False,
    ]
    moved = halls.step([3, 3], [1, 1], 0.5, dt=2.0)
    assert np.all(np.asarray(moved.position) <= 3.5)


def test_a_hole_may_touch_the_wall_at_a_corner() -> None:
    corridor = Corridor([[0, 0], [4, 0], [4, 4], [0, 4]], holes=[[[0, 0], [2, 1], [1, 2]]])
    assert (corridor.report.loops, corridor.area) == (1, 14.5)
    places: Any = [[1, 1], [1, 0.2], [0.2, 1], [3, 3]]
    assert corridor.inside(places).tolist() == [False, True, True, True]


def test_an_angle_that_is_too_wide_is_refused() -> None:
    corners = [[0, 0], [8, 0], [8, 8], [4, 4], [0, 8]]
    with pytest.raises(WallError, match=r"meet at \(4, 4\), and the corridor turns by 180 degrees or more"):
        Corridor(corners, holes=[np.array([[4, 4], [1, 6.2], [1, 5.5]])])


@pytest.mark.parametrize(
    ("solid", "error", "words"),
    [
        ([[True, True]], ValueError, "at least one free cell"),
        ([True, False], ValueError, r"must be a grid \(rows, columns\)"),
        ([[0, 7]], TypeError, "write tiles != 0"),
        ([[0.0, 1.0]], TypeError, "got float64"),
    ],
)
def test_bad_grids_are_refused(solid: list[object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Corridor.from_grid(np.array(solid))


def test_bad_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="cell must be positive, got 0"):
        Corridor.from_grid([[0]], cell=0)
