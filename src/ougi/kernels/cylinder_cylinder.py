"""Two cylinders: their distance, with a proof, and the nearest points.

The gap along a unit vector n, that is between two planes square to n which hold the bodies apart, is at most
the distance; two points of the bodies are at least as far apart. The greatest gap is the distance. So a
normal and two points whose numbers agree prove each other, wherever they come from:

* a wall: where the axis of a cylinder, a segment, is nearest to the other body inside of itself, so is its
  wall, nearer by the radius (`nearest_segment`): wall against wall, rim and cap;
* a cap and what lies lowest over it;
* two rims. A point is slid along one of them until the nearest point of the other, in closed form, is as near
  as can be. The start must be near enough, so points are drawn together first, each to the point of its body
  nearest to the other: every round is nearer, though slowly.

Rounding cannot make a proof; it can only keep one from being found. Then the best gap so far is the answer,
which a tiny one may exceed by some 1e-12 of the sizes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.closest3d import from_box, to_box, turn_from_box
from ougi.kernels.constants import ENDLESS, FIRST_SLIDE, NORMAL_STEPS, PROOF_ROUNDING, PULLS, ROUNDS, SLIDES
from ougi.kernels.cylinder import box_around, can_of, nearest_segment, offset_can
from ougi.kernels.records import Cylinder, Frame, Separation3d, Vec2, Vec3
from ougi.kernels.vec2 import length as length2
from ougi.kernels.vec2 import turn_left
from ougi.kernels.vec2 import unit_or as unit_or2
from ougi.kernels.vec3 import add, along, cross, dot, length, length_sq, neg, scale, sub, unit_or

_NONE = Vec3(0.0, 0.0, 0.0)


class CylinderGap(NamedTuple):
    """The best normal so far and the gap along it; the nearest points so far and their distance."""

    low: float
    normal: Vec3
    high: float
    point_a: Vec3
    point_b: Vec3


@device
def _flat(f: Frame, n: Vec3) -> Vec2:
    """The part of n in the plane of a rim, by the frame: what is left of n without its part along a nearly
    parallel axis would be all rounding."""
    return Vec2(dot(n, f.x), dot(n, f.y))


@device
def _to_space(f: Frame, x: Vec2) -> Vec3:
    """A direction in the plane of a rim, in space."""
    return along(scale(f.x, x.x), f.y, x.y)


@device
def reach(c: Cylinder, n: Vec3) -> float:
    """How far a cylinder reaches from its center along the unit vector n."""
    return c.half_height * abs(dot(n, c.frame.z)) + c.radius * length2(_flat(c.frame, n))


@procedure
def gap_along(a: Cylinder, b: Cylinder, n: Vec3) -> float:
    return dot(n, sub(b.frame.center, a.frame.center)) - reach(a, n) - reach(b, n)


@procedure
def _project(c: Cylinder, x: Vec3) -> Vec3:
    """The point of a cylinder that is nearest to x."""
    frame = box_around(c)
    offset = offset_can(can_of(c), to_box(frame, x))
    return sub(x, turn_from_box(frame, offset))


@device
def _with_normal(a: Cylinder, b: Cylinder, best: CylinderGap, n: Vec3) -> CylinderGap:
    low = gap_along(a, b, n)
    if low > best.low:
        return CylinderGap(low, n, best.high, best.point_a, best.point_b)
    return best


@device
def _with_points(best: CylinderGap, p: Vec3, q: Vec3) -> CylinderGap:
    high = length(sub(q, p))
    if high < best.high:
        return CylinderGap(best.low, best.normal, high, p, q)
    return best


@device
def _is_proved(best: CylinderGap, size: float) -> bool:
    return best.high - best.low <= PROOF_ROUNDING * size


@device
def _is_settled(best: CylinderGap, size: float) -> bool:
    """Is the distance proved, or do the points meet?"""
    return _is_proved(best, size) or not best.high > PROOF_ROUNDING * size


@procedure
def _with_edges(a: Cylinder, b: Cylinder, best: CylinderGap, e: Vec3, f: Vec3) -> CylinderGap:
    """The better of the best so far and the normal that is perpendicular to two edges.

    At a tiny gap the difference of two points is all rounding, but not this.
    """
    n = unit_or(cross(e, f), best.normal)
    return _with_normal(a, b, best, n if dot(n, best.normal) >= 0.0 else neg(n))


@device
def _tangent(c: Cylinder, x: Vec3) -> Vec3:
    """The direction of a rim at a point of it."""
    return cross(c.frame.z, sub(x, c.frame.center))


# --- walls ----------------------------------------------------------------------------------------------


@procedure
def _with_wall(a: Cylinder, b: Cylinder, best: CylinderGap) -> CylinderGap:
    """The better of the best so far and the wall of a, if its axis is nearest to b inside of itself."""
    frame, u = box_around(b), a.frame.z
    up = scale(u, a.half_height)
    start, end = to_box(frame, sub(a.frame.center, up)), to_box(frame, add(a.frame.center, up))
    near = nearest_segment(can_of(b), start, end)
    x = from_box(frame, near.point)
    if not length_sq(near.offset) > 0.0:
        return CylinderGap(0.0, _NONE, 0.0, x, x)
    q = _project(b, x)  # the offset is square to the axis, and would lead past b
    n = unit_or(turn_from_box(frame, neg(near.offset)), u)
    best = _with_normal(a, b, best, n)
    # An end may be nearest by rounding alone.
    best = _with_normal(a, b, best, unit_or(along(n, u, -dot(n, u)), n))
    best = _with_edges(a, b, best, u, _tangent(b, q))
    return _with_points(best, _project(a, q), q)


# --- caps -----------------------------------------------------------------------------------------------


@device
def _facing(c: Cylinder, n: Vec3) -> Vec3:
    """The center of the cap that lies farther along n."""
    return along(c.frame.center, c.frame.z, c.half_height if dot(n, c.frame.z) >= 0.0 else -c.half_height)


@procedure
def _on_rim(c: Cylinder, center: Vec3, n: Vec3) -> Vec3:
    """The point of a rim that is farthest along n."""
    out = unit_or2(_flat(c.frame, n), Vec2(1.0, 0.0))
    return along(center, _to_space(c.frame, out), c.radius)


@procedure
def _over_cap(a: Cylinder, b: Cylinder, n: Vec3) -> Vec3:
    """A point of the cap of b that faces the cap of a along n: in the middle of what lies over both."""
    u = a.frame.z
    center = _facing(b, neg(n))
    w = sub(center, a.frame.center)
    w = along(w, u, -dot(w, u))
    far = length(w)
    middle = 0.5 * (max(-a.radius, far - b.radius) + min(a.radius, far + b.radius))
    out = unit_or2(_flat(b.frame, w), Vec2(1.0, 0.0))
    return along(center, _to_space(b.frame, out), max(-b.radius, min(middle - far, b.radius)))


@procedure
def _with_cap(a: Cylinder, b: Cylinder, best: CylinderGap) -> CylinderGap:
    """The better of the best so far and a cap of a."""
    u = a.frame.z
    n = u if dot(u, sub(b.frame.center, a.frame.center)) >= 0.0 else neg(u)
    best = _with_normal(a, b, best, n)
    q = _on_rim(b, _facing(b, neg(n)), neg(n))
    best = _with_points(best, _project(a, q), q)
    q = _over_cap(a, b, n)
    return _with_points(best, _project(a, q), q)


@device
def _swap(best: CylinderGap) -> CylinderGap:
    """The same, with the two bodies exchanged."""
    return CylinderGap(best.low, neg(best.normal), best.high, best.point_b, best.point_a)


# --- from rim to rim ------------------------------------------------------------------------------------


class Rims(NamedTuple):
    """Two circles, by the difference of their centers, their radii and frames."""

    between: Vec3
    radius_a: float
    radius_b: float
    frame_a: Frame
    frame_b: Frame


@procedure
def _uphill(f: Rims, n: Vec3) -> Vec3:
    """Newton's step on the sphere of normals, at n; perpendicular to n.

    The gradient is w, from the farthest point of one rim to that of the other, and the second derivative
    -(r / |n x u|) q q' - (s / |n x v|) q q', where the q are the directions of the rims there. On the sphere
    n . w is taken off as well; |w| in its place is the same at the goal and makes shorter steps before it.
    """
    flat_a, flat_b = _flat(f.frame_a, n), _flat(f.frame_b, n)
    sine_a, sine_b = length2(flat_a), length2(flat_b)
    out_a, out_b = unit_or2(flat_a, Vec2(0.0, 0.0)), unit_or2(flat_b, Vec2(0.0, 0.0))
    q_a, q_b = _to_space(f.frame_a, turn_left(out_a)), _to_space(f.frame_b, turn_left(out_b))
    w = along(f.between, _to_space(f.frame_a, out_a), -f.radius_a)
    w = along(w, _to_space(f.frame_b, out_b), -f.radius_b)
    size = length(w)
    bend_a = f.radius_a / sine_a if sine_a > 0.0 else 0.0
    bend_b = f.radius_b / sine_b if sine_b > 0.0 else 0.0
    e = unit_or(q_a, q_b)
    g = cross(n, e)
    q_e, q_g = dot(q_b, e), dot(q_b, g)
    m_ee, m_eg, m_gg = size + bend_a + bend_b * q_e * q_e, bend_b * q_e * q_g, size + bend_b * q_g * q_g
    w_e, w_g = dot(w, e), dot(w, g)
    det = m_ee * m_gg - m_eg * m_eg
    if not det > 0.0:
        return _NONE
    x, y = (m_gg * w_e - m_eg * w_g) / det, (m_ee * w_g - m_eg * w_e) / det
    return along(scale(e, x), g, y)


@procedure
def _refine_normal(a: Cylinder, b: Cylinder, best: CylinderGap, f: Rims) -> CylinderGap:
    """The better of the best so far and the normals to which Newton's steps lead from there."""
    n = best.normal
    for _ in range(NORMAL_STEPS):
        n = unit_or(add(n, _uphill(f, n)), n)
        best = _with_normal(a, b, best, n)
    return best


