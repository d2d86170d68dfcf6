"""From FAN's motion to the volumes that stand for it: its sector, and the box of speculative CCD.

Compiled, for experiments that build a volume per test; users build them by `ougi.sweep`, many at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.published.fan import intersects_sector3d_sphere
from ougi.kernels.records import Aabb3d, Frame, Sector3d, Sphere, Vec2, Vec3
from ougi.kernels.sphere_aabb3d import intersects_sphere_aabb3d
from ougi.kernels.vec3 import add, along, cross, scale, sub


class Turn(NamedTuple):
    """The motion of sec. 2.1: O, U = Z', Y', d, (Wx, Wy, Wz) and alpha, in this order."""

    center: Vec3
    axis: Vec3
    out: Vec3
    lever: float
    size: Vec3
    angle: float


@device
def load_turn(c: Floats, i: int) -> Turn:
    """Turn i of columns whose rows are the record's fields, in its order."""
    return Turn(
        Vec3(c[0, i], c[1, i], c[2, i]),
        Vec3(c[3, i], c[4, i], c[5, i]),
        Vec3(c[6, i], c[7, i], c[8, i]),
        c[9, i],
        Vec3(c[10, i], c[11, i], c[12, i]),
        c[13, i],
    )


@device
def _turn_out(a: Turn, angle: float) -> Vec3:
    """Y' turned about U, to which it is perpendicular."""
    return add(scale(a.out, math.cos(angle)), scale(cross(a.axis, a.out), math.sin(angle)))


@device
def sector_of(a: Turn) -> Sector3d:
    """(2.1), (2.2): radii d -+ Wy/2, half angle alpha/2, direction Y' turned by it, half height Wz/2."""
    half = 0.5 * a.angle
    direction = _turn_out(a, half)
    frame = Frame(a.center, direction, cross(a.axis, direction), a.axis)
    side = Vec2(math.cos(half), math.sin(half))
    return Sector3d(frame, side, a.lever - 0.5 * a.size.y, a.lever + 0.5 * a.size.y, 0.5 * a.size.z)


@device
def _reach(a: Turn, out: Vec3) -> Vec3:
    """Half the edges of the AABB around the box whose Y' is `out`."""
    x, h = cross(out, a.axis), scale(a.size, 0.5)
    return Vec3(
        abs(x.x) * h.x + abs(out.x) * h.y + abs(a.axis.x) * h.z,
        abs(x.y) * h.x + abs(out.y) * h.y + abs(a.axis.y) * h.z,
        abs(x.z) * h.x + abs(out.z) * h.y + abs(a.axis.z) * h.z,
    )


@device
def speculative_of(a: Turn) -> Aabb3d:
    """S-CCD as sec. 3.1 has it: the AABB around the box at the start and at the end."""
    out = _turn_out(a, a.angle)
    p, q = along(a.center, a.out, a.lever), along(a.center, out, a.lever)
    g, h = _reach(a, a.out), _reach(a, out)
    l, m, u, v = sub(p, g), sub(q, h), add(p, g), add(q, h)  # noqa: E741
    lower = Vec3(min(l.x, m.x), min(l.y, m.y), min(l.z, m.z))
    return Aabb3d(lower, Vec3(max(u.x, v.x), max(u.y, v.y), max(u.z, v.z)))


@device
def _sum(v: Vec3) -> float:
    return v.x + v.y + v.z


@device
def sector_sum(a: Turn, b: Sphere) -> float:
    """The sum of the sector's numbers: a loop over it must compute them all. The ball is not used."""
    s = sector_of(a)
    frame = _sum(s.frame.center) + _sum(s.frame.x) + _sum(s.frame.y) + _sum(s.frame.z)
    return frame + s.side.x + s.side.y + s.inner_radius + s.outer_radius + s.half_height


@device
def speculative_sum(a: Turn, b: Sphere) -> float:
    """The sum of the box's numbers, as in `sector_sum`."""
    box = speculative_of(a)
    return _sum(box.lower) + _sum(box.upper)


@device
def sector_built(a: Turn, b: Sphere) -> bool:
    """Build the sector, then test the ball against it."""
    return intersects_sector3d_sphere(sector_of(a), b)


@device
def speculative_built(a: Turn, b: Sphere) -> bool:
    """Build the box, then test the ball against it."""
    return intersects_sphere_aabb3d(b, speculative_of(a))
