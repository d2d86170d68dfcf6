"""Rays against boxes, triangles, hulls and polygons."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box, turn_from_box, turn_to_box
from ougi.kernels.convex.polytope import from_axes, get_normal, get_template_vertex, get_vertex, to_axes
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.rays.records import Ray, RayHit, choose_nearer, make_inside, make_miss
from ougi.kernels.rays.round_bodies import cast_rod
from ougi.kernels.records import Box, Triangle3d, Vec3
from ougi.kernels.vec3 import NOWHERE, add, along, cross, dot, scale, sub, unit_or


@device
def _enter_slab(o: float, d: float, half: float) -> tuple[float, float]:
    """When a ray is within -half..half along one axis: from, until."""
    if d == 0.0:
        return (-math.inf, math.inf) if abs(o) <= half else (math.inf, -math.inf)
    p, q = (-half - o) / d, (half - o) / d
    return (p, q) if p <= q else (q, p)


@device
def cast_box(ray: Ray, b: Box) -> RayHit:
    o, d = to_box(b, ray.origin), turn_to_box(b, ray.direction)
    x, y, z = (
        _enter_slab(o.x, d.x, b.half.x),
        _enter_slab(o.y, d.y, b.half.y),
        _enter_slab(o.z, d.z, b.half.z),
    )
    enter, leave = max(x[0], y[0], z[0]), min(x[1], y[1], z[1])
    if not enter <= leave or leave < 0.0:
        return make_miss()
    if enter <= 0.0 and abs(o.x) <= b.half.x and abs(o.y) <= b.half.y and abs(o.z) <= b.half.z:
        return make_inside()
    n = Vec3(-math.copysign(1.0, d.x), 0.0, 0.0)
    if y[0] == enter:
        n = Vec3(0.0, -math.copysign(1.0, d.y), 0.0)
    if z[0] == enter:
        n = Vec3(0.0, 0.0, -math.copysign(1.0, d.z))
    return RayHit(max(enter, 0.0), turn_from_box(b, n))


@device
def cast_triangle3d(ray: Ray, c: Triangle3d) -> RayHit:
    """The plane's t, and three signed areas; a triangle that is seen edge-on is missed."""
    u, v, m = sub(c.b, c.a), sub(c.c, c.a), sub(ray.origin, c.a)
    n = cross(u, v)
    rate = dot(n, ray.direction)
    if rate == 0.0:
        return make_miss()
    t = -dot(n, m) / rate
    if not t >= 0.0:
        return make_miss()
    p = along(m, ray.direction, t)
    nn = dot(n, n)
    first, second = dot(cross(p, v), n), dot(cross(u, p), n)
    if first < 0.0 or second < 0.0 or first + second > nn:
        return make_miss()
    return RayHit(t, unit_or(scale(n, -1.0 if rate > 0.0 else 1.0), NOWHERE))


@device
def _get_point(h: Hull3d, i: int) -> Vec3:
    """A vertex in the world."""
    return add(from_axes(get_vertex(h, i), h.frame), h.frame.center)


@procedure
def _cast_edges(ray: Ray, h: Hull3d, hit: RayHit) -> RayHit:
    """The nearer of a hit and of those with the capsules around all edges."""
    for k in range(h.edge_count):
        at = h.edges + 4 * k
        i, j = int(h.numbers[at]), int(h.numbers[at + 1])
        hit = choose_nearer(hit, cast_rod(ray, _get_point(h, i), _get_point(h, j), h.radius))
    return hit


@procedure
def _clip_by_faces(o: Vec3, d: Vec3, h: Hull3d) -> RayHit:
    """Where a ray enters a solid without a radius, in its own frame: at the last plane crossed inward."""
    enter, leave, face, is_inside = 0.0, math.inf, -1, True
    for i in range(h.face_count):
        n = get_normal(h, i)
        height, rate = dot(n, o) - h.numbers[h.faces + 4 * i + 3], dot(n, d)
        is_inside = is_inside and height <= 0.0
        if rate < 0.0:
            if -height / rate >= enter and height > 0.0:
                enter, face = -height / rate, i
        elif rate > 0.0:
            leave = min(leave, -height / rate)
        elif height > 0.0:
            return make_miss()
    if is_inside:
        return make_inside()
    if face < 0 or enter > leave:
        return make_miss()
    return RayHit(enter, get_normal(h, face))


@procedure
def _is_over_face(p: Vec3, h: Hull3d, face: int) -> bool:
    """Is a point of a face's plane in the face, behind all other planes?"""
    for i in range(h.face_count):
        if i != face and dot(get_normal(h, i), p) > h.numbers[h.faces + 4 * i + 3]:
            return False
    return True


@procedure
def _cast_raised_faces(o: Vec3, d: Vec3, h: Hull3d) -> RayHit:
    """The first hit with the faces of a rounded solid, raised by the radius."""
    hit = make_miss()
    for i in range(h.face_count):
        n = get_normal(h, i)
        height, rate = dot(n, o) - h.numbers[h.faces + 4 * i + 3] - h.radius, dot(n, d)
        if -h.radius <= height <= 0.0 and _is_over_face(along(o, n, -height - h.radius), h, i):
            return make_inside()
        if height > 0.0 and rate < 0.0:
            t = -height / rate
            if t < hit.t and _is_over_face(along(along(o, d, t), n, -h.radius), h, i):
                hit = RayHit(t, n)
    return hit


