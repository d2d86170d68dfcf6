"""Scene files: what they mean, and everything that is wrong with them, at once."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import msgspec
import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import ougi
from ougi.scene import SceneError, load_scene, scenefile
from ougi.scene.meshes import read_mesh
from ougi.scene.places import json_lines, toml_lines
from ougi.scene.schema import SceneFile, schema

GOOD = """\
ougi = 1
units = "cm"

[[body]]
name = "blade"
shape = { type = "box", size = [2.4, 0.24, 0.30] }
at = [1.8, 0, 0]
motion = { type = "rotate", axis = [0, 0, 1], about = [0, 0, 0], degrees = 120, seconds = 0.2 }

[[body]]
name = "crate"
shape = { type = "sphere", radius = 0.5 }
at = [0, 2, 0]
group = 2

[[body]]
name = "cart"
shape = { type = "cylinder", radius = 1, height = 4 }
rotation = { axis = [1, 0, 0], degrees = 90 }
motion = [
    { type = "translate", by = [0, 3, 0], seconds = 2, start = 1 },
    { type = "screw", axis = [0, 0, 1], degrees = 90, advance = 2, seconds = 1 },
]

[[check]]
a = "blade"
b = "c*"
"""


def written(tmp_path: Path, text: str, name: str = "scene.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def loaded(tmp_path: Path, text: str, name: str = "scene.toml") -> ougi.Scene:
    return load_scene(written(tmp_path, text, name))


def problems(tmp_path: Path, text: str, name: str = "scene.toml") -> list[str]:
    with pytest.raises(SceneError) as caught:
        loaded(tmp_path, text, name)
    return str(caught.value).splitlines()


def one_body(more: str, shape: str = '{ type = "sphere", radius = 1 }') -> str:
    return f'ougi = 1\n[[body]]\nname = "it"\nshape = {shape}\n{more}\n'


# --- meaning --------------------------------------------------------------------------------------------


def test_a_scene_file_says_bodies_motions_and_checks(tmp_path: Path) -> None:
    scene = loaded(tmp_path, GOOD)
    blade, crate, cart = scene.bodies
    assert scene.units == "cm"
    assert scene.duration == 4.0
    assert scene.times.tolist() == [0, 0.2, 1, 3, 4]
    assert blade.shape == ougi.Box([1.8, 0, 0], [2.4, 0.24, 0.30])
    assert [(piece.start, piece.stop) for piece in blade.pieces] == [(0, 0.2)]
    assert blade.pieces[0].motion == ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(120))
    assert (crate.group, crate.moves, crate.line) == (2, False, 10)
    assert scene.wanted([[0, 1], [0, 2], [1, 2]]).tolist() == [True, True, False]
    # The second motion of the cart turns about where its frame has come to.
    assert [(piece.start, piece.stop) for piece in cart.pieces] == [(1, 3), (3, 4)]
    assert cart.pieces[1].motion == ougi.Screw3d([0, 3, 0], [0, 0, 1], math.pi / 2, 2)
    np.testing.assert_allclose(cart.at(4).apply([1, 0, 0]), [0, 4, 2], atol=1e-12)
    np.testing.assert_allclose(cart.shape.axis, [0, -1, 0], atol=1e-15)  # type: ignore[attr-defined]


def test_json_says_the_same(tmp_path: Path) -> None:
    scene = loaded(tmp_path, GOOD)
    content = {"$schema": "scene.schema.json", **tomllib.loads(GOOD)}
    again = loaded(tmp_path, json.dumps(content, indent=1), "scene.json")
    assert [(b.name, b.shape, b.pieces) for b in scene.bodies] == [
        (b.name, b.shape, b.pieces) for b in again.bodies
    ]
    assert again.checks == scene.checks


SHAPES: dict[str, tuple[str, Any]] = {
    "circle": ("radius = 2", ougi.Circle([0, 0], 2)),
    "rectangle": ("size = [1, 2]", ougi.Rectangle([0, 0], [1, 2])),
    "capsule2d": ("start = [0, 0], end = [1, 0], radius = 2", ougi.Capsule2d([0, 0], [1, 0], 2)),
    "segment2d": ("start = [0, 0], end = [1, 0]", ougi.Segment2d([0, 0], [1, 0])),
    "triangle2d": ("a = [0, 0], b = [1, 0], c = [0, 1]", ougi.Triangle2d([0, 0], [1, 0], [0, 1])),
    "sector2d": ("degrees = 90, outer_radius = 2", ougi.Sector2d([0, 0], [1, 0], math.pi / 4, 0, 2)),
    "sphere": ("radius = 2", ougi.Sphere([0, 0, 0], 2)),
    "box": ("size = [1, 2, 3]", ougi.Box([0, 0, 0], [1, 2, 3])),
    "capsule3d": ("start = [0, 0, 0], end = [1, 0, 0], radius = 2", ougi.Capsule3d([0, 0, 0], [1, 0, 0], 2)),
    "segment3d": ("start = [0, 0, 0], end = [1, 0, 0]", ougi.Segment3d([0, 0, 0], [1, 0, 0])),
    "triangle3d": (
        "a = [0, 0, 0], b = [1, 0, 0], c = [0, 1, 0]",
        ougi.Triangle3d([0, 0, 0], [1, 0, 0], [0, 1, 0]),
    ),
    "cylinder": (
        "radius = 2, height = 3",
        ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, 2, 1.5),
    ),
    "sector3d": (
        "degrees = 360, inner_radius = 1, outer_radius = 2, height = 3",
        ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 1, 2, 1.5),
    ),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_can_be_written(kind: str, tmp_path: Path) -> None:
    fields, shape = SHAPES[kind]
    assert loaded(tmp_path, one_body("", f'{{ type = "{kind}", {fields} }}')).bodies[0].shape == shape


def test_every_type_of_the_schema_is_tested() -> None:
    tags = {kind.__struct_config__.tag for kind in scenefile._SHAPES}
    assert tags == set(SHAPES)
    assert "mesh" in json.dumps(schema())


def test_rotations_are_quaternions_axes_or_euler_angles(tmp_path: Path) -> None:
    turn = Rotation.from_euler("xyz", [10, 20, 30], degrees=True)
    axis = turn.as_rotvec()
    degrees = math.degrees(np.linalg.norm(axis))
    said = [
        f"{{ quaternion = {turn.as_quat().tolist()} }}",
        f"{{ axis = {axis.tolist()}, degrees = {degrees} }}",
        "{ euler = [10, 20, 30] }",
    ]
    for rotation in said:
        scene = loaded(tmp_path, one_body(f"rotation = {rotation}", '{ type = "box", size = [1, 2, 3] }'))
        np.testing.assert_allclose(scene.bodies[0].shape.rotation, turn.as_matrix(), atol=1e-12)  # type: ignore[attr-defined]
    flat = loaded(tmp_path, one_body("rotation = { degrees = 30 }", '{ type = "rectangle", size = [1, 2] }'))
    assert flat.bodies[0].shape.angle == pytest.approx(math.pi / 6)  # type: ignore[attr-defined]


def test_keyframes_lead_from_pose_to_pose(tmp_path: Path) -> None:
    q = Rotation.random(3, random_state=2)
    places = [[0, 0, 0], [1, 2, 3], [1, 2, 9]]
    turns = ", ".join(f"{{ quaternion = {x.tolist()} }}" for x in q.as_quat())
    text = one_body(
        f'motion = {{ type = "keyframes", times = [1, 2, 4], positions = {places}, rotations = [{turns}] }}',
        '{ type = "box", size = [1, 2, 3] }',
    )
    (body,) = loaded(tmp_path, text).bodies
    for t, k in ((0.0, 0), (1.0, 0), (2.0, 1), (4.0, 2), (9.0, 2)):
        shape: Any = body.shape.transformed(body.at(t))
        np.testing.assert_allclose(shape.center, places[k], atol=1e-12)
        np.testing.assert_allclose(shape.rotation, q[k].as_matrix(), atol=1e-12)
    middle: Any = body.shape.transformed(body.at(1.5))
    np.testing.assert_allclose(middle.center, [0.5, 1, 1.5], atol=1e-12)


def test_keyframes_in_the_plane_may_turn_more_than_once(tmp_path: Path) -> None:
    turns = "[{ degrees = 0 }, { degrees = 720 }]"
    shape = '{ type = "rectangle", size = [1, 2] }'
    (body,) = loaded(
        tmp_path, one_body(f'motion = {{ type = "keyframes", times = [0, 1], rotations = {turns} }}', shape)
    ).bodies
    assert body.pieces[0].motion == ougi.Rotation2d([0, 0], 4 * math.pi)


def test_the_duration_may_be_given(tmp_path: Path) -> None:
    assert loaded(tmp_path, "duration = 7.5\n" + one_body("")).duration == 7.5


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb"])
def test_meshes_are_read_from_the_scenes_folder(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    trimesh.creation.box(extents=[1, 2, 3]).export(tmp_path / "parts" / f"box.{suffix}")
    shape = f'{{ type = "mesh", file = "parts/box.{suffix}", scale = 10 }}'
    (body,) = loaded(tmp_path, one_body("at = [5, 0, 0]", shape)).bodies
    bounds: Any = body.shape.bounds()
    np.testing.assert_allclose(bounds.lower, [0, -10, -15], atol=1e-5)
    np.testing.assert_allclose(bounds.upper, [10, 10, 15], atol=1e-5)


def test_a_mesh_that_many_bodies_share_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh.creation.box().export(tmp_path / "box.stl")
    calls = []

    def counted(path: Path, scale: float) -> ougi.Mesh:
        calls.append(path)
        return read_mesh(path, scale)

    monkeypatch.setattr(scenefile, "read_mesh", counted)
    bodies = "".join(
        f'[[body]]\nname = "{k}"\nshape = {{ type = "mesh", file = "box.stl" }}\n' for k in range(5)
    )
    assert len(loaded(tmp_path, f"ougi = 1\n{bodies}").bodies) == 5
    assert len(calls) == 1


# --- everything that is wrong ---------------------------------------------------------------------------


def test_all_problems_are_listed_with_line_and_suggestion(tmp_path: Path) -> None:
    text = """\
