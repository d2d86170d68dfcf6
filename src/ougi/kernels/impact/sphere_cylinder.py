"""First contact of a moving ball with a cylinder."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box
from ougi.kernels.cylinder import box_around, can_of, nearest_point
from ougi.kernels.impact.movers import Mover, make_impact, path_in_box, to_world_from_box
from ougi.kernels.impact.round_target import make_round_finder
from ougi.kernels.impact.screw_steps import move_point
from ougi.kernels.records import Cylinder, Impact3d, Vec3
from ougi.kernels.vec3 import ZERO


@device
def _corners(x: Vec3) -> tuple[Vec3]:
    return (x,)


@device
def _edges(x: Vec3) -> tuple[Vec3]:
    return (ZERO,)


_find = make_round_finder(nearest_point, _corners, _edges, move_point)


@procedure
def impact_sphere_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can, r = box_around(cylinder), can_of(cylinder), mover.body.radius
    x, path = to_box(frame, mover.body.center), path_in_box(mover, frame)
    contact = _find(can, 0.0, x, r, x, r + can.radius + can.half_height, path, mover.tol, mover.margin)
    return make_impact(to_world_from_box(contact, frame), mover)
