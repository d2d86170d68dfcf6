"""Bounds with 50 digits enclose gaps that are known, and hardly differ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ougi._typing import Floats
from ougi_lab.scenes.robots import to_matrix
from ougi_lab.verify.exact_gaps import ExactBody, bound_gap

BOX = ExactBody("box", {"size": np.array([2.0, 2.0, 2.0])}, np.eye(4))


def _place(x: float, y: float, z: float, *angles: float) -> Floats:
    return to_matrix(np.array([x, y, z]), np.array(angles or (0.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("body", "gap"),
    [
        (ExactBody("sphere", {"radius": 0.5}, _place(3, 0, 0)), 1.5),
        (ExactBody("sphere", {"radius": 0.5}, _place(1.25, 0, 0)), -0.25),
        (ExactBody("sphere", {"radius": 0.25}, _place(4, 5, 1)), 4.75),
        (ExactBody("box", BOX.sizes, _place(3, 0.5, 0)), 1.0),
        (ExactBody("box", BOX.sizes, _place(4, 0, 0, 0, 0, math.pi / 4)), 3 - math.sqrt(2)),
        (ExactBody("capsule", {"radius": 0.5, "length": 2.0}, _place(0, 0, 4)), 1.5),
        (ExactBody("cylinder", {"radius": 0.5, "length": 2.0}, _place(0, 3, 0.1)), 1.5),
        # The lowest point of a rim: half the length along the tilted axis, and the radius across it.
        (
            ExactBody("cylinder", {"radius": 0.5, "length": 2.0}, _place(0, 0, 5, 0.3, 0, 0)),
            4 - math.cos(0.3) - 0.5 * math.sin(0.3),
        ),
        (ExactBody("mesh", np.array([[[4.0, -9, -9], [4, 9, -9], [4, 0, 9]]]), np.eye(4)), 3.0),
    ],
)
def test_bounds_enclose_known_gaps(body: ExactBody, gap: float) -> None:
    for found in (bound_gap(BOX, body), bound_gap(body, BOX)):
        assert found.lower - 1e-15 <= gap <= found.upper + 1e-15
        assert found.upper - found.lower <= 1e-15


def test_overlapping_bodies_without_a_radius_have_the_gap_zero() -> None:
    assert bound_gap(BOX, BOX._replace(pose=_place(1.9, 0.3, 0.2, 0.1, 0.2, 0.3))) == (0.0, 0.0)
