"""Hulls and polygons on the GPU: their columns, and how kernels read them there.

Code for the GPU cannot flatten an array. So an operand of such a layout is a pair: the columns, and the same
memory in one row, in which the vertices lie.
"""

from __future__ import annotations

from typing import Any

from ougi._native import device
from ougi._typing import DeviceArray, Loop
from ougi.cuda.driver import reshape_array
from ougi.kernels.convex.records import Hull3d, load_hull3d, load_polygon2d
from ougi.kernels.impact.convex.hull3d_hull3d import load_moving_hull3d
from ougi.kernels.impact.movers import Mover, load_screw
from ougi.kernels.load import load_vec3
from ougi.kernels.records import Frame

# Layouts of polytopes, whose vertices lie behind the records.
POLYTOPES = ("hull3d", "polygon2d")


def as_operand(columns: DeviceArray, layout: str) -> Any:
    """What loops on the GPU take for columns of a layout."""
    if layout not in POLYTOPES:
        return columns
    return columns, reshape_array(columns, (columns.shape[0] * columns.shape[1],))


@device
def load_device_hull3d(operand: Any, i: int) -> Hull3d:
    """As `load_hull3d`."""
    c, numbers = operand[0], operand[1]
    frame = Frame(load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i), load_vec3(c, 9, i))
    return Hull3d(
        numbers, frame, load_vec3(c, 12, i), c[15, i], c[16, i], c[17, i], int(c[18, i]),
        int(c[19, i]), int(c[20, i]), int(c[21, i]), int(c[22, i]), int(c[23, i]), int(c[24, i]),
    )  # fmt: skip


@device
def load_moving_device_hull3d(m: Any, i: int) -> Mover:
    """As `load_moving_hull3d`."""
    return Mover(load_device_hull3d(m[0], m[2][i]), load_screw(m[1], m[3][i]), m[4], m[5], m[6])


# Functions that read records on the CPU, and those of the GPU.
LOADERS: dict[Loop, Loop] = {
    load_hull3d: load_device_hull3d,
    load_polygon2d: load_device_hull3d,
    load_moving_hull3d: load_moving_device_hull3d,
}
