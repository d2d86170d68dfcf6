"""Compiled loops that build sweeps: a body and a steady motion make a sector, a box, or the end of a path.

A body is a box, perhaps without extent along its axes, grown by a radius. Boxes, rectangles, capsules,
segments, balls and points are such bodies. A motion turns by an angle about an axis through a pivot and moves
by an offset. Arrays of one row stand for all bodies.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

from numpy import uint64

from ougi._native import device, loop, procedure
from ougi._typing import Floats
from ougi.kernels.records import Vec2, Vec3
from ougi.kernels.vec3 import add, along, cross, dot, length, length_sq, scale, sub

# Of bodies: centers, unit axes, full lengths along them, radii. Of motions: pivots, axes, angles, offsets.
Arrays: TypeAlias = tuple[Floats, Floats, Floats, Floats]

# What a sector is: as published, widened to the mean radius of the corners, or around everything.
PUBLISHED, BALANCED, ENCLOSING = 0, 1, 2
# How a box is grown.
START_END, INFLATED, TEMPORAL, IDEAL = 0, 1, 2, 3

# Directions that differ by less are parallel; radians.
PARALLEL = 1e-9
# An enclosing shape grows by this share of the largest coordinate: rounding leaves no point outside.
ROUNDING = 1e-14


class SweptBody(NamedTuple):
    """A center, unit axes with full lengths along them, and a radius."""

    center: Vec3
    x: Vec3
    y: Vec3
    z: Vec3
    size: Vec3
    radius: float


class SweptPath(NamedTuple):
    """A turn about an axis through a pivot, and an offset."""

    pivot: Vec3
    axis: Vec3
    angle: float
    offset: Vec3


class Wedge(NamedTuple):
    """Angles from the direction to the body, radii, and heights above the pivot; NaN if it is refused."""

    low: float
    high: float
    inner: float
    outer: float
    bottom: float
    top: float


class Lever(NamedTuple):
    """Where the middle of a body is: distance and height, direction from the axis and the one across."""

    lever: float
    height: float
    out: Vec3
    side: Vec3


_REFUSED = Wedge(math.nan, math.nan, math.nan, math.nan, math.nan, math.nan)


@device
def _row(values: Floats, i: int, count: int) -> Vec3:
    """Row i of an array with `count` columns, or the only row; components that it does not have are 0."""
    k = i if values.shape[0] > 1 else uint64(0)
    y = values[k, 1] if count > 1 else 0.0
    return Vec3(values[k, 0], y, values[k, 2] if count > 2 else 0.0)


@device
def _column(values: Floats, i: int, j: int, d: int, count: int) -> Vec3:
    """Column j of the (d, count) matrix i; for columns that it does not have the normal of the plane."""
    k = i if values.shape[0] > 1 else uint64(0)
    if j >= count:
        return Vec3(0.0, 0.0, 1.0)
    return Vec3(values[k, 0, j], values[k, 1, j], values[k, 2, j] if d > 2 else 0.0)


@device
def _number(values: Floats, i: int) -> float:
    return values[i if values.shape[0] > 1 else uint64(0)]  # type: ignore[no-any-return]


@device
def _load_body(solid: Arrays, i: int) -> SweptBody:
    return _load_sized_body(solid, i, solid[1].shape[1], solid[1].shape[2])


@device
def _load_sized_body(solid: Arrays, i: int, d: int, count: int) -> SweptBody:
    """A body of d dimensions with `count` axes; loads without branches where the caller has constants."""
    center, axes, size, radius = solid
    return SweptBody(
        _row(center, i, d),
        _column(axes, i, 0, d, count),
        _column(axes, i, 1, d, count),
        _column(axes, i, 2, d, count),
        _row(size, i, count),
        _number(radius, i),
    )


@device
def _load_path(motion: Arrays, i: int, d: int) -> SweptPath:
    pivot, axis, angle, offset = motion
    return SweptPath(_row(pivot, i, d), _row(axis, i, 3), _number(angle, i), _row(offset, i, d))


@device
def _find_lever(body: SweptBody, path: SweptPath) -> Lever:
    middle = sub(body.center, path.pivot)
    height = dot(middle, path.axis)
    middle = along(middle, path.axis, -height)
    middle = along(middle, path.axis, -dot(middle, path.axis))  # of a short lever, rounding is a large part
    far = length(middle)
    out = scale(middle, 1.0 / far) if far > 0 else _choose_across(path.axis)
    return Lever(far, height, out, cross(path.axis, out))


@device
def _choose_across(axis: Vec3) -> Vec3:
    """A direction across the axis, for bodies whose middle lies on it; in the plane it is x."""
    x, y, z = abs(axis.x), abs(axis.y), abs(axis.z)
    if x <= y and x <= z:
        other = Vec3(1.0, 0.0, 0.0)
    elif y <= z:
        other = Vec3(0.0, 1.0, 0.0)
    else:
        other = Vec3(0.0, 0.0, 1.0)
    part = along(other, axis, -dot(other, axis))
    return scale(part, 1.0 / length(part))


# Taylor's series with its last coefficients adjusted: below 1 ulp for |x| <= pi / 4 (the numbers of fdlibm).
_SIN = (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
        2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10)  # fmt: skip
_COS = (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
        -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11)  # fmt: skip
# Half of pi in three parts. Multiples of the first two below 2**23 are exact, which is a million turns.
_QUARTER = (1.570796325802803, 9.920935791635221e-10, 5.170182981794105e-19)


@device
def _turn_of(angle: float) -> tuple[float, float]:
    """Cosine and sine at once, without branches: a loop over it takes a tenth of the time of two calls."""
    n = math.floor(angle * (2 / math.pi) + 0.5)
    x = ((angle - n * _QUARTER[0]) - n * _QUARTER[1]) - n * _QUARTER[2]
    z = x * x
    p = _SIN[1] + z * (_SIN[2] + z * (_SIN[3] + z * (_SIN[4] + z * _SIN[5])))
    sin = x + x * z * (_SIN[0] + z * p)
    q = z * (_COS[0] + z * (_COS[1] + z * (_COS[2] + z * (_COS[3] + z * (_COS[4] + z * _COS[5])))))
    cos = 1.0 - (0.5 * z - z * q)
    half = math.floor(0.5 * n)
    odd, sign = n - 2.0 * half, 1.0 - 2.0 * (half - 2.0 * math.floor(0.5 * half))
    return sign * ((1.0 - odd) * cos - odd * sin), sign * ((1.0 - odd) * sin + odd * cos)


# --- sectors ------------------------------------------------------------------------------------------------


@device
def _pick_axis(body: SweptBody, direction: Vec3) -> int:
    x, y, z = abs(dot(body.x, direction)), abs(dot(body.y, direction)), abs(dot(body.z, direction))
    if x >= y and x >= z:
        return 0
    return 1 if y >= z else 2


@device
def _get_axis(body: SweptBody, k: int) -> tuple[Vec3, float]:
    if k == 0:
        return body.x, body.size.x
    return (body.y, body.size.y) if k == 1 else (body.z, body.size.z)


@device
def _are_parallel(a: Vec3, b: Vec3) -> bool:
    """Are two lines along unit vectors parallel?"""
    apart = sub(a, b) if dot(a, b) >= 0 else add(a, b)
    return length_sq(apart) <= PARALLEL * PARALLEL


@device
def _measure_fan(body: SweptBody, path: SweptPath, at: Lever, balanced: bool) -> Wedge:
    """FAN (2.1), (2.2); refused where FAN sec. 2.1 does not allow the motion.

    A balanced fan is widened to the box's corners at a mean radius. Its outer radius is the corners', unless
    the turn is so small that they leave a notch; its angle grows by that of the box's side at the radius that
    halves the ring's area.
    """
    radial, upright = _pick_axis(body, at.out), _pick_axis(body, path.axis)
    out, wide = _get_axis(body, radial)
    up, tall = _get_axis(body, upright)
    turn, inside = abs(path.angle), at.lever - 0.5 * wide
    fits = (_are_parallel(at.out, out) or at.lever == 0) and _are_parallel(path.axis, up)
    fits = fits and inside >= -PARALLEL * wide and turn <= 2 * math.pi
    if not fits or length_sq(path.offset) > 0:
        return _REFUSED
    # Where rounding makes the inner radius negative the pivot lies on the face.
    inner, outer = max(inside, 0.0), at.lever + 0.5 * wide
    widen = 0.0
    if balanced:
        _, deep = _get_axis(body, 3 - radial - upright)
        half, face = 0.5 * deep, outer
        outer = math.sqrt(face * face + half * half)
        if turn < math.pi:
            outer = min(outer, face / math.cos(0.5 * min(turn, 3.0)))
        mean = math.sqrt(0.5 * (inner * inner + outer * outer))
        if mean > 0:
            share = min(1.0, inner / mean)
            widen = math.asin(min(half / mean, math.sqrt(1.0 - share * share)))
    low, high = min(path.angle, 0.0) - widen, max(path.angle, 0.0) + widen
    return Wedge(low, high, inner, outer, at.height - 0.5 * tall, at.height + 0.5 * tall)


@device
def _cross2(a: Vec2, b: Vec2) -> float:
    return a.x * b.y - a.y * b.x


@device
def _measure_edges(middle: Vec2, g: Vec2, h: Vec2, k: Vec2) -> float:
    """The smaller square of the origin's distances from the two edges along g of a body's outline.

    If two spokes are parallel, their edges lie behind each other on one line. 0 counts as positive for h and
    as negative for k: the calls for the two see them in the other order, so one edge is put in front.
    """
    a, b = _cross2(g, h), _cross2(g, k)
    s, t = (1.0 if a >= 0 else -1.0), (1.0 if b > 0 else -1.0)
    over = Vec2(s * h.x + t * k.x, s * h.y + t * k.y)
    square = g.x * g.x + g.y * g.y
    nearest = math.inf
    for side in (-1.0, 1.0):
        x, y = middle.x + side * over.x, middle.y + side * over.y
        share = 0.0
        if square > 0:
            share = min(1.0, max(-1.0, -(x * g.x + y * g.y) / square))
        x, y = x + share * g.x, y + share * g.y
        nearest = min(nearest, x * x + y * y)
    return nearest


@device
def _is_over(middle: Vec2, g: Vec2, h: Vec2, k: Vec2) -> bool:
    """Is the origin between the two edges along g?"""
    return abs(_cross2(g, middle)) <= abs(_cross2(g, h)) + abs(_cross2(g, k))


@procedure
def _measure_all(body: SweptBody, path: SweptPath, at: Lever) -> Wedge:
    """Ring, angles and heights of the body about the axis, turned and moved through the motion.

    Seen along the axis the body is a polygon with edges parallel to its spokes, grown by the radius.
    """
    r = body.radius
    u, v, w = (
        scale(body.x, 0.5 * body.size.x),
        scale(body.y, 0.5 * body.size.y),
        scale(body.z, 0.5 * body.size.z),
    )
    g = Vec2(dot(u, at.out), dot(u, at.side))
    h = Vec2(dot(v, at.out), dot(v, at.side))
    k = Vec2(dot(w, at.out), dot(w, at.side))
    middle = Vec2(at.lever, 0.0)
    rise = abs(dot(u, path.axis)) + abs(dot(v, path.axis)) + abs(dot(w, path.axis)) + r
    lift = dot(path.offset, path.axis)
    inner = 0.0
    is_flat = _cross2(g, h) == 0 and _cross2(h, k) == 0 and _cross2(k, g) == 0
    inside = _is_over(middle, g, h, k) and _is_over(middle, h, k, g) and _is_over(middle, k, g, h)
    if is_flat or not inside:
        near_sq = min(
            _measure_edges(middle, g, h, k), _measure_edges(middle, h, k, g), _measure_edges(middle, k, g, h)
        )
        inner = max(math.sqrt(near_sq) - r, 0.0)
    far_sq, low, high = 0.0, Vec2(1.0, 0.0), Vec2(1.0, 0.0)
    first, last = 0.0, 0.0
    for corner in range(8):
        a = 1.0 if corner & 1 else -1.0
        b = 1.0 if corner & 2 else -1.0
        c = 1.0 if corner & 4 else -1.0
        p = Vec2(at.lever + a * g.x + b * h.x + c * k.x, a * g.y + b * h.y + c * k.y)
        square = p.x * p.x + p.y * p.y
        far_sq = max(far_sq, square)
        if r > 0:
            if square > r * r:
                turn, spread = math.atan2(p.y, p.x), math.asin(r / math.sqrt(square))
                first, last = min(first, turn - spread), max(last, turn + spread)
        else:
            low = p if _cross2(low, p) < 0 else low
            high = p if _cross2(high, p) > 0 else high
    outer = math.sqrt(far_sq) + r
    center = max(abs(path.pivot.x), max(abs(path.pivot.y), abs(path.pivot.z)))
    bottom, top = at.height - rise, at.height + rise
    slack = ROUNDING * (outer + abs(bottom) + abs(top) + abs(lift) + center)
    below, above = bottom + min(lift, 0.0) - slack, top + max(lift, 0.0) + slack
    if inner <= slack:  # the axis meets the body, which covers all angles
        return Wedge(-math.pi, math.pi, 0.0, outer + slack, below, above)
    if not r > 0:
        first, last = math.atan2(low.y, low.x), math.atan2(high.y, high.x)
    lean = slack / inner
    return Wedge(
        first + min(path.angle, 0.0) - lean,
        last + max(path.angle, 0.0) + lean,
        inner - slack,
        outer + slack,
        below,
        above,
    )


@device
def _store_sector(
    path: SweptPath,
    at: Lever,
    wedge: Wedge,
    c: float,
    s: float,
    out: tuple[Floats, Floats, Floats],
    i: int,
    d: int,
) -> None:
    """Write a sector whose middle is turned by an angle with cosine c and sine s from the body."""
    center, direction, numbers = out
    place = along(path.pivot, path.axis, 0.5 * (wedge.bottom + wedge.top))
    center[i, 0], center[i, 1] = place.x, place.y
    direction[i, 0] = c * at.out.x + s * at.side.x
    direction[i, 1] = c * at.out.y + s * at.side.y
    if d > 2:
        center[i, 2] = place.z
        direction[i, 2] = c * at.out.z + s * at.side.z
    numbers[0, i] = min(0.5 * (wedge.high - wedge.low), math.pi)
    numbers[1, i], numbers[2, i] = wedge.inner, wedge.outer
    numbers[3, i] = 0.5 * (wedge.top - wedge.bottom)


# Unsigned counters spare Numba its test for negative indices.
@device
def _build_fans(
    solid: Arrays,
    motion: Arrays,
    balanced: bool,
    out: tuple[Floats, Floats, Floats],
    start: int,
    stop: int,
    d: int,
) -> None:
    """Fans of boxes of d dimensions."""
    numbers = out[2]
    for i in range(uint64(start), uint64(stop)):  # a loop of its own is vectorised
        numbers[0, i], numbers[1, i] = _turn_of(0.5 * _number(motion[2], i))
    for i in range(uint64(start), uint64(stop)):
        body, path = _load_sized_body(solid, i, d, d), _load_path(motion, i, d)
        at = _find_lever(body, path)
        wedge = _measure_fan(body, path, at, balanced)
        _store_sector(path, at, wedge, numbers[0, i], numbers[1, i], out, i, d)


@loop
def build_sectors(
    solid: Arrays, motion: Arrays, kind: int, out: tuple[Floats, Floats, Floats], start: int, stop: int
) -> None:
    """Centers, directions (n, d) and half angle, radii and half height (4, n); NaN if it is refused."""
    d = out[0].shape[1]
    if kind == ENCLOSING:
        for i in range(uint64(start), uint64(stop)):
            body, path = _load_body(solid, i), _load_path(motion, i, d)
            at = _find_lever(body, path)
            wedge = _measure_all(body, path, at)
            c, s = _turn_of(0.5 * (wedge.low + wedge.high))
            _store_sector(path, at, wedge, c, s, out, i, d)
    elif kind == PUBLISHED and d == 3:  # constants instead of variables: 32 instead of 42 ns for a fan
        _build_fans(solid, motion, False, out, start, stop, 3)
    else:
        _build_fans(solid, motion, kind == BALANCED, out, start, stop, d)


# --- boxes --------------------------------------------------------------------------------------------------


@device
def _turn(v: Vec3, axis: Vec3, c: float, s: float) -> Vec3:
    """A vector turned about a unit axis, by Rodrigues' formula."""
    w, d = cross(axis, v), dot(axis, v) * (1.0 - c)
    return Vec3(
        c * v.x + s * w.x + d * axis.x, c * v.y + s * w.y + d * axis.y, c * v.z + s * w.z + d * axis.z
    )


