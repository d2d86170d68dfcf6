"""Which pairs of shapes are checked, as tables for compiled loops."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ougi._check import frozen
from ougi._typing import Floats, Ints, Record
from ougi.kernels.robot.constants import MAX_DEPTH, POINT, STACK_SIZE
from ougi.kernels.robot.records import Joints, LinkShapes, Pairs, RobotWorkspace
from ougi.robot.shape_table import Row, find_ball, join_rows


class CheckTables(NamedTuple):
    """All that the loops need of a robot among obstacles.

    `extent` is that of `measure_extent`. `n_shapes` is the number of the
    robot's shapes, which come first; obstacles and then the balls of groups follow.
    """

    shapes: LinkShapes
    pairs: Pairs
    extent: float
    n_shapes: int


def bound_groups(rows: Sequence[Row], own: Sequence[int]) -> dict[int, Row]:
    """Joint -> a ball around its shapes, if it has several. The joint of each row is in `own`."""
    members = _list_members(own)
    return {
        joint: _bound_group([rows[k] for k in shapes]) for joint, shapes in members.items() if len(shapes) > 1
    }


def _list_members(own: Sequence[int]) -> dict[int, list[int]]:
    """Joint -> its shapes."""
    members: dict[int, list[int]] = {}
    for k, joint in enumerate(own):
        members.setdefault(joint, []).append(k)
    return members


def build_tables(
    joints: Joints,
    rows: Sequence[Row],
    own: Sequence[int],
    allowed: Ints,
    obstacles: Sequence[Row],
    bounds: Mapping[int, Row] | None = None,
) -> CheckTables:
    """Tables for the pairs (n, 2) of the robot's own shapes, and for all of them against obstacles.

    The shapes of a joint are a group with a ball around it. `bounds` has those of `bound_groups`, which take
    longer than all else: 25 ms for the Baxter.
    """
    all_rows, all_joints = [*rows, *obstacles], [*own, *([-1] * len(obstacles))]
    members = _list_members(own)
    bounds = bound_groups(rows, own) if bounds is None else bounds
    balls: dict[int, int] = {}
    for joint, shapes in members.items():
        balls[joint] = shapes[0]
        if len(shapes) > 1:
            balls[joint] = len(all_rows)
            all_rows.append(bounds[joint])
            all_joints.append(joint)
    above = [_list_above(joints, joint) for joint in range(len(joints.parent))]
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for a, b in allowed.tolist():
        groups.setdefault((own[a], own[b]), []).append((a, b))
    listed: list[tuple[int, int, int, list[tuple[int, int]]]] = []
    for (j, k), inner in groups.items():
        level = len(set(above[j] if j >= 0 else ()) & set(above[k] if k >= 0 else ()))
        listed.append((balls[j], balls[k], level, inner))
    for k in range(len(rows), len(rows) + len(obstacles)):
        for joint, shapes in members.items():
            listed.append((balls[joint], k, 0, [(a, k) for a in shapes]))
    table = join_rows(all_rows, all_joints)
    columns: Record = map(frozen, table)
    extent = measure_extent(joints, table)
    return CheckTables(LinkShapes(*columns), _join_pairs(listed), extent, len(rows))


def _join_pairs(groups: list[tuple[int, int, int, list[tuple[int, int]]]]) -> Pairs:
    """Pairs of groups with their levels and the pairs of their members, as one table."""
    end = len(groups)
    first_rows, members = [], []
    for a, b, level, inner in groups:
        first_rows.append((a, b, level, end, end + len(inner)))
        members += [(i, k, level, 0, 0) for i, k in inner]
        end += len(inner)
    return Pairs(frozen(np.array(first_rows + members, np.int64).reshape((-1, 5))), len(groups))


def _list_above(joints: Joints, joint: int) -> list[int]:
    """A joint and all joints above it."""
    found = []
    while joint >= 0:
        found.append(joint)
        joint = int(joints.parent[joint])
    return found


def measure_extent(joints: Joints, shapes: LinkShapes) -> float:
    """The reach of all shapes that have an end, without translations of joints."""
    radius = shapes.radius[:, 0]
    extent = float(np.abs(shapes.center).max(initial=0.0) + radius[np.isfinite(radius)].max(initial=0.0))
    return extent + float(np.abs(joints.origin[:, 9:]).sum())


def count_common(joints: Joints, a: int, b: int) -> int:
    """How many joints lie above both of two, which may be -1."""
    above, other = (set(_list_above(joints, joint)) for joint in (a, b))
    return len(above & other)


def _bound_group(rows: Sequence[Row]) -> Row:
    """A ball around shapes: a point with a radius."""
    center, radius = find_ball(np.array([row.center for row in rows]), np.array([row.radius for row in rows]))
    return Row(POINT, center, radius, 0.0, radius)


def list_allowed(
    joints: Sequence[int],
    links: Sequence[str],
    carriers: dict[str, str],
    excluded: Collection[tuple[str, str]],
) -> Ints:
    """Pairs (n, 2) of shapes of different rigid assemblies, except for excluded pairs of links.

    Shapes that rest in the world together are not checked against each other.
    """
    pairs = [
        (a, b)
        for a in range(len(links))
        for b in range(a + 1, len(links))
        if carriers[links[a]] != carriers[links[b]]
        and joints[a] != joints[b]
        and (min(links[a], links[b]), max(links[a], links[b])) not in excluded
    ]
    return np.array(pairs, np.int64).reshape((-1, 2))


def build_workspace(joints: Joints, tables: CheckTables | None) -> RobotWorkspace:
    """Memory for one thread. Lists of open pairs are as long as they can get; unused memory costs nothing."""
    n = len(joints.parent)
    n_shapes = 1 if tables is None else len(tables.shapes.code)
    n_pairs = 0 if tables is None else len(tables.pairs.row)
    n_groups = 0 if tables is None else tables.pairs.n_groups
    depth = int(joints.depth.max(initial=-1)) + 2
    pose: Floats = np.zeros((n + 1, 12))
    pose[n, :9] = np.eye(3).ravel()
    bounds = np.zeros(MAX_DEPTH + 4, np.int64)
    bounds[1] = n_groups
    listed = np.empty(max(n_pairs, 1) * (MAX_DEPTH + 3), np.int64)
    listed[:n_groups] = np.arange(n_groups)
    return RobotWorkspace(
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        pose,
        np.zeros((n, 3)),
        np.zeros((n_shapes, 3)),
        np.zeros((n_shapes, depth)),
        np.zeros(n_shapes + 1, np.int64),
        listed,
        bounds,
        np.empty(STACK_SIZE, np.int64),
        np.zeros((5, 9)),
        np.zeros((max(n_pairs, 1), 3)),
    )
