"""Counts the lattice points of FAN sec. 3.1 in everything that claims to be a box's sweep.

The lattice is a cube of side 100 about the origin, a point in the middle of each of its cells (a million for
100 cells per axis, from -49.5 to 49.5). A set of points is a bitmap: two words for each row parallel to x.

* The reference (detailed DCCD): the box at k/100 of the turn, k = 1..100. A row meets a box in one interval,
  which is clipped against its three slabs. Nothing here is shared with `ougi.sweep`.
* The exact sweep and the sectors: ougi's own point tests, at every point of a hollow cylinder around
  them.
* Axis-aligned boxes: ranges of indices, in closed form.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ougi._native import device, loop, procedure
from ougi._typing import Bools, Floats
from ougi.kernels.boxturn_point3d import intersects_boxturn_point3d
from ougi.kernels.load import load_boxturn, load_sector3d
from ougi.kernels.published.fan import contains_sector3d_point
from ougi.kernels.records import BoxTurn, Sector3d, Vec3
from ougi.sweeps import sweep
from ougi_lab.lattice.readings import READINGS, BoxBounds, build_boxes
from ougi_lab.scenes.fan_motions import FanMotions

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

SIDE = 100.0  # of the cube
CELLS = 100  # per axis, as in FAN
STEPS = 100  # poses of the reference

POSES, EXACT, SECTOR, ENCLOSING, BALANCED = (
    "100 poses",
    "exact",
    "sector",
    "sector-enclosing",
    "sector-balanced",
)
BITMAPS = (POSES, EXACT, SECTOR, ENCLOSING, BALANCED)
# The sets that are counted, in the order of the counts.
METHODS = (*BITMAPS, *READINGS)
_WORDS = 2  # of a row
_BITS = 64  # of a word

# Share of a length by which candidates reach too far. The tests decide, not the candidates.
_SLACK = 1e-9

# BELOW[i] has the bits 0..i-1 set.
BELOW = np.array(
    [[((1 << i) - 1 >> _BITS * w) % (1 << _BITS) for w in range(_WORDS)] for i in range(_WORDS * _BITS + 1)],
    dtype=np.uint64,
)


class Counts(NamedTuple):
    """Lattice points of n motions.

    Attributes
    ----------
    sets
        (n, methods, 3): points in the set, of them also in the 100 poses, of them also in the exact sweep.
    groups
        (n, 7): FAN's groups A..G of the 100 poses, S-CCD as the text has it, and the sector.
    """

    sets: Ints
    groups: Ints


def count_points(motions: FanMotions, cells: int = CELLS, steps: int = STEPS) -> Counts:
    """Count for each motion.

    >>> from ougi_lab.lattice.count import METHODS, count_points
    >>> from ougi_lab.scenes.fan_motions import draw_fan_motions
    >>> found = count_points(draw_fan_motions(0, range(3), [0] * 3), cells=20)
    >>> found.sets.shape == (3, len(METHODS), 3), found.groups.shape
    (True, (3, 7))
    """
    return _count_motions(motions, cells, steps)[0]


def find_members(motions: FanMotions, cells: int = CELLS, steps: int = STEPS) -> tuple[Floats, Bools]:
    """Return the coordinates (cells,) of the lattice and, for one motion, the points in the sets METHODS.

    The second is (methods, cells, cells, cells), indexed by x, y and z.
    """
    if len(motions) != 1:
        raise ValueError(f"motions must be a single one, got {len(motions)}")
    bits = _count_motions(motions, cells, steps)[1]
    octets = bits.astype("<u8").view(np.uint8).reshape(len(BITMAPS), cells, cells, -1)
    rows = np.unpackbits(octets, axis=-1, bitorder="little")[..., :cells]  # set, y, z, x
    found = [*np.moveaxis(rows, 3, 1).astype(bool)]
    for first, last in _find_index_ranges(build_boxes(motions), cells)[0]:
        index = np.arange(cells)[:, None]
        x, y, z = ((first <= index) & (index <= last)).T
        found.append(x[:, None, None] & y[:, None] & z)
    return lattice_coordinates(cells), np.stack(found)


def lattice_coordinates(cells: int) -> Floats:
    """Return the coordinates of the lattice along each axis."""
    return np.asarray((np.arange(cells) + 0.5) * (SIDE / cells) - SIDE / 2, np.float64)


class MotionColumns(NamedTuple):
    """What the loops read about n motions: their numbers, sweeps, sectors and boxes."""

    columns: Floats
    turns: Floats
    fans: Floats
    ranges: Ints


def lay_out_motions(motions: FanMotions, cells: int) -> MotionColumns:
    """Lay motions out for a loop over them."""
    if not 1 <= cells <= _WORDS * _BITS:
        raise ValueError(f"cells must lie in 1..{_WORDS * _BITS}, got {cells}")
    box, turn = motions.box(), motions.motion()
    fans = [sweep(box, turn, method) for method in ("sector", "sector-enclosing", "sector-balanced")]
    columns = np.concatenate(
        [motions.axis.T, motions.radial.T, motions.angle[None], motions.lever[None], motions.size.T]
    )
    return MotionColumns(
        np.ascontiguousarray(columns),
        sweep(box, turn).columns().copy(),
        np.stack([fan.columns() for fan in fans]),
        _find_index_ranges(build_boxes(motions), cells),
    )


def _count_motions(motions: FanMotions, cells: int, steps: int) -> tuple[Counts, Words]:
    n = len(motions)
    ready = lay_out_motions(motions, cells)
    bits = np.zeros((len(BITMAPS), cells * cells, _WORDS), np.uint64)
    counts = Counts(np.zeros((n, len(METHODS), 3), np.int64), np.zeros((n, 7), np.int64))
    _count_fan_lattice(*ready, BELOW, bits, *counts, cells, steps)
    return counts, bits


def _find_index_ranges(readings: list[BoxBounds], cells: int) -> Ints:
    """First and last index of the points in the boxes: (n, readings, 2, 3)."""
    step, first = SIDE / cells, lattice_coordinates(cells)[0]
    low = np.ceil((np.stack([box.lower for box in readings], axis=1) - first) / step)
    high = np.floor((np.stack([box.upper for box in readings], axis=1) - first) / step)
    return np.stack([np.clip(low, 0, cells), np.clip(high, -1, cells - 1)], axis=2).astype(np.int64)


# --- compiled -------------------------------------------------------------------------------------------


@loop
def _count_fan_lattice(
    columns: Floats,
    turns: Floats,
    fans: Floats,
    ranges: Ints,
    below: Words,
    bits: Words,
    sets: Ints,
    groups: Ints,
    cells: int,
    steps: int,
) -> None:
    """All motions, one after the other; `bits` holds the bitmaps of the last one."""
    reach = np.empty((2, 3), np.int64)
    for i in range(columns.shape[1]):
        bits[:] = np.uint64(0)
        _mark_poses(columns, i, below, bits[0], cells, steps)
        find_reach(columns, fans, i, cells, reach)
        _mark_points(columns, turns, fans, i, reach, bits, cells)
        for m in range(bits.shape[0]):
            _count_bitmap(bits, m, sets[i, m])
        for m in range(ranges.shape[1]):
            _count_box(bits, ranges[i, m], reach, below, sets[i], bits.shape[0] + m, cells)
        _count_groups(bits, ranges[i, 0], below, sets[i], groups[i], cells)


@device
def _first_index(x: float, cells: int) -> int:
    """Of the points at x or beyond it. (In CUDA ceil and floor are floats.)"""
    return max(0, int(math.ceil((x + 0.5 * SIDE) * (cells / SIDE) - 0.5)))  # noqa: RUF046


@device
def _last_index(x: float, cells: int) -> int:
    """Of the points before x or at it."""
    return min(cells - 1, int(math.floor((x + 0.5 * SIDE) * (cells / SIDE) - 0.5)))  # noqa: RUF046


@device
def coordinate_at(index: int, cells: int) -> float:
    return (index + 0.5) * (SIDE / cells) - 0.5 * SIDE


@device
def _invert(x: float) -> float:
    """A row parallel to a slab meets all or nothing of it: its ends are very far away."""
    return 1.0 / x if abs(x) > 1e-300 else 1e300


class RowPose(NamedTuple):
    """The box with axes a, b, c around lever * b, and what a row along x needs of it."""

    a: Vec3
    b: Vec3
    c: Vec3
    lever: float
    over: Vec3  # 1 over the axes' components along x
    wide: Vec3  # half the length of a row in each slab


@device
def load_pose(columns: Floats, i: int, k: int, steps: int) -> RowPose:
    """The box at angle k/steps of the turn."""
    c = Vec3(columns[0, i], columns[1, i], columns[2, i])
    out = Vec3(columns[3, i], columns[4, i], columns[5, i])
    side = Vec3(c.y * out.z - c.z * out.y, c.z * out.x - c.x * out.z, c.x * out.y - c.y * out.x)
    cos, sin = math.cos(columns[6, i] * k / steps), math.sin(columns[6, i] * k / steps)
    a = Vec3(cos * side.x - sin * out.x, cos * side.y - sin * out.y, cos * side.z - sin * out.z)
    b = Vec3(cos * out.x + sin * side.x, cos * out.y + sin * side.y, cos * out.z + sin * side.z)
    over = Vec3(_invert(a.x), _invert(b.x), _invert(c.x))
    half = load_half_size(columns, i)
    return RowPose(
        a, b, c, columns[7, i], over, Vec3(half.x * abs(over.x), half.y * abs(over.y), half.z * abs(over.z))
    )


@device
def load_half_size(columns: Floats, i: int) -> Vec3:
    return Vec3(0.5 * columns[8, i], 0.5 * columns[9, i], 0.5 * columns[10, i])


@device
def clip_row_to_pose(p: RowPose, y: float, z: float, cells: int) -> tuple[int, int]:
    """First and last point of a row in the box: |a.p|, |b.p - lever| and |c.p| at most the half sizes."""
    # Where the row crosses the middle plane of each slab.
    in_a = -(p.a.y * y + p.a.z * z) * p.over.x
    in_b = (p.lever - p.b.y * y - p.b.z * z) * p.over.y
    in_c = -(p.c.y * y + p.c.z * z) * p.over.z
    low = max(max(in_a - p.wide.x, in_b - p.wide.y), max(in_c - p.wide.z, -SIDE))
    high = min(min(in_a + p.wide.x, in_b + p.wide.y), min(in_c + p.wide.z, SIDE))
    if low > high:
        return 1, 0
    return _first_index(low, cells), _last_index(high, cells)


@procedure
def _mark_poses(columns: Floats, i: int, below: Words, rows: Words, cells: int, steps: int) -> None:
    """The box at angle k/steps of the turn, k = 1..steps: without the start, with the end."""
    for k in range(1, steps + 1):
        _mark_pose(load_pose(columns, i, k, steps), load_half_size(columns, i), below, rows, cells)


@device
def _mark_pose(p: RowPose, half: Vec3, below: Words, rows: Words, cells: int) -> None:
    reach_y = half.x * abs(p.a.y) + half.y * abs(p.b.y) + half.z * abs(p.c.y)
    reach_z = half.x * abs(p.a.z) + half.y * abs(p.b.z) + half.z * abs(p.c.z)
    middle_y, middle_z = p.lever * p.b.y, p.lever * p.b.z
    first_z, last_z = _first_index(middle_z - reach_z, cells), _last_index(middle_z + reach_z, cells)
    for j in range(_first_index(middle_y - reach_y, cells), _last_index(middle_y + reach_y, cells) + 1):
        y = coordinate_at(j, cells)
        for k in range(first_z, last_z + 1):
            first, last = clip_row_to_pose(p, y, coordinate_at(k, cells), cells)
            if first <= last:
                row = j * cells + k
                rows[row, 0] |= below[last + 1, 0] ^ below[first, 0]
                rows[row, 1] |= below[last + 1, 1] ^ below[first, 1]


@device
def _find_outer_radius(columns: Floats, fans: Floats, i: int) -> float:
    """Of a cylinder around the exact sweep and all sectors, with some slack."""
    corner = math.hypot(columns[7, i] + 0.5 * columns[9, i], 0.5 * columns[8, i])
    for m in range(fans.shape[0]):
        corner = max(corner, fans[m, 15, i])
    return corner * (1.0 + _SLACK)


@procedure
def find_reach(columns: Floats, fans: Floats, i: int, cells: int, reach: Ints) -> None:
    """First and last index, per axis, of the points that any bitmap can hold."""
    outer, height = _find_outer_radius(columns, fans, i), 0.5 * columns[10, i] * (1.0 + _SLACK) + _SLACK
    for axis in range(3):
        u = columns[axis, i]
        far = outer * math.sqrt(max(0.0, 1.0 - u * u)) + height * abs(u) + _SLACK * SIDE
        reach[0, axis], reach[1, axis] = _first_index(-far, cells), _last_index(far, cells)


class Swept(NamedTuple):
    """What points are tested against: the exact sweep, three sectors, and a hollow cylinder around them."""

    turn: BoxTurn
    fan: Sector3d
    enclosing: Sector3d
    balanced: Sector3d
    axis: Vec3
    inner_sq: float
    outer: float
    height: float


@device
def load_swept(columns: Floats, turns: Floats, fans: Floats, i: int) -> Swept:
    inner = max(0.0, (columns[7, i] - 0.5 * columns[9, i]) * (1.0 - _SLACK) - _SLACK)
    return Swept(
        load_boxturn(turns, i),
        load_sector3d(fans[0], i),
        load_sector3d(fans[1], i),
        load_sector3d(fans[2], i),
        Vec3(columns[0, i], columns[1, i], columns[2, i]),
        inner * inner,
        _find_outer_radius(columns, fans, i),
        0.5 * columns[10, i] * (1.0 + _SLACK) + _SLACK,
    )


@device
def clip_row_to_cylinder(s: Swept, y: float, z: float, cells: int) -> tuple[int, int]:
    """First and last point of a row that may lie in the cylinder."""
    u = s.axis
    over = _invert(u.x)
    # Along a row the squared distance from the axis is square x^2 + 2 linear x + constant.
    square = max(0.0, 1.0 - u.x * u.x)
    lift = u.y * y + u.z * z
    linear, constant = -u.x * lift, y * y + z * z - lift * lift
    low = max(-lift * over - s.height * abs(over), -SIDE)
    high = min(-lift * over + s.height * abs(over), SIDE)
    if square > _SLACK:
        rest = linear * linear - square * (constant - s.outer * s.outer)
        if rest < 0.0:
            return 1, 0
        low = max(low, (-linear - math.sqrt(rest)) / square - _SLACK * SIDE)
        high = min(high, (-linear + math.sqrt(rest)) / square + _SLACK * SIDE)
    if low > high:
        return 1, 0
    return _first_index(low, cells), _last_index(high, cells)


@device
def mark_word(
    s: Swept, y: float, z: float, word: int, first: int, last: int, cells: int
) -> tuple[Any, Any, Any, Any]:
    """Which points of a word of a row lie in the exact sweep and in each of the sectors."""
    u = s.axis
    square, lift = max(0.0, 1.0 - u.x * u.x), u.y * y + u.z * z
    linear, constant = -u.x * lift, y * y + z * z - lift * lift
    in_exact, in_fan, in_enclosing, in_balanced = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    for n in range(max(first, 64 * word), min(last, 64 * word + 63) + 1):
        x = coordinate_at(n, cells)
        if (square * x + 2.0 * linear) * x + constant >= s.inner_sq:
            p, bit = Vec3(x, y, z), np.uint64(1) << np.uint64(n & 63)
            if intersects_boxturn_point3d(s.turn, p):
                in_exact |= bit
            if contains_sector3d_point(s.fan, p):
                in_fan |= bit
            if contains_sector3d_point(s.enclosing, p):
                in_enclosing |= bit
            if contains_sector3d_point(s.balanced, p):
                in_balanced |= bit
    return in_exact, in_fan, in_enclosing, in_balanced


@procedure
def _mark_points(
    columns: Floats, turns: Floats, fans: Floats, i: int, reach: Ints, bits: Words, cells: int
) -> None:
    """Test all points of the hollow cylinder against the exact sweep and the sectors."""
    swept = load_swept(columns, turns, fans, i)
    for j in range(reach[0, 1], reach[1, 1] + 1):
        y = coordinate_at(j, cells)
        for k in range(reach[0, 2], reach[1, 2] + 1):
            z = coordinate_at(k, cells)
            first, last = clip_row_to_cylinder(swept, y, z, cells)
            if first > last:
                continue
            for word in range(first >> 6, (last >> 6) + 1):
                found = mark_word(swept, y, z, word, first, last, cells)
                row = j * cells + k
                bits[1, row, word], bits[2, row, word] = found[0], found[1]
                bits[3, row, word], bits[4, row, word] = found[2], found[3]


@device
def count_ones(word: int) -> Any:
    """How many bits are set, by sums of 2, 4 and 8 of them."""
    x = np.uint64(word)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@procedure
def _count_bitmap(bits: Words, m: int, found: Ints) -> None:
    size, posed, swept = 0, 0, 0
    for row in range(bits.shape[1]):
        for word in range(bits.shape[2]):
            own = bits[m, row, word]
            if own:
                size += count_ones(own)
                posed += count_ones(own & bits[0, row, word])
                swept += count_ones(own & bits[1, row, word])
    found[0], found[1], found[2] = size, posed, swept


@procedure
def _count_box(bits: Words, index: Ints, reach: Ints, below: Words, sets: Ints, m: int, cells: int) -> None:
    """Points of an axis-aligned box, and those of them that two bitmaps hold."""
    size, holds_all = 1, True
    for axis in range(3):
        size *= max(0, index[1, axis] - index[0, axis] + 1)
        holds_all &= index[0, axis] <= reach[0, axis] and reach[1, axis] <= index[1, axis]
    posed, swept = 0, 0
    if holds_all:
        posed, swept = sets[0, 0], sets[1, 0]
    elif size > 0:
        for j in range(max(index[0, 1], reach[0, 1]), min(index[1, 1], reach[1, 1]) + 1):
            for k in range(max(index[0, 2], reach[0, 2]), min(index[1, 2], reach[1, 2]) + 1):
                row = j * cells + k
                for word in range(bits.shape[2]):
                    own = below[index[1, 0] + 1, word] ^ below[index[0, 0], word]
                    posed += count_ones(own & bits[0, row, word])
                    swept += count_ones(own & bits[1, row, word])
    sets[m, 0], sets[m, 1], sets[m, 2] = size, posed, swept


@procedure
def _count_groups(bits: Words, index: Ints, below: Words, sets: Ints, groups: Ints, cells: int) -> None:
    """FAN's groups A..G from the sizes of three sets and of what they share: see `write_groups`."""
    box_fan, all_three = 0, 0
    if index[0, 0] <= index[1, 0]:
        for j in range(index[0, 1], index[1, 1] + 1):
            for k in range(index[0, 2], index[1, 2] + 1):
                row = j * cells + k
                for word in range(bits.shape[2]):
                    own = (below[index[1, 0] + 1, word] ^ below[index[0, 0], word]) & bits[2, row, word]
                    box_fan += count_ones(own)
                    all_three += count_ones(own & bits[0, row, word])
    write_groups(sets, bits.shape[0], box_fan, all_three, groups)


@device
def write_groups(sets: Ints, box_row: int, box_fan: int, all_three: int, groups: Ints) -> None:
    """Groups A..G; `box_row` is the row of the box in `sets`."""
    pose, box, fan = sets[0, 0], sets[box_row, 0], sets[2, 0]
    pose_box, pose_fan = sets[box_row, 1], sets[2, 1]
    groups[0] = pose - pose_box - pose_fan + all_three
    groups[1] = box - pose_box - box_fan + all_three
    groups[2] = fan - pose_fan - box_fan + all_three
    groups[3] = pose_box - all_three
    groups[4] = pose_fan - all_three
    groups[5] = box_fan - all_three
    groups[6] = all_three
