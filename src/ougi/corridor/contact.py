"""First contact of a moving circle with one edge or one corner of a wall. Every search calls these functions.

The wall is one-sided: its inside lies to the left of every segment. A circle of radius r touches an edge
where its center meets the line at distance r inside of it. It touches a corner where its center meets the
circle of radius r around the corner. Corners at which the wall turns left (convex ones) cannot be touched
before one of their edges.

The earliest contact wins, and of equal ones the lowest feature. So the order in which a search finds segments
does not matter, and all searches give the same trajectories, to the last bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats, Index, Ints

# A corner whose sine is below this counts as one that can be touched: where the wall goes straight on, the
# feet of two edges could leave a crack between them, as wide as rounding.
STRAIGHT = 1e-9

# Sliding circles: shares of a speed below it are rounding, and a feature is touched within this share of the
# radius.
ROUNDING, TOUCHING = 1e-15, 1e-9

# Columns of a wall's rows: start, unit direction, length, and 1 if the corner at the start can be touched.
AX, AY, UX, UY, LENGTH, CORNER = range(6)
START, DIRECTION = slice(AX, AY + 1), slice(UX, UY + 1)
ROW_COLUMNS = 6


class Wall(NamedTuple):
    """A wall as the loops read it.

    Feature 2 i is the edge of segment i, feature 2 i + 1 the corner at its start.
    """

    rows: Floats  # (n, ROW_COLUMNS)
    before: Ints  # the segment that ends where this one starts
    after: Ints
    band: float  # lengths below it are rounding: 64 eps * (largest coordinate + size)


@device
def edge_contact_time(
    rows: Floats, i: Index, px: float, py: float, dx: float, dy: float, r: float, best: float
) -> float:
    """The part of the motion d after which a circle at p touches edge i; 2 if not before `best`.

    A circle whose center is over the edge is at least its radius away from it, or behind the wall. One that
    overlaps the edge a little, by rounding or from the start, is stopped at once.
    """
    ux, uy = rows[i, UX], rows[i, UY]
    rate = ux * dy - uy * dx  # along the normal (-uy, ux)
    if rate >= 0.0:
        return 2.0
    wx, wy = px - rows[i, AX], py - rows[i, AY]
    gap = ux * wy - uy * wx - r
    if gap < -0.5 * r or -rate * best < gap:
        return 2.0
    t = max(0.0, -gap / rate)
    foot = wx * ux + wy * uy + t * (dx * ux + dy * uy)
    return t if foot >= 0.0 and foot <= rows[i, LENGTH] else 2.0


@device
def corner_contact_time(
    rows: Floats, i: Index, px: float, py: float, dx: float, dy: float, r: float
) -> float:
    """The part of the motion d after which a circle at p touches the corner that starts edge i; 2 if never.

    t = c / (-b + sqrt(b^2 - a c)) does not cancel. The square of the root is a r^2 - (w x d)^2, which is
    exact where the circle grazes.
    """
    wx, wy = px - rows[i, AX], py - rows[i, AY]
    b = wx * dx + wy * dy
    if b >= 0.0:
        return 2.0
    across = wx * dy - wy * dx
    root_sq = (dx * dx + dy * dy) * r * r - across * across
    if root_sq < 0.0:
        return 2.0
    c = wx * wx + wy * wy - r * r
    t: float = max(0.0, c / (math.sqrt(root_sq) - b))
    return t


@device
def is_earlier(t: float, feature: int, best: float, first: int) -> bool:
    """Is a contact before the best one so far? Feature -1 is the end of the motion."""
    return t < best or (t == best and (first < 0 or feature < first))


@device
def update_first_contact(
    wall: Wall, i: int, px: float, py: float, dx: float, dy: float, r: float, best: float, first: int
) -> tuple[float, int]:
    """The earlier of a known contact and the contact with segment i or the corner at its start."""
    rows = wall.rows
    t = edge_contact_time(rows, i, px, py, dx, dy, r, best)
    if is_earlier(t, 2 * i, best, first):
        best, first = t, 2 * i
    if rows[i, CORNER] != 0.0:
        t = corner_contact_time(rows, i, px, py, dx, dy, r)
        if is_earlier(t, 2 * i + 1, best, first):
            best, first = t, 2 * i + 1
    return best, first


@device
def contact_normal(wall: Wall, feature: int, px: float, py: float) -> tuple[float, float]:
    """The unit normal, into the corridor, where a circle with center p touches a feature."""
    i = feature >> 1
    if feature & 1 == 0:
        return -wall.rows[i, UY], wall.rows[i, UX]
    wx, wy = px - wall.rows[i, AX], py - wall.rows[i, AY]
    length = math.sqrt(wx * wx + wy * wy)
    return wx / length, wy / length


@device
def closest_on_segment(rows: Floats, i: Index, px: float, py: float) -> tuple[float, float]:
    """The squared distance of a point from segment i, and how far along it the closest point lies."""
    ux, uy = rows[i, UX], rows[i, UY]
    wx, wy = px - rows[i, AX], py - rows[i, AY]
    along = min(max(wx * ux + wy * uy, 0.0), rows[i, LENGTH])
    ex, ey = wx - along * ux, wy - along * uy
    return ex * ex + ey * ey, along


@device
def is_touching(wall: Wall, feature: int, px: float, py: float, r: float) -> bool:
    """Does a circle that does not overlap the wall touch a feature?"""
    i = feature >> 1
    if feature & 1 == 0:
        distance_sq, _ = closest_on_segment(wall.rows, i, px, py)
    else:
        wx, wy = px - wall.rows[i, AX], py - wall.rows[i, AY]
        distance_sq = wx * wx + wy * wy
    return bool(distance_sq <= (r * (1.0 + TOUCHING)) ** 2)


@device
def is_inside(wall: Wall, i: int, along: float, px: float, py: float) -> bool:
    """Is a point on the inner side of its closest segment?

    At a corner the sum of the two normals decides. The closest point of a wedge is its tip only between the
    normals of the wedge, and these are on one side of their sum.
    """
    rows = wall.rows
    if along <= 0.0 or along >= rows[i, LENGTH]:
        k = i if along <= 0.0 else wall.after[i]
        j = wall.before[k]
        nx, ny = -rows[j, UY] - rows[k, UY], rows[j, UX] + rows[k, UX]
        return bool((px - rows[k, AX]) * nx + (py - rows[k, AY]) * ny >= 0.0)
    return bool(rows[i, UX] * (py - rows[i, AY]) - rows[i, UY] * (px - rows[i, AX]) >= 0.0)
