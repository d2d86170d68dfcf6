"""Triangles between walls: a constrained Delaunay triangulation of the corners, by exact predicates.

Corners are inserted one by one, in random rounds, each along a Z-curve (Amenta, Choi, Rote, "Incremental
constructions con BRIO", 2003), and edges flipped while a corner lies in a circle (Lawson, 1977). Walls that
are not yet edges are forced: the triangles that one crosses are taken away, and the hole on each side of it
is filled by cutting ears. There every strictly convex corner q between p and r is an ear: seen from q, the
old triangles around it end beyond the wall, so none of them ends before p r.

Which side of a line a point is on is decided exactly (Shewchuk, "Adaptive precision floating-point
arithmetic", 1997), so every triangle has a positive area, however thin. Flips are done only where rounding
cannot have decided: they make better triangles, and need not be complete.

A box around all walls is triangulated with them, so that one can walk from any triangle to any other.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ougi._jit import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.corridor.contact import Wall

# Shewchuk: errors of the side of a line and of the test for a circle, as shares of their summands' sizes.
_SIDE = (3 + 16 * 2.0**-53) * 2.0**-53
_CIRCLE = (10 + 96 * 2.0**-53) * 2.0**-53
# 2**27 + 1 cuts a number in two halves of 26 bits.
_HALVES = 134217729.0
# Bits of a place on the Z-curve along each axis.
_BITS = 16
# Rounds of flips after the walls are forced; what is left would be flips for beauty.
_ROUNDS = 8

Shorts: TypeAlias = npt.NDArray[np.int32]


class Triangles(NamedTuple):
    """Triangles, counter-clockwise, and a grid of some to start from.

    Entry k of `beside` is the triangle across the edge that faces corner k, or -1 - that if the edge is a
    wall: then its segment is the one that starts at the corner behind corner k. At the border of the box it
    is the triangle itself.
    """

    points: Floats  # (n + 4, 2): starts of the segments, then the box
    corners: Shorts  # (m, 3)
    beside: Shorts  # (m, 3)
    hints: Shorts  # (height, width): a triangle that holds the middle of the cell
    low_x: float
    low_y: float
    scale_x: float  # cells per length
    scale_y: float


def triangles(wall: Wall) -> Triangles:
    """Triangulate a wall, and the box around it."""
    start = wall.rows[:, :2]
    low, high = start.min(axis=0), start.max(axis=0)
    size = high - low
    (lx, ly), (hx, hy) = low - size, high + size
    points = np.concatenate([start, [[lx, ly], [hx, ly], [hx, hy], [lx, hy]]])
    n = len(start)
    curve = z_curve((start - low) / size)
    rounds = np.random.default_rng(0).geometric(0.5, n)  # half of the corners, a quarter, ...
    corners, beside = triangulate(points, np.lexsort((curve, -rounds)), wall.after)
    u, v = corners[:, [1, 2, 0]], corners[:, [2, 0, 1]]
    successor = np.concatenate([wall.after, [-1, -1, -1, -1]])
    ahead, back = successor[u] == v, successor[v] == u
    if ahead.sum() != n or back.sum() != n:
        raise ArithmeticError("walls differ by less than doubles can tell: their products underflow")
    own = np.arange(len(corners))[:, None]
    beside = np.where(ahead | back, -1 - beside, np.where(beside < 0, own, beside))
    order = np.argsort(z_curve((points[corners].mean(axis=1) - (low - size)) / (3 * size)), kind="stable")
    width, height = np.clip(np.ceil(size * np.sqrt(n / size[0] / size[1])), 1, n).astype(np.int64)
    hints = np.zeros((height, width), np.int32)
    place = (float(low[0]), float(low[1]), float(width / size[0]), float(height / size[1]))
    made = Triangles(points, *_renumbered(corners, beside, order), hints, *place)
    fill_hints(made)
    return made


def z_curve(share: Floats) -> Ints:
    """Places of points in [0, 1] x [0, 1] along a curve that goes through quarters of quarters."""
    out = np.zeros(len(share), np.int64)
    cell = np.clip(share * (1 << _BITS), 0, (1 << _BITS) - 1).astype(np.int64)
    for bit in range(_BITS):
        out |= ((cell[:, 0] >> bit & 1) << 2 * bit) | ((cell[:, 1] >> bit & 1) << 2 * bit + 1)
    return out


def _renumbered(corners: Ints, beside: Ints, order: Ints) -> tuple[Shorts, Shorts]:
    """Triangles in another order: neighbours near each other in memory."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    moved = np.where(beside >= 0, place[beside], -1 - place[-1 - beside])
    return corners[order].astype(np.int32), moved[order].astype(np.int32)


