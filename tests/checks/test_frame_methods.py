"""What other methods would have reported: misses, ghosts, and what they do not support."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest

import ougi
from ougi.checks import Method
from ougi.checks.frame_methods import split_frames
from ougi.checks.report import VERDICTS
from ougi.scene import Body, Piece
from ougi.timeline.spans import PairSpans

OTHERS = [method for method in get_args(Method) if method != "exact"]
FRAME = 1 / 60

BAT = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06])
SWING = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170))
BALLS = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0], [0.1, 0.05, 0], [0.75, 0.8, 0]], 0.04)


def compare(scene: ougi.Scene, method: str, fps: float = 60.0) -> dict[tuple[str, str], str]:
    report = ougi.check(scene, method=method, fps=fps)
    assert report.compared is not None
    words = (VERDICTS[int(verdict)] for verdict in report.compared.verdict)
    return dict(zip(report.names(report.compared), words, strict=True))


def swing_scene(shape: Any = BAT, motion: Any = SWING) -> ougi.Scene:
    targets = [Body(f"ball {k}", ball) for k, ball in enumerate(BALLS)]
    return ougi.Scene((Body("bat", shape, (Piece(0.0, FRAME, motion),)), *targets), duration=FRAME)


def make_detector(method: str) -> Any:
    """The balls that a method sees in one frame, by the library's sweeps."""
    if method == "discrete":
        return ougi.intersects(BAT, BALLS) | ougi.intersects(BAT.transformed(SWING), BALLS)
    if method == "substeps":
        poses = ougi.sweep(BAT, SWING, "substeps", steps=8)
        return ougi.intersects(poses[:, None], BALLS).any(axis=0)
    return ougi.intersects(ougi.sweep(BAT, SWING, method), BALLS)


@pytest.mark.parametrize("method", OTHERS)
def test_one_frame_is_judged_as_the_sweep_says(method: str) -> None:
    exact, seen = ougi.time_of_impact(BAT, SWING, BALLS).hit, make_detector(method)
    expected = {
        ("bat", f"ball {k}"): "found" if exact[k] and seen[k] else "missed" if exact[k] else "ghost"
        for k in range(len(BALLS))
        if exact[k] or seen[k]
    }
    assert compare(swing_scene(), method) == expected


def test_engines_miss_and_see_ghosts() -> None:
    hit = {("bat", "ball 0"): "missed", ("bat", "ball 1"): "missed"}
    assert compare(swing_scene(), "discrete") == hit
    assert "ghost" in compare(swing_scene(), "speculative-inflated").values()


def test_a_finer_clock_sees_more() -> None:
    assert set(compare(swing_scene(), "discrete", fps=60 * 64).values()) == {"found"}


def test_a_contact_seen_only_the_second_time_or_too_early() -> None:
    # Passes the pin between two frames, and meets it again when it comes back and stays.
    pieces = (
        Piece(0.0, FRAME, ougi.Translation2d([8, 0])),
        Piece(FRAME, 3 * FRAME, ougi.Translation2d([-4, 0])),
    )
    bullet = Body("bullet", ougi.Circle([0, 0], 0.1), pieces)
    scene = ougi.Scene((bullet, Body("pin", ougi.Circle([4, 0], 0.1))), duration=3 * FRAME)
    report = ougi.check(scene, method="discrete")
    assert report.compared is not None
    assert [VERDICTS[int(verdict)] for verdict in report.compared.verdict] == ["missed", "found"]
    # A box around the first frame's way holds what is touched in the second.
    turn = ougi.Rotation2d([0, 0], math.pi / 2)
    arm = Body("arm", ougi.Segment2d([0, 0], [1, 0]), (Piece(0.0, 2 * FRAME, turn),))
    scene = ougi.Scene((arm, Body("pin", ougi.Circle([0.6, 0.68], 0.05))), duration=2 * FRAME)
    assert compare(scene, "speculative-start-end") == {("arm", "pin"): "ghost"}


def test_a_contact_seen_in_a_later_frame_is_late() -> None:
    """A cast drops the turn of a bar about its own middle: it sees the pin when a frame begins upon it."""
    turn = ougi.Rotation2d([0, 0], math.pi / 2)
    bar = Body("bar", ougi.Segment2d([-1, 0], [1, 0]), (Piece(0.0, 1.0, turn),))
    pin = Body("pin", ougi.Circle([0.9 * math.sqrt(0.5), 0.9 * math.sqrt(0.5)], 0.05))
    report = ougi.check(ougi.Scene((bar, pin), duration=1.0), method="cast")
    assert report.compared is not None
    assert [VERDICTS[int(verdict)] for verdict in report.compared.verdict] == ["late"]
    assert 0 < report.compared.time[0] - report.compared.exact[0] < FRAME


