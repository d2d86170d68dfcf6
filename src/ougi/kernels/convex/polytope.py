"""Convex polytopes given by their vertices: supports, nearest points (GJK) and the axis of least overlap.

Both bodies are described in the frame of the first. GJK walks through simplices of the difference b - a
towards the origin. Its result is used if it is proved: no vertex of the difference lies nearer along the
normal than the nearest points. Otherwise all faces and all pairs of edges are tried. For overlapping bodies
every unit vector gives a valid bound of the depth, and the best one is found among face normals and products
of edges.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, segment_segment, triangle_triangle
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING, ROUNDING
from ougi.kernels.convex.constants import INSIDE, MAX_GJK_STEPS, MAX_MOVES_OUT, MOVED_OUT
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Frame, Triangle3d, Vec3
from ougi.kernels.support3d import edge_axis
from ougi.kernels.vec3 import (
    add,
    along,
    cross,
    dot,
    length,
    length_sq,
    neg,
    perpendicular,
    scale,
    sub,
    unit_or,
)

_ZERO = Vec3(0.0, 0.0, 0.0)
_UP = Vec3(0.0, 0.0, 1.0)


class RelativePose(NamedTuple):
    """The pose of b in the frame of a: the offset of its center, and its axes."""

    offset: Vec3
    x: Vec3
    y: Vec3
    z: Vec3


class Corner(NamedTuple):
    """A vertex of b minus a vertex of a, and their indices."""

    point: Vec3
    a: int
    b: int


class Simplex(NamedTuple):
    """One to three corners, their weights, and the weighted point: the nearest one to the origin.

    Four corners surround the origin, in the plane three. Then `distance_sq` is 0, or LARGEST if rounding may
    decide. Corners are those of polytopes (`Corner`) or of curved solids.
    """

    corner_count: int
    first: Any
    second: Any
    third: Any
    weight_1: float
    weight_2: float
    weight_3: float
    point: Vec3
    distance_sq: float


@device
def to_axes(v: Vec3, f: Frame | RelativePose) -> Vec3:
    """Components of v along the axes of a frame."""
    return Vec3(dot(v, f.x), dot(v, f.y), dot(v, f.z))


@device
def from_axes(v: Vec3, f: Frame | RelativePose) -> Vec3:
    """The vector with these components along the axes of a frame."""
    return Vec3(
        f.x.x * v.x + f.y.x * v.y + f.z.x * v.z,
        f.x.y * v.x + f.y.y * v.y + f.z.y * v.z,
        f.x.z * v.x + f.y.z * v.y + f.z.z * v.z,
    )


@device
def relate(a: Frame, b: Frame) -> RelativePose:
    """Frame b in the frame of a."""
    return RelativePose(
        to_axes(sub(b.center, a.center), a), to_axes(b.x, a), to_axes(b.y, a), to_axes(b.z, a)
    )


@device
def get_vertex(h: Hull3d, i: int) -> Vec3:
    k = h.vertices + 3 * i
    return Vec3(h.numbers[k] * h.scale.x, h.numbers[k + 1] * h.scale.y, h.numbers[k + 2] * h.scale.z)


@device
def get_normal(h: Hull3d, i: int) -> Vec3:
    k = h.faces + 4 * i
    return Vec3(h.numbers[k], h.numbers[k + 1], h.numbers[k + 2])


@device
def find_support(h: Hull3d, d: Vec3) -> int:
    """The vertex that lies furthest along d; d in the polytope's own frame."""
    e = Vec3(d.x * h.scale.x, d.y * h.scale.y, d.z * h.scale.z)
    k = h.vertices
    best = h.numbers[k] * e.x + h.numbers[k + 1] * e.y + h.numbers[k + 2] * e.z
    index = 0
    for i in range(1, h.vertex_count):
        k += 3
        height = h.numbers[k] * e.x + h.numbers[k + 1] * e.y + h.numbers[k + 2] * e.z
        if height > best:
            best = height
            index = i
    return index


@device
def find_corner(a: Hull3d, b: Hull3d, to: RelativePose, d: Vec3) -> Corner:
    """The corner of b - a that lies furthest against d."""
    i = find_support(a, d)
    j = find_support(b, neg(to_axes(d, to)))
    q = add(from_axes(get_vertex(b, j), to), to.offset)
    return Corner(sub(q, get_vertex(a, i)), i, j)


