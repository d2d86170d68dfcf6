"""Resting meshes against coal, and against all their triangles one by one."""

from __future__ import annotations

from typing import Any

import coal
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import ougi
from ougi_lab.scenes.batches import draw_batch

TORUS = trimesh.creation.torus(1.0, 0.35, major_sections=24, minor_sections=12)
CUBE = ougi.Mesh(trimesh.creation.box(extents=(2, 2, 2)))


def bodies(name: str, n: int, seed: int) -> Any:
    """Random bodies of a class around a torus."""
    if name == "points":
        return np.random.default_rng(seed).uniform(-1.6, 1.6, (n, 3))
    return draw_batch(getattr(ougi, name), n, seed)


def triangles(mesh: ougi.Mesh) -> ougi.Triangle3d:
    return ougi.Triangle3d(*np.moveaxis(mesh.vertices[mesh.faces], 1, 0))


ALL = ("points", "Sphere", "Segment3d", "Capsule3d", "Triangle3d", "Box", "Aabb3d")


@pytest.mark.parametrize("name", ALL)
def test_the_nearest_triangle_decides(name: str) -> None:
    mesh, others = ougi.Mesh(TORUS), bodies(name, 150, 1)
    one_by_one = np.maximum(ougi.distance(triangles(mesh)[:, None], others).min(axis=0), 0.0)
    far = ougi.distance(mesh, others)
    assert np.abs(far - one_by_one).max() <= 1e-14
    assert (far >= 0).all()
    assert 0 < (far == 0).sum() < 150 or name == "points"
    touching = ougi.intersects(triangles(mesh)[:, None], others).any(axis=0)
    assert (ougi.intersects(mesh, others) == touching).all()


def coal_mesh(mesh: Any) -> Any:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(np.asarray(mesh.vertices)))
    faces.extend([coal.Triangle(*map(int, face)) for face in mesh.faces])
    model.addSubModel(points, faces)
    model.endModel()
    return model


def coal_gap(a: Any, pose_a: Any, b: Any, pose_b: Any) -> float:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = 1000
    return float(coal.distance(a, pose_a, b, pose_b, request, result))


def test_coal_measures_the_same() -> None:
    mesh, model, still = ougi.Mesh(TORUS), coal_mesh(TORUS), coal.Transform3s.Identity()
    for name in ("Sphere", "Capsule3d", "Box"):
        others = bodies(name, 40, 2)
        peer = []
        for one in others:
            if name == "Sphere":
                body, pose = coal.Sphere(float(one.radius)), coal.Transform3s(np.eye(3), one.center)
            elif name == "Box":
                body, pose = coal.Box(*one.size), coal.Transform3s(one.rotation.copy(), one.center)
            else:
                along = one.end - one.start
                turn = Rotation.align_vectors([along], [[0, 0, 1]])[0].as_matrix()
                body = coal.Capsule(float(one.radius), float(np.linalg.norm(along)))
                pose = coal.Transform3s(turn, (one.start + one.end) / 2)
            peer.append(coal_gap(model, still, body, pose))
        gaps, theirs = ougi.distance(mesh, others), np.array(peer)
        free = gaps > 0
        assert 5 < free.sum() < 40
        assert np.abs(gaps - theirs)[free].max() <= 1e-9
        assert (theirs[~free] <= 1e-9).all()


def test_coal_measures_two_meshes_the_same() -> None:
    rng = np.random.default_rng(3)
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.3)
    model, other, still = coal_mesh(TORUS), coal_mesh(ball), coal.Transform3s.Identity()
    mesh, small = ougi.Mesh(TORUS), ougi.Mesh(ball)
    touching = 0
    for _ in range(60):
        at, turn = rng.uniform(-1.5, 1.5, 3), Rotation.random(rng=rng)
        moved = small.transformed(ougi.Pose(at, turn))
        peer = coal_gap(model, still, other, coal.Transform3s(turn.as_matrix(), at))
        gap = float(ougi.distance(mesh, moved))
        assert abs(gap - ougi.distance(moved, mesh)) <= 1e-15
        assert bool(ougi.intersects(mesh, moved)) == (gap == 0) == (peer <= 0)
        assert gap == 0 or abs(gap - peer) <= 1e-12
        near = ougi.closest_points(mesh, moved)
        assert gap == 0 or abs(np.linalg.norm(near.point_a - near.point_b) - gap) <= 1e-12
        touching += gap == 0
    assert 10 < touching < 50


