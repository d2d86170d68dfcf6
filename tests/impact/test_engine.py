"""One engine: every front end computes the same first contact in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pymunk
import pytest
from contact_queries import FLAT, MOTIONS, SOLID, make_queries, make_unsupported_queries

import ougi
from ougi.adapters import pymunk as for_pymunk
from ougi.impact import advancement, batches, half_spaces, hull_table, hulls, mixed, queries, radar, sectors
from ougi.impact.engine import Engine, plan
from ougi.scene import Body, Piece

FrontEnds = dict[str, Callable[[Any, Any, Any, Any], tuple[bool, float]]]


def find_by_query(a: Any, motion: Any, b: Any, other: Any) -> tuple[bool, float]:
    found = ougi.time_of_impact(a, motion, b, other)
    return bool(found.status > 0), float(np.nan_to_num(found.t))


def find_by_world(a: Any, motion: Any, b: Any, other: Any) -> tuple[bool, float]:
    world = ougi.World()
    world.add(a, motion)
    world.add(b, other)
    began = world.step(1.0).began
    return (True, float(began.time[0])) if len(began) else (False, 0.0)


def find_by_check(a: Any, motion: Any, b: Any, other: Any) -> tuple[bool, float]:
    pieces = [() if given is None else (Piece(0.0, 1.0, given),) for given in (motion, other)]
    scene = ougi.Scene((Body("a", a, pieces[0]), Body("b", b, pieces[1])), duration=1.0)
    contacts = ougi.check(scene).contacts
    return (True, float(contacts.time[0])) if len(contacts) else (False, 0.0)


FRONT_ENDS: FrontEnds = {
    "time_of_impact": find_by_query,
    "World.step": find_by_world,
    "check": find_by_check,
}


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The engines that have worked since the set was cleared."""
    used: set[str] = set()

    def watch(module: Any, name: str, engine: str) -> None:
        original = getattr(module, name)

        def call(*arguments: Any, **options: Any) -> Any:
            found = original(*arguments, **options)
            if found is not None:
                used.add(engine)
            return found

        monkeypatch.setattr(module, name, call)

    watch(queries, "find_single_contact", "kernel")
    watch(batches, "run_loop", "kernel")
    watch(mixed, "_list_tasks", "kernel")
    watch(hulls, "run_hulls", "kernel of hulls")
    watch(hull_table, "run_hulls", "kernel of hulls")
    watch(half_spaces, "run_loop", "kernel of half-spaces")
    watch(sectors, "run_loop", "kernel of sectors")
    watch(radar, "list_windows", "radar")
    watch(advancement, "_advance", "advancement")
    watch(advancement, "_search_parts", "advancement")
    return used


@pytest.mark.parametrize(("a", "motion", "b", "other"), [*make_queries(2), *make_queries(3)])
def test_every_front_end_uses_the_same_engine_and_finds_the_same(
    a: Any, motion: Any, b: Any, other: Any, engines: set[str]
) -> None:
    results, used = {}, {}
    for name, find in FRONT_ENDS.items():
        engines.clear()
        results[name] = find(a, motion, b, other)
        used[name] = set(engines)
    expected = results["time_of_impact"]
    for hit, t in results.values():
        assert hit == expected[0], results
        assert t == pytest.approx(expected[1], abs=1e-7), results
    # A world and a check skip pairs whose boxes are apart.
    working = [used[name] for name in used if results[name][0]]
    assert all(each == working[0] and each for each in working), used


def test_every_class_of_shapes_is_in_the_list() -> None:
    listed = {type(shape) for shape in [*FLAT.values(), *SOLID.values()]}
    public = {getattr(ougi, name) for name in dir(ougi) if not name.startswith("_")}
    shapes = {each for each in public if isinstance(each, type) and issubclass(each, ougi.Shape)}
    # A sweep is what a shape sweeps over; `Shape` is the base.
    assert shapes - listed == {ougi.Shape, ougi.Sweep}


@pytest.mark.parametrize(("a", "motion", "b", "other"), make_unsupported_queries())
def test_what_no_engine_computes_is_refused_or_reported(a: Any, motion: Any, b: Any, other: Any) -> None:
    with pytest.raises(ougi.UnsupportedPairError):
        ougi.time_of_impact(a, motion, b, other)
    pieces = [() if given is None else (Piece(0.0, 1.0, given),) for given in (motion, other)]
    report = ougi.check(ougi.Scene((Body("a", a, pieces[0]), Body("b", b, pieces[1])), duration=1.0))
    assert report.contacts.status.tolist() in ([], [ougi.Status.UNSUPPORTED], [ougi.Status.OVERLAPPING])


