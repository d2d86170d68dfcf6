"""Worlds against brute force over all pairs, and what their events say."""

from __future__ import annotations

import itertools
from time import perf_counter
from typing import Any, cast

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import ougi

SECONDS = 0.5


def draw_bodies(rng: np.random.Generator, n: int, dimension: int) -> list[tuple[Any, Any]]:
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


def find_all_pairs(bodies: list[tuple[Any, Any]], seconds: float) -> dict[tuple[int, int], Any]:
    """First contacts by one question for each two bodies, ids as they would be added."""
    singles = [
        (shape[k], None if motion is None else motion[k])
        for shape, motion in bodies
        for k in range(len(shape))
    ]
    found = {}
    for i, (a, path) in enumerate(singles):
        for j, (b, other) in list(enumerate(singles))[i + 1 :]:
            still = ougi.Translation2d([0, 0]) if a.dimension == 2 else ougi.Translation3d([0, 0, 0])
            first: Any = path if path is not None else still if other is None else at_rest(other)
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
    bodies = draw_bodies(np.random.default_rng(seed), 5 * (dimension - 1), dimension)
    world = ougi.World()
    for shape, motion in bodies:
        world.add(shape, motion)
    events = world.step(SECONDS).began
    expected = find_all_pairs(bodies, SECONDS)
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
    bodies = draw_bodies(np.random.default_rng(7), 30, dimension)
    seen = []
    for order, threads in ((1, 1), (1, 2), (-1, 2)):
        ougi.set_threads(threads)
        world = ougi.World()
        for number in range(len(bodies))[::order]:
            shape, motion = bodies[number]
            for k in range(len(shape))[::order]:
                world.add(shape[k], None if motion is None else motion[k], name=f"{number} {k}")
        events = [world.step(SECONDS), world.step(SECONDS)]
        seen.append([name_events(world, each) for each in events])
    ougi.set_threads(None)
    assert seen[0] == seen[1] == seen[2]


def name_events(world: ougi.World, events: ougi.Events) -> list[Any]:
    """Events by name, with exact numbers."""
    rows = []
    for pair, state, time, point in zip(events.pair, events.state, events.time, events.point, strict=True):
        names = tuple(sorted(world.name(body) for body in pair))
        rows.append((names, int(state), float(time), point.tobytes()))
    return sorted(rows)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_bodies_at_rest_are_reported_as_intersects_says(dimension: int, seed: int) -> None:
    """In the first step after they have been added as begun, in all later ones as ongoing."""
    rng = np.random.default_rng([seed, dimension])
    shapes = [shape for shape, _ in draw_bodies(rng, 10, dimension)]
    if dimension == 3:
        box = trimesh.creation.box((1.0, 2.0, 3.0))
        shapes.append(ougi.Mesh(box.vertices, box.faces))
        shapes.append(ougi.Mesh(box.vertices + 0.7, box.faces))
    world, bodies = ougi.World(), list[Any]()
    began = set[tuple[int, int]]()
    for shape in shapes:
        world.add(shape, group=len(bodies) % 2 + 1, mask=-1)
        bodies += [shape] if isinstance(shape, ougi.Mesh) else list(shape)
        overlaps = {
            (i, j) for i, j in itertools.combinations(range(len(bodies)), 2)
            if ougi.intersects(bodies[i], bodies[j])
        }  # fmt: skip
        events = world.step(0.1)
        assert {tuple(pair) for pair in events.ongoing.pair.tolist()} == began
        assert {tuple(pair) for pair in events.began.pair.tolist()} == overlaps - began
        assert len(events) == len(overlaps)
        assert events.time == pytest.approx(world.time - 0.1)
        began = overlaps
    assert len(began) > 4
    assert {tuple(pair) for pair in world.step(0.1).pair.tolist()} == began


