"""Cell lists: volumes sorted into the cells of a grid that none of them can span.

Along each axis space is cut into steps as wide as the widest volume. So what touches a volume has its lower
corner in the same step or in one beside it. Cells along x are one step wide and lie side by side in memory: three
of them are one run. Rows of cells are two steps wide and high where volumes are sparse. Then a volume looks only
at the rows on the side of its own half, and half of these suffice: at what follows in its own row, and at 1.5
runs more on average. Where volumes are dense, rows are one step wide, and it looks at four runs more.

Sorting is done by counting; in two levels where one would leave the cache: into buckets of cells, then into cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._jit import device, each, loop
from ougi._typing import Floats, Ints, Singles, Words
from ougi.broad._emit import LANES
from ougi.broad.frame import Frame, bounds_of, frame_of, in_unit, write_rows
from ougi.broad.lanes import Lineup, against, lineup, number_of
from ougi.broad.room import Piece, Room
from ougi.broad.volumes import Volumes
from ougi.kernels.records import Vec3

# Up to so many volumes are sorted in one level and asked by one thread.
SERIAL = 50_000
# Cells of a bucket, as a power of two: a bucket's volumes and its part of the table stay in a small cache.
BUCKET = 10
# Volumes that one thread deals out, or asks, at a time.
_CHUNK = 1 << 15
# Cells that the table may have for each volume.
CELLS = 1.0
# Volumes for each cube of a step, above which rows are one step wide: runs would be longer than a vector.
DENSE = 1.0
# Widths are rounded; steps are wider than the widest volume by this share, so that none spans three of them. A
# scaled bound is off by 3 u times the number of steps along an axis, by 2**-31 at most.
_WIDER = 1.0 + 2.0**-20
_MOST_ALONG = 1 << 20
_LEAST = 1e-290

# Volumes asked as a block: those of one kind one after the other, so that the processor foresees what comes.
_BLOCK = 512
# The bits of a cell's number above which its kind stands: the half of the row (1) and of the layer (2).
_KIND = 29


class Cells(NamedTuple):
    """The grid: cell (x, y, z) has number 1 + x + y * row + z * layer.

    Behind each row, behind the rows of each layer and behind all layers there is an empty cell, row or layer:
    so no neighbour needs a test for the border.
    """

    per: Vec3  # steps per length along the axes
    last: tuple[int, int, int]  # steps along the axes, but one
    fat: int  # 1 if rows are two steps wide, else 0
    row: int
    layer: int
    total: int


@device
def cells_for(frame: Frame, n: int) -> Cells:
    """Steps as small as the widest volume allows, but not many more cells than volumes."""
    wider, most = 1.0, CELLS * n + 64
    while True:
        px = _per(frame.largest.x, frame.spread.x, wider)
        py = _per(frame.largest.y, frame.spread.y, wider)
        pz = _per(frame.largest.z, frame.spread.z, wider)
        x, y, z = int(frame.spread.x * px), int(frame.spread.y * py), int(frame.spread.z * pz)
        fat = int(n < DENSE * (x + 1.0) * (y + 1.0) * (z + 1.0))
        row = x + 2
        rows, layers = (y >> fat) + 1 + (y > 0), (z >> fat) + 1 + (z > 0)
        total = row * rows * layers + 2
        if total <= most or x + y + z == 0:
            return Cells(Vec3(px, py, pz), (x, y, z), fat, row, row * rows, total)
        wider *= max(1.05, (total / most) ** (1 / 3))


@device
def _per(width: float, spread: float, wider: float) -> float:
    return 1.0 / (wider * max(width * _WIDER, spread / _MOST_ALONG, _LEAST))


def most_cells(n: int) -> int:
    """The largest table that n volumes can need."""
    return int(CELLS * n) + 64 + 3


def grid(scene: Volumes, room: Room, numbers: Floats) -> list[Piece]:
    """Numbers of all pairs, by cell lists."""
    n = scene.count
    line = lineup(scene, room)
    cell, places = (room.array(name, (n,), np.uint32) for name in ("cell", "places"))
    table = room.array("table", (most_cells(n),), np.uint32)
    if n <= SERIAL:
        sort_at_once(line, numbers, cell, places, table)
        parts = [(0, n)]
    else:
        parts = [(at, min(at + _CHUNK, n)) for at in range(0, n, _CHUNK)]
        _sort_in_two_levels(line, numbers, cell, places, table, parts, room)
    blocks = room.array("block", (len(parts), 5, _BLOCK), np.int64)

    def asks(part: int, first: int, last: int, out: Words) -> tuple[int, int]:
        return ask(line, numbers, places, table, blocks[part], first, last, out)

    return room.gathered(asks, parts)


def _sort_in_two_levels(
    line: Lineup,
    numbers: Floats,
    cell: Words,
    places: Words,
    table: Words,
    parts: list[tuple[int, int]],
    room: Room,
) -> None:
    n = len(cell)
    buckets = ((len(table) - 1) >> BUCKET) + 1
    counts = np.zeros((len(parts), buckets), np.int64)
    each(lambda k: locate(line, numbers, cell, counts[k], *parts[k]), range(len(parts)))
    before = np.concatenate([[0], np.cumsum(counts.T.ravel())])
    counts[:] = before[:-1].reshape(buckets, len(parts)).T
    edges = np.append(before[: -1 : len(parts)], n)

    dealt = room.array("dealt", (n, len(line.columns)), np.float32)
    tags = room.array("tags", (n, 2), np.uint32)
    each(lambda k: deal(line, numbers, cell, counts[k], dealt, tags, *parts[k]), range(len(parts)))
    some = max(1, buckets // 64)
    spans = [(at, min(at + some, buckets)) for at in range(0, buckets, some)]
    each(lambda span: settle(line, dealt, tags, edges, places, table, *span), spans)


@device
def _cell(columns: Floats, balls: bool, frame: Frame, cells: Cells, i: int) -> int:
    """The cell of a volume's lower corner, and its kind."""
    x = along(columns, balls, frame, cells, 0, i)
    y = along(columns, balls, frame, cells, 1, i)
    z = along(columns, balls, frame, cells, 2, i)
    # In rows one step wide all volumes are like those of the upper halves, if there are other rows at all.
    thin_y, thin_z = (1 - cells.fat) & int(cells.last[1] > 0), (1 - cells.fat) & int(cells.last[2] > 0)
    kind = ((y | thin_y) & 1) | (((z | thin_z) & 1) << 1)
    return (1 + x + (y >> cells.fat) * cells.row + (z >> cells.fat) * cells.layer) | (kind << _KIND)


