"""Random corridors: strips, mazes, walls as rough as wished. Simple by construction, and seeded.

Walls are roughened by bumps on bumps: a segment becomes four, over a tent of 46 to 58 degrees on a random
side. A segment and all that grows on it stays within the rhombus over it whose half-angle is half of that;
the rhombi of the four lie within their parent's and touch only at corners as long as tents are below 60
degrees. So walls never cross themselves, whatever the random numbers.
"""

from __future__ import annotations

import math

import numpy as np

from ougi import _check
from ougi._typing import Floats, Ints
from ougi.corridor.wall import from_segments

# Half-width of a maze's passages; cells are 1 apart.
HALF_WIDTH = 0.3
_TENT = math.radians(58)
# Rhombi of opposite walls must not meet: pieces that bumps grow on are no longer than this.
_PIECE = 0.3


def strip(segments: int, rng: np.random.Generator, *, length: float = 20.0, width: float = 0.6) -> Floats:
    """A corridor without turns: two walls that are functions of x, and straight ends.

    Parameters
    ----------
    segments
        How many; at least 4.
    rng
        Decides the walls.
    length, width
        Of the corridor; walls leave their line by a quarter of the width.

    Returns
    -------
    Corners (segments, 2), counter-clockwise.

    >>> strip(100, np.random.default_rng(0)).shape
    (100, 2)
    """
    n = _check.whole("segments", segments)
    if n < 4:
        raise ValueError(f"segments must be at least 4, got {segments!r}")
    _check.number("length", length, positive=True)
    _check.number("width", width, positive=True)
    below = n // 2
    walls = []
    for side, count in ((-1, below), (1, n - below)):
        x = np.sort(rng.uniform(0, length, count - 2)) if count > 2 else np.empty(0)
        x = np.concatenate([[0.0], x, [length]])
        y = side * width / 2 + width / 4 * rng.uniform(-1, 1, count)
        walls.append(np.stack([x, y], axis=1))
    return np.concatenate([walls[0], walls[1][::-1]])


def maze(cells: int, rng: np.random.Generator, *, segments: int = 0, openings: int = 0) -> Floats:
    """The passages of a random maze of cells x cells, with walls as rough as wished.

    Parameters
    ----------
    cells
        Cells along each side; they are 1 apart and passages 0.6 wide.
    rng
        Decides the maze and its walls.
    segments
        About how many segments the wall has; straight walls if that is fewer than it needs.
    openings
        Walls taken out of the maze: each makes a way round, and so a hole.

    Returns
    -------
    Segments (n, 2, 2).

    >>> maze(3, np.random.default_rng(0)).shape[1:]
    (2, 2)
    """
    k = _check.whole("cells", cells)
    for name, value in (("segments", segments), ("openings", openings)):
        _check.number(name, value, positive=False)
    right, up = _spanning_tree(k, rng)
    closed = np.concatenate([np.flatnonzero(~right.ravel()), -1 - np.flatnonzero(~up.ravel())])
    for wall in rng.permutation(closed)[:openings]:
        (right if wall >= 0 else up).reshape(-1)[wall if wall >= 0 else -1 - wall] = True
    built = from_segments(_passages(right, up), 0.0)
    start = built.wall.rows[:, :2]
    end = start[built.wall.after]
    straight = np.stack([start, end], axis=1)
    return roughened(straight, segments, rng) if segments > len(start) else straight


