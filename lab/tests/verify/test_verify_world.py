"""`ougi verify world` finds nothing in worlds as they are, and mistakes that are planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.shapes import Point2d
from ougi.world import Events
from ougi_lab.scenes.groups import RandomGroup
from ougi_lab.verify.tally import Tally
from ougi_lab.verify.world import AllPairs, Worlds, run_ougi

SQUARE = ougi.Aabb2d([[0, 0]], [[1, 1]])


def run_check(query: Any, pair: str = "plane", n: int = 4000) -> Tally:
    return Worlds(query).check(pair, "random", n, np.random.default_rng(5))


@pytest.mark.parametrize("pair", Worlds().pairs())
def test_worlds_report_what_all_pairs_do(pair: str) -> None:
    tally = run_check(run_ougi, pair)
    assert tally.disagreements == 0
    assert tally.counts["hits"] > 30


def lose_one(events: Events) -> Events:
    """One contact that began is not reported."""
    keep = np.ones(len(events), np.bool_)
    keep[np.flatnonzero(events.state == 0)[:1]] = False
    return events[keep]


def never_ends(events: Events) -> Events:
    return events[events.state != 2]


def begins_again(events: Events) -> Events:
    return replace(events, state=np.where(events.state == 1, 0, events.state))


def comes_late(events: Events) -> Events:
    return replace(events, time=np.where(events.state == 0, events.time + 0.01, events.time))


@pytest.mark.parametrize(
    ("mistake", "check"),
    [(lose_one, "missed"), (never_ends, "not ended"), (begins_again, "state"), (comes_late, "time")],
)
def test_planted_mistakes_are_found(mistake: Any, check: str) -> None:
    def query(groups: list[RandomGroup], seconds: list[float]) -> list[Any]:
        return [mistake(events) for events in run_ougi(groups, seconds)]

    tally = run_check(query)
    assert tally.failed[check] > 0
    assert tally.first is not None


def test_reported_pairs_that_masks_forbid_are_found() -> None:
    def query(groups: list[RandomGroup], seconds: list[float]) -> list[Any]:
        return run_ougi([replace(group, group=1, mask=-1) for group in groups], seconds)

    assert run_check(query, n=8000).failed["false"] > 0


@pytest.mark.parametrize(
    ("moving", "motion", "resting", "is_late"),
    [
        # About a corner that both share: rounding decides when that begins.
        (SQUARE, ougi.Rotation2d([[0, 0]], 0.5), ougi.Aabb2d([[-1, -1]], [[0, 0]]), 0),
        # Away from the other and back to it.
        (ougi.Circle([[2, 0]], 1), ougi.Rotation2d([[3, 0]], 2 * np.pi), ougi.Circle([[0, 0]], 1), 1),
    ],
)
def test_a_later_time_is_right_if_bodies_touch_until_then(
    moving: Any, motion: Any, resting: Any, is_late: int
) -> None:
    groups = [RandomGroup(moving, motion), RandomGroup(resting, None)]
    (events,) = run_ougi(groups, [1.0])
    later = replace(events, time=np.full(len(events), 0.5))
    errors = AllPairs(groups, 0.0, 1.0, None).find_errors(later)["time"]
    assert events.state.tolist() == [0]
    assert (errors > 1).sum() == is_late


def test_points_that_pass_through_each_other_touch() -> None:
    """A point moves straight to one that turns about itself. In integers, they meet after one second.

    Far from the origin the pose of the turning one is rounded, so a query from the start of a step misses it.
    """
    at, speed, target = (1_000_001, 999_999), (0, 1), (1_000_001, 1_000_000)
    assert (at[0] + speed[0], at[1] + speed[1]) == target
    groups = [
        RandomGroup(Point2d(np.array([at], np.float64)), ougi.Translation2d([speed])),
        RandomGroup(
            Point2d(np.array([target], np.float64)), ougi.Rotation2d([target], [-0.7502319737253593])
        ),
    ]
    tally = Tally()
    Worlds()._scene(tally, groups, [0.7067751690402978, 0.824322590778007])
    assert tally.disagreements == 0, tally.first
