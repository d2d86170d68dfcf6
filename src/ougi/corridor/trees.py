"""Trees of boxes over the segments of a wall: chain, quad-tree and kd-tree, with one traversal for all.

`chain` is CORRIDOR's grouping made hierarchical: groups of consecutive segments, boxes around four groups,
around four of those, and so on. It needs no sorting. `quadtree` and `kdtree` are those that the paper
compares with. Segments that cross a border are in every leaf that they touch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.corridor.contact import (
    AX,
    AY,
    LENGTH,
    START,
    UX,
    UY,
    Wall,
    closest_on_segment,
    is_inside,
    update_first_contact,
)

# Nodes that wait in a search: four children on each of 30 levels, and as many again.
STACK = 256
# A cell of the quad-tree is never smaller than the wall over 2**30: smaller ones would be rounding.
_MAX_DEPTH = 30
# Segments of a group of the chain, and groups under a node.
GROUP = 8
_FAN = 4

# Columns of a box and of a link.
LOW_X, LOW_Y, HIGH_X, HIGH_Y = range(4)
FIRST, COUNT, IS_LEAF = range(3)


class SegmentTree(NamedTuple):
    """Nodes of a tree."""

    boxes: Floats  # (nodes, 4): LOW_X, LOW_Y, HIGH_X, HIGH_Y
    links: Ints  # (nodes, 3): FIRST child or item, COUNT of them, IS_LEAF
    items: Ints  # segments
    root: int


def build_chain(wall: Wall) -> SegmentTree:
    """Groups of GROUP consecutive segments and boxes of _FAN nodes above them."""
    n = len(wall.rows)
    lower, upper = segment_bounds(wall)
    first = np.arange(0, n, GROUP)
    levels = [np.hstack([np.minimum.reduceat(lower, first), np.maximum.reduceat(upper, first)])]
    links = [np.stack([first, np.minimum(GROUP, n - first), np.ones_like(first)], axis=1)]
    base = 0
    while len(levels[-1]) > 1:
        below = levels[-1]
        first = np.arange(0, len(below), _FAN)
        low = np.minimum.reduceat(below[:, :HIGH_X], first)
        high = np.maximum.reduceat(below[:, HIGH_X:], first)
        levels.append(np.hstack([low, high]))
        size = np.minimum(_FAN, len(below) - first)
        links.append(np.stack([base + first, size, np.zeros_like(first)], axis=1))
        base += len(below)
    boxes, joined = np.concatenate(levels), np.concatenate(links)
    return SegmentTree(boxes, joined, np.arange(n), len(boxes) - 1)


def segment_bounds(wall: Wall) -> tuple[Floats, Floats]:
    """Lower and upper corners of the boxes around the segments."""
    start = wall.rows[:, START]
    end = start[wall.after]
    return np.minimum(start, end), np.maximum(start, end)


def build_quadtree(wall: Wall, leaf: int = GROUP) -> SegmentTree:
    """Square cells, cut in four until they hold no more than `leaf` segments."""
    return _build_tree(wall, leaf, quarters=True)


def build_kdtree(wall: Wall, leaf: int = GROUP) -> SegmentTree:
    """Cells cut in two across their longer side, at the median of the middles of their segments."""
    return _build_tree(wall, leaf, quarters=False)


def _build_tree(wall: Wall, leaf: int, quarters: bool) -> SegmentTree:
    lower, upper = segment_bounds(wall)
    low, high = lower.min(axis=0), upper.max(axis=0)
    if quarters:
        half = max(float((high - low).max()) / 2, wall.band)
        middle = (low + high) / 2
        low, high = middle - half, middle + half
    root = np.array([*(low - wall.band), *(high + wall.band)])
    return SegmentTree(*grow_tree(wall, root, leaf, quarters), 0)


class Cell(NamedTuple):
    """A box of the plane."""

    low_x: float
    low_y: float
    high_x: float
    high_y: float


class Cut(NamedTuple):
    """Where a cell is cut in two or, across both axes, in four."""

    across_x: bool
    across_y: bool
    x: float
    y: float


class Growth(NamedTuple):
    """Arrays of a tree that grows. The segments of the cells that wait lie one after the other."""

    boxes: Floats
    links: Ints
    segments: Ints
    waiting: Ints  # (cells, 4): node, start in `segments`, count, depth


@device
def _is_touching(rows: Floats, i: int, cell: Cell) -> bool:
    """Does a segment touch a cell? By the axes of the cell and the normal of the segment."""
    half = 0.5 * rows[i, LENGTH]
    ux, uy = rows[i, UX], rows[i, UY]
    cx = rows[i, AX] + half * ux - 0.5 * (cell.low_x + cell.high_x)
    cy = rows[i, AY] + half * uy - 0.5 * (cell.low_y + cell.high_y)
    ex, ey = 0.5 * (cell.high_x - cell.low_x), 0.5 * (cell.high_y - cell.low_y)
    if abs(cx) > ex + half * abs(ux) or abs(cy) > ey + half * abs(uy):
        return False
    return bool(abs(ux * cy - uy * cx) <= ex * abs(uy) + ey * abs(ux))


@procedure
def extend_array(array: Ints, size: int) -> Ints:
    """A copy with at least `size` entries, and twice as many as before."""
    out = np.empty(max(size, 2 * len(array)), np.int64)
    out[: len(array)] = array
    return out


@procedure
def _find_lower_median(values: Floats) -> float:
    """The middle number, of two the lower one; the numbers are reordered.

    Hoare, "Algorithm 65: find", 1961. `np.partition` would load Numba's compiler: 0.25 s in every process.
    """
    low, high, middle = 0, len(values) - 1, (len(values) - 1) // 2
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
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
    return float(values[middle])


@procedure
def _choose_cut(rows: Floats, segments: Ints, cell: Cell, quarters: bool) -> Cut:
    """The middle of a cell or, across its longer side, the lower median of the middles of its segments."""
    x, y = 0.5 * (cell.low_x + cell.high_x), 0.5 * (cell.low_y + cell.high_y)
    if quarters:
        return Cut(True, True, x, y)
    across_x = cell.high_x - cell.low_x >= cell.high_y - cell.low_y
    start, direction = (AX, UX) if across_x else (AY, UY)
    middles = np.empty(len(segments))
    for k, i in enumerate(segments):
        middles[k] = rows[i, start] + 0.5 * rows[i, LENGTH] * rows[i, direction]
    median = _find_lower_median(middles)
    return Cut(True, False, median, y) if across_x else Cut(False, True, x, median)


@device
def _cut_cell(cell: Cell, cut: Cut, part: int) -> Cell:
    """One part of a cell: of two, the lower one first; of four, row by row."""
    right = cut.across_x and part & 1 == 1
    up = cut.across_y and (part >> 1 if cut.across_x else part) == 1
    return Cell(
        cut.x if right else cell.low_x,
        cut.y if up else cell.low_y,
        cut.x if cut.across_x and not right else cell.high_x,
        cut.y if cut.across_y and not up else cell.high_y,
    )


@procedure
def _divide(wall: Wall, growth: Growth, at: int, nodes: int, quarters: bool) -> int:
    """Cut the cell that waits in row `at`. Its parts become nodes and wait from that row on.

    Returns how many parts there are; 0 if the cut would not separate any segments.
    """
    node, start, count, depth = growth.waiting[at]
    box = growth.boxes[node]
    cell = Cell(box[LOW_X], box[LOW_Y], box[HIGH_X], box[HIGH_Y])
    cut = _choose_cut(wall.rows, growth.segments[start : start + count], cell, quarters)
    if (cut.across_x and not cell.low_x < cut.x < cell.high_x) or (
        cut.across_y and not cell.low_y < cut.y < cell.high_y
    ):
        return 0
    parts, top, largest = 4 if quarters else 2, start + count, 0
    for part in range(parts):
        inner = _cut_cell(cell, cut, part)
        growth.boxes[nodes + part] = (inner.low_x, inner.low_y, inner.high_x, inner.high_y)
        # A wall along the cut belongs to both sides, in spite of rounding.
        padded = Cell(
            inner.low_x - wall.band,
            inner.low_y - wall.band,
            inner.high_x + wall.band,
            inner.high_y + wall.band,
        )
        size = 0
        for k in range(start, start + count):
            i = growth.segments[k]
            if _is_touching(wall.rows, i, padded):
                growth.segments[top + size] = i
                size += 1
        growth.waiting[at + part] = (nodes + part, top, size, depth + 1)
        top += size
        largest = max(largest, size)
    return parts if largest < count else 0


@loop
def grow_tree(wall: Wall, root: Floats, leaf: int, quarters: bool) -> tuple[Floats, Ints, Ints]:
    """Cut cells, depth first, until they hold no more than `leaf` segments: boxes, links and items."""
    n = len(wall.rows)
    boxes, links = np.empty((64, 4)), np.empty((64, 3), np.int64)
    items, segments = np.empty(2 * n + 64, np.int64), np.arange(8 * n + 64)
    waiting = np.empty((4 * _MAX_DEPTH * 4, 4), np.int64)
    boxes[0] = root
    waiting[0] = (0, 0, n, 0)
    nodes, stored, left = 1, 0, 1
    while left > 0:
        left -= 1
        node, start, count, depth = waiting[left]
        parts = 0
        if count > leaf and depth < _MAX_DEPTH:
            if nodes + 4 > len(boxes):
                more_boxes, more_links = (
                    np.empty((2 * len(boxes), 4)),
                    np.empty((2 * len(boxes), 3), np.int64),
                )
                more_boxes[:nodes], more_links[:nodes] = boxes[:nodes], links[:nodes]
                boxes, links = more_boxes, more_links
            if start + 5 * count > len(segments):
                segments = extend_array(segments, start + 5 * count)
            parts = _divide(wall, Growth(boxes, links, segments, waiting), left, nodes, quarters)
        if parts > 0:
            links[node] = (nodes, parts, 0)
            left, nodes = left + parts, nodes + parts
            continue
        if stored + count > len(items):
            items = extend_array(items, stored + count)
        links[node] = (stored, count, 1)
        items[stored : stored + count] = segments[start : start + count]
        stored += count
    return boxes[:nodes].copy(), links[:nodes].copy(), items[:stored].copy()


@device
def _entry_time(
    boxes: Floats, node: int, px: float, py: float, dx: float, dy: float, r: float, best: float
) -> float:
    """When the motion enters a box grown by r; beyond `best` if it does not."""
    enter, leave = 0.0, best
    low_x, high_x = boxes[node, LOW_X] - r - px, boxes[node, HIGH_X] + r - px
    low_y, high_y = boxes[node, LOW_Y] - r - py, boxes[node, HIGH_Y] + r - py
    if dx != 0.0:
        a, b = low_x / dx, high_x / dx
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    elif low_x > 0.0 or high_x < 0.0:
        return 2.0
    if dy != 0.0:
        a, b = low_y / dy, high_y / dy
        enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    elif low_y > 0.0 or high_y < 0.0:
        return 2.0
    return enter if enter <= leave else 2.0


@device
def _push_node(stack: Floats, base: int, left: int, node: int, key: float) -> int:
    """Insert a node into the stack above `base`, the lowest key last, so that it is visited first."""
    at = left
    while at > base and stack[1, at - 1] < key:
        stack[0, at], stack[1, at] = stack[0, at - 1], stack[1, at - 1]
        at -= 1
    stack[0, at], stack[1, at] = node, key
    return left + 1


@device
def search_tree(
    tree: SegmentTree, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle: its time, feature, and how many segments were tested."""
    best, first, tests = 1.0, -1, 0
    grown = r + 4.0 * wall.band  # rounding excludes no box
    stack[0, 0], stack[1, 0] = tree.root, 0.0
    left = 1
    while left > 0:
        left -= 1
        node = int(stack[0, left])
        if stack[1, left] > best:
            continue
        start, count = tree.links[node, FIRST], tree.links[node, COUNT]
        if tree.links[node, IS_LEAF] == 1:
            tests += count
            for k in range(start, start + count):
                best, first = update_first_contact(wall, tree.items[k], px, py, dx, dy, r, best, first)
            continue
        base = left
        for child in range(start, start + count):
            t = _entry_time(tree.boxes, child, px, py, dx, dy, grown, best)
            if t <= best:
                left = _push_node(stack, base, left, child, t)
    return best, first, tests


