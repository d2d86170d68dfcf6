"""Pairs that begin, stay and end."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import ougi
from ougi._typing import Ints
from ougi.broad import METHODS


def as_set(pairs: Ints) -> set[tuple[int, int]]:
    return {(i, j) for i, j in pairs.tolist()}


def frames(n: int, count: int) -> list[ougi.Sphere]:
    rng = np.random.default_rng(n)
    start, velocity = rng.uniform(0, 20, (n, 3)), rng.uniform(-0.5, 0.5, (n, 3))
    return [ougi.Sphere(start + t * velocity, 1) for t in range(count)]


@pytest.mark.parametrize("method", ["auto", "grid", "tree", "sweep", "brute"])
def test_changes_are_differences_of_frames(method: str) -> None:
    broad, last = ougi.BroadPhase(method=method), set[tuple[int, int]]()
    for shapes in frames(300, 8):
        changes = broad.update(shapes)
        now = as_set(ougi.candidate_pairs(shapes, method="brute"))
        assert as_set(broad.pairs) == now
        assert as_set(changes.began) == now - last
        assert as_set(changes.stayed) == now & last
        assert as_set(changes.ended) == last - now
        for pairs in (changes.began, changes.stayed, changes.ended, broad.pairs):
            assert pairs.tolist() == sorted(pairs.tolist())
        last = now


def test_a_warm_tracker_allocates_nothing_that_grows() -> None:
    broad = ougi.BroadPhase()
    scenes = frames(3000, 8)
    for shapes in scenes:  # the largest number of pairs may come in any of them
        shapes.columns()
        broad.update(shapes)
    tracemalloc.start()
    try:
        for shapes in reversed(scenes):
            broad.update(shapes)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(broad.pairs) > 1000
    assert peak < 30_000  # ten bytes for each body; the scene itself has 32


def test_answers_are_views_that_the_next_update_overwrites() -> None:
    broad = ougi.BroadPhase(method="grid")
    first, second = frames(300, 2)
    broad.update(first)
    place = broad.pairs.ctypes.data
    broad.update(second)
    assert broad.pairs.ctypes.data == place


def test_another_number_of_bodies_needs_a_reset() -> None:
    broad = ougi.BroadPhase()
    broad.update(ougi.Sphere([[0, 0, 0], [1, 0, 0]], 1))
    three = ougi.Sphere([[0, 0, 0], [1, 0, 0], [9, 0, 0]], 1)
    with pytest.raises(ValueError, match=r"as many as in the last frame, 2, got 3; call reset\(\)"):
        broad.update(three)
    broad.reset()
    assert len(broad.pairs) == 0
    assert broad.update(three).began.tolist() == [[0, 1]]


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r"method must be one of auto, .*; got 'octree'"):
        ougi.BroadPhase(method="octree")
    with pytest.raises(ValueError, match="max_pairs must be a positive whole number, got -1"):
        ougi.BroadPhase(max_pairs=-1)
    broad = ougi.BroadPhase(max_pairs=2)
    with pytest.raises(ValueError, match="max_pairs is 2, but there are 3 pairs"):
        broad.update(np.zeros((3, 2)))
    assert set(METHODS) >= {"auto", "brute", "sweep", "grid", "tree"}
