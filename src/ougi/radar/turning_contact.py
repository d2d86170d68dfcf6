"""Rotations and screws about z: the first contact of two triangles, exactly.

A corner meets a face, or two edges meet, where a function of the angle

    F(t) = c + k t + (a + d t) cos t + (b + e t) sin t

is zero: the height of the corner over the face's plane, or the reciprocal product of the edges' lines.
Without pitch k = d = e = 0 and the zeros are in closed form. With pitch they are found by steps: from t no
zero is nearer than the solution of |F| - |F'| s - M s^2 / 2 = 0, where M bounds |F''|. These steps converge
quadratically and cannot pass a zero. After a simple zero there is none nearer than 2 |F'| / M.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.vec3 import along, cross, dot, length, scale, sub
from ougi.radar.motion_frames import turn
from ougi.radar.triangles import (
    CORNER_FACE,
    EDGE_EDGE,
    FACE_CORNER,
    NOTHING,
    TriangleContact,
    corner,
    is_earlier,
    max_coordinate,
    orient_normal,
)

_NOWHERE = Vec3(0.0, 0.0, 1.0)

# Steps to all zeros of one function; a few are usual. What is undecided then is taken for a zero.
_STEPS = 400

# Zeros that lie nearer to each other than this are taken for one: radians.
_APART = 1e-10

# Contacts that lie nearer to each other than this are one: radians.
TIE = 1e-13

# Corners are within a face, and edges meet, up to so many bands: the angle of a zero is rounded too.
_SLACK = 8.0


class Wave(NamedTuple):
    """The function F of the angle; `size` is what rounding is measured by."""

    c: float
    k: float
    a: float
    b: float
    d: float
    e: float
    size: float


@device
def _evaluate(f: Wave, t: float) -> tuple[float, float]:
    """F and its derivative."""
    cos, sin = math.cos(t), math.sin(t)
    a, b = f.a + f.d * t, f.b + f.e * t
    return f.c + f.k * t + a * cos + b * sin, f.k + (f.d + b) * cos + (f.e - a) * sin


@device
def _find_closed_zero(f: Wave, start: float, stop: float) -> float:
    """The first zero of c + a cos t + b sin t in [start, stop]; inf if there is none."""
    rho = math.hypot(f.a, f.b)
    if not rho > 0.0 or abs(f.c) > rho + 1e-14 * f.size:
        return math.inf
    middle, half = math.atan2(f.b, f.a), math.acos(min(max(-f.c / rho, -1.0), 1.0))
    best = math.inf
    for sign in (-1.0, 1.0):
        t = middle + sign * half
        value, slope = _evaluate(f, t)
        if abs(slope) > 1e-6 * rho:
            t -= value / slope
        t -= 2.0 * math.pi * math.floor((t - start) / (2.0 * math.pi))
        if t > stop and t - 2.0 * math.pi > start - 1e-14:
            t = start  # zero at the start, up to rounding
        if start <= t <= stop:
            best = min(best, t)
    return best


@device
def _find_walked_zero(f: Wave, start: float, stop: float) -> float:
    """The first zero of F in [start, stop]; inf if there is none."""
    bend = max(abs(f.a) + abs(f.b) + (abs(f.d) + abs(f.e)) * (2.0 + abs(stop)), 1e-300)
    tiny = 4e-16 * f.size
    t = start
    for _ in range(_STEPS):
        value, slope = _evaluate(f, t)
        if abs(value) <= tiny:
            return t
        slope = slope if value > 0.0 else -slope
        value = abs(value)
        root = math.sqrt(slope * slope + 2.0 * bend * value)
        step = (slope + root) / bend if slope > 0.0 else 2.0 * value / (root - slope)
        if t + step > stop:
            return math.inf
        if t + step <= t:
            return t
        t += step
    return t


@device
def find_zero(f: Wave, start: float, stop: float) -> float:
    """The first zero of F in [start, stop]; inf if there is none."""
    if start == 0.0:
        # Most functions are too far from zero for a short turn: no sine or arc is needed to see it.
        bend = abs(f.a) + abs(f.b) + (abs(f.d) + abs(f.e)) * (2.0 + stop)
        if abs(f.c + f.a) > (abs(f.k + f.d + f.b) + 0.5 * bend * stop) * stop + 1e-13 * f.size:
            return math.inf
    if f.k == 0.0 and f.d == 0.0 and f.e == 0.0:
        return _find_closed_zero(f, start, stop)
    return _find_walked_zero(f, start, stop)


@device
def skip_zero(f: Wave, t: float) -> float:
    """Where to search for the next zero after one at t."""
    bend = abs(f.a) + abs(f.b) + (abs(f.d) + abs(f.e)) * (3.0 + abs(t))
    slope = _evaluate(f, t)[1]
    return t + max(_APART, min(abs(slope) / max(bend, 1e-300), 1.0))


@device
def make_corner_wave(p: Vec3, normal: Vec3, on: Vec3, sense: float, pitch: float) -> Wave:
    """The height over a plane of a point that turns; `sense` -1 turns back, as a target seen from a
    sensor."""
    c = normal.z * p.z - dot(normal, on)
    a, b = normal.x * p.x + normal.y * p.y, sense * (normal.y * p.x - normal.x * p.y)
    size = length(normal) * (length(p) + length(on))
    return Wave(c, sense * normal.z * pitch, a, b, 0.0, 0.0, size)


@device
def make_edge_wave(p: Vec3, q: Vec3, r: Vec3, s: Vec3, pitch: float) -> Wave:
    """The reciprocal product of the line p q, which turns, and of r s: zero where the lines meet."""
    d, m = sub(q, p), cross(p, sub(q, p))
    g, n = sub(s, r), cross(r, sub(s, r))
    # m(t) = R m + pitch t z x R d;  F = m(t) . g + R d . n
    c = m.z * g.z + d.z * n.z
    a = m.x * g.x + m.y * g.y + d.x * n.x + d.y * n.y
    b = -m.y * g.x + m.x * g.y - d.y * n.x + d.x * n.y
    # pitch (z x R d) . g = pitch (R d) . (g x z)
    w = Vec3(pitch * g.y, -pitch * g.x, 0.0)
    reach = max(length(p), length(q)) + max(length(r), length(s))
    return Wave(c, 0.0, a, b, d.x * w.x + d.y * w.y, -d.y * w.x + d.x * w.y, length(d) * length(g) * reach)


@device
def is_within(p: Vec3, t: Triangle3d, normal: Vec3, slack: float) -> bool:
    """Does a point of a triangle's plane lie in it, or no farther outside than the slack?"""
    n = length(normal)
    for i in range(3):
        q, r = corner(t, i), corner(t, i + 1)
        if dot(normal, cross(sub(r, q), sub(p, q))) < -slack * n * length(sub(r, q)):
            return False
    return True