@device
def gap_along(a: Hull3d, b: Hull3d, to: RelativePose, n: Vec3) -> float:
    """How far b lies beyond a along n, times |n|; a valid bound whatever n is."""
    return dot(n, find_corner(a, b, to, n).point)


# --- nearest points -------------------------------------------------------------------------------------


@device
def on_corner(c: Any) -> Simplex:
    return Simplex(1, c, c, c, 1.0, 0.0, 0.0, c.point, length_sq(c.point))


@device
def _on_segment(c: Corner, d: Corner) -> Simplex:
    v = sub(d.point, c.point)
    v_sq = dot(v, v)
    t = -dot(c.point, v)
    if not t > 0.0:
        return on_corner(c)
    if t >= v_sq:
        return on_corner(d)
    t = t / v_sq
    q = along(c.point, v, t)
    return Simplex(2, c, d, d, 1.0 - t, t, 0.0, q, length_sq(q))


@device
def _nearer(s: Simplex, t: Simplex) -> Simplex:
    return t if t.distance_sq < s.distance_sq else s


@device
def _on_triangle(c: Corner, d: Corner, e: Corner) -> Simplex:
    n = cross(sub(d.point, c.point), sub(e.point, c.point))
    n_sq = dot(n, n)
    u = dot(cross(d.point, e.point), n)
    v = dot(cross(e.point, c.point), n)
    w = dot(cross(c.point, d.point), n)
    if u > 0.0 and v > 0.0 and w > 0.0 and n_sq > 0.0:
        q = scale(n, dot(c.point, n) / n_sq)
        total = u + v + w
        return Simplex(3, c, d, e, u / total, v / total, w / total, q, length_sq(q))
    s = _nearer(_on_segment(c, d), _on_segment(d, e))
    return _nearer(s, _on_segment(e, c))


@device
def _is_beyond(a: Vec3, b: Vec3, c: Vec3, top: Vec3) -> bool:
    """Is the origin in the plane a b c, or on the other side of it than `top`?"""
    n = cross(sub(b, a), sub(c, a))
    return dot(n, sub(top, a)) * -dot(n, a) <= 0.0


@device
def _is_within(a: Vec3, b: Vec3, c: Vec3, top: Vec3) -> bool:
    """Do the origin and `top` lie beyond rounding on one side of the plane a b c?"""
    u, v = sub(b, a), sub(c, a)
    n = cross(u, v)
    rounding = INSIDE * math.sqrt(dot(u, u) * dot(v, v) * max(dot(a, a), dot(top, top)))
    height, own = dot(n, sub(top, a)), -dot(n, a)
    return (height > rounding and own > rounding) or (height < -rounding and own < -rounding)


@procedure
def _on_tetrahedron(c: Corner, d: Corner, e: Corner, f: Corner) -> Simplex:
    inside = True
    best = Simplex(4, c, d, e, 0.0, 0.0, 0.0, _ZERO, LARGEST)
    if _is_beyond(c.point, d.point, f.point, e.point):
        best = _nearer(best, _on_triangle(c, d, f))
        inside = False
    if _is_beyond(d.point, e.point, f.point, c.point):
        best = _nearer(best, _on_triangle(d, e, f))
        inside = False
    if _is_beyond(e.point, c.point, f.point, d.point):
        best = _nearer(best, _on_triangle(e, c, f))
        inside = False
    if _is_beyond(c.point, d.point, e.point, f.point):
        best = _nearer(best, _on_triangle(c, d, e))
        inside = False
    if not inside:
        return best
    is_proved = (
        _is_within(c.point, d.point, f.point, e.point)
        and _is_within(d.point, e.point, f.point, c.point)
        and _is_within(e.point, c.point, f.point, d.point)
        and _is_within(c.point, d.point, e.point, f.point)
    )
    return Simplex(4, c, d, e, 0.0, 0.0, 0.0, _ZERO, 0.0 if is_proved else LARGEST)


@device
def add_corner(s: Simplex, c: Any) -> Simplex:
    """The part of a simplex and one more corner that is nearest to the origin."""
    if s.corner_count == 1:
        return _on_segment(s.first, c)
    if s.corner_count == 2:
        return _on_triangle(s.first, s.second, c)
    return _on_tetrahedron(s.first, s.second, s.third, c)


