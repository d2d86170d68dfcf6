"""Frames in which motions are simple: a translation goes along z, a rotation or screw about z, forward."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop
from ougi._typing import Floats
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, along, cross, dot, scale, sub, unit_or

# Columns of a frame: its origin, its axes x, y and z as rows, and what `MotionFrame` says about the rest.
ORIGIN, AXES, Z_AXIS = slice(0, 3), slice(3, 12), slice(9, 12)
LENGTH, PITCH, IS_TURNING, FULL = range(12, 16)
FRAME_COLUMNS = 16


class MotionFrame(NamedTuple):
    """A motion in its frame: `length` along z, or an angle about z with `pitch` lengths along z per radian.

    `full` is the length or angle of the whole motion. After a whole turn without pitch nothing is new, so
    there `length` is at most 2 pi.
    """

    origin: Vec3
    x: Vec3
    y: Vec3
    z: Vec3
    length: float
    pitch: float
    turns: bool
    full: float


@device
def load_frame(frames: Floats, i: int) -> MotionFrame:
    return MotionFrame(
        Vec3(frames[i, 0], frames[i, 1], frames[i, 2]),
        Vec3(frames[i, 3], frames[i, 4], frames[i, 5]),
        Vec3(frames[i, 6], frames[i, 7], frames[i, 8]),
        Vec3(frames[i, 9], frames[i, 10], frames[i, 11]),
        frames[i, LENGTH],
        frames[i, PITCH],
        frames[i, IS_TURNING] > 0.0,
        frames[i, FULL],
    )


@device
def _store_vector(rows: Floats, i: int, first: int, v: Vec3) -> None:
    rows[i, first], rows[i, first + 1], rows[i, first + 2] = v.x, v.y, v.z


@loop
def build_frames(motions: Floats, lower: Floats, upper: Floats, frames: Floats) -> None:
    """The frames of motions, columns of screws (one for all, or one for each), for bodies in given boxes.

    A zero motion has FULL 0. A negative angle about an axis is a positive one about the opposite axis. The
    same holds for translations.
    """
    for i in range(len(frames)):
        k = i if motions.shape[1] > 1 else 0
        center = Vec3(motions[0, k], motions[1, k], motions[2, k])
        axis = Vec3(motions[3, k], motions[4, k], motions[5, k])
        angle, rise = motions[6, k], motions[7, k]
        turns = angle != 0.0
        if (angle if turns else rise) < 0.0:
            axis, angle, rise = scale(axis, -1.0), -angle, -rise
        middle = Vec3(
            0.5 * (lower[i, 0] + upper[i, 0]),
            0.5 * (lower[i, 1] + upper[i, 1]),
            0.5 * (lower[i, 2] + upper[i, 2]),
        )
        x = _perpendicular(axis)
        pitch = (rise / angle if angle * 1e300 > abs(rise) else 0.0) if turns else 0.0
        full = angle if turns else rise
        _store_vector(frames, i, 0, along(center, axis, dot(sub(middle, center), axis)) if turns else middle)
        _store_vector(frames, i, 3, x)
        _store_vector(frames, i, 6, cross(axis, x))
        _store_vector(frames, i, 9, axis)
        frames[i, LENGTH] = min(full, 2.0 * math.pi) if turns and pitch == 0.0 else full
        frames[i, PITCH], frames[i, IS_TURNING], frames[i, FULL] = pitch, 1.0 if turns else 0.0, full


@device
def _perpendicular(z: Vec3) -> Vec3:
    """A unit vector perpendicular to z; for an axis of the world another one, exactly."""
    e = Vec3(1.0, 0.0, 0.0)
    if abs(z.y) < abs(z.x) and abs(z.y) <= abs(z.z):
        e = Vec3(0.0, 1.0, 0.0)
    elif abs(z.z) < abs(z.x) and abs(z.z) < abs(z.y):
        e = Vec3(0.0, 0.0, 1.0)
    return unit_or(along(e, z, -dot(e, z)), e)


@device
def to_local(frame: MotionFrame, p: Vec3) -> Vec3:
    """A point of the world in the frame."""
    q = sub(p, frame.origin)
    return Vec3(dot(q, frame.x), dot(q, frame.y), dot(q, frame.z))


@device
def vector_to_world(frame: MotionFrame, v: Vec3) -> Vec3:
    """A vector of the frame in the world."""
    return add(add(scale(frame.x, v.x), scale(frame.y, v.y)), scale(frame.z, v.z))


@device
def to_world(frame: MotionFrame, p: Vec3) -> Vec3:
    """A point of the frame in the world."""
    return add(frame.origin, vector_to_world(frame, p))


@device
def turn(p: Vec3, angle: float, pitch: float) -> Vec3:
    """A point of the frame after a rotation about z."""
    c, s = math.cos(angle), math.sin(angle)
    return Vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z + pitch * angle)
