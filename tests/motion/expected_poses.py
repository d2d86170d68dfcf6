"""Poses and formulas that motions are held against."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import ougi
from ougi._typing import Floats

ROUNDING = 1e-14  # of coordinates below 10


Z3 = [0.0, 0.0, 0.0]


def turn_2d(angle: Any) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def random_points(dimension: int, n: int = 20) -> Floats:
    return np.random.default_rng(9).uniform(-5, 5, (n, dimension))


def poses(dimension: int, n: int, seed: int = 0, reach: float = 5.0) -> ougi.Pose:
    rng = np.random.default_rng(seed)
    position = rng.uniform(-reach, reach, (n, dimension))
    if dimension == 3:
        return ougi.Pose(position, Rotation.random(n, random_state=seed))
    return ougi.Pose(position, rng.uniform(-np.pi, np.pi, n))
