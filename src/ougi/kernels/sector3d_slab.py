"""A convex body cut to the slab of a thick fan and projected: what meets the planar fan.

The part of the body with |z| <= h is convex, and so is its shadow in the plane. The edges of that part are
the cut edges of the body and, on z = h and z = -h, the sections of its faces. If the shadow of none of them
touches the planar fan, the fan lies inside the shadow or outside it: one point decides.
"""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.records import Sector3d, Vec3
from ougi.kernels.sector2d_wedge import ALL, meets_ring, wedge_spans
from ougi.kernels.sector3d_capsule3d import flat, height_span
from ougi.kernels.vec3 import along, sub


@device
def _shadow_meets(a: Sector3d, p: Vec3, e: Vec3) -> bool:
    spans = wedge_spans(a.side, flat(p), flat(e))
    return meets_ring(spans, flat(p), flat(sub(e, p)), a.inner_radius, a.outer_radius, ALL)


@procedure
def edge_meets(a: Sector3d, p: Vec3, e: Vec3) -> bool:
    """Does an edge of the body, in the fan's frame, touch the fan?"""
    span = height_span(p, e, -a.half_height, a.half_height)
    if not span.low <= span.high:
        return False
    spans = wedge_spans(a.side, flat(p), flat(e))
    return meets_ring(spans, flat(p), flat(sub(e, p)), a.inner_radius, a.outer_radius, span)


@procedure
def section_meets(a: Sector3d, corners: tuple[Vec3, ...], level: float) -> bool:
    """Does the section of a face, given by its corners, with the plane z = level touch the fan?

    Where an edge ends in the plane, or lies in it, the cut edges know as much.
    """
    p = corners[-1]
    first = p
    found = False
    for e in corners:
        below, above = p.z - level, e.z - level
        if (below < 0.0) != (above < 0.0):
            q = along(p, sub(e, p), below / (below - above))
            if found and _shadow_meets(a, first, q):
                return True
            first, found = q, True
        p = e
    return False


@device
def sections_meet(a: Sector3d, corners: tuple[Vec3, ...]) -> bool:
    """On both flat faces of the fan."""
    return section_meets(a, corners, a.half_height) or section_meets(a, corners, -a.half_height)
