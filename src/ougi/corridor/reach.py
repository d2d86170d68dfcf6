"""The wall compiled for a radius: what a circle of that size can touch, in a grid of its centers.

A center that is free (no nearer than r to any wall) and moves cannot leave the free region without meeting
its border, and every border point is at distance r from a wall feature that a free circle touches there. So
all features that no free circle of radius r touches can be left out: first contacts stay the same, at any
speed. What a free circle of radius R > r touches, the circle of radius r inside it that touches the same
point touches, too: the features kept for r serve all larger radii.

Whether a feature is kept is decided by walking along the centers that would touch it, from both ends: a wall
point that is nearer than r to one of them is so to all of a known interval, which is left at once. In doubt
a feature is kept, which is never wrong.

The lines and arcs on which centers touch kept features are written into square cells. An empty cell knows
how many cells around it are empty, so that a motion jumps. Cells come in tiles; far from all walls there are
none. What lies together in the plane lies together in memory: cells in blocks of 4 x 4, a cache line each,
lists in the order of their cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ougi import _check
from ougi._native import device, each, loop, procedure, run
from ougi._typing import Floats, Ints
from ougi.corridor.contact import (
    AX,
    AY,
    CORNER,
    LENGTH,
    UX,
    UY,
    Wall,
    corner_time,
    earlier,
    edge_time,
    is_inside,
)
from ougi.corridor.lend import lent
from ougi.corridor.trees import STACK, Tree, longer, nearest_in_tree

# Cells along the side of a tile, as a power of two.
_TILE_BITS = 4
TILE = 1 << _TILE_BITS
CELLS = TILE * TILE
# Features that a thread writes into cells at a time.
_PART = 1 << 16
# Column of a record, that of rows of the wall which tells of corners: which feature it is.
FEATURE = CORNER
# Tiles in the directory; in larger worlds cells are wider than the radius.
_MOST_TILES = 1 << 22
# A circle that lacks no more than so many rounding bands and this share of its radius counts as fitting:
# that is more than circles lack after a bounce, and more than is accepted where they start.
_DOUBT, _LACK = 64.0, 2e-9
# Distances asked for one end of a feature before the rest is kept unasked.
_QUESTIONS = 32
# Cells are halved up to so often, while a feature shares its cell with more than so many on average.
_FINER = 2
_CROWDED = 16
# Added to cells where no circle fits: -1 ... -TILE are free ones.
BLOCKED = -1000


# Half the memory of other integers; cells are many.
Shorts: TypeAlias = npt.NDArray[np.int32]


class Grid(NamedTuple):
    """Kept features and the cells that their offsets pass through."""

    records: (
        Floats  # (kept, ROW): as rows of the wall, the feature in place of CORNER; a corner has length -1
    )
    tiles: Shorts  # (height, width): which tile, or -1 - (1 if no circle fits there)
    cells: Shorts  # (tiles * TILE * TILE): where its list is, or minus the cells to the next list
    lists: Shorts  # how many, and which records; one list after the other
    low_x: float
    low_y: float
    scale: float  # cells per length


# --- what a circle can touch -------------------------------------------------------------------------------


class Touchable(NamedTuple):
    """Features that a free circle can touch, and from where to where it does so.

    Spans are lengths along an edge, or angles from its normal at a corner: there the normal of the edge
    before is at a negative angle.
    """

    features: Ints
    spans: Floats  # (kept, 2)


def touchable(tree: Tree, wall: Wall, radius: float) -> Touchable:
    """Which features a free circle of a radius can touch."""
    spans = np.empty((2 * len(wall.rows), 2))
    run(mark, tree, wall, radius, spans, size=len(wall.rows))
    features = np.flatnonzero(spans[:, 0] <= spans[:, 1])
    return Touchable(features, spans[features])


@loop
def mark(tree: Tree, wall: Wall, radius: float, spans: Floats, start: int, stop: int) -> None:
    """Find the spans of the edges and corners of segments start..stop; an empty one leads from 1 to 0."""
    tree, wall = lent(tree), lent(wall)
    rows = wall.rows
    stack = np.empty((2, STACK))
    for i in range(start, stop):
        spans[2 * i, 0], spans[2 * i, 1] = _span(tree, wall, i, 0.0, rows[i, LENGTH], True, radius, stack)
        spans[2 * i + 1, 0], spans[2 * i + 1, 1] = 1.0, 0.0
        if rows[i, CORNER] != 0.0:
            j = wall.before[i]
            cosine = rows[i, UX] * rows[j, UX] + rows[i, UY] * rows[j, UY]
            sine = rows[j, UX] * rows[i, UY] - rows[j, UY] * rows[i, UX]
            turn = min(math.atan2(sine, cosine), 0.0)  # to the right
            low, high = _span(tree, wall, i, turn, 0.0, False, radius, stack)
            spans[2 * i + 1, 0], spans[2 * i + 1, 1] = low, high


@procedure
def _span(
    tree: Tree, wall: Wall, i: int, low: float, high: float, is_edge: bool, r: float, stack: Floats
) -> tuple[float, float]:
    """The part of `low` to `high` outside of which all centers are blocked; from 1 to 0 if all are."""
    first = _freed(tree, wall, i, low, high, is_edge, r, stack)
    if first > high:
        return 1.0, 0.0
    return first, min(max(first, _freed(tree, wall, i, high, first, is_edge, r, stack)), high)


@procedure
def _freed(
    tree: Tree, wall: Wall, i: int, s: float, end: float, is_edge: bool, r: float, stack: Floats
) -> float:
    """The first place on the way from s to `end` that may be free; infinite, of its sign, if none is.

    A center counts as blocked if it lacks more than the doubt; an interval that a wall point blocks is left
    by the same measure, so that the next question is asked a doubt's way on at least.
    """
    doubt = _DOUBT * wall.band + _LACK * r
    blocked, enough = r - doubt, r - 2.0 * doubt
    if enough <= 0.0:
        return s
    way = 1.0 if end >= s else -1.0
    unit = 1.0 if is_edge else r
    for _ in range(_QUESTIONS):
        x, y = _center(wall.rows, i, s, is_edge, r)
        sure = min(max(blocked - abs(end - s) * unit, 0.0), enough)  # a point so near blocks all that is left
        apart_sq, k, along = nearest_in_tree(tree, wall, x, y, enough * enough, sure * sure, stack)
        if k < 0:
            return s
        if apart_sq < sure * sure:
            return way * math.inf
        qx = wall.rows[k, AX] + along * wall.rows[k, UX]
        qy = wall.rows[k, AY] + along * wall.rows[k, UY]
        s = _beyond(wall.rows, i, qx, qy, s, way, is_edge, r, blocked)
        if (end - s) * way < 0.0:
            return way * math.inf
    return s


@device
def _center(rows: Floats, i: int, s: float, is_edge: bool, r: float) -> tuple[float, float]:
    """Where the center of a circle is that touches edge i at s, or its corner, s radians from its normal."""
    ux, uy = rows[i, UX], rows[i, UY]
    if is_edge:
        return rows[i, AX] + s * ux - r * uy, rows[i, AY] + s * uy + r * ux
    c, z = math.cos(s), -math.sin(s)
    return rows[i, AX] - r * (c * uy + z * ux), rows[i, AY] + r * (c * ux - z * uy)


@device
def _beyond(
    rows: Floats, i: int, qx: float, qy: float, s: float, way: float, is_edge: bool, r: float, blocked: float
) -> float:
    """Where centers that go on from s come as far as `blocked` from q, which is nearer to s than that."""
    ux, uy = rows[i, UX], rows[i, UY]
    wx, wy = qx - rows[i, AX], qy - rows[i, AY]
    along, off = wx * ux + wy * uy, ux * wy - uy * wx
    if is_edge:  # a chord of the circle around q
        end: float = along + way * math.sqrt(max(blocked * blocked - (off - r) ** 2, 0.0))
        return end
    # |center - q|^2 = r^2 + w^2 - 2 r w cos(angle between them): an arc of the circle around the corner.
    apart = math.sqrt(wx * wx + wy * wy)
    cosine = (r * r + apart * apart - blocked * blocked) / (2.0 * r * apart) if apart > 0.0 else 2.0
    middle = math.atan2(along, off)
    if middle > s + math.pi:
        middle -= 2.0 * math.pi
    elif middle < s - math.pi:
        middle += 2.0 * math.pi
    return middle + way * math.acos(min(max(cosine, -1.0), 1.0))


# --- the grid ----------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where cells are: a corner, how many for each length, how many in a row and in a column."""

    low_x: float
    low_y: float
    scale: float
    width: int
    height: int


