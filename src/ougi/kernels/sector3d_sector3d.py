"""Thick fan against thick fan, in closed form but for zeros of functions of one variable.

If the bodies share points but no edge of one meets the other, the border of what they share consists of parts
of walls alone. A flat face or side that took part would be cut by the other body along a closed curve, and
only the whole section of a full wall is closed: it crosses the seam of that wall, which counts as an edge
here. So it is enough to test

1. do straight edges of one body (along the axis, along the radii) meet the other: `edge_meets`;
2. do rims (arcs of circles) of one meet the other;
3. if not, do the endless hollow cylinders share a point that lies in both bodies? A common part that no edge
   meets is a whole component of what they share, so that one point of each component decides.

2. The part of a rim inside the other body begins at an end of the rim (on a straight edge), on a plane or on
the outer wall, or else the distance from the other axis has an extremum in it. All these points are tried.
Seen along the other axis the circle is an ellipse; the common perpendicular of the axes is one of its
principal directions, so that its nearest and farthest points lie in known quadrants: see `_axis_extrema`.

3. Let w be the coordinate along the common perpendicular, a and b those across the two axes, perpendicular to
it. For axes that are not parallel the three are coordinates of space. r^2 <= a^2 + w^2 <= R^2 limits only a
at each w, and the other cylinder only b: the shared part is, at each w, the product of one or two intervals
of a by one or two of b. They change steadily with w, so that every component is met at the middle of the
range of w. For parallel axes components are endless, and there is nothing to test.

Nothing is special about parallel or nearly parallel axes: the direction in the plane of the rim is then
mostly rounding, but any is right up to the square of the sine between the axes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import CROSSING_STEPS, TINY
from ougi.kernels.records import Frame, Sector3d, Vec2, Vec3
from ougi.kernels.sector2d_wedge import within_wedge
from ougi.kernels.sector3d_capsule3d import flat
from ougi.kernels.sector3d_slab import edge_meets
from ougi.kernels.sector3d_sphere import to_frame
from ougi.kernels.vec2 import dot as dot2
from ougi.kernels.vec2 import length as length2
from ougi.kernels.vec2 import neg as neg2
from ougi.kernels.vec2 import turn_left, unit_or
from ougi.kernels.vec3 import along, dot, length, neg, scale, sub

_HALF_TURN = math.pi
_QUARTER = 0.5 * math.pi


class Rim(NamedTuple):
    """The circle center + cos u + sin v in the frame of the other body.

    `own_u` and `own_v` are the directions of u and v in the plane of its own fan, `side` is its half angle.
    """

    center: Vec3
    u: Vec3
    v: Vec3
    own_u: Vec2
    own_v: Vec2
    side: Vec2


@device
def _turn_to_frame(frame: Frame, v: Vec3) -> Vec3:
    """A direction in a frame."""
    return Vec3(dot(v, frame.x), dot(v, frame.y), dot(v, frame.z))


@device
def _to_local(a: Sector3d, b: Sector3d) -> Sector3d:
    """b in the frame of a."""
    f = b.frame
    frame = Frame(
        to_frame(a.frame, f.center),
        _turn_to_frame(a.frame, f.x),
        _turn_to_frame(a.frame, f.y),
        _turn_to_frame(a.frame, f.z),
    )
    return Sector3d(frame, b.side, b.inner_radius, b.outer_radius, b.half_height)


@device
def _in_ring(a: Sector3d, p: Vec3) -> bool:
    rho = length2(flat(p))
    return (a.inner_radius <= rho) & (rho <= a.outer_radius)


@device
def _holds(a: Sector3d, p: Vec3) -> bool:
    """Is a point, in the fan's frame, in the fan?"""
    return (abs(p.z) <= a.half_height) & within_wedge(a.side, flat(p)) & _in_ring(a, p)


# --- planes that separate -------------------------------------------------------------------------------


@device
def _reach(a: Sector3d, n: Vec3) -> float:
    """How far the whole cylinder of a reaches from its center along the unit vector n."""
    along_axis = dot(n, a.frame.z)
    x, y = dot(n, a.frame.x), dot(n, a.frame.y)
    return a.half_height * abs(along_axis) + a.outer_radius * math.sqrt(x * x + y * y)