@device
def _is_corner(c: Corner, d: Corner) -> bool:
    return c.a == d.a and c.b == d.b


@device
def _has_corner(s: Simplex, c: Corner) -> bool:
    return _is_corner(s.first, c) or _is_corner(s.second, c) or _is_corner(s.third, c)


@procedure
def find_nearest(a: Hull3d, b: Hull3d, to: RelativePose, limit: float) -> tuple[Simplex, float]:
    """The simplex of b - a nearest to the origin, and a lower bound of its distance.

    It stops as soon as the bound exceeds `limit`, if that is not negative.
    """
    size = measure_size(a, b, to)
    start = to.offset if length_sq(to.offset) > 0.0 else Vec3(1.0, 0.0, 0.0)
    s = on_corner(find_corner(a, b, to, start))
    lower = -LARGEST
    for _ in range(MAX_GJK_STEPS):
        if s.corner_count == 4 or s.distance_sq <= (PROOF_ROUNDING * size) ** 2:
            break
        c = find_corner(a, b, to, s.point)
        distance = math.sqrt(s.distance_sq)
        lower = max(lower, dot(s.point, c.point) / distance)
        if lower > limit >= 0.0 or _has_corner(s, c) or distance - lower <= ROUNDING * distance:
            break
        new = add_corner(s, c)
        if new.distance_sq >= s.distance_sq and new.corner_count < 4:  # rounding
            break
        s = new
    return s, lower


@device
def count_distinct(i: int, j: int, k: int) -> int:
    if i == j:
        return 1 if k == i else 2
    return 2 if k in (i, j) else 3


@procedure
def find_points(a: Hull3d, b: Hull3d, to: RelativePose, s: Simplex) -> Nearest3d:
    """The nearest points of the vertices, edges or triangles of which a simplex is made, in the frame of a.

    They are what the weights of the simplex give, but for rounding: its corners may be almost on one line.
    """
    p, p1, p2 = get_vertex(a, s.first.a), get_vertex(a, s.second.a), get_vertex(a, s.third.a)
    q = add(from_axes(get_vertex(b, s.first.b), to), to.offset)
    q1 = add(from_axes(get_vertex(b, s.second.b), to), to.offset)
    q2 = add(from_axes(get_vertex(b, s.third.b), to), to.offset)
    na = count_distinct(s.first.a, s.second.a, s.third.a)
    nb = count_distinct(s.first.b, s.second.b, s.third.b)
    if na == 3 or nb == 3:
        return triangle_triangle(Triangle3d(p, p1, p2), Triangle3d(q, q1, q2))
    p1 = p1 if s.second.a != s.first.a else p2
    q1 = q1 if s.second.b != s.first.b else q2
    return segment_segment(p, p1, q, q1)


@device
def find_normal(a: Hull3d, b: Hull3d, to: RelativePose, s: Simplex, v: Vec3) -> Vec3:
    """The unit vector along v, from a to b, but exactly square to the faces and edges that are nearest.

    v has the error rounding / gap.
    """
    n = unit_or(v, Vec3(1.0, 0.0, 0.0))
    if s.corner_count == 1:
        return n
    if s.corner_count == 2:
        d = sub(s.second.point, s.first.point)
        return unit_or(along(v, d, -dot(v, d) / dot(d, d)), n)
    if count_distinct(s.first.a, s.second.a, s.third.a) == 3:
        o = get_vertex(a, s.first.a)
        m = cross(sub(get_vertex(a, s.second.a), o), sub(get_vertex(a, s.third.a), o))
    elif count_distinct(s.first.b, s.second.b, s.third.b) == 3:
        o = get_vertex(b, s.first.b)
        m = from_axes(cross(sub(get_vertex(b, s.second.b), o), sub(get_vertex(b, s.third.b), o)), to)
    else:
        i = s.second.a if s.second.a != s.first.a else s.third.a
        j = s.second.b if s.second.b != s.first.b else s.third.b
        f = from_axes(sub(get_vertex(b, j), get_vertex(b, s.first.b)), to)
        m = edge_axis(sub(get_vertex(a, i), get_vertex(a, s.first.a)), f)
    m = unit_or(m, n)
    return m if dot(m, n) >= 0.0 else neg(m)


# --- least overlap --------------------------------------------------------------------------------------


