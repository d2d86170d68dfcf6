"""Rays against balls, capsules and half-spaces."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.half_space.records import HalfSpace3d
from ougi.kernels.rays.records import Ray, RayHit, choose_nearer, make_inside, make_miss
from ougi.kernels.records import Capsule3d, Sphere, Vec3
from ougi.kernels.vec3 import along, dot, length_sq, scale, sub, unit_or


@device
def cast_ball(ray: Ray, center: Vec3, radius: float) -> RayHit:
    """The nearest point of the line to the center decides, so that far origins lose no digits.

    From there the normal is found, too: it is a unit vector against the ray from everywhere.
    """
    m, d = sub(ray.origin, center), ray.direction
    if length_sq(m) <= radius * radius:
        return make_inside()
    a = dot(d, d)
    middle = -dot(m, d) / a
    nearest = along(m, d, middle)
    rest = radius * radius - length_sq(nearest)
    if rest < 0.0:
        return make_miss()
    back = math.sqrt(rest / a)
    if not middle - back >= 0.0:
        return make_miss()
    return RayHit(middle - back, unit_or(along(nearest, d, -back), scale(d, -1.0 / math.sqrt(a))))


@device
def cast_sphere(ray: Ray, s: Sphere) -> RayHit:
    return cast_ball(ray, s.center, s.radius)


@device
def cast_rod(ray: Ray, start: Vec3, end: Vec3, radius: float) -> RayHit:
    """A capsule is the ball at its start, the ball at its end, and the wall between them."""
    hit = choose_nearer(cast_ball(ray, start, radius), cast_ball(ray, end, radius))
    e = sub(end, start)
    ee = dot(e, e)
    if not ee > 0.0:
        return hit
    m, d = sub(ray.origin, start), ray.direction
    # Across the axis; a ray along it meets a ball first.
    p, v = along(m, e, -dot(m, e) / ee), along(d, e, -dot(d, e) / ee)
    over = dot(m, e)
    if length_sq(p) <= radius * radius and 0.0 <= over <= ee:
        return make_inside()
    vv = dot(v, v)
    if not vv > 0.0:
        return hit
    middle = -dot(p, v) / vv
    nearest = along(p, v, middle)
    rest = radius * radius - length_sq(nearest)
    if rest < 0.0:
        return hit
    back = math.sqrt(rest / vv)
    t = middle - back
    if not 0.0 <= t <= hit.t or not 0.0 <= over + t * dot(d, e) <= ee:
        return hit
    return RayHit(t, unit_or(along(nearest, v, -back), scale(v, -1.0 / math.sqrt(vv))))


@device
def cast_capsule3d(ray: Ray, c: Capsule3d) -> RayHit:
    return cast_rod(ray, c.start, c.end, c.radius)


@device
def cast_halfspace3d(ray: Ray, s: HalfSpace3d) -> RayHit:
    height, rate = dot(s.normal, ray.origin) - s.offset, dot(s.normal, ray.direction)
    if height <= 0.0:
        return make_inside()
    return RayHit(-height / rate, s.normal) if rate < 0.0 else make_miss()


@device
def cast_halfspace2d(ray: Ray, s: HalfSpace3d) -> RayHit:
    return cast_halfspace3d(ray, s)
