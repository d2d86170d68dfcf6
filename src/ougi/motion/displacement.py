"""From two poses to the motion between them."""

from __future__ import annotations

import numpy as np

from ougi.motion.pose import Pose
from ougi.motion.screws import normalize
from ougi.motion.steady import Displacement2d, Rotation2d, Screw3d, Translation2d


def between(start: Pose, end: Pose) -> Screw3d | Rotation2d | Translation2d | Displacement2d:
    """The motion from one pose to another by the smaller turn: in space every displacement is a screw.

    Parameters
    ----------
    start, end
        Poses of one dimension, broadcasting against each other.

    Returns
    -------
    In space a Screw3d (angle in [0, pi]; a pure translation has angle 0 and its direction as axis). In the
    plane a Rotation2d (angle in [-pi, pi]) if all poses of the batch turn, a Translation2d if none does, and
    a Displacement2d if some do.

    >>> import ougi
    >>> motion = ougi.between(ougi.Pose([0, 0, 0]), ougi.Pose([2, 0, 5], [0, 0, 0.6, 0.8]))
    >>> motion.at(1).position.round(12).tolist()
    [2.0, 0.0, 5.0]
    >>> round(float(motion.advance), 12)
    5.0
    >>> flat = ougi.between(ougi.Pose([0, 0]), ougi.Pose([[2, 0], [2, 0]], [0.0, 1.0]))
    >>> type(flat).__name__, flat.at(1).position.round(12).tolist()
    ('Displacement2d', [[2.0, 0.0], [2.0, 0.0]])
    """
    for name, pose in (("start", start), ("end", end)):
        if not isinstance(pose, Pose):
            raise TypeError(f"{name} must be a Pose, got {type(pose).__name__}")
    change = end @ start.inverse()
    return _between_3d(change) if change.dimension == 3 else _between_2d(change)


# Two equal orientations multiplied leave a turn of rounding, about a center as far away as it pleases.
_NO_TURN = 8e-16


def _between_3d(change: Pose) -> Screw3d:
    r, d = change.rotation, change.position
    # sin(angle) * axis, exact for small angles; the symmetric part gives the axis near half a turn.
    twist = (
        np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], -1)
        / 2
    )
    sine = np.linalg.norm(twist, axis=-1)
    cosine = (np.trace(r, axis1=-2, axis2=-1) - 1) / 2
    angle = np.arctan2(sine, cosine)
    symmetric = (r + np.swapaxes(r, -1, -2)) / 2 - cosine[..., None, None] * np.eye(3)  # (1 - cos) u u^T
    best = np.argmax(np.abs(np.diagonal(symmetric, axis1=-2, axis2=-1)), axis=-1)
    column = np.take_along_axis(symmetric, best[..., None, None], axis=-1)[..., 0]
    column = column * np.where((column * twist).sum(-1) < 0, -1.0, 1.0)[..., None]
    wide = cosine < 0
    straight, length = normalize(d)
    axis, _ = normalize(np.where(wide[..., None], column, twist))
    turns = angle > _NO_TURN
    angle = np.where(turns, angle, 0.0)
    axis = np.where(turns[..., None], axis, straight)
    advance = np.where(turns, (axis * d).sum(-1), length)
    across = d - (axis * d).sum(-1, keepdims=True) * axis
    cot = 1 / np.tan(np.where(turns, angle, 1.0) / 2)
    center = np.where(turns[..., None], (across + cot[..., None] * np.cross(axis, across)) / 2, 0.0)
    return Screw3d(center, axis, angle, advance)


def _between_2d(change: Pose) -> Rotation2d | Translation2d | Displacement2d:
    r, d = change.rotation, change.position
    angle = np.arctan2(r[..., 1, 0], r[..., 0, 0])
    angle = np.where(np.abs(angle) > _NO_TURN, angle, 0.0)
    if not angle.any():
        return Translation2d(d)
    turns = angle != 0
    cot = 1 / np.tan(np.where(turns, angle, 1.0) / 2)[..., None]
    left = np.stack([-d[..., 1], d[..., 0]], axis=-1)
    center = (d + cot * left) / 2
    if turns.all():
        return Rotation2d(center, angle)
    turns = turns[..., None]
    return Displacement2d(np.where(turns, center, 0.0), angle, np.where(turns, 0.0, d))
