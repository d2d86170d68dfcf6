"""A limit of bounces beyond all integers of kernels is no limit."""

from __future__ import annotations

import numpy as np

import ougi


def test_huge_limits_are_as_good_as_none() -> None:
    corridor = ougi.Corridor([[0, 0], [9, 0], [9, 5], [0, 5]])
    at, by = np.array([[1.0, 1.0]]), np.array([[3.0, 0.5]])
    moved, free = (corridor.slide(at, by, 0.1, max_bounces=limit) for limit in (2**70, None))
    for name in vars(free):
        np.testing.assert_array_equal(getattr(moved, name), getattr(free, name))
