"""Bounds of the distance and the depth of a sector and a convex body or another sector."""

from __future__ import annotations

import math

from ougi._native import procedure
from ougi._typing import Floats
from ougi.kernels.constants import LARGEST, ROUNDING
from ougi.kernels.pieces.constants import BULGE_OF_GAP, MAX_HALVINGS, MAX_PIECES, NEAR_CORE, ROUGH
from ougi.kernels.pieces.nearest import measure_gap
from ougi.kernels.pieces.records import Body, MovingBody, cut_piece, measure_bulge, measure_sagitta
from ougi.kernels.pieces.slices import divide_slices, find_smallest_bound, pop_slices, push_first_slices
from ougi.kernels.records import Vec3
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


@procedure
def depth_of_bodies(a: MovingBody, b: MovingBody) -> float:
    """A lower bound of the depth of two bodies; 0 if they are apart. The first one is a sector with a radius.

    All points within a radius of a smaller sector, its core, belong to the sector. So bodies overlap until
    they have moved by the radius less the distance of the core. The radius begins with that of the sector
    and is halved until no smaller one can give more, because a large one rounds off the edges.
    """
    radius, depth = a.body.radius, 0.0
    for _ in range(MAX_HALVINGS):
        if depth >= radius:
            break
        core = _shrink_sector(a.body, radius)
        if core.scale.y <= core.scale.x:
            depth = max(depth, radius - _bound_distance(core, b.body, a.stack, a.row, radius))
        radius *= 0.5
    return depth


@procedure
def _shrink_sector(b: Body, radius: float) -> Body:
    """A sector whose points all lie a radius inside of another one; of the plane if that has no height.

    There is none if its inner radius exceeds the outer one. Near its sides it loses the angle under which
    the radius is seen at the inner arc.
    """
    inner, half_angle = b.scale.y + radius if b.scale.y > 0.0 else 0.0, b.half_angle
    if half_angle < math.pi:
        share = math.sin(0.5 * min(half_angle, 0.5 * math.pi))
        inner = max(inner, radius / share) if share * LARGEST > radius else LARGEST
        half_angle -= math.asin(min(radius / inner, 1.0))
    scale = Vec3(b.scale.x - radius, inner, max(b.scale.z - radius, 0.0))
    return Body(
        b.numbers, b.frame, scale, 0.0, b.size, b.reach, b.rank, b.vertices, b.vertex_count, half_angle
    )


@procedure
def _bound_distance(a: Body, b: Body, stack: Floats, row: int, radius: float) -> float:
    """An upper bound of the distance of two bodies, precise to a share of the radius if it is smaller."""
    best = LARGEST
    depth = push_first_slices(stack, row, a, b, -LARGEST)
    for _ in range(MAX_PIECES):
        depth, slices = pop_slices(stack, row, depth, min(best, radius))
        if depth < 0 or best <= NEAR_CORE * radius:
            break
        gap = measure_gap(cut_piece(a, slices.a), cut_piece(b, slices.b), NOWHERE, ROUGH, 0.0)
        bulge_a, bulge_b = measure_sagitta(a, slices.a), measure_sagitta(b, slices.b)
        best = min(best, max(gap.distance, 0.0) + bulge_a + bulge_b)
        if max(bulge_a, bulge_b) > BULGE_OF_GAP * radius:
            depth = divide_slices(stack, row, depth, slices, gap.lower, bulge_a >= bulge_b, True)
    return best
