"""First contact of a moving ball with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box
from ougi.kernels.cylinder import box_around, can_of, nearest_point
from ougi.kernels.impact.movers import Mover, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.round_target import first_touch
from ougi.kernels.impact.screw_steps import course_of, moved
from ougi.kernels.records import Cylinder, Impact3d, Vec3


@device
def _corners(x: Vec3) -> tuple[Vec3]:
    return (x,)


@device
def _edges(x: Vec3) -> tuple[Vec3]:
    return (Vec3(0.0, 0.0, 0.0),)


@procedure
def impact_sphere_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can, r = box_around(cylinder), can_of(cylinder), mover.body.radius
    x = to_box(frame, mover.body.center)
    touch = first_touch(
        nearest_point,
        _corners,
        _edges,
        moved,
        can,
        x,
        r,
        r + can.radius + can.half_height,
        x,
        seen_from_box(course_of(mover.motion, mover.sense), frame),
        mover.tol,
        mover.margin,
    )
    return answer(put_back_from_box(touch, frame), mover.motion, mover.sense)
