"""Solid meshes must be closed and wound outward."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
import trimesh

import ougi
from ougi.shapes.closed import label_parts

BOX = trimesh.creation.box(extents=(2, 2, 2))
CUBE = ougi.Mesh(BOX, solid=True)


def test_an_open_edge_is_named() -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(
        ValueError, match=r"closed, but its edge from vertex 1 to vertex 0 \(of face 0\) is used 1 tim"
    ):
        ougi.Mesh(corners, [[0, 2, 1], [0, 3, 2], [1, 2, 3]], solid=True)
    with pytest.raises(ValueError, match=r"used 2 times in this direction and 0 times in the other"):
        ougi.Mesh(corners, [[0, 1, 2], [0, 1, 3], [0, 3, 2], [1, 2, 3]], solid=True)
    with pytest.raises(ValueError, match="must have faces"):
        ougi.Mesh(corners, [], solid=True)
    with pytest.raises(TypeError, match="solid must be True or False, got 1"):
        ougi.Mesh(corners, [[0, 1, 2]], solid=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("face", range(12))
def test_every_missing_face_is_noticed(face: int) -> None:
    with pytest.raises(ValueError, match="must be closed") as caught:
        ougi.Mesh(BOX.vertices, np.delete(BOX.faces, face, axis=0), solid=True)
    missing = {(int(a), int(b)) for a, b in zip(BOX.faces[face], np.roll(BOX.faces[face], -1), strict=True)}
    start, end = map(int, re.findall(r"vertex (\d+)", str(caught.value)))
    assert (end, start) in missing


def test_faces_wound_inward_are_refused() -> None:
    with pytest.raises(ValueError, match=r"wound outward; give faces\[:, ::-1\]"):
        ougi.Mesh(BOX.vertices, BOX.faces[:, ::-1], solid=True)


def test_vertices_at_one_position_are_one_vertex() -> None:
    """As in files of separate triangles (STL)."""
    corners = CUBE.vertices[CUBE.faces].reshape((-1, 3))
    loose = ougi.Mesh(corners, np.arange(len(corners)).reshape((-1, 3)), solid=True)
    assert ougi.contains(loose, [[0.5, 0.5, 0.5], [1.5, 0, 0]]).tolist() == [True, False]


def test_two_faces_back_to_back_enclose_nothing() -> None:
    flat = ougi.Mesh([[0.1, 0, 0], [1, 0.2, 0], [0, 1, 0.3]], [[0, 1, 2], [2, 1, 0]], solid=True)
    assert not ougi.contains(flat, [[0.3, 0.3, 0.5], [0.3, 0.3, -0.5]]).any()


def test_a_solid_mesh_stays_solid() -> None:
    moved = CUBE.transformed(ougi.Pose([5, 0, 0]))
    assert moved.solid
    assert ougi.contains(moved, [5, 0, 0])
    assert pickle.loads(pickle.dumps(CUBE)).solid
    assert pickle.loads(pickle.dumps(CUBE)) == CUBE
    assert ougi.Mesh(BOX) != CUBE
    assert not ougi.Mesh(BOX).solid
    assert repr(CUBE) == "<solid Mesh of 8 vertices and 12 faces>"


def test_vertices_that_faces_connect_share_a_label() -> None:
    faces = np.array([[4, 5, 6], [1, 2, 3], [3, 7, 8]])
    assert label_parts(faces, 10).tolist() == [0, 1, 1, 1, 4, 4, 4, 1, 1, 9]
