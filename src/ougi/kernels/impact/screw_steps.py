"""How far a body can move before a point of it can reach a plane: the step of continuous detection.

For a screw with unit axis U through o and shift p per radian, the height of a point x over a plane with unit
normal n is, after a further angle d,

    g(d) = g + a (cos d - 1) + b sin d + k d,   a = n . w_perp,  b = n . (U x w),  k = p n . U,

where w = x - o and w_perp its part perpendicular to U. With c = cot(d / 2) and k = 0 this is zero where
g c^2 + 2 b c + (g - 2 a) = 0: no trigonometry, and a larger c is an earlier angle. For k != 0 a minorant
that touches g(d) to second order takes its place, so a step can be too short, never too long.

A straight motion x + d v is the same with `turn` = 0 in place of 1: c = 2 / d, and g c^2 + 2 b c = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi.kernels.constants import NEVER, NO_PROGRESS, NO_TURN, ROUNDING, SERIES, SQUARE_SERIES
from ougi.kernels.records import Screw3d, Vec3
from ougi.kernels.vec3 import ZERO, along, cross, dot, neg, scale, sub


class Path(NamedTuple):
    """A screw motion as the loops need it: the angle is not negative.

    `turn` is 1, or 0 for a straight motion; that has a velocity, and no axis, center or pitch. `total` is the
    angle of the whole motion, or 1. No contact begins after the angle `end`: without pitch nothing new
    happens after one turn.
    """

    center: Vec3
    axis: Vec3
    velocity: Vec3
    turn: float
    pitch: float
    total: float
    end: float


class Remainder(NamedTuple):
    """What is left of a path. cos and sin are of half the angle that the next step may cover at most.

    With pitch that is at most pi; `angle` is then the whole rest. Without pitch only cos and sin are updated,
    and `angle` is positive only before the first step; a straight rest d is (1, d / 2).
    """

    angle: float
    cos: float
    sin: float


class Step(NamedTuple):
    """One step: cos - 1 and sin of its angle, cos and sin of half of it, and the shift along the axis."""

    cos_less_1: float
    sin: float
    half_cos: float
    half_sin: float
    angle: float
    shift: float


@device
def make_path(motion: Screw3d, sense: float) -> Path:
    """The motion, or its inverse if `sense` is -1."""
    angle, advance = motion.angle * sense, motion.advance * sense
    if not abs(angle) > NO_TURN:
        return Path(ZERO, ZERO, scale(motion.axis, advance), 0.0, 0.0, 1.0, 1.0)
    if angle < 0.0:
        angle, axis, advance = -angle, scale(motion.axis, -1.0), -advance
    else:
        axis = motion.axis
    end = angle if advance != 0.0 else min(angle, 2.0 * math.pi)
    return Path(motion.center, axis, ZERO, 1.0, advance / angle, angle, end)


@device
def remaining(path: Path, angle: float) -> Remainder:
    """What is left of a path that has this angle left."""
    if path.turn == 0.0:
        return Remainder(angle, 1.0, 0.5 * angle)
    half = 0.5 * (min(angle, math.pi) if path.pitch != 0.0 else angle)
    return Remainder(angle, math.cos(half), math.sin(half))


@device
def elapsed_time(path: Path, rest: Remainder) -> float:
    """The time that has passed, as a share of the whole motion."""
    if path.turn == 0.0:
        left = 2.0 * rest.sin
    elif path.pitch == 0.0 and not rest.angle > 0.0:
        left = 2.0 * math.atan2(rest.sin, rest.cos)
    else:
        left = rest.angle
    return max(0.0, (path.end - left) / path.total)


@device
def reaches_end(rest: Remainder, cot: float) -> bool:
    """Does a step reach as far as the next step may?"""
    return cot * rest.sin <= rest.cos


@device
def is_last_step(path: Path, rest: Remainder) -> bool:
    """Would the longest step be the end of the path?"""
    return path.pitch == 0.0 or rest.angle <= math.pi


@device
def longest_cot(rest: Remainder) -> float:
    """The longest step, where it is not the end."""
    return rest.cos / rest.sin


@device
def is_too_short(path: Path, cot: float) -> bool:
    """Is a step too short to change the time?"""
    return not cot * path.total * NO_PROGRESS < 2.0


@device
def make_step(path: Path, cot: float) -> Step:
    inv = 1.0 / math.sqrt(cot * cot + path.turn)
    sin = 2.0 * cot * inv * inv
    less = -2.0 * path.turn * inv * inv
    angle = 2.0 * math.atan2(1.0, cot) if path.pitch != 0.0 else 0.0
    return Step(less, sin, cot * inv, inv, angle, path.pitch * angle)


@device
def make_step_by_angle(path: Path, angle: float) -> Step:
    """A step by any angle, also of many turns."""
    cos, half = math.cos(angle), 0.5 * angle
    return Step(cos - 1.0, math.sin(angle), math.cos(half), math.sin(half), angle, path.pitch * angle)


@device
def subtract_step(path: Path, rest: Remainder, step: Step) -> Remainder:
    """What is left after a step."""
    if path.pitch != 0.0:
        return remaining(path, rest.angle - step.angle)
    cos = rest.cos * step.half_cos + path.turn * rest.sin * step.half_sin
    return Remainder(0.0, cos, rest.sin * step.half_cos - rest.cos * step.half_sin)


@device
def move_point(path: Path, step: Step, x: Vec3) -> Vec3:
    """A point of the moving body after a step."""
    w, u = sub(x, path.center), path.axis
    y = along(x, along(w, u, -dot(w, u)), step.cos_less_1)
    y = along(along(y, cross(u, w), step.sin), u, step.shift)
    return along(y, path.velocity, step.sin)


@device
def turn_vector(path: Path, step: Step, v: Vec3) -> Vec3:
    """A direction of the moving body after a step."""
    u = path.axis
    return along(along(v, along(v, u, -dot(v, u)), step.cos_less_1), cross(u, v), step.sin)


@device
def first_cot(turn: float, g: float, a: float, b: float) -> float:
    """cot(d / 2) of the first zero of g + a (cos d - 1) + b sin d in (0, 2 pi). Larger means earlier.

    No root: -NEVER, the plane is never reached. No gap (g <= 0): NEVER, which makes the step zero.
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
def earlier_cot(turn: float, cot: float, g: float, a: float, b: float) -> float:
    """The larger of `cot` and first_cot(g, a, b).

    The root is not larger if the parabola is not negative at `cot` and rises there: no square root needed.
    """
    slope = g * cot + b
    if g > 0.0 and slope >= 0.0 and (slope + b) * cot + turn * (g - 2.0 * a) >= 0.0:
        return cot
    return max(cot, first_cot(turn, g, a, b))


