"""Bodies of robots that are free during their whole trajectory, proven by the loop of `Robot.first_contact`.

The loop proves all pairs of an edge together, in microseconds. Spans of bodies, which the search of a whole
scene needs, cost milliseconds for each row of a trajectory.
"""

from __future__ import annotations

import time

import numpy as np

from ougi._check import frozen
from ougi._native import each
from ougi._typing import Floats, Ints
from ougi.checks.robot_spans import SceneRobot, build_scene_robot, read_body
from ougi.kernels.robot.edges import find_edge_contacts
from ougi.results import Status
from ougi.robot.pair_table import CheckTables, build_tables, build_workspace
from ougi.robot.shape_table import Row
from ougi.scene import Scene

# Intervals of an edge after which it is left to the whole search, and edges of one call.
_MAX_INTERVALS, _CHUNK = 1000, 256

# How often pairs that touch are taken out, and the others proven.
_ROUNDS = 8

# Moving bodies times all bodies, at most: pairs are listed, and tested together.
_MAX_PAIRS = 20_000


def find_free_bodies(scene: Scene, margin: float, tol: float, deadline: float) -> frozenset[int]:
    """Moving bodies of a robot that nothing that is checked against them ever comes near to.

    Only if nothing else moves. What is not proven until the deadline is skipped.
    """
    movers = [k for k, body in enumerate(scene.bodies) if body.moves]
    motions = {id(scene.bodies[k].robot): scene.bodies[k].robot for k in movers}
    (motion, *others) = motions.values() or [None]
    if motion is None or others or len(motion.times) < 2 or (np.diff(motion.times) <= 0).any():
        return frozenset()
    if len(movers) * len(scene.bodies) > _MAX_PAIRS:
        return frozenset()
    robot = build_scene_robot(motion)
    rows = [read_body(body, robot if body.moves else None) for body in scene.bodies]
    known = [row for row in rows if row is not None]
    if len(known) < len(rows):
        return frozenset()
    near = _find_near_bodies(scene, robot, known, margin, tol, deadline)
    return frozenset() if near is None else frozenset(movers) - near


def _find_near_bodies(
    scene: Scene, robot: SceneRobot, rows: list[Row], margin: float, tol: float, deadline: float
) -> set[int] | None:
    """Bodies of pairs that touch or come within the margin; None if they are not known."""
    moves = np.array([body.moves for body in scene.bodies])
    i, j = np.repeat(np.flatnonzero(moves), len(moves)), np.tile(np.arange(len(moves)), moves.sum())
    once = np.where(moves[j], i < j, i != j)
    listed = np.sort(np.stack([i, j], axis=1)[once], axis=1)
    pairs = listed[scene.covers(listed)]
    joints = [robot.kinematics.links[body.link].joint if body.moves else -1 for body in scene.bodies]
    steps = np.diff(robot.motion.rows, axis=0)
    terms: Floats = np.stack([robot.motion.rows[:-1], steps], axis=1)
    near: set[int] = set()
    for _ in range(_ROUNDS):
        if not len(pairs) or not len(terms):
            return near
        tables = build_tables(robot.kinematics.joints, rows, joints, pairs, [])
        found = _check_edges(robot, tables, terms, margin, tol, deadline)
        if found is None:
            return None
        status, touching = found
        is_free = status == Status.FREE
        if (status == Status.UNDECIDED).any():
            return None
        hit = tables.pairs.row[np.unique(touching[~is_free]), :2]
        near |= set(hit.ravel().tolist())
        pairs = pairs[~np.isin(pairs, hit).all(axis=1)]
        terms = terms[~is_free]
    return near if not len(terms) else None


def _check_edges(
    robot: SceneRobot, tables: CheckTables, terms: Floats, margin: float, tol: float, deadline: float
) -> tuple[Ints, Ints] | None:
    """Statuses of edges and pairs that touch; None after the deadline."""
    joints, edges = robot.kinematics.joints, frozen(np.ascontiguousarray(terms))
    out = np.empty((len(edges), 10))
    out[:, 0] = np.nan

    def work(start: int) -> None:
        if time.monotonic() > deadline:
            return
        stop = min(start + _CHUNK, len(edges))
        find_edge_contacts(
            joints, tables.shapes, tables.pairs, edges, margin, tables.extent, tol, True, _MAX_INTERVALS,
            build_workspace(joints, tables), out, start, stop,
        )  # fmt: skip

    each(work, range(0, len(edges), _CHUNK))
    if np.isnan(out[:, 0]).any():
        return None
    return out[:, 0].astype(np.int64), out[:, 2].astype(np.int64)
