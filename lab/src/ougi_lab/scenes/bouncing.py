"""The scene of SORT sec. 4.2: balls that fly about in a closed cube and bounce off its walls.

SORT gives edge 100, radius 2, 50 to 5,000 balls and velocities of -0.5 to 0.5 per frame on each axis. Its
counts of tests settle two details that the text leaves open. Balls lie within the cube, and the origin, from
which the first method measures, is the middle of the cube. Balls pass through each other, unless they collide
as bodies of equal mass (`collide`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ougi._check import frozen
from ougi._native import loop
from ougi._typing import Floats, Ints
from ougi.broad import candidate_pairs
from ougi.errors import InvalidInputError
from ougi.shapes import Sphere

EDGE = 100.0
RADIUS = 2.0
SPEED = 0.5  # per frame, on each axis


class BouncingBalls:
    """Balls in a closed cube about the origin.

    Parameters
    ----------
    n
        How many.
    seed
        Decides centers and velocities.
    radius, edge, speed
        Of a ball; of the cube; the largest per frame and axis.
    collide
        Balls bounce off each other, too.

    >>> world = BouncingBalls(100, seed=1)
    >>> world.step()
    >>> world.balls
    <Sphere batch of shape (100,)>
    """

    def __init__(
        self,
        n: int,
        seed: Any,
        *,
        radius: float = RADIUS,
        edge: float = EDGE,
        speed: float = SPEED,
        collide: bool = False,
    ) -> None:
        if n < 0 or radius < 0 or not edge > 2 * radius or not 0 <= speed <= edge / 2 - radius:
            raise InvalidInputError(
                "n, radius and speed must not be negative, balls must fit into the cube and not cross half "
                f"of it in a frame, got n {n}, radius {radius}, edge {edge}, speed {speed}"
            )
        rng = np.random.default_rng(seed)
        self.radius, self.collide = radius, collide
        self.limit = edge / 2 - radius  # of the centers, on each axis
        self.center: Floats = rng.uniform(-self.limit, self.limit, (n, 3))
        self.velocity: Floats = rng.uniform(-speed, speed, (n, 3))

    @property
    def balls(self) -> Sphere:
        """The balls at their current centers."""
        return Sphere(self.center, self.radius)

    @property
    def energy(self) -> float:
        """Kinetic, for balls of mass 1."""
        return float((self.velocity**2).sum()) / 2

    def step(self) -> None:
        """Advance one frame: balls move, walls reflect, and touching balls may exchange momentum."""
        self.center += self.velocity
        over = np.abs(self.center) > self.limit
        mirrored = np.sign(self.center) * 2 * self.limit - self.center
        self.center = np.where(over, mirrored, self.center)
        self.velocity = np.where(over, -np.sign(mirrored) * np.abs(self.velocity), self.velocity)
        if self.collide:
            exchange_momentum(self.center, self.velocity, frozen(candidate_pairs(self.balls)))


@loop
def exchange_momentum(center: Floats, velocity: Floats, pairs: Ints) -> None:
    """Collide balls of equal mass elastically. Approaching balls swap their speeds along the normal.

    Pairs are handled one after the other, so that every step conserves energy and momentum.
    """
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        normal = center[j] - center[i]
        length_sq = (normal * normal).sum()
        approach = ((velocity[j] - velocity[i]) * normal).sum()
        if approach < 0.0 and length_sq > 0.0:
            change = approach / length_sq * normal
            velocity[i] += change
            velocity[j] -= change


# Distributions of the centers: even in the cube as in SORT's measurements, or others.
LIMIT = EDGE / 2 - RADIUS
SHELL = 40.0
CLUSTERS, CLUSTER_SPREAD = 10, 4.0


def _draw_even(n: int, rng: np.random.Generator) -> Floats:
    return rng.uniform(-LIMIT, LIMIT, (n, 3))


def _build_gaussian(spread: float) -> Callable[[int, np.random.Generator], Floats]:
    return lambda n, rng: np.clip(rng.normal(0, spread, (n, 3)), -LIMIT, LIMIT)


def _draw_clusters(n: int, rng: np.random.Generator) -> Floats:
    middle = rng.uniform(-40, 40, (CLUSTERS, 3))[rng.integers(0, CLUSTERS, n)]
    return np.clip(middle + rng.normal(0, CLUSTER_SPREAD, (n, 3)), -LIMIT, LIMIT)


def _draw_floor(n: int, rng: np.random.Generator) -> Floats:
    return _draw_even(n, rng) * [1, 1, 0] - [0, 0, LIMIT]


def _build_line(direction: tuple[int, int, int]) -> Callable[[int, np.random.Generator], Floats]:
    return lambda n, rng: rng.uniform(-LIMIT, LIMIT, (n, 1)) * direction


def _draw_shell(n: int, rng: np.random.Generator) -> Floats:
    v = rng.normal(size=(n, 3))
    shell: Floats = SHELL * v / np.linalg.norm(v, axis=1, keepdims=True)
    return shell


def _draw_point(n: int, rng: np.random.Generator) -> Floats:
    return np.tile(rng.uniform(-LIMIT, LIMIT, 3), (n, 1))


DISTRIBUTIONS: dict[str, Callable[[int, np.random.Generator], Floats]] = {
    "even, as published": _draw_even,
    "normal, sd 20": _build_gaussian(20.0),
    "normal, sd 10": _build_gaussian(10.0),
    "ten clusters, sd 4": _draw_clusters,
    "on the floor": _draw_floor,
    "line along x": _build_line((1, 0, 0)),
    "line along the diagonal": _build_line((1, 1, 1)),
    "shell of radius 40": _draw_shell,
    "all at one point": _draw_point,
}
EVEN, *_, ONE_POINT = DISTRIBUTIONS


def draw_balls(distribution: str, n: int, rng: np.random.Generator) -> Sphere:
    """Draw n balls of radius 2.

    >>> draw_balls("on the floor", 4, np.random.default_rng(0)).center[:, 2].tolist()
    [-48.0, -48.0, -48.0, -48.0]
    """
    return Sphere(DISTRIBUTIONS[distribution](n, rng), RADIUS)
