"""Thick fan against box: cut to the slab, project, planar fan against the shadow."""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import segment_in_box, to_box
from ougi.kernels.records import Box, Sector3d, Vec3
from ougi.kernels.sector3d_slab import edge_meets, sections_meet
from ougi.kernels.sector3d_sphere import to_frame
from ougi.kernels.vec3 import add, along, dot, scale, sub


@device
def _turn_to_frame(a: Sector3d, v: Vec3) -> Vec3:
    """A direction in the fan's frame."""
    return Vec3(dot(v, a.frame.x), dot(v, a.frame.y), dot(v, a.frame.z))


@device
def _holds_the_fan(a: Sector3d, b: Box) -> bool:
    """Does the box meet the line over a point of the planar fan, from the bottom to the top?"""
    middle = along(a.frame.center, a.frame.x, a.outer_radius)
    bottom = to_box(b, along(middle, a.frame.z, -a.half_height))
    top = to_box(b, along(middle, a.frame.z, a.half_height))
    inside, _ = segment_in_box(bottom, sub(top, bottom), b.half)
    return inside


@device
def _shares_a_slab(c: Vec3, x: Vec3, y: Vec3, z: Vec3, a: Sector3d) -> bool:
    """Is it worth while: do the box and the fan overlap along the axis, and in the distance from it?"""
    tall = abs(x.z) + abs(y.z) + abs(z.z)
    wide_sq = dot(x, x) + dot(y, y) + dot(z, z)
    far_sq = c.x * c.x + c.y * c.y
    # (R + w)^2 <= 2 R^2 + 2 w^2: no root, and never too small.
    return (abs(c.z) <= a.half_height + tall) & (
        far_sq <= 2.0000001 * (a.outer_radius * a.outer_radius + wide_sq)
    )


@procedure
def intersects_sector3d_box(a: Sector3d, b: Box) -> bool:
    """Twelve edges, six faces, one point."""
    c = to_frame(a.frame, b.center)
    x, y, z = _turn_to_frame(a, b.x), _turn_to_frame(a, b.y), _turn_to_frame(a, b.z)
    x, y, z = scale(x, b.half.x), scale(y, b.half.y), scale(z, b.half.z)
    if not _shares_a_slab(c, x, y, z, a):
        return False
    axes = (x, y, z)
    for k in range(3):
        u, v, w = axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3]
        for i in (-1.0, 1.0):
            middle = add(c, scale(v, i))
            for j in (-1.0, 1.0):
                at = add(middle, scale(w, j))
                if edge_meets(a, sub(at, u), add(at, u)):
                    return True
    for k in range(3):
        u, v, w = axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3]
        for i in (-1.0, 1.0):
            middle = add(c, scale(u, i))
            p, q = add(v, w), sub(v, w)
            if sections_meet(a, (sub(middle, p), add(middle, q), add(middle, p), sub(middle, q))):
                return True
    return _holds_the_fan(a, b)
