"""First contact of a moving ball with a triangle."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.ball import first_touch
from ougi.kernels.impact.cores import (
    corner_triangle,
    offset_triangle,
    span_triangle,
    top_triangle,
    triangle_core,
)
from ougi.kernels.impact.movers import Mover, answer, put_back, seen_from, triangle_from
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.impact.start_normal import separated_at_start
from ougi.kernels.records import Impact3d, Triangle3d
from ougi.kernels.vec3 import sub


@procedure
def impact_sphere_triangle3d(mover: Mover, triangle: Triangle3d) -> Impact3d:
    o, r = triangle.a, mover.body.radius
    core, center = triangle_core(triangle_from(triangle, o)), sub(mover.body.center, o)
    touch = first_touch(
        offset_triangle,
        top_triangle,
        corner_triangle,
        core,
        0.0,
        r + span_triangle(triangle),
        center,
        r,
        seen_from(course_of(mover.motion, mover.sense), o),
        mover.tol,
        mover.margin,
    )
    touch = separated_at_start(touch, core, center, center)
    return answer(put_back(touch, o), mover.motion, mover.sense)
