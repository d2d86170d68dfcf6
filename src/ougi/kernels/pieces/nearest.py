"""Nearest points of two convex pieces by GJK, with the direction of the best bound of their distance."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi.kernels.constants import LARGEST, PROOF_ROUNDING, ROUNDING
from ougi.kernels.convex.gjk_solids import SolidCorner, weigh
from ougi.kernels.convex.polytope import RelativePose, from_axes, relate, to_axes
from ougi.kernels.convex.simplex import add_corner, on_corner
from ougi.kernels.pieces.constants import DIRECT, MAX_PIECE_STEPS, MAX_RESTARTS, ROUGH
from ougi.kernels.pieces.records import Piece, find_piece_support
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import NOWHERE, ZERO, add, along, dot, length, neg, scale, sub, unit_or

_X = Vec3(1.0, 0.0, 0.0)


class PieceGap(NamedTuple):
    """The distance of two pieces, a bound from below along the unit normal from a to b, and nearest points.

    Of pieces whose cores overlap the distance is 0 less their radii. Points are NaN if they overlap by more
    than rounding. `edge_a` and `edge_b` lead from one nearest corner of a piece to another one, or are zero.
    """

    distance: float
    lower: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3
    edge_a: Vec3
    edge_b: Vec3


@procedure
def _find_corner(a: Piece, b: Piece, to: RelativePose, d: Vec3) -> SolidCorner:
    """The corner of b - a that lies furthest against d, in the frame of a."""
    p = find_piece_support(a, d)
    q = add(from_axes(find_piece_support(b, neg(to_axes(d, to))), to), to.offset)
    return SolidCorner(sub(q, p), p, q)


@device
def _find_edge(p: Vec3, q: Vec3, r: Vec3) -> Vec3:
    """From p to one of the others that lies elsewhere."""
    return sub(q, p) if q != p else sub(r, p)


@procedure
def measure_gap(a: Piece, b: Piece, guess: Vec3, share: float, margin: float) -> PieceGap:
    """The distance of two pieces; its bounds may differ by a share of what lies beyond the margin.

    `guess` is a normal, or NaN.
    """
    to = relate(a.frame, b.frame)
    start = to_axes(guess, a.frame)
    if not dot(start, start) > 0.0:
        start = unit_or(to.offset, _X)
    size, radius = a.size + b.size + length(to.offset), a.radius + b.radius
    s = best = on_corner(_find_corner(a, b, to, start))
    lower, n, restarts = -LARGEST, start, 0
    for _ in range(MAX_PIECE_STEPS):
        distance = math.sqrt(s.distance_sq)
        if s.corner_count == 4 or distance <= PROOF_ROUNDING * size:
            break
        c = _find_corner(a, b, to, s.point)
        bound = dot(s.point, c.point) / distance
        if bound > lower:
            lower, n = bound, scale(s.point, 1.0 / distance)
        beyond = distance - radius - margin
        if distance - bound <= max(ROUNDING * distance, share * beyond):
            break
        new = add_corner(s, c)
        is_rounding = new.distance_sq > (distance + ROUNDING * size) ** 2 or new.point == s.point
        if (lower > 0.0) if new.corner_count == 4 else is_rounding:
            if restarts == MAX_RESTARTS or distance - lower <= ROUGH * beyond:
                break
            # A sliver, of which rounding decides. Other corners may lead further.
            best = s if s.distance_sq < best.distance_sq else best
            new = on_corner(_find_corner(a, b, to, n if restarts == 0 else to.offset))
            restarts += 1
        s = new
    if s.corner_count < 4 and best.distance_sq < s.distance_sq:
        s = best
    n = from_axes(n, a.frame)
    if s.corner_count == 4:
        return PieceGap(-radius, -LARGEST, n, NOWHERE, NOWHERE, ZERO, ZERO)
    p, q = weigh(s)
    p, q = add(from_axes(p, a.frame), a.frame.center), add(from_axes(q, a.frame), a.frame.center)
    m = unit_or(sub(q, p), n)
    p, q = along(p, m, a.radius), along(q, m, -b.radius)
    is_apart = s.distance_sq > (PROOF_ROUNDING * size) ** 2
    if share == 0.0 and s.distance_sq > (DIRECT * size) ** 2:
        n = m
    distance = math.sqrt(s.distance_sq) if is_apart else 0.0
    edge_a = from_axes(_find_edge(s.first.a, s.second.a, s.third.a), a.frame)
    edge_b = from_axes(_find_edge(s.first.b, s.second.b, s.third.b), a.frame)
    return PieceGap(distance - radius, (lower if is_apart else 0.0) - radius, n, p, q, edge_a, edge_b)
