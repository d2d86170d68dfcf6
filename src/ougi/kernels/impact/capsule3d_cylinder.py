"""First contact of a moving capsule with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box
from ougi.kernels.cylinder import box_around, can_of, nearest_rod
from ougi.kernels.impact.cores import span_segment
from ougi.kernels.impact.movers import Mover, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.round_target import first_touch
from ougi.kernels.impact.screw_steps import Course, Hop, course_of, moved
from ougi.kernels.records import Capsule3d, Cylinder, Impact3d
from ougi.kernels.support3d import segment_corners, segment_edges
from ougi.kernels.vec3 import mid


@device
def _carried(course: Course, hop: Hop, s: Capsule3d) -> Capsule3d:
    return Capsule3d(moved(course, hop, s.start), moved(course, hop, s.end), s.radius)


@procedure
def impact_capsule3d_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can, rod = box_around(cylinder), can_of(cylinder), mover.body
    body = Capsule3d(to_box(frame, rod.start), to_box(frame, rod.end), rod.radius)
    touch = first_touch(
        nearest_rod,
        segment_corners,
        segment_edges,
        _carried,
        can,
        body,
        rod.radius,
        rod.radius + span_segment(rod) + can.radius + can.half_height,
        mid(body.start, body.end),
        seen_from_box(course_of(mover.motion, mover.sense), frame),
        mover.tol,
        mover.margin,
    )
    return answer(put_back_from_box(touch, frame), mover.motion, mover.sense)
