"""Skins of glTF files: hulls of joints, against an independent evaluation of the rules of glTF 2.0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_gltf import Maker
from numpy.typing import NDArray

import ougi
from ougi.scene import SceneError, load_scene
from ougi.scene.limits import Budget
from ougi.scene.meshes import MeshFiles
from ougi.scene.skins import build_hull
from ougi_lab.gltf_poses import Tracks, place_node

Floats = NDArray[np.float64]

PARENTS = {1: 0, 2: 1}  # a chain of three joints; the fourth node has the mesh
RING, RINGS = 6, 7


def make_tube(rng: np.random.Generator) -> tuple[Floats, Any, Any, Floats]:
    """A tube along x from 0 to 3 with the joints at 0, 1 and 2; vertices, faces, joints and weights."""
    angle, x = np.meshgrid(2 * np.pi * np.arange(RING) / RING, np.linspace(0, 3, RINGS))
    vertices = np.stack([x, 0.3 * np.cos(angle), 0.3 * np.sin(angle)], axis=2).reshape((-1, 3))
    k, j = (grid.ravel() for grid in np.meshgrid(np.arange(RINGS - 1), np.arange(RING), indexing="ij"))
    near, far = k * RING + j, (k + 1) * RING + j
    near_next, far_next = k * RING + (j + 1) % RING, (k + 1) * RING + (j + 1) % RING
    faces = np.concatenate([np.stack([near, far, near_next], 1), np.stack([far, far_next, near_next], 1)])
    share = np.maximum(0, 1 - np.abs(vertices[:, :1] - [0.5, 1.5, 2.5])) + 0.01 * rng.random(
        (len(vertices), 3)
    )
    weights = np.zeros((len(vertices), 4))
    weights[:, :3] = share / share.sum(axis=1, keepdims=True)
    return vertices, faces, np.tile([2, 0, 1, 0], (len(vertices), 1)), weights[:, [2, 0, 1, 3]]


def make_skin(seed: int) -> tuple[Maker, Tracks, Floats, tuple[Any, ...]]:
    """A file with an animated skin: its maker, tracks, bind matrices and tube."""
    rng = np.random.default_rng(seed)
    maker, tube = Maker(), make_tube(rng)
    vertices, faces, joints, weights = tube
    mesh = maker.mesh(vertices, faces)
    maker.document["meshes"][mesh]["primitives"][0]["attributes"] |= {
        "JOINTS_0": maker.accessor(joints, "u1"),
        "WEIGHTS_0": maker.accessor(weights),
    }
    for k in range(3):
        maker.node(
            name=f"j{k}", translation=[float(k > 0), 0, 0], scale=[1.5, 1.5, 1.5] if k == 2 else [1, 1, 1]
        )
        if k < 2:
            maker.document["nodes"][k]["children"] = [k + 1]
    maker.node(name="tube", mesh=mesh, skin=0, translation=[7, 7, 7])  # joints place a skin, not its node
    bind = np.array(
        [np.linalg.inv(place_node(maker.document["nodes"], {}, PARENTS, k, 0.0)) for k in range(3)]
    )
    matrices = maker.accessor(bind.swapaxes(1, 2).reshape((3, 16)))
    maker.document["skins"] = [{"joints": [0, 1, 2], "inverseBindMatrices": matrices}]
    tracks: Tracks = {}
    for node in (1, 2):
        q = rng.normal(size=(3, 4)) * [0.3, 0.3, 0.3, 0] + [0, 0, 0, 1]
        tracks[node, "rotation"] = np.arange(3.0), q / np.linalg.norm(q, axis=1, keepdims=True), False
    for (node, path), (times, values, _) in tracks.items():
        maker.animate((node, path, times, values))
    return maker, tracks, bind, tube


@pytest.mark.parametrize("seed", range(5))
def test_hulls_of_joints_are_where_the_rules_put_them(seed: int, tmp_path: Path) -> None:
    maker, tracks, bind, (vertices, faces, joints, weights) = make_skin(seed)
    with pytest.warns(UserWarning, match="skipped the skin of node 'tube', which 3 convex hulls"):
        scene = load_scene(maker.glb(tmp_path / "a.glb"))
    assert [body.name for body in scene.bodies] == ["tube/j0", "tube/j1", "tube/j2"]
    assert scene.skipped == ("the skin of node 'tube', which 3 convex hulls of its joints replace",)
    assert scene.neighbours == {(0, 1), (0, 2), (1, 2)}
    strongest = np.array([row[weight.argmax()] for row, weight in zip(joints, weights, strict=True)])
    directions = np.random.default_rng(seed).normal(size=(3, 500))  # hulls are equal by support functions
    single = vertices.astype(np.float32).astype(float)
    for t in (0.0, 0.3, 1.7, 2.0):
        for k, body in enumerate(scene.bodies):
            place = place_node(maker.document["nodes"], tracks, PARENTS, k, t) @ bind[k].astype(np.float32)
            own = sorted({corner for face in faces for corner in face if k in strongest[face]})
            want = single[own] @ place[:3, :3].T + place[:3, 3]
            shape: Any = body.shape
            got = body.at(t).apply(shape.vertices)
            supports = (got @ directions).max(axis=0), (want @ directions).max(axis=0)
            np.testing.assert_allclose(supports[0], supports[1], atol=1e-12)


def test_hulls_of_a_skin_that_morphs_are_skipped(tmp_path: Path) -> None:
    maker, *_ = make_skin(1)
    maker.node(name="post", mesh=maker.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    maker.document["nodes"][3]["children"] = [4]
    maker.animate((3, "weights", [0, 1], [0, 1]))
    path = maker.glb(tmp_path / "a.glb")
    with pytest.raises(SceneError, match=r"without node 'tube'$"), pytest.warns(UserWarning, match="skin"):
        load_scene(path)
    with pytest.warns(UserWarning, match="a.glb: skipped"):
        scene = load_scene(path, skip_unsupported=True)
    assert [body.name for body in scene.bodies] == ["post"]


def test_hulls_cover_every_triangle_in_the_bind_pose(tmp_path: Path) -> None:
    maker, _, _, (vertices, faces, _, _) = make_skin(3)
    del maker.document["animations"]
    with pytest.warns(UserWarning, match="skin"):
        scene = load_scene(maker.glb(tmp_path / "a.glb"))
    inside = np.array([ougi.distance(body.shape, vertices[faces]) <= 1e-6 for body in scene.bodies])
    assert inside.all(axis=2).any(axis=0).all()


def test_a_skin_as_a_mesh_file_has_its_exact_triangles(tmp_path: Path) -> None:
    maker, _, bind, (vertices, faces, joints, weights) = make_skin(4)
    turn = np.sin(0.3) * np.array([0, 0, 1, 0]) + np.cos(0.3) * np.array([0, 0, 0, 1])
    maker.document["nodes"][1]["rotation"] = turn.tolist()
    mesh = MeshFiles(Budget()).read(maker.glb(tmp_path / "a.glb"))
    want = np.zeros_like(vertices)
    for n, vertex in enumerate(vertices.astype(np.float32).astype(float)):
        share = weights[n].astype(np.float32).astype(float)
        for joint, weight in zip(joints[n], share / share.sum(), strict=True):
            place = place_node(maker.document["nodes"], {}, PARENTS, joint, 0.0) @ bind[joint].astype(
                np.float32
            )
            want[n] += weight * (place @ [*vertex, 1])[:3]
    np.testing.assert_allclose(mesh.vertices, want, atol=1e-12)
    np.testing.assert_array_equal(mesh.faces, faces)


def test_the_hull_of_many_points_holds_them_all() -> None:
    points = np.random.default_rng(1).normal(size=(3000, 3)) * [3, 1, 0.2] + 50
    hull = build_hull(points)
    directions = np.random.default_rng(2).normal(size=(3, 300))
    directions /= np.linalg.norm(directions, axis=0)
    over = (hull.vertices @ directions).max(axis=0) + hull.radius - (points @ directions).max(axis=0)
    assert over.min() >= 0
    assert over.max() <= 0.055 * np.ptp(points, axis=0).max()


def change_primitive(document: Any, **attributes: Any) -> None:
    own = document["meshes"][0]["primitives"][0]["attributes"]
    own |= attributes
    for name in [name for name, value in attributes.items() if value is None]:
        del own[name]


BROKEN: dict[str, tuple[Any, str]] = {
    "no skin": (lambda d: d.pop("skins"), "there is no skin 0; the file has 0"),
    "no joints": (lambda d: d["skins"][0].update(joints=[]), "skin 0 has no joints"),
    "no such joint": (lambda d: d["skins"][0].update(joints=[0, 1, 99]), "there is no node 99"),
    "few joints": (
        lambda d: d["skins"][0].update(joints=[0, 1]),
        "refers to joints that its skin does not have",
    ),
    "few matrices": (
        lambda d: d["accessors"][4].update(count=2),
        "does not have a matrix for each of its 3 joints",
    ),
    "no matrices": (lambda d: d["skins"][0].update(inverseBindMatrices=0), "does not have a matrix for each"),
    "no weights": (
        lambda d: change_primitive(d, WEIGHTS_0=None),
        "but not JOINTS and WEIGHTS for all vertices",
    ),
    "short weights": (lambda d: d["accessors"][3].update(count=3), "must be VEC4, one for each vertex"),
    "outside": (
        lambda d: d.update(scenes=[{"nodes": [3]}]),
        "node 'tube': the joint 0 of its skin is not in the scene",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_skins_are_refused_by_name(what: str, tmp_path: Path) -> None:
    maker, *_ = make_skin(0)
    change, words = BROKEN[what]
    change(maker.document)
    with pytest.raises(SceneError) as caught:
        load_scene(maker.glb(tmp_path / "bad.glb"))
    assert words in str(caught.value)