@device
def _find_end(p: Vec3, path: SweptPath, c: float, s: float) -> Vec3:
    return add(add(path.pivot, path.offset), _turn(sub(p, path.pivot), path.axis, c, s))


@device
def _reach(x: Vec3, y: Vec3, z: Vec3, size: Vec3, radius: float) -> Vec3:
    """Half the edges of the box around a body with these axes."""
    return Vec3(
        0.5 * (abs(x.x) * size.x + abs(y.x) * size.y + abs(z.x) * size.z) + radius,
        0.5 * (abs(x.y) * size.x + abs(y.y) * size.y + abs(z.y) * size.z) + radius,
        0.5 * (abs(x.z) * size.x + abs(y.z) * size.y + abs(z.z) * size.z) + radius,
    )


@device
def _is_passed(a: float, b: float, angle: float, c: float, s: float) -> bool:
    """Does the direction (a, b) lie within the arc from 0 to `angle`, whose cosine and sine are c and s?"""
    if angle <= math.pi:
        return b >= 0 and a * s >= b * c
    return angle >= 2 * math.pi or b >= 0 or c * b <= s * a


@device
def _find_extremes(a: float, b: float, rate: float, angle: float, c: float, s: float) -> tuple[float, float]:
    """The minimum and maximum of a cos p + b sin p + rate p for 0 <= p <= angle."""
    end = a * c + b * s + rate * angle
    low, high = min(a, end), max(a, end)
    far = math.sqrt(a * a + b * b)
    if rate == 0:
        if _is_passed(a, b, angle, c, s):
            high = far
        if _is_passed(-a, -b, angle, c, s):
            low = -far
        return low, high
    return _find_advancing_extremes(a, b, rate, angle, far, low, high)


