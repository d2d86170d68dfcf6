"""Half-spaces: queries, first contacts, worlds, checks and broad phases."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import ougi
from ougi.checks.frame_methods import Method
from ougi.impact.engine import Engine, plan
from ougi.scene import Body, Check, Piece
from ougi_lab.verify.ccd import run_ougi
from ougi_lab.verify.half_space import HalfSpaces, MovingHalfSpaces

FLOOR = ougi.HalfSpace3d([0, 0, 2], 2)  # z <= 1


def test_the_normal_may_have_any_length() -> None:
    assert FLOOR == ougi.HalfSpace3d([0, 0, 1], 1) == ougi.HalfSpace3d.from_point([7, -3, 1], [0, 0, 9])
    assert ougi.contains(FLOOR, [[0.0, 0, 1], [5, 5, 1.1]]).tolist() == [True, False]


def test_bounds_are_infinite_but_for_the_side_of_an_axis() -> None:
    bounds = ougi.HalfSpace2d([[0, 1], [-1, 0], [1, 1]], [3, 4, 0]).bounds()
    assert bounds.lower.tolist() == [[-math.inf, -math.inf], [-4, -math.inf], [-math.inf, -math.inf]]
    assert bounds.upper.tolist() == [[math.inf, 3], [math.inf, math.inf], [math.inf, math.inf]]


def test_a_moved_half_space_is_that_of_a_moved_point_and_normal() -> None:
    pose = ougi.Pose([1, 2, 3], ougi.Rotation3d([0, 0, 0], [1, 2, 3], 0.7).at(1.0).rotation)
    expected = ougi.HalfSpace3d.from_point(pose.apply([0, 0, 1]), pose.rotation @ [0, 0, 1])
    moved = FLOOR.transformed(pose)
    np.testing.assert_allclose(moved.normal, expected.normal, atol=1e-15)
    np.testing.assert_allclose(moved.offset, expected.offset, atol=1e-15)


@pytest.mark.parametrize("pair", HalfSpaces().pairs())
@pytest.mark.parametrize("kind", ["random", "near"])
def test_queries_agree_with_the_lowest_corner(pair: str, kind: str) -> None:
    tally = HalfSpaces().check(pair, kind, 300, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


@pytest.mark.parametrize(
    "pair",
    [
        "circle-halfspace2d",
        "sector2d-halfspace2d",
        "box-halfspace3d",
        "cone-halfspace3d",
        "halfspace3d-halfspace3d",
    ],
)
@pytest.mark.parametrize("kind", ["random", "near"])
def test_first_contacts_agree_with_samples(pair: str, kind: str) -> None:
    tally = MovingHalfSpaces().check(pair, kind, 36, np.random.default_rng(4))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.undecided == 0


def test_a_ball_that_is_swung_down_touches_when_its_height_is_its_radius() -> None:
    ball = ougi.Sphere([3, 0, 2], 0.5)
    turn = ougi.Rotation3d([0, 0, 2], [0, 1, 0], math.pi / 2)  # from x to -z
    found = ougi.time_of_impact(ball, turn, ougi.HalfSpace3d([0, 0, 1]))
    angle = math.asin(1.5 / 3)
    assert found.t == pytest.approx(angle / (math.pi / 2), abs=1e-8)
    np.testing.assert_allclose(found.point, [3 * math.cos(angle), 0, 0], atol=1e-7)
    np.testing.assert_allclose(found.normal, [0, 0, -1], atol=1e-12)
    back = ougi.time_of_impact(ougi.HalfSpace3d([0, 0, 1]), ougi.Translation3d([0, 0, 3]), ball)
    assert back.t == pytest.approx(0.5)
    np.testing.assert_allclose(back.normal, [0, 0, 1], atol=1e-12)


def test_a_turn_about_the_normal_is_decided_in_one_step() -> None:
    """A plate that spins flat, a nanometre above the floor, has no lower points at any time."""
    plate = ougi.Box([3, 0, 1e-9 + 0.05], [2, 2, 0.1])
    spin = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 900.0)
    assert ougi.time_of_impact(plate, spin, ougi.HalfSpace3d([0, 0, 1]), tol=1e-14).status == 0


def test_chains_are_advanced_above_a_resting_half_space() -> None:
    chain = ougi.Rotation3d([0, 0, 3], [0, 1, 0], 1.0) @ ougi.Translation3d([0, 0, -3])
    box = ougi.Box([1, 0, 4], [1, 1, 1])
    assert plan(box, chain, FLOOR, None).engine is Engine.ADVANCEMENT
    expected = ougi.time_of_impact(box, chain, ougi.Box([0, 0, -9], [40, 40, 20]))
    found = ougi.time_of_impact(box, chain, FLOOR)
    assert found.status == expected.status == 1
    assert found.t == pytest.approx(float(expected.t), abs=1e-7)
    with pytest.raises(ougi.UnsupportedPairError, match="Chain and a half-space that moves"):
        ougi.time_of_impact(box, chain, FLOOR, ougi.Translation3d([0, 0, 1]))


def test_a_floor_and_a_ceiling_are_apart_and_all_others_overlap() -> None:
    ceiling = ougi.HalfSpace3d([0, 0, -2], -6)  # z >= 3
    assert ougi.distance(FLOOR, ceiling) == 2
    near = ougi.closest_points(ceiling, FLOOR)
    assert (near.point_a.tolist(), near.point_b.tolist()) == ([0, 0, 3], [0, 0, 1])
    assert not ougi.intersects(FLOOR, ceiling)
    low = ougi.contacts(FLOOR, ougi.HalfSpace3d([0, 0, -1], -0.5))  # z >= 0.5
    assert (float(low.depth), low.normal.tolist(), low.point.tolist()) == (0.5, [0, 0, 1], [0, 0, 0.75])
    wall = ougi.HalfSpace3d(np.array([[1, 0, 0], [0, 1e-9, -1], [0, 0, 1]]), -9)
    assert ougi.distance(FLOOR, wall).tolist() == [-math.inf] * 3
    crossing = ougi.contacts(FLOOR, wall)
    assert crossing.hit.all()
    assert np.isinf(crossing.depth).all()
    assert np.isnan(crossing.normal).all()
    with pytest.raises(ougi.UnsupportedPairError, match="surfaces have no end; use contacts"):
        ougi.manifolds(FLOOR, ceiling)


def test_half_spaces_that_are_turned_together_stay_parallel() -> None:
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(500, 3))
    turn = ougi.Rotation3d(np.zeros((500, 3)), rng.normal(size=(500, 3)), rng.uniform(-3, 3, 500)).at(1.0)
    level = np.linalg.norm(normal, axis=1)
    first, second = (ougi.HalfSpace3d(sign * normal, sign * level).transformed(turn) for sign in (1, -1))
    np.testing.assert_allclose(ougi.distance(first, second), 0.0, atol=1e-15)


def test_first_contacts_of_half_spaces_take_translations() -> None:
    ceiling, down = ougi.HalfSpace3d([0, 0, -1], -3), ougi.Translation3d([0, 5, -4])
    found = ougi.time_of_impact(ceiling, down, FLOOR)
    assert (int(found.status), float(found.t)) == (1, 0.5)
    assert (found.point.tolist(), found.normal.tolist()) == ([0, 0, 1], [0, 0, -1])
    both = ougi.time_of_impact(ceiling, down, FLOOR, ougi.Translation3d([0, 0, 4]), margin=0.5)
    assert (float(both.t), both.point.tolist()) == (0.1875, [0, 0, 1.75])
    away = ougi.time_of_impact(ceiling, ougi.Translation3d([[0, 0, 9], [9, 9, 0]]), FLOOR)
    assert away.status.tolist() == [0, 0]
    assert ougi.time_of_impact(FLOOR, down, ougi.HalfSpace3d([0, 1, 1])).status == 2
    plane, lid = ougi.HalfSpace2d([0, 1]), ougi.HalfSpace2d([0, -1], -2)
    assert ougi.time_of_impact(plane, ougi.Translation2d([0, 4]), lid).t == 0.5
    with pytest.raises(ougi.UnsupportedPairError, match="got a Rotation3d: half-spaces overlap as soon as"):
        ougi.time_of_impact(ceiling, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1), FLOOR)


def test_wrong_results_of_two_half_spaces_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, rng = HalfSpaces(), np.random.default_rng(1)
    true = ougi.query.intersects
    monkeypatch.setattr(ougi.query, "intersects", lambda a, b: ~true(a, b))
    assert subject.check("halfspace3d-halfspace3d", "near", 100, rng).disagreements > 30


def test_late_contacts_of_two_half_spaces_are_found() -> None:
    def find_late(case: Any) -> Any:
        found = run_ougi(case)
        found.t[:] = np.minimum(found.t + 1e-6, 1)
        return found

    subject = MovingHalfSpaces(query=find_late)
    tally = subject.check("halfspace2d-halfspace2d", "random", 200, np.random.default_rng(1))
    assert tally.disagreements > 10


def test_a_mesh_touches_with_its_lowest_corner() -> None:
    corners = [[0, 0, 3], [1, 0, 4], [0, 1, 4], [0, 0, 5]]
    mesh = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    turned = mesh.transformed(
        ougi.Pose([0, 0, 1], ougi.Rotation3d([0, 0, 0], [1, 0, 0], 0.4).at(1.0).rotation)
    )
    for each in (mesh, turned):
        assert ougi.distance(FLOOR, each) == pytest.approx(each.vertices[:, 2].min() - 1)
        found = ougi.time_of_impact(each, ougi.Translation3d([0, 0, -4]), FLOOR)
        assert found.t == pytest.approx((each.vertices[:, 2].min() - 1) / 4, abs=1e-8)


@pytest.mark.parametrize("method", ["auto", "brute", "sweep", "grid", "tree", "x"])
def test_broad_phases_compare_unbounded_volumes_with_all_others(method: str) -> None:
    rng = np.random.default_rng(3)
    balls = ougi.Sphere(rng.uniform(-9, 9, (700, 3)), rng.uniform(0.1, 1, 700))
    planes = ougi.HalfSpace3d([[0, 0, 1], [1, 1, 0], [-1, 0, 0]], [-8, 0, -8.5])
    found = ougi.candidate_pairs(balls, planes, method=method)
    low, high = balls.bounds().lower, balls.bounds().upper
    expected = [
        [i, j] for i in range(700) for j in (0, 1, 2) if (low[i, 2] <= -8, True, high[i, 0] >= 8.5)[j]
    ]
    assert found.tolist() == expected
    assert ougi.candidate_pairs(planes, method=method).tolist() == [[0, 1], [0, 2], [1, 2]]
    boxes = ougi.concatenate([balls.bounds(), planes.bounds()])
    own = ougi.candidate_pairs(balls.bounds(), method="brute").tolist()
    every = [*own, *([i, 700 + j] for i, j in expected), [700, 701], [700, 702], [701, 702]]
    assert ougi.candidate_pairs(boxes, method=method).tolist() == sorted(every)


def test_a_world_has_floors_and_walls() -> None:
    world = ougi.World(enclosing_sectors=True)
    floor = world.add(ougi.HalfSpace2d([0, 1]), name="floor")
    wall = world.add(ougi.HalfSpace2d([-1, 0.1], -6), ougi.Translation2d([-2, 0]), name="wall")
    ball = world.add(ougi.Circle([0, 3], 1), ougi.Translation2d([0, -1]))
    rod = world.add(ougi.Segment2d([0, 5], [4, 5]), ougi.Rotation2d([0, 5], -1.0))
    times: dict[Any, float] = {}
    for _ in range(8):
        began = world.step(0.5).began
        times |= {tuple(pair): time for pair, time in zip(began.pair.tolist(), began.time, strict=True)}
    assert set(times) == {(floor, wall), (floor, ball), (wall, ball), (wall, rod), (ball, rod)}
    assert times[floor, wall] == 0  # they are not parallel
    assert times[floor, ball] == pytest.approx(2, abs=1e-8)
    expected = ougi.time_of_impact(
        ougi.Segment2d([0, 5], [4, 5]),
        ougi.Rotation2d([0, 5], -4.0),
        ougi.HalfSpace2d([-1, 0.1], -6),
        ougi.Translation2d([-8, 0]),
    )
    assert times[wall, rod] == pytest.approx(4 * expected.t, abs=1e-7)
    assert world.query(ougi.Circle([0, 0.5], 1)).body.tolist().count(floor) == 1
    fall = world.query(ougi.Circle([-50, 9], 1), ougi.Translation2d([0, -20]))
    assert fall.body.tolist() == [floor]


def press(*offsets: float) -> Body:
    """A half-space z >= 3 that moves by offsets, a second each."""
    moves = [ougi.Translation3d([0, 0, offset]) for offset in offsets]
    pieces = tuple(Piece(float(k), k + 1.0, move) for k, move in enumerate(moves))
    return Body("press", ougi.HalfSpace3d([0, 0, -1], -3), pieces)


def test_a_press_that_moves_through_the_floor_has_contacts() -> None:
    floor, wall = (Body(name, ougi.HalfSpace3d(n)) for name, n in (("floor", [0, 0, 1]), ("wall", [1, 0, 0])))
    report = ougi.check(ougi.Scene((floor, press(-5, 5, -5), wall), ignore=(("press", "wall"),)))
    np.testing.assert_allclose(report.contacts.time, [0.6, 2.6], atol=1e-8)
    assert report.coverage.excluded == {"[[ignore]]": 1, "rigidly connected": 1}
    assert ougi.check(ougi.Scene((floor, press(-2)))).certified
    named = ougi.check(ougi.Scene((floor, wall), checks=(Check("floor", "wall"),)))
    assert named.contacts.status.tolist() == [ougi.Status.OVERLAPPING]
    world = ougi.World()
    world.add(floor.shape)
    world.add(wall.shape)
    world.add(press(-5).shape, ougi.Translation3d([0, 0, -5]))
    found = world.step(1.0)
    assert found.pair.tolist() == [[1, 2], [0, 2]]
    np.testing.assert_allclose(found.time, [0, 0.6], atol=1e-8)


def test_half_spaces_that_turn_are_not_certified() -> None:
    turn = Piece(0.0, 1.0, ougi.Rotation3d([0, 0, 3], [0, 1, 0], 0.5))
    lid = Body("lid", ougi.HalfSpace3d([0, 0, -1], -3), (turn,))
    report = ougi.check(ougi.Scene((Body("floor", FLOOR), lid)))
    assert report.contacts.status.tolist() == [ougi.Status.UNSUPPORTED]
    assert not report.certified


@pytest.mark.parametrize("method", get_args(Method))
def test_methods_of_engines_have_no_result_for_a_moving_half_space(method: Any) -> None:
    ball = Body("ball", ougi.Sphere([9, 0, 1], 0.5))
    report = ougi.check(ougi.Scene((ball, press(-5))), method=method)
    assert len(report.contacts) == 1


def test_a_scene_file_has_a_floor(tmp_path: Path) -> None:
    (tmp_path / "drop.toml").write_text(
        """
