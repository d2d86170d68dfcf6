"""Points and normals of bodies that overlap when a step begins, which are computed when they are read."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.world import Events
from ougi.world.overlaps import Overlaps

CORNERS = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]]) - 0.4


def build_world(*, hulls: bool = False) -> ougi.World:
    """Bodies that overlap from the second step on, in both orders of ids, and one that comes later."""
    world = ougi.World()
    world.add(ougi.Box([1, 0.2, 0], [2, 2, 2]))
    centers, offsets = np.array([[0.0, 0, 0], [2, 0.5, 0]]), np.array([[0.1, 0.0, 0.05], [0.0, 0.1, 0.0]])
    world.add(ougi.Sphere(centers, 0.7), ougi.Translation3d(offsets))
    world.add(ougi.Sphere([9, 0, 0], 0.5), ougi.Translation3d([-60, 0, 0]))
    if hulls:
        offsets = np.array([[0.2, 0, 0], [0, 0, 0]])
        world.add(ougi.ConvexHull3d([CORNERS, CORNERS + 0.3]), ougi.Translation3d(offsets))
    return world


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[Overlaps]:
    """What has been computed afterwards."""
    done: list[Overlaps] = []
    write = Overlaps.write

    def count(self: Overlaps, point: Any, normal: Any) -> None:
        done.append(self)
        write(self, point, normal)

    monkeypatch.setattr(Overlaps, "write", count)
    return done


@pytest.mark.parametrize("hulls", [False, True])
def test_they_are_those_of_the_poses_when_the_step_began(*, hulls: bool) -> None:
    world = build_world(hulls=hulls)
    world.step(0.01)
    shapes = [world.shape(body) for body in world]
    other = build_world(hulls=hulls)
    other.step(0.01)
    read_at_once = other.step(0.01)
    assert np.isfinite(read_at_once.point).all()
    events = world.step(0.01)
    for _ in range(3):  # the world has gone on when the results are read
        world.step(0.01)
    world.remove(world.ids)
    ongoing = events.ongoing
    assert len(ongoing) >= (5 if hulls else 2)
    for pair, normal in zip(ongoing.pair, ongoing.normal, strict=True):
        a, b = (shapes[body] for body in pair)
        np.testing.assert_allclose(normal, ougi.contacts(a, b).normal, atol=1e-12)
    assert events == read_at_once


def test_what_began_is_read_without_them(writes: list[Overlaps]) -> None:
    world = build_world()
    world.step(0.01)
    writes.clear()
    events = [world.step(0.01) for _ in range(15)]
    began = [each.began for each in events]
    assert sum(map(len, began)) >= 1
    assert all(np.isfinite(each.normal).all() for each in began)
    assert all(len(each.ended) == 0 for each in events[:3])
    assert writes == []
    assert np.isfinite(events[0].ongoing.normal).all()
    assert np.isfinite(events[0].point[events[0].state < 2]).all()
    assert len(writes) == 1


def test_nothing_half_written_is_read_by_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_world()
    world.step(0.01)
    before, events = world.snapshot(), world.step(0.01)
    world.restore(before)
    complete = world.step(0.01).normal.copy()
    write = Overlaps.write
    seen: list[Any] = []

    def write_in_two_steps(self: Overlaps, point: Any, normal: Any) -> None:
        monkeypatch.setattr(Overlaps, "write", write)
        reader = threading.Thread(target=lambda: seen.append(events.normal.copy()))
        reader.start()
        reader.join()
        write(self, point, normal)

    monkeypatch.setattr(Overlaps, "write", write_in_two_steps)
    np.testing.assert_array_equal(events.normal, complete)
    np.testing.assert_array_equal(seen[0], complete)


def test_a_failure_to_compute_them_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    world = build_world()
    world.step(0.01)
    events = world.step(0.01)

    def fail(self: Overlaps, point: Any, normal: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Overlaps, "write", fail)
        with pytest.raises(KeyboardInterrupt):
            _ = events.normal
    assert np.isfinite(events.normal[events.state < 2]).all()


@pytest.mark.parametrize(
    "read",
    [
        copy.copy,
        copy.deepcopy,
        lambda events: pickle.loads(pickle.dumps(events)),
        lambda events: events[:],
        lambda events: Events.join([events]),
    ],
    ids=["copy", "deepcopy", "pickle", "slice", "join"],
)
def test_copies_have_them_too(read: Callable[[Events], Events]) -> None:
    worlds = [build_world(hulls=True) for _ in range(2)]
    for world in worlds:
        world.step(0.01)
    copied = read(worlds[0].step(0.01))
    expected = worlds[1].step(0.01)
    assert np.isfinite(expected.normal).any()
    assert copied == expected
