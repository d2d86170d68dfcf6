"""First contact of a moving triangle with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box
from ougi.kernels.cylinder import box_around, can_of, fan_of, nearest_triangle
from ougi.kernels.impact.cores import span_triangle
from ougi.kernels.impact.movers import Mover, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.round_target import first_touch, overlapping
from ougi.kernels.impact.screw_steps import Course, Hop, course_of, moved
from ougi.kernels.records import Cylinder, Impact3d, Triangle3d
from ougi.kernels.sector3d_triangle3d import intersects_sector3d_triangle3d
from ougi.kernels.support3d import triangle_corners, triangle_edges


@device
def _carried(course: Course, hop: Hop, t: Triangle3d) -> Triangle3d:
    return Triangle3d(moved(course, hop, t.a), moved(course, hop, t.b), moved(course, hop, t.c))


@procedure
def impact_triangle3d_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can, t = box_around(cylinder), can_of(cylinder), mover.body
    body = Triangle3d(to_box(frame, t.a), to_box(frame, t.b), to_box(frame, t.c))
    if intersects_sector3d_triangle3d(fan_of(can), body):
        return answer(overlapping(), mover.motion, mover.sense)
    touch = first_touch(
        nearest_triangle,
        triangle_corners,
        triangle_edges,
        _carried,
        can,
        body,
        0.0,
        span_triangle(t) + can.radius + can.half_height,
        body.a,
        seen_from_box(course_of(mover.motion, mover.sense), frame),
        mover.tol,
        mover.margin,
    )
    return answer(put_back_from_box(touch, frame), mover.motion, mover.sense)