@procedure
def _find_advancing_extremes(
    a: float, b: float, rate: float, angle: float, far: float, low: float, high: float
) -> tuple[float, float]:
    """The derivative vanishes where sin(p - peak) = rate / far; the first and the last time count."""
    if abs(rate) > far or far == 0:
        return low, high
    peak, lean = math.atan2(b, a), math.asin(rate / far)
    for first in (peak + lean, peak + math.pi - lean):
        at = first - 2 * math.pi * math.floor(first / (2 * math.pi))
        last = at + 2 * math.pi * max(math.floor((angle - at) / (2 * math.pi)), 0.0)
        if at <= angle:
            for p in (at, last):
                value = a * math.cos(p) + b * math.sin(p) + rate * p
                low, high = min(low, value), max(high, value)
    return low, high


@procedure
def _bound_path(body: SweptBody, path: SweptPath) -> tuple[Vec3, Vec3]:
    """The tight bounds of the whole path: of every corner, grown by the radius."""
    angle = abs(path.angle)
    axis = path.axis if path.angle >= 0 else scale(path.axis, -1.0)
    c, s = _turn_of(angle)
    rate = scale(path.offset, 1.0 / angle) if angle > 0 else path.offset
    u, v, w = (
        scale(body.x, 0.5 * body.size.x),
        scale(body.y, 0.5 * body.size.y),
        scale(body.z, 0.5 * body.size.z),
    )
    lower, upper = Vec3(math.inf, math.inf, math.inf), Vec3(-math.inf, -math.inf, -math.inf)
    for corner in range(8):
        p = sub(body.center, path.pivot)
        p = along(p, u, 1.0 if corner & 1 else -1.0)
        p = along(p, v, 1.0 if corner & 2 else -1.0)
        p = along(p, w, 1.0 if corner & 4 else -1.0)
        fixed = scale(axis, dot(axis, p))
        a, b = sub(p, fixed), cross(axis, p)
        if angle > 0:
            x = _find_extremes(a.x, b.x, rate.x, angle, c, s)
            y = _find_extremes(a.y, b.y, rate.y, angle, c, s)
            z = _find_extremes(a.z, b.z, rate.z, angle, c, s)
        else:
            x = min(a.x, a.x + rate.x), max(a.x, a.x + rate.x)
            y = min(a.y, a.y + rate.y), max(a.y, a.y + rate.y)
            z = min(a.z, a.z + rate.z), max(a.z, a.z + rate.z)
        lower = Vec3(min(lower.x, fixed.x + x[0]), min(lower.y, fixed.y + y[0]), min(lower.z, fixed.z + z[0]))
        upper = Vec3(max(upper.x, fixed.x + x[1]), max(upper.y, fixed.y + y[1]), max(upper.z, fixed.z + z[1]))
    r = Vec3(body.radius, body.radius, body.radius)
    return sub(add(path.pivot, lower), r), add(add(path.pivot, upper), r)


