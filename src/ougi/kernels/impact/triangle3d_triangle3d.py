"""First contact of a moving triangle with a triangle."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import Nearest3d, triangle_triangle
from ougi.kernels.impact.axes import Axis, make_axes_finder
from ougi.kernels.impact.capsule3d_triangle3d import impact_capsule3d_triangle3d
from ougi.kernels.impact.cores import span_triangle
from ougi.kernels.impact.facets import (
    Facets,
    corner_facets,
    find_axis_of_facets,
    interval_facets,
    is_flat,
    longest_side,
    make_facets,
    move_facets,
    step_of_facets,
)
from ougi.kernels.impact.movers import Mover, make_impact, path_from, to_world, triangle_from
from ougi.kernels.impact.screw_steps import Path, Remainder
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Impact3d, Triangle3d
from ougi.kernels.support3d import triangle_edges


@device
def find_axis_triangles(body: Facets, core: Facets, size: float) -> Axis:
    return find_axis_of_facets(interval_facets, body, core, core.normals, triangle_edges(core.corners))


@device
def _step(
    body: Facets, core: Facets, axis: Axis, slack: float, size: float, path: Path, rest: Remainder
) -> float:
    return step_of_facets(interval_facets, corner_facets, body, core, axis, slack, size, path, rest)


@device
def nearest_triangles(body: Facets, core: Facets, axis: Axis) -> Nearest3d:
    return triangle_triangle(body.corners, core.corners)


_find = make_axes_finder(find_axis_triangles, _step, move_facets, nearest_triangles)
_separate = make_start_separator("triangle3d_triangle3d")


@procedure
def impact_triangle3d_triangle3d(mover: Mover, triangle: Triangle3d) -> Impact3d:
    """A flat triangle is a segment; if it is the resting one, it moves in the frame of the other."""
    a, o = mover.body, triangle.a
    if is_flat(a):
        rod = Mover(longest_side(a), mover.motion, mover.tol, 0.0, mover.sense)
        return impact_capsule3d_triangle3d(rod, triangle)
    if is_flat(triangle):
        rod = Mover(longest_side(triangle), mover.motion, mover.tol, 0.0, -mover.sense)
        return impact_capsule3d_triangle3d(rod, a)
    body, core = make_facets(triangle_from(a, o)), make_facets(triangle_from(triangle, o))
    size, path = span_triangle(a) + span_triangle(triangle), path_from(mover, o)
    contact = _find(core, 0.0, body, 0.0, body.corners.a, size, path, mover.tol, 0.0)
    return _separate(make_impact(to_world(contact, o), mover), mover, triangle)
