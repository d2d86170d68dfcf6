"""The two forms of the lanes agree, lane by lane."""

from __future__ import annotations

import os

import numpy as np
import pytest

from ougi._native import lanes, loop
from ougi._native.lanes import LANES
from ougi._typing import Ints, Singles, Words

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
if COMPILED:
    from ougi._native import wide
pytestmark = pytest.mark.skipif(
    not COMPILED or not wide.has_wide_lanes(), reason="there is only one form here"
)

SECOND = 1 << 31


@loop
def steps_of_both_forms(
    rows: Singles, ids: Words, balls: bool, groups: int, step: Ints, first: Words, second: Words, found: Ints
) -> None:
    me, k, stop, count = step[0], step[1], step[2], step[3]
    found[0], found[1] = wide.append_hits(rows, ids, balls, groups, me, k, stop, first, count)
    found[2], found[3] = lanes.append_hits_plain(rows, ids, balls, groups, me, k, stop, second, count)
    if not balls:
        found[4] = wide.find_overlaps(rows, me, rows, k, stop)
        found[5] = lanes.find_overlaps_plain(rows, me, rows, k, stop)


def unit_rows(balls: bool, n: int, rng: np.random.Generator) -> Singles:
    """On a lattice, so that many just touch or are in doubt."""
    rows = rng.integers(0, 8, (6, n + LANES)).astype(np.float32) * np.float32(0.125)
    if balls:
        rows[3] = rng.choice([0, 1e-7, 0.0625, 0.125, 0.25], n + LANES)
        return np.ascontiguousarray(rows[:4])
    rows[3:] = np.minimum(rows[:3] + rows[3:] * np.float32(0.5), 1)
    return rows


@pytest.mark.parametrize("balls", [True, False])
@pytest.mark.parametrize("groups", [0, SECOND])
def test_both_forms_agree(balls: bool, groups: int) -> None:
    rng = np.random.default_rng([balls, groups])
    hits = doubts = 0
    for _ in range(1000):
        n = int(rng.integers(1, 60))
        rows = unit_rows(balls, n, rng)
        ids = rng.permutation(n + LANES).astype(np.uint32)
        ids |= (rng.integers(0, 2, n + LANES) * groups).astype(np.uint32)
        me, k = rng.integers(0, n, 2)
        stop, count = rng.integers(k - 3, n + 1), rng.integers(0, 30)
        first, second = np.zeros((2, 40), np.uint32), np.zeros((2, 40), np.uint32)
        found = np.zeros(6, np.int64)
        steps_of_both_forms(rows, ids, balls, groups, np.array([me, k, stop, count]), first, second, found)
        assert found[0] == found[2]
        assert found[1] == found[3]
        assert found[4] == found[5]
        written = slice(min(count, 40 - LANES), min(found[0], 40 - LANES))
        assert np.array_equal(first[:, written], second[:, written])
        hits, doubts = hits + found[0] - count, doubts + int(found[1]).bit_count()
    assert hits > 50
    assert doubts > 10
