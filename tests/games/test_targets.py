"""Targets of swings: what they are given as."""

from __future__ import annotations

import pytest

import ougi
from ougi.games import Hitbox, Swing, TargetSet

CORNERS = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]]
PLACES = [[60.0, 0.0], [0.0, 60.0], [-60.0, 0.0], [0.0, -60.0]]


def test_four_corners_for_four_targets_are_refused_because_they_may_be_four_points() -> None:
    targets = TargetSet()
    with pytest.raises(ValueError, match=r"4 points for 4 targets can mean both; .*Hitbox\(corners\)"):
        targets.update("abcd", PLACES, hitboxes=CORNERS)
    targets.update("abcd", PLACES, hitboxes=Hitbox(CORNERS))
    sword = Swing(ougi.Segment2d([0, 0], [56, 0]))
    sword.begin((0, 0), -0.1)
    sword.move_to((0, 0), 0.1)
    assert [hit.target for hit in sword.hits(targets)] == ["a"]  # whose corners are at 55
    targets.update("abc", PLACES[:3], hitboxes=CORNERS)  # one polygon for all


def test_a_point_may_be_the_hit_box_of_one_or_two_targets() -> None:
    targets = TargetSet()
    targets.update("ab", PLACES[:2], hitboxes=[[0, 0], [1, 0]])
    assert targets.targets == ["a", "b"]


def test_the_name_of_a_picture_is_no_hit_box() -> None:
    with pytest.raises(TypeError, match=r"hitbox: shape must be a shape of the plane, .*got str; load the"):
        Swing("sword.png")
    assert Swing(ougi.Circle([5, 0], 1)).hitbox.reach == 6
