"""First contact of a moving box with a box, in the coordinates of the resting one."""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.closest3d import (
    Nearest3d,
    box_box,
    clamp_box,
    from_box,
    segment_segment,
    to_box,
)
from ougi.kernels.constants import (
    CROSSED,
    ENDLESS,
    MOVING,
    NEARLY_PARALLEL_SQ,
    NEVER,
    RESTING,
    ROUNDING,
    STOP_GAP,
    TIE,
)
from ougi.kernels.impact.axes import Axis, make_axes_finder
from ougi.kernels.impact.cores import corner_box, corner_turned_box
from ougi.kernels.impact.movers import Mover, box_in_box, make_impact, path_in_box, to_world_from_box
from ougi.kernels.impact.screw_steps import (
    EdgeHeights,
    Path,
    Remainder,
    Step,
    depths_under_plane,
    earlier_cot,
    heights_over_edges,
    heights_over_plane,
    move_point,
    turn_vector,
)
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Box, Impact3d, Vec3
from ougi.kernels.support3d import box_reach, box_support, edge_axis
from ougi.kernels.vec3 import UNITS, ZERO, add, cross, dot, length, length_sq, neg, pick, scale, sub

_X, _Y, _Z = UNITS


@device
def move_box(path: Path, step: Step, b: Box) -> Box:
    """A box of the moving body after a step."""
    x, y = turn_vector(path, step, b.x), turn_vector(path, step, b.y)
    return Box(move_point(path, step, b.center), b.half, x, y, cross(x, y))


@device
def nearest_boxes(a: Box, half: Vec3, axis: Axis) -> Nearest3d:
    """Where they touch along an axis, a corner on a face or two edges; or else the nearest points."""
    b = Box(ZERO, half, _X, _Y, _Z)
    size = length(a.half) + length(half)
    near = _touching(a, b, axis, size)
    return near if near.distance_sq <= (2.0 * STOP_GAP * size) ** 2 else box_box(a, b)


@device
def _touching(a: Box, b: Box, axis: Axis, size: float) -> Nearest3d:
    """The corner and the face, or the two edges, that the axis belongs to; far if several may touch."""
    n, half = axis.normal, b.half
    if axis.kind == RESTING and _is_corner(a, n, size, -1):
        x = box_support(a, neg(n))
        y = clamp_box(half, x)
        return Nearest3d(x, y, length_sq(sub(x, y)))
    if axis.kind == MOVING and _is_corner(b, n, size, -1):
        y = box_support(b, n)
        x = from_box(a, clamp_box(a.half, to_box(a, y)))
        return Nearest3d(x, y, length_sq(sub(x, y)))
    if axis.kind == CROSSED and _is_corner(a, n, size, axis.i) and _is_corner(b, n, size, axis.j):
        x, y = box_support(a, neg(n)), box_support(b, n)
        e = scale(axis.e, 2.0 * _pick1(axis.i, a.half.x, a.half.y, a.half.z))
        f = scale(axis.f, 2.0 * _pick1(axis.j, half.x, half.y, half.z))
        # The supports lie at either end of their edges: which one is rounding.
        x_end = pick(dot(sub(x, a.center), e) > 0.0, sub(x, e), add(x, e))
        return segment_segment(x, x_end, y, pick(dot(y, f) > 0.0, sub(y, f), add(y, f)))
    return Nearest3d(a.center, b.center, ENDLESS)


@device
def _is_corner(b: Box, n: Vec3, size: float, edge: int) -> bool:
    """Is one corner furthest along n, or, but for its two ends, the edge along axis `edge`?"""
    tie = TIE * size
    x = edge == 0 or b.half.x * abs(dot(b.x, n)) > tie
    y = edge == 1 or b.half.y * abs(dot(b.y, n)) > tie
    z = edge == 2 or b.half.z * abs(dot(b.z, n)) > tie
    return x and y and z


@device
def _wider(best: tuple[float, int], gap: float, code: int) -> tuple[float, int]:
    """The better of the best axis so far and a normal; not that of the plane in which flat boxes lie."""
    return (gap, code) if gap > best[0] and gap != 0.0 else best


@device
def _wider_edge(
    best: tuple[float, int], height: float, r_1: float, r_2: float, reach: float, code: int
) -> tuple[float, int]:
    """The same for edges: the product has the length |(r_1, r_2)|, and the gap is divided by it."""
    gap = abs(height) - reach
    if gap > 0.0:
        size_sq = r_1 * r_1 + r_2 * r_2
        if best[0] <= 0.0 or gap * gap > best[0] * best[0] * size_sq:
            return (gap / math.sqrt(size_sq), code)
    return best