@device
def _intersect_segments(p: Vec3, d: Vec3, r: Vec3, g: Vec3, slack: float) -> tuple[bool, Vec3]:
    """Do two segments, whose lines meet, meet themselves? And where, on the second."""
    n = cross(d, g)
    n_sq = dot(n, n)
    one, two = length(d), length(g)
    if n_sq <= 1e-24 * (one * two) ** 2:
        return False, r
    x = sub(r, p)
    t, w = dot(cross(x, g), n) / n_sq, dot(cross(x, d), n) / n_sq
    sine = math.sqrt(n_sq) / (one * two)
    reach = slack / sine
    ok = abs(t - 0.5) * one <= 0.5 * one + reach and abs(w - 0.5) * two <= 0.5 * two + reach
    return ok, along(r, g, min(max(w, 0.0), 1.0))


@device
def _axis_range(t: Triangle3d) -> tuple[float, float]:
    """The squared distances from the axis between which a triangle lies."""
    a, b, c = _moment(t.a, t.b), _moment(t.b, t.c), _moment(t.c, t.a)
    p, q, r = _edge_axis_range(t.a, t.b), _edge_axis_range(t.b, t.c), _edge_axis_range(t.c, t.a)
    around = (a >= 0.0 and b >= 0.0 and c >= 0.0) or (a <= 0.0 and b <= 0.0 and c <= 0.0)
    return 0.0 if around else min(p[0], min(q[0], r[0])), max(p[1], max(q[1], r[1]))


@device
def _moment(p: Vec3, q: Vec3) -> float:
    return p.x * q.y - p.y * q.x


