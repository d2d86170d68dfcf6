"""The broad phases of SORT: serialise the bodies by a key, and test only those whose keys lie close.

`origin` (sec. 3.2) sorts by the distance from the origin, `x`, `xy` and `axes` (3.3.1) by the ends of
bounding boxes on one, two or three axes, `best-axis` (3.3.2) uses for every body the axis on which it has the
fewest candidates. The published text is repaired in four places (docs/papers.md, S1 to S4):

* of two intervals, one inside the other, both bodies stay; the listing keeps only the inner one;
* touching counts, also on an axis; SORT warns of equal values and leaves their order open;
* a pair is tested once; the listing would test it at the start and at the end of the other body;
* `best-axis` searches both sides of a body and keeps the partners with a higher index. With a forward search,
  two bodies that choose different axes can each lie behind the other, and their contact is lost.

SORT sorts all 2n ends. The n lower ones suffice: a body overlaps one before it if the furthest upper
end so far reaches it, and the next one behind it if that begins in time. So the same bodies stay, and the
same pairs are tested.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import device, loop
from ougi._typing import Bools, Floats, Ints, Record
from ougi.broad.brute import brute_among, brute_between, touch
from ougi.broad.volumes import Volumes
from ougi.broad.workspace import Workspace
from ougi.kernels.load import load_aabb3d, load_sphere
from ougi.kernels.vec3 import add, length, sub

# By how much ends are moved outwards: relative to the coordinates that they are made of, and in any case.
# `touch` rounds: it may accept balls that are apart by five half ulps of the sum of their radii, or whose
# squares underflow (below 1e-160). Centers, distances and ends round as well, by at most five half ulps of
# center and radius together. Sixteen half ulps for each body are more, so no pair that touches is culled.
SLACK = 8 * float(np.finfo(np.float64).eps)
TINY = 1e-150


class PublishedSearch(NamedTuple):
    """A compiled loop and its arguments before `pairs`; afterwards `tests` holds how many pairs it tested."""

    loop: Callable[..., int]
    arguments: tuple[Record, ...]
    tests: Ints


@dataclass(frozen=True)
class PublishedMethod:
    """One of SORT's methods; `plan` lays out its arrays."""

    plan: Callable[[Volumes, Volumes | None], PublishedSearch]

    def __call__(self, a: Volumes, b: Volumes | None, workspace: Workspace) -> Ints:
        """The pairs that touch, in any order."""
        made = self.plan(a, b)
        return workspace.fill_pairs(made.loop, *made.arguments)


