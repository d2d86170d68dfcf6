"""Every volume against every other: the oracle of the other methods, and good enough for a handful."""

from __future__ import annotations

import numpy as np

from ougi._native import device, loop
from ougi._typing import Floats, Index, Ints
from ougi.broad.volumes import Volumes
from ougi.broad.workspace import Workspace
from ougi.kernels.aabb3d_aabb3d import intersects_aabb3d_aabb3d
from ougi.kernels.load import load_aabb3d, load_sphere
from ougi.kernels.sphere_sphere import intersects_sphere_sphere

# Volumes tested at once; only if one of them touches, they are tested one by one.
_BLOCK = 64


def brute(a: Volumes, b: Volumes | None, workspace: Workspace) -> Ints:
    """All pairs, in order."""
    if b is None:
        return workspace.fill_pairs(brute_among, a.columns, a.balls)
    return workspace.fill_pairs(brute_between, a.columns, b.columns, a.balls)


@device
def touch(a: Floats, i: Index, b: Floats, j: Index, balls: bool) -> bool:
    """Do two volumes touch? The same arithmetic as `intersects`, so the same answer."""
    if balls:
        return intersects_sphere_sphere(load_sphere(a, i), load_sphere(b, j))
    return intersects_aabb3d_aabb3d(load_aabb3d(a, i), load_aabb3d(b, j))


@device
def _any_touch(a: Floats, i: Index, b: Floats, start: int, stop: int, balls: bool) -> bool:
    """Does volume i of a touch any of these of b? Without a branch in the loop, it is vectorized."""
    count = 0
    if balls:
        for j in range(np.uint64(start), np.uint64(stop)):
            count += touch(a, i, b, j, True)
    else:
        for j in range(np.uint64(start), np.uint64(stop)):
            count += touch(a, i, b, j, False)
    return count > 0


@device
def _append_row(a: Floats, i: Index, b: Floats, start: int, balls: bool, pairs: Ints, count: int) -> int:
    """Append the pairs of volume i of a with those of b from `start` on; count on when `pairs` is full."""
    while start < b.shape[1]:
        stop = min(start + _BLOCK, b.shape[1])
        if _any_touch(a, i, b, start, stop, balls):
            for j in range(np.uint64(start), np.uint64(stop)):
                if touch(a, i, b, j, balls):
                    if count < len(pairs):
                        pairs[count, 0], pairs[count, 1] = i, j
                    count += 1
        start = stop
    return count


@loop
def brute_among(a: Floats, balls: bool, pairs: Ints) -> int:
    """Pairs i < j of one batch; counts on where `pairs` is full."""
    count = 0
    for i in range(np.uint64(a.shape[1])):
        count = _append_row(a, i, a, int(i) + 1, balls, pairs, count)
    return count


@loop
def brute_between(a: Floats, b: Floats, balls: bool, pairs: Ints) -> int:
    """Pairs (i, j) of two batches; counts on where `pairs` is full."""
    count = 0
    for i in range(np.uint64(a.shape[1])):
        count = _append_row(a, i, b, 0, balls, pairs, count)
    return count
