"""The point of a body that lies furthest along a direction, without its radius."""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.convex.gjk_solids import find_solid_support
from ougi.kernels.convex.polytope import from_axes, to_axes
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Sector2d, Sector3d, Vec2, Vec3
from ougi.kernels.vec3 import add


@device
def support_hull3d(h: Hull3d, d: Vec3) -> Vec3:
    return add(from_axes(find_solid_support(h, to_axes(d, h.frame)), h.frame), h.frame.center)


@device
def _support_fan(side: Vec2, inner_radius: float, outer_radius: float, x: float, y: float) -> Vec2:
    """Of a fan about the x axis: where the direction (x, y) meets the arc, or else an end of an edge."""
    length = math.sqrt(x * x + y * y)
    if length > 0.0 and x >= side.x * length:
        return Vec2(outer_radius * x / length, outer_radius * y / length)
    edge = Vec2(side.x, side.y if y >= 0.0 else -side.y)
    radius = outer_radius if edge.x * x + edge.y * y >= 0.0 else inner_radius
    return Vec2(radius * edge.x, radius * edge.y)


@device
def support_sector3d(s: Sector3d, d: Vec3) -> Vec3:
    e = to_axes(d, s.frame)
    p = _support_fan(s.side, s.inner_radius, s.outer_radius, e.x, e.y)
    height = s.half_height if e.z >= 0.0 else -s.half_height
    return add(from_axes(Vec3(p.x, p.y, height), s.frame), s.frame.center)


@device
def support_sector2d(s: Sector2d, d: Vec2) -> Vec2:
    p = _support_fan(
        s.side, s.inner_radius, s.outer_radius, d.x * s.x.x + d.y * s.x.y, d.y * s.x.x - d.x * s.x.y
    )
    return Vec2(s.center.x + p.x * s.x.x - p.y * s.x.y, s.center.y + p.x * s.x.y + p.y * s.x.x)
