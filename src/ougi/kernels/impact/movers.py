"""Moving bodies: how the loops of continuous detection read them and write their answers.

An operand of these loops is a tuple: the columns of the shapes, the columns of their motions, and one index
into each for every entry of the answer, so that nothing is gathered. What holds for the whole call comes
behind.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

from ougi._native import device
from ougi._typing import Floats, Ints
from ougi.kernels.closest3d import from_box, to_box, turn_from_box, turn_to_box
from ougi.kernels.constants import FREE, HIT, OVERLAPPING, UNDECIDED
from ougi.kernels.impact.screw_steps import Course
from ougi.kernels.load import _vec3, load_box, load_capsule3d, load_cylinder, load_sphere, load_triangle3d
from ougi.kernels.records import Box, Capsule3d, Impact3d, Screw3d, Triangle3d, Vec3
from ougi.kernels.vec3 import add, along, cross, dot, neg, scale, sub

NOWHERE = Vec3(math.nan, math.nan, math.nan)

# shapes, motions, index of the shape, index of the motion, tol, margin, sense (-1: the inverse motion).
Moving: TypeAlias = tuple[Floats, Floats, Ints, Ints, float, float, float]


class Mover(NamedTuple):
    """A body, how it moves, and how precisely its first contact is wanted.

    Where `sense` is -1 it moves by the inverse of `motion`: then it is the target that rests in the world,
    seen from the moving shape.
    """

    body: Any
    motion: Screw3d
    tol: float
    margin: float
    sense: float


class Touch(NamedTuple):
    """A first contact seen from the resting body b: `normal` from a to b, the points on both surfaces."""

    status: float
    t: float
    point_a: Vec3
    point_b: Vec3
    normal: Vec3


@device
def load_screw(c: Floats, i: int) -> Screw3d:
    return Screw3d(_vec3(c, 0, i), _vec3(c, 3, i), c[6, i], c[7, i])


@device
def load_moving_sphere(m: Moving, i: int) -> Mover:
    return Mover(load_sphere(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def load_moving_capsule3d(m: Moving, i: int) -> Mover:
    return Mover(load_capsule3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def load_moving_triangle3d(m: Moving, i: int) -> Mover:
    return Mover(load_triangle3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def load_moving_box(m: Moving, i: int) -> Mover:
    return Mover(load_box(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def load_moving_cylinder(m: Moving, i: int) -> Mover:
    return Mover(load_cylinder(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


@device
def free() -> Touch:
    return Touch(FREE, math.nan, NOWHERE, NOWHERE, NOWHERE)


@device
def undecided(t: float) -> Touch:
    return Touch(UNDECIDED, t, NOWHERE, NOWHERE, NOWHERE)


@device
def answer(touch: Touch, motion: Screw3d, sense: float) -> Impact3d:
    """The contact in the world, on the target. For the inverse motion b is what moves, and a the target."""
    if not (touch.status == HIT or touch.status == OVERLAPPING):
        return Impact3d(touch.status, touch.t, NOWHERE, NOWHERE)
    if sense > 0.0:
        return Impact3d(touch.status, touch.t, touch.point_b, touch.normal)
    n = carried(motion, touch.t, neg(touch.normal))
    w = carried(motion, touch.t, sub(touch.point_a, motion.center))
    point = along(add(motion.center, w), motion.axis, motion.advance * touch.t)
    return Impact3d(touch.status, touch.t, point, n)


@device
def carried(motion: Screw3d, t: float, v: Vec3) -> Vec3:
    """A direction carried along by the motion until time t (FAN (2.2))."""
    u = motion.axis
    c, s = math.cos(motion.angle * t), math.sin(motion.angle * t)
    straight = scale(u, dot(u, v))
    return add(straight, add(scale(sub(v, straight), c), scale(cross(u, v), s)))


@device
def seen_from(course: Course, origin: Vec3) -> Course:
    """The course in coordinates that begin at `origin`: near the bodies, whatever the world's are."""
    o = sub(course.center, origin) if course.turn > 0.0 else course.center
    return Course(o, course.axis, course.velocity, course.turn, course.pitch, course.total)


@device
def seen_from_box(course: Course, b: Box) -> Course:
    """The course in the box's own coordinates."""
    o = to_box(b, course.center) if course.turn > 0.0 else course.center
    return Course(
        o,
        turn_to_box(b, course.axis),
        turn_to_box(b, course.velocity),
        course.turn,
        course.pitch,
        course.total,
    )


@device
def put_back(touch: Touch, origin: Vec3) -> Touch:
    """The contact in the world's coordinates again."""
    a, b = add(touch.point_a, origin), add(touch.point_b, origin)
    return Touch(touch.status, touch.t, a, b, touch.normal)


@device
def put_back_from_box(touch: Touch, b: Box) -> Touch:
    n = turn_from_box(b, touch.normal)
    return Touch(touch.status, touch.t, from_box(b, touch.point_a), from_box(b, touch.point_b), n)


@device
def segment_from(s: Capsule3d, origin: Vec3) -> Capsule3d:
    return Capsule3d(sub(s.start, origin), sub(s.end, origin), s.radius)


@device
def triangle_from(t: Triangle3d, origin: Vec3) -> Triangle3d:
    return Triangle3d(sub(t.a, origin), sub(t.b, origin), sub(t.c, origin))
