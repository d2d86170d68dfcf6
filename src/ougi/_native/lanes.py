"""One volume against sixteen others at a time, and the pairs written without a branch.

Volumes come in single precision, scaled into the unit cube. That decides nearly all pairs. What it cannot
decide is returned as a set of doubtful lanes, which the caller confirms in double precision.

Each function has two forms. The wide form (`wide.py`) needs AVX-512. Without it, or without a compiler, the
plain form is used.
"""

from __future__ import annotations

import operator
from typing import TypeVar, cast

import numpy as np

from ougi._native.compiler import PLAIN, Deferred, device
from ougi._typing import Foreign, Loop, Singles, Words

F = TypeVar("F")

LANES = 16

# Where single precision does not decide whether balls touch. Coordinates, sums of radii and distances that
# matter are at most 1; let u = 2**-24. Coordinates are off by u/2 each, so a distance by 1.8 u, and by 1.3 u
# more for its arithmetic; a sum of radii by 1.3 u with its square; the rounding of `touch` itself is u/2 at
# most (`frame.py`). All this is below 8 u = DOUBT. Each radius carries half of it: then balls with d > R, the
# sum, do not touch. They do if d <= R - 2 DOUBT, which d**2 <= R (R - 4 DOUBT) implies; BAND is wider than
# 4 DOUBT by more than the rounding of these products. A negative right side implies nothing.
DOUBT = 2.0**-21
BAND = np.float32(4.5 * DOUBT)


@device
def _balls(rows: Singles, me: int, j: int) -> tuple[bool, bool]:
    """May two balls touch, and do they certainly?"""
    dx, dy, dz = rows[0, j] - rows[0, me], rows[1, j] - rows[1, me], rows[2, j] - rows[2, me]
    distance_sq = dx * dx + dy * dy + dz * dz
    reach = rows[3, j] + rows[3, me]
    return distance_sq <= reach * reach, distance_sq <= reach * (reach - BAND)


@device
def _boxes(rows: Singles, me: int, j: int) -> tuple[bool, bool]:
    """May two boxes touch, and do they certainly?"""
    may, sure = True, True
    for r in range(3):
        may &= (rows[r, j] <= rows[r + 3, me]) & (rows[r, me] <= rows[r + 3, j])
        sure &= (rows[r, j] < rows[r + 3, me]) & (rows[r, me] < rows[r + 3, j])
    return may, sure


@device
def append_hits_plain(
    rows: Singles, ids: Words, balls: bool, groups: int, me: int, k: int, stop: int, out: Words, count: int
) -> tuple[int, int]:
    """`append_hits`, in the plain form."""
    limit, doubt, mine = out.shape[1] - LANES, 0, int(ids[me])
    for j in range(k, min(k + LANES, stop)):
        may, sure = _balls(rows, me, j) if balls else _boxes(rows, me, j)
        number = int(ids[j])
        allowed = ((number ^ mine) & int(groups)) == int(groups)
        out[0, min(count, limit)], out[1, min(count, limit)] = mine, number
        count += may & sure & allowed
        doubt |= int(may & (not sure) & allowed) << (j - k)
    return count, doubt


@device
def find_overlaps_plain(one: Singles, me: int, rows: Singles, k: int, stop: int) -> int:
    """`find_overlaps`, in the plain form."""
    found = 0
    for j in range(k, min(k + LANES, stop)):
        hit = True
        for r in range(3):
            hit &= (rows[r, j] <= one[r + 3, me]) & (one[r, me] <= rows[r + 3, j])
        found |= int(hit) << (j - k)
    return found


def _choose(plain: F, name: str) -> F:
    """The wide form of a function where the processor has it, else the plain one."""

    def make() -> Foreign:
        from ougi._native import wide

        return (getattr(wide, name) if wide.has_wide_lanes() else deferred).value

    if PLAIN:
        return plain
    deferred = cast("Deferred", plain)
    return cast("F", Deferred(deferred.py_func, make))


def _replace(plain: Loop, name: str) -> Loop:
    """A function of Python, and the intrinsic that stands for it in compiled code."""

    def make() -> Foreign:
        from ougi._native import wide

        return getattr(wide, name)

    return plain if PLAIN else Deferred(plain, make)


# append_hits(rows, ids, balls, groups, me, k, stop, out, count) tests volume `me` against the volumes k,
# k + 1, ... before `stop`, at most sixteen. It appends to the rows of `out` its number and the numbers of
# those that certainly touch, and returns the new count and the lanes in doubt, as bits. Where `groups` has a
# bit, only numbers that differ in it are tested. At the end of `out` it counts on without moving, so that
# `out` must have LANES places to spare. All arrays must have LANES - 1 readable places beyond the last one.
append_hits = _choose(append_hits_plain, "append_hits")

# find_overlaps(one, me, rows, k, stop): the boxes k, k + 1, ... before `stop` that overlap box `me` of `one`,
# as bits.
find_overlaps = _choose(find_overlaps_plain, "find_overlaps")


def _lowest_bit(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1


# The number of the lowest bit of a set that is not empty.
lowest_bit = _replace(_lowest_bit, "count_trailing_zeros")
# The lesser and the greater of two numbers, such that a loop over them becomes vectors. (Python's `min` tests
# for NaN first.)
minimum = _replace(min, "minimum")
maximum = _replace(max, "maximum")
# A sum whose terms may be added in any order, such that a loop over it becomes vectors.
add_unordered = _replace(operator.add, "add_unordered")
# A condition that hardly ever holds: what follows is moved aside.
unlikely = _replace(bool, "unlikely")
