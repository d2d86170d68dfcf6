"""First contact of a moving capsule with a capsule."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.cores import corner_segment, span_segment, top_segment
from ougi.kernels.impact.facing import facing_segment
from ougi.kernels.impact.movers import Mover, make_impact, path_from, segment_from, to_world
from ougi.kernels.impact.rod import make_rod_finder
from ougi.kernels.impact.start_normal import make_start_separator
from ougi.kernels.records import Capsule3d, Impact3d
from ougi.kernels.vec3 import mid

_find = make_rod_finder(facing_segment, top_segment, corner_segment)
_separate = make_start_separator("capsule3d_capsule3d")


@procedure
def impact_capsule3d_capsule3d(mover: Mover, capsule: Capsule3d) -> Impact3d:
    o = capsule.start
    rod, core, path = segment_from(mover.body, o), segment_from(capsule, o), path_from(mover, o)
    middle = mid(rod.start, rod.end)
    size = rod.radius + capsule.radius + span_segment(rod) + span_segment(capsule)
    contact = _find(core, capsule.radius, rod, rod.radius, middle, size, path, mover.tol, mover.margin)
    return _separate(make_impact(to_world(contact, o), mover), mover, capsule)
