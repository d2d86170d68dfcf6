"""First contacts of hulls and polygons against those of the shapes that they are equal to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact.engine import Engine, plan
from ougi.results import Status
from ougi_lab.scenes.motions import MOTIONS, draw_moving_pairs
from ougi_lab.verify.ccd import repeat_case, run_ougi

BOX, CUBE = ougi.Box([2.0, 0.0, 0.0], [1.0, 0.5, 0.4]), ougi.Box([0.0, 2.0, 0.1], [0.6, 0.6, 0.6])
TURN = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.5)


def find_corners(box: Any) -> Any:
    """The corners of a box or rectangle."""
    signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * box.dimension), axis=-1).reshape((-1, box.dimension))
    turn = box.rotation if box.dimension == 3 else np.stack(box._axes(), axis=-1)
    return box.center + signs * box.size @ turn.T


def as_hull(box: Any) -> Any:
    if box.shape:
        return ougi.concatenate([as_hull(each) for each in box])
    corners = find_corners(box)
    return ougi.ConvexHull3d(corners) if box.dimension == 3 else ougi.ConvexPolygon2d.from_points(corners)


@pytest.mark.parametrize("both", [False, True], ids=["one moves", "both move"])
@pytest.mark.parametrize("cls", [ougi.Box, ougi.Rectangle], ids=lambda cls: cls.__name__)
def test_hulls_of_boxes_meet_when_the_boxes_do(cls: Any, both: bool) -> None:
    for kind in MOTIONS[cls.dimension]:
        rng = np.random.default_rng([5, both])
        a, motion, b, other = draw_moving_pairs(cls, cls, kind, both, 20, rng)[:4]
        expected = ougi.time_of_impact(a, motion, b, other)
        found = ougi.time_of_impact(as_hull(a), motion, b, other)
        assert found.status.tolist() == expected.status.tolist()
        assert (found.status == 1).sum() > 2
        np.testing.assert_allclose(found.t, expected.t, atol=1e-6)
        swapped = ougi.time_of_impact(a, motion, as_hull(b), other)
        np.testing.assert_allclose(swapped.t, expected.t, atol=1e-6)


def test_chains_and_margins_are_those_of_the_box() -> None:
    chain = TURN @ ougi.Translation3d([0.2, 0.1, 0.3])
    assert plan(as_hull(BOX), chain, CUBE, None).engine is Engine.ADVANCEMENT
    for motion, margin in ((chain, 0.0), (chain, 0.2), (TURN, 0.2)):
        expected = ougi.time_of_impact(BOX, motion, CUBE, margin=margin)
        found = ougi.time_of_impact(as_hull(BOX), motion, as_hull(CUBE), margin=margin)
        assert found.status == expected.status == ougi.Status.HIT
        assert found.t == pytest.approx(float(expected.t), abs=1e-7)
        np.testing.assert_allclose(found.normal, expected.normal, atol=1e-6)


def test_a_rounded_hull_keeps_its_radius() -> None:
    rod = ougi.Capsule3d([1, 0, 0], [3, 0, 0], 0.25)
    hull = ougi.ConvexHull3d([[1, 0, 0], [3, 0, 0]], 0.25)
    expected, found = (ougi.time_of_impact(body, TURN, CUBE) for body in (rod, hull))
    assert found.t == pytest.approx(float(expected.t), abs=1e-8)
    np.testing.assert_allclose(found.point, expected.point, atol=1e-6)


@pytest.mark.parametrize(
    "target",
    [
        ougi.Cone([2, 0, 0], [0, 0, 1], 1 - 1e-8, 1),
        ougi.Ellipsoid([2, 0, 0], [1 - 1e-8, 1, 1]),
        ougi.ConvexHull3d(np.array([[1 + 1e-8, -1, -1], [1 + 1e-8, 1, -1], [1 + 1e-8, 0, 1], [2, 0, 0]])),
    ],
)
def test_a_cylinder_that_turns_about_its_own_axis_stays_apart(target: Any) -> None:
    """Its points come as near as tolerances allow for the whole turn, but the body does not move."""
    cylinder = ougi.Cylinder([0, 0, 0], [0, 0, 1], 1, 1)
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 20.0)
    assert plan(cylinder, turn, target, None).engine == Engine.HULLS
    assert ougi.time_of_impact(cylinder, turn, target).status == Status.FREE


def test_a_hull_far_from_the_center_of_its_motion_is_followed_to_its_size() -> None:
    """Its coordinates are 1, its size and its motion 1e-12: heights must be as precise as a step is short."""
    place = {"seed": 3, "kind": "near", "chunk": 0, "size": 200, "number": 8, "index": 4}
    case = repeat_case("point3d-convexhull3d", place, "moving-hull")
    assert run_ougi(case).status != Status.UNDECIDED


def test_a_world_finds_the_contacts_of_time_of_impact() -> None:
    world = ougi.World()
    world.add(as_hull(BOX), TURN)
    world.add(CUBE)
    events = world.step(1.0)
    expected = ougi.time_of_impact(BOX, TURN, CUBE)
    assert events.t[0] == pytest.approx(float(expected.t), abs=1e-7)


def test_scene_files_hold_hulls(tmp_path: Path) -> None:
    file = tmp_path / "scene.toml"
    points = find_corners(ougi.Box([0, 0, 0], [1.0, 0.5, 0.4])).tolist()
    file.write_text(
        f"""
        ougi = 1
        [[body]]
        name = "tool"
        shape = {{ type = "hull", points = {points} }}
        at = [2, 0, 0]
        motion = {{ type = "rotate", axis = [0, 0, 1], about = [0, 0, 0], degrees = 143.2394, seconds = 1 }}
        [[body]]
        name = "part"
        shape = {{ type = "box", size = [0.6, 0.6, 0.6] }}
        at = [0, 2, 0.1]
        """
    )
    report = ougi.check(ougi.load_scene(file))
    assert len(report.contacts.time) == 1
    expected = ougi.time_of_impact(BOX, TURN, CUBE)
    assert report.contacts.time[0] == pytest.approx(float(expected.t), abs=1e-5)
