"""Where labels stand so that none covers another, as the camera first sees the scene."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ougi._typing import Floats, Ints

# The width of a character and the height of a line, in heights of the font.
CHARACTER, LINE = 0.6, 1.3
# Higher above its point than this number of lines a label is not shown.
MAX_LEVEL = 12


def stack_labels(points: Floats, widths: Sequence[float], height: float) -> Ints:
    """How many lines each label is raised above its point, so that no two overlap; -1: it does not fit.

    Parameters
    ----------
    points
        (n, 2), in the plane of the screen: right and up. A label begins at its point and goes right and up.
    widths, height
        The size of each label and the height of a line, in the units of the points.

    >>> stack_labels(np.array([[0, 0], [0.5, 0.1], [9, 0]]), [2.0, 2.0, 2.0], 1.0).tolist()
    [0, 1, 0]
    """
    levels = np.full(len(points), -1)
    boxes = np.zeros((0, 4))
    for k, (right, up) in enumerate(points):
        for level in range(MAX_LEVEL + 1):
            low = up + level * height
            box = np.array([right, low, right + widths[k], low + height])
            if not ((box[:2] < boxes[:, 2:]) & (boxes[:, :2] < box[2:])).all(axis=1).any():
                boxes = np.vstack([boxes, box])
                levels[k] = level
                break
    return levels
