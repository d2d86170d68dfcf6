"""How far a body can move before a point of it can reach a plane: the step of continuous detection.

For a screw with angle s in radians, unit axis U and shift p per radian, the height of a point x over a plane
with unit normal n is, after a further angle d,

    g(d) = g + a (cos d - 1) + b sin d + k d,   a = n . w_perp,  b = n . (U x w),  k = p n . U,

where w = x - center and w_perp its part perpendicular to U. Its first zero is in closed form for k = 0; for
k != 0 a minorant that touches g to second order takes its place, so a step can be too short, never too long.
"""

from __future__ import annotations

import math

from ougi._jit import device

NEVER = 1e308


@device
def first_cot(g: float, a: float, b: float) -> float:
    """cot(d / 2) of the first zero of g + a (cos d - 1) + b sin d in (0, 2 pi). Larger means earlier.

    With c = cot(d / 2) the equation is g c^2 + 2 b c + (g - 2 a) = 0. No root: -NEVER, the plane is never
    reached. No room (g <= 0): NEVER, which makes the step zero.
    """
    if not g > 0.0:
        return NEVER
    disc = b * b + g * (2.0 * a - g)
    if not disc >= 0.0:
        return -NEVER
    q = math.sqrt(disc)
    if b > 0.0:
        return (2.0 * a - g) / (b + q)  # the same root without cancellation
    return (q - b) / g


@device
def safe_angle(g: float, a: float, b: float, k: float, rest: float) -> float:
    """An angle before which the point stays above the plane; `rest` or more if it does so to the end."""
    if k >= 0.0:
        # k d >= k sin d
        return _angle(first_cot(g, a, b + k))
    # On d <= s <= pi:  d <= sin d + c (1 - cos d), with equality at 0 and at s.
    s = min(rest, math.pi)
    c = s / 3.0 if s < 1e-3 else (s - math.sin(s)) / (1.0 - math.cos(s))
    return min(_angle(first_cot(g, a - k * c, b + k)), s if rest > s else NEVER)


@device
def _angle(cot: float) -> float:
    if cot <= -NEVER:
        return NEVER
    return 2.0 * math.atan2(1.0, cot)


@device
def safe_shift(g: float, k: float) -> float:
    """The same for a straight motion with speed k along the normal."""
    if not g > 0.0:
        return 0.0
    return g / -k if k < 0.0 else NEVER
