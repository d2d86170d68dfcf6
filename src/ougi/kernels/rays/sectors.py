"""Rays against sectors: two caps, two walls about the axis, and two sides."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.convex.polytope import from_axes, to_axes
from ougi.kernels.rays.records import Ray, RayHit, choose_nearer, make_inside, make_miss
from ougi.kernels.records import Sector3d, Vec3
from ougi.kernels.vec3 import along, dot, neg, sub, unit_or


@device
def _is_in_angle(s: Sector3d, p: Vec3) -> bool:
    return p.x >= s.side.x * math.sqrt(p.x * p.x + p.y * p.y)


@device
def _is_in_ring(s: Sector3d, p: Vec3) -> bool:
    rr = p.x * p.x + p.y * p.y
    return s.inner_radius * s.inner_radius <= rr <= s.outer_radius * s.outer_radius


@device
def _cast_cap(s: Sector3d, o: Vec3, d: Vec3, side: float) -> RayHit:
    """A flat ring sector at the height `side` times the half height."""
    if d.z == 0.0:
        return make_miss()
    t = (side * s.half_height - o.z) / d.z
    p = along(o, d, t)
    if not t >= 0.0 or not _is_in_ring(s, p) or not _is_in_angle(s, p):
        return make_miss()
    return RayHit(t, Vec3(0.0, 0.0, side))


@device
def _cast_wall(s: Sector3d, o: Vec3, d: Vec3, radius: float, outward: float) -> RayHit:
    """A wall about the axis: from outside the first crossing, from the hole the second one."""
    a = d.x * d.x + d.y * d.y
    if not a > 0.0 or not radius > 0.0:
        return make_miss()
    middle = -(o.x * d.x + o.y * d.y) / a
    p = along(o, d, middle)
    rest = radius * radius - (p.x * p.x + p.y * p.y)
    if rest < 0.0:
        return make_miss()
    best = make_miss()
    for sign in (-1.0, 1.0):
        step = sign * math.sqrt(rest / a)
        t, q = middle + step, along(p, d, step)
        if 0.0 <= t < best.t and abs(q.z) <= s.half_height and _is_in_angle(s, q):
            # Not q over the radius: rounding of a ray from far away is large beside a small one.
            best = RayHit(t, unit_or(Vec3(outward * q.x, outward * q.y, 0.0), Vec3(0.0, 0.0, 0.0)))
    return best


@device
def _cast_side(s: Sector3d, o: Vec3, d: Vec3, side: float) -> RayHit:
    """A rectangle that holds the axis, at the angle +-half_angle."""
    n = Vec3(-s.side.y, side * s.side.x, 0.0)
    rate = n.x * d.x + n.y * d.y
    if rate == 0.0 or s.side.x == -1.0:
        return make_miss()
    t = -(n.x * o.x + n.y * o.y) / rate
    p = along(o, d, t)
    over = p.x * s.side.x + p.y * side * s.side.y
    if not t >= 0.0 or not s.inner_radius <= over <= s.outer_radius or not abs(p.z) <= s.half_height:
        return make_miss()
    return RayHit(t, n)


@procedure
def cast_sector3d(ray: Ray, s: Sector3d) -> RayHit:
    o, d = to_axes(sub(ray.origin, s.frame.center), s.frame), to_axes(ray.direction, s.frame)
    if abs(o.z) <= s.half_height and _is_in_ring(s, o) and _is_in_angle(s, o):
        return make_inside()
    hit = choose_nearer(_cast_cap(s, o, d, -1.0), _cast_cap(s, o, d, 1.0))
    hit = choose_nearer(hit, _cast_wall(s, o, d, s.outer_radius, 1.0))
    hit = choose_nearer(hit, _cast_wall(s, o, d, s.inner_radius, -1.0))
    hit = choose_nearer(hit, choose_nearer(_cast_side(s, o, d, -1.0), _cast_side(s, o, d, 1.0)))
    if not hit.t < math.inf:
        return hit
    # A sector without a thickness is met by both of its surfaces at once.
    n = hit.normal if dot(hit.normal, d) <= 0.0 else neg(hit.normal)
    return RayHit(hit.t, from_axes(n, s.frame))
