"""Supports of convex solids (polytopes, cylinders, cones and ellipsoids) and their nearest points by GJK."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi.kernels.convex.constants import CONE, CYLINDER, ELLIPSOID, MAX_SOLID_STEPS
from ougi.kernels.convex.gjk import Approach, make_approach
from ougi.kernels.convex.polytope import (
    RelativePose,
    find_support,
    from_axes,
    get_vertex,
    to_axes,
)
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.simplex import Simplex, on_corner
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, dot, neg, scale, sub

_ZERO = Vec3(0.0, 0.0, 0.0)


class SolidCorner(NamedTuple):
    """A point of b minus a point of a, and both, in the frame of a."""

    point: Vec3
    a: Vec3
    b: Vec3


@device
def find_solid_support(h: Hull3d, d: Vec3) -> Vec3:
    """The point that lies furthest along d; both in the own frame of the solid."""
    if h.rank < CYLINDER:
        return get_vertex(h, find_support(h, d))
    r, height = h.scale.x, h.scale.z
    if h.rank == ELLIPSOID:
        x, y, z = r * d.x, h.scale.y * d.y, height * d.z
        reach = math.sqrt(x * x + y * y + z * z)
        if not reach > 0.0:
            return _ZERO
        return Vec3(r * x / reach, h.scale.y * y / reach, height * z / reach)
    rho = math.sqrt(d.x * d.x + d.y * d.y)
    share = r / rho if rho > 0.0 else 0.0
    if h.rank == CONE:
        if 2.0 * height * d.z >= r * rho:
            return Vec3(0.0, 0.0, height)
        return Vec3(share * d.x, share * d.y, -height)
    level = height if d.z > 0.0 else (-height if d.z < 0.0 else 0.0)
    return Vec3(share * d.x, share * d.y, level)


@device
def find_solid_corner(a: Hull3d, b: Hull3d, to: RelativePose, d: Vec3) -> SolidCorner:
    """The corner of b - a that lies furthest against d."""
    p = find_solid_support(a, d)
    q = add(from_axes(find_solid_support(b, neg(to_axes(d, to))), to), to.offset)
    return SolidCorner(sub(q, p), p, q)


@device
def gap_of_solids(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> float:
    """How far b lies beyond a along a unit vector n: a lower bound of the signed distance."""
    return dot(n, find_solid_corner(a, b, to, n).point)


_approach_from = make_approach(find_solid_corner, MAX_SOLID_STEPS)


@device
def approach_solids(
    a: Hull3d, b: Hull3d, to: RelativePose, start: Vec3, limit: float, enough: float
) -> Approach:
    """GJK from the corner of b - a that lies furthest against a direction."""
    return _approach_from(a, b, to, on_corner(find_solid_corner(a, b, to, start)), limit, enough)


@device
def weigh(s: Simplex) -> tuple[Vec3, Vec3]:
    """The points of a and b of which a simplex is the difference."""
    p = add(add(scale(s.first.a, s.weight_1), scale(s.second.a, s.weight_2)), scale(s.third.a, s.weight_3))
    q = add(add(scale(s.first.b, s.weight_1), scale(s.second.b, s.weight_2)), scale(s.third.b, s.weight_3))
    return p, q
