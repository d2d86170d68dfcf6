"""Candidate pairs on a GPU are those of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from devices import SIMULATED

import ougi.cuda
from ougi.cuda.driver import to_device

SCENES: dict[str, Any] = {
    "sparse balls": ougi.Sphere(np.random.default_rng(1).uniform(-4, 4, (16, 3)), 1.2),
    "dense balls": ougi.Sphere(np.random.default_rng(2).uniform(-1, 1, (9, 3)), 0.5),
    "discs": ougi.Circle(np.random.default_rng(3).uniform(-3, 3, (9, 2)), 0.8),
    "boxes": ougi.Box(np.random.default_rng(4).uniform(-4, 4, (8, 3)), [1, 2, 3]),
    "balls in one place": ougi.Sphere(np.zeros((5, 3)), 0.0),
}


# The simulator's barriers take long, and a tree has many.
SEARCHED = [(scene, "grid") for scene in SCENES]
SEARCHED += [(scene, "tree") for scene in SCENES if not SIMULATED or scene in ("dense balls", "boxes")]


@pytest.mark.parametrize(("scene", "method"), SEARCHED)
def test_candidate_pairs_are_those_of_the_cpu(scene: str, method: str) -> None:
    bodies = SCENES[scene]
    put, want = ougi.cuda.put(bodies), ougi.candidate_pairs(bodies, method="brute")
    got = ougi.cuda.candidate_pairs(put, method=method, result="numpy")
    assert got.tolist() == want.tolist()
    if SIMULATED and scene in ("discs", "balls in one place"):
        return
    subset = bodies[:6]
    got = ougi.cuda.candidate_pairs(put, ougi.cuda.put(subset), method=method, result="numpy")
    assert got.tolist() == ougi.candidate_pairs(bodies, subset, method="brute").tolist()


def test_pairs_stay_on_the_device_and_are_tested_there() -> None:
    balls = SCENES["sparse balls"]
    put = ougi.cuda.put(balls)
    pairs = ougi.cuda.candidate_pairs(put)
    assert pairs.shape == ougi.candidate_pairs(balls).shape
    assert ougi.cuda.intersects(put, put, pairs=pairs, result="numpy").all()


def test_a_finder_serves_scenes_of_any_size_one_after_the_other() -> None:
    finder = ougi.cuda.PairFinder()
    for name in ("dense balls", "sparse balls", "boxes"):
        got = finder.pairs(ougi.cuda.put(SCENES[name]), result="numpy")
        assert got.tolist() == ougi.candidate_pairs(SCENES[name], method="brute").tolist()


def test_none_and_too_many_pairs() -> None:
    one = ougi.cuda.put(ougi.Sphere([[0, 0, 0]], 1))
    assert ougi.cuda.candidate_pairs(one).shape == (0, 2)
    with pytest.raises(ValueError, match="there are 10 pairs, more than max_pairs = 9"):
        ougi.cuda.candidate_pairs(ougi.cuda.put(SCENES["balls in one place"]), max_pairs=9)
    with pytest.raises(ValueError, match="method must be one of grid"):
        ougi.cuda.candidate_pairs(one, method="sweep")
    with pytest.raises(TypeError, match="a must be a shape, got a Translation3d"):
        ougi.cuda.candidate_pairs(ougi.cuda.put(ougi.Translation3d([1, 0, 0])))


def test_a_finder_sees_bodies_that_moved_on_the_device() -> None:
    finder, lying = ougi.cuda.PairFinder(), to_device(SCENES["dense balls"].columns())
    bodies = ougi.cuda.from_columns(ougi.Sphere, lying)
    # On a GPU what was recorded is started again from the third time on.
    for step in range(2 if SIMULATED else 4):
        moved = ougi.Sphere(SCENES["dense balls"].center * (1 + step), 0.5)
        lying.copy_to_device(np.ascontiguousarray(moved.columns()))
        got = finder.pairs(bodies, result="numpy")
        assert got.tolist() == ougi.candidate_pairs(moved, method="brute").tolist()
        if step == 2:  # in between another, larger scene takes the memory
            finder.pairs(ougi.cuda.put(SCENES["sparse balls"]))