@device
def _edges(
    best: tuple[float, int],
    c: Vec3,
    e: Vec3,
    p: Vec3,
    q: Vec3,
    h_p: float,
    h_q: float,
    h: Vec3,
    more: float,
    i: int,
) -> tuple[float, int]:
    """Edge e of the moving box against the three of the resting one; p and q are its other edges."""
    ex, ey, ez = abs(e.x), abs(e.y), abs(e.z)
    reach = h_p * abs(q.x) + h_q * abs(p.x) + h.y * ez + h.z * ey + more
    best = _wider_edge(best, c.y * e.z - c.z * e.y, ey, ez, reach, i)
    reach = h_p * abs(q.y) + h_q * abs(p.y) + h.z * ex + h.x * ez + more
    best = _wider_edge(best, c.z * e.x - c.x * e.z, ez, ex, reach, i + 1)
    reach = h_p * abs(q.z) + h_q * abs(p.z) + h.x * ey + h.y * ex + more
    return _wider_edge(best, c.x * e.y - c.y * e.x, ex, ey, reach, i + 2)


@device
def find_axis_boxes(a: Box, h: Vec3, size: float) -> Axis:
    """Fifteen axes: codes 0..2 are normals of the resting box, 3..5 of the moving one, 6.. products."""
    c, x, y, z = a.center, a.x, a.y, a.z
    reach = a.half.x * abs(x.x) + a.half.y * abs(y.x) + a.half.z * abs(z.x)
    best = (abs(c.x) - h.x - reach, 0)
    reach = a.half.x * abs(x.y) + a.half.y * abs(y.y) + a.half.z * abs(z.y)
    best = _wider(best, abs(c.y) - h.y - reach, 1)
    reach = a.half.x * abs(x.z) + a.half.y * abs(y.z) + a.half.z * abs(z.z)
    best = _wider(best, abs(c.z) - h.z - reach, 2)
    best = _wider(best, abs(dot(x, c)) - a.half.x - h.x * abs(x.x) - h.y * abs(x.y) - h.z * abs(x.z), 3)
    best = _wider(best, abs(dot(y, c)) - a.half.y - h.x * abs(y.x) - h.y * abs(y.y) - h.z * abs(y.z), 4)
    best = _wider(best, abs(dot(z, c)) - a.half.z - h.x * abs(z.x) - h.y * abs(z.y) - h.z * abs(z.z), 5)
    more = ROUNDING * size
    best = _edges(best, c, x, y, z, a.half.y, a.half.z, h, more, 6)
    best = _edges(best, c, y, z, x, a.half.z, a.half.x, h, more, 9)
    best = _edges(best, c, z, x, y, a.half.x, a.half.y, h, more, 12)
    if best[0] <= STOP_GAP * size:
        best = _nearly_parallel(best, a, h)
    return _axis(a, best[0], best[1])


@device
def _nearly_parallel(best: tuple[float, int], a: Box, h: Vec3) -> tuple[float, int]:
    """Edges once more, before a contact is believed: those whose product drowned in what was taken off.

    The reaches are those of the axis as it was computed: whatever it is, what it says is true.
    """
    b = Box(ZERO, h, _X, _Y, _Z)
    for i in range(3):
        for j in range(3):
            n = edge_axis(_pick3(i, a.x, a.y, a.z), _pick3(j, _X, _Y, _Z))
            size_sq = length_sq(n)
            if 0.0 < size_sq < NEARLY_PARALLEL_SQ:
                gap = (abs(dot(a.center, n)) - box_reach(a, n) - box_reach(b, n)) / math.sqrt(size_sq)
                best = _wider(best, gap, 6 + 3 * i + j)
    return best


@device
def _pick3(i: int, x: Vec3, y: Vec3, z: Vec3) -> Vec3:
    return pick(i == 0, x, pick(i == 1, y, z))


@device
def _axis(a: Box, gap: float, code: int) -> Axis:
    if code < 3:
        n = _pick3(code, _X, _Y, _Z)
        return Axis(gap, RESTING, scale(n, 1.0 if dot(n, a.center) >= 0.0 else -1.0), n, n, 1.0, 0, 0)
    if code < 6:
        n = _pick3(code - 3, a.x, a.y, a.z)
        return Axis(gap, MOVING, scale(n, 1.0 if dot(n, a.center) >= 0.0 else -1.0), n, n, 1.0, 0, 0)
    i, j = (code - 6) // 3, (code - 6) % 3
    e, f = _pick3(i, a.x, a.y, a.z), _pick3(j, _X, _Y, _Z)
    n = edge_axis(e, f)
    sign = 1.0 if dot(n, a.center) >= 0.0 else -1.0
    return Axis(gap, CROSSED, scale(n, sign / length(n)), e, f, sign, i, j)


