"""Small files of every format that use most of what the readers know: what the mutations begin with."""

from __future__ import annotations

import base64
import io
import json
import struct
from typing import Any

import numpy as np

SCENE: dict[str, Any] = {
    "ougi": 1,
    "units": "cm",
    "duration": 3.0,
    "body": [
        {
            "name": "blade",
            "shape": {"type": "box", "size": [2.4, 0.24, 0.3]},
            "at": [1.8, 0, 0],
            "motion": {
                "type": "rotate",
                "axis": [0, 0, 1],
                "about": [0, 0, 0],
                "degrees": 120,
                "seconds": 0.2,
            },
        },
        {"name": "crate", "shape": {"type": "sphere", "radius": 0.5}, "at": [0, 2, 0], "group": 2, "mask": 3},
        {
            "name": "cart",
            "shape": {"type": "cylinder", "radius": 1, "height": 4},
            "rotation": {"axis": [1, 0, 0], "degrees": 90},
            "motion": [
                {"type": "translate", "by": [0, 3, 0], "seconds": 2, "start": 1},
                {"type": "screw", "axis": [0, 0, 1], "degrees": 90, "advance": 2, "seconds": 1},
            ],
        },
        {
            "name": "drone",
            "shape": {"type": "sector3d", "degrees": 90, "outer_radius": 2, "height": 1},
            "motion": {
                "type": "keyframes",
                "times": [0, 1, 2],
                "positions": [[0, 0, 0], [1, 0, 0], [1, 0, 1]],
                "rotations": [
                    {"quaternion": [0, 0, 0, 1]},
                    {"euler": [0, 90, 0]},
                    {"axis": [1, 0, 0], "degrees": 9},
                ],
            },
        },
        {"name": "plate", "shape": {"type": "mesh", "file": "mesh.stl", "scale": 2}},
    ],
    "include": [{"file": "robot.urdf", "trajectory": "robot.csv", "at": [9, 0, 0], "scale": 0.5}],
    "check": [{"a": "blade", "b": "c*"}, {"a": "*"}],
}

COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="inch" meter="0.0254"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
 <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
  <technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
   <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
 <polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p>
 </polylist></mesh></geometry></library_geometries>
<library_nodes><node id="n"><translate>0 0 1</translate><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="a"><matrix>0 -1 0 9 1 0 0 0 0 0 1 0 0 0 0 1</matrix>
 <instance_geometry url="#g"/><instance_node url="#n"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""

SRDF = """<robot name="r">
 <disable_collisions link1="base" link2="tip" reason="Never"/>
 <disable_default_collisions link="tool"/>
 <enable_collisions link1="tool" link2="base"/>
</robot>
"""

# For scenes that include a robot: the robot itself is mutated as a format of its own.
SMALL_ROBOT = """<robot name="r">
  <link name="base"><collision><geometry><sphere radius="1"/></geometry></collision></link>
  <link name="arm"><collision><geometry><box size="1 2 3"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""

SMALL_TRAJECTORY = "time,turn\n0,0\n1,2\n"

ROBOT = """<robot name="r">
 <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
 <link name="arm">
  <collision><origin xyz="0 0 1" rpy="0 0.5 0"/>
   <geometry><cylinder radius="0.1" length="1"/></geometry></collision>
  <collision><geometry><mesh filename="package://r/mesh.stl" scale="1 1 2"/></geometry></collision>
 </link>
 <link name="tip"><collision><geometry><sphere radius="0.2"/></geometry></collision></link>
 <link name="tool"><collision><geometry><capsule radius="0.1" length="0.3"/></geometry></collision></link>
 <link name="sled"><collision><geometry><mesh filename="mesh.dae"/></geometry></collision></link>
 <link name="kite"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
 <link name="flap"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
 <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
  <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
 <joint name="slide" type="prismatic"><parent link="arm"/><child link="tip"/><axis xyz="1 0 0"/></joint>
 <joint name="weld" type="fixed"><parent link="tip"/><child link="tool"/><mimic joint="turn"/></joint>
 <joint name="plan" type="planar"><parent link="base"/><child link="sled"/><axis xyz="0 0 1"/></joint>
 <joint name="fly" type="floating"><parent link="sled"/><child link="kite"/></joint>
 <joint name="flip" type="continuous"><parent link="kite"/><child link="flap"/>
  <mimic joint="turn" multiplier="-2" offset="0.5"/></joint>
</robot>
"""

# How many degrees of freedom of the robot follow no other.
JOINTS = 11

TRAJECTORY = "time,turn,slide,plan/x,fly/yaw\n0,0,0,0,0\n0.5,1,0,1,0\n1,1.5,0.2,1,2\n2,1.5,0.4,1,3\n"

MESH_SCENE = 'ougi = 1\n[[body]]\nname = "m"\nshape = {{ type = "mesh", file = "{}" }}\n'

OBJ = """mtllib a.mtl
o box
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0.5
v 0 1 2 1.0 0.5 0.5
vn 0 0 1
vt 0 0
g one
usemtl red
f 1 2 3 4
f 1//1 2//1 -1//1
f 1/1/1 3/1/1 5/1/1 \\
 4/1/1
