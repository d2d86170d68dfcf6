"""The oracle of radars, and that it catches mistakes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.scenes.mesh_pairs import FAMILIES, MovingMeshes, draw_mesh
from ougi_lab.scenes.meshes import make_angle_iron, make_box, make_sphere, make_torus, move_mesh
from ougi_lab.verify import radar_oracle as oracle
from ougi_lab.verify.radar import ROWS, Radar, measure_coal_error, run_ougi

EYE = np.eye(3)


def at(mesh: ougi.Mesh, *place: float) -> ougi.Mesh:
    return move_mesh(mesh, EYE, np.array(place))


@pytest.mark.parametrize(
    "mesh", [make_box(), make_angle_iron(), make_torus(8, 5), make_sphere(8, 5, bumps=0.2)]
)
def test_bodies_are_closed_and_wound_outward(mesh: ougi.Mesh) -> None:
    ougi.radar.Meshes(mesh)


def test_all_kinds_of_bodies_are_closed() -> None:
    rng = np.random.default_rng(3)
    for kind in FAMILIES:
        ougi.radar.Meshes([draw_mesh(kind, rng), draw_mesh(kind, rng, large=True)])


def test_the_oracle_knows_plain_cases() -> None:
    a, b = oracle.extract_body(make_box()), oracle.extract_body(at(make_box(), 0.3, 0.2, 3))
    assert oracle.find_straight_contacts(a, b, np.array([0, 0, 1.0])).first(1e-12) == pytest.approx(
        2.0, abs=1e-14
    )
    assert oracle.find_straight_contacts(a, b, np.array([0, 0, -1.0])).first(1e-12) == math.inf
    assert oracle.measure_piercing(a, oracle.extract_body(at(make_box(), 0.5, 0.4, 0.3))) > 0.1
    assert oracle.measure_piercing(a, b) < 0
    assert oracle.encloses(oracle.extract_body(make_box((3, 3, 3))), np.zeros(3))
    assert not oracle.encloses(a, np.array([0.0, 0, 3]))
    door, post = (
        oracle.extract_body(at(make_box((1, 0.05, 2)), 0.5, 0, 0)),
        oracle.extract_body(at(make_box((0.1, 0.1, 1)), 0, 0.8, 0)),
    )
    turn = oracle.ScrewTurn(np.zeros(3), np.array([0, 0, 1.0]), math.pi / 2, 0.0)
    expected = math.atan2(0.75, 0.05) - math.asin(0.025 / math.hypot(0.75, 0.05))
    assert oracle.find_turning_contacts(door, post, turn, np.zeros(0)).first(1e-12) == pytest.approx(
        expected, abs=1e-13
    )


@pytest.mark.parametrize("row", ROWS)
def test_a_short_run_finds_no_mistake(row: str) -> None:
    tally = Radar().check(row, "random", 12, np.random.default_rng(20))
    assert tally.disagreements == 0, tally.first
    assert tally.cases == 12


def late(case: MovingMeshes, mode: Any) -> Any:
    found = run_ougi(case, mode)
    return replace(found, distance=found.distance + 1e-6)


def blind(case: MovingMeshes, mode: Any) -> Any:
    """A radar that looks through the middles of its pixels only."""
    found = run_ougi(replace(case, pixels=8), "published")
    return found if mode == "exact" else run_ougi(case, mode)


def narrow(case: MovingMeshes, mode: Any) -> Any:
    found = run_ougi(case, mode)
    return replace(found, lower=found.lower + 0.01) if mode == "bracket" else found


@pytest.mark.parametrize(("mistake", "check"), [(late, "distance"), (blind, "distance"), (narrow, "bracket")])
def test_planted_mistakes_are_caught(mistake: Any, check: str) -> None:
    tally = Radar(query=mistake).check("box", "random", 12, np.random.default_rng(2))
    assert tally.failed[check] > 0
    assert tally.first is not None


def test_a_turn_that_is_late_is_caught() -> None:
    tally = Radar(query=late).check("turn", "random", 6, np.random.default_rng(2))
    assert tally.failed["distance"] > 0


def test_coal_agrees_and_contradicts_a_mistake() -> None:
    pytest.importorskip("coal")
    case = MovingMeshes(
        make_sphere(16, 12, 0.5), at(make_torus(24, 12), 0.9, 0, 3), ougi.Translation3d([0, 0, 4]), 16
    )
    found = run_ougi(case, "exact")
    assert found.status == 1
    assert measure_coal_error(case, found) <= 1
    assert measure_coal_error(case, replace(found, distance=found.distance + 1e-6)) > 1


def test_coal_does_not_decide_what_is_inside() -> None:
    pytest.importorskip("coal")
    inside = MovingMeshes(make_box((0.2, 0.2, 0.2)), make_box((2, 2, 2)), ougi.Translation3d([0, 0, 4]), 16)
    found = run_ougi(inside, "exact")
    assert found.status == 2
    assert measure_coal_error(inside, found) == 0
    assert measure_coal_error(replace(inside, target=at(make_box(), 0, 0, 3)), found) > 1
