"""Files that cannot be used: missing, too large, in another place, or no meshes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import trimesh
from files import GOOD, load_text, make_one_body, problems, write_file

from ougi.scene import Limits, SceneError, load_scene


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="there is no such file"):
        load_scene(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(SceneError, match="this is not a file"):
        load_scene(tmp_path / "folder.toml")
    with pytest.raises(SceneError, match=r"no scene ends in '.tom', did you mean '.toml'\?"):
        load_scene(tmp_path / "scene.tom")
    with pytest.raises(
        SceneError, match=r"no scene ends in ''; known: .toml, .json, .glb, .gltf, .urdf, .xacro$"
    ):
        load_scene(tmp_path / "scene")
    (tmp_path / "latin.toml").write_bytes("ougi = 1\n# caf\u00e9".encode("latin-1"))
    with pytest.raises(SceneError, match=r"latin.toml:2: this is not text in UTF-8"):
        load_scene(tmp_path / "latin.toml")
    with pytest.raises(SceneError, match="a trajectory belongs to a URDF"):
        load_scene(write_file(tmp_path, GOOD), trajectory="x.csv")
    with pytest.raises(SceneError, match="an animation belongs to a glTF"):
        load_scene(write_file(tmp_path, GOOD), animation="x")


def test_huge_files_are_refused(tmp_path: Path) -> None:
    path = write_file(tmp_path, GOOD)
    with pytest.raises(SceneError, match=r"exceeds the limit of 100 bytes; raise it by --limit toml_bytes=N"):
        load_scene(path, limits=Limits(toml_bytes=100))
    with pytest.raises(
        SceneError, match=r"\(3 bodies\) exceeds the limit of 2 bodies; raise it by --limit bod"
    ):
        load_scene(path, limits=Limits(bodies=2))
    assert len(load_scene(path, limits=Limits(bodies=3)).bodies) == 3


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
        messages = problems(folder, make_one_body("", f'{{ type = "mesh", file = "{name}" }}'))
        assert words in messages[0], name


def test_meshes_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
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
        ("mesh.xyz", "must be one of glb, gltf, dae, obj, stl, ply"),
    ):
        messages = problems(tmp_path, make_one_body("", f'{{ type = "mesh", file = "{name}" }}'))
        assert words in messages[0], name
    trimesh.creation.box().export(tmp_path / "box.stl")
    path = write_file(tmp_path, make_one_body("", '{ type = "mesh", file = "box.stl" }'))
    with pytest.raises(
        SceneError, match=r"'box.stl' \(12 faces\) exceeds the limit of 11 faces; raise it by"
    ):
        load_scene(path, limits=Limits(faces=11))
    assert load_scene(path, limits=Limits(faces=12)).bodies


def test_an_obj_file_does_not_make_the_reader_open_others(tmp_path: Path) -> None:
    """The material library lies outside the folder; if it were searched, its reader would fail."""
    (tmp_path / "lib.mtl").mkdir()
    folder = tmp_path / "scene"
    folder.mkdir()
    (folder / "it.obj").write_text("mtllib ../lib.mtl\nusemtl x\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (body,) = load_text(folder, make_one_body("", '{ type = "mesh", file = "it.obj" }')).bodies
    assert len(body.shape.faces) == 1  # type: ignore[attr-defined]