@device
def try_axis(
    best: tuple[float, Vec3], a: Hull3d, b: Hull3d, to: RelativePose, axis: Vec3
) -> tuple[float, Vec3]:
    """The better of the best axis so far and a new one, of any length, in this sense only."""
    n = unit_or(axis, _ZERO)
    if dot(n, n) > 0.5:
        gap = gap_along(a, b, to, n)
        if gap > best[0]:
            best = (gap, n)
    return best


@device
def try_both_senses(
    best: tuple[float, Vec3], a: Hull3d, b: Hull3d, to: RelativePose, axis: Vec3
) -> tuple[float, Vec3]:
    return try_axis(try_axis(best, a, b, to, axis), a, b, to, neg(axis))


@procedure
def _try_faces(a: Hull3d, b: Hull3d, to: RelativePose) -> tuple[float, Vec3]:
    n = unit_or(to.offset, Vec3(1.0, 0.0, 0.0))
    best = (gap_along(a, b, to, n), n)
    for i in range(a.face_count):
        best = try_axis(best, a, b, to, get_normal(a, i))
    for j in range(b.face_count):
        best = try_axis(best, a, b, to, neg(from_axes(get_normal(b, j), to)))
    return best


# Corners of a - b, of which each bounds its reach along every n from below by s . n.
Known: TypeAlias = tuple[
    Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3
]  # fmt: skip


@device
def _reach_corner(a: Hull3d, b: Hull3d, to: RelativePose, x: float, y: float, z: float) -> Vec3:
    return neg(find_corner(a, b, to, Vec3(x, y, z)).point)


@procedure
def _find_known(a: Hull3d, b: Hull3d, to: RelativePose) -> Known:
    """The corners of a - b that are furthest along the axes and the diagonals of a cube."""
    return (
        _reach_corner(a, b, to, 1.0, 0.0, 0.0), _reach_corner(a, b, to, -1.0, 0.0, 0.0),
        _reach_corner(a, b, to, 0.0, 1.0, 0.0), _reach_corner(a, b, to, 0.0, -1.0, 0.0),
        _reach_corner(a, b, to, 0.0, 0.0, 1.0), _reach_corner(a, b, to, 0.0, 0.0, -1.0),
        _reach_corner(a, b, to, 1.0, 1.0, 1.0), _reach_corner(a, b, to, -1.0, -1.0, -1.0),
        _reach_corner(a, b, to, 1.0, 1.0, -1.0), _reach_corner(a, b, to, -1.0, -1.0, 1.0),
        _reach_corner(a, b, to, 1.0, -1.0, 1.0), _reach_corner(a, b, to, -1.0, 1.0, -1.0),
        _reach_corner(a, b, to, -1.0, 1.0, 1.0), _reach_corner(a, b, to, 1.0, -1.0, -1.0),
    )  # fmt: skip


@device
def _is_worse(known: Known, depth: float, u: Vec3, v: Vec3) -> bool:
    """Is the reach of a - b at least this depth along all directions of the arc from u to v?

    For n between u and v, s . n is not less than the smaller one of s . u and s . v, if that is positive.
    """
    best = depth - 1.0
    for s in known:
        best = max(best, min(dot(s, u), dot(s, v)))
        if best >= depth:
            break
    return best >= depth


@device
def _find_edge(h: Hull3d, i: int) -> tuple[Vec3, Vec3]:
    """The first end of edge i and the vector to the second."""
    k = h.edges + 4 * i
    p = get_vertex(h, int(h.numbers[k]))
    return p, sub(get_vertex(h, int(h.numbers[k + 1])), p)


@procedure
def _cross_edges(
    best: tuple[float, Vec3], a: Hull3d, b: Hull3d, to: RelativePose, j: int, v0: Vec3, v1: Vec3
) -> tuple[float, Vec3]:
    """The better of the best axis and those across edge j of b and an edge of a whose arcs cross.

    v0 and v1 are the ends of the arc of edge j: the normals of its faces, pointing into b.
    """
    start, along_b = _find_edge(b, j)
    q, f = add(from_axes(start, to), to.offset), from_axes(along_b, to)
    for i in range(a.edge_count):
        p, e = _find_edge(a, i)
        x0, x1 = dot(v0, e), dot(v1, e)
        if x0 * x1 >= 0.0:
            continue
        k = a.edges + 4 * i
        u0, u1 = get_normal(a, int(a.numbers[k + 2])), get_normal(a, int(a.numbers[k + 3]))
        y0, y1 = dot(u0, f), dot(u1, f)
        if y0 * y1 >= 0.0 or x0 * y1 < 0.0:
            continue
        n = unit_or(cross(e, f), _ZERO)
        if dot(n, add(u0, u1)) < 0.0:
            n = neg(n)
        if dot(n, sub(q, p)) > best[0]:
            best = try_axis(best, a, b, to, n)
    return best


