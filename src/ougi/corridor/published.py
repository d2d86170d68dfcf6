"""CORRIDOR as published: its narrow phase (sec. 3.1) behind four broad phases.

Once per frame every segment from the broad phase is tested. A center within r of it is reflected at it. If
only an end point is within r, the segment that starts there reflects. Nothing is swept, and no circle is
moved out of the wall.

`published-verbatim` follows one index by table 1 as it stands. Both its inequalities are inverted, so the
index runs away, and for the wall that is traversed to the left the X projection spaces (1) are empty.
`published` turns the inequalities round, orders both walls by x, follows an index for each, moves it as far
as needed, always tests the ends of the strip, and reflects only circles that approach. It still tests no more
than one group of each wall, so it misses contacts of circles that reach beyond it. Both are defined for
strips only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import device, loop, run
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.corridor.columns import PX, PY, VX, VY
from ougi.corridor.contact import AX, AY, LENGTH, UX, UY, Wall
from ougi.corridor.trees import COUNT, FIRST, HIGH_X, HIGH_Y, IS_LEAF, LOW_X, LOW_Y, STACK, SegmentTree

# Broad phases.
NONE, TREE, VERBATIM, REPAIRED = range(4)
# Circles times groups that are compared at a time.
_MATRIX = 1 << 22


class ProjectionSpaces(NamedTuple):
    """The X projection spaces (1) of groups of segments that share one with the next."""

    first: Ints
    size: Ints
    start_x: Floats  # of the first segment: As_x
    end_x: Floats  # of the last segment: Fe_x
    upper: int  # groups from here on are of the upper wall; 0 if all are one list
    caps: Ints  # upright segments


def find_monotone_walls(wall: Wall) -> tuple[Ints, Ints]:
    """Segments of the lower and the upper wall of a strip, in their order; an error if it is none."""
    sign = np.sign(wall.rows[:, UX]).astype(np.int64)
    chains = []
    for side in (1, -1):
        begins = np.flatnonzero((sign == side) & (sign[wall.before] != side))
        if len(begins) != 1:
            break
        own = int((sign == side).sum())
        chains.append((begins[0] + np.arange(own)) % len(sign))
    if len(chains) != 2 or not np.array_equal(wall.after[:-1], np.arange(1, len(sign))):
        raise ValueError(
            "the published groups are defined for strips only: one loop, a wall below and a wall above that "
            "are functions of x; use an exact method for other corridors"
        )
    return chains[0], chains[1]


def build_verbatim_spaces(wall: Wall, group_size: int) -> ProjectionSpaces:
    """Groups of a strip as table 1 has them: one list along the whole loop."""
    size = _check_group_size(group_size)
    find_monotone_walls(wall)
    n = len(wall.rows)
    first = np.arange(0, n - 1, size - 1)
    count = np.minimum(size, n - first)
    last = first + count - 1
    x = wall.rows[first, AX], wall.rows[wall.after[last], AX]
    return ProjectionSpaces(first, count, *x, 0, np.empty(0, np.int64))


def build_repaired_spaces(wall: Wall, group_size: int) -> ProjectionSpaces:
    """Groups of a strip, a list for each wall, both ordered by x."""
    size = _check_group_size(group_size)
    parts = []
    for chain, sign in zip(find_monotone_walls(wall), (1, -1), strict=True):
        n = len(chain)
        at = np.arange(0, max(n - 1, 1), size - 1)
        count = np.minimum(size, n - at)
        ends = wall.rows[chain[at], AX], wall.rows[wall.after[chain[at + count - 1]], AX]
        columns = (chain[at], count, np.minimum(*ends), np.maximum(*ends))
        parts.append([column[::sign] for column in columns])
    first, count, low, high = (np.concatenate(pair) for pair in zip(*parts, strict=True))
    caps = np.flatnonzero(wall.rows[:, UX] == 0)
    return ProjectionSpaces(first, count, low, high, len(parts[0][0]), caps)


def _check_group_size(given: int) -> int:
    size = _check.whole_number("group_size", given)
    if size < 2:
        raise ValueError(f"group_size must be at least 2, because neighbours share a segment; got {given!r}")
    return size


def locate_groups(spaces: ProjectionSpaces, x: Floats) -> Ints:
    """The indices (n, 2) of the groups that positions are over: of the lower and the upper wall."""
    split = spaces.upper
    if split == 0:
        first = np.empty(len(x), np.int64)
        step = max(1, _MATRIX // len(spaces.first))
        for k in range(0, len(x), step):
            part = x[k : k + step, None]
            first[k : k + step] = np.argmax((spaces.start_x <= part) & (part < spaces.end_x), axis=1)
        return np.repeat(first[:, None], 2, axis=1)
    lower = np.searchsorted(spaces.start_x[:split], x, side="right") - 1
    upper = np.searchsorted(spaces.start_x[split:], x, side="right") - 1
    return np.stack([np.maximum(lower, 0), split + np.maximum(upper, 0)], axis=1)


def contains_segment(spaces: ProjectionSpaces, group: Ints, segment: Ints, total: int) -> Bools:
    """Is each segment among those that the groups (n, walls) test, caps included?"""
    inside = np.isin(segment, spaces.caps)
    for at in group.T:
        inside |= (segment - spaces.first[at]) % total < spaces.size[at]
    return inside


# --- frames -----------------------------------------------------------------------------------------------


class SegmentFinder(NamedTuple):
    """A broad phase: its name (NONE, TREE, VERBATIM, REPAIRED) and its tables.

    With `approaching`, only circles that approach a segment are reflected at it.
    """

    name: int
    tree: SegmentTree
    spaces: ProjectionSpaces
    approaching: bool


class Frames(NamedTuple):
    """Circles (px, py, vx, vy, radius) after some frames, the groups that were tested, tests and bounces."""

    circles: Floats
    group: Ints  # (n, 2)
    tests: Ints
    bounces: Ints


class MovingCircle(NamedTuple):
    """A circle while the segments of a frame are tested."""

    px: float
    py: float
    vx: float
    vy: float
    r: float
    tests: int
    bounces: int


@device
def _reflect(wall: Wall, i: int, circle: MovingCircle, approaching: bool) -> MovingCircle:
    """The circle after segment i was tested, sec. 3.1."""
    px, py, vx, vy, r, tests, bounces = circle
    rows = wall.rows
    wx, wy = px - rows[i, AX], py - rows[i, AY]
    foot = wx * rows[i, UX] + wy * rows[i, UY]
    along = min(max(foot, 0.0), rows[i, LENGTH])
    ex, ey = wx - along * rows[i, UX], wy - along * rows[i, UY]
    if ex * ex + ey * ey > r * r or (approaching and vx * ex + vy * ey >= 0.0):
        return MovingCircle(px, py, vx, vy, r, tests + 1, bounces)
    j = wall.after[i] if foot > rows[i, LENGTH] else i  # the segment that starts at the end point
    nx, ny = -rows[j, UY], rows[j, UX]
    back = 2.0 * (vx * nx + vy * ny)
    return MovingCircle(px, py, vx - back * nx, vy - back * ny, r, tests + 1, bounces + 1)


@device
def _reflect_at_all(wall: Wall, circle: MovingCircle, approaching: bool) -> MovingCircle:
    for i in range(len(wall.rows)):
        circle = _reflect(wall, i, circle, approaching)
    return circle


@device
def _is_near(boxes: Floats, node: int, circle: MovingCircle) -> bool:
    return bool(
        circle.px + circle.r >= boxes[node, LOW_X]
        and circle.px - circle.r <= boxes[node, HIGH_X]
        and circle.py + circle.r >= boxes[node, LOW_Y]
        and circle.py - circle.r <= boxes[node, HIGH_Y]
    )


@device
def _reflect_in_tree(
    wall: Wall, tree: SegmentTree, circle: MovingCircle, approaching: bool, stack: Ints
) -> MovingCircle:
    stack[0] = tree.root
    left = 1
    while left > 0:
        left -= 1
        node = stack[left]
        low, high = tree.links[node, FIRST], tree.links[node, FIRST] + tree.links[node, COUNT]
        if tree.links[node, IS_LEAF] == 1:
            for at in range(low, high):
                circle = _reflect(wall, tree.items[at], circle, approaching)
            continue
        for child in range(low, high):
            if _is_near(tree.boxes, child, circle):
                stack[left] = child
                left += 1
    return circle


@device
def follow_verbatim(spaces: ProjectionSpaces, i: int, x: float, vx: float) -> int:
    """Table 1 as it stands; an index beyond the last group goes on at the first, which is ours."""
    n = len(spaces.first)
    if spaces.start_x[i] < x and vx < 0.0:
        i -= 1
    i = (i + n) % n
    if spaces.end_x[i] >= x and vx > 0.0:
        i += 1
    return i % n


@device
def follow_repaired(spaces: ProjectionSpaces, i: int, low: int, high: int, x: float) -> int:
    """Table 1 with its inequalities turned round, as far as needed, within one wall's groups."""
    while i > low and x < spaces.start_x[i]:
        i -= 1
    while i < high - 1 and x >= spaces.end_x[i]:
        i += 1
    return i