def plan_brute(a: Volumes, b: Volumes | None) -> PublishedSearch:
    """SORT sec. 2.3: all pairs."""
    if b is None:
        return PublishedSearch(brute_among, (a.columns, a.balls), np.array([a.count * (a.count - 1) // 2]))
    return PublishedSearch(brute_between, (a.columns, b.columns, a.balls), np.array([a.count * b.count]))


def plan_sorted(a: Volumes, b: Volumes | None, *, axes: int) -> PublishedSearch:
    """Sort on `axes` axes in turn (in the plane at most two), or by distance from the origin if it is 0."""
    both = a.columns if b is None else _check.frozen(np.concatenate([a.columns, b.columns], axis=1))
    tests = np.zeros(1, np.int64)
    used = min(axes, 2) if a.flat else axes
    return PublishedSearch(serial_pairs, (both, a.count, b is None, a.balls, used, tests), tests)


def plan_best_axis(a: Volumes, b: Volumes | None) -> PublishedSearch:
    """For every body of `a`, the axis with the fewest candidates."""
    tests = np.zeros(1, np.int64)
    other = a if b is None else b
    arguments = (a.columns, other.columns, b is None, a.balls, 2 if a.flat else 3, tests)
    return PublishedSearch(best_axis_pairs, arguments, tests)


PUBLISHED = {
    "brute": PublishedMethod(plan_brute),
    "origin": PublishedMethod(functools.partial(plan_sorted, axes=0)),
    "x": PublishedMethod(functools.partial(plan_sorted, axes=1)),
    "xy": PublishedMethod(functools.partial(plan_sorted, axes=2)),
    "axes": PublishedMethod(functools.partial(plan_sorted, axes=3)),
    "best-axis": PublishedMethod(plan_best_axis),
}


@device
def compute_ends(bodies: Floats, axis: int, i: int, balls: bool) -> tuple[float, float]:
    """Where a body begins and ends on an axis."""
    if balls:
        center, radius = bodies[axis, i], bodies[3, i]
        slack = SLACK * (abs(center) + radius) + TINY
        return center - radius - slack, center + radius + slack
    return bodies[axis, i], bodies[3 + axis, i]


@device
def bounding_radius(bodies: Floats, i: int, balls: bool) -> float:
    """The radius of a ball, or of the one around a box."""
    if balls:
        return load_sphere(bodies, i).radius
    box = load_aabb3d(bodies, i)
    return length(sub(box.upper, box.lower)) / 2


@device
def origin_distance(bodies: Floats, i: int, balls: bool) -> float:
    """How far the center of a body is from the origin."""
    if balls:
        return length(load_sphere(bodies, i).center)
    box = load_aabb3d(bodies, i)
    return length(add(box.lower, box.upper)) / 2


@device
def fill_ends(bodies: Floats, balls: bool, axis: int, lower: Floats, upper: Floats) -> None:
    """The ends of all bodies on an axis; for axis -1, their distances from the origin, widened.

    Two bodies can touch only if their distances from the origin differ by no more than 2 r_max (sec. 3.2.1):
    then intervals of that length overlap.
    """
    n = bodies.shape[1]
    if axis >= 0:
        for i in range(n):
            lower[i], upper[i] = compute_ends(bodies, axis, i, balls)
        return
    largest = 0.0
    for i in range(n):
        largest = max(largest, bounding_radius(bodies, i, balls))
    for i in range(n):
        distance = origin_distance(bodies, i, balls)
        reach = largest + (SLACK * (distance + largest) + TINY)
        lower[i] = distance - reach
        upper[i] = distance + reach


@device
def mark_overlapping(lower: Floats, upper: Floats, order: Ints, split: int, among: bool, met: Bools) -> None:
    """Which bodies, in the order of their lower ends, overlap one that they may be paired with?

    Those before `split` are of one batch, the others of another; `among` one batch all may be paired.
    """
    furthest_a, furthest_b = -np.inf, -np.inf
    for p in range(len(order)):
        i = order[p]
        in_a = i < split
        met[p] = (furthest_a if among or not in_a else furthest_b) >= lower[i]
        if in_a:
            furthest_a = max(furthest_a, upper[i])
        else:
            furthest_b = max(furthest_b, upper[i])
    next_a, next_b = np.inf, np.inf
    for p in range(len(order) - 1, -1, -1):
        i = order[p]
        in_a = i < split
        met[p] |= (next_a if among or not in_a else next_b) <= upper[i]
        if in_a:
            next_a = lower[i]
        else:
            next_b = lower[i]


@device
def count_up_to(starts: Floats, x: float) -> int:
    """How many of these sorted numbers are at most x?"""
    low, high = 0, len(starts)
    while low < high:
        middle = (low + high) // 2
        if starts[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low


@device
def count_below(ends: Floats, x: float) -> int:
    """How many of these sorted numbers are less than x?"""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if ends[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@loop
def serial_pairs(
    bodies: Floats, split: int, among: bool, balls: bool, axes: int, tests: Ints, pairs: Ints
) -> int:
    """Pairs of one batch (`among`) or of two, divided at `split`; counts on where `pairs` is full.

    On every axis but the last, bodies that overlap no other are dropped; on the last, those that do are
    tested. With `axes` 0 there is one key, the distance from the origin.
    """
    n = bodies.shape[1]
    lower, upper = np.empty(n), np.empty(n)
    met = np.empty(n, np.bool_)
    left = np.arange(n)
    for axis in range(max(axes, 1)):
        fill_ends(bodies, balls, axis if axes > 0 else -1, lower, upper)
        left = left[np.argsort(lower[left])]
        if axis < axes - 1:
            mark_overlapping(lower, upper, left, split, among, met)
            left = left[met[: len(left)]]
    m = len(left)
    starts, line = np.empty(m), np.empty((bodies.shape[0], m))  # in order: read one after the other
    for p in range(m):
        starts[p] = lower[left[p]]
        for row in range(bodies.shape[0]):
            line[row, p] = bodies[row, left[p]]
    count, tested = 0, 0
    for p in range(m):
        i, end = left[p], upper[left[p]]
        stop = count_up_to(starts, end)
        for q in range(np.uint64(p + 1), np.uint64(stop)):
            j = left[q]
            paired = among | ((i < split) != (j < split))
            tested += paired
            if paired & touch(line, p, line, q, balls):
                if count < len(pairs):
                    pairs[count, 0] = i if among else min(i, j)
                    pairs[count, 1] = j if among else max(i, j) - split
                count += 1
    tests[0] = tested
    return count


@loop
def best_axis_pairs(
    a: Floats, b: Floats, among: bool, balls: bool, axes: int, tests: Ints, pairs: Ints
) -> int:
    """Pairs of one batch (`among`: b is a) or of two; counts on where `pairs` is full.

    A body's candidates on an axis are those that begin before it ends, less those that end before it begins.
    """
    n, m = a.shape[1], b.shape[1]
    lower, upper = np.empty(m), np.empty(m)
    order, line = np.empty((axes, m), np.int64), np.empty((axes, b.shape[0], m))
    starts, ends, furthest = np.empty((axes, m)), np.empty((axes, m)), np.empty((axes, m))
    best, fewest, stop = np.zeros(n, np.int64), np.full(n, m + 1), np.zeros(n, np.int64)
    for axis in range(axes):
        fill_ends(b, balls, axis, lower, upper)
        order[axis] = np.argsort(lower)
        reach = -np.inf
        for p in range(m):
            j = order[axis, p]
            starts[axis, p], ends[axis, p] = lower[j], upper[j]
            reach = max(reach, upper[j])
            furthest[axis, p] = reach
            for row in range(b.shape[0]):
                line[axis, row, p] = b[row, j]
        upper.sort()
        for i in range(n):
            start, end = compute_ends(a, axis, i, balls)
            begun = count_up_to(starts[axis], end)
            candidates = begun - count_below(upper, start)
            if candidates < fewest[i]:
                best[i], fewest[i], stop[i] = axis, candidates, begun
    count, tested = 0, 0
    for i in range(n):
        axis = best[i]
        start, _ = compute_ends(a, axis, i, balls)
        first = count_below(furthest[axis], start)  # none before it comes so far
        along, sorted_ends, bodies = order[axis], ends[axis], line[axis]
        for p in range(np.uint64(first), np.uint64(stop[i])):
            j = along[p]
            candidate = (sorted_ends[p] >= start) & ((j > i) | (not among))  # no branches: half are not
            tested += candidate
            if candidate & touch(a, i, bodies, p, balls):
                if count < len(pairs):
                    pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    tests[0] = tested
    return count
