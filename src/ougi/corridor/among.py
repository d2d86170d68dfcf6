"""Characters that also bounce off each other: contacts in the order in which they happen.

The broad phase names the pairs that could meet within a frame. Everybody knows his next contact, with the
wall or with another; the earliest of all is carried out, and those whose contact it was look ahead again.
Masses are those of discs of one material. Somebody who becomes faster than the broad phase was told ends the
round: it is asked again for the rest of the frame.
"""

from __future__ import annotations

import math

import numpy as np

from ougi._jit import device, loop
from ougi._typing import Floats, Ints
from ougi.broad import candidate_pairs
from ougi.corridor.contact import Wall, normal_at
from ougi.corridor.drive import COUNTS, OUT
from ougi.corridor.reach import Grid, first_in_reach
from ougi.corridor.structures import Structure
from ougi.shapes import Aabb2d, Circle

# The broad phase is told that nobody will be more than so many times as fast as the fastest.
_FASTER = 2.0


def refuse_overlaps(state: Floats, share: float) -> None:
    """Raise for the first two characters that overlap by more than a share of their radii."""
    pairs = candidate_pairs(Circle(state[:, :2], state[:, 4]))
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
    now = state.copy()
    left, budget = seconds, most * max(n, 1)
    while left > 0 and budget > 0 and n:
        limit = _FASTER * float(np.hypot(now[:, 2], now[:, 3]).max())
        grown = (now[:, 4] + limit * left)[:, None]
        pairs = candidate_pairs(Aabb2d(now[:, :2] - grown, now[:, :2] + grown))
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        starts = np.searchsorted(both[:, 0], np.arange(n + 1))
        others = np.ascontiguousarray(both[:, 1])
        used, events = meet(
            made.tables, made.wall, starts, others, now, left, restitution, limit, budget, counts
        )
        left, budget = left - used, budget - events
    out[:, :4], out[:, 7] = now[:, :4], max(left, 0.0)
    return out, counts


@device
def _meeting(now: Floats, i: int, j: int, r: float) -> float:
    """Seconds until circles i and j, whose radii add up to r, touch; infinite if they do not."""
    wx, wy = now[i, 0] - now[j, 0], now[i, 1] - now[j, 1]
    dx, dy = now[i, 2] - now[j, 2], now[i, 3] - now[j, 3]
    b = wx * dx + wy * dy
    across = wx * dy - wy * dx
    root_sq = (dx * dx + dy * dy) * r * r - across * across
    if b >= 0.0 or root_sq < 0.0:
        return math.inf
    seconds: float = max(0.0, (wx * wx + wy * wy - r * r) / (math.sqrt(root_sq) - b))
    return seconds


@device
def _look_ahead(
    grid: Grid,
    wall: Wall,
    starts: Ints,
    others: Ints,
    now: Floats,
    time: float,
    total: float,
    i: int,
    when: Floats,
    what: Ints,
    stack: Floats,
    counts: Ints,
) -> None:
    """The next contact of character i: `what` is a feature of the wall, or -2 - the other character."""
    left = total - time
    px, py, vx, vy, r = now[i]
    t, feature, tests = first_in_reach(grid, wall, px, py, vx * left, vy * left, r, stack)
    counts[i, 2] += tests
    counts[i, 3] += 1
    when[i], what[i] = (time + t * left, feature) if feature >= 0 else (math.inf, -1)
    for k in range(starts[i], starts[i + 1]):
        j = others[k]
        meeting = time + _meeting(now, i, j, r + now[j, 4])
        if meeting < when[i] and meeting <= total:
            when[i], what[i] = meeting, -2 - j


@loop
def meet(
    grid: Grid,
    wall: Wall,
    starts: Ints,
    others: Ints,
    now: Floats,
    total: float,
    restitution: float,
    limit: float,
    budget: int,
    counts: Ints,
) -> tuple[float, int]:
    """Carry out contacts until time or budget are used up, or somebody is too fast; time and events."""
    n = len(now)
    stack = np.empty((2, 4))
    when, what = np.empty(n), np.empty(n, np.int64)
    time, events = 0.0, 0
    for i in range(n):
        _look_ahead(grid, wall, starts, others, now, time, total, i, when, what, stack, counts)
    while True:
        first = 0
        for i in range(1, n):
            if when[i] < when[first]:
                first = i
        until = min(when[first], total)
        for i in range(n):
            now[i, 0] += (until - time) * now[i, 2]
            now[i, 1] += (until - time) * now[i, 3]
        time = until
        if when[first] > total or events >= budget:
            return (total if when[first] > total else time), events
        events += 1
        feature = what[first]
        other = first if feature >= 0 else -2 - feature
        if feature >= 0:
            nx, ny = normal_at(wall, feature, now[first, 0], now[first, 1])
            back = (1.0 + restitution) * (now[first, 2] * nx + now[first, 3] * ny)
            now[first, 2] -= back * nx
            now[first, 3] -= back * ny
        else:
            counts[other, 1] += 1
            _push(now, first, other, restitution)
        counts[first, 1] += 1
        for i in range(n):  # these two, and all who were to meet one of them
            partner = -2 - what[i]
            if i in (first, other) or partner in (first, other):
                _look_ahead(grid, wall, starts, others, now, time, total, i, when, what, stack, counts)
        for i in (first, other):
            for k in range(starts[i], starts[i + 1]):  # and all who will meet one of them before anybody else
                j = others[k]
                meeting = time + _meeting(now, i, j, now[i, 4] + now[j, 4])
                if meeting < when[j] and meeting <= total:
                    when[j], what[j] = meeting, -2 - i
            if now[i, 2] ** 2 + now[i, 3] ** 2 > limit**2:
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
