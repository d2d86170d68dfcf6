"""Distance of two convex cores from support points (Gilbert, Johnson and Keerthi 1988).

Every direction gives a lower bound of the distance by support points alone, and every simplex an upper bound.
So a result is proven, however the search for the best direction went.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.records import Vec3
from ougi.kernels.robot.constants import (
    AWAY,
    BOX,
    CONE,
    CYLINDER,
    DISTANCE_TOLERANCE,
    ELLIPSOID,
    MAX_ITERATIONS,
    MAX_TRIES,
    NO_RADIAL_PART,
    POINT,
    SEGMENT,
)
from ougi.kernels.robot.kinematics import transform, turn_back
from ougi.kernels.robot.lean import lean
from ougi.kernels.robot.records import LinkShapes
from ougi.kernels.vec3 import add, along, cross, dot, length_sq, scale, sub


class DistanceBounds(NamedTuple):
    """Bounds of a distance, and the points of both bodies that have the upper one."""

    lower: float
    upper: float
    a: Vec3
    b: Vec3


class Core(NamedTuple):
    """A core in a frame: a shape of the table, or one of the triangles if `triangle` is not negative."""

    shape: int
    joint: int
    triangle: int


@device
def _load(rows: Floats, k: int, i: int) -> Vec3:
    return Vec3(rows[k, i], rows[k, i + 1], rows[k, i + 2])


@lean
def support(shapes: LinkShapes, pose: Floats, core: Core, direction: Vec3) -> Vec3:
    """The point of a core that is furthest along a direction, in the world."""
    n = turn_back(pose, core.joint, direction)
    s = core.shape
    if core.triangle >= 0:
        best, p = -math.inf, Vec3(0.0, 0.0, 0.0)
        for i in range(0, 9, 3):
            q = _load(shapes.triangles, core.triangle, i)
            if dot(q, n) > best:
                best, p = dot(q, n), q
        return transform(pose, core.joint, p)
    code = shapes.code[s]
    p = _load(shapes.center, s, 0)
    if code == POINT:
        pass
    elif code == SEGMENT:
        half = _load(shapes.size, s, 0)
        p = along(p, half, 1.0 if dot(half, n) >= 0.0 else -1.0)
    elif code == BOX:
        for i in range(3):
            edge = _load(shapes.size, s, 3 * i)
            half_size = shapes.size[s, 9 + i]
            p = along(p, edge, half_size if dot(edge, n) >= 0.0 else -half_size)
    elif code == CYLINDER:
        axis = _load(shapes.size, s, 0)
        height = dot(axis, n)
        flat = along(n, axis, -height)
        flat = along(flat, axis, -dot(flat, axis))  # what is left of n may be rounding, along the axis too
        p = along(p, axis, shapes.size[s, 4] if height >= 0.0 else -shapes.size[s, 4])
        length = math.sqrt(length_sq(flat))
        if length > NO_RADIAL_PART * abs(height):
            p = along(p, flat, shapes.size[s, 3] / length)
    elif code == CONE:
        axis = _load(shapes.size, s, 0)
        height = dot(axis, n)
        flat = along(n, axis, -height)
        flat = along(flat, axis, -dot(flat, axis))
        length, radius = math.sqrt(length_sq(flat)), shapes.size[s, 3]
        tip, base = shapes.size[s, 4], shapes.size[s, 5]
        if (tip - base) * height >= radius * length:
            p = along(p, axis, tip)
        else:
            p = along(p, axis, base)
            if length > NO_RADIAL_PART * abs(height):
                p = along(p, flat, radius / length)
    elif code == ELLIPSOID:
        x, y, z = _load(shapes.size, s, 0), _load(shapes.size, s, 3), _load(shapes.size, s, 6)
        d = Vec3(dot(x, n), dot(y, n), dot(z, n))
        length = math.sqrt(length_sq(d))
        if length > 0.0:
            p = along(along(along(p, x, d.x / length), y, d.y / length), z, d.z / length)
    else:  # vertices of a polytope, or of the hull of a mesh
        best, k = -math.inf, shapes.first[s]
        v = shapes.vertices
        for i in range(shapes.first[s], shapes.first[s] + shapes.n_vertices[s]):
            height = v[i, 0] * n.x + v[i, 1] * n.y + v[i, 2] * n.z
            if height > best:
                best, k = height, i
        p = _load(v, k, 0)
    return transform(pose, core.joint, p)


@device
def _put(simplex: Floats, k: int, a: Vec3, b: Vec3, shift: Vec3) -> None:
    simplex[k, 0], simplex[k, 1], simplex[k, 2] = add(sub(a, b), shift)
    simplex[k, 3], simplex[k, 4], simplex[k, 5] = a.x, a.y, a.z
    simplex[k, 6], simplex[k, 7], simplex[k, 8] = b.x, b.y, b.z


@device
def put_direction(simplex: Floats, v: Vec3) -> None:
    """Keep the direction of a lower bound, from b to a."""
    simplex[4, 0], simplex[4, 1], simplex[4, 2] = v.x, v.y, v.z


@device
def _copy(simplex: Floats, target: int, source: int) -> None:
    if target != source:
        for i in range(9):
            simplex[target, i] = simplex[source, i]


@device
def _nearest_on_segment(p: Vec3, q: Vec3) -> tuple[float, float]:
    """Weights of the point of a segment that is nearest to the origin."""
    v = sub(q, p)
    v_sq = length_sq(v)
    t = -dot(p, v) / v_sq if v_sq > 0.0 else 0.0
    t = max(0.0, min(t, 1.0))
    return 1.0 - t, t


@lean
def _nearest_on_triangle(a: Vec3, b: Vec3, c: Vec3) -> tuple[float, float, float]:
    """Weights of the point of a triangle that is nearest to the origin."""
    ab, ac = sub(b, a), sub(c, a)
    n = cross(ab, ac)
    n_sq = length_sq(n)
    if n_sq > 0.0:
        # Barycentric coordinates of the projection: volumes over n.
        u, v, w = dot(cross(b, c), n), dot(cross(c, a), n), dot(cross(a, b), n)
        if u >= 0.0 and v >= 0.0 and w >= 0.0 and u + v + w > 0.0:
            total = u + v + w
            return u / total, v / total, w / total
    p, q = _nearest_on_segment(a, b)
    best = (p, q, 0.0)
    best_sq = length_sq(add(scale(a, p), scale(b, q)))
    p, q = _nearest_on_segment(b, c)
    d_sq = length_sq(add(scale(b, p), scale(c, q)))
    if d_sq < best_sq:
        best, best_sq = (0.0, p, q), d_sq
    p, q = _nearest_on_segment(c, a)
    if length_sq(add(scale(c, p), scale(a, q))) < best_sq:
        best = (q, 0.0, p)
    return best


@lean
def _reduce(simplex: Floats, count: int) -> tuple[int, Vec3, float, float, float, bool]:
    """Keep the points of the face nearest to the origin.

    Returns their number, the nearest point, its weights, and whether the origin is inside a tetrahedron.
    """
    a = _load(simplex, 0, 0)
    if count == 1:
        return 1, a, 1.0, 0.0, 0.0, False
    b = _load(simplex, 1, 0)
    if count == 2:
        u, v = _nearest_on_segment(a, b)
        w = 0.0
    elif count == 3:
        u, v, w = _nearest_on_triangle(a, b, _load(simplex, 2, 0))
    else:
        c, d = _load(simplex, 2, 0), _load(simplex, 3, 0)
        best_sq, face, u, v, w, inside = math.inf, -1, 1.0, 0.0, 0.0, True
        for k in range(4):
            p = a if k != 0 else d
            q = b if k != 1 else d
            r = c if k != 2 else d
            o = a if k == 0 else b if k == 1 else c if k == 2 else d
            n = cross(sub(q, p), sub(r, p))
            side, other = -dot(p, n), dot(sub(o, p), n)
            # The barycentric coordinate of o must lie in (0, 1]. Where the tetrahedron is flat, signs are
            # rounding, but a coordinate is not small then unless the origin is as near to the plane.
            if side * other <= 0.0 or abs(side) > abs(other):
                inside = False
                x, y, z = _nearest_on_triangle(p, q, r)
                near = add(add(scale(p, x), scale(q, y)), scale(r, z))
                if length_sq(near) < best_sq:
                    best_sq, face, u, v, w = length_sq(near), k, x, y, z
        if inside:
            return 4, Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0, True
        if face < 3:
            _copy(simplex, face, 3)
    size, weights = 0, (u, v, w)
    x, y, z = 0.0, 0.0, 0.0
    for k in range(min(count, 3)):
        if weights[k] > 0.0:
            _copy(simplex, size, k)
            if size == 0:
                x = weights[k]
            elif size == 1:
                y = weights[k]
            else:
                z = weights[k]
            size += 1
    near = scale(_load(simplex, 0, 0), x)
    if size > 1:
        near = add(near, scale(_load(simplex, 1, 0), y))
    if size > 2:
        near = add(near, scale(_load(simplex, 2, 0), z))
    return size, near, x, y, z, False


@lean
def _approach(
    shapes: LinkShapes,
    pose: Floats,
    a: Core,
    b: Core,
    guess: Vec3,
    shift: Vec3,
    simplex: Floats,
    enough: float,
    touching: float,
    exact: bool,
) -> DistanceBounds:
    """Bounds of the distance of two cores, as `measure_cores`, after a was moved by a shift."""
    direction = guess if length_sq(guess) > 0.0 else Vec3(1.0, 0.0, 0.0)
    put_direction(simplex, direction)
    p, q = support(shapes, pose, a, scale(direction, -1.0)), support(shapes, pose, b, direction)
    _put(simplex, 0, p, q, shift)
    near, count = add(sub(p, q), shift), 1
    lower = dot(near, direction) / math.sqrt(length_sq(direction))
    u, v, w = 1.0, 0.0, 0.0
    upper = math.sqrt(length_sq(near))
    for _ in range(MAX_ITERATIONS):
        if lower > enough or upper <= touching or upper - lower <= DISTANCE_TOLERANCE * upper:
            break
        p, q = support(shapes, pose, a, scale(near, -1.0)), support(shapes, pose, b, near)
        bound = dot(add(sub(p, q), shift), near) / upper
        if bound > lower:
            lower = bound
            put_direction(simplex, near)
        if upper - lower <= DISTANCE_TOLERANCE * upper or (not exact and touching < lower <= upper <= enough):
            break
        _put(simplex, count, p, q, shift)
        count, found, x, y, z, inside = _reduce(simplex, count + 1)
        if inside:  # unless a direction separates the cores: then it is rounding
            return DistanceBounds(lower, upper, p, q) if lower > 0.0 else DistanceBounds(lower, 0.0, p, q)
        u, v, w, near = x, y, z, found
        length = math.sqrt(length_sq(near))
        if length >= upper:  # no progress: rounding
            upper = length
            break
        upper = length
    p = scale(_load(simplex, 0, 3), u)
    q = scale(_load(simplex, 0, 6), u)
    if count > 1:
        p, q = along(p, _load(simplex, 1, 3), v), along(q, _load(simplex, 1, 6), v)
    if count > 2:
        p, q = along(p, _load(simplex, 2, 3), w), along(q, _load(simplex, 2, 6), w)
    return DistanceBounds(min(lower, upper), upper, p, q)


@lean
def measure_cores(
    shapes: LinkShapes,
    pose: Floats,
    a: Core,
    b: Core,
    guess: Vec3,
    simplex: Floats,
    enough: float,
    touching: float,
    exact: bool,
) -> DistanceBounds:
    """Bounds of the distance of two cores.

    The search ends when the lower bound exceeds `enough`, when the upper one is at most `touching`, when both
    agree, or, unless `exact`, when the distance lies between `touching` and `enough`. `guess` is a direction
    from b to a. The last row of `simplex` gets the direction of the lower bound.

    The points of cores that nearly touch are so near that rounding decides on the direction between them.
    Then a is moved away along the best direction, and the nearest points are found there.
    """
    near = _approach(shapes, pose, a, b, guess, Vec3(0.0, 0.0, 0.0), simplex, enough, touching, exact)
    lower, upper = near.lower, near.upper
    if lower > enough or upper <= touching or upper - lower <= DISTANCE_TOLERANCE * upper:
        return near
    away = AWAY * (shapes.radius[a.shape, 1] + shapes.radius[b.shape, 1])
    if upper > away or (not exact and touching < lower <= upper <= enough):
        return near
    p, q, best = near.a, near.b, _load(simplex, 4, 0)
    n = scale(best, 1.0 / math.sqrt(length_sq(best)))
    for _ in range(MAX_TRIES):  # each direction is better than the one before
        if upper - lower <= AWAY * away:
            break
        far = _approach(shapes, pose, a, b, n, scale(n, away), simplex, math.inf, 0.0, True)
        v = _load(simplex, 4, 0)
        v = scale(v, 1.0 / math.sqrt(length_sq(v)))
        bound, length = far.lower - away * dot(v, n), math.sqrt(length_sq(sub(far.a, far.b)))
        if bound > lower:
            lower, best = bound, v
        if length < upper:
            upper, p, q = length, far.a, far.b
        n = v
    put_direction(simplex, best)
    return DistanceBounds(min(lower, upper), upper, p, q)
