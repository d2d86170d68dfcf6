"""Which triangles two moving meshes may bring together; a body that is no mesh is one part.

The loop in `kernels.mesh.sweep` lists them. All other pairs are proven to be apart.
"""

from __future__ import annotations

from collections.abc import Iterator
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

# Meshes with at most so many pairs of triangles are searched over their whole motions, in milliseconds.
_WHOLE = 1_000_000

# The first window of others, the shortest and the longest one, as shares of the motions. A window is
# shortened if it has more than `_GROWTH` times the pairs of the one before.
_FIRST_WINDOW, _SHORTEST_WINDOW, _LONGEST_WINDOW, _GROWTH = 1 / 64, 1 / 4096, 1 / 4, 4

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
    limit = _measure_limit(a, b, tol, margin)
    near, count = _list_until(1.0, a, b, limit, _BUFFER, exact=exact)
    return near if count <= _BUFFER else _list_until(1.0, a, b, limit, count, exact=exact)[0]


def list_windows(a: MovingParts, b: MovingParts, tol: float) -> Iterator[tuple[float, NearParts]]:
    """Shares of the motions of two meshes, from a small one to 1, and the pairs that may touch until then.

    Who finds a contact within a share needs no larger one. Where detailed meshes pass through each other,
    there are a thousand times as many pairs as until their first contact.
    """
    limit = _measure_limit(a, b, tol, 0.0)
    is_small = len(a.side.tree.corners) * len(b.side.tree.corners) <= _WHOLE
    done, step, tried, before = 0.0, 1.0 if is_small else _FIRST_WINDOW, 0.0, 0
    while done < 1.0:
        end, buffer = min(done + step, 1.0), max(_BUFFER, _GROWTH * before)
        near, count = _list_until(end, a, b, limit, buffer, exact=True)
        if count > buffer:
            if not is_small and step > _SHORTEST_WINDOW:
                tried, step = end, step / 4.0
                continue
            near, _ = _list_until(end, a, b, limit, count, exact=True)
        yield end, near
        done, before = end, count
        step = min(2.0 * step, (tried - end) / 2.0 if tried > end else _LONGEST_WINDOW)
        step = max(step, _SHORTEST_WINDOW)


def _measure_limit(a: MovingParts, b: MovingParts, tol: float, margin: float) -> float:
    """The distance below which parts are near."""
    scale = float(a.ball.scale()[0] + b.ball.scale()[0])
    size = float(a.ball.coordinates()[0] + b.ball.coordinates()[0])
    return margin + a.radius + b.radius + _TOLERANCES * tol * scale + _BANDS * BAND * size


def _list_until(
    end: float, a: MovingParts, b: MovingParts, limit: float, buffer: int, *, exact: bool
) -> tuple[NearParts, int]:
    """Pairs that are near until a share of the motions; some are missing if their number exceeds `buffer`."""
    out, times = np.empty((buffer, 2), np.int64), np.empty(buffer)
    stack = np.empty((STACK_SIZE, 2), np.int64), np.empty((STACK_SIZE, 2))
    count = list_near_pairs(a.side, b.side, exact, limit, end, out, times, *stack)
    rows, t = out[:count], times[:count]
    order = np.lexsort((t, rows[:, 1], rows[:, 0]))  # a pair may be listed more than once
    rows, t = rows[order], t[order]
    is_new = np.ones(len(t), np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return NearParts(rows[is_new, 0], rows[is_new, 1], t[is_new]), count


def follow_contact(a: MovingParts, b: MovingParts, smallest: float, max_steps: int) -> tuple[float, int]:
    """Until which share of their motions two meshes certainly touch, and in how many advances."""
    stack, found, steps = np.empty((STACK_SIZE, 2), np.int64), np.zeros(2, np.int64), np.zeros(1, np.int64)
    t = advance_contact(a.side, b.side, smallest, max_steps, stack, found, steps)
    return float(t), int(steps[0])
