"""Seeded random corridors: strips and mazes with walls of any roughness. Simple by construction.

Walls are roughened by bumps on bumps: a segment becomes four, over a tent of 46 to 58 degrees on a random
side. A segment and all that grows on it stays within the rhombus over it whose half-angle is half of that;
the rhombi of the four lie within their parent's and touch only at corners as long as tents are below 60
degrees. So walls never cross themselves, whatever the random numbers.
"""

from __future__ import annotations

import math

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.broad import candidate_pairs
from ougi.corridor import Corridor
from ougi.corridor.wall import build_from_segments
from ougi.shapes import Circle

# Half-width of a maze's passages; cells are 1 apart.
HALF_WIDTH = 0.3
_TENT = math.radians(58)
# Rhombi of opposite walls must not meet: pieces that bumps grow on are no longer than this.
_MAX_PIECE = 0.3


def make_strip(
    segments: int, rng: np.random.Generator, *, length: float = 20.0, width: float = 0.6
) -> Floats:
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

    >>> make_strip(100, np.random.default_rng(0)).shape
    (100, 2)
    """
    n = _check.whole_number("segments", segments)
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


def make_maze(cells: int, rng: np.random.Generator, *, segments: int = 0, openings: int = 0) -> Floats:
    """Build the passages of a random maze of cells x cells.

    Parameters
    ----------
    cells
        Cells along each side; they are 1 apart and passages 0.6 wide.
    rng
        Decides the maze and its walls.
    segments
        Approximate number of wall segments; straight walls if they need more.
    openings
        Walls to remove from the maze. Each makes a loop, and so a hole.

    Returns
    -------
    Segments (n, 2, 2).

    >>> make_maze(3, np.random.default_rng(0)).shape[1:]
    (2, 2)
    """
    k = _check.whole_number("cells", cells)
    for name, value in (("segments", segments), ("openings", openings)):
        _check.number(name, value, positive=False)
    right, up = _spanning_tree(k, rng)
    closed = np.concatenate([np.flatnonzero(~right.ravel()), -1 - np.flatnonzero(~up.ravel())])
    for wall in rng.permutation(closed)[:openings]:
        (right if wall >= 0 else up).reshape(-1)[wall if wall >= 0 else -1 - wall] = True
    built = build_from_segments(_build_passages(right, up), 0.0)
    start = built.wall.rows[:, :2]
    end = start[built.wall.after]
    straight = np.stack([start, end], axis=1)
    return roughen_walls(straight, segments, rng) if segments > len(start) else straight


def roughen_walls(segments: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Grow bumps on walls until there are about `count` segments, unevenly distributed.

    >>> square = np.array([[[0, 0], [1, 0]], [[1, 0], [1, 1]], [[1, 1], [0, 1]], [[0, 1], [0, 0]]], float)
    >>> 900 < len(roughen_walls(square, 1000, np.random.default_rng(0))) < 1100
    True
    """
    length = np.hypot(*(segments[:, 1] - segments[:, 0]).T)
    start, end = _cut_segments(segments, np.maximum(np.ceil(length / _MAX_PIECE), 1).astype(np.int64))
    share = rng.pareto(1.5, len(start)) + 0.5
    quota = share / share.sum() * max(count, len(start))
    done: list[Floats] = []
    while len(start):
        # Four replace one, so that quotas are met on average.
        grows = rng.random(len(start)) * 3 < quota - 1
        done.append(np.stack([start[~grows], end[~grows]], axis=1))
        if not grows.any():
            break
        start, end, quota = _grow_bumps(start[grows], end[grows], quota[grows], rng)
    return np.concatenate(done)


