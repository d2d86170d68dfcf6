"""CORRIDOR as published: its index, its groups, its narrow phase."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi.corridor.published import (
    ProjectionSpaces,
    build_repaired_spaces,
    build_verbatim_spaces,
    contains_segment,
    find_monotone_walls,
    follow_repaired,
    follow_verbatim,
    locate_groups,
)
from ougi.corridor.structures import PUBLISHED
from ougi_lab.reproduce.corridor_measure import METHODS, PublishedRun
from ougi_lab.scenes import corridors


def strip(segments: int = 60, seed: int = 0) -> Corridor:
    return Corridor(corridors.make_strip(segments, np.random.default_rng(seed)))


def unit_groups(n: int) -> ProjectionSpaces:
    """Groups over [i, i + 1)."""
    edges = np.arange(n + 1.0)
    none = np.empty(0, np.int64)
    return ProjectionSpaces(np.arange(n), np.ones(n, np.int64), edges[:-1], edges[1:], 0, none)


def test_the_printed_index_runs_away() -> None:
    """A character in group 5 that moves left by a hundredth: after four frames the index is 1."""
    index = 5
    for frame in range(4):
        index = follow_verbatim(unit_groups(10), index, 5.5 - 0.01 * frame, -0.01)
    assert index == 1


def test_the_repaired_index_follows() -> None:
    groups = unit_groups(10)
    index = 5
    for x in (5.5, 5.0, 4.9, 2.2, 7.9, 8.0, -1.0, 11.0):
        index = follow_repaired(groups, index, 0, 10, x)
        assert index == min(max(int(np.floor(x)), 0), 9)


def test_the_spaces_of_the_upper_wall_are_empty_as_printed() -> None:
    groups = build_verbatim_spaces(strip().wall, 8)
    empty = groups.start_x >= groups.end_x
    assert 0.3 < empty.mean() < 0.7
    repaired = build_repaired_spaces(strip().wall, 8)
    assert not (repaired.start_x >= repaired.end_x).any()


@pytest.mark.parametrize("k", [2, 5, 8])
def test_groups_hold_every_segment_and_share_one_with_the_next(k: int) -> None:
    walls = strip(61, 3)
    below, above = find_monotone_walls(walls.wall)
    groups = build_repaired_spaces(walls.wall, k)
    members = [first + np.arange(size) for first, size in zip(groups.first, groups.size, strict=True)]
    assert set(np.concatenate(members)) == {*below, *above}
    for part in (members[: groups.upper], members[groups.upper :]):
        assert all(len(set(a) & set(b)) == 1 for a, b in pairwise(part))
    assert len(groups.caps) == 2


def test_a_place_is_located_in_the_groups_below_and_above() -> None:
    walls = strip()
    groups = build_repaired_spaces(walls.wall, 6)
    x = np.random.default_rng(1).uniform(0, 20, 50)
    for at in locate_groups(groups, x).T:
        assert ((groups.start_x[at] <= x) & (x <= groups.end_x[at])).all()
    lower = locate_groups(groups, x)[:, :1]
    first = groups.first[lower[:, 0]]
    assert contains_segment(groups, lower, first, len(walls.segments)).all()


@pytest.mark.parametrize("corridor", [corridors.make_maze(3, np.random.default_rng(0))])
@pytest.mark.parametrize("build", [build_verbatim_spaces, build_repaired_spaces])
def test_other_corridors_than_strips_are_refused(corridor: Floats, build: Any) -> None:
    with pytest.raises(ValueError, match="defined for strips only"):
        build(Corridor(corridor).wall, 8)


def test_bad_groups_are_refused() -> None:
    with pytest.raises(ValueError, match="group_size must be at least 2"):
        build_verbatim_spaces(strip().wall, 1)


# --- for users -------------------------------------------------------------------------------------------

# Level walls, and a spike on the floor: it is in the second group of 8, which begins at x = 7.8.
SPIKED = Corridor(
    [*((x, 0.0) for x in range(7)), (7.8, 0.0), (7.9, 0.0), (8.0, 0.9), (8.1, 0.0),
     *((x, 0.0) for x in range(9, 17)), *((x, 2.0) for x in range(16, -1, -1))]
)  # fmt: skip


def test_the_printed_index_misses_the_floor_and_the_repaired_one_does_not() -> None:
    """A ball falls slowly to the left; after some frames the printed index is elsewhere."""
    ends = {}
    for name in ("published-verbatim", "published", "groups"):
        position, velocity, group = np.array([[5.5, 1.0]]), np.array([[-0.01, -0.1]]), None
        for _ in range(20):
            moved = SPIKED.step(position, velocity, 0.25, 1.0, method=name, group=group, check=False)
            position, velocity, group = moved.position, moved.velocity, moved.group
        ends[name] = float(position[0, 1])
    assert ends["published-verbatim"] < 0  # through the floor
    assert 0 < ends["published"] < 1.9
    assert 0.25 <= ends["groups"] < 1.9


@pytest.mark.plain
def test_repaired_groups_miss_what_is_in_the_next_one() -> None:
    """A ball over the first group reaches the spike, which is in the second: the exact search finds it."""
    start, motion = [[7.5, 0.7]], [[0.2, 0.0]]
    exact = SPIKED.step(start, motion, 0.35, 1.0, method="groups")
    assert exact.bounce_count[0] == 1
    published = SPIKED.step(start, motion, 0.35, 1.0, method="published")
    assert published.bounce_count[0] == 0
    assert published.position[0].tolist() == pytest.approx([7.7, 0.7])
    wide = SPIKED.structure("published", group_size=16)  # both in one group
    assert SPIKED.step(start, motion, 0.35, 1.0, method=wide).bounce_count[0] > 0


def test_a_step_is_a_frame_of_the_experiment() -> None:
    walls = strip(200, 5)
    rng = np.random.default_rng(2)
    x = rng.uniform(1, 19, 40)
    state = np.stack([x, np.zeros(40), *rng.uniform(-0.02, 0.02, (2, 40)), np.full(40, 0.05)], axis=1)
    for method, name in ((METHODS[3], "published-verbatim"), (METHODS[4], "published")):
        simulated = start_run(walls, method, state)
        simulated.run(50)
        position, velocity, group = state[:, :2], state[:, 2:4], None
        for _ in range(50):
            moved = walls.step(position, velocity, 0.05, 1.0, method=name, group=group, check=False)
            position, velocity, group = moved.position, moved.velocity, moved.group
        assert np.array_equal(simulated.state[:, :2], position)
        assert moved.group is not None
        assert np.array_equal(simulated.group, moved.group)


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_published_groups_cannot_do_is_refused(name: str) -> None:
    start, motion = [[5.5, 1.0]], [[0.1, 0.0]]
    winding = Corridor(corridors.make_maze(3, np.random.default_rng(0)))
    with pytest.raises(ValueError, match="defined for strips only: one loop, a wall below and a wall above"):
        winding.step([[0.0, 0.0]], motion, 0.1, 1.0, method=name)
    for query in (SPIKED.cast, SPIKED.slide):
        with pytest.raises(
            ValueError, match=f"method '{name}' tests circles only where a step ends, so it is for step alone"
        ):
            query(start, motion, 0.1, method=name)
    with pytest.raises(ValueError, match=r"restitution must be 1 with .*, got 0\.5"):
        SPIKED.step(start, motion, 0.1, 1.0, restitution=0.5, method=name)
    with pytest.raises(ValueError, match=f"mutual=True needs the method 'reach', got '{name}'"):
        SPIKED.step(start, motion, 0.1, 1.0, method=name, mutual=True)
    with pytest.raises(ValueError, match=r"group must be MovedCircles.group of the step before"):
        SPIKED.step(start, motion, 0.1, 1.0, method=name, group=[0, 0])
    with pytest.raises(ValueError, match=r"group must be an index of one of .* groups, got 99"):
        SPIKED.step(start, motion, 0.1, 1.0, method=name, group=[[0, 99]])
    with pytest.raises(
        ValueError, match="group is for published and published-verbatim, got it with 'chain'"
    ):
        SPIKED.step(start, motion, 0.1, 1.0, method="chain", group=[[0, 0]])
    with pytest.raises(ValueError, match="group_size must be at least 2"):
        SPIKED.structure(name, group_size=1)


def start_run(walls: Corridor, method: str, state: Floats, approach: bool | None = None) -> PublishedRun:
    return PublishedRun(walls, method, 8, state, approach)


def test_a_ball_over_a_straight_wall_is_reflected_by_all_methods() -> None:
    walls = Corridor([[0, 0], [4, 0], [8, 0], [8, 1], [4, 1], [0, 1]])
    state = np.array([[2.0, 0.14, 0.01, -0.05, 0.1]])
    for method in METHODS:
        simulated = start_run(walls, method, state)
        simulated.group[:] = 0  # where it starts, whatever the index does later
        simulated.run(1)
        expected = [0.01, -0.05] if method == METHODS[3] else [0.01, 0.05]
        # As printed the index has left the group before the first test.
        assert simulated.state[0, 2:4].tolist() in ([0.01, 0.05], expected)
        assert simulated.tests[0] > 0


def test_trees_and_all_segments_give_the_same_frames() -> None:
    walls = strip(200, 5)
    rng = np.random.default_rng(2)
    x = rng.uniform(1, 19, 40)
    state = np.stack([x, np.zeros(40), *rng.uniform(-0.02, 0.02, (2, 40)), np.full(40, 0.05)], axis=1)
    ends = []
    for method in METHODS[:3]:
        simulated = start_run(walls, method, state, approach=True)
        simulated.run(100)
        ends.append(simulated.state)
    # A ball that touches two segments at a time may meet them in another order.
    alike = [(ends[0] == end).all(axis=1).mean() for end in ends[1:]]
    assert min(alike) > 0.7
