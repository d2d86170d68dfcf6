"""A fast slice of `ougi verify moving-sector`, and mistakes that it must catch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi_lab.scenes.motions import MovingPairs
from ougi_lab.verify.ccd import run_ougi
from ougi_lab.verify.moving_sector import MovingSectors, measure_outside_ellipsoid

PAIRS = ["sector2d-rectangle", "sector2d-sector2d", "sector3d-box", "sector3d-sector3d", "sector3d-cylinder"]
CASES = [(pair, "random", 60) for pair in (*PAIRS, "sector3d-cone", "sector3d-ellipsoid")]
CASES += [("sector3d-box", "near", 24), ("sector2d-circle", "near", 24), ("sector3d-sphere", "second", 24)]


@pytest.mark.parametrize(("pair", "kind", "n"), CASES)
def test_first_contacts_are_proved(pair: str, kind: str, n: int) -> None:
    tally = MovingSectors().check(pair, kind, n, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


def check(**changes: Any) -> dict[str, int]:
    """The failed checks if fields of results are replaced by functions of the results."""

    def query(case: MovingPairs) -> Any:
        result = run_ougi(case)
        return replace(result, **{name: change(result) for name, change in changes.items()})

    return MovingSectors(query).check("sector3d-box", "random", 240, np.random.default_rng(2)).failed


def test_nothing_fails_without_a_mistake() -> None:
    assert check() == {}


def test_a_missed_contact_is_caught() -> None:
    assert check(status=lambda r: np.where(r.status == 1, 0, r.status))["before"] > 10


def test_a_late_contact_is_caught() -> None:
    assert check(t=lambda r: np.minimum(r.t + 0.01, 1.0))["before"] > 10


def test_an_early_contact_is_caught() -> None:
    assert check(t=lambda r: np.maximum(r.t - 0.01, 0.0))["gap"] > 10


def test_a_wrong_normal_and_a_point_beside_the_target_are_caught() -> None:
    assert check(normal=lambda r: -r.normal)["normal"] > 10
    assert check(point=lambda r: r.point + 1e-3)["point"] > 5


def test_an_overlap_that_is_none_is_caught() -> None:
    assert check(status=lambda r: np.where(r.status == 1, 2, r.status))["start"] > 10


def test_distances_from_ellipsoids_are_bounded_from_above() -> None:
    """Against the nearest of many points of the surface, which is a little too far."""
    rng = np.random.default_rng(5)
    radii = np.array([[1.0, 0.5, 0.01]])
    u = rng.normal(size=(200_000, 3))
    surface = u / np.linalg.norm(u, axis=1, keepdims=True) * radii
    for p in surface[:40] * rng.uniform(0.5, 1.01, (40, 1)):
        bound = float(measure_outside_ellipsoid(p[None], radii)[0])
        inside = float(((p / radii) ** 2).sum()) <= 1
        nearest = 0.0 if inside else float(np.linalg.norm(surface - p, axis=1).min())
        assert nearest - 0.01 <= bound <= (1e-12 if inside else 0.011)
