"""glTF files: nodes and keys against SciPy's interpolation, and all that is refused."""

from __future__ import annotations

import contextlib
import itertools
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from make_gltf import Maker
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

import ougi
from ougi.scene import SceneError, load_scene
from ougi.scene.limits import Budget
from ougi.scene.meshes import MeshFiles

Floats = NDArray[np.float64]

BOX = trimesh.creation.box(extents=[1, 0.4, 0.2])


def quaternions(n: int, seed: int) -> Floats:
    return np.asarray(Rotation.random(n, random_state=seed).as_quat(), np.float32).astype(np.float64)


def arm(seed: int = 0) -> tuple[Maker, dict[int, Any]]:
    """Three nodes, one upon the other, each with keys of its own; meshes on the second and the last."""
    rng = np.random.default_rng(seed)
    maker = Maker()
    mesh = maker.mesh(BOX.vertices, BOX.faces)
    maker.node(name="base", children=[1], translation=[1, 2, 3], scale=[2, 2, 2])
    maker.node(name="upper", children=[2], rotation=quaternions(1, 9)[0].tolist(), mesh=mesh)
    maker.node(name="hand", mesh=mesh, translation=[0.5, 0, 0.25], scale=[1, 2, 0.5])
    maker.node(name="floor", mesh=mesh, translation=[0, 0, -9])
    maker.document["scenes"] = [{"nodes": [0, 3]}]
    keys = {
        0: ([0.0, 1.0, 2.0], rng.uniform(-1, 1, (3, 3)).astype(np.float32), None),
        1: ([0.5, 1.5], None, quaternions(2, seed + 1)),
        2: ([0.0, 0.7, 2.0], rng.uniform(-1, 1, (3, 3)).astype(np.float32), quaternions(3, seed + 2)),
    }
    tracks: list[tuple[int, str, Any, Any]] = []
    for node, (times, moves, turns) in keys.items():
        if moves is not None:
            tracks.append((node, "translation", times, moves))
        if turns is not None:
            tracks.append((node, "rotation", times, turns))
    maker.animate(*tracks)
    return maker, keys


def world(maker: Maker, keys: dict[int, Any], path: list[int], t: float) -> Floats:
    """The 4 x 4 matrix of a node: lerp and SciPy's slerp, with all scales."""
    whole = np.eye(4)
    for node in path:
        record = maker.document["nodes"][node]
        place = np.array(record.get("translation", [0, 0, 0]), float)
        turn = Rotation.from_quat(record.get("rotation", [0, 0, 0, 1]))
        if node in keys:
            times, moves, turns = keys[node]
            now = np.clip(t, times[0], times[-1])
            if moves is not None:
                place = np.array([np.interp(now, times, moves[:, k]) for k in range(3)])
            if turns is not None:
                turn = Slerp(np.asarray(times, np.float32), Rotation.from_quat(turns))(
                    np.clip(now, np.float32(times[0]), np.float32(times[-1]))
                )
        own = np.eye(4)
        own[:3, :3] = turn.as_matrix() @ np.diag(record.get("scale", [1, 1, 1]))
        own[:3, 3] = place
        whole = whole @ own
    return whole


@pytest.mark.parametrize("seed", range(4))
def test_bodies_are_where_slerp_and_lerp_of_all_parents_put_them(seed: int, tmp_path: Path) -> None:
    maker, keys = arm(seed)
    scene = load_scene(maker.glb(tmp_path / "arm.glb"))
    assert [body.name for body in scene.bodies] == ["upper", "hand", "floor"]
    assert scene.duration == 2.0
    bodies = {body.name: body for body in scene.bodies}
    for name, path in (("upper", [0, 1]), ("hand", [0, 1, 2]), ("floor", [3])):
        body = bodies[name]
        for t in (0.0, 0.2, 0.5, 0.6, 0.7, 1.0, 1.3, 1.77, 2.0, 3.0):
            shape: Any = body.shape.transformed(body.at(t))
            want = world(maker, keys, path, t)
            local = np.asarray(BOX.vertices, np.float32)
            np.testing.assert_allclose(shape.vertices, local @ want[:3, :3].T + want[:3, 3], atol=3e-6)
    assert not bodies["floor"].moves
    assert isinstance(bodies["hand"].pieces[0].motion, ougi.Chain)


