"""How far a body can move before a point of it can reach a plane: the step of continuous detection.

For a screw with unit axis U through o and shift p per radian, the height of a point x over a plane with unit
normal n is, after a further angle d,

    g(d) = g + a (cos d - 1) + b sin d + k d,   a = n . w_perp,  b = n . (U x w),  k = p n . U,

where w = x - o and w_perp its part perpendicular to U. With c = cot(d / 2) and k = 0 this is zero where
g c^2 + 2 b c + (g - 2 a) = 0: no trigonometry, and a larger c is an earlier angle. For k != 0 a minorant that
touches g(d) to second order takes its place, so a step can be too short, never too long.

A straight motion x + d v is the same with `turn` = 0 in place of 1: c = 2 / d, and g c^2 + 2 b c = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi.kernels.constants import NEVER, NO_PROGRESS, NO_TURN, RESOLUTION, ROUNDING, SERIES, SQUARE_SERIES
from ougi.kernels.records import Screw3d, Vec3
from ougi.kernels.vec3 import along, cross, dot, length, neg, scale, sub

_ZERO = Vec3(0.0, 0.0, 0.0)


class Course(NamedTuple):
    """A screw motion as the loops need it: the angle is not negative.

    `turn` is 1, or 0 for a straight motion; that has a velocity, and no axis, center or pitch. `total` is the
    angle of the whole motion, or 1.
    """

    center: Vec3
    axis: Vec3
    velocity: Vec3
    turn: float
    pitch: float
    total: float


class Rest(NamedTuple):
    """What is left of the way. cos and sin are of half the angle that the next step may cover at most.

    With pitch that is at most pi; `angle` is then the whole rest. Without pitch only cos and sin are kept,
    and `angle` is positive only before the first step; a straight rest d is (1, d / 2).
    """

    angle: float
    cos: float
    sin: float


class Hop(NamedTuple):
    """One step: cos - 1 and sin of its angle, cos and sin of half of it, and the shift along the axis."""

    cos_less_1: float
    sin: float
    half_cos: float
    half_sin: float
    angle: float
    shift: float


@device
def course_of(motion: Screw3d, sense: float) -> Course:
    """The motion, or its inverse if `sense` is -1."""
    angle, advance = motion.angle * sense, motion.advance * sense
    if not abs(angle) > NO_TURN:
        return Course(_ZERO, _ZERO, scale(motion.axis, advance), 0.0, 0.0, 1.0)
    if angle < 0.0:
        angle, axis, advance = -angle, scale(motion.axis, -1.0), -advance
    else:
        axis = motion.axis
    return Course(motion.center, axis, _ZERO, 1.0, advance / angle, angle)


@device
def begin(course: Course) -> Rest:
    """The whole way. Without pitch nothing new happens after one turn."""
    if course.turn == 0.0:
        return Rest(1.0, 1.0, 0.5)
    if course.pitch == 0.0:
        whole = min(course.total, 2.0 * math.pi)
        return Rest(whole, math.cos(0.5 * whole), math.sin(0.5 * whole))
    return _rest(course.total)


@device
def _rest(angle: float) -> Rest:
    half = 0.5 * min(angle, math.pi)
    return Rest(angle, math.cos(half), math.sin(half))


@device
def time_left(course: Course, rest: Rest) -> float:
    """The share of the motion that lies ahead, at most one turn if there is no pitch."""
    if course.turn == 0.0:
        return 2.0 * rest.sin
    if course.pitch == 0.0 and not rest.angle > 0.0:
        return 2.0 * math.atan2(rest.sin, rest.cos) / course.total
    return rest.angle / course.total


@device
def time_at(course: Course, rest: Rest) -> float:
    """The time that has passed."""
    whole = course.total
    if course.turn > 0.0 and course.pitch == 0.0:
        whole = min(whole, 2.0 * math.pi)
    return max(0.0, whole / course.total - time_left(course, rest))


@device
def is_beyond(rest: Rest, cot: float) -> bool:
    """Does a step reach as far as the next step may?"""
    return cot * rest.sin <= rest.cos


@device
def is_last(course: Course, rest: Rest) -> bool:
    """Would the longest step be the end of the motion?"""
    return course.pitch == 0.0 or rest.angle <= math.pi


@device
def longest(rest: Rest) -> float:
    """The longest step, where it is not the end."""
    return rest.cos / rest.sin


@device
def is_stuck(course: Course, cot: float) -> bool:
    """Is a step too short to change the time?"""
    return not cot * course.total * NO_PROGRESS < 2.0


@device
def resolved(course: Course, size: float) -> float:
    """A loop that makes no progress has found a contact if the gap is no more than this above tol.

    At a larger one it is undecided: it has met a case in which its planes do not separate the bodies.
    """
    way = length(course.velocity) + abs(course.pitch) * course.total
    return RESOLUTION * (size + 0.1 * way)


@device
def hop_of(course: Course, cot: float) -> Hop:
    inv = 1.0 / math.sqrt(cot * cot + course.turn)
    sin = 2.0 * cot * inv * inv
    less = -2.0 * course.turn * inv * inv
    angle = 2.0 * math.atan2(1.0, cot) if course.pitch != 0.0 else 0.0
    return Hop(less, sin, cot * inv, inv, angle, course.pitch * angle)


@device
def after(course: Course, rest: Rest, hop: Hop) -> Rest:
    """What is left after a step."""
    if course.pitch != 0.0:
        return _rest(rest.angle - hop.angle)
    cos = rest.cos * hop.half_cos + course.turn * rest.sin * hop.half_sin
    return Rest(0.0, cos, rest.sin * hop.half_cos - rest.cos * hop.half_sin)


@device
def moved(course: Course, hop: Hop, x: Vec3) -> Vec3:
    """A point of the moving body after a step."""
    w, u = sub(x, course.center), course.axis
    turned = along(x, along(w, u, -dot(w, u)), hop.cos_less_1)
    turned = along(along(turned, cross(u, w), hop.sin), u, hop.shift)
    return along(turned, course.velocity, hop.sin)


@device
def turned(course: Course, hop: Hop, v: Vec3) -> Vec3:
    """A direction of the moving body after a step."""
    u = course.axis
    return along(along(v, along(v, u, -dot(v, u)), hop.cos_less_1), cross(u, v), hop.sin)


@device
def first_cot(turn: float, g: float, a: float, b: float) -> float:
    """cot(d / 2) of the first zero of g + a (cos d - 1) + b sin d in (0, 2 pi). Larger means earlier.

    No root: -NEVER, the plane is never reached. No room (g <= 0): NEVER, which makes the step zero.
    """
    if not g > 0.0:
        return NEVER
    over = turn * (2.0 * a - g)
    disc = b * b + g * over
    if not disc >= 0.0:
        return -NEVER
    q = math.sqrt(disc)
    if b > 0.0:
        return over / (b + q)  # the same root without cancellation
    return (q - b) / g


@device
def earlier(turn: float, cot: float, g: float, a: float, b: float) -> float:
    """The larger of `cot` and first_cot(g, a, b).

    The root is not larger if the parabola is not negative at `cot` and rises there: no root to draw.
    """
    slope = g * cot + b
    if g > 0.0 and slope >= 0.0 and (slope + b) * cot + turn * (g - 2.0 * a) >= 0.0:
        return cot
    return max(cot, first_cot(turn, g, a, b))


@device
def pitch_bend(rest: Rest, k: float) -> float:
    """What k d adds to a, if k is also added to b.

    k > 0: k d >= k sin d. k < 0, for d <= s <= pi: d <= sin d + c (1 - cos d), with equality at 0 and at s.
    """
    if k >= 0.0:
        return 0.0
    s = min(rest.angle, math.pi)
    c = s / 3.0 if s < SERIES else (0.5 * s - rest.sin * rest.cos) / (rest.sin * rest.sin)
    return -k * c


@device
def square_bend(rest: Rest) -> float:
    """The least c with d^2 <= c (1 - cos d) for all steps d."""
    s = min(rest.angle, math.pi)
    return 2.0 if s < SQUARE_SERIES else 0.5 * s * s / (rest.sin * rest.sin)


class Heights(NamedTuple):
    """g, a and b as linear functions of a point: `g_0 + g . x` and so on."""

    g: Vec3
    a: Vec3
    b: Vec3
    g_0: float
    a_0: float
    b_0: float


@device
def reached(turn: float, cot: float, f: Heights, x: Vec3) -> float:
    """The larger of `cot` and that of the step in which the point x reaches height 0."""
    return earlier(turn, cot, f.g_0 + dot(f.g, x), f.a_0 + dot(f.a, x), f.b_0 + dot(f.b, x))


@device
def over_plane(course: Course, rest: Rest, n: Vec3, h: float) -> Heights:
    """Heights of points of the moving body over the resting plane n . x = h."""
    u, o = course.axis, course.center
    across, ahead, k = along(n, u, -dot(n, u)), cross(n, u), course.pitch * dot(n, u)
    b_0 = dot(n, course.velocity) - dot(ahead, o) + k
    return Heights(n, across, ahead, -h, pitch_bend(rest, k) - dot(across, o), b_0)


@device
def under_plane(course: Course, rest: Rest, n: Vec3, h: float) -> Heights:
    """Depths of resting points under the plane n . x = h that the moving body carries."""
    u, o = course.axis, course.center
    across, ahead, k = along(n, u, -dot(n, u)), cross(n, u), course.pitch * dot(n, u)
    b_0 = dot(n, course.velocity) - dot(ahead, o) + k
    return Heights(neg(n), neg(across), ahead, h, pitch_bend(rest, k) + dot(across, o), b_0)


class EdgeHeights(NamedTuple):
    """g, a and b of the axis e x f as linear functions of x of the moving and y of the resting body.

    e is an edge of the moving body and turns, f rests. g is the height of x over y times |e x f|.
    """

    g: Vec3
    a_x: Vec3
    a_y: Vec3
    b_x: Vec3
    b_y: Vec3
    g_0: float
    a_0: float
    b_0: float


@device
def over_edges(
    course: Course, rest: Rest, e: Vec3, f: Vec3, size: float, sign: float, reach: float
) -> EdgeHeights:
    """Heights along the axis `sign` * (e x f), which turns with e, over the distance `reach`.

    (e x f) . (x - y) = f . ((x - o) x e) + e . (f x (o - y)) is of first degree in cos d and sin d, and
    |e x f| <= l - (c / l) (e . f - c), where l and c = e . f are the values now. `size` is |e| |f| times the
    bodies' size: what rounding can add is taken off the height, so that nearly parallel edges make a bad
    axis, not a late answer.
    """
    u, o = course.axis, course.center
    e = scale(e, sign)
    e_across, f_across = along(e, u, -dot(e, u)), along(f, u, -dot(f, u))
    e_ahead = cross(u, e)
    g = cross(e, f)
    a_x, a_y = cross(e, f_across), cross(e_across, f)
    b_x, b_y = cross(e, cross(f, u)), cross(e_ahead, f)
    l_0 = math.sqrt(dot(g, g))
    d_a, d_b = dot(e_across, f), dot(e_ahead, f)
    bow = reach * dot(e, f) / (l_0 if l_0 > 0.0 else 1.0)
    k = course.pitch * d_b
    bend = pitch_bend(rest, k)
    if course.pitch != 0.0:
        bend += abs(course.pitch) * math.sqrt(d_a * d_a + d_b * d_b) * square_bend(rest)
    a_0 = bow * d_a + bend + dot(sub(a_y, a_x), o)
    b_0 = bow * d_b + k + dot(g, course.velocity) + dot(sub(b_y, b_x), o)
    return EdgeHeights(g, a_x, neg(a_y), b_x, neg(b_y), -reach * l_0 - ROUNDING * size, a_0, b_0)


@device
def above(f: EdgeHeights, x: Vec3) -> Heights:
    """The heights of one point x of the moving body over points of the resting one."""
    return Heights(
        neg(f.g),
        f.a_y,
        f.b_y,
        f.g_0 + dot(f.g, x),
        f.a_0 + dot(f.a_x, x),
        f.b_0 + dot(f.b_x, x),
    )
