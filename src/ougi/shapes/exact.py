"""Signs of determinants of points, exactly."""

from __future__ import annotations

import numpy as np

from ougi._typing import Floats, Ints

# Shewchuk, "Adaptive precision floating-point arithmetic", 1997: (3 + 16 u) u bounds the error of orient2d.
_ORIENT = (3 + 16 * 2.0**-53) * 2.0**-53


def find_turns(a: Floats, b: Floats, c: Floats) -> Ints:
    """1 where paths a b c (n, 2) turn left, -1 where they turn right, 0 where they are straight: exactly."""
    a, b, c = np.broadcast_arrays(a, b, c)
    left = (a[:, 0] - c[:, 0]) * (b[:, 1] - c[:, 1])
    right = (a[:, 1] - c[:, 1]) * (b[:, 0] - c[:, 0])
    out = np.sign(left - right).astype(np.int64)
    size = np.abs(left) + np.abs(right)
    for k in np.flatnonzero((np.abs(left - right) <= _ORIENT * size) & (size > 0)):
        out[k] = find_exact_sign([a[k].tolist(), b[k].tolist(), c[k].tolist()])
    return out


def find_exact_sign(points: list[list[float]]) -> int:
    """The sign of the determinant of points less the last one, in whole numbers.

    >>> find_exact_sign([[0.0, 0.0], [1.0, 0.0], [0.5, 1e-300]])
    1
    """
    ratios = [[x.as_integer_ratio() for x in point] for point in points]
    unit = max(below for point in ratios for _, below in point)  # a power of 2, as all of them
    *others, last = [[above * (unit // below) for above, below in point] for point in ratios]
    rows = [[x - y for x, y in zip(point, last, strict=True)] for point in others]
    if len(rows) == 2:
        value = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    else:
        u, v, w = rows
        value = sum(
            u[k] * (v[(k + 1) % 3] * w[(k + 2) % 3] - v[(k + 2) % 3] * w[(k + 1) % 3]) for k in range(3)
        )
    return (value > 0) - (value < 0)
