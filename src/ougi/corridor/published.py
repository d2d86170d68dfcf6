"""CORRIDOR as published: its narrow phase (sec. 3.1) behind four broad phases.

Once per frame every segment that the broad phase names is tested: a center within r of it is reflected at
it. If only an end point is within r, the segment that starts there reflects. Nothing is swept, and nothing
is moved out of the wall.

`printed` follows one index by table 1 as it stands: both its inequalities are inverted, so the index runs
away, and for the wall that is traversed to the left the X projection spaces (1) are empty. `repaired` turns
the inequalities round, orders both walls by x, follows an index for each, moves it as far as needed, tests
the ends of the strip always, and reflects only what approaches. It still tests no more than one group of
each wall, so it misses contacts of circles that reach beyond it. Both are defined for strips only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import device, loop, run
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.corridor.contact import AX, AY, LENGTH, UX, UY, Wall
from ougi.corridor.trees import STACK, Tree

# Broad phases.
NONE, TREE, PRINTED, REPAIRED = range(4)
# Characters times groups that are compared at a time.
_MATRIX = 1 << 22


class Spaces(NamedTuple):
    """The X projection spaces (1) of groups of k segments that share one with the next."""

    first: Ints
    size: Ints
    start_x: Floats  # of the first segment: As_x
    end_x: Floats  # of the last segment: Fe_x
    upper: int  # groups from here on are of the upper wall; 0 if all are one list
    caps: Ints  # upright segments


def monotone_walls(wall: Wall) -> tuple[Ints, Ints]:
    """Segments of the lower and the upper wall of a strip, in their order; an error if it is none."""
    sign = np.sign(wall.rows[:, UX]).astype(np.int64)
    chains = []
    for way in (1, -1):
        begins = np.flatnonzero((sign == way) & (sign[wall.before] != way))
        if len(begins) != 1:
            break
        own = int((sign == way).sum())
        chains.append((begins[0] + np.arange(own)) % len(sign))
    if len(chains) != 2 or not np.array_equal(wall.after[:-1], np.arange(1, len(sign))):
        raise ValueError(
            "the published groups are defined for strips only: one loop, a wall below and a wall above that "
            "are functions of x; use the exact structures for other corridors"
        )
    return chains[0], chains[1]


def spaces(wall: Wall, k: int, mode: str) -> Spaces:
    """Groups of k segments of a strip, as the modes `printed` and `repaired` want them."""
    if mode not in ("printed", "repaired"):
        raise ValueError(f"mode must be printed or repaired, got {mode!r}")
    size = _check.whole("k", k)
    if size < 2:
        raise ValueError(f"k must be at least 2, as neighbours share a segment; got {k!r}")
    below, above = monotone_walls(wall)
    n = len(wall.rows)
    if mode == "printed":
        first = np.arange(0, n - 1, size - 1)
        count = np.minimum(size, n - first)
        last = first + count - 1
        return Spaces(
            first, count, wall.rows[first, AX], wall.rows[wall.after[last], AX], 0, np.empty(0, np.int64)
        )
    parts = []
    for chain, way in ((below, 1), (above, -1)):
        m = len(chain)
        at = np.arange(0, max(m - 1, 1), size - 1)
        count = np.minimum(size, m - at)
        ends = wall.rows[chain[at], AX], wall.rows[wall.after[chain[at + count - 1]], AX]
        order = slice(None, None, way)
        parts.append([part[order] for part in (chain[at], count, np.minimum(*ends), np.maximum(*ends))])
    joined = [np.concatenate(pair) for pair in zip(*parts, strict=True)]
    caps = np.flatnonzero(wall.rows[:, UX] == 0)
    first, count, low, high = joined
    return Spaces(first, count, low, high, len(parts[0][0]), caps)


def located(groups: Spaces, x: Floats) -> Ints:
    """The indices (n, 2) of the groups that places are over: of the lower and the upper wall."""
    split = groups.upper
    if split == 0:
        first = np.empty(len(x), np.int64)
        step = max(1, _MATRIX // len(groups.first))
        for k in range(0, len(x), step):
            part = x[k : k + step, None]
            first[k : k + step] = np.argmax((groups.start_x <= part) & (part < groups.end_x), axis=1)
        return np.repeat(first[:, None], 2, axis=1)
    lower = np.searchsorted(groups.start_x[:split], x, side="right") - 1
    upper = np.searchsorted(groups.start_x[split:], x, side="right") - 1
    return np.stack([np.maximum(lower, 0), split + np.maximum(upper, 0)], axis=1)


@device
def _reflected(
    wall: Wall, i: int, px: float, py: float, vx: float, vy: float, r: float, approach: bool, hits: int
) -> tuple[float, float, int]:
    """The velocity after segment i was tested, sec. 3.1, and how many have reflected so far."""
    rows = wall.rows
    wx, wy = px - rows[i, AX], py - rows[i, AY]
    foot = wx * rows[i, UX] + wy * rows[i, UY]
    along = min(max(foot, 0.0), rows[i, LENGTH])
    ex, ey = wx - along * rows[i, UX], wy - along * rows[i, UY]
    if ex * ex + ey * ey > r * r or (approach and vx * ex + vy * ey >= 0.0):
        return vx, vy, hits
    j = wall.after[i] if foot > rows[i, LENGTH] else i  # the segment that starts at the end point
    nx, ny = -rows[j, UY], rows[j, UX]
    back = 2.0 * (vx * nx + vy * ny)
    return vx - back * nx, vy - back * ny, hits + 1


@device
def follow_printed(groups: Spaces, i: int, x: float, vx: float) -> int:
    """Table 1 as it stands; an index beyond the last group goes on at the first, which is ours."""
    n = len(groups.first)
    if groups.start_x[i] < x and vx < 0.0:
        i -= 1
    i = (i + n) % n
    if groups.end_x[i] >= x and vx > 0.0:
        i += 1
    return i % n


@device
def follow_repaired(groups: Spaces, i: int, low: int, high: int, x: float) -> int:
    """Table 1 with its inequalities turned round, as far as needed, within one wall's groups."""
    while i > low and x < groups.start_x[i]:
        i -= 1
    while i < high - 1 and x >= groups.end_x[i]:
        i += 1
    return i


