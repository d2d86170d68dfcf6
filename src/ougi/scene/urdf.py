"""URDF robots.

Collision geometry only (box, cylinder, sphere, mesh); joints revolute, continuous, prismatic and fixed.
Between two rows of the trajectory every joint moves evenly, so each link makes a chain of turns and moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np

from ougi import _check
from ougi._typing import Floats, Ints
from ougi.motion import Motion, Pose, Rotation3d, Translation3d
from ougi.scene.file_access import read_bytes, resolve_inside
from ougi.scene.limits import Budget, LimitError
from ougi.scene.meshes import MeshFiles
from ougi.scene.model import Body, Piece, Scene, make_unique_name
from ougi.scene.problems import Findings, SceneError, scene_error, suggest_name
from ougi.scene.scene_file import build_cylinder, build_euler_matrices
from ougi.scene.spans import MotionGroups, build_pieces
from ougi.scene.trajectory import MOVING, Joint, read_trajectory
from ougi.scene.units import Placement
from ougi.shapes import Box, Mesh, Shape, Sphere

_IDENTITY = Pose(np.zeros(3))


class _Element:
    """An XML element and the line on which it begins."""

    __slots__ = ("attributes", "children", "line", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[_Element] = []

    def find(self, tag: str) -> _Element | None:
        return next(iter(self.find_all(tag)), None)

    def find_all(self, tag: str) -> list[_Element]:
        return [child for child in self.children if child.tag == tag]


def _parse_xml(path: Path, budget: Budget) -> _Element:
    """The root element. Document types, and with them entities, are refused before they can do anything."""
    raw = read_bytes(path, budget, "scene_bytes")
    root = _Element("", {}, 0)
    stack = [root]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = _Element(tag, attributes, parser.CurrentLineNumber)
        budget.take("elements", 1, "the number of XML elements")
        if len(stack) > 100:
            raise scene_error(path.name, "elements are nested too deeply", element.line)
        stack[-1].children.append(element)
        stack.append(element)

    def doctype(*_: Any) -> None:
        raise scene_error(path.name, "a DOCTYPE is not allowed", parser.CurrentLineNumber)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as error:
        text = expat.errors.messages[error.code]
        raise scene_error(path.name, f"not valid XML: {text}", error.lineno) from None
    except SceneError:
        raise
    except LimitError as error:
        raise scene_error(path.name, str(error)) from None
    except (LookupError, ValueError) as error:  # an encoding that expat does not know, or one of many bytes
        raise scene_error(path.name, f"{error}; save the file as UTF-8", parser.CurrentLineNumber) from None
    return root.children[0]


def read_urdf(path: Path, trajectory: Path | None, budget: Budget, placement: Placement) -> Scene:
    """A robot, at rest at zero or moving along a trajectory."""
    robot = _parse_xml(path, budget)
    findings = Findings(path.name)
    if robot.tag != "robot":
        raise scene_error(path.name, f"a URDF begins with <robot>, this file with <{robot.tag}>", robot.line)
    reader = _Reader(findings, path.parent, budget, placement.scale)
    links = reader.read_links(robot)
    joints = reader.read_joints(robot, links)
    order = _sort_from_root(findings, links, joints)
    shapes = {name: list(reader.read_shapes(link)) for name, link in links.items()}
    if trajectory is None:
        findings.raise_if_any()
        times, rows = [0.0], np.zeros((1, len(order)))
    else:
        times, rows = read_trajectory(findings, trajectory, order, budget)
        findings.raise_if_any()
    if not any(shapes.values()):
        raise scene_error(
            path.name, "the robot has no collision shapes, so there is nothing to check", robot.line
        )
    try:
        budget.take("bodies", sum(map(len, shapes.values())), "the number of collision shapes")
        rows[:, [joint.type == "prismatic" for joint in order]] *= placement.scale
        return _build_scene(links, shapes, order, times, rows, budget, placement.frame)
    except ValueError as error:  # beyond a limit, or beyond the numbers that shapes and motions have
        raise scene_error(path.name, str(error)) from None


class _Reader:
    """Reads elements, and notes what is wrong with them."""

    def __init__(self, findings: Findings, folder: Path, budget: Budget, scale: float) -> None:
        self.findings, self.folder = findings, folder
        self.scale = scale  # of all lengths, from metres to the units of the scene
        self.meshes = MeshFiles(budget)

    def read_links(self, robot: _Element) -> dict[str, _Element]:
        found: dict[str, _Element] = {}
        for link in robot.find_all("link"):
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

    def read_joints(self, robot: _Element, links: dict[str, _Element]) -> list[Joint]:
        found: dict[str, Joint] = {}
        for element in robot.find_all("joint"):
            joint = self.read_joint(element, links)
            if joint is None:
                continue
            if joint.name in found:
                text = f"joint {joint.name!r}: line {found[joint.name].line} has a joint of this name"
                self.findings.add(element.line, text)
            found.setdefault(joint.name, joint)
        return list(found.values())

    def read_joint(self, element: _Element, links: dict[str, _Element]) -> Joint | None:
        name, type = element.attributes.get("name", ""), element.attributes.get("type", "")
        label, before = f"joint {name!r}", len(self.findings.problems)
        if type not in (*MOVING, "fixed"):
            hint = suggest_name(type, (*MOVING, "fixed"))
            self.findings.add(element.line, f"{label}: the type {type!r} is not supported{hint}")
        if element.find("mimic") is not None:
            self.findings.add(element.line, f"{label}: mimic is not supported; give it a column of its own")
        ends = []
        for tag in ("parent", "child"):
            end = element.find(tag)
            link = end.attributes.get("link", "") if end else ""
            if link not in links:
                self.findings.add(
                    element.line, f"{label}: there is no link {link!r}{suggest_name(link, links)}"
                )
            ends.append(link)
        axis = self.read_numbers(element.find("axis"), "xyz", [1.0, 0.0, 0.0], label)
        if type in MOVING and not axis.any():
            self.findings.add(element.line, f"{label}: the axis must not be zero")
        origin, limits = self.read_origin(element, label), self.read_limits(element, type, label)
        if len(self.findings.problems) > before:
            return None
        unit = axis / (np.linalg.norm(axis) or 1.0)
        return Joint(name, type, ends[0], ends[1], origin, unit, limits, element.line)

    def read_limits(self, element: _Element, type: str, label: str) -> Floats:
        """Lower and upper limit; infinite for a continuous joint and where the file gives none."""
        limit = element.find("limit")
        if limit is None or type == "continuous" or not {"lower", "upper"} & limit.attributes.keys():
            return np.array([-np.inf, np.inf])
        return np.concatenate([self.read_numbers(limit, key, [0.0], label) for key in ("lower", "upper")])

    def read_origin(self, element: _Element, label: str) -> Pose:
        """The pose of an <origin>: xyz, and roll, pitch and yaw about the fixed axes."""
        origin = element.find("origin")
        if origin is None:
            return _IDENTITY
        place = self.scale * self.read_numbers(origin, "xyz", [0.0, 0.0, 0.0], label)
        angles = self.read_numbers(origin, "rpy", [0.0, 0.0, 0.0], label)
        return Pose(place, build_euler_matrices(angles) if angles.any() else None)

    def read_numbers(self, element: _Element | None, key: str, default: list[float], label: str) -> Floats:
        """Numbers of an attribute; the default if it is not there, or not what it should be."""
        if element is None or key not in element.attributes:
            return np.array(default)
        text = element.attributes[key]
        try:
            found = np.array([float(word) for word in text.split()])
        except ValueError:
            found = np.empty(0)
        if (
            len(found) != len(default)
            or not np.isfinite(found).all()
            or np.abs(found).max() > _check.MAX_LENGTH
        ):
            count = len(default)
            self.findings.add(element.line, f"{label}: {key} must be {count} finite numbers, got {text!r}")
            return np.array(default)
        return found

    def read_shapes(self, link: _Element) -> Iterator[Shape]:
        """The collision shapes of a link, in its frame."""
        label = f"link {link.attributes.get('name', '')!r}"
        for collision in link.find_all("collision"):
            geometry = collision.find("geometry")
            inner = geometry.children[0] if geometry and geometry.children else None
            if inner is None:
                self.findings.add(collision.line, f"{label}: a collision needs a geometry")
                continue
            try:
                origin = self.read_origin(collision, label)
                shape = self.read_shape(inner, label)
                yield shape if origin is _IDENTITY else shape.transformed(origin)
            except ValueError as error:
                self.findings.add(inner.line, f"{label}: {error}")

    def read_shape(self, element: _Element, label: str) -> Shape:
        if element.tag == "box":
            return Box([0, 0, 0], self.read_lengths(element, "size", 3, label))
        if element.tag == "sphere":
            return Sphere([0, 0, 0], self.read_lengths(element, "radius", 1, label)[0])
        if element.tag == "cylinder":
            radius, length = (
                float(self.read_lengths(element, key, 1, label)[0]) for key in ("radius", "length")
            )
            return build_cylinder(radius, length)
        if element.tag == "mesh":
            return self.read_mesh(element, label)
        known = ("box", "cylinder", "sphere", "mesh")
        raise ValueError(f"the geometry {element.tag!r} is not supported{suggest_name(element.tag, known)}")

    def read_lengths(self, element: _Element, key: str, count: int, label: str) -> Floats:
        """Lengths that a shape must have."""
        if key not in element.attributes:
            raise ValueError(f"a {element.tag} needs {key}")
        return self.scale * self.read_numbers(element, key, [1.0] * count, label)

    def read_mesh(self, element: _Element, label: str) -> Mesh:
        if "filename" not in element.attributes:
            raise ValueError("a mesh needs a filename")
        scale = self.scale * self.read_numbers(element, "scale", [1.0, 1.0, 1.0], label)
        return self.meshes.read(self.find_file(element.attributes["filename"]), scale)

    def find_file(self, name: str) -> Path:
        """A file of the folder; of package://name/path the folder is the package, or holds it."""
        if not name.startswith("package://"):
            return resolve_inside(self.folder, name)
        package, _, rest = name.removeprefix("package://").partition("/")
        try:
            return resolve_inside(self.folder, rest)
        except ValueError:
            return resolve_inside(self.folder, f"{package}/{rest}")


