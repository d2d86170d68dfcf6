"""First contact of a moving ball with a box; a moving box and a ball are the same in the box's frame."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.closest3d import to_box
from ougi.kernels.impact.ball import make_ball_finder
from ougi.kernels.impact.cores import corner_box, offset_box, top_box
from ougi.kernels.impact.movers import Mover, make_impact, path_in_box, to_world_from_box
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Box, Impact3d
from ougi.kernels.vec3 import length

_find = make_ball_finder(offset_box, top_box, corner_box)
_separate = make_start_separator("sphere_box")


@procedure
def impact_sphere_box(mover: Mover, box: Box) -> Impact3d:
    x, r, path = to_box(box, mover.body.center), mover.body.radius, path_in_box(mover, box)
    contact = _find(box.half, 0.0, x, r, x, r + length(box.half), path, mover.tol, mover.margin)
    return _separate(make_impact(to_world_from_box(contact, box), mover), mover, box)
