"""First contact of two moving bodies: the table of kernels (see `two_movers.py`).

Boxes and triangles are measured by their best separating axis: a fraction of the cost of the distance, and as
good for a step. A margin needs the distance itself.
"""

from __future__ import annotations

from collections.abc import Callable

from ougi._native import device, procedure
from ougi._typing import Record
from ougi.kernels.box_box import separation_box_box
from ougi.kernels.capsule3d_capsule3d import separation_capsule3d_capsule3d
from ougi.kernels.capsule3d_triangle3d import separation_capsule3d_triangle3d
from ougi.kernels.closest3d import clamp_box, from_box, turn_from_box
from ougi.kernels.constants import BAND, NEVER, RESTING, STOP_GAP
from ougi.kernels.cylinder import (
    separation_box_cylinder,
    separation_capsule3d_cylinder,
    separation_sphere_cylinder,
    separation_triangle3d_cylinder,
)
from ougi.kernels.cylinder_cylinder import separation_cylinder_cylinder
from ougi.kernels.impact.axes import Axis, gap_of_axis, gap_of_nearest
from ougi.kernels.impact.box_box import find_axis_boxes, nearest_boxes
from ougi.kernels.impact.facets import is_flat, make_facets
from ougi.kernels.impact.facing import facing_box
from ougi.kernels.impact.first_contact import Gap
from ougi.kernels.impact.movers import Mover, box_in_box, segment_in_box_frame, triangle_from, triangle_in_box
from ougi.kernels.impact.triangle3d_box import find_axis_triangle_box, nearest_triangle_box
from ougi.kernels.impact.triangle3d_triangle3d import find_axis_triangles, nearest_triangles
from ougi.kernels.impact.two_movers import Poses, TwoMovers, make_two_movers_kernel
from ougi.kernels.records import Box, Impact3d, Separation3d, Triangle3d, Vec3
from ougi.kernels.sphere_box import separation_sphere_box
from ougi.kernels.sphere_capsule3d import separation_sphere_capsule3d
from ougi.kernels.sphere_sphere import separation_sphere_sphere
from ougi.kernels.sphere_triangle3d import separation_sphere_triangle3d
from ougi.kernels.triangle3d_box import separation_triangle3d_box
from ougi.kernels.triangle3d_triangle3d import separation_triangle3d_triangle3d
from ougi.kernels.vec3 import ZERO, along, length, neg, scale, sub

_NO_AXIS = Axis(0.0, RESTING, ZERO, ZERO, ZERO, 1.0, 0, 0)

Kernel = Callable[[Mover, Mover], Impact3d]


# --- pairs whose distance is quick ------------------------------------------------------------------------


@device
def _confirm_exact(query: TwoMovers, state: Poses, gap: Gap) -> Gap:
    return gap


@device
def _confirm_points(query: TwoMovers, state: Poses, gap: Gap) -> Gap:
    """The distance of the points: the gap that a normal of two cylinders proves can be smaller."""
    distance = length(sub(gap.point_b, gap.point_a))
    return Gap(distance, gap.normal, gap.point_a, gap.point_b, gap.detail)


def _make_exact(
    name: str, separation: Callable[[Record, Record], Separation3d], confirm: Callable[..., Gap]
) -> Kernel:
    @device
    def measure(query: TwoMovers, state: Poses, before: Vec3) -> Gap:
        s = separation(state.a, state.b)
        return Gap(s.distance, neg(s.normal), s.point_a, s.point_b, 0.0)

    return make_two_movers_kernel(__name__, name, measure, confirm, NEVER)


@device
def _from_box(b: Box, gap: Gap) -> Gap:
    """The gap in the coordinates that the box is given in; the axis stays in those of the box."""
    n, point_a, point_b = turn_from_box(b, gap.normal), from_box(b, gap.point_a), from_box(b, gap.point_b)
    return Gap(gap.distance, n, point_a, point_b, gap.detail)


@device
def _measure_capsule3d_box(query: TwoMovers, state: Poses, before: Vec3) -> Gap:
    """In the box's own frame; three times as quick as the distance with its certificate."""
    rod, box = segment_in_box_frame(state.a, state.b), state.b
    near = facing_box(box.half, rod.start, rod.end)
    distance = length(near.offset)
    if not distance > 0.0:
        return Gap(-rod.radius, before, near.point, near.point, 0.0)
    n = scale(near.offset, 1.0 / distance)
    # The offset was made perpendicular to the capsule, which may take its end off the box.
    on_box = clamp_box(box.half, sub(near.point, near.offset))
    gap = Gap(distance - rod.radius, n, along(near.point, n, -rod.radius), on_box, 0.0)
    return _from_box(box, gap)


# --- bodies without radius --------------------------------------------------------------------------------


