"""The two forms of the lanes say the same, lane by lane."""

from __future__ import annotations

import os

import numpy as np
import pytest

from ougi._native import loop
from ougi._typing import Ints, Singles, Words
from ougi.broad import _emit
from ougi.broad._emit import LANES

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
pytestmark = pytest.mark.skipif(not COMPILED or not _emit.WIDE, reason="there is only one form here")

SECOND = 1 << 31


@loop
def steps_of_both_forms(
    rows: Singles, ids: Words, balls: bool, groups: int, asked: Ints, wide: Words, plain: Words, found: Ints
) -> None:
    me, k, stop, count = asked[0], asked[1], asked[2], asked[3]
    found[0], found[1] = _emit.step_wide(rows, ids, balls, groups, me, k, stop, wide, count)
    found[2], found[3] = _emit.step_plain(rows, ids, balls, groups, me, k, stop, plain, count)
    if not balls:
        found[4] = _emit.overlaps_wide(rows, me, rows, k, stop)
        found[5] = _emit.overlaps_plain(rows, me, rows, k, stop)


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
        wide, plain, found = np.zeros((2, 40), np.uint32), np.zeros((2, 40), np.uint32), np.zeros(6, np.int64)
        steps_of_both_forms(rows, ids, balls, groups, np.array([me, k, stop, count]), wide, plain, found)
        assert found[0] == found[2]
        assert found[1] == found[3]
        assert found[4] == found[5]
        written = slice(min(count, 40 - LANES), min(found[0], 40 - LANES))
        assert np.array_equal(wide[:, written], plain[:, written])
        hits, doubts = hits + found[0] - count, doubts + int(found[1]).bit_count()
    assert hits > 50
    assert doubts > 10
