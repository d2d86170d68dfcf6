"""Sectors around, and inside of, what turning shapes sweep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from swept import fan_motions, in_exact_sweep, move_points, spatial_shapes

import ougi

Floats = NDArray[np.float64]


def planar_shapes(n: int, rng: np.random.Generator) -> list[Any]:
    def place() -> Floats:
        return rng.uniform(-2, 2, (n, 2))

    def near(p: Floats) -> Floats:
        return p + rng.uniform(-1, 1, (n, 2))

    start, a, lower = place(), place(), place()
    return [
        ougi.Circle(place(), rng.uniform(0, 1, n)),
        ougi.Rectangle(place(), rng.uniform(0, 2, (n, 2)), rng.uniform(-4, 4, n)),
        ougi.Capsule2d(start, near(start), rng.uniform(0, 0.5, n)),
        ougi.Segment2d(start, near(start)),
        ougi.Triangle2d(a, near(a), near(a)),
        ougi.Aabb2d(lower, lower + rng.uniform(0, 1, (n, 2))),
    ]


def points_of(shape: Any, k: int, rng: np.random.Generator) -> Floats:
    """k points of each shape, (k, n, d), its corners among them; by convexity, without its class's code."""
    d, n = shape.dimension, len(shape)
    radius = getattr(shape, "radius", np.zeros(n))
    if hasattr(shape, "size"):
        unit = np.clip(rng.uniform(-0.9, 0.9, (k, n, d)), -0.5, 0.5)
        turn = shape.rotation if d == 3 else ougi.Pose(np.zeros((n, 2)), shape.angle).rotation
        return shape.center + (turn @ (unit * shape.size)[..., None])[..., 0]  # type: ignore[no-any-return]
    if hasattr(shape, "lower"):
        share = np.clip(rng.uniform(-0.4, 1.4, (k, n, d)), 0, 1)
        return shape.lower + share * (shape.upper - shape.lower)  # type: ignore[no-any-return]
    names = [f for f in ("center", "start", "end", "a", "b", "c") if f in shape._fields]
    weights = rng.dirichlet(np.full(len(names), 0.3), (k, n))
    core = sum(weights[..., i, None] * getattr(shape, name) for i, name in enumerate(names))
    away = rng.normal(size=(k, n, d))
    away /= np.linalg.norm(away, axis=-1, keepdims=True)
    out: Floats = core + away * radius[:, None] * rng.choice([1.0, 0.5], (k, n, 1))
    return out


@pytest.mark.parametrize("dimension", [2, 3])
def test_enclosing_sector_holds_every_point_of_the_sweep(dimension: int) -> None:
    n, rng = 400, np.random.default_rng(dimension)
    motion: Any
    if dimension == 3:
        axis, advance = rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.5, 0, rng.uniform(-2, 2, n))
        motion = ougi.Screw3d(rng.uniform(-2, 2, (n, 3)), axis, rng.uniform(-8, 8, n), advance)
        shapes = spatial_shapes(n, rng)
    else:
        motion = ougi.Rotation2d(rng.uniform(-2, 2, (n, 2)), rng.uniform(-8, 8, n))
        shapes = planar_shapes(n, rng)
    for shape in shapes:
        fan: Any = ougi.sweep(shape, motion, "sector-enclosing")
        for t in np.linspace(0, 1, 12):
            assert ougi.contains(fan, move_points(points_of(shape, 20, rng), motion, t)).all()
        assert (fan.half_angle < math.pi).any()


