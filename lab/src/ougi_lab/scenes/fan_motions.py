"""The random motions of FAN sec. 3.1.

A box turns about an axis through the origin. The axis is uniform on the sphere, the direction from the origin
to the box uniform across it; the angle is U(0, 2 pi), the distance of the box's center U(12.5, 25), its sizes
are U(0, 25). (FAN names the ranges and C#'s generator. A uniform axis is our reading.)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.motion import Rotation3d, Translation3d
from ougi.shapes import Box

LEVER = (12.5, 25.0)
SIZE = 25.0


@dataclass(frozen=True)
class FanMotions:
    """n motions about the origin.

    Attributes
    ----------
    axis, radial
        Unit vectors (n, 3): U, and Y' from the origin to the box's center.
    angle, lever
        (n,): alpha, and d, the distance of the box's center.
    size
        (n, 3): Wx, Wy, Wz, the box's sizes along the motion, along `radial` and along `axis`.
    """

    axis: Floats
    radial: Floats
    angle: Floats
    lever: Floats
    size: Floats

    def __len__(self) -> int:
        return len(self.angle)

    def __getitem__(self, index: Any) -> FanMotions:
        return FanMotions(*(getattr(self, field.name)[index] for field in fields(self)))

    def box(self) -> Box:
        """The boxes at the start."""
        axes = np.stack([np.cross(self.radial, self.axis), self.radial, self.axis], axis=-1)
        return Box(self.lever[:, None] * self.radial, self.size, axes)

    def motion(self) -> Rotation3d:
        """Their turns."""
        return Rotation3d(np.zeros((len(self), 3)), self.axis, self.angle)


def draw_fan_motions(seed: int, numbers: Any, attempts: Any) -> FanMotions:
    """Draw motions of a seed by their numbers. The attempt counts how often a motion was drawn again.

    A motion depends on nothing else: not on the others, nor on how they are cut into chunks.

    >>> from ougi_lab.scenes.fan_motions import draw_fan_motions
    >>> alone, together = draw_fan_motions(0, [5], [0]), draw_fan_motions(0, [3, 4, 5], [0, 0, 0])
    >>> float(alone.angle[0]) == float(together.angle[2])
    True
    """
    normal, uniform = np.empty((len(numbers), 3)), np.empty((len(numbers), 6))
    for i, (number, attempt) in enumerate(zip(numbers, attempts, strict=True)):
        rng = np.random.default_rng([seed, int(number), int(attempt)])
        normal[i], uniform[i] = rng.normal(size=3), rng.random(6)
    return _build_motions(normal, uniform)


def draw_fan_turns(n: int, spread: float, rng: np.random.Generator) -> tuple[Box, Rotation3d]:
    """n boxes at the start and their turns; the pivots lie in a cube of the half edge `spread`.

    >>> import numpy as np
    >>> from ougi_lab.scenes.fan_motions import draw_fan_turns
    >>> boxes, motions = draw_fan_turns(3, 0.0, np.random.default_rng(0))
    >>> boxes.shape, motions.center.tolist()[0]
    ((3,), [0.0, 0.0, 0.0])
    """
    made = _build_motions(rng.normal(size=(n, 3)), rng.random((n, 6)))
    pivot = rng.uniform(-spread, spread, (n, 3))
    return made.box().transformed(Translation3d(pivot)), Rotation3d(pivot, made.axis, made.angle)


def _build_motions(normal: Floats, uniform: Floats) -> FanMotions:
    """Build motions from three normal and six uniform numbers each."""
    axis = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis), axis=1)])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    turn = 2 * np.pi * uniform[:, 0]
    radial = np.cos(turn)[:, None] * across + np.sin(turn)[:, None] * np.cross(axis, across)
    return FanMotions(
        axis,
        radial,
        angle=2 * np.pi * uniform[:, 1],
        lever=LEVER[0] + (LEVER[1] - LEVER[0]) * uniform[:, 2],
        size=SIZE * uniform[:, 3:],
    )