@procedure
def _is_in_polygon(p: Vec3, h: Hull3d, n: Vec3) -> bool:
    """Does a point of the plane of a flat polygon, counterclockwise about n, lie in it?"""
    before = get_vertex(h, h.vertex_count - 1)
    for i in range(h.vertex_count):
        v = get_vertex(h, i)
        if dot(cross(sub(v, before), sub(p, before)), n) < 0.0:
            return False
        before = v
    return True


@procedure
def _cast_plate(o: Vec3, d: Vec3, h: Hull3d) -> RayHit:
    """The two faces of a flat polygon in space, raised by the radius."""
    hit = make_miss()
    n = get_normal(h, 0)
    for side in range(2):
        m = n if side == 0 else scale(n, -1.0)
        height, rate = dot(m, o) - h.numbers[h.faces + 4 * side + 3] - h.radius, dot(m, d)
        if h.radius > 0.0 and -h.radius <= height <= 0.0 and _is_in_polygon(o, h, n):
            return make_inside()
        if height >= 0.0 and rate < 0.0:
            p = along(o, d, -height / rate)
            if -height / rate < hit.t and _is_in_polygon(p, h, n):
                hit = RayHit(-height / rate, m)
    return hit


@procedure
def cast_hull3d(ray: Ray, h: Hull3d) -> RayHit:
    """Faces, and around them the capsules of all edges, if there is a radius."""
    if h.rank < 2:
        last = _get_point(h, h.vertex_count - 1)
        return cast_rod(ray, _get_point(h, 0), last, h.radius)
    o, d = to_axes(sub(ray.origin, h.frame.center), h.frame), to_axes(ray.direction, h.frame)
    if h.rank == 2:
        hit = _cast_plate(o, d, h)
    else:
        hit = _clip_by_faces(o, d, h)
        if h.radius > 0.0 and hit.t > 0.0:
            hit = _cast_raised_faces(o, d, h)
    if hit.t > 0.0:
        hit = RayHit(hit.t, from_axes(hit.normal, h.frame))
    return _cast_edges(ray, h, hit) if h.radius > 0.0 else hit


@device
def _cross_segment(ray: Ray, start: Vec3, end: Vec3) -> RayHit:
    """Where a ray of the plane crosses a segment; one along its line is missed."""
    e, m, d = sub(end, start), sub(ray.origin, start), ray.direction
    area = e.x * d.y - e.y * d.x
    if area == 0.0:
        return make_miss()
    t, share = (m.x * e.y - m.y * e.x) / area, (m.x * d.y - m.y * d.x) / area
    if not t >= 0.0 or not 0.0 <= share <= 1.0:
        return make_miss()
    n = unit_or(Vec3(e.y, -e.x, 0.0), NOWHERE)
    return RayHit(t, n if dot(n, d) <= 0.0 else scale(n, -1.0))


@procedure
def _clip_by_edges(o: Vec3, d: Vec3, h: Hull3d) -> RayHit:
    """Where a ray of the plane enters a polygon without a radius, in its own frame."""
    enter, leave, is_inside = 0.0, math.inf, True
    best = NOWHERE
    before = get_template_vertex(h, h.vertex_count - 1)
    for i in range(h.vertex_count):
        # Of the template, because an edge may be scaled to nothing.
        v, q = get_template_vertex(h, i), get_vertex(h, i)
        n = Vec3(v.y - before.y, before.x - v.x, 0.0)
        height, rate = dot(n, sub(o, q)), dot(n, d)
        before = v
        is_inside = is_inside and height <= 0.0
        if rate < 0.0:
            if -height / rate >= enter and height > 0.0:
                enter, best = -height / rate, n
        elif rate > 0.0:
            leave = min(leave, -height / rate)
        elif height > 0.0:
            return make_miss()
    if is_inside:
        return make_inside()
    if math.isnan(best.x) or enter > leave:
        return make_miss()
    return RayHit(enter, unit_or(best, NOWHERE))


@procedure
def cast_polygon2d(ray: Ray, h: Hull3d) -> RayHit:
    """Edges, and the capsules around them, if there is a radius."""
    if h.rank < 2:
        first, last = _get_point(h, 0), _get_point(h, h.vertex_count - 1)
        return cast_rod(ray, first, last, h.radius) if h.radius > 0.0 else _cross_segment(ray, first, last)
    o, d = to_axes(sub(ray.origin, h.frame.center), h.frame), to_axes(ray.direction, h.frame)
    hit = _clip_by_edges(o, d, h)
    if h.radius > 0.0:
        return _cast_edges(ray, h, hit if hit.t == 0.0 else make_miss())
    return RayHit(hit.t, from_axes(hit.normal, h.frame)) if hit.t > 0.0 else hit
