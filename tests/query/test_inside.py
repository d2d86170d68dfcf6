"""Points inside of solid meshes: against solid angles, half-spaces in fractions, and boxes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ougi
from ougi_lab.scenes.batches import draw_batch

Floats = NDArray[np.float64]

TORUS = trimesh.creation.torus(1.0, 0.35, major_sections=24, minor_sections=12)
BALL = trimesh.creation.icosphere(subdivisions=2)
BOX = trimesh.creation.box(extents=(2, 2, 2))
CUBE = ougi.Mesh(BOX, solid=True)


def make_hollow_cube() -> ougi.Mesh:
    """A cube of half size 2 with a cavity of half size 1."""
    vertices = np.concatenate([2 * BOX.vertices, BOX.vertices])
    return ougi.Mesh(vertices, np.concatenate([BOX.faces, BOX.faces[:, ::-1] + 8]), solid=True)


def compute_winding(mesh: Any, points: Floats) -> Floats:
    """The sum of the solid angles of all faces, over 4 pi."""
    a, b, c = (np.asarray(mesh.vertices)[mesh.faces[:, k]] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    above = np.einsum("nmi,nmi->nm", a, np.cross(b, c))
    dots = [np.einsum("nmi,nmi->nm", x, y) for x, y in ((a, b), (b, c), (c, a))]
    below = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
    total: Floats = 2 * np.arctan2(above, below).sum(axis=1) / (4 * np.pi)
    return total


@pytest.mark.parametrize("mesh", [TORUS, BALL, BOX], ids=["torus", "ball", "box"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_solid_mesh_contains_points_with_a_positive_winding_number(mesh: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turned = ougi.Mesh(mesh, solid=True).transformed(ougi.Pose(rng.normal(size=3), Rotation.random(rng=rng)))
    points = rng.uniform(turned.bounds().lower, turned.bounds().upper, (1500, 3))
    winding = compute_winding(turned, points)
    clear = np.abs(winding - np.round(winding)) < 1e-6
    assert clear.mean() > 0.99
    inside = ougi.contains(turned, points)
    assert 50 < inside.sum() < 1450
    np.testing.assert_array_equal(inside[clear], winding[clear] > 0.5)


def test_rays_through_edges_and_vertices_are_counted_once() -> None:
    """Grid points lie below and above vertices, edges, diagonals and faces that stand upright."""
    grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 17)] * 3), axis=-1).reshape((-1, 3))
    np.testing.assert_array_equal(ougi.contains(CUBE, grid), (np.abs(grid) <= 1).all(axis=1))
    size = np.abs(grid).max(axis=1)
    np.testing.assert_array_equal(ougi.contains(make_hollow_cube(), grid), (size <= 2) & (size >= 1))
    octahedron = ougi.Mesh(
        np.concatenate([np.eye(3), -np.eye(3)]),
        [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]],
        solid=True,
    )
    np.testing.assert_array_equal(ougi.contains(octahedron, grid), np.abs(grid).sum(axis=1) <= 1)


def find_side(corners: Floats, p: list[float]) -> int:
    """On which side of a plane does p lie? In fractions."""
    u, v, w = ([Fraction(x) - Fraction(y) for x, y in zip(q, p, strict=True)] for q in corners.tolist())
    value = (
        u[0] * (v[1] * w[2] - v[2] * w[1])
        - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
    )
    return (value > 0) - (value < 0)


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
def test_points_beside_a_face_by_one_rounding_are_on_the_right_side(scale: float) -> None:
    from ougi.query.inside import find_inside

    rng = np.random.default_rng(3)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    decided = 0
    for _ in range(8):
        corners = rng.normal(size=(4, 3))
        if np.linalg.det(corners[1:] - corners[0]) < 0:
            corners = corners[[0, 2, 1, 3]]
        corners *= scale
        tetrahedron = ougi.Mesh(corners, faces, solid=True)
        weights = rng.dirichlet([1, 1, 1], 30)
        on_faces = np.einsum("nk,fkd->fnd", weights, corners[faces]).reshape((-1, 3))
        on_edges = (corners[[0, 0, 1]] + corners[[1, 2, 3]]) / 2
        points = np.concatenate([on_faces, on_edges, corners])
        points = np.concatenate([points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)])
        inside = find_inside(tetrahedron, points)
        # Positive from inside: faces are wound counter-clockwise as seen from outside.
        sides = np.array([[find_side(corners[face], p) for face in faces] for p in points.tolist()])
        strict = (sides != 0).all(axis=1)
        np.testing.assert_array_equal(inside[strict], (sides[strict] > 0).all(axis=1))
        decided += int(strict.sum())
    assert decided > 2000


def test_points_of_faces_edges_and_vertices_belong_to_the_solid() -> None:
    mesh = ougi.Mesh(BALL, solid=True)
    corners = mesh.vertices[mesh.faces]
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [0.25, 0.25, 0.5]])
    points = np.einsum("kc,fcd->fkd", weights, corners).reshape((-1, 3))
    assert np.abs(ougi.distance(mesh, points)).max() <= 1e-15
    assert ougi.contains(mesh, mesh.vertices).all()
    assert ougi.contains(CUBE, np.array([[1, 1, 1], [1, 0.3, 0.2], [0.5, -1, 1], [0, 0, -1]])).all()


def test_the_distance_is_negative_inside() -> None:
    points = np.random.default_rng(4).uniform(-1.4, 1.4, (400, 3))
    solid, surface = ougi.Mesh(TORUS, solid=True), ougi.Mesh(TORUS)
    signed, gap = ougi.distance(solid, points), ougi.distance(surface, points)
    np.testing.assert_array_equal(np.abs(signed), gap)
    np.testing.assert_array_equal(signed < 0, compute_winding(TORUS, points) > 0.5)
    np.testing.assert_array_equal(ougi.distance(points, solid), signed)


def test_balls_are_measured_from_the_surface() -> None:
    rng = np.random.default_rng(5)
    center = rng.uniform(-1.5, 1.5, (200, 3))
    radius = rng.uniform(0, 0.8, 200)
    box = ougi.Box([0, 0, 0], [2, 2, 2])
    for balls, expected in (
        (ougi.Sphere(center, radius), ougi.distance(box, center) - radius),
        (center, ougi.distance(box, center)),
    ):
        np.testing.assert_allclose(ougi.distance(CUBE, balls), expected, atol=1e-14)
        near = ougi.closest_points(balls, CUBE)
        np.testing.assert_allclose(near.distance, expected, atol=1e-14)
        gap = np.linalg.norm(near.point_a - near.point_b, axis=-1)
        np.testing.assert_allclose(gap, np.abs(expected), atol=1e-14)
        np.testing.assert_allclose(np.abs(near.point_b).max(axis=1), 1, atol=1e-14)
        back = ougi.closest_points(CUBE, balls)
        np.testing.assert_array_equal(back.point_a, near.point_b)
        np.testing.assert_array_equal(back.point_b, near.point_a)


def test_contacts_of_balls_and_a_solid_mesh_are_those_of_the_box_it_fills() -> None:
    rng = np.random.default_rng(6)
    box, radius = ougi.Box([0, 0, 0], [2, 2, 2]), rng.uniform(0.1, 0.8, 200)
    for shape in (center := rng.uniform(-1.5, 1.5, (200, 3)), ougi.Sphere(center, radius)):
        found, same = ougi.contacts(CUBE, shape), ougi.contacts(box, shape)
        np.testing.assert_array_equal(found.hit, same.hit)
        for name in ("depth", "normal", "point"):
            np.testing.assert_allclose(getattr(found, name), getattr(same, name), atol=1e-13)
        np.testing.assert_array_equal(ougi.contacts(shape, CUBE).normal, -found.normal)


@pytest.mark.parametrize("offset", [0.0, 1e-16, -1e-16])
def test_normals_of_balls_with_their_center_on_a_solid_mesh_point_outward(offset: float) -> None:
    axes = np.eye(3)
    center = np.concatenate([(1 + offset) * axes, -(1 + offset) * axes])
    center += 0.3 * np.roll(np.concatenate([axes, axes]), 1, axis=1)
    balls = ougi.Sphere(center, 0.5)
    found = ougi.contacts(CUBE, balls)
    np.testing.assert_allclose(found.depth, 0.5, atol=1e-15)
    apart = balls.translated(0.5 * found.normal)
    np.testing.assert_allclose(ougi.distance(ougi.Box([0, 0, 0], [2, 2, 2]), apart), 0.0, atol=1e-15)
    near = ougi.closest_points(CUBE, balls)
    np.testing.assert_allclose(near.point_b, near.point_a - 0.5 * found.normal, atol=1e-15)


@pytest.mark.parametrize(
    "name", ["Sphere", "Segment3d", "Capsule3d", "Triangle3d", "Box", "Aabb3d", "Sector3d"]
)
def test_what_a_solid_mesh_encloses_touches_it(name: str) -> None:
    """A solid cube has the results of the box of the same size."""
    bodies = draw_batch(getattr(ougi, name), 150, 6)
    box = ougi.Box([0, 0, 0], [2, 2, 2])
    hit = ougi.intersects(box, bodies)
    assert 20 < hit.sum() < 150
    assert (ougi.intersects(ougi.Mesh(BOX), bodies) != hit).any()
    np.testing.assert_array_equal(ougi.intersects(CUBE, bodies), hit)
    np.testing.assert_array_equal(ougi.intersects(bodies, CUBE), hit)
    if name not in ("Sector3d", "Sphere"):
        gap = ougi.distance(bodies, CUBE)
        np.testing.assert_allclose(gap, np.maximum(ougi.distance(bodies, box), 0), atol=1e-14)
        assert (gap[hit] == 0).all()


def test_meshes_inside_of_a_solid_mesh_touch_it() -> None:
    small = ougi.Mesh(CUBE.vertices / 4, CUBE.faces)
    hollow = make_hollow_cube()
    for inner in (small, ougi.Mesh(small.vertices, small.faces, solid=True)):
        assert ougi.intersects(CUBE, inner)
        assert ougi.intersects(inner, CUBE)
        assert ougi.distance(inner, CUBE) == 0
        assert not ougi.intersects(hollow, inner)
        assert ougi.distance(hollow, inner) == pytest.approx(0.75)
    assert not ougi.intersects(ougi.Mesh(BOX), small)
    far = ougi.Mesh(
        np.concatenate([small.vertices + 9, small.vertices]), np.concatenate([BOX.faces, BOX.faces + 8])
    )
    assert ougi.intersects(CUBE, far)  # one of its parts


def test_a_surface_contains_nothing_and_says_how_to_make_it_solid() -> None:
    with pytest.raises(ougi.UnsupportedPairError, match=r"contains no points; Mesh\(..., solid=True\)"):
        ougi.contains(ougi.Mesh(BOX), [0, 0, 0])


def test_what_starts_inside_of_a_solid_mesh_overlaps_it_from_the_start() -> None:
    out = ougi.Translation3d([5, 0, 0])
    for body in (ougi.Sphere([0, 0, 0], 0.1), ougi.Box([0, 0, 0], [0.1, 0.1, 0.1])):
        found = ougi.time_of_impact(body, out, CUBE)
        assert (int(found.status), float(found.t)) == (ougi.Status.OVERLAPPING, 0.0)
        back = ougi.time_of_impact(CUBE, out, body)
        assert (int(back.status), float(back.t)) == (ougi.Status.OVERLAPPING, 0.0)
        surface = ougi.time_of_impact(body, out, ougi.Mesh(BOX))
        assert float(surface.t) == pytest.approx((1 - body.bounds().upper[0]) / 5)
        toward = ougi.time_of_impact(body.transformed(ougi.Pose([-3, 0, 0])), out, CUBE)
        assert float(toward.t) == pytest.approx((2 - body.bounds().upper[0]) / 5)
