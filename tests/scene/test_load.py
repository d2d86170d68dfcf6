"""Formats of other distributions are read through entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi.scene import Body


def read_ball(path: Path) -> ougi.Scene:
    return ougi.Scene((Body(path.stem, ougi.Sphere([0, 0, 0], float(path.read_text(encoding="utf-8")))),))


def read_nothing(path: Path) -> None:
    return None


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = EntryPoints(
        EntryPoint(name, f"{__name__}:{value}", "ougi.scene_readers")
        for name, value in (("ball", "read_ball"), ("none", "read_nothing"))
    )
    monkeypatch.setattr("ougi.scene.load.entry_points", lambda group: entries.select(group=group))


@pytest.mark.usefixtures("readers")
def test_a_reader_of_another_distribution_is_used(tmp_path: Path) -> None:
    (tmp_path / "big.ball").write_text("2.5", encoding="utf-8")
    scene = ougi.load_scene(tmp_path / "big.ball")
    assert scene.bodies[0].name == "big"
    with pytest.raises(ougi.SceneError, match=r"trajectory is not for \.ball files"):
        ougi.load_scene(tmp_path / "big.ball", trajectory="way.csv")
    with pytest.raises(TypeError, match="must return a Scene, got NoneType"):
        ougi.load_scene(tmp_path / "x.none")
    with pytest.raises(ougi.SceneError, match=r"no scene ends in '\.bal', did you mean '\.ball'"):
        ougi.load_scene(tmp_path / "big.bal")


ROBOT = """
<robot name="arm">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="hand">
    <collision><origin xyz="0 0 1"/><geometry><mesh filename="cup.stl"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="hand"/><axis xyz="1 0 0"/><limit lower="-3" upper="3"/>
  </joint>
</robot>
"""


def test_meshes_may_become_hulls(tmp_path: Path) -> None:
    """A ball inside of a closed mesh touches its hull, but not its surface."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((2, 2, 2)).export(tmp_path / "cup.stl")
    scene = """ougi = 1
[[body]]
name = "cup left"
shape = { type = "mesh", file = "cup.stl" }
motion = { type = "rotate", axis = [0, 0, 1], degrees = 90, seconds = 1 }
[[body]]
name = "cup right"
at = [5, 0, 0]
shape = { type = "mesh", file = "cup.stl", scale = 2 }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.1 }
"""
    (tmp_path / "scene.toml").write_text(scene, encoding="utf-8")
    plain, hulls = (ougi.load_scene(tmp_path / "scene.toml", hulls=names) for names in ((), ["cup l*"]))
    left, right, ball = hulls.bodies
    assert isinstance(left.shape, ougi.ConvexHull3d)
    assert len(left.shape.vertices) == 8
    assert left.pieces == plain.bodies[0].pieces
    assert right.shape == plain.bodies[1].shape
    assert ball.shape == plain.bodies[2].shape
    assert len(ougi.check(plain).contacts) == 0
    assert ougi.check(hulls).contacts.t.tolist() == [0.0]
    for names in (["ball"], ["cup l*", "pan"]):
        with pytest.raises(ougi.SceneError, match=f"hulls: '{names[-1]}' matches no body with a mesh"):
            ougi.load_scene(tmp_path / "scene.toml", hulls=names)


def test_links_of_robots_may_be_hulls(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((2, 1, 1)).export(tmp_path / "cup.stl")
    (tmp_path / "arm.urdf").write_text(ROBOT, encoding="utf-8")
    (tmp_path / "way.csv").write_text("time,turn\n0,0\n1,1.5\n", encoding="utf-8")
    plain, hulls = (
        ougi.load_scene(tmp_path / "arm.urdf", trajectory=tmp_path / "way.csv", hulls=names)
        for names in ([], ["*"])
    )
    link = next(body for body in hulls.bodies if body.link == "hand")
    assert isinstance(link.shape, ougi.ConvexHull3d)
    assert link.pieces == next(body for body in plain.bodies if body.link == "hand").pieces
    ball = Body("ball", ougi.Sphere([0, -1.2, 0.3], 0.05))
    times = [
        ougi.check(ougi.Scene((*scene.bodies, ball), duration=scene.duration)).contacts.t
        for scene in (plain, hulls)
    ]
    assert len(times[0]) == 1
    np.testing.assert_allclose(times[1], times[0], atol=1e-7)
