"""A wall compiled for a radius: the features that circles can touch, in a grid of the circles' centers.

The lines and arcs on which centers touch these features (their offsets) are written into square cells. An
empty cell knows how many cells around it are empty, so that a motion can jump. Cells come in tiles. Far from
all walls there are no tiles. Neighbours in the plane are neighbours in memory: cells lie in blocks of 4 x 4,
a cache line each, and lists in the order of their cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ougi import _check
from ougi._native import device, each, loop, procedure
from ougi._typing import Floats, Ints
from ougi.corridor.contact import AX, AY, CORNER, LENGTH, START, UX, UY, Wall, is_inside
from ougi.corridor.touchable import Touchable
from ougi.corridor.trees import STACK, SegmentTree, extend_array, find_nearest

# Cells along the side of a tile, as a power of two.
TILE_BITS = 4
TILE = 1 << TILE_BITS
CELLS = TILE * TILE
# Features that a thread writes into cells at a time.
_PART = 1 << 16
# The feature of a record. Its column is that of CORNER in a row of the wall.
RECORD_FEATURE = CORNER
# Tiles in the directory. In larger worlds cells are wider than the radius.
_MAX_TILES = 1 << 22
# Entries of features in cells. For radii that differ much, cells are wider than the smallest radius.
_MAX_ENTRIES = 1 << 24
# Cells are halved up to so often, while a feature shares its cell with more than so many on average.
_MAX_HALVINGS = 2
_MAX_SHARED = 16
# Added to cells where no circle fits. Cells that are free and empty have the values -1 ... -TILE.
BLOCKED = -1000
# Tiles without cells: free, or blocked.
FREE_TILE, BLOCKED_TILE = -1, -2

# Half the memory of other integers, because cells are many.
Shorts: TypeAlias = npt.NDArray[np.int32]


class Grid(NamedTuple):
    """Touchable features and the cells that their offsets pass through."""

    records: Floats  # as rows of the wall, with RECORD_FEATURE; a corner has length -1
    tiles: Shorts  # (height, width): the number of a tile, FREE_TILE or BLOCKED_TILE
    cells: (
        Shorts  # (tiles * CELLS): the start of the cell's list, or minus the number of cells to the next list
    )
    lists: Shorts  # how many, and which records; one list after the other
    low_x: float
    low_y: float
    scale: float  # cells per length


class Raster(NamedTuple):
    """Where cells are: their lower corner, how many for each length, how many in a row and in a column."""

    low_x: float
    low_y: float
    scale: float
    width: int
    height: int


class Radii(NamedTuple):
    """The smallest and the largest radius of circles, and by how much offsets are thicker than computed."""

    smallest: float
    largest: float
    pad: float


def build_grid(tree: SegmentTree, wall: Wall, touchable: Touchable, smallest: float, largest: float) -> Grid:
    """Write the offsets of touchable features, for radii from smallest to largest, into cells.

    Cells are as wide as the radius, or narrower where that leaves too many features in one.
    """
    records = wall.rows[touchable.features >> 1]
    records[touchable.features & 1 == 1, LENGTH] = -1.0
    records[:, RECORD_FEATURE] = touchable.features
    radii = Radii(smallest, largest, 1e-6 * smallest + 8 * wall.band)
    for halvings in range(_MAX_HALVINGS + 1):
        raster = _choose_raster(wall, radii, smallest / (1 << halvings))
        keys, owners = _rasterize(records, touchable.spans, raster, radii)
        tiles = _number_tiles(keys, raster.width // TILE, raster.height // TILE)
        cells = _allocate_cells((int(tiles.max(initial=-1)) + 1) * CELLS)
        lists, shared = fill_lists(keys, owners, tiles.reshape(-1), cells)
        if shared <= _MAX_SHARED * len(keys):
            break
    measure_empty_cells(tiles, cells)
    place = raster.low_x, raster.low_y, raster.scale
    grid = Grid(_check.frozen(records), tiles, cells, _check.frozen(lists), *place)
    mark_blocked_cells(tree, wall, grid, largest)
    return grid._replace(tiles=_check.frozen(tiles), cells=_check.frozen(cells))


def _choose_raster(wall: Wall, radii: Radii, cell: float) -> Raster:
    """Cells over the whole wall; wider ones where there would be too many tiles or entries."""
    start = wall.rows[:, START]
    low, high = start.min(axis=0) - 2 * radii.pad, start.max(axis=0) + 2 * radii.pad
    # Between the smallest and the largest radius, offsets are bands beside each segment and around its end.
    band = radii.largest - radii.smallest
    area = band * float(np.sum(np.abs(wall.rows[:, LENGTH]) + math.pi * (radii.largest + radii.smallest)))
    widest = max(float((high - low).max()) / (TILE * math.isqrt(_MAX_TILES)), math.sqrt(area / _MAX_ENTRIES))
    cell = max(cell, widest)
    count = np.maximum(np.ceil((high - low) / (cell * TILE)).astype(np.int64), 1)
    return Raster(float(low[0]), float(low[1]), 1.0 / cell, int(count[0]) * TILE, int(count[1]) * TILE)


def _rasterize(records: Floats, spans: Floats, raster: Raster, radii: Radii) -> tuple[Ints, Ints]:
    """The cells that the offsets of features pass through, and the owner of each; in parts, by threads."""
    edges = range(0, max(len(records), 1), _PART)
    parts = each(
        lambda k: rasterize_offsets(records, spans, raster, radii, k, min(k + _PART, len(records))), edges
    )
    keys, owners = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(owners)


def _number_tiles(keys: Ints, width: int, height: int) -> Shorts:
    """Numbers for the tiles with features and all around them; FREE_TILE for others."""
    used = np.zeros((height + 2, width + 2), np.bool_)
    hit = np.zeros(height * width, np.bool_)
    hit[keys >> (2 * TILE_BITS)] = True
    for dy in range(3):
        for dx in range(3):
            used[dy : dy + height, dx : dx + width] |= hit.reshape(height, width)
    inner = used[1:-1, 1:-1]
    tiles = np.full((height, width), FREE_TILE, np.int32)
    tiles[inner] = np.arange(int(inner.sum()))
    return tiles


def _allocate_cells(count: int) -> Shorts:
    """Empty cells, aligned to cache lines, so that a block of 4 x 4 is one of them."""
    buffer = np.full(count + 16, -TILE, np.int32)
    skip = -buffer.ctypes.data % 64 // buffer.itemsize
    return buffer[skip : skip + count]


@device
def index_in_tile(cx: int, cy: int) -> int:
    """The place of a cell in its tile: blocks of 4 x 4 cells, row by row."""
    return ((cy & 12) << 4) + ((cx & 12) << 2) + ((cy & 3) << 2) + (cx & 3)


# --- offsets ----------------------------------------------------------------------------------------------


class Offset(NamedTuple):
    """The centers of circles that touch one feature: a band along an edge, or a part of a ring."""

    ax: float
    ay: float
    ux: float
    uy: float
    low: float  # the span: lengths of an edge, angles of a corner
    high: float
    is_edge: bool


@device
def _load_offset(records: Floats, spans: Floats, k: int) -> Offset:
    ax, ay, ux, uy = records[k, AX], records[k, AY], records[k, UX], records[k, UY]
    return Offset(ax, ay, ux, uy, spans[k, 0], spans[k, 1], records[k, LENGTH] >= 0.0)


@device
def _offset_bounds(offset: Offset, radii: Radii) -> tuple[float, float, float, float]:
    """The lowest and highest x, and the lowest and highest y."""
    ax, ay, ux, uy, low, high, is_edge = offset
    r, big, pad = radii
    if is_edge:
        return (
            ax + min(low * ux, high * ux) + min(-r * uy, -big * uy) - pad,
            ax + max(low * ux, high * ux) + max(-r * uy, -big * uy) + pad,
            ay + min(low * uy, high * uy) + min(r * ux, big * ux) - pad,
            ay + max(low * uy, high * uy) + max(r * ux, big * ux) + pad,
        )
    return ax - big - pad, ax + big + pad, ay - big - pad, ay + big + pad


@device
def _turn_back(ux: float, uy: float, angle: float) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    return ux * c + uy * s, uy * c - ux * s


@loop
def rasterize_offsets(
    records: Floats, spans: Floats, raster: Raster, radii: Radii, start: int, stop: int
) -> tuple[Ints, Ints]:
    """The cells (tile * CELLS + cell) that the offsets of features start..stop pass, and their owners."""
    smallest, largest, pad = radii
    scale = raster.scale
    cell = 1.0 / scale
    near = 0.5 * math.sqrt(2.0) * cell + pad  # how far a cell reaches from its middle
    inner, outer = smallest - near, largest + near
    keys, owners = np.empty(8 * (stop - start) + 64, np.int64), np.empty(8 * (stop - start) + 64, np.int64)
    count = 0
    for k in range(start, stop):
        offset = _load_offset(records, spans, k)
        ax, ay, ux, uy, low, high, is_edge = offset
        # Tangents where centers begin and end to touch a corner: the edge's direction, turned.
        bx, by = _turn_back(ux, uy, high)
        vx, vy = _turn_back(ux, uy, low)
        x0, x1, y0, y1 = _offset_bounds(offset, radii)
        top = min(int((y1 - raster.low_y) * scale), raster.height - 1)
        for cy in range(max(int((y0 - raster.low_y) * scale), 0), top + 1):
            wy = (cy + 0.5) * cell + raster.low_y - ay
            left, right = x0, x1
            if is_edge and abs(uy) > 1e-3:  # only where the row meets the band along the edge
                a, b = (ux * wy - inner) / uy, (ux * wy - outer) / uy
                left, right = max(left, ax + min(a, b) - cell), min(right, ax + max(a, b) + cell)
            last = min(int((right - raster.low_x) * scale), raster.width - 1)
            for cx in range(max(int((left - raster.low_x) * scale), 0), last + 1):
                wx = (cx + 0.5) * cell + raster.low_x - ax
                if is_edge:
                    off, along = ux * wy - uy * wx, ux * wx + uy * wy
                    meets = inner <= off <= outer and low - near <= along <= high + near
                else:
                    distance = math.sqrt(wx * wx + wy * wy)
                    meets = inner <= distance <= outer
                    meets = meets and bx * wx + by * wy <= near and vx * wx + vy * wy >= -near
                if not meets:
                    continue
                if count == len(keys):
                    keys, owners = extend_array(keys, count), extend_array(owners, count)
                tile = (cy >> TILE_BITS) * (raster.width >> TILE_BITS) + (cx >> TILE_BITS)
                keys[count], owners[count] = tile * CELLS + index_in_tile(cx, cy), k
                count += 1
    return keys[:count].copy(), owners[:count].copy()


@loop
def fill_lists(keys: Ints, owners: Ints, tiles: Shorts, cells: Shorts) -> tuple[Shorts, int]:
    """Gather the lists of all cells, in the order of the cells, and add up the squares of their lengths."""
    places = np.empty(len(keys), np.int64)
    sizes = np.zeros(len(cells), np.int32)
    for k in range(len(keys)):
        places[k] = tiles[keys[k] >> (2 * TILE_BITS)] * CELLS + (keys[k] & (CELLS - 1))
        sizes[places[k]] += 1
    total, shared = 0, 0
    for at in range(len(cells)):
        if sizes[at] > 0:
            shared += sizes[at] * sizes[at]
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
    return lists, shared


# --- empty cells ------------------------------------------------------------------------------------------


@loop
def measure_empty_cells(tiles: Shorts, cells: Shorts) -> None:
    """Count from every empty cell to the next list, at most TILE: upward and downward, row by row."""
    height, width = tiles.shape[0] * TILE, tiles.shape[1] * TILE
    for downward in range(2):
        before, here = np.full(width + 2, TILE), np.full(width + 2, TILE)
        for row in range(height):
            cy = row if downward == 0 else height - 1 - row
            for part in range(tiles.shape[1]):
                tx = part if downward == 0 else tiles.shape[1] - 1 - part
                tile = tiles[cy >> TILE_BITS, tx]
                for column in range(TILE):
                    cx = tx * TILE + (column if downward == 0 else TILE - 1 - column)
                    if tile < 0:
                        here[cx + 1] = TILE
                        continue
                    at = tile * CELLS + index_in_tile(cx, cy)
                    if cells[at] >= 0:
                        here[cx + 1] = 0
                        continue
                    beside = here[cx] if downward == 0 else here[cx + 2]
                    nearest = min(min(before[cx], before[cx + 1]), min(before[cx + 2], beside)) + 1
                    here[cx + 1] = min(nearest, -cells[at])
                    cells[at] = -here[cx + 1]
            before, here = here, before


@loop
def mark_blocked_cells(tree: SegmentTree, wall: Wall, grid: Grid, radius: float) -> None:
    """Mark the empty cells and tiles where no circle fits: all of a connected region, or nothing of it."""
    stack = np.empty((2, STACK))
    tiles = grid.tiles
    size = TILE / grid.scale
    for ty in range(tiles.shape[0]):
        for tx in range(tiles.shape[1]):
            if tiles[ty, tx] >= 0:
                _mark_blocked_in_tile(tree, wall, grid, radius, tx, ty, stack)
            elif tx > 0 and tiles[ty, tx - 1] < 0:
                tiles[ty, tx] = tiles[ty, tx - 1]
            elif ty > 0 and tiles[ty - 1, tx] < 0:
                tiles[ty, tx] = tiles[ty - 1, tx]
            else:
                x, y = (tx + 0.5) * size + grid.low_x, (ty + 0.5) * size + grid.low_y
                tiles[ty, tx] = FREE_TILE if _is_free(tree, wall, x, y, radius, stack) else BLOCKED_TILE


@procedure
def _mark_blocked_in_tile(
    tree: SegmentTree, wall: Wall, grid: Grid, radius: float, tx: int, ty: int, stack: Floats
) -> None:
    cells, size = grid.cells, 1.0 / grid.scale
    base = grid.tiles[ty, tx] * CELLS
    for row in range(TILE):
        for column in range(TILE):
            here = base + index_in_tile(column, row)
            if cells[here] >= 0:
                continue
            left, above = base + index_in_tile(column - 1, row), base + index_in_tile(column, row - 1)
            if column > 0 and cells[left] < 0:
                is_free = cells[left] > BLOCKED
            elif row > 0 and cells[above] < 0:
                is_free = cells[above] > BLOCKED
            else:
                x = (tx * TILE + column + 0.5) * size + grid.low_x
                y = (ty * TILE + row + 0.5) * size + grid.low_y
                is_free = _is_free(tree, wall, x, y, radius, stack)
            if not is_free:
                cells[here] += BLOCKED


@procedure
def _is_free(tree: SegmentTree, wall: Wall, x: float, y: float, radius: float, stack: Floats) -> bool:
    distance_sq, i, along = find_nearest(tree, wall, x, y, np.inf, -1.0, stack)
    return distance_sq >= radius * radius and is_inside(wall, i, along, x, y)
