"""Circles that also bounce off each other: contacts in the order in which they happen.

A step is cut into spans in which no circle can move far. The broad phase finds the candidate pairs of a span.
Every circle has its own next contact, with the wall or with another circle. A heap of all circles has the
earliest contact on top. That contact is carried out, and its circles search for their next contacts. If the
partner of a contact has changed its motion since, then the contact is outdated. This is detected when the
contact comes up, which is before anything else can happen to the circle, because the circle that changed its
motion last has tested all others. The position of a circle is that of its last contact, so a contact costs
what its neighbourhood costs, not what all circles cost.

Masses are those of discs of one material. A circle that gets faster than the broad phase allows for ends the
span, and the broad phase runs again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ougi._native import device, loop, procedure
from ougi._native.borrow import borrow
from ougi._typing import Floats, Ints
from ougi.broad import candidate_pairs
from ougi.corridor.columns import (
    BOUNCES,
    CASTS,
    COUNT_COLUMNS,
    POSITION,
    PX,
    PY,
    RADIUS,
    RESULT_COLUMNS,
    TESTS,
    TIME_LEFT,
    VELOCITY,
    VX,
    VY,
)
from ougi.corridor.contact import Wall, contact_normal
from ougi.corridor.grid import Grid
from ougi.corridor.grid_search import search_grid
from ougi.corridor.structures import SearchStructure
from ougi.shapes import Aabb2d, Circle

# The broad phase assumes that no circle gets more than so many times as fast as the fastest.
_SPEED_RESERVE = 2.0
# How far such a circle may move in a span: radii of the largest circle, or a part of the mean distance
# between circles, whichever is more. With more there are too many pairs, with less too many spans.
_SPAN_RADII, _SPAN_SPACINGS = 2.0, 0.25


def refuse_overlaps(circles: Floats, tol: float) -> None:
    """Raise for the first two circles that overlap by more than a part `tol` of their radii."""
    pairs = candidate_pairs(
        Circle._from_fields(
            (len(circles),), {"center": circles[:, POSITION].copy(), "radius": circles[:, RADIUS].copy()}
        )
    )
    i, j = pairs.T
    distance = np.hypot(*(circles[i, POSITION] - circles[j, POSITION]).T)
    reach = circles[i, RADIUS] + circles[j, RADIUS]
    bad = distance < reach * (1 - tol)
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(
            f"circles {i[k]} and {j[k]} overlap: their distance is {distance[k]:.6g}, but their radii add up "
            f"to {reach[k]:.6g}; move them apart"
        )


def step_mutual(
    structure: SearchStructure, circles: Floats, seconds: float, restitution: float, max_bounces: int
) -> tuple[Floats, Ints]:
    """Move circles that meet the wall and each other; rows of results and counts, see `columns.py`."""
    n = len(circles)
    out, counts = np.zeros((n, RESULT_COLUMNS)), np.zeros((n, COUNT_COLUMNS), np.int64)
    now, stack = circles.copy(), np.empty((2, 4))
    left, budget = seconds, max_bounces * n
    while left > 0 and budget > 0:
        max_speed = _SPEED_RESERVE * float(np.hypot(now[:, VX], now[:, VY]).max())
        spacing = math.sqrt(float(np.prod(np.ptp(now[:, POSITION], axis=0))) / n)
        far = max(_SPAN_RADII * float(now[:, RADIUS].max()), _SPAN_SPACINGS * spacing)
        duration = left if max_speed * left <= far else far / max_speed
        grown = (now[:, RADIUS] + max_speed * duration)[:, None]
        pairs = candidate_pairs(Aabb2d(now[:, POSITION] - grown, now[:, POSITION] + grown))
        starts, others = list_neighbours(pairs, n)
        span = MutualSpan(structure.tables, structure.wall, starts, others, duration, restitution)
        used, events = run_contacts(span, now, _make_plans(n), max_speed, budget, stack, counts)
        left, budget = left - used if used < left else 0.0, budget - events
    out[:, POSITION], out[:, VELOCITY] = now[:, POSITION], now[:, VELOCITY]
    out[:, TIME_LEFT] = left
    return out, counts


@loop
def list_neighbours(pairs: Ints, n: int) -> tuple[Ints, Ints]:
    """Where the neighbours of each of n circles begin in a list, and the list."""
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


class MutualSpan(NamedTuple):
    """All that stays the same in a span."""

    grid: Grid
    wall: Wall
    starts: Ints  # neighbours of each circle
    others: Ints
    seconds: float
    restitution: float


class Plans(NamedTuple):
    """The next contact of every circle, and a heap of all circles, the earliest contact first."""

    clock: Floats  # when the circle was where its row is
    time: Floats
    partner: Ints  # a feature of the wall, or -2 - the other circle
    turns: Ints  # how often the circle has changed its motion
    partner_turns: Ints  # the same of the other circle, when this was planned
    heap: Ints
    place: Ints  # the place of the circle in the heap


def _make_plans(n: int) -> Plans:
    """Plans without contacts."""
    numbers = np.arange(n)
    zeros = np.zeros(n, np.int64)
    return Plans(np.zeros(n), np.full(n, np.inf), numbers - 1, zeros, zeros.copy(), numbers, numbers.copy())


@device
def _advance(now: Floats, plans: Plans, i: int, time: float) -> None:
    """Move circle i to a time."""
    now[i, PX] += (time - plans.clock[i]) * now[i, VX]
    now[i, PY] += (time - plans.clock[i]) * now[i, VY]
    plans.clock[i] = time


@device
def _contact_time(now: Floats, plans: Plans, i: int, j: int) -> float:
    """Seconds from the clock of circle i until circles i and j touch; infinite if they do not."""
    lag = plans.clock[i] - plans.clock[j]
    wx, wy = now[i, PX] - now[j, PX] - lag * now[j, VX], now[i, PY] - now[j, PY] - lag * now[j, VY]
    dx, dy = now[i, VX] - now[j, VX], now[i, VY] - now[j, VY]
    r = now[i, RADIUS] + now[j, RADIUS]
    b = wx * dx + wy * dy
    across = wx * dy - wy * dx
    root_sq = (dx * dx + dy * dy) * r * r - across * across
    if b >= 0.0 or root_sq < 0.0:
        return math.inf
    seconds: float = max(0.0, (wx * wx + wy * wy - r * r) / (math.sqrt(root_sq) - b))
    return seconds


@procedure
def _plan(span: MutualSpan, now: Floats, plans: Plans, i: int, stack: Floats, counts: Ints) -> None:
    """Find the next contact of circle i and move it to its place in the heap."""
    time = plans.clock[i]
    left = span.seconds - time
    px, py, vx, vy, r = now[i]
    t, feature, tests = search_grid(span.grid, span.wall, px, py, vx * left, vy * left, r, stack)
    counts[i, TESTS] += tests
    counts[i, CASTS] += 1
    plans.time[i], plans.partner[i] = (time + t * left, feature) if feature >= 0 else (math.inf, -1)
    for k in range(span.starts[i], span.starts[i + 1]):
        j = span.others[k]
        contact = time + _contact_time(now, plans, i, j)
        if contact < plans.time[i] and contact <= span.seconds:
            plans.time[i], plans.partner[i], plans.partner_turns[i] = contact, -2 - j, plans.turns[j]
    _sift(plans, plans.place[i])


@device
def _sift(plans: Plans, k: int) -> None:
    """Move the entry k of the heap up or down to its place."""
    heap, place, time = plans.heap, plans.place, plans.time
    i = heap[k]
    while k > 0 and time[heap[(k - 1) >> 1]] > time[i]:
        up = heap[(k - 1) >> 1]
        heap[k], place[up] = up, k
        k = (k - 1) >> 1
    while 2 * k + 1 < len(heap):
        child = 2 * k + 1
        if child + 1 < len(heap) and time[heap[child + 1]] < time[heap[child]]:
            child += 1
        if time[heap[child]] >= time[i]:
            break
        down = heap[child]
        heap[k], place[down] = down, k
        k = child
    heap[k], place[i] = i, k


@loop
def run_contacts(
    span: MutualSpan, now: Floats, plans: Plans, max_speed: float, budget: int, stack: Floats, counts: Ints
) -> tuple[float, int]:
    """Carry out contacts until span or budget are used up, or a circle is too fast; time and events."""
    span, now, plans, stack, counts = borrow((span, now, plans, stack, counts))
    for i in range(len(now)):
        _plan(span, now, plans, i, stack, counts)
    time, events, is_slow = 0.0, 0, True
    while is_slow and events < budget:
        i = plans.heap[0]
        if plans.time[i] > span.seconds:
            time = span.seconds
            break
        time = plans.time[i]
        feature = plans.partner[i]
        other = i if feature >= 0 else -2 - feature
        _advance(now, plans, i, time)
        if feature < 0 and plans.turns[other] != plans.partner_turns[i]:
            _plan(span, now, plans, i, stack, counts)
            continue
        events += 1
        if feature >= 0:
            nx, ny = contact_normal(span.wall, feature, now[i, PX], now[i, PY])
            back = (1.0 + span.restitution) * (now[i, VX] * nx + now[i, VY] * ny)
            now[i, VX] -= back * nx
            now[i, VY] -= back * ny
        else:
            _advance(now, plans, other, time)
            _exchange_momentum(now, i, other, span.restitution)
            counts[other, BOUNCES] += 1
            plans.turns[other] += 1
        counts[i, BOUNCES] += 1
        plans.turns[i] += 1
        _plan(span, now, plans, i, stack, counts)
        if other != i:
            _plan(span, now, plans, other, stack, counts)
        for k in (i, other):
            is_slow = is_slow and now[k, VX] ** 2 + now[k, VY] ** 2 <= max_speed**2
    for i in range(len(now)):
        _advance(now, plans, i, time)
    return time, events


@device
def _exchange_momentum(now: Floats, i: int, j: int, restitution: float) -> None:
    """Bounce two circles off each other along the line of their centers."""
    wx, wy = now[i, PX] - now[j, PX], now[i, PY] - now[j, PY]
    length = math.sqrt(wx * wx + wy * wy)
    nx, ny = wx / length, wy / length
    a, b = now[i, RADIUS] ** 2, now[j, RADIUS] ** 2
    rate = (now[i, VX] - now[j, VX]) * nx + (now[i, VY] - now[j, VY]) * ny
    impulse = -(1.0 + restitution) * rate / (1.0 / a + 1.0 / b)
    now[i, VX] += impulse / a * nx
    now[i, VY] += impulse / a * ny
    now[j, VX] -= impulse / b * nx
    now[j, VY] -= impulse / b * ny