def test_contacts_at_rest_follow_masks_removals_and_snapshots() -> None:
    world = ougi.World()
    walls = world.add(ougi.Aabb2d([[0, 0], [1, 0], [2, 0]], [[1, 1], [2, 1], [3, 1]]), group=2, mask=1)
    posts = world.add(ougi.Circle([[0.5, 0.5], [2.5, 0.5]], 0.1))
    before = world.snapshot()
    events = world.step(0.5)
    assert events.pair.tolist() == [[0, 3], [2, 4]]  # walls that touch each other exclude each other
    assert events.state.tolist() == [0, 0]
    assert events.time.tolist() == [0.0, 0.0]
    after = world.snapshot()
    world.remove(walls[0])
    assert world.step(0.5).ongoing.pair.tolist() == [[2, 4]]
    world.restore(before)
    assert world.step(0.5).began.pair.tolist() == [[0, 3], [2, 4]]
    world.restore(after)
    late = world.add(ougi.Circle([2.5, 0.5], 0.1))
    events = world.step(0.5)
    assert events.ongoing.pair.tolist() == [[0, 3], [2, 4]]
    assert events.began.pair.tolist() == [[2, late], [posts[1], late]]
    assert events.began.time.tolist() == [0.5, 0.5]


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
    path = ougi.Translation2d([10, 0])
    world.add(ougi.Circle([0, 0], 1), path, name="sword", group=sword, mask=walls)
    world.add(ougi.Circle([5, 0], 1), name="ghost", group=ghosts)
    world.add(ougi.Circle([6, 0], 1), name="wall", group=walls)
    world.add(ougi.Circle([7, 0], 1), name="shy wall", group=walls, mask=ghosts)
    began = {frozenset(map(world.name, pair)) for pair in world.step(1.0).began.pair.tolist()}
    assert began == {frozenset(x) for x in (("sword", "wall"), ("ghost", "wall"), ("ghost", "shy wall"))}
    assert len(world.query(ougi.Circle([5.5, 0], 0.1), mask=ghosts)) == 1


def test_a_query_finds_the_first_hit_of_a_sweep() -> None:
    rng = np.random.default_rng(3)
    bodies = draw_bodies(rng, 20, 3)
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


def test_a_view_is_a_query_too() -> None:
    world = ougi.World()
    ids = world.add(ougi.Circle([[2, 0], [-2, 0]], 0.5))
    seen = world.query(ougi.Sector2d([0, 0], [1, 0], 0.5, 0, 5))
    assert seen.body.tolist() == [ids[0]]
    assert np.isnan(seen.point).all()


def test_snapshots_go_back_and_forth() -> None:
    world = ougi.World()
    for shape, motion in draw_bodies(np.random.default_rng(11), 10, 3):
        world.add(shape, motion)
    world.step(0.2)
    before = world.snapshot()
    first = world.step(0.3)
    world.remove(first.pair[0, 0])
    world.restore(before)
    assert world.step(0.3) == first


def test_removed_bodies_touch_nothing() -> None:
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


def test_a_step_reports_the_seconds_of_its_stages_and_its_pairs() -> None:
    bodies = draw_bodies(np.random.default_rng(3), 6, 3)
    world, other = ougi.World(), ougi.World()
    for shape, motion in bodies:
        world.add(shape, motion)
        other.add(shape, motion)
    before = perf_counter()
    events = world.step(SECONDS)
    passed = perf_counter() - before
    profile = events.profile
    assert list(profile.seconds) == [
        "poses", "swept_boxes", "candidate_pairs", "classification", "first_contacts", "bookkeeping",
    ]  # fmt: skip
    assert all(seconds > 0 for seconds in profile.seconds.values())
    assert 0 < profile.total <= passed
    # Two groups are at rest and are not tested against each other.
    assert profile.candidate_count >= profile.tested_count >= len(events.began) > 0
    assert events.began.profile == profile
    assert events == other.step(SECONDS)  # the seconds differ, the events do not
    assert ougi.World().step(1.0).profile.candidate_count == 0


def test_bad_input_is_named() -> None:
    world = ougi.World()
    world.add(ougi.Sphere([0, 0, 0], 1))
    swept = ougi.sweep(ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([1, 0, 0]), method="exact")
    for call, error, message in (
        (lambda: world.step(0), ValueError, "dt must be positive, got 0"),
        (lambda: world.step(float("nan")), ValueError, "dt must be finite, got nan"),
        (lambda: world.add(ougi.Circle([0, 0], 1)), ValueError, "shape must be 3-D as the world's bodies"),
        (
            lambda: world.add(ougi.Sphere([0, 0, 0], 1), cast(Any, 3)),
            TypeError,
            "motion must be a motion or None, got int",
        ),
        (lambda: world.add(swept), ougi.UnsupportedPairError, "use intersects or contains with a Sweep"),
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
            lambda: world.query(ougi.Sphere([[0, 0, 0]] * 2, 1), ougi.Translation3d([[0, 0, 0]] * 3)),
            ValueError,
            "do not broadcast",
        ),
    ):
        with pytest.raises(error, match=message):
            call()


