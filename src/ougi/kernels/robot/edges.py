"""Loops over configurations, edges and boxes of configurations of a robot."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop
from ougi._typing import Floats, Ints
from ougi.kernels.constants import FREE, HIT, OVERLAPPING, UNDECIDED
from ougi.kernels.records import Vec3
from ougi.kernels.robot.constants import (
    FINEST_TOLERANCE,
    MAX_DEPTH,
    OPEN,
    PROVEN,
    ROUNDING_BASE,
    ROUNDING_JOINT,
    ROUNDING_RADIAN,
    ROUNDING_UNIT,
    TOUCHING,
)
from ougi.kernels.robot.gaps import check_pair, load_row, measure_shapes
from ougi.kernels.robot.gjk import DistanceBounds
from ougi.kernels.robot.kinematics import place_joints, place_shape
from ougi.kernels.robot.lean import lean
from ougi.kernels.robot.records import Joints, LinkShapes, Pairs, RobotWorkspace
from ougi.kernels.vec3 import length_sq, scale, sub


class PairsVerdict(NamedTuple):
    """What is known of a list of pairs.

    `n_open` pairs are not proven. `touching` is one that touches, or -1. `is_found`: that pair hardly moves.
    `is_covered`: a pair overlaps by more than it can move.
    """

    n_open: int
    touching: int
    is_found: bool
    is_covered: bool


@device
def _advance_stamp(work: RobotWorkspace) -> None:
    """All that was computed for a configuration is old now."""
    work.stamp[len(work.stamp) - 1] += 1


@lean
def _place_at(joints: Joints, q: Floats, e: int, work: RobotWorkspace) -> None:
    """Place the robot at configuration e."""
    for k in range(len(joints.parent)):
        work.value[k] = joints.factor[k] * q[e, joints.source[k]] + joints.offset[k]
        work.change[k] = work.rate[k] = 0.0
    _advance_stamp(work)
    place_joints(joints, work)


@lean
def place_during(joints: Joints, terms: Floats, e: int, t: float, half: float, work: RobotWorkspace) -> None:
    """Place the robot at a time of edge e, and bound the changes of joints within `half` of it.

    Coefficients of polynomials are shifted to t by Horner's scheme. The sum of the absolute terms bounds what
    a polynomial changes by.
    """
    degree = terms.shape[1] - 1
    for k in range(len(joints.parent)):
        c, s = joints.source[k], 0.0
        value = terms[e, degree, c]
        rate = value * half
        if degree == 1:
            s = abs(rate)
            value = terms[e, 0, c] + value * t
        else:
            power = half
            for i in range(degree):
                # Row i of the scheme; its last entry is the i-th derivative over i!.
                entry = 0.0
                for j in range(degree, i - 1, -1):
                    entry = entry * t + terms[e, j, c] * _binomial(j, i)
                if i == 0:
                    value = entry
                else:
                    if i == 1:
                        rate = entry * half
                    s += abs(entry) * power
                    power *= half
            s += abs(terms[e, degree, c]) * power
        work.value[k] = joints.factor[k] * value + joints.offset[k]
        work.change[k] = abs(joints.factor[k]) * s
        work.rate[k] = joints.factor[k] * rate
    _advance_stamp(work)
    place_joints(joints, work)


@device
def _binomial(n: int, k: int) -> float:
    value = 1.0
    for i in range(k):
        value = value * (n - i) / (i + 1)
    return value


@device
def _bound_rounding(joints: Joints, work: RobotWorkspace, extent: float) -> float:
    """What a gap may be off by while joints are within `work.change` of `work.value`."""
    reach, angle, depth = extent, 0.0, 0
    for k in range(len(joints.parent)):
        value = abs(work.value[k]) + work.change[k]
        depth = max(depth, joints.depth[k] + 1)
        if joints.turns[k]:
            angle += value
        else:
            reach += value
    return ROUNDING_UNIT * reach * (ROUNDING_BASE + ROUNDING_JOINT * depth + ROUNDING_RADIAN * angle)


@lean
def bound_edge_rounding(joints: Joints, terms: Floats, e: int, work: RobotWorkspace, extent: float) -> float:
    """What a gap may be off by during edge e: all terms of a polynomial are rounded."""
    for k in range(len(joints.parent)):
        total = 0.0
        for i in range(terms.shape[1]):
            total += abs(terms[e, i, joints.source[k]])
        work.value[k], work.change[k] = joints.offset[k], abs(joints.factor[k]) * total
    return _bound_rounding(joints, work, extent)


@loop
def place_robots(joints: Joints, q: Floats, work: RobotWorkspace, out: Floats, start: int, stop: int) -> None:
    """Poses (n, joints, 12) of all joints."""
    for e in range(start, stop):
        _place_at(joints, q, e, work)
        for k in range(len(joints.parent)):
            for i in range(12):
                out[e, k, i] = work.pose[k, i]


@lean
def _filter_pairs(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    work: RobotWorkspace,
    list_index: int,
    margin: float,
    rounding: float,
    tol: float,
    stop_early: bool,
) -> PairsVerdict:
    """Check the pairs of a list, and write those that are not proven to the next one.

    A pair of groups is replaced by the pairs of its members. `stop_early` ends at a pair that touches.
    """
    bounds, listed = work.bounds, work.open
    begin, end = bounds[list_index], bounds[list_index + 1]
    top, touching, is_found, is_covered = end, -1, False, False
    for i in range(begin, end):
        k = listed[i]
        a, b, level = pairs.row[k, 0], pairs.row[k, 1], pairs.row[k, 2]
        code, bound, gap = check_pair(joints, shapes, work, a, b, level, margin, rounding, tol, stop_early, k)
        if code == PROVEN:
            continue
        if k < pairs.n_groups:
            for member in range(pairs.row[k, 3], pairs.row[k, 4]):
                listed[top] = member
                top += 1
            continue
        listed[top] = k
        top += 1
        if code == TOUCHING:
            found, covered = bound <= 0.5 * tol, gap + bound + rounding <= 0.0
            if touching < 0 or (found and not is_found) or (covered and not is_covered and not is_found):
                touching = k
            is_found |= found
            is_covered |= covered
            if stop_early:
                break
    bounds[list_index + 2] = top
    return PairsVerdict(top - end, touching, is_found, is_covered)


@device
def _check_all(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    work: RobotWorkspace,
    margin: float,
    rounding: float,
    tol: float,
    stop_early: bool,
) -> PairsVerdict:
    """Check all pairs: groups first, then the members of those that are not proven."""
    verdict = PairsVerdict(0, -1, False, False)
    for list_index in range(2):
        verdict = _filter_pairs(joints, shapes, pairs, work, list_index, margin, rounding, tol, stop_early)
    return verdict


@loop
def find_collisions(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    q: Floats,
    margin: float,
    work: RobotWorkspace,
    out: Ints,
    start: int,
    stop: int,
) -> None:
    """A pair that touches at each configuration, or -1."""
    for e in range(start, stop):
        _place_at(joints, q, e, work)
        out[e] = _check_all(joints, shapes, pairs, work, margin, 0.0, 0.0, True).touching


@lean
def _measure_gap(
    joints: Joints, shapes: LinkShapes, work: RobotWorkspace, a: int, b: int, limit: float
) -> DistanceBounds:
    """Bounds of the gap of two shapes, and their nearest points; not tight beyond a limit."""
    place_shape(joints, shapes, a, work)
    place_shape(joints, shapes, b, work)
    radius = shapes.radius[a, 2] + shapes.radius[b, 2]
    guess = sub(load_row(work.place, a, 0), load_row(work.place, b, 0))
    gap = measure_shapes(shapes, work, a, b, guess, limit + radius, 0.0, True, True)
    return DistanceBounds(gap.lower - radius, gap.upper - radius, gap.a, gap.b)


@lean
def _store_contact(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    work: RobotWorkspace,
    k: int,
    out: Floats,
    e: int,
    first: int,
) -> float:
    """Write point and normal of a pair at the present configuration; returns the gap."""
    a, b = pairs.row[k, 0], pairs.row[k, 1]
    gap = _measure_gap(joints, shapes, work, a, b, math.inf)
    v = sub(gap.b, gap.a)
    length = math.sqrt(length_sq(v))
    n = scale(v, 1.0 / length) if length > 0.0 else Vec3(math.nan, math.nan, math.nan)
    r = shapes.radius[b, 2]
    out[e, first] = gap.b.x - r * n.x
    out[e, first + 1] = gap.b.y - r * n.y
    out[e, first + 2] = gap.b.z - r * n.z
    out[e, first + 3], out[e, first + 4], out[e, first + 5] = n
    return gap.upper


@loop
def measure_gaps(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    q: Floats,
    work: RobotWorkspace,
    out: Floats,
    start: int,
    stop: int,
) -> None:
    """The smallest gap at each configuration, its pair, point and normal."""
    for e in range(start, stop):
        _place_at(joints, q, e, work)
        best, found = math.inf, -1
        for g in range(pairs.n_groups):
            if _measure_gap(joints, shapes, work, pairs.row[g, 0], pairs.row[g, 1], best).lower >= best:
                continue
            for k in range(pairs.row[g, 3], pairs.row[g, 4]):
                gap = _measure_gap(joints, shapes, work, pairs.row[k, 0], pairs.row[k, 1], best)
                if gap.lower < best and gap.upper < best:
                    best, found = gap.upper, k
        out[e, 0], out[e, 1] = best, found
        if found >= 0:
            _store_contact(joints, shapes, pairs, work, found, out, e, 2)


@device
def locate_interval(depth: int, index: int) -> tuple[float, float]:
    """The middle and half the width of an interval: a node of the binary tree over [0, 1]."""
    half = math.ldexp(0.5, -depth)
    return (2 * index + 1) * half, half


@device
def find_next_interval(depth: int, index: int, is_open: bool) -> tuple[int, int]:
    """The left half of an interval that is open, or what follows on an interval; depth -1 is the end."""
    if is_open:
        return depth + 1, 2 * index
    while depth > 0 and index % 2 == 1:
        depth -= 1
        index //= 2
    return (depth, index + 1) if depth > 0 else (-1, 0)


@lean
def store_edge(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    terms: Floats,
    work: RobotWorkspace,
    out: Floats,
    e: int,
    status: float,
    t: float,
    pair: int,
    count: int,
    max_gap: float,
) -> None:
    """Write the result of edge e, with point and normal unless `max_gap`, that of contacts, is NaN."""
    out[e, 0], out[e, 1], out[e, 2], out[e, 9] = status, t, pair, count
    for i in range(3, 9):
        out[e, i] = math.nan
    if pair >= 0 and not math.isnan(max_gap):
        place_during(joints, terms, e, t, 0.0, work)
        gap = _store_contact(joints, shapes, pairs, work, pair, out, e, 3)
        if t == 0.0 and gap <= max_gap:
            out[e, 0] = OVERLAPPING


@loop
def find_edge_contacts(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    terms: Floats,
    margin: float,
    extent: float,
    min_gap: float,
    any_contact: bool,
    max_intervals: int,
    work: RobotWorkspace,
    out: Floats,
    start: int,
    stop: int,
) -> None:
    """First contacts of edges: status, time, pair, point, normal and the number of intervals.

    An interval is a node of a binary tree: `index` counts those of one depth. Its left half comes first, so
    that everything before an interval is certified. With `any_contact` the first contact found ends an edge.
    `extent` is the reach of all shapes without translations, and `min_gap` the tolerance of contacts.
    """
    for e in range(start, stop):
        rounding = bound_edge_rounding(joints, terms, e, work, extent)
        tol = max(min_gap, FINEST_TOLERANCE * rounding)
        depth, index, count = 0, 0, 0
        status, t, pair = FREE, math.nan, -1
        while depth >= 0:
            middle, half = locate_interval(depth, index)
            place_during(joints, terms, e, middle, half, work)
            count += 1
            if depth == 0:
                found = _check_all(joints, shapes, pairs, work, margin, rounding, tol, any_contact)
            else:
                found = _filter_pairs(
                    joints, shapes, pairs, work, depth + 1, margin, rounding, tol, any_contact
                )
            if found.is_found or (any_contact and found.touching >= 0):
                status, t, pair = HIT, middle - half, found.touching
                break
            if found.n_open > 0 and (depth == MAX_DEPTH or count >= max_intervals):
                status, t = UNDECIDED, middle - half
                break
            depth, index = find_next_interval(depth, index, found.n_open > 0)
        max_gap = math.nan if any_contact else margin + tol
        store_edge(joints, shapes, pairs, terms, work, out, e, status, t, pair, count, max_gap)


@loop
def check_boxes(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    center: Floats,
    half: Floats,
    margin: float,
    extent: float,
    work: RobotWorkspace,
    out: Ints,
    start: int,
    stop: int,
) -> None:
    """Boxes of configurations: 0 certified free, 1 not decided, 2 colliding everywhere; and a pair or -1.

    A box collides everywhere if a pair overlaps at its center by more than it can move.
    """
    for e in range(start, stop):
        for k in range(len(joints.parent)):
            c = joints.source[k]
            work.value[k] = joints.factor[k] * center[e, c] + joints.offset[k]
            work.change[k] = abs(joints.factor[k]) * half[e, c]
            work.rate[k] = 0.0
        rounding = _bound_rounding(joints, work, extent)
        _advance_stamp(work)
        place_joints(joints, work)
        found = _check_all(joints, shapes, pairs, work, margin, rounding, 0.0, False)
        out[e, 0] = PROVEN if found.n_open == 0 else TOUCHING if found.is_covered else OPEN
        out[e, 1] = found.touching
