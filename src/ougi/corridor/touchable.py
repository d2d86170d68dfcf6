"""The features of a wall that a circle of a given radius can touch.

A center is free if it is no nearer than r to any wall. A free center that moves cannot leave the free region
without meeting its border. Every border point is at distance r from a wall feature that a free circle touches
there. So all features that no free circle of radius r touches can be removed: first contacts stay the same,
at any speed. If a free circle of radius R > r touches a point, then so does the circle of radius r inside it
that touches the same point. So the features that are touchable for r serve all larger radii.

To decide about a feature we walk along the centers that would touch it, from both ends. A wall point that is
nearer than r to one of these centers is so to all centers of a known interval, which is skipped at once. In
doubt a feature counts as touchable, which is never wrong.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ougi._native import device, loop, procedure, run
from ougi._typing import Floats, Ints
from ougi.corridor.contact import AX, AY, CORNER, LENGTH, UX, UY, Wall
from ougi.corridor.trees import STACK, SegmentTree, find_nearest

# A circle that overlaps a wall by no more than so many rounding bands and this part of its radius counts as
# free. That is more than the overlap after a bounce, and more than is accepted where circles start.
_DOUBT_BANDS, _DOUBT_RADII = 64.0, 2e-9
# Distances that are computed from one end of a feature. The rest of the feature then counts as touchable.
_MAX_DISTANCES = 32


class Touchable(NamedTuple):
    """Features that a free circle can touch, and the span in which it does so.

    Spans are lengths along an edge, or angles from its normal at a corner. There the normal of the edge
    before is at a negative angle.
    """

    features: Ints
    spans: Floats  # (features, 2)


class Feature(NamedTuple):
    """An edge, or the corner at its start, and the radius of the circles that touch it."""

    ax: float
    ay: float
    ux: float
    uy: float
    is_edge: bool
    radius: float


def find_touchable(tree: SegmentTree, wall: Wall, radius: float) -> Touchable:
    """The features that a free circle of a radius can touch."""
    spans = np.empty((2 * len(wall.rows), 2))
    run(find_spans, tree, wall, radius, spans, size=len(wall.rows))
    features = np.flatnonzero(spans[:, 0] <= spans[:, 1])
    return Touchable(features, spans[features])


@loop
def find_spans(tree: SegmentTree, wall: Wall, radius: float, spans: Floats, start: int, stop: int) -> None:
    """Find the spans of the edges and corners of segments start..stop; an empty span is (1, 0)."""
    rows = wall.rows
    stack = np.empty((2, STACK))
    for i in range(start, stop):
        ax, ay, ux, uy = rows[i, AX], rows[i, AY], rows[i, UX], rows[i, UY]
        edge = Feature(ax, ay, ux, uy, True, radius)
        spans[2 * i, 0], spans[2 * i, 1] = _find_span(tree, wall, edge, 0.0, rows[i, LENGTH], stack)
        spans[2 * i + 1, 0], spans[2 * i + 1, 1] = 1.0, 0.0
        if rows[i, CORNER] != 0.0:
            j = wall.before[i]
            turn = math.atan2(rows[j, UX] * uy - rows[j, UY] * ux, ux * rows[j, UX] + uy * rows[j, UY])
            corner = Feature(ax, ay, ux, uy, False, radius)
            low, high = _find_span(tree, wall, corner, min(turn, 0.0), 0.0, stack)
            spans[2 * i + 1, 0], spans[2 * i + 1, 1] = low, high


@procedure
def _find_span(
    tree: SegmentTree, wall: Wall, feature: Feature, low: float, high: float, stack: Floats
) -> tuple[float, float]:
    """The part of `low` to `high` outside of which all centers are blocked; (1, 0) if all are."""
    first = _first_free(tree, wall, feature, low, high, stack)
    if first > high:
        return 1.0, 0.0
    return first, min(max(first, _first_free(tree, wall, feature, high, first, stack)), high)


@procedure
def _first_free(
    tree: SegmentTree, wall: Wall, feature: Feature, s: float, end: float, stack: Floats
) -> float:
    """The first parameter from s to `end` that may be free; infinite, in that direction, if none is.

    A center counts as blocked if it is nearer to a wall than the radius by more than the doubt. An interval
    that a wall point blocks ends where this stops to hold, so each step is at least as long as the doubt.
    """
    doubt = _DOUBT_BANDS * wall.band + _DOUBT_RADII * feature.radius
    blocked, enough = feature.radius - doubt, feature.radius - 2.0 * doubt
    if enough <= 0.0:
        return s
    sign = 1.0 if end >= s else -1.0
    unit = 1.0 if feature.is_edge else feature.radius
    for _ in range(_MAX_DISTANCES):
        x, y = _center(feature, s)
        sure = min(max(blocked - abs(end - s) * unit, 0.0), enough)  # a point so near blocks all that is left
        distance_sq, k, along = find_nearest(tree, wall, x, y, enough * enough, sure * sure, stack)
        if k < 0:
            return s
        if distance_sq < sure * sure:
            return sign * math.inf
        qx = wall.rows[k, AX] + along * wall.rows[k, UX]
        qy = wall.rows[k, AY] + along * wall.rows[k, UY]
        s = _skip_blocked(feature, qx, qy, s, sign, blocked)
        if (end - s) * sign < 0.0:
            return sign * math.inf
    return s


@device
def _center(feature: Feature, s: float) -> tuple[float, float]:
    """The center of the circle that touches an edge at s, or a corner s radians from the edge's normal."""
    ax, ay, ux, uy, is_edge, r = feature
    if is_edge:
        return ax + s * ux - r * uy, ay + s * uy + r * ux
    c, z = math.cos(s), -math.sin(s)
    return ax - r * (c * uy + z * ux), ay + r * (c * ux - z * uy)


@device
def _skip_blocked(feature: Feature, qx: float, qy: float, s: float, sign: float, blocked: float) -> float:
    """Where centers that go on from s get as far as `blocked` from q, which is nearer than that at s."""
    ax, ay, ux, uy, is_edge, r = feature
    wx, wy = qx - ax, qy - ay
    along, off = wx * ux + wy * uy, ux * wy - uy * wx
    if is_edge:  # a chord of the circle around q
        end: float = along + sign * math.sqrt(max(blocked * blocked - (off - r) ** 2, 0.0))
        return end
    # |center - q|^2 = r^2 + w^2 - 2 r w cos(angle between them): an arc of the circle around the corner.
    w = math.sqrt(wx * wx + wy * wy)
    cosine = (r * r + w * w - blocked * blocked) / (2.0 * r * w) if w > 0.0 else 2.0
    middle = math.atan2(along, off)
    if middle > s + math.pi:
        middle -= 2.0 * math.pi
    elif middle < s - math.pi:
        middle += 2.0 * math.pi
    return middle + sign * math.acos(min(max(cosine, -1.0), 1.0))
