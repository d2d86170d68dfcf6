# mypy: ignore-errors
"""Kernels of NVIDIA Warp for `ougi bench broad` (CPU) and `ougi bench cuda`, imported only if it is there."""

import contextlib
import io
from typing import Any

import numpy as np
import warp as wp

wp.config.quiet = True
with contextlib.redirect_stdout(io.StringIO()):  # it greets nevertheless
    wp.init()


@wp.kernel
def near_pairs(
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
def box_pairs(
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


class Outlet:
    """Where kernels write pairs."""

    def __init__(self, most: int, device: str) -> None:
        self.count = wp.zeros(1, dtype=int, device=device)
        self.out = wp.empty(most, dtype=wp.vec2i, device=device)

    def __len__(self) -> int:
        return int(self.count.numpy()[0])

    def pairs(self) -> Any:
        return self.out.numpy()[: len(self)].astype(np.int64)


def hash_grid(points: Any, reach: float, most: int, device: str = "cpu") -> Any:
    """A function that builds a grid and finds all pairs within reach."""
    n = len(points)
    cells = int(min(256, max(4, round(n ** (1 / 3)))))
    grid = wp.HashGrid(cells, cells, cells, device=device)
    placed, outlet = wp.array(points, dtype=wp.vec3, device=device), Outlet(most, device)

    def run() -> Outlet:
        outlet.count.zero_()
        grid.build(placed, reach)
        wp.launch(near_pairs, n, [grid.id, placed, reach, outlet.count, outlet.out], device=device)
        return outlet

    return run


def bvh(lower: Any, upper: Any, most: int, device: str = "cpu") -> Any:
    """A function that builds a tree and finds all pairs of boxes that overlap."""
    low, high = (wp.array(corner, dtype=wp.vec3, device=device) for corner in (lower, upper))
    outlet = Outlet(most, device)

    def run() -> Outlet:
        outlet.count.zero_()
        tree = wp.Bvh(low, high)
        wp.launch(box_pairs, len(lower), [tree.id, low, high, outlet.count, outlet.out], device=device)
        return outlet

    return run