@pytest.mark.parametrize("seed", range(2))
def test_between_keys_the_motion_of_a_span_leads_from_pose_to_pose(seed: int, tmp_path: Path) -> None:
    maker, _ = arm(seed)
    scene = load_scene(maker.glb(tmp_path / "arm.glb"))
    hand = scene.bodies[1]
    times = scene.times
    assert times.tolist() == pytest.approx([0, 0.5, 0.7, 1, 1.5, 2], abs=1e-6)
    for start, stop in itertools.pairwise(times):
        middle = 0.3 * start + 0.7 * stop
        shape: Any
        shape, motion = hand.during(float(start), float(stop))
        assert motion is not None
        moved = shape.transformed(motion.at(0.7))
        want: Any = hand.shape.transformed(hand.at(float(middle)))
        np.testing.assert_allclose(moved.vertices, want.vertices, atol=1e-12)


def test_a_turning_node_makes_exactly_one_turn_between_two_keys(tmp_path: Path) -> None:
    maker = Maker()
    door = maker.node(name="door", mesh=maker.mesh(BOX.vertices, BOX.faces), translation=[1, 0, 0])
    half = np.sqrt(0.5)
    maker.animate((door, "rotation", [0, 2], [[0, 0, 0, 1], [0, 0, half, half]]))
    (body,) = load_scene(maker.glb(tmp_path / "door.glb")).bodies
    (piece,) = body.pieces
    assert isinstance(piece.motion, ougi.Rotation3d)
    np.testing.assert_allclose(piece.motion.center, [1, 0, 0])
    np.testing.assert_allclose(np.abs(piece.motion.axis), [0, 0, 1], atol=1e-7)
    assert float(piece.motion.angle) == pytest.approx(np.pi / 2, abs=1e-6)
    assert (piece.start, piece.stop) == (0, 2)


def test_step_keys_are_jumps(tmp_path: Path) -> None:
    maker = Maker()
    node = maker.node(name="hand", mesh=maker.mesh(BOX.vertices, BOX.faces))
    maker.animate((node, "translation", [0, 1, 2], [[0, 0, 0], [5, 0, 0], [5, 0, 7]]), step=True)
    (body,) = load_scene(maker.glb(tmp_path / "steps.glb")).bodies
    assert [(piece.start, piece.stop) for piece in body.pieces] == [(1, 1), (2, 2)]
    assert body.at(0.99).position.tolist() == [0, 0, 0]
    assert body.at(1.0).position.tolist() == [5, 0, 0]
    assert body.during(1.0, 2.0)[1] is None
    assert body.at(2.5).position.tolist() == [5, 0, 7]


def test_bodies_on_one_moving_node_are_not_checked_against_each_other(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(BOX.vertices, BOX.faces)
    maker.node(name="door", mesh=mesh, children=[1])
    maker.node(name="knob", mesh=mesh, translation=[2, 0, 0])
    maker.node(name="wall", mesh=mesh, translation=[5, 0, 0])
    maker.node(name="wall", mesh=mesh, translation=[5, 0, 0])
    maker.animate((0, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]]))
    scene = load_scene(maker.glb(tmp_path / "door.glb"))
    assert [body.name for body in scene.bodies] == ["door", "knob", "wall", "wall (2)"]
    assert scene.covers([[0, 1], [0, 2], [1, 2], [2, 3]]).tolist() == [False, True, True, True]