class Slide(NamedTuple):
    """A point of the rim of a, the point of the rim of b nearest to it, and half the derivative of their
    squared distance along the first."""

    point_a: Vec3
    point_b: Vec3
    slope: float


@procedure
def _slide(a: Cylinder, b: Cylinder, from_a: Vec3, to_b: Vec3, out: Vec2, angle: float) -> Slide:
    """What is at an angle from the direction `out` in the plane of the rim of a."""
    c, s = a.radius * math.cos(angle), a.radius * math.sin(angle)
    spoke = Vec2(c * out.x - s * out.y, c * out.y + s * out.x)
    p = add(from_a, _to_space(a.frame, spoke))
    q = _on_rim(b, to_b, sub(p, to_b))
    return Slide(p, q, dot(sub(p, q), _to_space(a.frame, turn_left(spoke))))


@procedure
def _lowest(a: Cylinder, b: Cylinder, from_a: Vec3, to_b: Vec3, start: Vec3) -> Slide:
    """Where two rims are nearest, down along the first one from next to a point."""
    out = unit_or2(_flat(a.frame, sub(start, from_a)), Vec2(1.0, 0.0))
    now = _slide(a, b, from_a, to_b, out, 0.0)
    sense = -1.0 if now.slope > 0.0 else 1.0
    low, high = 0.0, FIRST_SLIDE
    while high < math.pi and sense * _slide(a, b, from_a, to_b, out, sense * high).slope < 0.0:
        low, high = high, 4.0 * high
    for _ in range(SLIDES):
        middle = 0.5 * (low + high)
        now = _slide(a, b, from_a, to_b, out, sense * middle)
        low, high = (middle, high) if sense * now.slope < 0.0 else (low, middle)
    return now


