"""A bound of the distance of a sector from a convex body or another sector."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.constants import LARGEST, ROUNDING
from ougi.kernels.pieces.constants import BULGE_OF_GAP, MAX_PIECES, ROUGH
from ougi.kernels.pieces.nearest import measure_gap
from ougi.kernels.pieces.records import MovingBody, cut_piece, measure_bulge, measure_sagitta
from ougi.kernels.pieces.slices import divide_slices, find_smallest_bound, pop_slices, push_first_slices
from ougi.kernels.vec3 import NOWHERE, length, sub


@procedure
def distance_of_bodies(a: MovingBody, b: MovingBody) -> float:
    """A lower bound of the distance of two bodies, one of which is a sector.

    It is too small by up to a seventh of what lies beyond the margin.
    It is 0 or negative only if the bodies overlap, up to rounding.
    """
    size = a.body.size + b.body.size + length(sub(b.body.frame.center, a.body.frame.center))
    best = LARGEST
    depth = push_first_slices(a.stack, a.row, a.body, b.body, -LARGEST)
    for _ in range(MAX_PIECES):
        depth, slices = pop_slices(a.stack, a.row, depth, best)
        if depth < 0:
            return best
        first, second = cut_piece(a.body, slices.a), cut_piece(b.body, slices.b)
        gap = measure_gap(first, second, NOWHERE, ROUGH, a.margin)
        if gap.lower >= best:
            continue
        bulge_a, bulge_b = measure_sagitta(a.body, slices.a), measure_sagitta(b.body, slices.b)
        if gap.distance > 0.0:
            bulge_a = min(bulge_a, measure_bulge(first, gap.point_a))
            bulge_b = min(bulge_b, measure_bulge(second, gap.point_b))
        if max(bulge_a, bulge_b) <= max(BULGE_OF_GAP * (gap.lower - a.margin), ROUNDING * size):
            best = max(gap.lower, 0.0) if gap.distance > 0.0 else min(gap.distance, 0.0)
            if best <= 0.0:
                return best
            continue
        depth = divide_slices(a.stack, a.row, depth, slices, gap.lower, bulge_a >= bulge_b, True)
    return find_smallest_bound(a.stack, a.row, depth, best)
