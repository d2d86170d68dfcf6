"""Pairs of triangles that two moving meshes may bring together, and until when they are certainly apart.

Pairs of nodes and spans of time are halved in turn. In the middle of a span the boxes have a distance, and no
point strays further than a bound from where it is then. If the distance exceeds the bound, what both nodes
hold is apart in the whole span. Motions are products of screws, as in `ougi.motion.screws`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.constants import RATE_ROUNDING
from ougi.kernels.mesh.constants import (
    HALVED_SHARE,
    LARGE_LEAF_SHARE,
    LEAF_SHARE,
    SHORTEST_LEAF_SPAN,
    SHORTEST_SPAN,
)
from ougi.kernels.mesh.oriented import RelativeFrame
from ougi.kernels.mesh.pairs import bound_gap, get_half, get_middle, measure_triangles, relate
from ougi.kernels.mesh.tree import BoxTree, load_triangle
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, along, cross, dot, length, scale, sub


class Side(NamedTuple):
    """A moving mesh: its tree, where it starts (1, 12), its screws (k, 8), and workspaces.

    Rows of screws are center, axis, angle and advance. `factors` (k, 12) and `pose` (1, 12) are the motion
    and the mesh in the middle of a span, `twist` (6,) is the spin and the velocity at the origin.
    """

    tree: BoxTree
    start: Floats
    screws: Floats
    factors: Floats
    pose: Floats
    twist: Floats


@device
def _load_vector(rows: Floats, i: int, k: int) -> Vec3:
    return Vec3(rows[i, k], rows[i, k + 1], rows[i, k + 2])


@device
def _turn(pose: Floats, i: int, v: Vec3) -> Vec3:
    return Vec3(
        dot(_load_vector(pose, i, 0), v), dot(_load_vector(pose, i, 3), v), dot(_load_vector(pose, i, 6), v)
    )


@device
def _apply(pose: Floats, i: int, p: Vec3) -> Vec3:
    return add(_turn(pose, i, p), _load_vector(pose, i, 9))


@device
def _store_factor(screws: Floats, i: int, t: float, out: Floats) -> None:
    """The pose of one screw at a time (`motion.screws.compute_poses`)."""
    c, u = _load_vector(screws, i, 0), _load_vector(screws, i, 3)
    angle = screws[i, 6] * t
    s, half = math.sin(angle), math.sin(0.5 * angle)
    v = 2.0 * half * half
    out[i, 0], out[i, 1], out[i, 2] = (
        1.0 - v * (u.y * u.y + u.z * u.z),
        v * u.x * u.y - s * u.z,
        v * u.x * u.z + s * u.y,
    )
    out[i, 3], out[i, 4], out[i, 5] = (
        v * u.x * u.y + s * u.z,
        1.0 - v * (u.x * u.x + u.z * u.z),
        v * u.y * u.z - s * u.x,
    )
    out[i, 6], out[i, 7], out[i, 8] = (
        v * u.x * u.z - s * u.y,
        v * u.y * u.z + s * u.x,
        1.0 - v * (u.x * u.x + u.y * u.y),
    )
    offset = scale(along(c, u, -dot(c, u)), v)
    offset = along(along(offset, cross(u, c), -s), u, screws[i, 7] * t)
    out[i, 9], out[i, 10], out[i, 11] = offset.x, offset.y, offset.z


@procedure
def _place(side: Side, t: float) -> None:
    """Write where the mesh is at a time, and its twist."""
    pose, factors = side.pose, side.factors
    for k in range(12):
        pose[0, k] = side.start[0, k]
    spin, drift = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    for i in range(len(side.screws) - 1, -1, -1):
        _store_factor(side.screws, i, t, factors)
        x, y, z = _load_vector(factors, i, 0), _load_vector(factors, i, 3), _load_vector(factors, i, 6)
        for k in range(3):
            column = _turn(factors, i, Vec3(pose[0, k], pose[0, 3 + k], pose[0, 6 + k]))
            pose[0, k], pose[0, 3 + k], pose[0, 6 + k] = column.x, column.y, column.z
        place = _apply(factors, i, _load_vector(pose, 0, 9))
        pose[0, 9], pose[0, 10], pose[0, 11] = place.x, place.y, place.z
        u = _load_vector(side.screws, i, 3)
        own = scale(u, side.screws[i, 6])
        turned = Vec3(dot(x, spin), dot(y, spin), dot(z, spin))
        drift = sub(_turn(factors, i, drift), cross(turned, _load_vector(factors, i, 9)))
        drift = along(add(drift, cross(_load_vector(side.screws, i, 0), own)), u, side.screws[i, 7])
        spin = add(own, turned)
    side.twist[0], side.twist[1], side.twist[2] = spin.x, spin.y, spin.z
    side.twist[3], side.twist[4], side.twist[5] = drift.x, drift.y, drift.z


class Bound(NamedTuple):
    """A node in motion: velocity of its middle, spin, bounds of speed and acceleration, and its radius."""

    velocity: Vec3
    spin: Vec3
    speed: float
    acceleration: float
    radius: float


@procedure
def _bound_node(side: Side, node: int, half: float) -> Bound:
    """Bounds for a node within half a span from the middle (`motion.screws.compute_bounds`)."""
    boxes = side.tree.boxes
    p = get_middle(boxes, node)
    corner = Vec3(boxes[node, 3] - p.x, boxes[node, 4] - p.y, boxes[node, 5] - p.z)
    radius = length(corner)
    y = _apply(side.start, 0, p)
    strays, speed, acceleration, parents = 0.0, 0.0, 0.0, 0.0
    for i in range(len(side.screws)):
        parents += abs(side.screws[i, 6])
    for i in range(len(side.screws) - 1, -1, -1):
        rate, advance = abs(side.screws[i, 6]), side.screws[i, 7]
        parents -= rate
        u = _load_vector(side.screws, i, 3)
        w = sub(y, _load_vector(side.screws, i, 0))
        rho = length(along(w, u, -dot(w, u))) + half * strays
        own = math.sqrt((rate * (rho + radius)) ** 2 + advance**2)
        strays += math.sqrt((rate * rho) ** 2 + advance**2)
        speed += own
        acceleration += own * (rate + 2.0 * max(parents, 0.0))
        y = _apply(side.factors, i, y)
    spin = Vec3(side.twist[0], side.twist[1], side.twist[2])
    velocity = add(cross(spin, y), Vec3(side.twist[3], side.twist[4], side.twist[5]))
    grow = 1.0 + RATE_ROUNDING
    return Bound(velocity, spin, speed * grow, acceleration * grow, radius)


@device
def _bound_motion(a: Bound, b: Bound, half: float) -> float:
    """How far two points of both nodes move towards each other within half a span, at most.

    Either by their speeds, or by their velocities in the middle and the accelerations.
    """
    closing = length(sub(a.velocity, b.velocity)) + length(a.spin) * a.radius + length(b.spin) * b.radius
    closing += RATE_ROUNDING * (a.speed + b.speed)
    bent = half * closing + 0.5 * half * half * (a.acceleration + b.acceleration)
    return min(half * (a.speed + b.speed), bent)


@device
def _is_apart_along(axis: Vec3, gap: float, a: Bound, b: Bound, half: float, limit: float) -> bool:
    """Does a gap along an axis last for half a span in either direction of time?"""
    closing = abs(dot(axis, sub(a.velocity, b.velocity))) + RATE_ROUNDING * (a.speed + b.speed)
    closing += length(cross(axis, a.spin)) * a.radius + length(cross(axis, b.spin)) * b.radius
    return gap > limit + half * closing + 0.5 * half * half * (a.acceleration + b.acceleration)


@procedure
def _are_apart(
    a: Side, i: int, b: Side, j: int, rel: RelativeFrame, one: Bound, two: Bound, half: float, limit: float
) -> bool:
    """Does an axis of either box separate two nodes in the whole span, however fast they slide along it?"""
    ha, hb, cb = get_half(a.tree.boxes, i), get_half(b.tree.boxes, j), get_middle(b.tree.boxes, j)
    x, y, z = rel.x, rel.y, rel.z
    c = Vec3(dot(x, cb) + rel.position.x, dot(y, cb) + rel.position.y, dot(z, cb) + rel.position.z)
    c = sub(c, get_middle(a.tree.boxes, i))
    p, q = a.pose, b.pose
    gap = abs(c.x) - ha.x - hb.x * abs(x.x) - hb.y * abs(x.y) - hb.z * abs(x.z)
    if _is_apart_along(Vec3(p[0, 0], p[0, 3], p[0, 6]), gap, one, two, half, limit):
        return True
    gap = abs(c.y) - ha.y - hb.x * abs(y.x) - hb.y * abs(y.y) - hb.z * abs(y.z)
    if _is_apart_along(Vec3(p[0, 1], p[0, 4], p[0, 7]), gap, one, two, half, limit):
        return True
    gap = abs(c.z) - ha.z - hb.x * abs(z.x) - hb.y * abs(z.y) - hb.z * abs(z.z)
    if _is_apart_along(Vec3(p[0, 2], p[0, 5], p[0, 8]), gap, one, two, half, limit):
        return True
    gap = abs(x.x * c.x + y.x * c.y + z.x * c.z) - hb.x - ha.x * abs(x.x) - ha.y * abs(y.x) - ha.z * abs(z.x)
    if _is_apart_along(Vec3(q[0, 0], q[0, 3], q[0, 6]), gap, one, two, half, limit):
        return True
    gap = abs(x.y * c.x + y.y * c.y + z.y * c.z) - hb.y - ha.x * abs(x.y) - ha.y * abs(y.y) - ha.z * abs(z.y)
    if _is_apart_along(Vec3(q[0, 1], q[0, 4], q[0, 7]), gap, one, two, half, limit):
        return True
    gap = abs(x.z * c.x + y.z * c.y + z.z * c.z) - hb.z - ha.x * abs(x.z) - ha.y * abs(y.z) - ha.z * abs(z.z)
    return _is_apart_along(Vec3(q[0, 2], q[0, 5], q[0, 8]), gap, one, two, half, limit)


@procedure
def _find_doubt(
    a: Side, b: Side, i: int, j: int, exact: bool, limit: float, low: float, high: float
) -> float:
    """The earliest time of a span from which on two leaves may be near; infinite if they are apart in all.

    The span is halved, the earlier half first, until its bound is small compared with the leaves.
    """
    start, width = low, high - low
    while start < high:
        half = 0.5 * width
        middle = start + half
        _place(a, middle)
        _place(b, middle)
        one, two = _bound_node(a, i, half), _bound_node(b, j, half)
        motion = _bound_motion(one, two, half)
        rel = relate(a.pose, 0, b.pose, 0)
        gap = bound_gap(a.tree.boxes, i, b.tree.boxes, j, rel)
        if gap <= motion + limit and _are_apart(a, i, b, j, rel, one, two, half, limit):
            gap = math.inf
        if exact and gap <= motion + limit:
            p = load_triangle(a.tree.corners, -1 - a.tree.links[i], a.pose, 0)
            q = load_triangle(b.tree.corners, -1 - b.tree.links[j], b.pose, 0)
            gap = measure_triangles(p, q)
        if gap > motion + limit:
            start += width  # apart in this span: the next one, twice as long where that is aligned
            if width < high - low and (start - low) % (2.0 * width) == 0.0:
                width *= 2.0
        elif width <= SHORTEST_LEAF_SPAN or motion <= max(
            LEAF_SHARE * min(one.radius, two.radius), LARGE_LEAF_SHARE * max(one.radius, two.radius)
        ):
            return start
        else:
            width = half
    return math.inf


@loop
def list_near_pairs(
    a: Side,
    b: Side,
    exact: bool,
    limit: float,
    until: float,
    out: Ints,
    times: Floats,
    nodes: Ints,
    spans: Floats,
) -> int:
    """Write pairs of leaves, as rows of triangles (n, 2), that may come within `limit`; return their number.

    `times` are those until which they are apart. Pairs may be listed more than once, and none after `until`.
    Those beyond the end of `out` are counted and not written. With `exact`, both sides are meshes, and
    triangles decide instead of their boxes. `nodes` (k, 2) and `spans` (k, 2) are a stack.
    """
    count = 0
    nodes[0, 0] = nodes[0, 1] = 0
    spans[0, 0], spans[0, 1] = 0.0, 1.0
    top, placed = 1, -1.0
    while top > 0:
        top -= 1
        i, j, low, high = nodes[top, 0], nodes[top, 1], spans[top, 0], spans[top, 1]
        if low >= until:
            continue
        half = 0.5 * (high - low)
        if placed != low + half:
            placed = low + half
            _place(a, placed)
            _place(b, placed)
        rel = relate(a.pose, 0, b.pose, 0)
        gap = bound_gap(a.tree.boxes, i, b.tree.boxes, j, rel)
        one, two = _bound_node(a, i, half), _bound_node(b, j, half)
        motion = _bound_motion(one, two, half)
        if gap > motion + limit or _are_apart(a, i, b, j, rel, one, two, half, limit):
            continue
        link_a, link_b = a.tree.links[i], b.tree.links[j]
        if link_a < 0 and link_b < 0:
            t = _find_doubt(a, b, i, j, exact, limit, low, high)
            placed = -1.0
            if t < until:
                if count < len(out):
                    out[count, 0], out[count, 1], times[count] = -1 - link_a, -1 - link_b, t
                count += 1
        elif motion > HALVED_SHARE * (one.radius + two.radius) and high - low > SHORTEST_SPAN:
            nodes[top + 1, 0], nodes[top + 1, 1], spans[top + 1, 0], spans[top + 1, 1] = i, j, low, placed
            nodes[top, 0], nodes[top, 1], spans[top, 0], spans[top, 1] = i, j, placed, high
            top += 2
        else:
            in_a = link_b < 0 or (link_a >= 0 and one.radius >= two.radius)
            for k in range(2):
                nodes[top, 0] = (link_a if k == 0 else i + 1) if in_a else i
                nodes[top, 1] = j if in_a else (link_b if k == 0 else j + 1)
                spans[top, 0], spans[top, 1] = low, high
                top += 1
    return count