# --- predicates --------------------------------------------------------------------------------------------


@device
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """A sum and what rounding took from it (Knuth)."""
    s = a + b
    bb = s - a
    return s, (a - (s - bb)) + (b - bb)


@device
def _two_product(a: float, b: float) -> tuple[float, float]:
    """A product and what rounding took from it (Dekker)."""
    p = a * b
    c = _HALVES * a
    ah = c - (c - a)
    c = _HALVES * b
    bh = c - (c - b)
    al, bl = a - ah, b - bh
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)


@procedure
def exact_side(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """A number with the sign of (a - c) x (b - c): six products without rounding, summed without rounding.

    The sum is kept in parts that do not overlap, the largest last (Shewchuk's grow-expansion).
    """
    parts = np.zeros(12)
    count = 0
    for k in range(6):
        if k == 0:
            high, low = _two_product(ax, by)
        elif k == 1:
            high, low = _two_product(-ax, cy)
        elif k == 2:
            high, low = _two_product(-cx, by)
        elif k == 3:
            high, low = _two_product(-ay, bx)
        elif k == 4:
            high, low = _two_product(ay, cx)
        else:
            high, low = _two_product(cy, bx)
        for each in (low, high):
            q = each
            for i in range(count):
                q, parts[i] = _two_sum(q, parts[i])
            parts[count] = q
            count += 1
    for k in range(11, -1, -1):
        if parts[k] != 0.0:
            return float(parts[k])
    return 0.0


@device
def side(points: Floats, a: int, b: int, px: float, py: float) -> float:
    """Positive if p lies left of the line from a to b, negative right, 0 on it: exactly."""
    ax, ay, bx, by = points[a, 0], points[a, 1], points[b, 0], points[b, 1]
    left, right = (ax - px) * (by - py), (ay - py) * (bx - px)
    if abs(left - right) > _SIDE * (abs(left) + abs(right)):
        return float(left - right)
    if (ax == px or by == py) and (ay == py or bx == px):
        return 0.0
    return exact_side(ax, ay, bx, by, px, py)


@device
def _is_in_circle(points: Floats, a: int, b: int, c: int, d: int) -> bool:
    """Does d surely lie in the circle through a, b, c? Not if rounding could have decided."""
    px, py = points[d, 0], points[d, 1]
    ax, ay = points[a, 0] - px, points[a, 1] - py
    bx, by = points[b, 0] - px, points[b, 1] - py
    cx, cy = points[c, 0] - px, points[c, 1] - py
    a_sq, b_sq, c_sq = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    det = a_sq * (bx * cy - by * cx) + b_sq * (cx * ay - cy * ax) + c_sq * (ax * by - ay * bx)
    size = (
        a_sq * (abs(bx * cy) + abs(by * cx))
        + b_sq * (abs(cx * ay) + abs(cy * ax))
        + c_sq * (abs(ax * by) + abs(ay * bx))
    )
    return bool(det > _CIRCLE * size)


@device
def located(
    points: Floats, corners: Ints | Shorts, beside: Ints | Shorts, t: int, px: float, py: float
) -> tuple[int, int]:
    """The triangle that holds p, by walking from t; and which of its edges p lies on, or -1.

    Which edge is looked at first is drawn anew at each triangle, as a walk that always prefers the same could
    go round for ever (Devillers, Pion, Teillaud, "Walking in a triangulation", 2002).
    """
    draw = 1
    while True:
        draw = (draw * 1103515245 + 12345) & 0x7FFFFFFF
        first = (draw >> 16) % 3
        on, across = -1, -1
        for step in range(3):
            k = (first + step) % 3
            where = side(points, corners[t, (k + 1) % 3], corners[t, (k + 2) % 3], px, py)
            if where < 0.0:
                across = k
                break
            if where == 0.0:
                on = k
        if across < 0:
            return t, on
        other = beside[t, across]
        t = other if other >= 0 else -1 - other


# --- construction ------------------------------------------------------------------------------------------


@device
def _relink(beside: Ints, t: int, old: int, new: int) -> None:
    """Tell t that its neighbour `old` is now `new`."""
    if t >= 0:
        for k in range(3):
            if beside[t, k] == old:
                beside[t, k] = new


@procedure
def _flip(corners: Ints, beside: Ints, t: int, k: int) -> int:
    """Turn the edge that faces corner k of t; that corner is the first of both new triangles, t and the one
    that is told."""
    s = int(beside[t, k])
    j = 0
    while beside[s, j] != t:
        j += 1
    a, b, c, d = corners[t, k], corners[t, (k + 1) % 3], corners[t, (k + 2) % 3], corners[s, j]
    # s is (d, c, b): its second corner is c, its third b.
    over_ca, over_ab = beside[t, (k + 1) % 3], beside[t, (k + 2) % 3]
    over_bd, over_dc = beside[s, (j + 1) % 3], beside[s, (j + 2) % 3]
    corners[t, 0], corners[t, 1], corners[t, 2] = a, b, d
    beside[t, 0], beside[t, 1], beside[t, 2] = over_bd, s, over_ab
    corners[s, 0], corners[s, 1], corners[s, 2] = a, d, c
    beside[s, 0], beside[s, 1], beside[s, 2] = over_dc, over_ca, t
    _relink(beside, over_bd, s, t)
    _relink(beside, over_ca, t, s)
    return s


@procedure
def _insert(points: Floats, corners: Ints, beside: Ints, t: int, count: int, p: int, todo: Ints) -> int:
    """Insert corner p, starting to look for its triangle at t; a triangle at p."""
    t, on = located(points, corners, beside, t, points[p, 0], points[p, 1])
    a, b, c = corners[t, 0], corners[t, 1], corners[t, 2]
    over_a, over_b, over_c = beside[t, 0], beside[t, 1], beside[t, 2]
    u, v = count, count + 1
    corners[t, 0], corners[t, 1], corners[t, 2] = p, b, c
    corners[u, 0], corners[u, 1], corners[u, 2] = p, c, a
    corners[v, 0], corners[v, 1], corners[v, 2] = p, a, b
    beside[t, 0], beside[t, 1], beside[t, 2] = over_a, u, v
    beside[u, 0], beside[u, 1], beside[u, 2] = over_b, v, t
    beside[v, 0], beside[v, 1], beside[v, 2] = over_c, t, u
    _relink(beside, over_b, t, u)
    _relink(beside, over_c, t, v)
    todo[0], todo[1], todo[2] = t, u, v
    left = 3
    if on >= 0:  # p lies on this edge: the triangle over it is flat, and must be flipped away
        todo[left] = _flip(corners, beside, (t, u, v)[on], 0)
        left += 1
    while left > 0:
        left -= 1
        t = todo[left]
        s = beside[t, 0]
        if s < 0:
            continue
        j = 0
        while beside[s, j] != t:
            j += 1
        if _is_in_circle(points, corners[t, 0], corners[t, 1], corners[t, 2], corners[s, j]):
            todo[left + 1] = _flip(corners, beside, t, 0)
            todo[left] = t
            left += 2
    return t


@procedure
def _ears(points: Floats, chain: Ints, length: int, turn: float, out: Ints, made: int) -> int:
    """Fill the hole between a chain of corners and the wall from its first to its last; the wall is right of
    the chain for turn -1. Triangles are written to `out`; how many there are then."""
    top = 0
    for k in range(length):
        r = chain[k]
        x, y = points[r, 0], points[r, 1]
        while top >= 2 and turn * side(points, chain[top - 2], chain[top - 1], x, y) > 0:
            p, q = chain[top - 2], chain[top - 1]
            out[made, 0] = p
            out[made, 1], out[made, 2] = (q, r) if turn > 0 else (r, q)
            made += 1
            top -= 1
        chain[top] = r  # the stack is never ahead of what is read
        top += 1
    return made


@procedure
def _force(points: Floats, corners: Ints, beside: Ints, at: Ints, a: int, b: int, work: Ints) -> None:
    """Make the wall from a to b an edge; columns of `work` are room for what it crosses."""
    bx, by = points[b, 0], points[b, 1]
    t = at[a]
    while True:  # around a, to the triangle that the wall goes into
        k = 0
        while corners[t, k] != a:
            k += 1
        u, v = corners[t, (k + 1) % 3], corners[t, (k + 2) % 3]
        if u == b or v == b:
            return
        if side(points, a, u, bx, by) > 0.0 and side(points, a, v, bx, by) < 0.0:
            break
        t = beside[t, (k + 1) % 3]
    cavity, above, below = work[0], work[1], work[2]
    cavity[0], above[0], above[1], below[0], below[1] = t, a, v, a, u
    crossed, over, under = 1, 2, 2
    w = v
    while w != b:
        k = 0
        while corners[t, k] == u or corners[t, k] == v:
            k += 1
        s = beside[t, k]
        k = 0
        while corners[s, k] == u or corners[s, k] == v:
            k += 1
        w = corners[s, k]
        t = s
        cavity[crossed] = t
        crossed += 1
        if w == b:
            break
        if side(points, a, b, points[w, 0], points[w, 1]) > 0.0:
            above[over], v = w, w
            over += 1
        else:
            below[under], u = w, w
            under += 1
    above[over], below[under] = b, b
    fresh = np.empty((crossed, 3), np.int64)
    made = _ears(points, above, over + 1, -1.0, fresh, 0)
    made = _ears(points, below, under + 1, 1.0, fresh, made)
    _replace(corners, beside, at, cavity[:crossed], fresh, len(points))


@device
def _holds(ascending: Ints, one: int) -> bool:
    """Is a number among others? (NumPy's search would bring a part of Numba's compiler.)"""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < one:
            low = middle + 1
        else:
            high = middle
    return bool(low < len(ascending) and ascending[low] == one)


@procedure
def _replace(corners: Ints, beside: Ints, at: Ints, cavity: Ints, fresh: Ints, n: int) -> None:
    """Put as many triangles in the place of others, and link all edges that are named twice."""
    m = len(cavity)
    keys, ends = np.empty(6 * m, np.int64), np.empty(6 * m, np.int64)
    count = 0
    for t in cavity:
        for k in range(3):
            s = beside[t, k]
            if s < 0:
                continue
            for j in range(3):
                # Neighbours that go, too, say nothing; those that stay look back at t.
                if beside[s, j] == t:
                    u, v = corners[t, (k + 1) % 3], corners[t, (k + 2) % 3]
                    keys[count], ends[count] = min(u, v) * n + max(u, v), 3 * s + j
                    count += 1
    held = count
    count = 0
    taken = np.sort(cavity)
    for i in range(held):
        s = ends[i] // 3
        if not _holds(taken, s):
            keys[count], ends[count] = keys[i], ends[i]
            count += 1
    for i in range(m):
        t = cavity[i]
        for k in range(3):
            corners[t, k], beside[t, k] = fresh[i, k], -1
            at[fresh[i, k]] = t
            u, v = fresh[i, (k + 1) % 3], fresh[i, (k + 2) % 3]
            keys[count], ends[count] = min(u, v) * n + max(u, v), 3 * t + k
            count += 1
    order = np.argsort(keys[:count])
    for i in range(count - 1):
        if keys[order[i]] == keys[order[i + 1]]:
            one, other = ends[order[i]], ends[order[i + 1]]
            beside[one // 3, one % 3], beside[other // 3, other % 3] = other // 3, one // 3


@procedure
def _improve(points: Floats, corners: Ints, beside: Ints, after: Ints) -> int:
    """Flip the edges that no wall needs where a corner lies in a circle; how often."""
    n, flips = len(after), 0
    for t in range(len(corners)):
        for k in range(3):
            s = beside[t, k]
            if s < 0:
                continue
            u, v = corners[t, (k + 1) % 3], corners[t, (k + 2) % 3]
            if u < n and v < n and (after[u] == v or after[v] == u):
                continue
            j = 0
            while beside[s, j] != t:
                j += 1
            if _is_in_circle(points, corners[t, k], u, v, corners[s, j]):
                _flip(corners, beside, t, k)
                flips += 1
                break
    return flips


@loop
def triangulate(points: Floats, order: Ints, after: Ints) -> tuple[Ints, Ints]:
    """Corners and neighbours (-1 for none) of triangles; the last four points are a box around the others."""
    n = len(order)
    total = 2 * n + 2
    corners, beside = np.empty((total, 3), np.int64), np.empty((total, 3), np.int64)
    corners[0], beside[0] = (n, n + 1, n + 2), (-1, 1, -1)
    corners[1], beside[1] = (n, n + 2, n + 3), (-1, -1, 0)
    todo = np.empty(total + 8, np.int64)
    t = 0
    for i in range(n):
        t = _insert(points, corners, beside, t, 2 + 2 * i, order[i], todo)
    at = np.empty(n + 4, np.int64)
    for t in range(total):
        for k in range(3):
            at[corners[t, k]] = t
    work = np.empty((3, total + 8), np.int64)
    for a in range(n):
        _force(points, corners, beside, at, a, after[a], work)
    for _ in range(_ROUNDS):
        if _improve(points, corners, beside, after) == 0:
            break
    return corners, beside


@loop
def fill_hints(made: Triangles) -> None:
    """Find the triangles at the middles of all cells, row by row, to and fro."""
    height, width = made.hints.shape
    t = 0
    for y in range(height):
        for step in range(width):
            x = step if y & 1 == 0 else width - 1 - step
            px, py = made.low_x + (x + 0.5) / made.scale_x, made.low_y + (y + 0.5) / made.scale_y
            t, _ = located(made.points, made.corners, made.beside, t, px, py)
            made.hints[y, x] = t
