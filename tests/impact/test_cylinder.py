"""First contacts with cylinders: known answers, laws, and a slice of `ougi verify cylinder`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact.advancement import _measure_gaps
from ougi_lab.verify.ccd import run_ougi
from ougi_lab.verify.cylinder import CylinderSubject, grow, measure_distance, measure_growth

Z = (0.0, 0.0, 1.0)


def drum(center: Any = (0, 0, 0), axis: Any = Z, radius: Any = 1.0, height: Any = 1.0) -> ougi.Sector3d:
    aside = np.where(np.abs(np.asarray(axis, float)) < 0.9 * np.linalg.norm(axis), 1.0, 0.0)
    return ougi.Sector3d(center, axis, aside, math.pi, 0.0, radius, height)


# Each has its foremost point, edge or face at x = 1 and is symmetric in y and z.
MOVERS: dict[str, Any] = {
    "sphere": ougi.Sphere([0, 0, 0], 1),
    "point": np.array([1.0, 0.0, 0.0]),
    "capsule": ougi.Capsule3d([0, -1, 0], [0, 1, 0], 1),
    "segment": ougi.Segment3d([1, 0, 0], [-2, 0, 0]),
    "standing segment": ougi.Segment3d([1, 0, -1], [1, 0, 1]),
    "lying segment": ougi.Segment3d([1, -1, 0], [1, 1, 0]),
    "triangle": ougi.Triangle3d([1, 0, 0], [-1, 1, 0], [-1, -1, 0]),
    "standing triangle": ougi.Triangle3d([1, 0, 1], [1, 1, -1], [1, -1, -1]),
    "box": ougi.Box([0, 0, 0], [2, 2, 2]),
    "edge of a box": ougi.Box(
        [1 - math.sqrt(2), 0, 0], [2, 2, 2], [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)]
    ),
    "aabb": ougi.Aabb3d([-1, -1, -1], [1, 1, 1]),
    "drum": drum(),
    "cap of a drum": drum(axis=(1, 0, 0)),
    "rim of a drum": drum([1 - math.sqrt(2), 0, 0], (1, 0, 1)),
}


@pytest.mark.plain
@pytest.mark.parametrize("axis", [Z, (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1)])
@pytest.mark.parametrize("name", MOVERS)
def test_bodies_that_face_a_drum_meet_it(name: str, axis: Any) -> None:
    """The mover's foremost point is at x = 1, the drum's at (4, 0, 0): they meet after 3 of 12."""
    tilt = abs(axis[0]) / np.linalg.norm(axis)
    aim = drum([4 + tilt + math.sqrt(1 - tilt * tilt), 0, 0], axis)  # half height and radius are 1
    impact = ougi.time_of_impact(MOVERS[name], ougi.Translation3d([12, 0, 0]), aim, tol=1e-12)
    assert impact.status == 1
    assert impact.t == pytest.approx(0.25, abs=1e-10)
    assert impact.point[0] == pytest.approx(4, abs=1e-9)
    assert np.linalg.norm(impact.normal) == pytest.approx(1, abs=1e-14)
    assert ougi.time_of_impact(MOVERS[name], ougi.Translation3d([-12, 0, 0]), aim).status == 0


@pytest.mark.plain
def test_a_ball_on_a_circle_meets_the_rim_at_the_known_angle() -> None:
    """The center runs on a circle of radius 2 in the plane y = 0, where the rim is at (1, 1.9)."""
    ball = ougi.Sphere([0, 0, -2], 0.25)
    swing = ougi.Rotation3d([0, 0, 0], [0, 1, 0], -math.pi)
    impact = ougi.time_of_impact(ball, swing, drum([0, 0, 2.9]), tol=1e-13)
    away = math.hypot(1, 1.9)
    angle = math.pi - math.atan2(1, 1.9) - math.acos((4 + away**2 - 0.0625) / (4 * away))
    assert impact.status == 1
    assert impact.t * math.pi == pytest.approx(angle, abs=1e-11)
    assert impact.point == pytest.approx([1, 0, 1.9], abs=1e-9)


@pytest.mark.plain
@pytest.mark.parametrize("gap", [1e-3, 1e-6])
@pytest.mark.parametrize("name", ["sphere", "standing segment", "box", "drum"])
def test_a_body_that_circles_a_drum_never_meets_it(name: str, gap: float) -> None:
    """About the drum's own axis the gap stays what it is, however small: ten turns, and a screw."""
    body, pillar = MOVERS[name], drum([2 + gap, 0, 0])
    for angle in (20 * math.pi, -20 * math.pi):
        turn = ougi.Rotation3d(pillar.center, Z, angle)
        assert ougi.time_of_impact(body, turn, pillar).status == 0
        assert ougi.time_of_impact(body, ougi.Screw3d(pillar.center, Z, angle, 0.3), pillar).status == 0
        assert ougi.time_of_impact(pillar, turn, body).status == 0


