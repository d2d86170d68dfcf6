"""Random shapes and points of them, by formulas that share no code with the library."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ougi

Floats = NDArray[np.float64]


def spatial_shapes(n: int, rng: np.random.Generator) -> list[Any]:
    def place() -> Floats:
        return rng.uniform(-2, 2, (n, 3))

    def near(p: Floats) -> Floats:
        return p + rng.uniform(-1, 1, (n, 3))

    start, a, lower = place(), place(), place()
    return [
        ougi.Sphere(place(), rng.uniform(0, 1, n)),
        ougi.Box(place(), rng.uniform(0, 2, (n, 3)), Rotation.random(n, rng=rng)),
        ougi.Capsule3d(start, near(start), rng.uniform(0, 0.5, n)),
        ougi.Segment3d(start, near(start)),
        ougi.Triangle3d(a, near(a), near(a)),
        ougi.Aabb3d(lower, lower + rng.uniform(0, 1, (n, 3))),
    ]


def move_points(points: Floats, motion: Any, t: float) -> Floats:
    pose = motion.at(t)
    out: Floats = (pose.rotation @ points[..., None])[..., 0] + pose.position
    return out


def fan_motions(n: int, rng: np.random.Generator) -> tuple[ougi.Box, ougi.Rotation3d]:
    """FAN sec. 3.1: pivot at the origin, lever arm 12.5..25, sizes 0..25, angle 0..2 pi."""
    turn = Rotation.random(n, rng=rng).as_matrix()
    lever = rng.uniform(12.5, 25, n)
    box = ougi.Box(turn[..., 1] * lever[:, None], rng.uniform(0, 25, (n, 3)), turn)
    return box, ougi.Rotation3d([0, 0, 0], turn[..., 2], rng.uniform(0, 2 * math.pi, n))


def in_exact_sweep(box: ougi.Box, angle: Floats, rho: Floats, psi: Floats) -> Any:
    """Polar form of the swept rectangle: at radius rho the box covers offsets gmin <= |g| <= gmax."""
    lever = np.linalg.norm(box.center, axis=-1)
    half, inner, outer = box.size[..., 0] / 2, lever - box.size[..., 1] / 2, lever + box.size[..., 1] / 2
    gmin = np.arccos(np.minimum(1, outer / rho))
    gmax = np.minimum(np.arcsin(np.minimum(1, half / rho)), np.arccos(np.clip(inner / rho, -1, 1)))
    covered = (rho >= inner) & (gmin <= gmax)
    hit = np.zeros_like(covered)
    for low, high in ((psi - gmax, psi - gmin), (psi + gmin, psi + gmax)):
        for turns in (-1, 0, 1):
            shift = 2 * math.pi * turns
            hit |= (low + shift <= angle) & (high + shift >= 0)
    return covered & hit


TURN = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)


BOX = ougi.Box([3, 0, 0], [2, 1, 1])


FAN = ougi.Sector3d([3, 0, 0], [0, 0, 1], [1, 0, 0], 1.0, 0.5, 1.0, 0.5)


TETRAHEDRON = ougi.Mesh(
    [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)
