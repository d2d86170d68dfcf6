"""Contacts at t = 0 in the plane, at a gap of rounding: the normal still separates the two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Floats

# Bodies of size 1 overlap along a good normal by no more than the tolerance of `time_of_impact`.
TOLERANCE = 1e-11

# Triangle, ends of the segment, center and angle of the turn; found by the search below.
CASES = [
    (
        [
            [-0.6771596125786163, -0.5844244627600086],
            [0.5896553859585001, -0.049584647168622986],
            [0.5945416305106554, -0.21140944747505852],
        ],
        [[-0.6771596125786202, -0.5844244627599994], [-0.6775485613915296, -0.5835032033931887]],
        [-0.000999329776584512, -0.14975207064467977],
        5.6049137293407764e-11,
    ),
    (
        [
            [-0.9604555277006877, -0.7588957358075934],
            [-0.31525946652654024, 0.08058742639834238],
            [0.8937381808012139, 0.9547195819453307],
        ],
        [[-0.9604555277006955, -0.7588957358075873], [-1.1476631153592074, -1.0024769154423674]],
        [0.08831535462933679, 0.14169214791835258],
        -1.1499274648383119e-16,
    ),
]


def overlap(a: Floats, b: Floats, normal: Floats) -> Floats:
    """How far corners (n, k, 2) of two bodies overlap along a normal that points from a to b."""
    along_a, along_b = ((corners * normal[:, None]).sum(axis=-1) for corners in (a, b))
    return np.asarray(along_a.max(axis=1) - along_b.min(axis=1))


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("moving", ["triangle", "segment"])
def test_a_segment_at_a_corner(case: int, moving: str) -> None:
    corners, ends, center, angle = (np.array(part) for part in CASES[case])
    triangle, segment = ougi.Triangle2d(*corners), ougi.Segment2d(*ends)
    turn = ougi.Rotation2d(center, angle)
    bodies: list[Any] = [(triangle, corners), (segment, ends)]
    (a, points_a), (b, points_b) = bodies if moving == "triangle" else bodies[::-1]
    impact = ougi.time_of_impact(a, turn, b)
    assert impact.t == 0.0
    assert np.linalg.norm(impact.normal) == pytest.approx(1.0)
    assert overlap(points_a[None], points_b[None], impact.normal[None]) < TOLERANCE


@pytest.mark.parametrize("other", ["point", "segment"])
@pytest.mark.parametrize("moving", ["triangle", "other"])
def test_random_contacts_beside_corners_and_sides(other: str, moving: str) -> None:
    rng, n = np.random.default_rng(19), 20_000
    corners = rng.uniform(-1, 1, (n, 3, 2))
    a, b, c = np.moveaxis(corners, 1, 0)
    side = b - a
    outward = np.stack([side[:, 1], -side[:, 0]], axis=-1) / np.linalg.norm(side, axis=1)[:, None]
    outward *= -np.sign(((c - a) * outward).sum(axis=1))[:, None]
    place = a + side * rng.choice([0.0, 0.3, 1.0], n)[:, None]
    p = place + outward * rng.choice([1e-16, 1e-15, 1e-14, 1e-13, 1e-12], n)[:, None]
    away = np.where(rng.random((n, 1)) < 0.5, side * rng.uniform(-1, 1, (n, 1)), outward)
    q = p + (away + 0.3 * rng.normal(size=(n, 2))) * rng.choice([1e-9, 1e-3, 1.0], n)[:, None]
    angle = rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-16, -9, n)
    turn = ougi.Rotation2d(rng.normal(size=(n, 2)), angle)
    triangle = ougi.Triangle2d(a, b, c)
    body: ougi.Shape = ougi.Circle(p, 0) if other == "point" else ougi.Segment2d(p, q)
    ends = p[:, None] if other == "point" else np.stack([p, q], axis=1)
    bodies: list[Any] = [(triangle, corners), (body, ends)]
    (first, points_a), (second, points_b) = bodies if moving == "triangle" else bodies[::-1]
    impact = ougi.time_of_impact(first, turn, second)
    at_start = (impact.status == 1) & (impact.t == 0.0)
    assert at_start.sum() > 1000
    assert overlap(points_a, points_b, impact.normal)[at_start].max() < TOLERANCE