def roughened(segments: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Grow bumps on walls until there are about `count` segments, more in some places than in others.

    >>> square = np.array([[[0, 0], [1, 0]], [[1, 0], [1, 1]], [[1, 1], [0, 1]], [[0, 1], [0, 0]]], float)
    >>> 900 < len(roughened(square, 1000, np.random.default_rng(0))) < 1100
    True
    """
    length = np.hypot(*(segments[:, 1] - segments[:, 0]).T)
    start, end = _cut(segments, np.maximum(np.ceil(length / _PIECE), 1).astype(np.int64))
    share = rng.pareto(1.5, len(start)) + 0.5
    quota = share / share.sum() * max(count, len(start))
    done: list[Floats] = []
    while len(start):
        # Four in place of one: a quota between is met on average.
        grows = rng.random(len(start)) * 3 < quota - 1
        done.append(np.stack([start[~grows], end[~grows]], axis=1))
        if not grows.any():
            break
        start, end, quota = _bumps(start[grows], end[grows], quota[grows], rng)
    return np.concatenate(done)


def _bumps(
    start: Floats, end: Floats, quota: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Each segment as four over a tent; its quota is divided among them at random."""
    n = len(start)
    tent = rng.uniform(0.8, 1.0, n) * _TENT * rng.choice([-1.0, 1.0], n)
    way = end - start
    across = np.stack([-way[:, 1], way[:, 0]], axis=1)
    foot = (0.5 / (1 + np.cos(tent)))[:, None]
    tip = start + 0.5 * way + (0.5 * np.tan(tent / 2))[:, None] * across
    corners = np.stack([start, start + foot * way, tip, end - foot * way, end], axis=1)
    parts = rng.exponential(size=(n, 4)) + 0.05
    parts *= (np.maximum(quota - 4, 0) / parts.sum(axis=1))[:, None]
    return corners[:, :4].reshape(-1, 2), corners[:, 1:].reshape(-1, 2), (1 + parts).ravel()


def _cut(segments: Floats, pieces: Ints) -> tuple[Floats, Floats]:
    """Each segment in equal pieces; ends of neighbours are the same numbers."""
    which = np.repeat(np.arange(len(segments)), pieces)
    step = np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    start, way = segments[which, 0], segments[which, 1] - segments[which, 0]

    def at(k: Ints) -> Floats:
        share = (k / pieces[which])[:, None]
        place: Floats = np.where(share == 1, segments[which, 1], start + share * way)
        return place

    return at(step), at(step + 1)


def _spanning_tree(k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ways to the right (k, k - 1) and up (k - 1, k) of a random maze, by a depth-first walk."""
    right, up = np.zeros((k, max(k - 1, 0)), np.bool_), np.zeros((max(k - 1, 0), k), np.bool_)
    seen = np.zeros((k, k), np.bool_)
    path, seen[0, 0] = [(0, 0)], True
    while path:
        y, x = path[-1]
        free = [
            (v, u)
            for v, u in ((y, x + 1), (y, x - 1), (y + 1, x), (y - 1, x))
            if 0 <= v < k and 0 <= u < k and not seen[v, u]
        ]
        if not free:
            path.pop()
            continue
        v, u = free[int(rng.integers(len(free)))]
        if v == y:
            right[y, min(x, u)] = True
        else:
            up[min(y, v), x] = True
        seen[v, u] = True
        path.append((v, u))
    return right, up


def _passages(right: np.ndarray, up: np.ndarray) -> Floats:
    """Wall segments around the cells and ways of a maze."""
    k = len(right)
    w = HALF_WIDTH
    out = []
    for y in range(k):
        for x in range(k):
            e, n = x < k - 1 and right[y, x], y < k - 1 and up[y, x]
            s, west = y > 0 and up[y - 1, x], x > 0 and right[y, x - 1]
            if not s:
                out.append(((x - w, y - w), (x + w, y - w)))
            if not n:
                out.append(((x + w, y + w), (x - w, y + w)))
            if not west:
                out.append(((x - w, y + w), (x - w, y - w)))
            if e:
                out.append(((x + w, y - w), (x + 1 - w, y - w)))
                out.append(((x + 1 - w, y + w), (x + w, y + w)))
            else:
                out.append(((x + w, y - w), (x + w, y + w)))
            if n:
                out.append(((x - w, y + 1 - w), (x - w, y + w)))
                out.append(((x + w, y + w), (x + w, y + 1 - w)))
    return np.array(out, np.float64)
