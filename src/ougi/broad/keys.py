"""Pairs of indices as keys: one integer for each pair, the first index in its upper half."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ougi._jit import loop
from ougi._typing import Ints, Words
from ougi.broad.room import Piece, Room

_LOWER = (1 << 31) - 1  # the number without the mark of a second batch
_DIGIT = 11  # bits; so that the counts stay in the first cache


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
    """Write numbers that touch as rows of `pairs` from row `at` on: the lower first, or that of the first batch."""
    rows = pairs[at : at + count]
    for k in range(np.uint64(count)):
        a, b = np.int64(numbers[0, k]), np.int64(numbers[1, k])
        rows[k, 0], rows[k, 1] = min(a, b), max(a, b) & _LOWER
