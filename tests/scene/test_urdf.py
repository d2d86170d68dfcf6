"""URDF robots: links against SciPy's rotations, trajectories, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ougi
from ougi.scene import SceneError, load_scene

Floats = NDArray[np.float64]

ARM = """\
<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 0.2"/></geometry></collision></link>
  <link name="upper">
    <visual><geometry><sphere radius="9"/></geometry></visual>
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.1" length="1"/></geometry></collision>
    <collision><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="slider"><collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
  <link name="tool"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="wheel"><collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><axis xyz="0 2 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="upper"/><child link="slider"/><origin xyz="1 0 0"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="slider"/><child link="tool"/><origin xyz="0 0 0.5" rpy="0 0 1"/>
  </joint>
  <joint name="spin" type="continuous">
    <parent link="tool"/><child link="wheel"/><origin xyz="0 0.4 0"/><axis xyz="0 0 1"/>
  </joint>
  <transmission name="t"/>
</robot>
"""

ROWS = "time, shoulder, rail, spin\n0, 0.5, 0, 0\n1, -0.5, 0.25, 9\n\n2.5, -0.5, 0, 9\n"
JOINTS: dict[str, Any] = {  # parent link, xyz, rpy, kind, axis
    "upper": ("base", [0, 0, 1], [0.1, 0.2, 0.3], "shoulder", [0, 1, 0]),
    "slider": ("upper", [1, 0, 0], [0, 0, 0], "rail", [1, 0, 0]),
    "tool": ("slider", [0, 0, 0.5], [0, 0, 1], "", [0, 0, 0]),
    "wheel": ("tool", [0, 0.4, 0], [0, 0, 0], "spin", [0, 0, 1]),
}


def robot(tmp_path: Path, text: str = ARM, rows: str | None = ROWS) -> ougi.Scene:
    (tmp_path / "arm.urdf").write_text(text)
    if rows is None:
        return load_scene(tmp_path / "arm.urdf")
    (tmp_path / "arm.csv").write_text(rows)
    return load_scene(tmp_path / "arm.urdf", trajectory=tmp_path / "arm.csv")


def problems(tmp_path: Path, text: str = ARM, rows: str | None = ROWS) -> list[str]:
    with pytest.raises(SceneError) as caught:
        robot(tmp_path, text, rows)
    return str(caught.value).splitlines()


def matrix(link: str, values: dict[str, float]) -> Floats:
    """Where a link is, by 4 x 4 matrices and SciPy."""
    if link not in JOINTS:
        return np.eye(4)
    parent, xyz, rpy, joint, axis = JOINTS[link]
    origin, own = np.eye(4), np.eye(4)
    origin[:3, :3], origin[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), xyz
    if joint == "rail":
        own[:3, 3] = np.array(axis) * values[joint]
    elif joint:
        own[:3, :3] = Rotation.from_rotvec(np.array(axis) * values[joint]).as_matrix()
    return matrix(parent, values) @ origin @ own


def test_links_are_where_their_joints_put_them(tmp_path: Path) -> None:
    scene = robot(tmp_path)
    assert [body.name for body in scene.bodies] == [
        "base",
        "upper (1)",
        "upper (2)",
        "slider",
        "tool",
        "wheel",
    ]
    assert scene.duration == 2.5
    assert scene.times.tolist() == [0, 1, 2.5]
    times = [0.0, 1.0, 2.5]
    columns: dict[str, list[float]] = {"shoulder": [0.5, -0.5, -0.5], "rail": [0, 0.25, 0], "spin": [0, 9, 9]}
    for t in (0.0, 0.3, 0.99, 1.0, 1.8, 2.5, 7.0):
        values = {name: float(np.interp(t, times, column)) for name, column in columns.items()}
        for body, link in zip(
            scene.bodies, ("base", "upper", "upper", "slider", "tool", "wheel"), strict=True
        ):
            shape: Any = body.shape.transformed(body.at(t))
            want = matrix(link, values)
            middle = want @ [0.5, 0, 0, 1] if body.name == "upper (1)" else want[:, 3]
            np.testing.assert_allclose(shape.center, middle[:3], atol=1e-12)
            if body.name == "slider":
                np.testing.assert_allclose(shape.rotation, want[:3, :3], atol=1e-12)
            if body.name == "upper (1)":  # the cylinder lies along the link
                np.testing.assert_allclose(np.abs(shape.axis), np.abs(want[:3, 0]), atol=1e-12)


def test_joints_that_move_at_once_make_a_chain_and_single_ones_do_not(tmp_path: Path) -> None:
    scene = robot(tmp_path)
    by_name = {body.name: body for body in scene.bodies}
    assert not by_name["base"].moves
    assert isinstance(by_name["upper (1)"].pieces[0].motion, ougi.Rotation3d)
    assert len(by_name["upper (1)"].pieces) == 1  # it rests in the second span
    assert [len(p.motion.factors) for p in by_name["wheel"].pieces[:1]] == [3]  # type: ignore[attr-defined]
    assert isinstance(by_name["tool"].pieces[1].motion, ougi.Translation3d)


def test_neighbours_at_a_joint_and_links_that_are_fixed_are_not_checked(tmp_path: Path) -> None:
    scene = robot(tmp_path)
    names = [body.name for body in scene.bodies]

    def is_covered(a: str, b: str) -> bool:
        return bool(scene.covers([[names.index(a), names.index(b)]])[0])

    assert not is_covered("base", "upper (1)")
    assert not is_covered("upper (1)", "upper (2)")
    assert not is_covered("upper (2)", "slider")
    assert not is_covered("slider", "tool")
    assert not is_covered("upper (1)", "tool")  # fixed to the slider, the neighbour
    assert not is_covered("slider", "wheel")
    assert is_covered("base", "slider")
    assert is_covered("base", "wheel")
    assert is_covered("wheel", "upper (1)")


def test_without_a_trajectory_the_robot_rests_at_zero(tmp_path: Path) -> None:
    scene = robot(tmp_path, rows=None)
    assert scene.duration == 0
    assert not any(body.moves for body in scene.bodies)
    wheel: Any = scene.bodies[5].shape
    want = matrix("wheel", {"shoulder": 0.0, "rail": 0.0, "spin": 0.0})
    np.testing.assert_allclose(wheel.center, want[:3, 3], atol=1e-12)


def test_meshes_are_found_in_the_folder_or_in_a_package_there(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "my_robot" / "meshes").mkdir(parents=True)
    trimesh.creation.box(extents=[1, 1, 1]).export(tmp_path / "meshes" / "a.stl")
    trimesh.creation.box(extents=[2, 2, 2]).export(tmp_path / "my_robot" / "meshes" / "b.stl")
    mesh = '<mesh filename="{}" scale="1 2 3"/>'
    one = f'<robot><link name="l"><collision><geometry>{mesh}</geometry></collision></link></robot>'
    for name, size in (
        ("meshes/a.stl", 1),
        ("package://my_robot/meshes/a.stl", 1),
        ("package://my_robot/meshes/b.stl", 2),
    ):
        (body,) = robot(tmp_path, one.format(name), None).bodies
        bounds: Any = body.shape.bounds()
        np.testing.assert_allclose(bounds.upper, np.array([0.5, 1, 1.5]) * size)
    for name, words in (
        ("package://my_robot/../../etc/passwd", "leads out of the folder"),
        ("http://example.org/a.stl", "is an address; only files are read"),
        ("file:///etc/passwd", "not an absolute one; folders outside of it are given by --package NAME=DIR"),
        ("/etc/passwd", "not an absolute one"),
        (
            "package://other/none.stl",
            "no file 'package://other/none.stl'; give the folder by --package other=DIR",
        ),
    ):
        assert words in problems(tmp_path, one.format(name), None)[0]


REFUSED: dict[str, tuple[str, str, str]] = {
    "doctype": (
        '<?xml version="1.0"?>',
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "b">]>',
        "a DOCTYPE is not",
    ),
    "entity": ('name="arm"', 'name="&lol;"', "not valid XML: undefined entity"),
    "not XML": ("</robot>", "</robo>", "arm.urdf:27: not valid XML: mismatched tag"),
    "not a robot": ("robot", "model", "a URDF begins with <robot>, this file with <model>"),
    "two parents": ('<child link="tool"/>', '<child link="wheel"/>', "link 'wheel' has two parents"),
    "loop": ('<parent link="base"/>', '<parent link="wheel"/>', "link 'upper' is part of a loop of joints"),
    "unknown link": (
        '<child link="slider"/>',
        '<child link="slyder"/>',
        "no link 'slyder', did you mean 'slider'?",
    ),
    "unknown joint": ('type="continuous"', 'type="turning"', "joint 'spin': the type 'turning' is not"),
    "mimic of nothing": ("<limit ", "<mimic/><limit ", "joint 'shoulder': mimic needs joint"),
    "mimic of itself": ("<limit ", '<mimic joint="shoulder"/><limit ', "joint 'shoulder' follows itself"),
    "zero axis": ('xyz="0 2 0"', 'xyz="0 0 0"', "joint 'shoulder': the axis must not be zero"),
    "words": ('xyz="1 0 0"', 'xyz="1 0 x"', "joint 'rail': xyz must be 3 finite numbers, got '1 0 x'"),
    "nan": ('xyz="1 0 0"', 'xyz="1 0 nan"', "xyz must be 3 finite numbers"),
    "four numbers": (
        'xyz="1 0 0"',
        'xyz="1 0 0 1"',
        "joint 'rail': xyz must be 3 finite numbers, got '1 0 0 1'",
    ),
    "two numbers": ('size="1 1 0.2"', 'size="1 1"', "arm.urdf:3: link 'base': size must be 3 finite numbers"),
    "negative": ('radius="0.2"', 'radius="-0.2"', "link 'upper': radius must not be negative"),
    "no size": ('<box size="1 1 0.2"/>', "<box/>", "link 'base': a box needs size"),
    "no filename": ('<box size="1 1 0.2"/>', "<mesh/>", "link 'base': a mesh needs a filename"),
    "cone": ('<box size="1 1 0.2"/>', "<cone/>", "the geometry 'cone' is not supported"),
    "no geometry": (
        '<geometry><box size="1 1 0.2"/></geometry>',
        "",
        "link 'base': a collision needs a geometry",
    ),
    "twice a link": (
        '<link name="tool">',
        '<link name="slider">',
        "link 'slider': line 10 has a link of this name",
    ),
    "no name": ('<link name="tool">', "<link>", "a link needs a name"),
    "twice a joint": ('name="spin"', 'name="rail"', "joint 'rail': line 17 has a joint of this name"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_wrong_with_a_robot_is_said_with_its_line(what: str, tmp_path: Path) -> None:
    old, new, words = REFUSED[what]
    assert old in ARM
    assert words in "\n".join(problems(tmp_path, ARM.replace(old, new), None))


def test_a_joint_with_the_column_of_another_is_refused(tmp_path: Path) -> None:
    """They would move together."""
    link, joint = (
        '<link name="{}"/>',
        '<joint name="{}" type="{}"><parent link="a"/><child link="{}"/></joint>',
    )
    joints = joint.format("j", "floating", "b") + "\n" + joint.format("j/x", "continuous", "c")
    messages = problems(tmp_path, f"<robot>{''.join(map(link.format, 'abc'))}\n{joints}</robot>", None)
    assert messages == ["arm.urdf:3: joint 'j/x': line 2 has a joint with the column 'j/x'"]


@pytest.mark.parametrize("text", ["<robot/>", '<robot><link name="a"/></robot>'])
def test_a_robot_without_links_or_shapes_has_no_bodies_and_a_warning(text: str, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"arm.urdf:1: the robot has no collision shapes"):
        scene = robot(tmp_path, text, None)
    assert scene.bodies == ()
    assert not ougi.check(scene).certified


def test_a_plane_is_the_half_space_below_it(tmp_path: Path) -> None:
    plane = '<collision><origin xyz="0 0 2"/><geometry><plane normal="0 0 1"/></geometry></collision>'
    floor = robot(tmp_path, f'<robot><link name="floor">{plane}</link></robot>', None).bodies[0].shape
    assert ougi.distance(floor, [0.0, 0.0, 5.0]) == 3.0


def test_deeply_nested_files_are_refused(tmp_path: Path) -> None:
    deep = "<robot>" + "<a>" * 500 + "</a>" * 500 + "</robot>"
    assert "nested too deeply" in problems(tmp_path, deep, None)[0]


def test_a_billion_laughs_are_not_heard(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE lolz [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9)
    )
    messages = problems(tmp_path, f'<?xml version="1.0"?>\n{laughs}]><robot name="&j;"/>', None)
    assert messages == ["arm.urdf:2: a DOCTYPE is not allowed"]
    (tmp_path / "arm.urdf").write_bytes('<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>'.encode("utf-16"))
    with pytest.raises(SceneError, match="a DOCTYPE is not allowed"):
        load_scene(tmp_path / "arm.urdf")


@pytest.mark.parametrize("encoding", ["klingon", "big5"])
def test_an_encoding_that_cannot_be_read_is_refused(encoding: str, tmp_path: Path) -> None:
    (messages,) = problems(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?>\n<robot/>', None)
    assert messages.startswith("arm.urdf:1: ")
    assert messages.endswith("save the file as UTF-8")


def test_shapes_of_one_link_get_names_that_no_other_link_has(tmp_path: Path) -> None:
    named = ARM.replace('"wheel"', '"upper (1)"')
    names = [body.name for body in robot(tmp_path, named, None).bodies]
    assert names == ["base", "upper (1) (2)", "upper (2)", "slider", "tool", "upper (1)"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_a_trajectory_may_end_as_on_any_system(end: str, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "arm.csv").write_bytes(ROWS.replace("\n", end).encode())
    scene = load_scene(tmp_path / "arm.urdf", trajectory=tmp_path / "arm.csv")
    assert scene.times.tolist() == [0, 1, 2.5]


TRAJECTORIES: dict[str, tuple[str, str]] = {
    "no time": ("shoulder\n1\n", "arm.csv:1: there must be a column 'time'"),
    "unknown joint": ("time,sholder\n0,1\n", "no joint 'sholder' that moves, did you mean 'shoulder'?"),
    "fixed joint": ("time,flange\n0,1\n", "there is no joint 'flange' that moves"),
    "twice": ("time,rail,rail\n0,1,1\n", "the column 'rail' is there twice"),
    "words": ("time,rail\n0,x\n", "arm.csv:2: rail must be a finite number, got 'x'"),
    "nan": ("time,rail\n0,1\n1,nan\n", "arm.csv:3: rail must be a finite number"),
    "short": ("time,rail\n0\n", "arm.csv:2: a row must have 2 cells, got 1"),
    "back": ("time,rail\n0,0\n\n1,0\n1,0\n", "arm.csv:5: times must increase"),
    "before": ("time,rail\n-1,0\n", "arm.csv:2: times must increase, from 0 on"),
    "empty": ("", "there must be a column 'time'"),
    "no rows": ("time,rail\n", "there are no rows"),
    "no CSV": ("time,rail\n0," + "1" * 200_000, "arm.csv:2: not valid CSV: field larger than field limit"),
}


@pytest.mark.parametrize("what", TRAJECTORIES)
def test_what_is_wrong_with_a_trajectory_is_said_with_its_line(what: str, tmp_path: Path) -> None:
    rows, words = TRAJECTORIES[what]
    assert words in "\n".join(problems(tmp_path, rows=rows))


def test_a_joint_beyond_its_limits_is_followed_with_a_warning(tmp_path: Path) -> None:
    rows = "time,shoulder,rail,spin\n0,0.5,90,0\n\n1,3.0004,0,720\n2,-28.6,0,0\n3,45,0,0\n"
    words = r"^arm.csv:5: joint 'shoulder' is at -28.6, beyond its limits, -3 to 3 radians$"
    with pytest.warns(UserWarning, match=words) as warned:
        scene = robot(tmp_path, rows=rows)
    assert len(warned) == 1  # the rail has no limits, and a wheel may turn for ever
    assert scene.duration == 3
    short = ARM.replace('<origin xyz="1 0 0"/>', '<origin xyz="1 0 0"/><limit upper="0.2"/>')
    with pytest.warns(UserWarning, match=r"arm.csv:3: joint 'rail' is at 0.25, beyond its limits, 0 to 0.2$"):
        robot(tmp_path, short)


def test_problems_of_robot_and_trajectory_come_together(tmp_path: Path) -> None:
    messages = problems(tmp_path, ARM.replace('size="1 1 0.2"', 'size="1 1"'), "time,rail\n0,x\n1,y\n")
    assert [line.partition(":")[0] for line in messages] == ["arm.csv", "arm.csv", "arm.urdf"]


def test_a_robot_is_included_in_a_scene_file(tmp_path: Path) -> None:
    robot(tmp_path)
    (tmp_path / "scene.toml").write_text(
        """