@pytest.mark.parametrize(
    ("a", "motion", "b", "other"), make_queries(2, together=True) + make_queries(3, together=True)
)
def test_bodies_that_overlap_at_the_start_are_found_by_every_front_end(
    a: Any, motion: Any, b: Any, other: Any
) -> None:
    for find in FRONT_ENDS.values():
        assert find(a, motion, b, other) == (True, 0.0)


@pytest.mark.parametrize(("a", "motion", "b", "other"), [*make_queries(2)[::2], *make_queries(3)[::2]])
def test_near_misses_of_a_check_are_first_contacts_with_the_margin(
    a: Any, motion: Any, b: Any, other: Any
) -> None:
    margin = 0.6
    expected = ougi.time_of_impact(a, motion, b, other, margin=margin)
    pieces = [() if given is None else (Piece(0.0, 1.0, given),) for given in (motion, other)]
    scene = ougi.Scene((Body("a", a, pieces[0]), Body("b", b, pieces[1])), duration=1.0)
    report = ougi.check(scene, margin=margin)
    if len(report.contacts):
        assert expected.status > 0
        assert float(np.nan_to_num(expected.t)) <= report.contacts.time[0] + 1e-7
    else:
        times = report.near.time
        assert len(times) == int(expected.status > 0)
        assert times == pytest.approx([float(expected.t)] * len(times), abs=1e-7)


@pytest.mark.parametrize(
    ("a", "motion", "b", "margin", "engine"),
    [
        ("sphere", "rotation", "box", 0.0, Engine.ONE_MOVER),
        ("sphere", "chain", "box", 0.0, Engine.ADVANCEMENT),
        ("mesh", "screw", "mesh", 0.0, Engine.RADAR),
        ("mesh", "screw", "mesh", 0.1, Engine.ADVANCEMENT),
        ("mesh", "rotation", "sphere", 0.0, Engine.ADVANCEMENT),
        ("mesh", "rotation", "box", 0.0, Engine.RADAR),
        ("sector", "rotation", "capsule", 0.0, Engine.SECTORS),
        ("sector", "rotation", "box", 0.0, Engine.SECTORS),
        ("sector", "chain", "box", 0.0, Engine.ADVANCEMENT),
        ("sector", "rotation", "mesh", 0.0, Engine.ADVANCEMENT),
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


def make_pymunk_shape(name: str, target: Any) -> Any:
    """A target of the list as a shape of pymunk, on a body of its own."""
    body = pymunk.Body()
    if name == "circle":
        body.position = tuple(target.center.tolist())
        return pymunk.Circle(body, float(target.radius))
    if name in ("capsule", "segment"):
        ends = [tuple(end.tolist()) for end in (target.start, target.end)]
        return pymunk.Segment(body, *ends, float(getattr(target, "radius", 0.0)))
    return pymunk.Poly(body, [tuple(corner) for corner in _list_corners(target)])


def _list_corners(target: Any) -> Any:
    if isinstance(target, ougi.ConvexPolygon2d):
        return target.vertices.tolist()
    if isinstance(target, ougi.Triangle2d):
        return [target.a.tolist(), target.b.tolist(), target.c.tolist()]
    if isinstance(target, ougi.Aabb2d):
        (x, y), (right, top) = target.lower.tolist(), target.upper.tolist()
        return [(x, y), (right, y), (right, top), (x, top)]
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * target.size / 2
    return ougi.Pose(target.center, float(target.angle)).apply(corners).tolist()


@pytest.mark.parametrize(
    "name", [name for name in FLAT if name not in ("polygon", "compound", "half-space", "sector")]
)
@pytest.mark.parametrize("turn", [-2.5, -0.4, 0.6, 2.9])
def test_adapters_find_the_same_first_contacts(name: str, turn: float) -> None:
    """A blade about the origin, against every shape of the plane beside it."""
    target = next(query.values[2] for query in make_queries(2) if query.id and query.id.endswith(name))
    rod = ougi.Capsule2d([1.1, 0], [3.9, 0], 0.1)
    blade, shapes = for_pymunk.Swing(rod), for_pymunk.Shapes()
    start = -0.5 * turn
    shape = make_pymunk_shape(name, target)
    placed = rod.transformed(ougi.Pose([0, 0], start))
    found = ougi.time_of_impact(placed, ougi.Rotation2d([0, 0], turn), target)
    frames = []
    for angle in (start, start + turn):
        shapes.update([shape])
        blade.move_to((0.0, 0.0), angle)
        frames.append(blade.hits(shapes))
    assert bool(frames[0]) == (found.status == ougi.Status.OVERLAPPING)  # a shape is hit once in a swing
    times = [hit.t for hits in frames for hit in hits]
    assert times == pytest.approx([float(found.t)] if found.hit else [], abs=1e-7)
