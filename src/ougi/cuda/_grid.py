"""Cell lists on a GPU: count, scan, deal out, search.

The cells, a volume's place and the runs that it tests are those of `ougi.broad.grid`; here volumes are
dealt out by all threads at once. The number that an atomic count returns is a volume's rank in its cell, so
that one pass of counting sorts them. There are only five launches, because each costs as much as many
volumes.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from ougi._typing import DeviceArray, Floats, Ints, Stream, Words
from ougi.broad.frame import build_frame
from ougi.broad.grid import cell_number, cells_for, max_cells, pack_place
from ougi.cuda._scan import NONE_DONE, TILE, scan
from ougi.cuda._scene import (
    CELLS,
    FRAME,
    NOTHING,
    DeviceVolumes,
    cells_at,
    frame_at,
    reset_survey,
    survey,
    write_cells,
    write_frame,
)
from ougi.cuda._search import cell_start, search_cells
from ougi.cuda._workspace import DeviceWorkspace, Launches, launch_per_volume
from ougi.cuda.driver import flip_axes, kernel, launch

__all__ = ["grid_search"]


def grid_search(scene: DeviceVolumes, workspace: DeviceWorkspace) -> Launches:
    """The launches that find all pairs of a scene."""
    n, rows = scene.count, scene.columns.shape[0]
    columns, balls = scene.columns, scene.balls
    numbers = workspace.fill_array("numbers", NOTHING)
    cells = workspace.array("cells", (CELLS,), np.int64)
    table = workspace.array("table", (max_cells(n),), np.int32)
    offsets = workspace.array("offsets", (-(-max_cells(n) // TILE) + 1,), np.int32)
    done = workspace.fill_array("done", NONE_DONE)
    places, tags = (workspace.array(name, (n, 2), np.uint32) for name in ("places", "tags"))
    dealt = flip_axes(workspace.array("dealt", (n, rows), np.float64))

    def launches(stream: Stream, pairs: DeviceArray) -> None:
        launch(survey, n, columns, balls, numbers, table, workspace.counter, stream=stream)
        launch(place_volumes, n, columns, balls, numbers, cells, places, table, stream=stream)
        scan(table, offsets, done, stream)
        launch(deal_volumes, n * rows, columns, places, table, offsets, tags, dealt, numbers, stream=stream)
        found = pairs, workspace.counter
        launch_per_volume(
            search_cells, n, dealt, tags, balls, scene.split, cells, table, offsets, *found, stream=stream
        )

    return launches


@kernel
def place_volumes(
    columns: Floats, balls: bool, numbers: Floats, cells: Ints, places: Words, table: Ints
) -> None:
    """Write the place of each volume and its rank among those of its cell; count the cells."""
    shared = cuda.shared.array(FRAME, np.float64)
    grid = cuda.shared.array(CELLS, np.int64)
    if cuda.threadIdx.x == 0:
        frame = build_frame(numbers, balls, columns.shape[1])
        write_frame(frame, shared)
        write_cells(cells_for(frame, columns.shape[1]), shared, grid)
        if cuda.blockIdx.x == 0:
            for k in range(CELLS):
                cells[k] = grid[k]
    cuda.syncthreads()
    f, c = frame_at(shared), cells_at(shared, grid)
    for i in range(cuda.grid(1), columns.shape[1], cuda.gridsize(1)):
        spot = pack_place(columns, balls, f, c, i)
        places[i, 0] = spot
        places[i, 1] = cuda.atomic.add(table, np.int64(cell_number(spot)), np.int32(1))


@kernel
def deal_volumes(
    columns: Floats, places: Words, table: Ints, offsets: Ints, tags: Words, dealt: Floats, numbers: Floats
) -> None:
    """Write the volumes in the order of their cells, with their numbers and places.

    A thread for each number, so that those of one volume are written at once: three times as fast as a
    thread for each volume.
    """
    rows = columns.shape[0]
    for e in range(cuda.grid(1), columns.shape[1] * rows, cuda.gridsize(1)):
        i = e // rows
        row = e - i * rows
        spot = places[i, 0]
        at = cell_start(table, offsets, np.int64(cell_number(spot))) + np.int64(places[i, 1])
        dealt[row, at] = columns[row, i]
        if row < 2:
            tags[at, row] = i if row == 0 else spot
    if cuda.grid(1) == 0:
        reset_survey(numbers)
