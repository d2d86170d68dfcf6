"""Which triangles two moving meshes may bring together; a body that is no mesh is one part.

The loop in `kernels.mesh.sweep` lists them. All other pairs are proven to be apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._typing import DynamicBatch, Floats, Ints
from ougi.impact.steps import MovingBalls, make_moving_balls
from ougi.kernels.constants import BAND
from ougi.kernels.mesh.constants import STACK_SIZE
from ougi.kernels.mesh.parting import advance_contact
from ougi.kernels.mesh.sweep import Side, list_near_pairs
from ougi.kernels.mesh.tree import BoxTree
from ougi.motion import Motion
from ougi.query.trees import get_pose, get_tree, has_bodies, make_bodies
from ougi.shapes import Mesh, Shape

# Entries of the first buffer; if they are too few, the loop runs again with a larger one.
_BUFFER = 4096

# Share of the sizes, in units of `tol`, within which first contacts are reported, and rounding, in bands.
_TOLERANCES, _BANDS = 8.0, 4.0


class NearParts(NamedTuple):
    """Pairs of parts: rows of trees, 0 for bodies without one, and times until which they are apart."""

    a: Ints
    b: Ints
    t: Floats


class MovingParts(NamedTuple):
    """A body in motion: its nodes, its radius around them, and the ball around everything."""

    side: Side
    radius: float
    ball: MovingBalls


def make_moving_parts(shape: Shape, index: int, motion: Motion | None, motion_index: int) -> MovingParts:
    """Body `index` of a batch, or a mesh, and one motion of a batch."""
    if isinstance(shape, Mesh):
        tree, start, radius = get_tree(shape), get_pose(shape), 0.0
    else:
        one = shape.reshape((shape.count,))[[index]]
        tree, start, radius = _make_node(one)
    low, high = tree.boxes[0, :3], tree.boxes[0, 3:]
    center = start[0, :9].reshape((3, 3)) @ ((low + high) / 2) + start[0, 9:]
    size = np.linalg.norm(high - low) / 2 + radius
    number = np.array([motion_index])
    ball = make_moving_balls(motion, number, center[None], np.array([size]))
    screws = np.zeros((0, 8))
    if ball.screws is not None:
        center, axis, angle, advance = (x[0] for x in ball.screws)
        screws = np.concatenate([center, axis, angle[:, None], advance[:, None]], axis=1)
    side = Side(tree, start, screws, np.empty((len(screws), 12)), np.empty((1, 12)), np.empty(6))
    return MovingParts(side, radius, ball)


def _make_node(one: DynamicBatch) -> tuple[BoxTree, Floats, float]:
    """A body as a tree of one node, its pose and its radius."""
    links, corners, faces = np.array([-1]), np.zeros((1, 9)), np.zeros(1, np.int64)
    if has_bodies(one):
        bodies = make_bodies(one)
        return BoxTree(bodies.boxes, links, corners, faces), bodies.poses, float(bodies.radius[0])
    center, radius = one._bounding_sphere()
    start = np.concatenate([np.eye(3).ravel(), center[0]])[None]
    return BoxTree(np.zeros((1, 6)), links, corners, faces), start, float(radius[0])


def list_near_parts(a: MovingParts, b: MovingParts, tol: float, margin: float, *, exact: bool) -> NearParts:
    """Pairs of parts that may come within the margin; `exact` if both are meshes."""
    scale = float(a.ball.scale()[0] + b.ball.scale()[0])
    size = float(a.ball.coordinates()[0] + b.ball.coordinates()[0])
    limit = margin + a.radius + b.radius + _TOLERANCES * tol * scale + _BANDS * BAND * size
    out, times = np.empty((_BUFFER, 2), np.int64), np.empty(_BUFFER)
    stack = np.empty((STACK_SIZE, 2), np.int64), np.empty((STACK_SIZE, 2))
    count = list_near_pairs(a.side, b.side, exact, limit, 1.0, out, times, *stack)
    if count > len(out):
        out, times = np.empty((count, 2), np.int64), np.empty(count)
        list_near_pairs(a.side, b.side, exact, limit, 1.0, out, times, *stack)
    rows, t = out[:count], times[:count]
    order = np.lexsort((t, rows[:, 1], rows[:, 0]))  # a pair may be listed more than once
    rows, t = rows[order], t[order]
    is_new = np.ones(count, np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return NearParts(rows[is_new, 0], rows[is_new, 1], t[is_new])


def follow_contact(a: MovingParts, b: MovingParts, smallest: float, max_steps: int) -> tuple[float, int]:
    """Until which share of their motions two meshes certainly touch, and in how many advances."""
    stack, found, steps = np.empty((STACK_SIZE, 2), np.int64), np.zeros(2, np.int64), np.zeros(1, np.int64)
    t = advance_contact(a.side, b.side, smallest, max_steps, stack, found, steps)
    return float(t), int(steps[0])
