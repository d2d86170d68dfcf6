"""One engine: every front end computes the same first contact in the same way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact import advancement, kernels, radar
from ougi.impact.engine import Engine, plan
from ougi.scene import Body, Piece

TETRAHEDRON = ougi.Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)

# At the origin, and of a size of about 1.
FLAT = {
    "circle": ougi.Circle([0, 0], 0.5),
    "capsule": ougi.Capsule2d([-0.5, 0], [0.5, 0.2], 0.2),
    "segment": ougi.Segment2d([-0.5, 0], [0.5, 0.2]),
    "triangle": ougi.Triangle2d([0, 0], [1, 0], [0, 1]),
    "rectangle": ougi.Rectangle([0, 0], [1, 0.6], 0.3),
    "aabb": ougi.Aabb2d([-0.5, -0.4], [0.5, 0.4]),
}
SOLID = {
    "sphere": ougi.Sphere([0, 0, 0], 0.5),
    "capsule": ougi.Capsule3d([-0.5, 0, 0], [0.5, 0.2, 0], 0.2),
    "segment": ougi.Segment3d([-0.5, 0, 0], [0.5, 0.2, 0]),
    "triangle": ougi.Triangle3d([0, 0, 0], [1, 0, 0], [0, 1, 0.2]),
    "box": ougi.Box([0, 0, 0], [1, 0.6, 0.4]),
    "aabb": ougi.Aabb3d([-0.5, -0.4, -0.3], [0.5, 0.4, 0.3]),
    "cylinder": ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, 0.5, 0.4),
    "mesh": TETRAHEDRON,
}
MOTIONS = {
    2: {
        "translation": ougi.Translation2d([5, 0.2]),
        "rotation": ougi.Rotation2d([1.5, -2], 2.0),
        "chain": ougi.Chain(ougi.Translation2d([5, 0]), ougi.Rotation2d([0, 0], 1.0)),
    },
    3: {
        "translation": ougi.Translation3d([5, 0.2, 0.1]),
        "rotation": ougi.Rotation3d([1.5, -2, 0], [0, 0.1, 1], 2.0),
        "screw": ougi.Screw3d([1.5, -2, 0], [0, 0.1, 1], 2.0, 0.2),
        "chain": ougi.Chain(ougi.Translation3d([5, 0, 0]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)),
    },
}
Doors = dict[str, Callable[[Any, Any, Any, Any], tuple[bool, float]]]


def ask_time_of_impact(a: Any, motion: Any, b: Any, other: Any) -> tuple[bool, float]:
    found = ougi.time_of_impact(a, motion, b, other)
    return bool(found.status > 0), float(np.nan_to_num(found.t))


def ask_world(a: Any, motion: Any, b: Any, other: Any) -> tuple[bool, float]:
    world = ougi.World()
    world.add(a, motion)
    world.add(b, other)
    began = world.step(1.0).began
    return (True, float(began.time[0])) if len(began) else (False, 0.0)


def ask_check(a: Any, motion: Any, b: Any, other: Any) -> tuple[bool, float]:
    pieces = [() if given is None else (Piece(0.0, 1.0, given),) for given in (motion, other)]
    scene = ougi.Scene((Body("a", a, pieces[0]), Body("b", b, pieces[1])), duration=1.0)
    contacts = ougi.check(scene).contacts
    return (True, float(contacts.time[0])) if len(contacts) else (False, 0.0)


DOORS: Doors = {"time_of_impact": ask_time_of_impact, "World.step": ask_world, "check": ask_check}


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The engines that have worked since the set was cleared."""
    used: set[str] = set()

    def watch(module: Any, name: str, engine: str) -> None:
        original = getattr(module, name)

        def called(*arguments: Any, **options: Any) -> Any:
            used.add(engine)
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, called)

    watch(kernels, "_run_loop", "kernel")
    watch(radar, "_write_contact", "radar")
    watch(advancement, "_advance", "advancement")
    watch(advancement, "_descend_trees", "advancement")
    return used


def questions(dimension: int) -> list[Any]:
    shapes, motions = (FLAT if dimension == 2 else SOLID), MOTIONS[dimension]
    found = []
    for k, (a, b) in enumerate((a, b) for a in shapes for b in shapes):
        name = list(motions)[k % len(motions)]
        other = (None, None, motions[list(motions)[(k // 2) % len(motions)]].scaled(-0.4))[k % 3]
        found.append(
            pytest.param(shapes[a], motions[name], shapes[b], other, id=f"{dimension}-D {a} {name} {b}")
        )
    return found


@pytest.mark.parametrize(("a", "motion", "b", "other"), [*questions(2), *questions(3)])
def test_every_front_end_uses_the_same_engine_and_finds_the_same(
    a: Any, motion: Any, b: Any, other: Any, engines: set[str]
) -> None:
    """The target stands beside the start, so that motions pass it, meet it or miss it."""
    d = a.dimension
    there = b.transformed(ougi.Pose([3.0, -0.3, 0.1][:d], 0.4 if d == 2 else [0, 0, 0.28, 0.96]))
    if isinstance(b, ougi.Aabb2d | ougi.Aabb3d):
        there = type(b)(b.lower + [3.0, -0.3, 0.1][:d], b.upper + [3.0, -0.3, 0.1][:d])
    answers, used = {}, {}
    for name, ask in DOORS.items():
        engines.clear()
        answers[name] = ask(a, motion, there, other)
        used[name] = (
            "radar" if "radar" in engines else "advancement" if "advancement" in engines else "kernel"
        )
    expected = answers["time_of_impact"]
    for hit, t in answers.values():
        assert hit == expected[0], answers
        assert t == pytest.approx(expected[1], abs=1e-7), answers
    # A world and a check pass over what their boxes keep apart.
    assert len({used[name] for name in used if answers[name][0]}) <= 1, used


@pytest.mark.parametrize(
    ("a", "b"), [("sphere", "box"), ("box", "box"), ("mesh", "mesh"), ("mesh", "sphere")]
)
def test_bodies_that_overlap_at_the_start_are_found_by_every_front_end(a: str, b: str) -> None:
    for ask in DOORS.values():
        assert ask(SOLID[a], MOTIONS[3]["rotation"], SOLID[b], None) == (True, 0.0)


@pytest.mark.parametrize(
    ("a", "motion", "b", "margin", "engine"),
    [
        ("sphere", "rotation", "box", 0.0, Engine.ONE_MOVER),
        ("sphere", "chain", "box", 0.0, Engine.ADVANCEMENT),
        ("mesh", "screw", "mesh", 0.0, Engine.RADAR),
        ("mesh", "screw", "mesh", 0.1, Engine.ADVANCEMENT),
        ("mesh", "rotation", "sphere", 0.0, Engine.ADVANCEMENT),
        ("mesh", "rotation", "box", 0.0, Engine.RADAR),
    ],
)
def test_the_plan_follows_from_classes_and_margin(
    a: str, motion: str, b: str, margin: float, engine: Engine
) -> None:
    given = MOTIONS[3][motion]
    assert plan(SOLID[a], given, SOLID[b], None, margin).engine is engine
    if engine is Engine.ONE_MOVER:
        assert plan(SOLID[a], given, SOLID[b], given).engine is Engine.TWO_MOVERS
    assert plan(SOLID[a], given, SOLID[b], None, margin, "advancement").engine is Engine.ADVANCEMENT
