"""First contact of a moving ball with a capsule."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.ball import make_ball_finder
from ougi.kernels.impact.cores import corner_segment, offset_segment, span_segment, top_segment
from ougi.kernels.impact.movers import Mover, make_impact, path_from, segment_from, to_world
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Capsule3d, Impact3d
from ougi.kernels.vec3 import sub

_find = make_ball_finder(offset_segment, top_segment, corner_segment)
_separate = make_start_separator("sphere_capsule3d")


@procedure
def impact_sphere_capsule3d(mover: Mover, capsule: Capsule3d) -> Impact3d:
    o, r = capsule.start, mover.body.radius
    core, x, path = segment_from(capsule, o), sub(mover.body.center, o), path_from(mover, o)
    size = r + capsule.radius + span_segment(capsule)
    contact = _find(core, capsule.radius, x, r, x, size, path, mover.tol, mover.margin)
    return _separate(make_impact(to_world(contact, o), mover), mover, capsule)