@pytest.mark.parametrize("name", ALL)
def test_nearest_points_are_points_of_both(name: str) -> None:
    mesh, others = ougi.Mesh(TORUS), bodies(name, 60, 4)
    near = ougi.closest_points(others, mesh)
    gap = ougi.distance(mesh, others)
    assert np.abs(near.distance - gap).max() <= 1e-15
    free = gap > 0
    assert np.abs(np.linalg.norm(near.point_a - near.point_b, axis=-1) - gap)[free].max() <= 1e-14
    assert np.abs(ougi.distance(mesh, near.point_b)).max() <= 1e-14
    assert (ougi.distance(others, near.point_a)[free] <= 1e-14).all()


def test_fans_and_meshes_touch_where_a_triangle_does() -> None:
    mesh, fans = ougi.Mesh(TORUS), bodies("Sector3d", 80, 5)
    touching = ougi.intersects(triangles(mesh)[:, None], fans).any(axis=0)
    assert 10 < touching.sum() < 75
    assert (ougi.intersects(fans, mesh) == touching).all()


def test_what_is_inside_of_a_closed_mesh_does_not_touch_it() -> None:
    ball = ougi.Sphere(np.array([[0, 0, 0], [0.5, 0, 0]]), 0.3)
    assert not ougi.intersects(CUBE, ball).any()
    assert ougi.distance(CUBE, ball).round(12).tolist() == [0.7, 0.2]
    inner = CUBE.transformed(ougi.Pose([0.1, 0, 0]))
    small = ougi.Mesh(inner.vertices / 4, inner.faces)
    assert not ougi.intersects(CUBE, small)
    assert ougi.distance(CUBE, small) == pytest.approx(1 - 1.1 / 4)


def test_triangles_within_a_solid_body_touch_it() -> None:
    around = ougi.Box([0, 0, 0], [9, 9, 9])
    assert ougi.intersects(CUBE, around)
    assert ougi.distance(CUBE, around) == 0.0


def test_batches_and_pairs_are_those_of_the_other_body() -> None:
    balls = bodies("Sphere", 12, 6)
    mesh = ougi.Mesh(TORUS)
    gap = ougi.distance(mesh, balls)
    assert (ougi.distance(mesh, balls.reshape((3, 4))) == gap.reshape((3, 4))).all()
    rows = np.array([[0, 7], [0, 2], [0, 7]])
    assert (ougi.distance(mesh, balls, pairs=rows) == gap[[7, 2, 7]]).all()
    assert (ougi.intersects(balls, mesh, pairs=rows[:, ::-1]) == (gap[[7, 2, 7]] <= 0)).all()
    assert ougi.distance(mesh, balls[0]).shape == ()
    assert ougi.distance(mesh, balls[:0]).shape == (0,)
    with pytest.raises(IndexError, match=r"pairs\[0, 0\] is 1, but that batch holds 1 shapes"):
        ougi.distance(mesh, balls, pairs=[[1, 0]])


def test_a_moved_mesh_is_queried_where_it_is() -> None:
    mesh, balls = ougi.Mesh(TORUS), bodies("Sphere", 60, 7)
    before = ougi.distance(mesh, balls)  # makes the tree, which moves along
    pose = ougi.Pose([50.0, -20.0, 3.0], Rotation.from_rotvec([0.3, -1.2, 0.5]))
    after = ougi.distance(mesh.transformed(pose), balls.transformed(pose))
    assert np.abs(after - before).max() <= 1e-13


