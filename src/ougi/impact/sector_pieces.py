"""First contacts of sectors that have no distance: of convex pieces around them, refined where they touch.

A piece reaches from the chord of the inner arc to the tangent of the outer one, so it holds its part of the
sector, and a miss of all pieces is a miss of the sector. The earliest piece is divided until it is so narrow
that its corners stand out by no more than half of the tolerance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ougi._batch import concatenate
from ougi._typing import Bools, Floats, Ints
from ougi.impact.contacts import make_free, write_earlier
from ougi.impact.pairing import PairIndex
from ougi.impact.tables import HULLS, LAYOUTS
from ougi.kernels.constants import FINEST_TOL
from ougi.motion import Pose
from ougi.results import FirstContacts, Status
from ougi.shapes import ConvexHull3d, ConvexPolygon2d, Mesh, Sector2d, Sector3d, Shape

# Half the angle of the first pieces, and into how many a piece is divided.
_COARSE, _DIVISION = math.pi / 8, 8

# Pieces of a case after which it is undecided.
MAX_PIECES = 4096

# Solves listed pairs of two batches.
Solve = Callable[[Any, Any, PairIndex], FirstContacts]


def is_supported(shape: Shape, target: Shape) -> bool:
    """Is one of them a sector, and has the other first contacts with hulls?"""
    known = (Sector2d, Sector3d, Mesh, *LAYOUTS, *HULLS)
    return (
        (isinstance(shape, Sector2d | Sector3d) or isinstance(target, Sector2d | Sector3d))
        and shape.dimension == target.dimension
        and all(isinstance(x, known) for x in (shape, target))
    )


def make_hulls(sector: Any, row: Ints, middle: Floats, half: Floats) -> Any:
    """Convex hulls around parts of sectors: at angles within `half` of `middle`, from their directions."""
    numbers = [sector.inner_radius.ravel()[row], sector.outer_radius.ravel()[row], half]
    is_flat = isinstance(sector, Sector2d)
    numbers.append(np.zeros(len(row)) if is_flat else sector.half_height.ravel()[row])
    alike, which = np.unique(np.stack(numbers, axis=1), axis=0, return_inverse=True)
    hulls, order = [], []
    for k, (inner, outer, angle, height) in enumerate(alike.tolist()):
        own = np.flatnonzero(which.ravel() == k)
        x, y = inner * math.cos(angle), inner * math.sin(angle)
        corners = np.array([[x, -y], [outer, -outer * math.tan(angle)]])
        corners = np.concatenate([corners, corners[::-1] * [1, -1]])
        if is_flat:
            hull: Any = ConvexPolygon2d.from_points(corners)
        else:
            hull = ConvexHull3d([[*p, z] for p, z in itertools.product(corners, (-height, height))])
        hulls.append(hull.transformed(_place(sector, row[own], middle[own])))
        order.append(own)
    return concatenate(hulls)[np.argsort(np.concatenate(order))]


def _place(sector: Any, row: Ints, middle: Floats) -> Pose:
    """Poses that lead the x axis to the middles of pieces."""
    d = sector.dimension
    center, x = (getattr(sector, name).reshape((-1, d))[row] for name in ("center", "direction"))
    if d == 2:
        return Pose(center, np.arctan2(x[:, 1], x[:, 0]) + middle)
    z = sector.axis.reshape((-1, 3))[row]
    c, s = np.cos(middle)[:, None], np.sin(middle)[:, None]
    x, y = c * x + s * np.cross(z, x), c * np.cross(z, x) - s * x
    return Pose._of(center, np.stack([x, y, z], axis=-1))


class _Pieces(NamedTuple):
    """Pairs of pieces: the case, and for both sides the middle and half of the angle; 0 of other shapes."""

    case: Ints
    middle: Floats  # (n, 2)
    half: Floats

    def take(self, rows: Any) -> _Pieces:
        """A subset of the rows."""
        return _Pieces(*(column[rows] for column in self))

    def divide(self, side: Ints) -> _Pieces:
        """Each in parts of one side."""
        rows = np.arange(len(self.case) * _DIVISION)
        part, sides = rows % _DIVISION, np.repeat(side, _DIVISION)
        case, middle = np.repeat(self.case, _DIVISION), np.repeat(self.middle, _DIVISION, axis=0)
        half: Floats = np.repeat(self.half, _DIVISION, axis=0)
        half[rows, sides] *= 1 / _DIVISION
        middle[rows, sides] += half[rows, sides] * (2 * part + 1 - _DIVISION)
        return _Pieces(case, middle, half)


def find_first_contacts(
    shape: Shape, target: Shape, index: PairIndex, tol: float, solve: Solve
) -> FirstContacts:
    """First contacts of listed pairs, one of which is a sector; `solve` knows those of its pieces.

    Points and normals are NaN.
    """
    n, bodies, rows = len(index.shape), (shape, target), (index.shape, index.target)
    angles = [_list_angles(body, own) for body, own in zip(bodies, rows, strict=True)]
    finest = math.sqrt(max(tol, FINEST_TOL))
    best, until, count = make_free(n, shape.dimension), np.ones(n), np.zeros(n, np.int64)
    new, coarse, t = _list_first(angles), _list_first([[]] * 2), np.empty(0)
    while len(new.case):
        found = _solve_pieces(new, bodies, index, solve)
        np.add.at(count, new.case, 1)
        is_fine = (new.half <= finest).all(axis=1) | (count[new.case] > MAX_PIECES)
        given_up = is_fine & (new.half > finest).any(axis=1) & (found.status > 0)
        found.status[given_up], found.hit[given_up] = Status.UNDECIDED, False
        write_earlier(best, until, new.case[is_fine], found[is_fine])
        more = ~is_fine & (found.status > 0)
        coarse = _Pieces(*(np.concatenate(x) for x in zip(coarse, new.take(more), strict=True)))
        t = np.concatenate([t, found.t[more]])
        keep = (t < until[coarse.case]) | (best.status[coarse.case] == Status.FREE)
        coarse, t = coarse.take(keep), t[keep]
        order = np.lexsort((coarse.half.max(axis=1), t, coarse.case))  # the narrowest of equal times
        _, first = np.unique(coarse.case[order], return_index=True)
        earliest: Bools = np.zeros(len(t), np.bool_)
        earliest[order[first]] = True
        chosen = coarse.take(earliest)
        new = chosen.divide(chosen.half.argmax(axis=1))
        coarse, t = coarse.take(~earliest), t[~earliest]
    best.point[:] = best.normal[:] = np.nan
    return best


def _list_angles(shape: Any, rows: Ints) -> list[tuple[Floats, float]]:
    """For each case the middles of the first pieces, and half of their angle; of other shapes one of 0."""
    if not isinstance(shape, Sector2d | Sector3d):
        return [(np.zeros(1), 0.0)] * len(rows)
    found = []
    for half in shape.half_angle.ravel()[rows].tolist():
        count = max(math.ceil(half / _COARSE), 1)
        found.append((half * (2 * np.arange(count) + 1 - count) / count, half / count))
    return found


def _list_first(angles: list[list[tuple[Floats, float]]]) -> _Pieces:
    """All pairs of first pieces of every case."""
    parts = [_Pieces(np.empty(0, np.int64), np.empty((0, 2)), np.empty((0, 2)))]
    for case, ((first, half), (second, other)) in enumerate(zip(*angles, strict=True)):
        middle = np.array(list(itertools.product(first, second)))
        halves = np.broadcast_to([half, other], middle.shape)
        parts.append(_Pieces(np.full(len(middle), case), middle, halves))
    return _Pieces(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _solve_pieces(pieces: _Pieces, bodies: tuple[Any, Any], index: PairIndex, solve: Solve) -> FirstContacts:
    """First contacts of pieces."""
    own = index.take(pieces.case)
    made, rows = [], []
    for side, (body, row) in enumerate(zip(bodies, (own.shape, own.target), strict=True)):
        is_sector = isinstance(body, Sector2d | Sector3d)
        made.append(make_hulls(body, row, *(x[:, side] for x in pieces[1:])) if is_sector else body)
        rows.append(np.arange(len(row)) if is_sector else row)
    listed = PairIndex(rows[0], own.motion, rows[1], own.target_motion).take(slice(None))
    return solve(made[0], made[1], listed)