ougi = 1
unit = "m"

[[body]]
name = "blade"
shape = { type = "box", size = [2.4, 0.24] }
motion = { type = "rotate", axis = [0, 0, 1], degrees = "120", seconds = 0.2 }

[[body]]
name = "cup"
groop = 1
shape = { type = "spere", radius = 1 }

[[body]]
name = "ball"
shape = { type = "sphere", radius = 1 }
at = [1, 2]
motion = [
    { type = "translate", by = [1, 2, 3], seconds = 1 },
    { type = "translate", bye = [1, 2, 3], seconds = nan },
]

[[body]]
name = "far"
shape = { type = "sphere", radius = 1 }
at = [1, 2]

[[body]]
shape = 3
"""
    assert problems(tmp_path, text) == [
        "scene.toml:2: unknown key 'unit', did you mean 'units'?",
        "scene.toml:6: body 'blade': shape.size: expected a list of length >= 3",
        "scene.toml:7: body 'blade': motion.degrees: expected number, got text",
        "scene.toml:11: body 'cup': unknown key 'groop', did you mean 'group'?",
        "scene.toml:12: body 'cup': unknown type 'spere' of shape, did you mean 'sphere'?",
        "scene.toml:20: body 'ball': unknown key 'bye', did you mean 'by'?",
        "scene.toml:20: body 'ball': the key 'by' is missing in motion.1",
        "scene.toml:20: body 'ball': motion.1.seconds: expected number > 0.0",
        "scene.toml:26: body 'far': at must have 3 numbers like the shape, got 2",
        "scene.toml:28: body 5: the key 'name' is missing",
        "scene.toml:29: body 5: shape must be a table with a type, got 3",
    ]


WRONG: dict[str, tuple[str, str]] = {
    "no version": ("[[body]]\n", "scene.toml: the key 'ougi' is missing: a scene file begins with ougi = 1"),
    "version 2": ("ougi = 2\n", "scene.toml:1: ougi = 2 is a format that this version does not know"),
    "true version": ("ougi = true\n", "scene.toml:1: ougi = True is a format"),
    "nothing": ("ougi = 1\n", "there is nothing in the scene"),
    "not TOML": ("ougi = 1\n[[body]\n", "scene.toml:2: not valid TOML"),
    "units": ('units = "meter"\n' + one_body(""), "scene.toml:1: units: invalid enum value 'meter'"),
    "body is no list": ("ougi = 1\nbody = 3\n", "scene.toml:2: body must be a list of tables, got 3"),
    "a body is no table": ("ougi = 1\nbody = [3]\n", "scene.toml:2: body 1"),
    "no type": (one_body("", "{ radius = 1 }"), "scene.toml:4: body 'it': shape needs a type: one of circle"),
    "negative": (one_body("", '{ type = "box", size = [1, 1, -1] }'), "size must not be negative"),
    "infinite": (one_body("at = [0, 0, inf]"), "scene.toml:5: body 'it': at must be finite"),
    "huge": (one_body("at = [0, 0, 1e99]"), "scene.toml:5: body 'it': position must not exceed 1e+60"),
    "not a unit quaternion": (
        one_body("rotation = { quaternion = [0, 0, 1, 1] }"),
        "scene.toml:5: body 'it': rotation must be a unit quaternion",
    ),
    "two rotations": (
        one_body("rotation = { quaternion = [0, 0, 0, 1], euler = [0, 0, 0] }"),
        "rotation must be a quaternion, or axis and degrees, or euler; got quaternion, euler",
    ),
    "axis without degrees": (
        one_body("rotation = { axis = [0, 0, 1] }"),
        "axis and degrees, or euler; got axis",
    ),
    "zero axis": (one_body("rotation = { axis = [0, 0, 0], degrees = 1 }"), "axis must not have zero length"),
    "axis in the plane": (
        one_body("rotation = { axis = [0, 0, 1], degrees = 3 }", '{ type = "circle", radius = 1 }'),
        "rotation must be { degrees = ... } in the plane, got axis, degrees",
    ),
    "turn without an axis": (
        one_body('motion = { type = "rotate", degrees = 3, seconds = 1 }'),
        "a turn in space needs an axis",
    ),
    "turn with an axis in the plane": (
        one_body(
            'motion = { type = "rotate", axis = [0, 0, 1], degrees = 3, seconds = 1 }',
            '{ type = "circle", radius = 1 }',
        ),
        "a turn in the plane has no axis",
    ),
    "screw in the plane": (
        one_body(
            'motion = { type = "screw", axis = [0, 0, 1], degrees = 3, advance = 1, seconds = 1 }',
            '{ type = "circle", radius = 1 }',
        ),
        "there are no screws in the plane",
    ),
    "no time": (
        one_body('motion = { type = "translate", by = [1, 0, 0], seconds = 0 }'),
        "seconds: expected",
    ),
    "keys that go back": (
        one_body('motion = { type = "keyframes", times = [0, 2, 1], positions = [[0, 0, 0]] }'),
        "motion.times must increase",
    ),
    "too few keys": (
        one_body('motion = { type = "keyframes", times = [0, 2], positions = [[0, 0, 0]] }'),
        "motion.positions must have one entry for each of the 2 times, got 1",
    ),
    "keys of nothing": (
        one_body('motion = { type = "keyframes", times = [0, 2] }'),
        "keyframes need positions or rotations",
    ),
    "keys in a list": (
        one_body('motion = [{ type = "keyframes", times = [0, 2], positions = [[0, 0, 0], [1, 0, 0]] }]'),
        "keyframes stand alone",
    ),
    "twice a name": (
        one_body("") + one_body("").removeprefix("ougi = 1\n"),
        "line 2 has a body of this name",
    ),
    "pattern as a name": (one_body("").replace('"it"', '"it*"'), "names must not contain"),
    "empty name": (one_body("").replace('"it"', '""'), "name: expected text of length >= 1"),
    "two dimensions": (
        one_body("") + '[[body]]\nname = "flat"\nshape = { type = "circle", radius = 1 }\n',
        "scene.toml:6: body 'flat': a shape of the plane beside 'it'",
    ),
    "check of nothing": (
        one_body("") + '[[check]]\na = "its"\n',
        "scene.toml:7: check 1: a = 'its' matches no body, did you mean 'it'?",
    ),
    "mask": (one_body("mask = -1"), "mask: expected int >= 0"),
    "opening": (
        one_body("", '{ type = "sector2d", degrees = 400, outer_radius = 1 }'),
        "expected number <= 360",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_its_place(what: str, tmp_path: Path) -> None:
    text, words = WRONG[what]
    assert words in "\n".join(problems(tmp_path, text))


def test_json_problems_have_lines_too(tmp_path: Path) -> None:
    text = """{
 "ougi": 1,
 "body": [
  {"name": "cup",
   "shape": {"type": "sphere",
    "radius": "x"}}
 ]
}"""
    assert problems(tmp_path, text, "s.json") == [
        "s.json:6: body 'cup': shape.radius: expected number, got text"
    ]
    assert problems(tmp_path, '{\n "ougi": 1,,\n}', "s.json")[0].startswith("s.json:2: not valid JSON")
    assert "NaN is no number" in problems(tmp_path, '{"ougi": NaN}', "s.json")[0]
    assert "the key 'ougi' is missing" in problems(tmp_path, "[1, 2]", "s.json")[0]
    assert "nested too deeply" in problems(tmp_path, "[" * 10**6, "s.json")[0]


def test_files_that_cannot_be_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SceneError, match="there is no such file"):
        load_scene(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SceneError, match="this is not a file"):
        load_scene(tmp_path / "folder.toml")
    with pytest.raises(SceneError, match=r"a scene is a file ending in .*got '.tom', did you mean '.toml'\?"):
        load_scene(tmp_path / "scene.tom")
    (tmp_path / "latin.toml").write_bytes("ougi = 1\n# caf\u00e9".encode("latin-1"))
    with pytest.raises(SceneError, match=r"latin.toml:2: this is not text in UTF-8"):
        load_scene(tmp_path / "latin.toml")
    with pytest.raises(SceneError, match="a trajectory belongs to a URDF"):
        load_scene(written(tmp_path, GOOD), trajectory="x.csv")
    with pytest.raises(SceneError, match="an animation belongs to a glTF"):
        load_scene(written(tmp_path, GOOD), animation="x")


def test_huge_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, GOOD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenefile, "SCENE_BYTES", 100)
        with pytest.raises(SceneError, match="more than the 0 allowed"):
            load_scene(path)
    monkeypatch.setattr(scenefile, "BODIES", 2)
    with pytest.raises(SceneError, match="3 bodies, more than the 2 allowed"):
        load_scene(path)


def test_mesh_files_stay_inside_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "scene"
    folder.mkdir()
    trimesh.creation.box().export(tmp_path / "secret.stl")
    os.symlink(tmp_path / "secret.stl", folder / "link.stl")
    os.symlink(tmp_path, folder / "up")
    for name, words in (
        ("../secret.stl", "leads out of the folder"),
        ("link.stl", "leads out of the folder"),
        ("up/secret.stl", "leads out of the folder"),
        (str(tmp_path / "secret.stl"), "not an absolute one"),
        ("C:/secret.stl", "not an absolute one"),
        ("file:///secret.stl", "is an address"),
        ("none.stl", "there is no file 'none.stl'"),
        ("a\\u0000b.stl", "is no file name"),
    ):
        said = problems(folder, one_body("", f'{{ type = "mesh", file = "{name}" }}'))
        assert words in said[0], name


def test_meshes_that_cannot_be_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.stl").write_bytes(b"\x00" * 90)
    (tmp_path / "bad.ply").write_text("ply\nnonsense\n")
    (tmp_path / "bad.obj").write_text("v 1 2\nf 9 9 9\n")
    (tmp_path / "bad.glb").write_text("glTF")
    (tmp_path / "mesh.xyz").write_text("")
    for name, words in (
        ("bad.stl", "'bad.stl'"),
        ("bad.ply", "cannot be read as PLY"),
        ("bad.obj", "'bad.obj'"),
        ("bad.glb", "ends within its header"),
        ("mesh.xyz", "must be one of glb, gltf, obj, stl, ply"),
    ):
        said = problems(tmp_path, one_body("", f'{{ type = "mesh", file = "{name}" }}'))
        assert words in said[0], name
    trimesh.creation.box().export(tmp_path / "box.stl")
    monkeypatch.setattr("ougi.scene.meshes.FACES", 3)
    said = problems(tmp_path, one_body("", '{ type = "mesh", file = "box.stl" }'))
    assert "holds 12 triangles, more than the 3 allowed" in said[0]


def test_an_obj_file_does_not_make_the_reader_open_others(tmp_path: Path) -> None:
    """The material library lies outside the folder; if it were looked for, its reader would fail."""
    (tmp_path / "lib.mtl").mkdir()
    folder = tmp_path / "scene"
    folder.mkdir()
    (folder / "it.obj").write_text("mtllib ../lib.mtl\nusemtl x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (body,) = loaded(folder, one_body("", '{ type = "mesh", file = "it.obj" }')).bodies
    assert len(body.shape.faces) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(40))
def test_no_damage_to_a_file_gives_another_error(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    text = list(GOOD)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(text)))
        text[at] = rng.choice(list('[]{}=".,x1-\n #'))
    with contextlib.suppress(SceneError):
        loaded(tmp_path, "".join(text))


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "name", "x"]), inner)
    ),
    max_leaves=6,
)
keys = st.sampled_from(["name", "shape", "at", "rotation", "motion", "group", "mask", "other"])


@hypothesis.given(st.lists(st.dictionaries(keys, plain), max_size=3), st.dictionaries(keys, plain))
def test_whatever_stands_in_a_file_it_is_read_or_refused(bodies: Any, more: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.json"
        path.write_text(json.dumps({"ougi": 1, "body": bodies, **more}), encoding="utf-8")
        with contextlib.suppress(SceneError):
            load_scene(path)


# --- lines ----------------------------------------------------------------------------------------------


def test_lines_of_a_toml_file() -> None:
    text = '''# a comment
title = """
[[body]]
"""
[a.b] # [not]
"quoted key" = 'x # y'
[[body]]
at = [1, # one
  2,
  3]
shape = { type = "x]" }
[[body]]
[body.shape]
type = "sphere"
[[body.part]]
n = 1
[[body.part]]
n = 2
list = [
  { a = 1 },

  { b = [1, 2] }, { c = "," },
]
last = 1'''
    tomllib.loads(text)
    lines = toml_lines(text)
    want: dict[tuple[str | int, ...], int] = {
        ("title",): 2,
        ("a", "b"): 5,
        ("a", "b", "quoted key"): 6,
        ("body", 0): 7,
        ("body", 0, "at"): 8,
        ("body", 0, "at", 2): 10,
        ("body", 0, "shape", "type"): 11,
        ("body", 1): 12,
        ("body", 1, "shape", "type"): 14,
        ("body", 1, "part", 0, "n"): 16,
        ("body", 1, "part", 1, "n"): 18,
        ("body", 1, "part", 1, "list", 1, "b"): 22,
        ("body", 1, "part", 1, "list", 2, "c"): 22,
        ("body", 1, "part", 1, "last"): 24,
        ("nothing",): 0,
    }
    assert {path: lines.of(path) for path in want} == want


def test_lines_of_a_json_file() -> None:
    text = '{"a": 1,\n "b": [\n 1,\n {"c": "x:\\"{",\n "d": [[],\n 2]}],\n "e": {}}'
    json.loads(text)
    lines = json_lines(text)
    want: dict[tuple[str | int, ...], int] = {
        ("a",): 1,
        ("b",): 2,
        ("b", 0): 3,
        ("b", 1, "c"): 4,
        ("b", 1, "d"): 5,
        ("b", 1, "d", 1): 6,
        ("e",): 7,
    }
    assert {path: lines.of(path) for path in want} == want


# --- the schema -----------------------------------------------------------------------------------------


def test_the_schema_is_that_of_the_records(capsys: pytest.CaptureFixture[str]) -> None:
    from ougi.lab.cli import run

    assert run(["schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(json.dumps(schema()))
    assert printed["$defs"]["SceneFile"]["required"] == ["ougi"]
    assert msgspec.convert(tomllib.loads(GOOD), SceneFile).units == "cm"