@device
def _reflect_in_group(
    wall: Wall, spaces: ProjectionSpaces, group: int, circle: MovingCircle, approaching: bool
) -> MovingCircle:
    for step in range(spaces.size[group]):
        circle = _reflect(wall, (spaces.first[group] + step) % len(wall.rows), circle, approaching)
    return circle


@device
def _reflect_repaired(
    wall: Wall, spaces: ProjectionSpaces, group: Ints, k: int, circle: MovingCircle, approaching: bool
) -> MovingCircle:
    split, n = spaces.upper, len(spaces.first)
    group[k, 0] = follow_repaired(spaces, group[k, 0], 0, split, circle.px)
    group[k, 1] = follow_repaired(spaces, group[k, 1], split, n, circle.px)
    for side in range(2):
        circle = _reflect_in_group(wall, spaces, group[k, side], circle, approaching)
    for i in spaces.caps:
        circle = _reflect(wall, i, circle, approaching)
    return circle


@loop
def run_frames(
    wall: Wall, finder: SegmentFinder, seconds: float, frames: Frames, count: int, start: int, stop: int
) -> None:
    """Move circles start..stop for `count` frames, in place, and add up tests and bounces."""
    stack = np.empty(STACK, np.int64)
    circles, group, approaching = frames.circles, frames.group, finder.approaching
    for k in range(start, stop):
        px, py, vx, vy, r = circles[k]
        circle = MovingCircle(px, py, vx, vy, r, 0, 0)
        for _ in range(count):
            px, py = circle.px + seconds * circle.vx, circle.py + seconds * circle.vy
            circle = MovingCircle(px, py, circle.vx, circle.vy, r, circle.tests, circle.bounces)
            if finder.name == NONE:
                circle = _reflect_at_all(wall, circle, approaching)
            elif finder.name == TREE:
                circle = _reflect_in_tree(wall, finder.tree, circle, approaching, stack)
            elif finder.name == VERBATIM:
                group[k, 0] = follow_verbatim(finder.spaces, group[k, 0], px, circle.vx)
                circle = _reflect_in_group(wall, finder.spaces, group[k, 0], circle, approaching)
            else:
                circle = _reflect_repaired(wall, finder.spaces, group, k, circle, approaching)
        circles[k, PX], circles[k, PY] = circle.px, circle.py
        circles[k, VX], circles[k, VY] = circle.vx, circle.vy
        frames.tests[k] += circle.tests
        frames.bounces[k] += circle.bounces


