"""A fast slice of `ougi verify hull`, and mistakes that it must catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ougi._typing import Floats
from ougi_lab.verify.ccd import MovingHulls
from ougi_lab.verify.certificates import _measure_distance_by_weights
from ougi_lab.verify.narrow import Hulls, OugiNarrow


@pytest.mark.parametrize("pair", Hulls().pairs())
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_results_are_proved(pair: str, kind: str) -> None:
    tally = Hulls().check(pair, kind, 60 if kind == "second" else 400, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


@pytest.mark.parametrize("pair", ["box-convexhull3d", "circle-convexpolygon2d"])
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_first_contacts_are_proved(pair: str, kind: str) -> None:
    tally = MovingHulls().check(pair, kind, 48, np.random.default_rng(4))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.undecided == 0


class Longer(OugiNarrow):
    """Distances that are too large by 1e-9."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        signed, normal, p, q = super().separation(a, b)
        more = np.where(np.abs(signed) > 0.1, 1e-9 * np.sign(signed), 0.0)
        return signed + more, normal, p, q + more[:, None] * normal


@pytest.mark.parametrize("pair", ["circle-convexpolygon2d", "box-convexhull3d"])
def test_a_planted_mistake_is_caught(pair: str) -> None:
    tally = Hulls(Longer()).check(pair, "random", 300, np.random.default_rng(2))
    assert tally.failed["distance"] > 100
    assert "Convex" in str(tally.first)


def test_weights_measure_the_distance_from_a_hull() -> None:
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert _measure_distance_by_weights(corners, np.array([0.1, 0.2, 0.3])) < 1e-15
    assert _measure_distance_by_weights(corners, np.array([0.25, 0.25, -2])) == pytest.approx(2)
    assert _measure_distance_by_weights(corners, np.array([1.0, 1, 1])) == pytest.approx(2 / np.sqrt(3))
