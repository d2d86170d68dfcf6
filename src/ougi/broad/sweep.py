"""Sort and sweep: volumes in the order in which they begin, each against those that begin before it ends.

The thesis's best axis for all objects at once: the one on which they are narrow beside their spread.
"""

from __future__ import annotations

import numpy as np

from ougi._native import device, loop
from ougi._native.lanes import LANES
from ougi._typing import Floats, Ints, Words
from ougi.broad.frame import Frame, bounds_of, frame_of, write_rows
from ougi.broad.lanes import Lineup, against, lineup, number_of
from ougi.broad.radix import DIGIT, radix_sorted
from ougi.broad.room import Room
from ougi.broad.volumes import Volumes

# Steps along the axis. Volumes that begin in one step come in any order, so a sweep ends behind the last
# step.
_STEPS = 1 << (2 * DIGIT)
# Above so many volumes the work is shared by threads, in parts of so many.
_CHUNK = 1 << 15


def sweep(scene: Volumes, room: Room, numbers: Floats) -> Ints:
    """All pairs, by sorting along the best axis."""
    n = scene.count
    line = lineup(scene, room)
    keys, other = (room.array(name, (n,), np.int64) for name in ("keys", "other keys"))
    counts = room.array("counts", (2, 1 << DIGIT), np.uint32)
    begins, ends = (room.array(name, (n + LANES,), np.uint32) for name in ("begins", "ends"))
    sort_along(line, numbers, keys, other, counts, begins, ends)
    parts = [(at, min(at + _CHUNK, n)) for at in range(0, n, _CHUNK)]
    return room.gathered(lambda _, first, last, out: swept(line, begins, ends, first, last, out), parts)


@device
def best_axis(frame: Frame) -> int:
    """The axis on which volumes are narrowest beside their spread."""
    best, least = 0, np.inf
    for axis in range(3):
        if frame.spread[axis] > 0.0 and frame.mean[axis] < least * frame.spread[axis]:
            best, least = axis, frame.mean[axis] / frame.spread[axis]
    return best


@device
def _step(frame: Frame, axis: int, x: float) -> int:
    """The step in which a bound lies. Steps are numbered as bounds are ordered, rounded or not."""
    per = _STEPS / max(frame.spread[axis], 1e-290)
    return min(max(int((x - frame.low[axis]) * per), 0), _STEPS - 1)


@loop
def sort_along(
    line: Lineup, numbers: Floats, keys: Ints, other: Ints, counts: Words, begins: Words, ends: Words
) -> None:
    """Put volumes in the order in which they begin on the best axis, and tell where they begin and end."""
    columns, balls, n = line.columns, line.balls, line.columns.shape[1]
    frame = frame_of(numbers, balls, n)
    axis = best_axis(frame)
    for k in range(np.uint64(n)):
        low, _ = bounds_of(columns, balls, frame.growth, axis, k)
        keys[k] = (_step(frame, axis, low) << 32) | int(k)
    order = radix_sorted(keys, other, counts, 32, 2)
    for at in range(np.uint64(n)):
        i = np.uint64(order[at] & 0xFFFFFFFF)
        _, high = bounds_of(columns, balls, frame.growth, axis, i)
        begins[at], ends[at] = order[at] >> 32, _step(frame, axis, high)
        write_rows(columns, balls, frame, i, line.rows, at)
        line.ids[at] = number_of(int(i), line.split, line.groups)
    begins[n:] = _STEPS


@loop
def swept(line: Lineup, begins: Words, ends: Words, first: int, last: int, out: Words) -> tuple[int, int]:
    """Find what touches the volumes from `first` on; the first one that is not done, and the count."""
    count, n = 0, line.columns.shape[1]
    for me in range(first, last):
        before, end, k = count, ends[np.uint64(me)], me + 1
        while begins[np.uint64(k)] <= end:
            count = against(line, me, k, min(k + LANES, n), out, count)
            k += LANES
        if count > out.shape[1] - LANES:
            return me, before
    return last, count
