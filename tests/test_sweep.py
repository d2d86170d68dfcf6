"""Swept shapes: what they must contain, what they must not, and what they refuse."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ougi

Floats = NDArray[np.float64]


def spatial_shapes(n: int, rng: np.random.Generator) -> list[Any]:
    def place() -> Floats:
        return rng.uniform(-2, 2, (n, 3))

    def near(p: Floats) -> Floats:
        return p + rng.uniform(-1, 1, (n, 3))

    start, a, lower = place(), place(), place()
    return [
        ougi.Sphere(place(), rng.uniform(0, 1, n)),
        ougi.Box(place(), rng.uniform(0, 2, (n, 3)), Rotation.random(n, rng=rng)),
        ougi.Capsule3d(start, near(start), rng.uniform(0, 0.5, n)),
        ougi.Segment3d(start, near(start)),
        ougi.Triangle3d(a, near(a), near(a)),
        ougi.Aabb3d(lower, lower + rng.uniform(0, 1, (n, 3))),
    ]


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


def moved(points: Floats, motion: Any, t: float) -> Floats:
    pose = motion.at(t)
    out: Floats = (pose.rotation @ points[..., None])[..., 0] + pose.position
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
            assert ougi.contains(fan, moved(points_of(shape, 20, rng), motion, t)).all()
        assert (fan.half_angle < math.pi).any()


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


def fan_motions(n: int, rng: np.random.Generator) -> tuple[ougi.Box, ougi.Rotation3d]:
    """FAN sec. 3.1: pivot at the origin, lever arm 12.5..25, sizes 0..25, angle 0..2 pi."""
    turn = Rotation.random(n, rng=rng).as_matrix()
    lever = rng.uniform(12.5, 25, n)
    box = ougi.Box(turn[..., 1] * lever[:, None], rng.uniform(0, 25, (n, 3)), turn)
    return box, ougi.Rotation3d([0, 0, 0], turn[..., 2], rng.uniform(0, 2 * math.pi, n))


def in_exact_sweep(box: ougi.Box, angle: Floats, rho: Floats, psi: Floats) -> Any:
    """Polar form of the swept rectangle: at radius rho the box covers offsets gmin <= |g| <= gmax."""
    lever = np.linalg.norm(box.center, axis=-1)
    half, inner, outer = box.size[..., 0] / 2, lever - box.size[..., 1] / 2, lever + box.size[..., 1] / 2
    gmin = np.arccos(np.minimum(1, outer / rho))
    gmax = np.minimum(np.arcsin(np.minimum(1, half / rho)), np.arccos(np.clip(inner / rho, -1, 1)))
    covered = (rho >= inner) & (gmin <= gmax)
    hit = np.zeros_like(covered)
    for low, high in ((psi - gmax, psi - gmin), (psi + gmin, psi + gmax)):
        for turns in (-1, 0, 1):
            shift = 2 * math.pi * turns
            hit |= (low + shift <= angle) & (high + shift >= 0)
    return covered & hit


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
    true, told = in_exact_sweep(box, motion.angle, rho, psi), ougi.contains(fan, points)
    either = np.maximum((true | told).sum(axis=0), 1)
    return (
        (true & told).sum(axis=0) / either,
        (told & ~true).sum(axis=0) / either,
        (true & ~told).sum(axis=0) / either,
    )


def test_published_sector_is_a_subset_of_the_sweep_and_misses_a_third() -> None:
    right, over, under = overlaps("sector", 400, 1)
    assert over.max() == 0
    assert 0.62 < right.mean() < 0.73  # FAN table 3.1: 67.68 %, against 100 sub-steps
    assert 0.27 < under.mean() < 0.38


def test_enclosing_sector_misses_nothing_of_the_thesis() -> None:
    right, _, under = overlaps("sector-enclosing", 400, 2)
    assert under.max() == 0
    assert right.mean() > 0.88


def test_balanced_sector_is_95_percent_right() -> None:
    right, _, _ = overlaps("sector-balanced", 1_000, 3)
    assert right.mean() > 0.945


def test_published_sector_has_the_thesis_numbers() -> None:
    """FAN (2.1), (2.2)."""
    box = ougi.Box([0, 5, 1], [1.0, 4, 2])
    fan: Any = ougi.sweep(box, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), "sector")
    assert (fan.inner_radius, fan.outer_radius, fan.half_height) == (3, 7, 1)
    assert fan.half_angle == pytest.approx(math.pi / 4)
    assert fan.direction == pytest.approx([-math.sqrt(0.5), math.sqrt(0.5), 0])


def test_turning_back_mirrors_the_sector() -> None:
    rectangle = ougi.Rectangle([2, 0], [2, 0.5])
    there: Any = ougi.sweep(rectangle, ougi.Rotation2d([0, 0], 1.0), "sector")
    back: Any = ougi.sweep(rectangle, ougi.Rotation2d([0, 0], -1.0), "sector")
    assert there.direction == pytest.approx(back.direction * [1, -1])
    assert there.half_angle == back.half_angle


@pytest.mark.parametrize("reading", ["start-end", "inflated", "temporal", "ideal"])
def test_speculative_boxes_hold_the_start(reading: Any) -> None:
    box, motion = fan_motions(50, np.random.default_rng(4))
    swept: Any = ougi.sweep(box, motion, "speculative", reading=reading)
    start: Any = box.bounds()
    assert (swept.lower <= start.lower + 1e-12).all()
    assert (swept.upper >= start.upper - 1e-12).all()


def test_ideal_box_is_the_tight_one() -> None:
    n, rng = 200, np.random.default_rng(5)
    motion = ougi.Rotation3d(rng.uniform(-2, 2, (n, 3)), rng.normal(size=(n, 3)), rng.uniform(-8, 8, n))
    for shape in spatial_shapes(n, rng):
        swept: Any = ougi.sweep(shape, motion, "speculative", reading="ideal")
        lower, upper = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
        for t in np.linspace(0, 1, 600):
            bounds: Any = shape.transformed(motion.at(t)).bounds()
            lower, upper = np.minimum(lower, bounds.lower), np.maximum(upper, bounds.upper)
        assert (swept.lower <= lower + 1e-12).all()
        assert (swept.upper >= upper - 1e-12).all()
        assert np.abs(swept.lower - lower).max() < 1e-2
        assert np.abs(swept.upper - upper).max() < 1e-2


def test_translations_have_ideal_boxes_and_capsules() -> None:
    ball, move = ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([4, 0, 0])
    assert ougi.sweep(ball, move, "speculative", reading="ideal") == ougi.Aabb3d([-1, -1, -1], [5, 1, 1])
    assert ougi.sweep(ball, move, "swept-sphere") == ougi.Capsule3d([0, 0, 0], [4, 0, 0], 1)


def test_substeps_lead_from_start_to_end() -> None:
    box, motion = fan_motions(3, np.random.default_rng(6))
    poses: Any = ougi.sweep(box, motion, "substeps", steps=4)
    assert poses.shape == (5, 3)
    assert poses[0] == box
    end = box.transformed(motion)
    assert np.allclose(poses[4].center, end.center, atol=1e-12)


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
    some = rng.choice([0, 1e-9, math.pi, -math.pi, 2 * math.pi], n)
    turn = ougi.Rotation3d(pivot, axis, np.where(rng.random(n) < 0.05, some, rng.uniform(-8, 8, n)))
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


def test_sweep_stays_a_function_whatever_is_imported_first() -> None:
    assert ougi.Sweep is not None
    assert callable(ougi.sweep)


TURN = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)
BOX = ougi.Box([3, 0, 0], [2, 1, 1])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((BOX, ougi.Rotation3d([0, 0, 0], [0, 1, 1], 1.0), "sector"), ValueError, "axis must be parallel"),
        ((ougi.Box([3, 1, 0], [2, 1, 1]), TURN, "sector"), ValueError, "middle line"),
        ((ougi.Box([0.5, 0, 0], [2, 1, 1]), TURN, "sector"), ValueError, "pivot must not lie inside"),
        ((BOX, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 7.0), "sector"), ValueError, "at most one turn"),
        ((BOX, ougi.Screw3d([0, 0, 0], [0, 0, 1], 1, 1), "sector"), ValueError, "without advance"),
        ((BOX, ougi.Translation3d([1, 0, 0]), "sector-enclosing"), ValueError, "needs a turn"),
        ((ougi.Sphere([3, 0, 0], 1), TURN, "sector"), ValueError, "turns a Box or a Rectangle"),
        ((BOX, TURN, "fan"), ValueError, "method must be one of exact, sector, .*got 'fan'"),
        ((BOX, ougi.Rotation2d([0, 0], 1), "sector"), ValueError, "3-D Box by a 2-D Rotation2d"),
        ((BOX, 3.0, "sector"), TypeError, "motion must be a motion, got float"),
        (([1, 2, 3], TURN, "sector"), TypeError, "shape must be a shape, got list"),
    ],
)
def test_what_a_method_cannot_express_is_refused(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        ougi.sweep(*arguments)
    if "sector-enclosing" not in arguments and error is ValueError and "-D" not in message:
        assert "sector-enclosing" in str(caught.value)


def test_bad_options_are_refused() -> None:
    with pytest.raises(ValueError, match="steps must be a positive whole number, got 0"):
        ougi.sweep(BOX, TURN, "substeps", steps=0)
    with pytest.raises(ValueError, match=r"reading must be .* got 'guess'"):
        ougi.sweep(BOX, TURN, "speculative", reading="guess")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch shapes do not broadcast"):
        ougi.sweep(BOX[None][[0, 0]], ougi.Rotation3d([0, 0, 0], [0, 0, 1], [1.0, 2, 3]), "sector")
