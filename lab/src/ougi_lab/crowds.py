"""Seeded crowds of bodies for broad phases, as code: four kinds, of any number.

The names are those of the benchmark. Lengths are those of SORT 4.2: spheres of radius 2 in a box of 100.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ougi.shapes import Aabb3d, Sphere

RADIUS = 2.0
SIDE = 100.0
# At this number the box of SORT has the density that grown boxes keep.
NUMBER = 5000

Bodies: TypeAlias = Sphere | Aabb3d


def grown(n: int, side: float = SIDE) -> float:
    """The side of a box for n bodies, as dense as NUMBER of them in one of the given side."""
    return side * float(np.cbrt(n / NUMBER))


def box(n: int, rng: np.random.Generator) -> Sphere:
    """Scene i: equal spheres within the box of SORT, the denser the more there are.

    >>> box(3, np.random.default_rng(0))
    <Sphere batch of shape (3,)>
    """
    return Sphere(rng.uniform(RADIUS, SIDE - RADIUS, (n, 3)), RADIUS)


def even(n: int, rng: np.random.Generator) -> Sphere:
    """Scene ii: equal spheres, always as dense as NUMBER of them in the box of SORT."""
    return Sphere(rng.uniform(RADIUS, grown(n) - RADIUS, (n, 3)), RADIUS)


def clusters(n: int, rng: np.random.Generator) -> Aabb3d:
    """Scene iii: boxes around spheres of sizes up to 100:1, half of them in clusters of about a hundred."""
    side, half = grown(n), n // 2
    center = rng.uniform(0, side, (n, 3))
    middles = rng.uniform(0, side, (max(1, half // 100), 3))
    center[:half] = middles[rng.integers(0, len(middles), half)] + rng.normal(0, 2.5, (half, 3))
    radius = np.clip(rng.lognormal(-0.3, 0.75, n), 0.1, 10)[:, None]
    return Aabb3d(center - radius, center + radius)


def rods(n: int, rng: np.random.Generator) -> Aabb3d:
    """Scene iv: boxes of 10 x 0.5 x 0.5, each along one of the axes."""
    center = rng.uniform(0, grown(n, 60.0), (n, 3))
    half = np.full((n, 3), 0.25)
    half[np.arange(n), rng.integers(0, 3, n)] = 5
    return Aabb3d(center - half, center + half)


CROWDS: dict[str, Callable[[int, np.random.Generator], Bodies]] = {
    "i box": box,
    "ii even": even,
    "iii clusters": clusters,
    "iv rods": rods,
}