@device
def pitch_bend(rest: Remainder, k: float) -> float:
    """What k d adds to a, if k is also added to b.

    k > 0: k d >= k sin d. k < 0, for d <= s <= pi: d <= sin d + c (1 - cos d), with equality at 0 and at s.
    """
    if k >= 0.0:
        return 0.0
    s = min(rest.angle, math.pi)
    c = s / 3.0 if s < SERIES else (0.5 * s - rest.sin * rest.cos) / (rest.sin * rest.sin)
    return -k * c


@device
def square_bend(rest: Remainder) -> float:
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
def cot_of_point(turn: float, cot: float, f: Heights, x: Vec3) -> float:
    """The larger of `cot` and that of the step in which the point x reaches height 0."""
    return earlier_cot(turn, cot, f.g_0 + dot(f.g, x), f.a_0 + dot(f.a, x), f.b_0 + dot(f.b, x))


@device
def heights_over_plane(path: Path, rest: Remainder, n: Vec3, h: float) -> Heights:
    """Heights of points of the moving body over the resting plane n . x = h."""
    u, o = path.axis, path.center
    across, ahead, k = along(n, u, -dot(n, u)), cross(n, u), path.pitch * dot(n, u)
    b_0 = dot(n, path.velocity) - dot(ahead, o) + k
    return Heights(n, across, ahead, -h, pitch_bend(rest, k) - dot(across, o), b_0)


@device
def depths_under_plane(path: Path, rest: Remainder, n: Vec3, h: float) -> Heights:
    """Depths of resting points under the plane n . x = h that the moving body carries."""
    u, o = path.axis, path.center
    across, ahead, k = along(n, u, -dot(n, u)), cross(n, u), path.pitch * dot(n, u)
    b_0 = dot(n, path.velocity) - dot(ahead, o) + k
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
def heights_over_edges(
    path: Path, rest: Remainder, e: Vec3, f: Vec3, size: float, sign: float, reach: float
) -> EdgeHeights:
    """Heights along the axis `sign` * (e x f), which turns with e, over the distance `reach`.

    (e x f) . (x - y) = f . ((x - o) x e) + e . (f x (o - y)) is of first degree in cos d and sin d, and
    |e x f| <= l - (c / l) (e . f - c), where l and c = e . f are the values now. `size` is |e| |f| times the
    bodies' size: what rounding can add is taken off the height, so that nearly parallel edges make a bad
    axis, not a late answer.
    """
    u, o = path.axis, path.center
    e = scale(e, sign)
    e_across, f_across = along(e, u, -dot(e, u)), along(f, u, -dot(f, u))
    e_ahead = cross(u, e)
    g = cross(e, f)
    a_x, a_y = cross(e, f_across), cross(e_across, f)
    b_x, b_y = cross(e, cross(f, u)), cross(e_ahead, f)
    l_0 = math.sqrt(dot(g, g))
    d_a, d_b = dot(e_across, f), dot(e_ahead, f)
    bow = reach * dot(e, f) / (l_0 if l_0 > 0.0 else 1.0)
    k = path.pitch * d_b
    bend = pitch_bend(rest, k)
    if path.pitch != 0.0:
        bend += abs(path.pitch) * math.sqrt(d_a * d_a + d_b * d_b) * square_bend(rest)
    a_0 = bow * d_a + bend + dot(sub(a_y, a_x), o)
    b_0 = bow * d_b + k + dot(g, path.velocity) + dot(sub(b_y, b_x), o)
    return EdgeHeights(g, a_x, neg(a_y), b_x, neg(b_y), -reach * l_0 - ROUNDING * size, a_0, b_0)


@device
def heights_of_point(f: EdgeHeights, x: Vec3) -> Heights:
    """The heights of one point x of the moving body over points of the resting one."""
    return Heights(
        neg(f.g),
        f.a_y,
        f.b_y,
        f.g_0 + dot(f.g, x),
        f.a_0 + dot(f.a_x, x),
        f.b_0 + dot(f.b_x, x),
    )
