"""Conservative images: for every triangle, the pixels that it may touch and the depths that it may have
there.

A fragment is a pixel, a triangle and a span of depths. No fragment is too small: all of the triangle over the
pixel's square lies within the span. Triangles seen edge-on fill the pixels of their bounds.

The loops over pixels are in functions that take whole buffers. An array that is passed to a function for each
triangle or pixel costs more than the pixel, because its references are counted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.vec3 import add, scale
from ougi.radar.straight_contact import is_thin, projected_area
from ougi.radar.triangles import load_triangle
from ougi.radar.windows import ImageBounds, PixelWindow, find_column, find_row

# By how much of a pixel, and of a triangle's depths, spans are wider than computed: far more than rounding.
_WIDER = 1e-9

# A turning triangle is cut along each side into at most so many parts.
_MAX_PARTS = 16

# Pixels that a part of a turning triangle should not exceed.
_PART = 2.0


class TriangleBuffer(NamedTuple):
    """Workspace for the sensor's or the targets' triangles: in the frame, their bounds, and their fragments.

    The fragments of pixel p are order[starts[p]:starts[p + 1]].
    """

    rows: Floats  # (triangles, 9)
    boxes: Floats  # (triangles, 6): bounds of u, v and depths, as in ImageBounds
    numbers: Ints  # the face of each triangle
    keys: Ints  # (fragments, 2): PIXEL and TRIANGLE
    spans: Floats  # (fragments, 2): NEAR and FAR depth
    order: Ints
    starts: Ints


# Columns of `keys` and `spans`.
PIXEL, TRIANGLE = 0, 1
NEAR, FAR = 0, 1


@device
def load_box(boxes: Floats, i: int) -> ImageBounds:
    return ImageBounds(boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5])


@device
def store_box(boxes: Floats, i: int, box: ImageBounds) -> None:
    boxes[i, 0], boxes[i, 1], boxes[i, 2] = box.u0, box.u1, box.v0
    boxes[i, 3], boxes[i, 4], boxes[i, 5] = box.v1, box.z0, box.z1


@device
def bound_straight(t: Triangle3d) -> ImageBounds:
    return ImageBounds(
        min(t.a.x, min(t.b.x, t.c.x)),
        max(t.a.x, max(t.b.x, t.c.x)),
        min(t.a.y, min(t.b.y, t.c.y)),
        max(t.a.y, max(t.b.y, t.c.y)),
        min(t.a.z, min(t.b.z, t.c.z)),
        max(t.a.z, max(t.b.z, t.c.z)),
    )


@device
def bound_turning(
    t: Triangle3d, first: float, second: float, third: float, far: float, pitch: float
) -> ImageBounds:
    """Image axes of a screw: the distance from the axis and z - pitch angle, which it does not change.

    Given are the angles of the corners and the distance of the farthest. Angles of a triangle that the axis
    does not pierce span less than half a turn, from corner to corner.
    """
    low, high = min(t.a.z, min(t.b.z, t.c.z)), max(t.a.z, max(t.b.z, t.c.z))
    near = _axis_distance(t)
    if near <= 1e-12 * far:
        # Any angle, also for parts of it that lie on both sides of the seam.
        near, begin, end = 0.0, first - 2.0 * math.pi, first + 2.0 * math.pi
    else:
        second, third = first + _half_turn(second - first), first + _half_turn(third - first)
        begin, end = min(first, min(second, third)), max(first, max(second, third))
    rise, fall = max(pitch * begin, pitch * end), min(pitch * begin, pitch * end)
    return ImageBounds(near, far, low - rise, high - fall, begin, end)


@procedure
def _bound_part(t: Triangle3d, middle: float, pitch: float) -> ImageBounds:
    """Bounds of a part of a triangle whose angles lie about the middle.

    Counted from elsewhere they would be a turn off, and with pitch v would leave the window.
    """
    far = math.sqrt(max(t.a.x**2 + t.a.y**2, max(t.b.x**2 + t.b.y**2, t.c.x**2 + t.c.y**2)))
    first, second, third = math.atan2(t.a.y, t.a.x), math.atan2(t.b.y, t.b.x), math.atan2(t.c.y, t.c.x)
    first += 2.0 * math.pi * math.floor((middle - first) / (2.0 * math.pi) + 0.5)
    second += 2.0 * math.pi * math.floor((first - second) / (2.0 * math.pi) + 0.5)
    third += 2.0 * math.pi * math.floor((first - third) / (2.0 * math.pi) + 0.5)
    return bound_turning(t, first, second, third, far, pitch)


@device
def _half_turn(angle: float) -> float:
    """The same angle in [-pi, pi]; angles lie within two turns of it."""
    if angle > math.pi:
        return angle - 2.0 * math.pi
    return angle + 2.0 * math.pi if angle < -math.pi else angle


@device
def _axis_distance(t: Triangle3d) -> float:
    """The distance of a projected triangle from the origin."""
    a, b, c = _moment(t.a, t.b), _moment(t.b, t.c), _moment(t.c, t.a)
    if (a >= 0.0 and b >= 0.0 and c >= 0.0) or (a <= 0.0 and b <= 0.0 and c <= 0.0):
        return 0.0 if projected_area(t) != 0.0 else _nearest(t)
    return _nearest(t)


@device
def _moment(p: Vec3, q: Vec3) -> float:
    return p.x * q.y - p.y * q.x


@device
def _nearest(t: Triangle3d) -> float:
    return math.sqrt(min(_segment(t.a, t.b), min(_segment(t.b, t.c), _segment(t.c, t.a))))


@device
def _segment(p: Vec3, q: Vec3) -> float:
    """The squared distance of a projected segment from the origin."""
    x, y = q.x - p.x, q.y - p.y
    n_sq = x * x + y * y
    t = min(max(-(p.x * x + p.y * y) / n_sq, 0.0), 1.0) if n_sq > 0.0 else 0.0
    return (p.x + t * x) ** 2 + (p.y + t * y) ** 2


@device
def is_outside_edge(p: Vec3, q: Vec3, area: float, u: float, v: float, du: float, dv: float) -> bool:
    """Does the square around (u, v) lie wholly outside of an edge?"""
    x, y = q.x - p.x, q.y - p.y
    e = x * (v - p.y) - y * (u - p.x)
    reach = 0.5 * (abs(x) * dv + abs(y) * du) * (1.0 + _WIDER)
    return (e if area > 0.0 else -e) < -reach


@procedure
def draw_straight(
    window: PixelWindow, buffer: TriangleBuffer, n: int, front: Floats, back: Floats, limit: float
) -> int:
    """Fragments of n triangles that may touch what lies, in each pixel, between `front` and `back`.

    They end behind `front` and begin at limit `limit` behind `back`. Returned is their number. If it exceeds
    the buffer, the rest is only counted.
    """
    rows, keys, spans, columns, capacity = (
        buffer.rows,
        buffer.keys,
        buffer.spans,
        window.columns,
        len(buffer.keys),
    )
    du, dv = 1.0 / window.per_u, 1.0 / window.per_v
    wide, high = _WIDER * du, _WIDER * dv
    limit = max(limit, 0.0)
    count = 0
    for number in range(n):
        t = load_triangle(rows, number)
        box = bound_straight(t)
        first, last = find_column(window, box.u0 - wide), find_column(window, box.u1 + wide)
        low, top = find_row(window, box.v0 - high), find_row(window, box.v1 + high)
        simple = (first == last and low == top) or is_thin(t, wide)
        area = 1.0 if simple else projected_area(t)
        # Depth, linear over the image: over a pixel it varies by half its size in u and v.
        slope_u = ((t.b.z - t.a.z) * (t.c.y - t.a.y) - (t.c.z - t.a.z) * (t.b.y - t.a.y)) / area
        slope_v = ((t.c.z - t.a.z) * (t.b.x - t.a.x) - (t.b.z - t.a.z) * (t.c.x - t.a.x)) / area
        vary = 0.5 * (abs(slope_u) * du + abs(slope_v) * dv) * (1.0 + _WIDER) + _WIDER * (box.z1 - box.z0)
        for j in range(low, top + 1):
            v = window.v + (j + 0.5) * dv
            for i in range(first, last + 1):
                lo, hi = box.z0, box.z1
                pixel = j * columns + i
                if hi < front[pixel] or lo > back[pixel] + limit:
                    continue
                if not simple:
                    u = window.u + (i + 0.5) * du
                    if (
                        is_outside_edge(t.a, t.b, area, u, v, du, dv)
                        or is_outside_edge(t.b, t.c, area, u, v, du, dv)
                        or is_outside_edge(t.c, t.a, area, u, v, du, dv)
                    ):
                        continue
                    z = t.a.z + slope_u * (u - t.a.x) + slope_v * (v - t.a.y)
                    lo, hi = max(lo, z - vary), min(hi, z + vary)
                    if hi < front[pixel] or lo > back[pixel] + limit:
                        continue
                if count < capacity:
                    keys[count, PIXEL], keys[count, TRIANGLE] = pixel, number
                    spans[count, NEAR], spans[count, FAR] = lo, hi
                count += 1
    return count


@procedure
def draw_turning(
    pitch: float,
    window: PixelWindow,
    buffer: TriangleBuffer,
    n: int,
    front: Floats,
    back: Floats,
    limit: float,
) -> int:
    """The same for rotations and screws: triangles by parts, each of which fills the pixels of its bounds.

    Targets appear again after every whole turn that the sensor, at -3 pi to 3 pi, may reach. With a `limit`
    below 0 the triangles are those of the sensor itself.
    """
    rows, boxes, keys, spans, capacity = (
        buffer.rows,
        buffer.boxes,
        buffer.keys,
        buffer.spans,
        len(buffer.keys),
    )
    wide, high = _WIDER / window.per_u, _WIDER / window.per_v
    right, upper = window.u + window.columns / window.per_u, window.v + window.rows / window.per_v
    count = 0
    for number in range(n):
        t = load_triangle(rows, number)
        whole = load_box(boxes, number)
        across = max((whole.u1 - whole.u0) * window.per_u, (whole.v1 - whole.v0) * window.per_v)
        parts = int(min(max(math.ceil(across / _PART), 1.0), float(_MAX_PARTS)))
        for part in range(parts * parts):
            box = whole
            if parts > 1:
                middle = 0.5 * (box.z0 + box.z1)
                box = _bound_part(_cut_triangle(t, part // parts, part % parts, parts), middle, pitch)
            if box.u1 < window.u - wide or box.u0 > right + wide:
                continue
            first, last = find_column(window, box.u0 - wide), find_column(window, box.u1 + wide)
            begin, end = 0, 0
            if limit >= 0.0:
                begin = math.ceil((-3.0 * math.pi - box.z1 - _WIDER) / (2.0 * math.pi))
                end = math.floor((3.0 * math.pi + limit - box.z0 + _WIDER) / (2.0 * math.pi))
            for k in range(begin, end + 1):
                shift = 2.0 * math.pi * k
                v0, v1 = box.v0 - pitch * shift, box.v1 - pitch * shift
                if v1 < window.v - high or v0 > upper + high:
                    continue
                lo, hi = box.z0 + shift - _WIDER, box.z1 + shift + _WIDER
                for j in range(find_row(window, v0 - high), find_row(window, v1 + high) + 1):
                    for i in range(first, last + 1):
                        pixel = j * window.columns + i
                        if hi < front[pixel] or lo > back[pixel] + max(limit, 0.0):
                            continue
                        if count < capacity:
                            keys[count, PIXEL], keys[count, TRIANGLE] = pixel, number
                            spans[count, NEAR], spans[count, FAR] = lo, hi
                        count += 1
    return count


@device
def _cut_triangle(t: Triangle3d, i: int, j: int, parts: int) -> Triangle3d:
    """One of the parts**2 equal parts of a triangle: those with i + j >= parts stand on their heads."""
    if i + j >= parts:
        i, j = parts - i, parts - j
        return Triangle3d(
            _interpolate(t, i, j, parts), _interpolate(t, i - 1, j, parts), _interpolate(t, i, j - 1, parts)
        )
    return Triangle3d(
        _interpolate(t, i, j, parts), _interpolate(t, i + 1, j, parts), _interpolate(t, i, j + 1, parts)
    )


@device
def _interpolate(t: Triangle3d, i: int, j: int, parts: int) -> Vec3:
    b, c = i / parts, j / parts
    return add(add(scale(t.a, 1.0 - b - c), scale(t.b, b)), scale(t.c, c))
