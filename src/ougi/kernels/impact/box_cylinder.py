"""First contact of a moving box with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box, turn_to_box
from ougi.kernels.cylinder import box_around, can_of, fan_of, nearest_box
from ougi.kernels.impact.box_box import carried_box
from ougi.kernels.impact.movers import Mover, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.round_target import first_touch, overlapping
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.records import Box, Cylinder, Impact3d, Vec3
from ougi.kernels.sector3d_box import intersects_sector3d_box
from ougi.kernels.support3d import box_corners
from ougi.kernels.vec3 import length


@device
def _edges(b: Box) -> tuple[Vec3, Vec3, Vec3]:
    return (b.x, b.y, b.z)


@procedure
def impact_box_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can, b = box_around(cylinder), can_of(cylinder), mover.body
    x, y, z = turn_to_box(frame, b.x), turn_to_box(frame, b.y), turn_to_box(frame, b.z)
    body = Box(to_box(frame, b.center), b.half, x, y, z)
    if intersects_sector3d_box(fan_of(can), body):
        return answer(overlapping(), mover.motion, mover.sense)
    touch = first_touch(
        nearest_box,
        box_corners,
        _edges,
        carried_box,
        can,
        body,
        0.0,
        length(b.half) + can.radius + can.half_height,
        body.center,
        seen_from_box(course_of(mover.motion, mover.sense), frame),
        mover.tol,
        mover.margin,
    )
    return answer(put_back_from_box(touch, frame), mover.motion, mover.sense)
