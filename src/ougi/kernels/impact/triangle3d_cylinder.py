"""First contact of a moving triangle with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.cylinder import box_around, can_of, fan_of, nearest_triangle
from ougi.kernels.impact.cores import span_triangle
from ougi.kernels.impact.movers import (
    Mover,
    make_impact,
    make_overlap,
    path_in_box,
    to_world_from_box,
    triangle_in_box,
)
from ougi.kernels.impact.round_target import make_round_finder
from ougi.kernels.impact.screw_steps import Path, Step, move_point
from ougi.kernels.records import Cylinder, Impact3d, Triangle3d
from ougi.kernels.sector3d_triangle3d import intersects_sector3d_triangle3d
from ougi.kernels.support3d import triangle_corners, triangle_edges


@device
def move_triangle(path: Path, step: Step, t: Triangle3d) -> Triangle3d:
    """A triangle of the moving body after a step."""
    return Triangle3d(move_point(path, step, t.a), move_point(path, step, t.b), move_point(path, step, t.c))


_find = make_round_finder(nearest_triangle, triangle_corners, triangle_edges, move_triangle)


@procedure
def impact_triangle3d_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can = box_around(cylinder), can_of(cylinder)
    body = triangle_in_box(mover.body, frame)
    if intersects_sector3d_triangle3d(fan_of(can), body):
        return make_impact(make_overlap(), mover)
    size, path = span_triangle(body) + can.radius + can.half_height, path_in_box(mover, frame)
    contact = _find(can, 0.0, body, 0.0, body.a, size, path, mover.tol, mover.margin)
    return make_impact(to_world_from_box(contact, frame), mover)
