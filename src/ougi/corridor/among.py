"""Characters that also bounce off each other: contacts in the order in which they happen.

A frame is cut into spans in which nobody can go far; the broad phase names the pairs that could meet within
one. Everybody knows his own next contact, with the wall or with another; the earliest of all, at the top of a
heap, is carried out, and those whose contact it was look ahead again. Somebody whose partner has been
elsewhere meanwhile notices when his contact comes up, which is before anything else that could happen to him:
whoever changed his way last has looked at all others. Everybody stands where his last contact was, so that
a contact costs what its neighbourhood costs, not the crowd.

Masses are those of discs of one material. Somebody who becomes faster than the broad phase was told ends the
span: it is asked again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.broad import candidate_pairs
from ougi.corridor.contact import Wall, normal_at
from ougi.corridor.drive import COUNTS, OUT
from ougi.corridor.lend import lent
from ougi.corridor.reach import Grid, first_in_reach
from ougi.corridor.structures import Structure
from ougi.shapes import Aabb2d, Circle

# The broad phase is told that nobody will be more than so many times as fast as the fastest.
_FASTER = 2.0
# How far somebody so fast may go in a span: radii of the largest, or a share of the mean distance between
# characters, what is more. Further, and there are too many pairs; less far, and there are too many spans.
_RADII, _SHARE = 2.0, 0.25


def refuse_overlaps(state: Floats, share: float) -> None:
    """Raise for the first two characters that overlap by more than a share of their radii."""
    pairs = candidate_pairs(
        Circle._from_fields((len(state),), {"center": state[:, :2].copy(), "radius": state[:, 4].copy()})
    )
    i, j = pairs.T
    apart = np.hypot(*(state[i, :2] - state[j, :2]).T)
    reach = state[i, 4] + state[j, 4]
    bad = apart < reach * (1 - share)
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(
            f"characters {i[k]} and {j[k]} overlap: they are {apart[k]:.6g} apart, "
            f"their radii add up to {reach[k]:.6g}"
        )


def stepped(
    made: Structure, state: Floats, seconds: float, restitution: float, most: int
) -> tuple[Floats, Ints]:
    """Move circles (px, py, vx, vy, radius) that meet the wall and each other; rows of `OUT` and `COUNTS`."""
    n = len(state)
    out, counts = np.zeros((n, len(OUT))), np.zeros((n, len(COUNTS)), np.int64)
    now, stack = state.copy(), np.empty((2, 4))
    left, budget = seconds, most * n
    while left > 0 and budget > 0:
        limit = _FASTER * float(np.hypot(now[:, 2], now[:, 3]).max())
        spacing = math.sqrt(float(np.prod(np.ptp(now[:, :2], axis=0))) / n)
        far = max(_RADII * float(now[:, 4].max()), _SHARE * spacing)
        span = left if limit * left <= far else far / limit
        grown = (now[:, 4] + limit * span)[:, None]
        pairs = candidate_pairs(Aabb2d(now[:, :2] - grown, now[:, :2] + grown))
        starts, others = neighbours(pairs, n)
        how = (span, restitution, limit, budget, stack, counts)
        used, events = carry_out(made.tables, made.wall, starts, others, now, _plans(n), *how)
        left, budget = left - used if used < left else 0.0, budget - events
    out[:, :4], out[:, 7] = now[:, :4], left
    return out, counts


@loop
def neighbours(pairs: Ints, n: int) -> tuple[Ints, Ints]:
    """Where the others of each of n characters begin in a list, and the list."""
    starts = np.zeros(n + 1, np.int64)
    for k in range(len(pairs)):
        starts[pairs[k, 0] + 1] += 1
        starts[pairs[k, 1] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    others, filled = np.empty(2 * len(pairs), np.int64), starts.copy()
    for k in range(len(pairs)):
        for side in range(2):
            i, j = pairs[k, side], pairs[k, 1 - side]
            others[filled[i]] = j
            filled[i] += 1
    return starts, others


class Plans(NamedTuple):
    """What everybody expects next, and a heap of all, the earliest first."""

    clock: Floats  # when he was where `now` says
    when: Floats
    what: Ints  # a feature of the wall, or -2 - the other character
    turns: Ints  # how often his way has changed
    seen: Ints  # the other's turns when this was planned
    heap: Ints
    place: Ints  # where in the heap he is


def _plans(n: int) -> Plans:
    """Before anybody has looked ahead."""
    numbers = np.arange(n)
    zeros = np.zeros(n, np.int64)
    return Plans(np.zeros(n), np.full(n, np.inf), numbers - 1, zeros, zeros.copy(), numbers, numbers.copy())


@device
def _go(now: Floats, plans: Plans, i: int, time: float) -> None:
    """Bring character i to a time, on his way."""
    now[i, 0] += (time - plans.clock[i]) * now[i, 2]
    now[i, 1] += (time - plans.clock[i]) * now[i, 3]
    plans.clock[i] = time


@device
def _meeting(now: Floats, plans: Plans, i: int, j: int) -> float:
    """Seconds until character i, who stands where he is now, and j touch; infinite if they do not."""
    lag = plans.clock[i] - plans.clock[j]
    wx, wy = now[i, 0] - now[j, 0] - lag * now[j, 2], now[i, 1] - now[j, 1] - lag * now[j, 3]
    dx, dy = now[i, 2] - now[j, 2], now[i, 3] - now[j, 3]
    r = now[i, 4] + now[j, 4]
    b = wx * dx + wy * dy
    across = wx * dy - wy * dx
    root_sq = (dx * dx + dy * dy) * r * r - across * across
    if b >= 0.0 or root_sq < 0.0:
        return math.inf
    seconds: float = max(0.0, (wx * wx + wy * wy - r * r) / (math.sqrt(root_sq) - b))
    return seconds


@procedure
def _plan(
    grid: Grid,
    wall: Wall,
    starts: Ints,
    others: Ints,
    now: Floats,
    plans: Plans,
    total: float,
    i: int,
    stack: Floats,
    counts: Ints,
) -> None:
    """Find the next contact of character i, who stands where he is now, and put him in his place."""
    time = plans.clock[i]
    left = total - time
    px, py, vx, vy, r = now[i]
    t, feature, tests = first_in_reach(grid, wall, px, py, vx * left, vy * left, r, stack)
    counts[i, 2] += tests
    counts[i, 3] += 1
    plans.when[i], plans.what[i] = (time + t * left, feature) if feature >= 0 else (math.inf, -1)
    for k in range(starts[i], starts[i + 1]):
        j = others[k]
        meeting = time + _meeting(now, plans, i, j)
        if meeting < plans.when[i] and meeting <= total:
            plans.when[i], plans.what[i], plans.seen[i] = meeting, -2 - j, plans.turns[j]
    _order(plans, plans.place[i])


@device
def _order(plans: Plans, k: int) -> None:
    """Move the entry k of the heap up or down to where it belongs."""
    heap, place, when = plans.heap, plans.place, plans.when
    i = heap[k]
    while k > 0 and when[heap[(k - 1) >> 1]] > when[i]:
        up = heap[(k - 1) >> 1]
        heap[k], place[up] = up, k
        k = (k - 1) >> 1
    while 2 * k + 1 < len(heap):
        child = 2 * k + 1
        if child + 1 < len(heap) and when[heap[child + 1]] < when[heap[child]]:
            child += 1
        if when[heap[child]] >= when[i]:
            break
        down = heap[child]
        heap[k], place[down] = down, k
        k = child
    heap[k], place[i] = i, k


@loop
def carry_out(
    grid: Grid,
    wall: Wall,
    starts: Ints,
    others: Ints,
    now: Floats,
    plans: Plans,
    total: float,
    restitution: float,
    limit: float,
    budget: int,
    stack: Floats,
    counts: Ints,
) -> tuple[float, int]:
    """Carry out contacts until time or budget are used up, or somebody is too fast; time and events."""
    grid, wall, starts, others = lent((grid, wall, starts, others))
    now, plans, stack, counts = lent((now, plans, stack, counts))
    n = len(now)
    for i in range(n):
        _plan(grid, wall, starts, others, now, plans, total, i, stack, counts)
    time, events, is_slow = 0.0, 0, True
    while is_slow and events < budget:
        i = plans.heap[0]
        if plans.when[i] > total:
            time = total
            break
        time = plans.when[i]
        feature = plans.what[i]
        other = i if feature >= 0 else -2 - feature
        _go(now, plans, i, time)
        if feature < 0 and plans.turns[other] != plans.seen[i]:
            _plan(grid, wall, starts, others, now, plans, total, i, stack, counts)
            continue
        events += 1
        if feature >= 0:
            nx, ny = normal_at(wall, feature, now[i, 0], now[i, 1])
            back = (1.0 + restitution) * (now[i, 2] * nx + now[i, 3] * ny)
            now[i, 2] -= back * nx
            now[i, 3] -= back * ny
        else:
            _go(now, plans, other, time)
            _push(now, i, other, restitution)
            counts[other, 1] += 1
            plans.turns[other] += 1
        counts[i, 1] += 1
        plans.turns[i] += 1
        _plan(grid, wall, starts, others, now, plans, total, i, stack, counts)
        if other != i:
            _plan(grid, wall, starts, others, now, plans, total, other, stack, counts)
        for k in (i, other):
            is_slow = is_slow and now[k, 2] ** 2 + now[k, 3] ** 2 <= limit**2
    for i in range(n):
        _go(now, plans, i, time)
    return time, events


@device
def _push(now: Floats, i: int, j: int, restitution: float) -> None:
    """Exchange momentum along the line of centers."""
    wx, wy = now[i, 0] - now[j, 0], now[i, 1] - now[j, 1]
    length = math.sqrt(wx * wx + wy * wy)
    nx, ny = wx / length, wy / length
    a, b = now[i, 4] ** 2, now[j, 4] ** 2
    rate = (now[i, 2] - now[j, 2]) * nx + (now[i, 3] - now[j, 3]) * ny
    push = -(1.0 + restitution) * rate / (1.0 / a + 1.0 / b)
    now[i, 2] += push / a * nx
    now[i, 3] += push / a * ny
    now[j, 2] -= push / b * nx
    now[j, 3] -= push / b * ny
