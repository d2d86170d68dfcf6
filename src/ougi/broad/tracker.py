"""Candidate pairs from frame to frame: which began, which stayed, which ended."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from ougi import _check
from ougi._native import device, loop
from ougi._typing import Ints
from ougi.broad.brute import brute
from ougi.broad.choice import SEARCHES, auto, run_search
from ougi.broad.keys import sort_pairs
from ougi.broad.unbounded import run_bounded
from ougi.broad.volumes import build_volumes
from ougi.broad.workspace import MAX_PAIRS, Workspace, no_pairs
from ougi.shapes import ShapeLike


@dataclass(frozen=True, eq=False)
class PairChanges:
    """Pairs (m, 2) of two frames, i < j, sorted: views that the next update overwrites."""

    began: Ints  # in this frame, not in the last
    stayed: Ints  # in both
    ended: Ints  # in the last frame, not in this

    def __repr__(self) -> str:
        return f"<PairChanges: {len(self.began)} began, {len(self.stayed)} stayed, {len(self.ended)} ended>"


class BroadPhase:
    """Candidate pairs of moving bodies, and what changed since the last frame.

    It keeps its memory from frame to frame: once warm, an update allocates nothing that grows with the scene.
    All returned arrays are views of that memory, and the next update overwrites them. Copy what must last.

    Parameters
    ----------
    method
        As in `candidate_pairs`: `auto`, `sweep`, `grid`, `tree` or `brute`.
    max_pairs
        More pairs than this raise an error that states their number.

    >>> import ougi
    >>> broad = ougi.BroadPhase()
    >>> broad.update(ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1)).began.tolist()
    [[0, 1]]
    >>> changes = broad.update(ougi.Sphere([[0, 0, 0], [7.5, 0, 0], [9, 0, 0]], 1))
    >>> changes.began.tolist(), changes.ended.tolist()
    ([[1, 2]], [[0, 1]])
    >>> broad.pairs.tolist()
    [[1, 2]]
    >>> broad
    <BroadPhase, method auto: 3 bodies, 1 pairs>
    """

    def __init__(self, *, method: str = "auto", max_pairs: int = MAX_PAIRS) -> None:
        _check.require_choice("method", method, ("auto", *SEARCHES, "brute"))
        self._method = method
        self._workspace = Workspace(_check.whole_number("max_pairs", max_pairs), reused=True)
        self._pairs = no_pairs()
        self._count: int | None = None

    def __repr__(self) -> str:
        bodies = "no frame yet" if self._count is None else f"{self._count} bodies, {len(self._pairs)} pairs"
        return f"<BroadPhase, method {self._method}: {bodies}>"

    @property
    def pairs(self) -> Ints:
        """The pairs of the last update, i < j, sorted; a view that the next update overwrites."""
        return self._pairs

    def update(self, shapes: ShapeLike) -> PairChanges:
        """Find the pairs of this frame.

        Parameters
        ----------
        shapes
            A batch of shapes or points, as in `candidate_pairs`. Body i is the same from frame to frame, so
            there must be as many as in the last frame; `reset` forgets it.
        """
        bodies = build_volumes("shapes", shapes)
        if self._count not in (None, bodies.count):
            raise ValueError(
                f"shapes must be as many as in the last frame, {self._count}, got {bodies.count}; "
                "call reset() before a scene of other bodies"
            )
        last = self._workspace.array("last", self._pairs.shape, np.int64)
        last[:] = self._pairs
        search = auto if self._method == "auto" else brute
        if self._method in SEARCHES:
            search = functools.partial(run_search, self._method)
        self._pairs = run_bounded(search, bodies, None, self._workspace)
        sort_pairs(self._pairs, self._workspace)
        self._count = bodies.count
        return self._compare(last)

    def reset(self) -> None:
        """Forget the last frame, but not the memory: then any number of bodies may come."""
        self._pairs, self._count = no_pairs(), None

    def _compare(self, last: Ints) -> PairChanges:
        now = self._pairs
        sizes = {"began": len(now), "stayed": min(len(now), len(last)), "ended": len(last)}
        began, stayed, ended = (self._workspace.array(name, (m, 2), np.int64) for name, m in sizes.items())
        a, b, c = compare(last, now, began, stayed, ended)
        return PairChanges(began[:a], stayed[:b], ended[:c])


@device
def _order(last: Ints, i: int, now: Ints, j: int) -> int:
    """Which of two pairs comes first: -1 the last frame's, 1 this frame's, 0 if they are equal."""
    if j == len(now):
        return -1
    if i == len(last):
        return 1
    for k in range(2):
        if last[i, k] != now[j, k]:
            return -1 if last[i, k] < now[j, k] else 1
    return 0


@loop
def compare(last: Ints, now: Ints, began: Ints, stayed: Ints, ended: Ints) -> tuple[int, int, int]:
    """Merge two sorted lists of pairs; how many began, stayed and ended."""
    a, b, c = 0, 0, 0
    i, j = 0, 0
    while i < len(last) or j < len(now):
        order = _order(last, i, now, j)
        if order == 0:
            stayed[b, 0], stayed[b, 1] = now[j, 0], now[j, 1]
            b, i, j = b + 1, i + 1, j + 1
        elif order < 0:
            ended[c, 0], ended[c, 1] = last[i, 0], last[i, 1]
            c, i = c + 1, i + 1
        else:
            began[a, 0], began[a, 1] = now[j, 0], now[j, 1]
            a, j = a + 1, j + 1
    return a, b, c
