"""Sorting of index pairs."""

from __future__ import annotations

import numpy as np

from ougi._native import loop
from ougi._typing import Ints, Words
from ougi.broad.radix import DIGIT, radix_sort
from ougi.broad.workspace import Workspace

_DIGITS = 6  # of a pair, at most: 62 bits


def sort_pairs(pairs: Ints, workspace: Workspace) -> None:
    """Sort pairs in lexical order."""
    sort_rows(pairs, workspace.array("counts", (_DIGITS, 1 << DIGIT), np.uint32))


@loop
def sort_rows(pairs: Ints, counts: Words) -> None:
    """Sort pairs within their own memory.

    Each becomes one number, which leaves half of the memory for sorting, and then a pair again. No number is
    overwritten before it was read: of those in the first half the last is read first, else the first.
    """
    n = len(pairs)
    highest = 0
    for k in range(np.uint64(n)):
        highest = max(highest, pairs[k, 0], pairs[k, 1])
    bits = 1
    while highest >> bits:
        bits += 1
    flat = pairs.reshape(2 * n)
    for k in range(np.uint64(n)):
        flat[k] = (pairs[k, 0] << bits) | pairs[k, 1]
    digits = -(-2 * bits // DIGIT)
    order = radix_sort(flat[:n], flat[n:], counts, 0, digits)
    for step in range(n):
        at = np.uint64(step if digits % 2 else n - 1 - step)
        number = order[at]
        pairs[at, 0], pairs[at, 1] = number >> bits, number & ((1 << bits) - 1)


@loop
def order_indices(pairs: Ints) -> None:
    """Exchange the indices of rows where the second is the lower."""
    for k in range(np.uint64(len(pairs))):
        a, b = pairs[k, 0], pairs[k, 1]
        pairs[k, 0], pairs[k, 1] = min(a, b), max(a, b)