def test_threads_share_the_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    from ougi.query import meshes

    mesh, others = ougi.Mesh(TORUS), bodies("Box", 60, 8)
    expected = ougi.distance(mesh, others), ougi.intersects(mesh, others)
    monkeypatch.setattr(meshes, "_CHUNK", 7)
    assert (ougi.distance(mesh, others) == expected[0]).all()
    assert (ougi.intersects(mesh, others) == expected[1]).all()


def test_a_moved_mesh_is_the_mesh_of_its_vertices() -> None:
    """Loops move triangles themselves; they compute the numbers that `vertices` has."""
    rng = np.random.default_rng(9)
    small = ougi.Mesh(trimesh.creation.icosphere(subdivisions=2, radius=0.3))
    for _ in range(30):
        pose = ougi.Pose(rng.uniform(-1.5, 1.5, 3), Rotation.random(rng=rng))
        moved = small.transformed(pose).transformed(pose)
        same = ougi.Mesh(moved.vertices, moved.faces)
        assert np.abs(moved.vertices - pose.apply(pose.apply(small.vertices))).max() <= 1e-14
        assert abs(ougi.distance(ougi.Mesh(TORUS), moved) - ougi.distance(ougi.Mesh(TORUS), same)) <= 1e-15
        for name in ALL:
            others = bodies(name, 5, 10)
            # Neighbours of equal distance differ by rounding.
            assert np.abs(ougi.distance(moved, others) - ougi.distance(same, others)).max() <= 1e-15
            assert (ougi.intersects(moved, others) == ougi.intersects(same, others)).all()


def test_rotations_with_rounding_errors_lose_no_contact() -> None:
    """After many moves a rotation is one up to rounding only; bounds allow for that."""
    quarter, moved = ougi.Pose([0, 0, 0], Rotation.from_rotvec([0.3, 0.2, 0.1])), CUBE
    for _ in range(3000):
        moved = moved.transformed(quarter)
    same = ougi.Mesh(moved.vertices, moved.faces)
    for corner in moved.vertices:
        ball = ougi.Sphere(corner * 1.5, 0.5 * np.linalg.norm(corner))
        assert abs(ougi.distance(moved, ball) - ougi.distance(same, ball)) <= 1e-15
        assert ougi.intersects(moved, ball) == ougi.intersects(same, ball)


def test_degenerate_triangles_count_as_the_segments_or_points_they_are() -> None:
    thin = ougi.Mesh([[0, 0, 0], [2, 0, 0], [1, 0, 0], [5, 5, 5]], [[0, 1, 2], [3, 3, 3]])
    assert ougi.distance(thin, [[1, 0, 3], [5, 5, 6]]).tolist() == [3.0, 1.0]


def test_what_meshes_do_not_answer_is_refused_by_name() -> None:
    point = np.zeros(3)
    with pytest.raises(ougi.UnsupportedPairError, match=r"contains\(Mesh, points\).*contains no points"):
        ougi.contains(CUBE, point)
    with pytest.raises(ougi.UnsupportedPairError, match=r"contacts\(Mesh, Sphere\).*use closest_points"):
        ougi.contacts(CUBE, ougi.Sphere(point, 1))
    with pytest.raises(ougi.UnsupportedPairError, match=r"distance\(Sector3d, Mesh\).*against: Mesh, points"):
        ougi.distance(bodies("Sector3d", 1, 9), CUBE)
    with pytest.raises(ougi.UnsupportedPairError, match=r"\(Mesh, Circle\).*Circle is 2-D and Mesh is 3-D"):
        ougi.intersects(CUBE, ougi.Circle([0, 0], 1))
    with pytest.raises(ValueError, match="without faces touches nothing"):
        ougi.distance(ougi.Mesh([[0, 0, 0]], []), point)