def test_drums_meet_in_a_world() -> None:
    world = ougi.World()
    drum = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 0, 1, 1)
    above = drum.transformed(ougi.Pose([0, 0, 2.1]))
    world.add(drum)
    world.add(drum.transformed(ougi.Pose([5, 0, 0])), ougi.Translation3d([-6, 0, 0]))
    events = world.step(1.0)
    assert events.pair.tolist() == [[0, 1]]
    assert events.time == pytest.approx([0.5])
    assert events.normal[0] == pytest.approx([1, 0, 0], abs=1e-9)
    assert len(world.query(above)) == 0
    assert world.query(above, ougi.Translation3d([0, 0, -1])).t == pytest.approx([0.1, 0.1])


CUBE = trimesh.creation.box(extents=(1, 1, 1))


def make_linked_bodies(rng: np.random.Generator, n: int, dimension: int) -> list[tuple[Any, Any]]:
    """Bodies on chains, and meshes: at rest, moving, and on a chain."""
    at, spin = rng.uniform(-2, 2, (3, n, dimension)), rng.uniform(-2, 2, (2, n))
    if dimension == 2:
        arm = ougi.Chain(ougi.Rotation2d(at[0], spin[0]), ougi.Rotation2d(at[1], spin[1]))
        return [
            (ougi.Rectangle(at[2], [0.7, 0.4], spin[0]), arm),
            (ougi.Circle(at[0], 0.3), ougi.Chain(ougi.Translation2d(at[1] / 2), arm)),
            (ougi.Circle(at[1], 0.4), None),
        ]
    axis = rng.normal(size=(2, n, 3))
    arm = ougi.Chain(ougi.Rotation3d(at[0], axis[0], spin[0]), ougi.Rotation3d(at[1], axis[1], spin[1]))
    turn = ougi.Rotation3d([0.5, 0, 0], [1, 2, 3], 3.0)
    mesh = ougi.Mesh(CUBE)
    return [
        (ougi.Capsule3d(at[2], at[2] + axis[0] / 3, 0.2), arm),
        (mesh.transformed(ougi.Pose([1.2, 0, 0])), turn),
        (mesh.transformed(ougi.Pose([-1.5, 0.5, 0])), None),
        (mesh.transformed(ougi.Pose([0, -1.5, 1])), ougi.Chain(turn, ougi.Translation3d([1.5, 0.2, -1]))),
        (ougi.Sphere(at[1], 0.3), ougi.Translation3d(axis[1])),
    ]


@pytest.mark.parametrize("dimension", [2, 3])
def test_chains_and_meshes_step_as_all_pairs_do(dimension: int) -> None:
    bodies = make_linked_bodies(np.random.default_rng(7), 4, dimension)
    world = ougi.World()
    singles: list[tuple[Any, Any]] = []
    for shape, motion in bodies:
        world.add(shape, motion)
        count = 1 if isinstance(shape, ougi.Mesh) else len(shape)
        whole = isinstance(shape, ougi.Mesh)
        singles += [
            (shape if whole else shape[k], motion if whole or motion is None else motion[k])
            for k in range(count)
        ]
    start, seen, expected = 0.0, set(), set()
    for seconds in (0.3, 0.4):
        events = world.step(seconds)
        seen |= {(*pair, start) for pair in events[events.state != 2].pair.tolist()}
        for i, j in itertools.combinations(range(len(singles)), 2):
            (a, path), (b, other) = sorted((singles[i], singles[j]), key=lambda body: body[1] is None)
            now = [x if m is None else x.transformed(m.at(start)) for x, m in ((a, path), (b, other))]
            paths = [None if m is None else m.part(start, start + seconds) for m in (path, other)]
            if path is None:
                hit = bool(ougi.intersects(*now))
            else:
                hit = bool(ougi.time_of_impact(now[0], cast(Any, paths[0]), now[1], paths[1]).status > 0)
            if hit:
                expected.add((i, j, start))
        start += seconds
    assert len(expected) > 5
    assert seen == expected