@procedure
def find_best_axis_of_solids(a: Hull3d, b: Hull3d, to: RelativePose) -> tuple[float, Vec3]:
    """As `find_best_axis`, for bodies of rank 3: without axes that known corners of the difference exclude.

    An arc along which one vertex of a stays furthest crosses no arc of a.
    """
    known = _find_known(a, b, to)
    n = unit_or(to.offset, Vec3(1.0, 0.0, 0.0))
    best = (gap_along(a, b, to, n), n)
    for k in range(14):
        best = try_axis(best, a, b, to, known[k])
    for i in range(a.face_count):
        n = get_normal(a, i)
        if not (best[0] < 0.0 and _is_worse(known, -best[0], n, n)):
            best = try_axis(best, a, b, to, n)
    for j in range(b.face_count):
        n = neg(from_axes(get_normal(b, j), to))
        if not (best[0] < 0.0 and _is_worse(known, -best[0], n, n)):
            best = try_axis(best, a, b, to, n)
    for j in range(b.edge_count):
        k = b.edges + 4 * j
        v0 = neg(from_axes(get_normal(b, int(b.numbers[k + 2])), to))
        v1 = neg(from_axes(get_normal(b, int(b.numbers[k + 3])), to))
        if best[0] < 0.0 and _is_worse(known, -best[0], v0, v1):
            continue
        if find_support(a, v0) != find_support(a, v1):
            best = _cross_edges(best, a, b, to, j, v0, v1)
    return best


@procedure
def find_best_axis(a: Hull3d, b: Hull3d, to: RelativePose) -> tuple[float, Vec3]:
    """The unit axis along which b lies furthest beyond a: minus the depth if they overlap.

    Two edges of solids carry a face of the difference b - a only if the arcs between the normals of their
    faces cross. For flat bodies all products are tried, and directions square to an edge.
    """
    if a.rank == 3 and b.rank == 3:
        return find_best_axis_of_solids(a, b, to)
    best = _try_faces(a, b, to)
    for j in range(b.edge_count):
        k = b.edges + 4 * j
        _, own = _find_edge(b, j)
        f = from_axes(own, to)
        if b.rank < 3:
            out = (
                cross(f, from_axes(get_normal(b, int(b.numbers[k + 2])), to))
                if b.rank == 2
                else perpendicular(f)
            )
            best = try_both_senses(best, a, b, to, out)
        for i in range(a.edge_count):
            _, e = _find_edge(a, i)
            best = try_both_senses(best, a, b, to, cross(e, f))
    if a.rank < 3:
        for i in range(a.edge_count):
            k = a.edges + 4 * i
            e = sub(get_vertex(a, int(a.numbers[k + 1])), get_vertex(a, int(a.numbers[k])))
            flat = a.rank == 2
            out = cross(e, get_normal(a, int(a.numbers[k + 2]))) if flat else perpendicular(e)
            best = try_both_senses(best, a, b, to, out)
    return best


@device
def _get_side(h: Hull3d, i: int) -> Vec3:
    """Along edge i of a polygon at z = 0, turned outward: polygons are counterclockwise."""
    k = h.edges + 4 * i
    return cross(sub(get_vertex(h, int(h.numbers[k + 1])), get_vertex(h, int(h.numbers[k]))), _UP)


@procedure
def find_best_axis_2d(a: Hull3d, b: Hull3d, to: RelativePose) -> tuple[float, Vec3]:
    """The same for polygons at z = 0: one of the normals of the sides."""
    n = unit_or(to.offset, Vec3(1.0, 0.0, 0.0))
    best = (gap_along(a, b, to, n), n)
    for i in range(a.edge_count):
        out = _get_side(a, i)
        best = try_both_senses(best, a, b, to, out) if a.rank == 1 else try_axis(best, a, b, to, out)
    for j in range(b.edge_count):
        out = neg(from_axes(_get_side(b, j), to))
        best = try_both_senses(best, a, b, to, out) if b.rank == 1 else try_axis(best, a, b, to, out)
    return best


