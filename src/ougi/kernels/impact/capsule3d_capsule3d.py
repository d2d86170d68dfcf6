"""First contact of a moving capsule with a capsule."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.cores import corner_segment, span_segment, top_segment
from ougi.kernels.impact.facing import facing_segment
from ougi.kernels.impact.movers import Mover, answer, put_back, seen_from, segment_from
from ougi.kernels.impact.rod import first_touch
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.records import Capsule3d, Impact3d


@procedure
def impact_capsule3d_capsule3d(mover: Mover, capsule: Capsule3d) -> Impact3d:
    o, rod = capsule.start, mover.body
    touch = first_touch(
        facing_segment,
        top_segment,
        corner_segment,
        segment_from(capsule, o),
        capsule.radius,
        rod.radius + capsule.radius + span_segment(rod) + span_segment(capsule),
        segment_from(rod, o),
        seen_from(course_of(mover.motion, mover.sense), o),
        mover.tol,
        mover.margin,
    )
    return answer(put_back(touch, o), mover.motion, mover.sense)
