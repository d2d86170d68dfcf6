"""On which side of a line a point lies, exactly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ougi._typing import Floats, Ints

# Shewchuk, "Adaptive precision floating-point arithmetic", 1997: (3 + 16 u) u bounds the error of orient2d.
_ORIENT = (3 + 16 * 2.0**-53) * 2.0**-53


def orientations(a: Floats, b: Floats, c: Floats) -> Ints:
    """1 where c lies left of the line from a to b, -1 right, 0 on it: exactly.

    >>> orientations(np.zeros((1, 2)), np.array([[1e-30, 1.0]]), np.array([[2e-30, 2.0]])).tolist()
    [0]
    """
    left = (a[:, 0] - c[:, 0]) * (b[:, 1] - c[:, 1])
    right = (a[:, 1] - c[:, 1]) * (b[:, 0] - c[:, 0])
    out = np.sign(left - right).astype(np.int64)
    size = np.abs(left) + np.abs(right)
    for k in np.flatnonzero((np.abs(left - right) <= _ORIENT * size) & (size > 0)):
        ax, ay, bx, by, cx, cy = (Fraction(float(x)) for x in (*a[k], *b[k], *c[k]))
        exact = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
        out[k] = (exact > 0) - (exact < 0)
    return out