@device
def _is_separated_along(a: Sector3d, b: Sector3d, d: Vec3, n: Vec3) -> bool:
    return abs(dot(d, n)) > 1.0000001 * (_reach(a, n) + _reach(b, n))


@device
def _is_separated(a: Sector3d, b: Sector3d) -> bool:
    """Quick proofs that most pairs do not touch: their whole cylinders have a plane between them."""
    d = sub(b.frame.center, a.frame.center)
    size = length(d)
    n = scale(d, 1.0 / size) if size > 0.0 else a.frame.z
    return (
        _is_separated_along(a, b, d, n)
        or _is_separated_along(a, b, d, a.frame.z)
        or _is_separated_along(a, b, d, b.frame.z)
    )


# --- straight edges -------------------------------------------------------------------------------------


@device
def _at(b: Sector3d, sign: float, radius: float, level: float) -> Vec3:
    """A corner of b, or a point of the lines through its corners."""
    p = along(b.frame.center, b.frame.z, level)
    p = along(p, b.frame.x, radius * b.side.x)
    return along(p, b.frame.y, radius * sign * b.side.y)


@procedure
def _side_edges_meet(a: Sector3d, b: Sector3d, sign: float) -> bool:
    """Does an edge of the left (1) or right (-1) side of b meet a? b in the frame of a."""
    p, q = _at(b, sign, b.inner_radius, -b.half_height), _at(b, sign, b.inner_radius, b.half_height)
    r, s = _at(b, sign, b.outer_radius, -b.half_height), _at(b, sign, b.outer_radius, b.half_height)
    return edge_meets(a, p, r) or edge_meets(a, q, s) or edge_meets(a, r, s) or edge_meets(a, p, q)


# --- rims -----------------------------------------------------------------------------------------------


@device
def _rim_point(rim: Rim, c: float, s: float) -> Vec3:
    return along(along(rim.center, rim.u, c), rim.v, s)


@device
def _on_arc(rim: Rim, c: float, s: float) -> bool:
    """Does a point of the circle belong to the fan's rim?"""
    return within_wedge(rim.side, Vec2(c * rim.own_u.x + s * rim.own_v.x, c * rim.own_u.y + s * rim.own_v.y))


@device
def _line_points(u: float, v: float, level: float) -> tuple[Vec2, Vec2]:
    """The two (cos, sin) with u cos + v sin = level; where there is none, the nearest one."""
    size = math.sqrt(u * u + v * v)
    n = unit_or(Vec2(u, v), Vec2(1.0, 0.0))
    c = max(-1.0, min(level / size, 1.0)) if size > 0.0 else 1.0
    s = math.sqrt(max((1.0 - c) * (1.0 + c), 0.0))
    return Vec2(c * n.x - s * n.y, c * n.y + s * n.x), Vec2(c * n.x + s * n.y, c * n.y - s * n.x)


@device
def _cap_meets(a: Sector3d, rim: Rim, cs: Vec2) -> bool:
    """Is a point of the rim, at the height of a flat face of a, in that face?"""
    p = _rim_point(rim, cs.x, cs.y)
    return _on_arc(rim, cs.x, cs.y) & within_wedge(a.side, flat(p)) & _in_ring(a, p)


@procedure
def _crosses_cap(a: Sector3d, rim: Rim, level: float) -> bool:
    """Does the rim cross the flat face of a at z = level?"""
    amplitude = math.sqrt(rim.u.z * rim.u.z + rim.v.z * rim.v.z)
    if not abs(level - rim.center.z) <= amplitude:
        return False
    first, second = _line_points(rim.u.z, rim.v.z, level - rim.center.z)
    return _cap_meets(a, rim, first) or _cap_meets(a, rim, second)


@device
def _side_holds(a: Sector3d, rim: Rim, cs: Vec2, g: Vec2) -> bool:
    """Is a point of the rim, in the plane through the axis and g, in that side of a?"""
    p = _rim_point(rim, cs.x, cs.y)
    t = dot2(flat(p), g)
    return (
        _on_arc(rim, cs.x, cs.y) & (a.inner_radius <= t) & (t <= a.outer_radius) & (abs(p.z) <= a.half_height)
    )


