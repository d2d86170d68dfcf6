"""Engines' boxes, capsules and substeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from swept import fan_motions, spatial_shapes

import ougi


@pytest.mark.parametrize("reading", ["start-end", "inflated", "temporal", "ideal"])
def test_speculative_boxes_hold_the_start(reading: Any) -> None:
    box, motion = fan_motions(50, np.random.default_rng(4))
    swept: Any = ougi.sweep(box, motion, f"speculative-{reading}")
    start: Any = box.bounds()
    assert (swept.lower <= start.lower + 1e-12).all()
    assert (swept.upper >= start.upper - 1e-12).all()


def test_ideal_box_is_the_tight_one() -> None:
    n, rng = 200, np.random.default_rng(5)
    motion = ougi.Rotation3d(rng.uniform(-2, 2, (n, 3)), rng.normal(size=(n, 3)), rng.uniform(-8, 8, n))
    for shape in spatial_shapes(n, rng):
        swept: Any = ougi.sweep(shape, motion, "speculative-ideal")
        lower, upper = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
        for t in np.linspace(0, 1, 600):
            bounds: Any = shape.transformed(motion.at(t)).bounds()
            lower, upper = np.minimum(lower, bounds.lower), np.maximum(upper, bounds.upper)
        assert (swept.lower <= lower + 1e-12).all()
        assert (swept.upper >= upper - 1e-12).all()
        assert np.abs(swept.lower - lower).max() < 1e-2
        assert np.abs(swept.upper - upper).max() < 1e-2


def test_translations_have_ideal_boxes_and_capsules() -> None:
    ball, move = ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([4, 0, 0])
    assert ougi.sweep(ball, move, "speculative-ideal") == ougi.Aabb3d([-1, -1, -1], [5, 1, 1])
    assert ougi.sweep(ball, move, "swept-sphere") == ougi.Capsule3d([0, 0, 0], [4, 0, 0], 1)


def test_substeps_lead_from_start_to_end() -> None:
    box, motion = fan_motions(3, np.random.default_rng(6))
    poses: Any = ougi.sweep(box, motion, "substeps", steps=4)
    assert poses.shape == (5, 3)
    assert poses[0] == box
    end = box.transformed(motion)
    assert np.allclose(poses[4].center, end.center, atol=1e-12)