# --- separation -----------------------------------------------------------------------------------------


class Separated(NamedTuple):
    """Signed distance, unit normal from a to b and points of both, in the frame of a and without radii.

    `simplex` has the vertices that are nearest, where they are known: then it has one to three corners.
    """

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3
    simplex: Simplex


@device
def measure_size(a: Hull3d, b: Hull3d, to: RelativePose) -> float:
    """The extent of both bodies together, by which rounding is measured."""
    return a.size + b.size + length(to.offset)


@device
def _get_edge(h: Hull3d, i: int) -> tuple[Vec3, Vec3]:
    """The ends of edge i; a point is an edge without length."""
    if h.edge_count == 0:
        return get_vertex(h, 0), get_vertex(h, 0)
    k = h.edges + 4 * i
    return get_vertex(h, int(h.numbers[k])), get_vertex(h, int(h.numbers[k + 1]))


class NearestEdges(NamedTuple):
    """The nearest points of two edges, and the directions of these."""

    near: Nearest3d
    e: Vec3
    f: Vec3


@procedure
def _find_nearest_edges(a: Hull3d, b: Hull3d, to: RelativePose) -> NearestEdges:
    """The nearest of all pairs of edges."""
    p, _ = _get_edge(a, 0)
    best = NearestEdges(Nearest3d(p, p, LARGEST), _ZERO, _ZERO)
    for j in range(max(b.edge_count, 1)):
        u, v = _get_edge(b, j)
        u, v = add(from_axes(u, to), to.offset), add(from_axes(v, to), to.offset)
        for i in range(max(a.edge_count, 1)):
            p, q = _get_edge(a, i)
            new = segment_segment(p, q, u, v)
            if new.distance_sq < best.near.distance_sq:
                best = NearestEdges(new, sub(q, p), sub(v, u))
    return best


@device
def _make_square(v: Vec3, e: Vec3) -> Vec3:
    """v without its component along e."""
    e_sq = dot(e, e)
    return along(v, e, -dot(v, e) / e_sq) if e_sq > 0.0 else v


@procedure
def _measure_outside(h: Hull3d, n: Vec3, p: Vec3) -> float:
    """How far a point lies outside of the face with the normal n, within its plane; LARGEST without one.

    The edge between two faces runs along the product of their normals.
    """
    if h.face_count == 0:
        return LARGEST
    face = 0
    for i in range(1, h.face_count):
        if dot(get_normal(h, i), n) > dot(get_normal(h, face), n):
            face = i
    if length_sq(sub(get_normal(h, face), n)) > PROOF_ROUNDING * PROOF_ROUNDING:
        return LARGEST
    over = -LARGEST
    for i in range(h.edge_count):
        k = h.edges + 4 * i
        if int(h.numbers[k + 2]) == face or int(h.numbers[k + 3]) == face:
            u, v = _get_edge(h, i)
            out = unit_or(cross(sub(v, u), get_normal(h, face)), _ZERO)
            height = dot(out, sub(p, u))
            over = max(over, height if int(h.numbers[k + 2]) == face else -height)
    return over


class AtFace(NamedTuple):
    """A separation, and how far its point on a face lies outside of the body of that face."""

    separated: Separated
    outside: float


@procedure
def _separate_at_face(a: Hull3d, b: Hull3d, to: RelativePose, gap: float, n: Vec3, s: Simplex) -> AtFace:
    """The separation of a vertex and the inside of a face; n is the normal of that face."""
    c = find_corner(a, b, to, n)
    p = get_vertex(a, c.a)
    q = add(p, c.point)
    on_a, on_b = along(q, n, -gap), along(p, n, gap)
    outside_a = _measure_outside(a, n, on_a)
    outside_b = _measure_outside(b, neg(to_axes(n, to)), to_axes(sub(on_b, to.offset), to))
    if outside_a <= outside_b:
        return AtFace(Separated(gap, n, on_a, q, s), outside_a)
    return AtFace(Separated(gap, n, p, on_b, s), outside_b)