@procedure
def _crosses_side(a: Sector3d, rim: Rim, sign: float) -> bool:
    """Does the rim cross a side of a?"""
    g = Vec2(a.side.x, sign * a.side.y)
    n = turn_left(g)
    u, v, level = dot2(flat(rim.u), n), dot2(flat(rim.v), n), -dot2(flat(rim.center), n)
    if not abs(level) <= math.sqrt(u * u + v * v):
        return False
    first, second = _line_points(u, v, level)
    return _side_holds(a, rim, first, g) or _side_holds(a, rim, second, g)


@device
def _rim_in(a: Sector3d, rim: Rim, cs: Vec2) -> bool:
    return _on_arc(rim, cs.x, cs.y) & _holds(a, _rim_point(rim, cs.x, cs.y))


@procedure
def _extreme_in(a: Sector3d, rim: Rim, u: float, v: float) -> bool:
    """Is a point of the rim in a where u cos + v sin is largest or least?

    Near a plane that the rim just touches the crossings are uncertain, but not this.
    """
    n = unit_or(Vec2(u, v), Vec2(1.0, 0.0))
    return _rim_in(a, rim, n) or _rim_in(a, rim, neg2(n))


@procedure
def _crosses_planes(a: Sector3d, rim: Rim) -> bool:
    if (
        _extreme_in(a, rim, rim.u.z, rim.v.z)
        or _crosses_cap(a, rim, a.half_height)
        or _crosses_cap(a, rim, -a.half_height)
    ):
        return True
    for sign in (1.0, -1.0):
        n = turn_left(Vec2(a.side.x, sign * a.side.y))
        if _extreme_in(a, rim, dot2(flat(rim.u), n), dot2(flat(rim.v), n)) or _crosses_side(a, rim, sign):
            return True
    return False


@device
def _step_in_bracket(x: float, value: float, slope: float, low: float, high: float, last: float) -> float:
    """Newton's step, or to the middle of the bracket if that would leave it or not halve the last step."""
    step = -value / slope if slope != 0.0 else 2.0 * last
    inside = min(low, high) <= x + step <= max(low, high)
    return step if inside and abs(step) <= 0.5 * last else 0.5 * (low + high) - x


@procedure
def _slope_zero(p: float, q: float, s: float, low: float, high: float) -> float:
    """The zero of p sin - q cos - s sin cos between an angle where it is not positive and one where it is not
    negative, in either order: Newton's steps inside a bracket."""
    x = 0.5 * (low + high)
    last = abs(high - low)
    for _ in range(CROSSING_STEPS):
        c, n = math.cos(x), math.sin(x)
        value = p * n - q * c - s * n * c
        slope = p * c + q * n - s * (c * c - n * n)
        low, high = (low, x) if value > 0.0 else (x, high)
        step = _step_in_bracket(x, value, slope, low, high, last)
        if x + step == x:
            break
        last = abs(step)
        x = x + step
    return x


@device
def _away(rim: Rim, radius: float, c: float, s: float) -> float:
    """rho^2 - radius^2 as a product, so that small cylinders are as precise as large ones."""
    rho = length2(flat(_rim_point(rim, c, s)))
    return (rho - radius) * (rho + radius)


@procedure
def _wall_zero(rim: Rim, radius: float, low: float, high: float) -> float:
    """Where a rim crosses a cylinder, between an angle where it is inside and one where it is outside."""
    x = 0.5 * (low + high)
    last = abs(high - low)
    for _ in range(CROSSING_STEPS):
        c, s = math.cos(x), math.sin(x)
        p = flat(_rim_point(rim, c, s))
        v = Vec2(c * rim.v.x - s * rim.u.x, c * rim.v.y - s * rim.u.y)
        value, slope = _away(rim, radius, c, s), 2.0 * dot2(p, v)
        low, high = (low, x) if value > 0.0 else (x, high)
        step = _step_in_bracket(x, value, slope, low, high, last)
        if x + step == x:
            break
        last = abs(step)
        x = x + step
    return x


