"""Colours of scene files, glTF materials and URDF materials; wrong ones never refuse a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from make_gltf import Maker

import ougi
from ougi.scene import Body, SceneError

CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]

SCENE = """
ougi = 1
[[body]]
name = "ball"
shape = {{ type = "sphere", radius = 1 }}
color = "{}"
[[body]]
name = "plain"
shape = {{ type = "sphere", radius = 1 }}
at = [5, 0, 0]
"""


def test_a_scene_file_has_colors(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENE.format("#FF8000"))
    assert [body.color for body in ougi.load_scene(tmp_path / "a.toml").bodies] == ["#FF8000", ""]
    (tmp_path / "b.toml").write_text(SCENE.format("red"))
    with pytest.raises(SceneError, match=r"b.toml:6: body 'ball': color"):
        ougi.load_scene(tmp_path / "b.toml")


def test_a_body_has_a_color_or_none() -> None:
    with pytest.raises(ValueError, match="color of 'a' must be '#rrggbb'"):
        Body("a", ougi.Circle([0, 0], 1), color="#ff80")


@pytest.mark.parametrize(
    ("material", "color"),
    [
        ({"baseColorFactor": [1, 0.5, 0, 1]}, "#ffbc00"),  # linear 0.5 is 188 of 255 in sRGB
        ({"baseColorFactor": [0.002, 0, 0, 1]}, "#070000"),
        ({"baseColorFactor": [1, 1, 1, 1], "baseColorTexture": {"index": 0}}, ""),
        ({"baseColorFactor": "red"}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_gltf_materials_color_their_meshes(material: Any, color: str, tmp_path: Path) -> None:
    maker = Maker()
    maker.node(name="tile", mesh=maker.mesh(CORNERS, [[0, 1, 2]]))
    maker.document["materials"] = [{"pbrMetallicRoughness": material}]
    maker.document["meshes"][0]["primitives"][0]["material"] = 0
    (body,) = ougi.load_scene(maker.glb(tmp_path / "tile.glb")).bodies
    assert body.color == color


ROBOT = """<robot name="r">
<material name="steel"><color rgba="0.2 0.4 0.6 1"/></material>
<link name="a"><visual><material name="steel"/></visual>{box}</link>
<link name="b"><visual><material name="own"><color rgba="1 0 0 0.5"/></material></visual>{box}</link>
<link name="c"><visual><material name="nowhere"/></visual>{box}</link>
<link name="d"><visual><material><color rgba="wrong"/></material></visual>{box}</link>
{joints}</robot>"""


def test_urdf_materials_color_their_links(tmp_path: Path) -> None:
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    joint = '<joint name="j{0}" type="fixed"><parent link="a"/><child link="{0}"/></joint>'
    text = ROBOT.format(box=box, joints="".join(joint.format(name) for name in "bcd"))
    (tmp_path / "r.urdf").write_text(text)
    colors = [body.color for body in ougi.load_scene(tmp_path / "r.urdf").bodies]
    assert colors == ["#336699", "#ff0000", "", ""]
