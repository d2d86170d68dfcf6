"""`fan-width`: what no end pose covers, beside a sweep whose share is known."""

from __future__ import annotations

import numpy as np
import pytest

import ougi
from ougi.errors import InvalidInputError
from ougi_lab.reproduce import fan_width
from ougi_lab.scenes import fan_motions


def test_a_quarter_turn_of_a_thin_box_is_passed_nearly_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thin long box: the end poses are lines, and the sweep is a quarter of a ring."""

    def draw(n: int, spread: float, rng: np.random.Generator) -> tuple[ougi.Box, ougi.Rotation3d]:
        box = ougi.Box(np.tile([0.0, 20, 0], (n, 1)), [0.01, 10.0, 2.0])
        return box, ougi.Rotation3d(np.zeros((n, 3)), [0, 0, 1], np.full(n, np.pi / 2))

    monkeypatch.setattr(fan_width, "draw_fan_turns", draw)
    stretch, passed = fan_width.measure_passed(3, 4_000, np.random.default_rng(0))
    assert stretch.tolist() == [9.99] * 3
    assert (passed > 0.995).all()


def test_without_a_turn_nothing_is_passed() -> None:
    rng = np.random.default_rng(1)
    box, turn = fan_motions.draw_fan_turns(4, 0.0, rng)
    still = ougi.Rotation3d(turn.center, turn.axis, 0.0)
    points = rng.uniform(-40, 40, (20_000, 1, 3))
    swept = ougi.contains(ougi.sweep(box, still), points)
    assert np.array_equal(swept, ougi.contains(box, points))


def test_few_motions_are_not_judged() -> None:
    outcome = fan_width.run(motions=40, points=40)
    assert {verdict.holds for verdict in outcome.verdicts} == {None}
    with pytest.raises(InvalidInputError, match="motions must be at least 20, got 3"):
        fan_width.run(motions=3)
