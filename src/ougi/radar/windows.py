"""Windows of images, and boxes of image coordinates and depths."""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device

# Columns of a window in an array: lowest u and v, width and height, columns and rows of pixels.
LOW_U, LOW_V, WIDTH, HEIGHT, COLUMNS, ROWS = range(6)
LOW, SIZE, PIXELS = slice(0, 2), slice(2, 4), slice(4, 6)


class PixelWindow(NamedTuple):
    """Pixels over two image axes, u and v."""

    u: float
    v: float
    per_u: float
    per_v: float
    columns: int
    rows: int


class ImageBounds(NamedTuple):
    """Bounds of image coordinates and depths."""

    u0: float
    u1: float
    v0: float
    v1: float
    z0: float
    z1: float


@device
def find_column(window: PixelWindow, u: float) -> int:
    """The column in which u lies, or the nearest one."""
    return int(min(max((u - window.u) * window.per_u, 0.0), window.columns - 1.0))


@device
def find_row(window: PixelWindow, v: float) -> int:
    """The row in which v lies, or the nearest one."""
    return int(min(max((v - window.v) * window.per_v, 0.0), window.rows - 1.0))
