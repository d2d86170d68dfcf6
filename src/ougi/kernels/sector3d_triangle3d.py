"""Thick fan against triangle: cut to the slab, project, planar fan against the shadow."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.records import Sector3d, Triangle3d, Vec2
from ougi.kernels.sector3d_capsule3d import flat
from ougi.kernels.sector3d_slab import edge_meets, sections_meet
from ougi.kernels.sector3d_sphere import to_frame
from ougi.kernels.vec2 import cross, sub


@device
def _covers(a: Sector3d, t: Triangle3d) -> bool:
    """Does the triangle, within the slab, lie over the middle of the outer arc?

    By the three areas; a shadow without area has nothing inside.
    """
    q = Vec2(a.outer_radius, 0.0)
    p, e, f = sub(flat(t.a), q), sub(flat(t.b), q), sub(flat(t.c), q)
    u, v, w = cross(e, f), cross(f, p), cross(p, e)
    total = u + v + w
    same = ((u >= 0.0) & (v >= 0.0) & (w >= 0.0)) | ((u <= 0.0) & (v <= 0.0) & (w <= 0.0))
    z = u * t.a.z + v * t.b.z + w * t.c.z
    return same & (total != 0.0) & (abs(z) <= a.half_height * abs(total))


@procedure
def intersects_sector3d_triangle3d(a: Sector3d, b: Triangle3d) -> bool:
    """Three edges, one face, one point."""
    p, q, r = to_frame(a.frame, b.a), to_frame(a.frame, b.b), to_frame(a.frame, b.c)
    return (
        edge_meets(a, p, q)
        or edge_meets(a, q, r)
        or edge_meets(a, r, p)
        or sections_meet(a, (p, q, r))
        or _covers(a, Triangle3d(p, q, r))
    )
