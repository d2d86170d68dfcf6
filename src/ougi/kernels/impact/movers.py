"""Moving bodies: how the loops of first contacts read them and write their results.

An operand of these loops is a tuple: the columns of the shapes, the columns of their motions, and one index
into each for every entry of the result, so that nothing is gathered. What holds for the whole call comes
behind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ougi._native import device
from ougi._typing import Floats, Ints, Record
from ougi.kernels import load
from ougi.kernels.closest3d import from_box, to_box, turn_from_box, turn_to_box
from ougi.kernels.constants import FREE, HIT, OVERLAPPING, UNDECIDED
from ougi.kernels.impact.screw_steps import Path, make_path
from ougi.kernels.load import load_vec3
from ougi.kernels.records import Box, Capsule3d, Impact3d, Screw3d, Triangle3d, Vec3
from ougi.kernels.vec3 import NOWHERE, add, along, cross, dot, neg, scale, sub

# shapes, motions, index of the shape, index of the motion, tol, margin, sense (-1: the inverse motion).
Moving: TypeAlias = tuple[Floats, Floats, Ints, Ints, float, float, float]


class Mover(NamedTuple):
    """A body, how it moves, and how precisely its first contact is wanted.

    If `sense` is -1, it moves by the inverse of `motion`: the target, in the frame of the moving shape.
    """

    body: Record
    motion: Screw3d
    tol: float
    margin: float
    sense: float


class ContactRecord(NamedTuple):
    """A first contact in the frame of the resting body b: `normal` from a to b, points on both surfaces."""

    status: float
    t: float
    point_a: Vec3
    point_b: Vec3
    normal: Vec3


@device
def load_screw(c: Floats, i: int) -> Screw3d:
    return Screw3d(load_vec3(c, 0, i), load_vec3(c, 3, i), c[6, i], c[7, i])


def _make_loader(layout: str) -> Callable[[Moving, int], Mover]:
    load_body = getattr(load, f"load_{layout}")

    def load_mover(m: Moving, i: int) -> Mover:
        return Mover(load_body(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])

    load_mover.__name__ = f"load_moving_{layout}"
    return device(load_mover)


LOADERS = {name: _make_loader(name) for name in ("sphere", "capsule3d", "triangle3d", "box", "cylinder")}


@device
def make_free() -> ContactRecord:
    return ContactRecord(FREE, math.nan, NOWHERE, NOWHERE, NOWHERE)


@device
def make_overlap() -> ContactRecord:
    """Bodies that share a point from the start have no first contact."""
    return ContactRecord(OVERLAPPING, 0.0, NOWHERE, NOWHERE, NOWHERE)


@device
def make_undecided(t: float) -> ContactRecord:
    return ContactRecord(UNDECIDED, t, NOWHERE, NOWHERE, NOWHERE)


@device
def make_impact(contact: ContactRecord, mover: Mover) -> Impact3d:
    """The contact in the world, on the target. For the inverse motion b is what moves, and a the target."""
    if contact.status != HIT:
        return Impact3d(contact.status, contact.t, NOWHERE, NOWHERE)
    if mover.sense > 0.0:
        return Impact3d(HIT, contact.t, contact.point_b, contact.normal)
    n = turn_until(mover.motion, contact.t, neg(contact.normal))
    return Impact3d(HIT, contact.t, move_until(mover.motion, contact.t, contact.point_a), n)


@device
def turn_until(motion: Screw3d, t: float, v: Vec3) -> Vec3:
    """A direction of the moving body at time t (FAN (2.2))."""
    u = motion.axis
    c, s = math.cos(motion.angle * t), math.sin(motion.angle * t)
    straight = scale(u, dot(u, v))
    return add(straight, add(scale(sub(v, straight), c), scale(cross(u, v), s)))


@device
def move_until(motion: Screw3d, t: float, x: Vec3) -> Vec3:
    """A point of the moving body at time t."""
    w = turn_until(motion, t, sub(x, motion.center))
    return along(add(motion.center, w), motion.axis, motion.advance * t)


# --- frames -----------------------------------------------------------------------------------------------
# Coordinates begin near the bodies, so that rounding does not grow with the distance from the world's origin.


@device
def path_from(mover: Mover, origin: Vec3) -> Path:
    """The path of a mover in coordinates that begin at `origin`."""
    path = make_path(mover.motion, mover.sense)
    o = sub(path.center, origin) if path.turn > 0.0 else path.center
    return Path(o, path.axis, path.velocity, path.turn, path.pitch, path.total, path.end)


@device
def path_in_box(mover: Mover, b: Box) -> Path:
    """The path of a mover in the box's own coordinates."""
    path = make_path(mover.motion, mover.sense)
    o = to_box(b, path.center) if path.turn > 0.0 else path.center
    axis, velocity = turn_to_box(b, path.axis), turn_to_box(b, path.velocity)
    return Path(o, axis, velocity, path.turn, path.pitch, path.total, path.end)


@device
def to_world(contact: ContactRecord, origin: Vec3) -> ContactRecord:
    """The contact in the world's coordinates again."""
    a, b = add(contact.point_a, origin), add(contact.point_b, origin)
    return ContactRecord(contact.status, contact.t, a, b, contact.normal)


@device
def to_world_from_box(contact: ContactRecord, b: Box) -> ContactRecord:
    point_a, point_b = from_box(b, contact.point_a), from_box(b, contact.point_b)
    return ContactRecord(contact.status, contact.t, point_a, point_b, turn_from_box(b, contact.normal))


@device
def segment_from(s: Capsule3d, origin: Vec3) -> Capsule3d:
    return Capsule3d(sub(s.start, origin), sub(s.end, origin), s.radius)


@device
def triangle_from(t: Triangle3d, origin: Vec3) -> Triangle3d:
    return Triangle3d(sub(t.a, origin), sub(t.b, origin), sub(t.c, origin))


@device
def box_in_box(a: Box, b: Box) -> Box:
    """The box a in the coordinates of b."""
    return Box(to_box(b, a.center), a.half, turn_to_box(b, a.x), turn_to_box(b, a.y), turn_to_box(b, a.z))


@device
def segment_in_box_frame(s: Capsule3d, b: Box) -> Capsule3d:
    """The segment in the coordinates of the box."""
    return Capsule3d(to_box(b, s.start), to_box(b, s.end), s.radius)


@device
def triangle_in_box(t: Triangle3d, b: Box) -> Triangle3d:
    """The triangle in the coordinates of the box."""
    return Triangle3d(to_box(b, t.a), to_box(b, t.b), to_box(b, t.c))
