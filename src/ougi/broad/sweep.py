"""Sort and sweep: volumes in the order in which they begin, each against those that begin before it ends.

The axis is that of SORT's `best-axis`, chosen for all volumes at once: they are narrow beside their spread.
"""

from __future__ import annotations

import numpy as np

from ougi._native import device, loop
from ougi._native.lanes import LANES
from ougi._typing import Floats, Ints, Words
from ougi.broad.frame import SceneExtent, axis_bounds, build_frame, write_rows
from ougi.broad.lanes import Lineup, append_touching, build_lineup, volume_number
from ougi.broad.radix import DIGIT, radix_sort
from ougi.broad.volumes import Volumes
from ougi.broad.workspace import Workspace

# Steps along the axis. Volumes that begin in one step come in any order, so a sweep ends behind the last
# step.
_STEPS = 1 << (2 * DIGIT)
# Volumes of a part; threads share the parts.
_CHUNK = 1 << 15


def sweep(scene: Volumes, workspace: Workspace, numbers: Floats) -> Ints:
    """Find all pairs by sorting along the best axis."""
    n = scene.count
    line = build_lineup(scene, workspace)
    keys, other = (workspace.array(name, (n,), np.int64) for name in ("keys", "other keys"))
    counts = workspace.array("counts", (2, 1 << DIGIT), np.uint32)
    begins, ends = (workspace.array(name, (n + LANES,), np.uint32) for name in ("begins", "ends"))
    sort_along(line, numbers, keys, other, counts, begins, ends)
    parts = [(at, min(at + _CHUNK, n)) for at in range(0, n, _CHUNK)]
    return workspace.gather_pairs(
        lambda _, first, last, out: sweep_part(line, begins, ends, first, last, out), parts
    )


@device
def best_axis(frame: SceneExtent) -> int:
    """The axis on which volumes are narrowest beside their spread."""
    best, narrowest = 0, np.inf
    for axis in range(3):
        if frame.spread[axis] > 0.0 and frame.mean[axis] < narrowest * frame.spread[axis]:
            best, narrowest = axis, frame.mean[axis] / frame.spread[axis]
    return best


@device
def _step(frame: SceneExtent, axis: int, x: float) -> int:
    """The step in which a bound lies. Steps are numbered as bounds are ordered, rounded or not."""
    per = _STEPS / max(frame.spread[axis], 1e-290)
    return min(max(int((x - frame.low[axis]) * per), 0), _STEPS - 1)


@loop
def sort_along(
    line: Lineup, numbers: Floats, keys: Ints, other: Ints, counts: Words, begins: Words, ends: Words
) -> None:
    """Sort volumes by their lower bounds on the best axis, and write the steps of both bounds."""
    columns, balls, n = line.columns, line.balls, line.columns.shape[1]
    frame = build_frame(numbers, balls, n)
    axis = best_axis(frame)
    for k in range(np.uint64(n)):
        low, _ = axis_bounds(columns, balls, frame.growth, axis, k)
        keys[k] = (_step(frame, axis, low) << 32) | int(k)
    order = radix_sort(keys, other, counts, 32, 2)
    for at in range(np.uint64(n)):
        i = np.uint64(order[at] & 0xFFFFFFFF)
        _, high = axis_bounds(columns, balls, frame.growth, axis, i)
        begins[at], ends[at] = order[at] >> 32, _step(frame, axis, high)
        write_rows(columns, balls, frame, i, line.rows, at)
        line.ids[at] = volume_number(int(i), line.split, line.groups)
    begins[n:] = _STEPS


@loop
def sweep_part(
    line: Lineup, begins: Words, ends: Words, first: int, last: int, out: Words
) -> tuple[int, int]:
    """Find what touches the volumes from `first` on; the first one that is not done, and the count."""
    count, n = 0, line.columns.shape[1]
    for me in range(first, last):
        before, end, k = count, ends[np.uint64(me)], me + 1
        while begins[np.uint64(k)] <= end:
            count = append_touching(line, me, k, min(k + LANES, n), out, count)
            k += LANES
        if count > out.shape[1] - LANES:
            return me, before
    return last, count
