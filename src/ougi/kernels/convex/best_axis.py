"""The axis of least overlap of two polytopes.

Every unit vector gives a valid bound of the depth. The best one is found among face normals and products of
edges.
"""

from __future__ import annotations

from typing import TypeAlias

from ougi._native import device, procedure
from ougi.kernels.convex.nearest import find_corner, gap_along
from ougi.kernels.convex.polytope import RelativePose, find_support, from_axes, get_normal, get_vertex
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, cross, dot, neg, perpendicular, sub, unit_or

_ZERO = Vec3(0.0, 0.0, 0.0)
_UP = Vec3(0.0, 0.0, 1.0)


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
    best = 0.0  # less than the depth on every scale
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
