"""URDF robots and the trajectories of their joints.

Collision geometry only (box, cylinder, sphere, mesh); joints revolute, continuous, prismatic and fixed.
Between two rows of the trajectory every joint moves evenly, so each link makes a chain of turns and moves.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np

from ougi._typing import Floats
from ougi.motion import Chain, Motion, Pose, Rotation3d, Translation3d
from ougi.scene.files import KEYS, SCENE_BYTES, inside, read
from ougi.scene.meshes import read_mesh
from ougi.scene.model import Body, Piece, Scene, unused_name
from ougi.scene.problems import Findings, Problem, SceneError, did_you_mean, refused
from ougi.scene.scenefile import cylinder
from ougi.shapes import Box, Mesh, Shape, Sphere

_MOVING = ("revolute", "continuous", "prismatic")

# Radians or lengths: how far beyond a limit is rounding, as of digits in a file.
_ROUNDING = 1e-3


class _Element:
    """An XML element and the line on which it begins."""

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[_Element] = []

    def find(self, tag: str) -> _Element | None:
        return next(iter(self.all(tag)), None)

    def all(self, tag: str) -> list[_Element]:
        return [child for child in self.children if child.tag == tag]


def _tree(path: Path) -> _Element:
    """The root element. Document types, and with them entities, are refused before they can do anything."""
    raw = read(path, SCENE_BYTES)
    root = _Element("", {}, 0)
    stack = [root]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = _Element(tag, attributes, parser.CurrentLineNumber)
        if len(stack) > 100:
            raise refused(path.name, "elements are nested too deeply", element.line)
        stack[-1].children.append(element)
        stack.append(element)

    def doctype(*_: Any) -> None:
        raise refused(path.name, "a DOCTYPE is not allowed", parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        text = expat.errors.messages[error.code]
        raise refused(path.name, f"not valid XML: {text}", error.lineno) from None
    except SceneError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that expat does not know, or one of many bytes
        raise refused(path.name, f"{error}; save the file as UTF-8", parser.CurrentLineNumber) from None
    return root.children[0]


class _Joint(NamedTuple):
    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: Floats
    limits: Floats  # lower and upper; infinite where there are none
    line: int


def read_urdf(path: Path, trajectory: Path | None = None) -> Scene:
    """A robot, at rest at zero or moving along a trajectory."""
    robot = _tree(path)
    findings = Findings(path.name)
    if robot.tag != "robot":
        raise refused(path.name, f"a URDF begins with <robot>, this file with <{robot.tag}>", robot.line)
    reader = _Reader(findings, path.parent)
    links = reader.links(robot)
    joints = reader.joints(robot, links)
    order = _from_the_root(findings, links, joints)
    shapes = {name: list(reader.shapes(link)) for name, link in links.items()}
    if trajectory is None:
        findings.refuse()
        times, rows = [0.0], np.zeros((1, len(order)))
    else:
        times, rows = _trajectory(findings, trajectory, order)
        findings.refuse()
    if not any(shapes.values()):
        raise refused(
            path.name, "the robot has no collision shapes, so there is nothing to check", robot.line
        )
    return _scene(links, shapes, order, times, rows)


class _Reader:
    """Reads elements, and notes what is wrong with them."""

    def __init__(self, findings: Findings, folder: Path) -> None:
        self.findings, self.folder = findings, folder

    def links(self, robot: _Element) -> dict[str, _Element]:
        found: dict[str, _Element] = {}
        for link in robot.all("link"):
            name = link.attributes.get("name", "")
            if not name:
                self.findings.add(link.line, "a link needs a name")
            elif name in found:
                self.findings.add(
                    link.line, f"link {name!r}: line {found[name].line} has a link of this name"
                )
            else:
                found[name] = link
        if not found:
            self.findings.add(robot.line, "the robot has no links")
        return found

    def joints(self, robot: _Element, links: dict[str, _Element]) -> list[_Joint]:
        found: dict[str, _Joint] = {}
        for element in robot.all("joint"):
            joint = self.joint(element, links)
            if joint is None:
                continue
            if joint.name in found:
                text = f"joint {joint.name!r}: line {found[joint.name].line} has a joint of this name"
                self.findings.add(element.line, text)
            found.setdefault(joint.name, joint)
        return list(found.values())

    def joint(self, element: _Element, links: dict[str, _Element]) -> _Joint | None:
        name, kind = element.attributes.get("name", ""), element.attributes.get("type", "")
        label, before = f"joint {name!r}", len(self.findings.problems)
        if kind not in (*_MOVING, "fixed"):
            hint = did_you_mean(kind, (*_MOVING, "fixed"))
            self.findings.add(element.line, f"{label}: the type {kind!r} is not supported{hint}")
        if element.find("mimic") is not None:
            self.findings.add(element.line, f"{label}: mimic is not supported; give it a column of its own")
        ends = []
        for tag in ("parent", "child"):
            end = element.find(tag)
            link = end.attributes.get("link", "") if end else ""
            if link not in links:
                self.findings.add(
                    element.line, f"{label}: there is no link {link!r}{did_you_mean(link, links)}"
                )
            ends.append(link)
        axis = self.numbers(element.find("axis"), "xyz", [1.0, 0.0, 0.0], label)
        if kind in _MOVING and not axis.any():
            self.findings.add(element.line, f"{label}: the axis must not be zero")
        origin, limits = self.origin(element, label), self.limits(element, kind, label)
        if len(self.findings.problems) > before:
            return None
        unit = axis / (np.linalg.norm(axis) or 1.0)
        return _Joint(name, kind, ends[0], ends[1], origin, unit, limits, element.line)

    def limits(self, element: _Element, kind: str, label: str) -> Floats:
        """How far a joint may go; one that says nothing, and a continuous one, as far as it likes."""
        limit = element.find("limit")
        if limit is None or kind == "continuous" or not {"lower", "upper"} & limit.attributes.keys():
            return np.array([-np.inf, np.inf])
        return np.concatenate([self.numbers(limit, key, [0.0], label) for key in ("lower", "upper")])

    def origin(self, element: _Element, label: str) -> Pose:
        """The pose of an <origin>: xyz, and roll, pitch and yaw about the fixed axes."""
        origin = element.find("origin")
        place = self.numbers(origin, "xyz", [0.0, 0.0, 0.0], label)
        angles = self.numbers(origin, "rpy", [0.0, 0.0, 0.0], label)
        x, y, z = (
            Rotation3d([0, 0, 0], axis, angle).at(1.0).rotation
            for axis, angle in zip(np.eye(3), angles, strict=True)
        )
        return Pose(place, z @ y @ x)

    def numbers(self, element: _Element | None, key: str, default: list[float], label: str) -> Floats:
        """Numbers of an attribute; the default if it is not there, or not what it should be."""
        if element is None or key not in element.attributes:
            return np.array(default)
        text = element.attributes[key]
        try:
            found = np.array([float(word) for word in text.split()])
        except ValueError:
            found = np.empty(0)
        if len(found) != len(default) or not np.isfinite(found).all() or np.abs(found).max() > 1e60:
            count = len(default)
            self.findings.add(element.line, f"{label}: {key} must be {count} finite numbers, got {text!r}")
            return np.array(default)
        return found

    def shapes(self, link: _Element) -> Iterator[Shape]:
        """The collision shapes of a link, in its frame."""
        label = f"link {link.attributes.get('name', '')!r}"
        for collision in link.all("collision"):
            geometry = collision.find("geometry")
            inner = geometry.children[0] if geometry and geometry.children else None
            if inner is None:
                self.findings.add(collision.line, f"{label}: a collision needs a geometry")
                continue
            try:
                yield self.shape(inner, label).transformed(self.origin(collision, label))
            except ValueError as error:
                self.findings.add(inner.line, f"{label}: {error}")

    def shape(self, element: _Element, label: str) -> Shape:
        if element.tag == "box":
            return Box([0, 0, 0], self.needed(element, "size", 3, label))
        if element.tag == "sphere":
            return Sphere([0, 0, 0], self.needed(element, "radius", 1, label)[0])
        if element.tag == "cylinder":
            radius, length = (float(self.needed(element, key, 1, label)[0]) for key in ("radius", "length"))
            return cylinder(radius, length)
        if element.tag == "mesh":
            return self.mesh(element, label)
        known = ("box", "cylinder", "sphere", "mesh")
        raise ValueError(f"the geometry {element.tag!r} is not supported{did_you_mean(element.tag, known)}")

    def needed(self, element: _Element, key: str, count: int, label: str) -> Floats:
        if key not in element.attributes:
            raise ValueError(f"a {element.tag} needs {key}")
        return self.numbers(element, key, [1.0] * count, label)

    def mesh(self, element: _Element, label: str) -> Mesh:
        if "filename" not in element.attributes:
            raise ValueError("a mesh needs a filename")
        mesh = read_mesh(self.found(element.attributes["filename"]))
        return Mesh(mesh.vertices * self.numbers(element, "scale", [1.0, 1.0, 1.0], label), mesh.faces)

    def found(self, name: str) -> Path:
        """A file of the folder; of package://name/path the folder is the package, or holds it."""
        if not name.startswith("package://"):
            return inside(self.folder, name)
        package, _, rest = name.removeprefix("package://").partition("/")
        try:
            return inside(self.folder, rest)
        except ValueError:
            return inside(self.folder, f"{package}/{rest}")