@procedure
def _with_slide(a: Cylinder, b: Cylinder, best: CylinderGap, now: Slide) -> CylinderGap:
    """The better of the best so far and the points of two rims, with normals square to the rims there."""
    best = _with_points(best, now.point_a, now.point_b)
    w = sub(now.point_b, now.point_a)
    e, f = unit_or(_tangent(a, now.point_a), _NONE), unit_or(_tangent(b, now.point_b), _NONE)
    best = _with_normal(a, b, best, unit_or(w, best.normal))
    best = _with_edges(a, b, best, e, f)
    e = unit_or(add(e, f) if dot(e, f) >= 0.0 else sub(e, f), _NONE)
    return _with_normal(a, b, best, unit_or(along(w, e, -dot(w, e)), best.normal))


@device
def _mirror(a: Cylinder, from_a: Vec3, to_b: Vec3, x: Vec3) -> Vec3:
    """The point opposite to x as seen along the line between the centers of two rims."""
    w = sub(x, from_a)
    side = _to_space(a.frame, turn_left(unit_or2(_flat(a.frame, sub(to_b, from_a)), Vec2(1.0, 0.0))))
    return along(x, side, -2.0 * dot(w, side))


@procedure
def _with_rims(a: Cylinder, b: Cylinder, best: CylinderGap) -> CylinderGap:
    """The better of the best so far and the two rims next to the points so far.

    Where caps are all but flush, or rims touch along each other, the gap hardly shows where; points do. Rims
    of flush caps cross twice, at places that mirror each other.
    """
    from_a = _facing(a, sub(best.point_a, a.frame.center))
    to_b = _facing(b, sub(best.point_b, b.frame.center))
    now = _lowest(a, b, from_a, to_b, best.point_a)
    best = _with_slide(a, b, best, now)
    now = _lowest(a, b, from_a, to_b, _mirror(a, from_a, to_b, now.point_a))
    best = _with_slide(a, b, best, now)
    return _refine_normal(a, b, best, Rims(sub(to_b, from_a), a.radius, b.radius, a.frame, b.frame))


