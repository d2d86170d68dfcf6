"""`ougi verify sweep`: sectors that hold too little, or cover less than they promise, are caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.verify.command import verify
from ougi_lab.verify.sweep import (
    SweepSubject,
    draw_points,
    draw_polar_motions,
    find_covered_angles,
    measure_outside,
    measure_overlap,
    run_ougi,
)


def _with(fan: Any, **changes: Any) -> Any:
    fields = {name: getattr(fan, name) for name in fan._fields}
    return fan._from_fields(fan.shape, fields | changes)


@pytest.mark.parametrize("pair", SweepSubject().pairs())
def test_sectors_hold_what_they_promise(pair: str) -> None:
    tally = SweepSubject().check(pair, "random", 2_000, np.random.default_rng(1))
    assert tally.cases == 2_000
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert all(mean.is_met for mean in tally.means.values())


@pytest.mark.parametrize(
    "shrink",
    [
        lambda fan: _with(fan, outer_radius=np.maximum(fan.outer_radius * (1 - 1e-9), fan.inner_radius)),
        lambda fan: _with(fan, inner_radius=np.minimum(fan.inner_radius * (1 + 1e-9), fan.outer_radius)),
        lambda fan: _with(
            fan, half_angle=np.where(fan.half_angle < np.pi, fan.half_angle * (1 - 1e-9), np.pi)
        ),
        lambda fan: _with(fan, half_height=fan.half_height * (1 - 1e-9)),
    ],
)
def test_a_sector_too_small_by_a_billionth_is_caught(shrink: Callable[[Any], Any]) -> None:
    tally = SweepSubject(query=lambda *arguments: shrink(run_ougi(*arguments))).check(
        "capsule3d-enclosing", "random", 4_000, np.random.default_rng(2)
    )
    assert tally.failed["outside"] > 10
    assert tally.first is not None


def test_a_published_sector_beyond_the_sweep_is_caught() -> None:
    def wide(shape: Any, motion: Any, method: str) -> Any:
        fan = run_ougi(shape, motion, method)
        return _with(fan, outer_radius=fan.outer_radius * 1.3) if method == "sector" else fan

    tally = SweepSubject(query=wide).check("fan-sector", "random", 1_000, np.random.default_rng(3))
    assert tally.failed["not swept"] > 10
    assert tally.failed["not enclosed"] > 10


def test_a_mean_below_its_promise_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ougi_lab.verify.sweep.BALANCED", 0.99)
    assert verify("sweep", "fan-balanced", cases=10_000) == 1
    out = capsys.readouterr().out
    assert "fan-balanced: iou 1" in out
    assert "1 disagreements" in out


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_measured_overlap_is_that_of_a_lattice(dimension: int) -> None:
    """Polar areas against counted points, for the published sector."""
    rng = np.random.default_rng(4)
    case = draw_polar_motions(dimension, 40, rng)
    fan = run_ougi(case.body, case.motion, "sector")
    rho, psi = 45 * np.sqrt(rng.random((40_000, 1))), np.abs(rng.uniform(-np.pi, np.pi, (40_000, 1)))
    low, high = find_covered_angles(case, rho)
    swept = (psi >= low) & (psi <= high)
    own = (psi <= fan.half_angle) & (rho >= fan.inner_radius) & (rho <= fan.outer_radius)
    counted = (swept & own).sum(axis=0) / (swept | own).sum(axis=0)
    np.testing.assert_allclose(measure_overlap(case, fan), counted, atol=0.06)


def test_the_polar_form_is_the_exact_sweep() -> None:
    rng = np.random.default_rng(5)
    case = draw_polar_motions(2, 60, rng)
    rho, psi = 45 * np.sqrt(rng.random(60)), rng.uniform(-np.pi, np.pi, 60)
    low, high = find_covered_angles(case, rho)
    middle = np.arctan2(case.body.center[:, 1], case.body.center[:, 0]) + case.motion.angle / 2
    points = rho[:, None] * np.stack([np.cos(middle + psi), np.sin(middle + psi)], axis=1)
    found = ougi.contains(ougi.sweep(case.body, case.motion), points)
    assert np.array_equal(found, (np.abs(psi) >= low) & (np.abs(psi) <= high))


def test_samples_are_points_of_their_shapes() -> None:
    rng = np.random.default_rng(6)
    capsule = ougi.Capsule3d(rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.random(5))
    owner = np.arange(500) % 5
    points = draw_points(capsule, owner, rng).T
    depth = -ougi.distance(capsule[owner], points)
    assert (depth >= -1e-12).all()
    assert (depth <= 0.1 * capsule.radius[owner]).mean() > 0.3  # many are near the surface


@pytest.mark.parametrize("pair", ["box-exact", "rectangle-exact"])
@pytest.mark.parametrize(
    "wrong",
    [
        lambda body, motion: (_with(body, size=body.size * (1 - 1e-9)), motion),
        lambda body, motion: (_with(body, size=body.size * (1 + 1e-9)), motion),
        lambda body, motion: (body, _with(motion, angle=motion.angle * (1 - 1e-9))),
        lambda body, motion: (body, _with(motion, center=motion.center + 1e-9)),
    ],
)
def test_an_exact_sweep_wrong_by_a_billionth_is_caught(pair: str, wrong: Callable[..., Any]) -> None:
    def query(body: Any, motion: Any, method: str) -> Any:
        body, motion = wrong(body, motion)
        return run_ougi(body, motion, method)

    tally = SweepSubject(query=query).check(pair, "random", 20_000, np.random.default_rng(7))
    assert tally.failed["wrong"] > 10
    assert tally.first is not None


@pytest.mark.parametrize("pair", ["box-exact", "rectangle-exact"])
def test_points_about_exact_sweeps_are_of_all_kinds(pair: str) -> None:
    tally = SweepSubject().check(pair, "random", 5_000, np.random.default_rng(8))
    assert 1_000 < tally.counts["inside"] < 4_000
    assert 200 < tally.near < 4_000


def test_the_gap_of_a_turn_is_that_of_many_poses() -> None:
    rng = np.random.default_rng(9)
    body = ougi.Box(rng.normal(size=(40, 3)), rng.random((40, 3)), [0.48, 0.36, 0.48, 0.64])
    motion = ougi.Rotation3d(rng.normal(size=(40, 3)), rng.normal(size=(40, 3)), rng.uniform(-9, 9, 40))
    points = rng.normal(size=(40, 3))
    found, _ = measure_outside(body, motion, np.arange(40), points.T)
    seen = np.full(40, np.inf)
    for t in np.linspace(0, 1, 20_001):
        posed: Any = body.transformed(motion.at(t))
        local = (np.swapaxes(posed.rotation, 1, 2) @ (points - posed.center)[..., None])[..., 0]
        seen = np.minimum(seen, (np.abs(local) - posed.size / 2).max(axis=1))
    np.testing.assert_allclose(found, seen, atol=5e-3)
    assert (found <= seen + 1e-12).all()