ougi = 1
[[include]]
file = "arm.urdf"
trajectory = "arm.csv"
at = [10, 0, 0]
rotation = { axis = [0, 0, 1], degrees = 90 }
[[body]]
name = "post"
shape = { type = "sphere", radius = 0.1 }
[[check]]
a = "wheel"
b = "post"
"""
    )
    scene = load_scene(tmp_path / "scene.toml")
    alone = {body.name: body for body in robot(tmp_path).bodies}
    assert [body.name for body in scene.bodies][:2] == ["post", "base"]
    pose = ougi.Pose([10, 0, 0], [0, 0, math.sqrt(0.5), math.sqrt(0.5)])
    for body in scene.bodies[1:]:
        for t in (0.0, 0.4, 2.0):
            mine: Any = body.shape.transformed(body.at(t))
            other: Any = alone[body.name].shape.transformed(alone[body.name].at(t))
            np.testing.assert_allclose(mine.center, pose.apply(other.center), atol=1e-12)
    assert scene.duration == 2.5
    assert (1, 2) in scene.neighbours
    assert scene.covers([[0, 6], [6, 0], [1, 2], [2, 6]]).tolist() == [True, True, False, False]


def test_a_scene_lasts_as_long_as_what_it_includes(tmp_path: Path) -> None:
    robot(tmp_path, rows=ROWS + "4, -0.5, 0, 9\n")  # it rests at the end
    (tmp_path / "scene.toml").write_text(
        'ougi = 1\n[[include]]\nfile = "arm.urdf"\ntrajectory = "arm.csv"\n', encoding="utf-8"
    )
    scene = load_scene(tmp_path / "scene.toml")
    assert max(piece.stop for body in scene.bodies for piece in body.pieces) == 2.5
    assert scene.duration == 4


def test_what_is_wrong_with_an_included_file_is_said(tmp_path: Path) -> None:
    robot(tmp_path)
    (tmp_path / "arm.csv").write_text("time,rail\n0,x\n")
    (tmp_path / "scene.toml").write_text(
        """ougi = 1
