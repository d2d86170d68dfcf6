"""First contact of a moving ball with a box; a moving box and a ball are the same, seen from the box."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import to_box
from ougi.kernels.impact.ball import first_touch
from ougi.kernels.impact.cores import corner_box, offset_box, top_box
from ougi.kernels.impact.movers import Mover, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.records import Box, Impact3d
from ougi.kernels.vec3 import length


@procedure
def impact_sphere_box(mover: Mover, box: Box) -> Impact3d:
    r = mover.body.radius
    touch = first_touch(
        offset_box,
        top_box,
        corner_box,
        box.half,
        0.0,
        r + length(box.half),
        to_box(box, mover.body.center),
        r,
        seen_from_box(course_of(mover.motion, mover.sense), box),
        mover.tol,
        mover.margin,
    )
    return answer(put_back_from_box(touch, box), mover.motion, mover.sense)
