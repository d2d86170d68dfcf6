"""First contacts of all pairs: known results, degenerate motions, and laws between equivalent queries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact.tables import KERNELS, LAYOUTS, find
from ougi_lab.scenes.motions import MOTIONS, draw_motion, draw_separate_pairs
from ougi_lab.scenes.pairs import CLASSES

PAIRS = [(a, b) for i, a in enumerate(CLASSES) for b in CLASSES[i:] if a.dimension == b.dimension]
IDS = [f"{a.__name__}-{b.__name__}" for a, b in PAIRS]

# Each has its face, corner or end at x = -1 and is symmetric in y and z.
BODIES: dict[str, Any] = {
    "sphere": ougi.Sphere([0, 0, 0], 1),
    "point": ougi.Sphere([-1, 0, 0], 0),
    "capsule": ougi.Capsule3d([0, -1, 0], [0, 1, 0], 1),
    "lying capsule": ougi.Capsule3d([-0.5, 0, 0], [2, 0, 0], 0.5),
    "segment": ougi.Segment3d([-1, 0, 0], [2, 0, 0]),
    "standing segment": ougi.Segment3d([-1, 0, -1], [-1, 0, 1]),
    "triangle": ougi.Triangle3d([-1, 0, 0], [1, 1, 0], [1, -1, 0]),
    "standing triangle": ougi.Triangle3d([-1, 0, 1], [-1, 1, -1], [-1, -1, -1]),
    "flat triangle": ougi.Triangle3d([-1, 0, 0], [1, 0, 0], [2, 0, 0]),
    "box": ougi.Box([0, 0, 0], [2, 2, 2]),
    "corner of a box": ougi.Box(
        [math.sqrt(3) - 1, 0, 0],
        [2, 2, 2],
        np.diag(np.array([3, 2, 1.5]) ** -0.5) @ np.array([[1, 1, 1], [-1, 1, 0], [-0.5, -0.5, 1]]),
    ),
    "aabb": ougi.Aabb3d([-1, -1, -1], [1, 1, 1]),
}
SMOOTH = {"sphere", "capsule", "lying capsule", "box", "aabb"}
TURN_OVER = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi).at(1.0)


@pytest.mark.parametrize("target", BODIES)
@pytest.mark.parametrize("moving", BODIES)
def test_bodies_that_face_each_other_meet_in_the_middle(moving: str, target: str) -> None:
    """The mover's foremost point is at x = 1, the target's at x = 4: they meet after 3 of 12."""
    shape = BODIES[moving].transformed(TURN_OVER)
    aim = BODIES[target].transformed(ougi.Pose([5, 0, 0]))
    impact = ougi.time_of_impact(shape, ougi.Translation3d([12, 0, 0]), aim, tol=1e-12)
    assert impact.status == 1
    assert impact.t == pytest.approx(0.25, abs=1e-10)
    assert np.linalg.norm(impact.normal) == pytest.approx(1, abs=1e-14)
    if {moving, target} <= SMOOTH:
        assert impact.normal == pytest.approx([1, 0, 0], abs=1e-6)
    else:  # between corners and edges any plane that separates them will do
        assert impact.normal[0] > 0.3
    assert impact.point[0] == pytest.approx(4, abs=1e-9)
    assert float(ougi.distance(aim, impact.point)) == pytest.approx(0, abs=1e-9)
    away = ougi.time_of_impact(shape, ougi.Translation3d([-12, 0, 0]), aim)
    assert away.status == 0


@pytest.mark.plain
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_runs_as_plain_python(kernel: str) -> None:
    """A turn by a right angle about a pivot at the same distance from both: they meet before it is over."""
    first = {"sphere": "sphere", "capsule3d": "capsule", "triangle3d": "triangle", "box": "box"}
    drum = ougi.Sector3d([0, 0, 0], [0, 1, 0], [1, 0, 0], math.pi, 0, 1, 1)
    a, b = (BODIES[first[name]] if name in first else drum for name in kernel.split("_"))
    turn = ougi.Rotation3d([-4, -4, 0], [0, 0, 1], math.pi / 2)
    aim = b.transformed(ougi.Pose([-8, 0, 0]))
    impact = ougi.time_of_impact(a, turn, aim)
    assert impact.status == 1
    assert 0 < impact.t < 1
    placed = a.transformed(turn.at(impact.t))
    if not kernel.endswith("cylinder"):  # those are in test_cylinder.py
        assert 0 <= float(ougi.distance(placed, aim)) <= 1e-7
    both = ougi.time_of_impact(a, turn, aim, ougi.Rotation3d([-8, 5, 0], [0, 1, 0], 0.3))
    assert both.status == 1


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=IDS)
def test_a_moving_target_is_the_inverse_motion_of_the_shape(a: Any, b: Any) -> None:
    """The same contact, seen from the other body: equal times; point and normal carried along."""
    rng = np.random.default_rng(11)
    for kind in MOTIONS[a.dimension]:
        body, target = draw_separate_pairs(a, b, 300, rng, "ordinary")
        motion = draw_motion(kind, body, target, rng)
        there = ougi.time_of_impact(body, motion, target)
        back = ougi.time_of_impact(target, motion.inverse(), body)
        assert np.array_equal(there.status, back.status)
        hit = there.status == 1
        assert hit.sum() > 10 or not (a.solid and b.solid)
        gap = ougi.distance(body.transformed(motion.at(np.nan_to_num(back.t))), target)
        assert (gap[hit] < 1e-6).all()


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=IDS)
def test_random_first_contacts_are_right(a: Any, b: Any) -> None:
    """A slice of `ougi verify ccd`: no overlap before the reported time, contact at it."""
    from ougi_lab.verify.ccd import Ccd

    name = f"{a.__name__}-{b.__name__}".lower()
    tally = Ccd().check(name, "random", 600, np.random.default_rng(5))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    tally = Ccd().check(name, "near", 120, np.random.default_rng(6))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.undecided == 0


def test_shapes_of_the_plane_answer_like_their_flat_twins() -> None:
    rng = np.random.default_rng(2)
    center, size, angle = rng.uniform(-3, 3, (200, 2)), rng.uniform(0.1, 2, (200, 2)), rng.uniform(-3, 3, 200)
    plates = ougi.Rectangle(center, size, angle)
    turn = ougi.Rotation2d([0.3, -0.2], rng.uniform(-9, 9, 200))
    disc = ougi.Circle([1.5, 1.0], 0.3)
    impact = ougi.time_of_impact(plates, turn, disc)
    assert impact.point.shape == (200, 2)
    hit = impact.status == 1
    moved = plates[hit].transformed(turn[hit].at(impact.t[hit]))
    assert (np.abs(ougi.distance(moved, disc)) < 1e-8).all()
    assert np.allclose(impact.point[hit] + 0.3 * impact.normal[hit], disc.center, atol=1e-12)
    quarter = np.array([[0, -1], [1, 0]])
    straight = np.zeros((200, 3, 3))
    straight[:, 2, 2] = 1
    straight[:, :2, 0] = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    straight[:, :2, 1] = straight[:, :2, 0] @ quarter.T
    boxes = ougi.Box(np.c_[center, np.zeros(200)], np.c_[size, np.ones(200)], straight)
    deep = ougi.Rotation3d([0.3, -0.2, 0], [0, 0, 1], turn.angle)
    ball = ougi.Sphere([1.5, 1.0, 0], 0.3)
    assert np.array_equal(ougi.time_of_impact(boxes, deep, ball).status, impact.status)


@pytest.mark.plain
@pytest.mark.parametrize("turns", [1.0, 1.5, 10.0])
def test_rectangles_meet_at_the_known_angle(turns: float) -> None:
    """A wand of half width 0.1 turns against a wall at y = 1: its leading corner (2, 0.1) arrives first."""
    wand, wall = ougi.Rectangle([1, 0], [2, 0.2]), ougi.Aabb2d([-5, 1], [5, 2])
    impact = ougi.time_of_impact(wand, ougi.Rotation2d([0, 0], turns * math.tau), wall, tol=1e-13)
    known = math.asin(1 / math.hypot(2, 0.1)) - math.atan2(0.1, 2)
    assert impact.t * turns * math.tau == pytest.approx(known, abs=1e-11)
    assert impact.normal == pytest.approx([0, 1], abs=1e-12)
    assert impact.point == pytest.approx([2 * math.cos(known) - 0.1 * math.sin(known), 1], abs=1e-9)


@pytest.mark.plain
def test_crossing_edges_meet_at_the_known_angle() -> None:
    """Two thin rods at right angles, radii 0.1 each: the distance of their lines is 1 - sin, in effect."""
    rod = ougi.Capsule3d([1, 0, -1], [1, 0, 1], 0.1)
    bar = ougi.Capsule3d([-1, 1, 0], [1, 1, 0], 0.1)
    impact = ougi.time_of_impact(rod, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), bar, tol=1e-13)
    assert impact.t * math.pi / 2 == pytest.approx(math.asin(0.8), abs=1e-11)


def test_a_graze_is_a_hit_or_a_miss_as_it_should_be() -> None:
    """A ball on a circle of radius 2 passes a capsule at a distance known to the last digit."""
    little = 10.0 ** -np.arange(3, 9)
    ball = ougi.Sphere([2, 0, 0], 0.5)
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3)
    for sign, status in ((1, 0), (-1, 1)):
        rods = ougi.Capsule3d([0, 3, -1], [0, 3, 1], 0.5 - sign * little)
        impact = ougi.time_of_impact(ball, turn, rods)
        assert (impact.status == status).all()


def test_edges_that_become_parallel_on_the_way_do_not_stop_the_search() -> None:
    """Two plates, edges parallel at the start and again at every turn: a product of edges that vanishes."""
    plate = ougi.Box([3, 0, 0], [1, 1, 0])
    wall = ougi.Box([0, 0, 8], [2, 3, 0])
    screws = ougi.Screw3d([0.5, 0.2, 0], [0, 0, 1], np.linspace(-15, 15, 61), [[1.0], [-1.0]])
    assert (ougi.time_of_impact(plate, screws, wall).status == 0).all()
    tilted = ougi.Screw3d([0.5, 0.2, 0], [0.3, 0.1, 1], np.linspace(-15, 15, 61), 12.0)
    impact = ougi.time_of_impact(plate, tilted, wall)
    assert (impact.status != 3).all()
    at = plate.transformed(tilted.at(np.where(impact.hit, impact.t, 0.0)))
    assert (ougi.distance(at, wall)[impact.hit] < 1e-7).all()


def test_no_bodies_have_an_empty_result() -> None:
    swing = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0)
    impact = ougi.time_of_impact(ougi.Box([1, 0, 0], [1, 0.1, 0.1]), swing, [])
    assert impact.status.shape == (0,)
    assert impact.point.shape == (0, 3)
    flat = ougi.time_of_impact([], ougi.Rotation2d([0, 0], 2.0), ougi.Circle([2, 0], 1))
    assert flat.t.shape == (0,)


def test_points_that_pass_through_a_triangle_touch_it() -> None:
    """Neither has an inside: the contact is one instant."""
    rng = np.random.default_rng(3)
    start = np.c_[rng.uniform(-0.2, 0.2, (100, 2)), rng.uniform(1, 2, 100)]
    triangle = ougi.Triangle3d([-2, -2, 0], [2, -2, 0], [0, 2, 0])
    impact = ougi.time_of_impact(start, ougi.Translation3d([0, 0, -4]), triangle)
    assert impact.hit.all()
    assert np.allclose(impact.t, start[:, 2] / 4, atol=1e-8)
    assert np.allclose(impact.normal, [0, 0, -1], atol=1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_spins_about_a_target_on_its_axis_never_meets_it(name: str) -> None:
    body = BODIES[name].transformed(ougi.Pose([3, 0, 0]))
    spin = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 40.0)
    for target in (ougi.Sphere([0, 0, 0], 0.9), ougi.Capsule3d([0, 0, -9], [0, 0, 9], 0.9)):
        assert ougi.time_of_impact(body, spin, target).status == 0
        assert ougi.time_of_impact(target, spin, body).status == 0


def test_the_table_names_a_kernel_for_every_pair() -> None:
    for a in LAYOUTS:
        for b in LAYOUTS:
            if a.dimension == b.dimension:
                assert find(a, b).kernel in KERNELS
