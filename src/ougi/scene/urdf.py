"""URDF robots: links with their collision shapes, and joints of all types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.errors import MissingExtraError
from ougi.motion import Pose
from ougi.scene.colors import format_color
from ougi.scene.file_access import read_bytes
from ougi.scene.limits import Budget, LimitError
from ougi.scene.meshes import MeshFiles
from ougi.scene.model import Scene
from ougi.scene.options import LoadOptions
from ougi.scene.packages import PackageFinder
from ougi.scene.problems import MJCF_ADVICE, Findings, Problem, scene_error, suggest_name, warn_user
from ougi.scene.robot import IDENTITY, Joint, Link, build_robot_scene, list_freedoms
from ougi.scene.scene_file import build_cylinder, build_euler_matrices
from ougi.scene.srdf import read_srdf
from ougi.scene.trajectory import Freedom, Mimic, fill_mimics, read_trajectory
from ougi.scene.units import Placement
from ougi.scene.xml_tree import Element, parse_xml
from ougi.shapes import Box, Capsule3d, HalfSpace3d, Mesh, Shape, Sphere

_SINGLE = ("revolute", "continuous", "prismatic")

# Joints of several degrees of freedom, in the order in which they are applied: column, is it a rotation,
# axis. A planar joint moves across its axis, which these axes take for z.
_X, _Y, _Z = np.eye(3)
_TURNS = (("yaw", True, _Z), ("pitch", True, _Y), ("roll", True, _X))
COMPOUND = {
    "planar": (("x", False, _X), ("y", False, _Y), ("theta", True, _Z)),
    "floating": (("x", False, _X), ("y", False, _Y), ("z", False, _Z), *_TURNS),
    "spherical": _TURNS,
}
_TYPES = (*_SINGLE, "fixed", *COMPOUND)

# Tags by the element that they stand in: those of URDF, and common ones that do not change a shape.
_TAGS = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "ros2_control", "sensor"),
    "link": ("collision", "visual", "inertial", "contact"),
    "joint": (
        "parent",
        "child",
        "origin",
        "axis",
        "limit",
        "mimic",
        "dynamics",
        "calibration",
        "safety_controller",
    ),
    "collision": ("geometry", "origin", "material"),
}

UNLIMITED = np.array([-np.inf, np.inf])


class RobotModel(NamedTuple):
    """What a URDF and its SRDF hold: links by name, joints from the root on, and disabled pairs of links."""

    name: str
    links: dict[str, Link]
    joints: list[Joint]
    disabled: set[tuple[str, str]]


def read_robot(path: Path, options: LoadOptions, budget: Budget) -> RobotModel:
    """A robot without a configuration."""
    reader, root, links, joints = _read_tree(path, options, budget, 1.0)
    moving = set[str]()
    for joint in joints:
        if joint.freedoms or joint.parent in moving:
            moving.add(joint.child)
        if joint.child in moving and any(isinstance(s, HalfSpace3d) for s in links[joint.child].shapes):
            text = f"link {joint.child!r}: a plane has no end, so the link must not move"
            reader.findings.add(links[joint.child].line, text)
    reader.findings.raise_if_any()
    _warn_without_shapes(path.name, root, links)
    name = root.attributes.get("name", "")
    return RobotModel(name, links, joints, _read_disabled(path, options, name, links, budget))


def _read_tree(
    path: Path, options: LoadOptions, budget: Budget, scale: float
) -> tuple[_UrdfReader, Element, dict[str, Link], list[Joint]]:
    """Links and joints; the reader has collected what is wrong with them."""
    finder = PackageFinder(path, options.packages)
    content = read_bytes(path, budget, "scene_bytes")
    if path.suffix.lower() == ".xacro":
        content = _expand_xacro(path, options)
    root = parse_xml(content, path.name, budget)
    if root.tag == "mujoco":
        raise scene_error(path.name, MJCF_ADVICE, root.line)
    if root.tag != "robot":
        raise scene_error(path.name, f"a URDF begins with <robot>, this file with <{root.tag}>", root.line)
    _warn_unknown_tags(path.name, root)
    reader = _UrdfReader(Findings(path.name), finder, budget, scale, options.skip_unsupported)
    links = reader.read_links(root)
    joints = _sort_from_root(reader.findings, links, reader.read_joints(root, links))
    reader.report_joints(links, joints)
    joints = _check_mimics(reader.findings, joints)
    return reader, root, links, joints


def _warn_unknown_tags(file: str, root: Element) -> None:
    """Warn once of each tag that is not known where it stands: it may be a misspelt `collision`."""
    warned = set[tuple[str, str]]()
    links = root.find_all("link")
    collisions = [each for link in links for each in link.find_all("collision")]
    for element in (root, *links, *root.find_all("joint"), *collisions):
        for child in element.children:
            known, place = _TAGS[element.tag], (element.tag, child.tag)
            if child.tag not in known and ":" not in child.tag and place not in warned:
                warned.add(place)
                text = f"unknown tag {child.tag!r} in a {element.tag}{suggest_name(child.tag, known)}"
                warn_user(file, text, child.line)


def _warn_without_shapes(file: str, root: Element, links: dict[str, Link]) -> None:
    if not any(link.shapes for link in links.values()):
        warn_user(file, "the robot has no collision shapes, so there is nothing to check", root.line)


def read_urdf(path: Path, options: LoadOptions, budget: Budget, placement: Placement) -> Scene:
    """A robot, at rest at zero or moving along a trajectory."""
    reader, root, links, joints = _read_tree(path, options, budget, placement.scale)
    findings = reader.findings
    freedoms = list_freedoms(joints)
    if options.trajectory is None:
        findings.raise_if_any()
        times, rows = [0.0], np.zeros((1, len(freedoms)))
        fill_mimics(rows, freedoms)
    else:
        times, rows = read_trajectory(findings, options.trajectory, freedoms, budget)
        findings.raise_if_any()
    _warn_without_shapes(path.name, root, links)
    disabled = _read_disabled(path, options, root.attributes.get("name", ""), links, budget)
    try:
        count = sum(len(link.shapes) for link in links.values())
        budget.take("bodies", count, "the number of collision shapes")
        rows[:, [not freedom.is_rotation for freedom in freedoms]] *= placement.scale
        scene = build_robot_scene(links, joints, times, rows, placement.frame, budget, disabled)
        return replace(scene, skipped=tuple(reader.skipped))
    except ValueError as error:  # beyond a limit, or beyond the numbers that shapes and motions have
        raise scene_error(path.name, str(error)) from None


def _expand_xacro(path: Path, options: LoadOptions) -> bytes:
    """The URDF that a xacro file makes. Xacro evaluates Python expressions, so the user must allow it."""
    if not options.run_xacro:
        raise scene_error(
            path.name,
            "a xacro file runs Python expressions and reads other files; if you trust it, expand it by "
            "--run-xacro, or in Python by run_xacro=True",
        )
    try:
        import xacro
        import xacrodoc
    except ImportError:
        raise MissingExtraError("robot", f"reading {path.name}") from None
    # Both keep packages and files of earlier calls, and files that are included without a folder would be
    # searched in the working directory.
    xacrodoc.packages.reset()
    xacrodoc.packages.update_package_cache({name: str(folder) for name, folder in options.packages.items()})
    xacro.init_stacks(str(path.resolve()))
    try:
        text: str = xacrodoc.XacroDoc.from_file(str(path), resolve_packages=False).to_urdf_string()
    except Exception as error:  # whatever the expressions of a file raise
        cause = getattr(error, "exc", error)
        if isinstance(cause, xacrodoc.packages.PackageNotFoundError):
            name = cause.args[0]
            found = f"there is no package {name!r}; give its folder by --package {name}=DIR"
        else:
            found = f"xacro cannot expand it: {error}"
        raise scene_error(path.name, found) from error
    return text.encode()


def _read_disabled(
    path: Path, options: LoadOptions, robot: str, links: dict[str, Link], budget: Budget
) -> set[tuple[str, str]]:
    """The pairs of links that the SRDF of a robot disables: the given one, or that with the same name.

    It is searched beside the robot and, as in ROS packages, in the folder `srdf` beside the robot's folder.
    """
    beside = path.with_suffix(".srdf")
    places = (beside, path.resolve().parent.parent / "srdf" / beside.name)
    srdf = options.srdf or next((place for place in places if place.is_file()), None)
    if srdf is None:
        return set()
    try:
        return read_srdf(srdf, robot, links, budget, is_required=srdf != places[1])
    except LimitError as error:
        raise scene_error(srdf.name, str(error)) from None


def _find_color(link: Element, materials: dict[str, Element]) -> str:
    """The colour of a link: that of its first visual with a plain material; '' without one."""
    for visual in link.find_all("visual"):
        material = visual.find("material")
        if material is None:
            continue
        color = material.find("color")
        if color is None and (named := materials.get(material.attributes.get("name", ""))) is not None:
            color = named.find("color")
        if color is not None and (text := format_color(color.attributes.get("rgba", "").split())):
            return text
    return ""


class _UrdfReader:
    """Reads elements, and collects what is wrong with them."""

    def __init__(
        self, findings: Findings, finder: PackageFinder, budget: Budget, scale: float, skip_unsupported: bool
    ) -> None:
        self.findings, self.finder, self.skip_unsupported = findings, finder, skip_unsupported
        self.scale = scale  # of all lengths, from metres to the units of the scene
        self.meshes = MeshFiles(budget)
        self.skipped: list[str] = []
        self._joint_problems: dict[str, list[Problem]] = {}  # by the name of the joint

    def read_links(self, robot: Element) -> dict[str, Link]:
        """All links by name, with their shapes."""
        found: dict[str, Link] = {}
        materials = {item.attributes.get("name", ""): item for item in robot.find_all("material")}
        for link in robot.find_all("link"):
            name = link.attributes.get("name", "")
            if not name:
                self.findings.add(link.line, "a link needs a name")
            elif name in found:
                text = f"link {name!r}: line {found[name].line} has a link of this name"
                self.findings.add(link.line, text)
            else:
                found[name] = Link(list(self.read_shapes(link)), link.line, _find_color(link, materials))
        return found

    def read_joints(self, robot: Element, links: dict[str, Link]) -> list[Joint]:
        """All joints. What is wrong with their numbers is reported by `report_joints`."""
        found: dict[str, Joint] = {}
        for element in robot.find_all("joint"):
            joint = self.read_joint(element, links)
            if joint is None:
                continue
            if joint.name in found:
                text = f"joint {joint.name!r}: line {found[joint.name].line} has a joint of this name"
                self.findings.add(element.line, text)
            found.setdefault(joint.name, joint)
        columns: dict[str, Joint] = {}
        for joint in found.values():
            for freedom in joint.freedoms:
                first = columns.setdefault(freedom.name, joint)
                if first is not joint:
                    text = f"line {first.line} has a joint with the column {freedom.name!r}"
                    self.findings.add(joint.line, f"joint {joint.name!r}: {text}")
        return list(found.values())

    def read_joint(self, element: Element, links: dict[str, Link]) -> Joint | None:
        """A joint; None if its links are not there."""
        name, type_ = element.attributes.get("name", ""), element.attributes.get("type", "")
        label = f"joint {name!r}"
        ends = []
        for tag in ("parent", "child"):
            end = element.find(tag)
            link = end.attributes.get("link", "") if end else ""
            if link not in links:
                text = f"{label}: there is no link {link!r}{suggest_name(link, links)}"
                self.findings.add(element.line, text)
            ends.append(link)
        if not set(ends) <= links.keys():
            return None
        whole, self.findings = self.findings, Findings(self.findings.file)
        if type_ not in _TYPES:
            hint = suggest_name(type_, _TYPES)
            self.findings.add(element.line, f"{label}: the type {type_!r} is not supported{hint}")
        origin, freedoms = self.read_origin(element, label), self.read_freedoms(element, name, type_, label)
        self._joint_problems[name], self.findings = self.findings.problems, whole
        return Joint(name, type_, ends[0], ends[1], origin, freedoms, element.line)

    def report_joints(self, links: dict[str, Link], joints: list[Joint]) -> None:
        """Add the problems of joints. Those without a shape on links below are only warned about."""
        needed = {name for name, link in links.items() if link.shapes}
        for joint in reversed(joints):
            if joint.child in needed:
                needed.add(joint.parent)
        for joint in joints:
            problems = self._joint_problems.get(joint.name, [])
            if joint.child in needed:
                self.findings.extend(problems)
                continue
            for problem in problems[:1]:
                warn_user(problem.file, f"{problem.text}; no shapes depend on it", problem.line)

    def read_freedoms(self, element: Element, name: str, type_: str, label: str) -> tuple[Freedom, ...]:
        """The degrees of freedom of a joint."""
        axis = self.read_numbers(element.find("axis"), "xyz", [1.0, 0.0, 0.0], label)
        if type_ in (*_SINGLE, "planar") and not axis.any():
            self.findings.add(element.line, f"{label}: the axis must not be zero")
        unit = axis / (np.linalg.norm(axis) or 1.0)
        if type_ in _SINGLE:
            limits = self.read_limits(element, type_, label)
            return (Freedom(name, type_ != "prismatic", unit, limits, self.read_mimic(element, label)),)
        parts = COMPOUND.get(type_, ())
        turn = _turn_z_to(unit) if type_ == "planar" else np.eye(3)
        return tuple(Freedom(f"{name}/{key}", is_turn, turn @ own, UNLIMITED) for key, is_turn, own in parts)

    def read_mimic(self, element: Element, label: str) -> Mimic | None:
        """Which joint a joint follows, and how."""
        mimic = element.find("mimic")
        if mimic is None:
            return None
        if "joint" not in mimic.attributes:
            self.findings.add(mimic.line, f"{label}: mimic needs joint")
            return None
        multiplier = float(self.read_numbers(mimic, "multiplier", [1.0], label)[0])
        offset = float(self.read_numbers(mimic, "offset", [0.0], label)[0])
        return Mimic(mimic.attributes["joint"], multiplier, offset)

    def read_limits(self, element: Element, type_: str, label: str) -> Floats:
        """Lower and upper limit; infinite for a continuous joint and where the file gives none.

        Limits only cause warnings, so limits that are no numbers or reversed do so, too.
        """
        limit = element.find("limit")
        if limit is None or type_ == "continuous" or not {"lower", "upper"} & limit.attributes.keys():
            return UNLIMITED
        whole, self.findings = self.findings, Findings(self.findings.file)
        limits = np.concatenate([self.read_numbers(limit, key, [0.0], label) for key in ("lower", "upper")])
        if limits[0] > limits[1]:
            self.findings.add(limit.line, f"{label}: lower, {limits[0]:g}, exceeds upper, {limits[1]:g}")
        problems, self.findings = self.findings.problems, whole
        for problem in problems:
            warn_user(problem.file, f"{problem.text}; the joint has no limits", problem.line)
        return UNLIMITED if problems else limits

    def read_origin(self, element: Element, label: str) -> Pose:
        """The pose of an <origin>: xyz, and roll, pitch and yaw about the fixed axes."""
        origin = element.find("origin")
        if origin is None:
            return IDENTITY
        place = self.scale * self.read_numbers(origin, "xyz", [0.0, 0.0, 0.0], label)
        angles = self.read_numbers(origin, "rpy", [0.0, 0.0, 0.0], label)
        return Pose(place, build_euler_matrices(angles) if angles.any() else None)

    def read_numbers(self, element: Element | None, key: str, default: list[float], label: str) -> Floats:
        """Numbers of an attribute; the default if it is not there, or not what it should be."""
        if element is None or key not in element.attributes:
            return np.array(default)
        text = element.attributes[key]
        if "," in text:
            warn_user(self.findings.file, f"{label}: commas in {key} were taken for blanks", element.line)
        try:
            found = np.array([float(word) for word in text.replace(",", " ").split()])
        except ValueError:
            found = np.empty(0)
        if len(found) > len(default) > 1 and (found[len(default) :] == default[0]).all():
            text = f"{label}: {key} has {len(found)} numbers, and the first {len(default)} were taken"
            warn_user(self.findings.file, text, element.line)
            found = found[: len(default)]
        if (
            len(found) != len(default)
            or not np.isfinite(found).all()
            or np.abs(found).max() > _check.MAX_LENGTH
        ):
            rule = "a finite number" if len(default) == 1 else f"{len(default)} finite numbers"
            self.findings.add(element.line, f"{label}: {key} must be {rule}, got {text!r}")
            return np.array(default)
        return found

    def read_shapes(self, link: Element) -> Iterator[Shape]:
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
                yield shape if origin is IDENTITY else shape.transformed(origin)
            except ValueError as error:
                text = f"{label}: {error}"
                if not self.skip_unsupported or isinstance(error, LimitError):
                    self.findings.add(inner.line, text)
                    continue
                self.skipped.append(text)
                warn_user(self.findings.file, f"skipped: {text}", inner.line)

    def read_shape(self, element: Element, label: str) -> Shape:
        """The shape of a geometry, around the origin."""
        if element.tag == "box":
            return Box([0, 0, 0], self.read_lengths(element, "size", 3, label))
        if element.tag == "sphere":
            return Sphere([0, 0, 0], self.read_lengths(element, "radius", 1, label)[0])
        if element.tag in ("cylinder", "capsule"):
            radius, length = (
                float(self.read_lengths(element, key, 1, label)[0]) for key in ("radius", "length")
            )
            if element.tag == "cylinder":
                return build_cylinder(radius, length)
            return Capsule3d([0, 0, -length / 2], [0, 0, length / 2], radius)
        if element.tag == "mesh":
            return self.read_mesh(element, label)
        if element.tag == "plane":  # of pybullet: everything below it
            return HalfSpace3d(self.read_numbers(element, "normal", [0.0, 0.0, 1.0], label))
        known = ("box", "capsule", "cylinder", "sphere", "mesh", "plane")
        raise ValueError(f"the geometry {element.tag!r} is not supported{suggest_name(element.tag, known)}")

    def read_lengths(self, element: Element, key: str, count: int, label: str) -> Floats:
        """Lengths that a shape must have."""
        if key not in element.attributes:
            raise ValueError(f"a {element.tag} needs {key}")
        return self.scale * self.read_numbers(element, key, [1.0] * count, label)

    def read_mesh(self, element: Element, label: str) -> Mesh:
        """The triangles of a mesh file."""
        if "filename" not in element.attributes:
            raise ValueError("a mesh needs a filename")
        scale = self.scale * self.read_numbers(element, "scale", [1.0, 1.0, 1.0], label)
        return self.meshes.read(self.finder.find(element.attributes["filename"]), scale)


def _turn_z_to(axis: Floats) -> Floats:
    """A rotation matrix that takes z to a unit vector, about an axis across both."""
    if axis[2] <= -1.0 + 1e-15:
        return np.diag([1.0, -1.0, -1.0])
    v = np.array([-axis[1], axis[0], 0.0])  # z x axis
    cross = np.array([[0.0, 0.0, v[1]], [0.0, 0.0, -v[0]], [-v[1], v[0], 0.0]])
    matrix: Floats = np.eye(3) + cross + cross @ cross / (1.0 + axis[2])
    return matrix


def _check_mimics(findings: Findings, joints: list[Joint]) -> list[Joint]:
    """The joints, without mimics of joints that do not exist or have several degrees of freedom.

    A joint that follows itself is a problem. Its mimic is removed, so that the rest of the files can be read
    for further problems.
    """
    lines = {joint.name: joint.line for joint in joints}
    follows = {
        freedom.name: freedom.mimic.joint
        for joint in joints
        for freedom in joint.freedoms
        if freedom.mimic is not None
    }
    done, cyclic = set[str](), set[str]()
    for name in follows:
        path: set[str] = set()
        while name in follows and name not in done:
            if name in path:
                cyclic.add(name)
                findings.add(lines[name], f"joint {name!r} follows itself")
                break
            path.add(name)
            name = follows[name]
        done |= path
    several = {joint.name for joint in joints if len(joint.freedoms) > 1}
    independent = {name for name, other in follows.items() if other not in lines or other in several}
    for name in independent:
        reason = f"there is no such joint{suggest_name(follows[name], lines)}"
        if follows[name] in several:
            reason = "that one has several degrees of freedom"
        text = f"joint {name!r} does not move with {follows[name]!r}, because {reason}"
        warn_user(findings.file, text, lines[name])
    return [
        joint._replace(freedoms=tuple(f._replace(mimic=None) for f in joint.freedoms))
        if joint.name in independent | cyclic
        else joint
        for joint in joints
    ]


def _sort_from_root(findings: Findings, links: dict[str, Link], joints: list[Joint]) -> list[Joint]:
    """Joints with parents before children; loops and second parents are problems."""
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