def test_enclosing_sector_of_a_box_that_looks_like_a_rectangle_along_the_axis() -> None:
    """An axis in the plane of two sides: seen along it, their edges lie behind each other."""
    n, rng = 4000, np.random.default_rng(7)
    lower = rng.integers(-3, 3, (n, 3)).astype(float)
    box = ougi.Aabb3d(lower, lower + rng.integers(0, 4, (n, 3)) * rng.choice([1.0, 0.37], (n, 3)))
    axis = rng.integers(-3, 4, (n, 3)) * (np.arange(3) != rng.integers(0, 3, (n, 1)))
    axis[~axis.any(axis=1)] = [0, 0, 1]
    motion = ougi.Screw3d(rng.integers(-3, 4, (n, 3)), axis, rng.uniform(-3, 3, n), rng.uniform(-1, 1, n))
    fan: Any = ougi.sweep(box, motion, "sector-enclosing")
    for t in np.linspace(0, 1, 5):
        assert ougi.contains(fan, move_points(points_of(box, 60, rng), motion, t)).all()
    assert (fan.inner_radius > 0.1).sum() > n / 4


def test_enclosing_sector_is_tight() -> None:
    """For FAN's motion: the corner's radius, and the angle of the corner on the inner side."""
    box = ougi.Box([0, 5, 1], [1.0, 4, 2])
    fan: Any = ougi.sweep(box, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.2), "sector-enclosing")
    assert fan.inner_radius == pytest.approx(3)
    assert fan.outer_radius == pytest.approx(math.hypot(7, 0.5))
    assert fan.half_angle == pytest.approx(0.6 + math.atan2(0.5, 3))
    assert fan.half_height == pytest.approx(1)
    assert fan.center == pytest.approx([0, 0, 1])


def test_a_pivot_inside_makes_a_full_disc() -> None:
    fan: Any = ougi.sweep(
        ougi.Box([0.1, 0, 0], [2, 2, 2]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 0.1), "sector-enclosing"
    )
    assert fan.half_angle == math.pi
    assert fan.inner_radius == 0


def overlaps(method: Any, n: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Accuracy, over- and under-detection, FAN (3.1)-(3.6), against the exact sweep, per motion."""
    rng = np.random.default_rng(seed)
    box, motion = fan_motions(n, rng)
    fan: Any = ougi.sweep(box, motion, method)
    reach = np.hypot(np.linalg.norm(box.center, axis=-1) + box.size[..., 1] / 2, box.size[..., 0] / 2)
    rho = 1.01 * reach * np.sqrt(rng.random((3000, n)))
    psi = rng.uniform(-math.pi, math.pi, (3000, n))
    x, y = box.rotation[..., 1], np.cross(motion.axis, box.rotation[..., 1])
    points = rho[..., None] * (np.cos(psi)[..., None] * x + np.sin(psi)[..., None] * y)
    true, inside = in_exact_sweep(box, motion.angle, rho, psi), ougi.contains(fan, points)
    either = np.maximum((true | inside).sum(axis=0), 1)
    return (
        (true & inside).sum(axis=0) / either,
        (inside & ~true).sum(axis=0) / either,
        (true & ~inside).sum(axis=0) / either,
    )


def test_published_sector_is_a_subset_of_the_sweep_and_misses_a_third() -> None:
    right, over, under = overlaps("sector", 400, 1)
    assert over.max() == 0
    assert 0.62 < right.mean() < 0.73  # FAN table 3.1: 67.68 %, against 100 sub-steps
    assert 0.27 < under.mean() < 0.38


def test_enclosing_sector_misses_nothing_of_the_published_sweep() -> None:
    right, _, under = overlaps("sector-enclosing", 400, 2)
    assert under.max() == 0
    assert right.mean() > 0.88


def test_balanced_sector_is_95_percent_right() -> None:
    right, _, _ = overlaps("sector-balanced", 1_000, 3)
    assert right.mean() > 0.945


def test_published_sector_has_the_numbers_of_the_paper() -> None:
    """FAN (2.1), (2.2)."""
    box = ougi.Box([0, 5, 1], [1.0, 4, 2])
    fan: Any = ougi.sweep(box, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), "sector")
    assert (fan.inner_radius, fan.outer_radius, fan.half_height) == (3, 7, 1)
    assert fan.half_angle == pytest.approx(math.pi / 4)
    assert fan.direction == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5), 0])
