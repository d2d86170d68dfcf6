"""First contacts of sectors that are no cylinders, against points of the sector and plain trigonometry."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact import sectors

STEPS = 2000

# Of a box with corners in the order of `meshgrid`.
MESH_FACES = np.array(
    [
        [0, 1, 3],
        [0, 3, 2],
        [4, 7, 5],
        [4, 6, 7],
        [0, 5, 1],
        [0, 4, 5],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ]
)


def test_a_turning_sector_meets_discs_where_its_points_do() -> None:
    """Points on a fine grid of the sector, turned by NumPy alone; nothing here is ougi's but the answer."""
    rng = np.random.default_rng(5)
    n = 60
    half, inner = rng.uniform(0.1, 2.5, n), rng.uniform(0, 1, n)
    outer, turn = inner + rng.uniform(0.2, 1.5, n), rng.uniform(-7, 7, n)
    center, pivot = rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, (n, 2))
    disc, radius = rng.uniform(-4, 4, (n, 2)), rng.uniform(0.1, 0.4, n)
    facing = rng.uniform(-np.pi, np.pi, n)
    sector = ougi.Sector2d(center, np.stack([np.cos(facing), np.sin(facing)], axis=1), half, inner, outer)
    found = ougi.time_of_impact(sector, ougi.Rotation2d(pivot, turn), ougi.Circle(disc, radius))
    grid, t = np.linspace(0, 1, 60), np.linspace(0, 1, STEPS + 1)
    hits = 0
    for k in range(n):
        r, a = np.meshgrid(inner[k] + (outer[k] - inner[k]) * grid, facing[k] + half[k] * (2 * grid - 1))
        points = center[k] + np.stack([r * np.cos(a), r * np.sin(a)], axis=-1).reshape((-1, 2)) - pivot[k]
        # The disc turns the other way about the pivot, seen from the sector.
        c, s = np.cos(-turn[k] * t), np.sin(-turn[k] * t)
        away = disc[k] - pivot[k]
        seen = np.stack([c * away[0] - s * away[1], s * away[0] + c * away[1]], axis=-1)
        gap = np.sqrt(((seen[:, None] - points) ** 2).sum(axis=-1)).min(axis=1) - radius[k]
        mesh = (outer[k] - inner[k] + 2 * half[k] * outer[k]) / 59  # gaps are overestimated by no more
        step = abs(turn[k]) * np.linalg.norm(away) / STEPS
        if found.hit[k]:
            hits += 1
            before = t < found.t[k] - 1e-9
            assert gap[before].min(initial=1.0) > -1e-9, k
            assert gap[t >= found.t[k] - 1 / STEPS].min() <= mesh + step, k
        else:
            assert found.status[k] == ougi.Status.FREE
            assert gap.min() > 0, k
    assert 15 < hits < 50


def draw_unit(rng: np.random.Generator) -> Any:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def draw_sector(rng: np.random.Generator) -> ougi.Sector3d:
    """A thick or flat fan, with a hole or without, up to a ring."""
    inner = rng.choice([0.0, rng.uniform(0.1, 0.9)])
    half = rng.choice([rng.uniform(0.05, 1.2), rng.uniform(1.2, 3.0), np.pi])
    height = rng.choice([0.0, rng.uniform(0.02, 0.4)])
    outer = inner + rng.uniform(0.1, 1)
    return ougi.Sector3d(rng.uniform(-1, 1, 3), draw_unit(rng), draw_unit(rng), half, inner, outer, height)


def draw_target(rng: np.random.Generator, k: int) -> Any:
    center = draw_unit(rng) * rng.uniform(0.3, 1.6)
    match k % 4:
        case 0:
            turn = ougi.Rotation3d([0, 0, 0], draw_unit(rng), 1.0).at(1.0).rotation
            return ougi.Box(center, rng.uniform(0.05, 0.6, 3), turn)
        case 1:
            return ougi.Triangle3d(*(center + rng.normal(size=(3, 3)) * 0.4))
        case 2:
            return ougi.Cylinder(center, draw_unit(rng), *rng.uniform(0.05, 0.4, 2))
    return draw_sector(rng)


def draw_motion(rng: np.random.Generator, k: int) -> ougi.Motion:
    center, axis, angle = rng.uniform(-1, 1, 3), draw_unit(rng), rng.uniform(-6, 6)
    match k % 3:
        case 0:
            return ougi.Rotation3d(center, axis, angle)
        case 1:
            return ougi.Screw3d(center, axis, angle, rng.uniform(-1, 1))
    return ougi.Translation3d(rng.normal(size=3) * 2)


