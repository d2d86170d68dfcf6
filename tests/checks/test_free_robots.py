"""Bodies of robots that are proven free before the search of the scene, which then holds them at rest."""

from __future__ import annotations

import math
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi.checks.free_robots import find_free_bodies
from ougi.scene import Body, Piece, Scene
from ougi_lab.scenes.meshes import make_sphere
from ougi_lab.scenes.robots import draw_obstacles, draw_robot

FOREVER = math.inf


def draw_scene(kind: str, seed: int, folder: Path) -> Scene:
    """A random robot with a trajectory of 12 rows among obstacles."""
    rng = np.random.default_rng(seed)
    path = draw_robot(kind, rng).write(folder)
    robot = ougi.Robot.load(path)
    motion = np.cumsum(0.3 * rng.normal(size=(12, robot.dof)), axis=0)
    columns = dict(zip(robot.joint_names, motion.T, strict=True))
    np.savez(folder / "way.npz", time=np.arange(12.0), **columns)
    scene = ougi.load_scene(path, trajectory=folder / "way.npz")
    obstacles = draw_obstacles(kind, 4, rng)
    bodies = tuple(Body(f"obstacle {k}", shape) for k, shape in enumerate(obstacles))
    return replace(scene, bodies=scene.bodies + bodies)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["spheres", "convex", "meshes"])
def test_free_bodies_are_those_without_contacts(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    scenes = [draw_scene(kind, seed, tmp_path) for seed in range(4)]
    reports = [ougi.check(scene) for scene in scenes]
    monkeypatch.setattr("ougi.checks.check_scene.find_free_bodies", lambda *_: frozenset())
    for scene, found in zip(scenes, reports, strict=True):
        expected = ougi.check(scene)
        touching = set(expected.contacts.pair.ravel().tolist())
        free = find_free_bodies(scene, 0.0, 1e-9, FOREVER)
        assert all(scene.bodies[k].moves and k not in touching for k in free)
        count += len(free)
        assert found.scene is scene
        assert found.contacts == expected.contacts
        assert found.pairs <= expected.pairs
    assert count > 3


def _make_pendulum(folder: Path) -> Scene:
    (folder / "rod.urdf").write_text(
        '<robot name="rod"><link name="base"/><link name="rod"><collision><origin xyz="0.5 0 0"/><geometry>'
        '<sphere radius="0.1"/></geometry></collision></link><joint name="turn" type="continuous">'
        '<parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>',
        encoding="utf-8",
    )
    (folder / "way.csv").write_text("time,turn\n0,0\n1,3\n2,0.5\n", encoding="utf-8")
    return ougi.load_scene(folder / "rod.urdf", trajectory=folder / "way.csv")


def test_only_the_robot_may_move(tmp_path: Path) -> None:
    scene = _make_pendulum(tmp_path)
    assert find_free_bodies(scene, 0.0, 1e-9, FOREVER) == {0}
    ball = Body("ball", ougi.Sphere([9, 0, 0], 1), (Piece(0.0, 1.0, ougi.Translation3d([1, 0, 0])),))
    other = replace(scene, bodies=(*scene.bodies, ball))
    assert not find_free_bodies(other, 0.0, 1e-9, FOREVER)


def test_nothing_is_proven_after_the_deadline(tmp_path: Path) -> None:
    scene = _make_pendulum(tmp_path)
    scene = replace(scene, bodies=(*scene.bodies, Body("post", ougi.Sphere([0, 2, 0], 0.1))))
    assert not find_free_bodies(scene, 0.0, 1e-9, time.monotonic() - 1.0)


def test_a_near_miss_is_no_proof_with_a_margin(tmp_path: Path) -> None:
    scene = _make_pendulum(tmp_path)
    scene = replace(scene, bodies=(*scene.bodies, Body("post", ougi.Sphere([0, 0.75, 0], 0.1))))
    assert find_free_bodies(scene, 0.04, 1e-9, FOREVER) == {0}
    assert not find_free_bodies(scene, 0.06, 1e-9, FOREVER)
    report = ougi.check(scene, margin=0.06)
    assert (len(report.contacts), len(report.near)) == (0, 1)


def _make_hands(folder: Path) -> Scene:
    """Two hands of a clock, of which the second comes to where the first has started, and hits a post."""
    hand = "".join(
        f'<link name="{name}"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry>'
        f'</collision></link><joint name="turn {name}" type="continuous"><parent link="base"/>'
        f'<child link="{name}"/><axis xyz="0 0 1"/></joint>'
        for name in ("first", "second")
    )
    (folder / "hands.urdf").write_text(f'<robot name="hands"><link name="base"/>{hand}</robot>', "utf-8")
    rows = "time,turn first,turn second\n0,0,1.5\n1,-2,1.5\n2,-2,0\n"
    (folder / "hands.csv").write_text(rows, "utf-8")
    scene = ougi.load_scene(folder / "hands.urdf", trajectory=folder / "hands.csv")
    return replace(scene, bodies=(*scene.bodies, Body("post", ougi.Sphere([0.8, 0.8, 0], 0.1))))


def test_a_body_that_comes_to_the_start_of_a_free_one_hits_nothing(tmp_path: Path) -> None:
    scene = _make_hands(tmp_path)
    assert [scene.bodies[k].name for k in find_free_bodies(scene, 0.0, 1e-9, FOREVER)] == ["first"]
    report = ougi.check(scene, margin=0.01)
    assert report.names(report.contacts) == [("second", "post")]
    assert len(report.near) == 0


def test_pairs_of_many_resting_bodies_are_not_listed(tmp_path: Path) -> None:
    scene = _make_pendulum(tmp_path)
    wall = tuple(Body(f"ball {k}", ougi.Sphere([3, 0, k], 0.1)) for k in range(20_000))
    assert not find_free_bodies(replace(scene, bodies=scene.bodies + wall), 0.0, 1e-9, FOREVER)
    smaller = replace(scene, bodies=scene.bodies + wall[:15_000])
    tracemalloc.start()
    try:
        assert find_free_bodies(smaller, 0.0, 1e-9, FOREVER) == {0}
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_a_robot_inside_of_a_closed_mesh_is_reported(tmp_path: Path) -> None:
    scene = _make_pendulum(tmp_path)
    scene = replace(scene, bodies=(*scene.bodies, Body("tank", make_sphere(24, 16, 2.0))))
    report = ougi.check(scene)
    assert report.certified
    assert report.names(report.enclosed) == [("rod", "tank")]
