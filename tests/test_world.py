"""Worlds against brute force over all pairs, and what their events say."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ougi

SECONDS = 0.5


def crowd(rng: np.random.Generator, n: int, dimension: int) -> list[tuple[Any, Any]]:
    """Batches of n bodies of several classes, with and without motions."""
    at, reach = rng.uniform(-4, 4, (8, n, dimension)), rng.uniform(0.05, 1, (8, n))
    spin, shift = rng.uniform(-8, 8, n), rng.uniform(-6, 6, (n, dimension))
    if dimension == 2:
        return [
            (ougi.Circle(at[0], reach[0]), ougi.Translation2d(shift)),
            (ougi.Rectangle(at[1], reach[:2].T, spin), ougi.Rotation2d(at[2], spin)),
            (ougi.Capsule2d(at[3], at[3] + shift / 4, reach[3]), None),
            (ougi.Circle(at[4], reach[4]), ougi.Rotation2d([0, 0], spin)),
            (ougi.Triangle2d(at[5], at[5] + 1, at[5] + shift / 4), None),
        ]
    axis = rng.normal(size=(n, 3))
    turn = Rotation.random(n, rng=rng)
    return [
        (ougi.Sphere(at[0], reach[0]), ougi.Translation3d(shift)),
        (ougi.Box(at[1], reach[:3].T, turn), ougi.Rotation3d(at[2], axis, spin)),
        (ougi.Capsule3d(at[3], at[3] + shift / 4, reach[3]), None),
        (ougi.Box(at[4], reach[3:6].T, turn), ougi.Screw3d(at[5], axis, spin, shift[:, 0])),
        (ougi.Sphere(at[6], reach[6]), None),
        (ougi.Triangle3d(at[7], at[7] + 1, at[7] + shift / 4), ougi.Translation3d(-shift)),
    ]


def all_pairs(bodies: list[tuple[Any, Any]], seconds: float) -> dict[tuple[int, int], Any]:
    """First contacts by one question for each two bodies, ids as they would be added."""
    singles = [
        (shape[k], None if motion is None else motion[k])
        for shape, motion in bodies
        for k in range(len(shape))
    ]
    found = {}
    for i, (a, way) in enumerate(singles):
        for j, (b, other) in list(enumerate(singles))[i + 1 :]:
            if way is None and other is None:
                continue
            first: Any = at_rest(other) if way is None else way
            impact = ougi.time_of_impact(
                a, first.scaled(seconds), b, None if other is None else other.scaled(seconds)
            )
            if impact.status > 0:
                found[i, j] = impact
    return found


def at_rest(motion: Any) -> Any:
    """A motion of the same class that does not move."""
    values = {name: getattr(motion, name) for name in motion._fields}
    still = {name: 0 * values[name] for name in ("offset", "angle", "advance") if name in values}
    return type(motion)(**values | still)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_finds_what_all_pairs_find(dimension: int, seed: int) -> None:
    bodies = crowd(np.random.default_rng(seed), 5 * (dimension - 1), dimension)
    world = ougi.World()
    for shape, motion in bodies:
        world.add(shape, motion)
    events = world.step(SECONDS).began
    expected = all_pairs(bodies, SECONDS)
    assert len(expected) > 20
    assert {tuple(pair) for pair in events.pair.tolist()} == set(expected)
    for pair, time, point, normal in zip(
        events.pair.tolist(), events.time, events.point, events.normal, strict=True
    ):
        impact = expected[tuple(pair)]
        assert time == pytest.approx(impact.t * SECONDS, abs=1e-6)
        if impact.status == 1 and impact.t < 1:
            np.testing.assert_allclose(normal, impact.normal, atol=1e-3)
            # Edges that are parallel touch along a line: any of its points serves.
            assert (point - impact.point) @ normal == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("dimension", [2, 3])
def test_neither_order_nor_threads_matter(dimension: int) -> None:
    bodies = crowd(np.random.default_rng(7), 30, dimension)
    told = []
    for order, threads in ((1, 1), (1, 2), (-1, 2)):
        ougi.set_threads(threads)
        world = ougi.World()
        for number in range(len(bodies))[::order]:
            shape, motion = bodies[number]
            for k in range(len(shape))[::order]:
                world.add(shape[k], None if motion is None else motion[k], name=f"{number} {k}")
        events = [world.step(SECONDS), world.step(SECONDS)]
        told.append([spoken(world, each) for each in events])
    ougi.set_threads(None)
    assert told[0] == told[1] == told[2]


def spoken(world: ougi.World, events: ougi.Events) -> list[Any]:
    """Events by name, with exact numbers."""
    rows = []
    for pair, state, time, point in zip(events.pair, events.state, events.time, events.point, strict=True):
        names = tuple(sorted(world.name(body) for body in pair))
        rows.append((names, int(state), float(time), point.tobytes()))
    return sorted(rows)


def test_a_contact_begins_goes_on_and_ends() -> None:
    world = ougi.World()
    world.add(ougi.Circle([0, 0], 1), ougi.Translation2d([2, 0]))
    world.add(ougi.Circle([3, 0], 1))
    states = [(e.state.tolist(), e.time.round(6).tolist()) for e in (world.step(0.4) for _ in range(8))]
    assert states[0] == ([], [])
    assert states[1] == ([0], [0.5])
    assert states[2] == ([1], [0.8])
    assert states[5] == ([1], [2.0])
    assert states[6] == ([1, 2], [2.4, 2.8])
    assert states[7] == ([], [])


def test_what_passes_through_within_a_step_begins_and_ends() -> None:
    world = ougi.World()
    world.add(ougi.Circle([0, 0], 1), ougi.Translation2d([1000, 0]))
    world.add(ougi.Circle([50, 0], 1))
    events = world.step(0.1)
    assert events.state.tolist() == [0, 2]
    assert events.time.tolist() == pytest.approx([0.048, 0.1])
    assert np.isnan(events.ended.point).all()
    np.testing.assert_allclose(events.began.point, [[49, 0]])
    np.testing.assert_allclose(events.began.normal, [[1, 0]])


def test_steps_lead_where_one_long_motion_leads() -> None:
    turn = ougi.Screw3d([1, 2, 3], [1, 1, 0], 40.0, 3.0)
    box = ougi.Box([3, 0, 0], [1, 2, 3])
    world = ougi.World()
    body = world.add(box, turn)
    for _ in range(60):
        world.step(1 / 60)
    moved: Any = world.shape(body)
    np.testing.assert_allclose(moved.center, box.transformed(turn).center, atol=1e-12)


def test_groups_and_masks_decide_who_can_meet() -> None:
    ghosts, walls, sword = 1, 2, 4
    world = ougi.World()
    way = ougi.Translation2d([10, 0])
    world.add(ougi.Circle([0, 0], 1), way, name="sword", group=sword, mask=walls)
    world.add(ougi.Circle([5, 0], 1), name="ghost", group=ghosts)
    world.add(ougi.Circle([6, 0], 1), name="wall", group=walls)
    world.add(ougi.Circle([7, 0], 1), name="shy wall", group=walls, mask=ghosts)
    assert [world.name(b) for _, b in world.step(1.0).began.pair] == ["wall"]
    assert len(world.query(ougi.Circle([5.5, 0], 0.1), mask=ghosts)) == 1


def test_a_query_tells_the_first_hit_of_a_sweep() -> None:
    rng = np.random.default_rng(3)
    bodies = crowd(rng, 20, 3)
    world = ougi.World()
    for shape, motion in bodies:
        world.add(shape, motion)
    world.step(0.3)
    bat, swing = ougi.Box([2, 0, 0], [3, 0.2, 0.2]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3.0)
    hits = world.query(bat, swing)
    alone = {body: ougi.time_of_impact(bat, swing, world.shape(body)) for body in range(len(world))}
    expected = {body: float(impact.t) for body, impact in alone.items() if impact.status > 0}
    assert len(expected) > 3
    assert dict(zip(hits.body.tolist(), hits.t.tolist(), strict=True)) == expected
    assert (np.diff(hits.t) >= 0).all()
    overlaps = world.query(bat).body.tolist()
    assert overlaps == [b for b in range(len(world)) if ougi.intersects(bat, world.shape(b))]


def test_a_view_is_asked_for_too() -> None:
    world = ougi.World()
    ids = world.add(ougi.Circle([[2, 0], [-2, 0]], 0.5))
    seen = world.query(ougi.Sector2d([0, 0], [1, 0], 0.5, 0, 5))
    assert seen.body.tolist() == [ids[0]]
    assert np.isnan(seen.point).all()


def test_snapshots_go_back_and_forth() -> None:
    world = ougi.World()
    for shape, motion in crowd(np.random.default_rng(11), 10, 3):
        world.add(shape, motion)
    world.step(0.2)
    before = world.snapshot()
    first = world.step(0.3)
    world.remove(first.pair[0, 0])
    world.restore(before)
    assert world.step(0.3) == first


def test_removed_bodies_meet_nobody() -> None:
    world = ougi.World()
    ids = world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[10, 0], [0, 0]]))
    world.remove(ids[1])
    assert len(world) == 1
    assert len(world.step(1.0)) == 0
    with pytest.raises(KeyError, match="no body has the id 1"):
        world.remove(ids)
    assert world.add(ougi.Circle([0, 0], 1)) == 2


def test_none_can_be_added_and_removed() -> None:
    world = ougi.World()
    none = ougi.Sphere(np.empty((0, 3)), 1)
    assert world.add(none, ougi.Translation3d([1, 0, 0])).shape == (0,)
    world.remove([])
    assert len(world.step(1.0)) == len(world.query(ougi.Sphere([0, 0, 0], 1))) == len(world) == 0


def test_an_empty_world_passes_time() -> None:
    world = ougi.World()
    assert len(world.step(1.0)) == 0
    assert world.time == 1.0
    assert len(world.query(ougi.Sphere([0, 0, 0], 1))) == 0


def test_bad_input_is_named() -> None:
    world = ougi.World()
    world.add(ougi.Sphere([0, 0, 0], 1))
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 1.0, 0, 1, 1)
    drum = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 0, 1, 1)
    way = ougi.Translation3d([1, 0, 0])
    for call, error, message in (
        (lambda: world.step(0), ValueError, "dt must be positive, got 0"),
        (lambda: world.step(float("nan")), ValueError, "dt must be finite, got nan"),
        (lambda: world.add(ougi.Circle([0, 0], 1)), ValueError, "shape must be 3-D as the world's bodies"),
        (
            lambda: world.add(ougi.Sphere([0, 0, 0], 1), cast(Any, 3)),
            TypeError,
            "motion must be a motion or None, got int",
        ),
        (lambda: world.add(fan), ValueError, "shape.half_angle must be math.pi"),
        (lambda: world.add(ougi.Sphere([0, 0, 0], 1), group=0.5), TypeError, "group must be whole numbers"),
        (
            lambda: world.add(ougi.Sphere([[0, 0, 0]] * 2, 1), name="x"),
            ValueError,
            "name must be a sequence of 2",
        ),
        (lambda: world.add(ougi.Sphere([0, 0, 0], 1), name=cast(Any, 5)), TypeError, "name must be a name"),
        (
            lambda: world.query(ougi.Sphere([0, 0, 0], 1), mask=cast(Any, 1.5)),
            TypeError,
            "mask must be whole",
        ),
        (
            lambda: world.restore(cast(Any, 3)),
            TypeError,
            "snapshot must be what World.snapshot gave, got int",
        ),
        (lambda: world.shape(99), KeyError, "no body has the id 99"),
        (
            lambda: world.query(ougi.Sphere([[0, 0, 0]], 1)),
            ValueError,
            "shape and motion must be single ones",
        ),
    ):
        with pytest.raises(error, match=message):
            call()
    world.add(drum)
    with pytest.raises(ougi.UnsupportedPairError, match=r"\(Sector3d, Sector3d\) is not supported"):
        world.add(drum, way)
    world.add(drum, way, group=2, mask=2)