@procedure
def _axis_extrema(rim: Rim, sine_sq: float) -> tuple[float, float, float, float]:
    """The angles where the distance of a rim from the z axis is extreme, in order.

    First the nearest point and the farthest, then a local minimum and maximum; where there are no such two,
    they are equal to the first. Half the derivative of the squared distance, over the radius R of the rim, is
    P sin - Q cos - S sin cos with S = R sin^2 of the angle between the axes; P, Q >= 0 by the choice of the
    signs of u and v. Divided by sin cos it is P / cos - Q / sin - S: monotone in the first and in the third
    quadrant, which hold one zero each. In the second there is none. In the fourth its extremum is where
    tan^3 = -Q / P, and there are two zeros or none.
    """
    radius = math.sqrt(dot(rim.u, rim.u))
    p = -dot2(flat(rim.center), flat(rim.u)) / radius
    q = -dot2(flat(rim.center), flat(rim.v)) / radius
    s = radius * sine_sq
    # Zero would put the two zeros of the fourth quadrant, and what lies between them, on its border.
    p, q = max(p, TINY * s), max(q, TINY * s)
    nearest = _slope_zero(p, q, s, 0.0, _QUARTER)
    farthest = _slope_zero(p, q, s, _HALF_TURN + _QUARTER, _HALF_TURN)
    turn = -math.atan2(q ** (1.0 / 3.0), p ** (1.0 / 3.0))
    c, n = math.cos(turn), math.sin(turn)
    if not p * n - q * c - s * n * c > 0.0:
        return nearest, farthest, nearest, nearest
    low = _slope_zero(p, q, s, -_QUARTER, turn)
    high = _slope_zero(p, q, s, 0.0, turn)
    return nearest, farthest, low, high


@procedure
def _crosses_wall_between(a: Sector3d, rim: Rim, low: float, high: float) -> bool:
    """Does the rim cross the outer wall of a between two angles, of which `low` is nearer to the axis?"""
    radius = a.outer_radius
    if _away(rim, radius, math.cos(low), math.sin(low)) > 0.0:
        return False
    if _away(rim, radius, math.cos(high), math.sin(high)) < 0.0:
        return False
    x = _wall_zero(rim, radius, low, high)
    c, s = math.cos(x), math.sin(x)
    p = _rim_point(rim, c, s)
    return _on_arc(rim, c, s) & within_wedge(a.side, flat(p)) & (abs(p.z) <= a.half_height)


@procedure
def _crosses_walls(a: Sector3d, rim: Rim, sine_sq: float) -> bool:
    """Is the rim in a where its distance from the axis of a is extreme, or where it crosses the outer wall?

    A part that begins and ends on the inner wall has a farthest point; one that leads from wall to wall has
    an end on the outer one.
    """
    nearest, farthest, low, high = _axis_extrema(rim, sine_sq)
    whole = 2.0 * _HALF_TURN
    for x in (nearest, farthest, low, high):
        if _rim_in(a, rim, Vec2(math.cos(x), math.sin(x))):
            return True
    if _crosses_wall_between(a, rim, nearest, farthest):
        return True
    if low == high:
        return _crosses_wall_between(a, rim, nearest + whole, farthest)
    return (
        _crosses_wall_between(a, rim, low + whole, farthest)
        or _crosses_wall_between(a, rim, low, high)
        or _crosses_wall_between(a, rim, nearest, high)
    )


@device
def _rim_of(b: Sector3d, radius: float, level: float, own_u: Vec2) -> Rim:
    """A rim of b, which is given in the frame of a; signs as `_axis_extrema` wants them."""
    f = b.frame
    center = along(f.center, f.z, level)
    own_v = turn_left(own_u)
    u = along(scale(f.x, radius * own_u.x), f.y, radius * own_u.y)
    v = along(scale(f.x, radius * own_v.x), f.y, radius * own_v.y)
    if dot2(flat(center), flat(u)) > 0.0:
        u, own_u = neg(u), neg2(own_u)
    if dot2(flat(center), flat(v)) > 0.0:
        v, own_v = neg(v), neg2(own_v)
    return Rim(center, u, v, own_u, own_v, b.side)


