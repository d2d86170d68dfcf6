"""Axis-aligned rectangle against axis-aligned rectangle."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Aabb2d


@device
def intersects_aabb2d_aabb2d(a: Aabb2d, b: Aabb2d) -> bool:
    # & instead of and: no branches, so the loop vectorises.
    return (
        (a.lower.x <= b.upper.x)
        & (b.lower.x <= a.upper.x)
        & (a.lower.y <= b.upper.y)
        & (b.lower.y <= a.upper.y)
    )
