"""First contact of a moving ball with a triangle."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.ball import make_ball_finder
from ougi.kernels.impact.cores import (
    corner_triangle,
    offset_triangle,
    span_triangle,
    top_triangle,
    triangle_core,
)
from ougi.kernels.impact.movers import Mover, make_impact, path_from, to_world, triangle_from
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Impact3d, Triangle3d
from ougi.kernels.vec3 import sub

_find = make_ball_finder(offset_triangle, top_triangle, corner_triangle)
_separate = make_start_separator("sphere_triangle3d")


@procedure
def impact_sphere_triangle3d(mover: Mover, triangle: Triangle3d) -> Impact3d:
    o, r = triangle.a, mover.body.radius
    core, x, path = triangle_core(triangle_from(triangle, o)), sub(mover.body.center, o), path_from(mover, o)
    contact = _find(core, 0.0, x, r, x, r + span_triangle(triangle), path, mover.tol, mover.margin)
    return _separate(make_impact(to_world(contact, o), mover), mover, triangle)
