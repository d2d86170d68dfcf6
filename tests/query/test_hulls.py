"""Convex hulls and polygons against the kernels of the shapes that they are equal to, and against SciPy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import ougi
from ougi._typing import Floats
from ougi_lab.scenes.pairs import draw_pairs

BAND = 64 * np.finfo(float).eps

SPATIAL = (ougi.Sphere, ougi.Segment3d, ougi.Capsule3d, ougi.Triangle3d, ougi.Box, ougi.Aabb3d)
PLANAR = (ougi.Circle, ougi.Segment2d, ougi.Capsule2d, ougi.Triangle2d, ougi.Rectangle, ougi.Aabb2d)


def corners_of(shape: Any) -> Floats:
    """The corners (k, d) of a single polytope."""
    if hasattr(shape, "start"):
        return np.stack([shape.start, shape.end])
    if hasattr(shape, "a"):
        return np.stack([shape.a, shape.b, shape.c])
    if hasattr(shape, "lower"):
        sides = np.stack([shape.lower, shape.upper])
    else:
        sides = np.stack([-shape.size / 2, shape.size / 2])
    grid = np.stack(np.meshgrid(*sides.T, indexing="ij"), axis=-1).reshape((-1, shape.dimension))
    if hasattr(shape, "lower"):
        return grid
    if shape.dimension == 3:
        return np.asarray(grid @ shape.rotation.T + shape.center)
    c, s = np.cos(shape.angle), np.sin(shape.angle)
    return np.asarray(grid @ np.array([[c, s], [-s, c]]) + shape.center)


def as_hull(shapes: Any) -> Any:
    """The same bodies as hulls."""
    radius = getattr(shapes, "radius", np.zeros(shapes.shape))
    if shapes._fields.keys() == {"center", "radius"}:
        clouds = [each.center[None] for each in shapes]
    else:
        clouds = [corners_of(each) for each in shapes]
    if shapes.dimension == 2:
        return ougi.ConvexPolygon2d.from_points(clouds, radius)
    return ougi.ConvexHull3d(clouds, radius)


def scale_of(a: Any, b: Any) -> Floats:
    (low_a, high_a), (low_b, high_b) = a._bounds(), b._bounds()
    coordinate = np.max([np.abs(x).max(-1) for x in (low_a, high_a, low_b, high_b)], axis=0)
    size = np.maximum((high_a - low_a).max(-1), (high_b - low_b).max(-1))
    total: Floats = coordinate + size
    return total


@pytest.mark.parametrize(
    ("own", "other"),
    [(own, other) for classes in (SPATIAL, PLANAR) for own in classes for other in classes],
    ids=lambda cls: cls.__name__,
)
def test_a_hull_answers_like_the_shape_that_it_is(own: Any, other: Any) -> None:
    rng = np.random.default_rng(3)
    a, b = draw_pairs(own, other, 100, rng)
    hull = as_hull(a)
    band = BAND * scale_of(a, b)
    expected, found = ougi.distance(a, b), ougi.distance(hull, b)
    np.testing.assert_array_less(np.abs(expected - found), band)
    clear = np.abs(expected) > band
    assert (ougi.intersects(hull, b) == ougi.intersects(a, b))[clear].all()


def test_nearest_points_prove_distances_of_random_hulls() -> None:
    """Points of both bodies bound a distance from above, supports along the normal bound it from below."""
    rng = np.random.default_rng(7)
    clouds = [rng.normal(size=(rng.integers(1, 30), 3)) * rng.uniform(0.2, 2, 3) for _ in range(300)]
    a = ougi.ConvexHull3d(clouds[:150]).transformed(random_pose(rng, 150))
    b = ougi.ConvexHull3d(clouds[150:], 0.1).transformed(random_pose(rng, 150))
    near = ougi.closest_points(a, b)
    contact = ougi.distance(a, b)
    free = near.distance > 0
    assert 40 < free.sum() < 140
    for k in np.flatnonzero(free):
        n = (near.point_b[k] - near.point_a[k]) / near.distance[k]
        lower = (b.vertices[k] @ n).min() - 0.1 - (a.vertices[k] @ n).max()
        assert abs(lower - near.distance[k]) < 1e-13
        assert abs(contact[k] - near.distance[k]) < 1e-14


def test_depths_are_those_of_the_hull_of_all_differences() -> None:
    rng = np.random.default_rng(8)
    n = 120
    clouds = [rng.normal(size=(rng.integers(4, 16), 3)) for _ in range(2 * n)]
    a = ougi.ConvexHull3d(clouds[:n]).transformed(random_pose(rng, n, 0.5))
    b = ougi.ConvexHull3d(clouds[n:]).transformed(random_pose(rng, n, 0.5))
    near = ougi.closest_points(a, b)
    contacts = ougi.contacts(a, b)
    depth = -ougi.distance(a, b)
    overlapping = depth > 1e-9
    assert overlapping.sum() > 60
    for k in np.flatnonzero(overlapping):
        differences = (b.vertices[k][None] - a.vertices[k][:, None]).reshape((-1, 3))
        expected = -ConvexHull(differences).equations[:, 3].max()
        assert abs(depth[k] - expected) < 1e-12
        out = b[k].transformed(ougi.Pose(contacts.normal[k] * depth[k]))
        assert abs(ougi.distance(a[k], out)) < 1e-12
        assert abs(ougi.distance(a[k], near.point_a[k])) < 1e-12
        assert abs(ougi.distance(b[k], near.point_b[k])) < 1e-12


def test_hulls_of_polygons_and_meshes_are_compared_by_their_points() -> None:
    roof = ougi.ConvexHull3d([[0, 0, 0], [4, 0, 0], [0, 2, 0], [4, 2, 0], [1, 1, 1], [3, 1, 1]])
    mesh = ougi.Mesh([[0, 0, 3], [4, 0, 3], [0, 2, 3]], [[0, 1, 2]])
    assert ougi.distance(roof, mesh) == pytest.approx(2)
    assert ougi.intersects(roof, ougi.Mesh(mesh.vertices - [0, 0, 2.5], mesh.faces))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ougi.ConvexHull3d(np.empty((0, 3))), r"points must have shape \(n, 3\) with n at least 1"),
        (lambda: ougi.ConvexHull3d([[0, 0, np.nan]]), "points must be finite, got nan"),
        (lambda: ougi.ConvexHull3d([[0, 0, 0]], -1), "radius must not be negative"),
        (
            lambda: ougi.ConvexPolygon2d(np.array([[0, 0], [2, 0], [1, 0.5], [2, 2]])),
            "got a corner that turns the other way at index 2; use ConvexPolygon2d.from_points",
        ),
        (
            lambda: ougi.ConvexPolygon2d([[[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 1], [1, 0], [0, 1]]]),
            "index . of polygon 1",
        ),
        (
            lambda: ougi.ConvexPolygon2d([[0, 3], [2, -3], [-3, 1], [3, 1], [-2, -3]]),  # a star
            "must not wind around more than once .* use ConvexPolygon2d.from_points",
        ),
        (
            lambda: ougi.ConvexHull3d([np.zeros((1, 3)), np.array([[0, 0, 0], [1, np.inf, 0]])]),
            r"points\[1\] must be finite, got inf at index \(1, 1\)",
        ),
    ],
)
def test_what_is_no_hull_is_refused_with_a_hint(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_flat_and_repeated_points_make_flat_hulls() -> None:
    cases: list[tuple[Any, int, float]] = [
        ([[1, 2, 3]] * 3, 1, 29**0.5),
        ([[0, 0, 0], [1, 1, 1], [2, 2, 2]], 2, 27**0.5),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0]], 4, 57**0.5),
    ]
    for points, count, distance in cases:
        hull = ougi.ConvexHull3d(points)
        assert len(hull.vertices) == count
        assert ougi.distance(hull, [5, 5, 5]) == pytest.approx(distance)
        assert ougi.contains(hull, points).all()


def test_bounds_copies_and_pickles_hold_the_vertices() -> None:
    rng = np.random.default_rng(5)
    hulls = ougi.ConvexHull3d([rng.normal(size=(9, 3)) for _ in range(4)], [0, 0.5, 1, 2])
    moved = hulls.transformed(random_pose(rng, 4))
    for hull in moved:
        bounds = hull.bounds()
        np.testing.assert_allclose(bounds.lower, hull.vertices.min(axis=0) - hull.radius, atol=1e-14)
        np.testing.assert_allclose(bounds.upper, hull.vertices.max(axis=0) + hull.radius, atol=1e-14)
        ball = hull.bounding_sphere()
        assert (
            np.linalg.norm(hull.vertices - ball.center, axis=1) + hull.radius <= ball.radius + 1e-12
        ).all()
    assert pickle.loads(pickle.dumps(moved)) == moved
    assert ougi.concatenate([hulls, moved]).shape == (8,)
    assert repr(hulls[1]) == f"<ConvexHull3d of {len(hulls[1].vertices)} vertices, radius 0.5>"


def random_pose(rng: np.random.Generator, n: int, spread: float = 2.0) -> ougi.Pose:
    turn = Rotation.random(n, random_state=int(rng.integers(1 << 30)))
    return ougi.Pose(rng.normal(size=(n, 3)) * spread, turn)
