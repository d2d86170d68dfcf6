"""Which method for which scene: estimated nanoseconds per volume, from a survey and a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ougi._jit import device, loop
from ougi._typing import Floats, Ints
from ougi.broad.brute import brute
from ougi.broad.frame import bounds_of, frame_of, surveyed
from ougi.broad.grid import Cells, begin_and_end, cells_for, grid
from ougi.broad.keys import listed
from ougi.broad.room import Piece, Room
from ougi.broad.sweep import best_axis, sweep
from ougi.broad.tree import tree
from ougi.broad.volumes import Volumes, joined

# Nanoseconds, measured on scenes of equal balls, mixed balls, clusters, rods and points: for each volume, and for
# each step of sixteen tests. Only their ratios matter.
_GRID, _SWEEP, _TREE = 35.0, 40.0, 190.0
_STEP = 8.0
# Nanoseconds for each call, of tables and counts.
_GRID_ONCE, _SWEEP_ONCE, _TREE_ONCE = 2_000.0, 8_000.0, 14_000.0
# Tests for each volume, up to which all pairs are tested.
FEW = 40
# Volumes of the sample, at least and at most, and the share of all that is enough.
_LEAST, _MOST, _SHARE = 64, 512, 1 / 128


# What finds pairs in a scene that has been surveyed.
Search: TypeAlias = Callable[[Volumes, Room, Floats], list[Piece]]
SEARCHES: dict[str, Search] = {"sweep": sweep, "grid": grid, "tree": tree}


def searched(name: str, a: Volumes, b: Volumes | None, room: Room) -> Ints:
    """All pairs, by a search of this name."""
    if not _tests(a, b):
        return room.pairs(0)
    scene = joined(a, b)
    return listed(SEARCHES[name](scene, room, surveyed(scene)), room)


def auto(a: Volumes, b: Volumes | None, room: Room) -> Ints:
    """All pairs, by the method that is likely to be the fastest.

    brute  if there are hardly more tests than volumes: few volumes, or one against many;
    else that of the least estimate, where `along` and `near` are shares of the pairs of a sample:
    sweep  40 + 8 (n along / 32 + 1) ns for each volume, and 8 us,
    grid   35 + 8 (n near / 32 + runs) ns, and 2 us,
    tree   190 ns, and 14 us.
    """
    tests, n = _tests(a, b), a.count + (0 if b is None else b.count)
    if tests <= FEW * n:
        return brute(a, b, room)
    scene = joined(a, b)
    numbers = surveyed(scene)
    return listed(SEARCHES[chosen(scene, numbers)](scene, room, numbers), room)


def _tests(a: Volumes, b: Volumes | None) -> int:
    return a.count * (a.count - 1) // 2 if b is None else a.count * b.count


class Density(NamedTuple):
    """How crowded a scene is: pairs of a sample, counted."""

    along: float  # share of the pairs that overlap on the best axis
    near: float  # share of the pairs in cells that the grid would compare
    runs: float  # runs that the grid would look at for each volume


def chosen(scene: Volumes, numbers: Floats) -> str:
    """The search of the least estimate."""
    n, density = scene.count, sampled(scene, numbers)
    costs = {
        "grid": _GRID_ONCE / n + _GRID + _STEP * (n * density.near / 32 + density.runs),
        "sweep": _SWEEP_ONCE / n + _SWEEP + _STEP * (n * density.along / 32 + 1),
        "tree": _TREE_ONCE / n + _TREE,
    }
    return min(costs, key=lambda name: costs[name])


def sampled(scene: Volumes, numbers: Floats) -> Density:
    """Look at all pairs of a few volumes, taken at even distances."""
    size = int(min(max(_LEAST, scene.count * _SHARE), _MOST, scene.count))
    out = np.empty(3)
    crowd(scene.columns, scene.balls, numbers, np.empty((6, size)), out)
    return Density(*out.tolist())


@loop
def crowd(columns: Floats, balls: bool, numbers: Floats, sample: Floats, out: Floats) -> None:
    """Fill in a `Density`; `sample` is memory for as many volumes as shall be looked at."""
    n, size = columns.shape[1], sample.shape[1]
    frame = frame_of(numbers, balls, n)
    cells = cells_for(frame, n)
    axis = best_axis(frame)
    for k in range(size):
        i = np.uint64(k * n // size)
        sample[0, k], sample[1, k] = bounds_of(columns, balls, frame.growth, axis, i)
        sample[2, k], sample[3, k] = begin_and_end(columns, balls, frame, cells, 0, i)
        sample[4, k], _ = begin_and_end(columns, balls, frame, cells, 1, i)
        sample[5, k], _ = begin_and_end(columns, balls, frame, cells, 2, i)
    overlaps, neighbours = 0, 0
    for k in range(size):
        overlaps += _overlaps(sample, k)
        neighbours += _neighbours(sample, cells.fine, k)
    pairs = max(1, size * (size - 1) // 2)
    out[0], out[1] = overlaps / pairs, neighbours / pairs
    if cells.fat:
        out[1] *= 16 / 9  # rows of two steps: four steps are looked at where three would do
    out[2] = _runs(cells)


@device
def _overlaps(sample: Floats, k: int) -> int:
    """How many of the first k volumes overlap volume k on the best axis."""
    count = 0
    low, high = sample[0, k], sample[1, k]
    for j in range(np.uint64(k)):
        count += (low <= sample[1, j]) & (sample[0, j] <= high)
    return count


@device
def _neighbours(sample: Floats, fine: int, k: int) -> int:
    """How many of the first k volumes the grid would test against volume k."""
    count = 0
    begin, end, y, z = sample[2, k] - fine, sample[3, k], sample[4, k], sample[5, k]
    for j in range(np.uint64(k)):
        x = sample[2, j]
        count += (begin <= x) & (x <= end) & (abs(sample[4, j] - y) <= 1.0) & (abs(sample[5, j] - z) <= 1.0)
    return count


@device
def _runs(cells: Cells) -> float:
    """Runs that the grid looks at for each volume, on average."""
    rows, layers = int(cells.last[1] > 0), int(cells.last[2] > 0)
    if cells.fat:
        return 1.0 + 0.5 * rows + 0.5 * layers * (1 + rows)
    return 1.0 + rows + layers * (1.0 + 2.0 * rows)