@device
def along(columns: Floats, balls: bool, frame: Frame, cells: Cells, axis: int, i: int) -> int:
    """The step along an axis in which a volume begins."""
    low, _ = bounds_of(columns, balls, frame.growth, axis, i)
    return min(np.int64((low - frame.low[axis]) * cells.per[axis]), cells.last[axis])


@device
def _number(tag: int) -> np.uint64:
    """The number of a cell without its kind."""
    return np.uint64(tag & ((1 << _KIND) - 1))


@loop
def sort_at_once(line: Lineup, numbers: Floats, cell: Words, places: Words, table: Words) -> None:
    """Sort volumes into cells; table[c + 1] becomes the end of cell c, and table[c] its start.

    `cell` tells the cells of the volumes as they come, `places` in their new order.
    """
    n = line.columns.shape[1]
    frame = frame_of(numbers, line.balls, n)
    cells = cells_for(frame, n)
    table[: cells.total + 1] = 0
    ends = table[1 : cells.total + 1]
    for i in range(np.uint64(n)):
        cell[i] = _cell(line.columns, line.balls, frame, cells, i)
    for i in range(np.uint64(n)):
        ends[_number(cell[i])] += np.uint32(1)
    before = np.uint32(0)
    for c in range(np.uint64(len(ends))):
        before, ends[c] = before + ends[c], before
    for i in range(np.uint64(n)):
        c = _number(cell[i])
        at = np.uint64(ends[c])
        ends[c] += np.uint32(1)
        write_rows(line.columns, line.balls, frame, i, line.rows, at)
        line.ids[at], places[at] = number_of(np.int64(i), line.split, line.groups), cell[i]


@loop
def locate(line: Lineup, numbers: Floats, cell: Words, counts: Ints, start: int, stop: int) -> None:
    """The cells of the volumes of a chunk, and how many go to each bucket."""
    n = line.columns.shape[1]
    frame = frame_of(numbers, line.balls, n)
    cells = cells_for(frame, n)
    for i in range(np.uint64(start), np.uint64(stop)):
        cell[i] = _cell(line.columns, line.balls, frame, cells, i)
    for i in range(np.uint64(start), np.uint64(stop)):
        counts[_number(cell[i]) >> np.uint64(BUCKET)] += 1


