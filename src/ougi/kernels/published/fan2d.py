"""Fan against point, rectangle and circle as in FAN2D sec. 2.2-2.4: crossings, and two half-planes.

The paper's fan turns by at most half a turn: these functions are for half angles up to pi / 2 and do not
check it. A and A' are the inner ends of the right and left side, B and B' the outer ends.
"""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.planar import (
    Crossings,
    circle_circle_crossings,
    in_rectangle,
    segment_circle_crossings,
    segments_touch,
)
from ougi.kernels.records import Circle, Rectangle, Sector2d, Vec2
from ougi.kernels.sector2d_wedge import to_sector2d, turn_to_sector2d
from ougi.kernels.support2d import rectangle_corners
from ougi.kernels.vec2 import cross, dot, length_sq, scale, sub

_CENTER = Vec2(0.0, 0.0)


@device
def _between_the_sides(side: Vec2, p: Vec2) -> bool:
    """(2.2) and (2.3), with the sides' directions for A - O and A' - O, which are 0 for a fan without a hole.

    The two half-planes of a fan of zero angle leave a line, so the side on which A lies is
    tested too (erratum 21).
    """
    right = Vec2(side.x, -side.y)
    ahead = (dot(p, side) >= 0.0) | (dot(p, right) >= 0.0)
    return (cross(p, right) <= 0.0) & (cross(p, side) >= 0.0) & ahead


@device
def contains_sector2d_point(a: Sector2d, p: Vec2) -> bool:
    """Sec. 2.2: (2.1), (2.2), (2.3)."""
    q = to_sector2d(a, p)
    rho_sq = length_sq(q)
    ring = (a.inner_radius * a.inner_radius <= rho_sq) & (rho_sq <= a.outer_radius * a.outer_radius)
    return ring & _between_the_sides(a.side, q)


@device
def _valid(side: Vec2, found: Crossings) -> bool:
    """Does a crossing with a circle of the fan lie between its sides?"""
    return (found.number > 0 and _between_the_sides(side, found.first)) or (
        found.number > 1 and _between_the_sides(side, found.second)
    )


@device
def _edge_crosses(a: Sector2d, p: Vec2, e: Vec2) -> bool:
    """Sec. 2.3.1 with the denominator of (2.6) repaired (FAN erratum 4), and sec. 2.3.2."""
    left, right = a.side, Vec2(a.side.x, -a.side.y)
    return (
        segments_touch(p, e, scale(left, a.inner_radius), scale(left, a.outer_radius))
        or segments_touch(p, e, scale(right, a.inner_radius), scale(right, a.outer_radius))
        or _valid(a.side, segment_circle_crossings(p, e, Circle(_CENTER, a.outer_radius)))
        or _valid(a.side, segment_circle_crossings(p, e, Circle(_CENTER, a.inner_radius)))
    )


@procedure
def intersects_sector2d_rectangle(a: Sector2d, b: Rectangle) -> bool:
    """Sec. 2.3, with containment both ways, which the paper leaves out (erratum 20)."""
    local = Rectangle(to_sector2d(a, b.center), b.half, turn_to_sector2d(a, b.x))
    corners = rectangle_corners(local, _CENTER)
    p = corners[3]
    for e in corners:
        if _edge_crosses(a, p, e):
            return True
        p = e
    return in_rectangle(
        scale(a.side, a.outer_radius), corners[0], corners[1], corners[2], corners[3]
    ) or contains_sector2d_point(a, b.center)


@device
def _side_crosses(circle: Circle, near: Vec2, far: Vec2) -> bool:
    return segment_circle_crossings(near, far, circle).number > 0


@procedure
def intersects_sector2d_circle(a: Sector2d, b: Circle) -> bool:
    """Sec. 2.4: crossings of the circle with the sides and with both circles (sec. 2.4.1), and containment
    both ways, which the paper leaves out (erratum 20)."""
    circle = Circle(to_sector2d(a, b.center), b.radius)
    left, right = a.side, Vec2(a.side.x, -a.side.y)
    far = scale(left, a.outer_radius)
    return (
        _side_crosses(circle, scale(left, a.inner_radius), far)
        or _side_crosses(circle, scale(right, a.inner_radius), scale(right, a.outer_radius))
        or _valid(a.side, circle_circle_crossings(Circle(_CENTER, a.outer_radius), circle))
        or _valid(a.side, circle_circle_crossings(Circle(_CENTER, a.inner_radius), circle))
        or length_sq(sub(far, circle.center)) <= b.radius * b.radius
        or contains_sector2d_point(a, b.center)
    )
