"""Sweeps of hulls and polygons: sectors and boxes hold the body at all times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi

N = 6


def draw_hulls(d: int, rng: np.random.Generator) -> Any:
    """Bodies of one to eight points: also points and segments."""
    clouds = [rng.normal(size=(int(rng.integers(1, 9)), d)) for _ in range(N)]
    if d == 3:
        return ougi.ConvexHull3d(clouds).translated(2 * rng.normal(size=(N, 3)))
    pose = ougi.Pose(2 * rng.normal(size=(N, 2)), rng.uniform(0, 6, N))
    return ougi.ConvexPolygon2d.from_points(clouds).transformed(pose)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_sectors_and_boxes_hold_a_turning_hull(d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    hulls, angle = draw_hulls(d, rng), rng.uniform(-7, 7, N)
    motion: Any = ougi.Rotation2d(rng.normal(size=(N, 2)), angle)
    if d == 3:
        center, axis = rng.normal(size=(2, N, 3))
        motion = ougi.Screw3d(center, axis, angle, rng.normal(size=N))
    fans: Any = ougi.sweep(hulls, motion, "sector-enclosing")
    boxes: Any = ougi.sweep(hulls, motion, "speculative-ideal")
    for t in (0.0, *rng.uniform(0, 1, 8), 1.0):
        for i, vertices in enumerate(hulls.transformed(motion.at(t)).vertices):
            points = np.concatenate([vertices, rng.dirichlet(np.ones(len(vertices)), 6) @ vertices])
            assert ougi.contains(fans[i], points).all()
            assert (points >= boxes.lower[i] - 1e-12).all()
            assert (points <= boxes.upper[i] + 1e-12).all()


def test_the_sector_of_a_flat_hull_is_that_of_its_triangle() -> None:
    corners = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.5]]
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0)
    fan: Any = ougi.sweep(ougi.Triangle3d(*corners), turn, "sector-enclosing")
    same: Any = ougi.sweep(ougi.ConvexHull3d(corners), turn, "sector-enclosing")
    for name in fan._fields:
        np.testing.assert_allclose(getattr(same, name), getattr(fan, name), atol=1e-12)


def test_what_hulls_and_compounds_cannot_sweep_is_named() -> None:
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0)
    with pytest.raises(
        ValueError, match="a rounded ConvexHull3d has no corners; methods that can: speculative"
    ):
        ougi.sweep(ougi.ConvexHull3d([[1, 0, 0]], 0.1), turn, "sector-enclosing")
    with pytest.raises(
        ValueError, match="a Compound3d has no exact sweep; methods that can: speculative-start"
    ):
        ougi.sweep(ougi.Compound3d([ougi.Sphere([0, 0, 0], 1)]), turn, "exact")
