"""First contact of a moving capsule with a triangle."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import pierces
from ougi.kernels.impact.cores import (
    corner_triangle,
    span_segment,
    span_triangle,
    top_triangle,
    triangle_core,
)
from ougi.kernels.impact.facing import facing_triangle
from ougi.kernels.impact.movers import (
    Mover,
    make_impact,
    make_overlap,
    path_from,
    segment_from,
    to_world,
    triangle_from,
)
from ougi.kernels.impact.rod import make_rod_finder
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Impact3d, Triangle3d
from ougi.kernels.vec3 import mid

_find = make_rod_finder(facing_triangle, top_triangle, corner_triangle)
_separate = make_start_separator("capsule3d_triangle3d")


@procedure
def impact_capsule3d_triangle3d(mover: Mover, triangle: Triangle3d) -> Impact3d:
    o = triangle.a
    core, rod = triangle_core(triangle_from(triangle, o)), segment_from(mover.body, o)
    if pierces(rod.start, rod.end, core.corners, core.normal):
        return make_impact(make_overlap(), mover)  # from then on it meets the boundary first
    middle, path = mid(rod.start, rod.end), path_from(mover, o)
    size = rod.radius + span_segment(rod) + span_triangle(triangle)
    contact = _find(core, 0.0, rod, rod.radius, middle, size, path, mover.tol, mover.margin)
    return _separate(make_impact(to_world(contact, o), mover), mover, triangle)
