"""Rays against cones and ellipsoids, in axes in which these have the size 1: there t is the same."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.convex.constants import CONE
from ougi.kernels.convex.polytope import from_axes, to_axes
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.rays.records import Ray, RayHit, choose_nearer, make_inside, make_miss
from ougi.kernels.rays.round_bodies import cast_ball, cast_rod
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import UNITS, ZERO, add, along, dot, neg, sub, unit_or


@device
def _divide(p: Vec3, by: Vec3) -> Vec3:
    """Components divided by sizes; 0 where the size is 0."""
    return Vec3(
        p.x / by.x if by.x > 0.0 else 0.0,
        p.y / by.y if by.y > 0.0 else 0.0,
        p.z / by.z if by.z > 0.0 else 0.0,
    )


@device
def _cast_base(o: Vec3, d: Vec3) -> RayHit:
    """The disc of radius 1 at z = -1."""
    if d.z == 0.0:
        return make_miss()
    t = (-1.0 - o.z) / d.z
    p = along(o, d, t)
    if not t >= 0.0 or not p.x * p.x + p.y * p.y <= 1.0:
        return make_miss()
    return RayHit(t, Vec3(0.0, 0.0, -1.0))


@device
def _cast_side(o: Vec3, d: Vec3) -> RayHit:
    """The cone whose radius is (1 - z) / 2: two roots, counted from the point nearest to the center."""
    middle = -dot(o, d) / dot(d, d)
    m = along(o, d, middle)
    w = 1.0 - m.z
    a = d.x * d.x + d.y * d.y - 0.25 * d.z * d.z
    b = m.x * d.x + m.y * d.y + 0.25 * w * d.z
    c = m.x * m.x + m.y * m.y - 0.25 * w * w
    rest = b * b - a * c
    if not rest >= 0.0:
        return make_miss()
    q = -(b + math.copysign(math.sqrt(rest), b))
    best = make_miss()
    for k in range(2):
        upper, lower = (q, a) if k == 0 else (c, q)
        if lower == 0.0:
            continue
        t, p = middle + upper / lower, along(m, d, upper / lower)
        if 0.0 <= t < best.t and abs(p.z) <= 1.0:
            best = RayHit(t, Vec3(p.x, p.y, 0.25 * (1.0 - p.z)))
    return best


@device
def _cast_cone(o: Vec3, d: Vec3) -> RayHit:
    """The tip is at z = 1, the base at z = -1."""
    if abs(o.z) <= 1.0 and o.x * o.x + o.y * o.y <= 0.25 * (1.0 - o.z) * (1.0 - o.z):
        return make_inside()
    return choose_nearer(_cast_base(o, d), _cast_side(o, d))


@device
def _cast_flat(p: Vec3, v: Vec3, o: Vec3, d: Vec3, axis: Vec3) -> RayHit:
    """An ellipse across an axis; p and v are the ray in axes in which it has the radius 1."""
    height, rate = dot(o, axis), dot(d, axis)
    if height == 0.0 and dot(p, p) <= 1.0:
        return make_inside()
    if rate == 0.0:
        return make_miss()
    t = -height / rate
    q = along(p, v, t)
    if not t >= 0.0 or not dot(q, q) <= 1.0:
        return make_miss()
    return RayHit(t, axis)


@procedure
def cast_solid3d(ray: Ray, h: Hull3d) -> RayHit:
    size = h.scale
    o, d = to_axes(sub(ray.origin, h.frame.center), h.frame), to_axes(ray.direction, h.frame)
    p, v = _divide(o, size), _divide(d, size)
    zeros = int(size.x == 0.0) + int(size.y == 0.0) + int(size.z == 0.0)
    if zeros >= 2:
        e = from_axes(size, h.frame)
        return cast_rod(ray, sub(h.frame.center, e), add(h.frame.center, e), 0.0)
    if zeros == 1:
        axis = UNITS[0] if size.x == 0.0 else UNITS[1] if size.y == 0.0 else UNITS[2]
        hit = _cast_flat(p, v, o, d, axis)
    elif h.rank == CONE:
        hit = _cast_cone(p, v)
    else:
        hit = cast_ball(Ray(p, v), ZERO, 1.0)
    if not 0.0 < hit.t < math.inf:
        return hit
    n = hit.normal
    if zeros == 1:
        n = n if dot(n, d) <= 0.0 else neg(n)
    else:
        n = unit_or(_divide(n, size), UNITS[2])  # the axis at the tip of a cone
    return RayHit(hit.t, from_axes(n, h.frame))
