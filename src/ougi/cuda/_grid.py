"""Cell lists on a GPU: counted, added up, dealt out, asked.

The cells, a volume's place and the runs that it looks at are those of `ougi.broad.grid`; here volumes are
dealt out by all threads at once. The number that an atomic count returns is a volume's rank in its cell, so
that one pass of counting does for sorting.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from ougi.broad.grid import _cell, _place, most_cells
from ougi.cuda._driver import flipped, kernel, launch
from ougi.cuda._room import Room
from ougi.cuda._scan import TILE, add_up
from ougi.cuda._scene import CELLS, FRAME, NUMBERS, Scene, cells_at, frame_at, reset, survey, tell
from ougi.cuda._search import ask_cells, start_of

__all__ = ["grid_pairs"]


def grid_pairs(scene: Scene, room: Room, stream: Any) -> None:
    """Find all pairs of a scene, into the room."""
    n = scene.count
    numbers, frame = room.array("numbers", (NUMBERS,), np.float64), room.array("frame", (FRAME,), np.float64)
    cells = room.array("cells", (CELLS,), np.int64)
    table = room.array("table", (most_cells(n),), np.int32)
    offsets = room.array("offsets", (-(-most_cells(n) // TILE) + 1,), np.int32)
    places = room.array("places", (n, 2), np.uint32)
    tags = room.array("tags", (n, 2), np.uint32)
    rows = flipped(room.array("rows", (n, scene.columns.shape[0]), np.float64))
    launch(reset, table.shape[0], numbers, table, room.counter, stream=stream)
    launch(survey, n, scene.columns, scene.balls, numbers, stream=stream)
    launch(tell, 1, numbers, scene.balls, n, frame, cells, stream=stream)
    launch(place, n, scene.columns, scene.balls, frame, cells, places, table, stream=stream)
    add_up(table, offsets, stream)
    launch(deal, n, scene.columns, places, table, offsets, tags, rows, stream=stream)
    room.search(ask_cells, n, (rows, tags, scene.balls, scene.split, frame, cells, table, offsets), stream)


@kernel
def place(columns: Any, balls: bool, frame: Any, cells: Any, places: Any, table: Any) -> None:
    """The place of each volume and its rank among those of its cell; count the cells."""
    f, c = frame_at(frame), cells_at(frame, cells)
    for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
        spot = _place(columns, balls, f, c, i)
        places[i, 0] = spot
        places[i, 1] = cuda.atomic.add(table, np.int64(_cell(spot)), np.int32(1))


@kernel
def deal(columns: Any, places: Any, table: Any, offsets: Any, tags: Any, rows: Any) -> None:
    """Write the volumes in the order of their cells, each as a row, with its number and place."""
    for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
        spot = places[i, 0]
        at = start_of(table, offsets, np.int64(_cell(spot))) + np.int64(places[i, 1])
        tags[at, 0], tags[at, 1] = i, spot
        for row in range(columns.shape[0]):
            rows[row, at] = columns[row, i]
