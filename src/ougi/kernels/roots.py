"""Real roots of a quadratic equation."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi.kernels.constants import EVERYWHERE, SPLIT


class Roots(NamedTuple):
    """`number` is 0, 1 (simple, or both equal), 2, or EVERYWHERE; low <= high, NaN where there is no root."""

    number: int
    low: float
    high: float


@device
def _product_error(x: float, y: float, xy: float) -> float:
    """x y - xy without rounding (Dekker); xy is the rounded product."""
    c = SPLIT * x
    x_high = c - (c - x)
    x_low = x - x_high
    c = SPLIT * y
    y_high = c - (c - y)
    y_low = y - y_high
    return ((x_high * y_high - xy) + x_high * y_low + x_low * y_high) + x_low * y_low


@device
def discriminant(a: float, b: float, c: float) -> float:
    """b^2 - a c. Where the two nearly cancel, with the rounding of both products put back (Kahan)."""
    bb, ac = b * b, a * c
    d = bb - ac
    if 3.0 * abs(d) < bb + abs(ac):
        d += _product_error(b, b, bb) - _product_error(a, c, ac)
    return d


@device
def quadratic_roots(a: float, b: float, c: float) -> Roots:
    """Solve a x^2 + 2 b x + c = 0. Note the 2, as in FAN (2.39).

    The root of the larger size comes from the sum that cannot cancel, the other from the product of both.
    a = 0 leaves a line, a = b = 0 a constant.
    """
    if a == 0.0:
        if b != 0.0:
            x = -0.5 * c / b
            return Roots(1, x, x)
        return Roots(EVERYWHERE if c == 0.0 else 0, math.nan, math.nan)
    d = discriminant(a, b, c)
    if d > 0.0:
        root = math.sqrt(d)
        q = -(b + root) if b >= 0.0 else root - b
        x, y = q / a, c / q
        return Roots(2, min(x, y), max(x, y))
    if d == 0.0:
        x = -b / a
        return Roots(1, x, x)
    return Roots(0, math.nan, math.nan)
