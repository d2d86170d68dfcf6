"""Other readings of SORT's text, by whole tables of pairs: how many tests they take, and what they lose.

`count_forward` is sec. 3.3.2, which does not explain how a pair is tested once: every body tests those that
begin behind it on its best axis. `count_as_published` is the listing of sec. 3.3.1, which keeps the bodies
that have an end between the ends of another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.shapes import Sphere


class Reading(NamedTuple):
    """Tests that a reading takes, and contacts that it does not find."""

    tests: int
    lost: int


def find_ends(balls: Sphere) -> tuple[Floats, Floats]:
    """Lower and upper ends (3, n) on the axes."""
    return balls.center.T - balls.radius, balls.center.T + balls.radius


def count_candidates(balls: Sphere) -> tuple[Ints, Ints]:
    """How many others each ball overlaps on an axis (3, n): on both sides, and of those that begin behind."""
    lower, upper = find_ends(balls)
    both, behind = np.empty(lower.shape, np.int64), np.empty(lower.shape, np.int64)
    for axis in range(3):
        starts, stops = np.sort(lower[axis]), np.sort(upper[axis])
        begun = np.searchsorted(starts, upper[axis], side="right")
        both[axis] = begun - np.searchsorted(stops, lower[axis]) - 1
        behind[axis] = begun - np.searchsorted(starts, lower[axis], side="right")
    return both, behind


def count_forward(balls: Sphere, contacts: Ints, *, chosen_by: str) -> Reading:
    """The best axis, `chosen_by` the candidates on "both" sides or "behind"; only those behind are tested."""
    both, behind = count_candidates(balls)
    best = (both if chosen_by == "both" else behind).argmin(axis=0)
    tests = int(behind[best, np.arange(balls.count)].sum())
    lower, _ = find_ends(balls)
    i, j = contacts.T
    found = (lower[best[i], i] <= lower[best[i], j]) | (lower[best[j], j] <= lower[best[j], i])
    return Reading(tests, int(np.count_nonzero(~found)))


def count_as_published(balls: Sphere, contacts: Ints) -> Reading:
    """x, y, z with the listing's condition for staying."""
    lower, upper = find_ends(balls)
    left = np.ones(balls.count, np.bool_)
    for axis in range(2):
        left &= _has_end_within(lower[axis], upper[axis], left)
    low, high = lower[2, left], upper[2, left]
    overlap = (low[:, None] <= high) & (low <= high[:, None])
    i, j = contacts.T
    tests = (int(np.count_nonzero(overlap)) - len(low)) // 2
    return Reading(tests, int(np.count_nonzero(~(left[i] & left[j]))))


def _has_end_within(lower: Floats, upper: Floats, left: Bools) -> Bools:
    """Which bodies have an end between the ends of another that is still there?"""
    low, high = lower[left][:, None], upper[left][:, None]
    within = (low < lower) & (lower < high) | (low < upper) & (upper < high)
    return np.asarray(within.any(axis=0))
