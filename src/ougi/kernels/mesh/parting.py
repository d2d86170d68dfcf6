"""Until when do two moving meshes certainly touch? As long as one pair of their triangles does.

Two triangles that overlap by a depth cannot part before two of their points have moved so far relative to
each other. So time advances by the depth over a bound of that speed, first with one pair of triangles, and
then with another one that touches.
"""

from __future__ import annotations

import math

from ougi._native import device, loop, procedure
from ougi._typing import Ints
from ougi.kernels.constants import RATE_ROUNDING
from ougi.kernels.mesh.constants import FOLLOWED_PAIRS, FOLLOWED_SHARE
from ougi.kernels.mesh.pairs import bound_gap, measure_size, measure_slack, relate
from ougi.kernels.mesh.sweep import Bound, Side, _bound_node, _place
from ougi.kernels.mesh.tree import load_triangle
from ougi.kernels.support3d import translate_triangle
from ougi.kernels.triangle3d_triangle3d import intersects_triangle3d_triangle3d, separation
from ougi.kernels.vec3 import length, neg, sub


@device
def _find_duration(depth: float, a: Bound, b: Bound) -> float:
    """How long two points of both nodes need at least to move by a depth relative to each other.

    Either by their speeds, or by their velocities now and the accelerations.
    """
    speed = a.speed + b.speed
    closing = length(sub(a.velocity, b.velocity)) + length(a.spin) * a.radius + length(b.spin) * b.radius
    closing += RATE_ROUNDING * speed
    # The positive root of closing x + bend x^2 / 2 = depth.
    bend = a.acceleration + b.acceleration
    divisor = closing + math.sqrt(closing * closing + 2.0 * bend * depth)
    by_speed = depth / speed if speed > 0.0 else math.inf
    return max(by_speed, 2.0 * depth / divisor if divisor > 0.0 else math.inf)


@procedure
def _find_step(a: Side, i: int, b: Side, j: int, rest: float, slack: float) -> float:
    """How long two leaves touch at least, from where both meshes are placed; 0 if that is unknown."""
    p = load_triangle(a.tree.corners, -1 - a.tree.links[i], a.pose, 0)
    q = load_triangle(b.tree.corners, -1 - b.tree.links[j], b.pose, 0)
    o = neg(p.a)
    depth = -separation(translate_triangle(p, o), translate_triangle(q, o)).distance - slack
    if depth <= 0.0:
        return 0.0
    return _find_duration(depth, _bound_node(a, i, rest), _bound_node(b, j, rest))


@procedure
def _find_deep_leaves(a: Side, b: Side, rest: float, slack: float, stack: Ints, found: Ints) -> float:
    """Of the first leaves that touch, write the two that do so for longest; how long, or 0."""
    rel = relate(a.pose, 0, b.pose, 0)
    longest, touching = 0.0, 0
    stack[0, 0] = stack[0, 1] = 0
    top = 1
    while top > 0 and touching < FOLLOWED_PAIRS:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if bound_gap(a.tree.boxes, i, b.tree.boxes, j, rel) > slack:
            continue
        link_a, link_b = a.tree.links[i], b.tree.links[j]
        if link_a < 0 and link_b < 0:
            p = load_triangle(a.tree.corners, -1 - link_a, a.pose, 0)
            q = load_triangle(b.tree.corners, -1 - link_b, b.pose, 0)
            if intersects_triangle3d_triangle3d(p, q):
                touching += 1
                step = _find_step(a, i, b, j, rest, slack)
                if step > longest:
                    longest, found[0], found[1] = step, i, j
            continue
        in_a = link_b < 0 or (link_a >= 0 and measure_size(a.tree.boxes, i) >= measure_size(b.tree.boxes, j))
        for k in range(2):
            stack[top, 0] = (link_a if k == 0 else i + 1) if in_a else i
            stack[top, 1] = j if in_a else (link_b if k == 0 else j + 1)
            top += 1
    return longest


@loop
def advance_contact(
    a: Side, b: Side, smallest: float, max_steps: int, stack: Ints, found: Ints, steps: Ints
) -> float:
    """The time until which two meshes certainly touch, from 0 to 1, in advances of more than `smallest`.

    `found` (2,) is a workspace. The number of advances, at most `max_steps`, is written to `steps` (1,).
    """
    t, first = 0.0, 0.0
    steps[0] = 0
    while t < 1.0 and steps[0] < max_steps:
        _place(a, t)
        _place(b, t)
        slack = measure_slack(a.tree.boxes, a.pose, 0, b.tree.boxes, 0, b.pose, 0)
        step = _find_step(a, found[0], b, found[1], 1.0 - t, slack) if first > 0.0 else 0.0
        if step <= max(FOLLOWED_SHARE * first, smallest):
            step = first = _find_deep_leaves(a, b, 1.0 - t, slack, stack, found)
        if step <= smallest:
            return t
        t += step
        steps[0] += 1
    return min(t, 1.0)
