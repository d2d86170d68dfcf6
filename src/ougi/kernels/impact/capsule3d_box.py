"""First contact of a moving capsule with a box."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import clamp_box, to_box
from ougi.kernels.impact.cores import corner_box, span_segment, top_box
from ougi.kernels.impact.facing import facing_box
from ougi.kernels.impact.movers import Mover, Touch, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.rod import first_touch
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.records import Box, Capsule3d, Impact3d
from ougi.kernels.vec3 import length


@procedure
def impact_capsule3d_box(mover: Mover, box: Box) -> Impact3d:
    rod = mover.body
    touch = first_touch(
        facing_box,
        top_box,
        corner_box,
        box.half,
        0.0,
        rod.radius + span_segment(rod) + length(box.half),
        Capsule3d(to_box(box, rod.start), to_box(box, rod.end), rod.radius),
        seen_from_box(course_of(mover.motion, mover.sense), box),
        mover.tol,
        mover.margin,
    )
    # The offset was made perpendicular to the capsule, which may take its end off the box.
    on_box = Touch(touch.status, touch.t, touch.point_a, clamp_box(box.half, touch.point_b), touch.normal)
    return answer(put_back_from_box(on_box, box), mover.motion, mover.sense)