CHAIN = ougi.Chain(ougi.Translation3d([0, 0.1, 0]), SWING)


@pytest.mark.parametrize("method", OTHERS)
def test_a_method_that_cannot_express_a_chain_says_so(method: str) -> None:
    words = set(compare(swing_scene(motion=CHAIN), method).values())
    poses_only = ("discrete", "substeps", "cast", "swept-sphere", "speculative-start-end")
    assert ("unsupported" in words) == (method not in poses_only)
    if method not in poses_only:
        assert words == {"unsupported"}


@pytest.mark.parametrize("method", OTHERS)
def test_a_mesh_is_answered_as_its_box_or_not_at_all(method: str) -> None:
    corners = [[x, y, z] for x in (0.2, 1.0) for y in (-0.03, 0.03) for z in (-0.03, 0.03)]
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    mesh = ougi.Mesh(corners, [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))])
    as_mesh = compare(swing_scene(mesh), method)
    if method in ("sector", "sector-balanced"):  # FAN's own fans are made of boxes
        assert set(as_mesh.values()) == {"unsupported"}
    else:
        assert as_mesh == compare(swing_scene(), method)


def test_of_a_batch_only_what_cannot_be_expressed_is_left_open() -> None:
    # FAN's sector needs a box whose middle line passes the axis: one of the two is off.
    bats = (("good", BAT), ("bad", ougi.Box([0.6, 0.2, 0], [0.8, 0.06, 0.06])))
    bodies = [Body(name, shape, (Piece(0.0, FRAME, SWING),)) for name, shape in bats]
    scene = ougi.Scene((*bodies, Body("ball", BALLS[0])), duration=FRAME)
    words = compare(scene, "sector")
    assert words["good", "ball"] == "found"
    assert words["bad", "ball"] == "unsupported"


@pytest.mark.parametrize("method", ["sector", "sector-enclosing"])
def test_a_ball_that_flies_is_the_capsule_of_its_path(method: str) -> None:
    """FAN sec. 2.7 tests a sector against capsules."""
    moves = {"meets": ougi.Translation3d([0, -0.5, 0]), "flies by": ougi.Translation3d([0, 3.0, 0])}
    balls = {"meets": ougi.Sphere([0, 1.0, 0], 0.04), "flies by": ougi.Sphere([0, 2.0, 0], 0.04)}
    bodies = [Body(name, balls[name], (Piece(0.0, FRAME, moves[name]),)) for name in balls]
    scene = ougi.Scene((Body("bat", BAT, (Piece(0.0, FRAME, SWING),)), *bodies), duration=FRAME)
    assert compare(scene, method) == {("bat", "meets"): "found"}


def test_frames_cover_every_cut_without_gaps() -> None:
    rng = np.random.default_rng(0)
    start = np.round(rng.uniform(0, 2, 200), 2)
    stop = start + rng.choice([0.01, 0.1, 0.25, 1.0], 200)
    number = np.arange(200)
    small, source = split_frames(PairSpans(number, number, start, stop), 0.1)
    for k in range(200):
        rows = np.flatnonzero(source == k)
        assert small.start[rows[0]] == start[k]
        assert small.stop[rows[-1]] == stop[k]
        np.testing.assert_array_equal(small.start[rows[1:]], small.stop[rows[:-1]])
        inner = small.start[rows[1:]] / 0.1
        np.testing.assert_allclose(inner, np.round(inner), atol=1e-9)
        assert (small.stop[rows] - small.start[rows] <= 0.1 + 1e-6).all()


def test_a_method_is_compared_in_a_million_frames_at_most() -> None:
    """A thousand million frames were a MemoryError."""
    turn = Piece(0.0, 2.0, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0))
    scene = ougi.Scene((Body("a", ougi.Sphere([3, 0, 0], 1), (turn,)), Body("b", ougi.Sphere([0, 3, 0], 1))))
    with pytest.raises(ValueError, match=r"fps must not exceed 500000 for a scene of 2 s, got 1e\+09"):
        ougi.check(scene, method="discrete", fps=1e9)
    assert ougi.check(scene, fps=1e9).hit
