"""Trees of boxes over the segments of a wall: chain, quad-tree and kd-tree, with one traversal for all.

`chain` is CORRIDOR's grouping made hierarchical: groups of consecutive segments, boxes around four groups,
around four of those, and so on; it needs no sorting. `quadtree` and `kdtree` are those the paper compares
with, segments that straddle a border stand in all leaves that they touch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.corridor.contact import AX, AY, LENGTH, UX, UY, Wall, is_inside, nearest_on, touch_segment
from ougi.corridor.lend import lent

# Nodes that wait: four children on each of 30 levels, with room to spare.
STACK = 256
# A cell of the quad-tree is never smaller than the wall over 2**30: finer ones would be rounding.
_DEEPEST = 30
# Segments of a group of the chain, and groups under a node.
GROUP = 8
_FAN = 4


class Tree(NamedTuple):
    """Nodes; the last is the root."""

    boxes: Floats  # (nodes, 4): lower and upper corners
    links: Ints  # (nodes, 3): the first child or item, how many, 1 for leaves
    items: Ints  # segments
    root: int


def chain(wall: Wall) -> Tree:
    """Groups of GROUP consecutive segments and boxes of _FAN nodes above them."""
    n = len(wall.rows)
    lower, upper = bounds_of(wall)
    first = np.arange(0, n, GROUP)
    levels = [np.hstack([np.minimum.reduceat(lower, first), np.maximum.reduceat(upper, first)])]
    links = [np.stack([first, np.minimum(GROUP, n - first), np.ones_like(first)], axis=1)]
    base = 0
    while len(levels[-1]) > 1:
        below = levels[-1]
        first = np.arange(0, len(below), _FAN)
        low = np.minimum.reduceat(below[:, :2], first)
        high = np.maximum.reduceat(below[:, 2:], first)
        levels.append(np.hstack([low, high]))
        size = np.minimum(_FAN, len(below) - first)
        links.append(np.stack([base + first, size, np.zeros_like(first)], axis=1))
        base += len(below)
    boxes, joined = np.concatenate(levels), np.concatenate(links)
    return Tree(boxes, joined, np.arange(n), len(boxes) - 1)


def bounds_of(wall: Wall) -> tuple[Floats, Floats]:
    """Lower and upper corners of the boxes around the segments."""
    start = wall.rows[:, [AX, AY]]
    end = start[wall.after]
    return np.minimum(start, end), np.maximum(start, end)


def quadtree(wall: Wall, leaf: int = GROUP) -> Tree:
    """Square cells, cut in four until they hold no more than `leaf` segments."""
    return _grown(wall, leaf, quarters=True)


def kdtree(wall: Wall, leaf: int = GROUP) -> Tree:
    """Cells cut in two across their longer side, at the median of the middles of their segments."""
    return _grown(wall, leaf, quarters=False)


def _grown(wall: Wall, leaf: int, quarters: bool) -> Tree:
    lower, upper = bounds_of(wall)
    low, high = lower.min(axis=0), upper.max(axis=0)
    if quarters:
        half = max(float((high - low).max()) / 2, wall.band)
        middle = (low + high) / 2
        low, high = middle - half, middle + half
    root = np.array([*(low - wall.band), *(high + wall.band)])
    return Tree(*grow(wall, root, leaf, quarters), 0)


@device
def _meets(rows: Floats, i: int, lx: float, ly: float, hx: float, hy: float) -> bool:
    """Does a segment touch a box? By the axes of the box and the normal of the segment."""
    half = 0.5 * rows[i, LENGTH]
    ux, uy = rows[i, UX], rows[i, UY]
    cx, cy = rows[i, AX] + half * ux - 0.5 * (lx + hx), rows[i, AY] + half * uy - 0.5 * (ly + hy)
    ex, ey = 0.5 * (hx - lx), 0.5 * (hy - ly)
    if abs(cx) > ex + half * abs(ux) or abs(cy) > ey + half * abs(uy):
        return False
    return bool(abs(ux * cy - uy * cx) <= ex * abs(uy) + ey * abs(ux))


@procedure
def longer(array: Ints, least: int) -> Ints:
    """A copy with room for more."""
    out = np.empty(max(least, 2 * len(array)), np.int64)
    out[: len(array)] = array
    return out


@procedure
def median(values: Floats) -> float:
    """The middle one of some numbers, of two the lower; they are put in another order.

    Hoare, "Algorithm 65: find", 1961. Numba's own keeps a part of its compiler in memory.
    """
    low, high, wanted = 0, len(values) - 1, (len(values) - 1) // 2
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return float(values[wanted])


@loop
def grow(wall: Wall, root: Floats, leaf: int, quarters: bool) -> tuple[Floats, Ints, Ints]:
    """Cut cells, depth first; the segments of the cells that wait lie behind each other in one array."""
    rows, pad = wall.rows, wall.band
    n = len(rows)
    boxes = np.empty((64, 4))
    links = np.empty((64, 3), np.int64)
    items = np.empty(2 * n + 64, np.int64)
    waiting = np.arange(8 * n + 64)
    todo = np.empty((4 * _DEEPEST * 4, 4), np.int64)  # node, start, count, depth
    boxes[0] = root
    todo[0] = (0, 0, n, 0)
    nodes, held, left = 1, 0, 1
    while left > 0:
        left -= 1
        node, start, count, depth = todo[left]
        lx, ly, hx, hy = boxes[node]
        cuts_x, cuts_y, mx, my = quarters, quarters, 0.5 * (lx + hx), 0.5 * (ly + hy)
        if not quarters:
            cuts_x = hx - lx >= hy - ly
            cuts_y = not cuts_x
        is_leaf = count <= leaf or depth >= _DEEPEST
        if not is_leaf and not quarters:
            middles = np.empty(count)
            for k in range(count):
                i = waiting[start + k]
                along = 0.5 * rows[i, LENGTH]
                middles[k] = (
                    rows[i, AX] + along * rows[i, UX] if cuts_x else rows[i, AY] + along * rows[i, UY]
                )
            cut = median(middles)
            mx, my = (cut, my) if cuts_x else (mx, cut)
            is_leaf = cut <= (lx if cuts_x else ly) or cut >= (hx if cuts_x else hy)
        if not is_leaf:
            parts = 4 if quarters else 2
            if nodes + parts > len(boxes):
                more, more_links = np.empty((2 * len(boxes), 4)), np.empty((2 * len(boxes), 3), np.int64)
                more[:nodes], more_links[:nodes] = boxes[:nodes], links[:nodes]
                boxes, links = more, more_links
            top = start + count
            if top + parts * count > len(waiting):
                waiting = longer(waiting, top + parts * count)
            links[node] = (nodes, parts, 0)
            worst = 0
            for part in range(parts):
                right = cuts_x and part & 1 == 1
                up = cuts_y and (part >> 1 if quarters else part) == 1
                qx, qy = mx if right else lx, my if up else ly
                sx, sy = mx if cuts_x and not right else hx, my if cuts_y and not up else hy
                boxes[nodes + part] = (qx, qy, sx, sy)
                found = 0
                for k in range(count):
                    i = waiting[start + k]
                    # A wall along the cut belongs to both sides, whatever rounding says.
                    if _meets(rows, i, qx - pad, qy - pad, sx + pad, sy + pad):
                        waiting[top + found] = i
                        found += 1
                todo[left + part] = (nodes + part, top, found, depth + 1)
                top += found
                worst = max(worst, found)
            if worst < count:
                left += parts
                nodes += parts
            else:
                is_leaf = True  # a cut that helps nobody
        if is_leaf:
            if held + count > len(items):
                items = longer(items, held + count)
            links[node] = (held, count, 1)
            items[held : held + count] = waiting[start : start + count]
            held += count
    return boxes[:nodes].copy(), links[:nodes].copy(), items[:held].copy()


@device
def _entry(
    boxes: Floats, node: int, px: float, py: float, dx: float, dy: float, r: float, best: float
) -> float:
    """When the motion enters a box grown by r; beyond `best` if it does not."""
    enter, leave = 0.0, best
    lx, hx = boxes[node, 0] - r - px, boxes[node, 2] + r - px
    ly, hy = boxes[node, 1] - r - py, boxes[node, 3] + r - py
    if dx != 0.0:
        a, b = lx / dx, hx / dx
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    elif lx > 0.0 or hx < 0.0:
        return 2.0
    if dy != 0.0:
        a, b = ly / dy, hy / dy
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    elif ly > 0.0 or hy < 0.0:
        return 2.0
    return enter if enter <= leave else 2.0


@device
def first_in_tree(
    tree: Tree, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle: its time, feature and how many segments were tested."""
    best, first, tests = 1.0, -1, 0
    grown = r + 4.0 * wall.band  # no box is left out by rounding
    stack[0, 0], stack[1, 0] = tree.root, 0.0
    left = 1
    while left > 0:
        left -= 1
        node = int(stack[0, left])
        if stack[1, left] > best:
            continue
        start, count = tree.links[node, 0], tree.links[node, 1]
        if tree.links[node, 2] == 1:
            tests += count
            for k in range(start, start + count):
                best, first = touch_segment(wall, tree.items[k], px, py, dx, dy, r, best, first)
            continue
        base = left
        for child in range(start, start + count):
            t = _entry(tree.boxes, child, px, py, dx, dy, grown, best)
            if t > best:
                continue
            at = left  # the nearest child comes last, so that it is taken first
            while at > base and stack[1, at - 1] < t:
                stack[0, at], stack[1, at] = stack[0, at - 1], stack[1, at - 1]
                at -= 1
            stack[0, at], stack[1, at] = child, t
            left += 1
    return best, first, tests


