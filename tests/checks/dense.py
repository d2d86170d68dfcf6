"""Scene files read and followed in another way: poses by SciPy at many times, gaps by coal.

Nothing of ougi is used. First contacts are found between two sampled times and narrowed down by halving, so a
contact that is shorter than a sample would be missed; the scenes have none.
"""

from __future__ import annotations

import csv
import fnmatch
import itertools
import math
import tomllib
import xml.etree.ElementTree as Xml
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import coal
import numpy as np
from scipy.spatial.transform import Rotation

from ougi._typing import Floats

Pose = Callable[[float], Floats]

SAMPLES = 1500


class Thing(NamedTuple):
    """A named shape of coal, where it is in its body, and how the body moves: 4 x 4 matrices."""

    name: str
    shape: Any
    inside: Floats
    pose: Pose
    moves: bool
    joined: frozenset[str] = frozenset()  # links that are not checked against it

    def at(self, t: float) -> Any:
        matrix = self.pose(t) @ self.inside
        return coal.Transform3s(np.ascontiguousarray(matrix[:3, :3]), matrix[:3, 3].copy())


def matrix(turn: Any = None, shift: Any = (0, 0, 0)) -> Floats:
    out = np.eye(4)
    if turn is not None:
        out[:3, :3] = turn.as_matrix()
    out[: len(shift), 3] = shift
    return out


def gap(a: Thing, b: Thing, t: float) -> float:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    return float(coal.distance(a.shape, a.at(t), b.shape, b.at(t), request, result))


def first_time(a: Thing, b: Thing, duration: float, margin: float = 0.0) -> float:
    """When the gap is first the margin; NaN if never at any sample."""
    times = np.linspace(0, duration, SAMPLES + 1).tolist()
    hit = next((k for k, t in enumerate(times) if gap(a, b, t) <= margin), None)
    if hit is None:
        return math.nan
    if hit == 0:
        return 0.0
    low, high = times[hit - 1], times[hit]
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (low, middle) if gap(a, b, middle) <= margin else (middle, high)
    return float(high)


# --- TOML -----------------------------------------------------------------------------------------------


def capsule(start: Any, end: Any, radius: float) -> tuple[Any, Floats]:
    start, end = (np.array([*x, 0.0][:3], float) for x in (start, end))
    turn, _ = Rotation.align_vectors([end - start], [[0.0, 0.0, 1.0]])
    return coal.Capsule(radius, float(np.linalg.norm(end - start))), matrix(turn, (start + end) / 2)


def shape_of(entry: dict[str, Any]) -> tuple[Any, Floats]:
    kind = entry["type"]
    if kind in ("sphere", "circle"):
        return coal.Sphere(entry["radius"]), np.eye(4)
    if kind == "box":
        return coal.Box(*map(float, entry["size"])), np.eye(4)
    if kind == "cylinder":
        return coal.Cylinder(entry["radius"], entry["height"]), np.eye(4)
    if kind in ("capsule3d", "capsule2d", "segment2d"):
        return capsule(entry["start"], entry["end"], entry.get("radius", 0.0))
    raise ValueError(f"the oracle knows no {kind}")


def make_rotation(axis: Any, degrees: float) -> Any:
    unit = np.array(axis, float) / np.linalg.norm(axis)
    return Rotation.from_rotvec(unit * math.radians(degrees))


def pose_of(entry: dict[str, Any]) -> Pose:
    start = matrix(shift=entry.get("at", (0, 0, 0)))
    if "rotation" in entry:
        start = start @ matrix(
            make_rotation(entry["rotation"].get("axis", (0, 0, 1)), entry["rotation"]["degrees"])
        )
    motions = entry.get("motion", [])
    motions = [motions] if isinstance(motions, dict) else motions

    def pose(t: float) -> Floats:
        now, clock = start, 0.0
        for motion in motions:
            if motion["type"] == "keyframes":
                spots = np.array(motion["positions"])
                now = now.copy()
                now[:3, 3] = [np.interp(t, motion["times"], spots[:, k]) for k in range(3)]
                continue
            begin = clock + motion.get("start", 0.0)
            clock = begin + motion["seconds"]
            share = min(max((t - begin) / motion["seconds"], 0.0), 1.0)
            if motion["type"] == "translate":
                now = matrix(shift=share * np.array(motion["by"], float)) @ now
                continue
            pivot = np.array([*motion.get("about", now[:3, 3]), 0.0][:3], float)
            turn = matrix(make_rotation(motion.get("axis", (0, 0, 1)), share * motion["degrees"]))
            now = matrix(shift=pivot) @ turn @ matrix(shift=-pivot) @ now
        return now

    return pose


