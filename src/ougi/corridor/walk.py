"""A walk through the triangles between walls: circles of any radius, at any speed.

From the triangle that holds the center, triangles are visited in the order in which the moving circle reaches
the edge that leads to them, and walls on the way are tested; beyond the first contact nothing is visited. No
contact is missed: where a free circle touches the wall, the way of the center and then the radius to the
wall point lie in the corridor, so they cross no wall, and all edges that they cross are within the radius of
the way.
"""

from __future__ import annotations

import math

import numpy as np

from ougi._jit import device, procedure
from ougi._typing import Floats, Ints
from ougi.corridor.contact import Wall, touch_segment
from ougi.corridor.triangles import Triangles, located

# Places for triangles that were visited, at first; always twice as many as there are.
_SEEN = 64


@device
def _corner_entry(wx: float, wy: float, dx: float, dy: float, r: float) -> float:
    """When a point at w from the middle of a circle, outside of it, enters it; 2 if never."""
    b = wx * dx + wy * dy
    across = wx * dy - wy * dx
    root_sq = (dx * dx + dy * dy) * r * r - across * across
    if b >= 0.0 or root_sq < 0.0:
        return 2.0
    t: float = max(0.0, (wx * wx + wy * wy - r * r) / (math.sqrt(root_sq) - b))
    return t


@device
def edge_entry(
    ax: float, ay: float, bx: float, by: float, px: float, py: float, dx: float, dy: float, r: float
) -> float:
    """When a point p that moves by d comes as near as r to the edge from a to b; 2 if never."""
    ex, ey = bx - ax, by - ay
    length = math.sqrt(ex * ex + ey * ey)
    ux, uy = ex / length, ey / length
    wx, wy = px - ax, py - ay
    along, apart = wx * ux + wy * uy, ux * wy - uy * wx
    past = along - min(max(along, 0.0), length)
    if past * past + apart * apart <= r * r:
        return 0.0
    if abs(apart) > r:
        rate = ux * dy - uy * dx
        if rate * apart >= 0.0:
            return 2.0  # it stays on its side of the line
        t = (abs(apart) - r) / abs(rate)
        foot = along + t * (dx * ux + dy * uy)
        if foot >= 0.0 and foot <= length:
            return t
    return min(_corner_entry(wx, wy, dx, dy, r), _corner_entry(px - bx, py - by, dx, dy, r))


@procedure
def _roomier(heap: Floats) -> Floats:
    """A copy of those that wait, with room for more."""
    out = np.empty((2, 2 * heap.shape[1]))
    out[:, : heap.shape[1]] = heap
    return out


@device
def _place(seen: Ints, t: int) -> int:
    """Where t stands among the visited ones, or would stand."""
    at = (int(t) * 0x9E3779B1 >> 7) & (len(seen) - 1)
    while seen[at] >= 0 and seen[at] != t:
        at = (at + 1) & (len(seen) - 1)
    return at


@procedure
def _sparser(seen: Ints) -> Ints:
    """The visited ones, with room for more."""
    out = np.full(2 * len(seen), -1)
    for t in seen:
        if t >= 0:
            out[_place(out, t)] = t
    return out


@device
def _push(heap: Floats, count: int, time: float, t: int) -> None:
    """Put a triangle among those that wait: a heap, the earliest first."""
    k = count
    while k > 0 and heap[0, (k - 1) >> 1] > time:
        up = (k - 1) >> 1
        heap[0, k], heap[1, k] = heap[0, up], heap[1, up]
        k = up
    heap[0, k], heap[1, k] = time, t


@device
def _drop_first(heap: Floats, count: int) -> None:
    """Take the earliest of `count` away."""
    last = count - 1
    time, t = heap[0, last], heap[1, last]
    k = 0
    while 2 * k + 1 < last:
        child = 2 * k + 1
        if child + 1 < last and heap[0, child + 1] < heap[0, child]:
            child += 1
        if heap[0, child] >= time:
            break
        heap[0, k], heap[1, k] = heap[0, child], heap[1, child]
        k = child
    heap[0, k], heap[1, k] = time, t


@device
def _home(made: Triangles, px: float, py: float) -> int:
    """The triangle that holds p; -1 outside of the grid."""
    height, width = made.hints.shape
    x, y = (px - made.low_x) * made.scale_x, (py - made.low_y) * made.scale_y
    if not (x >= 0.0 and y >= 0.0 and x <= width and y <= height):
        return -1
    hint = made.hints[min(int(y), height - 1), min(int(x), width - 1)]
    t, _ = located(made.points, made.corners, made.beside, hint, px, py)
    return t


@device
def first_in_walk(
    made: Triangles, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle: its time, feature and how many segments were tested."""
    best, first, tests = 1.0, -1, 0
    points, corners, beside = made.points, made.corners, made.beside
    grown = r + 4.0 * wall.band  # no edge is left out by rounding
    home = _home(made, px, py)
    heap, waiting = stack, 0
    if home >= 0:
        heap[0, 0], heap[1, 0] = 0.0, home
        waiting = 1
    seen, visited = np.full(_SEEN, -1), 0
    while waiting > 0 and heap[0, 0] <= best:
        t = int(heap[1, 0])
        _drop_first(heap, waiting)
        waiting -= 1
        at = _place(seen, t)
        if seen[at] == t:
            continue
        seen[at] = t
        visited += 1
        if 2 * visited > len(seen):
            seen = _sparser(seen)
        if waiting + 3 > heap.shape[1]:
            heap = _roomier(heap)
        for k in range(3):
            other, u = beside[t, k], corners[t, (k + 1) % 3]
            if other < 0:
                tests += 1
                best, first = touch_segment(wall, u, px, py, dx, dy, r, best, first)
                continue
            if seen[_place(seen, other)] == other:
                continue
            v = corners[t, (k + 2) % 3]
            time = edge_entry(points[u, 0], points[u, 1], points[v, 0], points[v, 1], px, py, dx, dy, grown)
            if time <= best:
                _push(heap, waiting, time, other)
                waiting += 1
    return best, first, tests
