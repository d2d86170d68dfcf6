"""A tree of boxes over volumes along a space-filling curve, for scenes of any sizes and places.

Volumes are sorted by the Morton code of their middles and cut into leaves of sixteen; sixteen leaves make a
node, sixteen nodes a node of the next level, until there are sixteen or fewer. Nothing but boxes is stored:
the children of node k are 16 k ... 16 k + 15. Each leaf searches the tree once, and only to its right,
so each pair of leaves is found once. One vector comparison tests a box against sixteen children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, each, loop
from ougi._native.lanes import LANES, find_overlaps, lowest_bit
from ougi._typing import Floats, Index, Ints, Singles, Words
from ougi.broad.frame import SceneExtent, axis_bounds, build_frame, write_rows
from ougi.broad.lanes import Lineup, append_touching, build_lineup, volume_number
from ougi.broad.radix import DIGIT, radix_sort
from ougi.broad.volumes import Volumes
from ougi.broad.workspace import Workspace

# Leaves that one thread builds, or searches, at a time: a multiple of LANES.
_CHUNK = 1 << 11
# Levels that any number of volumes below 2**31 can need.
_LEVELS = 8
# Bits of a Morton code; below them stands the number of the volume.
CODE_BITS = 3 * DIGIT
NUMBER_BITS = 30


class VolumeTree(NamedTuple):
    """Boxes of volumes (6, n + LANES) and of nodes (6, total), and where each level of nodes begins."""

    line: Lineup
    boxes: Singles
    nodes: Singles
    levels: Ints  # level k lies in levels[k] : levels[k] + sizes[k]
    sizes: Ints
    top: int


def tree(scene: Volumes, workspace: Workspace, numbers: Floats) -> Ints:
    """Find all pairs by a tree of boxes."""
    n = scene.count
    line = build_lineup(scene, workspace)
    keys, other = (workspace.array(name, (n,), np.int64) for name in ("keys", "other keys"))
    counts = workspace.array("counts", (3, 1 << DIGIT), np.uint32)
    boxes = workspace.array("boxes", (6, n + LANES), np.float32) if scene.balls else line.rows
    levels, sizes = _levels(n)
    nodes = workspace.array("nodes", (6, int(levels[-1])), np.float32)
    grown = VolumeTree(line, boxes, nodes, levels, sizes, len(sizes) - 1)
    order = sort_by_code(line, numbers, keys, other, counts)
    parts = [(at, min(at + _CHUNK, int(sizes[0]))) for at in range(0, int(sizes[0]), _CHUNK)]
    each(lambda part: build_leaves(grown, numbers, order, *part), parts)
    build_levels(grown)
    stacks = workspace.array("stacks", (len(parts), 2, _LEVELS), np.int64)
    return workspace.gather_pairs(
        lambda k, first, last, out: search_leaves(grown, stacks[k], first, last, out), parts
    )


def _levels(n: int) -> tuple[Ints, Ints]:
    """Where levels begin, with the end of the last, and how many nodes each has: leaves first."""
    sizes = [-(-n // LANES)]
    while sizes[-1] > LANES:
        sizes.append(-(-sizes[-1] // LANES))
    padded = [-(-size // LANES) * LANES for size in sizes]
    return np.concatenate([[0], np.cumsum(padded)]), np.array(sizes, np.int64)


@device
def _spread_bits(x: int) -> int:
    """The bits of a number below 2**11, each three places from the next."""
    x = (x | (x << 16)) & 0x70000FF
    x = (x | (x << 8)) & 0x700F00F
    x = (x | (x << 4)) & 0x430C30C3
    return (x | (x << 2)) & 0x49249249


@device
def morton_code(columns: Floats, balls: bool, frame: SceneExtent, i: Index) -> int:
    """The Morton code of a volume's middle."""
    code, limit = 0, (1 << DIGIT) - 1
    for axis in range(3):
        middle = columns[axis, i]
        if not balls:
            middle = 0.5 * (middle + columns[axis + 3, i])
        step = min(max(int((middle - frame.low[axis]) * frame.scale * limit), 0), limit)
        code |= _spread_bits(step) << axis
    return code


@loop
def sort_by_code(line: Lineup, numbers: Floats, keys: Ints, other: Ints, counts: Words) -> Ints:
    """The numbers of the volumes along the curve, each below its code."""
    n = line.columns.shape[1]
    frame = build_frame(numbers, line.balls, n)
    for i in range(np.uint64(n)):
        keys[i] = (morton_code(line.columns, line.balls, frame, i) << NUMBER_BITS) | int(i)
    return radix_sort(keys, other, counts, NUMBER_BITS, 3)


