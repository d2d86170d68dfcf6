"""Sweeps of hulls, polygons and solids: sectors, boxes and exact ones hold the body at all times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Floats

N = 6


def draw_hulls(d: int, rng: np.random.Generator) -> Any:
    """Bodies of one to eight points, half of them rounded: also points and segments."""
    clouds = [rng.normal(size=(int(rng.integers(1, 9)), d)) for _ in range(N)]
    radius = rng.uniform(0.01, 1.5, N) * (np.arange(N) % 2)
    if d == 3:
        return ougi.ConvexHull3d(clouds, radius).translated(2 * rng.normal(size=(N, 3)))
    pose = ougi.Pose(2 * rng.normal(size=(N, 2)), rng.uniform(0, 6, N))
    return ougi.ConvexPolygon2d.from_points(clouds, radius).transformed(pose)


def draw_cones(rng: np.random.Generator) -> Any:
    center, axis = rng.normal(size=(2, N, 3))
    return ougi.Cone(2 * center, axis, *rng.uniform(0, 1.5, (2, N)))


def draw_ellipsoids(rng: np.random.Generator) -> Any:
    center, pivot, axis = rng.normal(size=(3, N, 3))
    turn = ougi.Rotation3d(pivot, axis, rng.uniform(-3, 3, N))
    return ougi.Ellipsoid(2 * center, rng.uniform(0, 1.5, (N, 3))).transformed(turn)


def draw_compounds(rng: np.random.Generator) -> Any:
    """Bodies of one to three hulls."""
    return ougi.concatenate([ougi.Compound3d(draw_hulls(3, rng)[: 1 + i % 3]) for i in range(N)])


def draw_stars(rng: np.random.Generator) -> Any:
    angle = np.arange(9) * 2 * np.pi / 9
    radius = rng.uniform(0.2, 2, (N, 9, 1))
    stars = ougi.Polygon2d(list(radius * np.stack([np.cos(angle), np.sin(angle)], axis=-1)))
    return stars.translated(2 * rng.normal(size=(N, 2)))


def draw_inside(body: Any, rng: np.random.Generator) -> Floats:
    """Points of a single body, most of them on its border."""
    if isinstance(body, ougi.Compound2d | ougi.Compound3d):
        return np.concatenate([draw_inside(part, rng) for part in body.parts])
    if isinstance(body, ougi.Cone | ougi.Ellipsoid):
        n = rng.normal(size=(12, 3))
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        if isinstance(body, ougi.Ellipsoid):
            return np.asarray(body.center + (n * body.radii) @ body.rotation.T)
        side = np.cross(body.axis, n)
        side /= np.linalg.norm(side, axis=1, keepdims=True)
        level = rng.choice([-1.0, 1.0, 0.3], (12, 1))
        return np.asarray(
            body.center + level * body.half_height * body.axis + (1 - level) / 2 * body.radius * side
        )
    vertices = body.vertices
    points = np.concatenate([vertices, rng.dirichlet(np.ones(len(vertices)), 6) @ vertices])
    n = rng.normal(size=points.shape)
    return np.asarray(points + body.radius * n / np.linalg.norm(n, axis=1, keepdims=True))


DRAWN = {
    "polygons": lambda rng: draw_hulls(2, rng),
    "hulls": lambda rng: draw_hulls(3, rng),
    "cones": draw_cones,
    "ellipsoids": draw_ellipsoids,
    "compounds": draw_compounds,
    "stars": draw_stars,
}


@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("seed", range(8))
def test_sectors_and_boxes_hold_a_turning_body(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies, angle = DRAWN[kind](rng), rng.uniform(-7, 7, N)
    d = bodies.dimension
    motion: Any = ougi.Rotation2d(rng.normal(size=(N, 2)), angle)
    if d == 3:
        center, axis = rng.normal(size=(2, N, 3))
        motion = ougi.Screw3d(center, axis, angle, rng.normal(size=N))
    fans: Any = ougi.sweep(bodies, motion, "sector-enclosing")
    boxes: Any = ougi.sweep(bodies, motion, "speculative-ideal")
    for t in (0.0, *rng.uniform(0, 1, 8), 1.0):
        for i in range(N):
            points = motion[i].at(t).apply(draw_inside(bodies[i], rng))
            assert ougi.contains(fans[i], points).all()
            assert (points >= boxes.lower[i] - 1e-12).all()
            assert (points <= boxes.upper[i] + 1e-12).all()


def test_the_sector_of_a_rounded_point_is_that_of_a_ball() -> None:
    rng = np.random.default_rng(1)
    center, pivot, axis = rng.normal(size=(3, N, 3))
    radius = rng.uniform(0.1, 1, N)
    turn = ougi.Rotation3d(pivot, axis, rng.uniform(-7, 7, N))
    fan: Any = ougi.sweep(ougi.ConvexHull3d(center[:, None], radius), turn, "sector-enclosing")
    same: Any = ougi.sweep(ougi.Sphere(center, radius), turn, "sector-enclosing")
    for name in fan._fields:
        np.testing.assert_allclose(getattr(fan, name), getattr(same, name), atol=1e-11)


def test_the_sector_of_a_round_ellipsoid_is_hardly_larger_than_that_of_a_ball() -> None:
    turn = ougi.Rotation3d([3, 0, 0], [0, 0, 1], 2.0)
    fan: Any = ougi.sweep(ougi.Ellipsoid([0, 0, 0], [1, 1, 1]), turn, "sector-enclosing")
    same: Any = ougi.sweep(ougi.Sphere([0, 0, 0], 1), turn, "sector-enclosing")
    for name in ("half_angle", "outer_radius", "half_height"):
        assert getattr(same, name) <= getattr(fan, name) <= getattr(same, name) + 0.005


@pytest.mark.parametrize("kind", DRAWN)
def test_the_exact_sweep_is_what_the_body_covers(kind: str) -> None:
    rng = np.random.default_rng(2)
    bodies = DRAWN[kind](rng)
    d, angle = bodies.dimension, rng.uniform(-3, 3, N)
    motion: Any = ougi.Rotation2d(rng.normal(size=(N, 2)), angle)
    if d == 3:
        motion = ougi.Rotation3d(rng.normal(size=(N, 3)), rng.normal(size=(N, 3)), angle)
    swept: Any = ougi.sweep(bodies, motion)
    assert swept.bounds() == ougi.sweep(bodies, motion, "speculative-ideal")
    inside = np.stack([draw_inside(bodies[i], rng)[0] for i in range(N)])
    covered = motion.at(rng.uniform(0, 1, N)).apply(inside)
    far = np.concatenate([4 * rng.normal(size=(15, N, d)), covered + 0.3 * rng.normal(size=(10, N, d))])
    samples = 60
    poses = bodies.transformed(motion.at(np.linspace(0, 1, samples + 1)[:, None]))
    gaps = np.stack([ougi.distance(poses, point) for point in far]).min(axis=1)
    found = ougi.contains(swept, far)
    sphere = bodies.bounding_sphere()
    reach = np.linalg.norm(sphere.center - motion.center, axis=-1) + sphere.radius
    slack = np.abs(angle) * reach / samples
    assert found[gaps <= 0].all()
    assert not found[gaps > slack].any()
    assert (gaps <= 0).any()
    assert (gaps > slack).any()
    ball = ougi.Circle(far, 0.2) if d == 2 else ougi.Sphere(far, 0.2)
    np.testing.assert_array_equal(
        ougi.intersects(swept, ball), ougi.time_of_impact(bodies, motion, ball).status > 0
    )


def test_a_compound_covers_what_its_parts_cover() -> None:
    turn = ougi.Rotation2d([0, 0], 2.0)
    parts: list[Any] = [ougi.Circle([2, 0], 0.5), ougi.Rectangle([3, 0], [1, 0.2])]
    points = np.random.default_rng(3).uniform(-4, 4, (200, 2))
    swept: Any = ougi.sweep(ougi.Compound2d(parts), turn)
    each = [ougi.sweep(part, turn) for part in parts]
    found = ougi.contains(swept, points)
    np.testing.assert_array_equal(found, np.any([ougi.contains(one, points) for one in each], axis=0))
    assert 0 < found.sum() < 200
    bounds = swept.bounds()
    np.testing.assert_array_equal(bounds.lower, np.min([one.bounds().lower for one in each], axis=0))
    np.testing.assert_array_equal(bounds.upper, np.max([one.bounds().upper for one in each], axis=0))


def test_the_sector_of_a_flat_hull_is_that_of_its_triangle() -> None:
    corners = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.5]]
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0)
    fan: Any = ougi.sweep(ougi.Triangle3d(*corners), turn, "sector-enclosing")
    same: Any = ougi.sweep(ougi.ConvexHull3d(corners), turn, "sector-enclosing")
    for name in fan._fields:
        np.testing.assert_allclose(getattr(same, name), getattr(fan, name), atol=1e-12)


@pytest.mark.parametrize("method", ["sector-enclosing", "speculative-inflated", "speculative-temporal"])
def test_a_compound_of_one_part_is_swept_as_that_part(method: Any) -> None:
    rng = np.random.default_rng(5)
    boxes = ougi.Box(rng.normal(size=(N, 3)), rng.uniform(0.1, 1, (N, 3)))
    motion = ougi.Screw3d(rng.normal(size=(N, 3)), rng.normal(size=(N, 3)), rng.uniform(-3, 3, N), 0.3)
    bodies: Any = ougi.concatenate([ougi.Compound3d([box]) for box in boxes])
    made: Any = ougi.sweep(bodies, motion, method)
    same: Any = ougi.sweep(boxes, motion, method)
    for name in made._fields:
        np.testing.assert_allclose(getattr(made, name), getattr(same, name), rtol=1e-9, atol=1e-9)


def test_the_sector_of_a_compound_ends_where_its_parts_end() -> None:
    """The parts are opposite, so the free angle is that between them."""
    turn = ougi.Rotation2d([0, 0], 0.5)
    fan: Any = ougi.sweep(
        ougi.Compound2d([ougi.Circle([2, 0], 0), ougi.Circle([0, 3], 0)]), turn, "sector-enclosing"
    )
    assert fan.inner_radius == pytest.approx(2.0)
    assert fan.outer_radius == pytest.approx(3.0)
    assert fan.half_angle == pytest.approx((np.pi / 2 + 0.5) / 2)


def test_what_a_swept_compound_cannot_be_tested_against_is_named() -> None:
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0)
    body = ougi.Compound3d([ougi.Sphere([0, 0, 0], 1)])
    mesh = ougi.Cone([0, 0, 0], [0, 0, 1], 1, 1).mesh(8)
    with pytest.raises(ougi.UnsupportedPairError, match="where a Compound3d moves"):
        ougi.intersects(ougi.sweep(body, turn), mesh)