@pytest.mark.plain
def test_the_face_of_a_beam_turns_into_a_drum() -> None:
    """The leading face of a beam of half width 0.1 touches the wall of a drum of radius 0.5 at distance 2."""
    beam = ougi.Box([1.5, 0, 0], [3, 0.2, 0.2])
    post = drum([0, 2, 0], Z, 0.5, 3)
    impact = ougi.time_of_impact(beam, ougi.Rotation3d([0, 0, 0], Z, math.pi), post, tol=1e-13)
    assert impact.t * math.pi == pytest.approx(math.pi / 2 - math.asin(0.6 / 2), abs=1e-11)
    assert impact.normal == pytest.approx(
        [-impact.normal[1] * 0 - math.cos(math.asin(0.3)), 0.3, 0], abs=1e-6
    )


@pytest.mark.plain
def test_overlap_at_the_start_is_reported() -> None:
    for name, body in MOVERS.items():
        impact = ougi.time_of_impact(body, ougi.Translation3d([1, 0, 0]), drum([0.9, 0, 0]))
        assert impact.status == 2, name
        assert impact.t == 0
    around = ougi.Box([0, 0, 0], [9, 9, 9])  # no edge or face is near
    assert ougi.time_of_impact(around, ougi.Translation3d([1, 0, 0]), drum()).status == 2


@pytest.mark.plain
def test_degenerate_cylinders_work() -> None:
    """A disc, a line and a point."""
    motion = ougi.Translation3d([0, 0, 4])
    for aim in (
        drum([0, 0, 3], height=0.0),
        drum([0, 0, 3], (1, 0, 0), 0.0, 1.0),
        drum([0, 0, 3], Z, 0.0, 0.0),
    ):
        for name in ("sphere", "box", "aabb", "capsule", "drum"):
            assert ougi.time_of_impact(MOVERS[name], motion, aim).t == pytest.approx(0.5, abs=1e-8)


@pytest.mark.plain
def test_sectors_that_are_no_cylinders_are_advanced() -> None:
    ball, there = ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([4, 0, 0])
    half = ougi.Sector3d([[5, 0, 0]] * 2, Z, [1, 0, 0], [math.pi, 1.0], 0, 1, 1)
    found = ougi.time_of_impact(ball, there, half)
    # The whole one ends at x = 4; the other opens away from the ball, with its tip at x = 5.
    assert found.t == pytest.approx([3 / 4, 1.0], abs=1e-7)
    ring = ougi.Sector3d([5, 0, 0], Z, [1, 0, 0], math.pi, 0.5, 1, 1)
    assert float(ougi.time_of_impact(ring, there.scaled(-1), ball).t) == pytest.approx(3 / 4, abs=1e-7)
    assert float(ougi.time_of_impact(ring, there.scaled(-1), drum()).t) == pytest.approx(3 / 4, abs=1e-7)


