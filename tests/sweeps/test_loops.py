"""The compiled builders of sweeps, beside the plain form of their formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from swept import fan_motions

import ougi
from ougi.sweeps import _loops


def test_cosine_and_sine_are_those_of_the_c_library() -> None:
    rng = np.random.default_rng(1)
    angles = [
        0.0,
        math.pi,
        -math.pi / 4,
        1e-300,
        1e6,
        *rng.uniform(-7, 7, 2000),
        *rng.uniform(-1e5, 1e5, 2000),
    ]
    found = np.array([_loops._turn_of(float(angle)) for angle in angles])
    expected = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert np.abs(found - expected).max() <= 2.3e-16


def test_sectors_are_those_of_equations_2_1_and_2_2() -> None:
    box, motion = fan_motions(500, np.random.default_rng(2))
    fan: Any = ougi.sweep(box, motion, "sector")
    lever, half = np.linalg.norm(box.center, axis=1), motion.angle / 2
    side = np.cross(motion.axis, box.rotation[..., 1])
    middle = np.cos(half)[:, None] * box.rotation[..., 1] + np.sin(half)[:, None] * side
    for found, expected in (
        (fan.half_angle, half),
        (fan.inner_radius, np.maximum(lever - box.size[:, 1] / 2, 0)),
        (fan.outer_radius, lever + box.size[:, 1] / 2),
        (fan.half_height, box.size[:, 2] / 2),
        (fan.direction, middle),
        (fan.center, np.zeros((500, 3))),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("motion", ["screw", "move", "turn"])
def test_start_end_boxes_hold_both_ends_tightly(motion: str) -> None:
    n, rng = 200, np.random.default_rng(3)
    pivot, axis, angle = rng.uniform(-2, 2, (n, 3)), rng.normal(size=(n, 3)), rng.uniform(-9, 9, n)
    moves: dict[str, Any] = {
        "screw": ougi.Screw3d(pivot, axis, angle, rng.uniform(-3, 3, n)),
        "move": ougi.Translation3d(axis),
        "turn": ougi.Rotation3d(pivot, axis, angle),
    }
    box, _ = fan_motions(n, rng)
    capsule = ougi.Capsule3d(pivot, rng.uniform(-2, 2, (n, 3)), rng.uniform(0, 1, n))
    for shape in (box, capsule, ougi.Sphere(pivot, 1.0)):
        swept: Any = ougi.sweep(shape, moves[motion], "speculative-start-end")
        ends: list[Any] = [shape.bounds(), shape.transformed(moves[motion]).bounds()]
        np.testing.assert_allclose(swept.lower, np.minimum(*(b.lower for b in ends)), atol=1e-11)
        np.testing.assert_allclose(swept.upper, np.maximum(*(b.upper for b in ends)), atol=1e-11)


def test_enclosing_sector_of_a_box_touches_it() -> None:
    """The inner radius is the distance of the axis, the outer one that of the farthest corner."""
    n, rng = 300, np.random.default_rng(4)
    box, _ = fan_motions(n, rng)
    turn = ougi.Rotation3d(rng.uniform(-30, 30, (n, 3)), rng.normal(size=(n, 3)), 0.0)
    fan: Any = ougi.sweep(box, turn, "sector-enclosing")
    axis = ougi.Segment3d(turn.center - 200 * turn.axis, turn.center + 200 * turn.axis)
    np.testing.assert_allclose(fan.inner_radius, np.maximum(ougi.distance(axis, box), 0), atol=1e-9)
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    corners = box.center + np.einsum("nij,knj->kni", box.rotation, signs[:, None] * box.size)
    away = np.linalg.norm(np.cross(corners - turn.center, turn.axis), axis=-1)
    np.testing.assert_allclose(fan.outer_radius, away.max(axis=0), atol=1e-9)
    assert (fan.inner_radius > 0).any()