def test_bodies_of_one_name_are_numbered(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(BOX.vertices, BOX.faces)
    for name in ("bolt", "bolt", "door (left)", "door (left)", "bolt (2)"):
        maker.node(name=name, mesh=mesh)
    names = [body.name for body in load_scene(maker.glb(tmp_path / "names.glb")).bodies]
    assert names == ["bolt", "bolt (2)", "door (left)", "door (left) (2)", "bolt (2) (2)"]


def test_normalized_integers_are_rotations_too(tmp_path: Path) -> None:
    maker = Maker()
    node = maker.node(mesh=maker.mesh(BOX.vertices, BOX.faces))
    maker.animate((node, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 1, 0]]))
    values = maker.accessor([[0, 0, 0, 32767], [0, 0, 32767, 0]], "i2", normalized=True)
    maker.document["animations"][0]["samplers"][0]["output"] = values
    (body,) = load_scene(maker.glb(tmp_path / "turn.glb")).bodies
    assert body.name == "node 0"
    np.testing.assert_allclose(np.abs(body.at(0.5).rotation[:2, :2]), [[0, 1], [1, 0]], atol=1e-12)


def test_animations_play_together_unless_they_fight(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(BOX.vertices, BOX.faces)
    a, b = maker.node(name="a", mesh=mesh), maker.node(name="b", mesh=mesh)
    maker.animate((a, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]]), name="walk")
    maker.animate((b, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]]), name="run")
    path = maker.glb(tmp_path / "two.glb")
    assert [body.moves for body in load_scene(path).bodies] == [True, True]
    assert [body.moves for body in load_scene(path, animation="run").bodies] == [False, True]
    assert [body.moves for body in load_scene(path, animation="0").bodies] == [True, False]
    with pytest.raises(SceneError, match=r"no animation 'fly'; the file has: 'walk', 'run'"):
        load_scene(path, animation="fly")
    maker.animate((a, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]]), name="again")
    with pytest.warns(UserWarning, match="--animation again plays it"):
        scene = load_scene(maker.glb(path))
    assert scene.skipped == ("animation 'again', because animation 'walk' moves the same nodes",)
    assert [body.moves for body in scene.bodies] == [True, True]
    channels = maker.document["animations"][0]["channels"]
    channels.append(channels[0])
    with pytest.raises(SceneError, match="animation 'walk' moves the translation of node 'a' twice"):
        load_scene(maker.glb(path), animation="walk")


def test_a_scale_that_stays_what_it_is_is_no_motion(tmp_path: Path) -> None:
    maker = Maker()
    node = maker.node(name="hand", mesh=maker.mesh(BOX.vertices, BOX.faces), scale=[2, 2, 2])
    maker.animate((node, "scale", [0, 1], [[2, 2, 2], [2, 2, 2]]))
    path = maker.glb(tmp_path / "scale.glb")
    assert not load_scene(path).bodies[0].moves
    twice = load_scene(path).bodies[0].shape
    maker.document["nodes"][0]["scale"] = [1, 1, 1]  # but the keys of the animation count
    assert load_scene(maker.glb(path)).bodies[0].shape == twice
    maker.document["animations"] = []
    maker.animate((node, "scale", [0, 1], [[2, 2, 2], [2, 2, 3]]))
    with pytest.raises(SceneError, match=r"animation 0, node 'hand': moving scales are not supported"):
        load_scene(maker.glb(path))


def test_scales_with_the_rounding_of_single_precision_are_even(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(BOX.vertices, BOX.faces)
    maker.node(name="arm", scale=[1, 1.0000004, -0.9999996], children=[1])
    hand = maker.node(name="hand", mesh=mesh)
    maker.animate((hand, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 1, 0]]))
    even: Any = load_scene(maker.glb(tmp_path / "a.glb")).bodies[0].shape
    np.testing.assert_allclose(
        even.vertices, BOX.vertices.astype(np.float32) * np.array([1, 1, -1]), rtol=1e-15
    )
    maker.document["nodes"][0]["scale"] = [1, 1.00001, 1]
    with pytest.raises(SceneError, match="turns below an uneven scale"):
        load_scene(maker.glb(tmp_path / "a.glb"))


def test_what_moves_nothing_but_helpers_does_not_matter(tmp_path: Path) -> None:
    maker = Maker()
    body = maker.node(name="body", mesh=maker.mesh(BOX.vertices, BOX.faces), children=[1])
    maker.node(name="target of inverse kinematics")
    maker.animate((1, "scale", [0, 5], [[1, 1, 1], [2, 2, 2]]))
    scene = load_scene(maker.glb(tmp_path / "a.glb"))
    assert not scene.bodies[body].moves
    assert scene.skipped == ()


