"""Files of robots: which folders are searched, and that no robot can name a file outside of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from ougi.errors import InvalidInputError
from ougi.scene import SceneError, load_scene
from ougi.scene.packages import PackageFinder, parse_packages


@pytest.fixture(autouse=True)
def _without_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


def mesh(path: Path, size: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    trimesh.creation.box(extents=[size] * 3).export(path)
    return path


def robot(path: Path, name: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    geometry = f'<geometry><mesh filename="{name}"/></geometry>'
    path.write_text(f'<robot><link name="l"><collision>{geometry}</collision></link></robot>')
    return path


def size(path: Path, **options: Any) -> float:
    bounds: Any = load_scene(path, **options).bodies[0].shape.bounds()
    return float(2 * bounds.upper[0])


def manifest(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.xml").write_text(f"<package format='3'><name> {name} </name></package>")


def test_a_package_is_the_folder_above_that_has_its_name(tmp_path: Path) -> None:
    mesh(tmp_path / "ur_description" / "meshes" / "a.stl", 3.0)
    path = robot(tmp_path / "ur_description" / "urdf" / "ur.urdf", "package://ur_description/meshes/a.stl")
    assert size(path) == 3.0
    assert size(robot(path, "package:///ur_description/meshes/a.stl")) == 3.0  # one slash too many is common


def test_a_package_is_a_folder_above_whose_manifest_names_it(tmp_path: Path) -> None:
    mesh(tmp_path / "checkout-7" / "meshes" / "a.stl", 3.0)
    path = robot(tmp_path / "checkout-7" / "urdf" / "r.urdf", "package://arm/meshes/a.stl")
    with pytest.raises(SceneError, match=r"give the folder by --package arm=DIR"):
        load_scene(path)
    manifest(tmp_path / "checkout-7", "other")
    with pytest.raises(SceneError, match=r"there is no file"):
        load_scene(path)
    manifest(tmp_path / "checkout-7", "arm")
    assert size(path) == 3.0
    # Within a package paths may go up.
    assert size(robot(path, "../meshes/a.stl")) == 3.0


def test_a_package_beside_is_found_by_its_manifest_only(tmp_path: Path) -> None:
    mesh(tmp_path / "src" / "gripper" / "a.stl", 3.0)
    path = robot(tmp_path / "src" / "arm" / "urdf" / "arm.urdf", "package://gripper/a.stl")
    with pytest.raises(SceneError, match="there is no file"):
        load_scene(path)
    manifest(tmp_path / "src" / "gripper", "gripper")
    assert size(path) == 3.0


def test_the_environment_and_the_user_give_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh(tmp_path / "ros" / "arm" / "a.stl", 3.0)
    mesh(tmp_path / "ament" / "share" / "arm" / "a.stl", 4.0)
    given = mesh(tmp_path / "mine" / "a.stl", 5.0)
    path = robot(tmp_path / "robots" / "arm.urdf", "package://arm/a.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'none'}:{tmp_path / 'ament'}")
    assert size(path) == 4.0
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    assert size(path) == 3.0
    assert size(path, packages={"arm": given.parent}) == 5.0
    # Folders that the user gives are also searched for plain names, and may be named by whole paths.
    for name in ("a.stl", "../mine/a.stl", str(given), f"file://{given}"):
        assert size(robot(path, name), packages={"any": given.parent}) == 5.0


@pytest.mark.parametrize(
    "name",
    [
        "../secret.stl",
        "{0}/secret.stl",
        "file://{0}/secret.stl",
        "package://arm/../secret.stl",
        "package://../secret.stl",
        "package://./../secret.stl",
        "package:///../secret.stl",
        "package://arm/link.stl",
        "link.stl",
    ],
)
def test_no_name_leads_out_of_the_allowed_folders(name: str, tmp_path: Path) -> None:
    mesh(tmp_path / "secret.stl", 3.0)
    path = robot(tmp_path / "arm" / "arm.urdf", name.format(tmp_path))
    (tmp_path / "arm" / "link.stl").symlink_to(tmp_path / "secret.stl")
    mesh(tmp_path / "given" / "a.stl", 3.0)
    manifest(tmp_path / "arm", "arm")
    with pytest.raises(SceneError, match=r"leads out|absolute|there is no file|no file name"):
        load_scene(path, packages={"given": tmp_path / "given"})


def test_the_home_folder_is_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "ada"))
    mesh(tmp_path / "ada" / "private" / "a.stl", 3.0)
    path = robot(tmp_path / "ada" / "downloads" / "r.urdf", "package://ada/private/a.stl")
    with pytest.raises(SceneError, match="there is no file"):
        load_scene(path)
    monkeypatch.setenv("HOME", str(tmp_path / "bob"))
    assert size(path) == 3.0


def test_folders_of_packages_are_given_as_words(tmp_path: Path) -> None:
    assert parse_packages([f"arm={tmp_path}"]) == {"arm": tmp_path}
    for word in ("arm", "=x", "arm="):
        with pytest.raises(InvalidInputError, match="a package is given as NAME=DIR"):
            parse_packages([word])
    with pytest.raises(InvalidInputError, match="the folder of the package 'arm' does not exist"):
        PackageFinder(tmp_path / "r.urdf", {"arm": tmp_path / "none"})


def test_a_hostile_manifest_is_ignored(tmp_path: Path) -> None:
    mesh(tmp_path / "pkg" / "m" / "a.stl", 3.0)
    path = robot(tmp_path / "pkg" / "urdf" / "r.urdf", "package://arm/m/a.stl")
    (tmp_path / "pkg" / "package.xml").write_text('<!DOCTYPE p [<!ENTITY a "arm">]><p><name>&a;</name></p>')
    with pytest.raises(SceneError, match="there is no file"):
        load_scene(path)


OBJ = "mtllib none.mtl\nusemtl steel\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"


def test_materials_of_obj_files_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)  # as if Pillow were not installed
    (tmp_path / "a.obj").write_text(OBJ)
    (body,) = load_scene(robot(tmp_path / "r.urdf", "a.obj")).bodies
    shape: Any = body.shape
    np.testing.assert_allclose(shape.vertices[shape.faces], [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]])


XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="size" value="${2 * 0.75}"/>
<link name="l"><collision><geometry><mesh filename="package://arm/a.stl" scale="${size} 1 1"/></geometry>
</collision></link></robot>"""


