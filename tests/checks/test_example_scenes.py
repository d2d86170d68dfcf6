"""The example scenes: `ougi.check` says what dense sub-stepping by SciPy and coal finds."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pytest
from dense import Thing, first_time, matrix, scene
from scipy.spatial.transform import Rotation, Slerp

import ougi

SCENES = Path(__file__).parents[2] / "examples" / "scenes"

# What people see: which bodies touch, in the order of time.
CONTACTS = {
    "bat_and_ball": [("bat", "pitched ball"), ("bat", "ball on a tee")],
    "sword_and_enemies": [("sword", "enemy 1"), ("sword", "enemy 2")],
    "door_and_furniture": [("door", "chair")],
    "turbine": [("blade 2", "gull")],
    "pinball": [("flipper", "ball")],
    "robot_arm": [("forearm", "post")],
    "grasping_hand": [("index 2", "cup"), ("ring 2", "cup")],
}
# Of the scene's length; coal's distances are good for more, but some bodies approach each other slowly.
TIME = 1e-7


def test_every_scene_file_is_known_here() -> None:
    assert {path.stem for path in SCENES.glob("*.toml")} == set(CONTACTS)


@pytest.mark.parametrize("name", CONTACTS)
def test_scene(name: str) -> None:
    margin = 0.05
    report = ougi.check(ougi.load_scene(SCENES / f"{name}.toml"), margin=margin)
    assert report.names(report.contacts) == CONTACTS[name]
    _, pairs, duration = scene(SCENES / f"{name}.toml")
    assert report.scene.duration == pytest.approx(duration)
    found = dict(zip(map(frozenset, report.names(report.contacts)), report.contacts.time, strict=True))
    near = dict(zip(map(frozenset, report.names(report.near)), report.near.time, strict=True))
    for a, b in pairs:
        pair = frozenset([a.name, b.name])
        time = first_time(a, b, duration)
        assert found.get(pair, math.nan) == pytest.approx(time, abs=TIME * duration, nan_ok=True), pair
        if math.isnan(time):
            time = first_time(a, b, duration, margin)
            assert near.get(pair, math.nan) == pytest.approx(time, abs=TIME * duration, nan_ok=True), pair
    assert {*found, *near} <= {frozenset([a.name, b.name]) for a, b in pairs}


def maker() -> Any:
    spec = importlib.util.spec_from_file_location("make_door", SCENES / "make_door.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_door_file_is_what_its_script_writes() -> None:
    assert (SCENES / "door.glb").read_bytes() == maker().door()


def test_the_door_of_a_gltf_file() -> None:
    made = maker()
    keys = Rotation.from_rotvec([[0, math.radians(angle), 0] for angle in made.DEGREES])
    swing = Slerp(made.TIMES, keys)
    still = np.eye(4)
    things = {
        name: Thing(
            name,
            coal.Box(*size),
            matrix(shift=middle),
            (lambda t: still) if name == "stool" else (lambda t: matrix(swing([t])[0])),
            name != "stool",
        )
        for name, size, middle in (made.DOOR, made.HANDLE, made.STOOL)
    }
    report = ougi.check(ougi.load_scene(SCENES / "door.glb"))
    assert report.names(report.contacts) == [("handle", "stool"), ("door", "stool")]
    assert set(report.contacts.engine) == {"radar"}  # one screw between two keys
    for (a, b), time in zip(report.names(report.contacts), report.contacts.time, strict=True):
        # The file holds numbers of 32 bits.
        assert time == pytest.approx(first_time(things[a], things[b], 2.5), abs=1e-5)
