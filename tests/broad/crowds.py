"""Scenes of many kinds, for balls and boxes in the plane and in space: names -> centers and half sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ougi
from ougi._typing import Floats

Random = np.random.Generator
Crowd = Callable[[int, int, Random], tuple[Floats, Floats]]


def _equal(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    return rng.uniform(0, n ** (1 / d), (n, d)), np.full((n, d), 0.5)


def _mixed(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    half = 10 ** rng.uniform(-2, 0, (n, 1))
    return rng.uniform(0, 0.7 * n ** (1 / d), (n, d)), np.broadcast_to(half, (n, d))


def _clusters(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    middles = rng.uniform(0, 1000, (5, d))
    return middles[rng.integers(0, 5, n)] + rng.normal(size=(n, d)), np.full((n, d), 0.1)


def _rods(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    half = np.full((n, d), 0.1)
    half[np.arange(n), rng.integers(0, d, n)] = 2
    return rng.uniform(0, n ** (1 / d), (n, d)), half


def _line(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    center = np.zeros((n, d))
    center[:, rng.integers(0, d)] = rng.uniform(0, n, n)
    return center, np.full((n, d), 0.6)


def _plane(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    center = rng.uniform(0, np.sqrt(n), (n, d))
    center[:, rng.integers(0, d)] = 7
    return center, np.full((n, d), 0.5)


def _duplicates(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    center, half = _mixed(n, d, rng)
    same = rng.integers(0, max(1, n // 4), n)
    return center[same], half[same]


def _touching(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    """On a lattice, just touching or an ulp apart."""
    center = 0.2 * rng.integers(0, max(2, round(n ** (1 / d))), (n, d)).astype(np.float64)
    near: Floats = np.nextafter(0.1, rng.choice([0.0, 0.1, 1.0], (n, 1)))
    return center, np.broadcast_to(near, (n, d))


def _giant(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    center, half = _equal(n, d, rng)
    half[: n // 50 + 1] = n
    return center, half


def _heap(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    """Some at one point, of any sizes."""
    center, half = _mixed(n, d, rng)
    center[: min(n, 70)] = 3
    return center, half


def _far(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    center, half = _touching(n, d, rng)
    return center + 1e6, half


def _very_far(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    """Where one ulp is as wide as a body."""
    center, half = _equal(n, d, rng)
    return center + 1e15, half


def _points(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    return 0.25 * rng.integers(0, 4, (n, d)).astype(np.float64), np.zeros((n, d))


def _tiny(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    """So small that squares vanish."""
    return rng.uniform(0, 1e-160, (n, d)), np.broadcast_to(rng.choice([0.0, 1e-162, 1e-200], (n, 1)), (n, d))


def _subnormal(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    steps, wide = rng.uniform(0, 40, (n, d)).round(), rng.uniform(0, 2, (n, d)).round()
    return steps * 5e-324, wide * 5e-324


def _huge(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    center, half = _mixed(n, d, rng)
    return center * 1e56, half * 1e56


def _void(n: int, d: int, rng: Random) -> tuple[Floats, Floats]:
    """A tight crowd and a few bodies very far away."""
    center, half = _equal(n, d, rng)
    center[: n // 100 + 1] *= 1e9
    return center, half


CROWDS: dict[str, Crowd] = {
    name.removeprefix("_"): crowd
    for name, crowd in list(globals().items())
    if name.startswith("_") and not name.startswith("__")
}


def balls(crowd: str, n: int, d: int, seed: int) -> Any:
    center, half = CROWDS[crowd](n, d, np.random.default_rng([seed, n, d]))
    return (ougi.Circle if d == 2 else ougi.Sphere)(center, half.max(axis=1, initial=0.0))


def boxes(crowd: str, n: int, d: int, seed: int) -> Any:
    center, half = CROWDS[crowd](n, d, np.random.default_rng([seed, n, d]))
    return (ougi.Aabb2d if d == 2 else ougi.Aabb3d)(center - half, center + half)
