"""A fast slice of `ougi verify sector`, and wrong kernels that it must catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Bools, Floats
from ougi_lab.verify.command import verify
from ougi_lab.verify.sector import OugiSector, Sector
from ougi_lab.verify.sector_oracle import signed_distance

PAIRS = Sector().pairs()


@pytest.mark.parametrize("pair", PAIRS)
def test_random_answers_are_proved(pair: str) -> None:
    n = 300 if pair in ("sector3d-box", "sector3d-aabb3d") else 1_000
    tally = Sector().check(pair, "random", n, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.cases == n
    assert tally.in_band < n / 4


@pytest.mark.parametrize("pair", PAIRS)
def test_near_answers_are_proved(pair: str) -> None:
    tally = Sector().check(pair, "near", 1_000, np.random.default_rng(2))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.near > 700


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if "2d" in pair])
def test_shapely_agrees(pair: str) -> None:
    tally = Sector().check(pair, "second", 60, np.random.default_rng(3))
    assert tally.disagreements == 0, (tally.failed, tally.first)


class AsPublished(OugiSector):
    """The hole test as printed in FAN (2.8): (r - rc)^2 <= rho^2, erratum 1."""

    def intersects(self, a: Any, b: Any) -> Bools:
        fan, ball = (a, b) if hasattr(a, "half_angle") else (b, a)
        local = ball.center - fan.center
        along = (local * fan.direction).sum(1)
        height = (local * fan.axis).sum(1) if fan.dimension == 3 else 0.0
        rho_sq = np.maximum((local * local).sum(1) - height**2, 0.0)
        within = along >= np.cos(fan.half_angle) * np.sqrt(rho_sq)
        radius_sq = ball.radius**2 - np.maximum(np.abs(height) - getattr(fan, "half_height", 0.0), 0.0) ** 2
        radius = np.sqrt(np.maximum(radius_sq, 0.0))
        in_hole = within & (rho_sq < (fan.inner_radius - radius) ** 2) & (rho_sq < fan.outer_radius**2)
        chosen: Bools = super().intersects(a, b) & ~in_hole
        return chosen


@pytest.mark.parametrize("pair", ["sector2d-circle", "sector3d-sphere"])
def test_the_printed_hole_test_is_caught(pair: str) -> None:
    tally = Sector(AsPublished()).check(pair, "random", 2_000, np.random.default_rng(4))
    assert tally.failed["miss"] > 10
    assert tally.first is not None


class Off(OugiSector):
    """Everything is nearer, or farther, by a little."""

    def __init__(self, by: float) -> None:
        self._by = by

    def distance(self, a: Any, b: Any) -> Floats | None:
        found = super().distance(a, b)
        return None if found is None else np.maximum(found + self._by, 0.0)

    def intersects(self, a: Any, b: Any) -> Bools:
        found = super().distance(a, b)
        return super().intersects(a, b) if found is None else found + self._by <= 0


@pytest.mark.parametrize(
    "pair", [pair for pair in PAIRS if pair[9:] not in ("box", "aabb3d", "triangle3d", "sector3d")]
)
@pytest.mark.parametrize("by", [1e-11, -1e-11])
def test_a_tiny_error_is_caught(pair: str, by: float) -> None:
    tally = Sector(Off(by)).check(pair, "near", 2_000, np.random.default_rng(5))
    assert tally.failed["distance"] > 100
    assert by > 0 or tally.failed["hit"] > 5


class Blind(OugiSector):
    """Misses pairs of which one contains the other's center."""

    def intersects(self, a: Any, b: Any) -> Bools:
        hit = super().intersects(a, b)
        box = (a if hasattr(b, "half_angle") else b).bounds()
        fan = b if hasattr(b, "half_angle") else a
        return hit & ~(signed_distance(fan, (box.lower + box.upper) / 2) < 0)


@pytest.mark.parametrize("pair", ["sector2d-rectangle", "sector3d-triangle3d", "sector3d-box"])
def test_a_missing_containment_is_caught(pair: str) -> None:
    tally = Sector(Blind()).check(pair, "random", 200, np.random.default_rng(6))
    assert tally.failed["miss"] > 5


def test_the_oracle_knows_simple_distances() -> None:
    fan = ougi.Sector3d([[0, 0, 0]], [0, 0, 1], [1, 0, 0], np.pi / 4, 1, 5, 1)
    points = np.array([[3, 0, 0], [6, 0, 2], [0, 0, 0], [2, 2, 1.5], [0, 3, 0], [-1, 0, 0]], float)
    found = signed_distance(fan, points, np.zeros(6, np.int64))
    root = np.sqrt(0.5)
    expected = [-1, np.sqrt(2), 1, 0.5, 3 * root, np.hypot(1 + root, root)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("sector", "circle-sector2d", "sector3d-capsule3d", cases=200, near=100) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "0 disagreements in 2 pairs, seed 0"
