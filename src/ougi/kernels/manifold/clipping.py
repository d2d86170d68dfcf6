"""Points at which two faces, or two edges, lie above each other.

The corners of the overlap of two convex polygons are the ends of each one's edges, clipped by the other one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Floats
from ougi.kernels.manifold.features import Edge, Face, height_at, measure_flat
from ougi.kernels.records import Vec3


class Tolerances(NamedTuple):
    """Radii of both bodies, lengths below which a point lies on a border, and below which two are one."""

    radius_a: float
    radius_b: float
    clip: float
    same: float


@procedure
def add_point(
    points: Floats, count: int, x: float, y: float, top: float, bottom: float, tol: Tolerances
) -> int:
    """Append x, y, height and depth of a point at which the bodies overlap; of two in one place the deeper.

    `top` is the height of the core of a, `bottom` that of b.
    """
    depth = top - bottom + tol.radius_a + tol.radius_b
    if depth < -tol.clip:
        return count
    at = count
    for k in range(count):
        if measure_flat(points[k, 0] - x, points[k, 1] - y) <= tol.same:
            if points[k, 3] >= depth:
                return count
            at = k
            break
    points[at, 0], points[at, 1] = x, y
    points[at, 2] = 0.5 * (top + tol.radius_a + bottom - tol.radius_b)
    points[at, 3] = max(depth, 0.0)
    return max(count, at + 1)


@procedure
def clip_segment(segments: Floats, i: int, border: Floats, count: int, slack: float) -> tuple[float, float]:
    """The part of segment i inside of a border, as two shares of its length; (1, 0) if there is none."""
    sx, sy, ex, ey = segments[i, 0], segments[i, 1], segments[i, 3], segments[i, 4]
    first, last = 0.0, 1.0
    for k in range(count):
        x, y = border[k, 0], border[k, 1]
        dx, dy = border[k, 3] - x, border[k, 4] - y
        size = measure_flat(dx, dy)
        if not size > slack:
            continue
        s, e = (dx * (sy - y) - dy * (sx - x)) / size, (dx * (ey - y) - dy * (ex - x)) / size
        if s < -slack and e < -slack:
            return 1.0, 0.0
        if s < -slack:
            first = max(first, min(s / (s - e), 1.0))
        elif e < -slack:
            last = min(last, max(s / (s - e), 0.0))
    return first, last


@procedure
def add_clipped(
    points: Floats,
    count: int,
    segments: Floats,
    segment_count: int,
    border: Floats,
    border_count: int,
    face: Face,
    is_top: bool,
    tol: Tolerances,
) -> int:
    """Append the ends of segments clipped by a border; `face` is that of the other body.

    `is_top`: the segments belong to a, which looks up.
    """
    for i in range(segment_count):
        first, last = clip_segment(segments, i, border, border_count, tol.clip)
        if first > last:
            continue
        for share in (first, last):
            x = segments[i, 0] + share * (segments[i, 3] - segments[i, 0])
            y = segments[i, 1] + share * (segments[i, 4] - segments[i, 1])
            z = segments[i, 2] + share * (segments[i, 5] - segments[i, 2])
            other = height_at(face, x, y)
            if is_top:
                count = add_point(points, count, x, y, z, other, tol)
            else:
                count = add_point(points, count, x, y, other, z, tol)
    return count


@device
def _point_at(edge: Edge, s: float, e: float, at: float) -> Vec3:
    """The point of an edge whose ends lie at s and e along some direction."""
    share = min(max((at - s) / (e - s), 0.0), 1.0) if e != s else 0.0
    u, v = edge.start, edge.end
    return Vec3(u.x + share * (v.x - u.x), u.y + share * (v.y - u.y), u.z + share * (v.z - u.z))


@procedure
def add_common_ends(points: Floats, count: int, a: Edge, b: Edge, shortest: float, tol: Tolerances) -> int:
    """Append the ends of the part of two nearly parallel edges in which they lie above each other.

    A part that is shorter than `shortest` is ignored.

    Round edges that lie beside each other touch on the line between their middles, at less depth.
    """
    ax, ay = a.end.x - a.start.x, a.end.y - a.start.y
    bx, by = b.end.x - b.start.x, b.end.y - b.start.y
    size_a, size_b = measure_flat(ax, ay), measure_flat(bx, by)
    sense = 1.0 if ax * bx + ay * by >= 0.0 else -1.0
    # Along both, so that no body is preferred.
    dx, dy = ax / size_a + sense * bx / size_b, ay / size_a + sense * by / size_b
    size = measure_flat(dx, dy)
    dx, dy = dx / size, dy / size
    s, e = dx * a.start.x + dy * a.start.y, dx * a.end.x + dy * a.end.y
    f, g = dx * b.start.x + dy * b.start.y, dx * b.end.x + dy * b.end.y
    first, last = max(min(s, e), min(f, g)), min(max(s, e), max(f, g))
    if first > last or last - first < shortest:
        return count
    reach = tol.radius_a + tol.radius_b
    share = tol.radius_a / reach if reach > 0.0 else 0.5
    for at in (first, last):
        p, q = _point_at(a, s, e, at), _point_at(b, f, g, at)
        beside = measure_flat(p.x - q.x, p.y - q.y)
        if beside > reach + tol.clip:
            continue
        loss = reach - math.sqrt(max(reach * reach - beside * beside, 0.0))
        x, y = p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)
        count = add_point(points, count, x, y, p.z - share * loss, q.z + (1.0 - share) * loss, tol)
    return count
