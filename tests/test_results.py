"""How results are shown."""

from __future__ import annotations

import numpy as np

import ougi
from ougi.query import Closest, Contact
from ougi.results import FirstContacts


def test_a_single_result_is_one_line() -> None:
    near = Closest(np.array(3.0), np.array([1.0, 0.0]), np.array([4.0, 1 / 3]))
    assert repr(near) == "Closest(distance=3., point_a=[1., 0.], point_b=[4.      , 0.333333])"


def test_a_batch_shows_its_shape_and_the_first_rows() -> None:
    n = 5
    found = FirstContacts(
        np.zeros(n, np.int64), np.zeros(n, bool), np.full(n, np.nan), np.ones((n, 2)), np.ones((n, 2))
    )
    lines = repr(found).splitlines()
    assert lines[0] == "<FirstContacts batch of shape (5,)"
    assert lines[3] == "  t       nan, nan, nan, ..."
    assert len(lines) == 6
    assert "..." not in repr(found[:2])


def test_an_empty_batch_can_be_shown() -> None:
    none = np.empty((0, 3))
    assert repr(Contact(np.empty(0, bool), none, none, np.empty(0))).startswith(
        "<Contact batch of shape (0,)"
    )


def test_scenes_reports_and_events_are_short_texts() -> None:
    move = ougi.scene.Piece(0.0, 2.0, ougi.Translation2d([9, 0]))
    ball = ougi.scene.Body("ball", ougi.Circle([0, 0], 1), (move,))
    wall = ougi.scene.Body("wall", ougi.Aabb2d([6, -1], [7, 1]))
    scene = ougi.Scene((ball, wall), duration=2.0)
    assert repr(scene) == "<Scene of 2 bodies, 1 of them moving, 2 s>"
    lines = repr(ougi.check(scene)).splitlines()
    assert lines[0] == "<Report: contacts 1, near misses 0; pairs covered 1, excluded 0; not certified"
    assert lines[1] == "  1.111111 s  ball and wall: hit>"
    world = ougi.World()
    assert repr(world.step(1.0)) == "<Events batch of shape (0,)>"
    assert repr(world) == "<World of 0 bodies at 1 s>"
    world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
    assert repr(world.step(1 / 60)).startswith("<Events batch of shape (1,)\n")
