"""Models of MuJoCo: its kinematics and its rules of what collides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi

mujoco: Any = pytest.importorskip("mujoco")

ARM = """<mujoco model="arm"><compiler angle="radian"/><worldbody>
  <geom name="post" type="box" pos="0 0.8 0" size="0.05 0.05 0.5"/>
  <body name="upper" pos="0 0 0.3" euler="0 0 0.4">
    <joint name="shoulder" axis="0 0 1" pos="0.05 0 0" ref="0.2" limited="true" range="-2 2"/>
    <joint name="lift" type="slide" axis="0 1 1" ref="0.1"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.04"/>
    <geom type="sphere" size="0.3" contype="0" conaffinity="0"/>
    <body name="fore" pos="0.5 0 0">
      <joint name="elbow" axis="0 1 0" pos="0 0.02 0"/>
      <geom type="cylinder" size="0.03 0.2" pos="0.2 0 0" euler="0 1.5707963 0"/>
      <body name="left" pos="0.4 0.05 0"><joint name="open" type="slide" axis="0 1 0"/>
        <geom type="sphere" size="0.02"/></body>
      <body name="right" pos="0.4 -0.05 0"><joint name="close" type="slide" axis="0 1 0"/>
        <geom type="sphere" size="0.02"/></body>
    </body>
  </body>
  <body name="ball" pos="2 0 1" quat="0.8 0.6 0 0"><freejoint name="free"/>
    <geom type="box" size="0.1 0.2 0.3"/>
    <body name="tail" pos="0.5 0 0"><joint name="socket" type="ball" pos="0 0 0.1"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3" contype="0" conaffinity="0"/><geom size="0.1"/></body></body>
  </worldbody><contact><exclude body1="upper" body2="left"/></contact>
  <equality><joint joint1="close" joint2="open" polycoef="0.01 -1 0 0 0"/></equality></mujoco>"""


def place_bodies(model: Any, robot: ougi.Robot, q: Any) -> Any:
    """What MuJoCo computes for a configuration."""
    values = dict(zip(robot.joint_names, q, strict=True))
    data = mujoco.MjData(model)
    for name in ("shoulder", "lift", "elbow", "open"):
        data.joint(name).qpos[0] = values[name]
    data.joint("close").qpos[0] = 0.01 - values["open"]
    start = ougi.Pose(model.body("ball").pos, np.roll(model.body("ball").quat, -1))
    turns = {
        name: ougi.Pose([0, 0, 0], turn_by(*(values[f"{name}/{end}"] for end in ("yaw", "pitch", "roll"))))
        for name in ("free", "socket")
    }
    pose = start @ ougi.Pose([values[f"free/{axis}"] for axis in "xyz"]) @ turns["free"]
    data.joint("free").qpos[:3] = pose.position
    for name, turn in (("free", pose), ("socket", turns["socket"])):
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(turn.rotation).ravel())
        data.joint(name).qpos[-4:] = quaternion
    mujoco.mj_kinematics(model, data)
    return data


def turn_by(yaw: float, pitch: float, roll: float) -> Any:
    (a, b, c), (d, e, f) = np.cos([yaw, pitch, roll]), np.sin([yaw, pitch, roll])
    z, y = np.array([[a, -d, 0], [d, a, 0], [0, 0, 1]]), np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    return z @ y @ np.array([[1, 0, 0], [0, c, -f], [0, f, c]])


def test_poses_are_those_of_mujoco() -> None:
    model = mujoco.MjModel.from_xml_string(ARM)
    robot = ougi.Robot.from_mujoco(model)
    assert robot.name == "arm"
    assert robot.joint_names[:4] == ("shoulder", "lift", "elbow", "open")
    assert robot.limits[0].tolist() == [-2, 2]
    for q in np.random.default_rng(1).uniform(-2, 2, (50, robot.dof)):
        poses, data = robot.forward_kinematics(q), place_bodies(model, robot, q)
        for k in range(model.nbody):
            pose = poses[model.body(k).name]
            np.testing.assert_allclose(pose.position, data.xpos[k], rtol=0, atol=1e-12)
            np.testing.assert_allclose(pose.rotation, data.xmat[k].reshape((3, 3)), rtol=0, atol=1e-12)


# With a slope, and with an ellipsoid that collides.
SLOPE = ARM.replace(
    '<geom name="post"', '<geom type="plane" pos="0 0 -0.4" size="1 1 1" euler="0.1 0.2 0"/><geom name="post"'
).replace('size="0.1 0.2 0.3" contype="0" conaffinity="0"', 'size="0.1 0.2 0.3"')


@pytest.mark.parametrize("text", [ARM, SLOPE])
def test_contacts_are_those_of_mujoco(text: str) -> None:
    model = mujoco.MjModel.from_xml_string(text)
    robot = ougi.Robot.from_mujoco(model)
    counts = [0, 0]
    for q in np.random.default_rng(2).uniform(-1.5, 1.5, (1200, robot.dof)):
        data = place_bodies(model, robot, q)
        mujoco.mj_collision(model, data)
        depth = min([0.0, *(contact.dist for contact in data.contact)])
        if depth == 0.0 or depth < -1e-6:  # MuJoCo's cylinders are not exact
            counts[int(robot.collides(q))] += 1
            assert robot.collides(q) == (depth < 0), q
    assert min(counts) > 20


def test_masks_excluded_pairs_and_parents_are_not_checked() -> None:
    robot = ougi.Robot.from_mujoco(mujoco.MjModel.from_xml_string(ARM))
    links = [shape.link for shape in robot.shapes]
    assert links.count("upper") == 1
    checked = {frozenset((links[a], links[b])) for a, b in robot.checked_pairs.tolist()}
    assert frozenset(("world", "upper")) in checked
    assert not checked & {
        frozenset(("upper", "fore")),
        frozenset(("upper", "left")),
        frozenset(("fore", "left")),
    }


def test_geoms_that_robots_do_not_have_are_named_or_skipped() -> None:
    hills = '<asset><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>'
    ground = '<geom name="ground" type="hfield" hfield="hills"/><geom name="post"'
    text = ARM.replace("<worldbody>", hills).replace('<geom name="post"', ground)
    model = mujoco.MjModel.from_xml_string(text)
    with pytest.raises(ValueError, match="hfield ground of 'world'"):
        ougi.Robot.from_mujoco(model)
    with pytest.warns(UserWarning, match="they are skipped"):
        robot = ougi.Robot.from_mujoco(model, skip_unsupported=True)
    assert robot.shapes[0].link == "world"


def test_names_that_others_have_are_not_given_twice() -> None:
    """Two bodies of one name would be one link, whose shapes are never checked against each other."""
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody>
        <body name="body 2"><joint name="joint 1"/><geom size="0.1"/></body>
        <body pos="0.5 0 0"><joint axis="1 0 0" type="slide"/><geom size="0.2"/></body>
        <body name="body 2/joint 1" pos="9 0 0"><joint name="j"/><geom size="0.1"/></body>
        <body name="b" pos="20 0 0"><freejoint name="free"/><geom size="0.1"/></body>
        <body name="c" pos="30 0 0"><joint name="free/x"/><geom size="0.1"/></body>
        </worldbody></mujoco>"""
    )
    robot = ougi.Robot.from_mujoco(model)
    assert len({shape.link for shape in robot.shapes}) == 5
    assert len(set(robot.link_names)) == len(robot.link_names)
    assert len(set(robot.joint_names)) == len(robot.joint_names) == 10
    q = np.zeros((2, 10))
    q[1, 1] = -0.25
    assert robot.collides(q).tolist() == [False, True]