@pytest.mark.parametrize("required", [True, False])
def test_pointers_move_nodes_as_paths_do(required: bool, tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh(BOX.vertices, BOX.faces)
    for name in ("a", "b", "c"):
        maker.node(name=name, mesh=mesh)
    maker.animate((0, "translation", [0, 2], [[0, 0, 0], [0, 3, 0]]), name="one")
    maker.animate((0, "translation", [0, 2], [[0, 0, 0], [0, 3, 0]]), name="two")
    maker.animate((0, "translation", [0, 2], [[0, 0, 0], [0, 3, 0]]), name="three")
    if required:
        maker.document["extensionsRequired"] = ["KHR_animation_pointer"]

    def point(animation: int, pointer: str) -> None:
        extensions = {"KHR_animation_pointer": {"pointer": pointer}}
        target = {"path": "pointer", "extensions": extensions}
        maker.document["animations"][animation]["channels"][0]["target"] = target

    point(1, "/nodes/1/translation")
    point(2, "/materials/0/pbrMetallicRoughness/baseColorFactor")
    scene = load_scene(maker.glb(tmp_path / "a.glb"))
    assert scene.skipped == ()
    assert [body.at(1.0).position.tolist() for body in scene.bodies] == [[0, 1.5, 0], [0, 1.5, 0], [0, 0, 0]]
    for pointer, node in (("/meshes/0/weights", "a"), ("/nodes/2/weights/0", "c")):
        point(2, pointer)
        with pytest.raises(SceneError, match=f"'three', node '{node}': moving morph targets"):
            load_scene(maker.glb(tmp_path / "a.glb"))


# --- meshes ---------------------------------------------------------------------------------------------


def test_the_triangles_are_those_that_trimesh_reads(tmp_path: Path) -> None:
    maker, _ = arm()
    path = maker.glb(tmp_path / "arm.glb")
    ours: Any = MeshFiles(Budget()).read(path)
    theirs = trimesh.load(path, force="mesh", process=False)
    assert len(ours.faces) == len(theirs.faces) == 36

    def sorted_corners(vertices: Any, faces: Any) -> Floats:
        corners = np.sort(vertices[faces].mean(axis=1).round(5), axis=0)
        return np.asarray(corners)

    np.testing.assert_allclose(
        sorted_corners(ours.vertices, ours.faces), sorted_corners(theirs.vertices, theirs.faces), atol=2e-5
    )


def test_strips_fans_and_lists_without_indices_are_triangles(tmp_path: Path) -> None:
    square = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    for mode, faces in ((5, [[0, 1, 2], [1, 2, 3]]), (6, [[0, 1, 2], [0, 2, 3]])):
        maker = Maker()
        maker.node(mesh=maker.mesh(square, [0, 1, 2, 3], mode=mode))
        mesh: Any = MeshFiles(Budget()).read(maker.glb(tmp_path / "m.glb"))
        assert mesh.faces.tolist() == faces
    maker = Maker()
    maker.document["meshes"] = [{"primitives": [{"attributes": {"POSITION": maker.accessor(square[:3])}}]}]
    maker.node(mesh=0)
    assert MeshFiles(Budget()).read(maker.glb(tmp_path / "m.glb")).faces.tolist() == [[0, 1, 2]]


def test_buffers_may_be_embedded_or_beside_the_file(tmp_path: Path) -> None:
    maker = Maker()
    maker.node(
        mesh=maker.mesh(BOX.vertices, BOX.faces), matrix=[0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]
    )
    whole = MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf"))
    lower: Any = whole.bounds().lower
    np.testing.assert_allclose(lower, [5 - 0.4, 6 - 1, 7 - 0.2], atol=1e-6)
    (tmp_path / "box.bin").write_bytes(maker.binary)
    assert MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "box.bin")) == whole
    (tmp_path / "a box.bin").write_bytes(maker.binary)
    assert MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "a%20box.bin")) == whole
    with pytest.raises(SceneError, match="leads out of the folder"):
        MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "../box.bin"))
    with pytest.raises(SceneError, match="leads out of the folder"):
        MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "%2e%2e/box.bin"))
    with pytest.raises(SceneError, match="is an address"):
        MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "https://example.org/box.bin"))
    with pytest.raises(SceneError, match="not valid base64"):
        MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "data:;base64,!!!!"))
    with pytest.raises(SceneError, match="not as base64"):
        MeshFiles(Budget()).read(maker.gltf(tmp_path / "box.gltf", "data:text/plain,hello"))


