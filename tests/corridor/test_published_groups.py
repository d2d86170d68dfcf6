"""CORRIDOR as published: its index, its groups, its narrow phase."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor, generate
from ougi.corridor.published import (
    Spaces,
    follow_printed,
    follow_repaired,
    holds,
    located,
    monotone_walls,
    spaces,
)
from ougi.lab.reproduce.corridor_measure import METHODS, Published


def strip(segments: int = 60, seed: int = 0) -> Corridor:
    return Corridor(generate.strip(segments, np.random.default_rng(seed)))


def unit_groups(n: int) -> Spaces:
    """Groups over [i, i + 1)."""
    edges = np.arange(n + 1.0)
    none = np.empty(0, np.int64)
    return Spaces(np.arange(n), np.ones(n, np.int64), edges[:-1], edges[1:], 0, none)


def test_the_printed_index_runs_away() -> None:
    """A character in group 5 that moves left by a hundredth: after four frames the index is 1."""
    index = 5
    for frame in range(4):
        index = follow_printed(unit_groups(10), index, 5.5 - 0.01 * frame, -0.01)
    assert index == 1


def test_the_repaired_index_follows() -> None:
    groups = unit_groups(10)
    index = 5
    for x in (5.5, 5.0, 4.9, 2.2, 7.9, 8.0, -1.0, 11.0):
        index = follow_repaired(groups, index, 0, 10, x)
        assert index == min(max(int(np.floor(x)), 0), 9)


def test_the_spaces_of_the_upper_wall_are_empty_as_printed() -> None:
    groups = spaces(strip()._wall, 8, "printed")
    empty = groups.start_x >= groups.end_x
    assert 0.3 < empty.mean() < 0.7
    assert not (
        spaces(strip()._wall, 8, "repaired").start_x >= spaces(strip()._wall, 8, "repaired").end_x
    ).any()


@pytest.mark.parametrize("k", [2, 5, 8])
def test_groups_hold_every_segment_and_share_one_with_the_next(k: int) -> None:
    room = strip(61, 3)
    below, above = monotone_walls(room._wall)
    groups = spaces(room._wall, k, "repaired")
    members = [first + np.arange(size) for first, size in zip(groups.first, groups.size, strict=True)]
    assert set(np.concatenate(members)) == {*below, *above}
    for part in (members[: groups.upper], members[groups.upper :]):
        assert all(len(set(a) & set(b)) == 1 for a, b in pairwise(part))
    assert len(groups.caps) == 2


def test_a_place_is_located_in_the_groups_below_and_above() -> None:
    room = strip()
    groups = spaces(room._wall, 6, "repaired")
    x = np.random.default_rng(1).uniform(0, 20, 50)
    for at in located(groups, x).T:
        assert ((groups.start_x[at] <= x) & (x <= groups.end_x[at])).all()
    lower = located(groups, x)[:, :1]
    first = groups.first[lower[:, 0]]
    assert holds(groups, lower, first, len(room.segments)).all()


@pytest.mark.parametrize("corridor", [generate.maze(3, np.random.default_rng(0))])
@pytest.mark.parametrize("mode", ["printed", "repaired"])
def test_other_corridors_than_strips_are_refused(corridor: Floats, mode: str) -> None:
    with pytest.raises(ValueError, match="defined for strips only"):
        spaces(Corridor(corridor)._wall, 8, mode)


def test_bad_groups_are_refused() -> None:
    wall = strip()._wall
    with pytest.raises(ValueError, match="k must be at least 2"):
        spaces(wall, 1, "printed")
    with pytest.raises(ValueError, match="mode must be printed or repaired, got 'exact'"):
        spaces(wall, 8, "exact")


def crowd_in(room: Corridor, method: str, state: Floats, approach: bool | None = None) -> Published:
    return Published(room, method, 8, state, approach)


def test_a_ball_over_a_straight_wall_is_reflected_by_all_methods() -> None:
    room = Corridor([[0, 0], [4, 0], [8, 0], [8, 1], [4, 1], [0, 1]])
    state = np.array([[2.0, 0.14, 0.01, -0.05, 0.1]])
    for method in METHODS:
        crowd = crowd_in(room, method, state)
        crowd.cursor[:] = 0  # where it starts, whatever the index does later
        crowd.run(1)
        expected = [0.01, -0.05] if method == METHODS[3] else [0.01, 0.05]
        # As printed the index has left the group before the first test.
        assert crowd.state[0, 2:4].tolist() in ([0.01, 0.05], expected)
        assert crowd.tests[0] > 0


def test_trees_and_all_segments_give_the_same_frames() -> None:
    room = strip(200, 5)
    rng = np.random.default_rng(2)
    x = rng.uniform(1, 19, 40)
    state = np.stack([x, np.zeros(40), *rng.uniform(-0.02, 0.02, (2, 40)), np.full(40, 0.05)], axis=1)
    ends = []
    for method in METHODS[:3]:
        crowd = crowd_in(room, method, state, approach=True)
        crowd.run(100)
        ends.append(crowd.state)
    # A ball that touches two segments at a time may meet them in another order.
    alike = [(ends[0] == end).all(axis=1).mean() for end in ends[1:]]
    assert min(alike) > 0.7
