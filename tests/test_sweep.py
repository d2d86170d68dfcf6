"""Swept shapes: what they must contain, what they must not, and what they refuse."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh
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
FAN = ougi.Sector3d([3, 0, 0], [0, 0, 1], [1, 0, 0], 1.0, 0.5, 1.0, 0.5)
TETRAHEDRON = ougi.Mesh(
    [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)


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
        (([1, 2, 3], TURN, "sector"), ValueError, "turns a Box or a Rectangle, got points"),
        (("box", TURN, "sector"), TypeError, "shape must be numbers, got str"),
        (
            (ougi.Box([0.75, 0, 0], [2, 1, 1]), TURN, "sector"),
            ValueError,
            r"got -0\.25; methods that can: exact",
        ),
        ((FAN, TURN, "exact"), ValueError, "Sector3d has no exact sweep unless .* can: sector-enclosing"),
        ((FAN, TURN, "cast"), ValueError, "Sector3d has no exact sweep unless .* can: speculative"),
        (
            (ougi.Sector2d([0, 0], [1, 0], 1, 0, 1), ougi.Rotation2d([3, 0], 1)),
            ValueError,
            "a Sector2d has no",
        ),
        ((TETRAHEDRON, TURN), ValueError, "a Mesh has no exact sweep; methods that can: sector-enclosing"),
        ((TETRAHEDRON, TURN, "substeps"), ValueError, "does not come in batches; .* sector-enclosing"),
        ((TETRAHEDRON, TURN[None], "sector-enclosing"), ValueError, "a single motion, got a batch of shape"),
        ((ougi.sweep(BOX, TURN), TURN), ValueError, "a Sweep has no exact sweep; .* can: speculative"),
        ((ougi.sweep(BOX, TURN), TURN, "sector-enclosing"), ValueError, "methods that can: speculative"),
    ],
)
def test_what_a_method_cannot_express_is_refused(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        ougi.sweep(*arguments)
    if "sector" in arguments and error is ValueError and "-D" not in message:
        assert "sector-enclosing" in str(caught.value)


@pytest.mark.parametrize("method", ["exact", "sector", "speculative", "substeps"])
def test_bad_options_are_refused_whether_the_method_uses_them_or_not(method: Any) -> None:
    for steps in (0, -3, 2.0, True, "4", None):
        with pytest.raises(ValueError, match=f"steps must be a positive whole number, got {steps!r}"):
            ougi.sweep(BOX, TURN, method, steps=steps)  # type: ignore[arg-type]
    for reading in ("guess", None, ["ideal"]):
        with pytest.raises(ValueError, match=r"reading must be one of start-end, .* got "):
            ougi.sweep(BOX, TURN, method, reading=reading)  # type: ignore[call-overload]


def test_steps_may_be_a_numpy_integer() -> None:
    assert ougi.sweep(BOX, TURN, "substeps", steps=np.int32(4)).shape == (5,)  # type: ignore[call-overload]


def test_batches_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(ValueError, match="batch shapes do not broadcast"):
        ougi.sweep(BOX[None][[0, 0]], ougi.Rotation3d([0, 0, 0], [0, 0, 1], [1.0, 2, 3]), "sector")


def test_an_axis_a_hundred_thousandth_off_is_not_parallel() -> None:
    """Its cosine differs from 1 by a rounding that hides the angle."""
    with pytest.raises(ValueError, match="axis must be parallel to an axis of the box"):
        ougi.sweep(ougi.Box([0, 3, 0], [1, 2, 1]), ougi.Rotation3d([0, 0, 0], [1e-5, 0, 1], 1.0), "sector")


def batch_cases() -> list[Any]:
    """Methods that take a turn, with the shapes of the plane and of space that each takes."""
    everywhere = (
        "sector-enclosing",
        "swept-sphere",
        "substeps",
        "start-end",
        "inflated",
        "temporal",
        "ideal",
    )
    convex = ["Box", "Sphere", "Capsule3d", "Triangle3d", "Aabb3d", "Rectangle", "Circle", "points"]
    return [
        *((method, name) for method in everywhere for name in [*convex, "Sector2d", "Sector3d"]),
        *((method, name) for method in ("exact", "cast") for name in convex),
        *((method, name) for method in ("sector", "sector-balanced") for name in ("Box", "Rectangle")),
    ]


def batched(name: str, batch: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Shapes with their middle line along x, so that every method takes them."""
    x = np.zeros((*batch, 3))
    x[..., 0] = rng.uniform(3, 5, batch)
    size = rng.uniform(0.1, 1, (*batch, 3))
    radius, up = rng.uniform(0.1, 1, batch), np.array([0, 0, 1.0])
    made: dict[str, Callable[[], Any]] = {
        "Box": lambda: ougi.Box(x, size),
        "Sphere": lambda: ougi.Sphere(x, radius),
        "Capsule3d": lambda: ougi.Capsule3d(x, x + size, radius),
        "Triangle3d": lambda: ougi.Triangle3d(x, x + size, x + size[..., ::-1]),
        "Aabb3d": lambda: ougi.Aabb3d(x, x + size),
        "Rectangle": lambda: ougi.Rectangle(x[..., :2], size[..., :2]),
        "Circle": lambda: ougi.Circle(x[..., :2], radius),
        "points": lambda: ougi.shapes.Point3d(x),
        "Sector2d": lambda: ougi.Sector2d(x[..., :2], size[..., :2], radius, radius, 2 * radius),
        "Sector3d": lambda: ougi.Sector3d(x, up + size, size, radius, radius, 2 * radius, radius),
    }
    return made[name]()


