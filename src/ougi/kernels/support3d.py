"""How far bodies reach, and the axis along which two convex bodies are furthest apart.

A polytope is given by its corners, the directions of its edges and the normals of its faces, as tuples. The
least translation that separates two of them points along a face normal or along the cross product of two
edges; every unit vector gives a valid bound, so an inexact or superfluous axis costs time, never truth.
"""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.constants import PROOF_ROUNDING
from ougi.kernels.records import Box, Capsule3d, Triangle3d, Vec3
from ougi.kernels.vec3 import add, along, cross, dot, neg, perpendicular, sub, unit_or

_NONE = Vec3(0.0, 0.0, 0.0)


@device
def edge_axis(e: Vec3, f: Vec3) -> Vec3:
    """The cross product of two edges, perpendicular to both up to rounding of its own length.

    For edges at a small angle the product's error is large compared with the product. Its part along e is
    taken out; what remains has the part (error * angle) along f, which is as small as it should be.
    """
    n = cross(e, f)
    e_sq = dot(e, e)
    return along(n, e, -dot(n, e) / (e_sq if e_sq > 0.0 else 1.0))


@device
def segment_corners(s: Capsule3d) -> tuple[Vec3, Vec3]:
    return (s.start, s.end)


@device
def segment_edges(s: Capsule3d) -> tuple[Vec3]:
    return (sub(s.end, s.start),)


@device
def triangle_corners(t: Triangle3d) -> tuple[Vec3, Vec3, Vec3]:
    return (t.a, t.b, t.c)


@device
def triangle_edges(t: Triangle3d) -> tuple[Vec3, Vec3, Vec3]:
    return (sub(t.b, t.a), sub(t.c, t.b), sub(t.a, t.c))


@device
def triangle_normal(t: Triangle3d) -> Vec3:
    """The normal, of length twice the area; exactly perpendicular to the longest side even for slivers.

    Zero for a triangle whose height is rounding: its normal would be, too, and its sides are all of it.
    """
    ab, bc, ca = sub(t.b, t.a), sub(t.c, t.b), sub(t.a, t.c)
    n = cross(ab, neg(ca))
    ab_sq, bc_sq, ca_sq = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    longest = ab
    longest_sq = ab_sq
    if bc_sq > longest_sq:
        longest = bc
        longest_sq = bc_sq
    if ca_sq > longest_sq:
        longest = ca
        longest_sq = ca_sq
    if dot(n, n) <= (PROOF_ROUNDING * longest_sq) ** 2:
        return _NONE
    return along(n, longest, -dot(n, longest) / longest_sq)


@device
def box_corner(b: Box, sx: float, sy: float, sz: float) -> Vec3:
    p = along(b.center, b.x, sx * b.half.x)
    p = along(p, b.y, sy * b.half.y)
    return along(p, b.z, sz * b.half.z)


@device
def box_corners(b: Box) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3]:
    return (
        box_corner(b, -1.0, -1.0, -1.0),
        box_corner(b, 1.0, -1.0, -1.0),
        box_corner(b, -1.0, 1.0, -1.0),
        box_corner(b, 1.0, 1.0, -1.0),
        box_corner(b, -1.0, -1.0, 1.0),
        box_corner(b, 1.0, -1.0, 1.0),
        box_corner(b, -1.0, 1.0, 1.0),
        box_corner(b, 1.0, 1.0, 1.0),
    )


@device
def box_reach(b: Box, n: Vec3) -> float:
    """Half the width of the box along n."""
    return b.half.x * abs(dot(b.x, n)) + b.half.y * abs(dot(b.y, n)) + b.half.z * abs(dot(b.z, n))


@device
def box_support(b: Box, n: Vec3) -> Vec3:
    """The corner furthest along n."""
    sx = 1.0 if dot(b.x, n) >= 0.0 else -1.0
    sy = 1.0 if dot(b.y, n) >= 0.0 else -1.0
    sz = 1.0 if dot(b.z, n) >= 0.0 else -1.0
    return box_corner(b, sx, sy, sz)


