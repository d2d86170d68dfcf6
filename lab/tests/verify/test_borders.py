"""A fast slice of `ougi verify range`, and a mistake that it must catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi._check import MAX_LENGTH, MIN_LENGTH
from ougi._typing import Floats
from ougi_lab.scenes.batches import measure_lengths, scale_lengths
from ougi_lab.verify.borders import Borders
from ougi_lab.verify.narrow import Hulls, OugiNarrow

# Curved solids take milliseconds for each case, and rays are cast one by one.
_SLOW = ("cone", "cylinder", "ellipsoid", "ray")


@pytest.mark.parametrize("pair", Borders().pairs())
def test_results_at_the_borders_of_the_range_are_proved(pair: str) -> None:
    n = 100 if pair.startswith(_SLOW) else 400
    tally = Borders().check(pair, "random", n, np.random.default_rng(4))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.cases == n


def test_all_shapes_are_verified_at_the_borders() -> None:
    words = {word for pair in Borders().pairs() for word in pair.split("-")}
    hulls = {"convexhull3d", "convexpolygon2d", "cone", "ellipsoid", "cylinder", "halfspace2d", "halfspace3d"}
    assert words >= {"ray", "box", "circle", *hulls}


class ForgetsDepths(OugiNarrow):
    """Subtracts 1 from depths and adds it again, which loses those that are far below or above 1."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        signed, normal, p, q = super().separation(a, b)
        return (signed - 1.0) + 1.0, normal, p, q


def test_a_constant_length_in_a_kernel_is_caught() -> None:
    pair = "box-convexhull3d"
    subject = Hulls(ForgetsDepths())
    assert subject.check(pair, "random", 200, np.random.default_rng(1)).disagreements < 60
    tally = Borders({pair: subject}).check(pair, "random", 200, np.random.default_rng(1))
    assert tally.failed["distance"] >= 90


def test_hulls_are_scaled_by_their_constructor() -> None:
    both = ougi.ConvexHull3d([np.eye(3), 2 * np.eye(3)], [0.5, 0.0])
    hulls = both[[0, 1, 0]].transformed(ougi.Pose([[0, 0, 5], [0, 7, 0], [0, 0, 0]]))
    assert measure_lengths(hulls).tolist() == [5.5, 8.0, 0.5]
    factor = np.array([4.0, 2.0**-100, 2.0**100])
    scaled = scale_lengths(hulls, factor)
    for i, one in enumerate(scaled):
        assert np.array_equal(one.vertices, hulls[i].vertices * factor[i])
        assert one.radius == hulls[i].radius * factor[i]
    assert measure_lengths(scaled).min() > MIN_LENGTH
    assert measure_lengths(scaled).max() < MAX_LENGTH
