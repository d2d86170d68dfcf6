"""First contact of a moving triangle with a box, in the box's coordinates."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, to_box, triangle_box
from ougi.kernels.impact.axes import Axis, first_touch
from ougi.kernels.impact.capsule3d_box import impact_capsule3d_box
from ougi.kernels.impact.cores import corner_box, span_triangle
from ougi.kernels.impact.facets import (
    Facets,
    best_axis_of,
    facets,
    interval_box,
    is_flat,
    longest_side,
    moved_facets,
    step_of,
)
from ougi.kernels.impact.movers import Mover, answer, put_back_from_box, seen_from_box
from ougi.kernels.impact.screw_steps import Course, Rest, course_of
from ougi.kernels.records import Box, Impact3d, Triangle3d, Vec3
from ougi.kernels.vec3 import length

_AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


@procedure
def impact_triangle3d_box(mover: Mover, box: Box) -> Impact3d:
    """A flat triangle is a segment."""
    a = mover.body
    if is_flat(a):
        return impact_capsule3d_box(Mover(longest_side(a), mover.motion, mover.tol, 0.0, mover.sense), box)
    body = facets(seen_triangle(a, box))
    touch = first_touch(
        triangle_box_axis,
        _step,
        moved_facets,
        nearest_triangle_box,
        body.corners.a,
        body,
        box.half,
        span_triangle(a) + length(box.half),
        seen_from_box(course_of(mover.motion, mover.sense), box),
        mover.tol,
    )
    return answer(put_back_from_box(touch, box), mover.motion, mover.sense)


@device
def seen_triangle(t: Triangle3d, b: Box) -> Triangle3d:
    """The triangle in the coordinates of the box."""
    return Triangle3d(to_box(b, t.a), to_box(b, t.b), to_box(b, t.c))


@device
def triangle_box_axis(body: Facets, half: Vec3, size: float) -> Axis:
    return best_axis_of(interval_box, body, half, _AXES, _AXES)


@device
def _step(
    body: Facets, half: Vec3, axis: Axis, slack: float, size: float, course: Course, rest: Rest
) -> float:
    return step_of(interval_box, corner_box, body, half, axis, slack, size, course, rest)


@device
def nearest_triangle_box(body: Facets, half: Vec3, axis: Axis) -> Nearest3d:
    return triangle_box(body.corners, Box(Vec3(0.0, 0.0, 0.0), half, _AXES[0], _AXES[1], _AXES[2]))
