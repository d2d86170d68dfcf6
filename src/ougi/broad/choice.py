"""Which method for which scene: estimated nanoseconds per volume, from a survey and a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ougi._native import device, loop
from ougi._native.lanes import LANES
from ougi._typing import Floats, Ints
from ougi.broad.brute import brute
from ougi.broad.frame import SceneExtent, axis_bounds, build_frame, survey_scene
from ougi.broad.grid import Cells, begin_and_end, cells_for, grid
from ougi.broad.keys import order_indices
from ougi.broad.published import PUBLISHED
from ougi.broad.sweep import best_axis, sweep
from ougi.broad.tree import tree
from ougi.broad.volumes import Volumes, join_volumes
from ougi.broad.workspace import Workspace, no_pairs

# Nanoseconds, measured on scenes of equal balls, mixed balls, clusters, rods and points: for each volume, and
# for each step of sixteen tests. Only their ratios matter.
_GRID, _SWEEP, _TREE = 35.0, 40.0, 60.0
_STEP = 8.0
_LEAF = 2.2
# Nanoseconds for each call, of tables and counts.
_GRID_ONCE, _SWEEP_ONCE, _TREE_ONCE = 2_000.0, 8_000.0, 14_000.0
# All pairs are tested up to this many tests per volume, which are 241 volumes: that took the least time for
# balls and boxes of all densities. Up to this many volumes are sorted along x.
MAX_BRUTE_TESTS, MAX_SORTED = 120, 400
# Volumes of the sample: at least, at most, and one of this many.
_MIN_SAMPLE, _MAX_SAMPLE, _SAMPLE_SHARE = 64, 256, 256


# Finds the pairs of a scene, of which a survey is given.
Search: TypeAlias = Callable[[Volumes, Workspace, Floats], Ints]
SEARCHES: dict[str, Search] = {"sweep": sweep, "grid": grid, "tree": tree}
_ORDER = ("grid", "sweep", "tree")


def run_search(name: str, a: Volumes, b: Volumes | None, workspace: Workspace) -> Ints:
    """Find all pairs by the search of this name."""
    if not _count_tests(a, b):
        return no_pairs()
    scene = join_volumes(a, b)
    return SEARCHES[name](scene, workspace, survey_scene(scene))


def auto(a: Volumes, b: Volumes | None, workspace: Workspace) -> Ints:
    """Find all pairs by the method that is likely to be the fastest.

    All pairs are tested if there are at most MAX_BRUTE_TESTS for each volume: few volumes, or one against
    many. Up to MAX_SORTED volumes are sorted along x, as SORT does, because a survey would take longer. Else
    the search with the lowest estimate is used, in nanoseconds for each of n volumes:

    grid   35 + 8 (runs + n near / 32), and 2 us for all,
    sweep  40 + 8 (1 + n along / 32), and 8 us,
    tree   60 + 2.2 leaves, and 14 us,

    where `along` and `near` are the shares of a sample's pairs that overlap on the best axis, and that the
    grid would test. The grid tests against 1 to 5 `runs` of volumes, and a leaf overlaps `leaves` others. A
    step of sixteen tests takes 8 ns.
    """
    if tests_all_pairs(a, b):
        return brute(a, b, workspace)
    if a.count + (0 if b is None else b.count) <= MAX_SORTED:
        pairs = PUBLISHED["x"](a, b, workspace)
        if b is None:
            order_indices(pairs)
        return pairs
    scene = join_volumes(a, b)
    numbers = survey_scene(scene)
    return SEARCHES[choose_search(scene, numbers)](scene, workspace, numbers)


def tests_all_pairs(a: Volumes, b: Volumes | None) -> bool:
    """Does `auto` test all pairs, and so return them in order?"""
    return _count_tests(a, b) <= MAX_BRUTE_TESTS * (a.count + (0 if b is None else b.count))


def _count_tests(a: Volumes, b: Volumes | None) -> int:
    return a.count * (a.count - 1) // 2 if b is None else a.count * b.count


def choose_search(scene: Volumes, numbers: Floats) -> str:
    """Name the search with the lowest estimate."""
    n = scene.count
    size = min(max(_MIN_SAMPLE, n // _SAMPLE_SHARE), _MAX_SAMPLE, n)
    return _ORDER[find_cheapest(scene.columns, scene.balls, numbers, np.empty((6, size)))]


@loop
def find_cheapest(columns: Floats, balls: bool, numbers: Floats, sample: Floats) -> int:
    """Index in _ORDER of the search with the lowest estimate; `sample` is memory for the sampled volumes."""
    n, size = columns.shape[1], sample.shape[1]
    frame = build_frame(numbers, balls, n)
    cells = cells_for(frame, n)
    axis = best_axis(frame)
    for k in range(size):
        i = np.uint64(k * n // size)
        sample[0, k], sample[1, k] = axis_bounds(columns, balls, frame.growth, axis, i)
        sample[2, k], sample[3, k] = begin_and_end(columns, balls, frame, cells, 0, i)
        sample[4, k], _ = begin_and_end(columns, balls, frame, cells, 1, i)
        sample[5, k], _ = begin_and_end(columns, balls, frame, cells, 2, i)
    along, near = 0, 0
    for k in range(size):
        along += _overlaps(sample, k)
        near += _neighbours(sample, cells.fine, k)
    steps = n / (LANES * max(1, size * (size - 1)))  # for each pair counted, on average over all volumes
    # With rows of two steps, four steps are tested where three would do.
    grid = _GRID_ONCE / n + _GRID + _STEP * (_runs(cells) + steps * near * (16 / 9 if cells.fat else 1.0))
    sweep = _SWEEP_ONCE / n + _SWEEP + _STEP * (1 + steps * along)
    tree = _TREE_ONCE / n + _TREE + _LEAF * _leaves_near(frame, n)
    if grid <= min(sweep, tree):
        return 0
    return 1 if sweep <= tree else 2


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
def _leaves_near(frame: SceneExtent, n: int) -> float:
    """Leaves that overlap a leaf of evenly spread volumes, a cube around sixteen middles, grown by one."""
    volume, axes = LANES / n, 0
    for r in range(3):
        if frame.spread[r] > 0.0:
            volume, axes = volume * frame.spread[r] * frame.scale, axes + 1
    edge = volume ** (1.0 / max(axes, 1)) / frame.scale
    found = 1.0
    for r in range(3):
        if frame.spread[r] > 0.0:
            found *= 2 * (1 + min(2 * frame.mean[r], frame.largest[r]) / edge)
    return min(found, n / LANES)


@device
def _runs(cells: Cells) -> float:
    """Runs that the grid tests for each volume, on average."""
    rows, layers = int(cells.last[1] > 0), int(cells.last[2] > 0)
    if cells.fat:
        return 1.0 + 0.5 * rows + 0.5 * layers * (1 + rows)
    return 1.0 + rows + layers * (1.0 + 2.0 * rows)
