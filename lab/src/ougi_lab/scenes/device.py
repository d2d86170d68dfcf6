"""Draw random pairs of records on the GPU from a seed and the number of the case.

The generator is the same on all machines: 32-bit words in 64-bit integers, which never overflow. A case is
ordinary, or of a family that breaks kernels: without radius, on whole numbers (many touch exactly), or with
both bodies turned alike.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from ougi._native import device
from ougi.cuda.driver import empty, kernel, launch, to_device

_WORD = 0xFFFFFFFF
# Cumulative shares of the families. The rest is ordinary.
_THIN, _WHOLE, _ALIKE = 0.1, 0.3, 0.45
# Maximum count of numbers of a body. Those of the second body follow those of the first.
_FIELDS = 32


@device
def _mix_bits(x: int) -> int:
    """A word whose bits all depend on all of x (Wellons, Hash Function Prospector, triple32's constants)."""
    x ^= x >> 17
    x = (x * 0x6D5AD4BB) & _WORD
    x ^= x >> 11
    x = (x * 0x2C1B3C6D) & _WORD
    x ^= x >> 15
    x = (x * 0x297A2D39) & _WORD
    return x ^ (x >> 14)


@device
def draw_uniform(seed: int, case: int, field: int) -> float:
    """A number of [0, 1): the same on every machine."""
    start = _mix_bits(_mix_bits(seed & _WORD) ^ (case & _WORD))
    high, low = _mix_bits((start + 2 * field) & _WORD), _mix_bits((start + 2 * field + 1) & _WORD)
    return ((high << 21) | (low >> 11)) * 2.0**-53


@device
def _draw_between(low: float, high: float, family: float, seed: int, case: int, field: int) -> float:
    """A length or coordinate; of the family of whole numbers, a half or whole one."""
    x = low + (high - low) * draw_uniform(seed, case, field)
    return 0.5 * math.floor(2.0 * x + 0.5) if _THIN <= family < _WHOLE else x


@device
def _write_turn(
    out: Any, row: int, i: int, d: int, rows: int, family: float, seed: int, case: int, at: int
) -> None:
    """Axes x, y, z of a random rotation, the first `rows` of them; in the plane about z."""
    if family >= _WHOLE and family < _ALIKE:
        at = 0  # both bodies have the turn of the first
    qx, qy, qz, qw = 0.0, 0.0, 0.0, 1.0
    if family >= _WHOLE or family < _THIN:
        qz, qw = 2.0 * draw_uniform(seed, case, at + 2) - 1.0, 2.0 * draw_uniform(seed, case, at + 3) - 1.0
        if d == 3:
            qx, qy = 2.0 * draw_uniform(seed, case, at) - 1.0, 2.0 * draw_uniform(seed, case, at + 1) - 1.0
    norm = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    if norm < 1e-3:
        qx, qy, qz, qw, norm = 0.0, 0.0, 0.0, 1.0, 1.0
    qx, qy, qz, qw = qx / norm, qy / norm, qz / norm, qw / norm
    out[row, i] = 1.0 - 2.0 * (qy * qy + qz * qz)
    out[row + 1, i] = 2.0 * (qx * qy + qz * qw)
    if d == 3:
        out[row + 2, i] = 2.0 * (qx * qz - qy * qw)
        if rows > 1:
            out[row + 3, i] = 2.0 * (qx * qy - qz * qw)
            out[row + 4, i] = 1.0 - 2.0 * (qx * qx + qz * qz)
            out[row + 5, i] = 2.0 * (qy * qz + qx * qw)
            out[row + 6, i] = 2.0 * (qx * qz + qy * qw)
            out[row + 7, i] = 2.0 * (qy * qz - qx * qw)
            out[row + 8, i] = 1.0 - 2.0 * (qx * qx + qy * qy)


@device
def _draw_length(size: float, family: float, seed: int, case: int, at: int) -> float:
    """A radius or half an edge; of the thin family often none."""
    x = _draw_between(0.05, size, family, seed, case, at)
    return 0.0 if family < _THIN and draw_uniform(seed, case, at + 1) < 0.7 else x


@device
def _write_fan(
    out: Any, row: int, i: int, d: int, size: float, family: float, seed: int, case: int, at: int
) -> None:
    """The cosine and sine of the half angle, the radii, and in space half the height."""
    angle = math.pi * draw_uniform(seed, case, at)
    whole = draw_uniform(seed, case, at + 1) < 0.1
    out[row, i] = -1.0 if whole else math.cos(angle)
    out[row + 1, i] = 0.0 if whole else math.sin(angle)
    inner = _draw_between(0.0, size, family, seed, case, at + 2)
    inner = 0.0 if draw_uniform(seed, case, at + 3) < 0.2 else inner
    out[row + 2, i] = inner
    out[row + 3, i] = inner + _draw_between(0.05, size, family, seed, case, at + 4)
    if d == 3:
        out[row + 4, i] = _draw_length(size, family, seed, case, at + 5)


@device
def _write_screw(out: Any, row: int, i: int, seed: int, case: int, at: int) -> None:
    """Write angle and advance: a fifth are straight, half of the turns have no advance."""
    straight = draw_uniform(seed, case, at) < 0.2
    turn = 7.0 * (2.0 * draw_uniform(seed, case, at + 1) - 1.0)
    pitch = 4.0 * (2.0 * draw_uniform(seed, case, at + 2) - 1.0)
    out[row, i] = 0.0 if straight else turn
    out[row + 1, i] = pitch if straight or draw_uniform(seed, case, at + 3) < 0.5 else 0.0


class RecordPlan(NamedTuple):
    """What the rows of a layout are; -1 for what it does not have."""

    rows: int
    dimension: int
    spots: int = 1  # points, from row 0 on
    turn: int = -1  # where unit vectors begin,
    axes: int = 0  # and how many there are
    radii: int = -1  # where lengths begin,
    lengths: int = 0  # how many there are,
    upper: int = 0  # and whether they lead to an upper corner
    fan: int = -1  # cosine and sine of the half angle, radii, half the height
    screw: int = -1  # angle and advance


PLANS = {
    "circle": RecordPlan(3, 2, radii=2, lengths=1),
    "capsule2d": RecordPlan(5, 2, spots=2, radii=4, lengths=1),
    "triangle2d": RecordPlan(6, 2, spots=3),
    "rectangle": RecordPlan(6, 2, turn=4, axes=1, radii=2, lengths=2),
    "aabb2d": RecordPlan(4, 2, radii=2, lengths=2, upper=1),
    "sector2d": RecordPlan(8, 2, turn=2, axes=1, fan=4),
    "sphere": RecordPlan(4, 3, radii=3, lengths=1),
    "capsule3d": RecordPlan(7, 3, spots=2, radii=6, lengths=1),
    "triangle3d": RecordPlan(9, 3, spots=3),
    "box": RecordPlan(15, 3, turn=6, axes=3, radii=3, lengths=3),
    "aabb3d": RecordPlan(6, 3, radii=3, lengths=3, upper=1),
    "sector3d": RecordPlan(17, 3, turn=3, axes=3, fan=12),
    "cylinder": RecordPlan(14, 3, turn=3, axes=3, radii=12, lengths=2),
    "screw3d": RecordPlan(8, 3, turn=3, axes=1, screw=6),
}


@kernel
def fill_records(
    out: Any, plan: RecordPlan, body: int, seed: int, first: int, reach: float, size: float
) -> None:
    """Record k of `out` becomes body `body` of case first + k; `reach` bounds coordinates, `size` lengths."""
    for i in range(cuda.grid(1), out.shape[1], cuda.gridsize(1)):
        case = first + i
        family, at, d = draw_uniform(seed, case, 4 * _FIELDS), body * _FIELDS, plan.dimension
        for spot in range(plan.spots):
            for k in range(d):
                limit = size if spot > 0 else reach
                x = _draw_between(-limit, limit, family, seed, case, at + 4 + spot * d + k)
                out[spot * d + k, i] = x + out[k, i] if spot > 0 else x
        for k in range(plan.lengths):
            length = _draw_length(size, family, seed, case, at + 16 + 2 * k)
            out[plan.radii + k, i] = length + out[k, i] if plan.upper else length
        if plan.turn >= 0:
            _write_turn(out, plan.turn, i, d, plan.axes, family, seed, case, at)
        if plan.fan >= 0:
            _write_fan(out, plan.fan, i, d, size, family, seed, case, at + 16)
        if plan.screw >= 0:
            _write_screw(out, plan.screw, i, seed, case, at + 16)


@kernel
def pack_flags(flags: Any, out: Any) -> None:
    """Eight answers to a byte, the first in the highest bit, as `numpy.packbits` does."""
    for k in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        byte = 0
        for bit in range(8):
            if 8 * k + bit < flags.shape[0] and flags[8 * k + bit]:
                byte |= 128 >> bit
        out[k] = byte


def draw_columns(layout: str, body: int, seed: int, first: int, count: int, reach: float, size: float) -> Any:
    """Columns on the GPU of cases first ... first + count - 1."""
    plan = PLANS[layout]
    out = empty((plan.rows, count), np.float64)
    launch(fill_records, count, out, plan, body, seed, first, reach, size)
    return out


def make_equal_pairs(count: int) -> Any:
    """Index pairs (k, k) on the GPU."""
    index = np.repeat(np.arange(count, dtype=np.int32)[:, None], 2, axis=1)
    return to_device(index)
