"""First contacts of listed pairs among many bodies: what a world asks in every step.

The same kernels as those of `time_of_impact`, without its checks and copies: bodies and motions of all sorts
are laid out once, and pairs are indices. Bodies at rest, straight moves and turns go together in one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.impact import _FINEST, _filled, _loops, _moving_loops
from ougi.impact._embed import in_space, motion_in_space
from ougi.impact._relative import are_one, relative
from ougi.impact._tables import LAYOUTS, Found, find
from ougi.motion import Motion, Pose, Screw3d, Translation3d
from ougi.motion.screws import Screws, poses
from ougi.query import _separation
from ougi.shapes import Sector3d, Shape

# Axes whose directions differ by more than this are not one line, beyond any rounding.
_TILT = 1e-12


class Rates(NamedTuple):
    """Motions of n bodies in space, as screws (8, n); `offset` (n, 3) is what those do that only move."""

    screws: Floats
    offset: Floats
    moves: Bools
    turns: Bools

    def scaled(self, seconds: float) -> Rates:
        """What they do in so many seconds."""
        screws = self.screws.copy()
        screws[6:] *= seconds
        return self._replace(screws=_check.frozen(screws), offset=self.offset * seconds)


def rates_of(motions: list[tuple[int, Motion | None]]) -> Rates:
    """The motions of bodies, given as counts and batches (None: that many at rest)."""
    screws, offset, moves = [], [], []
    for n, motion in motions:
        way = Translation3d(np.zeros((n, 3))) if motion is None else motion_in_space(motion)
        columns = np.broadcast_to(way.columns(), (8, n))
        screws.append(columns)
        offset.append(way.offset if isinstance(way, Translation3d) else (columns[3:6] * columns[7]).T)
        moves.append(np.full(n, motion is not None))
    joined = np.concatenate(screws, axis=1)
    return Rates(_check.frozen(joined), np.concatenate(offset), np.concatenate(moves), joined[6] != 0)


class Movers:
    """Bodies of one class where they are when a step begins, and what they do in it."""

    def __init__(self, shape: Shape, rates: Rates) -> None:
        self.shape = shape
        self.rates = rates
        self.columns = in_space(shape).columns(LAYOUTS[type(shape)])

    def screws(self, index: Ints) -> Screw3d:
        """Motions of some of them."""
        columns = self.rates.screws[:, index]
        fields = {"center": columns[:3].T, "axis": columns[3:6].T, "angle": columns[6], "advance": columns[7]}
        return Screw3d._from_fields((len(index),), fields)

    def pose(self, index: Ints, t: Floats) -> tuple[Floats, Floats]:
        """Positions and rotations in space of some of them at times t."""
        way = self.screws(index)
        return poses(Screws(way.center, way.axis, way.angle, way.advance), t)


class Contacts(NamedTuple):
    """First contacts, one row each, as in `Impact`."""

    status: Ints
    t: Floats
    point: Floats
    normal: Floats


def listed_impact(a: Movers, b: Movers, pairs: Ints, tol: float) -> Contacts:
    """First contacts of listed pairs (m, 2), t in [0, 1] of the step; normals from a to b."""
    ask = _Pairs(a, b, pairs, tol)
    out = np.empty((8, len(pairs)))
    for rows, answer in ask.cases():
        if len(rows):
            out[:, rows] = answer(rows)
    dimension = a.shape.dimension
    found = Contacts(
        out[0].astype(np.int64), out[1], out[2 : 2 + dimension].T.copy(), out[5 : 5 + dimension].T + 0.0
    )
    ask.complete(found)
    return found


class _Pairs:
    """Listed pairs of two classes; every method answers for some rows of the list."""

    def __init__(self, a: Movers, b: Movers, pairs: Ints, tol: float) -> None:
        self.a, self.b, self.pairs, self.tol = a, b, pairs, tol
        self.found = find(type(a.shape), type(b.shape))

    def cases(self) -> Iterator[tuple[Ints, Callable[[Ints], Floats]]]:
        """Rows by how the two move, and what answers for them."""
        i, j = self.pairs.T
        first, second = self.a.rates.turns[i], self.b.rates.turns[j]
        turning = first | second
        yield np.flatnonzero(~turning), self.moving_straight
        rest = np.flatnonzero(turning)
        i, j = i[rest], j[rest]
        one_rests = ~(self.a.rates.moves[i] & self.b.rates.moves[j])
        if one_rests.any():
            yield rest[one_rests & first[rest]], self.turning_first
            yield rest[one_rests & second[rest]], self.turning_second
            rest = rest[~one_rests]
        in_line = self.are_about_one_line(rest)
        yield rest[in_line], self.about_one_line
        yield rest[~in_line], self.both_moving

    def index(self, rows: Ints) -> tuple[Ints, Ints]:
        i, j = (_check.frozen(np.ascontiguousarray(self.pairs[rows, k])) for k in (0, 1))
        return i, j

    def moving_straight(self, rows: Ints) -> Floats:
        """Seen from the second, the first moves straight."""
        i, j = self.index(rows)
        other = self.b.rates.offset[j].T
        way = np.zeros((8, len(i)))
        way[3:6] = self.a.rates.offset[i].T - other
        way[7] = np.sqrt(np.einsum("ij,ij->j", way[3:6], way[3:6]))
        way[3:6] /= np.where(way[7] > 0, way[7], 1.0)
        out = _one(self.found, self.a.columns, _check.frozen(way), self.b.columns, i, None, j, self.tol)
        out[2:5] += out[1] * other
        return out

    def turning_first(self, rows: Ints) -> Floats:
        """The first turns, the second rests."""
        i, j = self.index(rows)
        return _one(self.found, self.a.columns, self.a.rates.screws, self.b.columns, i, i, j, self.tol)

    def turning_second(self, rows: Ints) -> Floats:
        """The second turns, the first rests."""
        i, j = self.index(rows)
        found = find(type(self.b.shape), type(self.a.shape))
        out = _one(found, self.b.columns, self.b.rates.screws, self.a.columns, j, j, i, self.tol)
        out[5:] *= -1.0
        return out

    def are_about_one_line(self, rows: Ints) -> Bools:
        """Do both turn about one line, so that one makes a single screw as seen from the other?"""
        i, j = self.index(rows)
        alike = self.a.rates.turns[i] & self.b.rates.turns[j]
        some = np.flatnonzero(alike)
        u, v = self.a.rates.screws[3:6, i[some]], self.b.rates.screws[3:6, j[some]]
        alike[some] = np.abs(np.einsum("ij,ij->j", u, v)) > 1.0 - _TILT
        some = np.flatnonzero(alike)
        if len(some):
            alike[some] = are_one(self.a.screws(i[some]), self.b.screws(j[some]))
        return alike

    def about_one_line(self, rows: Ints) -> Floats:
        """The screw of the first as seen from the second."""
        i, j = self.index(rows)
        way = relative(self.a.screws(i), self.b.screws(j))
        out = _one(self.found, self.a.columns, way.columns(), self.b.columns, i, None, j, self.tol)
        position, rotation = self.b.pose(j, np.nan_to_num(out[1]))
        for row, shift in ((2, position.T), (5, 0.0)):
            out[row : row + 3] = np.einsum("kij,jk->ik", rotation, out[row : row + 3]) + shift
        return out

    def both_moving(self, rows: Ints) -> Floats:
        """Both move, one of them at least by a turn."""
        i, j = self.index(rows)
        rest = max(self.tol, _FINEST), 0.0, -1.0 if self.found.swapped else 1.0
        first = (self.a.columns, self.a.rates.screws, i, i, *rest)
        second = (self.b.columns, self.b.rates.screws, j, j, *rest)
        x, y = (second, first) if self.found.swapped else (first, second)
        return _filled(_moving_loops(self.found.kernel), x, y, np.arange(len(rows)))

    def complete(self, found: Contacts) -> None:
        """Points and normals that the kernels do not know, as in `time_of_impact`."""
        shapes = self.a.shape, self.b.shape
        overlapping = np.flatnonzero(found.status == 2)
        if len(overlapping) and not any(isinstance(shape, Sector3d) for shape in shapes):
            answer = _separation("closest_points", *shapes, self.pairs[overlapping])
            found.normal[overlapping], found.point[overlapping] = answer[1], answer[3]
        if shapes[0].dimension == 2:
            # Flat bodies that meet may leave their plane along its normal, which is none in the plane.
            lost = np.flatnonzero((found.status == 1) & (np.abs(found.normal).max(axis=-1) < 0.5))
            if len(lost):
                first, second = (
                    movers.shape[index]._transformed(_flat(*movers.pose(index, found.t[lost])))
                    for movers, index in zip((self.a, self.b), self.index(lost), strict=True)
                )
                answer = _separation("closest_points", first, second, None)
                found.normal[lost], found.point[lost] = answer[1], answer[3]


def _one(
    found: Found,
    bodies: Floats,
    ways: Floats,
    targets: Floats,
    i: Ints,
    way: Ints | None,
    j: Ints,
    tol: float,
) -> Floats:
    """Moving bodies i and resting targets j; `way` is each one's motion, None if they are listed as well.

    The kernel may want to move the other: then by the inverse motion.
    """
    if way is None:
        way = _check.frozen(np.arange(len(i)))
    x, first, y, second = (targets, j, bodies, i) if found.swapped else (bodies, i, targets, j)
    moving = x, ways, first, way, tol, 0.0, -1.0 if found.swapped else 1.0
    return _filled(_loops(found.kernel), moving, y, second)


def _flat(position: Floats, rotation: Floats) -> Pose:
    return Pose._of(position[:, :2], rotation[:, :2, :2])
