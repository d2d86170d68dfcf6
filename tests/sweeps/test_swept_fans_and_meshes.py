"""What is swept by fans, meshes and points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from swept import FAN, TETRAHEDRON, TURN, move_points

import ougi

Floats = NDArray[np.float64]


def random_fans(dimension: int, n: int, rng: np.random.Generator) -> Any:
    inner = rng.uniform(0, 1, n) * rng.choice([0, 1], n)
    half = np.where(rng.random(n) < 0.3, math.pi, rng.uniform(0, math.pi, n))
    center, toward = rng.uniform(-2, 2, (n, dimension)), rng.normal(size=(n, dimension))
    outer = inner + rng.uniform(0, 1, n)
    if dimension == 2:
        return ougi.Sector2d(center, toward, half, inner, outer)
    return ougi.Sector3d(center, rng.normal(size=(n, 3)), toward, half, inner, outer, rng.uniform(0, 1, n))


def points_of_fans(fan: Any, k: int, rng: np.random.Generator) -> Floats:
    """k points of each fan, many of them on edges."""
    share = np.clip(rng.uniform(-1.4, 1.4, (3, k, fan.count)), -1, 1)
    psi = fan.half_angle * share[0]
    rho = (fan.inner_radius + fan.outer_radius + (fan.outer_radius - fan.inner_radius) * share[1]) / 2
    x = fan.direction
    y = np.stack([-x[:, 1], x[:, 0]], axis=1) if fan.dimension == 2 else np.cross(fan.axis, x)
    arms = (rho * np.cos(psi))[..., None] * x + (rho * np.sin(psi))[..., None] * y
    if fan.dimension == 2:
        return np.asarray(fan.center + arms)
    return np.asarray(fan.center + arms + (fan.half_height * share[2])[..., None] * fan.axis)


def random_turns(dimension: int, n: int, rng: np.random.Generator) -> Any:
    center, angle = rng.uniform(-2, 2, (n, dimension)), rng.uniform(-4, 4, n)
    if dimension == 2:
        return ougi.Rotation2d(center, angle)
    return ougi.Screw3d(center, rng.normal(size=(n, 3)), angle, rng.uniform(-1, 1, n))


@pytest.mark.parametrize("dimension", [2, 3])
def test_sectors_and_boxes_around_moving_fans_hold_them(dimension: int) -> None:
    n, rng = 500, np.random.default_rng(dimension)
    fans, motion = random_fans(dimension, n, rng), random_turns(dimension, n, rng)
    around: Any = ougi.sweep(fans, motion, "sector-enclosing")
    ideal: Any = ougi.sweep(fans, motion, "speculative-ideal")
    for t in np.linspace(0, 1, 12):
        points = move_points(points_of_fans(fans, 40, rng), motion, t)
        assert ougi.contains(around, points).all()
        assert (points >= ideal.lower - 1e-12).all()
        assert (points <= ideal.upper + 1e-12).all()
    assert (around.half_angle < math.pi).mean() > 0.4
    assert (around.inner_radius > 0).mean() > 0.7


@pytest.mark.parametrize("dimension", [2, 3])
def test_sectors_around_fans_are_as_tight_as_their_tangents(dimension: int) -> None:
    """Radii and angles of many points of a fan at rest, seen from the axis, come near the sector's."""
    n, rng = 60, np.random.default_rng(dimension)
    fans = random_fans(dimension, n, rng)
    motion: Any = ougi.Rotation2d(np.zeros((n, 2)), 0)
    if dimension == 3:
        motion = ougi.Rotation3d(np.zeros((n, 3)), [0, 0, 1], 0)
    around: Any = ougi.sweep(fans, motion, "sector-enclosing")
    points = points_of_fans(fans, 40_000, rng)
    rho = np.hypot(points[..., 0], points[..., 1])
    assert (around.outer_radius - rho.max(axis=0)).max() < 0.05
    assert (rho.min(axis=0) - around.inner_radius).max() < 0.1
    side = np.cross([0, 0, 1], around.direction) if dimension == 3 else around.direction[:, ::-1] * [-1, 1]
    psi = np.arctan2((points * side).sum(-1), (points * around.direction).sum(-1))
    apart = around.inner_radius > 0.2
    assert apart.sum() > 20
    assert (around.half_angle - psi.max(axis=0))[apart].max() < 0.2
    assert (psi.min(axis=0) + around.half_angle)[apart].max() < 0.2