def _from_the_root(findings: Findings, links: dict[str, _Element], joints: list[_Joint]) -> list[_Joint]:
    """Joints with parents before children; loops and second parents are noted."""
    above: dict[str, _Joint] = {}
    for joint in joints:
        if joint.child in above:
            text = (
                f"link {joint.child!r} has two parents, by {above[joint.child].name!r} and by {joint.name!r}"
            )
            findings.add(joint.line, text)
        above.setdefault(joint.child, joint)
    order: list[_Joint] = []
    reached = [name for name in links if name not in above]
    for link in reached:
        below = [joint for joint in joints if joint.parent == link and above[joint.child] is joint]
        order.extend(below)
        reached.extend(joint.child for joint in below)
    for name in links:
        if name not in reached:
            findings.add(above[name].line, f"link {name!r} is part of a loop of joints")
    return order


def _trajectory(findings: Findings, path: Path, joints: list[_Joint]) -> tuple[list[float], Floats]:
    """Times, and a column for each joint; joints without a column stay at zero."""
    notes = Findings(path.name)
    text = read(path, SCENE_BYTES).decode("utf-8-sig", errors="replace")
    reader = csv.reader(io.StringIO(text, newline=None))  # whatever ends its lines
    try:
        rows = list(reader)
    except csv.Error as error:
        findings.problems.append(Problem(path.name, reader.line_num, f"not valid CSV: {error}"))
        return [0.0], np.zeros((1, len(joints)))
    header = [word.strip() for word in rows[0]] if rows else []
    movable = [joint.name for joint in joints if joint.kind in _MOVING]
    if "time" not in header:
        notes.add(1, "there must be a column 'time'")
    for word in header:
        if word != "time" and word not in movable:
            notes.add(1, f"there is no joint {word!r} that moves{did_you_mean(word, movable)}")
        if header.count(word) > 1:
            notes.add(1, f"the column {word!r} is there twice")
    if len(rows) > KEYS:
        notes.add(0, f"{len(rows)} rows are more than the {KEYS} allowed")
        rows = rows[:1]
    lines = [k for k, row in enumerate(rows) if row and k]
    values = [_numbers(notes, rows[k], k + 1, header) for k in lines]
    if not values:
        notes.add(0, "there are no rows")
    findings.problems.extend(notes.problems)
    if notes.problems:
        return [0.0], np.zeros((1, len(joints)))
    table = np.array(values)
    times = table[:, header.index("time")]
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late) or times[0] < 0:
        notes.add(lines[int(late[0]) + 1 if len(late) else 0] + 1, "times must increase, from 0 on")
        findings.problems.extend(notes.problems)
    columns = [table[:, header.index(j.name)] if j.name in header else np.zeros(len(table)) for j in joints]
    for joint, column in zip(joints, columns, strict=True):
        if joint.name in header:
            _warn_beyond(path.name, joint, column, lines)
    return times.tolist(), np.stack(columns, axis=1) if joints else np.zeros((len(table), 0))


