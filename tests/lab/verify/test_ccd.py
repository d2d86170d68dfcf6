"""Wrong first contacts that `ougi verify ccd` must catch, and right ones that it must not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi.lab.verify.ccd import Case, Ccd, ask, gap_at, grazing
from ougi.lab.verify.ccd_cases import random_bodies, random_motion
from ougi.shapes import Box, Sphere


def _late(answer: Any) -> Any:
    return replace(answer, t=np.where(answer.status == 1, np.minimum(answer.t + 1e-6, 1.0), answer.t))


def _early(answer: Any) -> Any:
    return replace(answer, t=np.where(answer.status == 1, answer.t * (1 - 1e-6), answer.t))


def _missed(answer: Any) -> Any:
    status = np.where(answer.status == 1, 0, answer.status)
    return replace(answer, status=status, hit=status == 2)


def _turned_normal(answer: Any) -> Any:
    return replace(answer, normal=-answer.normal)


def _point_beside(answer: Any) -> Any:
    return replace(answer, point=answer.point + 1e-5)


@pytest.mark.parametrize(
    ("mistake", "check"),
    [
        (_late, "late"),
        (_early, "early"),
        (_missed, "before"),
        (_turned_normal, "normal"),
        (_point_beside, "point"),
    ],
)
def test_a_planted_mistake_is_caught(mistake: Callable[[Any], Any], check: str) -> None:
    tally = Ccd(answer=lambda case: mistake(ask(case))).check(
        "sphere-box", "random", 600, np.random.default_rng(1)
    )
    assert tally.failed.get(check, 0) > 10
    assert tally.first is not None
    assert "Box" in tally.first["a"] + tally.first["b"]


@pytest.mark.parametrize("pair", ["sphere-box", "capsule3d-capsule3d", "segment3d-triangle3d", "box-box"])
def test_walks_times_margins_and_moving_targets_agree(pair: str) -> None:
    tally = Ccd().check(pair, "second", 60, np.random.default_rng(2))
    assert tally.disagreements == 0, (tally.failed, tally.first)


def test_grazing_targets_miss_or_overlap_by_a_little() -> None:
    rng = np.random.default_rng(4)
    body, target = random_bodies(Box, Sphere, 200, rng, "ordinary")
    case, at = grazing(Case(body, random_motion("rotation", body, target, rng), target), rng)
    gap = gap_at(case, at)
    near = np.abs(gap) < 1e-2
    assert near.sum() > 60
    assert 0.2 < (gap[near] > 0).mean() < 0.8
