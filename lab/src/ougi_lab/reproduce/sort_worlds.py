"""Where SORT's balls may be: evenly in the cube as in its measurements, or elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ougi._typing import Floats
from ougi.shapes import Sphere
from ougi_lab.bouncing import EDGE, RADIUS

LIMIT = EDGE / 2 - RADIUS
SHELL = 40.0
CLUSTERS, CLUSTER_SPREAD = 10, 4.0


def _even(n: int, rng: np.random.Generator) -> Floats:
    return rng.uniform(-LIMIT, LIMIT, (n, 3))


def _gaussian(spread: float) -> Callable[[int, np.random.Generator], Floats]:
    return lambda n, rng: np.clip(rng.normal(0, spread, (n, 3)), -LIMIT, LIMIT)


def _clusters(n: int, rng: np.random.Generator) -> Floats:
    middle = rng.uniform(-40, 40, (CLUSTERS, 3))[rng.integers(0, CLUSTERS, n)]
    return np.clip(middle + rng.normal(0, CLUSTER_SPREAD, (n, 3)), -LIMIT, LIMIT)


def _floor(n: int, rng: np.random.Generator) -> Floats:
    return _even(n, rng) * [1, 1, 0] - [0, 0, LIMIT]


def _line(direction: tuple[int, int, int]) -> Callable[[int, np.random.Generator], Floats]:
    return lambda n, rng: rng.uniform(-LIMIT, LIMIT, (n, 1)) * direction


def _shell(n: int, rng: np.random.Generator) -> Floats:
    v = rng.normal(size=(n, 3))
    shell: Floats = SHELL * v / np.linalg.norm(v, axis=1, keepdims=True)
    return shell


def _point(n: int, rng: np.random.Generator) -> Floats:
    return np.tile(rng.uniform(-LIMIT, LIMIT, 3), (n, 1))


DISTRIBUTIONS: dict[str, Callable[[int, np.random.Generator], Floats]] = {
    "even, as in the thesis": _even,
    "normal, sd 20": _gaussian(20.0),
    "normal, sd 10": _gaussian(10.0),
    "ten clusters, sd 4": _clusters,
    "on the floor": _floor,
    "line along x": _line((1, 0, 0)),
    "line along the diagonal": _line((1, 1, 1)),
    "shell of radius 40": _shell,
    "all at one point": _point,
}
EVEN, *_, ONE_POINT = DISTRIBUTIONS


def world(distribution: str, n: int, rng: np.random.Generator) -> Sphere:
    """n balls of radius 2.

    >>> world("on the floor", 4, np.random.default_rng(0)).center[:, 2].tolist()
    [-48.0, -48.0, -48.0, -48.0]
    """
    return Sphere(DISTRIBUTIONS[distribution](n, rng), RADIUS)
