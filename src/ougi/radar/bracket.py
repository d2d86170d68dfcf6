"""Bounds of first contacts from images alone: conservative ones from below, point samples from above."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ougi._typing import Floats, Ints
from ougi.radar.collision_result import Collision
from ougi.radar.detection import draw_images
from ougi.radar.exact import read_contacts, run_resolve
from ougi.radar.meshes import Meshes
from ougi.radar.motion_frames import FULL, IS_TURNING
from ougi.radar.published import fit_windows
from ougi.radar.rasterizer import FARTHEST
from ougi.radar.resolve import BAND, LOWER_GAP, UPPER_GAP
from ougi.results import Status


def find_brackets(frames: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, ignored: Ints) -> Collision:
    """Bounds of the first contacts, one for each frame.

    The center of every pixel that shows the sensor, and the target behind it, has a true gap: no contact can
    be later.
    """
    numbers, floats = run_resolve(frames, pixels, sensors, scene, ignored, searches=False)
    found, full = read_contacts(numbers, floats), frames[:, FULL]
    overlapping = found.status == Status.OVERLAPPING
    rounding = _bound_rounding(frames, sensors, scene)
    low = np.maximum(floats[:, LOWER_GAP] - rounding, 0.0)
    high = np.minimum(floats[:, UPPER_GAP], _sample_gaps(frames, pixels, sensors, scene, ignored)) + rounding
    lower, upper = (np.where(overlapping, 0.0, bound / full) for bound in (low, high))
    lower, upper = np.where(lower > 1, np.inf, lower), np.where(upper > 1, np.inf, upper)
    upper = np.where(np.isinf(lower), np.inf, upper)
    hit = overlapping | (upper <= 1)
    status = np.where(np.isinf(lower), Status.FREE.value, Status.UNDECIDED.value)
    status = np.where(hit, np.where(overlapping, Status.OVERLAPPING.value, Status.HIT.value), status)
    distance, t = np.where(hit, upper * full, np.inf), np.where(hit, upper, np.nan)
    return replace(found, status=status, hit=hit, distance=distance, t=t, lower=lower, upper=upper)


def _bound_rounding(frames: Floats, sensors: Meshes, scene: Meshes) -> Floats:
    """By how much rounding may move the bounds of lengths or angles."""
    is_turning = frames[:, IS_TURNING] > 0
    far = max(float(np.abs(meshes.vertices).max()) for meshes in (sensors, scene))
    size = np.linalg.norm(sensors.upper - sensors.lower, axis=1)
    band = BAND * (far + np.where(is_turning, size, frames[:, FULL]))
    return np.where(is_turning, band / np.maximum(size, 1e-280), band)


def _sample_gaps(frames: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, ignored: Ints) -> Floats:
    """The smallest gap behind the sensor's farthest depth at the center of a pixel; inf for rotations."""
    fitted, windows = fit_windows(frames, sensors, pixels)
    smallest = np.full(len(frames), np.inf)
    nothing_ignored = np.full((1, 1), -1)
    for i in np.flatnonzero(frames[:, IS_TURNING] == 0).tolist():
        view = fitted[i : i + 1], windows[i : i + 1]
        far, _, _ = draw_images(*view, sensors[i], nothing_ignored, keeps=FARTHEST)
        blind = np.where(np.isinf(far), np.inf, far)
        near, _, _ = draw_images(*view, scene, ignored[i : i + 1], behind=blind)
        gaps = near - far
        smallest[i] = np.min(gaps, where=np.isfinite(gaps), initial=np.inf)
    return smallest