@pytest.mark.parametrize(("method", "name"), batch_cases())
def test_batches_of_shapes_and_motions_are_swept_like_each_alone(method: str, name: str) -> None:
    rng = np.random.default_rng(11)
    for k in (1, 2, 3, 4, 8):
        for few, many in [((), ()), ((), (k,)), ((), (k, 1)), ((k,), ()), ((k,), (k,)), ((k,), (k, 1))]:
            shape, angle = batched(name, few, rng), rng.uniform(-3, 3, many)
            flat = shape.dimension == 2
            motion: Any = (
                ougi.Rotation2d([0, 0], angle) if flat else ougi.Rotation3d([0, 0, 0], [0, 0, 1], angle)
            )
            readings = ("start-end", "inflated", "temporal", "ideal")
            asked: Any = {"method": method, "steps": 3}
            if method in readings:
                asked = {"method": "speculative", "reading": method}
            swept: Any = ougi.sweep(shape, motion, **asked)
            batch = np.broadcast_shapes(few, many)
            assert swept.shape == ((4, *batch) if method == "substeps" else batch)
            for at in np.ndindex(batch):
                one = ougi.sweep(shape[at[len(at) - len(few) :]], motion[tuple_of(at, many)], **asked)
                mine = swept[:, *at] if method == "substeps" else swept[at]
                assert_same(mine, one)