# --- what is refused ------------------------------------------------------------------------------------


def read_problem(change: Any, tmp_path: Path) -> str:
    """The problem that is reported of a file with one thing changed."""
    maker, _ = arm()
    change(maker.document)
    with pytest.raises(SceneError) as caught:
        load_scene(maker.glb(tmp_path / "bad.glb"))
    assert all(problem.file == "bad.glb" for problem in caught.value.problems)
    return str(caught.value)


REFUSED: dict[str, tuple[Any, str]] = {
    "lines": (lambda d: d["meshes"][0]["primitives"][0].update(mode=1), "the file has no meshes"),
    "sparse": (lambda d: d["accessors"][0].update(sparse={}), "malformed glTF"),
    "cubic": (
        lambda d: d["animations"][0]["samplers"][0].update(interpolation="CUBICSPLINE"),
        "CUBICSPLINE is not supported",
    ),
    "bezier": (
        lambda d: d["animations"][0]["samplers"][0].update(interpolation="BEZIER"),
        "the interpolation BEZIER is not supported",
    ),
    "weights": (
        lambda d: d["animations"][0]["channels"][0]["target"].update(path="weights"),
        "morph targets (weights) are not supported",
    ),
    "pointer": (
        lambda d: d["animations"][0]["channels"][0]["target"].update(path="pointer"),
        "moving 'pointer' is not supported",
    ),
    "extension": (
        lambda d: d.update(extensionsRequired=["EXT_mesh_gpu_instancing"]),
        "the extension EXT_mesh_gpu_instancing is required and not supported",
    ),
    "moving matrix": (
        lambda d: d["nodes"][1].update(matrix=np.eye(4).ravel().tolist()),
        "moves node 'upper', which has a matrix",
    ),
    "version 1": (lambda d: d["asset"].update(version="1.0"), "glTF 1.0 is not supported"),
    "no asset": (lambda d: d.pop("asset"), "malformed glTF"),
    "words": (lambda d: d["nodes"][0].update(children="all"), "malformed glTF"),
    "cycle": (lambda d: d["nodes"][2].update(children=[1]), "has two parents"),
    "own child": (lambda d: (d.pop("scenes"), d["nodes"][2].update(children=[0])), "is its own ancestor"),
    "twice a root": (lambda d: d.update(scenes=[{"nodes": [0, 0]}]), "twice a root"),
    "no such node": (lambda d: d["nodes"][0].update(children=[77]), "there is no node 77; the file has 4"),
    "no such mesh": (lambda d: d["nodes"][3].update(mesh=5), "there is no mesh 5"),
    "no such accessor": (
        lambda d: d["meshes"][0]["primitives"][0].update(indices=99),
        "there is no accessor 99",
    ),
    "negative accessor": (
        lambda d: d["meshes"][0]["primitives"][0].update(indices=-1),
        "there is no accessor -1",
    ),
    "too many": (lambda d: d["accessors"][0].update(count=10**9), "elements, more than 6,000,000"),
    "beyond the view": (lambda d: d["accessors"][0].update(count=1000), "reaches behind its buffer view"),
    "beyond the buffer": (
        lambda d: d["bufferViews"][0].update(byteLength=10**6, byteOffset=10**6),
        "reaches behind its buffer",
    ),
    "negative offset": (lambda d: d["accessors"][0].update(byteOffset=-4), "negative offset"),
    "no position": (lambda d: d["meshes"][0]["primitives"][0].update(attributes={}), "has no POSITION"),
    "matrices": (lambda d: d["accessors"][0].update(type="MAT3"), "which is not supported"),
    "not a unit quaternion": (
        lambda d: d["nodes"][1].update(rotation=[0, 0, 0, 2]),
        "node 'upper' has a rotation that is not a unit quaternion",
    ),
    "uneven scale": (
        lambda d: d["nodes"][0].update(scale=[1, 2, 1]),
        "node 'upper' turns below an uneven scale",
    ),
    "no meshes": (lambda d: [node.pop("mesh", 0) for node in d["nodes"]], "the file has no meshes"),
    "no sampler": (lambda d: d["animations"][0]["channels"][0].update(sampler=9), "there is no sampler 9"),
    "times": (
        lambda d: d["animations"][0]["samplers"][0].update(input=d["animations"][0]["samplers"][0]["output"]),
        "a track without keys",
    ),
    "values": (
        lambda d: d["animations"][0]["samplers"][0].update(output=d["animations"][0]["samplers"][0]["input"]),
        "does not have one finite translation for each",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_supported_or_malformed_is_refused_by_name(what: str, tmp_path: Path) -> None:
    change, words = REFUSED[what]
    assert words in read_problem(change, tmp_path)


def test_all_unsupported_features_are_named_at_once(tmp_path: Path) -> None:
    def change(document: Any) -> None:
        for key in ("cubic", "uneven scale"):
            REFUSED[key][0](document)

    assert len(read_problem(change, tmp_path).splitlines()) == 3


def test_files_that_are_cut_off_or_no_glb_are_refused(tmp_path: Path) -> None:
    whole = arm()[0].glb(tmp_path / "arm.glb").read_bytes()
    bad = tmp_path / "bad.glb"
    for content, words in (
        (b"", "it does not begin with 'glTF'"),
        (b"solid", "it does not begin with 'glTF'"),
        (whole[:16], "ends within its header"),
        (whole[:-4], "gives a size of"),
        (struct.pack("<4sII", b"glTF", 1, len(whole)) + whole[12:], "GLB version 1"),
        (struct.pack("<4sIIII", b"glTF", 2, 20, 99, 0x4E4F534A), "ends behind the file"),
        (struct.pack("<4sIIII", b"glTF", 2, 20, 0, 7), "no JSON chunk"),
        (struct.pack("<4sIIII", b"glTF", 2, 24, 4, 0x4E4F534A) + b"{][}", "malformed glTF"),
    ):
        bad.write_bytes(content)
        with pytest.raises(SceneError, match=words):
            load_scene(bad)


@pytest.mark.parametrize("seed", range(60))
def test_no_damage_to_a_file_gives_another_error(seed: int, tmp_path: Path) -> None:
    """Bytes changed anywhere: the file is read, or refused; nothing else is raised."""
    rng = np.random.default_rng(seed)
    raw = bytearray(arm()[0].glb(tmp_path / "arm.glb").read_bytes())
    for at in rng.integers(12, len(raw), rng.integers(1, 6)):
        raw[at] = rng.integers(256)
    path = tmp_path / "damaged.glb"
    path.write_bytes(raw)
    with contextlib.suppress(SceneError):
        load_scene(path)


def test_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.gltf"
    path.write_text('{"asset": {"version": "2.0"}, "x": ' + "[" * 5_000_000 + "]" * 5_000_000 + "}")
    with pytest.raises(SceneError, match="malformed glTF"):
        load_scene(path)
    path.write_text(json.dumps({"asset": {"version": "2.0"}}))
    with pytest.raises(SceneError, match="no meshes"):
        load_scene(path)


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Found by fuzzing: it was an internal error."""
    path = tmp_path / "bad.gltf"
    path.write_bytes(b'{"asset": {"version": "2.0"}, "nodes": [{"name": "\xd4x"}]}')
    with pytest.raises(SceneError, match=r"bad.gltf: malformed glTF: 'utf-8' codec can't decode"):
        load_scene(path)
