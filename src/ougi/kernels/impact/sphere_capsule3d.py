"""First contact of a moving ball with a capsule."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.ball import first_touch
from ougi.kernels.impact.cores import corner_segment, offset_segment, span_segment, top_segment
from ougi.kernels.impact.movers import Mover, answer, put_back, seen_from, segment_from
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.records import Capsule3d, Impact3d
from ougi.kernels.vec3 import sub


@procedure
def impact_sphere_capsule3d(mover: Mover, capsule: Capsule3d) -> Impact3d:
    o, r = capsule.start, mover.body.radius
    touch = first_touch(
        offset_segment,
        top_segment,
        corner_segment,
        segment_from(capsule, o),
        capsule.radius,
        r + capsule.radius + span_segment(capsule),
        sub(mover.body.center, o),
        r,
        seen_from(course_of(mover.motion, mover.sense), o),
        mover.tol,
        mover.margin,
    )
    return answer(put_back(touch, o), mover.motion, mover.sense)