def test_a_mesh_is_moved_queried_and_removed() -> None:
    world = ougi.World()
    mesh = ougi.Mesh(CUBE)
    cube = world.add(mesh, ougi.Translation3d([2, 0, 0]), name="cube")
    twin = world.add(mesh.transformed(ougi.Pose([0, 5, 0])))
    ball = world.add(ougi.Sphere([3, 0, 0], 0.5))
    assert world.step(0.5).pair.tolist() == []
    events = world.step(1.0).began
    assert events.pair.tolist() == [[cube, ball]]
    assert events.time.round(9).tolist() == [1.0]
    assert events.normal.round(9).tolist() == [[1, 0, 0]]
    assert world.shape(cube) == mesh.transformed(ougi.Pose([3, 0, 0]))
    assert world.query(ougi.Sphere([3.6, 0.45, 0], 0.15)).body.tolist() == [cube]
    arm = ougi.Chain(ougi.Translation3d([0, -6, 0]), ougi.Rotation3d([0, 9, 0], [0, 0, 1], 1.0))
    assert world.query(ougi.Sphere([0, 9, 0], 0.2), arm).body.tolist() == [twin]
    assert world.query(mesh.transformed(ougi.Pose([0, 4.2, 0]))).body.tolist() == [twin]
    world.remove(cube)
    assert len(world) == 2
    assert world.name(cube) == f"body {cube}"
    assert len(world.step(1.0)) == 0


def test_equal_meshes_are_bodies_of_their_own() -> None:
    world = ougi.World()
    mesh = ougi.Mesh(CUBE)
    ids = [world.add(mesh, ougi.Translation3d([1, 0, 0])) for _ in range(2)]
    assert world.step(1.0).pair.tolist() == [ids]


def test_the_order_of_adding_meshes_and_chains_decides_nothing() -> None:
    bodies = make_linked_bodies(np.random.default_rng(7), 4, 3)
    results = []
    for order in ([0, 1, 2, 3, 4], [4, 3, 1, 0, 2]):
        world = ougi.World()
        names: dict[int, str] = {}
        for k in order:
            ids = np.atleast_1d(world.add(*bodies[k]))
            names |= {int(i): f"{k} {n}" for n, i in enumerate(ids)}
        events = world.step(0.7)
        results.append(
            {
                (frozenset((names[a], names[b])), state): (time, *point)
                for (a, b), state, time, point in zip(
                    events.pair.tolist(), events.state, events.time, events.point, strict=True
                )
            }
        )
    assert len(results[0]) > 4
    np.testing.assert_equal(results[0], results[1])


def test_what_a_mesh_in_a_world_needs_is_said() -> None:
    world = ougi.World()
    with pytest.raises(ValueError, match="motion must be one motion for a Mesh"):
        world.add(ougi.Mesh(CUBE), ougi.Translation3d([[1, 0, 0], [2, 0, 0]]))
    with pytest.raises(ValueError, match="without faces touches nothing"):
        world.add(ougi.Mesh([[0, 0, 0]], []))


def test_bodies_about_one_axis_do_not_meet_by_rounding() -> None:
    """Two blades of a rotor stay apart for ever, by whatever gap; a slower one is caught up with."""
    world = ougi.World()
    blades = ougi.Box(np.array([[1, 0.06, 0], [1, -0.06, 0], [-1, 0, 0]]), [1, 0.1, 0.1])
    spin = ougi.Rotation3d([0, 0, 0], [0, 0, 1], [10.0, 10.0, 4.0])
    ids = world.add(blades, spin)
    seen = [pair for _ in range(6) for pair in world.step(0.1).began.pair.tolist()]
    assert seen == [[ids[0], ids[2]], [ids[1], ids[2]]]


def test_long_ago_is_not_too_long_ago() -> None:
    """Poses are computed from when a body was added: their rounding is covered, too."""
    world = ougi.World(tol=1e-14)
    hand = world.add(ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1e4))
    for _ in range(200):  # a step may have up to a million turns
        world.step(500.0)
    angle = float(np.arctan2(*world.shape(hand).center[[1, 0]])) + 0.3  # type: ignore[attr-defined]
    post = world.add(ougi.Sphere([np.cos(angle), np.sin(angle), 0], 0.1))
    assert world.step(1e-4).began.pair.tolist() == [[hand, post]]