@procedure
def _project_alternately(a: Cylinder, b: Cylinder, best: CylinderGap, times: int) -> CylinderGap:
    """Each point is moved to that of its body nearest to the other, in turn: slowly, but surely."""
    p = best.point_a
    q = best.point_b
    for _ in range(times):
        q = _project(b, p)
        p = _project(a, q)
    return _with_points(best, p, q)


@procedure
def nearest_cylinders(a: Cylinder, b: Cylinder) -> CylinderGap:
    """The greatest gap and the nearest points of two cylinders; both 0 if they are seen to meet."""
    d = sub(b.frame.center, a.frame.center)
    size = a.radius + a.half_height + b.radius + b.half_height + length(d)
    best = _with_wall(a, b, CylinderGap(-ENDLESS, _NONE, ENDLESS, _NONE, _NONE))
    if _is_proved(best, size):
        return best
    best = _swap(_with_wall(b, a, _swap(best)))
    if _is_proved(best, size):
        return best
    best = _swap(_with_cap(b, a, _swap(_with_cap(a, b, best))))
    if _is_proved(best, size):
        return best
    for k in range(ROUNDS):
        best = _with_rims(a, b, _project_alternately(a, b, best, PULLS << k))
        if _is_settled(best, size):
            break
        # A point of the other rim slides.
        best = _swap(_with_rims(b, a, _swap(best)))
        if _is_settled(best, size):
            break
    return best


@procedure
def separation_cylinder_cylinder(a: Cylinder, b: Cylinder) -> Separation3d:
    """The gap that is proved, its normal, and the nearest points; 0 and no normal where they meet."""
    near = nearest_cylinders(a, b)
    if not near.low > 0.0:
        return Separation3d(0.0, _NONE, near.point_a, near.point_b)
    return Separation3d(near.low, near.normal, near.point_a, near.point_b)
