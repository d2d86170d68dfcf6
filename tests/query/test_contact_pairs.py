"""`contact_pairs` against the all-pairs table of `intersects`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi.query.tables import TABLES
from ougi_lab.scenes.batches import draw_batch

# Denser than everyday scenes: many candidates, some of which touch.
COUNT = 60
OWN_KIND = [row.a for row in TABLES["intersects"] if row.a is row.b]


def table(a: Any, b: Any = None) -> list[list[int]]:
    if b is None:
        return np.argwhere(np.triu(ougi.intersects(a[:, None], a), 1)).tolist()
    return np.argwhere(ougi.intersects(a[:, None], b)).tolist()


def batch(name: str, seed: int, n: int = COUNT) -> Any:
    return draw_batch(getattr(ougi, name), n, seed)


@pytest.mark.parametrize("cls", OWN_KIND)
def test_pairs_of_one_batch_are_those_of_the_table(cls: type[ougi.Shape]) -> None:
    subset = draw_batch(cls, COUNT, 1)
    shapes = ougi.concatenate([subset, subset[::7]])  # some twice: points and rods touch in no other way
    expected = table(shapes)
    assert 0 < len(expected) < shapes.count * (shapes.count - 1) // 2
    assert ougi.contact_pairs(shapes).tolist() == expected


@pytest.mark.parametrize(
    "row", TABLES["intersects"], ids=lambda row: f"{row.a.__name__}-{row.b.__name__}".lower()
)
def test_pairs_of_two_batches_are_those_of_the_table(row: Any) -> None:
    a, b = draw_batch(row.a, COUNT, 2), draw_batch(row.b, COUNT - 20, 3)
    assert ougi.contact_pairs(a, b).tolist() == table(a, b)
    assert ougi.contact_pairs(b, a).tolist() == table(b, a)


@pytest.mark.parametrize("method", ["brute", "x", "best-axis"])
def test_every_method_finds_the_same(method: str) -> None:
    boxes = batch("Box", 4)
    assert ougi.contact_pairs(boxes, method=method).tolist() == table(boxes)


def test_candidates_that_do_not_touch_are_dropped() -> None:
    crossing = ougi.Segment2d([[0.0, 0.0], [0.0, 0.5]], [[2, 2], [1, 2]])
    assert len(ougi.candidate_pairs(crossing)) == 1
    assert ougi.contact_pairs(crossing).shape == (0, 2)


def test_sweeps_answer_for_themselves() -> None:
    bats = ougi.Box([[0.6, 0, 0], [0.6, 0, 5]], [0.8, 0.06, 0.06])
    swings = ougi.Rotation3d([[0, 0, 0], [0, 0, 5]], [0, 0, 1], 2.9)
    balls = ougi.Sphere([[0, 0.7, 0], [0, -0.7, 0], [-0.7, 0.4, 5]], 0.04)
    assert ougi.contact_pairs(ougi.sweep(bats, swings), balls).tolist() == [[0, 0], [1, 2]]
    assert ougi.contact_pairs(balls, ougi.sweep(bats, swings)).tolist() == [[0, 0], [2, 1]]


def test_a_grid_of_shapes_counts_as_flattened() -> None:
    balls = batch("Sphere", 5)
    assert ougi.contact_pairs(balls.reshape((6, 10))).tolist() == table(balls)


def test_unsorted_pairs_are_the_same_set() -> None:
    balls = batch("Sphere", 6)
    assert sorted(ougi.contact_pairs(balls, sort=False, method="x").tolist()) == table(balls)


def test_bad_input_is_named() -> None:
    balls = batch("Sphere", 7)
    with pytest.raises(ValueError, match=r"max_pairs is 1, but there are \d+ pairs"):
        ougi.contact_pairs(balls, max_pairs=1)
    sweep = ougi.sweep(ougi.Box([0, 0, 0], [1, 1, 1]), ougi.Rotation3d([2, 0, 0], [0, 0, 1], 1.0))
    with pytest.raises(ougi.UnsupportedPairError, match=r"intersects\(Sweep, Sweep\) is not supported"):
        ougi.contact_pairs(sweep)


def test_a_mesh_is_one_of_many() -> None:
    mesh, balls = ougi.Mesh(np.eye(3), [[0, 1, 2]]), ougi.Sphere(np.array([[0.4, 0.4, 0], [1, 1, 1]]), 0.3)
    assert ougi.contact_pairs(mesh, balls).tolist() == [[0, 0]]
    assert ougi.contact_pairs(mesh).tolist() == []
