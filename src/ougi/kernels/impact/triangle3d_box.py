"""First contact of a moving triangle with a box, in the box's coordinates."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, triangle_box
from ougi.kernels.impact.axes import Axis, make_axes_finder
from ougi.kernels.impact.capsule3d_box import impact_capsule3d_box
from ougi.kernels.impact.cores import corner_box, span_triangle
from ougi.kernels.impact.facets import (
    Facets,
    find_axis_of_facets,
    interval_box,
    is_flat,
    longest_side,
    make_facets,
    move_facets,
    step_of_facets,
)
from ougi.kernels.impact.movers import Mover, make_impact, path_in_box, to_world_from_box, triangle_in_box
from ougi.kernels.impact.screw_steps import Path, Remainder
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Box, Impact3d, Vec3
from ougi.kernels.vec3 import UNITS, ZERO, length


@device
def find_axis_triangle_box(body: Facets, half: Vec3, size: float) -> Axis:
    return find_axis_of_facets(interval_box, body, half, UNITS, UNITS)


@device
def _step(
    body: Facets, half: Vec3, axis: Axis, slack: float, size: float, path: Path, rest: Remainder
) -> float:
    return step_of_facets(interval_box, corner_box, body, half, axis, slack, size, path, rest)


@device
def nearest_triangle_box(body: Facets, half: Vec3, axis: Axis) -> Nearest3d:
    return triangle_box(body.corners, Box(ZERO, half, UNITS[0], UNITS[1], UNITS[2]))


_find = make_axes_finder(find_axis_triangle_box, _step, move_facets, nearest_triangle_box)
_separate = make_start_separator("triangle3d_box")


@procedure
def impact_triangle3d_box(mover: Mover, box: Box) -> Impact3d:
    """A flat triangle is a segment."""
    a = mover.body
    if is_flat(a):
        return impact_capsule3d_box(Mover(longest_side(a), mover.motion, mover.tol, 0.0, mover.sense), box)
    body, size = make_facets(triangle_in_box(a, box)), span_triangle(a) + length(box.half)
    path = path_in_box(mover, box)
    contact = _find(box.half, 0.0, body, 0.0, body.corners.a, size, path, mover.tol, 0.0)
    return _separate(make_impact(to_world_from_box(contact, box), mover), mover, box)