@device
def _apart_sq(boxes: Floats, node: int, px: float, py: float) -> float:
    dx = max(0.0, max(boxes[node, 0] - px, px - boxes[node, 2]))
    dy = max(0.0, max(boxes[node, 1] - py, py - boxes[node, 3]))
    apart_sq: float = dx * dx + dy * dy
    return apart_sq


@procedure
def nearest_in_tree(
    tree: Tree, wall: Wall, px: float, py: float, within_sq: float, enough_sq: float, stack: Floats
) -> tuple[float, int, float]:
    """Squared distance, segment and place along it of the nearest wall point; segment -1 beyond `within_sq`.

    A distance below `enough_sq` ends the search. Of equally near segments the lowest is told.
    """
    best, segment, place = within_sq, -1, 0.0
    stack[0, 0], stack[1, 0] = tree.root, 0.0
    left = 1
    while left > 0 and best >= enough_sq:
        left -= 1
        if stack[1, left] > best:
            continue
        node = int(stack[0, left])
        start, count = tree.links[node, 0], tree.links[node, 1]
        if tree.links[node, 2] == 1:
            for k in range(start, start + count):
                i = tree.items[k]
                apart, along = nearest_on(wall.rows, i, px, py)
                if apart < best or (apart == best and (segment < 0 or i < segment)):
                    best, segment, place = apart, i, along
            continue
        base = left
        for child in range(start, start + count):
            apart = _apart_sq(tree.boxes, child, px, py)
            if apart > best:
                continue
            at = left
            while at > base and stack[1, at - 1] < apart:
                stack[0, at], stack[1, at] = stack[0, at - 1], stack[1, at - 1]
                at -= 1
            stack[0, at], stack[1, at] = child, apart
            left += 1
    return best, segment, place


@loop
def nearest_of(
    tree: Tree, wall: Wall, points: Floats, out: Floats, segments: Ints, start: int, stop: int
) -> None:
    """For each point: distance, nearest wall point, 1 if it is inside; and the segment."""
    tree, wall = lent(tree), lent(wall)
    stack = np.empty((2, STACK))
    for k in range(start, stop):
        px, py = points[k, 0], points[k, 1]
        apart_sq, i, along = nearest_in_tree(tree, wall, px, py, np.inf, -1.0, stack)
        segments[k] = i
        out[k, 0] = math.sqrt(apart_sq)
        out[k, 1] = wall.rows[i, AX] + along * wall.rows[i, UX]
        out[k, 2] = wall.rows[i, AY] + along * wall.rows[i, UY]
        out[k, 3] = 1.0 if is_inside(wall, i, along, px, py) else 0.0
