"""Characters among solids: they pass through none, slide, and stand on floors that move and on ledges."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
import shapely
from shapely import affinity

import ougi
from ougi.games import Character, Hitbox, OneSided, TargetSet

# A shape, and for shapely its core and radius. There it is smaller by a depth within which rounding decides.
DEPTH = 1e-6
FORMS = {
    "circle": (ougi.Circle([0, 0], 8), shapely.Point(0, 0), 8 - DEPTH),
    "capsule": (ougi.Capsule2d([0, -10], [0, 10], 6), shapely.LineString([(0, -10), (0, 10)]), 6 - DEPTH),
    "box": (ougi.Rectangle([0, 0], [12, 20]), shapely.box(-6, -10, 6, 10).buffer(-DEPTH), 0.0),
}
FLOOR = ougi.Rectangle([0, 0], [400, 10])
DOWN = (0.0, -10.0)


def make_set(**solids: Any) -> TargetSet:
    """Solids at rest: a position and a shape for each name."""
    made = TargetSet()
    made.update(
        list(solids), [at for at, _ in solids.values()], hitboxes=[shape for _, shape in solids.values()]
    )
    return made


# --- against the truth --------------------------------------------------------------------------------------


class Platform(NamedTuple):
    """A polygon that moves and turns in every frame."""

    corners: Any
    start: Any
    velocity: Any
    spin: float

    def place(self, time: float) -> Any:
        turned = affinity.rotate(shapely.Polygon(self.corners), self.spin * time, (0, 0), use_radians=True)
        return affinity.translate(turned, *(self.start + time * self.velocity))

    def place_between(self, frame: int, t: float) -> Any:
        return self.place(frame + t)


def _draw_platform(rng: np.random.Generator, speed: float) -> Platform:
    angles = (np.arange(7) + rng.uniform(-0.3, 0.3, 7)) * 2 * np.pi / 7
    corners = rng.uniform(8, 40, (7, 1)) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    start = rng.uniform(50, 140) * np.array([np.cos(angle := rng.uniform(0, 7)), np.sin(angle)])
    return Platform(corners, start, speed * rng.uniform(-1, 1, 2), speed * float(rng.uniform(-0.02, 0.02)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("speed", [0.0, 6.0])
def test_no_character_enters_a_solid_between_two_frames(form: str, speed: float) -> None:
    """Concave polygons at rest, and others that move and turn. shapely samples every frame 50 times."""
    hitbox, core, radius = FORMS[form]
    rng = np.random.default_rng([8, len(form), int(speed)])
    contacts = squeezed = 0
    for _ in range(12):
        platforms = [_draw_platform(rng, speed) for _ in range(9)]
        boxes, solids = [Hitbox(each.corners) for each in platforms], TargetSet()
        solids.update(range(9), [each.start for each in platforms], hitboxes=boxes)
        if any(each.place(0).distance(core) <= radius + 1 for each in platforms):
            continue
        hero = Character(hitbox, (0, 0))
        for frame in range(10):
            places = [each.start + (frame + 1) * each.velocity for each in platforms]
            solids.update(range(9), places, [each.spin * (frame + 1) for each in platforms])
            moved = hero.move(tuple(rng.uniform(-60, 60, 2)), solids)
            contacts += len(moved.hits)
            if moved.squeezed:  # the rest is not certified
                squeezed += 1
                break
            assert moved.inside == []
            for t in np.linspace(0, 1, 50):
                x, y = (
                    np.interp(t, [s for s, _ in moved.path], [p[axis] for _, p in moved.path])
                    for axis in (0, 1)
                )
                here = affinity.translate(core, x, y)
                gap = min(each.place_between(frame, t).distance(here) for each in platforms) - radius
                assert gap > 0, (frame, t)
    assert contacts > 30
    assert squeezed <= (0 if speed == 0.0 else 6)


def test_a_circle_slides_through_a_tiled_room_as_in_its_corridor() -> None:
    rng = np.random.default_rng(4)
    solid = np.pad(rng.random((12, 12)) < 0.15, 1, constant_values=True)
    solid[6:8, 6:8] = False
    corridor = ougi.Corridor.from_grid(solid, cell=16)
    walls = make_set(map=((0, 0), Hitbox.from_grid(solid, cell=16)))
    hero, compared = Character(ougi.Circle([0, 0], 5), (112, 112)), 0
    for _ in range(150):
        step = rng.uniform(-20, 20, 2)
        before = hero.position
        moved = hero.move((float(step[0]), float(step[1])), walls)
        expected = corridor.slide(before, step, 5, max_bounces=8)
        assert corridor.nearest([moved.position]).distance[0] > 5
        # Around a corner the tangent turns, and both slide in steps of their own.
        if all(min(map(abs, hit.normal)) == 0 for hit in moved.hits):
            compared += 1
            assert math.dist(moved.position, expected.position) < 0.02
    assert compared > 100


def test_a_step_in_the_open_is_made_exactly() -> None:
    moved = Character(FORMS["box"][0], (1, 2)).move((3, 4), make_set(far=((900, 0), FLOOR)))
    assert moved == ((4.0, 6.0), [(0.0, (1.0, 2.0)), (1.0, (4.0, 6.0))], [], None, [], False)


# --- floors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_character_that_starts_on_the_floor_stays_on_it(form: str) -> None:
    hitbox, core, radius = FORMS[form]
    floor = make_set(left=((-200, -5), FLOOR), right=((200, -5), FLOOR))  # with a seam at 0
    hero = Character(hitbox, (-50, radius - core.bounds[1]))
    for _ in range(40):
        moved = hero.move((3, -10), floor)
        assert moved.floor in ("left", "right")
        assert len(moved.inside) == 0
    assert hero.position == pytest.approx((70, radius - core.bounds[1]), abs=0.03)


@pytest.mark.parametrize("turn", [0.0, 0.03])
def test_a_floor_takes_along_what_stands_on_it(turn: float) -> None:
    lift, hero = TargetSet(), Character(ougi.Circle([0, 0], 8), (30, 14))
    lift.update(["lift"], [[0, 0]], hitboxes=FLOOR)
    hero.move((0, -2), lift)
    for k in range(1, 30):
        lift.update(["lift"], [[4 * k, 3 * k]], [turn * k])
        moved = hero.move((0, -0.5), lift)
        assert (moved.floor, moved.squeezed) == ("lift", False)
        x, y = hero.position[0] - 4 * k, hero.position[1] - 3 * k
        height = -math.sin(turn * k) * x + math.cos(turn * k) * y
        assert height == pytest.approx(13, abs=0.05)
        if turn == 0:
            assert x == pytest.approx(30, abs=1e-6)


def test_a_wall_that_moves_pushes() -> None:
    wall, hero = TargetSet(), Character(ougi.Circle([0, 0], 8), (20, 0))
    wall.update(["wall"], [[0, 0]], hitboxes=ougi.Rectangle([0, 0], [10, 100]))
    for k in range(1, 10):
        wall.update(["wall"], [[10 * k, 0]])
        hero.move((0, 1), wall)
    assert hero.position == pytest.approx((90 + 13, 9), abs=0.05)


def test_a_press_squeezes_and_reports_it() -> None:
    press, hero = TargetSet(), Character(ougi.Circle([0, 0], 8), (0, 8.5))
    floor = make_set(floor=((0, -5), FLOOR))
    seen = []
    for k in range(6):
        press.update(["press"], [[0, 40 - 5 * k]], hitboxes=ougi.Rectangle([0, 0], [100, 10]))
        moved = hero.move((0, -1), floor, press)
        seen.append((moved.squeezed, "press" in moved.inside))
    assert seen[0] == (False, False)
    assert (True, False) in seen
    assert seen[-1] == (False, True)
    assert hero.position[1] > 7.9  # the floor still holds it


# --- one-way walls ------------------------------------------------------------------------------------------


def test_a_ledge_is_passed_from_below_and_holds_from_above() -> None:
    ledges = OneSided(make_set(ledge=((0, 0), ougi.Rectangle([0, 0], [60, 4]))), (0.0, 1.0))
    hero = Character(ougi.Capsule2d([0, -10], [0, 10], 6), (0, -60))
    floors, heights = [], []
    velocity = 20.0
    for _ in range(40):
        moved = hero.move((0, velocity), ledges)
        velocity = 0.0 if moved.floor else velocity - 1.5
        floors.append(moved.floor)
        heights.append(hero.position[1])
    assert max(heights) > 50
    assert floors[-1] == "ledge"
    assert heights[-1] == pytest.approx(18, abs=0.05)


def test_a_slow_character_within_a_ledge_falls_out_of_it() -> None:
    ledges = OneSided(make_set(ledge=((0, 0), ougi.Rectangle([0, 0], [60, 4]))), (0.0, 1.0))
    hero = Character(ougi.Circle([0, 0], 8), (0, 3))
    for _ in range(10):
        assert hero.move((0, -3), ledges).hits == []
    assert hero.position == pytest.approx((0, -27))


def test_a_turnstile_lets_through_in_one_direction() -> None:
    for step, x in ((30.0, 50.0), (-30.0, 13.0)):
        gate = OneSided(make_set(gate=((0, 0), ougi.Rectangle([0, 0], [10, 200]))), (1.0, 0.0))
        hero = Character(ougi.Circle([0, 0], 8), (-40, 0) if step > 0 else (40, 0))
        for _ in range(3):
            hero.move((step, 0), gate)
        assert hero.position[0] == pytest.approx(x, abs=0.05)


def test_a_character_within_a_solid_can_leave_it() -> None:
    hero = Character(ougi.Circle([0, 0], 8), (0, 0))
    moved = hero.move((30, 0), make_set(stone=((0, 0), ougi.Rectangle([0, 0], [20, 20]))))
    assert (moved.position, moved.inside) == ((30, 0), ["stone"])


# --- what is refused ----------------------------------------------------------------------------------------


def test_bad_steps_sets_and_directions_are_refused() -> None:
    hero = Character(ougi.Circle([0, 0], 8), (0, 0))
    with pytest.raises(ValueError, match="step must be finite"):
        hero.move((math.nan, 0))
    with pytest.raises(TypeError, match=r"solids\[0\] must be a TargetSet"):
        hero.move((1, 0), [ougi.Circle([0, 0], 1)])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"solids\[0\].targets must be a TargetSet"):
        hero.move((1, 0), OneSided(None, (0, 1)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="up must be a unit vector"):
        Character(ougi.Circle([0, 0], 8), (0, 0), up=(0, 2))