@loop
def build_leaves(tree: VolumeTree, numbers: Floats, order: Ints, start: int, stop: int) -> None:
    """Write the volumes of a range of leaves in order, and the boxes of these leaves."""
    line = tree.line
    n = line.columns.shape[1]
    frame = build_frame(numbers, line.balls, n)
    for at in range(np.uint64(start * LANES), np.uint64(min(stop * LANES, n))):
        i = np.uint64(order[at] & ((1 << NUMBER_BITS) - 1))
        write_rows(line.columns, line.balls, frame, i, line.rows, at)
        line.ids[at] = volume_number(int(i), line.split, line.groups)
        if line.balls:
            for axis in range(3):
                low, high = axis_bounds(line.columns, True, frame.growth, axis, i)
                tree.boxes[axis, at] = (low - frame.low[axis]) * frame.scale
                tree.boxes[axis + 3, at] = (high - frame.low[axis]) * frame.scale
    for leaf in range(start, stop):
        _enclose(tree.boxes, leaf * LANES, min((leaf + 1) * LANES, n), tree.nodes, leaf)


@loop
def build_levels(tree: VolumeTree) -> None:
    """Write the boxes of all levels above the leaves."""
    for level in range(1, tree.top + 1):
        below, size = tree.levels[level - 1], tree.sizes[level - 1]
        for k in range(tree.sizes[level]):
            first, last = below + k * LANES, below + min((k + 1) * LANES, size)
            _enclose(tree.nodes, first, last, tree.nodes, tree.levels[level] + k)


@device
def _enclose(boxes: Singles, first: int, last: int, nodes: Singles, at: int) -> None:
    """Write the box around a range of boxes."""
    for axis in range(3):
        low, high = boxes[axis, np.uint64(first)], boxes[axis + 3, np.uint64(first)]
        for k in range(np.uint64(first), np.uint64(last)):
            low, high = min(low, boxes[axis, k]), max(high, boxes[axis + 3, k])
        nodes[axis, np.uint64(at)], nodes[axis + 3, np.uint64(at)] = low, high


@loop
def search_leaves(tree: VolumeTree, stack: Ints, first: int, last: int, out: Words) -> tuple[int, int]:
    """Find what touches the volumes of the leaves from `first` on; the first leaf not done, and the count."""
    count = 0
    for leaf in range(first, last):
        before = count
        count = _search_leaf(tree, stack, leaf, out, count)
        if count > out.shape[1] - LANES:
            return leaf, before
    return last, count


@device
def _search_leaf(tree: VolumeTree, stack: Ints, leaf: int, out: Words, count: int) -> int:
    """The leaf against itself and against all that its box overlaps to its right."""
    level, base = tree.top, 0
    hits = _overlapping_children(tree, leaf, level, base)
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
            count = _search_leaf_pair(tree, leaf, child, out, count)
        else:
            stack[0, level], stack[1, level] = hits, base
            level, base = level - 1, child * LANES
            hits = _overlapping_children(tree, leaf, level, base)


@device
def _overlapping_children(tree: VolumeTree, leaf: int, level: int, base: int) -> int:
    """Which of the sixteen nodes from `base` on, and not left of the leaf, overlap it."""
    start = tree.levels[level]
    hits = find_overlaps(tree.nodes, leaf, tree.nodes, start + base, start + tree.sizes[level])
    left = (leaf >> (4 * level)) - base  # 4 bits for each level of sixteen children
    return hits & (-1 << left) if left > 0 else hits


@device
def _search_leaf_pair(tree: VolumeTree, leaf: int, other: int, out: Words, count: int) -> int:
    """Those volumes of a leaf that overlap the box of another against its volumes."""
    n = tree.line.columns.shape[1]
    start, stop = other * LANES, min(other * LANES + LANES, n)
    if leaf == other:
        for me in range(start, stop):
            count = append_touching(tree.line, me, me + 1, stop, out, count)
        return count
    first = leaf * LANES
    hits = find_overlaps(tree.nodes, other, tree.boxes, first, first + LANES)
    while hits != 0:
        count = append_touching(tree.line, first + lowest_bit(hits), start, stop, out, count)
        hits &= hits - 1
    return count
