"""Units: files in metres are converted, and sizes that look like another unit are warned of."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from files import load_text, problems, write_file
from make_gltf import Maker

import ougi
from ougi.scene import Scene, load_scene

ROBOT = """<robot name="r">
<link name="base">
<collision><origin xyz="0 0 0.1"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<link name="rail"><collision><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision></link>
<link name="arm"><collision><geometry><mesh filename="arm.stl" scale="2 2 2"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="base"/><child link="rail"/>
<origin xyz="0.5 0 0" rpy="0 0 1"/><axis xyz="1 0 0"/>
<limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="turn" type="revolute"><parent link="rail"/><child link="arm"/>
<origin xyz="0 0.3 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    trimesh.creation.box(extents=[0.1, 0.2, 0.3]).export(tmp_path / "arm.stl")
    (tmp_path / "robot.urdf").write_text(ROBOT)
    (tmp_path / "path.csv").write_text("time,slide,turn\n0,0.1,0\n1,0.6,1\n2,0.6,2\n")
    maker = Maker()
    mesh = maker.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    child = maker.node(mesh=mesh, name="leaf", translation=[0, 2, 0])
    parent = maker.node(children=[child], scale=[0.5, 0.5, 0.5], translation=[1, 0, 0])
    maker.animate(
        (parent, "translation", [0, 1, 2], [[1, 0, 0], [2, 0, 0], [2, 1, 0]]),
        (child, "rotation", [0, 2], [[0, 0, 0, 1], [0, 0, 0.6, 0.8]]),
    )
    maker.glb(tmp_path / "tree.glb")
    return tmp_path


def load_included(folder: Path, file: str, units: str, more: str = "") -> Scene:
    text = f'ougi = 1\nunits = "{units}"\n[[include]]\nfile = "{file}"\n{more}'
    return load_text(folder, text)


def corners(body: Any, t: float) -> Any:
    """Bounds of the body at a time, which all lengths of shape and motion have an influence on."""
    bounds: Any = body.shape.transformed(body.at(t)).bounds()
    return np.stack([bounds.lower, bounds.upper])


@pytest.mark.parametrize(("units", "factor"), [("mm", 1000), ("cm", 100), ("km", 0.001), ("in", 1 / 0.0254)])
@pytest.mark.parametrize(("file", "more"), [("robot.urdf", 'trajectory = "path.csv"\n'), ("tree.glb", "")])
def test_a_file_in_metres_is_converted_to_the_units_of_the_scene(
    file: str, more: str, units: str, factor: float, folder: Path
) -> None:
    """Everything is as large as the same file in metres, multiplied: shapes, places and motions."""
    trajectory = folder / "path.csv" if "trajectory" in more else None
    alone, scene = load_scene(folder / file, trajectory=trajectory), load_included(folder, file, units, more)
    assert scene.units == units
    for one, other in zip(alone.bodies, scene.bodies, strict=True):
        for t in (0, 0.3, 1, 1.7, 2):
            np.testing.assert_allclose(
                corners(other, t), factor * corners(one, t), rtol=1e-9, atol=1e-9 * factor
            )


@pytest.mark.parametrize(("file", "more"), [("robot.urdf", 'trajectory = "path.csv"\n'), ("tree.glb", "")])
def test_at_and_rotation_are_in_the_units_of_the_scene(file: str, more: str, folder: Path) -> None:
    pose = ougi.Pose([10, 20, 30], [0, 0, 0.6, 0.8])
    more += "at = [10, 20, 30]\nrotation = { quaternion = [0, 0, 0.6, 0.8] }\n"
    plain, moved = (
        load_included(folder, file, "mm", more.partition("at =")[0]),
        load_included(folder, file, "mm", more),
    )
    for one, other in zip(plain.bodies, moved.bodies, strict=True):
        for t in (0, 0.3, 1, 1.7):
            for point in np.eye(3) * 50:
                start = pose.apply(point)
                np.testing.assert_allclose(
                    other.at(t).apply(start), pose.apply(one.at(t).apply(point)), atol=1e-9
                )


def test_scale_multiplies_an_included_file(folder: Path) -> None:
    alone, scene = (
        load_included(folder, "tree.glb", "m"),
        load_included(folder, "tree.glb", "m", "scale = 0.25\n"),
    )
    np.testing.assert_allclose(
        corners(scene.bodies[0], 1.5), 0.25 * corners(alone.bodies[0], 1.5), atol=1e-12
    )


def test_metres_are_not_converted_to_pixels(folder: Path) -> None:
    text = 'ougi = 1\nunits = "px"\n[[include]]\nfile = "robot.urdf"\n'
    assert "scene.toml:3: include 'robot.urdf': the file is in metres" in problems(folder, text)[0]


def test_sizes_that_look_like_another_unit_are_warned_of(folder: Path) -> None:
    trimesh.creation.box(extents=[700, 700, 800]).export(folder / "table.stl")
    text = 'ougi = 1\n[[include]]\nfile = "robot.urdf"\n[[body]]\nname = "table"\n'
    mesh = 'shape = {{ type = "mesh", file = "table.stl", scale = {} }}\n'
    path = write_file(folder, text + mesh.format(1))
    expected = (
        r"scene.toml: 'table.stl' \(1.27e\+03 m, with the body 'table'\) is .* times as large as 'robot.urdf'"
    )
    with pytest.warns(UserWarning, match=expected) as caught:
        load_scene(path)
    assert "give it scale = 0.001 or 1000" in str(caught[0].message)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_scene(write_file(folder, text + mesh.format(0.001)))
        floor = text + 'shape = { type = "box", size = [100, 100, 1] }\n'
        load_scene(write_file(folder, floor))
