"""Robots of scenes have the contacts that the engines of other bodies find, by the loop of edges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import ougi
from ougi.scene import Body, Scene
from ougi_lab.scenes.meshes import make_angle_iron

_URDF = """<robot name="crane"><link name="base"><collision><origin xyz="0 0 0.1"/><geometry>
  <box size="0.3 0.3 0.2"/></geometry></collision></link>
  <link name="boom"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>
  </link><link name="jib"><collision><origin xyz="0.4 0 0"/><geometry><cylinder radius="0.05" length="0.6"/>
  </geometry></collision><collision><origin xyz="0.8 0 0"/><geometry><sphere radius="0.08"/></geometry>
  </collision></link><link name="hook"><collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision>
  </link><link name="finger"><collision><origin xyz="0 0.1 -0.2"/><geometry><box size="0.05 0.05 0.2"/>
  </geometry></collision></link>
  <joint name="slew" type="revolute"><parent link="base"/><child link="boom"/><origin xyz="0 0 0.4"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="luff" type="revolute"><parent link="boom"/><child link="jib"/><origin xyz="1.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="hoist" type="prismatic"><parent link="jib"/><child link="hook"/><origin xyz="1 0 -0.2"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="grip" type="revolute"><parent link="hook"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/><mimic joint="luff" multiplier="0.5"/></joint>