@device
def _step(a: Box, h: Vec3, axis: Axis, slack: float, size: float, path: Path, rest: Remainder) -> float:
    n, turn = axis.normal, path.turn
    if axis.kind == MOVING:
        reach = a.half.x * abs(dot(n, a.x)) + a.half.y * abs(dot(n, a.y)) + a.half.z * abs(dot(n, a.z))
        bottom = dot(n, a.center) - reach
        return corner_box(h, depths_under_plane(path, rest, n, bottom - slack), turn, -NEVER)
    cot = NEVER
    if axis.kind == CROSSED:
        cot = _edge_step(
            a, h, axis, heights_over_edges(path, rest, axis.e, axis.f, size, axis.sign, slack), turn
        )
        if length_sq(cross(axis.e, axis.f)) > NEARLY_PARALLEL_SQ:
            return cot
    top = h.x * abs(n.x) + h.y * abs(n.y) + h.z * abs(n.z)
    return min(cot, corner_turned_box(a, heights_over_plane(path, rest, n, top + slack), turn, -NEVER))


@device
def _edge_step(a: Box, h: Vec3, axis: Axis, f: EdgeHeights, turn: float) -> float:
    """Sixteen pairs of corners: along the two edges themselves nothing changes."""
    i, j = axis.i, axis.j
    c = a.center
    m = Vec3(f.g_0 + dot(f.g, c), f.a_0 + dot(f.a_x, c), f.b_0 + dot(f.b_x, c))
    p = _point_down(_along_a(f, scale(_pick3(i, a.y, a.z, a.x), _pick1(i, a.half.y, a.half.z, a.half.x))))
    q = _point_down(_along_a(f, scale(_pick3(i, a.z, a.x, a.y), _pick1(i, a.half.z, a.half.x, a.half.y))))
    r = _point_down(_along_b(f, scale(_pick3(j, _Y, _Z, _X), _pick1(j, h.y, h.z, h.x))))
    s = _point_down(_along_b(f, scale(_pick3(j, _Z, _X, _Y), _pick1(j, h.z, h.x, h.y))))
    cot = -NEVER
    for u in (1.0, -1.0):
        for v in (1.0, -1.0):
            g, d, b = m.x + u * p.x + v * q.x, m.y + u * p.y + v * q.y, m.z + u * p.z + v * q.z
            cot = earlier_cot(turn, cot, g + r.x + s.x, d + r.y + s.y, b + r.z + s.z)
            cot = earlier_cot(turn, cot, g + r.x - s.x, d + r.y - s.y, b + r.z - s.z)
            cot = earlier_cot(turn, cot, g - r.x + s.x, d - r.y + s.y, b - r.z + s.z)
            cot = earlier_cot(turn, cot, g - r.x - s.x, d - r.y - s.y, b - r.z - s.z)
    return cot


@device
def _pick1(i: int, x: float, y: float, z: float) -> float:
    return x if i == 0 else (y if i == 1 else z)


@device
def _along_a(f: EdgeHeights, v: Vec3) -> Vec3:
    """What g, a and b change by along v in the moving box."""
    return Vec3(dot(f.g, v), dot(f.a_x, v), dot(f.b_x, v))


@device
def _along_b(f: EdgeHeights, v: Vec3) -> Vec3:
    return Vec3(-dot(f.g, v), dot(f.a_y, v), dot(f.b_y, v))


@device
def _point_down(v: Vec3) -> Vec3:
    return scale(v, -1.0 if v.x >= 0.0 else 1.0)


_find = make_axes_finder(find_axis_boxes, _step, move_box, nearest_boxes)
_separate = make_start_separator("box_box")


@procedure
def impact_box_box(mover: Mover, box: Box) -> Impact3d:
    body, path = box_in_box(mover.body, box), path_in_box(mover, box)
    size = length(body.half) + length(box.half)
    contact = _find(box.half, 0.0, body, 0.0, body.center, size, path, mover.tol, 0.0)
    return _separate(make_impact(to_world_from_box(contact, box), mover), mover, box)
