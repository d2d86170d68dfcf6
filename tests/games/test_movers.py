"""Swings and projectiles among targets that move and turn: the first contact, and what counts as a hit."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any, NamedTuple

import numpy as np
import pytest
import shapely
from shapely import affinity

import ougi
from ougi.games import Character, Hit, Hitbox, Projectile, Projectiles, Swing, TargetSet
from ougi_lab.bench import games

SWORD = ougi.Capsule2d([12, 0], [98, 0], 2)
POST = ougi.Circle([0, 0], 5)


def strike(places: Any, *angles: float, hitbox: Any = POST, sword: Any = None) -> list[list[Hit]]:
    """The hits of a sword at the origin among targets at rest, in frames with these angles."""
    sword, targets = sword or Swing(SWORD), TargetSet()
    frames = []
    for angle in angles:
        targets.update(range(len(places)), places, hitboxes=hitbox)
        sword.move_to((0, 0), angle)
        frames.append(sword.hits(targets))
    return frames


# --- against the truth --------------------------------------------------------------------------------------


def test_all_kinds_of_blades_hit_all_kinds_of_targets_and_no_ghosts() -> None:
    """The truth is shapely's, at a thousand samples of each frame."""
    hits = 0
    for cell in games.measure_kinds(speeds=(80.0,)):
        for row in cell:
            assert row["found"] == row["hits"], row.case
            assert row["ghosts"] == 0, row.case
            hits += row["hits"]
    assert hits > 500


class Body(NamedTuple):
    """A polygon, and its motion during a frame."""

    corners: Any
    start: Any
    velocity: Any
    acceleration: Any
    angle: float
    turn: float

    def place(self, t: float) -> Any:
        center = self.start + t * self.velocity + t * t / 2 * self.acceleration
        turned = affinity.rotate(
            shapely.Polygon(self.corners), self.angle + t * self.turn, (0, 0), use_radians=True
        )
        return affinity.translate(turned, *center)


def _draw_body(rng: np.random.Generator, n: int, size: float, *, falls: bool) -> Body:
    angles = np.arange(n) * 2 * np.pi / n
    corners = rng.uniform(0.3, 1, (n, 1)) * np.stack([np.cos(angles), np.sin(angles)], axis=1) * size
    pull = falls * rng.uniform(-60, 60, 2)
    return Body(corners, rng.uniform(-60, 60, 2), rng.uniform(-50, 50, 2), pull, *rng.uniform(-3, 3, 2))