@device
def _edge_axis_range(p: Vec3, q: Vec3) -> tuple[float, float]:
    """The squared distances from the axis between which an edge lies."""
    x, y = q.x - p.x, q.y - p.y
    n_sq = x * x + y * y
    t = min(max(-(p.x * x + p.y * y) / n_sq, 0.0), 1.0) if n_sq > 0.0 else 0.0
    return (p.x + t * x) ** 2 + (p.y + t * y) ** 2, max(p.x**2 + p.y**2, q.x**2 + q.y**2)


@procedure
def first_on_face(
    p: Vec3, t: Triangle3d, start: float, stop: float, sense: float, pitch: float, slack: float
) -> float:
    """The first angle at which a point that turns lies in a triangle; inf if it never does."""
    normal = cross(sub(t.b, t.a), sub(t.c, t.a))
    f = make_corner_wave(p, normal, t.a, sense, pitch)
    swing = abs(f.a) + abs(f.b)
    n = length(normal)
    if n <= 1e-14 * length(sub(t.b, t.a)) * length(sub(t.c, t.a)):
        return math.inf  # no face: its edges decide
    if swing + abs(f.k) * max(stop, 1.0) <= slack * n:
        return (
            _first_in_plane(p, t, normal, start, stop, sense, pitch, slack)
            if abs(f.c) <= slack * n
            else math.inf
        )
    at = start
    for _ in range(64):
        at = find_zero(f, at, stop)
        if not at < math.inf:
            return math.inf
        if is_within(turn(p, sense * at, pitch), t, normal, slack):
            return at
        at = skip_zero(f, at)
        if at > stop:
            return math.inf
    return math.inf


@device
def _first_in_plane(
    p: Vec3, t: Triangle3d, normal: Vec3, start: float, stop: float, sense: float, pitch: float, slack: float
) -> float:
    """The same for a point that turns within the triangle's plane: it comes in over an edge."""
    if is_within(turn(p, sense * start, pitch), t, normal, slack):
        return start
    best = math.inf
    for i in range(3):
        q, r = corner(t, i), corner(t, i + 1)
        f = make_corner_wave(p, cross(normal, sub(r, q)), q, sense, pitch)
        at = start
        for _ in range(3):
            at = find_zero(f, at, min(stop, best))
            if not at < best:
                break
            if is_within(turn(p, sense * at, pitch), t, normal, slack):
                best = at
                break
            at = skip_zero(f, at)
    return best


@procedure
def first_on_edge(
    p: Vec3, q: Vec3, r: Vec3, s: Vec3, start: float, stop: float, pitch: float, slack: float
) -> tuple[float, Vec3]:
    """The first angle at which the edge p q, which turns, meets r s, and where; inf if they never do."""
    f = make_edge_wave(p, q, r, s, pitch)
    if abs(f.a) + abs(f.b) + abs(f.d) + abs(f.e) <= 1e-15 * f.size:
        return math.inf, r  # lines that always meet, in a plane across the axis: their corners decide
    d, g = sub(q, p), sub(s, r)
    at = start
    for _ in range(64):
        at = find_zero(f, at, stop)
        if not at < math.inf:
            return math.inf, r
        ok, place = _intersect_segments(turn(p, at, pitch), turn(d, at, 0.0), r, g, slack)
        if ok:
            return at, place
        at = skip_zero(f, at)
        if at > stop:
            return math.inf, r
    return math.inf, r


@device
def are_certainly_apart(a: Triangle3d, b: Triangle3d, limit: float, pitch: float, band: float) -> bool:
    """Is it certain that a does not touch b while it turns by an angle up to `limit`?

    It is if their distances from the axis or, without pitch, their heights differ, or if a stays on one side
    of b's plane, or b on one side of a's. Heights over a plane are bounded by their speed at the start and
    the largest change of this speed. So nearly all pairs of a short turn need no sine.
    """
    slack = _SLACK * band
    margin = _axis_slack(a, b, slack)
    near_a, far_a = _axis_range(a)
    near_b, far_b = _axis_range(b)
    return (
        near_a > far_b + margin
        or near_b > far_a + margin
        or (
            pitch == 0.0
            and (
                max(a.a.z, max(a.b.z, a.c.z)) + slack < min(b.a.z, min(b.b.z, b.c.z))
                or max(b.a.z, max(b.b.z, b.c.z)) + slack < min(a.a.z, min(a.b.z, a.c.z))
            )
        )
        or _stays_off(a, b, limit, 1.0, pitch, slack)
        or _stays_off(b, a, limit, -1.0, pitch, slack)
    )


