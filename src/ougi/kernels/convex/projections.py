"""Projections on convex solids, and nearest points of two solids as the fixed point of two projections.

The nearest point p of a is the projection on a of the projection of p on b. For curved solids the projections
are closed forms or a root in one unknown. So they have no slivers of simplices between points of a surface,
and their fixed point is precise where the distance, which is flat there, cannot find it.
"""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.constants import PROOF_ROUNDING
from ougi.kernels.convex.constants import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    MAX_FIXED_POINT_STEPS,
    MAX_ROOT_STEPS,
    SHIFT,
    SMALLEST_SLOPE_SQ,
)
from ougi.kernels.convex.gjk_solids import approach, weigh
from ougi.kernels.convex.polytope import RelativePose, from_axes, measure_size, to_axes
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, along, cross, dot, length_sq, perpendicular, scale, sub, unit_or

_X, _Y, _Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


@device
def _project_on_cylinder(h: Hull3d, x: Vec3) -> Vec3:
    r, height = h.scale.x, h.scale.z
    rho = math.sqrt(x.x * x.x + x.y * x.y)
    share = r / rho if rho > r else 1.0
    return Vec3(share * x.x, share * x.y, min(max(x.z, -height), height))


@device
def _project_on_cone(h: Hull3d, x: Vec3) -> Vec3:
    """In the plane through x and the axis, on a triangle: its base, its side, or neither."""
    r, height = h.scale.x, h.scale.z
    rho, z = math.sqrt(x.x * x.x + x.y * x.y), x.z
    up = z + height
    if rho <= r and up < 0.0:
        return Vec3(x.x, x.y, -height)
    if rho <= r and (rho - r) * 2.0 * height + up * r <= 0.0 and up <= 2.0 * height:
        return x
    side_sq = r * r + 4.0 * height * height
    t = (2.0 * height * up - r * (rho - r)) / side_sq if side_sq > 0.0 else 1.0
    t = min(max(t, 0.0), 1.0)
    share = (1.0 - t) * r / rho if rho > 0.0 else 0.0
    return Vec3(share * x.x, share * x.y, (2.0 * t - 1.0) * height)


@device
def _shrink(r: float, x: float, t: float) -> float:
    """The coordinate of a point of an ellipsoid from which x lies t times its gradient away."""
    return x / (1.0 + t / (r * r)) if r * r > 0.0 else 0.0


@device
def _project_on_ellipsoid(h: Hull3d, x: Vec3) -> Vec3:
    """The root t of sum (r_i x_i / (t + r_i^2))^2 = 1 by the iteration of More and Sorensen.

    The inverse root of the sum is concave and nearly a line, so steps from below stay below.
    """
    a, b, c = h.scale.x, h.scale.y, h.scale.z
    u, v, w = a * abs(x.x), b * abs(x.y), c * abs(x.z)
    t = max(u - a * a, v - b * b, w - c * c, 0.0)
    for _ in range(MAX_ROOT_STEPS):
        i, j, k = t + a * a, t + b * b, t + c * c
        p = u / i if i > 0.0 else 0.0
        q = v / j if j > 0.0 else 0.0
        s = w / k if k > 0.0 else 0.0
        total = p * p + q * q + s * s
        if not total > 1.0:
            break
        rate = (p * p / i if i > 0.0 else 0.0) + (q * q / j if j > 0.0 else 0.0)
        rate += s * s / k if k > 0.0 else 0.0
        new = t + total / rate * (math.sqrt(total) - 1.0)
        if not new > t:
            break
        t = new
    return Vec3(_shrink(a, x.x, t), _shrink(b, x.y, t), _shrink(c, x.z, t))


@procedure
def project_on_solid(h: Hull3d, x: Vec3) -> Vec3:
    """The point of a solid without its radius that is nearest to x; both in the own frame of the solid."""
    if h.rank == CYLINDER:
        return _project_on_cylinder(h, x)
    if h.rank == CONE:
        return _project_on_cone(h, x)
    if h.rank == ELLIPSOID:
        return _project_on_ellipsoid(h, x)
    point = Hull3d(h.numbers, h.frame, Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, ELLIPSOID, 0, 0, 0, 0, 0, 0)
    s, _ = approach(h, point, RelativePose(x, _X, _Y, _Z), unit_or(x, _X), -1.0)
    return x if s.corner_count == 4 else weigh(s)[0]


@procedure
def _project_on_both(a: Hull3d, b: Hull3d, to: RelativePose, p: Vec3) -> tuple[Vec3, Vec3]:
    """The projection of p on b, and that of the result on a; in reverse order."""
    q = add(from_axes(project_on_solid(b, to_axes(sub(p, to.offset), to)), to), to.offset)
    return project_on_solid(a, q), q


@device
def _solve(a: float, b: float, c: float, d: float, x: float, y: float) -> tuple[float, float]:
    """The least squares solution of (a b; c d) v = (x, y), damped where the matrix is next to singular."""
    aa, bb = a * a + c * c + SMALLEST_SLOPE_SQ, b * b + d * d + SMALLEST_SLOPE_SQ
    ab, u, v = a * b + c * d, a * x + c * y, b * x + d * y
    det = aa * bb - ab * ab
    return (bb * u - ab * v) / det, (aa * v - ab * u) / det


@procedure
def find_fixed_point(a: Hull3d, b: Hull3d, to: RelativePose, p: Vec3) -> tuple[Vec3, Vec3]:
    """Nearest points of two solids that are apart, by Newton's method from a point p near that of a.

    Where both bodies are flat along a direction, all points along it are as near, and none is preferred.
    """
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    shift = SHIFT * measure_size(a, b, to)
    p, _ = _project_on_both(a, b, to, p)
    for _ in range(MAX_FIXED_POINT_STEPS):
        r, q = _project_on_both(a, b, to, p)
        f, w = sub(r, p), sub(q, p)
        if length_sq(f) <= (0.25 * rounding) ** 2 or length_sq(w) <= rounding * rounding:
            break
        n = unit_or(w, _X)
        u = perpendicular(n)
        v = cross(n, u)
        at_u = scale(sub(_project_on_both(a, b, to, along(p, u, shift))[0], r), 1.0 / shift)
        at_v = scale(sub(_project_on_both(a, b, to, along(p, v, shift))[0], r), 1.0 / shift)
        x, y = _solve(
            1.0 - dot(at_u, u), -dot(at_v, u), -dot(at_u, v), 1.0 - dot(at_v, v), dot(f, u), dot(f, v)
        )
        new, _ = _project_on_both(a, b, to, along(along(p, u, x), v, y))
        again, _ = _project_on_both(a, b, to, new)
        p = again if length_sq(sub(again, new)) < length_sq(f) else r
    return p, _project_on_both(a, b, to, p)[1]
