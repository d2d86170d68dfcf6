"""First contacts of two convex polygons with radii that move and turn at once, in the plane.

A circle has one corner, a capsule two. During a frame, time runs from 0 to 1. The centers move along straight
lines or parabolas, and each body turns about its center at a constant rate. No screw moves so, because the
center of a screw rests. Both bodies are seen from the center of a, so only b's relative path counts.

The method is certified advancement. At a pose the best axis n between the polygons is found. Then the heights
of the corners along n are bounded for the future, in a frame that turns at a rate w about a's center (w is 0,
or the rate of a body). For corners u of a and v of b, and b's center q relative to a's, the height is

    F(s) = n . (R(-w s) q(s) + R((turn_b - w) s) v - R((turn_a - w) s) u)

and its second derivative is at most w^2 |q| + 2 |w| |q'| + |q''| + (turn_b - w)^2 |v| + (turn_a - w)^2 |u|.
So the polygons stay apart for as long as every parabola F(0) + F'(0) s - bend s^2 / 2 exceeds the radii.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Floats
from ougi.kernels.constants import FREE, HIT, NO_PROGRESS, OVERLAPPING, TIE, UNDECIDED
from ougi.kernels.records import Vec2
from ougi.kernels.vec2 import along, dot, length, scale, sub, turn_left, unit_or


class Flight(NamedTuple):
    """How b moves as seen from the center of a, and how both turn, during a frame."""

    offset: Vec2  # from the center of a to that of b, at time 0
    velocity: Vec2  # at time 0
    acceleration: Vec2
    angle_a: float
    turn_a: float
    angle_b: float
    turn_b: float


class Corners(NamedTuple):
    """A rounded polygon: columns of (x, y, distance from the body's center), counter-clockwise."""

    columns: Floats
    first: int
    corner_count: int
    radius: float


class Encounter(NamedTuple):
    """Status and time of a first contact, and the normal from a to b."""

    status: float
    t: float
    normal: Vec2


@device
def offset_at(flight: Flight, t: float) -> Vec2:
    """From the center of a to the center of b at a time."""
    return along(along(flight.offset, flight.velocity, t), flight.acceleration, 0.5 * t * t)


@procedure
def place_corners(body: Corners, angle: float, placed: Floats, row: int) -> None:
    """Write the turned corners, relative to their center, into rows row .. row + 2."""
    c, s = math.cos(angle), math.sin(angle)
    for k in range(body.corner_count):
        x, y = body.columns[0, body.first + k], body.columns[1, body.first + k]
        placed[row, k], placed[row + 1, k] = c * x - s * y, s * x + c * y
        placed[row + 2, k] = body.columns[2, body.first + k]


@device
def _corner(placed: Floats, row: int, k: int) -> Vec2:
    return Vec2(placed[row, k], placed[row + 1, k])


@procedure
def _find_height(placed: Floats, row: int, count: int, n: Vec2) -> float:
    """The largest height of corners along n."""
    high = dot(n, _corner(placed, row, 0))
    for k in range(1, count):
        high = max(high, dot(n, _corner(placed, row, k)))
    return high


@procedure
def measure_gap(placed: Floats, count_a: int, count_b: int, offset: Vec2) -> tuple[float, Vec2]:
    """The largest gap of the cores along an axis, and the axis; minus the depth where they overlap.

    Convex polygons that are apart are nearest at an edge and a corner, or at two corners.
    """
    best, normal = -math.inf, Vec2(1.0, 0.0)
    last = _corner(placed, 0, count_a - 1)
    for k in range(count_a if count_a > 1 else 0):
        p = _corner(placed, 0, k)
        n = unit_or(turn_left(sub(last, p)), Vec2(0.0, 0.0))
        if dot(n, n) > 0.5:
            low = -_find_height(placed, 3, count_b, Vec2(-n.x, -n.y))
            gap = dot(n, offset) + low - _find_height(placed, 0, count_a, n)
            if gap > best:
                best, normal = gap, n
        last = p
    last = _corner(placed, 3, count_b - 1)
    for k in range(count_b if count_b > 1 else 0):
        p = _corner(placed, 3, k)
        n = unit_or(turn_left(sub(p, last)), Vec2(0.0, 0.0))
        if dot(n, n) > 0.5:
            low = -_find_height(placed, 3, count_b, Vec2(-n.x, -n.y))
            gap = dot(n, offset) + low - _find_height(placed, 0, count_a, n)
            if gap > best:
                best, normal = gap, n
        last = p
    if best > 0.0 or count_a < 3 or count_b < 3:
        nearest, direct = math.inf, Vec2(0.0, 0.0)
        for i in range(count_a):
            for j in range(count_b):
                x = offset.x + placed[3, j] - placed[0, i]
                y = offset.y + placed[4, j] - placed[1, i]
                if x * x + y * y < nearest:
                    nearest, direct = x * x + y * y, Vec2(x, y)
        n = unit_or(direct, normal)
        low = -_find_height(placed, 3, count_b, Vec2(-n.x, -n.y))
        gap = dot(n, offset) + low - _find_height(placed, 0, count_a, n)
        if gap > best:
            best, normal = gap, n
    return best, normal


@device
def _time_above(gap: float, rate: float, bend: float) -> float:
    """How long gap + rate s - bend s^2 / 2 is positive, for gap >= 0 and bend >= 0."""
    root = math.sqrt(rate * rate + 2.0 * bend * gap)
    if rate < 0.0:
        return 2.0 * gap / (root - rate)
    return (rate + root) / bend if bend > 0.0 else math.inf


@procedure
def find_safe_time(
    placed: Floats,
    counts: tuple[int, int],
    flight: Flight,
    t: float,
    rest: float,
    n: Vec2,
    radius: float,
    spin: float,
) -> float:
    """For how long after t the polygons certainly stay apart along n, which turns at `spin`; `rest` at most.

    See the module for the bound. Along an axis at rest the acceleration counts only where it closes the gap.
    """
    q = offset_at(flight, t)
    v = along(flight.velocity, flight.acceleration, t)
    pull = length(flight.acceleration)
    bend_0 = max(-dot(n, flight.acceleration), 0.0)
    if spin != 0.0:
        far = length(q) + rest * (length(v) + 0.5 * rest * pull)
        bend_0 = spin * spin * far + 2.0 * abs(spin) * (length(v) + rest * pull) + pull
    gap_0 = dot(n, q) - radius
    rate_0 = dot(n, v) - spin * dot(n, turn_left(q))
    turn_a, turn_b = flight.turn_a - spin, flight.turn_b - spin
    safe = rest
    for i in range(counts[0]):
        u = _corner(placed, 0, i)
        gap_a, rate_a = gap_0 - dot(n, u), rate_0 - turn_a * dot(n, turn_left(u))
        bend_a = bend_0 + turn_a * turn_a * placed[2, i]
        for j in range(counts[1]):
            w = _corner(placed, 3, j)
            gap, rate = gap_a + dot(n, w), rate_a + turn_b * dot(n, turn_left(w))
            bend = bend_a + turn_b * turn_b * placed[5, j]
            if gap + safe * (rate - 0.5 * safe * bend) < 0.0:
                safe = _time_above(max(gap, 0.0), rate, bend)
    return safe


@procedure
def find_first_contact(
    a: Corners,
    b: Corners,
    flight: Flight,
    start: float,
    end: float,
    tol: float,
    max_steps: int,
    placed: Floats,
) -> Encounter:
    """The first contact from `start` to `end`: when the gap is at most `tol`.

    FREE is proven. UNDECIDED is proven free until its time. `placed` is a workspace (6, corners), which holds
    both polygons as they are at the end of the search.
    """
    t, radius = start, a.radius + b.radius
    counts, n = (a.corner_count, b.corner_count), Vec2(1.0, 0.0)
    for _ in range(max_steps):
        place_corners(a, flight.angle_a + flight.turn_a * t, placed, 0)
        place_corners(b, flight.angle_b + flight.turn_b * t, placed, 3)
        gap, n = measure_gap(placed, a.corner_count, b.corner_count, offset_at(flight, t))
        if gap - radius <= tol:
            return Encounter(OVERLAPPING if t == 0.0 else HIT, t, n)
        rest = end - t
        safe = find_safe_time(placed, counts, flight, t, rest, n, radius, 0.0)
        if safe < rest and flight.turn_a != 0.0:
            safe = max(safe, find_safe_time(placed, counts, flight, t, rest, n, radius, flight.turn_a))
        if safe < rest and flight.turn_b != 0.0:
            safe = max(safe, find_safe_time(placed, counts, flight, t, rest, n, radius, flight.turn_b))
        if safe >= rest:
            return Encounter(FREE, end, n)
        if safe < NO_PROGRESS:
            return Encounter(UNDECIDED, t, n)
        t += safe
    return Encounter(UNDECIDED, t, n)


@procedure
def locate_contact(
    placed: Floats, count_a: int, count_b: int, radius_b: float, offset: Vec2, n: Vec2, size: float
) -> Vec2:
    """The point of b's surface that touches, relative to the center of a; the middle where sides touch."""
    top, bottom = _find_height(placed, 0, count_a, n), -_find_height(placed, 3, count_b, Vec2(-n.x, -n.y))
    across, level = turn_left(n), TIE * size
    first, last = math.inf, -math.inf
    for k in range(count_a):
        p = _corner(placed, 0, k)
        if dot(n, p) >= top - level:
            first, last = min(first, dot(across, p)), max(last, dot(across, p))
    low, high = first, last
    first, last = math.inf, -math.inf
    for k in range(count_b):
        p = _corner(placed, 3, k)
        if dot(n, p) <= bottom + level:
            x = dot(across, p) + dot(across, offset)
            first, last = min(first, x), max(last, x)
    middle = 0.5 * (max(low, first) + min(high, last))
    return along(scale(across, middle), n, bottom + dot(n, offset) - radius_b)
