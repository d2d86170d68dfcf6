"""Hulls of a world in one table against queries of each two bodies."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.results import Status

DT = 0.5


def draw_bodies(dimension: int, rng: np.random.Generator) -> list[tuple[Any, Any]]:
    """Single bodies of hulls and other classes that move, turn and rest, close together."""
    bodies = []
    for k in range(14):
        at = rng.uniform(-1.5, 1.5, dimension)
        cloud = at + 0.5 * rng.normal(size=(int(rng.integers(1, 9)), dimension))
        if dimension == 2:
            shapes: list[Any] = [
                ougi.ConvexPolygon2d.from_points(cloud, 0.1),
                ougi.Rectangle(at, [0.8, 0.5], angle=0.7),
                ougi.Circle(at, 0.3),
            ]
            moves: list[Any] = [ougi.Translation2d(rng.normal(size=2)), ougi.Rotation2d(-at, 1.0 + k)]
        else:
            axis = rng.normal(size=3)
            shapes = [
                ougi.ConvexHull3d(cloud, 0.1),
                ougi.Box(at, [0.8, 0.5, 0.4]),
                ougi.Cone.from_ends(at, at + axis / np.linalg.norm(axis), 0.4),
            ]
            moves = [ougi.Translation3d(rng.normal(size=3)), ougi.Screw3d(-at, axis, 1.0 + k, 0.3)]
        bodies.append((shapes[k % 3], [None, *moves][k // 2 % 3]))
    return bodies


def place(body: tuple[Any, Any], time: float) -> Any:
    shape, motion = body
    return shape if motion is None else shape.transformed(motion.at(time))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_world_reports_the_contacts_of_each_two_bodies(dimension: int) -> None:
    rng = np.random.default_rng(7)
    rest = ougi.Translation2d([0, 0]) if dimension == 2 else ougi.Translation3d([0, 0, 0])
    statuses = set()
    for _ in range(3):
        bodies, world = draw_bodies(dimension, rng), ougi.World()
        for shape, motion in bodies:
            world.add(shape, motion)
        for start in (0.0, DT):
            events = world.step(DT)
            found = {tuple(pair): k for k, pair in enumerate(events.pair.tolist()) if events.state[k] != 2}
            for i, j in itertools.combinations(range(len(bodies)), 2):
                a, b = bodies[i], bodies[j]
                own, other = (rest if body[1] is None else body[1].scaled(DT) for body in (a, b))
                expected = ougi.time_of_impact(place(a, start), own, place(b, start), other)
                assert (expected.status != Status.FREE) == ((i, j) in found)
                if (i, j) in found:
                    k = found[i, j]
                    statuses.add(int(expected.status))
                    assert events.status[k] == expected.status
                    np.testing.assert_allclose(events.t[k], expected.t, atol=1e-7)
                    if expected.status == Status.HIT:
                        np.testing.assert_allclose(events.point[k], expected.point, atol=1e-5)
                        np.testing.assert_allclose(events.normal[k], expected.normal, atol=1e-5)
    assert statuses == {Status.HIT, Status.OVERLAPPING}


def test_the_end_of_a_contact_of_hulls_is_that_of_their_overlap() -> None:
    world = ougi.World()
    moving = ougi.ConvexPolygon2d([[0, 0], [1, 0], [0, 1]])
    world.add(moving, ougi.Translation2d([4.4, 0.0]))
    world.add(ougi.ConvexPolygon2d([[0.5, 0.0], [1.0, 0.0], [1.0, 1.0]]))
    states = [world.step(0.125).state.tolist() for _ in range(3)]
    assert states == [[0], [1, 2], []]
