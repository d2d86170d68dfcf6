"""Thick fan against ball and point: regions first, then borders, then an independent distance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import ougi

Floats = NDArray[np.float64]
pytestmark = pytest.mark.plain


def fan(
    half_angle: float = math.pi / 4, inner: float = 1.0, outer: float = 5.0, height: float = 1.0
) -> ougi.Sector3d:
    return ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], half_angle, inner, outer, height)


def distance_to_fan(p: Floats, half_angle: float, inner: float, outer: float, height: float) -> float:
    """By polar angle, with trigonometry: shares nothing with the kernel."""
    rho, phi = math.hypot(p[0], p[1]), abs(math.atan2(p[1], p[0]))
    if phi <= half_angle:
        planar = max(inner - rho, rho - outer, 0.0)
    else:
        off = min(phi - half_angle, math.pi)
        t = min(max(rho * math.cos(off), inner), outer)
        planar = math.sqrt(max(rho * rho + t * t - 2 * rho * t * math.cos(off), 0.0))
    return math.hypot(planar, max(abs(p[2]) - height, 0.0))


@pytest.mark.parametrize(
    ("center", "radius", "hit"),
    [
        ([3, 0, 0], 0.1, True),  # inside
        ([6, 0, 0], 1.0, True),  # touches the outer wall
        ([6, 0, 0], 0.999, False),
        ([3, 0, 2], 1.0, True),  # touches the top
        ([3, 0, 2], 0.999, False),
        ([0, 0, 0], 0.999, False),  # in the hole
        ([0, 0, 0], 1.0, True),
        ([0, 3, 0], 2.0, False),  # past the side
        ([0, 3, 0], 2.2, True),
        ([-3, 0, 0], 2.0, False),  # behind the apex
    ],
)
def test_regions(center: list[float], radius: float, hit: bool) -> None:
    assert ougi.intersects(fan(), ougi.Sphere(center, radius)) == hit


def test_ball_wider_than_the_hole_touches() -> None:
    """FAN erratum 1: the printed (2.8) compares with (r - rc)^2 and misses this."""
    ball = ougi.Sphere([0.5, 0, 0], 2)
    assert ougi.intersects(fan(), ball)


def test_both_sides_inside_the_ball() -> None:
    assert ougi.intersects(fan(half_angle=0.1, inner=0, outer=1), ougi.Sphere([0.5, 0, 0], 3))


def test_opposite_ray_of_a_fan_without_angle_is_outside() -> None:
    thin = fan(half_angle=0.0, inner=1, outer=2)
    assert ougi.contains(thin, [1.5, 0, 0])
    assert not ougi.contains(thin, [-1.5, 0, 0])
    assert not ougi.contains(thin, [1.5, 1e-9, 0])


def test_full_ring_has_no_crack() -> None:
    ring = fan(half_angle=math.pi, inner=1, outer=2)
    angle = np.linspace(-math.pi, math.pi, 1001)
    points = np.stack([1.5 * np.cos(angle), 1.5 * np.sin(angle), 0 * angle], axis=-1)
    assert ougi.contains(ring, points).all()
    assert ougi.contains(ring, [[-1.5, 0.0, 0], [-1.5, -0.0, 0], [-1.5, 1e-300, 0]]).all()


def test_apex_belongs_to_a_piece_of_cake() -> None:
    assert ougi.contains(fan(inner=0), [0, 0, 0])
    assert not ougi.contains(fan(inner=0.1), [0, 0, 0])


def test_agrees_with_the_distance_by_angles() -> None:
    rng = np.random.default_rng(8)
    for _ in range(60):
        half_angle = float(rng.choice([0.01, math.pi, rng.uniform(0, math.pi)]))
        inner = float(rng.choice([0, rng.uniform(0, 3)]))
        outer, height = inner + float(rng.uniform(0, 3)), float(rng.choice([0, rng.uniform(0, 2)]))
        axis, rough = rng.normal(size=(2, 3))
        center = rng.uniform(-5, 5, 3)
        sector = ougi.Sector3d(center, axis, rough, half_angle, inner, outer, height)
        u, a = sector.axis, sector.direction
        frame = np.stack([a, np.cross(u, a), u])
        p = rng.uniform(-7, 7, (40, 3))
        true = np.array([distance_to_fan(q, half_angle, inner, outer, height) for q in p])
        world = p @ frame + center
        for gap in (0.3, 1e-6, -1e-6, -0.3):
            radius = np.maximum(true - gap, 0)
            known = np.abs(radius - true) > 1e-12
            hit = ougi.intersects(sector, ougi.Sphere(world, radius))
            assert np.array_equal(hit[known], (radius >= true)[known])
        inside = ougi.contains(sector, world)
        assert np.array_equal(inside, true == 0) or np.abs(true[inside != (true == 0)]).max() < 1e-12