</robot>"""

_TABLE = """time,slew,luff,hoist
0,-1.2,0.3,0
1,-0.4,0.1,0.2
2,-0.4,0.1,0.2
3,0.5,1.9,0
4,1.4,2.9,-0.6
5,1.0,0.2,0.1
6,2.4,2.9,0.3
"""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    (tmp_path / "crane.urdf").write_text(_URDF, encoding="utf-8")
    (tmp_path / "lift.csv").write_text(_TABLE, encoding="utf-8")
    robot = ougi.load_scene(tmp_path / "crane.urdf", trajectory=tmp_path / "lift.csv")
    obstacles = (
        Body("ball", ougi.Sphere([1.6, 0.9, 0.1], 0.2)),
        Body("wall", ougi.Box([-0.4, 1.7, 0.4], [1.2, 0.1, 2.0])),
        Body("post", ougi.Cylinder.from_ends([1.2, -1.3, -0.5], [1.2, -1.3, 0.6], 0.1)),
    )
    return replace(robot, bodies=robot.bodies + obstacles, duration=7.0)


def _forget_robots(scene: Scene) -> Scene:
    return replace(scene, bodies=tuple(replace(body, robot=None) for body in scene.bodies))


@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_contacts_are_those_of_other_engines(scene: Scene, margin: float) -> None:
    found = ougi.check(scene, margin=margin)
    expected = ougi.check(_forget_robots(scene), margin=margin)
    for own, other in ((found.contacts, expected.contacts), (found.near, expected.near)):
        assert own.pair.tolist() == other.pair.tolist()
        assert own.status.tolist() == other.status.tolist()
        assert np.abs(own.time - other.time).max(initial=0.0) < 1e-6
        both = ~np.isnan(own.normal).any(axis=1) & ~np.isnan(other.normal).any(axis=1)
        assert np.abs(own.normal - other.normal)[both].max(initial=0.0) < 1e-4
        # Of faces that touch flat, the points may be different ones of the contact plane.
        apart = ((own.point - other.point) * own.normal).sum(axis=1)
        assert np.abs(apart[both]).max(initial=0.0) < 1e-4
    assert len(found.contacts) >= 4
    assert "robot" in found.contacts.engine
    assert "robot" not in expected.contacts.engine


def test_first_contacts_are_those_of_the_robot(scene: Scene, tmp_path: Path) -> None:
    robot = ougi.Robot.load(tmp_path / "crane.urdf")
    table = np.array([[float(x) for x in line.split(",")] for line in _TABLE.split()[1:]])
    obstacles = [body.shape for body in scene.bodies[-3:]]
    edges = robot.first_contact(table[:-1, 1:], table[1:, 1:], obstacles)
    report = ougi.check(scene)
    first = int(np.flatnonzero(edges.hit)[0])
    time = table[first, 0] + float(edges.t[first]) * (table[first + 1, 0] - table[first, 0])
    assert report.contacts.time[0] == pytest.approx(time, abs=1e-7)


def test_hulls_and_other_shapes_of_links_are_those_of_the_bodies(tmp_path: Path) -> None:
    """A ball passes the notch of an angle iron, which its hull covers."""
    iron = make_angle_iron((1.0, 1.0, 0.2), 0.2)
    lines = [f"v {x} {y} {z}" for x, y, z in iron.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in iron.faces.tolist()]
    (tmp_path / "iron.obj").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "lift.urdf").write_text(
        '<robot name="lift"><link name="rail"/><link name="cab"><collision><origin rpy="0 0 0.3"/><geometry>'
        '<mesh filename="iron.obj"/></geometry></collision></link>'
        '<joint name="up" type="prismatic"><parent link="rail"/><child link="cab"/><origin xyz="0 0 1"/>'
        '<axis xyz="0 0 1"/><limit lower="0" upper="9" effort="1" velocity="1"/></joint></robot>'
    )
    (tmp_path / "up.csv").write_text("time,up\n0,1\n2,6\n")
    ball = Body("ball", ougi.Sphere([0.1, -0.1, 4.0], 0.05).rotated(0.3, [0, 0, 1], center=[0, 0, 0]))
    hulls: list[str]
    for hulls in ([], ["cab"]):
        found = ougi.load_scene(tmp_path / "lift.urdf", trajectory=tmp_path / "up.csv", hulls=hulls)
        scene = replace(found, bodies=(*found.bodies, ball), duration=2.0)
        report = ougi.check(scene)
        assert report.certified == (not hulls)
        expected = ougi.check(_forget_robots(scene)).contacts.time
        assert report.contacts.time.tolist() == pytest.approx(expected.tolist(), abs=1e-6)
        wide = replace(scene.bodies[0], shape=ougi.Box([0, 0, 2], [3, 3, 0.1]))
        assert len(ougi.check(replace(scene, bodies=(wide, ball))).contacts) == 1


def test_a_robot_in_a_frame_of_a_scene_file(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text(
        'ougi = 1\n[[include]]\nfile = "crane.urdf"\ntrajectory = "lift.csv"\nat = [3, 2, 1]\n'
        '[[body]]\nname = "ball"\nat = [4.6, 2.9, 1.1]\nshape = { type = "sphere", radius = 0.2 }\n',
        encoding="utf-8",
    )
    placed = ougi.load_scene(tmp_path / "site.toml")
    found, expected = ougi.check(placed), ougi.check(_forget_robots(placed))
    assert found.contacts.pair.tolist() == expected.contacts.pair.tolist()
    assert np.abs(found.contacts.time - expected.contacts.time).max() < 1e-6
    assert "robot" in found.contacts.engine


def test_a_contact_with_a_mesh_is_reported_once(tmp_path: Path) -> None:
    """Surfaces have no depth just before they touch, so the search for the next contact found the same."""
    ring = trimesh.creation.torus(0.3, 0.08, major_sections=12, minor_sections=8)
    ring.apply_translation([0.5, 0, 0]).export(tmp_path / "ring.stl")
    (tmp_path / "arm.urdf").write_text(
        """<robot name="arm"><link name="base"/><link name="ring"><collision><origin xyz="0 0 0.1"/><geometry>
        <mesh filename="ring.stl"/></geometry></collision></link><joint name="turn" type="revolute">
        <parent link="base"/><child link="ring"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>""",
        encoding="utf-8",
    )
    times = {}
    for angle in (1.5, 1.5366573812006514, 1.4563755654729085):
        (tmp_path / "turn.csv").write_text(f"time,turn\n0,0\n1,{angle}\n", encoding="utf-8")
        robot = ougi.load_scene(tmp_path / "arm.urdf", trajectory=tmp_path / "turn.csv")
        ball = Body("ball", ougi.Sphere([0, 0.5, 0.4], 0.05))
        report = ougi.check(replace(robot, bodies=(*robot.bodies, ball)))
        times[angle] = report.contacts.time * angle
    # The ball passes the wall of the hollow ring and touches it again from inside.
    for contacts in times.values():
        np.testing.assert_allclose(contacts, times[1.5][:2], atol=1e-6)