@device
def _bound_ends(body: SweptBody, path: SweptPath) -> tuple[Vec3, Vec3]:
    p, reach = body.center, _reach(body.x, body.y, body.z, body.size, body.radius)
    c, s = _turn_of(path.angle)
    q = _find_end(p, path, c, s)
    x, y, z = _turn(body.x, path.axis, c, s), _turn(body.y, path.axis, c, s), _turn(body.z, path.axis, c, s)
    other = _reach(x, y, z, body.size, body.radius)
    lower = Vec3(
        min(p.x - reach.x, q.x - other.x),
        min(p.y - reach.y, q.y - other.y),
        min(p.z - reach.z, q.z - other.z),
    )
    upper = Vec3(
        max(p.x + reach.x, q.x + other.x),
        max(p.y + reach.y, q.y + other.y),
        max(p.z + reach.z, q.z + other.z),
    )
    return lower, upper


@device
def _bound_speeds(body: SweptBody, path: SweptPath, inflated: bool) -> tuple[Vec3, Vec3]:
    """The box at the start, grown by speeds at the start: as PhysX does, or as Bullet does."""
    reach = _reach(body.x, body.y, body.z, body.size, body.radius)
    spin = abs(path.angle)
    speed = add(scale(cross(path.axis, sub(body.center, path.pivot)), path.angle), path.offset)
    lower, upper = sub(body.center, reach), add(body.center, reach)
    if inflated:
        grow = length(speed) + spin * length(reach)
        return sub(lower, Vec3(grow, grow, grow)), add(upper, Vec3(grow, grow, grow))
    grow = spin * (0.5 * length(body.size) + body.radius)
    lower = Vec3(
        lower.x + min(speed.x, 0.0) - grow,
        lower.y + min(speed.y, 0.0) - grow,
        lower.z + min(speed.z, 0.0) - grow,
    )
    upper = Vec3(
        upper.x + max(speed.x, 0.0) + grow,
        upper.y + max(speed.y, 0.0) + grow,
        upper.z + max(speed.z, 0.0) + grow,
    )
    return lower, upper


