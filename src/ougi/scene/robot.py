"""Robots: links with shapes and joints with degrees of freedom become bodies with motions.

Between two rows of a trajectory every degree of freedom moves evenly, so each link makes a chain of rotations
and translations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import Motion, Pose, Rotation3d, Translation3d
from ougi.scene.limits import Budget
from ougi.scene.model import Body, Piece, Scene, make_unique_name
from ougi.scene.spans import MotionGroups, build_pieces
from ougi.scene.trajectory import Freedom
from ougi.shapes import Shape

IDENTITY = Pose(np.zeros(3))


class Link(NamedTuple):
    """A link: its collision shapes, in its own frame, and where it stands in its file."""

    shapes: list[Shape]
    line: int
    color: str = ""


class Joint(NamedTuple):
    """A joint from its parent link to its child link; a fixed one has no degree of freedom."""

    name: str
    type: str
    parent: str
    child: str
    origin: Pose
    freedoms: tuple[Freedom, ...]
    line: int


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """What the bodies of a robot were built from; the parameters of `build_robot_scene`."""

    links: dict[str, Link]
    joints: list[Joint]
    times: list[float]
    rows: Floats
    frame: Pose


def list_freedoms(joints: Iterable[Joint]) -> list[Freedom]:
    """All degrees of freedom, in the order of the columns of `rows`."""
    return [freedom for joint in joints for freedom in joint.freedoms]


def build_robot_scene(
    links: dict[str, Link],
    joints: list[Joint],
    times: list[float],
    rows: Floats,
    frame: Pose,
    budget: Budget,
    disabled: Collection[tuple[str, str]] = (),
) -> Scene:
    """Bodies for all shapes.

    Parameters
    ----------
    links
        By name.
    joints
        Parents before children.
    times, rows
        (n,) and (n, m): the values of all degrees of freedom, which have a column each.
    frame
        The pose of links without a parent.
    budget
        What the scene may use.
    disabled
        Pairs of links that are not checked.
    """
    carriers = find_carriers(links, joints)
    start = place_links(links, joints, rows[0].tolist(), frame)
    pieces = _build_link_pieces(links, joints, times, rows, frame, budget)
    bodies: list[Body] = []
    names = dict.fromkeys(links, 1)
    by_link: dict[str, list[int]] = {}
    robot = RobotMotion(links, joints, times, rows, frame) if pieces else None
    for name, link in links.items():
        for k, shape in enumerate(link.shapes):
            label = name if len(link.shapes) == 1 else make_unique_name(f"{name} ({k + 1})", names)
            if k:  # the pieces of the first shape were counted when they were built
                budget.take("motions", len(pieces.get(name, ())), f"the motions of {label!r}")
            by_link.setdefault(name, []).append(len(bodies))
            here = shape.transformed(start[name])
            body = Body(label, here, pieces.get(name, ()), carrier=carriers[name], line=link.line)
            bodies.append(replace(body, color=link.color, link=name, link_shape=k, robot=robot))
    by_carrier: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        by_carrier.setdefault(body.carrier, []).append(k)
    joined = {(carriers[j.parent], carriers[j.child]) for j in joints if j.type != "floating"}
    return Scene(
        tuple(bodies),
        neighbours=_list_pairs(joined, by_carrier, budget),
        disabled=_list_pairs(disabled, by_link, budget),
        duration=times[-1],
    )


def _list_pairs(
    names: Iterable[tuple[str, str]], members: dict[str, list[int]], budget: Budget
) -> frozenset[tuple[int, int]]:
    """The pairs of bodies that belong to pairs of names, the smaller index first."""
    pairs: set[tuple[int, int]] = set()
    for a, b in names:
        if a != b and a in members and b in members:
            count = len(members[a]) * len(members[b])
            budget.take("excluded_pairs", count, f"the shapes of {a!r} and {b!r}")
            pairs.update((min(i, k), max(i, k)) for i in members[a] for k in members[b])
    return frozenset(pairs)


def find_carriers(links: Iterable[str], joints: list[Joint]) -> dict[str, str]:
    """The rigid assembly of each link: its own below a joint that can move, else that of its parent."""
    found = {name: name for name in links}
    for joint in joints:
        if not joint.freedoms:
            found[joint.child] = found[joint.parent]
    return found


def place_links(
    links: Iterable[str], joints: list[Joint], values: list[float], frame: Pose
) -> dict[str, Pose]:
    """The pose of each link; `frame` is that of the roots."""
    poses = dict.fromkeys(links, frame)
    column = iter(values)
    for joint in joints:
        pose = poses[joint.parent] @ joint.origin
        for freedom, value in zip(joint.freedoms, column, strict=False):
            pose = pose @ _freedom_pose(freedom, value) if value else pose
        poses[joint.child] = pose
    return poses


def _freedom_motion(freedom: Freedom, value: Floats | float) -> Motion:
    """The motion of a degree of freedom by this much, in its own frame; a batch for an array."""
    if freedom.is_rotation:
        return Rotation3d([0.0, 0.0, 0.0], freedom.axis, value)
    return Translation3d(freedom.axis * np.asarray(value)[..., None])


def _freedom_pose(freedom: Freedom, value: Floats | float) -> Pose:
    return _freedom_motion(freedom, value).at(1.0)


class _LinkMotion(NamedTuple):
    """A link below joints that move: where it is at the start of each span, and its motions."""

    frame: Pose
    groups: MotionGroups
    pieces: tuple[Piece, ...]
    depth: int  # how many degrees of freedom above it move


def _build_link_pieces(
    links: dict[str, Link], joints: list[Joint], times: list[float], rows: Floats, root: Pose, budget: Budget
) -> dict[str, tuple[Piece, ...]]:
    """The motions of links by all joints above them, from each row of the trajectory to the next.

    Rows in which the same joints move are one batch of chains. A link begins with the motions of its parent,
    and shares them if it does not move relative to it. Links that do not move, and links without shapes on
    them or below, are not in the result.
    """
    count = len(times) - 1
    moves = (rows != rows[0]).any(axis=0)
    ends = np.cumsum([0, *(len(joint.freedoms) for joint in joints)]).tolist()
    columns = [range(*ends[k : k + 2]) for k in range(len(joints))]
    needed = {name for name, link in links.items() if link.shapes}
    rigid = set(needed)  # links with shapes on them, or on links that do not move relative to them
    for joint, own in zip(reversed(joints), reversed(columns), strict=True):
        if joint.child in needed:
            needed.add(joint.parent)
        if joint.child in rigid and not moves[own].any():
            rigid.add(joint.parent)
    motions: dict[str, _LinkMotion] = {}
    for joint, own in zip(joints, columns, strict=True):
        if joint.child not in needed:
            continue
        above = motions.get(joint.parent, _LinkMotion(root, MotionGroups(count), (), 0))
        moving = int(moves[own].sum())
        depth = above.depth + moving
        if depth:
            text = f"the trajectory of link {joint.child!r}, {count:,} rows times joints"
            budget.take("motions", count * (depth if moving else 1), text)
        motion = above._replace(frame=above.frame @ joint.origin, depth=depth)
        for freedom, k in zip(joint.freedoms, own, strict=True):
            if moves[k]:
                motion = _extend(motion, freedom, rows[:, k])
            elif rows[0, k]:
                motion = motion._replace(frame=motion.frame @ _freedom_pose(freedom, rows[0, k]))
        if moving and joint.child in rigid:
            groups = motion.groups.combined()
            motion = motion._replace(groups=groups, pieces=build_pieces(times, groups.motions()))
        motions[joint.child] = motion
    return {name: motion.pieces for name, motion in motions.items()}


def _extend(motion: _LinkMotion, freedom: Freedom, values: Floats) -> _LinkMotion:
    """With the motions of one more degree of freedom, which has these values at the times of all rows."""
    frame, count = motion.frame, len(values) - 1
    if not frame.shape:
        frame = Pose(
            np.broadcast_to(frame.position, (count, 3)), np.broadcast_to(frame.rotation, (count, 3, 3))
        )
    steps = np.diff(values)

    def place_motion(is_moving: int, rows: Ints) -> list[Motion]:
        return [_freedom_motion(freedom, steps[rows]).placed(frame[rows])] if is_moving else []

    groups = motion.groups.extended((steps != 0).astype(np.int64), place_motion)
    return motion._replace(frame=frame @ _freedom_pose(freedom, values[:-1]), groups=groups)