@device
def _axis_slack(a: Triangle3d, b: Triangle3d, slack: float) -> float:
    """By how much squared distances from the axis may be off."""
    return slack * (1.0 + max_coordinate(a) + max_coordinate(b))


@device
def _stays_off(
    t: Triangle3d, other: Triangle3d, limit: float, sense: float, pitch: float, slack: float
) -> bool:
    """Does a triangle that turns, with `sense` -1 back, stay on one side of another's plane?"""
    e, f = sub(other.b, other.a), sub(other.c, other.a)
    n = cross(e, f)
    drop, rise = dot(n, other.a), sense * n.z * pitch
    low, high = math.inf, -math.inf
    for i in range(3):
        p = corner(t, i)
        a, b = n.x * p.x + n.y * p.y, sense * (n.y * p.x - n.x * p.y)
        height, slope = a + n.z * p.z - drop, (b + rise) * limit
        bend = 0.5 * (abs(a) + abs(b)) * limit * limit
        low, high = min(low, height + min(slope, 0.0) - bend), max(high, height + max(slope, 0.0) + bend)
    # Touches may lie off by the slack, and rounding is a part of the sides, not of the normal.
    margin = 2.0 * slack * (abs(e.x) + abs(e.y) + abs(e.z)) * (abs(f.x) + abs(f.y) + abs(f.z))
    return low > margin or high < -margin


@procedure
def find_turning_contact(
    a: Triangle3d, b: Triangle3d, limit: float, pitch: float, band: float
) -> TriangleContact:
    """The first angle in [0, limit] at which a, which turns about z, touches b.

    Not needed for pairs that are certainly apart.
    """
    best = TriangleContact(math.inf, NOTHING, _NOWHERE, _NOWHERE, -1.0)
    slack = _SLACK * band
    margin = _axis_slack(a, b, slack)
    near_a, far_a = _axis_range(a)
    near_b, far_b = _axis_range(b)
    for i in range(3):
        p = corner(a, i)
        if near_b - margin <= p.x**2 + p.y**2 <= far_b + margin:
            at = first_on_face(p, b, 0.0, limit, 1.0, pitch, slack)
            if at < math.inf:
                n = cross(sub(b.b, b.a), sub(b.c, b.a))
                best = _choose_earlier(best, at, CORNER_FACE, turn(p, at, pitch), n, pitch)
                limit = min(limit, best.gap + TIE)
        q = corner(b, i)
        if near_a - margin <= q.x**2 + q.y**2 <= far_a + margin:
            at = first_on_face(q, a, 0.0, limit, -1.0, pitch, slack)
            if at < math.inf:
                n = turn(cross(sub(a.b, a.a), sub(a.c, a.a)), at, 0.0)
                best = _choose_earlier(best, at, FACE_CORNER, q, n, pitch)
                limit = min(limit, best.gap + TIE)
    for i in range(3):
        p, q = corner(a, i), corner(a, i + 1)
        near_p, far_p = _edge_axis_range(p, q)
        for j in range(3):
            r, s = corner(b, j), corner(b, j + 1)
            near_r, far_r = _edge_axis_range(r, s)
            if near_p > far_r + margin or near_r > far_p + margin:
                continue
            if pitch == 0.0 and (
                min(p.z, q.z) > max(r.z, s.z) + slack or min(r.z, s.z) > max(p.z, q.z) + slack
            ):
                continue
            at, where = first_on_edge(p, q, r, s, 0.0, limit, pitch, slack)
            if at < math.inf:
                n = cross(turn(sub(q, p), at, 0.0), sub(s, r))
                best = _choose_earlier(best, at, EDGE_EDGE, where, n, pitch)
                limit = min(limit, best.gap + TIE)
    return best


@device
def _choose_earlier(
    best: TriangleContact, at: float, kind: int, where: Vec3, normal: Vec3, pitch: float
) -> TriangleContact:
    """The best contact so far or a new one."""
    velocity = Vec3(-where.y, where.x, pitch)
    velocity = scale(velocity, 1.0 / max(length(velocity), 1e-300))
    unit = orient_normal(normal, velocity)
    approach = dot(unit, velocity)
    return TriangleContact(at, kind, where, unit, approach) if is_earlier(at, approach, best, TIE) else best
