"""Scene files: what they mean."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import trimesh
from files import GOOD, load_text, make_one_body, write_file
from scipy.spatial.transform import Rotation

import ougi
from ougi.scene import Limits, SceneError, load_scene, scene_file
from ougi.scene.schema import SceneFile, schema


def test_a_scene_file_says_bodies_motions_and_checks(tmp_path: Path) -> None:
    scene = load_text(tmp_path, GOOD)
    blade, crate, cart = scene.bodies
    assert scene.units == "cm"
    assert scene.duration == 4.0
    assert scene.times.tolist() == [0, 0.2, 1, 3, 4]
    assert blade.shape == ougi.Box([1.8, 0, 0], [2.4, 0.24, 0.30])
    assert [(piece.start, piece.stop) for piece in blade.pieces] == [(0, 0.2)]
    assert blade.pieces[0].motion == ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(120))
    assert (crate.group, crate.moves, crate.line) == (2, False, 10)
    assert scene.covers([[0, 1], [0, 2], [1, 2]]).tolist() == [True, True, False]
    # The second motion of the cart turns about where its frame has come to.
    assert [(piece.start, piece.stop) for piece in cart.pieces] == [(1, 3), (3, 4)]
    assert cart.pieces[1].motion == ougi.Screw3d([0, 3, 0], [0, 0, 1], math.pi / 2, 2)
    np.testing.assert_allclose(cart.at(4).apply([1, 0, 0]), [0, 4, 2], atol=1e-12)
    np.testing.assert_allclose(cart.shape.axis, [0, -1, 0], atol=1e-15)  # type: ignore[attr-defined]


def test_json_says_the_same(tmp_path: Path) -> None:
    scene = load_text(tmp_path, GOOD)
    content = {"$schema": "scene.schema.json", **tomllib.loads(GOOD)}
    again = load_text(tmp_path, json.dumps(content, indent=1), "scene.json")
    assert [(b.name, b.shape, b.pieces) for b in scene.bodies] == [
        (b.name, b.shape, b.pieces) for b in again.bodies
    ]
    assert again.checks == scene.checks
    assert again.ignore == scene.ignore


def test_pairs_to_ignore_are_patterns_and_must_match(tmp_path: Path) -> None:
    ignore = '[[ignore]]\na = "bl*"\nb = "crate"\n'
    for file, text in (
        ("scene.toml", GOOD + ignore),
        ("scene.json", json.dumps({**tomllib.loads(GOOD), **tomllib.loads(ignore)})),
    ):
        scene = load_text(tmp_path, text, file)
        assert scene.ignore == (("bl*", "crate"),)
        assert scene.covers([[0, 1], [0, 2], [1, 2]]).tolist() == [False, True, False]
    with pytest.raises(SceneError, match="ignore 1: b = 'crat' matches no body, did you mean 'crate'"):
        load_text(tmp_path, GOOD + ignore.replace("crate", "crat"))
    with pytest.raises(SceneError, match="ignore 1: unknown key 'c'"):
        load_text(tmp_path, GOOD + ignore + 'c = "x"\n')
    assert schema()["$defs"]["SceneFile"]["properties"]["ignore"]


SHAPES: dict[str, tuple[str, Any]] = {
    "circle": ("radius = 2", ougi.Circle([0, 0], 2)),
    "rectangle": ("size = [1, 2]", ougi.Rectangle([0, 0], [1, 2])),
    "capsule2d": ("start = [0, 0], end = [1, 0], radius = 2", ougi.Capsule2d([0, 0], [1, 0], 2)),
    "segment2d": ("start = [0, 0], end = [1, 0]", ougi.Segment2d([0, 0], [1, 0])),
    "triangle2d": ("a = [0, 0], b = [1, 0], c = [0, 1]", ougi.Triangle2d([0, 0], [1, 0], [0, 1])),
    "polygon": (
        "vertices = [[0, 0], [1, 0], [0, 1]], radius = 2",
        ougi.ConvexPolygon2d([[0, 0], [1, 0], [0, 1]], 2),
    ),
    "sector2d": ("degrees = 90, outer_radius = 2", ougi.Sector2d([0, 0], [1, 0], math.pi / 4, 0, 2)),
    "halfspace2d": ("normal = [1, 0], offset = 2", ougi.HalfSpace2d([1, 0], 2)),
    "halfspace3d": ("offset = 2", ougi.HalfSpace3d([0, 0, 1], 2)),
    "heights": (
        "heights = [[0, 1], [2, 3]], cell = 2, floor = -1",
        ougi.Mesh.from_heights([[0, 1], [2, 3]], cell=2, floor=-1),
    ),
    "sphere": ("radius = 2", ougi.Sphere([0, 0, 0], 2)),
    "box": ("size = [1, 2, 3]", ougi.Box([0, 0, 0], [1, 2, 3])),
    "capsule3d": ("start = [0, 0, 0], end = [1, 0, 0], radius = 2", ougi.Capsule3d([0, 0, 0], [1, 0, 0], 2)),
    "segment3d": ("start = [0, 0, 0], end = [1, 0, 0]", ougi.Segment3d([0, 0, 0], [1, 0, 0])),
    "triangle3d": (
        "a = [0, 0, 0], b = [1, 0, 0], c = [0, 1, 0]",
        ougi.Triangle3d([0, 0, 0], [1, 0, 0], [0, 1, 0]),
    ),
    "hull": (
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        ougi.ConvexHull3d([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    ),
    "cylinder": (
        "radius = 2, height = 3",
        ougi.Cylinder([0, 0, 0], [0, 0, 1], 2, 1.5),
    ),
    "cone": ("radius = 2, height = 3", ougi.Cone([0, 0, 0], [0, 0, 1], 2, 1.5)),
    "ellipsoid": ("radii = [1, 2, 3]", ougi.Ellipsoid([0, 0, 0], [1, 2, 3])),
    "sector3d": (
        "degrees = 360, inner_radius = 1, outer_radius = 2, height = 3",
        ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 1, 2, 1.5),
    ),
}


FRAME = "vertices = [[0, 0], [4, 0], [4, 4], [0, 4]], holes = [[[1, 1], [3, 1], [3, 3], [1, 3]]]"


def test_polygons_may_have_holes_and_compounds_have_parts(tmp_path: Path) -> None:
    frame = f'{{ type = "polygon", {FRAME} }}'
    shape = load_text(tmp_path, make_one_body("at = [5, 0]", frame)).bodies[0].shape
    hole = [[1, 1], [3, 1], [3, 3], [1, 3]]
    assert shape == ougi.Polygon2d([[0, 0], [4, 0], [4, 4], [0, 4]], [hole]).translated([5, 0])
    arrow = '{ type = "polygon", vertices = [[0, 0], [3, -2], [2, 0], [3, 2]] }'
    wheel = '{ shape = { type = "circle", radius = 1 }, at = [5, 0], rotation = { degrees = 90 } }'
    text = make_one_body("", f'{{ type = "compound", parts = [{{ shape = {arrow} }}, {wheel}] }}')
    expected = ougi.Compound2d([ougi.Polygon2d([[0, 0], [3, -2], [2, 0], [3, 2]]), ougi.Circle([5, 0], 1)])
    for file, content in (("scene.toml", text), ("scene.json", json.dumps(tomllib.loads(text)))):
        assert load_text(tmp_path, content, file).bodies[0].shape == expected


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (f'{{ type = "polygon", radius = 1, {FRAME} }}', "radius must be 0 for a polygon with holes"),
        ('{ type = "polygon", vertices = [[0, 0], [2, 2], [2, 0], [0, 3]] }', "must not cross itself"),
        ('{ type = "compound", parts = [] }', "parts must hold at least one part"),
        (
            '{ type = "compound", parts = [{ shape = { type = "circle", radius = 1 }, at = [1, 2, 3] }] }',
            r"parts\[0\]: at must have 2 numbers",
        ),
        ('{ type = "compound", parts = [{ shape = { type = "halfspace2d" } }] }', "halfspace2d"),
    ],
)
def test_bad_polygons_and_compounds_are_named(shape: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SceneError, match=message):
        load_text(tmp_path, make_one_body("", shape))


@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_can_be_written(kind: str, tmp_path: Path) -> None:
    fields, shape = SHAPES[kind]
    assert load_text(tmp_path, make_one_body("", f'{{ type = "{kind}", {fields} }}')).bodies[0].shape == shape


def test_every_type_of_the_schema_is_tested() -> None:
    tags = {kind.__struct_config__.tag for kind in scene_file._SHAPES}
    assert tags == set(SHAPES)
    assert "mesh" in json.dumps(schema())


def test_rotations_are_quaternions_axes_or_euler_angles(tmp_path: Path) -> None:
    turn = Rotation.from_euler("xyz", [10, 20, 30], degrees=True)
    axis = turn.as_rotvec()
    degrees = math.degrees(np.linalg.norm(axis))
    rotations = [
        f"{{ quaternion = {turn.as_quat().tolist()} }}",
        f"{{ axis = {axis.tolist()}, degrees = {degrees} }}",
        "{ euler = [10, 20, 30] }",
    ]
    for rotation in rotations:
        scene = load_text(
            tmp_path, make_one_body(f"rotation = {rotation}", '{ type = "box", size = [1, 2, 3] }')
        )
        np.testing.assert_allclose(scene.bodies[0].shape.rotation, turn.as_matrix(), atol=1e-12)  # type: ignore[attr-defined]
    flat = load_text(
        tmp_path, make_one_body("rotation = { degrees = 30 }", '{ type = "rectangle", size = [1, 2] }')
    )
    assert flat.bodies[0].shape.angle == pytest.approx(math.pi / 6)  # type: ignore[attr-defined]


def test_keyframes_lead_from_pose_to_pose(tmp_path: Path) -> None:
    q = Rotation.random(3, random_state=2)
    places = [[0, 0, 0], [1, 2, 3], [1, 2, 9]]
    turns = ", ".join(f"{{ quaternion = {x.tolist()} }}" for x in q.as_quat())
    text = make_one_body(
        f'motion = {{ type = "keyframes", times = [1, 2, 4], positions = {places}, rotations = [{turns}] }}',
        '{ type = "box", size = [1, 2, 3] }',
    )
    (body,) = load_text(tmp_path, text).bodies
    for t, k in ((0.0, 0), (1.0, 0), (2.0, 1), (4.0, 2), (9.0, 2)):
        shape: Any = body.shape.transformed(body.at(t))
        np.testing.assert_allclose(shape.center, places[k], atol=1e-12)
        np.testing.assert_allclose(shape.rotation, q[k].as_matrix(), atol=1e-12)
    middle: Any = body.shape.transformed(body.at(1.5))
    np.testing.assert_allclose(middle.center, [0.5, 1, 1.5], atol=1e-12)


def test_keyframes_in_the_plane_may_turn_more_than_once(tmp_path: Path) -> None:
    turns = "[{ degrees = 0 }, { degrees = 720 }]"
    shape = '{ type = "rectangle", size = [1, 2] }'
    (body,) = load_text(
        tmp_path,
        make_one_body(f'motion = {{ type = "keyframes", times = [0, 1], rotations = {turns} }}', shape),
    ).bodies
    assert body.pieces[0].motion == ougi.Rotation2d([0, 0], 4 * math.pi)


def test_the_duration_may_be_given(tmp_path: Path) -> None:
    assert load_text(tmp_path, "duration = 7.5\n" + make_one_body("")).duration == 7.5
    with pytest.raises(SceneError, match=r"scene.toml:1: duration must not exceed 1e\+40, got 1e\+61"):
        load_text(tmp_path, "duration = 1e61\n" + make_one_body(""))


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb"])
def test_meshes_are_read_from_the_scenes_folder(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    trimesh.creation.box(extents=[1, 2, 3]).export(tmp_path / "parts" / f"box.{suffix}")
    shape = f'{{ type = "mesh", file = "parts/box.{suffix}", scale = 10 }}'
    (body,) = load_text(tmp_path, make_one_body("at = [5, 0, 0]", shape)).bodies
    bounds: Any = body.shape.bounds()
    np.testing.assert_allclose(bounds.lower, [0, -10, -15], atol=1e-5)
    np.testing.assert_allclose(bounds.upper, [10, 10, 15], atol=1e-5)


def test_a_mesh_may_be_solid(tmp_path: Path) -> None:
    trimesh.creation.box(extents=[4, 4, 4]).export(tmp_path / "box.stl")
    text = """ougi = 1