@pytest.mark.parametrize("seed", range(4))
def test_a_first_contact_is_the_first_one_and_its_point_lies_on_the_target(seed: int) -> None:
    """A polygon that flies along a parabola and spins, against one that moves and turns."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(40):
        a, b = _draw_body(rng, 7, 40, falls=True), _draw_body(rng, 6, 20, falls=False)
        targets, star = TargetSet(), Hitbox(b.corners)
        for t in (0, 1):
            targets.update(["star"], [b.start + t * b.velocity], [b.angle + t * b.turn], hitboxes=star)
        x, y, vx, vy, gx, gy = np.concatenate(a[1:4]).tolist()
        axe = Projectile(a.corners, (x, y), (vx, vy), angle=a.angle, spin=a.turn, acceleration=(gx, gy))
        axe.move(1.0)
        found = axe.hits(targets)
        end = found[0].t if found else 1.0
        times = [t for t in np.linspace(0, end, 200, endpoint=not found) if t < end]
        assert min((a.place(t).distance(b.place(t)) for t in times), default=1.0) > 0
        if found:
            hits += 1
            assert a.place(end).distance(b.place(end)) < 1e-6
            assert found[0].inside == (end == 0)
            there = b.place(end).boundary.distance(shapely.Point(found[0].point))
            assert found[0].inside or there < 1e-4
            assert math.hypot(*found[0].normal) == pytest.approx(1)
    assert hits > 5


def test_hits_agree_with_time_of_impact_where_the_motion_is_a_rotation() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        center, turn = rng.uniform(-90, 90, 2), float(rng.uniform(-3, 3))
        box = ougi.Rectangle(center, rng.uniform(5, 30, 2), rng.uniform(0, 3))
        first = ougi.time_of_impact(SWORD, ougi.Rotation2d([0, 0], turn), box)
        local = ougi.Rectangle([0, 0], box.size, box.angle)
        hits = strike([center], 0.0, turn, hitbox=local)
        assert [hit.t for frame in hits for hit in frame] == pytest.approx(
            [float(first.t)] if first.hit else [], abs=1e-7
        )


# --- known cases --------------------------------------------------------------------------------------------


def test_hits_come_in_order_of_time_with_their_places() -> None:
    second, first = strike([[0, 60], [60, 20]], 0.0, 2.0)[1][::-1]
    assert (first.target, second.target) == (1, 0)
    assert second.t == pytest.approx((math.pi / 2 - math.asin(7 / 60)) / 2)
    assert math.dist(second.point, (0, 60)) == pytest.approx(5)
    assert second.normal == pytest.approx((np.array([0, 60]) - second.point) / 5)


def test_the_first_frame_tests_the_blade_where_it_is() -> None:
    targets, sword = TargetSet(), Swing(SWORD)
    targets.update("ab", [[60, 0], [0, -60]], hitboxes=POST)
    targets.update("ab", [[60, 50], [0, 0]])  # they have passed where the blade appears, or stand there
    sword.move_to((0, 0), 0.0)
    assert sword.hits(targets) == []
    targets.update("ab", [[60, 50], [50, 0]])
    sword.begin()
    sword.move_to((0, 0), 0.0)
    (hit,) = sword.hits(targets)
    assert (hit.target, hit.t, hit.inside) == ("b", 0.0, True)


def test_a_stroke_that_begins_at_a_pose_hits_what_it_sweeps_in_its_first_frame() -> None:
    found = []
    for pose in ((), ((0, 0), 1.5)):
        sword, targets = Swing(SWORD), TargetSet()
        targets.update("ab", [[60, 0], [0, 60]], hitboxes=POST)
        sword.begin(*pose)
        sword.move_to((0, 0), -0.5)
        found.append([(hit.target, hit.inside) for hit in sword.hits(targets)])
    assert found == [[], [("b", True), ("a", False)]]


def test_a_target_is_hit_once_in_a_stroke_and_again_in_the_next() -> None:
    sword, targets = Swing(SWORD), TargetSet()
    counts = []
    for angle in (0.5, -0.5, 0.5, None, 0.5, -0.5):
        if angle is None:
            sword.begin()
            continue
        targets.update(["wolf"], [[60, 0]], hitboxes=POST)
        sword.move_to((0, 0), angle)
        counts.append(len(sword.hits(targets)))
    assert counts == [0, 1, 0, 0, 1]


def test_a_target_that_was_hit_stays_so_when_others_come_and_go() -> None:
    sword, targets = Swing(SWORD), TargetSet()
    for angle, names, hit in ((0.5, "a", ""), (-0.5, "ba", "a"), (0.5, "ca", ""), (-0.5, "a", "")):
        places = {"a": (60, 0), "b": (900, 0), "c": (900, 0)}
        targets.update(list(names), [places[name] for name in names], hitboxes=POST)
        sword.move_to((0, 0), angle)
        assert [each.target for each in sword.hits(targets)] == list(hit)


def test_a_fast_target_does_not_pass_through_a_resting_blade() -> None:
    for jumped in (False, True):
        sword, targets = Swing(SWORD), TargetSet()
        for y in (-500.0, 400.0):
            targets.update(["arrow"], [[60, y]], hitboxes=ougi.Circle([0, 0], 2))
            sword.move_to((0, 0), 0.0)
            hits = sword.hits(targets)
            if jumped:
                targets.forget("arrow")
        assert [hit.t for hit in hits] == ([] if jumped else pytest.approx([(500 - 4) / 900]))


def test_a_target_that_was_away_for_a_frame_appears() -> None:
    sword, targets = Swing(SWORD), TargetSet()
    for names, y in ((["arrow"], -500.0), ([], 0.0), (["arrow"], 400.0)):
        targets.update(names, [[60, y]] * len(names), hitboxes=POST)
        sword.move_to((0, 0), 0.0)
        assert sword.hits(targets) == []


def test_a_moving_hand_takes_the_blade_along() -> None:
    sword, targets = Swing(SWORD), TargetSet()
    for x in (0, 1000):
        targets.update(["post"], [[500, 60]], hitboxes=POST)
        sword.move_to((x, 0), math.pi / 2)
        hits = sword.hits(targets)
    assert hits[0].t == pytest.approx((500 - 7) / 1000)
    assert hits[0].point == pytest.approx((495, 60))


def test_a_blade_turns_as_far_as_it_is_given() -> None:
    for turn, hit in ((None, 1), (3.5, 0), (-2.7, 1), (9.7, 0)):
        sword, targets = Swing(SWORD), TargetSet()
        sword._unit = sword._unit._replace(wraps=True)  # type: ignore[misc]
        targets.update(range(2), [[0, 60], [0, -60]], hitboxes=POST)
        sword.move_to((0, 0), -0.2)
        assert sword.hits(targets) == []
        sword.move_to((0, 0), 3.3, turn=turn)
        assert sword.hits(targets)[0].target == hit


def test_a_strike_moves_and_then_hits_the_targets_of_all_sets() -> None:
    near, far, sword, twin = TargetSet(), TargetSet(), Swing(SWORD), Swing(SWORD)
    near.update(["late"], [[-60, 10]], hitboxes=POST)
    far.update(["early"], [[60, 30]], hitboxes=POST)
    assert sword.strike((0, 0), 0.0, near, far) == []
    twin.move_to((0, 0), 0.0)
    twin.hits(near), twin.hits(far)
    found = sword.strike((0, 0), 3.3, near, far)
    twin.move_to((0, 0), 3.3)
    assert [hit.target for hit in found] == ["early", "late"]
    assert found == twin.hits(far) + twin.hits(near)
    assert sword.strike((0, 0), 0.0, near, far) == []


def test_a_spinning_target_is_hit_by_the_end_that_comes_round() -> None:
    bar, targets = Hitbox(ougi.Rectangle([0, 0], [100, 2])), TargetSet()
    bullet = Projectile(ougi.Circle([0, 0], 1), (40, 10))
    for angle in (0.0, 1.0):
        targets.update(["bar"], [[0, 0]], [angle], hitboxes=bar)
    bullet.move(1.0)
    (hit,) = bullet.hits(targets)
    assert hit.t == pytest.approx(math.atan2(10, 40) - math.asin(2 / math.hypot(40, 10)))


def test_a_ball_falls_along_its_parabola() -> None:
    floor, targets = ougi.Rectangle([0, 0], [1000, 2]), TargetSet()
    targets.update(["floor"], [[0, -101]], hitboxes=floor)
    ball = Projectile(ougi.Circle([0, 0], 5), (0, 0), (300, 200), acceleration=(0, -1000))
    time = 0.0
    while not (hits := ball.hits(targets)):
        ball.move(1 / 30)
        time += 1 / 30
    landed = time - (1 - hits[0].t) / 30
    assert landed == pytest.approx((200 + math.sqrt(200**2 + 2 * 1000 * 95)) / 1000)
    assert hits[0].point == pytest.approx((300 * landed, -100))
    assert hits[0].normal == pytest.approx((0, -1))


def test_a_thrown_ball_that_rises_and_falls_within_a_frame_hits_the_lamp() -> None:
    lamp, targets = ougi.Circle([0, 0], 1), TargetSet()
    targets.update(["lamp"], [[50, 12]], hitboxes=lamp)
    for pull, hit in ((-100.0, True), (0.0, False)):
        ball = Projectile(lamp, (0, 0), (100, -pull / 2), acceleration=(0, pull))
        ball.move(1.0)
        assert ball.position == pytest.approx((100, 0))
        assert bool(ball.hits(targets)) == hit


def test_sliding_along_at_a_tiny_gap_ends_without_a_hit() -> None:
    """The inner end of a blade goes round a post about its hand: the gap never changes."""
    sword, targets = Swing(ougi.Segment2d([10, 0], [50, 0])), TargetSet()
    targets.update(["post"], [[0, 0]], hitboxes=ougi.Circle([0, 0], 10 - 1e-5))
    for angle in (0.0, 6.0):
        sword.move_to((0, 0), angle)
        assert sword.hits(targets) == []


def test_a_target_within_the_blade_is_marked() -> None:
    (hit,) = strike([[50, 0]], 0.0, hitbox=ougi.Circle([0, 0], 0.5))[0]
    assert hit.inside
    assert math.dist(hit.point, (50, 0)) == pytest.approx(0.5)


def test_far_from_the_origin_hits_are_the_same() -> None:
    far = 2.0**20
    near = strike([[60, 20]], 0.0, 2.0)[1][0]
    sword, targets = Swing(SWORD), TargetSet()
    targets.update([0], [[far + 60, far + 20]], hitboxes=POST)
    for angle in (0.0, 2.0):
        sword.move_to((far, far), angle)
        hits = sword.hits(targets)
    assert hits[0].t == pytest.approx(near.t, abs=1e-9)


# --- cost ---------------------------------------------------------------------------------------------------


def test_frames_allocate_nothing_that_lasts() -> None:
    sword, targets, names = Swing(SWORD), TargetSet(), list(range(50))
    places = np.stack([200 * np.cos(names), 200 * np.sin(names)], axis=1)
    for k in range(120):
        if k == 60:
            tracemalloc.start()
            before, _ = tracemalloc.get_traced_memory()
        targets.update(names, places, 0.1 * k, hitboxes=POST if k == 0 else None)
        sword.move_to((0, 0), 0.1 * k)
        sword.hits(targets)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 4096


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad", [{"position": (math.nan, 0)}, {"angle": math.inf}, {"turn": math.nan}, {"position": (0, 10**400)}]
)
def test_a_blade_that_is_nowhere_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must not exceed 1e\+40.*, got .*(nan|inf|000)"):
        Swing(SWORD).move_to(**{"position": (0, 0), "angle": 0.0, **bad})


def test_ids_of_projectiles_are_integers() -> None:
    rain = Projectiles(ougi.Circle([0, 0], 1))
    rain.add([[0, 0], [1, 0]], (1, 0))
    with pytest.raises(TypeError, match="ids must be integers, got float64"):
        rain.remove(-math.inf)
    rain.remove([])
    rain.remove([1])
    assert rain.ids.tolist() == [0]


def test_hits_before_the_first_place_and_among_a_list_are_refused() -> None:
    with pytest.raises(RuntimeError, match="call move_to"):
        Swing(SWORD).hits(TargetSet())
    ball = Projectile(SWORD, (0, 0))
    ball.begin()
    with pytest.raises(RuntimeError, match="call move_to"):
        ball.move(0.1)
    ball.move_to((0, 0))
    ball.velocity = (1e300, 0)
    with pytest.raises(ValueError, match="velocity and acceleration must not move it further than"):
        ball.move(0.1)
    with pytest.raises(TypeError, match="targets must be a TargetSet, or the set of an adapter, got list"):
        Swing(SWORD).hits([])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"position": [[math.nan, 0]]}, "position must be finite"),
        ({"position": [[0, 0], [1, 1]]}, r"position must have the shape \(1, 2\)"),
        ({"angle": [1, 2]}, "angle must be one number or"),
        ({"hitboxes": None}, "hitboxes must be given for a new target, but 'wolf' has none"),
        ({"hitboxes": ["round"]}, r"hitboxes\[0\]"),
        ({"targets": ["a", "a"], "position": [[0, 0]] * 2}, "'a' is given twice"),
        ({"targets": [[1]]}, "targets must be hashable"),
    ],
)
def test_targets_without_a_place_or_form_are_refused(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"targets": ["wolf"], "position": [[0, 0]], "hitboxes": POST}
    with pytest.raises((TypeError, ValueError), match=message):
        TargetSet().update(**given | arguments)


# --- many projectiles ---------------------------------------------------------------------------------------


def test_many_projectiles_hit_what_each_of_them_hits_alone() -> None:
    rng = np.random.default_rng(12)
    targets, form = TargetSet(), Hitbox(ougi.Rectangle([0, 0], [12, 3]))
    names, places, step = list(range(40)), rng.uniform(-60, 60, (40, 2)), rng.uniform(-9, 9, (40, 2))
    boxes = [Hitbox(POST), Hitbox([[-9, -6], [9, -6], [0, 8]])]
    place, velocity = rng.uniform(-60, 60, (60, 2)), rng.uniform(-3000, 3000, (60, 2))
    spin, pull = rng.uniform(-60, 60, 60), rng.uniform(-9000, 9000, (60, 2))
    shots = Projectiles(form)
    ids = shots.add(place, velocity, spin=spin, acceleration=pull)
    alone = [
        Projectile(form, tuple(place[k]), tuple(velocity[k]), spin=spin[k], acceleration=tuple(pull[k]))
        for k in range(60)
    ]
    count = 0
    for frame in range(5):
        targets.update(names, places + frame * step, 0.1 * frame, hitboxes=[boxes[k % 2] for k in names])
        if frame:
            shots.move(1 / 60)
            for each in alone:
                each.move(1 / 60)
        found = shots.hits(targets)
        assert [hit.t for _, hit in found] == sorted(hit.t for _, hit in found)
        expected = {(k, hit.target): hit for k in range(60) for hit in alone[k].hits(targets)}
        assert {(shot, hit.target) for shot, hit in found} == expected.keys()
        for shot, hit in found:
            assert hit.t == pytest.approx(expected[shot, hit.target].t, abs=1e-9)
            assert hit.point == pytest.approx(expected[shot, hit.target].point, abs=1e-6)
            assert hit.inside == expected[shot, hit.target].inside
        count += len(found)
        assert shots.position == pytest.approx(np.array([each.position for each in alone]))
        assert shots.angle == pytest.approx([each.angle for each in alone])
        assert shots.velocity == pytest.approx(np.array([each.velocity for each in alone]))
    assert count > 80
    assert shots._search._rows.shape[1] > 64  # the first buffer was too small
    shots.remove(ids[::2])
    assert shots.ids.tolist() == ids[1::2].tolist()
    assert {shot for shot, _ in shots._done} <= set(ids[1::2].tolist())


def test_a_set_hits_what_each_of_its_bodies_hits_alone() -> None:
    """Bodies that move and turn, among others that do so. One appears in the last frame."""
    rng = np.random.default_rng(3)
    boxes = [Hitbox(ougi.Rectangle([0, 0], size)) for size in rng.uniform(4, 30, (40, 2))]
    places, angles = rng.uniform(-200, 200, (2, 40, 2)), rng.uniform(-3, 3, (2, 40))
    bodies, targets, other = TargetSet(), TargetSet(), TargetSet()
    for k in (0, 1):
        bodies.update(range(19 + k), places[k, : 19 + k], angles[k, : 19 + k], hitboxes=boxes[: 19 + k])
        targets.update(range(20, 30), places[k, 20:30], angles[k, 20:30], hitboxes=boxes[20:30])
        other.update(range(30, 40), places[k, 30:], angles[k, 30:], hitboxes=boxes[30:])
    alone = set()
    for body in range(20):
        mover = Swing(boxes[body])
        for k in (0, 1) if body < 19 else (1,):
            mover.move_to(tuple(places[k, body]), angles[k, body])
        alone |= {(body, hit) for each in (targets, other) for hit in mover.hits(each)}
    hits = bodies.hits(targets, other)
    assert set(hits) == alone
    assert [hit.t for _, hit in hits] == sorted(hit.t for _, hit in hits)
    assert len(hits) > 20
    first = bodies.first_hits(targets, other)
    assert all(first[body].t <= hit.t for body, hit in hits)
    assert first.keys() == {body for body, _ in hits}


def test_a_set_that_is_not_updated_again_rests() -> None:
    """As walls that are given once, to an adapter."""
    pygame = pytest.importorskip("pygame")
    from ougi.adapters.pygame import Sprites

    wall, bullet = pygame.sprite.Sprite(), pygame.sprite.Sprite()
    wall.rect, bullet.rect = pygame.Rect(100, 0, 4, 400), pygame.FRect(0, 10, 2, 2)
    walls, shots = Sprites([wall]), Sprites([bullet])
    for x in (80, 120):
        bullet.rect.x = x
        shots.update([bullet])
    ((found, hit),) = shots.hits(walls)
    assert (found, hit.target) == (bullet, wall)
    assert hit.t == pytest.approx(18 / 40)
    with pytest.raises(TypeError, match=r"targets\[1\] must be a TargetSet"):
        shots.hits(walls, [wall])  # type: ignore[arg-type]


def test_projectiles_come_one_by_one_and_appear() -> None:
    shots, targets = Projectiles(POST), TargetSet()
    targets.update(["wall"], [[0, 0]], hitboxes=ougi.Rectangle([0, 0], [10, 10]))
    assert shots.add((0, 0), (60, 0)).tolist() == [0]
    ((shot, hit),) = shots.hits(targets)
    assert (shot, hit.t, hit.inside) == (0, 0.0, True)
    shots.move(1 / 60)
    assert shots.hits(targets) == []
    assert shots.add((90, 0), (0, 0)).tolist() == [1]
    assert len(shots) == 2
    shots.remove([0, 7])
    assert shots.ids.tolist() == [1]


def test_projectiles_without_a_place_are_refused() -> None:
    with pytest.raises(ValueError, match="position must be finite"):
        Projectiles(POST).add((math.nan, 0), (0, 0))
    with pytest.raises(ValueError, match="broadcast"):
        Projectiles(POST).add([[0, 0], [1, 1]], [[0, 0]] * 3)
    with pytest.raises(TypeError, match="targets must be a TargetSet"):
        Projectiles(POST).hits([])  # type: ignore[arg-type]


def test_movers_and_sets_print_what_they_are() -> None:
    targets, swing, shots = TargetSet(), Swing(POST), Projectiles(POST)
    targets.update(["wall"], [[0, 0]], hitboxes=POST)
    shots.add([[0, 0], [1, 1]], (0, 0))
    assert repr(targets) == "<TargetSet: 1 targets>"
    assert repr(swing) == f"<Swing: {swing.hitbox}, not placed>"
    swing.move_to((3.5, 1), 0.2)
    assert repr(swing) == f"<Swing: {swing.hitbox}, at (3.5, 1)>"
    assert repr(shots) == f"<Projectiles: 2 of {shots.hitbox}>"
    assert repr(Character(POST, (1, 2))) == f"<Character: {swing.hitbox}, at (1, 2)>"


def test_a_position_has_two_numbers() -> None:
    for wrong in (3, (1, 2, 3)):
        with pytest.raises(TypeError, match="position must be two numbers, and angle and turn"):
            Swing(POST).move_to(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"got \(0, 0\), 'east' and None"):
        Swing(POST).move_to((0, 0), "east")  # type: ignore[arg-type]