@device
def _store_box(bounds: tuple[Vec3, Vec3], lower: Floats, upper: Floats, i: int) -> None:
    low, high = bounds
    lower[i, 0], lower[i, 1], upper[i, 0], upper[i, 1] = low.x, low.y, high.x, high.y
    if lower.shape[1] > 2:
        lower[i, 2], upper[i, 2] = low.z, high.z


@loop
def build_boxes(
    solid: Arrays, motion: Arrays, kind: int, lower: Floats, upper: Floats, start: int, stop: int
) -> None:
    """Axis-aligned boxes (n, d)."""
    d = lower.shape[1]
    if kind == IDEAL:
        for i in range(uint64(start), uint64(stop)):
            _store_box(_bound_path(_load_body(solid, i), _load_path(motion, i, d)), lower, upper, i)
    elif kind == START_END:
        for i in range(uint64(start), uint64(stop)):
            _store_box(_bound_ends(_load_body(solid, i), _load_path(motion, i, d)), lower, upper, i)
    else:
        for i in range(uint64(start), uint64(stop)):
            body, path = _load_body(solid, i), _load_path(motion, i, d)
            _store_box(_bound_speeds(body, path, kind == INFLATED), lower, upper, i)


@loop
def find_ends(points: Floats, motion: Arrays, ends: Floats, start: int, stop: int) -> None:
    """Where the motion takes points (n, d)."""
    d = points.shape[1]
    for i in range(uint64(start), uint64(stop)):
        path = _load_path(motion, i, d)
        c, s = _turn_of(path.angle)
        end = _find_end(_row(points, i, d), path, c, s)
        ends[i, 0], ends[i, 1] = end.x, end.y
        if ends.shape[1] > 2:
            ends[i, 2] = end.z
