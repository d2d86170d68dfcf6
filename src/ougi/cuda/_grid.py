"""Cell lists on a GPU: counted, added up, dealt out, asked.

The cells, a volume's place and the runs that it looks at are those of `ougi.broad.grid`; here volumes are
dealt out by all threads at once. The number that an atomic count returns is a volume's rank in its cell, so
that one pass of counting does for sorting. A launch costs as much as ten thousand volumes: there are five.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ougi.broad.frame import frame_of
from ougi.broad.grid import _cell, _place, cells_for, most_cells
from ougi.cuda._driver import flipped, kernel, launch
from ougi.cuda._room import Room
from ougi.cuda._scan import TILE, add_up
from ougi.cuda._scene import (
    CELLS,
    FRAME,
    NOTHING,
    Scene,
    cells_at,
    forget,
    frame_at,
    survey,
    write_cells,
    write_frame,
)
from ougi.cuda._search import ask_cells, start_of

__all__ = ["grid_pairs"]


def grid_pairs(scene: Scene, room: Room, stream: Any) -> None:
    """Find all pairs of a scene, into the room."""
    n, rows = scene.count, scene.columns.shape[0]
    numbers = room.filled("numbers", NOTHING)
    cells = room.array("cells", (CELLS,), np.int64)
    table = room.array("table", (most_cells(n),), np.int32)
    offsets = room.array("offsets", (-(-most_cells(n) // TILE) + 1,), np.int32)
    places = room.array("places", (n, 2), np.uint32)
    tags = room.array("tags", (n, 2), np.uint32)
    dealt = flipped(room.array("dealt", (n, rows), np.float64))
    launch(survey, n, scene.columns, scene.balls, numbers, table, room.counter, stream=stream)
    launch(place, n, scene.columns, scene.balls, numbers, cells, places, table, stream=stream)
    add_up(table, offsets, room, stream)
    launch(deal, n * rows, scene.columns, places, table, offsets, tags, dealt, numbers, stream=stream)
    room.search(ask_cells, n, (dealt, tags, scene.balls, scene.split, cells, table, offsets), stream)


@kernel
def place(columns: Any, balls: bool, numbers: Any, cells: Any, places: Any, table: Any) -> None:
    """The place of each volume and its rank among those of its cell; count the cells."""
    told = cuda.shared.array(FRAME, np.float64)
    grid = cuda.shared.array(CELLS, np.int64)
    if cuda.threadIdx.x == 0:
        frame = frame_of(numbers, balls, columns.shape[1])
        write_frame(frame, told)
        write_cells(cells_for(frame, columns.shape[1]), told, grid)
        if cuda.blockIdx.x == 0:
            for k in range(CELLS):
                cells[k] = grid[k]
    cuda.syncthreads()
    f, c = frame_at(told), cells_at(told, grid)
    for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
        spot = _place(columns, balls, f, c, i)
        places[i, 0] = spot
        places[i, 1] = cuda.atomic.add(table, np.int64(_cell(spot)), np.int32(1))


@kernel
def deal(columns: Any, places: Any, table: Any, offsets: Any, tags: Any, dealt: Any, numbers: Any) -> None:
    """Write the volumes in the order of their cells, with their numbers and places.

    A thread for each number, so that those of one volume are written at once: three times as fast as a
    thread for each volume.
    """
    rows = columns.shape[0]
    for e in range(cuda.grid(1), columns.shape[1] * rows, cuda.gridsize(1)):
        i = e // rows
        row = e - i * rows
        spot = places[i, 0]
        at = start_of(table, offsets, np.int64(_cell(spot))) + np.int64(places[i, 1])
        dealt[row, at] = columns[row, i]
        if row < 2:
            tags[at, row] = i if row == 0 else spot
    if cuda.grid(1) == 0:
        forget(numbers)
