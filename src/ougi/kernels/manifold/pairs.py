"""Manifolds of listed pairs of polytopes that touch: polygons, boxes, hulls, capsules, half-spaces."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.constants import BAND, PROOF_ROUNDING
from ougi.kernels.convex.polytope import RelativePose, from_axes, relate
from ougi.kernels.convex.records import Hull3d, load_hull3d
from ougi.kernels.load import load_vec3
from ougi.kernels.manifold.clipping import Tolerances, add_clipped, add_common_ends, add_point
from ougi.kernels.manifold.constants import (
    ALIGNED_SINE,
    CLIP_ROUNDING,
    MAX_ASIDE,
    ON_FEATURE,
    SAME_POINT,
    STEEP_COSINE,
)
from ougi.kernels.manifold.features import (
    NO_EDGE,
    NO_FACE,
    Edge,
    Face,
    find_edge,
    find_face,
    measure_flat,
    write_border,
    write_segment,
)
from ougi.kernels.records import Frame, Vec3
from ougi.kernels.vec3 import add, cross, length, mid, perpendicular


class ManifoldWorkspace(NamedTuple):
    """Edges of the two faces, (n, 6), and points (m, 4): x, y, height and depth in the frame of contact."""

    border_a: Floats
    border_b: Floats
    points: Floats


@device
def _is_aligned(face: Face) -> bool:
    return face.number >= 0 and face.cosine**2 >= 1.0 - ALIGNED_SINE**2


@device
def _are_parallel(a: Edge, b: Edge) -> bool:
    """Do both edges lie in the plane of contact, along each other?"""
    if a.rise > ALIGNED_SINE or b.rise > ALIGNED_SINE:
        return False
    ax, ay = a.end.x - a.start.x, a.end.y - a.start.y
    bx, by = b.end.x - b.start.x, b.end.y - b.start.y
    return abs(ax * by - ay * bx) <= ALIGNED_SINE * measure_flat(ax, ay) * measure_flat(bx, by)


@device
def _lie_on_each_other(a: Edge, b: Edge, is_planar: bool) -> bool:
    if not (a.exists and b.exists):
        return False
    if is_planar:
        is_steep = max(a.rise, b.rise) > math.sqrt(1.0 - STEEP_COSINE**2)
        return min(a.rise, b.rise) <= ALIGNED_SINE and not is_steep
    return _are_parallel(a, b)


class ContactSide(NamedTuple):
    """The face of a body at the contact, if it has one, and the number of segments of its border.

    Without a face the border is an edge, or nothing.
    """

    face: Face
    segments: int


@device
def _is_thin(border: Floats, count: int, width: float) -> bool:
    """Is a polygon, seen from above, nowhere wider? A plane without a border is not."""
    area, around = 0.0, 0.0
    for k in range(count):
        x, y = border[k, 3] - border[k, 0], border[k, 4] - border[k, 1]
        area += 0.5 * (x * (border[k, 1] - border[0, 1]) - y * (border[k, 0] - border[0, 0]))
        around += measure_flat(x, y)
    return count > 0 and abs(area) <= width * around


@procedure
def _find_side(
    h: Hull3d, to: RelativePose, sense: float, slack: float, width: float, border: Floats
) -> ContactSide:
    """The face through the contact that is turned most towards the other body, but for thin ones."""
    face = Face(-1, 2.0, 0.0, 0.0, 0.0)
    for _ in range(h.face_count):
        face = find_face(h, to, sense, slack, face)
        if face.number < 0:
            break
        count = write_border(h, to, face.number, sense, border)
        if not _is_thin(border, count, width):
            return ContactSide(face, count)
    return ContactSide(NO_FACE, 0)


@device
def _add_edge(side: ContactSide, edge: Edge, border: Floats) -> int:
    """How many segments a side has, if one without a face is its edge."""
    if side.face.number < 0 and edge.exists:
        write_segment(border, 0, edge.start, edge.end)
        return 1
    return side.segments


@procedure
def _measure_extent(points: Floats, count: int) -> float:
    """The largest distance of a point from the first one."""
    extent = 0.0
    for k in range(1, count):
        extent = max(extent, measure_flat(points[k, 0] - points[0, 0], points[k, 1] - points[0, 1]))
    return extent


@procedure
def _collect_points(
    a: Hull3d,
    b: Hull3d,
    frame: Frame,
    depth: float,
    is_planar: bool,
    work: ManifoldWorkspace,
    tol: Tolerances,
) -> int:
    """All corners of the overlap, and the point of the contact where none of them is as deep."""
    to_a, to_b = relate(frame, a.frame), relate(frame, b.frame)
    slack = max(ON_FEATURE * min(a.size, b.size), 4.0 * tol.clip)
    # Of rounded bodies, points that are nearest up to rounding may lie beside each other by its root.
    aside = math.sqrt(2.0 * PROOF_ROUNDING * (a.size + b.size) * (a.radius + b.radius))
    on_edge = max(slack, min(aside, MAX_ASIDE * min(a.size, b.size)))
    on_a, on_b = Vec3(0.0, 0.0, 0.5 * depth - a.radius), Vec3(0.0, 0.0, b.radius - 0.5 * depth)
    side_a, side_b = ContactSide(NO_FACE, 0), ContactSide(NO_FACE, 0)
    # A polygon at z = 0 has faces that look out of the plane, a half-plane one that does not.
    if not is_planar or a.rank == 3:
        side_a = _find_side(a, to_a, 1.0, slack, tol.same, work.border_a)
    if not is_planar or b.rank == 3:
        side_b = _find_side(b, to_b, -1.0, slack, tol.same, work.border_b)
    if b.rank == 1 and not is_planar:  # a rod has one edge only, so the one along it counts
        edge_b = find_edge(b, to_b, -1.0, on_b, on_edge, NO_EDGE, is_planar)
        edge_a = find_edge(a, to_a, 1.0, on_a, on_edge, edge_b, is_planar)
    else:
        edge_a = find_edge(a, to_a, 1.0, on_a, on_edge, NO_EDGE, is_planar)
        known = edge_a if a.rank == 1 and not is_planar else NO_EDGE
        edge_b = find_edge(b, to_b, -1.0, on_b, on_edge, known, is_planar)
    count = 0
    if _is_aligned(side_a.face) or _is_aligned(side_b.face):
        n_a, n_b = _add_edge(side_a, edge_a, work.border_a), _add_edge(side_b, edge_b, work.border_b)
        if side_b.face.number >= 0:
            count = add_clipped(
                work.points, count, work.border_a, n_a, work.border_b, n_b, side_b.face, True, tol
            )
        if side_a.face.number >= 0:
            count = add_clipped(
                work.points, count, work.border_b, n_b, work.border_a, n_a, side_a.face, False, tol
            )
    # Of edges along each other faces may have little or nothing, where one lies just beside the other.
    if _lie_on_each_other(edge_a, edge_b, is_planar):
        shortest = 2.0 * _measure_extent(work.points, count)
        count = add_common_ends(work.points, count, edge_a, edge_b, shortest, tol)
    deepest = -1.0
    for k in range(count):
        deepest = max(deepest, work.points[k, 3])
    if deepest < depth - tol.clip:
        count = add_point(work.points, count, 0.0, 0.0, on_a.z, on_b.z, tol)
    return count


@procedure
def _find_deepest(points: Floats, count: int, slack: float) -> int:
    """The deepest point; of several the one furthest from the middle, whatever their order is."""
    deepest, x, y = 0.0, 0.0, 0.0
    for k in range(count):
        deepest = max(deepest, points[k, 3])
        x, y = x + points[k, 0] / count, y + points[k, 1] / count
    best, furthest = 0, -1.0
    for k in range(count):
        away = measure_flat(points[k, 0] - x, points[k, 1] - y)
        if points[k, 3] >= deepest - slack and away > furthest:
            best, furthest = k, away
    return best


class Quad(NamedTuple):
    """Four points by their indices, counterclockwise; -1 where there is none.

    If all points lie on a line, `opposite` and `left` are those furthest on both sides of the first.
    """

    first: int
    right: int
    opposite: int
    left: int


@procedure
def _find_behind(points: Floats, count: int, first: int, opposite: int, same: float) -> int:
    """The point that lies furthest behind one, as seen from another; -1 if there is none."""
    x, y = points[first, 0], points[first, 1]
    dx, dy = points[opposite, 0] - x, points[opposite, 1] - y
    size = measure_flat(dx, dy)
    best, furthest = -1, same
    for k in range(count):
        behind = -(dx * (points[k, 0] - x) + dy * (points[k, 1] - y)) / size
        if behind > furthest:
            best, furthest = k, behind
    return best


@procedure
def _choose_points(points: Floats, count: int, is_planar: bool, tol: Tolerances) -> Quad:
    """The largest quadrilateral that has the deepest point as a corner: the best of all its diagonals."""
    first = _find_deepest(points, count, tol.clip)
    best, area, longest = Quad(first, -1, -1, -1), 0.0, 0.0
    x, y = points[first, 0], points[first, 1]
    for k in range(count):
        dx, dy = points[k, 0] - x, points[k, 1] - y
        size = measure_flat(dx, dy)
        if k == first or not size > 0.0:
            continue
        left, right, on_left, on_right = tol.same, tol.same, -1, -1
        for i in range(count):
            beside = (dx * (points[i, 1] - y) - dy * (points[i, 0] - x)) / size
            if beside > left:
                left, on_left = beside, i
            elif -beside > right:
                right, on_right = -beside, i
        width = (left if on_left >= 0 else 0.0) + (right if on_right >= 0 else 0.0)
        if width * size > area or (width * size == area and size > longest):
            best, area, longest = Quad(first, on_right, k, on_left), width * size, size
    if best.opposite >= 0 and area == 0.0 and not is_planar:
        return Quad(first, -1, best.opposite, _find_behind(points, count, first, best.opposite, tol.same))
    return best


@procedure
def _store_point(found: Floats, k: int, count: int, points: Floats, index: int, frame: Frame) -> int:
    """Append a point in the world's coordinates, unless there is none."""
    if index < 0:
        return count
    p = add(from_axes(Vec3(points[index, 0], points[index, 1], points[index, 2]), frame), frame.center)
    found[k, count, 0], found[k, count, 1], found[k, count, 2] = p.x, p.y, p.z
    found[k, count, 3] = points[index, 3]
    return count + 1