@pytest.mark.parametrize("pair", CylinderSubject().pairs())
def test_random_first_contacts_are_right(pair: str) -> None:
    """A slice of `ougi verify cylinder`: random and near cases, both bodies moving, margins."""
    for kind, n in (("random", 120), ("near", 24), ("second", 24)):
        tally = CylinderSubject().check(pair, kind, n, np.random.default_rng(7))
        assert tally.disagreements == 0, (tally.failed, tally.first)
        assert tally.undecided == 0


FAR_RIM = 4 - 1 - math.sqrt(2)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("gap", "other"),
    [
        (1.0, drum([0, 0, 3])),  # caps, flush
        (1.0, drum([1.9, 0, 3])),  # caps that share little
        (math.hypot(1, 0.5), drum([2.5, 0, 3])),  # rims, parallel axes
        (1.0, drum([3, 0, 0.5])),  # walls, parallel axes
        (2.0, drum([4, 0, 0], (0, 1, 0))),  # walls, crossed
        (2.0, drum([4, 0.3, 0], (1, 0, 0))),  # a cap and a wall
        (FAR_RIM, drum([4, 0, 0], (1, 0, 1))),  # a rim and a wall
        (FAR_RIM, drum([0.2, 0.1, 4], (1, 0, 1))),  # a rim and a cap
        (math.hypot(3, 3) - 1, drum([4, 4, 0], (1, 0, 0))),  # a rim that passes a wall
        (1e-9, drum([2 + 1e-9, 0, 0])),
        (1e-9, drum([0, 0, 2 + 1e-9], radius=1e-6)),
        (1e6, drum([0, 0, 2e6 + 1], height=1e6)),
    ],
)
def test_two_drums_are_as_far_apart_as_by_hand(gap: float, other: Any) -> None:
    for a, b in ((drum(), other), (other, drum())):
        (found,), (normal,), (point,) = _measure_gaps("cylinder", a[None], b[None])
        assert found == pytest.approx(gap, rel=1e-7, abs=1e-14)
        assert float(ougi.distance(a, point)) == pytest.approx(found, rel=1e-12, abs=1e-14)
        assert float(ougi.distance(b, point)) == pytest.approx(0, abs=1e-9)
        assert normal == pytest.approx(-_measure_gaps("cylinder", b[None], a[None])[1][0], abs=1e-7)


@pytest.mark.plain
@pytest.mark.parametrize("center", [(0, 0, 0), (0.5, 0.5, 0.5), (2, 0, 0), (0, 0, 2), (1.9, 0, 1.9)])
@pytest.mark.parametrize("axis", [Z, (1, 0, 0), (1, 2, 3)])
def test_drums_that_meet_have_no_gap(center: Any, axis: Any) -> None:
    gap, normal, _ = _measure_gaps("cylinder", drum()[None], drum(center, axis)[None])
    assert gap == [0.0]
    assert np.isnan(normal).all()


def test_a_late_answer_is_caught() -> None:
    from dataclasses import replace

    def late(case: Any) -> Any:
        result = run_ougi(case)
        return replace(result, t=np.where(result.status == 1, np.minimum(result.t + 1e-6, 1.0), result.t))

    tally = CylinderSubject(query=late).check("sector3d-box", "random", 300, np.random.default_rng(1))
    assert tally.failed["late"] > 10


def test_growth_and_distance_measure_what_they_say() -> None:
    box = ougi.Box(np.array([[3, 0, 0], [3, 0, 3], [1.5, 0, 0]]), [2, 2, 2])
    cylinders = drum([[0, 0, 0]] * 3)
    assert measure_growth(box, cylinders) == pytest.approx([1, 1, -0.5], abs=1e-12)
    assert measure_distance(box[:2], cylinders[:2]) == pytest.approx([1, math.sqrt(2)], abs=1e-9)
    assert ougi.intersects(grow(cylinders, np.full(3, 1 + 1e-9)), box).all()