def grid(tree: Tree, wall: Wall, kept: Touchable, smallest: float, largest: float) -> Grid:
    """Write the offsets of kept features, for radii from smallest to largest, into cells.

    Cells are as wide as the radius, or narrower where that leaves too many features in one.
    """
    records = wall.rows[kept.features >> 1]
    records[kept.features & 1 == 1, LENGTH] = -1.0
    records[:, FEATURE] = kept.features
    pad = 1e-6 * smallest + 8 * wall.band
    for finer in range(_FINER + 1):
        place = _place(wall, pad, smallest / (1 << finer))
        keys, owners = _spread(records, kept.spans, place, (smallest, largest, pad))
        tiles = _directory(keys, place.width // TILE, place.height // TILE)
        cells = _lines((int(tiles.max(initial=-1)) + 1) * CELLS)
        lists, crowding = file_lists(keys, owners, tiles.reshape(-1), cells)
        if crowding <= _CROWDED * len(keys):
            break
    measure(tiles, cells)
    made = Grid(
        _check.frozen(records), tiles, cells, _check.frozen(lists), place.low_x, place.low_y, place.scale
    )
    settle(tree, wall, made, largest)
    return made._replace(tiles=_check.frozen(tiles), cells=_check.frozen(cells))


def _place(wall: Wall, pad: float, cell: float) -> Place:
    """Cells over the whole wall; wider ones where there would be too many tiles."""
    start = wall.rows[:, :2]
    low, high = start.min(axis=0) - 2 * pad, start.max(axis=0) + 2 * pad
    cell = max(cell, float((high - low).max()) / (TILE * math.isqrt(_MOST_TILES)))
    count = np.maximum(np.ceil((high - low) / (cell * TILE)).astype(np.int64), 1)
    return Place(float(low[0]), float(low[1]), 1.0 / cell, int(count[0]) * TILE, int(count[1]) * TILE)


def _spread(
    records: Floats, spans: Floats, place: Place, reach: tuple[float, float, float]
) -> tuple[Ints, Ints]:
    """The cells that the offsets of features pass through, and whose offset it is; in parts, by threads."""
    edges = range(0, max(len(records), 1), _PART)
    parts = each(lambda k: spread(records, spans, place, reach, k, min(k + _PART, len(records))), edges)
    keys, owners = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(owners)


def _directory(keys: Ints, width: int, height: int) -> Shorts:
    """Numbers for the tiles with features and all around them; -1 for others."""
    used = np.zeros((height + 2, width + 2), np.bool_)
    hit = np.zeros(height * width, np.bool_)
    hit[keys >> (2 * _TILE_BITS)] = True
    for dy in range(3):
        for dx in range(3):
            used[dy : dy + height, dx : dx + width] |= hit.reshape(height, width)
    inner = used[1:-1, 1:-1]
    tiles = np.full((height, width), -1, np.int32)
    tiles[inner] = np.arange(int(inner.sum()))
    return tiles


def _lines(count: int) -> Shorts:
    """Empty cells that begin where a cache line does, so that a block of 4 x 4 is one."""
    room = np.full(count + 16, -TILE, np.int32)
    skip = -room.ctypes.data % 64 // room.itemsize
    return room[skip : skip + count]


@device
def _within(cx: int, cy: int) -> int:
    """Where a cell stands in its tile: blocks of 4 x 4 cells, row by row."""
    return ((cy & 12) << 4) + ((cx & 12) << 2) + ((cy & 3) << 2) + (cx & 3)


@loop
def spread(
    records: Floats,
    spans: Floats,
    place: Place,
    reach: tuple[float, float, float],
    start: int,
    stop: int,
) -> tuple[Ints, Ints]:
    """The cells that the offsets of features start..stop pass through, tile * CELLS + cell, and whose."""
    smallest, largest, pad = reach
    scale = place.scale
    cell = 1.0 / scale
    near = 0.5 * math.sqrt(2.0) * cell + pad  # how far a cell reaches from its middle
    keys, owners = np.empty(8 * (stop - start) + 64, np.int64), np.empty(8 * (stop - start) + 64, np.int64)
    count = 0
    for k in range(start, stop):
        ax, ay, ux, uy = records[k, AX], records[k, AY], records[k, UX], records[k, UY]
        low, high = spans[k, 0], spans[k, 1]
        is_edge = records[k, LENGTH] >= 0.0
        # Tangents where centers begin and end to touch a corner: the edge's direction, turned.
        bx, by = ux * math.cos(high) + uy * math.sin(high), uy * math.cos(high) - ux * math.sin(high)
        vx, vy = ux * math.cos(low) + uy * math.sin(low), uy * math.cos(low) - ux * math.sin(low)
        if is_edge:
            x0 = ax + min(low * ux, high * ux) + min(-smallest * uy, -largest * uy)
            x1 = ax + max(low * ux, high * ux) + max(-smallest * uy, -largest * uy)
            y0 = ay + min(low * uy, high * uy) + min(smallest * ux, largest * ux)
            y1 = ay + max(low * uy, high * uy) + max(smallest * ux, largest * ux)
        else:
            x0, x1, y0, y1 = ax - largest, ax + largest, ay - largest, ay + largest
        top = min(int((y1 + pad - place.low_y) * scale), place.height - 1)
        for cy in range(max(int((y0 - pad - place.low_y) * scale), 0), top + 1):
            wy = (cy + 0.5) * cell + place.low_y - ay
            left, right = x0 - pad, x1 + pad
            if is_edge and abs(uy) > 1e-3:  # only where the row meets the band along the edge
                a = (ux * wy - (smallest - near)) / uy
                b = (ux * wy - (largest + near)) / uy
                left, right = max(left, ax + min(a, b) - cell), min(right, ax + max(a, b) + cell)
            last = min(int((right - place.low_x) * scale), place.width - 1)
            for cx in range(max(int((left - place.low_x) * scale), 0), last + 1):
                wx = (cx + 0.5) * cell + place.low_x - ax
                off, along = ux * wy - uy * wx, ux * wx + uy * wy
                if is_edge:
                    meets = off >= smallest - near and off <= largest + near
                    meets = meets and along >= low - near and along <= high + near
                else:
                    apart = math.sqrt(wx * wx + wy * wy)
                    meets = apart >= smallest - near and apart <= largest + near
                    meets = meets and bx * wx + by * wy <= near and vx * wx + vy * wy >= -near
                if meets:
                    if count == len(keys):
                        keys, owners = longer(keys, count), longer(owners, count)
                    tile = (cy >> _TILE_BITS) * (place.width >> _TILE_BITS) + (cx >> _TILE_BITS)
                    keys[count], owners[count] = tile * CELLS + _within(cx, cy), k
                    count += 1
    return keys[:count].copy(), owners[:count].copy()


@loop
def file_lists(keys: Ints, owners: Ints, tiles: Shorts, cells: Shorts) -> tuple[Shorts, int]:
    """Gather the lists of all cells, in the order of the cells; and how crowded they are: sizes squared."""
    places = np.empty(len(keys), np.int64)
    sizes = np.zeros(len(cells), np.int32)
    for k in range(len(keys)):
        places[k] = tiles[keys[k] >> (2 * _TILE_BITS)] * CELLS + (keys[k] & (CELLS - 1))
        sizes[places[k]] += 1
    total, crowding = 0, 0
    for at in range(len(cells)):
        if sizes[at] > 0:
            crowding += sizes[at] * sizes[at]
            cells[at] = total
            total += sizes[at] + 1
    lists = np.empty(total, np.int32)
    for at in range(len(cells)):
        if sizes[at] > 0:
            lists[cells[at]] = 0
    for k in range(len(keys)):
        head = cells[places[k]]
        lists[head] += 1
        lists[head + lists[head]] = owners[k]
    return lists, crowding


@device
def _cell(tiles: Shorts, cx: int, cy: int) -> int:
    """Where a cell stands; -1 if its tile has none."""
    if cx < 0 or cy < 0:
        return -1
    ty, tx = cy >> _TILE_BITS, cx >> _TILE_BITS
    if ty >= tiles.shape[0] or tx >= tiles.shape[1] or tiles[ty, tx] < 0:
        return -1
    return int(tiles[ty, tx]) * CELLS + _within(cx, cy)


@loop
def measure(tiles: Shorts, cells: Shorts) -> None:
    """Count from every empty cell to the next list, at most TILE: down and up again, row by row."""
    height, width = tiles.shape[0] * TILE, tiles.shape[1] * TILE
    for way in range(2):
        before, here = np.full(width + 2, TILE), np.full(width + 2, TILE)
        for row in range(height):
            cy = row if way == 0 else height - 1 - row
            for part in range(tiles.shape[1]):
                tx = part if way == 0 else tiles.shape[1] - 1 - part
                tile = tiles[cy >> _TILE_BITS, tx]
                for column in range(TILE):
                    cx = tx * TILE + (column if way == 0 else TILE - 1 - column)
                    if tile < 0:
                        here[cx + 1] = TILE
                        continue
                    at = tile * CELLS + _within(cx, cy)
                    if cells[at] >= 0:
                        here[cx + 1] = 0
                        continue
                    beside = here[cx] if way == 0 else here[cx + 2]
                    nearest = min(min(before[cx], before[cx + 1]), min(before[cx + 2], beside)) + 1
                    here[cx + 1] = min(nearest, -cells[at])
                    cells[at] = -here[cx + 1]
            before, here = here, before


@loop
def settle(tree: Tree, wall: Wall, grid: Grid, radius: float) -> None:
    """Mark the empty cells and tiles where no circle fits: all of a connected region, or nothing of it."""
    tree, wall = lent(tree), lent(wall)
    stack = np.empty((2, STACK))
    tiles, cells = grid.tiles, grid.cells
    size = 1.0 / grid.scale
    for ty in range(tiles.shape[0]):
        for tx in range(tiles.shape[1]):
            if tiles[ty, tx] < 0:
                if tx > 0 and tiles[ty, tx - 1] < 0:
                    tiles[ty, tx] = tiles[ty, tx - 1]
                elif ty > 0 and tiles[ty - 1, tx] < 0:
                    tiles[ty, tx] = tiles[ty - 1, tx]
                else:
                    x, y = (tx + 0.5) * TILE * size + grid.low_x, (ty + 0.5) * TILE * size + grid.low_y
                    tiles[ty, tx] = -1 if _is_free(tree, wall, x, y, radius, stack) else -2
                continue
            base = tiles[ty, tx] * CELLS
            for row in range(TILE):
                for column in range(TILE):
                    here = base + _within(column, row)
                    if cells[here] >= 0:
                        continue
                    left, above = base + _within(column - 1, row), base + _within(column, row - 1)
                    if column > 0 and cells[left] < 0:
                        is_free = cells[left] > BLOCKED
                    elif row > 0 and cells[above] < 0:
                        is_free = cells[above] > BLOCKED
                    else:
                        cx, cy = tx * TILE + column, ty * TILE + row
                        x, y = (cx + 0.5) * size + grid.low_x, (cy + 0.5) * size + grid.low_y
                        is_free = _is_free(tree, wall, x, y, radius, stack)
                    if not is_free:
                        cells[here] += BLOCKED


@procedure
def _is_free(tree: Tree, wall: Wall, x: float, y: float, radius: float, stack: Floats) -> bool:
    apart_sq, i, along = nearest_in_tree(tree, wall, x, y, np.inf, -1.0, stack)
    return apart_sq >= radius * radius and is_inside(wall, i, along, x, y)


# --- motion ------------------------------------------------------------------------------------------------


@device
def _floor(x: float) -> int:
    """As math.floor, which on a GPU gives a float."""
    return int(math.floor(x))  # noqa: RUF046


@device
def first_in_reach(
    grid: Grid, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle: its center walks through the cells."""
    best, first, tests = 1.0, -1, 0
    x, y = (px - grid.low_x) * grid.scale, (py - grid.low_y) * grid.scale
    ex, ey = dx * grid.scale, dy * grid.scale
    slow_x = 1.0 / ex if ex != 0.0 else 0.0
    slow_y = 1.0 / ey if ey != 0.0 else 0.0
    cx, cy = _floor(x), _floor(y)
    height, width = grid.tiles.shape
    while cx >= 0 and cy >= 0:
        tx, ty = cx >> _TILE_BITS, cy >> _TILE_BITS
        if tx >= width or ty >= height:
            break
        tile = grid.tiles[np.uint64(ty), np.uint64(tx)]
        jump = TILE  # around a missing tile all is empty
        if tile >= 0:
            value = grid.cells[np.uint64(tile * CELLS + _within(cx, cy))]
            if value >= 0:
                jump = 1
                size = grid.lists[np.uint64(value)]
                tests += size
                for k in range(value + 1, value + 1 + size):
                    one = np.uint64(grid.lists[np.uint64(k)])
                    if grid.records[one, LENGTH] >= 0.0:
                        t = edge_time(grid.records, one, px, py, dx, dy, r, best)
                    else:
                        t = corner_time(grid.records, one, px, py, dx, dy, r)
                    if t <= best:
                        feature = int(grid.records[one, FEATURE])
                        if earlier(t, feature, best, first):
                            best, first = t, feature
            else:
                jump = -value if value > BLOCKED else BLOCKED - value
        # Leave the empty cells around this one; on the other axis never step back.
        out_x = ((cx + jump if ex > 0.0 else cx - jump + 1) - x) * slow_x if ex != 0.0 else 2.0
        out_y = ((cy + jump if ey > 0.0 else cy - jump + 1) - y) * slow_y if ey != 0.0 else 2.0
        if min(out_x, out_y) >= best:
            break
        if out_x <= out_y:
            cx = cx + jump if ex > 0.0 else cx - jump
            there = _floor(y + out_x * ey)
            cy = min(max(there, cy), cy + jump - 1) if ey > 0.0 else max(min(there, cy), cy - jump + 1)
        else:
            cy = cy + jump if ey > 0.0 else cy - jump
            there = _floor(x + out_y * ex)
            cx = min(max(there, cx), cx + jump - 1) if ex > 0.0 else max(min(there, cx), cx - jump + 1)
    return best, first, tests


@loop
def settled(grid: Grid, state: Floats, out: Ints, start: int, stop: int) -> None:
    """Circles start..stop: 1 where they surely fit, -1 where they surely do not, 0 where a wall is near."""
    for k in range(start, stop):
        cx = _floor((state[k, 0] - grid.low_x) * grid.scale)
        cy = _floor((state[k, 1] - grid.low_y) * grid.scale)
        out[k] = -1
        if 0 <= cx < grid.tiles.shape[1] * TILE and 0 <= cy < grid.tiles.shape[0] * TILE:
            at = _cell(grid.tiles, cx, cy)
            if at < 0:
                out[k] = 1 if grid.tiles[cy >> _TILE_BITS, cx >> _TILE_BITS] == -1 else -1
            else:
                out[k] = 0 if grid.cells[at] >= 0 else (1 if grid.cells[at] > BLOCKED else -1)
