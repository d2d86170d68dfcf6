"""Disc against capsule."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import near_segment
from ougi.kernels.records import Capsule2d, Circle, Separation2d, Vec2
from ougi.kernels.separation2d import add_radii
from ougi.kernels.vec2 import add, dot, length, neg, sub, turn_left, unit_or


@device
def intersects_circle_capsule2d(a: Circle, b: Capsule2d) -> bool:
    reach = a.radius + b.radius
    return near_segment(a.center, b.start, b.end, reach * reach)


@device
def separation_circle_capsule2d(a: Circle, b: Capsule2d) -> Separation2d:
    """Beside the segment its own normal, exact down to distance 0; past an end the direction to that end."""
    v = sub(b.end, b.start)
    to_start, to_end = sub(b.start, a.center), sub(b.end, a.center)
    side = unit_or(turn_left(v), Vec2(1.0, 0.0))
    # Each end is judged from itself: near it that difference is exact, so the normal cannot point inwards.
    past_start, past_end = dot(v, to_start), -dot(v, to_end)
    if past_start < 0.0 and past_end < 0.0:
        height = dot(side, to_start)
        return add_radii(a.center, abs(height), side if height >= 0.0 else neg(side), a.radius, b.radius)
    if past_start >= 0.0:
        d = to_start
    elif past_end >= 0.0:
        d = to_end
    else:
        d = add(to_start, to_end)  # NaN in, NaN out
    return add_radii(a.center, length(d), unit_or(d, side), a.radius, b.radius)
