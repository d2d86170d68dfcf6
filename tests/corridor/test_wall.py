"""Walls: chaining, orientation, holes, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi.corridor import Corridor, WallError
from ougi.corridor.orientation import orientations
from ougi_lab.scenes import corridors

SQUARE = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], float)
HOLE = np.array([[1, 1], [2, 1], [2, 2], [1, 2]], float)


def as_segments(*loops: Floats) -> Floats:
    return np.concatenate([np.stack([loop, np.roll(loop, -1, axis=0)], axis=1) for loop in loops])


def shuffle_segments(segments: Floats, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    mixed = segments[rng.permutation(len(segments))].copy()
    turned = rng.random(len(mixed)) < 0.5
    mixed[turned] = mixed[turned][:, ::-1]
    return mixed


@pytest.mark.parametrize("corners", [SQUARE, SQUARE[::-1]], ids=["left", "right"])
def test_either_way_round_is_the_same_corridor(corners: Floats) -> None:
    walls = Corridor(corners)
    assert walls.area == 16
    assert walls.inside([[2, 2], [5, 2], [0, 0]]).tolist() == [True, False, True]
    assert walls.cast([2, 1], [0, -4], 0.5).normal.tolist() == [0, -1]


def test_shuffled_segments_are_chained_with_their_holes() -> None:
    segments = shuffle_segments(as_segments(SQUARE, HOLE), 1)
    walls = Corridor(segments)
    assert (walls.report.loops, walls.report.holes, walls.area) == (2, 1, 15)
    assert walls.inside([[0.5, 0.5], [1.5, 1.5]]).tolist() == [True, False]
    near = walls.nearest([[3.75, 2.0]])
    assert np.sort(segments[near.segment[0]], axis=0).tolist() == [[4, 0], [4, 4]]
    used = walls.segments[:, 0] + walls.segments[:, 1]
    given = segments[walls.source].sum(axis=1)
    assert np.array_equal(used, given)


def test_an_island_in_a_hole_is_a_corridor_again() -> None:
    island = HOLE / 2 + 0.75
    walls = Corridor(SQUARE, holes=[HOLE, island])
    assert walls.area == 16 - 1 + 0.25
    assert walls.inside([[1.5, 1.5], [1.1, 1.1]]).tolist() == [True, False]


def test_duplicates_are_skipped_and_reported() -> None:
    segments = as_segments(SQUARE)
    walls = Corridor(np.concatenate([segments, segments[2:3, ::-1]]))
    assert walls.report.duplicates == (4,)
    assert walls.report.segments == 5
    assert len(walls.segments) == 4


def test_ends_are_joined_only_within_the_tolerance() -> None:
    segments = as_segments(SQUARE)
    segments[1, 0] += 1e-4
    with pytest.raises(WallError, match=r"open: segment 0 ends alone at \(4, 0\).*0.000141 away"):
        Corridor(segments)
    walls = Corridor(segments, tol=1e-3)
    assert walls.report.joined == 1
    assert walls.area == pytest.approx(16, abs=1e-3)


def test_a_tolerance_that_swallows_walls_is_refused() -> None:
    with pytest.raises(
        WallError, match=r"segment 4 of the wall has no length beyond the tolerance 2, at \(1, 1\)"
    ):
        Corridor(as_segments(SQUARE, HOLE), tol=2)
    comb = np.array([[[x, 0.0], [x, 1.0]] for x in 0.02 * np.arange(6)])  # side by side
    with pytest.raises(WallError, match=r"the end of segment \d at .* would be moved by .* is too large"):
        Corridor(comb, tol=0.03)


@pytest.mark.parametrize(
    ("segments", "words"),
    [
        (as_segments(SQUARE)[:3], "segment 0 ends alone at \\(0, 0\\)"),
        (as_segments(np.array([[0, 0], [2, 2], [2, 0], [0, 2.0]])), "segments 0 and 2 of the wall cross"),
        (
            np.concatenate([as_segments(SQUARE), [[[4, 4], [4, 9]], [[4, 9], [9, 9]], [[9, 9], [9, 4]]]]),
            "segments 1, 2, 4 of the wall meet at \\(4, 4\\), and their number is odd there",
        ),
        (as_segments(SQUARE, HOLE - [1.5, 0]), "segments 3 and 4 of the wall cross"),
        (as_segments(np.array([[0, 0], [2, 0], [1, 0], [1, 1.0]])), "segments 0 and 1 of the wall fold back"),
        (np.concatenate([as_segments(SQUARE), np.ones((1, 2, 2))]), "segment 4 of the wall has no length"),
        (
            as_segments(SQUARE, np.array([[1, 0], [2, 1], [1, 1.0]])),
            "segments 0 and 6 of the wall cross near \\(1, 0\\)",
        ),
    ],
    ids=["open", "crossing", "meeting", "hole through the wall", "folded", "zero", "touching"],
)
def test_broken_walls_are_refused_by_name(segments: Floats, words: str) -> None:
    with pytest.raises(WallError, match=words) as caught:
        Corridor(np.asarray(segments))
    assert caught.value.report.problems


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0, 0], [1, 0], [np.nan, 1]],), "points must be finite, got nan at index \\(2, 0\\)"),
        (([[0, 0], [1, 0]],), "at least 3 corners"),
        (([[0, 0], [1, 0], [1, 0], [0, 1]],), "segment 1 of the wall has no length, at \\(1, 0\\)"),
        (([[0, 0], [1, 0], [2, 0]],), "fold back"),
        ((np.zeros((2, 2, 2)),), "at least 3 of them"),
        ((np.zeros((4, 2, 3)),), "2 components"),
    ],
)
def test_bad_points_are_refused(arguments: tuple[Floats], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Corridor(*arguments)


def test_a_tolerance_goes_with_segments() -> None:
    with pytest.raises(ValueError, match=r"tol must be 0 for corners \(n, 2\), got 0\.1; give segments"):
        Corridor(SQUARE, tol=0.1)


def test_holes_go_with_corners() -> None:
    with pytest.raises(ValueError, match="make holes by themselves"):
        Corridor(as_segments(SQUARE), holes=[HOLE])


@pytest.mark.parametrize("hole", [HOLE + 10, 9 * SQUARE - 9], ids=["beside", "around"])
def test_a_hole_in_no_wall_is_named(hole: Floats) -> None:
    with pytest.raises(WallError, match=r"holes\[1\], segments from 8 on, at .*, is outside of the wall"):
        Corridor(SQUARE, holes=[HOLE, hole])


def test_a_repeated_first_corner_closes_the_wall() -> None:
    assert len(Corridor(np.concatenate([SQUARE, SQUARE[:1]])).segments) == 4


def test_orientation_is_exact_where_products_round() -> None:
    a = np.array([[0.1, 0.1]])
    b = np.array([[0.3, 0.3]])
    c = np.stack([[0.2, 0.2], [np.nextafter(0.2, 1), 0.2], [0.2, np.nextafter(0.2, 1)]])
    assert orientations(np.repeat(a, 3, 0), np.repeat(b, 3, 0), c).tolist() == [0, -1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_generated_corridors_are_valid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    strip = Corridor(corridors.make_strip(300, rng))
    assert (strip.report.segments, strip.report.loops) == (300, 1)
    maze = Corridor(corridors.make_maze(5, rng, segments=2000, openings=3))
    assert 1500 < maze.report.segments < 2500
    assert maze.report.holes == 3
    assert len(Corridor(corridors.make_maze(1, rng)).segments) == 4


def test_what_cannot_be_generated_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="segments must be at least 4, got 3"):
        corridors.make_strip(3, rng)
    with pytest.raises(ValueError, match="width must be positive, got -1"):
        corridors.make_strip(9, rng, width=-1)
    with pytest.raises(ValueError, match="cells must be a positive whole number"):
        corridors.make_maze(0, rng)
    with pytest.raises(ValueError, match="openings must not be negative, got -1"):
        corridors.make_maze(3, rng, openings=-1)
    with pytest.raises(ValueError, match="segments must not be negative, got -5"):
        corridors.make_maze(3, rng, segments=-5)


def test_a_corridor_survives_pickling() -> None:
    walls = Corridor(SQUARE, holes=[HOLE])
    again = pickle.loads(pickle.dumps(walls))
    assert np.array_equal(again.segments, walls.segments)
    assert again.cast([0.5, 0.5], [9, 0], 0.25).t == walls.cast([0.5, 0.5], [9, 0], 0.25).t


def test_the_public_name_is_the_class() -> None:
    assert ougi.Corridor is Corridor
    assert repr(Corridor(SQUARE)) == "<Corridor: 4 segments in 1 loop, 0 holes>"
    assert "4 segments in 1 loop," in str(Corridor(SQUARE).report)
