"""A tree of boxes over volumes along a space-filling curve, for scenes of any sizes and places.

Volumes are sorted by the Morton code of their middles and cut into leaves of sixteen; sixteen leaves make a
node, sixteen nodes a node of the next level, until there are sixteen or fewer. Nothing but boxes is stored:
the children of node k are 16 k ... 16 k + 15. Each leaf asks the tree once, and looks only to its right, so
each pair of leaves is met once. One comparison of vectors tells which of sixteen children a box overlaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, each, loop
from ougi._native.lanes import LANES, find_overlaps, lowest_bit
from ougi._typing import Floats, Index, Ints, Singles, Words
from ougi.broad.frame import Frame, bounds_of, frame_of, write_rows
from ougi.broad.lanes import Lineup, against, lineup, number_of
from ougi.broad.radix import DIGIT, radix_sorted
from ougi.broad.room import Room
from ougi.broad.volumes import Volumes

# Leaves that one thread builds, or asks, at a time: a multiple of LANES.
_CHUNK = 1 << 11
# Levels that any number of volumes below 2**31 can need.
_LEVELS = 8
# Bits of a Morton code; below them stands the number of the volume.
_CODE = 3 * DIGIT
_NUMBER = 30


class Tree(NamedTuple):
    """Boxes of volumes (6, n + LANES) and of nodes (6, total), and where each level of nodes begins."""

    line: Lineup
    boxes: Singles
    nodes: Singles
    levels: Ints  # level k lies in levels[k] : levels[k] + sizes[k]
    sizes: Ints
    top: int


def tree(scene: Volumes, room: Room, numbers: Floats) -> Ints:
    """All pairs, by a tree of boxes."""
    n = scene.count
    line = lineup(scene, room)
    keys, other = (room.array(name, (n,), np.int64) for name in ("keys", "other keys"))
    counts = room.array("counts", (3, 1 << DIGIT), np.uint32)
    boxes = room.array("boxes", (6, n + LANES), np.float32) if scene.balls else line.rows
    levels, sizes = _levels(n)
    nodes = room.array("nodes", (6, int(levels[-1])), np.float32)
    grown = Tree(line, boxes, nodes, levels, sizes, len(sizes) - 1)
    order = sort_by_code(line, numbers, keys, other, counts)
    parts = [(at, min(at + _CHUNK, int(sizes[0]))) for at in range(0, int(sizes[0]), _CHUNK)]
    each(lambda part: plant(grown, numbers, order, *part), parts)
    grow(grown)
    stacks = room.array("stacks", (len(parts), 2, _LEVELS), np.int64)
    return room.gathered(lambda k, first, last, out: climbed(grown, stacks[k], first, last, out), parts)


def _levels(n: int) -> tuple[Ints, Ints]:
    """Where levels begin, with the end of the last, and how many nodes each has: leaves first."""
    sizes = [-(-n // LANES)]
    while sizes[-1] > LANES:
        sizes.append(-(-sizes[-1] // LANES))
    room = [-(-size // LANES) * LANES for size in sizes]
    return np.concatenate([[0], np.cumsum(room)]), np.array(sizes, np.int64)


@device
def _spaced(x: int) -> int:
    """The bits of a number below 2**11, each three places from the next."""
    x = (x | (x << 16)) & 0x70000FF
    x = (x | (x << 8)) & 0x700F00F
    x = (x | (x << 4)) & 0x430C30C3
    return (x | (x << 2)) & 0x49249249


@device
def _code(columns: Floats, balls: bool, frame: Frame, i: Index) -> int:
    """The Morton code of a volume's middle."""
    code, most = 0, (1 << DIGIT) - 1
    for axis in range(3):
        middle = columns[axis, i]
        if not balls:
            middle = 0.5 * (middle + columns[axis + 3, i])
        step = min(max(int((middle - frame.low[axis]) * frame.scale * most), 0), most)
        code |= _spaced(step) << axis
    return code


@loop
def sort_by_code(line: Lineup, numbers: Floats, keys: Ints, other: Ints, counts: Words) -> Ints:
    """The numbers of the volumes along the curve, each below its code."""
    n = line.columns.shape[1]
    frame = frame_of(numbers, line.balls, n)
    for i in range(np.uint64(n)):
        keys[i] = (_code(line.columns, line.balls, frame, i) << _NUMBER) | int(i)
    return radix_sorted(keys, other, counts, _NUMBER, 3)


