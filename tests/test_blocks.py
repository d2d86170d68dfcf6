"""Arrays that are computed block by block, as docs/tasks/many_bodies.md shows."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Bools, Ints

BOX = ougi.Box([5, 5, 0.25], [2, 2, 1])
BLOCK = 50_000


def test_memory_is_that_of_a_block_and_not_of_the_array() -> None:
    da = pytest.importorskip("dask.array", reason="no dask: pip install distributed")

    def touches_box(index: Ints) -> Bools:
        centers = np.stack([index % 1000, index // 1000 % 1000, index // 1_000_000], axis=1) / 100
        return np.asarray(ougi.intersects(ougi.Sphere(centers, 0.001), BOX))

    def measure_peak(blocks: int) -> tuple[int, int]:
        hits = da.arange(blocks * BLOCK, chunks=BLOCK).map_blocks(touches_box, dtype=bool).sum()
        tracemalloc.start()
        count: Any = hits.compute(scheduler="synchronous")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return int(count), peak

    measure_peak(1)  # imports and compiled kernels
    (first_hits, small), (all_hits, large) = measure_peak(3), measure_peak(24)
    assert first_hits == 0  # y is at most 1.5 there
    assert all_hits == 201 * 201  # x and y of the first layer from 4 to 6; 1.2 million balls
    assert large < 1.5 * small
