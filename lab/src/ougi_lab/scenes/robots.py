"""Random robots as URDF text, and their kinematics in plain NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import ougi
from ougi._typing import Floats
from ougi_lab.scenes.meshes import make_angle_iron, make_torus

KINDS = ("spheres", "convex", "meshes")

# Other readers require limits.
_LIMIT = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'

_TYPES = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating", "spherical")
_SHARES = (0.46, 0.23, 0.14, 0.1, 0.03, 0.02, 0.02)

# The columns of joints with several degrees of freedom.
_PARTS = {
    "planar": ("x", "y", "theta"),
    "floating": ("x", "y", "z", "roll", "pitch", "yaw"),
    "spherical": ("roll", "pitch", "yaw"),
}


@dataclass
class RandomJoint:
    """A joint from link `parent` to link `child`, by number; `mimic` is a joint, a factor and an offset."""

    type: str
    parent: int
    child: int
    xyz: Floats
    rpy: Floats
    axis: Floats
    mimic: tuple[int, float, float] | None = None


@dataclass
class RandomShape:
    """A collision shape: what a URDF calls it, its sizes, and its place on a link."""

    link: int
    tag: str
    sizes: dict[str, Any]
    xyz: Floats
    rpy: Floats


@dataclass
class RandomRobot:
    """A tree of links with shapes; the files of meshes lie beside the URDF."""

    joints: list[RandomJoint]
    shapes: list[RandomShape]
    n_links: int
    meshes: dict[str, ougi.Mesh] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns of a configuration. Joints that follow others have none."""
        return [name for k in range(len(self.joints)) for name in self._name_columns(k)]

    def _name_columns(self, k: int) -> list[str]:
        joint = self.joints[k]
        if joint.type == "fixed" or joint.mimic is not None:
            return []
        return [f"j{k}/{part}" for part in _PARTS[joint.type]] if joint.type in _PARTS else [f"j{k}"]

    def fill_values(self, q: Floats) -> dict[int, Floats]:
        """Values (n, its columns) of all joints that move, at configurations (n, dof)."""
        values: dict[int, Floats] = {}
        first = 0
        for k, joint in enumerate(self.joints):
            if joint.mimic is not None:
                source, factor, offset = joint.mimic
                values[k] = factor * values[source] + offset
            elif joint.type != "fixed":
                last = first + len(self._name_columns(k))
                values[k], first = q[:, first:last], last
        return values

    def place_links(self, q: Floats) -> list[Floats]:
        """4x4 matrices (links, n, 4, 4) at configurations (n, dof)."""
        values = self.fill_values(q)
        poses: list[Any] = [np.broadcast_to(np.eye(4), (len(q), 4, 4))] * self.n_links
        for k, joint in enumerate(self.joints):
            pose = poses[joint.parent] @ to_matrix(joint.xyz, joint.rpy)
            if joint.type != "fixed":
                pose = pose @ _move(joint, values[k])
            poses[joint.child] = pose
        return poses

    def to_urdf(self) -> str:
        """The text of a URDF."""
        parts = [f'<robot name="random">{"".join(self._link(k) for k in range(self.n_links))}']
        for k, joint in enumerate(self.joints):
            mimic = ""
            if joint.mimic is not None:
                source, factor, offset = joint.mimic
                mimic = f'<mimic joint="j{source}" multiplier="{factor!r}" offset="{offset!r}"/>'
            parts.append(
                f'<joint name="j{k}" type="{joint.type}"><parent link="l{joint.parent}"/>'
                f'<child link="l{joint.child}"/>{_origin(joint.xyz, joint.rpy)}'
                f'<axis xyz="{_text(joint.axis)}"/>{_LIMIT}{mimic}</joint>'
            )
        return "".join([*parts, "</robot>"])

    def write(self, folder: Path) -> Path:
        """Write the URDF and the meshes into a folder."""
        for name, mesh in self.meshes.items():
            lines = [f"v {_text(vertex)}" for vertex in mesh.vertices]
            lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces.tolist()]
            (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
        path = folder / "random.urdf"
        path.write_text(self.to_urdf(), encoding="utf-8")
        return path

    def _link(self, k: int) -> str:
        own = [shape for shape in self.shapes if shape.link == k]
        collisions = (
            f"<collision>{_origin(s.xyz, s.rpy)}<geometry><{s.tag} "
            + " ".join(f'{key}="{_text(value)}"' for key, value in s.sizes.items())
            + "/></geometry></collision>"
            for s in own
        )
        return f'<link name="l{k}">{"".join(collisions)}</link>'


def _text(value: Any) -> str:
    return value if isinstance(value, str) else " ".join(repr(float(x)) for x in np.atleast_1d(value))


def _origin(xyz: Floats, rpy: Floats) -> str:
    return f'<origin xyz="{_text(xyz)}" rpy="{_text(rpy)}"/>'


def to_matrix(xyz: Floats, rpy: Floats) -> Floats:
    """The 4x4 matrix of an origin: roll, pitch and yaw about the fixed axes."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    matrix = np.eye(4)
    matrix[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    matrix[:3, 3] = xyz
    return matrix


def _move(joint: RandomJoint, values: Floats) -> Floats:
    """Matrices (n, 4, 4) of a joint at values (n, columns): the exponential of its axis as a skew matrix."""
    axis = joint.axis / np.linalg.norm(joint.axis)
    out = np.tile(np.eye(4), (len(values), 1, 1))
    if joint.type == "prismatic":
        out[:, :3, 3] = values * axis
        return out
    if joint.type in ("floating", "spherical"):
        for k, row in enumerate(values):
            out[k] = to_matrix(np.zeros(3) if joint.type == "spherical" else row[:3], row[-3:])
        return out
    value = values[:, -1]
    if joint.type == "planar":
        out[:, :2, 3] = values[:, :2]
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    sine, versine = np.sin(value)[:, None, None], (1 - np.cos(value))[:, None, None]
    out[:, :3, :3] += sine * skew + versine * (skew @ skew)
    return out


def draw_robot(kind: str, rng: np.random.Generator) -> RandomRobot:
    """A robot of 3 to 8 joints: a chain or a tree, with mimics and joints of all types."""
    n = int(rng.integers(3, 9))
    branches = rng.random() < 0.4
    joints: list[RandomJoint] = []
    for k in range(n):
        parent = int(rng.integers(0, k + 1)) if branches else k
        type_ = str(rng.choice(_TYPES, p=_SHARES))
        earlier = [i for i, joint in enumerate(joints) if joint.type in _TYPES[:3]]
        mimic = None
        if type_ in _TYPES[:3] and earlier and rng.random() < 0.15:
            mimic = (int(rng.choice(earlier)), float(rng.uniform(-2, 2)), float(rng.uniform(-0.5, 0.5)))
        direction = rng.normal(size=3)
        xyz = direction / np.linalg.norm(direction) * rng.uniform(0.1, 0.5)
        rpy = rng.uniform(-math.pi, math.pi, 3) * (rng.random() < 0.7)
        axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3)
        axis = np.eye(3)[2] if type_ == "planar" else axis
        joints.append(RandomJoint(type_, parent, k + 1, xyz, rpy, axis, mimic))
    robot = RandomRobot(joints, [], n + 1)
    for link in range(n + 1):
        for _ in range(int(rng.integers(0, 3))):
            robot.shapes.append(_draw_shape(kind, link, robot, rng))
    return robot


def _draw_shape(kind: str, link: int, robot: RandomRobot, rng: np.random.Generator) -> RandomShape:
    tags = {
        "spheres": ["sphere"],
        "convex": ["sphere", "box", "cylinder", "capsule"],
        "meshes": ["mesh", "box"],
    }
    tag = str(rng.choice(tags[kind]))
    radius, length = float(rng.uniform(0.02, 0.12)), float(rng.uniform(0.05, 0.3))
    sizes: dict[str, Any] = {"radius": radius, "length": length}
    if tag == "sphere":
        sizes = {"radius": radius}
    elif tag == "box":
        sizes = {"size": rng.uniform(0.03, 0.25, 3)}
    elif tag == "mesh":
        name = f"mesh{len(robot.meshes)}.obj"
        robot.meshes[name] = _draw_mesh(0.15, rng)
        sizes = {"filename": name}
    return RandomShape(link, tag, sizes, rng.uniform(-0.1, 0.1, 3), rng.uniform(-math.pi, math.pi, 3))


def _draw_mesh(size: float, rng: np.random.Generator) -> ougi.Mesh:
    """A body that is not convex."""
    if rng.random() < 0.5:
        radius = size * rng.uniform(0.5, 1.0)
        return make_torus(
            int(rng.integers(5, 12)), int(rng.integers(3, 7)), radius, radius * rng.uniform(0.1, 0.5)
        )
    x, y, z = size * rng.uniform(0.3, 1.5, 3)
    return make_angle_iron((x, y, z), 0.3)


def draw_obstacles(kind: str, n: int, rng: np.random.Generator) -> list[ougi.Shape]:
    """Resting shapes around a robot."""
    out: list[ougi.Shape] = []
    for _ in range(n):
        center = rng.normal(size=3)
        center *= rng.uniform(0.5, 1.5) / np.linalg.norm(center)
        which = int(rng.integers(5 if kind == "meshes" else 4))
        turn = ougi.Pose(center, to_matrix(np.zeros(3), rng.uniform(-math.pi, math.pi, 3))[:3, :3])
        if which == 0:
            out.append(ougi.Sphere(center, rng.uniform(0.02, 0.3)))
        elif which == 1:
            out.append(ougi.Box([0, 0, 0], rng.uniform(0.02, 0.5, 3)).transformed(turn))
        elif which == 2:
            half = rng.uniform(0.05, 0.4)
            out.append(ougi.Capsule3d([0, 0, -half], [0, 0, half], rng.uniform(0.01, 0.1)).transformed(turn))
        elif which == 3:
            radius, half = rng.uniform(0.02, 0.2, 2)
            cylinder = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, radius, half)
            out.append(cylinder.transformed(turn))
        else:
            out.append(_draw_mesh(0.3, rng).transformed(turn))
    return out