@loop
def plant(tree: Tree, numbers: Floats, order: Ints, start: int, stop: int) -> None:
    """Write the volumes of some leaves in order, and the boxes of these leaves."""
    line = tree.line
    n = line.columns.shape[1]
    frame = frame_of(numbers, line.balls, n)
    for at in range(np.uint64(start * LANES), np.uint64(min(stop * LANES, n))):
        i = np.uint64(order[at] & ((1 << _NUMBER) - 1))
        write_rows(line.columns, line.balls, frame, i, line.rows, at)
        line.ids[at] = number_of(int(i), line.split, line.groups)
        if line.balls:
            for axis in range(3):
                low, high = bounds_of(line.columns, True, frame.growth, axis, i)
                tree.boxes[axis, at] = (low - frame.low[axis]) * frame.scale
                tree.boxes[axis + 3, at] = (high - frame.low[axis]) * frame.scale
    for leaf in range(start, stop):
        _enclose(tree.boxes, leaf * LANES, min((leaf + 1) * LANES, n), tree.nodes, leaf)


@loop
def grow(tree: Tree) -> None:
    """Write the boxes of all levels above the leaves."""
    for level in range(1, tree.top + 1):
        below, size = tree.levels[level - 1], tree.sizes[level - 1]
        for k in range(tree.sizes[level]):
            first, last = below + k * LANES, below + min((k + 1) * LANES, size)
            _enclose(tree.nodes, first, last, tree.nodes, tree.levels[level] + k)


@device
def _enclose(boxes: Singles, first: int, last: int, nodes: Singles, at: int) -> None:
    """Write the box around some boxes."""
    for axis in range(3):
        low, high = boxes[axis, np.uint64(first)], boxes[axis + 3, np.uint64(first)]
        for k in range(np.uint64(first), np.uint64(last)):
            low, high = min(low, boxes[axis, k]), max(high, boxes[axis + 3, k])
        nodes[axis, np.uint64(at)], nodes[axis + 3, np.uint64(at)] = low, high


@loop
def climbed(tree: Tree, stack: Ints, first: int, last: int, out: Words) -> tuple[int, int]:
    """Find what touches the volumes of the leaves from `first` on; the first leaf not done, and the count."""
    count = 0
    for leaf in range(first, last):
        before = count
        count = _ask_tree(tree, stack, leaf, out, count)
        if count > out.shape[1] - LANES:
            return leaf, before
    return last, count


@device
def _ask_tree(tree: Tree, stack: Ints, leaf: int, out: Words, count: int) -> int:
    """The leaf against itself and against all that its box overlaps to its right."""
    level, base = tree.top, 0
    hits = _overlapped(tree, leaf, level, base)
    while True:
        if hits == 0:
            level += 1
            if level > tree.top:
                return count
            hits, base = stack[0, level], stack[1, level]
            continue
        child = base + lowest_bit(hits)
        hits &= hits - 1
        if level == 0:
            count = _leaf_pair(tree, leaf, child, out, count)
        else:
            stack[0, level], stack[1, level] = hits, base
            level, base = level - 1, child * LANES
            hits = _overlapped(tree, leaf, level, base)


@device
def _overlapped(tree: Tree, leaf: int, level: int, base: int) -> int:
    """Which of the sixteen nodes from `base` on, and not left of the leaf, overlap it."""
    start = tree.levels[level]
    hits = find_overlaps(tree.nodes, leaf, tree.nodes, start + base, start + tree.sizes[level])
    left = (leaf >> (4 * level)) - base  # 4 bits for each level of sixteen children
    return hits & (-1 << left) if left > 0 else hits


@device
def _leaf_pair(tree: Tree, leaf: int, other: int, out: Words, count: int) -> int:
    """Those volumes of a leaf that overlap the box of another against its volumes."""
    n = tree.line.columns.shape[1]
    start, stop = other * LANES, min(other * LANES + LANES, n)
    if leaf == other:
        for me in range(start, stop):
            count = against(tree.line, me, me + 1, stop, out, count)
        return count
    first = leaf * LANES
    hits = find_overlaps(tree.nodes, other, tree.boxes, first, first + LANES)
    while hits != 0:
        count = against(tree.line, first + lowest_bit(hits), start, stop, out, count)
        hits &= hits - 1
    return count