def test_xacro_is_run_only_if_the_user_allows_it(tmp_path: Path) -> None:
    pytest.importorskip("xacrodoc")
    mesh(tmp_path / "a.stl", 2.0)
    path = tmp_path / "r.urdf.xacro"
    path.write_text(XACRO)
    with pytest.raises(SceneError, match=r"runs Python expressions .* expand it by --run-xacro"):
        load_scene(path)
    assert size(path, run_xacro=True) == 3.0
    path.write_text(XACRO.replace("0.75", "nothing"))
    with pytest.raises(SceneError, match="xacro cannot expand it"):
        load_scene(path, run_xacro=True)


def test_xacro_includes_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """xacrodoc searches them in the working directory, and remembers packages of earlier files."""
    pytest.importorskip("xacrodoc")
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    for place, length in (("one", 1.0), ("two", 2.0)):
        inner = tmp_path / place / "arm" / "inner"
        inner.mkdir(parents=True)
        (inner.parent / "package.xml").write_text("<package><name>arm</name></package>")
        (inner.parent / "r.xacro").write_text(
            f'{head}<xacro:include filename="inner/links.xacro"/>'
            '<xacro:include filename="$(find arm)/inner/size.xacro"/><xacro:links/></robot>'
        )
        (inner / "links.xacro").write_text(f'{head}<xacro:include filename="macro.xacro"/></robot>')
        (inner / "macro.xacro").write_text(
            f'{head}<xacro:macro name="links"><link name="l"><collision><geometry>'
            '<box size="${size} 1 1"/></geometry></collision></link></xacro:macro></robot>'
        )
        (inner / "size.xacro").write_text(f'{head}<xacro:property name="size" value="{length}"/></robot>')
        wrong = inner.parent / "wrong.xacro"
        wrong.write_text(f'{head}<xacro:include filename="inner/missing.xacro"/></robot>')
        with pytest.raises(SceneError, match="missing"):
            load_scene(wrong, run_xacro=True)
        assert size(inner.parent / "r.xacro", run_xacro=True) == length
    monkeypatch.chdir(tmp_path)
    assert size(Path("one/arm/r.xacro"), run_xacro=True) == 1.0


def test_a_package_that_xacro_misses_is_named(tmp_path: Path) -> None:
    pytest.importorskip("xacrodoc")
    path = tmp_path / "r.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find parts)/a.xacro"/></robot>'
    )
    (tmp_path / "a.xacro").write_text(
        '<robot><link name="l"><collision><geometry><sphere radius="1"/></geometry></collision></link>'
        "</robot>"
    )
    with pytest.raises(SceneError, match=r"no package 'parts'; give its folder by --package parts=DIR"):
        load_scene(path, run_xacro=True)
    load_scene(path, run_xacro=True, packages={"parts": tmp_path})
    with pytest.raises(
        SceneError, match=r"no package 'parts'"
    ):  # what an earlier call was given is forgotten
        load_scene(path, run_xacro=True)
