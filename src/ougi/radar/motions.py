"""Motions of sensors: which of them radars support, and their frames."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.radar.meshes import Meshes
from ougi.radar.motion_frames import FRAME_COLUMNS, FULL, build_frames
from ougi.shapes import Mesh

ScrewMotion: TypeAlias = Translation3d | Rotation3d | Screw3d

# Lengths along the axis for each radian and length of the sensor: above this a screw is all but straight.
_MAX_STEEPNESS = 1e3

# An arc that is shorter than this part of coordinates and motion is none.
_ROUNDING = 1e-15

# Rows of the columns of a motion.
_CENTER, _AXIS, _ANGLE, _ADVANCE = slice(0, 3), slice(3, 6), 6, 7


def check_motion(motion: Motion) -> ScrewMotion:
    """The motion, if radars support it; a TypeError if not."""
    if not isinstance(motion, Translation3d | Rotation3d | Screw3d):
        raise TypeError(
            f"motion must be Translation3d, Rotation3d or Screw3d, got {type(motion).__name__}; "
            "for a Chain use ougi.time_of_impact"
        )
    return motion


def check_translation(motion: Motion) -> Translation3d:
    """The motion, if it is a translation: RADAR's listing, and a renderer, support no other."""
    if not isinstance(motion, Translation3d):
        raise TypeError(
            f"motion must be Translation3d for the published method, got {type(motion).__name__}; use "
            "collide with the method exact or bracket"
        )
    return motion


def batch_shape(sensor: Mesh | Meshes, motion: Motion, sensors: Meshes) -> tuple[int, ...]:
    """The shape of a result: one entry for a Mesh and a single motion, else one for each sensor."""
    return () if isinstance(sensor, Mesh) and check_motion(motion).shape == () else (len(sensors),)


def make_frames(motion: Motion, sensors: Meshes) -> Floats:
    """The frames of the motions of sensors, (n, FRAME_COLUMNS), see `motion_frames.py`."""
    screw, n = check_motion(motion), len(sensors)
    if screw.shape not in ((), (n,)):
        raise ValueError(
            f"motion must be one, or {n} for as many sensors, got a batch of shape {screw.shape}; "
            "for several motions of one mesh repeat it: Meshes([mesh] * n)"
        )
    frames = np.empty((n, FRAME_COLUMNS))
    build_frames(_straighten_screws(screw, sensors), sensors.lower, sensors.upper, frames)
    full = frames[:, FULL]
    if not full.all():
        _check.refuse(full == 0, "motion", "not be zero: give an offset, an angle or an advance", full)
    return frames


def _straighten_screws(motion: ScrewMotion, sensors: Meshes) -> Floats:
    """Columns of a motion. Screws that turn by less than rounding become straight, steeper ones raise."""
    columns = motion.columns()
    if not isinstance(motion, Screw3d):
        return columns
    steep = is_steep(columns, sensors)
    if not steep.any():
        return columns
    angle, rise = np.abs(columns[_ANGLE]), np.abs(columns[_ADVANCE])
    reach, far = _measure_reach(columns, sensors)
    straight = steep & (angle * reach <= _ROUNDING * (far + rise))
    _check.refuse(
        steep & ~straight,
        "motion",
        f"advance by at most {_MAX_STEEPNESS:g} times the sensor's size for each radian, because images "
        "across a steeper screw would be useless (use ougi.time_of_impact)",
        np.broadcast_to(rise / np.where(straight | (angle == 0), 1.0, angle), steep.shape),
    )
    plain = np.array(np.broadcast_to(columns, (8, max(columns.shape[1], len(steep)))))
    plain[_ANGLE, straight] = 0.0
    return _check.frozen(plain)


def is_steep(columns: Floats, sensors: Meshes) -> Bools:
    """Which screws are all but straight, so that images across them would be useless?"""
    angle, rise = np.abs(columns[_ANGLE]), np.abs(columns[_ADVANCE])
    size = np.linalg.norm(sensors.upper - sensors.lower, axis=1)
    steep: Bools = (angle > 0) & (rise > _MAX_STEEPNESS * size * angle)
    return steep


def _measure_reach(columns: Floats, sensors: Meshes) -> tuple[Floats, Floats]:
    """The largest distance of sensors from the screws' axes, and the largest of their coordinates."""
    middle, half = (sensors.lower + sensors.upper) / 2, (sensors.upper - sensors.lower) / 2
    off = np.cross(middle - columns[_CENTER].T, columns[_AXIS].T)
    far = np.maximum(np.abs(sensors.lower), np.abs(sensors.upper)).max(axis=1)
    return np.linalg.norm(off, axis=1) + np.linalg.norm(half, axis=1), far
