"""A fast slice of `ougi verify narrow`, and wrong kernels that it must catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ougi._native import Loops
from ougi._typing import Bools, Floats
from ougi.query import dispatch
from ougi_lab.scenes.pairs import draw_pairs
from ougi_lab.verify.narrow import Narrow, OugiNarrow, move_near, parse_pair

Separation = tuple[Floats, Floats, Floats, Floats]


@pytest.mark.parametrize("pair", Narrow().pairs())
def test_random_answers_are_proved(pair: str) -> None:
    tally = Narrow().check(pair, "random", 2_000, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.cases == 2_000


@pytest.mark.parametrize("pair", Narrow().pairs())
def test_near_touching_answers_are_proved(pair: str) -> None:
    tally = Narrow().check(pair, "near", 500, np.random.default_rng(2))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.near == 500


@pytest.mark.parametrize("pair", Narrow().pairs())
def test_other_libraries_agree(pair: str) -> None:
    tally = Narrow().check(pair, "second", 60, np.random.default_rng(3))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert (
        tally.peers["shapely" if "2d" in pair or "circle" in pair or "rect" in pair else "coal"].cases == 60
    )


class Planted(OugiNarrow):
    """Right answers but for one planted mistake."""

    def __init__(self, mistake: Callable[[Separation], Separation]) -> None:
        self._mistake = mistake

    def separation(self, a: Any, b: Any) -> Separation:
        return self._mistake(super().separation(a, b))


def _longer(s: Separation) -> Separation:
    """The distance of separated pairs, and with it the second point, is off by 1e-9."""
    more = np.where(s[0] > 0.1, 1e-9, 0.0)
    return s[0] + more, s[1], s[2], s[3] + more[:, None] * s[1]


def _deeper(s: Separation) -> Separation:
    more = np.where(s[0] < -0.1, -1e-9, 0.0)
    return s[0] + more, s[1], s[2], s[3] + more[:, None] * s[1]


def _tilt_normal(s: Separation) -> Separation:
    """The normal of contacts leans by 1e-4; the points go with it."""
    tilt = np.where(s[0] < -0.1, 1e-4, 0.0)[:, None] * np.roll(s[1], 1, axis=1)
    n = s[1] + tilt
    n = n / np.linalg.norm(n, axis=1, keepdims=True)
    return s[0], n, s[2], s[2] + s[0][:, None] * n


def _reverse_normal(s: Separation) -> Separation:
    return s[0], -s[1], s[2], s[3]


def _long_normal(s: Separation) -> Separation:
    return s[0], s[1] * (1 + 1e-12), s[2], s[3]


def _shift_points(s: Separation) -> Separation:
    """Both points move together: the right distance at the wrong place."""
    slip = 1e-9 * np.roll(s[1], 1, axis=1) + 1e-9 * s[1]
    return s[0], s[1], s[2] + slip, s[3] + slip


def _not_a_number(s: Separation) -> Separation:
    return np.where(np.arange(len(s[0])) == 7, np.nan, s[0]), s[1], s[2], s[3]


_MISTAKES = [_longer, _deeper, _tilt_normal, _reverse_normal, _long_normal, _shift_points, _not_a_number]


@pytest.mark.parametrize(
    "pair", ["circle-rectangle", "triangle2d-triangle2d", "sphere-box", "sphere-capsule3d"]
)
@pytest.mark.parametrize("mistake", _MISTAKES)
def test_a_planted_mistake_is_caught(mistake: Callable[[Separation], Separation], pair: str) -> None:
    tally = Narrow(Planted(mistake)).check(pair, "random", 1_000, np.random.default_rng(4))
    assert tally.disagreements > 0
    assert tally.first is not None


class Deaf(OugiNarrow):
    """Misses hits that are not deeper than a given depth."""

    def __init__(self, depth: float) -> None:
        self._depth = depth

    def intersects(self, a: Any, b: Any, pairs: Any = None) -> Bools:
        hit = super().intersects(a, b, pairs)
        if pairs is None and a.shape == b.shape:
            hit = hit & (super().separation(a, b)[0] < -self._depth)
        return hit


@pytest.mark.parametrize("pair", ["circle-rectangle", "sphere-sphere", "sphere-aabb3d"])
def test_a_missed_hit_is_caught(pair: str) -> None:
    tally = Narrow(Deaf(1e-2)).check(pair, "random", 2_000, np.random.default_rng(5))
    assert tally.failed["intersects"] > 0


@pytest.mark.parametrize("pair", ["circle-rectangle", "sphere-sphere", "sphere-aabb3d"])
def test_a_hit_missed_by_a_hair_is_caught_by_near_cases(pair: str) -> None:
    tally = Narrow(Deaf(1e-9)).check(pair, "near", 2_000, np.random.default_rng(5))
    assert tally.failed["known side"] > 0


def test_a_wrong_depth_is_caught_where_the_second_best_axis_is_taken() -> None:
    """Every unit vector bounds the depth: only the enumeration of all axes finds a better one."""

    def other_face(s: Separation) -> Separation:
        deep = s[0] < -0.2
        n = np.where(deep[:, None], np.roll(s[1], 1, axis=1), s[1])
        return s[0], n, s[2], s[2] + s[0][:, None] * n

    tally = Narrow(Planted(other_face)).check("aabb3d-aabb3d", "random", 500, np.random.default_rng(6))
    assert tally.failed["normal"] > 0
    assert tally.failed["point_b"] > 0


def test_a_planted_kernel_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ball test that compares the distance of the centers with the larger radius, not with the sum."""
    real = dispatch.pair_loops

    def wrong(a: Floats, b: Floats, i: Any, j: Any) -> Bools:
        gap_sq = ((a[:3, i] - b[:3, j]) ** 2).sum(axis=0)
        hit: Bools = gap_sq <= np.maximum(a[3, i], b[3, j]) ** 2
        return hit

    def cross(a: Floats, b: Floats, out: Bools, start: int, stop: int) -> None:
        i, j = np.divmod(np.arange(start, stop), b.shape[1])
        out[start:stop] = wrong(a, b, i, j)

    def listed(a: Floats, b: Floats, pairs: Any, column: int, out: Bools, start: int, stop: int) -> None:
        rows = pairs[start:stop]
        out[start:stop] = wrong(a, b, rows[:, column], rows[:, 1 - column])

    def plant_mistake(question: str, kernel: str) -> Loops:
        chosen = question == "intersects" and kernel == "sphere_sphere"
        loops = real(question, kernel)
        if chosen:
            loops = Loops(loops.name, lambda: real(question, kernel).parts)
            vars(loops).update(cross=cross, listed=listed)
        return loops

    monkeypatch.setattr(dispatch, "pair_loops", plant_mistake)
    tally = Narrow().check("sphere-sphere", "random", 1_000, np.random.default_rng(7))
    assert tally.failed["intersects"] > 50
    assert set(tally.failed) == {"intersects"}


def test_first_disagreement_can_be_repeated() -> None:
    """Its reprs are the shapes, to the last bit."""
    import ougi

    tally = Narrow(Planted(_longer)).check("sphere-box", "random", 500, np.random.default_rng(8))
    assert tally.first is not None
    a, b = (eval(tally.first[key], {"Sphere": ougi.Sphere, "Box": ougi.Box}) for key in ("a", "b"))
    assert float(ougi.distance(a, b)) == pytest.approx(tally.first["signed"] - 1e-9, abs=1e-12)


def test_near_cases_lie_on_both_sides_and_at_all_sizes() -> None:
    rng = np.random.default_rng(9)
    x, y = draw_pairs(*parse_pair("sphere-box"), 2_000, rng)
    _, _, known = move_near(OugiNarrow(), x, y, 1_500, rng)
    assert len(known) == 1_500
    for power in range(-11, -3):
        size = (np.abs(known) > 10.0**power) & (np.abs(known) < 10.0 ** (power + 2))
        assert (known[size] > 0).any()
        assert (known[size] < 0).any()
    assert (known == 0).any()