def test_fans_of_space_meet_flat_and_curved_bodies_when_dense_poses_do() -> None:
    """Against `intersects` at 1,000 poses, which is another kernel: nothing is missed, late or early."""
    rng = np.random.default_rng(8)
    t, met = np.linspace(0, 1, 1001), 0
    for k in range(40):
        sector, target, motion = draw_sector(rng), draw_target(rng, k), draw_motion(rng, k // 4)
        found = ougi.time_of_impact(sector, motion, target)
        overlap = ougi.intersects(sector.transformed(motion.at(t)), target)
        if not found.hit:
            assert found.status == ougi.Status.FREE, k
            assert not overlap.any(), k
            continue
        met += 1
        assert not overlap[t < found.t - 1e-9].any(), k
        soon = found.t + np.array([0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
        assert ougi.intersects(sector.transformed(motion.at(soon)), target).any(), k
        if found.status == ougi.Status.HIT:
            then = sector.transformed(motion.at(found.t))
            assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)
            assert ougi.distance(then, found.point) <= 1e-8, k  # the point lies on both
            if not isinstance(target, ougi.Sector3d):
                assert ougi.intersects(ougi.Sphere(found.point, 1e-9), target), k
    assert 5 < met < 35


def test_a_hull_is_met_when_the_same_box_is() -> None:
    sector = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 2.0, 0.4, 1.0, 0.1)
    box = ougi.Box([-1.4, 0.6, 0], [0.2, 0.3, 0.4])
    corners = box.center + np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape((-1, 3)) * box.size
    turn = ougi.Rotation3d([0, 0.5, 0], [0, 0.1, 1], -3.0)
    expected = ougi.time_of_impact(sector, turn, box)
    assert expected.status == ougi.Status.HIT
    for target in (ougi.ConvexHull3d(corners), ougi.Mesh(corners, MESH_FACES)):
        found = ougi.time_of_impact(sector, turn, target)
        assert float(found.t) == pytest.approx(float(expected.t), abs=1e-8)
    flat = ougi.Sector2d([0, 0], [1, 0], 2.0, 0.4, 1.0)
    square = [[2.0, 0.0], [2.4, 0.0], [2.4, 0.4], [2.0, 0.4]]
    times = [
        float(ougi.time_of_impact(flat, ougi.Rotation2d([0, 2], 3.0), target).t)
        for target in (
            ougi.ConvexPolygon2d(square),
            ougi.Polygon2d(square),
            ougi.Rectangle([2.2, 0.2], [0.4, 0.4]),
        )
    ]
    assert times == pytest.approx([times[-1]] * 3, abs=1e-8)


def test_a_face_that_slides_along_an_arc_is_free_up_to_a_small_gap() -> None:
    """The outer arc turns in place beside a face, which is a tangent."""
    sector = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 1.2, 0.5, 1, 0.1)
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)
    status = [
        int(ougi.time_of_impact(sector, turn, ougi.Box([1.05 + gap, 0, 0], [0.1, 4, 4])).status)
        for gap in (1e-2, 1e-4, 1e-6, 1e-8, 0.0, -1e-6)
    ]
    assert status == [0, 0, 0, 0, 2, 2]


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-5])
def test_a_disc_in_a_ring_is_free_up_to_a_small_gap(gap: float) -> None:
    """It spins, is lifted out, or moves aside and touches the wall when it has crossed the gap."""
    ring = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 1, 2, 0.3)
    disc = ougi.Cylinder([0, 0, 0], [0, 0, 1], 1 - gap, 0.1)
    spin = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 7.0)
    for motion in (spin, ougi.Translation3d([0, 0, 1])):
        assert ougi.time_of_impact(disc, motion, ring).status == ougi.Status.FREE
    assert ougi.time_of_impact(ring, spin, disc, spin).status == ougi.Status.FREE
    found = ougi.time_of_impact(disc, ougi.Translation3d([0, 2 * gap, 0]), ring)
    assert found.status == ougi.Status.HIT
    assert float(found.t) == pytest.approx(0.5, abs=2e-8 / gap)
    assert found.normal == pytest.approx([0, 1, 0], abs=1e-2)


def test_a_ball_touches_the_wall_of_a_hole_at_its_nearest_point() -> None:
    """Where a ball meets a circle from inside is plain trigonometry."""
    ring = ougi.Sector2d([0.2, -0.1], [1, 0], np.pi, 1.5, 2)
    ball, offset = ougi.Circle([0.5, 0.3], 0.4), np.array([2.0, 0.7])
    found = ougi.time_of_impact(ball, ougi.Translation2d(offset), ring)
    away = np.array([0.3, 0.4])
    a, b, c = offset @ offset, away @ offset, away @ away - 1.1**2
    t = (-b + np.sqrt(b * b - a * c)) / a
    assert float(found.t) == pytest.approx(t, abs=1e-8)
    normal = (away + t * offset) / 1.1
    assert found.normal == pytest.approx(normal, abs=1e-6)
    assert found.point == pytest.approx(ring.center + 1.5 * normal, abs=1e-6)


