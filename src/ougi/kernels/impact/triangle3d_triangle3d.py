"""First contact of a moving triangle with a triangle."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, triangle_triangle
from ougi.kernels.impact.axes import Axis, first_touch
from ougi.kernels.impact.capsule3d_triangle3d import impact_capsule3d_triangle3d
from ougi.kernels.impact.cores import span_triangle
from ougi.kernels.impact.facets import (
    Facets,
    best_axis_of,
    corner_facets,
    facets,
    interval_facets,
    is_flat,
    longest_side,
    moved_facets,
    step_of,
)
from ougi.kernels.impact.movers import Mover, answer, put_back, seen_from, triangle_from
from ougi.kernels.impact.screw_steps import Course, Rest, course_of
from ougi.kernels.records import Impact3d, Triangle3d
from ougi.kernels.support3d import triangle_edges


@procedure
def impact_triangle3d_triangle3d(mover: Mover, triangle: Triangle3d) -> Impact3d:
    """A flat triangle is a segment; if it is the resting one, it moves, seen from the other."""
    a, o = mover.body, triangle.a
    if is_flat(a):
        rod = Mover(longest_side(a), mover.motion, mover.tol, 0.0, mover.sense)
        return impact_capsule3d_triangle3d(rod, triangle)
    if is_flat(triangle):
        rod = Mover(longest_side(triangle), mover.motion, mover.tol, 0.0, -mover.sense)
        return impact_capsule3d_triangle3d(rod, a)
    body = facets(triangle_from(a, o))
    touch = first_touch(
        triangle_axis,
        _step,
        moved_facets,
        nearest_triangles,
        body.corners.a,
        body,
        facets(triangle_from(triangle, o)),
        span_triangle(a) + span_triangle(triangle),
        seen_from(course_of(mover.motion, mover.sense), o),
        mover.tol,
    )
    return answer(put_back(touch, o), mover.motion, mover.sense)


@device
def triangle_axis(body: Facets, core: Facets, size: float) -> Axis:
    return best_axis_of(interval_facets, body, core, core.normals, triangle_edges(core.corners))


@device
def _step(
    body: Facets, core: Facets, axis: Axis, slack: float, size: float, course: Course, rest: Rest
) -> float:
    return step_of(interval_facets, corner_facets, body, core, axis, slack, size, course, rest)


@device
def nearest_triangles(body: Facets, core: Facets, axis: Axis) -> Nearest3d:
    return triangle_triangle(body.corners, core.corners)
