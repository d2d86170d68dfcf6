"""From links and joints of a file to a tree of joints with one degree of freedom each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ougi._check import frozen
from ougi._typing import Floats, Record
from ougi.kernels.robot.records import Joints
from ougi.motion import Pose
from ougi.scene.robot import IDENTITY, Joint, find_carriers
from ougi.scene.trajectory import Freedom


class Placed(NamedTuple):
    """Where a link is: a joint (-1 for the world) and its pose in the frame of that joint."""

    joint: int
    pose: Pose


class Kinematics(NamedTuple):
    """The tree of joints, its columns, and where links are on it.

    Attributes
    ----------
    joints
        As compiled loops take them.
    names, limits
        Of the columns of a configuration: those of joints that follow no other; (dof, 2).
    links
        Name of a link -> where it is.
    carriers
        Name of a link -> name of the link that its rigid assembly begins with.
    neighbours
        Pairs of carriers that a joint connects, in order of their names.
    """

    joints: Joints
    names: tuple[str, ...]
    limits: Floats
    links: dict[str, Placed]
    carriers: dict[str, str]
    neighbours: frozenset[tuple[str, str]]


def build_kinematics(links: Iterable[str], joints: list[Joint]) -> Kinematics:
    """The tree of a robot; `joints` come from the root on. Fixed joints are part of the links' poses."""
    links = list(links)
    freedoms = [freedom for joint in joints for freedom in joint.freedoms]
    columns = {f.name: k for k, f in enumerate(f for f in freedoms if f.mimic is None)}
    by_name = {f.name: f for f in freedoms}
    placed = dict.fromkeys(links, Placed(-1, IDENTITY))
    rows: list[tuple[Record, ...]] = []
    for joint in joints:
        parent, pose = placed[joint.parent]
        pose = pose @ joint.origin
        for freedom in joint.freedoms:
            depth = 0 if parent < 0 else rows[parent][1] + 1
            source, factor, offset = _follow(freedom, by_name)
            origin = np.concatenate([pose.rotation.ravel(), pose.position])
            column = columns.get(source, 0)
            rows.append((parent, depth, freedom.is_rotation, origin, freedom.axis, column, factor, offset))
            parent, pose = len(rows) - 1, IDENTITY
        placed[joint.child] = Placed(parent, pose)
    carriers = find_carriers(links, joints)
    joined = ((carriers[j.parent], carriers[j.child]) for j in joints if j.type != "floating")
    return Kinematics(
        _stack(rows),
        tuple(columns),
        np.array([by_name[name].limits for name in columns], np.float64).reshape((-1, 2)),
        placed,
        carriers,
        frozenset((min(a, b), max(a, b)) for a, b in joined if a != b),
    )


def _follow(freedom: Freedom, by_name: dict[str, Freedom]) -> tuple[str, float, float]:
    """The column that a joint follows at last, and its factor and offset. No joint follows itself."""
    name, factor, offset = freedom.name, 1.0, 0.0
    while (mimic := by_name[name].mimic) is not None:
        offset += factor * mimic.offset
        factor *= mimic.multiplier
        if mimic.joint not in by_name:  # a fixed joint, which stays at zero
            return name, 0.0, offset
        name = mimic.joint
    return name, factor, offset


def _stack(rows: list[tuple[Record, ...]]) -> Joints:
    kinds = (np.int64, np.int64, np.int64, np.float64, np.float64, np.int64, np.float64, np.float64)
    shapes: tuple[tuple[int, ...], ...] = ((), (), (), (12,), (3,), (), (), ())
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    arrays: Record = (
        frozen(np.array(column, kind).reshape((len(rows), *shape)))
        for column, kind, shape in zip(columns, kinds, shapes, strict=True)
    )
    return Joints(*arrays)