def tuple_of(index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The place of a batch of this shape that a place of the broadcast batch comes from."""
    mine = index[len(index) - len(shape) :]
    return tuple(0 if n == 1 else i for i, n in zip(mine, shape, strict=True))


def assert_same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    assert a.shape == b.shape
    if isinstance(a, ougi.Sweep):
        assert_same(a.body, b.body)
        assert_same(a.motion, b.motion)
    for field in a._fields:
        np.testing.assert_allclose(getattr(a, field), getattr(b, field), atol=1e-12)


def test_one_shape_and_many_motions() -> None:
    rng = np.random.default_rng(12)
    box = ougi.Box([2, 0, 0], [1, 0.2, 0.2])
    turns = ougi.Rotation3d(rng.normal(size=(8, 3)), rng.normal(size=(8, 3)), rng.uniform(0, 3, 8))
    assert ougi.contains(ougi.sweep(box, turns, "sector-enclosing"), [2.0, 0, 0]).all()


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
    ideal: Any = ougi.sweep(fans, motion, "speculative", reading="ideal")
    for t in np.linspace(0, 1, 12):
        points = moved(points_of_fans(fans, 40, rng), motion, t)
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
        ideal: Any = ougi.sweep(mesh, motion, "speculative", reading="ideal")
        weights = rng.dirichlet(np.full(3, 0.3), (30, len(mesh.faces)))
        points = (weights[..., None] * mesh.vertices[mesh.faces]).sum(-2)
        for t in np.linspace(0, 1, 6):
            there = moved(points, motion, t)
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
        start, box = shape.bounds(), ougi.sweep(shape, TURN, "speculative", reading=method).bounds()
        assert (box.lower <= start.lower).all()
        assert (box.upper >= start.upper).all()


def test_points_are_swept() -> None:
    swept = ougi.sweep([2.0, 0, 0], TURN)
    there = [2 * math.cos(0.5), 2 * math.sin(0.5), 0]
    assert ougi.intersects(swept, ougi.Sphere(there, 1e-9))
    assert not ougi.intersects(swept, ougi.Sphere([2 * math.cos(1.1), 2 * math.sin(1.1), 0], 1e-9))
    fan: Any = ougi.sweep([[2.0, 0, 0], [0, 3, 0]], TURN, "sector-enclosing")
    assert fan.outer_radius == pytest.approx([2, 3])
    assert fan.half_angle == pytest.approx([0.5, 0.5])


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


@pytest.mark.parametrize(
    ("swept", "other", "message"),
    [
        (ougi.sweep(BOX, TURN), [[2.0, 0.0]], r"\(Sweep, points\) .*: Sweep is 3-D and points is 2-D"),
        (
            ougi.sweep(BOX, TURN),
            ougi.Circle([0, 0], 1),
            r"\(Sweep, Circle\) .*: Sweep is 3-D and Circle is 2-D",
        ),
        (
            ougi.sweep([1.0, 0], ougi.Rotation2d([0, 0], 1)),
            BOX,
            r"\(Sweep, Box\) .*: Sweep is 2-D and Box is 3-D",
        ),
        (ougi.sweep(BOX, TURN), FAN, r"\(Sweep, Sector3d\) is not supported unless the fan is a whole"),
        (ougi.sweep(BOX, TURN), TETRAHEDRON, r"\(Sweep, Mesh\) is not supported"),
        (
            ougi.sweep(ougi.Circle([1, 0], 1), ougi.Rotation2d([0, 0], 1)),
            ougi.Sector2d([0, 0], [1, 0], 1, 0, 1),
            r"\(Sweep, Sector2d\) is not supported",
        ),
    ],
)
def test_what_a_sweep_cannot_be_asked(swept: Any, other: Any, message: str) -> None:
    with pytest.raises(ougi.UnsupportedPairError, match=rf"intersects{message}"):
        ougi.intersects(swept, other)
    with pytest.raises(ougi.UnsupportedPairError, match=rf"intersects{message}"):
        ougi.intersects(other, swept)


def test_points_of_another_dimension_are_not_in_a_sweep() -> None:
    with pytest.raises(ougi.UnsupportedPairError, match="Sweep is 3-D and points is 2-D"):
        ougi.contains(ougi.sweep(BOX, TURN), [[2.0, 0.0]])


def test_only_turning_boxes_are_laid_out() -> None:
    assert ougi.sweep(BOX, TURN).columns().shape[1] == 1
    screw = ougi.Screw3d([0, 0, 0], [0, 0, 1], 1, 1)
    for swept in (ougi.sweep(BOX, screw), ougi.sweep(ougi.Sphere([1, 0, 0], 1), TURN)):
        with pytest.raises(ValueError, match="a Sweep can be laid out as nothing, not as None"):
            swept.columns()
        with pytest.raises(ValueError, match="a Sweep can be laid out as nothing, not as 'boxturn'"):
            swept.columns("boxturn")


def test_sweeps_are_joined() -> None:
    box, motion = fan_motions(5, np.random.default_rng(14))
    swept: Any = ougi.sweep(box, motion)
    assert ougi.concatenate([swept[:2], swept[2], swept[3:]]) == swept
    with pytest.raises(TypeError, match="batches must be of one class, got Box and, at index 1, Sphere"):
        ougi.concatenate([swept, ougi.sweep(ougi.Sphere([1, 0, 0], 1), TURN)])
