"""A fast slice of `ougi verify solid`, and mistakes that it must catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ougi._typing import Floats
from ougi_lab.verify.narrow import OugiNarrow
from ougi_lab.verify.solid import Solids

CASES = [(pair, kind) for kind in ("random", "near", "second") for pair in Solids().pairs()]


@pytest.mark.parametrize(("pair", "kind"), CASES)
def test_results_are_proved(pair: str, kind: str) -> None:
    tally = Solids().check(pair, kind, 20 if kind == "second" else 150, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


class Longer(OugiNarrow):
    """Distances that are too large by 1e-6."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        signed, normal, p, q = super().separation(a, b)
        return np.where(signed > 0.1, signed + 1e-6, signed), normal, p, q


def test_a_planted_mistake_is_caught() -> None:
    tally = Solids(Longer()).check("cone-box", "random", 300, np.random.default_rng(2))
    assert tally.failed["gap"] > 50
    assert tally.failed["link"] > 50


class Sideways(OugiNarrow):
    """Contacts along a direction that is not the best one."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        from ougi_lab.verify.solid import compute_gap

        signed, normal, p, q = super().separation(a, b)
        other = normal[:, [1, 2, 0]]
        gap = compute_gap(a, b, other)
        return np.where(signed < 0, gap, signed), np.where(signed[:, None] < 0, other, normal), p, q


def test_a_depth_that_is_not_the_smallest_is_caught() -> None:
    tally = Solids(Sideways()).check("ellipsoid-box", "random", 300, np.random.default_rng(3))
    assert tally.failed["depth"] > 20