ougi = 1
duration = 2
[[body]]
name = "floor"
shape = { type = "halfspace3d" }
[[body]]
name = "wall"
at = [5, 0, 0]
shape = { type = "halfspace3d", normal = [-1, 0, 0] }
[[body]]
name = "ball"
at = [0, 0, 3]
shape = { type = "sphere", radius = 1 }
motion = { type = "translate", by = [3, 0, -4], seconds = 2 }
"""
    )
    report = ougi.check(ougi.load_scene(tmp_path / "drop.toml"))
    assert report.contacts.pair.tolist() == [[2, 0]]
    assert report.contacts.time[0] == pytest.approx(1, abs=1e-8)


def test_a_mesh_that_starts_in_the_ground_touches_it_at_once() -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    mesh = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    ground = ougi.HalfSpace3d([0, 0, 1], 0.3)
    found = ougi.time_of_impact(mesh, ougi.Translation3d([0, 0, -1]), ground)
    assert found.status == ougi.Status.OVERLAPPING
    np.testing.assert_allclose(found.normal, [0, 0, -1])
    world = ougi.World()
    world.add(mesh, ougi.Translation3d([0, 0, -1]))
    world.add(ground)
    np.testing.assert_allclose(world.step(0.1).began.normal, [[0, 0, -1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ougi.HalfSpace3d([0, 0, 0]), "normal must not have zero length"),
        (
            lambda: ougi.HalfSpace3d([[0.0, 0, 1], [0, 0, math.nan]]),
            "normal must be finite, got nan at",
        ),
        (lambda: ougi.HalfSpace2d([0, 0, 1]), "normal must have 2 components"),
        (lambda: ougi.HalfSpace2d([0, 1], math.inf), "offset must be finite"),
        (lambda: ougi.HalfSpace2d([0, 1e-200], 1e99), "must be finite|must not exceed"),
        (lambda: ougi.sweep(FLOOR, ougi.Translation3d([0, 0, 1]), "swept-sphere"), "HalfSpace3d"),
    ],
)
def test_bad_input_is_refused(call: object, message: str) -> None:
    with pytest.raises((ValueError, TypeError, ougi.UnsupportedPairError), match=message):
        call()  # type: ignore[operator]