@procedure
def _separate_slowly(a: Hull3d, b: Hull3d, to: RelativePose, is_planar: bool) -> Separated:
    """The separation by all faces and all pairs of edges."""
    size = measure_size(a, b, to)
    rounding = PROOF_ROUNDING * size
    gap, n = find_best_axis_2d(a, b, to) if is_planar else find_best_axis(a, b, to)
    c = find_corner(a, b, to, n)
    unknown = Simplex(0, c, c, c, 0.0, 0.0, 0.0, _ZERO, 0.0)
    if gap > -rounding:
        edges = _find_nearest_edges(a, b, to)
        near = edges.near
        distance = math.sqrt(near.distance_sq)
        if distance - gap > rounding:
            at_face = _separate_at_face(a, b, to, gap, n, unknown)
            if gap > rounding and at_face.outside <= rounding:
                return at_face.separated
            v = sub(near.b, near.a)
            best = try_axis((gap, n), a, b, to, v)
            best = try_axis(best, a, b, to, _make_square(v, edges.e))
            best = try_axis(best, a, b, to, _make_square(v, edges.f))
            gap, n = try_both_senses(best, a, b, to, edge_axis(edges.e, edges.f))
        if gap > rounding:
            return Separated(distance, n, near.a, near.b, unknown)
    depth = min(gap, 0.0)
    # Moved out along n by any distance beyond the depth, b is nearest to a at the point where they touch
    # after the depth alone: along n the gap is that distance, so no other pair of points is nearer.
    near = Nearest3d(n, n, LARGEST)
    for _ in range(MAX_MOVES_OUT):
        out = RelativePose(along(to.offset, n, MOVED_OUT * size - depth), to.x, to.y, to.z)
        s, _ = find_nearest(a, b, out, -1.0)
        near = find_points(a, b, out, s)
        if near.distance_sq <= (MOVED_OUT * size + rounding) ** 2:
            break
        # They are farther apart than they were moved. So a direction between n and that of the nearest points
        # is better than n: normals of faces that are thin all over lean by more than rounding.
        better = try_axis((gap, n), a, b, to, find_normal(a, b, out, s, sub(near.b, near.a)))
        if not better[0] > gap:
            at_face = _separate_at_face(a, b, to, depth, n, unknown)
            if at_face.outside <= rounding:
                return at_face.separated
            nearest = _find_nearest_edges(a, b, out).near
            near = nearest if nearest.distance_sq < near.distance_sq else near
            break
        gap, n = better
        depth = min(gap, 0.0)
    return Separated(depth, n, near.a, along(near.a, n, depth), unknown)


@procedure
def separate(a: Hull3d, b: Hull3d, to: RelativePose, is_planar: bool, has_depth: bool) -> Separated:
    """The signed distance of two polytopes without their radii; `is_planar`: both lie at z = 0.

    Without `has_depth`, bodies that overlap may have the distance 0 and no points and normal.
    """
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    s, _ = find_nearest(a, b, to, -1.0)
    if not has_depth and s.corner_count == 4 and s.distance_sq <= 0.0:
        return Separated(0.0, _UP, _ZERO, _ZERO, s)
    if s.corner_count < (3 if is_planar else 4):
        near = find_points(a, b, to, s)
        if near.distance_sq > rounding * rounding:
            n = find_normal(a, b, to, s, sub(near.b, near.a))
            distance = math.sqrt(near.distance_sq)
            if distance - gap_along(a, b, to, n) <= rounding:
                return Separated(distance, n, near.a, near.b, s)
    return _separate_slowly(a, b, to, is_planar)


@procedure
def is_within(a: Hull3d, b: Hull3d, is_planar: bool) -> bool:
    """Do two polytopes come as near as their radii?"""
    radius = a.radius + b.radius
    to = relate(a.frame, b.frame)
    s, lower = find_nearest(a, b, to, radius)
    if lower > radius:
        return False
    rounding = PROOF_ROUNDING * measure_size(a, b, to)
    is_inside = s.corner_count == (3 if is_planar else 4)
    if s.distance_sq <= radius * radius and not (is_planar and is_inside):
        return True
    if not is_inside and math.sqrt(s.distance_sq) - lower <= rounding:
        return s.distance_sq <= (radius + rounding) ** 2
    return separate(a, b, to, is_planar, False).distance <= radius + rounding
