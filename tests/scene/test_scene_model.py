"""Scenes in memory: bodies over time, and which pairs are wanted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.scene import Body, Check, Piece


def swing() -> Body:
    """Rests for a second, turns a quarter in two, rests, then moves up."""
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2)
    up = ougi.Translation3d([0, 0, 6])
    return Body("arm", ougi.Sphere([1, 0, 0], 0.1), (Piece(1, 3, turn), Piece(4, 6, up)), carrier="arm")


def test_a_body_rests_before_between_and_after_its_pieces() -> None:
    body = swing()
    for t, place in (
        (0, [1, 0, 0]),
        (1, [1, 0, 0]),
        (2, [math.sqrt(0.5), math.sqrt(0.5), 0]),
        (3, [0, 1, 0]),
        (3.7, [0, 1, 0]),
        (5, [0, 1, 3]),
        (60, [0, 1, 6]),
    ):
        np.testing.assert_allclose(body.at(t).apply([1, 0, 0]), place, atol=1e-12)


def test_spans_give_the_shape_at_their_start_and_the_motion_until_their_end() -> None:
    body = swing()
    assert body.during(0, 1)[1] is None
    assert body.during(3, 4)[1] is None
    assert body.during(6, 9)[1] is None
    for start, stop in ((1, 3), (1.5, 2), (4, 4.5), (5, 6)):
        shape: Any
        shape, motion = body.during(start, stop)
        assert motion is not None
        np.testing.assert_allclose(shape.center, body.at(start).apply([1, 0, 0]), atol=1e-12)
        np.testing.assert_allclose(
            motion.at(1).apply(shape.center), body.at(stop).apply([1, 0, 0]), atol=1e-12
        )
    with pytest.raises(ValueError, match=r"the motion of 'arm' changes between 2 and 5 s"):
        body.during(2, 5)


def test_spans_begin_where_the_motions_before_them_end() -> None:
    turn, move = ougi.Rotation3d([1, 0, 0], [0, 0, 1], 0.7), ougi.Translation3d([0, 2, 0])
    motions = [turn, ougi.Chain(turn, move), move, ougi.Chain(move, turn), turn, ougi.Chain(turn, move, turn)]
    pieces = tuple(Piece(k, k + 1, motion) for k, motion in enumerate(motions))
    body = Body("b", ougi.Sphere([0, 0, 0], 1), pieces)
    pose = ougi.Pose([0, 0, 0])
    spans = body.spans(7.0)
    assert [span.motion for span in spans] == [*motions, None]
    for span, motion in zip(spans, [*motions, turn], strict=True):
        for begin in (span.pose, body.at(span.start)):
            np.testing.assert_allclose(begin.apply(np.eye(3)), pose.apply(np.eye(3)), atol=1e-14)
        pose = motion.at(1.0) @ pose


def test_the_times_of_a_scene_are_those_of_all_its_bodies() -> None:
    cart = Body("cart", ougi.Sphere([9, 0, 0], 1), (Piece(0.5, 5, ougi.Translation3d([1, 0, 0])),))
    assert ougi.Scene((swing(), cart), duration=4.5).times.tolist() == [0, 0.5, 1, 3, 4, 4.5]
    assert ougi.Scene((), duration=0).times.tolist() == [0]


def test_a_scene_lasts_until_its_last_motion_is_over_unless_it_says_how_long() -> None:
    assert ougi.Scene((swing(),)).duration == 6
    assert ougi.Scene(tuple(balls("rest"))).duration == 0
    assert ougi.Scene((swing(),), duration=0).duration == 0
    for bad in (-1, math.nan):
        with pytest.raises(ValueError, match=f"duration must .*, got {bad}"):
            ougi.Scene((swing(),), duration=bad)


def balls(*names: str, **more: Any) -> list[Body]:
    return [Body(name, ougi.Circle([k, 0], 1), **more) for k, name in enumerate(names)]


def test_groups_and_masks_must_agree_on_both_sides() -> None:
    a, b, c = balls("a")[0], balls("b", group=2)[0], balls("c", group=4, mask=2)[0]
    scene = ougi.Scene((a, b, c), checks=(Check("*", "*"),))
    assert scene.covers([[0, 1], [0, 2], [1, 2], [0, 0]]).tolist() == [True, False, True, False]
    assert scene.covers([[1, 0], [2, 0], [2, 1]]).tolist() == [True, False, True]


def test_checks_are_patterns_in_either_order() -> None:
    scene = ougi.Scene(tuple(balls("left wall", "right wall", "ball")), checks=(Check("* wall", "ball"),))
    assert scene.covers([[0, 1], [0, 2], [2, 0], [2, 1]]).tolist() == [False, True, True, True]
    assert scene.covers(np.empty((0, 2), np.int64)).shape == (0,)


def test_without_checks_all_but_one_assembly_is_wanted() -> None:
    wall, post = balls("wall", "post")
    door, knob = balls("door", "knob", carrier="hinge")
    scene = ougi.Scene((wall, post, door, knob))
    assert scene.covers([[0, 1], [0, 2], [1, 3], [2, 3]]).tolist() == [True, True, True, False]


def test_pairs_that_are_kept_apart_are_not_wanted() -> None:
    scene = ougi.Scene(tuple(balls("a", "b", "c")), checks=(Check("*", "*"),), neighbours=frozenset({(0, 1)}))
    assert scene.covers([[0, 1], [1, 0], [1, 2]]).tolist() == [False, False, True]


def test_scenes_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="different names, got 'a' 2 times"):
        ougi.Scene(tuple(balls("a", "b", "a")))
    with pytest.raises(ValueError, match="one dimension"):
        ougi.Scene((*balls("a"), Body("b", ougi.Sphere([0, 0, 0], 1))))
    with pytest.raises(ValueError, match=r"duration must not be negative, got -1\.0"):
        ougi.Scene((), duration=-1.0)


@pytest.mark.parametrize(
    ("spans", "reason"),
    [
        ([(2, 3), (0, 1)], "got one from 0 to 1 s after 3 s, at index 1"),
        ([(0, 2), (1, 3)], "got one from 1 to 3 s after 2 s, at index 1"),
        ([(2, 1)], "got one from 2 to 1 s after 0 s, at index 0"),
        ([(-1.0, 1.0)], "got one from -1 to 1 s"),
        ([(0, math.nan)], "got one from 0 to nan s"),
        ([(0, math.inf)], "got one from 0 to inf s"),
    ],
)
def test_pieces_that_do_not_follow_each_other_are_refused(
    spans: list[tuple[float, float]], reason: str
) -> None:
    move = ougi.Translation2d([1, 0])
    with pytest.raises(ValueError, match=f"pieces of 'a' must follow each other from t = 0 on, {reason}"):
        balls("a", pieces=tuple(Piece(start, stop, move) for start, stop in spans))


def test_a_body_has_one_shape() -> None:
    with pytest.raises(ValueError, match="body 'a' must have a single shape, got <Circle batch of shape"):
        Body("a", ougi.Circle([[0, 0], [1, 0]], 1))


def test_a_scene_from_file_to_contact(tmp_path: Path) -> None:
    """The bat of the README hits the first ball at half its swing, queried span by span."""
    path = tmp_path / "bat.toml"
    path.write_text(
        """
ougi = 1
[[body]]
name = "bat"
shape = { type = "box", size = [0.8, 0.06, 0.06] }
at = [0.6, 0, 0]
motion = { type = "rotate", axis = [0, 0, 1], about = [0, 0, 0], degrees = 170, seconds = 0.1, start = 1 }
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.04 }
at = [0, 0.7, 0]
"""
    )
    scene = ougi.load_scene(path)
    bat, ball = scene.bodies
    found = []
    for start, stop in zip(scene.times[:-1], scene.times[1:], strict=True):
        shape, motion = bat.during(start, stop)
        if motion is not None:
            impact = ougi.time_of_impact(shape, motion, ball.shape)
            found.append(start + float(impact.t) * (stop - start))
    assert found == [pytest.approx(1.0495652, abs=1e-7)]