@device
def _distance_sq(boxes: Floats, node: int, px: float, py: float) -> float:
    dx = max(0.0, max(boxes[node, LOW_X] - px, px - boxes[node, HIGH_X]))
    dy = max(0.0, max(boxes[node, LOW_Y] - py, py - boxes[node, HIGH_Y]))
    distance_sq: float = dx * dx + dy * dy
    return distance_sq


@procedure
def find_nearest(
    tree: SegmentTree, wall: Wall, px: float, py: float, within_sq: float, enough_sq: float, stack: Floats
) -> tuple[float, int, float]:
    """Squared distance of the nearest wall point, its segment, and how far along it; segment -1 beyond
    `within_sq`.

    A distance below `enough_sq` ends the search. Of equally near segments the lowest is returned.
    """
    best, segment, place = within_sq, -1, 0.0
    stack[0, 0], stack[1, 0] = tree.root, 0.0
    left = 1
    while left > 0 and best >= enough_sq:
        left -= 1
        if stack[1, left] > best:
            continue
        node = int(stack[0, left])
        start, count = tree.links[node, FIRST], tree.links[node, COUNT]
        if tree.links[node, IS_LEAF] == 1:
            for k in range(start, start + count):
                i = tree.items[k]
                distance_sq, along = closest_on_segment(wall.rows, i, px, py)
                if distance_sq < best or (distance_sq == best and (segment < 0 or i < segment)):
                    best, segment, place = distance_sq, i, along
            continue
        base = left
        for child in range(start, start + count):
            distance_sq = _distance_sq(tree.boxes, child, px, py)
            if distance_sq <= best:
                left = _push_node(stack, base, left, child, distance_sq)
    return best, segment, place


# Columns of the nearest wall point of a point.
DISTANCE, NEAREST_X, NEAREST_Y, IS_INSIDE = range(4)


@loop
def find_nearest_points(
    tree: SegmentTree, wall: Wall, points: Floats, out: Floats, segments: Ints, start: int, stop: int
) -> None:
    """Points start..stop: distance, nearest wall point, 1 if it is inside; and the segment."""
    stack = np.empty((2, STACK))
    for k in range(start, stop):
        px, py = points[k, 0], points[k, 1]
        distance_sq, i, along = find_nearest(tree, wall, px, py, np.inf, -1.0, stack)
        segments[k] = i
        out[k, DISTANCE] = math.sqrt(distance_sq)
        out[k, NEAREST_X] = wall.rows[i, AX] + along * wall.rows[i, UX]
        out[k, NEAREST_Y] = wall.rows[i, AY] + along * wall.rows[i, UY]
        out[k, IS_INSIDE] = 1.0 if is_inside(wall, i, along, px, py) else 0.0
