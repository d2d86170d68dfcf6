"""Sorting whole numbers by their digits: each pass counts and deals, without a comparison."""

from __future__ import annotations

import numpy as np

from ougi._native import device
from ougi._typing import Ints, Words

# Bits of a digit: the counts of a pass stay in the first cache.
DIGIT = 11
_MASK = (1 << DIGIT) - 1


@device
def radix_sort(numbers: Ints, other: Ints, counts: Words, shift: int, digits: int) -> Ints:
    """Sort by the digits from bit `shift` on; the result is in `numbers` or `other`, of equal length.

    `counts` has a row of 2**DIGIT for each digit. Equal digits stay in order.
    """
    n = np.uint64(len(numbers))
    counts[:digits] = 0
    for i in range(n):
        rest = numbers[i] >> shift
        for d in range(digits):
            counts[d, np.uint64(rest & _MASK)] += np.uint32(1)
            rest >>= DIGIT
    for d in range(digits):
        before = np.uint32(0)
        for k in range(np.uint64(1 << DIGIT)):
            before, counts[d, k] = before + counts[d, k], before
        for i in range(n):
            digit = np.uint64((numbers[i] >> (shift + d * DIGIT)) & _MASK)
            other[np.uint64(counts[d, digit])] = numbers[i]
            counts[d, digit] += np.uint32(1)
        numbers, other = other, numbers
    return numbers