@loop
def frames(
    wall: Wall,
    tree: Tree,
    groups: Spaces,
    method: int,
    approach: bool,
    seconds: float,
    state: Floats,
    cursor: Ints,
    tests: Ints,
    bounces: Ints,
    count: int,
    start: int,
    stop: int,
) -> None:
    """Move circles start..stop (px, py, vx, vy, radius) for some frames, in place; count tests, bounces."""
    stack = np.empty(STACK, np.int64)
    n = len(groups.first)
    for k in range(start, stop):
        px, py, vx, vy, r = state[k]
        hits = 0
        for _ in range(count):
            px, py = px + seconds * vx, py + seconds * vy
            if method == NONE:
                tests[k] += len(wall.rows)
                for i in range(len(wall.rows)):
                    vx, vy, hits = _reflected(wall, i, px, py, vx, vy, r, approach, hits)
            elif method == TREE:
                stack[0] = tree.root
                left = 1
                while left > 0:
                    left -= 1
                    node = stack[left]
                    low, many = tree.links[node, 0], tree.links[node, 1]
                    if tree.links[node, 2] == 1:
                        tests[k] += many
                        for at in range(low, low + many):
                            i = tree.items[at]
                            vx, vy, hits = _reflected(wall, i, px, py, vx, vy, r, approach, hits)
                        continue
                    for child in range(low, low + many):
                        box = tree.boxes[child]
                        if px + r >= box[0] and px - r <= box[2] and py + r >= box[1] and py - r <= box[3]:
                            stack[left] = child
                            left += 1
            else:
                walls = 2 if method == REPAIRED else 1
                for side in range(walls):
                    at = cursor[k, side]
                    if method == PRINTED:
                        at = follow_printed(groups, at, px, vx)
                    else:
                        low, high = (0, groups.upper) if side == 0 else (groups.upper, n)
                        at = follow_repaired(groups, at, low, high, px)
                    cursor[k, side] = at
                    tests[k] += groups.size[at]
                    for step in range(groups.size[at]):
                        i = (groups.first[at] + step) % len(wall.rows)
                        vx, vy, hits = _reflected(wall, i, px, py, vx, vy, r, approach, hits)
                if method == REPAIRED:
                    tests[k] += len(groups.caps)
                    for i in groups.caps:
                        vx, vy, hits = _reflected(wall, i, px, py, vx, vy, r, approach, hits)
        state[k, 0], state[k, 1], state[k, 2], state[k, 3] = px, py, vx, vy
        bounces[k] += hits


class Frame(NamedTuple):
    """Circles after a frame: (px, py, vx, vy, radius), the groups that were tested, tests and bounces."""

    state: Floats
    cursor: Ints
    tests: Ints
    bounces: Ints


def stepped(groups: Spaces, wall: Wall, state: Floats, seconds: float, index: ArrayLike | None) -> Frame:
    """One frame of circles by the published groups, from the groups that they are over or from an index."""
    n = len(state)
    cursor = located(groups, state[:, 0]) if index is None else _indices(index, n, len(groups.first))
    none = Tree(np.empty((0, 4)), np.empty((0, 3), np.int64), np.empty(0, np.int64), 0)
    method = REPAIRED if groups.upper else PRINTED
    made = Frame(state.copy(), cursor.copy(), np.zeros(n, np.int64), np.zeros(n, np.int64))
    how = (method, method == REPAIRED, seconds)
    run(frames, wall, none, groups, *how, *made, 1, size=n)
    return made


def _indices(index: ArrayLike, count: int, groups: int) -> Ints:
    found = np.asarray(index)
    if found.shape != (count, 2) or found.dtype.kind != "i":
        raise ValueError(
            f"index must be Moved.index of the frame before, whole numbers ({count}, 2); "
            f"got {found.dtype} {found.shape}"
        )
    _check.refuse((found < 0) | (found >= groups), "index", f"name one of {groups} groups", found)
    return found.astype(np.int64)


def holds(groups: Spaces, cursor: Ints, segment: Ints, total: int) -> Bools:
    """Is each segment among those tested by indices (n, walls), caps included?"""
    found = np.isin(segment, groups.caps)
    for at in cursor.T:
        found |= (segment - groups.first[at]) % total < groups.size[at]
    return found