@loop
def deal(
    line: Lineup,
    numbers: Floats,
    cell: Words,
    next_of: Ints,
    dealt: Singles,
    tags: Words,
    start: int,
    stop: int,
) -> None:
    """Write the volumes of a chunk to their buckets, each with its number and its cell."""
    frame = frame_of(numbers, line.balls, line.columns.shape[1])
    for i in range(np.uint64(start), np.uint64(stop)):
        bucket = _number(cell[i]) >> np.uint64(BUCKET)
        at = np.uint64(next_of[bucket])
        next_of[bucket] += 1
        for r in range(4):
            dealt[at, r] = in_unit(line.columns, line.balls, frame, r, i)
        if not line.balls:
            dealt[at, 4] = in_unit(line.columns, line.balls, frame, 4, i)
            dealt[at, 5] = in_unit(line.columns, line.balls, frame, 5, i)
        tags[at, 0], tags[at, 1] = number_of(np.int64(i), line.split, line.groups), cell[i]


@loop
def settle(
    line: Lineup,
    dealt: Singles,
    tags: Words,
    edges: Ints,
    places: Words,
    table: Words,
    start: int,
    stop: int,
) -> None:
    """Sort some buckets into cells, as `sort_at_once` does."""
    for bucket in range(start, stop):
        first, last = np.uint64(edges[bucket]), np.uint64(edges[bucket + 1])
        base = np.uint64(bucket << BUCKET)
        ends = table[1 + (bucket << BUCKET) : 1 + ((bucket + 1) << BUCKET)]
        ends[:] = 0
        for k in range(first, last):
            ends[_number(tags[k, 1]) - base] += np.uint32(1)
        before = np.uint32(first)
        for c in range(np.uint64(len(ends))):
            before, ends[c] = before + ends[c], before
        for k in range(first, last):
            c = _number(tags[k, 1]) - base
            at = np.uint64(ends[c])
            ends[c] += np.uint32(1)
            for r in range(4):
                line.rows[r, at] = dealt[k, r]
            if not line.balls:
                line.rows[4, at], line.rows[5, at] = dealt[k, 4], dealt[k, 5]
            line.ids[at], places[at] = tags[k, 0], tags[k, 1]
    if start == 0:
        table[0] = 0


@loop
def ask(
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
    cells = cells_for(frame_of(numbers, line.balls, n), n)
    count = 0
    while first < last:
        before, stop = count, min(first + _BLOCK, last)
        sizes = _kinds(places, block, first, stop)
        for kind in range(4):
            runs = block[4, : _runs(cells, kind, block[4])]
            for k in range(sizes[kind]):
                me = block[kind, np.uint64(k)]
                count = _among_cells(line, table, runs, me, np.int64(_number(places[np.uint64(me)])), out, count)
        if count > out.shape[1] - LANES:
            return first, before
        first = stop
    return last, count


@device
def _kinds(places: Words, block: Ints, first: int, stop: int) -> tuple[int, int, int, int]:
    """List the volumes of a block by kind; how many there are of each."""
    a, b, c, d = 0, 0, 0, 0
    for k in range(first, stop):
        kind = places[np.uint64(k)] >> _KIND
        block[0, a], block[1, b], block[2, c], block[3, d] = k, k, k, k
        a, b, c, d = a + (kind == 0), b + (kind == 1), c + (kind == 2), d + (kind == 3)
    return a, b, c, d


@device
def _runs(cells: Cells, kind: int, runs: Ints) -> int:
    """List the middles of the runs that a volume of a kind looks at beside its own, from its own cell."""
    row, layer = cells.row, cells.layer
    if kind == 2:
        runs[0], runs[1] = layer, layer - row
        return 1 + int(cells.last[1] > 0)
    runs[0], runs[1], runs[2], runs[3] = row, layer, layer + row, layer - row
    if kind < 2:
        return kind
    return 4 - cells.fat


@device
def _among_cells(line: Lineup, table: Words, runs: Ints, me: int, cell: int, out: Words, count: int) -> int:
    count = against(line, me, me + 1, np.int64(table[np.uint64(cell + 2)]), out, count)
    for middle in runs:
        near = np.uint64(cell + middle - 1)
        start, stop = np.int64(table[near]), np.int64(table[near + np.uint64(3)])
        count = against(line, me, start, stop, out, count)
    return count