def _grow_bumps(
    start: Floats, end: Floats, quota: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Each segment as four over a tent; its quota is divided among them at random."""
    n = len(start)
    tent = rng.uniform(0.8, 1.0, n) * _TENT * rng.choice([-1.0, 1.0], n)
    along = end - start
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    foot = (0.5 / (1 + np.cos(tent)))[:, None]
    tip = start + 0.5 * along + (0.5 * np.tan(tent / 2))[:, None] * across
    corners = np.stack([start, start + foot * along, tip, end - foot * along, end], axis=1)
    parts = rng.exponential(size=(n, 4)) + 0.05
    parts *= (np.maximum(quota - 4, 0) / parts.sum(axis=1))[:, None]
    return corners[:, :4].reshape(-1, 2), corners[:, 1:].reshape(-1, 2), (1 + parts).ravel()


def _cut_segments(segments: Floats, pieces: Ints) -> tuple[Floats, Floats]:
    """Each segment in equal pieces; ends of neighbours are the same numbers."""
    which = np.repeat(np.arange(len(segments)), pieces)
    step = np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    start, along = segments[which, 0], segments[which, 1] - segments[which, 0]

    def at(k: Ints) -> Floats:
        share = (k / pieces[which])[:, None]
        point: Floats = np.where(share == 1, segments[which, 1], start + share * along)
        return point

    return at(step), at(step + 1)


def _spanning_tree(k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw the passages to the right (k, k - 1) and up (k - 1, k) of a maze, by a depth-first walk."""
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


def _build_passages(right: np.ndarray, up: np.ndarray) -> Floats:
    """Return the wall segments around the cells and passages of a maze."""
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


def draw_circles(
    corridor: Corridor, count: int, radius: float, speed: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw centers where circles fit, and velocities in random directions; speed is in radii per second."""
    low, high = corridor.bounds
    found = [np.empty((0, 2))]
    while sum(map(len, found)) < count:
        centers = rng.uniform(low, high, (4 * count + 64, 2))
        near = corridor.nearest(centers)
        found.append(centers[near.inside & (near.distance >= 1.001 * radius)])
    angle = rng.uniform(0, 2 * np.pi, count)
    # A quarter of them go along the axes and diagonals, as walls do.
    angle[::4] = np.round(angle[::4] / (np.pi / 4)) * (np.pi / 4)
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate(found)[:count], speed * radius * along


def select_separate(centers: Floats, radius: float) -> Bools:
    """Select circles so that no two of them are nearer than 2 % of their radius."""
    keep = np.ones(len(centers), np.bool_)
    for i, j in candidate_pairs(Circle(centers, 1.01 * radius)).tolist():
        if keep[i]:
            keep[j] = False
    return keep


def make_adversarial_strip(rng: np.random.Generator, pieces: int = 24) -> Floats:
    """A strip whose walls are made to be difficult: corners (n, 2).

    Pockets of 12 degrees and less, needles as thin as 1e-6, straight pieces that are cut, level and upright
    ones, steps and teeth, tiny notches.
    """
    walls = []
    for side in (-1.0, 1.0):
        x, line = 0.0, [(0.0, 0.5 * side)]
        for _ in range(pieces):
            x = _append_difficulty(line, x, side, int(rng.integers(7)), rng)
        walls.append(np.array(line))
    end = max(float(wall[-1, 0]) for wall in walls) + 0.5
    below, above = (np.concatenate([wall, [[end, wall[-1, 1]]]]) for wall in walls)
    return np.concatenate([below, above[::-1]])


def _append_difficulty(
    line: list[tuple[float, float]], x: float, side: float, kind: int, rng: np.random.Generator
) -> float:
    """Append one difficulty to a wall at height 0.5 * side; return where it ends."""
    y = 0.5 * side
    depth, gap = float(rng.uniform(0.1, 0.4)), float(10 ** rng.uniform(-6, -2))
    if kind == 0:  # a pocket outward, ever narrower
        half = depth * float(np.tan(np.radians(rng.uniform(1, 12)) / 2))
        line += [(x + 0.1, y), (x + 0.1 + half, y + side * depth), (x + 0.1 + 2 * half, y)]
        x += 0.1 + 2 * half
    elif kind == 1:  # a needle inward
        line += [(x + 0.1, y), (x + 0.1 + gap, y - side * depth), (x + 0.1 + 2 * gap, y)]
        x += 0.1 + 2 * gap
    elif kind == 2:  # straight on, in pieces of all lengths
        for step in rng.uniform(1e-4, 0.1, 6):
            x += float(step)
            line.append((x, y))
    elif kind == 3:  # a step that is level and upright
        line += [(x + 0.1, y), (x + 0.1, y - side * depth / 2), (x + 0.3, y - side * depth / 2), (x + 0.3, y)]
        x += 0.3
    elif kind == 4:  # teeth as wide as rounding allows to see
        for _ in range(5):
            line += [(x + 0.01, y - side * gap), (x + 0.02, y)]
            x += 0.02
    elif kind == 5:  # a slit outward
        line += [
            (x + 0.1, y),
            (x + 0.1, y + side * depth),
            (x + 0.1 + gap, y + side * depth),
            (x + 0.1 + gap, y),
        ]
        x += 0.1 + gap
    else:  # 45 degrees, the direction of part of the characters
        line += [
            (x + 0.1, y),
            (x + 0.2, y + side * 0.1),
            (x + 0.3, y),
            (x + 0.4, y - side * 0.1),
            (x + 0.5, y),
        ]
        x += 0.5
    line.append((x + 0.05, y))
    return x + 0.05


def draw_rough_maze(rng: np.random.Generator) -> Corridor:
    """A small maze with rough walls, with holes or without."""
    cells = int(rng.integers(1, 5))
    segments = int(10 ** rng.uniform(1.5, 3.3))
    return Corridor(make_maze(cells, rng, segments=segments, openings=int(rng.integers(0, 4))))
