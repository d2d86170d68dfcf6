"""Collada meshes: triangles, polygons, nodes and units, against numbers by hand and against coal's reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ougi.scene import Limits, SceneError, load_scene
from ougi.scene.collada import read_collada
from ougi.scene.limits import Budget

DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="inch" meter="0.5"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
 <source id="p"><float_array id="pa" count="15">0 0 0 1 0 0 1 1 0 0 1 0 0 0 2</float_array>
  <technique_common><accessor source="#pa" count="5" stride="3"><param name="X" type="float"/>
   <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 4</p></triangles>
 <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount>
  <p>0 1 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_nodes><node id="n"><translate>0 0 1</translate><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s">
 <node id="a"><matrix>0 -1 0 10 1 0 0 0 0 0 1 0 0 0 0 1</matrix>
  <instance_geometry url="#g"/><instance_node url="#n"/><instance_camera url="#none"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def read(text: str, limits: Limits | None = None) -> NDArray[np.float64]:
    """All triangles, sorted, so that the order of corners and faces does not matter."""
    vertices, faces = read_collada(text.encode(), "a.dae", Budget(limits))
    return sort_triangles(vertices[faces])


def sort_triangles(triangles: Any) -> NDArray[np.float64]:
    rows = np.array([sorted(map(tuple, each)) for each in np.round(triangles, 9) + 0.0]).reshape((-1, 9))
    return rows[np.lexsort(rows.T)]


def test_nodes_polygons_and_units_are_applied_and_the_up_axis_is_not() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 2]], float)
    turned = points @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + [10, 0, 0]
    faces = np.array([[0, 1, 4], [0, 1, 2], [0, 2, 3]])
    want = np.concatenate([turned[faces], (turned + np.array([0, 0, 1]))[faces]]) * 0.5
    np.testing.assert_allclose(read(DAE), sort_triangles(want), atol=1e-6)


def test_coal_reads_the_same_triangles(tmp_path: Path) -> None:
    coal = pytest.importorskip("coal")
    path = tmp_path / "a.dae"
    text = DAE.replace('meter="0.5"', 'meter="1"').replace('<instance_camera url="#none"/>', "")
    text = text.replace(
        text[text.index("<polylist") : text.index("</mesh>")], ""
    )  # coal misreads its offsets
    path.write_text(text)
    model = coal.MeshLoader(coal.NODE_TYPE.BV_OBBRSS).load(str(path), np.ones(3))
    corners = np.array([[model.tri_indices(k)[j] for j in range(3)] for k in range(model.num_tris)])
    np.testing.assert_allclose(read(text), sort_triangles(model.vertices()[corners]), atol=1e-6)


def test_a_robot_and_a_scene_file_may_name_a_collada_mesh(tmp_path: Path) -> None:
    (tmp_path / "a.dae").write_text(DAE)
    geometry = '<geometry><mesh filename="a.dae" scale="2 2 2"/></geometry>'
    (tmp_path / "r.urdf").write_text(
        f'<robot><link name="l"><collision>{geometry}</collision></link></robot>'
    )
    (tmp_path / "s.toml").write_text(
        'ougi = 1\n[[body]]\nname = "m"\nshape = { type = "mesh", file = "a.dae", scale = 2 }\n'
    )
    for name in ("r.urdf", "s.toml"):
        shape: Any = load_scene(tmp_path / name).bodies[0].shape
        np.testing.assert_allclose(sort_triangles(shape.vertices[shape.faces]), 2 * read(DAE), atol=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<?xml", "PK\x03\x04<?xml", "not valid XML"),
        ('<?xml version="1.0"?>', '<!DOCTYPE C [<!ENTITY a "b">]>', "a DOCTYPE is not allowed"),
        ("<p>0 1 4</p>", "<p>0 1 9</p>", "vertices that it does not have|cannot be read as DAE"),
        ("0 0 0 1 0 0", "0 0 x 1 0 0", "cannot be read as DAE"),
        ("</COLLADA>", "", "not valid XML"),
        ('url="#n"', 'url="#o"', "Node #o not found"),
        ('url="#g"', 'url="#h"', "Geometry #h not found"),
    ],
)
def test_files_that_are_no_collada_are_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(DAE.replace(old, new))


def test_instances_of_instances_are_counted() -> None:
    """Thirty nodes, each with two instances of the one before, would be a billion nodes."""
    nodes = "".join(
        f'<node id="m{k}">' + f'<instance_node url="#{f"m{k - 1}" if k else "n"}"/>' * 2 + "</node>"
        for k in range(30)
    )
    text = DAE.replace("</library_nodes>", f"{nodes}</library_nodes>").replace(
        '<instance_node url="#n"/><instance_camera', '<instance_node url="#m29"/><instance_camera'
    )
    with pytest.raises(ValueError, match=r"exceeds the limit of .* (nodes|faces)"):
        read(text, Limits(nodes=1000))


def test_triangles_and_elements_have_limits() -> None:
    with pytest.raises(ValueError, match="exceeds the limit of 5 faces"):
        read(DAE, Limits(faces=5))
    with pytest.raises(SceneError, match="exceeds the limit of 10 elements"):
        read(DAE, Limits(elements=10))
