"""Bodies that part and meet again within one span: every contact is reported at its own time."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.checks.report import VERDICTS
from ougi.scene import Body, Check, Piece

# Where the upper side of a blade touches a post on the y axis: half the thickness and the post's radius.
REACH, POST = 0.1 + 0.2, 3.0
ANGLE = math.pi / 2 - math.asin(REACH / POST)


def rotor(turns: float, motion: Any = None, mesh: bool = False, blades: int = 1) -> ougi.Scene:
    """Blades that turn about z, from the x axis, past a round post at the distance `POST` on the y axis."""
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2 * math.pi * turns)
    bodies = []
    for k in range(blades):
        blade: Any = ougi.Box([2, 0, 0], [4, 0.2, 0.2]).transformed(turn.at(k / blades / turns))
        shape = _mesh() if mesh else blade
        bodies.append(Body(f"blade {k}", shape, (Piece(0.0, turns, turn if motion is None else motion),)))
    post = Body("post", ougi.Capsule3d([0, POST, -1], [0, POST, 1], 0.2))
    return ougi.Scene((*bodies, post), duration=float(turns), checks=(Check("blade *", "post"),))


def _mesh() -> ougi.Mesh:
    """The blade on the x axis, as triangles."""
    corners = np.array([[x, y, z] for x in (0, 4) for y in (-0.1, 0.1) for z in (-0.1, 0.1)], float)
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    return ougi.Mesh(corners, [*faces, [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def passages(turns: float, start: float = 0.0) -> list[float]:
    """When a blade that starts at an angle meets the post: turns, one per second."""
    first = (ANGLE - start) / (2 * math.pi) % 1.0
    return [first + k for k in range(math.ceil(turns - first))]


def test_a_blade_meets_a_post_once_in_every_turn() -> None:
    contacts = ougi.check(rotor(7.5)).contacts
    assert contacts.time == pytest.approx(passages(7.5), abs=1e-7)
    assert contacts.status.tolist() == [1] * 8
    np.testing.assert_allclose(contacts.point, np.tile(contacts.point[0], (8, 1)), atol=1e-6)
    np.testing.assert_allclose(contacts.normal, np.tile(contacts.normal[0], (8, 1)), atol=1e-6)


def test_three_blades_take_turns() -> None:
    report = ougi.check(rotor(2.0, blades=3))
    expected = sorted((t, f"blade {k}") for k in range(3) for t in passages(2.0, start=2 * math.pi * k / 3))
    assert [a for a, _ in report.names(report.contacts)] == [name for _, name in expected]
    assert report.contacts.time == pytest.approx([t for t, _ in expected], abs=1e-7)
    assert len(report.unfinished) == 0


def test_a_chain_and_a_mesh_meet_as_often() -> None:
    half = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2 * math.pi)
    for scene in (rotor(2.0, ougi.Chain(half, half)), rotor(2.0, mesh=True)):
        contacts = ougi.check(scene).contacts
        assert contacts.time == pytest.approx(passages(2.0), abs=1e-6)
        assert "kernel" not in contacts.engine


def test_a_pendulum_meets_a_peg_on_every_way() -> None:
    """Four swings, two keys each: there it is touched from one side, back from the other."""
    swing = math.radians(80)
    motions = [ougi.Rotation2d([0, 0], swing if k % 2 == 0 else -swing) for k in range(4)]
    bob = Body(
        "bob", ougi.Circle([0, -2], 0.3), tuple(Piece(k, k + 1, path) for k, path in enumerate(motions))
    )
    peg = Body("peg", ougi.Circle([2 * math.sin(swing / 2), -2 * math.cos(swing / 2)], 0.2))
    # The circles touch where the chord between their centers, on one circle about the pivot, is 0.5.
    touch = (swing / 2 - 2 * math.asin(0.5 / 4)) / swing
    contacts = ougi.check(ougi.Scene((bob, peg), duration=4.0)).contacts
    assert contacts.time == pytest.approx([touch + k for k in range(4)], abs=1e-7)


def test_through_the_walls_of_a_mesh_that_is_hollow() -> None:
    """A ball flies through a closed mesh: it touches one wall, then nothing, then the other."""
    hollow = Body("box", _mesh())
    ball = Body("ball", ougi.Sphere([-1, 0, 0], 0.01), (Piece(0.0, 1.0, ougi.Translation3d([6, 0, 0])),))
    contacts = ougi.check(ougi.Scene((ball, hollow), duration=1.0)).contacts
    assert contacts.time == pytest.approx([0.99 / 6, 4.99 / 6], abs=1e-7)


@pytest.mark.parametrize("post", ["ball", "mesh"])
def test_both_tines_of_a_fork_meet_a_thin_post(post: str) -> None:
    """Two contacts within 1.5 degrees, where fixed steps have more than 3: one of each tine in every turn."""
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 4 * math.pi)
    tine = np.array([[2.9, 0, -1], [3.1, 0, -1], [3.0, 0, 1]])
    second = ougi.Rotation3d([0, 0, 0], [0, 0, 1], -math.radians(1.5)).at(1.0).apply(tine)
    fork = ougi.Mesh(np.concatenate([tine, second]), [[0, 1, 2], [3, 4, 5]])
    radius = 0.01
    target: Any = ougi.Sphere([0, 3, 0], radius)
    if post == "mesh":
        radius, target = 0.0, ougi.Mesh([[-0.005, 2.5, 0], [0.0, 3.5, 0], [0.005, 2.5, 0]], [[0, 1, 2]])
    bodies = (Body("fork", fork, (Piece(0.0, 2.0, turn),)), Body("post", target))
    contacts = ougi.check(ougi.Scene(bodies, duration=2.0)).contacts
    assert len(contacts) == 4
    first = (math.pi / 2 - math.asin(radius / 3.0)) / (2 * math.pi)
    expected = [first + k + late for k in (0, 1) for late in (0, 1.5 / 360)]
    assert contacts.time == pytest.approx(expected, abs=1e-6 if post == "ball" else 1e-3)


def make_ring(gap: float, flat: bool) -> tuple[Any, Any]:
    """A ring with a narrow slot, and a turn about its center."""
    if flat:
        return ougi.Sector2d([0, 0], [1, 0], math.pi - gap, 0.5, 1.0), ougi.Rotation2d([0, 0], 2 * math.pi)
    ring = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi - gap, 0.5, 1.0, 0.1)
    return ring, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2 * math.pi)


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("kind", ["ball", "box", "needle", "fan"])
def test_a_body_leaves_a_ring_in_its_narrow_slot_and_meets_it_again(kind: str, flat: bool) -> None:
    """The ring is open by 1.1 degrees, where fixed steps have 4.5: a lower bound of the depth is followed."""
    gap, half, distance = 0.01, 0.005, 0.8
    ring, turn = make_ring(gap, flat)
    body: dict[str, Any] = {
        "ball": ougi.Sphere([distance, 0, 0], half),
        "box": ougi.Box([distance, 0, 0], [0.1, 2 * half, 0.02]),
        "needle": ougi.Segment3d([distance - 0.05, -half, 0], [distance + 0.05, -half, 0]),
        "fan": ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], half, 0.7, 0.9, 0.05),
    }
    if flat:
        body = {
            "ball": ougi.Circle([distance, 0], half),
            "box": ougi.Rectangle([distance, 0], [0.1, 2 * half]),
            "needle": ougi.Segment2d([distance - 0.05, -half], [distance + 0.05, -half]),
            "fan": ougi.Sector2d([0, 0], [1, 0], half, 0.7, 0.9),
        }
    bodies = Body("ring", ring, (Piece(0.0, 1.0, turn),)), Body("body", body[kind])
    contacts = ougi.check(ougi.Scene(bodies, duration=1.0)).contacts
    # The second side of the slot meets the lower border of the body, at its inner corner first.
    reach = {
        "ball": math.asin(half / distance),
        "box": math.atan(half / (distance - 0.05)),
        "needle": math.atan(half / (distance - 0.05)),
        "fan": half,
    }
    again = 0.5 + (gap - reach[kind]) / (2 * math.pi)
    assert contacts.time == pytest.approx([0.0, again], abs=1e-7)


def test_a_contact_that_lasts_is_reported_once() -> None:
    slide = Piece(0.0, 1.0, ougi.Translation3d([5, 0, 0]))
    floor = Body("floor", ougi.Box([0, 0, -0.5], [40, 40, 1]))
    for height in (0.1, 0.0999):
        cart = Body("cart", ougi.Box([0, 0, height], [0.2, 0.2, 0.2]), (slide,))
        assert len(ougi.check(ougi.Scene((cart, floor), duration=1.0)).contacts) == 1


def test_too_many_contacts_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ougi.timeline.repeat_contacts.MAX_QUERIES", 6)
    report = ougi.check(rotor(7.5))
    assert 1 < len(report.contacts) < 8
    assert report.names(report.unfinished) == [("blade 0", "post")]


def test_a_method_is_compared_with_every_contact() -> None:
    """At two frames per turn poses see the blade on the post in none, at 200 in all of them."""
    for fps, word in ((2.0, "missed"), (200.0, "found")):
        report = ougi.check(rotor(3.5), method="discrete", fps=fps)
        assert report.compared is not None
        assert [VERDICTS[int(v)] for v in report.compared.verdict] == [word] * 4
        assert report.compared.exact == pytest.approx(passages(3.5), abs=1e-7)


def draw_blades(n: int, rng: np.random.Generator) -> tuple[ougi.Scene, list[dict[str, Any]]]:
    """Turning rectangles, and a ball beside each; many balls meet both corners of an end."""
    bodies, cases = [], []
    for k in range(n):
        half = np.array([1.0, rng.uniform(0.03, 0.2 if k % 2 else 0.048)])
        radius, start, turn = rng.uniform(0.01, 0.1), rng.uniform(-3, 3), rng.uniform(3, 12)
        between = 1.0 + rng.uniform(0.1, 0.9) * (math.hypot(*half) - 1.0)
        pivot, away = np.array([50.0 * k, 0.0]), rng.uniform(-math.pi, math.pi)
        ball = pivot + (between + radius) * np.array([math.cos(away), math.sin(away)])
        drift = rng.normal(size=2) * (0.02 if k % 2 else 1e-5)
        blade = ougi.Rectangle(pivot, 2 * half, start)
        bodies.append(Body(f"blade {k}", blade, (Piece(0.0, 1.0, ougi.Rotation2d(pivot, turn)),)))
        bodies.append(
            Body(f"ball {k}", ougi.Circle(ball, radius), (Piece(0.0, 1.0, ougi.Translation2d(drift)),))
        )
        case = {"half": half, "radius": radius, "start": start, "turn": turn, "drift": drift}
        cases.append(case | {"ball": ball - pivot})
    return ougi.Scene(tuple(bodies)), cases


def sample_gaps(case: dict[str, Any], t: Any) -> Any:
    """Signed distances of the ball from the rectangle, in the rectangle's own coordinates."""
    angle = case["start"] + case["turn"] * t
    x, y = case["ball"][:, None] + case["drift"][:, None] * t
    local = np.stack([x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)])
    over = np.abs(local) - case["half"][:, None]
    outside = np.hypot(*np.maximum(over, 0.0))
    return np.where(outside > 0, outside, over.max(axis=0)) - case["radius"]


def test_every_contact_is_found_as_dense_samples_show() -> None:
    """Two corners of a blade pass a ball within a few degrees: two contacts, unless they only graze."""
    scene, cases = draw_blades(60, np.random.default_rng(21))
    report = ougi.check(scene)
    found: dict[str, list[float]] = {}
    for names, time in zip(report.names(report.contacts), report.contacts.time, strict=True):
        found.setdefault(max(names), []).append(float(time))
    t = np.linspace(0, 1, 200_001)
    compared = near = 0
    for k, case in enumerate(cases):
        gap = sample_gaps(case, t)
        extreme = gap[1:-1][(np.diff(gap)[1:] * np.diff(gap)[:-1]) <= 0]
        if (np.abs(extreme) < 2e-5).any():
            continue
        begins = t[1:][(gap[:-1] > 0) & (gap[1:] <= 0)].tolist()
        begins = [0.0, *begins] if gap[0] <= 0 else begins
        assert found.get(f"blade {k}", []) == pytest.approx(begins, abs=1e-5), k
        compared += len(begins)
        near += sum(b - a < math.radians(5.6) / case["turn"] for a, b in itertools.pairwise(begins))
    assert compared > 60
    assert near > 10
    assert len(report.unfinished) == 0
