"""Circles between walls: first contacts and bounces; all structures alike; what is refused."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi.corridor.grid import RECORD_FEATURE
from ougi.corridor.structures import EXACT
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles, make_adversarial_strip
from ougi_lab.verify.corridor import compute_distances

HALL = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
# An L: its inner corner at (2, 2) turns right.
ANGLE = Corridor([[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]])


def rough(seed: int, segments: int = 400, openings: int = 2) -> Corridor:
    return Corridor(corridors.make_maze(3, np.random.default_rng(seed), segments=segments, openings=openings))


# --- contacts --------------------------------------------------------------------------------------------


@pytest.mark.plain
def test_a_circle_stops_at_its_radius_from_an_edge() -> None:
    cast = HALL.cast([1, 1], [10, 0], 0.5)
    assert (float(cast.t), int(cast.segment), bool(cast.corner)) == (0.25, 1, False)
    assert cast.normal.tolist() == [1, 0]


@pytest.mark.plain
def test_a_corner_is_hit_radially() -> None:
    cast = ANGLE.cast([1, 1], [2, 2], 0.5)
    assert cast.corner
    assert cast.segment == 3
    assert cast.t == pytest.approx((np.sqrt(2) - 0.5) / np.sqrt(8))
    assert cast.normal == pytest.approx([np.sqrt(0.5)] * 2)


def test_a_ball_that_meets_a_corner_straight_on_comes_back() -> None:
    moved = ANGLE.step([1, 1], [2, 2], 0.5, dt=0.5)
    assert moved.velocity == pytest.approx([-2, -2])
    assert moved.bounce_count == 1


def test_a_circle_that_grazes_a_corner_is_not_stopped_before() -> None:
    below, above = (ANGLE.cast([1, y], [2, 0], 0.5) for y in (1.4999999, 1.5000001))
    assert (bool(below.hit), bool(above.hit), bool(above.corner)) == (False, True, True)


@pytest.mark.parametrize("structure", EXACT)
def test_whoever_starts_a_hair_inside_the_wall_is_stopped_by_it(structure: str) -> None:
    """Lacks that are accepted where a character starts are more than rounding."""
    for place in ([1.0, 0.5 - 2e-10], [0.5 - 2e-10, 0.5 - 2e-10]):
        moved = HALL.step(place, [-3.0, -4.0], 0.5, 1.0, method=structure)
        assert HALL.inside(moved.position)
        assert HALL.nearest(moved.position).distance >= 0.5 * (1 - 1e-9)
    corner = 2 + (0.5 - 2e-10) * np.array([-np.sqrt(0.5), -np.sqrt(0.5)])
    assert ANGLE.cast(corner, [1.0, 1.0], 0.5, method=structure).t == 0


def test_touching_counts_and_moving_away_does_not() -> None:
    assert HALL.cast([0.5, 1.0], [-1, 0], 0.5).t == 0
    assert np.isnan(HALL.cast([0.5, 1], [1, 0], 0.5).t)
    assert np.isnan(HALL.cast([0.5, 1], [0, 1], 0.5).t)


def test_where_nothing_is_hit_there_is_no_segment() -> None:
    cast = HALL.cast([[1, 1], [1, 1]], np.array([[0.1, 0], [9, 0]]), 0.5)
    assert cast.hit.tolist() == [False, True]
    assert cast.segment.tolist() == [-1, 1]
    assert np.isnan(cast.normal[0]).all()


def test_a_straight_wall_in_pieces_is_a_straight_wall() -> None:
    x = np.linspace(0, 4, 41)
    floor = np.stack([x, 0.3 * x], axis=1)
    pieces = Corridor(np.concatenate([floor, [[4, 4], [0, 4]]]))
    whole = Corridor(np.array([[0, 0], [4, 1.2], [4, 4], [0, 4]]))
    rng = np.random.default_rng(0)
    start, motion = draw_circles(whole, 200, 0.05, 30.0, rng)
    one, other = (walls.step(start, motion, 0.05, 1.0) for walls in (pieces, whole))
    assert np.abs(one.position - other.position).max() < 1e-9
    assert np.array_equal(one.bounce_count, other.bounce_count)


# --- steps -----------------------------------------------------------------------------------------------


def test_many_bounces_fit_into_a_frame() -> None:
    moved = HALL.step([1, 1], [3000, 0], 0.5, dt=1, max_bounces=1001)
    assert moved.bounce_count == 1000
    assert moved.time_left == 0
    moved = HALL.step([1, 1], [3e5, 0], 0.5, dt=1, max_bounces=100_001)
    assert moved.position[0] == pytest.approx(1, abs=1e-6)


def test_a_character_at_the_limit_of_bounces_stands_still_where_it_fits() -> None:
    moved = HALL.step([1, 1], [3000, 0], 0.5, dt=1, max_bounces=10)
    assert moved.bounce_count == 10
    assert moved.time_left == pytest.approx(1 - (2.5 + 9 * 3) / 3000)
    assert moved.position[0] == pytest.approx(0.5)


def slit(gap: float) -> Corridor:
    """Two chambers and a slit between them that is wider than a circle of radius 0.5 by a gap."""
    y = 0.5 + gap / 2
    floor = np.array([[-4, -2], [-2, -2], [-2, -y], [2, -y], [2, -2], [4, -2]])
    return Corridor(np.concatenate([floor, floor[::-1] * [1, -1]]))


@pytest.mark.parametrize("name", ["reach", "chain"])
def test_without_a_limit_a_character_bounces_as_often_as_it_takes(name: str) -> None:
    walls, gap = slit(1e-3), 1e-3
    moved = walls.step([0.0, 0.0], [0.01, 500.0], 0.5, dt=0.2, method=name)
    assert int(moved.bounce_count) == pytest.approx(500 * 0.2 / gap, abs=2)
    assert moved.time_left == 0
    assert moved.stopped.tolist() == []
    assert moved.position[0] == pytest.approx(0.002)


def test_who_bounces_without_end_is_named_in_a_warning() -> None:
    """A thousand radii in a frame, between walls that leave room for rounding alone: 10^14 bounces."""
    walls = slit(1e-12)
    start = np.array([[-3.0, 0.0], [0.0, 0.0]])
    with pytest.warns(RuntimeWarning, match=r"circle 1 at .* stands still .* after 1,000,000 bounces"):
        moved = walls.step(start, [[0, 1.0], [300.0, 400.0]], 0.5, dt=1.0)
    assert moved.stopped.tolist() == [1]
    assert moved.time_left[0] == 0
    assert 0 < moved.time_left[1] < 1
    assert walls.nearest(moved.position).distance.min() >= 0.5 * (1 - 1e-11)


@pytest.mark.parametrize("name", ["reach", "chain"])
@pytest.mark.parametrize("restitution", [1.0, 0.5, 0.0])
@pytest.mark.parametrize(("angle", "radii"), [(1.0, 1e3), (0.1, 1e5)])
def test_a_pocket_lets_go_or_stops_whom_it_catches(
    name: str, restitution: float, angle: float, radii: float
) -> None:
    """Straight into a wedge of an angle in degrees, ten deep, by a number of radii in a frame."""
    half = 10.0 * np.tan(np.radians(angle) / 2)
    side = half + 1
    walls = Corridor([[-10, -side], [0, -side], [0, -half], [10, 0], [0, half], [0, side], [-10, side]])
    radius = 0.2 * half
    start = np.stack([np.full(5, -1.0), np.linspace(-0.7, 0.7, 5) * half], axis=1)
    speed = radii * radius
    moved = walls.step(
        start, [speed, 0.0], radius, 1.0, restitution=restitution, method=name, max_bounces=100_000
    )
    assert walls.inside(moved.position).all()
    assert (walls.nearest(moved.position).distance >= radius * (1 - 1e-9)).all()
    assert (np.hypot(*moved.velocity.T) <= speed * (1 + 1e-9)).all()
    if restitution == 1:
        assert moved.bounce_count.min() > 50
        assert moved.stopped.tolist() == []
        assert (np.hypot(*moved.velocity.T) >= speed * (1 - 1e-9)).all()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_bounce_leaves_its_share_of_the_speed(restitution: float) -> None:
    moved = HALL.step([1, 1], [2, -4], 0.5, 0.25, restitution=restitution)
    assert moved.velocity.tolist() == [2, 4 * restitution]
    assert moved.position.tolist() == [1.5, 0.5 + restitution * 4 * 0.125]


@pytest.mark.plain
def test_radii_may_differ() -> None:
    radius = np.array([0.1, 0.5, 1.2])
    cast = HALL.cast(np.full((3, 2), 1.4), [9, 0], radius, method="reach")
    assert (1.4 + 9 * cast.t).tolist() == pytest.approx((4 - radius).tolist())
    one_by_one = [HALL.step([1.4, 1.4], [9, 5], r, 1.0).position for r in radius]
    assert np.array_equal(HALL.step(np.full((3, 2), 1.4), [9, 5], radius, 1.0).position, one_by_one)


# --- structures ------------------------------------------------------------------------------------------


def scenes() -> dict[str, Corridor]:
    rng = np.random.default_rng(7)
    return {
        "strip": Corridor(corridors.make_strip(200, rng)),
        "maze": rough(1, 40, 0),
        "rough with holes": rough(2),
        "rougher": rough(3, 3000),
        "adversarial": Corridor(make_adversarial_strip(rng)),
        "far away": Corridor(rough(4).segments + 1000.0),
    }


SCENES = scenes()


@pytest.mark.parametrize("speed", [0.1, 1.0, 20.0, 1000.0])
@pytest.mark.parametrize("scene", SCENES)
def test_all_structures_give_the_same_trajectories(scene: str, speed: float) -> None:
    walls, radius = SCENES[scene], 0.04
    start, motion = draw_circles(walls, 30, radius, speed, np.random.default_rng(5))
    ends: dict[str, Any] = {}
    for name in EXACT:
        position, velocity = start, motion
        for _ in range(3 if speed > 100 else 10):
            moved = walls.step(position, velocity, radius, 1.0, method=name)
            position, velocity = moved.position, moved.velocity
        ends[name] = np.concatenate([position, velocity], axis=1)
    different = [name for name in EXACT if not np.array_equal(ends[name], ends["brute"])]
    assert different == []
    assert not np.array_equal(ends["brute"], np.concatenate([start, motion], axis=1))


@pytest.mark.parametrize("name", EXACT)
def test_casts_of_many_radii_are_those_of_brute_force(name: str) -> None:
    walls = SCENES["rough with holes"]
    rng = np.random.default_rng(3)
    start, motion = draw_circles(walls, 300, 0.09, 10.0, rng)
    radius = rng.uniform(0.02, 0.09, len(start))
    found, truth = (walls.cast(start, motion, radius, method=s) for s in (name, "brute"))
    assert np.array_equal(found.t, truth.t, equal_nan=True)
    assert np.array_equal(found.segment, truth.segment)
    assert truth.hit.sum() > 100


def test_a_compiled_wall_has_only_what_can_be_touched() -> None:
    walls = SCENES["rougher"]
    small, large = walls.compile(0.01), walls.compile(0.1)
    assert large.feature_count < small.feature_count < 2 * len(walls.segments) / 2
    assert small.nbytes > 0
    assert small.build_seconds > 0
    assert walls.compile(0.01) is small


def test_the_last_few_compiled_walls_are_kept() -> None:
    walls = rough(6, 40, 0)
    made = [walls.compile(r) for r in (0.02, 0.03, 0.04, 0.05, 0.06)]
    assert walls.compile(0.06) is made[-1]
    assert walls.compile(0.03) is made[1]
    assert walls.compile(0.02) is not made[0]


def test_compiled_structures_look_at_fewer_segments() -> None:
    walls = SCENES["rougher"]
    start, motion = draw_circles(walls, 50, 0.05, 1.0, np.random.default_rng(1))
    tests = {name: int(walls.cast(start, motion, 0.05, method=name).test_count.sum()) for name in EXACT}
    assert tests["brute"] == 50 * len(walls.segments)
    assert tests["reach"] < tests["chain"] < tests["brute"]


def touching(segments: Floats, radius: float, per_edge: int = 40) -> set[int]:
    """Edges that a free circle touches, by many places along each and all segments."""
    found = set()
    for i, (a, b) in enumerate(segments):
        along_wall = (b - a) / np.hypot(*(b - a))
        along = np.linspace(0, 1, per_edge)[:, None]
        centers = a + along * (b - a) + radius * np.array([-along_wall[1], along_wall[0]])
        if (compute_distances(segments, centers)[0] >= radius * (1 - 1e-9)).any():
            found.add(i)
    return found


@pytest.mark.parametrize("scene", ["strip", "rough with holes", "adversarial"])
def test_no_edge_that_can_be_touched_is_skipped_and_few_others_are_kept(scene: str) -> None:
    walls = SCENES[scene]
    for radius in (0.01, 0.05):
        features = walls.compile(radius).tables.records[:, RECORD_FEATURE].astype(int)
        compiled = set((features[features % 2 == 0] // 2).tolist())
        touched = touching(walls.segments, radius)
        assert touched <= compiled
        assert len(compiled) <= 1.2 * len(touched) + 8


def test_a_vast_room_needs_few_tiles() -> None:
    side = 3000.0
    walls = Corridor(np.array([[0, 0], [side, 0], [side, side], [0, side]]))
    made = walls.compile(0.5)
    assert made.nbytes < 20e6  # a dense grid would have 36 million cells
    cast = walls.cast([1.0, 1.0], [side, 0.5 * side], 0.5, method="reach")
    assert cast.t == walls.cast([1.0, 1.0], [side, 0.5 * side], 0.5, method="brute").t


def test_what_a_loop_borrows_it_neither_keeps_nor_drops() -> None:
    walls = SCENES["rough with holes"]
    made = walls.compile(0.05)
    arrays = [part for part in (*made.tables, *made.wall) if isinstance(part, np.ndarray)]
    start, motion = draw_circles(walls, 200, 0.05, 20.0, np.random.default_rng(1))
    walls.step(start, motion, 0.05, 1.0)
    before = [sys.getrefcount(array) for array in arrays]
    for among in (False, True, False):
        walls.step(start[:1], motion[:1], 0.05, 1.0, mutual=among)
    walls.nearest(start)
    assert [sys.getrefcount(array) for array in arrays] == before


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("structure", EXACT)
@pytest.mark.parametrize(
    ("position", "radius", "words"),
    [
        ([[1, 1], [9, 9]], 0.5, r"circle 1 at \(9, 9\) must be inside of the corridor"),
        ([[1, 1], [0.2, 1]], 0.5, r"circle 1 at \(0.2, 1\) must not overlap .* segment 3 is 0.2 away"),
        ([[1, 1], [1, 1]], [0.5, 1.1], "circle 1 .* must not overlap"),
    ],
)
def test_characters_that_do_not_fit_are_named(
    structure: str, position: Floats, radius: float, words: str
) -> None:
    for query in (HALL.cast, HALL.slide):
        with pytest.raises(ValueError, match=words):
            query(position, [[0, 0], [0, 0]], radius, method=structure)
    with pytest.raises(ValueError, match=words):
        HALL.step(position, [[0, 0], [0, 0]], radius, 1.0, method=structure)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([np.nan, 1], [0, 0], 0.5, 1.0), "position must be finite"),
        (([1, 1], [0, np.inf], 0.5, 1.0), "velocity must be finite"),
        (([1, 1], [0, 0], 0.0, 1.0), "radius must be positive"),
        (([1, 1], [0, 0], -0.1, 1.0), "radius must be positive, got -0.1"),
        (([1, 1], [0, 0], 0.5, 0.0), "dt must be positive"),
        (([1, 1], [0, 0], 0.5, -1.0), "dt must be positive"),
        (([1, 1, 1], [0, 0], 0.5, 1.0), "2 components"),
        (([[1, 1], [2, 2]], [[0, 0]] * 3, 0.5, 1.0), "do not broadcast"),
    ],
)
def test_bad_arguments_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        HALL.step(*arguments)


def test_a_restitution_above_one_is_refused() -> None:
    with pytest.raises(ValueError, match=r"restitution must lie between 0 and 1, got 1\.5"):
        HALL.step([1, 1], [0, 0], 0.5, 1.0, restitution=1.5)


def test_a_method_is_a_name_or_a_structure() -> None:
    made = HALL.compile(0.4, 0.6)
    by_name, by_itself = (HALL.step([1, 1], [9, 5], 0.5, 1.0, method=s) for s in ("brute", made))
    assert np.array_equal(by_name.position, by_itself.position)
    pairs = HALL.structure("groups", group_size=2)
    assert HALL.cast([1, 1], [9, 5], 0.5, method=pairs).t == HALL.cast([1, 1], [9, 5], 0.5).t
    with pytest.raises(ValueError, match=r"radius must lie in \[0.4, 0.6\], .* got 0.3 to 0.3"):
        HALL.cast([1, 1], [9, 5], 0.3, method=made)
    with pytest.raises(ValueError, match="method must be of this corridor, got 'reach' of another one"):
        ANGLE.cast([1, 1], [9, 5], 0.5, method=made)
    with pytest.raises(ValueError, match=r"group_size is for groups, .* got it with 'quadtree'"):
        HALL.structure("quadtree", group_size=4)


def test_unknown_methods_are_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"method must be one of .*reach.*, got 'octree'"):
        HALL.step([1, 1], [0, 0], 0.5, 1.0, method="octree")
    with pytest.raises(ValueError, match="for reach call compile"):
        HALL.structure("reach")


@pytest.mark.parametrize("among", [False, True])
def test_no_circles_move(among: bool) -> None:
    walls = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])  # nothing was compiled for it
    moved = walls.step(np.empty((0, 2)), np.empty((0, 2)), 0.5, 1.0, mutual=among)
    assert moved.position.shape == (0, 2)
    assert walls.cast(np.empty((0, 2)), np.empty((0, 2)), 0.5).t.shape == (0,)
