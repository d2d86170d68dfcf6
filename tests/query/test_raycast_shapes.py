"""Rays against shapes of all classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.verify.ray import Rays, run_ougi

SQUARE = ougi.ConvexPolygon2d([[0, 0], [2, 0], [2, 2], [0, 2]], 0.5)


@pytest.mark.parametrize("pair", Rays().pairs())
def test_first_hits_are_those_of_segments(pair: str) -> None:
    tally = Rays().check(pair, "random", 120, np.random.default_rng(5))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    if pair not in ("ray-point2d", "ray-point3d", "ray-segment3d"):  # a ray misses them but for rounding
        assert tally.counts["hits"] > 5


def test_planted_mistakes_are_caught() -> None:
    def shorten(*given: Any) -> Any:
        t, normal = run_ougi(*given)
        return t * 0.999, normal

    assert Rays(shorten).check("ray-box", "random", 100, np.random.default_rng(1)).failed["surface"] > 10


def test_batches_and_lists_have_the_first_hit_of_all_bodies() -> None:
    rng = np.random.default_rng(2)
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    bodies: list[Any] = [
        ougi.Sphere(rng.uniform(-5, 5, (40, 3)), 0.4),
        ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
        ougi.Box(rng.uniform(-5, 5, (2, 20, 3)), [1, 1, 1]),
        ougi.ConvexHull3d([rng.normal(size=(8, 3)) + 3 for _ in range(3)], 0.1),
    ]
    origin, direction = rng.normal(size=(200, 3)) * 8, rng.normal(size=(200, 3))
    direction -= origin
    found = ougi.raycast(origin[:, None], direction[:, None], bodies)
    assert found.t.shape == (200, 1)
    single = [
        one for body in bodies for one in ([body] if isinstance(body, ougi.Mesh) else body.reshape((-1,)))
    ]
    each = np.stack([ougi.raycast(origin, direction, one).t for one in single])
    np.testing.assert_array_equal(found.t[:, 0], each.min(axis=0))
    hit = np.isfinite(found.t[:, 0])
    assert 50 < hit.sum() < 200
    np.testing.assert_array_equal(found.body[hit, 0], each.argmin(axis=0)[hit])
    assert ((found.face[:, 0] >= 0) == (found.body[:, 0] == 40)).all()
    limit = float(np.median(found.t[hit, 0]))
    near = ougi.raycast(origin, direction, bodies, max_t=limit)
    np.testing.assert_array_equal(near.hit, found.t[:, 0] <= limit)


def test_a_rounded_polygon_has_round_corners() -> None:
    hits = ougi.raycast([[-3.0, 1], [-3, 2.4], [-3, 2.6]], [1, 0], SQUARE)
    np.testing.assert_allclose(hits.t, [2.5, 3 - math.sqrt(0.5**2 - 0.4**2), math.inf])
    np.testing.assert_allclose(hits.normal[1], [-0.6, 0.8])
    inside = ougi.raycast([1, -0.2], [1, 0], SQUARE)
    assert inside.t == 0
    assert np.isnan(inside.normal).all()


def test_a_hole_of_a_fan_is_left_through_its_inner_wall() -> None:
    ring = ougi.Sector2d([0, 0], [1, 0], 1.0, 1, 2)
    hits = ougi.raycast([[0, 0], [0, 0], [9, 0]], [[1, 0], [-1, 0], [-2, 0]], ring)
    assert hits.t.tolist() == [1, math.inf, 3.5]
    assert hits.normal[0].tolist() == [-1, 0]


def test_normals_of_thin_cylinders_are_unit_vectors() -> None:
    """They were the hit over the radius, off by the rounding of a ray that starts far away."""
    center = [3.782284247237047, -0.254778479323947, 1.8222216091605619]
    rod = ougi.Cylinder(center, [0, 0, 1], 0.0011211137417721623, 0.43480531923742455)
    start = np.array([3.72754177667239, -1.0623356079698585, 2.54394222366353])
    end = np.array([4.716183050846776, 13.803376910172306, -16.825120742888338])
    hit = ougi.raycast(start, end - start, rod)
    assert hit.hit
    assert abs(np.linalg.norm(hit.normal) - 1) <= 3e-16


@pytest.mark.parametrize("away", [3.0, 1e9, 1e17, 1e40])
def test_normals_of_far_rays_point_against_them(away: float) -> None:
    """They were 0, or across the ray, where rounding of the hit is larger than the body."""
    corners = np.array([[x, y, z] for x in (2, 4) for y in (-1, 1) for z in (-1, 1)])
    bodies: dict[str, ougi.Shape] = {
        "ball": ougi.Sphere([3, 0, 0], 1),
        "capsule": ougi.Capsule3d([3, -1, 0], [3, 1, 0], 1),
        "cylinder": ougi.Cylinder([3, 0, 0], [0, 0, 1], 1, 1),
        "fan": ougi.Sector3d([3, 0, 0], [0, 0, 1], [1, 0, 0], 3, 0.2, 1, 1),
        "ellipsoid": ougi.Ellipsoid([3, 0, 0], [1, 2, 1]),
        "cone": ougi.Cone([3, 0, 0], [0, 0, 1], 1, 1),
        "box": ougi.Box([3, 0, 0], [2, 2, 2]),
        "hull": ougi.ConvexHull3d(corners),
        "point": ougi.Sphere([3, 0, 0], 0),
        "wall": ougi.HalfSpace3d([-1, 0, 0], -3),
    }
    for name, body in bodies.items():
        hit = ougi.raycast([-away, 0, 0], [2, 0, 0], body)
        assert hit.hit, name
        assert hit.t == pytest.approx((away + 2.5) / 2, rel=1e-6, abs=0.6)
        expected = [-2 / math.sqrt(5), 0, 1 / math.sqrt(5)] if name == "cone" else [-1, 0, 0]
        assert hit.normal.tolist() == pytest.approx(expected), name


@pytest.mark.parametrize("tiny", [1e-41, 1e-155, 5e-324])
def test_tiny_directions_are_refused(tiny: float) -> None:
    """Their squares vanish, and below 1e-154 rays missed everything round."""
    ball = ougi.Sphere([3, 0, 0], 1)
    for target in (ball, [ball], ball.reshape((1,))):
        with pytest.raises(ValueError, match="direction must have a number of at least 1e-40 in size"):
            ougi.raycast([0, 0, 0], [tiny, 0, 0], target)
    assert ougi.raycast([0, 0, 0], [1e-40, 0, tiny], ball).t == pytest.approx(2e40, rel=0.02)


def test_cones_are_hit_at_the_tip_and_at_the_base() -> None:
    cone = ougi.Cone([0, 0, 0], [0, 0, 1], 1, 1)
    origin = np.array([[5, 0, 0], [0, 0, 5], [0, 0, -5], [5, 0, 1], [5, 0, 1.1], [0, 0, 0]])
    direction = [[-1, 0, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [-1, 0, 0], [1, 0, 0]]
    hits = ougi.raycast(origin, direction, cone)
    np.testing.assert_allclose(hits.t, [4.5, 4, 4, 5, math.inf, 0])
    side = [2 / math.sqrt(5), 0.0, 1 / math.sqrt(5)]
    np.testing.assert_allclose(hits.normal[:4], np.array([side, [0, 0, 1], [0, 0, -1], [0, 0, 1]]))


def test_flat_cones_and_ellipsoids_are_discs_and_segments() -> None:
    origin, down = np.array([[0.9, 0, 4], [0, 1.1, 4], [0, 0, 0]]), [0, 0, -1]
    discs: list[ougi.Shape] = [ougi.Cone([0, 0, 0], [0, 0, 1], 1, 0), ougi.Ellipsoid([0, 0, 0], [1, 1, 0])]
    for disc in discs:
        hits = ougi.raycast(origin, down, disc)
        assert hits.t.tolist() == [4, math.inf, 0]
        assert hits.normal[0].tolist() == [0, 0, 1]
    segments: list[ougi.Shape] = [ougi.Cone([0, 0, 0], [1, 0, 0], 0, 1), ougi.Ellipsoid([0, 0, 0], [1, 0, 0])]
    for segment in segments:
        assert ougi.raycast(origin, down, segment).t.tolist() == [4, math.inf, 0]


def test_a_world_casts_rays_at_bodies_where_they_are() -> None:
    world = ougi.World()
    lift = world.add(ougi.Box([5, 0, 0], [1, 1, 1]), ougi.Translation3d([0, 0, 2]))
    floor = world.add(ougi.HalfSpace3d([0, 0, 1], -1), group=2)
    assert world.raycast([0, 0, 0], [1, 0, 0]).body == lift
    world.step(1.0)
    hits = world.raycast(
        [[0, 0, 0], [0, 0, 2], [5, 0, 9], [5, 0, 9]], [[1, 0, 0], [2, 0, 0], [0, 0, -1], [0, 0, 1]]
    )
    assert hits.body.tolist() == [-1, lift, lift, -1]
    np.testing.assert_allclose(hits.t, [math.inf, 2.25, 6.5, math.inf])
    assert world.raycast([5, 0, 9], [0, 0, -1], mask=2).body == floor
    assert ougi.World().raycast([0.0, 0], [1, 0]).hit == np.False_


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        (3, TypeError, "not iterable"),
        ([3], ougi.UnsupportedPairError, r"not supported for int at target\[0\]; it takes: Point2d, Circle"),
        (
            [SQUARE, ougi.Sphere([0, 0, 0], 1)],
            ValueError,
            "one dimension, got a 2-D ConvexPolygon2d",
        ),
        (ougi.Sphere([0, 0, 0], 1), ValueError, "origin must have 3 components"),
    ],
)
def test_bad_targets_are_refused(target: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        ougi.raycast([0, 0], [1, 0], target)
