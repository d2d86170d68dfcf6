# mypy: ignore-errors
"""Kernels of NVIDIA Warp for `ougi bench broad` (CPU) and `ougi bench cuda`, imported only if it is there."""

import contextlib
import io
from typing import Any

import numpy as np
import warp as wp

wp.config.quiet = True
with contextlib.redirect_stdout(io.StringIO()):  # it prints nevertheless
    wp.init()


@wp.kernel
def find_near_pairs(
    grid: wp.uint64,
    points: wp.array(dtype=wp.vec3),
    reach: float,
    count: wp.array(dtype=int),
    out: wp.array(dtype=wp.vec2i),
):
    """Pairs of points within reach."""
    i = wp.tid()
    p = points[i]
    query = wp.hash_grid_query(grid, p, reach)
    j = wp.int32(0)
    while wp.hash_grid_query_next(query, j):
        if j > i and wp.length_sq(points[j] - p) <= reach * reach:
            k = wp.atomic_add(count, 0, 1)
            if k < out.shape[0]:
                out[k] = wp.vec2i(i, j)


@wp.kernel
def find_box_pairs(
    tree: wp.uint64,
    lower: wp.array(dtype=wp.vec3),
    upper: wp.array(dtype=wp.vec3),
    count: wp.array(dtype=int),
    out: wp.array(dtype=wp.vec2i),
):
    """Pairs of boxes that overlap."""
    i = wp.tid()
    query = wp.bvh_query_aabb(tree, lower[i], upper[i])
    j = wp.int32(0)
    while wp.bvh_query_next(query, j):
        if j > i:
            k = wp.atomic_add(count, 0, 1)
            if k < out.shape[0]:
                out[k] = wp.vec2i(i, j)


class PairBuffer:
    """The pairs that kernels write."""

    def __init__(self, capacity: int, device: str) -> None:
        self.count = wp.zeros(1, dtype=int, device=device)
        self.out = wp.empty(capacity, dtype=wp.vec2i, device=device)

    def __len__(self) -> int:
        return int(self.count.numpy()[0])

    def read_pairs(self) -> Any:
        return self.out.numpy()[: len(self)].astype(np.int64)


def build_grid_search(points: Any, reach: float, capacity: int, device: str = "cpu") -> Any:
    """A function that builds a grid and finds all pairs within reach."""
    n = len(points)
    cells = int(min(256, max(4, round(n ** (1 / 3)))))
    grid = wp.HashGrid(cells, cells, cells, device=device)
    placed, buffer = wp.array(points, dtype=wp.vec3, device=device), PairBuffer(capacity, device)

    def run() -> PairBuffer:
        buffer.count.zero_()
        grid.build(placed, reach)
        wp.launch(find_near_pairs, n, [grid.id, placed, reach, buffer.count, buffer.out], device=device)
        return buffer

    return run


def build_tree_search(lower: Any, upper: Any, capacity: int, device: str = "cpu") -> Any:
    """A function that builds a tree and finds all pairs of boxes that overlap."""
    low, high = (wp.array(corner, dtype=wp.vec3, device=device) for corner in (lower, upper))
    buffer = PairBuffer(capacity, device)

    def run() -> PairBuffer:
        buffer.count.zero_()
        tree = wp.Bvh(low, high)
        wp.launch(find_box_pairs, len(lower), [tree.id, low, high, buffer.count, buffer.out], device=device)
        return buffer

    return run