@loop
def find_manifolds(
    a: Floats,
    b: Floats,
    pairs: Ints,
    contacts: Floats,
    work: ManifoldWorkspace,
    is_planar: bool,
    found: Floats,
    counts: Ints,
    start: int,
    stop: int,
) -> None:
    """For pairs of hulls and their separations (10, n): points (n, 4, 4) with depths, and their numbers."""
    for k in range(start, stop):
        one, other = load_hull3d(a, pairs[k, 0]), load_hull3d(b, pairs[k, 1])
        n = load_vec3(contacts, 1, k)
        x = perpendicular(n)
        origin = mid(load_vec3(contacts, 4, k), load_vec3(contacts, 7, k))
        frame = Frame(origin, x, cross(n, x), n)
        far = length(origin) + length(one.frame.center) + length(other.frame.center)
        clip = CLIP_ROUNDING * (one.size + other.size) + BAND * far
        same = max(SAME_POINT * min(one.size, other.size), 4.0 * clip)
        tol = Tolerances(one.radius, other.radius, clip, same)
        count = _collect_points(one, other, frame, -contacts[0, k], is_planar, work, tol)
        quad = _choose_points(work.points, count, is_planar, tol)
        number = _store_point(found, k, 0, work.points, quad.first, frame)
        number = _store_point(found, k, number, work.points, quad.right, frame)
        number = _store_point(found, k, number, work.points, quad.opposite, frame)
        counts[k] = _store_point(found, k, number, work.points, quad.left, frame)
