"""Rays against all faces one by one, in exact arithmetic where it matters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ougi
from ougi_lab.scenes.meshes import draw_placed_mesh, make_box, make_solid, make_sphere, make_torus, place_mesh
from ougi_lab.scenes.pairs import rotation_3d

Floats = NDArray[np.float64]


def cast_one_by_one(origin: Floats, direction: Floats, mesh: ougi.Mesh) -> tuple[float, float]:
    """The first t over all faces in rational numbers, and how far the ray passes from the border of any face.

    The second is relative to the size: where it is tiny, rounding may decide.
    """
    o, d = [Fraction(x) for x in origin], [Fraction(x) for x in direction]
    best, doubt = np.inf, np.inf
    for corners in mesh.vertices[mesh.faces]:
        a, b, c = ([Fraction(x) - y for x, y in zip(p, o, strict=True)] for p in corners)
        areas = [dot(d, cross(p, q)) for p, q in ((b, c), (c, a), (a, b))]
        total = sum(areas)
        scale = float(np.abs(corners - origin).max() ** 2 * np.abs(direction).max())
        doubt = min(doubt, *(abs(float(x)) / scale for x in areas))
        if total != 0 and (all(x >= 0 for x in areas) or all(x <= 0 for x in areas)):
            t = float(dot(areas, [dot(p, d) for p in (a, b, c)]) / total / dot(d, d))
            best = min(best, t if t >= 0 else np.inf)
    return best, doubt


def cross(p: Any, q: Any) -> list[Any]:
    return [p[i - 2] * q[i - 1] - p[i - 1] * q[i - 2] for i in range(3)]


def dot(p: Any, q: Any) -> Any:
    return sum(x * y for x, y in zip(p, q, strict=True))


def test_the_first_of_all_faces_is_hit() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(40):
        mesh = draw_placed_mesh(rng, 6)
        size = np.abs(mesh.vertices).max()
        target = mesh.vertices[rng.integers(len(mesh.vertices), size=5)] + rng.normal(size=(5, 3)) * 0.1
        origins = mesh.vertices.mean(axis=0) + rng.normal(size=(5, 3)) * 2
        found = ougi.raycast(origins, target - origins, mesh)
        for k in range(5):
            expected, doubt = cast_one_by_one(origins[k], target[k] - origins[k], mesh)
            if doubt > 1e-13 * size:
                assert found.t[k] == pytest.approx(expected, rel=1e-9, abs=1e-12 * size)
                assert found.hit[k] == np.isfinite(expected)
        hits += int(found.hit.sum())
        inside = ougi.distance(mesh, found.point[found.hit]) if found.hit.any() else np.zeros(1)
        assert np.abs(inside).max() <= 1e-11 * size
    assert 40 < hits < 190


def test_no_ray_passes_between_faces() -> None:
    """From inside of closed meshes every ray hits, also through edges and vertices, exactly or nearly."""
    rng = np.random.default_rng(1)
    for mesh in (make_sphere(9, 7, 1.0, 0.1), make_box((1.0, 2.0, 3.0)), make_sphere(40, 30)):
        corners = mesh.vertices[mesh.faces]
        edges = corners + rng.random((len(corners), 3, 1)) * (np.roll(corners, 1, axis=1) - corners)
        targets = np.concatenate([mesh.vertices, edges.reshape((-1, 3)), corners.mean(axis=1)])
        for origin in (np.zeros(3), rng.uniform(-0.1, 0.1, 3)):
            for noise in (0.0, 1e-16, 1e-13):
                aims = targets * (1 + noise * rng.normal(size=targets.shape))
                for scale in (1.0, 3.0, 1e-5):
                    hits = ougi.raycast(origin, scale * (aims - origin), mesh)
                    assert hits.hit.all()
                    assert np.abs(scale * hits.t - 1).max() <= 1e-9


def test_a_moved_mesh_is_hit_where_it_is() -> None:
    rng = np.random.default_rng(2)
    mesh = make_torus(20, 12)
    moved = place_mesh(mesh, np.array([30.0, -4.0, 7.0]), rng)
    origins = moved.vertices.mean(axis=0) + 3 * rng.normal(size=(400, 3))
    aims = (
        moved.vertices[rng.integers(len(moved.vertices), size=400)]
        + 0.2 * rng.normal(size=(400, 3))
        - origins
    )
    here = ougi.raycast(origins, aims, ougi.Mesh(moved.vertices, moved.faces))
    there = ougi.raycast(origins, aims, moved)
    assert 100 < here.hit.sum() < 400
    assert (here.face == there.face).all()
    assert np.abs(here.t[here.hit] - there.t[here.hit]).max() <= 1e-13
    assert np.abs(here.normal - there.normal)[here.hit].max() <= 1e-12
    assert ((here.normal * aims).sum(axis=-1)[here.hit] < 0).all()


def test_the_first_of_several_meshes_is_hit_and_far_hits_are_ignored() -> None:
    box = make_box((2.0, 2.0, 2.0))
    row = [box.transformed(ougi.Pose([x, 0, 0])) for x in (8.0, 4.0, 12.0)]
    hits = ougi.raycast([0.0, 0.1, 0.2], [[1, 0, 0], [2, 0, 0], [-1, 0, 0]], row)
    assert hits.t.tolist() == [3.0, 1.5, np.inf]
    assert hits.body.tolist() == [1, 1, -1]
    assert hits.normal[0].tolist() == [-1.0, 0.0, 0.0]
    assert np.isnan(hits.point[2]).all()
    assert ougi.raycast([0, 0.1, 0.2], [1, 0, 0], row, max_t=2.9).body == -1
    assert ougi.raycast([0, 0.1, 0.2], [1, 0, 0], row, max_t=3.0).body == 1
    assert ougi.raycast(np.zeros((2, 1, 3)), np.ones((5, 3)), box).t.shape == (2, 5)
    assert ougi.raycast(np.zeros((0, 3)), [1, 0, 0], box).t.shape == (0,)
    assert not ougi.raycast([0, 0, 0], [1, 0, 0], []).hit


def test_a_ray_that_starts_in_a_solid_mesh_hits_it_at_once() -> None:
    solid = make_solid(make_box((2.0, 2.0, 2.0)))
    hits = ougi.raycast([[0.1, 0.2, 0.3], [-3.0, 0.2, 0.3]], [1, 0, 0], solid)
    assert hits.t.tolist() == [0.0, 2.0]
    assert hits.face[0] == -1
    assert np.isnan(hits.normal[0]).all()
    assert ougi.raycast([0.1, 0.2, 0.3], [1, 0, 0], make_box((2.0, 2.0, 2.0))).t == pytest.approx(0.9)


def test_faces_without_area_are_not_hit() -> None:
    flat = ougi.Mesh([[0, 0, 0], [2, 0, 0], [1, 0, 0], [5, 5, 5]], [[0, 1, 2], [3, 3, 3]])
    assert not ougi.raycast([[1, 0, 3], [5, 5, 9]], [0, 0, -1], flat).hit.any()


def test_bad_rays_are_refused_by_name() -> None:
    box = make_box()
    with pytest.raises(ValueError, match=r"direction must not be zero, got .* at index 1"):
        ougi.raycast([0, 0, 0], [[1, 0, 0], [0, 0, 0]], box)
    with pytest.raises(ValueError, match="max_t must not be negative, got -1"):
        ougi.raycast([0, 0, 0], [1, 0, 0], box, max_t=-1)
    with pytest.raises(ValueError, match="without faces touches nothing"):
        ougi.raycast([0, 0, 0], [1, 0, 0], ougi.Mesh([[0, 0, 0]], []))


def make_single_targets() -> list[ougi.Shape]:
    rng = np.random.default_rng(7)
    ball = make_sphere(12, 7, 1.0, 0.2)
    turned = ball.transformed(ougi.Pose([0.3, 0.1, -0.2], rotation_3d(np.array([1.0, 2.0, 3.0, 4.0]))))
    solid = ougi.Mesh(ball.vertices, ball.faces, solid=True)
    hull = ougi.ConvexHull3d(rng.normal(size=(9, 3)), 0.1)
    round_bodies: list[ougi.Shape] = [ougi.Sphere([0, 0, 0], 1), ougi.HalfSpace3d([0, 0, 1])]
    return [ball, turned, solid, hull, *round_bodies, ougi.Box([0, 0, 0], [1, 2, 1]), ougi.Circle([0, 0], 1)]


@pytest.mark.parametrize("target", make_single_targets(), ids=lambda target: type(target).__name__)
def test_one_ray_has_the_hit_that_it_has_in_a_batch(target: ougi.Shape) -> None:
    rng = np.random.default_rng(11)
    d = target.dimension
    origin, direction = rng.normal(size=(80, d)) * 2, rng.normal(size=(80, d))
    direction[::2] = -origin[::2] + 0.3 * direction[::2]
    batch = ougi.raycast(origin, direction, target, max_t=1.2)
    assert 5 < batch.hit.sum() < 75
    for k in range(len(origin)):
        one = ougi.raycast(origin[k].tolist() if k % 3 else origin[k], direction[k], target, max_t=1.2)
        for field in ("hit", "t", "point", "normal", "body", "face"):
            ours, theirs = getattr(one, field), getattr(batch, field)[k]
            assert (type(ours), ours.dtype, ours.shape) == (type(theirs), theirs.dtype, theirs.shape), field
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)  # products of matrices round
