"""Candidate pairs against an all-pairs table of `intersects`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ougi
from ougi.broad import METHODS


def table(a: ougi.Shape, b: ougi.Shape | None = None) -> list[list[int]]:
    """All pairs whose volumes touch, by one call for the whole matrix."""
    if b is None:
        touching = np.triu(ougi.intersects(a[:, None], a), 1)
    else:
        touching = ougi.intersects(a[:, None], b)
    return np.argwhere(touching).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_pairs_are_those_that_touch(method: str) -> None:
    rng = np.random.default_rng(1)
    balls = ougi.Sphere(rng.uniform(0, 10, (200, 3)), rng.uniform(0, 1, 200))
    discs = ougi.Circle(rng.uniform(0, 10, (200, 2)), rng.uniform(0, 0.5, 200))
    boxes = ougi.Box(rng.uniform(0, 10, (150, 3)), rng.uniform(0, 2, (150, 3)), Rotation.random(150, rng=2))
    rods = ougi.Segment2d(rng.uniform(0, 10, (100, 2)), rng.uniform(0, 10, (100, 2)))
    for shapes in (balls, discs):
        assert ougi.candidate_pairs(shapes, method=method).tolist() == table(shapes)
    for others in (boxes, rods):
        assert ougi.candidate_pairs(others, method=method).tolist() == table(others.bounds())
    assert ougi.candidate_pairs(balls, boxes, method=method).tolist() == table(balls.bounds(), boxes.bounds())
    assert ougi.candidate_pairs(balls[:80], balls, method=method).tolist() == table(balls[:80], balls)


@pytest.mark.parametrize("method", METHODS)
def test_few_or_none_have_few_or_no_pairs(method: str) -> None:
    none = ougi.Sphere(np.empty((0, 3)), 1)
    one, two = ougi.Sphere([[0, 0, 0]], 1), ougi.Sphere([[0, 0, 0], [2, 0, 0]], 1)
    for shapes, count in ((none, 0), (one, 0), (two, 1), (one[0], 0)):
        pairs = ougi.candidate_pairs(shapes, method=method)
        assert pairs.shape == (count, 2)
        assert pairs.dtype == np.int64
    assert ougi.candidate_pairs(none, two, method=method).shape == (0, 2)
    assert ougi.candidate_pairs(two, none, method=method).shape == (0, 2)


@pytest.mark.parametrize("method", METHODS)
def test_too_many_pairs_are_counted_and_refused(method: str) -> None:
    heap = ougi.Sphere(np.zeros((100, 3)), 1)
    assert len(ougi.candidate_pairs(heap, method=method, max_pairs=4950)) == 4950
    with pytest.raises(ValueError, match=r"max_pairs is 4,949, but there are 4,950 pairs"):
        ougi.candidate_pairs(heap, method=method, max_pairs=4949)


def test_bad_input_is_named() -> None:
    balls = ougi.Sphere([[0, 0, 0]], 1)
    with pytest.raises(ValueError, match=r"method must be one of auto, .*; got 'octree'"):
        ougi.candidate_pairs(balls, method="octree")
    with pytest.raises(ValueError, match="max_pairs must be a positive whole number, got 0"):
        ougi.candidate_pairs(balls, max_pairs=0)
    with pytest.raises(ValueError, match="must be of one dimension, got a 3-D Sphere and a 2-D Circle"):
        ougi.candidate_pairs(balls, ougi.Circle([0, 0], 1))
    with pytest.raises(ValueError, match="a must be finite, got nan"):
        ougi.candidate_pairs([[0, np.nan, 0]])
    with pytest.raises(ValueError, match=r"upper must not lie below lower, got \[0.0, -1.0\] at index 1"):
        ougi.Aabb2d([[0, 0], [0, 0]], [[1, 1], [0, -1]])