l 1 2
"""

PLY = """ply
format ascii 1.0
comment a
element vertex 4
property float x
property float y
property double z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
0 0 0 255
1 0 0 0
0 1 0 7
0 0 1 7
3 0 1 2
4 0 1 2 3
"""


def encode_triangle() -> bytes:
    """A binary STL file with one triangle."""
    corners = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4")
    return b"\0" * 80 + struct.pack("<I", 1) + corners.tobytes() + b"\0\0"


def encode_columns() -> bytes:
    """The trajectory as JSON, a list for each column."""
    header, *rows = TRAJECTORY.split()
    columns = zip(*([float(cell) for cell in row.split(",")] for row in rows), strict=True)
    return json.dumps(dict(zip(header.split(","), map(list, columns), strict=True))).encode()


def encode_ros() -> bytes:
    """A JointTrajectory of ROS."""
    times: list[Any] = [*({"sec": k, "nanosec": 5 * 10**8} for k in range(3)), 4.5]
    points = [{"positions": [0.1 * k, 0.5], "time_from_start": time} for k, time in enumerate(times)]
    return json.dumps({"joint_names": ["turn", "slide"], "points": points}).encode()


def encode_npy(*, archive: bool) -> bytes:
    """The trajectory as a NumPy file: an array of all joints, or the columns of an archive."""
    file, times = io.BytesIO(), np.arange(3.0)
    if archive:
        np.savez_compressed(file, time=times, turn=times / 2, slide=np.arange(3, dtype=">i2"))
    else:
        np.save(file, times[:, None] + np.linspace(0, 0.5, JOINTS + 1))
    return file.getvalue()


def encode_toml() -> bytes:
    """The scene as TOML."""
    lines = []
    for key, value in SCENE.items():
        if isinstance(value, list):
            for item in value:
                lines += [f"[[{key}]]", *(f"{name} = {_format_inline(each)}" for name, each in item.items())]
        else:
            lines.append(f"{key} = {_format_inline(value)}")
    return "\n".join(lines).encode()


def _format_inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_format_inline(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_inline, value)) + "]"
    return json.dumps(value)


# A tetrahedron, compressed by Draco.
_DRACO = bytes.fromhex(
    "445241434f02020101000000040400030000012f01011001ff0000010009030000020001010003030120012003"
    "00f08324910000000000ff3f00000000000000000000000000000000803f0e"
)


def _build_gltf() -> tuple[dict[str, Any], bytes]:
    """Nodes with uneven scales, keys, a sparse accessor, a morph target, a Draco mesh and a skin."""
    arrays: list[tuple[Any, str, int, str]] = [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "<f4", 5126, "VEC3"),
        ([0, 1, 2, 1, 3, 2], "<u2", 5123, "SCALAR"),
        ([0, 1, 2], "<f4", 5126, "SCALAR"),
        ([[0, 0, 0], [1, 0, 0], [1, 0, 3]], "<f4", 5126, "VEC3"),
        ([[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0, 0, 0.6, 0.8]], "<f4", 5126, "VEC4"),
        ([[0, 0, 0], [99, 0, 0], [0, 99, 0], [99, 99, 0]], "<u1", 5121, "VEC3"),
        (list(_DRACO), "<u1", 5121, "SCALAR"),
        ([[0, 1, 0, 0]] * 4, "<u1", 5121, "VEC4"),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0.5, 0.5, 0, 0], [0, 1, 0, 0]], "<f4", 5126, "VEC4"),
        ([[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]] * 2, "<f4", 5126, "MAT4"),
    ]
    binary, views, accessors = b"", [], []
    for k, (values, dtype, component, kind) in enumerate(arrays):
        data = np.array(values, dtype).tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        accessors.append({"bufferView": k, "componentType": component, "count": len(values), "type": kind})
        binary += data
    accessors[5] |= {"normalized": True}
    accessors.append({"componentType": 5126, "count": 4, "type": "VEC3"})
    accessors[-1]["sparse"] = {
        "count": 3,
        "indices": {"bufferView": 1, "componentType": 5123},
        "values": {"bufferView": 3},
    }
    draco = {"KHR_draco_mesh_compression": {"bufferView": 6, "attributes": {"POSITION": 0}}}
    track = {"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}
    turn = {"channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 4]}],
        "nodes": [
            {"name": "a", "mesh": 0, "children": [1], "scale": [2, 2, 2]},
            {"mesh": 0, "rotation": [0, 0, 0, 1], "children": [2], "translation": [1, 0, 0]},
            {"mesh": 1, "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1], "children": [3]},
            {"mesh": 2, "scale": [-1, 2, 1]},
            {"mesh": 3, "skin": 0},
        ],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 9}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 4}]},
            {
                "primitives": [
                    {"attributes": {"POSITION": 5}, "indices": 1, "targets": [{"POSITION": 10}]},
                    {"attributes": {"POSITION": 5}, "mode": 0},
                ],
                "weights": [0.5],
            },
            {"primitives": [{"attributes": {"POSITION": 10}, "extensions": draco}]},
            {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 7, "WEIGHTS_0": 8}, "indices": 1}]},
        ],
        "extensionsRequired": ["KHR_mesh_quantization", "KHR_draco_mesh_compression"],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
        "animations": [
            {**track, "samplers": [{"input": 2, "output": 3, "interpolation": "STEP"}], "name": "go"},
            {**turn, "samplers": [{"input": 2, "output": 4}]},
        ],
    }
    return document, binary


def encode_gltf() -> bytes:
    """A glTF file with its buffer embedded."""
    document, binary = _build_gltf()
    document["buffers"][0]["uri"] = (
        "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    )
    return json.dumps(document).encode()


def encode_glb() -> bytes:
    """The same as a GLB file."""
    document, binary = _build_gltf()
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


SAMPLES = {
    "toml": encode_toml(),
    "json": json.dumps(SCENE).encode(),
    "gltf": encode_gltf(),
    "glb": encode_glb(),
    "urdf": ROBOT.encode(),
    "srdf": SRDF.encode(),
    "dae": COLLADA.encode(),
    "obj": OBJ.encode(),
    "stl": encode_triangle(),
    "ply": PLY.encode(),
    "csv": TRAJECTORY.encode(),
    "columns": encode_columns(),
    "ros": encode_ros(),
    "npy": encode_npy(archive=False),
    "npz": encode_npy(archive=True),
}