def _warn_beyond(file: str, joint: _Joint, values: Floats, lines: list[int]) -> None:
    """Say where a joint first leaves its limits. It is followed there; but degrees look like that."""
    lower, upper = joint.limits
    beyond = np.flatnonzero((values < lower - _ROUNDING) | (values > upper + _ROUNDING))
    if len(beyond):
        k = int(beyond[0])
        unit = "" if joint.kind == "prismatic" else " radians"
        text = f"joint {joint.name!r} is at {values[k]:g}, beyond its limits, {lower:g} to {upper:g}{unit}"
        warnings.warn(f"{file}:{lines[k] + 1}: {text}", stacklevel=5)  # for the caller of load_scene


def _numbers(notes: Findings, row: list[str], line: int, header: list[str]) -> list[float]:
    """The numbers of a row of the trajectory."""
    if len(row) != len(header):
        notes.add(line, f"a row must have {len(header)} cells, got {len(row)}")
        return [0.0] * len(header)
    numbers = []
    for name, cell in zip(header, row, strict=True):
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            notes.add(line, f"{name} must be a finite number, got {cell!r}")
        numbers.append(number)
    return numbers


# --- the scene ------------------------------------------------------------------------------------------


def _scene(
    links: dict[str, _Element],
    shapes: dict[str, list[Shape]],
    joints: list[_Joint],
    times: list[float],
    rows: Floats,
) -> Scene:
    above = {joint.child: joint for joint in joints}
    number = {joint.name: k for k, joint in enumerate(joints)}
    carriers = _carriers(links, above)
    start = _placed(links, joints, dict(zip(number, rows[0], strict=True)))
    bodies, labels = [], set(links)
    for name in links:
        pieces = _pieces(_path(name, above), number, times, rows)
        for k, shape in enumerate(shapes[name]):
            label = name if len(shapes[name]) == 1 else unused_name(f"{name} ({k + 1})", labels)
            here, line = shape.transformed(start[name]), links[name].line
            bodies.append(Body(label, here, pieces, carrier=carriers[name], line=line))
    near = {
        (carriers[j.parent], carriers[j.child]) for j in joints if carriers[j.parent] != carriers[j.child]
    }
    apart = frozenset(
        (i, k)
        for (i, a), (k, b) in itertools.combinations(enumerate(bodies), 2)
        if (a.carrier, b.carrier) in near or (b.carrier, a.carrier) in near
    )
    return Scene(tuple(bodies), apart=apart, duration=times[-1])


