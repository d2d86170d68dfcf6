"""Meshes: one shape of many triangles."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import trimesh
from sampling import outside, points_of

import ougi

VERTICES = np.array([[0.0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 4], [1, 1, -1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2], [4, 1, 2]])


def mesh() -> ougi.Mesh:
    return ougi.Mesh(VERTICES, FACES)


def test_a_mesh_is_a_single_shape() -> None:
    assert mesh().shape == ()
    assert mesh().ndim == 0
    assert mesh().count == 1
    with pytest.raises(TypeError, match="single Mesh"):
        len(mesh())
    with pytest.raises(TypeError, match="single Mesh"):
        iter(mesh())
    with pytest.raises(IndexError, match="Mesh"):
        mesh()[0]


def test_a_mesh_keeps_vertices_and_faces() -> None:
    assert mesh().vertices.dtype == np.float64
    assert mesh().faces.dtype == np.int64
    np.testing.assert_array_equal(mesh().vertices, VERTICES)
    np.testing.assert_array_equal(mesh().faces, FACES)
    assert repr(mesh()) == "<Mesh of 5 vertices and 5 faces>"


def test_a_mesh_does_not_follow_the_callers_arrays() -> None:
    vertices, faces = VERTICES.copy(), FACES.copy()
    built = ougi.Mesh(vertices, faces)
    vertices += 1
    faces[:] = 0
    assert built == mesh()
    assert vertices.flags.writeable
    assert faces.flags.writeable


def test_a_mesh_is_immutable() -> None:
    for built in (mesh(), pickle.loads(pickle.dumps(mesh())), mesh().transformed(ougi.Pose([1, 2, 3]))):
        assert not built.vertices.flags.writeable
        assert not built.faces.flags.writeable
        with pytest.raises(AttributeError, match="Mesh is immutable"):
            built.vertices = VERTICES  # type: ignore[misc]
        with pytest.raises(AttributeError, match="Mesh is immutable"):
            del built.faces


@pytest.mark.parametrize("index", [..., (), None, (None, ...)], ids=str)
def test_an_index_gives_the_whole_mesh_or_an_error(index: Any) -> None:
    """Meshes do not come in batches: a new axis is refused, all of it is the mesh."""
    try:
        chosen = mesh()[index]
    except (IndexError, TypeError) as error:
        assert "Mesh" in str(error)  # noqa: PT017
    else:
        assert chosen == mesh()


def test_a_mesh_cannot_be_reshaped_into_a_batch() -> None:
    with pytest.raises((TypeError, ValueError), match="Mesh"):
        mesh().reshape((1,))


def test_a_mesh_has_no_columns_and_says_so() -> None:
    with pytest.raises((TypeError, ValueError), match="Mesh"):
        mesh().columns()


def test_meshes_are_equal_when_all_their_numbers_are() -> None:
    assert (mesh() == mesh()) is True
    assert (mesh() == ougi.Mesh(VERTICES + 1, FACES)) is False
    assert (mesh() == ougi.Mesh(VERTICES, FACES[:, ::-1])) is False
    assert (mesh() == ougi.Mesh(VERTICES, FACES[:4])) is False
    assert (mesh() == ougi.Sphere([0, 0, 0], 1)) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(mesh())


def test_copies_of_a_mesh_are_equal() -> None:
    for again in (pickle.loads(pickle.dumps(mesh())), copy.copy(mesh()), copy.deepcopy(mesh())):
        assert type(again) is ougi.Mesh
        assert again == mesh()


def test_meshes_cannot_be_concatenated() -> None:
    with pytest.raises(TypeError, match="Mesh does not come in batches"):
        ougi.concatenate([mesh(), mesh()])


def test_a_trimesh_is_taken_as_it_is() -> None:
    ball = trimesh.creation.icosphere(subdivisions=1)
    built = ougi.Mesh(ball)
    np.testing.assert_array_equal(built.vertices, ball.vertices)
    np.testing.assert_array_equal(built.faces, ball.faces)


def test_bounds_of_a_mesh_are_tight() -> None:
    points = points_of(mesh(), 2000)
    box: Any = mesh().bounds()
    np.testing.assert_array_equal(box.lower, points.min(axis=0))
    np.testing.assert_array_equal(box.upper, points.max(axis=0))


def test_bounds_of_a_mesh_leave_out_vertices_that_no_face_uses() -> None:
    stray = ougi.Mesh([*VERTICES, [100, 0, 0]], FACES)
    assert stray.bounds() == mesh().bounds()


def test_bounding_sphere_contains_the_mesh() -> None:
    ball: Any = mesh().bounding_sphere()
    assert np.linalg.norm(points_of(mesh(), 2000) - ball.center, axis=1).max() <= ball.radius + 1e-12


def test_a_pose_moves_every_point_of_a_mesh() -> None:
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for to in (ougi.Pose([1, 2, 3], quarter), ougi.Screw3d([0, 0, 0], [0, 0, 1], np.pi / 2, 3)):
        moved = mesh().transformed(to)
        shift = [1, 2, 3] if isinstance(to, ougi.Pose) else [0, 0, 3]
        there = np.array([quarter @ p + shift for p in points_of(mesh(), 200)])
        assert outside(moved, there).max() < 1e-12
        assert moved.faces.tolist() == FACES.tolist()


def test_a_mesh_moves_by_a_single_pose_only() -> None:
    with pytest.raises(ValueError, match=r"single pose.*\(2,\)"):
        mesh().transformed(ougi.Pose(np.zeros((2, 3))))
    with pytest.raises(ValueError, match="3-D Mesh by a 2-D Pose"):
        mesh().transformed(ougi.Pose([0, 0]))


def test_a_mesh_of_nothing_has_no_bounds() -> None:
    nothing = ougi.Mesh(np.empty((0, 3)), np.empty((0, 3), int))
    assert nothing == ougi.Mesh(np.empty((0, 3)), [])
    assert nothing.transformed(ougi.Pose([1, 2, 3])) == nothing
    for question in (nothing.bounds, nothing.bounding_sphere):
        with pytest.raises(ValueError, match="no bounds"):
            question()


BAD: dict[str, tuple[Any, Any, Any, str]] = {
    "face beyond the vertices": (
        VERTICES,
        [[0, 1, 2], [0, 1, 5]],
        ValueError,
        r"faces.* 5 .*0, 1, 5.*index 1",
    ),
    "face before the vertices": (VERTICES, [[0, 1, -1]], ValueError, r"faces.*0, 1, -1.*index 0"),
    "faces of floats": (VERTICES, [[0.0, 1.0, 2.0]], TypeError, "faces must be integers, got float64"),
    "faces of bools": (VERTICES, [[True, False, True]], TypeError, "faces must be integers, got bool"),
    "faces of words": (VERTICES, [["0", "1", "2"]], TypeError, "faces must be integers"),
    "ragged faces": (VERTICES, [[0, 1, 2], [0, 1]], (TypeError, ValueError), "faces"),
    "quads": (VERTICES, [[0, 1, 2, 3]], ValueError, r"faces must have shape \(m, 3\), got \(1, 4\)"),
    "one flat face": (VERTICES, [0, 1, 2], ValueError, r"faces must have shape \(m, 3\), got \(3,\)"),
    "no faces": (VERTICES, None, TypeError, "faces must be given"),
    "vertices in the plane": (VERTICES[:, :2], FACES, ValueError, r"vertices.*3 components.*\(5, 2\)"),
    "one flat vertex": ([0, 0, 0], [[0, 0, 0]], ValueError, r"vertices must have shape \(n, 3\), got \(3,\)"),
    "vertices in a table": (VERTICES[None], FACES, ValueError, r"vertices must have shape.*\(1, 5, 3\)"),
    "a vertex that is nan": (VERTICES * np.nan, FACES, ValueError, r"vertices.*finite.*nan.*\(0, 0\)"),
    "vertices of words": ("banana", FACES, TypeError, "vertices must be numbers"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_meshes_are_refused(what: str) -> None:
    vertices, faces, kind, words = BAD[what]
    with pytest.raises(kind, match=words):
        ougi.Mesh(vertices, faces)


def interpolate(heights: Any, x: Any, y: Any) -> Any:
    """Height fields by hand: cells are cut from their lower to their upper corner."""
    i, j = np.minimum(y.astype(int), len(heights) - 2), np.minimum(x.astype(int), heights.shape[1] - 2)
    u, v = x - j, y - i
    a, b, c, d = heights[i, j], heights[i, j + 1], heights[i + 1, j], heights[i + 1, j + 1]
    return np.where(u > v, a + u * (b - a) + v * (d - b), a + v * (c - a) + u * (d - c))


def test_ground_has_the_heights_of_its_grid() -> None:
    rng = np.random.default_rng(2)
    heights = rng.normal(size=(5, 7))
    ground = ougi.Mesh.from_heights(heights, cell=(2, 3), origin=(-1, 4), floor=-5)
    x, y = rng.uniform(0, 6, 60), rng.uniform(0, 4, 60)
    expected = interpolate(heights, x, y)
    above = np.stack([2 * x - 1, 3 * y + 4, np.full(60, 9.0)], axis=1)
    np.testing.assert_allclose(9 - ougi.raycast(above, [0, 0, -1], ground).t, expected, atol=1e-12)
    z = rng.uniform(-7, 4, 60)
    points = np.column_stack([above[:, :2], z])
    np.testing.assert_array_equal(ougi.contains(ground, points), (z <= expected) & (z >= -5))
    assert ougi.distance(ground, [2, 7, -4.5]) == -0.5  # from the floor
    bounds = ougi.Mesh.from_heights(np.zeros((3, 2))).bounds()
    assert (bounds.lower.tolist(), bounds.upper.tolist()) == ([0, 0, -2], [1, 2, 0])


@pytest.mark.parametrize(
    ("heights", "options", "message"),
    [
        ([[1, 2]], {}, "both at least 2, got"),
        ([[1, 2], [3, np.nan]], {}, "heights must be finite"),
        ([[1, 2], [3, 4]], {"cell": 0}, "cell must be positive"),
        ([[1, 2], [3, 4]], {"cell": [1, 2, 3]}, "cell must be one number or two"),
        ([[1, 2], [3, 4]], {"floor": 1}, "floor must be below the lowest height 1, got 1"),
    ],
)
def test_bad_heights_are_named(heights: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ougi.Mesh.from_heights(heights, **options)
