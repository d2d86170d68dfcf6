"""A fast slice of `ougi verify manifold`, and mistakes that it must catch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.verify.manifold import Manifolds, OugiManifolds, list_faces

CHOSEN = (
    "rectangle-rectangle",
    "capsule2d-convexpolygon2d",
    "rectangle-halfspace2d",
    "capsule3d-capsule3d",
    "triangle3d-box",
    "box-box",
    "box-convexhull3d",
    "convexhull3d-convexhull3d",
    "box-halfspace3d",
)


@pytest.mark.parametrize("pair", CHOSEN)
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_manifolds_are_right(pair: str, kind: str) -> None:
    tally = Manifolds().check(pair, kind, 60 if kind == "second" else 150, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


class Shifted(OugiManifolds):
    """Points that lie beside the faces by 1e-6."""

    def manifolds(self, a: Any, b: Any) -> ougi.Manifold:
        found = super().manifolds(a, b)
        return replace(found, point=found.point + 1e-6)


class Single(OugiManifolds):
    """One point where there are more."""

    def manifolds(self, a: Any, b: Any) -> ougi.Manifold:
        found = super().manifolds(a, b)
        first = np.arange(found.depth.shape[-1]) > 0
        point, depth = found.point.copy(), found.depth.copy()
        point[:, first], depth[:, first] = np.nan, np.nan
        return replace(found, count=np.minimum(found.count, 1), point=point, depth=depth)


class Deeper(OugiManifolds):
    """Depths that are too large by 1e-6."""

    def manifolds(self, a: Any, b: Any) -> ougi.Manifold:
        found = super().manifolds(a, b)
        return replace(found, depth=found.depth + 1e-6)


@pytest.mark.parametrize(
    ("liar", "kind", "check"),
    [
        (Shifted(), "random", "on a"),
        (Deeper(), "random", "deepest"),
        (Single(), "second", "overlap"),
        (Shifted(), "second", "overlap"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
@pytest.mark.parametrize("pair", ["rectangle-rectangle", "box-box"])
def test_a_planted_mistake_is_caught(liar: Any, kind: str, check: str, pair: str) -> None:
    tally = Manifolds(liar).check(pair, kind, 60, np.random.default_rng(2))
    assert tally.failed[check] > 10


def test_faces_are_listed() -> None:
    cube = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
    assert len(list_faces(cube, 1e-9)) == 6
    assert len(list_faces(cube[:, :2][[0, 2, 4, 6]], 1e-9)) == 4
    assert len(list_faces(cube[:3], 1e-9)) == 2  # a triangle has two sides