def _sort_from_root(findings: Findings, links: dict[str, _Element], joints: list[Joint]) -> list[Joint]:
    """Joints with parents before children; loops and second parents are noted."""
    above: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in above:
            text = (
                f"link {joint.child!r} has two parents, by {above[joint.child].name!r} and by {joint.name!r}"
            )
            findings.add(joint.line, text)
        above.setdefault(joint.child, joint)
    below: dict[str, list[Joint]] = {}
    for joint in above.values():
        below.setdefault(joint.parent, []).append(joint)
    order: list[Joint] = []
    reached = [name for name in links if name not in above]
    for link in reached:
        order.extend(below.get(link, ()))
        reached.extend(joint.child for joint in below.get(link, ()))
    found = set(reached)
    for name in links:
        if name not in found:
            findings.add(above[name].line, f"link {name!r} is part of a loop of joints")
    return order


# --- the scene ------------------------------------------------------------------------------------------


def _build_scene(
    links: dict[str, _Element],
    shapes: dict[str, list[Shape]],
    joints: list[Joint],
    times: list[float],
    rows: Floats,
    budget: Budget,
    frame: Pose,
) -> Scene:
    """Bodies for all shapes; joints are in order, parents before children, with a column of `rows` each."""
    carriers = _find_carriers(links, joints)
    start = _place_links(links, joints, rows[0].tolist(), frame)
    pieces = _build_link_pieces(shapes, joints, times, rows, budget, frame)
    bodies: list[Body] = []
    names = dict.fromkeys(links, 1)
    for name, link in links.items():
        for k, shape in enumerate(shapes[name]):
            label = name if len(shapes[name]) == 1 else make_unique_name(f"{name} ({k + 1})", names)
            if k:  # the pieces of the first shape were counted when they were built
                budget.take("motions", len(pieces.get(name, ())), f"the motions of {label!r}")
            here = shape.transformed(start[name])
            bodies.append(Body(label, here, pieces.get(name, ()), carrier=carriers[name], line=link.line))
    neighbours = _list_neighbours(bodies, {(carriers[j.parent], carriers[j.child]) for j in joints}, budget)
    return Scene(tuple(bodies), neighbours=neighbours, duration=times[-1])


