"""The wall compiled for a radius: what a circle of that size can touch, in a grid of its centers.

A center that is free (no nearer than r to any wall) and moves cannot leave the free region without meeting
its border, and every border point is at distance r from a wall feature that a free circle touches there. So
all features that no free circle of radius r touches can be left out: first contacts stay the same, at any
speed. What a free circle of radius R > r touches, the circle of radius r inside it that touches the same
point touches, too: the features kept for r serve all larger radii.

Whether a feature is kept is decided by branch and bound over the centers that would touch it: the distance
from the wall changes no faster than the center moves, so an interval of half-length s is blocked if its
middle is nearer than r - s. In doubt a feature is kept, which is never wrong.

The lines and arcs on which centers touch kept features are written into square cells. An empty cell knows
how many cells around it are empty, so that a motion jumps. Cells come in tiles; far from all walls there are
none.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ougi import _check
from ougi._jit import device, loop, procedure, run
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
from ougi.corridor.trees import STACK, Tree, nearest_in_tree

# Cells along the side of a tile, as a power of two.
_TILE_BITS = 4
TILE = 1 << _TILE_BITS
# Tiles in the directory; in larger worlds cells are wider than the radius.
_MOST_TILES = 1 << 22
# A circle that lacks no more than so many rounding bands counts as one that fits: that is more than circles
# lack after a bounce.
_DOUBT = 64.0
# Distances asked for one end of a feature before the rest is kept unasked.
_QUESTIONS = 64
# Spans are found to this share of the radius.
_FINE = 1 / 4
# Cells are halved up to so often, while a feature shares its cell with more than so many on average.
_FINER = 2
_CROWDED = 16
# Added to cells where no circle fits: -1 ... -TILE are free ones.
BLOCKED = -1000


# Half the memory of other integers; cells are many.
Shorts: TypeAlias = npt.NDArray[np.int32]


class Grid(NamedTuple):
    """Kept features and the cells that their offsets pass through."""

    records: Floats  # (kept, ROW): as rows of the wall; a corner has length -1
    features: Ints
    tiles: Shorts  # (height, width): which tile, or -1 - (1 if no circle fits there)
    cells: Shorts  # (tiles * TILE * TILE): a list of features, or minus the cells to the next list
    starts: Shorts  # where lists begin
    lists: Shorts
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
    rows = wall.rows
    stack, todo = np.empty((2, STACK)), np.empty((2, _QUESTIONS + 2))
    for i in range(start, stop):
        _span(tree, wall, i, 0.0, rows[i, LENGTH], True, radius, spans[2 * i], stack, todo)
        spans[2 * i + 1, 0], spans[2 * i + 1, 1] = 1.0, 0.0
        if rows[i, CORNER] != 0.0:
            j = wall.before[i]
            cosine = rows[i, UX] * rows[j, UX] + rows[i, UY] * rows[j, UY]
            sine = rows[j, UX] * rows[i, UY] - rows[j, UY] * rows[i, UX]
            turn = min(math.atan2(sine, cosine), 0.0)  # to the right
            _span(tree, wall, i, turn, 0.0, False, radius, spans[2 * i + 1], stack, todo)


@procedure
def _span(
    tree: Tree,
    wall: Wall,
    i: int,
    low: float,
    high: float,
    is_edge: bool,
    r: float,
    span: Floats,
    stack: Floats,
    todo: Floats,
) -> None:
    """Write the part of `low` to `high` outside of which all centers are blocked."""
    span[0], span[1] = 1.0, 0.0
    first, found = _end(tree, wall, i, low, high, is_edge, r, True, stack, todo)
    if found:
        last, _ = _end(tree, wall, i, first, high, is_edge, r, False, stack, todo)
        span[0], span[1] = first, max(first, last)


@device
def _center(rows: Floats, i: int, s: float, is_edge: bool, r: float) -> tuple[float, float]:
    """Where the center of a circle is that touches edge i at s, or its corner, s radians from its normal."""
    ux, uy = rows[i, UX], rows[i, UY]
    if is_edge:
        return rows[i, AX] + s * ux - r * uy, rows[i, AY] + s * uy + r * ux
    c, z = math.cos(s), -math.sin(s)
    return rows[i, AX] - r * (c * uy + z * ux), rows[i, AY] + r * (c * ux - z * uy)


@procedure
def _end(
    tree: Tree,
    wall: Wall,
    i: int,
    low: float,
    high: float,
    is_edge: bool,
    r: float,
    from_low: bool,
    stack: Floats,
    todo: Floats,
) -> tuple[float, bool]:
    """The first place from one end that may be free; all before it is surely blocked."""
    doubt = _DOUBT * wall.band
    enough = r - doubt
    todo[0, 0], todo[1, 0] = low, high
    left = 1
    for _ in range(_QUESTIONS):
        left -= 1
        low, high = todo[0, left], todo[1, left]
        middle = 0.5 * (low + high)
        x, y = _center(wall.rows, i, middle, is_edge, r)
        half = 0.5 * (high - low) * (1.0 if is_edge else r)
        blocked = max(r - half - doubt, 0.0)
        apart_sq, _, _ = nearest_in_tree(tree, wall, x, y, r * r, blocked * blocked, stack)
        if apart_sq >= blocked * blocked:
            is_free = apart_sq >= enough * enough
            if half <= doubt or (is_free and half <= _FINE * r):
                return (low if from_low else high), True
            near = left + 1 if from_low else left  # the half at the end in question comes next
            far = left if from_low else left + 1
            todo[0, near], todo[1, near] = low, middle
            todo[0, far], todo[1, far] = middle, high
            left += 2
        if left == 0:
            return low, False
    left -= 1
    return (todo[0, left] if from_low else todo[1, left]), True


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
    records = wall.rows[kept.features >> 1].copy()
    records[kept.features & 1 == 1, LENGTH] = -1.0
    pad = 1e-6 * smallest + 8 * wall.band
    reach = (smallest, largest, pad)
    for finer in range(_FINER + 1):
        place = _place(wall, pad, smallest / (1 << finer))
        none = np.empty(0, np.int64)
        total = spread(records, kept.spans, place, reach, none, none)
        keys, owners = np.empty(total, np.int64), np.empty(total, np.int64)
        spread(records, kept.spans, place, reach, keys, owners)
        order = np.argsort(keys, kind="stable")
        keys, lists = keys[order], owners[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        sizes = np.diff(first, append=total)
        if (sizes * sizes).sum() <= _CROWDED * total:
            break
    occupied = keys[first]
    tiles = _directory(occupied, place.width // TILE, place.height // TILE)
    cells = np.full((int(tiles.max(initial=-1)) + 1) * TILE * TILE, -TILE, np.int32)
    fill(tiles, cells, occupied)
    made = Grid(
        _check.frozen(records),
        _check.frozen(kept.features),
        tiles,
        cells,
        _check.frozen(np.append(first, total).astype(np.int32)),
        _check.frozen(lists.astype(np.int32)),
        place.low_x,
        place.low_y,
        place.scale,
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


def _directory(occupied: Ints, width: int, height: int) -> Shorts:
    """Numbers for the tiles with features and all around them; -1 for others."""
    used = np.zeros((height + 2, width + 2), np.bool_)
    across = width * TILE
    ty, tx = occupied // across >> _TILE_BITS, occupied % across >> _TILE_BITS
    for dy in range(3):
        for dx in range(3):
            used[ty + dy, tx + dx] = True
    inner = used[1:-1, 1:-1]
    tiles = np.full((height, width), -1, np.int32)
    tiles[inner] = np.arange(int(inner.sum()))
    return tiles


@loop
def spread(
    records: Floats,
    spans: Floats,
    place: Place,
    reach: tuple[float, float, float],
    keys: Ints,
    owners: Ints,
) -> int:
    """The cells that the offsets of each feature pass through; counts on where there is no room."""
    smallest, largest, pad = reach
    scale = place.scale
    cell = 1.0 / scale
    near = 0.5 * math.sqrt(2.0) * cell + pad  # how far a cell reaches from its middle
    count = 0
    for k in range(len(records)):
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
                    if count < len(keys):
                        keys[count], owners[count] = cy * place.width + cx, k
                    count += 1
    return count


@device
def _cell(tiles: Shorts, cx: int, cy: int) -> int:
    """Where a cell stands; -1 if its tile has none."""
    if cx < 0 or cy < 0:
        return -1
    ty, tx = cy >> _TILE_BITS, cx >> _TILE_BITS
    if ty >= tiles.shape[0] or tx >= tiles.shape[1] or tiles[ty, tx] < 0:
        return -1
    return int((tiles[ty, tx] << (2 * _TILE_BITS)) + ((cy & (TILE - 1)) << _TILE_BITS) + (cx & (TILE - 1)))


@loop
def fill(tiles: Shorts, cells: Shorts, occupied: Ints) -> None:
    """Number the lists, and count from every other cell to the next list: two passes over all cells."""
    width = tiles.shape[1] * TILE
    height = tiles.shape[0] * TILE
    for k in range(len(occupied)):
        cells[_cell(tiles, occupied[k] % width, occupied[k] // width)] = k
    for way in range(2):
        step = -1 if way == 0 else 1
        for row in range(height):
            cy = row if way == 0 else height - 1 - row
            for part in range(tiles.shape[1]):
                tx = part if way == 0 else tiles.shape[1] - 1 - part
                if tiles[cy >> _TILE_BITS, tx] < 0:
                    continue
                for column in range(TILE):
                    cx = tx * TILE + (column if way == 0 else TILE - 1 - column)
                    here = _cell(tiles, cx, cy)
                    if cells[here] >= 0:
                        continue
                    nearest = -cells[here]
                    for dx, dy in ((step, 0), (-1, step), (0, step), (1, step)):
                        there = _cell(tiles, cx + dx, cy + dy)
                        if there >= 0:
                            nearest = min(nearest, 1 if cells[there] >= 0 else 1 - cells[there])
                    cells[here] = -nearest


@loop
def settle(tree: Tree, wall: Wall, grid: Grid, radius: float) -> None:
    """Mark the empty cells and tiles where no circle fits: all of a connected region, or nothing of it."""
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
            for row in range(TILE):
                for column in range(TILE):
                    cx, cy = tx * TILE + column, ty * TILE + row
                    here = _cell(tiles, cx, cy)
                    if cells[here] >= 0:
                        continue
                    if column > 0 and cells[here - 1] < 0:
                        is_free = cells[here - 1] > BLOCKED
                    elif row > 0 and cells[here - TILE] < 0:
                        is_free = cells[here - TILE] > BLOCKED
                    else:
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
            at = (tile << (2 * _TILE_BITS)) + ((cy & (TILE - 1)) << _TILE_BITS) + (cx & (TILE - 1))
            value = grid.cells[np.uint64(at)]
            if value >= 0:
                jump = 1
                last = grid.starts[np.uint64(value + 1)]
                for k in range(grid.starts[np.uint64(value)], last):
                    one = np.uint64(grid.lists[np.uint64(k)])
                    tests += 1
                    if grid.records[one, LENGTH] >= 0.0:
                        t = edge_time(grid.records, one, px, py, dx, dy, r, wall.band, best)
                    else:
                        t = corner_time(grid.records, one, px, py, dx, dy, r)
                    if t <= best and earlier(t, grid.features[one], best, first):
                        best, first = t, grid.features[one]
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
