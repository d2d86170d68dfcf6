"""Bodies inside of closed meshes: which are named, beside winding numbers by solid angles."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import trimesh

import ougi
from ougi._typing import Bools, Floats
from ougi.checks.enclosed import ClosedPart, find_closed_faces
from ougi.cli import formats
from ougi.scene import Body, Piece

CUBE = trimesh.creation.box((4.0, 4.0, 4.0))
TORUS = trimesh.creation.torus(3.0, 1.0, 24, 12)
LUMP = trimesh.creation.icosphere(2, 2.0)


def shell() -> Any:
    """A hollow cube with thick walls."""
    inside = trimesh.creation.box((3.0, 3.0, 3.0))
    inside.invert()
    return trimesh.util.concatenate([CUBE, inside])


def overlapping() -> Any:
    """Two cubes as one mesh, one partly in the other."""
    return trimesh.util.concatenate([CUBE, CUBE.copy().apply_translation([1.0, 0.5, 0.2])])


SOLIDS = {"cube": CUBE, "torus": TORUS, "shell": shell(), "lump": LUMP, "overlapping": overlapping()}


def winding(points: Floats, triangles: Floats) -> Floats:
    """By the solid angles of all triangles (van Oosterom and Strackee 1983)."""
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    top = (a * np.cross(b, c)).sum(-1)
    bottom = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return np.asarray(2 * np.arctan2(top, bottom).sum(axis=1) / (4 * np.pi))


def find_enclosed(mesh: Any, points: Floats) -> Bools:
    return ClosedPart(of(mesh)).encloses(points, ougi.Pose([0, 0, 0]))


@pytest.mark.parametrize("name", SOLIDS)
def test_points_as_solid_angles_say(name: str) -> None:
    mesh = SOLIDS[name]
    rng = np.random.default_rng(1)
    # Lattice points lie straight above edges and corners of the cubes.
    lattice = np.stack(np.meshgrid(*[[-1.75, -1.0, 0.0, 0.5, 1.9]] * 3), axis=-1).reshape((-1, 3))
    points = np.concatenate([rng.uniform(-5, 5, (500, 3)), lattice])
    points = points[np.abs(winding(points, mesh.triangles) % 1 - 0.5) > 0.4]  # on a face neither is right
    expected = np.abs(winding(points, mesh.triangles)) > 0.5
    assert 10 < expected.sum() < len(points)
    assert (find_enclosed(mesh, points) == expected).all()


@pytest.mark.parametrize("name", ["cube", "torus", "shell", "lump"])
def test_faces_that_are_not_wound_alike_are_counted(name: str) -> None:
    mesh = SOLIDS[name].copy()
    points = np.random.default_rng(2).uniform(-5, 5, (500, 3))
    expected = np.abs(winding(points, mesh.triangles)) > 0.5
    faces = np.array(mesh.faces)
    faces[::3] = faces[::3, ::-1]
    assert not find_closed_faces(np.asarray(mesh.vertices), faces)[1]
    assert (find_enclosed(trimesh.Trimesh(mesh.vertices, faces, process=False), points) == expected).all()


def test_only_closed_parts_enclose() -> None:
    vertices, faces = np.asarray(CUBE.vertices), np.asarray(CUBE.faces)
    assert len(find_closed_faces(vertices, faces[1:])[0]) == 0
    both = np.concatenate([faces, faces[1:] + len(vertices)])  # a closed cube beside an open one
    twice = np.concatenate([vertices, vertices + 9])
    assert find_closed_faces(twice, both)[0].tolist() == faces.tolist()
    soup = np.asarray(CUBE.triangles).reshape((-1, 3))  # as in an STL file, each face with its own corners
    assert len(find_closed_faces(soup, np.arange(36).reshape((-1, 3)))[0]) == 12
    rough = soup + np.random.default_rng(0).uniform(-1e-12, 1e-12, soup.shape)
    assert len(find_closed_faces(rough, np.arange(36).reshape((-1, 3)))[0]) == 0
    assert len(find_closed_faces(rough, np.arange(36).reshape((-1, 3)), 1e-7)[0]) == 12


def of(mesh: Any) -> ougi.Mesh:
    return ougi.Mesh(mesh.vertices, mesh.faces)


def fan(x: float) -> ougi.Sector3d:
    return ougi.Sector3d([x, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 0, 0.3, 0.2)


INNER = {
    "sphere": ougi.Sphere([0, 0, 0], 0.3),
    "box": ougi.Box([0, 0, 0], [0.5, 0.5, 0.5]),
    "aabb": ougi.Aabb3d([-0.2, -0.2, -0.2], [0.2, 0.2, 0.2]),
    "capsule": ougi.Capsule3d([0, 0, 0], [0.4, 0, 0], 0.1),
    "segment": ougi.Segment3d([0, 0, 0], [0.4, 0, 0]),
    "triangle": ougi.Triangle3d([0, 0, 0], [0.4, 0, 0], [0, 0.4, 0]),
    "cylinder": fan(0.0),
    "mesh": of(trimesh.creation.box((0.5, 0.5, 0.5))),
}


@pytest.mark.parametrize("name", INNER)
@pytest.mark.parametrize("moves", [False, True])
def test_a_body_inside_of_a_closed_mesh_is_named(name: str, moves: bool) -> None:
    motion = (Piece(0.0, 1.0, ougi.Translation3d([0.5, 0, 0])),) if moves else ()
    bodies = (
        Body("inner", INNER[name], motion),
        Body("cube", of(CUBE)),
        Body("outer", INNER[name].transformed(ougi.Pose([9, 0, 0]))),
    )
    for order in (bodies, bodies[::-1]):
        report = ougi.check(ougi.Scene(order))
        assert report.names(report.enclosed) == [("inner", "cube")]
        assert report.enclosed.time.tolist() == [0.0]
        assert report.certified


def test_what_touches_is_excluded_or_only_lies_in_the_bounds_is_not_named() -> None:
    ring = Body("ring", of(TORUS))
    hub = Body("hub", ougi.Sphere([0, 0, 0], 0.5))  # in the hole of the ring
    bead = Body("bead", ougi.Sphere([3, 0, 0], 0.5))
    thick = Body("thick", ougi.Sphere([-3, 0, 0], 1.1))
    report = ougi.check(ougi.Scene((ring, hub, bead, thick)))
    assert report.names(report.enclosed) == [("bead", "ring")]
    assert len(report.contacts) == 1
    assert len(ougi.check(ougi.Scene((ring, bead), ignore=(("bead", "ring"),))).enclosed) == 0
    half = trimesh.Trimesh(CUBE.vertices, CUBE.faces[1:], process=False)
    assert len(ougi.check(ougi.Scene((Body("open", of(half)), hub))).enclosed) == 0


def test_one_part_of_a_mesh_may_be_inside() -> None:
    parts = [trimesh.creation.icosphere(1, 0.3).apply_translation(x) for x in ([0, 0, 0], [3, 0, 0])]
    pair = Body("pair", of(trimesh.util.concatenate(parts)))
    report = ougi.check(ougi.Scene((pair, Body("ring", of(TORUS)))))
    assert report.names(report.enclosed) == [("pair", "ring")]


def test_a_body_that_jumps_into_a_mesh_is_named_when_it_arrives() -> None:
    jump = Piece(1.0, 1.0, ougi.Translation3d([-9, 0, 0]))
    flea = Body("flea", ougi.Sphere([9, 0, 0], 0.1), (jump,))
    report = ougi.check(ougi.Scene((flea, Body("cube", of(CUBE))), duration=2.0))
    assert report.names(report.enclosed) == [("flea", "cube")]
    assert report.enclosed.time.tolist() == [1.0]
    assert "flea arrives at 1 s inside of it" in formats.as_text(report, "f.toml", 60.0)


def test_the_summary_and_the_json_say_so() -> None:
    many = [Body(f"ball {k}", ougi.Sphere([0.2 * k - 1.2, 0, 0], 0.05)) for k in range(12)]
    report = ougi.check(ougi.Scene((*many, Body("cube", of(CUBE)))))
    lines = formats.as_text(report, "room.toml", 60.0).splitlines()
    assert lines[1] == "note: the mesh cube is a surface, and ball 0 starts inside of it without a contact"
    assert lines[-2] == "note: 2 more bodies inside of meshes"
    assert lines[-1].startswith("room.toml: certified collision-free")
    notes = json.loads(formats.as_json(report, "room.toml", 60.0))["notes"]
    assert len(notes) == 12
    assert notes[0] == {"kind": "inside a closed mesh", "body": "ball 0", "mesh": "cube", "time": 0.0}
