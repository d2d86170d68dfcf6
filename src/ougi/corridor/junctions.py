"""Points at which more than two segments of a wall meet: each angle of the corridor is a corner of its own.

Around such a point, angles of the corridor and of what is outside alternate. Which is which follows from how
many segments a ray crosses. The two segments beside an angle of the corridor are chained there, so the loops
touch each other, or themselves, at the point, and the corridor does not pass through it.

An angle of 180 degrees or more is refused: there the point would be the nearest of the wall for points of the
corridor, and its other corners would call these outside.
"""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np

from ougi._typing import Floats, Ints
from ougi.corridor.orientation import orientations


def pair_junction_ends(vertex: int, ends: Ints, corners: Floats, pairs: Ints) -> list[tuple[int, int]] | None:
    """Ends of segments at a vertex that follow each other along the wall; None if an angle is too wide.

    End 2 i and 2 i + 1 are those of segment i, whose vertices are pairs[i]; `ends` are those at the vertex.
    """
    place = [Fraction(x) for x in corners[vertex].tolist()]
    others = corners[pairs.reshape(-1)[ends ^ 1]].tolist()
    directions = {
        end: (Fraction(x) - place[0], Fraction(y) - place[1])
        for end, (x, y) in zip(ends.tolist(), others, strict=True)
    }
    order = sorted(directions, key=functools.cmp_to_key(lambda a, b: _compare(directions[a], directions[b])))
    # The angle that holds the first directions after +x lies between the last end and the first.
    is_free = _count_crossings(vertex, corners, pairs) % 2 == 1
    first = 0 if is_free else 1
    found = []
    for k in range(first, len(order), 2):
        a, b = order[k - 1], order[k]
        if _cross(directions[a], directions[b]) <= 0:
            return None
        found.append((a, b))
    return found


def _cross(u: tuple[Fraction, Fraction], v: tuple[Fraction, Fraction]) -> Fraction:
    return u[0] * v[1] - u[1] * v[0]


def _compare(u: tuple[Fraction, Fraction], v: tuple[Fraction, Fraction]) -> int:
    """By angle in (0, 2 pi], so that +x is the last direction."""
    halves = [int(not (w[1] > 0 or (w[1] == 0 and w[0] < 0))) for w in (u, v)]
    if halves[0] != halves[1]:
        return halves[0] - halves[1]
    cross = _cross(u, v)
    return int(cross < 0) - int(cross > 0)


def _count_crossings(vertex: int, corners: Floats, pairs: Ints) -> int:
    """How many segments a ray crosses from a vertex along +x, infinitely little above it."""
    x, y = corners[vertex]
    a, b = corners[pairs[:, 0]], corners[pairs[:, 1]]
    rows = np.flatnonzero(((a[:, 1] > y) != (b[:, 1] > y)) & (np.maximum(a[:, 0], b[:, 0]) > x))
    rows = rows[(pairs[rows] != vertex).all(axis=1)]
    if not len(rows):
        return 0
    low = np.where((a[rows, 1] > y)[:, None], b[rows], a[rows])
    high = np.where((a[rows, 1] > y)[:, None], a[rows], b[rows])
    return int((orientations(low, high, np.broadcast_to(corners[vertex], low.shape)) > 0).sum())
