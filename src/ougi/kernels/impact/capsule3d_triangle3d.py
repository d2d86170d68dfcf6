"""First contact of a moving capsule with a triangle."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import pierces
from ougi.kernels.constants import OVERLAPPING
from ougi.kernels.impact.cores import (
    corner_triangle,
    span_segment,
    span_triangle,
    top_triangle,
    triangle_core,
)
from ougi.kernels.impact.facing import facing_triangle
from ougi.kernels.impact.movers import (
    NOWHERE,
    Mover,
    answer,
    put_back,
    seen_from,
    segment_from,
    triangle_from,
)
from ougi.kernels.impact.rod import first_touch
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.impact.start_normal import separated_at_start
from ougi.kernels.records import Impact3d, Triangle3d


@procedure
def impact_capsule3d_triangle3d(mover: Mover, triangle: Triangle3d) -> Impact3d:
    o, rod = triangle.a, mover.body
    core = triangle_core(triangle_from(triangle, o))
    start = segment_from(rod, o)
    if pierces(start.start, start.end, core.corners, core.normal):
        return Impact3d(OVERLAPPING, 0.0, NOWHERE, NOWHERE)  # from then on it meets the boundary first
    touch = first_touch(
        facing_triangle,
        top_triangle,
        corner_triangle,
        core,
        0.0,
        rod.radius + span_segment(rod) + span_triangle(triangle),
        start,
        seen_from(course_of(mover.motion, mover.sense), o),
        mover.tol,
        mover.margin,
    )
    touch = separated_at_start(touch, core, start.start, start.end)
    return answer(put_back(touch, o), mover.motion, mover.sense)
