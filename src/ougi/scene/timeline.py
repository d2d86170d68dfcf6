"""From poses at times to pieces of motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ougi._typing import Floats
from ougi.motion import (
    Chain,
    Motion,
    Pose,
    Rotation2d,
    Rotation3d,
    Screw3d,
    Translation2d,
    Translation3d,
    between,
)
from ougi.scene.model import Piece

# An offset that leans less than this from the axis, as a sine, goes along it: a screw.
_ALONG = 1e-14


def straight_and_even(start: Pose, end: Pose) -> Motion | None:
    """The motion of a frame whose origin goes straight and which turns evenly the short way; None at rest.

    That is what LINEAR keys of glTF mean, lerp and slerp. Only where the way leads along the axis, or there
    is no way or no turn, is it a screw; else a turn carried along by a straight move.

    >>> import ougi
    >>> from ougi.scene.timeline import straight_and_even
    >>> type(straight_and_even(ougi.Pose([0, 0, 0]), ougi.Pose([1, 0, 0], [0, 0, 0.6, 0.8]))).__name__
    'Chain'
    """
    if start.dimension == 2:
        turn = between(Pose([0.0, 0.0], start.rotation), Pose([0.0, 0.0], end.rotation))
        angle = turn.angle if isinstance(turn, Rotation2d) else np.zeros(())
        return planar(start.position, end.position, float(angle))
    offset = end.position - start.position
    turn = between(Pose(np.zeros(3), start.rotation), Pose(np.zeros(3), end.rotation))
    assert isinstance(turn, Screw3d)
    if turn.angle == 0:
        return Translation3d(offset) if offset.any() else None
    if not offset.any():
        return Rotation3d(start.position, turn.axis, turn.angle)
    along = float(offset @ turn.axis)
    if np.linalg.norm(offset - along * turn.axis) <= _ALONG * np.linalg.norm(offset):
        return Screw3d(start.position, turn.axis, turn.angle, along)
    return Chain(Translation3d(offset), Rotation3d(start.position, turn.axis, turn.angle))


def planar(start: Floats, end: Floats, angle: float) -> Motion | None:
    """As `straight_and_even`, in the plane and by any angle."""
    offset = end - start
    if angle == 0:
        return Translation2d(offset) if offset.any() else None
    turn = Rotation2d(start, angle)
    return Chain(Translation2d(offset), turn) if offset.any() else turn


def pieces_between(times: Sequence[float], motions: Sequence[Motion | None]) -> tuple[Piece, ...]:
    """Pieces of a body with one motion for each span between times; rests are left out."""
    spans = zip(times[:-1], times[1:], motions, strict=True)
    return tuple(
        Piece(float(start), float(stop), motion) for start, stop, motion in spans if motion is not None
    )