def _carriers(links: dict[str, _Element], above: dict[str, _Joint]) -> dict[str, str]:
    """The rigid assembly of each link: its own below a joint that can move, else that of its parent."""
    found = {}
    for name in links:
        at = name
        while at in above and above[at].kind == "fixed":
            at = above[at].parent
        found[name] = at
    return found


def _placed(links: dict[str, _Element], joints: list[_Joint], values: dict[str, float]) -> dict[str, Pose]:
    """The pose of each link."""
    children = {joint.child for joint in joints}
    poses = {name: Pose(np.zeros(3)) for name in links if name not in children}
    for joint in joints:
        poses[joint.child] = poses[joint.parent] @ joint.origin @ _own(joint, values[joint.name])
    return poses


def _own(joint: _Joint, value: Any) -> Pose:
    """What a joint adds to its origin."""
    return _moved(joint, value).at(1.0)


def _moved(joint: _Joint, value: Any) -> Motion:
    """The motion of a joint by this much, in its own frame; a batch for an array."""
    if joint.kind in ("revolute", "continuous"):
        return Rotation3d([0.0, 0.0, 0.0], joint.axis, value)
    return Translation3d(joint.axis * np.multiply(value, joint.kind == "prismatic")[..., None])


def _path(link: str, above: dict[str, _Joint]) -> list[_Joint]:
    """The joints from the root to a link."""
    path: list[_Joint] = []
    while link in above:
        path.append(above[link])
        link = above[link].parent
    return path[::-1]


def _pieces(
    path: list[_Joint], number: dict[str, int], times: list[float], rows: Floats
) -> tuple[Piece, ...]:
    """The motions of a link: those of all joints above it, where they are at each row of the trajectory.

    All rows at once; those in which the same joints move are one batch of chains.
    """
    before, after = (side[:, [number[joint.name] for joint in path]] for side in (rows[:-1], rows[1:]))
    moving = (before != after) & np.array([joint.kind in _MOVING for joint in path], np.bool_)
    frame = Pose(np.zeros((len(before), 3)))
    factors: list[Motion] = []
    for joint, start, stop in zip(path, before.T, after.T, strict=True):
        frame = frame @ joint.origin
        factors.append(_moved(joint, stop - start).placed(frame))
        frame = frame @ _own(joint, start)
    found: list[tuple[int, Motion]] = []
    for pattern in np.unique(moving[moving.any(axis=1)], axis=0):
        alike = np.flatnonzero((moving == pattern).all(axis=1))
        parts = [factor[alike] for factor, moves in zip(factors, pattern, strict=True) if moves]
        way = parts[0] if len(parts) == 1 else Chain(*parts)
        found.extend(zip(alike.tolist(), way, strict=True))
    return tuple(Piece(times[k], times[k + 1], way) for k, way in sorted(found, key=lambda row: row[0]))
