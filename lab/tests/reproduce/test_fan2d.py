"""The counts of `fan2d` against plain NumPy on a small grid, which shares no code with them."""

from __future__ import annotations

import numpy as np
import pytest

from ougi._typing import Bools, Floats
from ougi_lab.reproduce import fan2d

SIDE = 12
PITCH = 1000 / SIDE
HALF = 0.4 * PITCH
INNER, OUTER, ACROSS = 100.0, 400.0, 40.0


def middles() -> Floats:
    places = np.array([PITCH * (k + 0.5) - 500 for k in range(SIDE)])
    return np.array([(x, y) for y in places for x in places])


def find_touched(angle: float) -> Bools:
    """Which squares a rectangle at an angle touches, by the axes that may separate two rectangles."""
    out = np.array([np.cos(angle), np.sin(angle)])
    left = np.array([-out[1], out[0]])
    corners = np.array([rho * out + s * ACROSS / 2 * left for rho in (INNER, OUTER) for s in (-1, 1)])
    reach = HALF * np.abs(out).sum()
    apart = np.zeros(SIDE * SIDE, np.bool_)
    for axis, own in (((1, 0), HALF), ((0, 1), HALF), (out, reach), (left, reach)):
        mine, theirs = corners @ np.asarray(axis), middles() @ np.asarray(axis)
        apart |= (theirs + own < mine.min()) | (theirs - own > mine.max())
    return ~apart


def in_fan(points: Floats, start: float, turn: float, slack: float) -> Bools:
    """Which points lie in the fan, grown by about `slack`."""
    rho = np.linalg.norm(points, axis=-1)
    psi = np.mod(np.arctan2(points[..., 1], points[..., 0]) - start + np.pi, 2 * np.pi) - np.pi
    lean = slack / INNER
    between = (psi >= -lean) & (psi <= turn + lean) | (psi <= turn + lean - 2 * np.pi)
    inside: Bools = (rho >= INNER - slack) & (rho <= OUTER + slack) & between
    return inside


@pytest.mark.parametrize("start", [0.0, 30.0])
def test_hits_are_those_of_plain_numpy(start: float) -> None:
    degrees = np.array([1, 7, 45, 90, 133, 180])
    found = fan2d.find_hits(fan2d.build_grid(SIDE), start, degrees)
    first = np.radians(start)
    at = [find_touched(first + np.radians(k)) for k in range(181)]
    offsets = np.linspace(-HALF, HALF, 41)
    points = middles()[:, None] + np.array([(x, y) for x in offsets for y in offsets])
    for row, k in enumerate(degrees):
        union = np.any(at[: k + 1], axis=0)
        assert np.array_equal(found["rotated_box"][row], union)
        fine = np.any([find_touched(first + np.radians(x)) for x in np.linspace(0, k, 20 * k + 1)], axis=0)
        assert np.all(found["exact"][row] >= fine)
        assert np.count_nonzero(found["exact"][row] & ~fine) <= 1  # a graze between two fine steps
        both = [
            np.array([rho * np.array([np.cos(a), np.sin(a)]) + s * 20 * np.array([-np.sin(a), np.cos(a)])])
            for a in (first, first + np.radians(k))
            for rho in (INNER, OUTER)
            for s in (-1, 1)
        ]
        lower, upper = np.concatenate(both).min(axis=0), np.concatenate(both).max(axis=0)
        box = np.all((middles() + HALF >= lower) & (middles() - HALF <= upper), axis=1)
        assert np.array_equal(found["speculative"][row], box)
        sure = in_fan(points, first, np.radians(k), 0.0).any(axis=1)
        perhaps = in_fan(points, first, np.radians(k), 2 * HALF / 40).any(axis=1)
        assert np.all(found["sector"][row] >= sure)
        assert np.all(found["sector"][row] <= perhaps)


def test_counts_add_up_and_the_claims_hold() -> None:
    outcome = fan2d.run(side=50, step=20)
    numbers = outcome.numbers["counts"]
    assert outcome.numbers["degrees"] == [20, 40, 60, 80, 100, 120, 140, 160, 180]
    for method in fan2d.METHODS:
        for reference in fan2d.REFERENCES:
            same, excess, missed, wrong = (
                np.array(numbers[f"{method}_{count}_{reference}"]) for count in fan2d.COUNTS
            )
            assert np.array_equal(same + excess, numbers[method])
            assert np.array_equal(same + missed, numbers[reference])
            assert np.array_equal(excess + missed, wrong)
    assert all(verdict.holds for verdict in outcome.verdicts if verdict.binding)
    first = next(figure for figure in outcome.figures if figure.name == "figure-3-1")
    assert first.columns[:5] == ("degrees", "sector", "speculative", "rotated_box", "exact")
    assert len(first.rows) == 9
    assert all(len(row) == len(first.columns) for row in first.rows)


def test_progress_reaches_the_end() -> None:
    calls: list[tuple[int, int]] = []
    fan2d.run(side=5, step=5, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(20, 36), (36, 36)]
