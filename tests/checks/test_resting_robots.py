"""Robots whose links rest in each other, or in an obstacle, are never certified."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import ougi

# Link b lies wholly inside of the base, two joints away; c is far away.
ROBOT = """<robot name="r">
 <link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
 <link name="a"><collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
 <link name="b"><collision><geometry><box size=".5 .5 .5"/></geometry></collision></link>
 <link name="c"><collision><origin xyz="3 0 0"/><geometry><box size=".1 .1 .1"/></geometry></collision></link>
 <joint name="j1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
 <joint name="j2" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
 <joint name="j3" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""

TRAJECTORIES = {
    "the pose alone": None,
    "constant rows": "time,j1,j2,j3\n0,0.2,0.3,0\n1,0.2,0.3,0\n2,0.2,0.3,0\n",
    "one row": "time,j2\n0,0.3\n",
    "only the wrist moves": "time,j3\n0,0\n1,1\n",
    "the colliding link moves": "time,j2\n0,0\n1,1\n",
}


def load(folder: Path, urdf: str, trajectory: str | None) -> ougi.Scene:
    (folder / "r.urdf").write_text(urdf)
    if trajectory is None:
        return ougi.load_scene(folder / "r.urdf")
    (folder / "t.csv").write_text(trajectory)
    return ougi.load_scene(folder / "r.urdf", trajectory=folder / "t.csv")


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_links_in_each_other_are_reported(name: str, tmp_path: Path) -> None:
    report = ougi.check(load(tmp_path, ROBOT, TRAJECTORIES[name]))
    assert {frozenset(pair) for pair in report.names(report.contacts)} == {frozenset(["base", "b"])}
    assert report.contacts.time.tolist() == [0.0]
    assert report.contacts.status.tolist() == [2]
    assert not report.certified
    assert report.coverage.excluded == {"neighbours at a joint": 3}
    assert report.coverage.covered == 3


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_every_link_that_stands_in_a_pillar_is_reported(name: str, tmp_path: Path) -> None:
    """Of a resting arm as of a moving one; the base too, and once each."""
    load(tmp_path, ROBOT.replace('<box size=".5 .5 .5"/>', '<sphere radius="0.01"/>'), TRAJECTORIES[name])
    trajectory = 'trajectory = "t.csv"\n' if TRAJECTORIES[name] else ""
    (tmp_path / "scene.toml").write_text(
        f'ougi = 1\n[[include]]\nfile = "r.urdf"\n{trajectory}'
        '[[body]]\nname = "pillar"\nshape = { type = "cylinder", radius = 0.3, height = 4 }\n'
        '[[ignore]]\na = "base"\nb = "b"\n'
    )
    report = ougi.check(ougi.load_scene(tmp_path / "scene.toml"))
    assert sorted(sorted(pair) for pair in report.names(report.contacts)) == [
        ["a", "pillar"],
        ["b", "pillar"],
        ["base", "pillar"],
    ]
    assert report.coverage.covered == 6
    assert report.coverage.excluded == {"[[ignore]]": 1, "neighbours at a joint": 3}


def chain_robot(seed: int) -> tuple[str, str]:
    """Six boxes on six joints, of which some do not move; the third and fourth are one, by a fixed joint."""
    rng = np.random.default_rng(seed)
    links = "".join(
        f'<link name="l{k}"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.6 .2 .2"/></geometry>'
        "</collision></link>"
        for k in range(7)
    )
    joints = "".join(
        f'<joint name="j{k}" type="{"fixed" if k == 3 else "continuous"}"><parent link="l{k}"/>'
        f'<child link="l{k + 1}"/><origin xyz="0.6 0 0"/>'
        f'<axis xyz="{" ".join(map(str, rng.normal(size=3).round(3)))}"/></joint>'
        for k in range(6)
    )
    moving = rng.random(6) < 0.3
    start = rng.uniform(-3, 3, 6)
    rows = [start + t * moving * rng.uniform(-1, 1, 6) for t in (0.0, 1.0, 1.0)]
    columns = [k for k in range(6) if k != 3]
    text = ",".join(["time", *(f"j{k}" for k in columns)]) + "\n"
    for t, row in enumerate(rows):
        text += ",".join([str(t), *(repr(float(row[k])) for k in columns)]) + "\n"
    return f'<robot name="r">{links}{joints}</robot>', text


@pytest.mark.parametrize("seed", range(10))
def test_random_robots_as_poses_at_many_times(seed: int, tmp_path: Path) -> None:
    """Links that overlap at a sampled time have a contact just before it, unless they are excluded."""
    scene = load(tmp_path, *chain_robot(seed))
    report = ougi.check(scene)
    assembly = {"l3": "l3", "l4": "l3"}
    joints = {("l0", "l1"), ("l1", "l2"), ("l2", "l3"), ("l3", "l5"), ("l5", "l6")}
    times = np.linspace(0, 2, 81)
    first: dict[frozenset[str], float] = {}
    for names, t in zip(report.names(report.contacts), report.contacts.time, strict=True):
        first.setdefault(frozenset(names), float(t))
    covered = 0
    for a, b in itertools.combinations(scene.bodies, 2):
        pair = frozenset([a.name, b.name])
        x, y = (assembly.get(body.name, body.name) for body in (a, b))
        if x == y or (x, y) in joints:
            assert pair not in first
            continue
        covered += 1
        hit = [
            bool(ougi.intersects(*(body.shape.transformed(body.at(float(t))) for body in (a, b))))
            for t in times
        ]
        if any(hit):
            k = hit.index(True)
            assert times[k - 1] - 1e-9 <= first[pair] <= times[k] + 1e-9 if k else first[pair] == 0
    assert report.coverage.covered == covered
