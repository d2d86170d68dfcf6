"""Labels that do not overlap."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ougi.viewer.labels import MAX_LEVEL, stack_labels


@pytest.mark.parametrize("seed", range(5))
def test_no_label_covers_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 10, (60, 2))
    widths = rng.uniform(0.5, 3, 60).tolist()
    levels = stack_labels(points, widths, 0.4)
    shown = [
        (x, x + width, y + 0.4 * level, y + 0.4 * (level + 1))
        for (x, y), width, level in zip(points, widths, levels, strict=True)
        if level >= 0
    ]
    assert len(shown) > 40
    for (left, right, low, high), (left2, right2, low2, high2) in itertools.combinations(shown, 2):
        assert min(right, right2) <= max(left, left2) or min(high, high2) <= max(low, low2) + 1e-12


def test_labels_at_one_point_are_stacked_as_long_as_they_fit() -> None:
    levels = stack_labels(np.zeros((MAX_LEVEL + 3, 2)), [1.0] * (MAX_LEVEL + 3), 1.0)
    assert levels.tolist() == [*range(MAX_LEVEL + 1), -1, -1]
