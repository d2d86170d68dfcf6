"""A fast slice of `ougi verify moving-solid`, mistakes that it must catch, and its steps along a path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.scenes.motions import MovingPairs, draw_moving_pairs, gap_at, separation_at
from ougi_lab.verify.ccd import run_ougi
from ougi_lab.verify.narrow import parse_pair
from ougi_lab.verify.solid import MovingSolids, _find_free_step

PAIRS = ["cone-box", "ellipsoid-capsule3d", "cylinder-convexhull3d", "cone-cylinder"]


CASES = [(pair, "random", 48) for pair in PAIRS] + [("cone-box", "near", 12), ("cone-cylinder", "second", 12)]


@pytest.mark.parametrize(("pair", "kind", "n"), CASES)
def test_first_contacts_are_proved(pair: str, kind: str, n: int) -> None:
    tally = MovingSolids().check(pair, kind, n, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


def check(**changes: Any) -> dict[str, int]:
    """The failed checks if fields of results are replaced by functions of the results."""

    def query(case: MovingPairs) -> Any:
        result = run_ougi(case)
        return replace(result, **{name: change(result) for name, change in changes.items()})

    return MovingSolids(query).check("cone-box", "random", 240, np.random.default_rng(2)).failed


def test_nothing_fails_without_a_mistake() -> None:
    assert check() == {}


def test_a_missed_contact_is_caught() -> None:
    failed = check(status=lambda r: np.where(r.status == 1, 0, r.status))
    assert failed["before"] > 10


def test_a_late_contact_is_caught() -> None:
    failed = check(t=lambda r: np.minimum(r.t + 0.01, 1.0))
    assert failed["contact"] > 10
    assert failed["before"] > 10


def test_an_early_contact_is_caught() -> None:
    assert check(t=lambda r: np.maximum(r.t - 0.01, 0.0))["contact"] > 10


def test_a_wrong_normal_and_a_point_beside_the_target_are_caught() -> None:
    assert check(normal=lambda r: -r.normal)["normal"] > 10
    assert check(point=lambda r: r.point + 1e-3)["point"] > 10


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("motion", ["rotation", "screw", "translation"])
def test_bodies_stay_apart_during_a_free_step(pair: str, motion: str) -> None:
    rng = np.random.default_rng(3)
    case = draw_moving_pairs(*parse_pair(pair), motion, True, 60, rng)
    n = case.body.count
    case = case.take(gap_at(case, np.zeros(n)) > 0)
    n = case.body.count
    start, width = np.zeros(n), np.full(n, 1e-9)
    _, normal = separation_at(case, start)
    step = _find_free_step(case, start, normal.T, np.ones(n), width)
    for share in np.linspace(0, 1, 9):
        assert (gap_at(case, share * step) >= -1e-9).all()


def test_a_body_that_slides_along_another_is_proved_by_one_step() -> None:
    cone, box = ougi.Cone([[0, 0, 1 + 1e-9]], [0, 0, 1], 1, 1), ougi.Box([[0, 0, -1]], [20, 20, 2])
    turn = ougi.Rotation3d([[5, 0, 0]], [0, 0, 1], 1.0)
    case = MovingPairs(cone, turn, box)
    step = _find_free_step(case, np.zeros(1), np.array([[0.0, 0.0, -1.0]]), np.ones(1), np.full(1, 1e-9))
    assert step == 1.0


def test_a_plane_that_turns_with_a_body_proves_more_than_one_that_rests() -> None:
    """Two faces that lie flat on each other turn together: a plane that rests would cut them at once."""
    box, cylinder = ougi.Box([[0, 0, 0]], [2, 2, 2]), ougi.Cylinder([[0, 0, 1.5 + 1e-6]], [0, 0, 1], 1, 0.5)
    turn = ougi.Rotation3d([[0, 0, 1]], [1, 0, 0], 0.5)
    case = MovingPairs(box, turn, cylinder, turn)
    normal = np.array([[0.0, 0.0, 1.0]])
    assert _find_free_step(case, np.zeros(1), normal, np.ones(1), np.full(1, 1e-9)) > 1e-4