def run_frame(
    spaces: ProjectionSpaces, wall: Wall, circles: Floats, seconds: float, group: ArrayLike | None
) -> Frames:
    """One frame of circles by the published groups, from the groups that they are over or from given ones."""
    n = len(circles)
    start = locate_groups(spaces, circles[:, PX]) if group is None else _check_groups(group, n, spaces)
    no_tree = SegmentTree(np.empty((0, 4)), np.empty((0, 3), np.int64), np.empty(0, np.int64), 0)
    is_repaired = spaces.upper > 0
    finder = SegmentFinder(REPAIRED if is_repaired else VERBATIM, no_tree, spaces, is_repaired)
    frames = Frames(circles.copy(), start.copy(), np.zeros(n, np.int64), np.zeros(n, np.int64))
    run(run_frames, wall, finder, seconds, frames, 1, size=n)
    return frames


def _check_groups(group: ArrayLike, count: int, spaces: ProjectionSpaces) -> Ints:
    given, groups = np.asarray(group), len(spaces.first)
    if given.shape != (count, 2) or given.dtype.kind != "i":
        raise ValueError(
            f"group must be MovedCircles.group of the step before, integers of shape ({count}, 2); "
            f"got {given.dtype} of shape {given.shape}"
        )
    _check.refuse((given < 0) | (given >= groups), "group", f"be an index of one of {groups} groups", given)
    return given.astype(np.int64)
