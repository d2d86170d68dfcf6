"""`ougi verify corridor` finds nothing in corridors as they are, and mistakes that are planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi_lab.results import load_result
from ougi_lab.scenes.corridors import draw_circles
from ougi_lab.verify.corridor import Corridors, find_contact_errors, run_step
from ougi_lab.verify.tally import Tally


def run_check(step: Any = run_step, kind: str = "random", n: int = 640, structure: str = "reach") -> Tally:
    return Corridors(step, frames=200).check(structure, kind, n, np.random.default_rng(3))


@pytest.mark.parametrize("structure", Corridors().pairs())
def test_circles_touch_the_wall_where_they_should(structure: str) -> None:
    tally = run_check(structure=structure, n=1280)
    assert tally.disagreements == 0
    assert tally.counts["contacts"] > 50


def test_no_circle_gets_out_in_long_runs() -> None:
    tally = run_check(kind="near", n=20_000)
    assert tally.disagreements == 0
    assert tally.counts["bounces"] > 1000


def through_the_wall(
    walls: Corridor, position: Floats, velocity: Floats, radius: float, structure: str
) -> Any:
    """A test once per frame: nothing is swept."""
    moved = run_step(walls, position, velocity, radius, structure)
    free = moved.bounce_count == 0
    return replace(moved, position=np.where(free[:, None], moved.position, position + velocity))


def gains_speed(walls: Corridor, position: Floats, velocity: Floats, radius: float, structure: str) -> Any:
    moved = run_step(walls, position, velocity, radius, structure)
    return replace(moved, velocity=moved.velocity * (1 + 1e-10))


@pytest.mark.parametrize(
    ("mistake", "kind", "check"),
    [
        (through_the_wall, "random", "trajectory"),
        (through_the_wall, "random", "end"),
        (through_the_wall, "near", "outside"),
        (gains_speed, "near", "speed"),
    ],
)
def test_planted_mistakes_are_found(mistake: Any, kind: str, check: str) -> None:
    tally = run_check(mistake, kind, 640 if kind == "random" else 20_000)
    assert {"index", "check", "error", "a", "b"} == set(tally.first or {})  # what `show` prints
    assert tally.failed[check] > 0


def test_contacts_that_are_off_are_found() -> None:
    walls = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    start, motion = draw_circles(walls, 50, 0.1, 20.0, np.random.default_rng(0))
    cast = walls.cast(start, motion, 0.1)
    late = replace(cast, t=cast.t + 1e-9)
    turned = replace(cast, normal=cast.normal[:, ::-1].copy())
    lost = replace(cast, t=np.full(50, np.nan), hit=np.full(50, False), segment=np.full(50, -1))

    def worst(result: Any, check: str) -> float:
        return float(find_contact_errors(walls, start, motion, 0.1, result)[check].max())

    assert max(worst(cast, check) for check in ("gap", "on the way", "normal", "moving away")) <= 1
    assert worst(late, "gap") > 1
    assert worst(turned, "normal") > 1
    assert worst(lost, "on the way") > 1


def test_the_committed_run_is_about_all_structures() -> None:
    report = load_result("verify-corridor")
    assert report is not None
    subject = Corridors()
    assert report["disagreements"] == 0
    assert set(report["pairs"]) == set(subject.pairs())
    long = load_result("verify-corridor-reach")
    assert long is not None
    assert long["disagreements"] == 0
    assert long["pairs"]["reach"]["counts"]["frames"] >= 1_000_000
