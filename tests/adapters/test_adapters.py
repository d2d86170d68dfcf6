"""Adapters of game libraries: angles, what a target is, which hits are found, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import arcade
import numpy as np
import pygame
import pymunk
import pytest
import shapely

import ougi
from ougi.adapters import arcade as for_arcade
from ougi.adapters import pygame as for_pygame
from ougi.adapters import pymunk as for_pymunk
from ougi.games import Hitbox
from ougi_lab.bench import games, games_players
from ougi_lab.bench.measurement import Measurement, select
from ougi_lab.bench.peers import read_peer_versions

SWORD = ougi.Capsule2d([12, 0], [98, 0], 2)
ARROWHEAD = ((0.0, 0.0), (8.0, 4.0), (0.0, 8.0), (2.0, 4.0))


class Sprite(pygame.sprite.Sprite):
    rect: Any
    angle: Any
    radius: Any

    def __init__(self, x: float, y: float, side: float = 10, **attributes: Any) -> None:
        super().__init__()
        self.rect = pygame.FRect(0, 0, side, side)
        self.rect.center = x, y
        for name, value in attributes.items():
            setattr(self, name, value)


def swing(
    sprites: list[Any], *angles: float, adapter: Any = for_pygame, sword: Any = None
) -> list[list[Any]]:
    """The hits of a sword at the origin in frames with these angles."""
    sword = sword or adapter.Swing(SWORD)
    targets = getattr(adapter, "Sprites", None) or adapter.Shapes
    made, frames = targets(), []
    for angle in angles:
        made.update(sprites)
        sword.move_to((0, 0), angle)
        frames.append(sword.hits(made))
    return frames


# --- against the truth --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows() -> list[Measurement]:
    """What every library finds, with ougi and without, at two speeds and both rates."""
    return [row for cell in games.measure(strokes=3, speeds=(20.0, 80.0)) for row in cell]


def test_every_library_finds_all_true_hits_and_no_ghosts(rows: list[Measurement]) -> None:
    for row in rows:
        assert row["hits"] > 15
        assert row["ghosts"] == 0
        if row.method.startswith("ougi"):
            assert row["found"] == row["hits"]
            assert row.wrong == 0


def test_testing_once_per_frame_misses_most_hits_of_a_fast_blade(rows: list[Measurement]) -> None:
    fast = select(rows, speed=80.0, rate=30)
    alone = [row for row in fast if not row.method.startswith("ougi")]
    assert len(alone) == 3 * len(games.KINDS)
    assert max(row["found"] / row["hits"] for row in alone) < 0.6


def test_libraries_of_the_bench_are_named_with_versions() -> None:
    assert set(read_peer_versions(games_players.PEERS)) == {"pygame-ce", "arcade", "pymunk"}


# --- angles -------------------------------------------------------------------------------------------------


def test_angles_of_pygame_are_those_of_its_turned_pictures() -> None:
    picture = pygame.Surface((200, 200), pygame.SRCALPHA)
    picture.fill("white", (150, 98, 50, 4))  # a bar that points to the right, from the middle on
    turned = pygame.transform.rotate(picture, 60)
    pixels = pygame.mask.from_surface(turned).centroid()
    x, y = pixels[0] - turned.get_width() / 2, pixels[1] - turned.get_height() / 2
    there, mirrored = Sprite(x, y), Sprite(x, -y)
    assert y < -50  # up on the screen
    assert [hit.target for hit in swing([there, mirrored], 60)[0]] == [there]


def test_angles_of_arcade_are_those_of_its_sprites() -> None:
    bar = arcade.SpriteSolidColor(100, 4, angle=60)
    x, y = np.max(np.abs(bar.hit_box.get_adjusted_points()), axis=0) * [1, -1]  # its right end is down
    wolves = [arcade.SpriteSolidColor(10, 10, x, s * y) for s in (1, -1)]
    assert arcade.check_for_collision(bar, wolves[0])
    assert [hit.target for hit in swing(wolves, 60, adapter=for_arcade)[0]] == wolves[:1]


def test_from_359_to_1_degree_is_a_turn_by_two() -> None:
    behind, ahead = Sprite(-900, 0), Sprite(900, 0)
    for angles in ((359, 1), (1, 359), (-1, 1), (719, 1)):
        frames = swing([behind, ahead], *angles, sword=for_pygame.Swing(ougi.Capsule2d([12, 0], [998, 0], 2)))
        assert [[hit.target for hit in hits] for hits in frames] == [[], [ahead]]


def test_a_sprite_that_turns_past_0_degrees_turns_by_the_smaller_angle() -> None:
    bar = Sprite(0, 0, hitbox=ougi.Rectangle([0, 0], [100, 2]), angle=350)
    post, targets = for_pygame.Projectile(ougi.Circle([0, 0], 1), (45, 0)), for_pygame.Sprites()
    targets.update([bar])
    bar.angle = 10
    targets.update([bar])
    post.move(1.0)
    (hit,) = post.hits(targets)
    assert hit.t == pytest.approx(0.5, abs=0.15)


def test_a_sword_of_pymunk_may_turn_by_more_than_half_a_turn() -> None:
    body = pymunk.Body(1, 1)
    body.position = 0, -60
    frames = swing([pymunk.Circle(body, 5)], 0.1, 6.0, adapter=for_pymunk)
    assert frames[0] == []
    assert frames[1][0].t == pytest.approx((1.5 * math.pi - math.asin(7 / 60) - 0.1) / 5.9)


# --- what a target is ---------------------------------------------------------------------------------------


def test_a_sprite_is_its_hitbox_mask_radius_or_rect() -> None:
    mask = pygame.Mask((10, 10))
    mask.set_at((9, 5))
    cases: list[tuple[dict[str, Any], float]] = [
        ({}, 5.0),
        ({"radius": 3.0}, 3.0),
        ({"radius": 3.0, "mask": mask}, -4.0),  # only its last column is solid
        ({"mask": mask, "hitbox": [[1, -1], [3, 0], [1, 1]]}, -1.0),
    ]
    for attributes, left in cases:
        wolf, targets = Sprite(50, 0, **attributes), for_pygame.Sprites()
        targets.update([wolf])
        bullet = for_pygame.Projectile(ougi.Circle([0, 0], 0.5), (0, 0.25), (100, 0))
        bullet.move(1.0)
        (hit,) = bullet.hits(targets)
        assert hit.point[0] == pytest.approx(50 - left, abs=0.6), attributes


def test_pixels_of_a_mask_are_hit_exactly() -> None:
    mask = pygame.Mask((20, 20))
    for k in range(20):
        mask.set_at((k, k))  # a diagonal, and nothing beside it
    wolf, targets = Sprite(0, 0, side=20, mask=mask), for_pygame.Sprites()
    targets.update([wolf])
    beside = for_pygame.Projectile(ougi.Circle([0, 0], 1), (-8, 8))
    beside.move(1.0)
    assert beside.hits(targets) == []
    for y in range(-9, 10, 3):
        bullet = for_pygame.Projectile((0, 0), (-50, y + 0.5), (100, 0))
        bullet.move(1.0)
        (hit,) = bullet.hits(targets)
        assert hit.point == pytest.approx((y, y + 0.5))


def test_a_sprite_that_changes_its_form_is_read_again() -> None:
    wolf, targets = Sprite(50, 0), for_pygame.Sprites()
    for change, left in ((lambda: None, 45), (lambda: wolf.rect.inflate_ip(10, 0), 40)):
        change()
        targets.update([wolf])
        bullet = for_pygame.Projectile((0, 0), (0, 0), (100, 0))
        bullet.move(1.0)
        assert bullet.hits(targets)[0].point[0] == left
    ball = Sprite(50, 0, radius=3)
    for radius in (3, 7):
        ball.radius = radius
        targets.update([ball])
        bullet = for_pygame.Projectile((0, 0), (0, 0), (100, 0))
        bullet.move(1.0)
        assert bullet.hits(targets)[0].point[0] == pytest.approx(50 - radius)


def test_a_hit_box_of_arcade_is_concave_scaled_and_turned() -> None:
    wolf = arcade.SpriteSolidColor(1, 1, 30, 40)
    wolf.hit_box = arcade.hitbox.RotatableHitBox(ARROWHEAD, position=(0.0, 0.0), angle=0.0)
    wolf.position, wolf.angle, wolf.scale = (30, 40), 30.0, (2.0, 3.0)
    outline = shapely.Polygon(wolf.hit_box.get_adjusted_points())
    targets = for_arcade.Sprites()
    targets.update([wolf])
    assert targets.bodies.parts[1].tolist() == [2]
    for x, y in np.random.default_rng(0).uniform(20, 70, (60, 2)).tolist():
        probe = for_arcade.Projectile(ougi.Circle([0, 0], 1), (x, y))
        probe.move(1.0)
        assert bool(probe.hits(targets)) == (outline.distance(shapely.Point(x, y)) <= 1)


def test_a_rounded_polygon_of_pymunk_is_touched_at_its_radius() -> None:
    body = pymunk.Body(1, 1)
    body.position, body.angle = (20, 70), 0.4
    hexagon = pymunk.Poly(body, [(10 * math.cos(a), 10 * math.sin(a)) for a in range(6)], radius=3)
    (hit,) = swing([hexagon], 0.0, 3.0, adapter=for_pymunk)[1]
    bar = shapely.LineString([(r * math.cos(3 * hit.t), r * math.sin(3 * hit.t)) for r in (12, 98)])
    corners = shapely.Polygon([body.local_to_world(v) for v in hexagon.get_vertices()])
    assert bar.distance(corners) == pytest.approx(3 + 2, abs=1e-6)


def test_a_segment_of_pymunk_is_a_capsule() -> None:
    wall = pymunk.Segment(pymunk.Body(1, 1), (-20, 50), (20, 50), 2)
    (hit,) = swing([wall], 0.0, 3.0, adapter=for_pymunk)[1]
    angle = math.atan2(50, 20) - math.asin(4 / math.hypot(20, 50))
    assert hit.t == pytest.approx(angle / 3)


def test_bodies_of_a_space_are_read_as_those_that_are_alone() -> None:
    space = pymunk.Space()
    wall = pymunk.Segment(space.static_body, (-50, -50), (50, -50), 1)
    space.add(wall)
    for k in range(10):
        body = pymunk.Body(1, 1)
        body.position, body.angle = (10 * k, 3 * k), 0.1 * k
        space.add(body, pymunk.Poly.create_box(body, (4, 6)))
    together, alone = for_pymunk.Shapes(), for_pymunk.Shapes()
    together.update(space)
    alone.update(space.shapes[:5])
    for _ in range(2):
        together.update(space)
        alone.update(space.shapes[:5])
        assert together.bodies.motion[:, :5].tolist() == alone.bodies.motion.tolist()
        space.step(0.1)


@pytest.mark.parametrize("scale", [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0)])
def test_a_sprite_of_arcade_may_be_scaled_to_nothing(scale: tuple[float, float]) -> None:
    coin = arcade.SpriteSolidColor(20, 10, 30, 40)
    coins = for_arcade.Sprites([coin])
    coin.scale = scale
    coins.update([coin])
    for x, y in ((0, 0), (9, 0), (0, 4)):
        probe = for_arcade.Projectile(ougi.Circle([0, 0], 0.1), (30 + x, 40 + y))
        assert bool(probe.hits(coins)) == (abs(x) <= 10 * scale[0] and abs(y) <= 5 * scale[1])


@pytest.mark.parametrize("library", ["pygame", "arcade", "pymunk"])
def test_targets_whose_forms_were_read_before_appear_in_the_first_frame(library: str) -> None:
    """They have not moved from where they were when the level was loaded."""
    adapter: Any
    made: Any
    if library == "pygame":
        adapter, wolf = for_pygame, Sprite(60, -500)
        made = for_pygame.Sprites([wolf])
        wolf.rect.center = (60, 500)
    elif library == "arcade":
        adapter, wolf = for_arcade, arcade.SpriteSolidColor(10, 10, 60, -500)
        made = for_arcade.Sprites([wolf])
        wolf.position = (60, 500)
    else:
        adapter, space, body = for_pymunk, pymunk.Space(), pymunk.Body(1, 1)
        body.position, wolf = (60, -500), pymunk.Circle(body, 5)
        space.add(body, wolf)
        made = for_pymunk.Shapes(space)
        body.position = (60, 500)
    sword = adapter.Swing(SWORD)
    sword.move_to((0, 0), 0.0)
    for _ in range(2):
        made.update([wolf])
        sword.move_to((0, 0), 0.0)
        assert sword.hits(made) == []
    assert made.targets == [wolf]


def test_a_hit_box_of_another_class_is_read_by_its_properties() -> None:
    class Shifted(arcade.hitbox.RotatableHitBox):  # type: ignore[misc]
        @property
        def position(self) -> Any:
            return 60.0, 0.0

        @position.setter
        def position(self, value: Any) -> None: ...

    wolf = arcade.SpriteSolidColor(1, 1, 900, 0)
    wolf.hit_box = Shifted(ARROWHEAD)
    assert [hit.target for hit in swing([wolf], 0.0, adapter=for_arcade)[0]] == [wolf]


def test_a_rect_is_hit_where_a_sprite_with_this_rect_is_hit() -> None:
    rects = [pygame.Rect(30, -8, 16, 16), pygame.FRect(-60.5, -4, 20, 9), pygame.Rect(500, 0, 5, 5)]
    walls = for_pygame.Sprites([Sprite(0, 0, rect=rect) for rect in rects])
    found = []
    for targets in (for_pygame.Rects(rects), walls):
        arrow = for_pygame.Projectile(SWORD, (0, 60), (0, -120), spin=720)
        arrow.move(1.0)
        found.append([(hit.t, hit.point) for hit in arrow.hits(targets)])
    assert len(found[0]) == 2
    assert found[0] == found[1]


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sprite", "message"),
    [
        (pygame.FRect(0, 0, 5, 5), r"sprites\[0\] is a FRect; use Rects for bare rects"),
        (Sprite(math.nan, 0), r"sprites\[0\].rect must be finite, got"),
        (Sprite(0, 0, radius=-3), r"sprites\[0\].radius must not be negative"),
        (Sprite(0, 0, radius=math.nan), r"sprites\[0\].radius must"),
        (Sprite(0, 0, mask=pygame.Mask((4, 4))), r"sprites\[0\].mask must have at least one pixel"),
        (Sprite(0, 0, hitbox=[[0, 0], [1, 1]]), r"sprites\[0\].hitbox: a polygon must have at least three"),
        (Sprite(0, 0, hitbox="round"), r"sprites\[0\].hitbox"),
        (Sprite(0, 0, hitbox=Hitbox(SWORD), angle=math.inf), r"sprites\[0\].angle must be finite"),
        ("wolf", "sprites must have a rect, but"),
    ],
)
def test_a_sprite_without_a_place_or_form_is_refused(sprite: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        for_pygame.Sprites().update([sprite])


@pytest.mark.parametrize(
    ("rects", "message"),
    [
        ([Sprite(0, 0)], "rects must be a list of Rects; use Sprites for sprites"),
        (pygame.Rect(0, 0, 5, 5), "rects must be a list of Rects"),
        ([(0, 0, math.nan, 5)], "rects must be finite, got nan at index"),
        ([(0, 0, 5)], "rects must have 4 components"),
    ],
)
def test_what_is_no_rect_is_refused(rects: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        for_pygame.Rects(rects)


@pytest.mark.parametrize("adapter", [for_pygame, for_arcade])
def test_one_sprite_instead_of_a_group_is_refused(adapter: Any) -> None:
    with pytest.raises(TypeError, match="sprites must be a list or group, got Sprite"):
        adapter.Sprites(Sprite(0, 0))
    with pytest.raises(TypeError, match="sprites must be a list or group, got NoneType"):
        adapter.Sprites().update(None)


def test_sprites_that_are_none_of_arcade_are_refused() -> None:
    with pytest.raises(TypeError, match="sprites must be Arcade's sprites"):
        for_arcade.Sprites().update([Sprite(0, 0)])
    lost = arcade.SpriteSolidColor(5, 5, math.nan, 0)
    with pytest.raises(ValueError, match=r"position and angle of sprites\[0\] must be finite"):
        for_arcade.Sprites().update([lost])


def test_shapes_that_pymunk_does_not_have_are_refused() -> None:
    with pytest.raises(TypeError, match=r"circles, segments and polygons, but shapes\[0\] is a str"):
        for_pymunk.Shapes().update(["a wolf"])
    with pytest.raises(TypeError, match="shapes must be a list or group, got Circle"):
        for_pymunk.Shapes(pymunk.Circle(None, 3))
    with pytest.raises(ValueError, match=r"shapes\[0\] has none"):
        for_pymunk.Shapes().update([pymunk.Circle(None, 3)])
