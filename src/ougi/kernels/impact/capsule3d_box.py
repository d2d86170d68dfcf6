"""First contact of a moving capsule with a box."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import clamp_box
from ougi.kernels.impact.cores import corner_box, span_segment, top_box
from ougi.kernels.impact.facing import facing_box
from ougi.kernels.impact.movers import (
    ContactRecord,
    Mover,
    make_impact,
    path_in_box,
    segment_in_box_frame,
    to_world_from_box,
)
from ougi.kernels.impact.rod import make_rod_finder
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Box, Impact3d
from ougi.kernels.vec3 import length, mid

_find = make_rod_finder(facing_box, top_box, corner_box)
_separate = make_start_separator("capsule3d_box")


@procedure
def impact_capsule3d_box(mover: Mover, box: Box) -> Impact3d:
    rod, path = segment_in_box_frame(mover.body, box), path_in_box(mover, box)
    middle, size = mid(rod.start, rod.end), rod.radius + span_segment(rod) + length(box.half)
    c = _find(box.half, 0.0, rod, rod.radius, middle, size, path, mover.tol, mover.margin)
    # The offset was made perpendicular to the capsule, which may take its end off the box.
    on_box = ContactRecord(c.status, c.t, c.point_a, clamp_box(box.half, c.point_b), c.normal)
    return _separate(make_impact(to_world_from_box(on_box, box), mover), mover, box)
