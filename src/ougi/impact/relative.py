"""Two motions that amount to one: along the same line, or both straight."""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats
from ougi.impact.embed import motion_in_space
from ougi.kernels.constants import COAXIAL_ROUNDING
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d


def are_one(motion: Motion, target: Motion) -> Bools:
    """For which pairs of motions, which broadcast, one body makes a screw in the frame of the other."""
    a, b = motion_in_space(motion), motion_in_space(target)
    batch = np.broadcast_shapes(a.shape, b.shape)
    if isinstance(a, Translation3d) and isinstance(b, Translation3d):
        return np.full(batch, True)
    if isinstance(a, Translation3d) or isinstance(b, Translation3d):
        return np.full(batch, False)
    off_axis = np.abs(np.cross(a.axis, b.center - a.center)).max(axis=-1)
    size = np.abs(a.center).max(axis=-1) + np.abs(b.center).max(axis=-1)
    tilt = np.abs(a.axis - _sense(a, b)[..., None] * b.axis).max(axis=-1)
    alike: Bools = (tilt <= COAXIAL_ROUNDING) & (off_axis <= COAXIAL_ROUNDING * size)
    return alike


def relative(motion: Motion, target: Motion) -> Screw3d | Translation3d:
    """The one motion that a body with `motion` makes in the frame of one with `target`; see `are_one`."""
    a, b = motion_in_space(motion), motion_in_space(target)
    if isinstance(a, Translation3d) or isinstance(b, Translation3d):
        assert isinstance(a, Translation3d)
        assert isinstance(b, Translation3d)
        return Translation3d(a.offset - b.offset)
    sense = _sense(a, b)
    return Screw3d(a.center, a.axis, a.angle - sense * b.angle, a._along() - sense * b._along())


def _sense(a: Rotation3d | Screw3d, b: Rotation3d | Screw3d) -> Floats:
    return np.where((a.axis * b.axis).sum(-1) < 0, -1.0, 1.0)
