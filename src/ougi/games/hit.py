"""Hits, and the search for those of many bodies among many."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Ints
from ougi.games.search import FrameBodies, find_hits_of_many
from ougi.kernels.constants import OVERLAPPING


class Hit(NamedTuple):
    """A target that is hit in this frame, and when and where first.

    Attributes
    ----------
    target
        As it was given to the TargetSet.
    t
        0 at the frame before, 1 now.
    point
        On the surface of the target.
    normal
        Unit vector towards the target.
    inside
        True if they touched already when the frame (or the stroke) began. Then t is 0.

    >>> from ougi.games import Hit
    >>> Hit("wolf", 0.5, (120.0, 80.0), (1.0, 0.0), False).target
    'wolf'
    """

    target: Any
    t: float
    point: tuple[float, float]
    normal: tuple[float, float]
    inside: bool


def make_hit(target: Any, values: list[float]) -> Hit:
    """A hit of a target from a column of `find_hits`."""
    status, t, x, y, normal_x, normal_y = values
    return Hit(target, t, (x, y), (normal_x, normal_y), status == OVERLAPPING)


class PairSearch:
    """Finds which bodies of one set hit which of another one during a frame."""

    def __init__(self) -> None:
        self._rows: Ints = np.empty((2, 64), np.int64)
        self._out = np.empty((6, 64))

    def find(
        self, movers: FrameBodies, new: Bools, targets: FrameBodies
    ) -> list[tuple[list[int], list[float]]]:
        """The rows of a mover and a target, and a column of `find_hits`, for each pair in any order."""
        corner_count = max(int(bodies.corners[1].max(initial=1)) for bodies in (movers, targets))
        boxes, placed = np.empty((4, len(targets.reach))), np.empty((6, corner_count))
        while True:
            count = find_hits_of_many(movers, new, targets, boxes, placed, self._rows, self._out)
            if count <= self._rows.shape[1]:
                break
            self._rows, self._out = np.empty((2, 2 * count), np.int64), np.empty((6, 2 * count))
        rows, values = self._rows.T[:count].tolist(), self._out.T[:count].tolist()
        return list(zip(rows, values, strict=True))
