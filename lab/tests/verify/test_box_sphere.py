"""`ougi verify box-sphere`: a turning box and a ball, by ranges of angles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi_lab.scenes.motions import gap_at
from ougi_lab.verify.box_sphere import BoxSphere, draw_turns
from ougi_lab.verify.ccd import run_ougi
from ougi_lab.verify.command import verify


@pytest.mark.parametrize("span", BoxSphere().pairs())
def test_nothing_is_missed_false_or_late(span: str) -> None:
    tally = BoxSphere().check(span, "random", 500, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.counts["hits"] > 20
    assert tally.largest["gap"] < 1e-12
    assert tally.largest["time"] <= 1e-12


def _later(by: float) -> Callable[[Any], Any]:
    return lambda result: replace(result, t=np.where(result.status == 1, result.t + by, result.t))


def _drop_hits(result: Any) -> Any:
    return replace(result, status=np.where(result.status == 1, 0, result.status))


@pytest.mark.parametrize(
    ("mistake", "check"),
    [(_later(1e-10), "late"), (_later(-1e-10), "false"), (_later(3e-12), "time"), (_drop_hits, "missed")],
)
def test_a_planted_mistake_is_caught(mistake: Callable[[Any], Any], check: str) -> None:
    wrong = BoxSphere(query=lambda case: mistake(run_ougi(case)))
    tally = wrong.check("90-180", "random", 500, np.random.default_rng(2))
    assert tally.failed.get(check, 0) > 20


def test_the_plain_gap_is_the_distance() -> None:
    turn = draw_turns((90, 180), 300, np.random.default_rng(3))
    t = np.random.default_rng(4).random(300)
    np.testing.assert_allclose(turn.gap(t), gap_at(turn.case(), t), atol=1e-12)


def test_pivots_are_anywhere() -> None:
    turn = draw_turns((0, 10), 2_000, np.random.default_rng(5))
    local = np.einsum("nji,nj->ni", turn.axes, turn.pivot - turn.middle)
    inside = (np.abs(local) <= turn.half).all(axis=1)
    assert 0.05 < inside.mean() < 0.95
    assert (np.linalg.norm(local, axis=1) > 5).mean() > 0.02


def test_the_command_prints_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("box-sphere", "10-90", cases=300) == 0
    out = capsys.readouterr().out
    assert "hits" in out
    assert "time <= " in out
