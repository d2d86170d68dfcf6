"""Batches of hulls and polygons: empty ones, and ones made of the vertices of others."""

from __future__ import annotations

import numpy as np
import pytest

import ougi


@pytest.mark.plain
def test_empty_arrays_make_empty_batches() -> None:
    for make, d in (
        (ougi.ConvexPolygon2d, 2),
        (ougi.ConvexPolygon2d.from_points, 2),
        (ougi.ConvexHull3d, 3),
    ):
        empty = make(np.zeros((0, 5, d)))
        assert empty.shape == (0,)
        assert empty.bounds().lower.shape == (0, d)
        assert type(empty)(empty.vertices).shape == (0,)


def test_vertices_of_a_batch_make_an_equal_batch() -> None:
    polygons = ougi.ConvexPolygon2d([[[0, 0], [1, 0], [1, 1]], [[5, 0], [6, 0], [6, 1], [5, 1]]])
    hulls = ougi.ConvexHull3d([np.zeros((1, 3)), np.eye(3)[:2], np.eye(3)])
    for batch in (polygons, hulls):
        again = type(batch)(batch.vertices)
        assert again.shape == batch.shape
        for one, other in zip(again.vertices, batch.vertices, strict=True):
            np.testing.assert_array_equal(one, other)
    assert ougi.ConvexPolygon2d.from_points(polygons.vertices).shape == (2,)
    with pytest.raises(TypeError, match="vertices must be numbers"):
        ougi.ConvexPolygon2d(polygons.reshape((2, 1)).vertices)
