"""The stack of pairs of pieces that a search still has to follow."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Floats
from ougi.kernels.pieces.records import Body, Slice


class SlicePair(NamedTuple):
    """Pieces of two bodies, and a bound: no contact of them is earlier, or no distance smaller."""

    bound: float
    a: Slice
    b: Slice


@device
def _cut_first(b: Body, k: int, count: int) -> Slice:
    half = b.half_angle / count
    return Slice(half * (2 * k + 1 - count), half)


@device
def _push(stack: Floats, row: int, depth: int, pair: SlicePair) -> int:
    stack[row, depth, 0] = pair.bound
    stack[row, depth, 1], stack[row, depth, 2] = pair.a.middle, pair.a.half
    stack[row, depth, 3], stack[row, depth, 4] = pair.b.middle, pair.b.half
    return depth + 1


@procedure
def push_first_slices(stack: Floats, row: int, a: Body, b: Body, bound: float) -> int:
    """Push pieces of at most a right angle to each side; return how many pairs there are."""
    count_a = 2 if a.half_angle > 0.5 * math.pi else 1
    count_b = 2 if b.half_angle > 0.5 * math.pi else 1
    depth = 0
    for i in range(count_a):
        for j in range(count_b):
            pair = SlicePair(bound, _cut_first(a, i, count_a), _cut_first(b, j, count_b))
            depth = _push(stack, row, depth, pair)
    return depth


@procedure
def pop_slices(stack: Floats, row: int, depth: int, limit: float) -> tuple[int, SlicePair]:
    """The last pair whose bound is below the limit, and how many are left behind it: -1 if there is none."""
    none = Slice(0.0, 0.0)
    for k in range(depth - 1, -1, -1):
        if stack[row, k, 0] < limit:
            first = Slice(stack[row, k, 1], stack[row, k, 2])
            return k, SlicePair(stack[row, k, 0], first, Slice(stack[row, k, 3], stack[row, k, 4]))
    return -1, SlicePair(limit, none, none)


@procedure
def divide_slices(
    stack: Floats, row: int, depth: int, pair: SlicePair, bound: float, is_a: bool, is_upper: bool
) -> int:
    """Push both halves of a piece of a or b; the one at greater angles comes next if `is_upper`."""
    old = pair.a if is_a else pair.b
    half = 0.5 * old.half
    for k in range(2):
        new = Slice(old.middle + half if is_upper == (k == 1) else old.middle - half, half)
        halved = SlicePair(bound, new, pair.b) if is_a else SlicePair(bound, pair.a, new)
        depth = _push(stack, row, depth, halved)
    return depth


@procedure
def find_smallest_bound(stack: Floats, row: int, depth: int, bound: float) -> float:
    """The smallest bound of all pairs that are left, or the given one."""
    for k in range(depth):
        bound = min(bound, stack[row, k, 0])
    return bound
