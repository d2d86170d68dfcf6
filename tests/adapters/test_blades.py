"""Blades of game libraries: conventions of angles, what counts as a hit, and what a frame costs."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import arcade
import numpy as np
import pymunk
import pytest
import shapely

from ougi._native import compiled_loops
from ougi.adapters import arcade as for_arcade
from ougi.adapters import pygame as for_pygame
from ougi.adapters import pymunk as for_pymunk
from ougi_lab.bench import games, games_players
from ougi_lab.bench.measurement import Measurement, select
from ougi_lab.bench.peers import read_peer_versions
from ougi_lab.scenes import strokes


class Rect:
    def __init__(self, x: float, y: float, width: float, height: float) -> None:
        self.left, self.top, self.width, self.height = x - width / 2, y - height / 2, width, height


class Sprite:
    """What `ougi.adapters.pygame` reads of a sprite: a rect, and a radius if it has one."""

    def __init__(self, x: float, y: float, side: float = 10, radius: float | None = None) -> None:
        self.side = side
        if radius is not None:
            self.radius = radius
        self.put(x, y)

    def put(self, x: float, y: float) -> None:
        self.rect = Rect(x, y, self.side, self.side)


def swung(sprites: list[Any], *angles: float, blade: Any = None, pivot: Any = (0, 0)) -> list[list[Any]]:
    """Whom a blade hits in frames with these angles."""
    blade = blade or for_pygame.Blade(100, 10, thickness=4)
    return [[h.target for h in for_pygame.swing_hits(blade, pivot, a, sprites)] for a in angles]


# --- against the truth --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played() -> list[Measurement]:
    """What every library finds, with ougi and without, at two speeds and both rates."""
    return [row for cell in games.measure(strokes=3, speeds=(20.0, 80.0)) for row in cell]


def test_every_library_finds_all_true_hits_and_no_ghosts(played: list[Measurement]) -> None:
    for row in played:
        assert row["hits"] > 15
        assert row["ghosts"] == 0
        if row.method.startswith("ougi"):
            assert row["found"] == row["hits"]
            assert row.wrong == 0


def test_testing_once_per_frame_misses_most_hits_of_a_fast_blade(played: list[Measurement]) -> None:
    fast = select(played, speed=80.0, rate=30)
    alone = [row for row in fast if not row.method.startswith("ougi")]
    assert len(alone) == 3
    assert max(row["found"] / row["hits"] for row in alone) < 0.5


def test_the_truth_measures_gaps_as_shapely_does() -> None:
    stroke = strokes.draw_stroke(20.0, 60, np.random.default_rng(3))
    for t in (0.0, 0.013, 0.04):
        angle, (x, y) = stroke.angle_at(t), strokes.CENTER
        away = strokes.INNER + 4, strokes.OUTER - 4
        bar = shapely.LineString([(x + r * math.cos(angle), y + r * math.sin(angle)) for r in away])
        boxes = [
            shapely.box(cx - s / 2, cy - s / 2, cx + s / 2, cy + s / 2)
            for (cx, cy), s in zip(stroke.centers_at(t), stroke.side, strict=True)
        ]
        assert strokes.compute_gaps(stroke, t) == pytest.approx(
            [bar.distance(box) - 4 for box in boxes], abs=1e-9
        )


# --- conventions --------------------------------------------------------------------------------------------


def test_pygames_angles_are_those_of_its_turned_pictures() -> None:
    import pygame

    picture = pygame.Surface((200, 200), pygame.SRCALPHA)
    picture.fill("white", (150, 98, 50, 4))  # a bar that points to the right, from the middle on
    turned = pygame.transform.rotate(picture, 60)
    pixels = pygame.mask.from_surface(turned).centroid()
    x, y = pixels[0] - turned.get_width() / 2, pixels[1] - turned.get_height() / 2
    there, mirrored = Sprite(x, y), Sprite(x, -y)
    assert y < -50  # up on the screen
    assert swung([there, mirrored], 60) == [[there]]


def test_arcades_angles_are_those_of_its_sprites() -> None:
    bar = arcade.SpriteSolidColor(100, 4, angle=60)
    x, y = np.max(np.abs(bar.hit_box.get_adjusted_points()), axis=0) * [1, -1]  # its right end is down
    wolves = [arcade.SpriteSolidColor(10, 10, x, s * y) for s in (1, -1)]
    assert bar.angle == 60
    assert arcade.check_for_collision(bar, wolves[0])
    hits = for_arcade.swing_hits(for_arcade.Blade(100, 10, thickness=4), (0, 0), 60, wolves)
    assert [hit.target for hit in hits] == wolves[:1]


def test_from_359_to_1_degree_is_a_turn_by_two() -> None:
    behind, ahead = Sprite(-900, 0), Sprite(900, 0)
    for angles in ((359, 1), (1, 359), (-1, 1), (719, 1)):
        blade = for_pygame.Blade(1000, 10, thickness=4)
        assert swung([behind, ahead], *angles, blade=blade) == [[], [ahead]]


def test_pymunks_blade_may_turn_by_more_than_half_a_turn() -> None:
    body = pymunk.Body(1, 1)
    body.position = 0, -60
    ball, blade = pymunk.Circle(body, 5), for_pymunk.Blade(100, 10, thickness=4)
    assert for_pymunk.swing_hits(blade, (0, 0), 0.1, [ball]) == []
    (hit,) = for_pymunk.swing_hits(blade, (0, 0), 6.0, [ball])
    assert hit.t == pytest.approx((1.5 * math.pi - math.asin(7 / 60) - 0.1) / 5.9)


def test_a_blade_turns_as_far_as_it_says() -> None:
    ahead, behind = Sprite(0, -60, radius=5), Sprite(0, 60, radius=5)
    for turn, hit, degrees in ((None, behind, 80), (200, ahead, 100), (-160, behind, 80), (560, ahead, 100)):
        blade = for_pygame.Blade(100, 10, thickness=4)
        swung([ahead, behind], -10, blade=blade)
        first, *_ = for_pygame.swing_hits(blade, (0, 0), 190, [ahead, behind], turn=turn)
        assert first.target is hit
        way = degrees - math.degrees(math.asin(7 / 60))
        assert first.t * abs(-160 if turn is None else turn) == pytest.approx(way), turn


def test_arcades_blade_turns_as_far_as_it_says_too() -> None:
    below, blade = arcade.SpriteSolidColor(10, 10, 0, -60), for_arcade.Blade(100, 10, thickness=4)
    assert for_arcade.swing_hits(blade, (0, 0), -10, [below]) == []
    (hit,) = for_arcade.swing_hits(blade, (0, 0), 190, [below], turn=200)
    assert 0.4 < hit.t < 0.5


# --- what counts --------------------------------------------------------------------------------------------


def test_a_sprite_is_hit_once_in_a_swing_and_again_in_the_next() -> None:
    wolf, blade = Sprite(60, 0), for_pygame.Blade(100, 10, thickness=4)
    assert swung([wolf], 30, -30, 30, blade=blade) == [[], [wolf], []]
    blade.begin()
    assert swung([wolf], 30, -30, blade=blade) == [[], [wolf]]


def test_hits_come_in_order_of_time_with_their_places() -> None:
    late, soon = Sprite(0, -60, radius=5), Sprite(60, -20, radius=5)
    blade = for_pygame.Blade(100, 10, thickness=4)
    swung([late, soon], 0, blade=blade)
    first, second = for_pygame.swing_hits(blade, (0, 0), 120, [late, soon])
    assert (first.target, second.target) == (soon, late)
    assert math.dist((second.x, second.y), (0, -60)) == pytest.approx(5)
    assert second.t == pytest.approx((90 - math.degrees(math.asin(7 / 60))) / 120)


def test_the_first_frame_tests_the_blade_where_it_is() -> None:
    near, far = Sprite(60, 0), Sprite(0, 60)
    (hit,) = for_pygame.swing_hits(for_pygame.Blade(100, 10, thickness=4), (0, 0), 0, [near, far])
    assert hit == (near, 0.0, 60.0, 0.0)  # its place, for there is no first point of contact


def test_a_fast_sprite_does_not_pass_through_a_resting_blade() -> None:
    arrow, blade = Sprite(60, -500, radius=2), for_pygame.Blade(100, 10, thickness=4)
    assert swung([arrow], 0, blade=blade) == [[]]
    arrow.put(60, 400)
    (hit,) = for_pygame.swing_hits(blade, (0, 0), 0, [arrow])
    assert hit.t == pytest.approx((500 - 4) / 900)


def test_a_sprite_that_has_jumped_is_not_followed() -> None:
    arrow, blade = Sprite(60, -500), for_pygame.Blade(100, 10, thickness=4)
    swung([arrow], 0, blade=blade)
    arrow.put(60, 400)
    blade.forget(arrow)
    assert swung([arrow], 0, blade=blade) == [[]]


def test_a_sprite_that_was_away_for_a_frame_is_not_followed() -> None:
    arrow, blade = Sprite(60, -500), for_pygame.Blade(100, 10, thickness=4)
    swung([arrow], 0, blade=blade)
    swung([], 0, blade=blade)
    arrow.put(60, 400)
    assert swung([arrow], 0, blade=blade) == [[]]


def test_a_moving_pivot_takes_the_blade_along() -> None:
    post, blade = Sprite(500, -60, radius=5), for_pygame.Blade(100, 10, thickness=4)
    assert swung([post], 90, blade=blade) == [[]]
    (hit,) = for_pygame.swing_hits(blade, (1000, 0), 90, [post])
    assert hit.t == pytest.approx((500 - 7) / 1000)
    assert hit.x == pytest.approx(495)


def test_more_sprites_than_memory_was_made_for() -> None:
    crowd = [Sprite(60 * math.cos(a), -60 * math.sin(a), side=2) for a in np.linspace(0, 6, 50)]
    few, many = (for_pygame.Blade(100, 10, thickness=4, capacity=n) for n in (1, 64))
    assert swung(crowd, 10, 170, blade=few) == swung(crowd, 10, 170, blade=many)


def test_a_rounded_polygon_is_touched_at_its_radius() -> None:
    body = pymunk.Body(1, 1)
    body.position, body.angle = (20, 70), 0.4
    hexagon = pymunk.Poly(body, [(10 * math.cos(a), 10 * math.sin(a)) for a in range(6)], radius=3)
    blade = for_pymunk.Blade(100, 10, thickness=4)
    for_pymunk.swing_hits(blade, (0, 0), 0, [hexagon])
    (hit,) = for_pymunk.swing_hits(blade, (0, 0), 3, [hexagon])
    angle = 3 * hit.t
    bar = shapely.LineString([(r * math.cos(angle), r * math.sin(angle)) for r in (12, 98)])
    corners = shapely.Polygon([body.local_to_world(v) for v in hexagon.get_vertices()])
    assert bar.distance(corners) == pytest.approx(3 + 2, abs=1e-6)


@pytest.mark.parametrize("places", [(20, -20), (-20, 20)])
def test_of_a_targets_parts_the_first_counts_in_whatever_order_they_are_asked(
    places: tuple[float, float],
) -> None:
    blade, told = for_pymunk.Blade(100, 10, thickness=4), []
    for angle in (0.0, 3.0):
        blade.move(0, 0, angle, is_wrapped=False)
        assert blade.wants("snake", 0, 60, 30)
        for x in places:
            blade.circle("snake", x, 60, 5)
        told.append(blade.hits())
    assert told[0] == []
    (hit,) = told[1]
    assert hit.t == pytest.approx((math.atan2(60, 20) - math.asin(7 / math.hypot(20, 60))) / 3)


def test_a_segment_of_pymunk_is_a_capsule() -> None:
    wall = pymunk.Segment(pymunk.Body(1, 1), (-20, 50), (20, 50), 2)
    blade = for_pymunk.Blade(100, 10, thickness=4)
    for_pymunk.swing_hits(blade, (0, 0), 0, [wall])
    (hit,) = for_pymunk.swing_hits(blade, (0, 0), 3, [wall])
    angle = math.atan2(50, 20) - math.asin(4 / math.hypot(20, 50))
    assert hit.t == pytest.approx(angle / 3)


# --- hit boxes ----------------------------------------------------------------------------------------------

ARROW = ((0.0, 0.0), (4.0, 2.0), (0.0, 4.0), (1.0, 2.0))
COMB = ((0.0, 0.0), (5.0, 0.0), (5.0, 3.0), (4.0, 3.0), (4.0, 1.0), (3.0, 1.0), (3.0, 3.0), (0.0, 3.0))
STRAIGHT = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))


@pytest.mark.parametrize("corners", [ARROW, COMB, STRAIGHT, ARROW[::-1], COMB[::-1]])
def test_a_hit_box_is_cut_into_triangles_that_fill_it(corners: for_arcade.Corners) -> None:
    parts = [shapely.Polygon([corners[k] for k in part]) for part in for_arcade._triangles(corners)]
    whole = shapely.Polygon(corners)
    assert sum(part.area for part in parts) == pytest.approx(whole.area)
    assert shapely.unary_union([p for p in parts if p.area]).symmetric_difference(whole).area < 1e-12


def test_a_hit_box_may_touch_itself_in_a_corner() -> None:
    tie = ((0.0, 0.0), (2.0, -1.0), (2.0, 1.0), (0.0, 0.0), (-2.0, 1.0), (-2.0, -1.0))
    parts = [shapely.Polygon([tie[k] for k in part]) for part in for_arcade._triangles(tie)]
    assert shapely.unary_union([p for p in parts if p.area]).area == pytest.approx(4)


def test_a_hit_box_that_crosses_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="must not cross itself"):
        for_arcade._triangles(((0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 3.0), (-3.0, 5.0)))


# --- cost ---------------------------------------------------------------------------------------------------


def test_kernels_are_ready_before_the_first_frame() -> None:
    for_pygame.Blade(100, 10)
    for name in ("listed_moving_sphere_capsule3d", "listed_moving_capsule3d_box"):
        assert len(getattr(compiled_loops[name], "signatures", [0])) == 1


def test_frames_allocate_nothing_that_lasts_and_no_arrays() -> None:
    crowd = [Sprite(200 * math.cos(a), 200 * math.sin(a), radius=5) for a in range(50)]  # within no reach
    crowd += [Sprite(97 * math.cos(a), 97 * math.sin(a), side=1) for a in (2.0, 2.2)]  # asked, and not hit
    blade = for_pygame.Blade(80, 10, thickness=4)
    angles = np.linspace(-40, 40, 60).tolist()
    for angle in angles:
        for_pygame.swing_hits(blade, (0, 0), angle, crowd)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for angle in angles:
            for_pygame.swing_hits(blade, (0, 0), angle, crowd)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 512
    assert peak - before < 4096  # the columns of 64 targets are 25 kB


# --- what is refused ----------------------------------------------------------------------------------------


def test_bad_blades_are_refused() -> None:
    with pytest.raises(ValueError, match="outer_radius must be positive, got 0"):
        for_pygame.Blade(0)
    with pytest.raises(ValueError, match=r"thickness must be at most outer_radius - inner_radius = 5, got 6"):
        for_pygame.Blade(20, 15, thickness=6)
    with pytest.raises(ValueError, match="capacity must be a positive whole number, got 0"):
        for_pygame.Blade(20, capacity=0)


@pytest.mark.parametrize("bad", [{"pivot": (math.nan, 0)}, {"degrees": math.inf}, {"turn": math.nan}])
def test_a_blade_that_is_nowhere_is_refused(bad: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"pivot": (0, 0), "degrees": 0.0, "sprites": [], **bad}
    with pytest.raises(ValueError, match=r"must be finite, got .*(nan|inf)"):
        for_pygame.swing_hits(for_pygame.Blade(100, 10), **asked)


def test_shapes_that_pymunk_does_not_have_are_refused() -> None:
    blade = for_pymunk.Blade(100, 10)
    with pytest.raises(TypeError, match="circles, segments and polygons, got str"):
        for_pymunk.swing_hits(blade, (0, 0), 0, ["a wolf"])


def test_libraries_of_the_bench_are_named_with_versions() -> None:
    assert set(read_peer_versions(games_players.PEERS)) == {"pygame-ce", "arcade", "pymunk"}