@device
def gap_along(n: Vec3, corners_a: tuple[Vec3, ...], corners_b: tuple[Vec3, ...]) -> float:
    """How far b lies beyond a along the unit vector n; negative where they overlap."""
    origin = corners_a[0]  # differences first: far from the origin they are exact, products are not
    top = 0.0
    for p in corners_a:
        top = max(top, dot(n, sub(p, origin)))
    bottom = dot(n, sub(corners_b[0], origin))
    for q in corners_b:
        bottom = min(bottom, dot(n, sub(q, origin)))
    return bottom - top


@device
def _better(
    best: tuple[float, Vec3], axis: Vec3, corners_a: tuple[Vec3, ...], corners_b: tuple[Vec3, ...]
) -> tuple[float, Vec3]:
    """The better of the best axis so far and a new one, of any length, in either sense."""
    n = unit_or(axis, _NONE)
    if dot(n, n) > 0.5:
        gap = gap_along(n, corners_a, corners_b)
        if gap > best[0]:
            best = (gap, n)
        back = neg(n)
        gap = gap_along(back, corners_a, corners_b)
        if gap > best[0]:
            best = (gap, back)
    return best


@procedure
def best_axis(
    corners_a: tuple[Vec3, ...],
    edges_a: tuple[Vec3, ...],
    faces_a: tuple[Vec3, ...],
    corners_b: tuple[Vec3, ...],
    edges_b: tuple[Vec3, ...],
    faces_b: tuple[Vec3, ...],
    guess: Vec3,
    favour: float,
) -> tuple[float, Vec3]:
    """The unit axis with the largest gap from a to b (the least overlap, if negative).

    Exact where a and b overlap, or where the nearest features are a corner and a face or two edges. With
    `guess` a rough normal, exact also where a corner is nearest to an edge. The guess wins unless another
    axis is better by `favour`: between two corners many axes have the same gap up to rounding, and the guess
    is the one that points in the right direction.
    """
    n = unit_or(guess, Vec3(1.0, 0.0, 0.0))
    best = (gap_along(n, corners_a, corners_b) + favour, n)
    for f in faces_a:
        best = _better(best, f, corners_a, corners_b)
    for f in faces_b:
        best = _better(best, f, corners_a, corners_b)
    for e in edges_a:
        best = _better(best, _across(n, e), corners_a, corners_b)
        best = _better(best, perpendicular(e), corners_a, corners_b)  # parallel edges have no product
        for f in edges_b:
            best = _better(best, edge_axis(e, f), corners_a, corners_b)
    for f in edges_b:
        best = _better(best, _across(n, f), corners_a, corners_b)
        best = _better(best, perpendicular(f), corners_a, corners_b)
    return best


@device
def _across(n: Vec3, edge: Vec3) -> Vec3:
    """n without its part along `edge`."""
    e = unit_or(edge, _NONE)
    return along(n, e, -dot(n, e))


@device
def translate_segment(s: Capsule3d, v: Vec3) -> Capsule3d:
    return Capsule3d(add(s.start, v), add(s.end, v), s.radius)


@device
def translate_triangle(t: Triangle3d, v: Vec3) -> Triangle3d:
    return Triangle3d(add(t.a, v), add(t.b, v), add(t.c, v))


@device
def translate_box(b: Box, v: Vec3) -> Box:
    return Box(add(b.center, v), b.half, b.x, b.y, b.z)


@device
def segment_size(s: Capsule3d) -> float:
    v = sub(s.end, s.start)
    return abs(v.x) + abs(v.y) + abs(v.z)


@device
def triangle_size(t: Triangle3d) -> float:
    u, v = sub(t.b, t.a), sub(t.c, t.a)
    return abs(u.x) + abs(u.y) + abs(u.z) + abs(v.x) + abs(v.y) + abs(v.z)


@device
def box_size(b: Box) -> float:
    return b.half.x + b.half.y + b.half.z
