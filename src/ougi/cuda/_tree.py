"""A tree of boxes on a GPU: volumes sorted along a Morton curve, boxes around four, four of those, and so on.

The code of a volume is that of `ougi.broad.tree`. As there nothing but boxes is stored: where a node's
children lie follows from its number.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numba import cuda

from ougi.broad.frame import bounds_of, frame_of
from ougi.broad.tree import _CODE, _NUMBER, _code
from ougi.cuda._driver import flipped, kernel, launch
from ougi.cuda._room import Room
from ougi.cuda._scan import sort_by_digits
from ougi.cuda._scene import FRAME, NOTHING, Scene, forget, frame_at, survey, write_frame
from ougi.cuda._search import FAN, ask_tree

__all__ = ["tree_pairs"]


def tree_pairs(scene: Scene, room: Room, stream: Any) -> None:
    """Find all pairs of a scene, into the room."""
    n, rows = scene.count, scene.columns.shape[0]
    if n >= 1 << _NUMBER:
        raise ValueError(f"there may be at most {(1 << _NUMBER) - 1:,} bodies, got {n:,}")
    numbers = room.filled("numbers", NOTHING)
    frame = room.array("frame", (FRAME,), np.float64)
    keys, other = (room.array(name, (n,), np.int64) for name in ("keys", "other keys"))
    tags = room.array("tags", (n, 2), np.uint32)
    dealt = flipped(room.array("dealt", (n, rows), np.float64))
    levels = _levels(n)
    nodes = room.array("nodes", (6, int(levels[-1, 0] + levels[-1, 1])), np.float64)
    launch(survey, n, scene.columns, scene.balls, numbers, keys, room.counter, stream=stream)
    launch(codes, n, scene.columns, scene.balls, numbers, frame, keys, stream=stream)
    keys = sort_by_digits(keys, other, (_NUMBER, _NUMBER + _CODE), room, stream)
    launch(plant, n * rows, scene.columns, keys, tags, dealt, numbers, stream=stream)
    launch(enclose_volumes, int(levels[0, 1]), dealt, scene.balls, frame, nodes, stream=stream)
    for below, above in itertools.pairwise(levels):
        launch(enclose_nodes, int(above[1]), nodes, *map(int, (*below[:2], *above[:2])), stream=stream)
    told = room.array("levels", levels.shape, np.int64)
    told.copy_to_device(levels, stream=stream)
    room.search(ask_tree, n, (dealt, tags, scene.balls, scene.split, frame, nodes, told), stream)


def _levels(n: int) -> Any:
    """Where the nodes of each level begin, how many there are, and how many volumes one can hold."""
    rows, at, size, holds = [], 0, n, 1
    while size > 1 or not rows:
        size, holds = -(-size // FAN), holds * FAN
        rows.append((at, size, holds))
        at += size
    return np.array(rows, np.int64)


@kernel
def codes(columns: Any, balls: bool, numbers: Any, frame: Any, keys: Any) -> None:
    """The number of each volume below its Morton code."""
    told = cuda.shared.array(FRAME, np.float64)
    if cuda.threadIdx.x == 0:
        found = frame_of(numbers, balls, columns.shape[1])
        write_frame(found, told)
        if cuda.blockIdx.x == 0:
            write_frame(found, frame)
    cuda.syncthreads()
    f = frame_at(told)
    for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
        keys[i] = (_code(columns, balls, f, i) << _NUMBER) | i


@kernel
def plant(columns: Any, keys: Any, tags: Any, dealt: Any, numbers: Any) -> None:
    """Write the volumes in the order of the curve, with their numbers."""
    rows = columns.shape[0]
    for e in range(cuda.grid(1), columns.shape[1] * rows, cuda.gridsize(1)):
        at = e // rows
        row, i = e - at * rows, keys[at] & ((1 << _NUMBER) - 1)
        dealt[row, at] = columns[row, i]
        if row == 0:
            tags[at, 0] = i
    if cuda.grid(1) == 0:
        forget(numbers)


@kernel
def enclose_volumes(columns: Any, balls: bool, frame: Any, nodes: Any) -> None:
    """The boxes of the leaves."""
    n, growth = columns.shape[1], frame[12]
    for leaf in range(cuda.grid(1), (n + FAN - 1) // FAN, cuda.gridsize(1)):
        for axis in range(3):
            low, high = bounds_of(columns, balls, growth, axis, leaf * FAN)
            for k in range(leaf * FAN + 1, min((leaf + 1) * FAN, n)):
                one, two = bounds_of(columns, balls, growth, axis, k)
                low, high = min(low, one), max(high, two)
            nodes[axis, leaf], nodes[axis + 3, leaf] = low, high


@kernel
def enclose_nodes(nodes: Any, below: int, below_size: int, start: int, size: int) -> None:
    """The boxes of a level, from those of the level below."""
    for node in range(cuda.grid(1), size, cuda.gridsize(1)):
        first, last = node * FAN, min((node + 1) * FAN, below_size)
        for axis in range(3):
            low, high = nodes[axis, below + first], nodes[axis + 3, below + first]
            for k in range(below + first + 1, below + last):
                low, high = min(low, nodes[axis, k]), max(high, nodes[axis + 3, k])
            nodes[axis, start + node], nodes[axis + 3, start + node] = low, high
