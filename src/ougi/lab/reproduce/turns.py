"""Random motions as in FAN sec. 3.1: a box on an arm turns about an axis."""

from __future__ import annotations

import numpy as np

from ougi._typing import Floats
from ougi.motion import Rotation3d
from ougi.shapes import Box

LEVER = (12.5, 25.0)  # d, so that the pivot never lies inside the box
LONGEST = 25.0  # of Wx, Wy, Wz


def directions(n: int, rng: np.random.Generator) -> Floats:
    """n unit vectors (n, 3), uniform on the sphere."""
    v = rng.normal(size=(n, 3))
    unit: Floats = v / np.linalg.norm(v, axis=1, keepdims=True)
    return unit


def turns(n: int, spread: float, rng: np.random.Generator) -> tuple[Box, Rotation3d]:
    """n boxes at the start and their turns; pivots lie in a cube of the half edge `spread`.

    >>> boxes, motions = turns(3, 0.0, np.random.default_rng(0))
    >>> boxes.shape, motions.center.tolist()[0]
    ((3,), [0.0, 0.0, 0.0])
    """
    axis = directions(n, rng)
    across = np.cross(axis, directions(n, rng))  # X'
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    out = np.cross(axis, across)  # Y', the direction of the arm
    pivot = rng.uniform(-spread, spread, (n, 3))
    lever = rng.uniform(*LEVER, (n, 1))
    frame = np.stack([across, out, axis], axis=-1)
    box = Box(pivot + lever * out, rng.uniform(0, LONGEST, (n, 3)), frame)
    return box, Rotation3d(pivot, axis, rng.uniform(0, 2 * np.pi, n))
