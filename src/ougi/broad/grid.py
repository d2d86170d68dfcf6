"""Cell lists: volumes sorted into the cells of a grid that none of them can span.

Along each axis space is cut into steps as wide as the widest volume. So what touches a volume has its lower
corner in the same step or in one beside it. Cells of a row lie side by side in memory, so that those of a
range of x are one run. Rows of cells are two steps wide and high where volumes are sparse. Then a volume
is tested only against the rows on the side of its own half, and half of these suffice: the rest of its own
row, and 1.5 runs more on average. Where volumes are dense, rows are one step wide and four more runs are
tested. Cells are shorter than a step there, so that runs end closer to the volume.

Volumes are sorted by counting. If the table does not fit into the cache, there are two levels: buckets of
cells, then cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, each, loop
from ougi._native.lanes import LANES
from ougi._typing import Floats, Index, Ints, Singles, Words
from ougi.broad.frame import SceneExtent, axis_bounds, build_frame, scale_entry, write_rows
from ougi.broad.lanes import Lineup, append_touching, build_lineup, volume_number
from ougi.broad.volumes import Volumes
from ougi.broad.workspace import Workspace
from ougi.kernels.records import Vec3

# Up to this many volumes are sorted in one level and searched by one thread.
SERIAL = 50_000
# Cells of a bucket, as a power of two: its volumes stay in the second cache while they are sorted. With
# smaller ones, and more of them, dealing takes twice as long at half a million volumes.
_BUCKET = 14
# Volumes that one thread deals out, or searches, at a time; while they are dealt they stay in the second
# cache.
_CHUNK = 1 << 14
# Cells that the table may have for each volume.
CELLS = 1.0
# Volumes for each cube of a step, above which rows are one step wide: runs would be longer than a vector.
DENSE = 1.0
# Widths are rounded; steps are wider than the widest volume by this share, so that none spans three of them.
# A scaled bound is off by 3 u times the number of steps along an axis, by 2**-31 at most.
_WIDER = 1.0 + 2.0**-20
_MAX_STEPS = 1 << 20
_MIN_SIZE = 1e-290

# Cells that a step along x is cut into, at most.
FINE = 8
# Volumes searched as a block, ordered by kind, so that branches are predictable.
_BLOCK = 512
# A volume's place: its cell, above that how many cells further it ends, above that its kind: whether it lies
# in the upper half of its row (1) and of its layer (2).
SPAN_SHIFT, KIND_SHIFT = 26, 30
_MAX_CELLS = (1 << SPAN_SHIFT) - 64


class Cells(NamedTuple):
    """The grid: cell (x, y, z) has number fine + x + y * row + z * layer.

    Behind each row there are cells that stay empty, behind the rows of each layer a row and behind all layers
    a layer: so no neighbour needs a test for the border.
    """

    per: Vec3  # along x cells, along y and z steps per length
    last: tuple[int, int, int]  # cells along x and steps along y and z, but one
    fine: int  # cells along x in a step
    fat: int  # 1 if rows are two steps wide, else 0
    row: int
    layer: int
    total: int


@device
def cells_for(frame: SceneExtent, n: int) -> Cells:
    """Steps as small as the widest volume allows, but not many more cells than volumes."""
    wider, limit = 1.0, min(CELLS * n + 64, _MAX_CELLS)
    while True:
        px = _steps_per_length(frame.largest.x, frame.spread.x, wider)
        py = _steps_per_length(frame.largest.y, frame.spread.y, wider)
        pz = _steps_per_length(frame.largest.z, frame.spread.z, wider)
        x, y, z = int(frame.spread.x * px), int(frame.spread.y * py), int(frame.spread.z * pz)
        fat = int(n < DENSE * (x + 1.0) * (y + 1.0) * (z + 1.0))
        rows = ((y >> fat) + 1 + (y > 0)) * ((z >> fat) + 1 + (z > 0))
        fine = 1 if fat else min(max(int(limit / ((x + 3.0) * rows)), 1), FINE)
        row = int(frame.spread.x * px * fine) + 1 + fine
        total = row * rows + fine + 1
        if total <= limit or x + y + z == 0:
            layer = row * ((y >> fat) + 1 + (y > 0))
            return Cells(Vec3(px * fine, py, pz), (row - 1 - fine, y, z), fine, fat, row, layer, total)
        wider *= max(1.05, (total / limit) ** (1 / 3))


@device
def _steps_per_length(width: float, spread: float, wider: float) -> float:
    return 1.0 / (wider * max(width * _WIDER, spread / _MAX_STEPS, _MIN_SIZE))


def max_cells(n: int) -> int:
    """The largest table that n volumes can need."""
    return min(int(CELLS * n) + 64, _MAX_CELLS) + 2


def grid(scene: Volumes, workspace: Workspace, numbers: Floats, serial: int = SERIAL) -> Ints:
    """Find all pairs by cell lists; with more than `serial` volumes in chunks for many threads."""
    n = scene.count
    line = build_lineup(scene, workspace)
    places = workspace.array("places", (n,), np.uint32)
    table = workspace.array("table", (max_cells(n),), np.uint32)
    if n <= serial:
        sort_at_once(line, numbers, workspace.array("order", (n,), np.uint32), places, table)
        parts = [(0, n)]
    else:
        parts = [(at, min(at + _CHUNK, n)) for at in range(0, n, _CHUNK)]
        _sort_in_two_levels(line, numbers, places, table, parts, workspace)
    blocks = workspace.array("block", (len(parts), 5, _BLOCK), np.int64)

    def search_part(part: int, first: int, last: int, out: Words) -> tuple[int, int]:
        return search_cells(line, numbers, places, table, blocks[part], first, last, out)

    return workspace.gather_pairs(search_part, parts)


def _sort_in_two_levels(
    line: Lineup,
    numbers: Floats,
    places: Words,
    table: Words,
    parts: list[tuple[int, int]],
    workspace: Workspace,
) -> None:
    n = len(places)
    buckets = ((len(table) - 1) >> _BUCKET) + 1
    dealt = workspace.array("dealt", (n, len(line.columns) + 2), np.float32)
    tags = dealt.view(np.uint32)
    order = workspace.array("order", (n,), np.uint32)
    # Where the volumes of each bucket begin in each chunk.
    starts = workspace.array("starts", (buckets + 1, len(parts)), np.uint32)
    each(
        lambda k: deal_into_buckets(line, numbers, order, dealt, tags, starts, k, *parts[k]),
        range(len(parts)),
    )
    edges = np.concatenate([[0], np.cumsum(np.diff(starts.astype(np.int64), axis=0).sum(1))])
    step = max(1, buckets // 64)
    spans = [(at, min(at + step, buckets)) for at in range(0, buckets, step)]
    each(lambda span: sort_buckets(line, dealt, tags, starts, edges, order, places, table, *span), spans)


@device
def pack_place(columns: Floats, balls: bool, frame: SceneExtent, cells: Cells, i: Index) -> int:
    """Pack the place of a volume: its cell, span and kind."""
    x, end = begin_and_end(columns, balls, frame, cells, 0, i)
    y, _ = begin_and_end(columns, balls, frame, cells, 1, i)
    z, _ = begin_and_end(columns, balls, frame, cells, 2, i)
    # In rows one step wide all volumes are like those of the upper halves, if there are other rows at all.
    thin_y, thin_z = (1 - cells.fat) & int(cells.last[1] > 0), (1 - cells.fat) & int(cells.last[2] > 0)
    kind = ((y | thin_y) & 1) | (((z | thin_z) & 1) << 1)
    cell = cells.fine + x + (y >> cells.fat) * cells.row + (z >> cells.fat) * cells.layer
    return cell | ((end - x) << SPAN_SHIFT) | (kind << KIND_SHIFT)


@device
def begin_and_end(
    columns: Floats, balls: bool, frame: SceneExtent, cells: Cells, axis: int, i: Index
) -> tuple[int, int]:
    """The cells or steps along an axis in which a volume begins and ends."""
    low, high = axis_bounds(columns, balls, frame.growth, axis, i)
    begin, end = (low - frame.low[axis]) * cells.per[axis], (high - frame.low[axis]) * cells.per[axis]
    # Far from the origin a bound may be rounded to below the lowest one.
    return min(max(int(begin), 0), cells.last[axis]), min(max(int(end), 0), cells.last[axis])


@device
def cell_number(place: Index) -> Index:
    """The number of the cell of a place."""
    return np.uint64(place & ((1 << SPAN_SHIFT) - 1))


@loop
def sort_at_once(line: Lineup, numbers: Floats, place: Words, places: Words, table: Words) -> None:
    """Sort volumes into cells; table[c + 1] becomes the end of cell c, and table[c] its start.

    `place` receives the places of the volumes in the given order, `places` in the new order.
    """
    n = line.columns.shape[1]
    frame = build_frame(numbers, line.balls, n)
    cells = cells_for(frame, n)
    table[: cells.total + 1] = 0
    ends = table[1 : cells.total + 1]
    for i in range(np.uint64(n)):
        place[i] = pack_place(line.columns, line.balls, frame, cells, i)
    for i in range(np.uint64(n)):
        ends[cell_number(place[i])] += np.uint32(1)
    before = np.uint32(0)
    for c in range(np.uint64(len(ends))):
        before, ends[c] = before + ends[c], before
    for i in range(np.uint64(n)):
        cell = cell_number(place[i])
        line.ids[np.uint64(ends[cell])] = i
        ends[cell] += np.uint32(1)
    # Scattered reads and ordered writes are faster than the opposite.
    for at in range(np.uint64(n)):
        k = np.uint64(line.ids[at])
        write_rows(line.columns, line.balls, frame, k, line.rows, at)
        line.ids[at], places[at] = volume_number(int(k), line.split, line.groups), place[k]


@loop
def deal_into_buckets(
    line: Lineup,
    numbers: Floats,
    place: Words,
    dealt: Singles,
    tags: Words,
    starts: Words,
    chunk: int,
    start: int,
    stop: int,
) -> None:
    """Sort the volumes of a chunk by buckets, each as a record of its rows, its number and its place.

    `tags` is the memory of `dealt`, seen as whole numbers; starts[b, chunk] becomes where bucket b begins.
    """
    n, width = line.columns.shape[1], len(line.columns)
    frame = build_frame(numbers, line.balls, n)
    cells = cells_for(frame, n)
    for i in range(np.uint64(start), np.uint64(stop)):
        place[i] = pack_place(line.columns, line.balls, frame, cells, i)
    ends = np.zeros(len(starts), np.uint32)
    for i in range(np.uint64(start), np.uint64(stop)):
        ends[bucket_number(place[i])] += np.uint32(1)
    before = np.uint32(start)
    for b in range(np.uint64(len(starts))):
        starts[b, chunk] = before
        before, ends[b] = before + ends[b], before
    # Written in order once, so that the scattered records below hit the cache.
    tags[start:stop] = 0
    for i in range(np.uint64(start), np.uint64(stop)):
        b = bucket_number(place[i])
        at = np.uint64(ends[b])
        ends[b] += np.uint32(1)
        for r in range(4):
            dealt[at, r] = scale_entry(line.columns, line.balls, frame, r, i)
        if not line.balls:
            dealt[at, 4] = scale_entry(line.columns, line.balls, frame, 4, i)
            dealt[at, 5] = scale_entry(line.columns, line.balls, frame, 5, i)
        tags[at, width], tags[at, width + 1] = volume_number(int(i), line.split, line.groups), place[i]


@device
def bucket_number(place: Index) -> Index:
    return cell_number(place) >> np.uint64(_BUCKET)


@loop
def sort_buckets(
    line: Lineup,
    dealt: Singles,
    tags: Words,
    starts: Words,
    edges: Ints,
    order: Words,
    places: Words,
    table: Words,
    start: int,
    stop: int,
) -> None:
    """Sort a range of buckets into cells, as `sort_at_once` does."""
    width = len(line.columns)
    for bucket in range(start, stop):
        base = np.uint64(bucket << _BUCKET)
        ends = table[1 + (bucket << _BUCKET) : 1 + ((bucket + 1) << _BUCKET)]
        begins, stops = starts[bucket], starts[bucket + 1]
        ends[:] = 0
        for chunk in range(np.uint64(len(begins))):
            for k in range(np.uint64(begins[chunk]), np.uint64(stops[chunk])):
                ends[cell_number(tags[k, width + 1]) - base] += np.uint32(1)
        before = np.uint32(edges[bucket])
        for c in range(np.uint64(len(ends))):
            before, ends[c] = before + ends[c], before
        for chunk in range(np.uint64(len(begins))):
            for k in range(np.uint64(begins[chunk]), np.uint64(stops[chunk])):
                cell = cell_number(tags[k, width + 1]) - base
                order[np.uint64(ends[cell])] = k
                ends[cell] += np.uint32(1)
        for at in range(np.uint64(edges[bucket]), np.uint64(edges[bucket + 1])):
            one = np.uint64(order[at])
            for r in range(4):
                line.rows[r, at] = dealt[one, r]
            if not line.balls:
                line.rows[4, at], line.rows[5, at] = dealt[one, 4], dealt[one, 5]
            line.ids[at], places[at] = tags[one, width], tags[one, width + 1]
    if start == 0:
        table[0] = 0


@loop
def search_cells(
    line: Lineup,
    numbers: Floats,
    places: Words,
    table: Words,
    block: Ints,
    first: int,
    last: int,
    out: Words,
) -> tuple[int, int]:
    """Find what touches the volumes from `first` on; the first one that is not done, and the count."""
    n = line.columns.shape[1]
    cells = cells_for(build_frame(numbers, line.balls, n), n)
    count = 0
    while first < last:
        before, stop = count, min(first + _BLOCK, last)
        sizes = _list_kinds(places, block, first, stop)
        for kind in range(4):
            runs = block[4, : list_runs(cells, kind, block[4])]
            for k in range(sizes[kind]):
                me = block[kind, np.uint64(k)]
                count = _search_runs(line, table, runs, cells.fine, me, places[np.uint64(me)], out, count)
        if count > out.shape[1] - LANES:
            return first, before
        first = stop
    return last, count


@device
def _list_kinds(places: Words, block: Ints, first: int, stop: int) -> tuple[int, int, int, int]:
    """List the volumes of a block by kind; how many there are of each."""
    a, b, c, d = 0, 0, 0, 0
    for k in range(first, stop):
        kind = places[np.uint64(k)] >> KIND_SHIFT
        block[0, a], block[1, b], block[2, c], block[3, d] = k, k, k, k
        a, b, c, d = a + (kind == 0), b + (kind == 1), c + (kind == 2), d + (kind == 3)
    return a, b, c, d


@device
def list_runs(cells: Cells, kind: int, runs: Ints) -> int:
    """List the middles of the runs that a volume of a kind tests beside its own, from its own cell."""
    row, layer = cells.row, cells.layer
    if kind == 2:
        runs[0], runs[1] = layer, layer - row
        return 1 + int(cells.last[1] > 0)
    runs[0], runs[1], runs[2], runs[3] = row, layer, layer + row, layer - row
    if kind < 2:
        return kind
    return 4 - cells.fat


@device
def _search_runs(
    line: Lineup, table: Words, runs: Ints, fine: int, me: int, place: Index, out: Words, count: int
) -> int:
    """Test a volume against those behind it in its own row, and against those of other rows."""
    begin = int(cell_number(place))
    end = begin + 1 + ((int(place) >> SPAN_SHIFT) & ((1 << (KIND_SHIFT - SPAN_SHIFT)) - 1))
    count = append_touching(line, me, me + 1, int(table[np.uint64(end)]), out, count)
    for middle in runs:
        start, stop = table[np.uint64(begin + middle - fine)], table[np.uint64(end + middle)]
        count = append_touching(line, me, int(start), int(stop), out, count)
    return count
