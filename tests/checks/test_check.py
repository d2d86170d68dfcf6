"""Reports of `ougi.check`: scenes made by hand, and random ones beside brute force."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from random_scenes import cylinder, random_body, random_scene

import ougi
from ougi.checks.report import STATUSES
from ougi.scene import Body, Check, PairCounts, Piece
from ougi.timeline.spans import SceneSpans

MOVE, TURN = ougi.Translation3d, ougi.Rotation3d
BALL = ougi.Sphere([0, 0, 0], 1)


def list_contacts(report: ougi.Report) -> list[tuple[str, str, float, str]]:
    rows = report.contacts
    return [
        (*pair, round(float(t), 6), STATUSES[int(s)])
        for pair, t, s in zip(report.names(rows), rows.time, rows.status, strict=True)
    ]


def moving(name: str, shape: Any, *pieces: tuple[float, float, Any]) -> Body:
    return Body(name, shape, tuple(Piece(*piece) for piece in pieces))


def wall(x: float = 5.0) -> Body:
    return Body("wall", ougi.Box([x + 0.5, 0, 0], [1, 8, 8]))


# --- one contact, over time -----------------------------------------------------------------------------


def test_a_contact_that_goes_on_is_reported_once() -> None:
    path = [(k / 2, (k + 1) / 2, MOVE([2.0, 0, 0])) for k in range(6)]
    report = ougi.check(ougi.Scene((moving("cart", BALL, *path), wall(5.5)), duration=4.0))
    assert list_contacts(report) == [("cart", "wall", 1.125, "hit")]
    assert report.interval(report.contacts).tolist() == [2]


def test_a_contact_that_goes_on_through_a_rest_is_reported_once() -> None:
    body = moving("cart", BALL, (0.0, 1.0, MOVE([4.0, 0, 0])), (2.0, 3.0, MOVE([1.0, 0, 0])))
    assert list_contacts(ougi.check(ougi.Scene((body, wall()), duration=3.0))) == [
        ("cart", "wall", 1.0, "hit")
    ]


def test_a_second_contact_after_a_parting_is_reported() -> None:
    there, back = MOVE([5.0, 0, 0]), MOVE([-5.0, 0, 0])
    body = moving("cart", BALL, (0.0, 1.0, there), (1.0, 2.0, back), (2.0, 3.0, there))
    report = ougi.check(ougi.Scene((body, wall()), duration=3.0))
    assert list_contacts(report) == [("cart", "wall", 0.8, "hit"), ("cart", "wall", 2.8, "hit")]


def test_bodies_that_touch_at_the_start_say_so_even_if_they_wait() -> None:
    body = moving("cart", ougi.Sphere([4.5, 0, 0], 1), (1.0, 2.0, MOVE([-9, 0, 0])))
    report = ougi.check(ougi.Scene((body, wall()), duration=2.0))
    assert list_contacts(report) == [("cart", "wall", 0.0, "overlapping at the start")]


def test_a_jump_into_another_body_is_reported_when_it_happens() -> None:
    body = moving("cart", BALL, (0.0, 1.0, MOVE([1, 0, 0])), (2.0, 2.0, MOVE([4, 0, 0])))
    report = ougi.check(ougi.Scene((body, wall()), duration=3.0))
    assert list_contacts(report) == [("cart", "wall", 2.0, "overlapping at the start")]
    assert report.interval(report.contacts).tolist() == [2]  # the one that begins with the jump


def test_a_jump_over_another_body_touches_nothing() -> None:
    body = moving("cart", BALL, (1.0, 1.0, MOVE([20, 0, 0])))
    assert list_contacts(ougi.check(ougi.Scene((body, wall()), duration=2.0))) == []


def test_the_end_of_the_scene_ends_a_motion() -> None:
    body = moving("cart", BALL, (0.0, 2.0, MOVE([8, 0, 0])))
    assert list_contacts(ougi.check(ougi.Scene((body, wall()), duration=0.9))) == []
    assert len(list_contacts(ougi.check(ougi.Scene((body, wall()), duration=1.1)))) == 1


def test_a_jump_at_the_end_of_the_scene_is_checked() -> None:
    body = moving("cart", BALL, (0.0, 1.0, MOVE([1, 0, 0])), (1.0, 1.0, MOVE([4, 0, 0])))
    gone = moving("gone", ougi.Sphere([6, 0, 3], 1), (1.0, 1.0, MOVE([0, 40, 0])))  # jumps away at once
    report = ougi.check(ougi.Scene((body, wall(), gone), ignore=(("gone", "wall"),)))
    assert list_contacts(report) == [("cart", "wall", 1.0, "overlapping at the start")]
    at_once = moving("cart", BALL, (0.0, 0.0, MOVE([5, 0, 0])))
    assert list_contacts(ougi.check(ougi.Scene((at_once, wall())))) == [
        ("cart", "wall", 0.0, "overlapping at the start")
    ]


@pytest.mark.parametrize("duration", [0.0, 2.0])
@pytest.mark.parametrize("checks", [(), (Check("*", "*"),)])
def test_bodies_at_rest_are_checked(duration: float, checks: tuple[Check, ...]) -> None:
    bodies = Body("a", BALL), Body("b", ougi.Sphere([1.5, 0, 0], 1)), Body("c", ougi.Sphere([9, 0, 0], 1))
    report = ougi.check(ougi.Scene(bodies, checks, duration=duration))
    assert list_contacts(report) == [("a", "b", 0.0, "overlapping at the start")]
    assert not report.certified
    report = ougi.check(ougi.Scene(bodies, checks, duration=duration, ignore=(("a", "b"),)), margin=7.0)
    assert report.certified
    assert report.names(report.near) == [("a", "c"), ("b", "c")]
    assert report.coverage == PairCounts(3, 2, {"[[ignore]]": 1})


def test_bodies_at_rest_are_checked_beside_others_that_move() -> None:
    cart = moving("cart", ougi.Sphere([0, 50, 0], 1), (0.0, 1.0, MOVE([0, 9, 0])))
    bodies = Body("a", BALL), cart, Body("b", ougi.Sphere([1.5, 0, 0], 1))
    report = ougi.check(ougi.Scene(bodies), method="discrete")
    assert list_contacts(report) == [("a", "b", 0.0, "overlapping at the start")]
    assert report.compared is not None
    assert report.compared.verdict.tolist() == [0]


def test_what_rests_without_a_method_for_first_contacts_is_tested_where_it_is() -> None:
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 0.5, 0, 2, 0.1)
    inside, beside = ougi.Sphere([1, 0, 0], 0.2), ougi.Sphere([1, 1.2, 0], 0.2)
    bodies = Body("fan", fan), Body("inside", inside), Body("beside", beside)
    assert list_contacts(ougi.check(ougi.Scene(bodies))) == [
        ("fan", "inside", 0.0, "overlapping at the start")
    ]


def test_a_scene_whose_pairs_are_all_excluded_is_not_certified() -> None:
    bodies = Body("a", BALL), Body("b", ougi.Sphere([9, 0, 0], 1))
    assert ougi.check(ougi.Scene(bodies)).certified
    for scene in (ougi.Scene(bodies, ignore=(("*", "*"),)), ougi.Scene(bodies[:1]), ougi.Scene(())):
        report = ougi.check(scene)
        assert not report.certified
        assert not report.hit
        assert report.coverage.covered == 0


def test_nothing_in_nothing_out() -> None:
    for scene in (ougi.Scene(()), ougi.Scene((wall(),), duration=1.0)):
        report = ougi.check(scene, margin=1.0, method="discrete")
        assert not report.hit
        assert len(report.contacts) == len(report.near) == report.pairs == 0


def test_point_and_normal_lead_from_the_body_that_moves() -> None:
    bodies = moving("cart", BALL, (0.0, 1.0, MOVE([9, 0, 0]))), wall()
    for order in (bodies, bodies[::-1]):
        contacts = ougi.check(ougi.Scene(order, duration=1.0)).contacts
        np.testing.assert_allclose(contacts.point, [[5, 0, 0]], atol=1e-7)
        np.testing.assert_allclose(contacts.normal, [[1, 0, 0]], atol=1e-9)


def test_of_two_that_move_the_normal_leads_from_the_first_whoever_moves_at_the_contact() -> None:
    waits = moving("waits", BALL, (0.0, 1.0, MOVE([0, 1, 0])))
    comes = moving("comes", ougi.Sphere([9, 1, 0], 1), (1.0, 2.0, MOVE([-9, 0, 0])))
    for order, normal in (((waits, comes), [1, 0, 0]), ((comes, waits), [-1, 0, 0])):
        report = ougi.check(ougi.Scene(order, duration=2.0))
        assert report.names(report.contacts) == [(order[0].name, order[1].name)]
        np.testing.assert_allclose(report.contacts.normal, [normal], atol=1e-9)
        np.testing.assert_allclose(report.contacts.point, [[1, 1, 0]], atol=1e-7)


def test_a_near_miss_is_reported_when_it_begins_and_a_hit_is_none() -> None:
    passing = moving("cart", ougi.Sphere([-9, 2.5, 0], 1), (0.0, 1.0, MOVE([18, 0, 0])))
    scene = ougi.Scene((passing, Body("post", BALL), Body("hit", ougi.Sphere([5, 3, 0], 1))), duration=1.0)
    report = ougi.check(scene, margin=0.7)
    assert report.names(report.contacts) == [("cart", "hit")]
    assert report.names(report.near) == [("cart", "post")]
    assert report.near.time[0] == pytest.approx((9 - math.sqrt(2.7**2 - 2.5**2)) / 18, abs=1e-8)
    assert report.near.status.tolist() == [1]
    assert len(ougi.check(scene, margin=0.4).near) == 0


def test_near_at_the_start_is_no_overlap() -> None:
    scene = ougi.Scene((moving("cart", BALL, (0.0, 1.0, MOVE([-9, 0, 0]))), wall(1.1)), duration=1.0)
    report = ougi.check(scene, margin=0.5)
    assert not report.hit
    assert report.near.time.tolist() == [0.0]
    assert report.near.status.tolist() == [1]


def test_flat_scenes() -> None:
    turn = ougi.Chain(ougi.Translation2d([3, 0]), ougi.Rotation2d([0, 0], 2.0))
    arm = moving("arm", ougi.Capsule2d([0, 0], [2, 0], 0.1), (0.0, 1.0, turn))
    report = ougi.check(ougi.Scene((arm, Body("pin", ougi.Circle([2.3, 1.3], 0.1))), duration=1.0))
    assert len(report.contacts) == 1
    assert report.contacts.point.shape == (1, 2)
    assert report.contacts.engine[0] == "advancement"


# --- what is not supported -----------------------------------------------------------------------------


def test_a_pair_without_a_method_is_never_called_free() -> None:
    spin = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)
    wall = moving("wall", ougi.HalfSpace3d([1, 0, 0], -1), (0.0, 1.0, ougi.Chain(spin, MOVE([0.1, 0, 0]))))
    crate = moving("crate", ougi.Box([3, 0, 0], [1, 1, 1]), (0.0, 1.0, MOVE([0.1, 0, 0])))
    report = ougi.check(ougi.Scene((wall, crate), duration=1.0))
    assert list_contacts(report) == [("wall", "crate", 0.0, "unsupported")]
    assert report.hit


def test_two_cylinders_are_answered_by_a_kernel_and_each_time_they_meet() -> None:
    post = Body("post", cylinder([0, 0, 0], [0, 0, 1], 1.0, 4.0))
    # Passes the post's axis at a distance of 1.45, radii 1 and 0.4: free, though boxes meet.
    mover = moving("rod", cylinder([-5, 1.45, 0], [0, 0, 1], 0.4, 2.0), (0.0, 1.0, MOVE([10, 0, 0])))
    assert list_contacts(ougi.check(ougi.Scene((mover, post), duration=1.0))) == []
    mover = moving("rod", cylinder([-5, 1.0, 0], [0, 0, 1], 0.4, 2.0), (0.0, 1.0, MOVE([10, 0, 0])))
    report = ougi.check(ougi.Scene((mover, post), duration=1.0))
    assert [row[3] for row in list_contacts(report)] == ["hit"]
    exact = (5 - math.sqrt(1.4**2 - 1)) / 10
    assert report.contacts.time[0] == pytest.approx(exact, abs=1e-8)
    assert report.contacts.engine[0] == "kernel"
    # Twice around, from a distance of 4 from the axis down to 1.
    turn = TURN([2.5, 0, 0], [0, 0, 1], 4 * math.pi)
    swing = moving("rod", cylinder([4, 0, 0], [0, 0, 1], 0.4, 2.0), (0.0, 1.0, turn))
    assert [row[3] for row in list_contacts(ougi.check(ougi.Scene((swing, post), duration=1.0)))] == [
        "hit",
        "hit",
    ]
    inner = moving("rod", cylinder([0.1, 0, 0], [0, 0, 1], 0.2, 1.0), (0.0, 1.0, MOVE([0.1, 0, 0])))
    report = ougi.check(ougi.Scene((inner, post), duration=1.0))
    assert [row[3] for row in list_contacts(report)] == ["overlapping at the start"]


def test_bad_arguments_are_named() -> None:
    scene = ougi.Scene((wall(),), duration=1.0)
    with pytest.raises(TypeError, match="scene must be a Scene"):
        ougi.check("door.toml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="method must be one of exact, discrete"):
        ougi.check(scene, method="magic")
    for name in ("margin", "tol", "fps"):
        with pytest.raises(ValueError, match=name):
            ougi.check(scene, **{name: -1.0})  # type: ignore[arg-type]


# --- random scenes beside brute force -------------------------------------------------------------------


def brute(scene: ougi.Scene, margin: float = 0.0) -> dict[frozenset[str], float]:
    """First contacts of all pairs by one query per pair and interval, without any bounds."""
    first: dict[frozenset[str], float] = {}
    for start, stop in zip(scene.times[:-1], scene.times[1:], strict=True):
        for i, a in enumerate(scene.bodies):
            for b in scene.bodies[:i]:
                pair = frozenset([a.name, b.name])
                if pair in first:
                    continue
                (shape, motion), (target, other) = a.during(start, stop), b.during(start, stop)
                if motion is None:
                    shape, motion, target, other = target, other, shape, motion
                motion = MOVE([0, 0, 0]) if motion is None else motion
                impact = ougi.time_of_impact(shape, motion, target, other, margin=margin)
                if impact.status > 0:
                    first[pair] = float(start + impact.t * (stop - start))
    return first


@pytest.mark.parametrize("seed", range(6))
def test_random_scenes_as_brute_force(seed: int) -> None:
    scene, margin = random_scene(seed), 0.15
    report = ougi.check(scene, margin=margin)
    first: dict[frozenset[str], float] = {}
    for names, t in zip(report.names(report.contacts), report.contacts.time, strict=True):
        first.setdefault(frozenset(names), float(t))
    expected = brute(scene)
    assert expected
    assert first == pytest.approx(expected, abs=1e-7)
    near = {
        frozenset(pair): float(t) for pair, t in zip(report.names(report.near), report.near.time, strict=True)
    }
    within = {pair: t for pair, t in brute(scene, margin).items() if pair not in expected}
    assert near == pytest.approx(within, abs=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_random_scenes_at_rest_as_intersects_says(seed: int) -> None:
    """Random bodies, and boxes and balls on a lattice that just touch, none of which moves."""
    rng = np.random.default_rng([seed, 77])
    bodies = [Body(f"body {k}", random_body(k, rng, 3.0, True).shape) for k in range(14)]
    for k in range(8):
        spot = 10 + rng.integers(0, 3, 3)
        shape: Any = ougi.Box(spot, [1, 1, 1]) if k % 2 else ougi.Sphere(spot, 0.5)
        bodies.append(Body(f"lattice {k}", shape))
    scene = ougi.Scene(tuple(bodies), duration=float(seed % 2))
    report = ougi.check(scene)
    overlaps = {
        (a.name, b.name) for a, b in itertools.combinations(bodies, 2) if ougi.intersects(a.shape, b.shape)
    }
    assert len(overlaps) > 3
    assert set(report.names(report.contacts)) == overlaps
    assert len(report.contacts) == len(overlaps)
    assert (report.contacts.time == 0).all()
    assert (report.contacts.status == 2).all()


@pytest.mark.parametrize("seed", range(4))
def test_random_scenes_as_poses_at_many_times(seed: int) -> None:
    """No pose of two bodies overlaps before the first contact that is reported; jumps and rests included."""
    rng = np.random.default_rng([seed, 78])
    bodies = []
    for k in range(14):
        body = random_body(k, rng, 3.0, meshes=False)
        pieces = tuple(
            piece._replace(stop=piece.start) if rng.random() < 0.3 else piece for piece in body.pieces
        )
        bodies.append(Body(body.name, body.shape, pieces))
    scene = ougi.Scene(tuple(bodies), duration=2.0)
    report = ougi.check(scene)
    first: dict[frozenset[str], float] = {}
    for names, t in zip(report.names(report.contacts), report.contacts.time, strict=True):
        first.setdefault(frozenset(names), float(t))
    times = np.unique(np.concatenate([np.linspace(0, 2, 41), scene.times]))
    placed = [[body.shape.transformed(body.at(float(t))) for t in times] for body in bodies]
    seen = 0
    for i, j in itertools.combinations(range(len(bodies)), 2):
        overlap = [bool(ougi.intersects(a, b)) for a, b in zip(placed[i], placed[j], strict=True)]
        if any(overlap):
            seen += 1
            pair = frozenset([bodies[i].name, bodies[j].name])
            assert first[pair] <= times[overlap.index(True)] + 1e-9
    assert seen > 3


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_bodies_does_not_matter(seed: int) -> None:
    scene = random_scene(seed)
    turned = ougi.Scene(scene.bodies[::-1], duration=scene.duration)
    rows = [[(*sorted(row[:2]), *row[2:]) for row in list_contacts(ougi.check(s))] for s in (scene, turned)]
    assert sorted(rows[0]) == sorted(rows[1])


def test_windows_of_time_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = random_scene(3, n=20, meshes=False)
    whole = list_contacts(ougi.check(scene))
    monkeypatch.setattr("ougi.timeline.spans._WINDOW", 1)
    monkeypatch.setattr("ougi.timeline.spans.SceneSpans.iter_windows", _tiny_windows)
    monkeypatch.setattr("ougi.timeline.timeline.MAX_ROWS", 3)
    assert list_contacts(ougi.check(scene)) == whole


def _tiny_windows(spans: Any) -> Any:
    borders = np.unique(spans.start)
    return zip(borders, [*borders[1:], np.inf], strict=True)


def test_progress_counts_up_to_all() -> None:
    calls: list[tuple[int, int]] = []
    scene = random_scene(0)
    ougi.check(scene, margin=0.1, method="swept-sphere", progress=lambda *counts: calls.append(counts))
    assert calls[-1][0] == calls[-1][1] > 0
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


@pytest.mark.slow
def test_ten_thousand_bodies_as_brute_force_on_a_sample() -> None:
    rng = np.random.default_rng(10)
    bodies = [random_body(k, rng, 40.0, meshes=False) for k in range(10_000)]
    scene = ougi.Scene(tuple(bodies), duration=2.0)
    report = ougi.check(scene)
    first: dict[frozenset[str], float] = {}
    for names, t in zip(report.names(report.contacts), report.contacts.time, strict=True):
        first.setdefault(frozenset(names), float(t))
    # A ball around the whole path of each body proves most pairs free; the others are checked one by one.
    centers, radii = np.array([_ball(body, scene.duration) for body in bodies], object).T
    spots, sizes = np.stack(centers), radii.astype(float)
    sample = rng.choice(10_000, 25, replace=False)
    checked = 0
    for i in sample:
        near = np.flatnonzero(np.linalg.norm(spots - spots[i], axis=1) <= sizes + sizes[i])
        for j in near[near != i]:
            checked += 1
            pair = frozenset([bodies[i].name, bodies[j].name])
            both = brute(ougi.Scene((bodies[i], bodies[j]), duration=scene.duration))
            assert first.get(pair) == pytest.approx(both.get(pair), abs=1e-7), pair
    assert checked > 100


def _ball(body: Body, duration: float) -> tuple[Any, float]:
    """A ball around all that a body covers, from its places at many times and a bound of its speed."""
    own = body.shape.bounding_sphere()
    times = np.linspace(0, duration, 21)
    places = np.array([body.at(float(t)).apply(own.center) for t in times])
    middle = places.mean(axis=0)
    speed = max(
        (float(p.motion.speed_bound(_start(body, p).center)) / (p.stop - p.start) for p in body.pieces),
        default=0.0,
    )
    reach = np.linalg.norm(places - middle, axis=1).max() + speed * (times[1] - times[0])
    return middle, float(reach + own.radius)


def _start(body: Body, piece: Piece) -> Any:
    return body.shape.transformed(body.at(piece.start)).bounding_sphere()


@pytest.mark.parametrize("seed", range(4))
def test_boxes_hold_all_that_a_span_covers(seed: int) -> None:
    scene = random_scene(seed, n=30)
    spans = SceneSpans(scene)
    boxes = spans.make_boxes(1e-9)
    for k, i in enumerate(spans.body):
        body = scene.bodies[i]
        for t in np.linspace(spans.start[k], spans.stop[k] - 1e-9, 40):
            bounds = body.shape.transformed(body.at(float(t))).bounds()
            assert (bounds.lower >= boxes.lower[k] - 1e-12).all()
            assert (bounds.upper <= boxes.upper[k] + 1e-12).all()
