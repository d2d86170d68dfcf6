"""Every volume against every other: the oracle of the other methods, and good enough for a handful."""

from __future__ import annotations

from ougi._jit import device, loop
from ougi._typing import Floats, Ints
from ougi.broad.room import Room
from ougi.broad.volumes import Volumes
from ougi.kernels.aabb3d_aabb3d import intersects_aabb3d_aabb3d
from ougi.kernels.load import load_aabb3d, load_sphere
from ougi.kernels.sphere_sphere import intersects_sphere_sphere


def brute(a: Volumes, b: Volumes | None, room: Room) -> Ints:
    """All pairs, in order."""
    if b is None:
        return room.filled(brute_among, a.columns, a.balls)
    return room.filled(brute_between, a.columns, b.columns, a.balls)


@device
def touch(a: Floats, i: int, b: Floats, j: int, balls: bool) -> bool:
    """Do two volumes touch? The same arithmetic as `intersects`, so the same answer."""
    if balls:
        return intersects_sphere_sphere(load_sphere(a, i), load_sphere(b, j))
    return intersects_aabb3d_aabb3d(load_aabb3d(a, i), load_aabb3d(b, j))


@loop
def brute_among(a: Floats, balls: bool, pairs: Ints) -> int:
    """Pairs i < j of one batch; counts on where `pairs` is full."""
    count = 0
    for i in range(a.shape[1]):
        for j in range(i + 1, a.shape[1]):
            if touch(a, i, a, j, balls):
                if count < len(pairs):
                    pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count


@loop
def brute_between(a: Floats, b: Floats, balls: bool, pairs: Ints) -> int:
    """Pairs (i, j) of two batches; counts on where `pairs` is full."""
    count = 0
    for i in range(a.shape[1]):
        for j in range(b.shape[1]):
            if touch(a, i, b, j, balls):
                if count < len(pairs):
                    pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count