def _list_neighbours(
    bodies: list[Body], near: set[tuple[str, str]], budget: Budget
) -> frozenset[tuple[int, int]]:
    """The pairs of bodies on carriers that are connected by a joint, the smaller index first."""
    on: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        on.setdefault(body.carrier, []).append(k)
    pairs: set[tuple[int, int]] = set()
    for a, b in near:
        if a != b and a in on and b in on:
            budget.take("excluded_pairs", len(on[a]) * len(on[b]), f"the shapes of {a!r} and {b!r}")
            pairs.update((min(i, k), max(i, k)) for i in on[a] for k in on[b])
    return frozenset(pairs)


def _find_carriers(links: dict[str, _Element], joints: list[Joint]) -> dict[str, str]:
    """The rigid assembly of each link: its own below a joint that can move, else that of its parent."""
    found = {name: name for name in links}
    for joint in joints:
        if joint.type == "fixed":
            found[joint.child] = found[joint.parent]
    return found


def _place_links(
    links: dict[str, _Element], joints: list[Joint], values: list[float], frame: Pose
) -> dict[str, Pose]:
    """The pose of each link; `frame` is that of the roots."""
    poses = dict.fromkeys(links, frame)
    for joint, value in zip(joints, values, strict=True):
        pose = poses[joint.parent] @ joint.origin
        poses[joint.child] = pose @ _joint_pose(joint, value) if value else pose
    return poses


