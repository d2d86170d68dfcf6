"""Two motions that amount to one: along the same line, or both straight."""

from __future__ import annotations

import numpy as np

from ougi.impact._embed import motion_in_space
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d

# Axes are one line if they differ by no more than rounding of their coordinates.
_ROUNDING = 4e-16


def relative(motion: Motion, target: Motion) -> Screw3d | Translation3d | None:
    """The one motion that a body with `motion` makes, seen from one with `target`; None if it is no screw.

    The motions broadcast; all of them must be alike.
    """
    a, b = motion_in_space(motion), motion_in_space(target)
    if isinstance(a, Translation3d) and isinstance(b, Translation3d):
        return Translation3d(a.offset - b.offset)
    if not (isinstance(a, Rotation3d | Screw3d) and isinstance(b, Rotation3d | Screw3d)):
        return None
    sense = np.where((a.axis * b.axis).sum(-1) < 0, -1.0, 1.0)
    apart = b.center - a.center
    off_axis = np.cross(a.axis, apart)
    size = np.abs(a.center).max(initial=0.0) + np.abs(b.center).max(initial=0.0)
    if np.abs(a.axis - sense[..., None] * b.axis).max(initial=0.0) > _ROUNDING:
        return None
    if np.abs(off_axis).max(initial=0.0) > _ROUNDING * size:
        return None
    return Screw3d(a.center, a.axis, a.angle - sense * b.angle, a._along() - sense * b._along())
