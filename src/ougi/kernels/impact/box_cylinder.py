"""First contact of a moving box with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.cylinder import box_around, can_of, fan_of, nearest_box
from ougi.kernels.impact.box_box import move_box
from ougi.kernels.impact.movers import (
    Mover,
    box_in_box,
    make_impact,
    make_overlap,
    path_in_box,
    to_world_from_box,
)
from ougi.kernels.impact.round_target import make_round_finder
from ougi.kernels.records import Box, Cylinder, Impact3d, Vec3
from ougi.kernels.sector3d_box import intersects_sector3d_box
from ougi.kernels.support3d import box_corners
from ougi.kernels.vec3 import length


@device
def _edges(b: Box) -> tuple[Vec3, Vec3, Vec3]:
    return (b.x, b.y, b.z)


_find = make_round_finder(nearest_box, box_corners, _edges, move_box)


@procedure
def impact_box_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can = box_around(cylinder), can_of(cylinder)
    body = box_in_box(mover.body, frame)
    if intersects_sector3d_box(fan_of(can), body):
        return make_impact(make_overlap(), mover)
    size, path = length(body.half) + can.radius + can.half_height, path_in_box(mover, frame)
    contact = _find(can, 0.0, body, 0.0, body.center, size, path, mover.tol, mover.margin)
    return make_impact(to_world_from_box(contact, frame), mover)