@device
def _rim_is_far(a: Sector3d, rim: Rim, radius: float, sine: float) -> bool:
    """Does the whole circle miss the slab or the cylinder of a?"""
    return (abs(rim.center.z) > 1.0000001 * (a.half_height + radius * sine)) | (
        length2(flat(rim.center)) > 1.0000001 * (a.outer_radius + radius)
    )


@procedure
def _rims_meet(a: Sector3d, b: Sector3d) -> bool:
    """Does a rim of b meet a? b in the frame of a."""
    # The axis of a in the plane of b's fan: its size is the sine between the axes.
    q = Vec2(b.frame.x.z, b.frame.y.z)
    sine = length2(q)
    own_u = unit_or(turn_left(q), Vec2(1.0, 0.0))  # perpendicular to both axes
    for radius in (b.outer_radius, b.inner_radius):
        if radius > 0.0:  # else it is a corner
            for level in (b.half_height, -b.half_height):
                rim = _rim_of(b, radius, level, own_u)
                if not _rim_is_far(a, rim, radius, sine) and (
                    _crosses_planes(a, rim) or _crosses_walls(a, rim, sine * sine)
                ):
                    return True
    return False


@procedure
def _edges_meet(a: Sector3d, b: Sector3d) -> bool:
    """Does an edge of b, given in the frame of a, meet a? Both sides of a full turn are the same."""
    return (
        _side_edges_meet(a, b, 1.0) or (b.side.y > 0.0 and _side_edges_meet(a, b, -1.0)) or _rims_meet(a, b)
    )


# --- walls ----------------------------------------------------------------------------------------------


@device
def _middle(a: Sector3d, w: float) -> float:
    """The middle of the interval of distances across the axis, on one side of it, at w from it; 0 if the two
    intervals are one."""
    r, big = a.inner_radius, a.outer_radius
    inner_sq = (r - abs(w)) * (r + abs(w))
    outer_sq = (big - abs(w)) * (big + abs(w))
    return 0.5 * (math.sqrt(inner_sq) + math.sqrt(max(outer_sq, 0.0))) if inner_sq > 0.0 else 0.0


@device
def _limits_hold(a: Sector3d, p: Vec3) -> bool:
    """Does a point of the endless hollow cylinder lie in the fan?

    Its radius is not tested again: a wall without thickness would never be met.
    """
    return (abs(p.z) <= a.half_height) & within_wedge(a.side, flat(p))


@procedure
def _walls_meet(a: Sector3d, b: Sector3d) -> bool:
    """Do two bodies, whose edges do not meet the other, meet with their walls? b in the frame of a."""
    sine, cosine = length2(flat(b.frame.z)), b.frame.z.z
    if not sine > 0.0:
        return False
    across = unit_or(flat(b.frame.z), Vec2(1.0, 0.0))  # to the axis of a; e is perpendicular to both axes
    e = turn_left(across)
    center = b.frame.center
    gap = dot2(flat(center), e)
    low, high = max(-a.outer_radius, gap - b.outer_radius), min(a.outer_radius, gap + b.outer_radius)
    if not low <= high:
        return False
    w = 0.5 * (low + high)
    half_a, half_b = _middle(a, w), _middle(b, w - gap)
    for p in (half_a, -half_a):
        # The height on the axis of a at which the coordinate across the axis of b is 0.
        level = center.z + cosine * (p - dot2(flat(center), across)) / sine
        x, y = w * e.x + p * across.x, w * e.y + p * across.y
        for q in (half_b, -half_b):
            point = Vec3(x, y, level - q / sine)
            if _limits_hold(a, point) and _limits_hold(b, to_frame(b.frame, point)):
                return True
    return False


@procedure
def intersects_sector3d_sector3d(a: Sector3d, b: Sector3d) -> bool:
    """Straight edges, rims and walls in turn.

    Each hit is a point of both bodies up to rounding, and the list of such points is complete, whatever the
    angle between the axes.
    """
    if _is_separated(a, b):
        return False
    b_seen = _to_local(a, b)
    return _edges_meet(a, b_seen) or _edges_meet(b, _to_local(b, a)) or _walls_meet(a, b_seen)
