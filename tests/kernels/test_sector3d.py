"""Thick fans against capsules, segments, boxes and triangles; and their meshes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ougi

Floats = NDArray[np.float64]
QUARTER = math.pi / 4


def fan(
    half_angle: float = QUARTER, inner: float = 1.0, outer: float = 5.0, height: float = 1.0
) -> ougi.Sector3d:
    return ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], half_angle, inner, outer, height)


BLOBS: dict[str, Any] = {
    "sphere": lambda p: ougi.Sphere(p, 0.3),
    "capsule": lambda p: ougi.Capsule3d(p - [0.2, 0, 0.1], p - [-0.2, -0.1, 0], 0.2),
    "box": lambda p: ougi.Box(p, [0.5, 0.4, 0.6], [0, 0, 0.6, 0.8]),
    "aabb": lambda p: ougi.Aabb3d(p - 0.25, p + 0.25),
    "triangle": lambda p: ougi.Triangle3d(p - [0.3, 0.2, 0.2], p - [-0.3, 0.2, -0.1], p - [0, -0.4, -0.2]),
}


@pytest.mark.plain
@pytest.mark.parametrize("blob", BLOBS)
@pytest.mark.parametrize(
    ("at", "hit"),
    [
        ([3, 0, 0], True),  # inside
        ([5, 0, 0], True),  # across the outer wall
        ([1, 0, 0], True),  # across the inner wall
        ([3, 0, 1], True),  # across the top
        ([3, 0, -1], True),
        ([2, 2, 0], True),  # across a side
        ([2, -2, 0.9], True),
        ([0, 0, 0], False),  # in the hole
        ([6, 0, 0], False),  # outside
        ([3, 0, 1.7], False),  # above
        ([3, 0, -1.7], False),
        ([0, 3, 0], False),  # past a side
        ([-3, 0, 0], False),  # behind
    ],
)
def test_regions(blob: str, at: list[float], hit: bool) -> None:
    body = BLOBS[blob](np.array(at, float))
    assert ougi.intersects(fan(), body) == hit
    assert ougi.intersects(body, fan()) == hit


@pytest.mark.plain
@pytest.mark.parametrize(
    "around",
    [
        ougi.Box([0, 0, 0], [20, 20, 20], [0, 0, 0.6, 0.8]),
        ougi.Aabb3d([-9, -9, -9], [9, 9, 9]),
        ougi.Triangle3d([-90, -50, 0.1], [90, -50, 0.2], [0, 90, 0]),
        ougi.Sphere([0, 0, 0], 9),
        ougi.Capsule3d([-1, 0, 0], [1, 0, 2], 9),
    ],
    ids=lambda body: type(body).__name__,
)
@pytest.mark.parametrize("half_angle", [0.0, 1e-9, 0.2, math.pi / 2, 2.5, math.pi])
def test_a_shape_around_the_fan_touches_it(around: Any, half_angle: float) -> None:
    assert ougi.intersects(fan(half_angle), around)
    flat = ougi.Triangle3d([-90, -50, 0], [90, -50, 0], [0, 90, 0])
    assert ougi.intersects(fan(half_angle, height=0.0), flat)


@pytest.mark.plain
def test_triangle_through_the_hole_misses() -> None:
    needle = ougi.Triangle3d([0.1, 0, -9], [0.2, 0.1, 9], [-0.3, 0, 9])
    assert not ougi.intersects(fan(math.pi), needle)
    assert ougi.intersects(fan(math.pi), ougi.Triangle3d([0.1, 0, -9], [0.2, 0.1, 9], [-1.3, 0, 0]))
    # Its plane cuts the hole alone within the slab, its edges pass outside of the slab.
    assert not ougi.intersects(fan(math.pi), ougi.Triangle3d([0, -9, -30], [0, 9, -30], [0, 0, 1.5]))
    assert not ougi.intersects(fan(math.pi), ougi.Box([0, 0, 0], [1.2, 1.2, 9]))
    assert ougi.intersects(fan(math.pi), ougi.Box([0, 0, 0], [1.5, 1.5, 9]))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("start", "end", "radius", "distance"),
    [
        ([4, 0, 6], [3, 0, 2], 2, 1.0),  # FAN erratum 7: one end is too far above the slab for (2.12)
        ([2, 0, 1.5], [4, 0, 1.5], 1, 0.5),  # FAN erratum 8: parallel to the slab, above it
        ([7, -7, 6], [-3, -7, 1.5], 4, 4.674),  # FAN erratum 10: the hull of the pseudo-capsule touches
        ([-0.5, 0, 0], [0.5, 0, 0], 0.4, 0.5),  # in the hole
        ([0.5, 0, 9], [0.5, 0, -9], 0.4, 0.5),  # along the axis through the hole
        ([6, 0, 3], [6, 0, 2], 1, math.sqrt(2)),  # near the outer rim
        ([0.5, 0, 2], [0.5, 0, 1.5], 0.5, math.hypot(0.5, 0.5)),  # near the inner rim
        ([6, 6, 0], [6, 6, 0], 1, 6 * math.sqrt(2) - 5),  # no length
        ([3, 0, 0], [3, 0, 0], 0, 0.0),
        ([-3, 1, 0], [-3, -1, 0], 0.5, 3 + math.sqrt(0.5)),  # behind, to the inner edges of the sides
    ],
)
def test_capsules(start: list[float], end: list[float], radius: float, distance: float) -> None:
    core = ougi.Segment3d(start, end)
    distance_found = float(ougi.distance(fan(), core))
    assert distance_found == pytest.approx(distance, abs=5e-4)
    assert ougi.intersects(fan(), ougi.Capsule3d(start, end, radius)) == (distance_found <= radius)
    for delta in (1e-3, 1e-6, 1e-9, 1e-12):
        assert ougi.intersects(fan(), ougi.Capsule3d(start, end, distance_found + delta))
        if distance_found > 0:
            assert not ougi.intersects(fan(), ougi.Capsule3d(start, end, distance_found - delta))


def sample_min_distance(sector: Any, a: Floats, b: Floats, n: int = 400) -> float:
    """Of the distance by polar angles, over points of a segment: coarse, then finer around the best."""
    from ougi_lab.verify.sector_oracle import signed_distance

    low, high = 0.0, 1.0
    for _ in range(8):
        t = np.linspace(low, high, n)
        p = a + t[:, None] * (b - a)
        distance_found = signed_distance(sector[None], p, np.zeros(n, np.int64))
        best = int(np.argmin(distance_found))
        low, high = t[max(best - 1, 0)], t[min(best + 1, n - 1)]
    return max(float(distance_found.min()), 0.0)


def test_capsule_distance_agrees_with_sampling() -> None:
    rng = np.random.default_rng(6)
    for k in range(150):
        inner = float(rng.choice([0, rng.uniform(0, 3)]))
        outer = inner + [0.0, rng.uniform(0, 3)][k % 2]
        center, axis, direction = rng.normal(size=(3, 3))
        half_angle, height = [0.001, rng.uniform(0, 3), math.pi][k % 3], [0.0, rng.uniform(0, 2)][k // 2 % 2]
        sector = ougi.Sector3d(center, axis, direction, half_angle, inner, outer, height)
        a, b = rng.uniform(-5, 5, (2, 3))
        assert ougi.distance(sector, ougi.Segment3d(a, b)) == pytest.approx(
            sample_min_distance(sector, a, b), abs=1e-9
        )


# --- meshes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("half_angle", [0.3, math.pi / 2, 2.5, math.pi])
@pytest.mark.parametrize("inner", [0.0, 1.0])
def test_mesh_is_closed_and_wound_outward(half_angle: float, inner: float) -> None:
    sector = ougi.Sector3d([1, 2, 3], [1, 1, 0], [0, 1, 2], half_angle, inner, 2, 0.5)
    mesh = sector.mesh(600)
    edges = np.concatenate([mesh.faces[:, [i, (i + 1) % 3]] for i in range(3)])
    forth = set(map(tuple, edges.tolist()))
    assert len(forth) == len(edges)  # each edge once in each direction
    assert forth == {(j, i) for i, j in forth}
    assert len(np.unique(mesh.faces)) == len(mesh.vertices)
    a, b, c = (mesh.vertices[mesh.faces[:, i]] - sector.center for i in range(3))
    volume = float(np.einsum("ni,ni->", a, np.cross(b, c))) / 6
    assert volume == pytest.approx(half_angle * (4 - inner**2) * 1.0, rel=1e-4)
    assert ougi.contains(
        ougi.Aabb3d(sector.bounds().lower - 1e-9, sector.bounds().upper + 1e-9), mesh.vertices
    ).all()


def test_only_a_single_fan_has_a_mesh() -> None:
    with pytest.raises(ValueError, match=r"only a single Sector3d can be drawn, got a batch of shape \(1,\)"):
        ougi.Sector3d([[0, 0, 0]], [0, 0, 1], [1, 0, 0], 1, 0, 1, 1).mesh()


def test_a_segment_across_a_wall_without_width_is_never_lost() -> None:
    rng = np.random.default_rng(3)
    n = 10_000
    half = rng.choice([1e-3, 0.5, math.pi / 2, 2.0, math.pi], n)
    radius, height = 10 ** rng.uniform(-3, 3, n), rng.uniform(0.5, 2, n)
    center, axis, direction = rng.normal(size=(3, n, 3))
    wall = ougi.Sector3d(center, axis, direction, half, radius, radius, height * radius)
    turn = rng.uniform(-0.9, 0.9, n) * half
    x, y = wall.direction, np.cross(wall.axis, wall.direction)
    out = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    at = (
        center + radius[:, None] * out + (0.8 * rng.uniform(-1, 1, n) * wall.half_height)[:, None] * wall.axis
    )
    v = 0.05 * (radius * np.minimum(half, 1))[:, None] * (out + 0.5 * np.cross(out, rng.normal(size=(n, 3))))
    crossing = ougi.Segment3d(at - v, at + v)
    near = np.abs(((at + v - center) * out).sum(1)) > radius  # it does reach the other side
    assert near.mean() > 0.5
    assert ougi.intersects(wall, crossing)[near].all()
    assert (ougi.distance(wall, crossing)[near] == 0).all()


@pytest.mark.parametrize("half_angle", [0.0, 1.0, math.pi])
def test_flat_bodies_across_flat_fans_are_never_lost(half_angle: float) -> None:
    """A triangle and a box without thickness that cross a fan without height, at all tilts."""
    rng = np.random.default_rng(5)
    n = 3_000
    center, axis, direction = rng.normal(size=(3, n, 3))
    flat = ougi.Sector3d(center, axis, direction, half_angle, 1.0, 2.0, 0.0)
    at = center + 1.5 * flat.direction
    p, q = rng.normal(size=(2, n, 3))
    q = p + 2 * q / np.linalg.norm(q, axis=1, keepdims=True)
    tip = 3 * at - p - q  # the middle of the corners lies in the fan
    height = np.stack([((x - center) * flat.axis).sum(1) for x in (at + p, at + q)])
    across = (np.abs(height) > 1e-3).all(axis=0)
    triangle = ougi.Triangle3d(at + p, at + q, at + (tip - 3 * at))
    if half_angle > 0:
        assert ougi.intersects(flat, triangle)[across].all()
    turn = rng.normal(size=(n, 4))
    size = np.array([1.0, 1.0, 0.0])
    plate = ougi.Box(at, size, turn / np.linalg.norm(turn, axis=1, keepdims=True))
    if half_angle > 0:
        assert ougi.intersects(flat, plate).all()
    thick = ougi.Box(at, [0.3, 0.2, 0.1], turn / np.linalg.norm(turn, axis=1, keepdims=True))
    assert ougi.intersects(flat, thick).all()


@pytest.mark.plain
def test_a_level_capsule_over_the_outer_rim_touches() -> None:
    """It is nearest to the rim where it is nearest to the axis: both of Newton's brackets end there."""
    core = ougi.Segment3d([-3, 6, 2], [4, 6, 2])
    assert ougi.distance(fan(math.pi), core) == pytest.approx(math.sqrt(2), abs=1e-15)
    assert ougi.intersects(fan(math.pi), ougi.Capsule3d([-3, 6, 2], [4, 6, 2], math.sqrt(2) + 1e-12))
    assert not ougi.intersects(fan(math.pi), ougi.Capsule3d([-3, 6, 2], [4, 6, 2], math.sqrt(2) - 1e-12))


@pytest.mark.plain
def test_a_segment_through_the_axis_finds_the_rim() -> None:
    """On such a line the slope at the axis has no sign of its own."""
    axis = np.array([0.7484943314569465, 0.5671581767471433, 0.3436391105879464])
    ring = ougi.Sector3d([-1.0, -0.5, 0.0], axis, [0.5, -0.1, -0.9], math.pi, 1.0, 1.0, 0.0)
    start, end = np.array([-1.0, -1.7, 0.0]), np.array([-1.0, -0.3, 0.0])
    assert ougi.distance(ring, ougi.Segment3d(start, end)) == pytest.approx(axis[1], abs=1e-12)
    for radius, hit in ((axis[1] + 1e-9, True), (axis[1] - 1e-9, False)):
        assert ougi.intersects(ring, ougi.Capsule3d(start, end, radius)) == hit
