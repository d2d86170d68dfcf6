"""Pairs of indices: as rows of the answer, in order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ougi._jit import loop
from ougi._typing import Ints, Words
from ougi.broad.radix import DIGIT, radix_sorted
from ougi.broad.room import Piece, Room

_LOWER = (1 << 31) - 1  # the number without the mark of a second batch
_DIGITS = 6  # of a pair, at most: 62 bits


def listed(found: Sequence[Piece], room: Room) -> Ints:
    """What was found, piece by piece, as pairs."""
    pairs = room.pairs(sum(count for _, count in found))
    at = 0
    for numbers, count in found:
        unpack(numbers, count, pairs, at)
        at += count
    return pairs


@loop
def unpack(numbers: Words, count: int, pairs: Ints, at: int) -> None:
    """Write numbers that touch as rows of `pairs` from row `at` on, the lower (or that of a) first."""
    rows = pairs[at : at + count]
    for k in range(np.uint64(count)):
        a, b = np.int64(numbers[0, k]), np.int64(numbers[1, k])
        rows[k, 0], rows[k, 1] = min(a, b), max(a, b) & _LOWER


def sorted_pairs(pairs: Ints, room: Room) -> Ints:
    """Pairs in lexical order, in the same memory."""
    if len(pairs) > 1:
        keys, other = (room.array(name, (len(pairs),), np.int64) for name in ("keys", "other keys"))
        sort_rows(pairs, keys, other, room.array("counts", (_DIGITS, 1 << DIGIT), np.uint32))
    return pairs


@loop
def sort_rows(pairs: Ints, keys: Ints, other: Ints, counts: Words) -> None:
    """Sort rows by making one number of each."""
    n = np.uint64(len(pairs))
    highest = 0
    for k in range(n):
        highest = max(highest, pairs[k, 0], pairs[k, 1])
    bits = 1
    while highest >> bits:
        bits += 1
    for k in range(n):
        keys[k] = (pairs[k, 0] << bits) | pairs[k, 1]
    order = radix_sorted(keys, other, counts, 0, -(-2 * bits // DIGIT))
    for k in range(n):
        pairs[k, 0], pairs[k, 1] = order[k] >> bits, order[k] & ((1 << bits) - 1)


@loop
def lower_first(pairs: Ints) -> None:
    """Exchange the indices of rows where the second is the lower."""
    for k in range(np.uint64(len(pairs))):
        a, b = pairs[k, 0], pairs[k, 1]
        pairs[k, 0], pairs[k, 1] = min(a, b), max(a, b)
