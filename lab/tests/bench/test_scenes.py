"""Random scenes: seeded, complete, and neither empty nor crowded."""

from __future__ import annotations

import numpy as np
import pytest

import ougi
from ougi.query.tables import INTERSECTS
from ougi.shapes import Shape
from ougi_lab.scenes.batches import draw_batch, draw_central, draw_index_pairs

CLASSES = sorted({cls for row in INTERSECTS for cls in (row.a, row.b)}, key=lambda cls: cls.__name__)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_of_the_tables_has_random_batches(cls: type[Shape]) -> None:
    batch = draw_batch(cls, 5, 1)
    assert type(batch) is cls
    assert batch.shape == (5,)
    assert draw_central(cls, 1).shape == ()


@pytest.mark.parametrize("cls", CLASSES)
def test_the_same_seed_gives_the_same_shapes(cls: type[Shape]) -> None:
    assert draw_batch(cls, 5, 1) == draw_batch(cls, 5, np.random.default_rng(1))
    assert draw_batch(cls, 5, 1) != draw_batch(cls, 5, 2)


@pytest.mark.parametrize("cls", CLASSES)
def test_an_empty_batch_is_a_batch(cls: type[Shape]) -> None:
    assert draw_batch(cls, 0, 1).shape == (0,)


def test_pairs_stay_within_their_batches() -> None:
    pairs = draw_index_pairs(3, 5, 1000, 0)
    assert pairs.min(axis=0).tolist() == [0, 0]
    assert pairs.max(axis=0).tolist() == [2, 4]


def test_some_but_not_most_solid_shapes_touch() -> None:
    for cls in (ougi.Sphere, ougi.Capsule3d, ougi.Box, ougi.Aabb3d):
        batch = draw_batch(cls, 1000, 1)
        share = np.mean([ougi.intersects(draw_central(cls, seed), batch) for seed in range(20)])
        assert 0.1 < share < 0.4, cls


def test_a_class_without_a_generator_says_so() -> None:
    with pytest.raises(TypeError, match="no random Mesh is made here"):
        draw_batch(ougi.Mesh, 1, 0)
