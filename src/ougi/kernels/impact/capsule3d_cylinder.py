"""First contact of a moving capsule with a cylinder."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.cylinder import box_around, can_of, nearest_rod
from ougi.kernels.impact.cores import span_segment
from ougi.kernels.impact.movers import (
    Mover,
    make_impact,
    path_in_box,
    segment_in_box_frame,
    to_world_from_box,
)
from ougi.kernels.impact.rod import move_segment
from ougi.kernels.impact.round_target import make_round_finder
from ougi.kernels.records import Cylinder, Impact3d
from ougi.kernels.support3d import segment_corners, segment_edges
from ougi.kernels.vec3 import mid

_find = make_round_finder(nearest_rod, segment_corners, segment_edges, move_segment)


@procedure
def impact_capsule3d_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame, can = box_around(cylinder), can_of(cylinder)
    rod, path = segment_in_box_frame(mover.body, frame), path_in_box(mover, frame)
    middle, size = mid(rod.start, rod.end), rod.radius + span_segment(rod) + can.radius + can.half_height
    contact = _find(can, 0.0, rod, rod.radius, middle, size, path, mover.tol, mover.margin)
    return make_impact(to_world_from_box(contact, frame), mover)
