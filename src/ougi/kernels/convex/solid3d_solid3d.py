"""Convex solid against convex solid in space, both with radii: polytopes, cylinders, cones and ellipsoids."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.convex.solids import are_solids_within, place_separation
from ougi.kernels.records import Separation3d


@procedure
def intersects_solid3d_solid3d(a: Hull3d, b: Hull3d) -> bool:
    return are_solids_within(a, b)


@procedure
def separation_solid3d_solid3d(a: Hull3d, b: Hull3d) -> Separation3d:
    return place_separation(a, b)
