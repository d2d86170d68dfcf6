"""Corridors and crowds in them, for `ougi verify corridor`, tests and benchmarks."""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats
from ougi.broad import candidate_pairs
from ougi.corridor import Corridor, generate
from ougi.shapes import Circle


def crowd(
    room: Corridor, count: int, radius: float, speed: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Places where circles fit, and velocities of so many radii per second in random directions."""
    low, high = room.bounds
    found = [np.empty((0, 2))]
    while sum(map(len, found)) < count:
        places = rng.uniform(low, high, (4 * count + 64, 2))
        near = room.nearest(places)
        found.append(places[near.inside & (near.distance >= 1.001 * radius)])
    angle = rng.uniform(0, 2 * np.pi, count)
    # Some along the axes and diagonals, where walls are too.
    angle[::4] = np.round(angle[::4] / (np.pi / 4)) * (np.pi / 4)
    way = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.concatenate(found)[:count], speed * radius * way


def apart(places: Floats, radius: float) -> Bools:
    """Which circles to keep, so that no two of them come nearer than 2 % of their radius."""
    keep = np.ones(len(places), np.bool_)
    for i, j in candidate_pairs(Circle(places, 1.01 * radius)).tolist():
        if keep[i]:
            keep[j] = False
    return keep


def adversarial(rng: np.random.Generator, pieces: int = 24) -> Floats:
    """A strip whose walls are made to be difficult: corners (n, 2).

    Pockets of 12 degrees and less, needles as thin as 1e-6, straight pieces that are cut, level and upright
    ones, steps and teeth, tiny notches.
    """
    walls = []
    for side in (-1.0, 1.0):
        x, line = 0.0, [(0.0, 0.5 * side)]
        for _ in range(pieces):
            x = _piece(line, x, side, int(rng.integers(7)), rng)
        walls.append(np.array(line))
    end = max(float(wall[-1, 0]) for wall in walls) + 0.5
    below, above = (np.concatenate([wall, [[end, wall[-1, 1]]]]) for wall in walls)
    return np.concatenate([below, above[::-1]])


def _piece(
    line: list[tuple[float, float]], x: float, side: float, kind: int, rng: np.random.Generator
) -> float:
    """Append one difficulty to a wall at height 0.5 * side; where it ends."""
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
    else:  # 45 degrees, where some characters fly
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


def rough_maze(rng: np.random.Generator) -> Corridor:
    """A small maze with rough walls, with holes or without."""
    cells = int(rng.integers(1, 5))
    segments = int(10 ** rng.uniform(1.5, 3.3))
    return Corridor(generate.maze(cells, rng, segments=segments, openings=int(rng.integers(0, 4))))