def test_a_fan_that_turns_about_its_own_axis_stays_one() -> None:
    fan = ougi.Sector3d([1, 2, 3], [0, 0, 1], [1, 0, 0], 0.4, 1.0, 2.0, 0.5)
    around: Any = ougi.sweep(fan, ougi.Rotation3d([1, 2, 9], [0, 0, 1], 0.6), "sector-enclosing")
    assert around.half_angle == pytest.approx(0.7)
    assert around.inner_radius == pytest.approx(1.0, rel=6.1e-4)
    assert around.outer_radius == pytest.approx(2.0, rel=6.1e-4)
    assert around.half_height == pytest.approx(0.5)


def test_a_ring_about_the_axis_keeps_its_hole() -> None:
    ring = ougi.Sector3d([0.1, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 1.0, 2.0, 0.5)
    around: Any = ougi.sweep(ring, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 0.1), "sector-enclosing")
    assert around.half_angle == math.pi
    assert around.inner_radius == pytest.approx(0.9, rel=1e-3)
    disc = ougi.Sector2d([0.1, 0], [1, 0], math.pi, 0.0, 2.0)
    full: Any = ougi.sweep(disc, ougi.Rotation2d([0, 0], 0.1), "sector-enclosing")
    assert (full.half_angle, full.inner_radius) == (math.pi, 0)


def random_mesh(rng: np.random.Generator) -> ougi.Mesh:
    """A closed one, or loose triangles."""
    if rng.random() < 0.5:
        box = trimesh.creation.torus(rng.uniform(0.5, 1), rng.uniform(0.1, 0.4), 12, 8)
        box.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        box.apply_translation(rng.uniform(-1, 1, 3))
        return ougi.Mesh(box)
    count = rng.integers(1, 6)
    corners = np.repeat(rng.uniform(-2, 2, (count, 3)), 3, axis=0) + rng.uniform(-0.5, 0.5, (3 * count, 3))
    return ougi.Mesh(corners, np.arange(3 * count).reshape((count, 3)))


def test_sectors_and_boxes_around_moving_meshes_hold_them() -> None:
    rng = np.random.default_rng(13)
    fans: list[Any] = []
    for _ in range(150):
        mesh, motion = random_mesh(rng), random_turns(3, 1, rng)[0]
        around: Any = ougi.sweep(mesh, motion, "sector-enclosing")
        ideal: Any = ougi.sweep(mesh, motion, "speculative-ideal")
        weights = rng.dirichlet(np.full(3, 0.3), (30, len(mesh.faces)))
        points = (weights[..., None] * mesh.vertices[mesh.faces]).sum(-2)
        for t in np.linspace(0, 1, 6):
            there = move_points(points, motion, t)
            assert ougi.contains(around, there).all()
            assert (there >= ideal.lower - 1e-12).all()
            assert (there <= ideal.upper + 1e-12).all()
        fans.append(around)
    assert np.mean([fan.half_angle < math.pi for fan in fans]) > 0.2
    assert np.mean([fan.inner_radius > 0 for fan in fans]) > 0.5


def test_the_sector_around_a_mesh_is_that_of_its_triangles() -> None:
    """Radii 1 to 2, a quarter turn from x to y, moved by another quarter."""
    around: Any = ougi.sweep(TETRAHEDRON, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 0.5), "sector-enclosing")
    assert (float(around.inner_radius), float(around.outer_radius)) == pytest.approx((1, 2))
    assert around.half_angle == pytest.approx((math.pi / 4 + 0.5) / 2)
    assert (float(around.center[2]), float(around.half_height)) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("method", ["inflated", "temporal", "start-end"])
def test_engines_boxes_of_fans_and_meshes_hold_the_start(method: Any) -> None:
    for shape in (FAN, TETRAHEDRON):
        start, box = shape.bounds(), ougi.sweep(shape, TURN, f"speculative-{method}").bounds()
        assert (box.lower <= start.lower).all()
        assert (box.upper >= start.upper).all()


def test_points_are_swept() -> None:
    swept = ougi.sweep([2.0, 0, 0], TURN)
    there = [2 * math.cos(0.5), 2 * math.sin(0.5), 0]
    assert ougi.intersects(swept, ougi.Sphere(there, 1e-9))
    assert not ougi.intersects(swept, ougi.Sphere([2 * math.cos(1.1), 2 * math.sin(1.1), 0], 1e-9))
    fan: Any = ougi.sweep([[2.0, 0, 0], [0.0, 3, 0]], TURN, "sector-enclosing")
    assert fan.outer_radius == pytest.approx([2, 3])
    assert fan.half_angle == pytest.approx([0.5, 0.5])
