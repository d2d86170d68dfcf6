"""Volumes in the order of a search, and the inner loop of all searches: one volume against a run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, procedure
from ougi._native.lanes import LANES, append_hits, lowest_bit, unlikely
from ougi._typing import Floats, Singles, Words
from ougi.broad.brute import touch
from ougi.broad.volumes import SECOND, Volumes
from ougi.broad.workspace import Workspace


class Lineup(NamedTuple):
    """Volumes in order, for the lanes, and what is needed to confirm a doubtful pair."""

    rows: Singles  # (4, n + LANES) balls or (6, n + LANES) boxes in the unit cube
    ids: Words  # (n + LANES,) their numbers
    columns: Floats  # as given, in double precision
    split: int  # where the second batch begins in columns
    groups: int  # SECOND if there is one, else 0
    balls: bool


def build_lineup(scene: Volumes, workspace: Workspace) -> Lineup:
    """Allocate memory for the volumes of a scene in another order."""
    if scene.count >= 1 << 30:  # numbers have 30 bits beside a Morton code
        raise ValueError(f"there may be at most {(1 << 30) - 1:,} bodies, got {scene.count:,}")
    width = scene.count + LANES
    rows = workspace.array("rows", (len(scene.columns), width), np.float32)
    ids = workspace.array("ids", (width,), np.uint32)
    return Lineup(rows, ids, scene.columns, scene.split, scene.groups, scene.balls)


@device
def append_touching(line: Lineup, me: int, start: int, stop: int, out: Words, count: int) -> int:
    """Append the keys of the volumes from `start` to `stop` of the line that touch volume `me`.

    The first step is made even for an empty run: runs are short, and a branch that is taken half of the time
    costs more than the step.
    """
    k = start
    while True:
        count, doubt = append_hits(line.rows, line.ids, line.balls, line.groups, me, k, stop, out, count)
        if unlikely(doubt != 0):
            count = _append_confirmed(line, me, k, doubt, out, count)
        k += LANES
        if k >= stop:
            return count


@procedure
def _append_confirmed(line: Lineup, me: int, k: int, doubt: int, out: Words, count: int) -> int:
    """Append the keys of those lanes in doubt that touch in double precision."""
    mine = int(line.ids[np.uint64(me)])
    while doubt != 0:
        number = int(line.ids[np.uint64(k + lowest_bit(doubt))])
        doubt &= doubt - 1
        if touch(line.columns, _column(line, mine), line.columns, _column(line, number), line.balls):
            at = min(count, out.shape[1] - LANES)
            out[0, at], out[1, at] = mine, number
            count += 1
    return count


@device
def _column(line: Lineup, number: int) -> int:
    return number - SECOND + line.split if number >= SECOND else number


@device
def volume_number(i: int, split: int, groups: int) -> int:
    """The number of the volume in column i."""
    return SECOND + i - split if groups != 0 and i >= split else i
