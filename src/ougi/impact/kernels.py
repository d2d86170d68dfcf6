"""First contacts by kernels: convex shapes, each of which moves by one screw or rests.

Rotations and translations are screws. A pair of moving bodies becomes one with a single mover, in the frame
of the other, where that is exact: if one rests, if neither turns, or if both turn about one line.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ougi import _check
from ougi._native import Loops, loops, run
from ougi._typing import Bools, Floats, Ints
from ougi.impact.contacts import read_rows
from ougi.impact.embed import columns_in_space, motion_in_space
from ougi.impact.pairing import PairIndex, take
from ougi.impact.relative import are_one, relative
from ougi.impact.tables import SHARP, find
from ougi.kernels.constants import COAXIAL_TILT, FINEST_TOL
from ougi.motion import Motion, Pose, Screw3d, Translation3d
from ougi.motion.screws import Screws, compute_poses
from ougi.query.queries import separation
from ougi.results import FirstContacts, Status
from ougi.shapes import Sector3d, Shape


class Motions:
    """Motions in space as screws (8, n). Rotations and translations are screws too."""

    def __init__(self, screws: Floats, offset: Floats | None = None, moves: Bools | None = None) -> None:
        self.screws = screws
        self._offset, self._moves = offset, moves

    @classmethod
    def of(cls, motion: Motion) -> Motions:
        """The motions of a batch."""
        spatial = motion_in_space(motion)
        offset = spatial.offset.reshape((-1, 3)) if isinstance(spatial, Translation3d) else None
        return cls(spatial.columns(), offset)

    @classmethod
    def join(cls, parts: list[tuple[int, Motion | None]]) -> Motions:
        """The motions of bodies, given as counts and batches (None: that many at rest)."""
        each = [cls.of(Translation3d(np.zeros((n, 3))) if motion is None else motion) for n, motion in parts]
        return cls(
            _check.frozen(np.concatenate([one.screws for one in each], axis=1)),
            np.concatenate([one.offset for one in each]),
            np.concatenate([np.full(n, motion is not None) for n, motion in parts]),
        )

    @functools.cached_property
    def offset(self) -> Floats:
        """(n, 3), the displacement of those that do not turn."""
        return (self.screws[3:6] * self.screws[7]).T if self._offset is None else self._offset

    @functools.cached_property
    def moves(self) -> Bools:
        """(n,), False for bodies at rest."""
        return np.ones(self.screws.shape[1], np.bool_) if self._moves is None else self._moves

    @functools.cached_property
    def turns(self) -> Bools:
        """(n,), do they turn?"""
        turning: Bools = self.screws[6] != 0
        return turning

    def scaled(self, seconds: float) -> Motions:
        """The motions during this many seconds, if these are the motions per second."""
        screws = self.screws.copy()
        screws[6:] *= seconds
        if seconds > 1:  # in one second they are in range
            _check.turns_in_range("angle", screws[6])
            _check.in_range("offset or advance", screws[7])
        return Motions(_check.frozen(screws), self.offset * seconds, self.moves)

    def take(self, index: Ints) -> Screw3d:
        """The motions at these indices, as a batch."""
        columns = self.screws[:, index]
        fields = {"center": columns[:3].T, "axis": columns[3:6].T, "angle": columns[6], "advance": columns[7]}
        return Screw3d._from_fields((len(index),), fields)

    def pose(self, index: Ints, t: Floats) -> tuple[Floats, Floats]:
        """Positions and rotations of the motions at these indices, at times t."""
        screws = self.take(index)
        return compute_poses(Screws(screws.center, screws.axis, screws.angle, screws.advance), t)


_AT_REST = Motions.join([(1, None)])


class MovingBatch:
    """Shapes of one class and their motions, laid out for the loops; `motions` is None for bodies at rest."""

    def __init__(self, shape: Shape, motions: Motions | None, layout: str | None = None) -> None:
        self.shape = shape
        self.columns = shape.columns(layout) if layout else columns_in_space(shape)
        self.is_at_rest = motions is None
        self.motions = _AT_REST if motions is None else motions

    @classmethod
    def of(cls, shape: Shape, motion: Motion | None, layout: str | None = None) -> MovingBatch:
        """A batch of shapes and one of motions; the shapes as flat ones of space, or in another layout."""
        return cls(shape, None if motion is None else Motions.of(motion), layout)


def find_first_contacts(
    a: MovingBatch, b: MovingBatch, index: PairIndex, tol: float, margin: float, *, complete: bool = True
) -> FirstContacts:
    """First contacts of listed pairs; normals lead from a to b.

    Without `complete`, points and normals of bodies that overlap at the start stay NaN.
    """
    query = _Query(a, b, index, tol, margin)
    contacts = read_rows(query.run(), a.shape.dimension)
    if complete:
        complete_contacts(contacts, a, b, index)
    return contacts


class _Query:
    """Listed pairs of two classes. Every method computes the contacts of its rows, as (8, n) columns."""

    def __init__(self, a: MovingBatch, b: MovingBatch, index: PairIndex, tol: float, margin: float) -> None:
        self.a, self.b, self.index, self.tol, self.margin = a, b, index, tol, margin
        self.found = find(type(a.shape), type(b.shape))

    def run(self) -> Floats:
        if self.margin > 0 and self.found.kernel in SHARP:
            return self.run_two_movers(self.index)
        if self.b.is_at_rest:
            return self.run_first_mover(self.index)
        out = np.empty((8, len(self.index.shape)))
        for rows, method in self.split():
            if len(rows) == len(self.index.shape):
                return method(self.index)
            if len(rows):
                out[:, rows] = method(self.index.take(rows))
        return out

    def split(self) -> Iterator[tuple[Ints, Callable[[PairIndex], Floats]]]:
        """Rows by how the two bodies move, and the method for them."""
        i, j = self.index.motion, self.index.target_motion
        first, second = self.a.motions.turns[i], self.b.motions.turns[j]
        turning = first | second
        yield np.flatnonzero(~turning), self.run_straight
        rest = np.flatnonzero(turning)
        if not len(rest):
            return
        i, j = i[rest], j[rest]
        one_rests = ~(self.a.motions.moves[i] & self.b.motions.moves[j])
        if one_rests.any():
            yield rest[one_rests & first[rest]], self.run_first_mover
            yield rest[one_rests & second[rest]], self.run_second_mover
            rest = rest[~one_rests]
        coaxial = self.are_coaxial(rest)
        yield rest[coaxial], self.run_coaxial
        yield rest[~coaxial], self.run_two_movers

    def run_straight(self, index: PairIndex) -> Floats:
        """Neither turns. In the frame of the second, the first moves straight."""
        other = self.b.motions.offset[index.target_motion].T
        screws = np.zeros((8, len(index.shape)))
        screws[3:6] = self.a.motions.offset[index.motion].T - other
        screws[7] = np.sqrt(np.einsum("ij,ij->j", screws[3:6], screws[3:6]))
        screws[3:6] /= np.where(screws[7] > 0, screws[7], 1.0)
        out = self.run_one_mover(_check.frozen(screws), index, None)
        out[2:5] += out[1] * other
        return out

    def run_first_mover(self, index: PairIndex) -> Floats:
        """The first moves, the second rests."""
        return self.run_one_mover(self.a.motions.screws, index, index.motion)

    def run_second_mover(self, index: PairIndex) -> Floats:
        """The second moves, the first rests."""
        swapped = _Query(self.b, self.a, index.swap(), self.tol, self.margin)
        out = swapped.run_first_mover(swapped.index)
        out[5:] *= -1.0
        return out

    def are_coaxial(self, rows: Ints) -> Bools:
        """Do both turn about one line, so that one makes a single screw in the frame of the other?"""
        i, j = self.index.motion[rows], self.index.target_motion[rows]
        alike = self.a.motions.turns[i] & self.b.motions.turns[j]
        near = np.flatnonzero(alike)
        u, v = self.a.motions.screws[3:6, i[near]], self.b.motions.screws[3:6, j[near]]
        alike[near] = np.abs(np.einsum("ij,ij->j", u, v)) > 1.0 - COAXIAL_TILT
        near = np.flatnonzero(alike)
        if len(near):
            alike[near] = are_one(self.a.motions.take(i[near]), self.b.motions.take(j[near]))
        return alike

    def run_coaxial(self, index: PairIndex) -> Floats:
        """Both turn about one line. The screw of the first in the frame of the second."""
        seen = relative(self.a.motions.take(index.motion), self.b.motions.take(index.target_motion))
        out = self.run_one_mover(seen.columns(), index, None)
        position, rotation = self.b.motions.pose(index.target_motion, np.nan_to_num(out[1]))
        for row, shift in ((2, position.T), (5, 0.0)):
            out[row : row + 3] = np.einsum("kij,jk->ik", rotation, out[row : row + 3]) + shift
        return out

    def run_one_mover(self, screws: Floats, index: PairIndex, motion: Ints | None) -> Floats:
        """The first moves by screws, one for each row or those that `motion` lists; the second rests.

        A kernel moves the first body of its name. If that is the second here, it moves by the inverse screw.
        """
        listed = _check.frozen(np.arange(len(index.shape))) if motion is None else motion
        bodies = [(self.a.columns, index.shape), (self.b.columns, index.target)]
        (x, i), (y, j) = bodies[::-1] if self.found.swapped else bodies
        mover = x, screws, i, listed, self.tol, self.margin, -1.0 if self.found.swapped else 1.0
        return run_loop(loops_of_one_mover(self.found.kernel), mover, y, j)

    def run_two_movers(self, index: PairIndex) -> Floats:
        """Both move, or one of them only: kernels of two movers know gaps of sharp bodies, for a margin."""
        return run_loop(loops_of_two_movers(self.found.kernel), *self.operands(index), None)

    def operands(self, index: PairIndex) -> tuple[Any, Any]:
        """The two bodies as the loops of two movers read them; the sense selects the target."""
        rest = max(self.tol, FINEST_TOL), self.margin, -1.0 if self.found.swapped else 1.0
        first = (self.a.columns, self.a.motions.screws, index.shape, index.motion, *rest)
        second = (self.b.columns, self.b.motions.screws, index.target, index.target_motion, *rest)
        return (second, first) if self.found.swapped else (first, second)


def run_loop(made: Loops, a: Any, b: Any, index: Ints | None) -> Floats:
    """Run a loop over all pairs; `index` says where in b each finds its body (None: as listed in b)."""
    n = len(a[2])
    out = np.empty((8, n))
    pairs = np.empty((n, 2), np.int64)
    pairs[:, 0] = np.arange(n)
    pairs[:, 1] = pairs[:, 0] if index is None else index
    if n:
        run(made.listed, a, b, _check.frozen(pairs), 0, out, size=n)
    return out


def complete_contacts(contacts: FirstContacts, a: MovingBatch, b: MovingBatch, index: PairIndex) -> None:
    """Fill in points and normals that the loops do not know: those of the poses at the time of contact."""
    overlapping = contacts.status == Status.OVERLAPPING
    if overlapping.any() and not isinstance(a.shape, Sector3d) and not isinstance(b.shape, Sector3d):
        _fill_contacts(contacts, np.flatnonzero(overlapping), a, b, index)
    if a.shape.dimension == 2:
        # Flat bodies that meet may leave their plane along its normal, which is none in the plane.
        lost = (contacts.status == Status.HIT) & (np.abs(contacts.normal).max(axis=-1) < 0.5)
        if lost.any():
            _fill_contacts(contacts, np.flatnonzero(lost), a, b, index)


def _fill_contacts(
    contacts: FirstContacts, rows: Ints, a: MovingBatch, b: MovingBatch, index: PairIndex
) -> None:
    """Points and normals of `closest_points` at the time of contact."""
    pairs, t = index.take(rows), contacts.t[rows]
    bodies: list[Any] = []
    for body, which, motion in ((a, pairs.shape, pairs.motion), (b, pairs.target, pairs.target_motion)):
        shape = take(body.shape, which)
        if not body.is_at_rest and t.any():
            position, rotation = body.motions.pose(motion, t)
            d = shape.dimension
            shape = _repeat(shape, len(rows))._transformed(Pose._of(position[:, :d], rotation[:, :d, :d]))
        bodies.append(shape)
    _, normal, _, point = separation("closest_points", bodies[0], bodies[1], None)
    contacts.point[rows], contacts.normal[rows] = point, normal


def _repeat(shape: Any, n: int) -> Any:
    """One shape for each of n rows."""
    return shape if shape.shape else shape.reshape((1,))[np.zeros(n, np.int64)]


@functools.cache
def loops_of_one_mover(kernel: str) -> Loops:
    """The loops of a moving and a resting body."""
    from ougi.kernels import load
    from ougi.kernels.impact import movers

    module = importlib.import_module(f"ougi.kernels.impact.{kernel}")
    a, b = kernel.split("_")
    return loops(
        f"impact_{kernel}",
        getattr(module, f"impact_{kernel}"),
        movers.LOADERS[a],
        getattr(load, f"load_{b}"),
        load.store_impact3d,
    )


@functools.cache
def loops_of_two_movers(kernel: str) -> Loops:
    """The loops of two moving bodies."""
    from ougi.kernels import load
    from ougi.kernels.impact import movers, two_movers_pairs

    a, b = kernel.split("_")
    return loops(
        f"moving_{kernel}",
        two_movers_pairs.KERNELS[kernel],
        movers.LOADERS[a],
        movers.LOADERS[b],
        load.store_impact3d,
    )
