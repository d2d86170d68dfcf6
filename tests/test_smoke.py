"""Fifty questions over all packages, each with an answer that can be computed in the head.

They run in a minute on a Python that has only ougi and pytest: `make test-pythons` runs them on every Python
it finds, with `--noconftest`, so this file uses neither fixtures nor libraries of the other tests.
"""

from __future__ import annotations

import importlib
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi

ORIGIN = [0, 0, 0]
UP = [0, 0, 1]
BALL = ougi.Sphere(ORIGIN, 1)
BOX = ougi.Box(ORIGIN, [2, 2, 2])
ROD = ougi.Capsule3d([-1, 0, 0], [1, 0, 0], 0.5)
DISC = ougi.Circle([0, 0], 1)
SQUARE = ougi.Rectangle([0, 0], [2, 2])
TRIANGLE = ougi.Triangle3d([0, 0, 0], [4, 0, 0], [0, 4, 0])
QUARTER = ougi.Rotation3d(ORIGIN, UP, math.pi / 2)
HALL = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
TETRAHEDRON = ougi.Mesh(CORNERS, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
WALL = ougi.Mesh([[4, -9, -9], [4, 9, -9], [4, 0, 9]], [[0, 1, 2]])
ROW = ougi.Sphere([[0.0, 0, 0], [1.5, 0, 0], [9.0, 0, 0]], 1)
HALF_FAN = ougi.Sector2d([0, 0], [1, 0], math.pi / 2, 1, 2)
FAN = ougi.Sector3d(ORIGIN, UP, [1, 0, 0], math.pi / 2, 0, 2, 1)
SCENE = """
ougi = 1

[[body]]
name = "ball"
shape = { type = "sphere", radius = 1 }
at = [0, 0, 0]
motion = { type = "translate", by = [8, 0, 0], seconds = 2 }

[[body]]
name = "wall"
shape = { type = "box", size = [2, 9, 9] }
at = [6, 0, 0]
"""


def meet(moving: ougi.Shape, motion: ougi.Motion, target: Any) -> float:
    return float(ougi.time_of_impact(moving, motion, target).t)


def step_world() -> ougi.Events:
    world = ougi.World()
    world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
    return world.step(1 / 60)


def track_pairs() -> list[Any]:
    broad = ougi.BroadPhase()
    broad.update(ROW)
    changes = broad.update(ougi.Sphere([[0.0, 0, 0], [7.5, 0, 0], [9.0, 0, 0]], 1))
    return [changes.began.tolist(), changes.ended.tolist()]


def detect_bodies() -> list[int]:
    volume = ougi.radar.Volume(ORIGIN, [1, 0, 0], [2, 2, 8], pixels=4)
    return list(ougi.radar.detect(volume, WALL).body.tolist())


def check_scene(path: Path) -> ougi.Report:
    file = path / "scene.toml"
    file.write_text(SCENE)
    return ougi.check(ougi.load_scene(file))


def get_message(make: Callable[[], Any]) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    return str(caught.value)


QUESTIONS: dict[str, tuple[Callable[[], Any], Any]] = {
    # two shapes
    "balls touch": (lambda: ougi.intersects(BALL, ougi.Sphere([2, 0, 0], 1)), True),
    "balls are apart": (lambda: ougi.intersects(BALL, ougi.Sphere([2.1, 0, 0], 1)), False),
    "many balls": (lambda: ougi.intersects(BALL, ROW), [True, True, False]),
    "all against all": (lambda: ougi.intersects(ROW[:, None], ROW).sum(), 5),
    "listed pairs": (lambda: ougi.intersects(ROW, ROW, pairs=[[0, 1], [0, 2]]), [True, False]),
    "ball and box touch": (lambda: ougi.intersects(BOX, ougi.Sphere([0, 0, 1.5], 0.5)), True),
    "ball beside a box": (lambda: ougi.distance(BOX, ougi.Sphere([0, 0, 3], 0.5)), 1.5),
    "ball beside an edge": (lambda: ougi.distance(BOX, ougi.Sphere([4, 0, 5], 1)), 4.0),
    "ball in a box": (lambda: ougi.distance(BOX, ougi.Sphere([0, 0, 0.5], 0.25)), -0.75),
    "point and ball": (lambda: ougi.distance(BALL, [3, 4, 0]), 4.0),
    "point in a ball": (lambda: ougi.contains(BALL, [[0, 0, 1], [1, 1, 0]]), [True, False]),
    "capsule and ball": (lambda: ougi.distance(ROD, ougi.Sphere([3, 0, 0], 0.5)), 1.0),
    "ball and triangle": (lambda: ougi.distance(TRIANGLE, ougi.Sphere([1, 1, 3], 1)), 2.0),
    "nearest points": (lambda: ougi.closest_points(BALL, ougi.Sphere([4, 0, 0], 1)).point_a, [1, 0, 0]),
    "depth of a contact": (lambda: ougi.contacts(BALL, ougi.Sphere([1.5, 0, 0], 1)).depth, 0.5),
    "normal of a contact": (lambda: ougi.contacts(BALL, ougi.Sphere([1.5, 0, 0], 1)).normal, [1, 0, 0]),
    "boxes by their bounds": (
        lambda: ougi.intersects(ougi.Aabb3d(ORIGIN, [1, 1, 1]), ougi.Aabb3d([1, 1, 1], [2, 2, 2])),
        True,
    ),
    "a surface and a ball": (lambda: ougi.intersects(WALL, ougi.Sphere([3.5, 0, 0], 1)), True),
    # in the plane
    "circles": (lambda: ougi.distance(DISC, ougi.Circle([5, 0], 1)), 3.0),
    "circle and rectangle": (lambda: ougi.intersects(SQUARE, ougi.Circle([2, 0], 1)), True),
    "point and rectangle": (lambda: ougi.distance(SQUARE, [4, 5]), 5.0),
    "fan and circle": (lambda: ougi.intersects(HALF_FAN, ougi.Circle([1.5, 0], 0.1)), True),
    "hole of a fan": (lambda: ougi.intersects(HALF_FAN, ougi.Circle([0.5, 0], 0.1)), False),
    "behind a fan": (lambda: ougi.intersects(HALF_FAN, ougi.Circle([-1.5, 0], 0.1)), False),
    "thick fan and ball": (lambda: ougi.intersects(FAN, ougi.Sphere([1, 0, 1.5], 0.6)), True),
    # motions
    "a quarter turn": (lambda: QUARTER.at(1.0).apply([1, 0, 0]), [0, 1, 0]),
    "between poses": (
        lambda: ougi.between(ougi.Pose(ORIGIN), ougi.Pose([2, 0, 0])).at(0.5).apply(ORIGIN),
        [1, 0, 0],
    ),
    "bounds of a turned box": (lambda: BOX.transformed(QUARTER).bounds().upper, [1, 1, 1]),
    "joined batches": (lambda: ougi.concatenate([ROW, BALL]).count, 4),
    "a pickle": (lambda: pickle.loads(pickle.dumps(ROW)) == ROW, True),
    # first contacts
    "balls meet": (lambda: meet(BALL, ougi.Translation3d([4, 0, 0]), ougi.Sphere([4, 0, 0], 1)), 0.5),
    "balls pass": (lambda: meet(BALL, ougi.Translation3d([0, 4, 0]), ougi.Sphere([4, 0, 0], 1)), math.nan),
    "a ball turns": (
        lambda: meet(ougi.Sphere([1, 0, 0], 0.1), QUARTER, ougi.Sphere([0, 0.99, 0.0], 0.0)) < 1,
        True,
    ),
    "a ball and a box": (
        lambda: meet(BALL, ougi.Translation3d([4, 0, 0]), ougi.Box([4, 0, 0], [2, 2, 2])),
        0.5,
    ),
    "both move": (
        lambda: (
            ougi.time_of_impact(
                BALL, ougi.Translation3d([2, 0, 0]), ougi.Sphere([4, 0, 0], 1), ougi.Translation3d([-2, 0, 0])
            ).t
        ),
        0.5,
    ),
    "circles meet": (lambda: meet(DISC, ougi.Translation2d([4, 0]), ougi.Circle([4, 0], 1)), 0.5),
    # many bodies
    "candidates": (lambda: ougi.candidate_pairs(ROW), [[0, 1]]),
    "candidates of two batches": (
        lambda: ougi.candidate_pairs(ROW, ougi.Box([8, 0, 0], [1, 1, 1])),
        [[2, 0]],
    ),
    "contacts of many": (lambda: ougi.contact_pairs(ROW), [[0, 1]]),
    "candidates from frame to frame": (track_pairs, [[[1, 2]], [[0, 1]]]),
    "a world": (lambda: step_world().time, [0.01]),
    # walls, depth images, scenes
    "area of a room": (lambda: HALL.area, 12.0),
    "a cast between walls": (lambda: HALL.cast([1, 1], [10, 0], 0.5).t, 0.25),
    "bounces between walls": (lambda: HALL.step([1, 1], [10, 0], 0.5, dt=1).position, [2, 1]),
    "distance to walls": (lambda: HALL.nearest([[1.0, 0.25], [-2.0, 1.0]]).distance, [0.25, 2]),
    "a radar": (detect_bodies, [0]),
    "a mesh that moves": (
        lambda: ougi.radar.collide(TETRAHEDRON, ougi.Translation3d([5, 0, 0]), WALL).t,
        0.6,
    ),
    # what is refused
    "a negative radius": (lambda: "radius" in get_message(lambda: ougi.Sphere(ORIGIN, -1)), True),
    "a pair that has no kernel": (
        lambda: "Mesh" in get_message(lambda: ougi.contacts(TETRAHEDRON, BALL)),
        True,
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_right(question: str) -> None:
    query, expected = QUESTIONS[question]
    np.testing.assert_allclose(np.asarray(query()), expected, rtol=0, atol=1e-9)


def test_a_scene_is_checked(tmp_path: Path) -> None:
    """The fiftieth question: a ball of radius 1 moves at 4 m/s and has 4 m to go."""
    times = check_scene(tmp_path).contacts.time
    assert times.tolist() == pytest.approx([1.0], abs=1e-6)


def test_there_are_fifty_questions() -> None:
    assert len(QUESTIONS) + 1 == 50


@pytest.mark.parametrize("name", ["ougi.adapters", "ougi.broad", "ougi.corridor", "ougi.radar", "ougi.scene"])
def test_packages_can_be_imported(name: str) -> None:
    assert importlib.import_module(name).__doc__