@pytest.mark.parametrize("dimension", [2, 3])
def test_boxes_hold_all_that_bodies_cover_in_a_step(dimension: int) -> None:
    """On turns of all sizes, and screws: what the boxes exclude cannot touch."""
    world = ougi.World()
    for shape, motion in draw_bodies(np.random.default_rng(dimension), 60, dimension):
        world.add(shape, motion)
    world.step(0.3)
    timeline, time = world._bodies().timeline, world.time
    for seconds in (0.05, SECONDS):
        now, end = timeline.place(time, seconds), timeline.place(time + seconds, seconds)
        boxes = timeline.sweep_boxes(now, end, time, seconds, 1e-9)
        for t in np.linspace(time, time + seconds, 60):
            rows = [np.arange(len(group)) for group in timeline.groups]
            shapes = [group.during(row, t, 0.0)[0] for group, row in zip(timeline.groups, rows, strict=True)]
            bounds = [shape._bounds() for shape in shapes]
            assert (np.concatenate([low for low, _ in bounds]) >= boxes[:dimension].T - 1e-12).all()
            assert (np.concatenate([high for _, high in bounds]) <= boxes[3 : 3 + dimension].T + 1e-12).all()


@pytest.mark.parametrize("body", [-np.inf, "0", None, 0.5])
def test_names_of_what_is_no_id_are_refused(body: Any) -> None:
    with pytest.raises(TypeError, match="body must be an id"):
        ougi.World().name(body)


@pytest.mark.parametrize("body", [-1, 1, 2**70])
def test_an_id_that_no_body_has_had_has_no_name(body: int) -> None:
    world = ougi.World()
    ball = world.add(ougi.Circle([0, 0], 1))
    assert world.name(ball) == "body 0"
    with pytest.raises(KeyError, match=f"no body has the id {body}"):
        world.name(body)


def test_enclosing_sectors_are_used_where_turning_bodies_have_many_candidates() -> None:
    rng = np.random.default_rng(5)
    hub, balls = rng.uniform(0, 3, (20, 3)), ougi.Sphere(rng.uniform(0, 3, (600, 3)), 0.02)
    blades = ougi.Box(hub + np.array([1.0, 0, 0]), [1.5, 0.02, 0.02])
    steps = []
    for chosen, angle in ((None, 4.0), (False, 4.0), (None, 0.1)):
        world = ougi.World(enclosing_sectors=chosen)
        world.add(blades, ougi.Rotation3d(hub, [0.0, 0.6, 0.8], angle), group=1, mask=2)
        world.add(balls, group=2, mask=1)
        steps.append(world.step(1.0))
    counts = [(step.profile.tested_count, step.profile.queried_count) for step in steps]
    assert counts[0][1] < counts[0][0] / 2
    assert counts[1][1] == counts[1][0] == counts[0][0]
    assert counts[2][1] == counts[2][0]
    assert np.array_equal(steps[0].pair, steps[1].pair)
    assert len(steps[0].began) > 20


@pytest.mark.parametrize("dimension", [2, 3])
def test_enclosing_sectors_exclude_candidates_and_lose_no_contact(dimension: int) -> None:
    bodies = draw_bodies(np.random.default_rng(dimension), 40, dimension)
    if dimension == 3:
        turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 4.0)
        bodies.append((ougi.Mesh(CUBE).transformed(ougi.Pose([3, 0, 0])), turn))
    worlds = [ougi.World(enclosing_sectors=chosen) for chosen in (False, True)]
    for shape, motion in bodies:
        for world in worlds:
            world.add(shape, motion)
    for _ in range(2):
        plain, filtered = (world.step(SECONDS) for world in worlds)
        assert plain == filtered
        assert plain.profile.queried_count == plain.profile.tested_count == filtered.profile.tested_count
        assert len(filtered.began) <= filtered.profile.queried_count < filtered.profile.tested_count