[[body]]
name = "block"
shape = { type = "mesh", file = "box.stl", solid = true }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 1 }
"""
    scene = load_text(tmp_path, text)
    assert scene.bodies[0].shape.solid
    assert len(ougi.check(scene).contacts) == 1
    surface = load_text(tmp_path, text.replace(", solid = true", ""))
    assert not len(ougi.check(surface).contacts)
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).export(tmp_path / "box.stl")
    with pytest.raises(SceneError, match="body 'block': a solid mesh must be closed"):
        load_text(tmp_path, text)


def test_a_mesh_that_many_bodies_share_is_read_once(tmp_path: Path) -> None:
    trimesh.creation.box().export(tmp_path / "box.stl")
    bodies = "".join(
        f'[[body]]\nname = "{k}"\nshape = {{ type = "mesh", file = "box.stl", scale = {k + 1} }}\n'
        for k in range(5)
    )
    path = write_file(tmp_path, f"ougi = 1\n{bodies}")
    size = (tmp_path / "box.stl").stat().st_size
    assert len(load_scene(path, limits=Limits(mesh_bytes=size)).bodies) == 5


def test_the_schema_is_that_of_the_records(capsys: pytest.CaptureFixture[str]) -> None:
    from ougi.cli.app import run

    assert run(["schema"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output == json.loads(json.dumps(schema()))
    assert output["$defs"]["SceneFile"]["required"] == ["ougi"]
    assert msgspec.convert(tomllib.loads(GOOD), SceneFile).units == "cm"