[[include]]
file = "arm.urdf"
trajectory = "arm.csv"
[[include]]
file = "none.glb"
[[include]]
file = "scene.toml"
[[include]]
file = "arm.urdf"
[[body]]
name = "tool"
shape = { type = "sphere", radius = 0.1 }
"""
    )
    with pytest.raises(SceneError) as caught:
        load_scene(tmp_path / "scene.toml")
    assert str(caught.value).splitlines() == [
        "arm.csv:2: rail must be a finite number, got 'x'",
        "scene.toml:5: include 'none.glb': there is no file 'none.glb' in the folder of the scene",
        "scene.toml:7: include 'scene.toml': only .glb, .gltf, .urdf and .xacro files can be included",
        "scene.toml:9: include 'arm.urdf': line 11 has a body named 'tool' already",
    ]


def test_numbers_that_no_motion_can_have_are_refused(tmp_path: Path) -> None:
    """Found by fuzzing: it was an internal error."""
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"><collision><geometry><sphere radius="1"/></geometry>'
        '</collision></link><joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint>'
        "</robot>"
    )
    (tmp_path / "t.csv").write_text("time,j\n0,0\n1,1e41\n")
    with pytest.raises(SceneError, match=r"t.csv:3: j must not exceed 1e\+40, got '1e41'"):
        load_scene(path, trajectory=tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("time,j\n0,-1e40\n1,1e40\n")
    with pytest.raises(SceneError, match=r"r.urdf: offset must not exceed 1e\+40"):
        load_scene(path, trajectory=tmp_path / "t.csv")


@pytest.mark.parametrize("joint", ["fixed", "revolute"])
def test_shapes_move_with_a_moving_link_that_has_no_shapes_itself(joint: str, tmp_path: Path) -> None:
    """They stayed at their start: only links with shapes of their own got motions."""
    sphere = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    text = (
        f'<robot><link name="base">{sphere}</link><link name="rail"/><link name="tip">{sphere}</link>'
        '<joint name="j" type="prismatic"><parent link="base"/><child link="rail"/></joint>'
        f'<joint name="k" type="{joint}"><parent link="rail"/><child link="tip"/><origin xyz="1 0 0"/>'
        "</joint></robot>"
    )
    tip = robot(tmp_path, text, "time,j\n0,0\n2,6\n").bodies[1]
    np.testing.assert_allclose(tip.at(1.0).position, [3, 0, 0], atol=1e-12)


# --- degrees of freedom -----------------------------------------------------------------------------------

BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


def two_links(joint: str) -> str:
    return (
        f'<robot><link name="a">{BALL}</link><link name="b"><collision><origin xyz="0.3 0.2 0.1"/><geometry>'
        f'<sphere radius="0.1"/></geometry></collision></link>{joint}</robot>'
    )


def test_floating_planar_and_spherical_joints_have_a_column_for_each_degree_of_freedom(
    tmp_path: Path,
) -> None:
    place, turns = [0.7, -0.4, 0.2], [0.5, -0.3, 0.9]  # roll, pitch, yaw
    ends = '<parent link="a"/><child link="b"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 1"/>'
    origin = Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
    spot = np.array([0.3, 0.2, 0.1])
    for t in (0.0, 0.25, 1.0):
        turn = Rotation.from_euler("xyz", np.array(turns) * t)
        for type_, header, row, local in (
            ("floating", "x,y,z,roll,pitch,yaw", [*place, *turns], np.array(place) * t + turn.apply(spot)),
            ("spherical", "roll,pitch,yaw", turns, turn.apply(spot)),
        ):
            text = two_links(f'<joint name="j" type="{type_}">{ends}</joint>')
            columns = ",".join(f"j/{name}" for name in header.split(","))
            cells = ",".join(map(str, row))
            scene = robot(tmp_path, text, f"time,{columns}\n0{',0' * len(row)}\n1,{cells}\n")
            shape: Any = scene.bodies[1].shape.transformed(scene.bodies[1].at(t))
            np.testing.assert_allclose(shape.center, origin.apply(local) + np.array([1, 2, 3]), atol=1e-12)
            assert scene.covers([[0, 1]])[0] == (type_ == "floating")  # its links are not connected


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 0, -1], [0, 1, 1], [1, 0, 0]])
def test_a_planar_joint_moves_across_its_axis(axis: list[int], tmp_path: Path) -> None:
    words = " ".join(map(str, axis))
    joint = f'<joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="{words}"/></joint>'
    scene = robot(tmp_path, two_links(joint), "time,j/x,j/y,j/theta\n0,0,0,0\n1,2,-1,0.6\n")
    normal = np.array(axis) / np.linalg.norm(axis)
    path = np.array([scene.bodies[1].at(t).apply([0, 0, 0]) for t in (0.0, 0.5, 1.0)])
    np.testing.assert_allclose(path @ normal, 0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(path, axis=1), np.sqrt(5) * np.array([0, 0.5, 1]), atol=1e-12)
    np.testing.assert_allclose(path[1], path[2] / 2, atol=1e-12)
    want = Rotation.from_rotvec(0.6 * normal).as_matrix()
    np.testing.assert_allclose(scene.bodies[1].at(1.0).rotation, want, atol=1e-12)
    if axis == [0, 0, 1]:
        np.testing.assert_allclose(path[2], [2, -1, 0], atol=1e-12)


MIMIC = f"""<robot>
<link name="base">{BALL}</link><link name="a">{BALL}</link>
<link name="b">{BALL}</link><link name="c">{BALL}</link>
<joint name="i" type="prismatic"><parent link="base"/><child link="a"/></joint>
<joint name="j" type="prismatic"><parent link="base"/><child link="b"/>
 <mimic joint="k" multiplier="-2" offset="1"/></joint>