def draw_motion(rng: np.random.Generator, dimension: int, n: int) -> Any:
    """One of the classes of motions, or None."""
    kind, offset, angle = rng.integers(3), rng.uniform(-6, 6, (n, dimension)), rng.uniform(-8, 8, n)
    if kind == 0:
        return None
    if kind == 1:
        return ougi.Translation2d(offset) if dimension == 2 else ougi.Translation3d(offset)
    return ougi.Rotation2d(offset, angle) if dimension == 2 else ougi.Rotation3d(offset, offset[::-1], angle)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_bodies_can_be_steered_between_steps(dimension: int, seed: int) -> None:
    """Shapes, motions and contacts are those that a world has that is made anew for every step."""
    rng = np.random.default_rng([seed, dimension])
    world, motions, touching = ougi.World(), dict[int, Any](), set[tuple[int, int]]()
    for shape, motion in draw_bodies(rng, 5, dimension):
        for k, body in enumerate(world.add(shape, motion).tolist()):
            motions[body] = None if motion is None else motion[k]
    ended = ongoing = 0
    for _ in range(8):
        steered = rng.permutation(world.ids)[: rng.integers(1, 9)]
        motion = draw_motion(rng, dimension, len(steered))
        world.set_motion(steered, motion)
        motions |= {int(body): None if motion is None else motion[k] for k, body in enumerate(steered)}
        placed = rng.permutation(world.ids)[: rng.integers(0, 4)]
        balls: Any = ougi.Circle if dimension == 2 else ougi.Sphere
        places = balls(rng.uniform(-4, 4, (len(placed), dimension)), 0.5)
        world.set_shape(placed, places)
        assert all(world.shape(int(body)) == places[k] for k, body in enumerate(placed))
        again = ougi.World()
        for body in world:
            again.add(world.shape(body), motions[body])
        expected = again.step(0.25)
        events = world.step(0.25)
        found = {tuple(pair): t for pair, t in zip(events.pair.tolist(), events.t, strict=True)}
        began = {
            tuple(pair): t for pair, t in zip(expected.began.pair.tolist(), expected.began.t, strict=True)
        }
        assert {tuple(pair) for pair in events.began.pair.tolist()} == set(began) - touching
        assert {tuple(pair) for pair in events.ongoing.pair.tolist()} == set(began) & touching
        for pair in set(began) - touching - {tuple(pair) for pair in events.ended.pair.tolist()}:
            assert found[pair] == pytest.approx(began[pair], abs=1e-6)
        left = {tuple(pair) for pair in expected.ended.pair.tolist()} | (touching - set(began))
        assert {tuple(pair) for pair in events.ended.pair.tolist()} == left
        ended, ongoing = ended + len(left), ongoing + len(events.ongoing)
        touching = (touching | set(began)) - left
    assert ended > 3
    assert ongoing > 3


def test_steering_refuses_what_does_not_fit() -> None:
    world = ougi.World()
    ids = world.add(ougi.Circle([[0, 0], [5, 0]], 1))
    with pytest.raises(KeyError, match="no body has the id 7"):
        world.set_motion(7, None)
    with pytest.raises(ValueError, match=r"batch of shape \(2,\), as ids"):
        world.set_motion(ids, ougi.Translation2d([[1, 0]] * 3))
    with pytest.raises(ValueError, match="different from each other"):
        world.set_motion([0, 0], None)
    with pytest.raises(TypeError, match="motion must be a motion or None, got list"):
        world.set_motion(0, cast(Any, [1, 0]))
    with pytest.raises(ValueError, match="shape must be 2-D"):
        world.set_shape(0, ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(ValueError, match=r"batch of shape \(\), as ids"):
        world.set_shape(0, ougi.Circle([[0, 0], [1, 1]], 1))


def test_bodies_are_found_by_name() -> None:
    world = ougi.World()
    sword = world.add(ougi.Circle([0, 0], 1), name="sword")
    world.add(ougi.Circle([[5, 0], [9, 0]], 1), name=["orc", "elf"])
    assert [world.find(name) for name in ("sword", "orc", "elf")] == [sword, 1, 2]
    with pytest.raises(KeyError, match="did you mean 'sword'"):
        world.find("swords")
    for names in ("orc", ["a", "a"]):
        with pytest.raises(ValueError, match="name must be unique"):
            world.add(ougi.Circle([0, 0] if names == "orc" else [[0, 0]] * 2, 1), name=names)
    assert len(world) == 3
    before = world.snapshot()
    world.remove(1)
    assert 1 not in world
    assert world.add(ougi.Circle([0, 0], 1), name="orc") == 3
    world.restore(before)
    assert world.find("orc") == 1
    assert list(world) == [0, 1, 2]


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_batch_of_queries_is_each_of_them(dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    world = ougi.World()
    for shape, motion in draw_bodies(rng, 20, dimension):
        world.add(shape, motion)
    world.step(0.1)
    balls: Any = ougi.Circle if dimension == 2 else ougi.Sphere
    probes = balls(rng.uniform(-4, 4, (30, dimension)), 0.3)
    shift: Any = ougi.Translation2d if dimension == 2 else ougi.Translation3d
    for motion in (None, shift(rng.uniform(-5, 5, (30, dimension)))):
        together = world.query(probes, motion)
        for k in range(30):
            alone = world.query(probes[k], None if motion is None else motion[k])
            assert together[together.index == k].body.tolist() == alone.body.tolist()
            assert together[together.index == k].t == pytest.approx(alone.t, abs=1e-12)
        assert len(together) > 10
