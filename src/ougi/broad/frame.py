"""A survey of a scene, and its volumes scaled into the unit cube in single precision for the searches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, each, loop
from ougi._native.lanes import DOUBT, add_unordered, maximum, minimum
from ougi._typing import Floats, Index, Singles
from ougi.broad.volumes import Volumes
from ougi.kernels.records import Vec3

# Volumes that one thread surveys at a time.
_CHUNK = 1 << 16

# Balls touch by a comparison of rounded squares. A computed difference of coordinates is off by a relative u
# = 2**-53 only, a sum of squares by 4 u, the square of the sum of radii by 3 u: so balls that touch by it
# have |dx| <= (ra + rb) (1 + 8 u). Squares below 2**-1074 vanish, which hides differences below 2e-162.
# Bounds c - r and c + r are off by u (|c| + r). So all bounds grow by _GROW times the largest of these
# numbers, and by _NOTHING: then the bounds of balls that touch overlap. Bounds of boxes are compared as they
# are.
_GROW = 2.0**-49
_NOTHING = 1e-161

# The smallest size of a scene: no scale beyond the range of floats.
_MIN_SIZE = 1e-290


class SceneExtent(NamedTuple):
    """Extents of a scene, which the searches need beside its columns."""

    low: Vec3  # the corner of the box around all volumes
    spread: Vec3  # its size
    largest: Vec3  # extents of volumes
    mean: Vec3
    growth: float  # of the radius of balls, so that the bounds of touching balls overlap
    scale: float  # to the unit cube
    lift: Vec3  # 1 for axes along which there is nothing: all boxes overlap there, without doubt


def survey_scene(scene: Volumes) -> Floats:
    """Compute the numbers that `build_frame` takes, in one pass over all volumes."""
    if scene.count <= _CHUNK:
        found = np.empty(12)
        survey_chunk(scene.columns, scene.balls, found, 0, scene.count)
        return found
    parts = [(at, min(at + _CHUNK, scene.count)) for at in range(0, scene.count, _CHUNK)]
    found = np.empty((len(parts), 12))
    each(lambda k: survey_chunk(scene.columns, scene.balls, found[k], *parts[k]), range(len(parts)))
    low, high, total = found[:, :3].min(0), found[:, 3:9].max(0), found[:, 9:].sum(0)
    return np.concatenate([low, high, total])


@loop
def survey_chunk(columns: Floats, balls: bool, out: Floats, start: int, stop: int) -> None:
    """Lowest and highest bounds, largest and summed extents of a range of volumes."""
    for axis in range(3):
        lowest, highest, largest, total = np.inf, -np.inf, 0.0, 0.0
        for i in range(np.uint64(start), np.uint64(stop)):
            low, high = axis_bounds(columns, balls, 0.0, axis, i)
            extent = high - low
            lowest, highest = minimum(lowest, low), maximum(highest, high)
            largest, total = maximum(largest, extent), add_unordered(total, extent)
        out[axis], out[axis + 3], out[axis + 6], out[axis + 9] = lowest, highest, largest, total


@device
def build_frame(numbers: Floats, balls: bool, n: int) -> SceneExtent:
    """Build the frame of n volumes from the numbers of their survey."""
    low = Vec3(numbers[0], numbers[1], numbers[2])
    high = Vec3(numbers[3], numbers[4], numbers[5])
    largest = Vec3(numbers[6], numbers[7], numbers[8])
    mean = Vec3(numbers[9] / n, numbers[10] / n, numbers[11] / n)
    growth = 0.0
    if balls:
        far = max(-min(low.x, low.y, low.z), max(high.x, high.y, high.z))
        growth = _GROW * (far + largest.x) + _NOTHING
        low = Vec3(low.x - growth, low.y - growth, low.z - growth)
        # Extents were rounded too, so they grow by more than twice the growth of radii.
        largest = Vec3(largest.x + 3 * growth, largest.y + 3 * growth, largest.z + 3 * growth)
    spread = Vec3(high.x + growth - low.x, high.y + growth - low.y, high.z + growth - low.z)
    lift = Vec3(1.0 * (spread.x == 0.0), 1.0 * (spread.y == 0.0), 1.0 * (spread.z == 0.0))
    # In a scene no larger than rounding everything is in doubt: growth must vanish beside DOUBT.
    scale = 1.0 / max(spread.x, spread.y, spread.z, growth * 2.0**26, _MIN_SIZE)
    return SceneExtent(low, spread, largest, mean, growth, scale, lift)


@device
def axis_bounds(columns: Floats, balls: bool, growth: float, axis: int, i: Index) -> tuple[float, float]:
    """Lower and upper bound of a volume on an axis: if two volumes touch, theirs overlap."""
    if balls:
        reach = columns[3, i] + growth
        return columns[axis, i] - reach, columns[axis, i] + reach
    return columns[axis, i], columns[axis + 3, i]


@device
def scale_entry(columns: Floats, balls: bool, frame: SceneExtent, row: int, i: Index) -> np.float32:
    """Entry `row` of volume i in the unit cube: of balls center and radius, of boxes the two corners."""
    if balls and row == 3:
        return np.float32(columns[3, i] * frame.scale + DOUBT / 2)
    if row < 3:
        return np.float32((columns[row, i] - frame.low[row]) * frame.scale)
    return np.float32((columns[row, i] - frame.low[row - 3]) * frame.scale + frame.lift[row - 3])


@device
def write_rows(columns: Floats, balls: bool, frame: SceneExtent, i: Index, rows: Singles, at: Index) -> None:
    """Write volume i as column `at` of the matrix of the lanes."""
    for row in range(4):
        rows[row, at] = scale_entry(columns, balls, frame, row, i)
    if not balls:
        rows[4, at] = scale_entry(columns, balls, frame, 4, i)
        rows[5, at] = scale_entry(columns, balls, frame, 5, i)