<joint name="k" type="prismatic"><parent link="base"/><child link="c"/><mimic joint="i" offset="0.5"/></joint>
</robot>"""


def centers(scene: ougi.Scene, t: float) -> list[float]:
    shapes: list[Any] = [body.shape.transformed(body.at(t)) for body in scene.bodies[1:]]
    return [round(float(shape.center[0]), 12) for shape in shapes]


def test_a_mimic_joint_follows_another_one(tmp_path: Path) -> None:
    scene = robot(tmp_path, MIMIC, "time,i\n0,0\n1,3\n")
    assert centers(scene, 0.0) == [0, 0, 0.5]  # j = 1 - 2 k
    assert centers(scene, 0.5) == [1.5, -3, 2]
    assert centers(robot(tmp_path, MIMIC, None), 0.0) == [0, 0, 0.5]


def test_a_column_of_a_mimic_joint_wins(tmp_path: Path) -> None:
    assert centers(robot(tmp_path, MIMIC, "time,i,k\n0,1,0\n1,1,7\n"), 1.0) == [1, -13, 7]


def test_lengths_of_mimic_joints_are_converted_once(tmp_path: Path) -> None:
    robot(tmp_path, MIMIC, "time,i\n0,0\n1,3\n")
    (tmp_path / "s.toml").write_text(
        'ougi = 1\nunits = "mm"\n[[include]]\nfile = "arm.urdf"\ntrajectory = "arm.csv"\n'
    )
    assert centers(load_scene(tmp_path / "s.toml"), 0.5) == [1500, -3000, 2000]


def test_a_mimic_of_a_fixed_or_unknown_joint_and_on_a_fixed_joint(tmp_path: Path) -> None:
    fixed = MIMIC.replace('name="i" type="prismatic"', 'name="i" type="fixed"')
    assert centers(robot(tmp_path, fixed, None), 0.0) == [0, 0, 0.5]
    ignored = MIMIC.replace('name="k" type="prismatic"', 'name="k" type="fixed"')
    assert centers(robot(tmp_path, ignored, None), 0.0) == [0, 1, 0]
    words = "joint 'k' does not move with 'l', because there is no such joint; known: i, j, k"
    with pytest.warns(UserWarning, match=words):
        scene = robot(tmp_path, MIMIC.replace('mimic joint="i"', 'mimic joint="l"'), None)
    assert centers(scene, 0.0) == [0, 1, 0]
    floating = MIMIC.replace('name="i" type="prismatic"', 'name="i" type="floating"')
    with pytest.warns(UserWarning, match="'k' does not move with 'i', because that one has several degrees"):
        scene = robot(tmp_path, floating, "time,k\n0,0\n1,3\n")  # k once rested at zero, without a column
    assert centers(scene, 1.0) == [0, -5, 3]
    loop = MIMIC.replace('mimic joint="i"', 'mimic joint="j"')
    for rows in (None, "time,i\n0,0\n1,3\n"):
        assert "follows itself" in problems(tmp_path, loop, rows)[0]


# --- what is a warning ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<?xml", "\n\n<?xml", "arm.urdf: blank text before the XML header was ignored"),
        ("</robot>\n", "</robot>\n\0\0", "arm.urdf: zero bytes at the end were ignored"),
        ('xyz="1 0 0"', 'xyz="1, 0, 0"', "arm.urdf:18: joint 'rail': commas in xyz were taken for blanks"),
        (
            'xyz="1 0 0"',
            'xyz="1 0 0 0 0"',
            "arm.urdf:18: joint 'rail': xyz has 5 numbers, and the first 3 were",
        ),
        ('<link name="tool">', '<colour/><link name="tool">', "arm.urdf:11: unknown tag 'colour' in a robot"),
        (
            '<parent link="upper"/>',
            '<parents/><parent link="upper"/>',
            "'parents' in a joint, did you mean 'p",
        ),
        ('lower="-3"', 'lower="-3."-', "not valid XML"),
        ('lower="-3"', 'lower="-3.1."', "joint 'shoulder': lower must be a finite number, got '-3.1.'; the"),
        ('lower="-3"', 'lower="7"', "joint 'shoulder': lower, 7, exceeds upper, "),
    ],
)
def test_harmless_mistakes_are_warnings(old: str, new: str, words: str, tmp_path: Path) -> None:
    if "not valid" in words:
        assert words in problems(tmp_path, ARM.replace(old, new))[0]
        return
    with pytest.warns(UserWarning, match=words) as caught:
        scene = robot(tmp_path, ARM.replace(old, new))
    assert len(caught) == 1
    assert caught[0].filename == __file__  # the line that called load_scene
    np.testing.assert_allclose(scene.bodies[5].at(1.7).matrix(), robot(tmp_path).bodies[5].at(1.7).matrix())


def test_a_misspelt_collision_is_a_warning_and_a_tag_of_another_namespace_is_not(tmp_path: Path) -> None:
    text = ARM.replace("</robot>", '<link name="x"><colision/><drake:a xmlns:drake="d"/></link></robot>')
    with pytest.warns(
        UserWarning, match="unknown tag 'colision' in a link, did you mean 'collision'"
    ) as warned:
        robot(tmp_path, text, None)
    assert len(warned) == 1


def test_an_unreadable_origin_matters_only_if_shapes_depend_on_it(tmp_path: Path) -> None:
    bare = '<link name="camera"/><joint name="mount" type="fixed"><parent link="base"/><child link="camera"/>'
    bare += '<origin xyz="$(optenv X 0 0 0)"/></joint></robot>'
    with pytest.warns(UserWarning, match=r"joint 'mount': xyz must be .*; no shapes depend on it"):
        assert len(robot(tmp_path, ARM.replace("</robot>", bare)).bodies) == 6
    solid = bare.replace('<link name="camera"/>', f'<link name="camera">{BALL}</link>')
    assert "joint 'mount': xyz must be 3 finite" in problems(tmp_path, ARM.replace("</robot>", solid))[0]


def test_a_capsule_has_its_length_between_the_centres_of_its_caps(tmp_path: Path) -> None:
    text = ARM.replace('<box size="1 1 0.2"/>', '<capsule radius="0.2" length="1.5"/>')
    assert robot(tmp_path, text, None).bodies[0].shape == ougi.Capsule3d([0, 0, -0.75], [0, 0, 0.75], 0.2)


def test_shapes_that_cannot_be_read_are_skipped_by_request(tmp_path: Path) -> None:
    text = ARM.replace('<box size="1 1 0.2"/>', "<cone/>")
    (tmp_path / "arm.urdf").write_text(text)
    with pytest.warns(UserWarning, match=r"arm.urdf:3: skipped: link 'base': the geometry 'cone' is not"):
        scene = load_scene(tmp_path / "arm.urdf", skip_unsupported=True)
    assert len(scene.bodies) == 5
    (skipped,) = scene.skipped
    assert skipped.startswith("link 'base': the geometry 'cone' is not supported")
