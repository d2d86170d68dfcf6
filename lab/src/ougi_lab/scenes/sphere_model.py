"""Sphere models of robots in plain NumPy: dense scans of edges that use nothing of the library's robots.

A URDF is read by the standard library. Links are placed by products of matrices, and gaps of spheres to
spheres, boxes and cylinders follow from their definitions.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

import ougi
from ougi._typing import Bools, Floats, Ints
from ougi_lab.scenes.robots import to_matrix

# Intervals of an edge at first, parts of one that is not clear, and intervals that are computed together.
_FIRST, _SPLIT, _BATCH = 16, 4, 4096

# Added to bounds of motions. Unit: length. Much more than rounding, and much less than a gap that matters.
_SLACK = 1e-9


class _ModelJoint(NamedTuple):
    """A joint; `column` is that of a configuration, -1 if it does not move."""

    parent: str
    child: str
    origin: Floats
    axis: Floats
    turns: bool
    column: int


class SphereModel:
    """The spheres of a robot, and pairs of them that must not touch.

    Parameters
    ----------
    path
        A URDF whose collision shapes are spheres and whose joints turn, slide or are fixed, without mimics.
    joint_names
        The columns of a configuration.
    checked
        Pairs of links that must not touch.
    """

    def __init__(self, path: Path, joint_names: tuple[str, ...], checked: set[frozenset[str]]) -> None:
        root = ElementTree.parse(path).getroot()
        self._joints = _sort_joints(_read_joint(joint, joint_names) for joint in root.findall("joint"))
        spheres = [
            (link.attrib["name"], _read_center(shape), _read_radius(shape, path))
            for link in root.findall("link")
            for shape in link.findall("collision")
        ]
        self._links = [name for name, _, _ in spheres]
        self._centers = np.array([center for _, center, _ in spheres]).reshape((-1, 3))
        self._radii = np.array([radius for _, _, radius in spheres])
        n = len(spheres)
        pairs = [
            (a, b)
            for a in range(n)
            for b in range(a + 1, n)
            if frozenset((self._links[a], self._links[b])) in checked
        ]
        self._pairs: Ints = np.array(pairs, np.int64).reshape((-1, 2))
        self._reach = self._bound_reach(len(joint_names))

    def place(self, q: Floats) -> Floats:
        """Centers (n, spheres, 3) at configurations (n, dof)."""
        poses: dict[str, Any] = {}
        world = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        for joint in self._joints:
            pose = poses.get(joint.parent, world) @ joint.origin
            if joint.column >= 0:
                pose = pose @ _move(joint, q[:, joint.column])
            poses[joint.child] = pose
        out = np.empty((len(q), len(self._links), 3))
        for link in set(self._links):
            rows = [k for k, name in enumerate(self._links) if name == link]
            pose = poses.get(link, world)
            out[:, rows] = self._centers[rows] @ pose[:, :3, :3].transpose(0, 2, 1) + pose[:, None, :3, 3]
        return out

    def measure(self, q: Floats, obstacles: list[ougi.Shape]) -> Floats:
        """The smallest gap (n,) at configurations (n, dof); at most 0 where something overlaps."""
        centers, best = self.place(q), np.full(len(q), np.inf)
        first, second = self._pairs.T
        if len(first):
            apart = np.sqrt(((centers[:, first] - centers[:, second]) ** 2).sum(axis=2))
            best = (apart - self._radii[first] - self._radii[second]).min(axis=1)
        for shape in obstacles:
            best = np.minimum(best, (_measure_points(centers, shape) - self._radii).min(axis=1))
        return best

    def scan(self, q0: Floats, q1: Floats, obstacles: list[ougi.Shape], n: int) -> Bools:
        """Does each edge (m, dof) collide at one of n + 1 evenly spaced configurations?

        Configurations near one with a large gap are skipped. No sphere moves further than the bound of
        `_bound_reach` allows, so they cannot collide. The result is that of the whole scan.
        """
        speed = np.abs(q1 - q0) @ self._reach  # how far a sphere moves during an edge, at most
        hit = np.zeros(len(q0), np.bool_)
        edge = np.repeat(np.arange(len(q0)), _FIRST)
        borders = np.linspace(0, n + 1, _FIRST + 1).astype(np.int64)
        low, high = (np.tile(x, len(q0)) for x in (borders[:-1], borders[1:]))  # samples low to high - 1
        while len(edge):
            still = ~hit[edge] & (low < high)
            edge, low, high = edge[still], low[still], high[still]
            middle = (low + high - 1) // 2
            gap = np.empty(len(edge))
            for k in range(0, len(edge), _BATCH):
                part = slice(k, k + _BATCH)
                t = middle[part, None] / n
                gap[part] = self.measure(q0[edge[part]] * (1 - t) + q1[edge[part]] * t, obstacles)
            hit[edge[gap <= 0]] = True
            reach = speed[edge] * np.maximum(middle - low, high - 1 - middle) / n + _SLACK
            rest = (gap <= reach) & (high - low > 1) & ~hit[edge]
            edge, low, high = edge[rest], low[rest], high[rest]
            cuts = low[:, None] + (high - low)[:, None] * np.arange(_SPLIT + 1) // _SPLIT
            edge, low, high = np.repeat(edge, _SPLIT), cuts[:, :-1].ravel(), cuts[:, 1:].ravel()
        return hit

    def _bound_reach(self, dof: int) -> Floats:
        """(dof,), how far a unit of each column moves a sphere's center, whatever the configuration is.

        A center that is within `length` of a link's origin is within `length` plus the length of the joint's
        origin of the parent's. Sliding joints lengthen this by their range, which must not exceed a unit.
        """
        reach = np.zeros(dof)
        above = {joint.child: joint for joint in self._joints}
        for link, center in zip(self._links, self._centers, strict=True):
            length = float(np.linalg.norm(center))
            while link in above:
                joint = above[link]
                if joint.column >= 0:
                    reach[joint.column] = max(reach[joint.column], length if joint.turns else 1.0)
                    length += 0.0 if joint.turns else 1.0
                length += float(np.linalg.norm(joint.origin[:3, 3]))
                link = joint.parent
        return reach


def _read_joint(joint: Any, names: tuple[str, ...]) -> _ModelJoint:
    parent, child = (joint.find(tag).attrib["link"] for tag in ("parent", "child"))
    axis = joint.find("axis")
    kind, name = joint.attrib["type"], joint.attrib["name"]
    if kind not in ("revolute", "continuous", "prismatic", "fixed"):
        raise ValueError(f"joint {name!r}: the type {kind!r} has no model")
    column = -1 if kind == "fixed" else names.index(name)
    direction = np.array([1.0, 0.0, 0.0]) if axis is None else _read_numbers(axis, "xyz")
    unit = direction / (np.linalg.norm(direction) or 1.0)
    return _ModelJoint(parent, child, _read_origin(joint), unit, kind != "prismatic", column)


def _sort_joints(joints: Any) -> list[_ModelJoint]:
    """Parents before children."""
    left, out = list(joints), []
    children = {joint.child for joint in left}
    known = {joint.parent for joint in left} - children
    while left:
        ready = [joint for joint in left if joint.parent in known]
        if not ready:
            raise ValueError("the joints are no tree")
        out += ready
        known |= {joint.child for joint in ready}
        left = [joint for joint in left if joint.parent not in known or joint.child not in known]
    return out


def _read_origin(element: Any) -> Floats:
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    return to_matrix(*(_read_numbers(origin, key) for key in ("xyz", "rpy")))


def _read_numbers(element: Any, key: str) -> Floats:
    return np.array([float(x) for x in element.attrib.get(key, "0 0 0").split()])


def _read_center(shape: Any) -> Floats:
    center: Floats = _read_origin(shape)[:3, 3]
    return center


def _read_radius(shape: Any, path: Path) -> float:
    sphere = shape.find("geometry/sphere")
    if sphere is None:
        raise ValueError(f"{path.name} has shapes that are not spheres")
    return float(sphere.attrib["radius"])


def _move(joint: _ModelJoint, values: Floats) -> Floats:
    """Matrices (n, 4, 4) of a joint at values (n,)."""
    out = np.tile(np.eye(4), (len(values), 1, 1))
    if not joint.turns:
        out[:, :3, 3] = values[:, None] * joint.axis
        return out
    x, y, z = joint.axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    out[:, :3, :3] += np.sin(values)[:, None, None] * skew + (1 - np.cos(values))[:, None, None] * (
        skew @ skew
    )
    return out


def _measure_points(points: Floats, shape: Any) -> Floats:
    """Distances of points (..., 3) to one shape; 0 inside of it."""
    p = points - shape.center
    distance: Floats
    if isinstance(shape, ougi.Sphere):
        distance = np.maximum(np.sqrt((p**2).sum(axis=-1)) - float(shape.radius), 0.0)
        return distance
    if isinstance(shape, ougi.Box):
        edges = shape.columns("box")[6:15, 0].reshape((3, 3))  # rows are the unit vectors of edges
        beyond = np.maximum(np.abs(p @ edges.T) - np.asarray(shape.size) / 2, 0.0)
        distance = np.sqrt((beyond**2).sum(axis=-1))
        return distance
    if isinstance(shape, ougi.Sector3d) and float(shape.half_angle) >= math.pi and not shape.inner_radius:
        height = p @ shape.axis
        radial = np.sqrt(np.maximum((p**2).sum(axis=-1) - height**2, 0.0))
        outside = np.maximum(radial - float(shape.outer_radius), 0.0)
        distance = np.hypot(outside, np.maximum(np.abs(height) - float(shape.half_height), 0.0))
        return distance
    raise TypeError(f"there are no gaps to a {type(shape).__name__}")
