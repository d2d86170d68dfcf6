"""glTF files against an independent evaluation of the rules of glTF 2.0, node by node, at random times.

The evaluation is that of `ougi_lab.gltf_poses`, which compares files of other projects.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_gltf import Maker
from numpy.typing import NDArray

from ougi.scene import Limits, SceneError, load_scene
from ougi_lab.gltf_poses import Tracks, place_node

Floats = NDArray[np.float64]

VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], np.float32)
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


# --- random files -----------------------------------------------------------------------------------------


def random_file(seed: int) -> tuple[Maker, Tracks, list[int]]:
    """A tree with uneven, mirrored and flat scales and sheared matrices wherever glTF can have them.

    Nodes that turn get only even or mirrored scales above them, for other scales would shear them.
    """
    rng = np.random.default_rng(seed)
    maker, count = Maker(), 8
    mesh = maker.mesh(VERTICES, FACES)
    parents = [-1, *(int(rng.integers(-1, k)) for k in range(1, count))]
    tracks: Tracks = {}
    even = [True] * count  # is everything above and at a node a multiple of an orthogonal matrix?
    for node in range(count):
        up = parents[node]
        even_above = up < 0 or even[up]
        record: dict[str, Any] = {"mesh": mesh, "name": f"n{node}"}
        moves, turns = bool(rng.random() < 0.5), bool(rng.random() < 0.5) and even_above
        style = rng.integers(4)
        if style == 0 and not (moves or turns):
            linear = rng.normal(size=(3, 3))
            record["matrix"] = [
                *np.block([[linear, rng.normal(size=(3, 1))], [0, 0, 0, 1]]).T.ravel().tolist()
            ]
            even[node] = False
        else:
            q = rng.normal(size=4)
            record["rotation"] = (q / np.linalg.norm(q)).tolist()
            record["translation"] = rng.normal(size=3).tolist()
            if style == 1:
                record["scale"] = rng.uniform(-2, 2, 3).tolist()
            elif style == 2:
                record["scale"] = (rng.uniform(0.5, 2) * rng.choice([-1, 1], 3)).tolist()
            even[node] = even_above and style != 1
        for path, width, is_animated in (("translation", 3, moves), ("rotation", 4, turns)):
            if not is_animated:
                continue
            times = np.sort(rng.uniform(0, 2, 4)).astype(np.float32).astype(np.float64)
            values = rng.normal(size=(4, width))
            if width == 4:
                values /= np.linalg.norm(values, axis=1, keepdims=True)
            tracks[node, path] = times, values, bool(rng.random() < 0.3)
        record["children"] = [k for k in range(count) if parents[k] == node]
        maker.node(**{key: value for key, value in record.items() if key != "children" or value})
    for (node, path), (times, values, step) in tracks.items():
        maker.animate((node, path, times, values), step=step)
    return maker, tracks, parents


@pytest.mark.parametrize("seed", range(40))
def test_vertices_are_where_the_rules_put_them(seed: int, tmp_path: Path) -> None:
    maker, tracks, parents = random_file(seed)
    scene = load_scene(maker.glb(tmp_path / "tree.glb"))
    rng = np.random.default_rng(seed)
    nodes, above = maker.document["nodes"], {k: up for k, up in enumerate(parents) if up >= 0}
    for t in (0.0, *rng.uniform(0, 2.2, 12)):
        for body in scene.bodies:
            node = int(body.name[1:])
            whole = place_node(nodes, tracks, above, node, min(t, scene.duration))
            want = VERTICES.astype(np.float64) @ whole[:3, :3].T + whole[:3, 3]
            shape: Any = body.shape
            got = body.at(t).apply(shape.vertices)
            np.testing.assert_allclose(got, want, atol=1e-12 * (1 + np.abs(want).max()))
            if np.linalg.det(whole[:3, :3]) < 0:  # reflections keep the outside outside
                np.testing.assert_array_equal(shape.faces, np.array(FACES)[:, ::-1])


def test_a_node_that_turns_below_an_uneven_scale_is_refused_or_skipped(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(VERTICES, FACES)
    maker.node(name="base", mesh=mesh, scale=[1, 2, 1], children=[1])
    maker.node(name="arm", mesh=mesh, children=[2])
    maker.node(name="hand", mesh=mesh)
    maker.animate((1, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 1, 0]]))
    path = maker.glb(tmp_path / "a.glb")
    words = "node 'arm' turns below an uneven scale, so its mesh would shear, which is not supported"
    with pytest.raises(
        SceneError, match=f"{words}; --skip-unsupported reads the file without node 'arm' and"
    ):
        load_scene(path)
    with pytest.warns(UserWarning, match="skipped node 'arm' and what is below"):
        scene = load_scene(path, skip_unsupported=True)
    assert [body.name for body in scene.bodies] == ["base"]
    assert scene.skipped == (words,)


def test_a_node_that_is_scaled_to_nothing_has_no_body(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(VERTICES, FACES)
    maker.node(name="hidden", mesh=mesh, scale=[0, 0, 0], children=[1])
    maker.node(name="too", mesh=mesh)
    maker.node(name="flat", mesh=mesh, scale=[1, 1, 0])
    assert [body.name for body in load_scene(maker.glb(tmp_path / "a.glb")).bodies] == ["flat"]


# --- extensions and accessors -----------------------------------------------------------------------------


def only_vertices(path: Path, **options: Any) -> Floats:
    (body,) = load_scene(path, **options).bodies
    shape: Any = body.shape
    return np.asarray(shape.vertices[shape.faces])


def tetrahedron() -> Maker:
    maker = Maker()
    maker.node(mesh=maker.mesh(VERTICES, FACES))
    return maker


CORNERS = VERTICES.astype(np.float64)[np.array(FACES)]


@pytest.mark.parametrize(
    "name",
    [
        "KHR_texture_transform",
        "KHR_texture_basisu",
        "EXT_texture_webp",
        "KHR_materials_unlit",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_lights_punctual",
        "KHR_mesh_quantization",
        "KHR_xmp_json_ld",
    ],
)
def test_extensions_that_move_no_triangle_are_ignored(name: str, tmp_path: Path) -> None:
    maker = tetrahedron()
    maker.document["extensionsRequired"] = [name]
    np.testing.assert_array_equal(only_vertices(maker.glb(tmp_path / "a.glb")), CORNERS)


@pytest.mark.parametrize("name", ["EXT_mesh_gpu_instancing", "KHR_textured_mesh", "X"])
def test_other_required_extensions_are_refused(name: str, tmp_path: Path) -> None:
    maker = tetrahedron()
    maker.document["extensionsRequired"] = [name]
    with pytest.raises(SceneError, match=f"the extension {name} is required and not supported"):
        load_scene(maker.glb(tmp_path / "a.glb"), skip_unsupported=True)


@pytest.mark.parametrize(("kind", "normalized"), [("u2", False), ("i2", True), ("u1", True), ("i1", False)])
def test_quantized_positions(kind: str, normalized: bool, tmp_path: Path) -> None:
    maker = Maker()
    stored = np.array([[0, 0, 0], [100, 0, 0], [0, 60, 0], [0, 0, 127]])
    indices = maker.accessor(np.ravel(FACES), "u2")
    position = maker.accessor(stored, kind, normalized=normalized)
    maker.document["meshes"].append(
        {"primitives": [{"attributes": {"POSITION": position}, "indices": indices}]}
    )
    maker.node(mesh=0, scale=[2, 2, 2], translation=[1, 0, 0])
    maker.document["extensionsRequired"] = ["KHR_mesh_quantization"]
    largest = {"u2": 65535, "i2": 32767, "u1": 255, "i1": 127}[kind]
    want = 2 * (stored / largest if normalized else stored)[np.array(FACES)] + [1, 0, 0]
    np.testing.assert_allclose(only_vertices(maker.glb(tmp_path / "a.glb")), want, rtol=1e-15)


@pytest.mark.parametrize("base", [True, False])
def test_sparse_accessors(base: bool, tmp_path: Path) -> None:
    maker = tetrahedron()
    accessor = maker.document["accessors"][1]
    assert accessor["type"] == "VEC3"
    rows, values = maker.accessor([1, 3], "u2"), maker.accessor([[7, 8, 9], [4, 5, 6]])
    views = [maker.document["accessors"][k]["bufferView"] for k in (rows, values)]
    accessor["sparse"] = {
        "count": 2,
        "indices": {"bufferView": views[0], "componentType": 5123},
        "values": {"bufferView": views[1]},
    }
    want = VERTICES.astype(np.float64)
    if not base:
        del accessor["bufferView"]
        want = np.zeros((4, 3))
    want[[1, 3]] = [[7, 8, 9], [4, 5, 6]]
    np.testing.assert_array_equal(only_vertices(maker.glb(tmp_path / "a.glb")), want[np.array(FACES)])
    for change, words in (
        ({"count": 99}, "sparse indices of a wrong type or number"),
        ({"indices": {"bufferView": views[1], "componentType": 5126}}, "sparse indices of a wrong type"),
        (
            {"indices": {"bufferView": views[1], "componentType": 5123}},
            "sparse indices that it does not have",
        ),
        ({"values": {"bufferView": 77}}, "there is no bufferView 77"),
        ({"values": {"bufferView": views[1], "byteOffset": 20}}, "reaches behind its buffer view"),
    ):
        whole = dict(accessor["sparse"])
        accessor["sparse"] = whole | change
        with pytest.raises(SceneError, match=words):
            load_scene(maker.glb(tmp_path / "a.glb"))
        accessor["sparse"] = whole


def test_morph_targets_at_rest_are_applied(tmp_path: Path) -> None:
    maker = tetrahedron()
    offsets = np.arange(12, dtype=np.float32).reshape((4, 3))
    targets = [{"POSITION": maker.accessor(offsets)}, {"NORMAL": maker.accessor(offsets)}]
    maker.document["meshes"][0]["primitives"][0]["targets"] = targets
    path = tmp_path / "a.glb"
    np.testing.assert_array_equal(only_vertices(maker.glb(path)), CORNERS)
    maker.document["meshes"][0]["weights"] = [0.5, 1.0]
    half = VERTICES.astype(np.float64) + 0.5 * offsets
    np.testing.assert_allclose(only_vertices(maker.glb(path)), half[np.array(FACES)])
    maker.document["nodes"][0]["weights"] = [2.0, 0.0]
    twice = VERTICES.astype(np.float64) + 2.0 * offsets
    np.testing.assert_allclose(only_vertices(maker.glb(path)), twice[np.array(FACES)])
    maker.document["nodes"][0]["weights"] = [2.0]
    with pytest.raises(SceneError, match="has 2 morph targets, but 1 weights"):
        load_scene(maker.glb(path))


def test_moving_morphs_can_be_skipped(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(VERTICES, FACES)
    maker.node(name="face", mesh=mesh)
    maker.node(name="floor", mesh=mesh)
    maker.animate((0, "weights", [0, 1], [0, 1]))
    path = maker.glb(tmp_path / "a.glb")
    with pytest.raises(SceneError) as caught:
        load_scene(path)
    assert [problem.text.partition(";")[0] for problem in caught.value.problems] == [
        "animation 0, node 'face': moving morph targets (weights) are not supported",
    ]
    with pytest.warns(UserWarning, match="a.glb: skipped") as warned:
        scene = load_scene(path, skip_unsupported=True)
    assert len(warned) == len(scene.skipped) == 1
    assert [body.name for body in scene.bodies] == ["floor"]


def test_points_and_lines_have_no_bodies(tmp_path: Path) -> None:
    maker = Maker()
    maker.node(name="lines", mesh=maker.mesh(VERTICES, FACES, mode=1))
    maker.node(name="solid", mesh=maker.mesh(VERTICES, FACES))
    assert [body.name for body in load_scene(maker.glb(tmp_path / "a.glb")).bodies] == ["solid"]


# --- Draco ------------------------------------------------------------------------------------------------


def draco_file(content: bytes) -> Maker:
    """A mesh whose accessors have no buffer views, as the extension demands."""
    maker = tetrahedron()
    for accessor in maker.document["accessors"]:
        del accessor["bufferView"]
    view = maker.document["accessors"][maker.accessor(np.frombuffer(content, np.uint8), "u1")]["bufferView"]
    extension = {"bufferView": view, "attributes": {"POSITION": 0}}
    maker.document["meshes"][0]["primitives"][0]["extensions"] = {"KHR_draco_mesh_compression": extension}
    maker.document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    return maker


@pytest.mark.parametrize("level", [0, 1, 7])
def test_draco_meshes_are_decoded(level: int, tmp_path: Path) -> None:
    draco = pytest.importorskip("DracoPy")
    content = draco.encode(
        VERTICES, np.array(FACES, np.uint32), quantization_bits=20, compression_level=level
    )
    path = draco_file(content).glb(tmp_path / "a.glb")

    def sort_triangles(corners: Any) -> Any:
        return sorted(sorted(map(tuple, np.round(each, 3).tolist())) for each in corners + 0.0)

    assert sort_triangles(only_vertices(path)) == sort_triangles(CORNERS)
    with pytest.raises(SceneError, match="exceeds the limit of 3 faces"):
        load_scene(path, limits=Limits(faces=3))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "does not begin with 'DRACO'"),
        (b"DRACO\x02\x02\x01\x01\0\0\0" + b"\xff\xff\xff\xff\x7f" * 2 + b"x" * 20, "exceeds the limit of"),
        (b"DRACO\x02\x02\x01\x01\0\0\0" + b"\xff" * 20, "a number that is too large"),
        (b"DRACO\x02\x02\x01\x01\0\0\0" + b"\xff" * 5, "ends within its header"),
        (b"DRACO\x02\x02\x01\x01\0\0\0" + b"\x04\x04" + b"x" * 20, "cannot be decoded as Draco"),
        (b"DRACO\x01\x02\x01\x01\0\0\0" + b"\x04\x04", "Draco 1.2 with the encoder 1.1 is not supported"),
        (b"DRACO\x02\x02\x01\x01\0\x80\0" + b"\x04\x04", "with metadata is not supported"),
    ],
)
def test_malformed_draco_data_is_refused(content: bytes, words: str, tmp_path: Path) -> None:
    pytest.importorskip("DracoPy")
    with pytest.raises(SceneError, match=words):
        load_scene(draco_file(content).glb(tmp_path / "a.glb"))