def end_of(entry: dict[str, Any]) -> float:
    motions = entry.get("motion", [])
    clock = 0.0
    for motion in [motions] if isinstance(motions, dict) else motions:
        last = motion["times"][-1] if motion["type"] == "keyframes" else motion["seconds"]
        clock += motion.get("start", 0.0) + last
    return clock


# --- URDF -----------------------------------------------------------------------------------------------


def origin_of(element: Any) -> Floats:
    found = element.find("origin")
    if found is None:
        return np.eye(4)
    numbers = {name: [float(x) for x in found.get(name, "0 0 0").split()] for name in ("xyz", "rpy")}
    return matrix(Rotation.from_euler("xyz", numbers["rpy"]), numbers["xyz"])


def urdf_shape(geometry: Any) -> Any:
    box, cylinder = geometry.find("box"), geometry.find("cylinder")
    if box is not None:
        return coal.Box(*(float(x) for x in box.get("size").split()))
    return coal.Cylinder(float(cylinder.get("radius")), float(cylinder.get("length")))


def robot(file: Path, trajectory: Path) -> tuple[list[Thing], float]:
    root: Any = Xml.parse(file).getroot()
    rows = list(csv.DictReader(trajectory.read_text().splitlines()))
    times = [float(row["time"]) for row in rows]
    joints = {joint.find("child").get("link"): joint for joint in root.iter("joint")}

    def pose(link: str, t: float) -> Floats:
        if link not in joints:
            return np.eye(4)
        joint = joints[link]
        value = float(np.interp(t, times, [float(row[joint.get("name")]) for row in rows]))
        axis = np.array([float(x) for x in joint.find("axis").get("xyz").split()])
        if joint.get("type") == "prismatic":
            own = matrix(shift=value * axis)
        else:
            own = matrix(Rotation.from_rotvec(value * axis))
        return pose(joint.find("parent").get("link"), t) @ origin_of(joint) @ own

    things = []
    for link in root.iter("link"):
        name = link.get("name", "")
        collision: Any = link.find("collision")
        parent = joints[name].find("parent").get("link") if name in joints else ""
        shape = urdf_shape(collision.find("geometry"))
        pose_at: Pose = lambda t, name=name: pose(name, t)  # type: ignore[misc]  # noqa: E731
        things.append(Thing(name, shape, origin_of(collision), pose_at, name in joints, frozenset([parent])))
    return things, times[-1]


# --- scenes ---------------------------------------------------------------------------------------------


def scene(file: Path) -> tuple[list[Thing], list[tuple[Thing, Thing]], float]:
    """Things, the pairs to check, and the duration."""
    document = tomllib.loads(file.read_text())
    things, duration = [], 0.0
    for include in document.get("include", []):
        links, end = robot(file.with_name(include["file"]), file.with_name(include["trajectory"]))
        things += links
        duration = max(duration, end)
    for body in document["body"]:
        shape, inside = shape_of(body["shape"])
        things.append(Thing(body["name"], shape, inside, pose_of(body), "motion" in body))
        duration = max(duration, end_of(body))
    rules, ignored = (
        [(rule["a"], rule["b"]) for rule in document.get(key, [])] for key in ("check", "ignore")
    )
    pairs = [
        (a, b)
        for a, b in itertools.combinations(things, 2)
        if (not rules or matches(a, b, rules)) and not matches(a, b, ignored)
        if a.name not in b.joined and b.name not in a.joined
    ]
    return things, pairs, duration


def matches(a: Thing, b: Thing, rules: list[tuple[str, str]]) -> bool:
    return any(
        fnmatch.fnmatchcase(x.name, rule[0]) and fnmatch.fnmatchcase(y.name, rule[1])
        for rule in rules
        for x, y in ((a, b), (b, a))
    )