def _make_sharp(
    name: str,
    separation: Callable[[Record, Record], Separation3d],
    find_axis: Callable[[Record, Record], Gap],
    find_nearest: Callable[[Record, Record, Axis, float], Gap],
    has_axes: Callable[[Record, Record], bool],
) -> Kernel:
    @procedure
    def measure(query: TwoMovers, state: Poses, before: Vec3) -> Gap:
        if query.margin > 0.0 or not has_axes(state.a, state.b):
            s = separation(state.a, state.b)
            return Gap(s.distance, neg(s.normal), s.point_a, s.point_b, _NO_AXIS)
        return find_axis(state.a, state.b)

    @procedure
    def confirm(query: TwoMovers, state: Poses, gap: Gap) -> Gap:
        if not has_axes(state.a, state.b):
            return gap
        if query.margin > 0.0:
            # Of two points that are as near, one pair may have a direction that separates less.
            best = find_axis(state.a, state.b)
            n = best.normal if best.distance >= gap.distance - BAND * query.size else gap.normal
            return Gap(gap.distance, n, gap.point_a, gap.point_b, gap.detail)
        return find_nearest(state.a, state.b, gap.detail, query.accepted)

    return make_two_movers_kernel(__name__, name, measure, confirm, STOP_GAP)


@device
def _has_axes_boxes(a: Box, b: Box) -> bool:
    return True


@device
def _find_axis_boxes(a: Box, b: Box) -> Gap:
    axis = find_axis_boxes(box_in_box(a, b), b.half, length(a.half) + length(b.half))
    return _from_box(b, gap_of_axis(axis))


@device
def _nearest_boxes(a: Box, b: Box, axis: Axis, accepted: float) -> Gap:
    return _from_box(b, gap_of_nearest(nearest_boxes(box_in_box(a, b), b.half, axis), axis, accepted))


@device
def _has_axes_triangle_box(a: Triangle3d, b: Box) -> bool:
    """A flat triangle has no normals."""
    return not is_flat(a)


@device
def _find_axis_triangle_box(a: Triangle3d, b: Box) -> Gap:
    body = make_facets(triangle_in_box(a, b))
    return _from_box(b, gap_of_axis(find_axis_triangle_box(body, b.half, 0.0)))


@device
def _nearest_triangle_box(a: Triangle3d, b: Box, axis: Axis, accepted: float) -> Gap:
    near = nearest_triangle_box(make_facets(triangle_in_box(a, b)), b.half, axis)
    return _from_box(b, gap_of_nearest(near, axis, accepted))


@device
def _has_axes_triangles(a: Triangle3d, b: Triangle3d) -> bool:
    return not (is_flat(a) or is_flat(b))


@device
def _find_axis_triangles(a: Triangle3d, b: Triangle3d) -> Gap:
    facets_a, facets_b = make_facets(triangle_from(a, b.a)), make_facets(triangle_from(b, b.a))
    return gap_of_axis(find_axis_triangles(facets_a, facets_b, 0.0))


@device
def _nearest_triangles(a: Triangle3d, b: Triangle3d, axis: Axis, accepted: float) -> Gap:
    return gap_of_nearest(nearest_triangles(make_facets(a), make_facets(b), axis), axis, accepted)


_EXACT: dict[str, Callable[..., Separation3d]] = {
    "sphere_sphere": separation_sphere_sphere,
    "sphere_capsule3d": separation_sphere_capsule3d,
    "sphere_triangle3d": separation_sphere_triangle3d,
    "sphere_box": separation_sphere_box,
    "capsule3d_capsule3d": separation_capsule3d_capsule3d,
    "capsule3d_triangle3d": separation_capsule3d_triangle3d,
    "sphere_cylinder": separation_sphere_cylinder,
    "capsule3d_cylinder": separation_capsule3d_cylinder,
    "triangle3d_cylinder": separation_triangle3d_cylinder,
    "box_cylinder": separation_box_cylinder,
}

KERNELS: dict[str, Kernel] = {
    name: _make_exact(name, separation, _confirm_exact) for name, separation in _EXACT.items()
} | {
    "capsule3d_box": make_two_movers_kernel(
        __name__, "capsule3d_box", _measure_capsule3d_box, _confirm_exact, NEVER
    ),
    "cylinder_cylinder": _make_exact("cylinder_cylinder", separation_cylinder_cylinder, _confirm_points),
    "triangle3d_triangle3d": _make_sharp(
        "triangle3d_triangle3d",
        separation_triangle3d_triangle3d,
        _find_axis_triangles,
        _nearest_triangles,
        _has_axes_triangles,
    ),
    "triangle3d_box": _make_sharp(
        "triangle3d_box",
        separation_triangle3d_box,
        _find_axis_triangle_box,
        _nearest_triangle_box,
        _has_axes_triangle_box,
    ),
    "box_box": _make_sharp("box_box", separation_box_box, _find_axis_boxes, _nearest_boxes, _has_axes_boxes),
}