def test_sectors_on_chains_meet_when_the_same_screw_does() -> None:
    """Advancement by bounds of distances, with a margin and without."""
    sector = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 2.0, 0.4, 1.0, 0.1)
    turn, box = ougi.Rotation3d([0, 0.5, 0], [0, 0.1, 1], -3.0), ougi.Box([-1.4, 0.6, 0], [0.2, 0.3, 0.4])
    still = ougi.Translation3d([0, 0, 0])
    for margin in (0.0, 0.05):
        expected = ougi.time_of_impact(sector, turn, box, margin=margin)
        found = ougi.time_of_impact(sector, ougi.Chain(turn, still), box, margin=margin)
        assert expected.status == found.status == ougi.Status.HIT
        assert float(found.t) == pytest.approx(float(expected.t), abs=1e-8)


def test_worlds_have_fans_and_queries_of_them() -> None:
    world = ougi.World()
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 0.5, 0.2, 1, 0.1)
    world.add(fan, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0))
    cone = ougi.Cone([0, 0.8, 0], [0, 0, 1], 0.2, 0.3)
    world.add(cone)
    first = ougi.time_of_impact(fan, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0), cone)
    began = [float(time) for _ in range(4) for time in world.step(0.5).began.time]
    assert began == pytest.approx([2 * float(first.t)], abs=1e-8)
    assert world.query(cone).body.tolist() == [0, 1]
    assert len(world.query(cone.translated([0, 0, 5]), ougi.Translation3d([0, 0, -5]))) == 2
    flat = ougi.World()
    flat.add(ougi.Sector2d([0, 0], [1, 0], 0.5, 0, 1), ougi.Rotation2d([0, 0], 2.0))
    flat.add(ougi.ConvexPolygon2d([[0, 0.5], [0.1, 0.9], [-0.1, 0.9]]))
    assert len(flat.step(1.0).began) == 1


@pytest.mark.parametrize("dimension", [2, 3])
def test_depths_are_lower_bounds(dimension: int) -> None:
    """Bodies that move by less than the depth still overlap. A share of the depth is found."""
    rng, n = np.random.default_rng(dimension), 200
    half = np.where(rng.random(n) < 0.3, math.pi, rng.uniform(0.02, math.pi, n))
    inner = np.where(rng.random(n) < 0.4, 0.0, rng.uniform(0.0, 0.9, n))
    outer, center = inner + rng.uniform(0.02, 1.0, n), rng.normal(size=(n, dimension))
    direction = rng.normal(size=(n, dimension))
    fans: Any
    others: tuple[Any, ...]
    if dimension == 2:
        fans = ougi.Sector2d(0.3 * center, direction, half, inner, outer)
        corners = rng.normal(size=(3, n, 2))
        others = ougi.Rectangle(center, rng.uniform(0.01, 1.0, (n, 2))), ougi.Triangle2d(*corners), fans[::-1]
    else:
        axis, thickness = rng.normal(size=(n, 3)), rng.uniform(0.01, 0.5, n)
        fans = ougi.Sector3d(0.3 * center, axis, direction, half, inner, outer, thickness)
        box = ougi.Box(center, rng.uniform(0.01, 1.0, (n, 3)))
        others = box, ougi.Segment3d(*rng.normal(size=(2, n, 3))), fans[::-1]
    for other in others:
        depth = sectors.measure_depths(fans, other)
        overlaps = sectors.measure_gaps(fans, other, 0.0) <= 0.0
        assert (depth[~overlaps] == 0.0).all()
        assert (depth[overlaps] > 0.0).mean() > 0.9
        for _ in range(10):
            step = rng.normal(size=(n, dimension))
            step *= 0.999 * depth[:, None] / np.linalg.norm(step, axis=1, keepdims=True)
            gap = sectors.measure_gaps(fans, other.transformed(ougi.Pose(step)), 0.0)
            assert (gap[depth > 0.0] <= 1e-12).all()


def test_the_depth_of_a_ball_in_a_ring_is_a_share_of_the_true_one() -> None:
    ring = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 1.0, 2.0, 0.5)
    depth = 10.0 ** np.arange(-5.0, 0.0)
    ball = ougi.Sphere(np.stack([2.2 - depth, 0 * depth, 0 * depth], axis=1), 0.2)
    share = sectors.measure_depths(ring.reshape((1,))[np.zeros(5, int)], ball)[:4] / depth[:4]
    assert ((share > 0.2) & (share <= 1.0)).all()


def test_a_flat_sector_of_space_has_no_depth() -> None:
    fan = ougi.Sector3d([[0, 0, 0]], [0, 0, 1], [1, 0, 0], 1.0, 0.0, 2.0, 0.0)
    assert sectors.measure_depths(fan, ougi.Box([[1, 0, 0]], [1, 1, 1])).tolist() == [0.0]
