"""Axis-aligned box against axis-aligned box."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Aabb3d


@device
def intersects_aabb3d_aabb3d(a: Aabb3d, b: Aabb3d) -> bool:
    # & instead of and: no branches, so the loop vectorises.
    return (
        (a.lower.x <= b.upper.x)
        & (b.lower.x <= a.upper.x)
        & (a.lower.y <= b.upper.y)
        & (b.lower.y <= a.upper.y)
        & (a.lower.z <= b.upper.z)
        & (b.lower.z <= a.upper.z)
    )
