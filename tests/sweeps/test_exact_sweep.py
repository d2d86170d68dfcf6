"""The exact sweep: what it contains and touches."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from swept import TURN, fan_motions, in_exact_sweep, spatial_shapes

import ougi


def test_turning_back_mirrors_the_sector() -> None:
    rectangle = ougi.Rectangle([2, 0], [2, 0.5])
    there: Any = ougi.sweep(rectangle, ougi.Rotation2d([0, 0], 1.0), "sector")
    back: Any = ougi.sweep(rectangle, ougi.Rotation2d([0, 0], -1.0), "sector")
    assert there.direction == pytest.approx(back.direction * [1, -1])
    assert there.half_angle == back.half_angle


def test_exact_sweep_contains_what_its_polar_form_says() -> None:
    rng = np.random.default_rng(7)
    box, motion = fan_motions(60, rng)
    swept = ougi.sweep(box, motion)
    rho, psi = 60 * np.sqrt(rng.random((300, 60))), rng.uniform(-math.pi, math.pi, (300, 60))
    x, y = box.rotation[..., 1], np.cross(motion.axis, box.rotation[..., 1])
    points = rho[..., None] * (np.cos(psi)[..., None] * x + np.sin(psi)[..., None] * y)
    assert np.array_equal(ougi.contains(swept, points), in_exact_sweep(box, motion.angle, rho, psi))


def test_exact_sweep_touches_what_the_moving_shape_touches() -> None:
    n, rng = 300, np.random.default_rng(8)
    center, axis = rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 3))
    motion = ougi.Screw3d(center, axis, rng.uniform(-7, 7, n), rng.uniform(-1, 1, n))
    target = ougi.Box(rng.uniform(-3, 3, (n, 3)), rng.uniform(0, 1, (n, 3)))
    for shape in spatial_shapes(n, rng):
        swept = ougi.sweep(shape, motion)
        assert isinstance(swept, ougi.Sweep)
        expected = ougi.time_of_impact(shape, motion, target, tol=1e-12).hit
        assert np.array_equal(ougi.intersects(swept, target), expected)
        assert np.array_equal(ougi.intersects(target, swept), expected)
        each = np.stack([np.arange(n), np.arange(n)], axis=1)
        assert np.array_equal(ougi.intersects(target, swept, pairs=each), expected)
        assert not expected[~ougi.intersects(swept.bounds(), target)].any()


def test_bounds_of_an_exact_sweep_are_tight_for_screws_of_many_turns() -> None:
    n, rng = 100, np.random.default_rng(9)
    center, axis = rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 3))
    motion = ougi.Screw3d(center, axis, rng.uniform(-20, 20, n), rng.uniform(-5, 5, n))
    for shape in spatial_shapes(n, rng):
        bounds = ougi.sweep(shape, motion).bounds()
        lower, upper = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
        for t in np.linspace(0, 1, 2000):
            pose: Any = shape.transformed(motion.at(t)).bounds()
            lower, upper = np.minimum(lower, pose.lower), np.maximum(upper, pose.upper)
        assert (bounds.lower <= lower + 1e-12).all()
        assert (bounds.upper >= upper - 1e-12).all()
        assert max(np.abs(bounds.lower - lower).max(), np.abs(bounds.upper - upper).max()) < 5e-3


def test_a_sweep_is_a_shape_like_others() -> None:
    box, motion = fan_motions(5, np.random.default_rng(10))
    swept: Any = ougi.sweep(box, motion)
    assert swept.shape == (5,)
    assert swept[2] == ougi.sweep(box[2], motion[2])
    assert swept[2] != swept[3]
    assert pickle.loads(pickle.dumps(swept)) == swept
    assert swept[:, None].shape == (5, 1)
    pose = ougi.Pose([1, 2, 3], [0, 0, 0.6, 0.8])
    point = box[0].transformed(motion[0].at(0.5)).center
    assert ougi.contains(swept[0], point)
    assert ougi.contains(swept[0].transformed(pose), pose.apply(point))
    assert repr(swept[0]).startswith("Sweep(Box(")
    assert (ougi.distance(swept.bounding_sphere(), box) <= 0).all()
    with pytest.raises(ougi.UnsupportedPairError, match="time_of_impact"):
        ougi.intersects(swept, swept)
    with pytest.raises(ougi.UnsupportedPairError, match="Sweep"):
        ougi.distance(swept, box)


@pytest.mark.parametrize("seed", range(4))
def test_points_in_a_turning_box_are_those_it_comes_to(seed: int) -> None:
    """Against the first contact of each point: any pivot, axis and angle; flat boxes, several turns."""
    rng = np.random.default_rng(seed)
    n = 20_000
    center = rng.uniform(-1, 1, (n, 3))
    size = rng.uniform(0, 1.5, (n, 3)) * rng.choice([0, 1, 1, 1], (n, 3))
    box = ougi.Box(center, size, Rotation.random(n, rng=rng) if seed % 2 else None)
    pivot = np.where(rng.random((n, 1)) < 0.1, center, rng.uniform(-1.5, 1.5, (n, 3)))
    axis = np.where(rng.random((n, 1)) < 0.3, np.eye(3)[rng.integers(0, 3, n)], rng.normal(size=(n, 3)))
    special = rng.choice([0, 1e-9, math.pi, -math.pi, 2 * math.pi], n)
    turn = ougi.Rotation3d(pivot, axis, np.where(rng.random(n) < 0.05, special, rng.uniform(-8, 8, n)))
    points = rng.uniform(-2, 2, (n, 3))
    inside = ougi.contains(ougi.sweep(box, turn), points)
    met = ougi.time_of_impact(box, turn, points, tol=1e-13).hit
    assert met.sum() > n / 50
    grazed = np.flatnonzero(inside != met)
    for i in grazed:  # within tol of the box, and not in it
        assert not inside[i]
        at = ougi.time_of_impact(box[i], turn[i], points[i], tol=1e-13).t
        assert ougi.distance(box[i].transformed(turn[i].at(at)), points[i]) > 0
    assert len(grazed) < 5


@pytest.mark.plain
def test_points_in_a_turning_rectangle() -> None:
    fan = ougi.sweep(ougi.Rectangle([2, 0], [2, 1]), ougi.Rotation2d([0, 0], -math.pi / 2))
    points = np.array([[1, 0], [0, -1.01], [0.5, -2], [0, 1], [0.5, -3], [3.05, 0], [2, -2], [2.3, -2.3]])
    assert ougi.contains(fan, points).tolist() == [True, True, True, False, True, False, True, False]
    assert ougi.contains(fan, points, pairs=[[0, 1], [0, 3]]).tolist() == [True, False]
    assert ougi.contains(fan, [0.0, -1.01])


def test_a_cast_drops_the_rotation() -> None:
    bat = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06])
    cast: Any = ougi.sweep(bat, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi), "cast")
    assert cast.motion == ougi.Translation3d(cast.motion.offset)
    assert cast.motion.offset == pytest.approx([-1.2, 0, 0])
    assert not ougi.intersects(cast, ougi.Sphere([0, 0.7, 0], 0.04))  # the swing hits it


def test_a_cylinder_has_an_exact_sweep_with_bounds() -> None:
    cylinder = ougi.Sector3d([3, 0, 0], [0, 1, 1], [1, 0, 0], math.pi, 0, 1, 0.5)
    swept = ougi.sweep(cylinder, TURN)
    assert ougi.intersects(swept, ougi.Sphere([3 * math.cos(0.9), 3 * math.sin(0.9), 0], 0.1))
    bounds: Any = swept.bounds()
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    for t in np.linspace(0, 1, 500):
        pose = cylinder.transformed(TURN.at(t)).bounds()
        lower, upper = np.minimum(lower, pose.lower), np.maximum(upper, pose.upper)
    assert (bounds.lower <= lower + 1e-12).all()
    assert (bounds.upper >= upper - 1e-12).all()
    assert np.abs(bounds.lower - lower).max() < 1e-3
    assert np.abs(bounds.upper - upper).max() < 1e-3


def test_a_screw_of_thousands_of_turns_does_not_touch_what_lies_outside_its_bounds() -> None:
    """A ball of radius 0.1 on a helix of radius 1, from z = 0 to z = 10."""
    motion = ougi.Screw3d([0, 0, 0], [0, 0, 1], 4000 * math.pi, 10.0)
    swept = ougi.sweep(ougi.Sphere([1, 0, 0], 0.1), motion)
    outside: list[list[float]] = [[50.0, 50, 50], [0.0, 0, 1000], [1.2, 0, 5], [0, 0, 10.2]]
    inside: list[list[float]] = [[1.0, 0, 0], [1, 0, 9.9], [0.0, 1, 5]]
    assert ougi.contains(swept, outside).tolist() == [False] * 4
    assert ougi.contains(swept, inside).all()
    assert ougi.intersects(swept, ougi.Sphere(outside, 0.05)).tolist() == [False] * 4
    # The ball comes within 80.27 of (50, 50, 50), and within 0.92 of (0, 0, 10.2).
    assert ougi.intersects(swept, ougi.Sphere(outside, [80.2, 1000, 0.2, 0.9])).tolist() == [
        False,
        True,
        True,
        False,
    ]
    assert ougi.intersects(swept, ougi.Sphere(outside, [80.4, 1000, 0.2, 0.95])).all()
    listed = ougi.intersects(swept[None], ougi.Sphere(outside + inside, 0.05), pairs=[[0, 0], [0, 5]])
    assert listed.tolist() == [False, True]


def test_a_sweep_is_tested_against_sectors() -> None:
    swept = ougi.sweep(ougi.Box([2, 0, 0], [1, 0.2, 0.2]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.5))
    centers = [[-1, -2, 0], [0, 1, 0], [0, 1, 1]]
    fans = ougi.Sector3d(centers, [0, 0, 1], [0, 1, 0], 0.6, 0.5, 1.2, 0.1)
    assert ougi.intersects(swept, fans).tolist() == [False, True, False]