def _joint_pose(joint: Joint, value: Any) -> Pose:
    """What a joint adds to its origin."""
    return _joint_motion(joint, value).at(1.0)


def _joint_motion(joint: Joint, value: Any) -> Motion:
    """The motion of a joint by this much, in its own frame; a batch for an array."""
    if joint.type in ("revolute", "continuous"):
        return Rotation3d([0.0, 0.0, 0.0], joint.axis, value)
    return Translation3d(joint.axis * np.multiply(value, joint.type == "prismatic")[..., None])


class _LinkMotion(NamedTuple):
    """A link below joints that move: where it is at the start of each span, and its motions."""

    frame: Pose
    groups: MotionGroups
    pieces: tuple[Piece, ...]
    depth: int  # how many joints above it move


def _build_link_pieces(
    shapes: dict[str, list[Shape]],
    joints: list[Joint],
    times: list[float],
    rows: Floats,
    budget: Budget,
    root: Pose,
) -> dict[str, tuple[Piece, ...]]:
    """The motions of links by all joints above them, from each row of the trajectory to the next.

    Rows in which the same joints move are one batch of chains. A link begins with the motions of its parent,
    and shares them if it is fixed to it. Links that do not move, and links without shapes on them or below,
    are not in the result.
    """
    count = len(times) - 1
    moves = (rows != rows[0]).any(axis=0)
    needed = {name for name, own in shapes.items() if own}
    rigid = set(needed)  # links with shapes on them, or on links that do not move relative to them
    for k, joint in reversed(list(enumerate(joints))):
        if joint.child in needed:
            needed.add(joint.parent)
        if joint.child in rigid and not moves[k]:
            rigid.add(joint.parent)
    still = _LinkMotion(root, MotionGroups(count), (), 0)
    motions: dict[str, _LinkMotion] = {}
    for k, joint in enumerate(joints):
        if joint.child not in needed:
            continue
        above, is_moving = motions.get(joint.parent, still), bool(moves[k] and joint.type in MOVING)
        depth = above.depth + is_moving
        if depth:
            cost = count * (depth if is_moving else 1)
            budget.take(
                "motions", cost, f"the trajectory of link {joint.child!r}, {count:,} rows times joints"
            )
        frame = above.frame @ joint.origin
        if not is_moving:
            own = _joint_pose(joint, rows[0, k]) if rows[0, k] else _IDENTITY
            motions[joint.child] = above._replace(frame=frame @ own)
            continue
        motions[joint.child] = _extend(above, joint, frame, rows[:, k], times, joint.child in rigid)
    return {name: motion.pieces for name, motion in motions.items()}


def _extend(
    above: _LinkMotion, joint: Joint, frame: Pose, values: Floats, times: list[float], has_shapes: bool
) -> _LinkMotion:
    """The motion of the child of a joint that moves; `frame` is where the joint is."""
    if not frame.shape:
        frame = Pose(
            np.broadcast_to(frame.position, (len(values) - 1, 3)),
            np.broadcast_to(frame.rotation, (len(values) - 1, 3, 3)),
        )
    steps = np.diff(values)

    def place_motion(is_moving: int, rows: Ints) -> list[Motion]:
        return [_joint_motion(joint, steps[rows]).placed(frame[rows])] if is_moving else []

    groups = above.groups.extended((steps != 0).astype(np.int64), place_motion)
    if has_shapes:
        groups = groups.combined()
    pieces = build_pieces(times, groups.motions()) if has_shapes else ()
    return _LinkMotion(frame @ _joint_pose(joint, values[:-1]), groups, pieces, above.depth + 1)
