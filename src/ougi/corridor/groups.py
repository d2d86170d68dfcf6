"""CORRIDOR's groups of consecutive segments, found by their x-ranges: made exact, for corridors of any shape.

The paper follows one index from frame to frame and tests the group that the center is over. Here all groups
whose x-range overlaps the x-range of the whole swept circle are tested, except where the boxes do not
overlap. Groups are sorted by their lowest x. The search starts at the last group that begins before the right
end of the swept circle. It goes down until no earlier group reaches far enough. So the cost grows with the
number of segments above and below the motion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device
from ougi._typing import Floats, Ints
from ougi.corridor.contact import Wall, update_first_contact
from ougi.corridor.trees import GROUP, segment_bounds


class Groups(NamedTuple):
    """Groups of segments, sorted by their lowest x."""

    boxes: Floats  # (groups, 4): lower and upper corners
    farthest: Floats  # the largest x of this group and all before
    first: Ints
    size: Ints


def build_groups(wall: Wall, size: int = GROUP) -> Groups:
    """Groups of `size` consecutive segments."""
    lower, upper = segment_bounds(wall)
    first = np.arange(0, len(lower), size)
    boxes = np.hstack([np.minimum.reduceat(lower, first), np.maximum.reduceat(upper, first)])
    order = np.argsort(boxes[:, 0], kind="stable")
    boxes = np.ascontiguousarray(boxes[order])
    count = np.minimum(size, len(lower) - first)[order]
    return Groups(boxes, np.maximum.accumulate(boxes[:, 2]), first[order], count)


@device
def search_groups(
    groups: Groups, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle: its time, feature, and how many segments were tested."""
    best, first, tests = 1.0, -1, 0
    grown = r + 4.0 * wall.band
    left, right = px + min(dx, 0.0) - grown, px + max(dx, 0.0) + grown
    below, above = py + min(dy, 0.0) - grown, py + max(dy, 0.0) + grown
    low, high = 0, len(groups.first)  # the first group that begins right of the motion
    while low < high:
        middle = (low + high) // 2
        if groups.boxes[middle, 0] <= right:
            low = middle + 1
        else:
            high = middle
    k = low - 1
    while k >= 0 and groups.farthest[k] >= left:
        if groups.boxes[k, 2] >= left and groups.boxes[k, 1] <= above and groups.boxes[k, 3] >= below:
            start = groups.first[k]
            tests += groups.size[k]
            for i in range(start, start + groups.size[k]):
                best, first = update_first_contact(wall, i, px, py, dx, dy, r, best, first)
        k -= 1
    return best, first, tests
