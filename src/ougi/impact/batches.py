"""First contacts by kernels of two batches of convex shapes, each of which moves by one screw or rests."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats, Ints
from ougi.impact.contacts import read_rows
from ougi.impact.embed import columns_in_space, screws_in_space
from ougi.impact.kernels import loops_of_one_mover, run_loop
from ougi.impact.mixed import solve_pairs
from ougi.impact.pairing import PairIndex, take
from ougi.impact.table import LAYOUT_NAMES, BodyTable
from ougi.impact.tables import LAYOUTS, SHARP, find
from ougi.motion import Motion
from ougi.query.queries import separation
from ougi.results import FirstContacts, Status
from ougi.shapes import Sector3d, Shape

# The screw of a body at rest.
AT_REST = _check.frozen(np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0])[:, None])


class MovingBatch(NamedTuple):
    """Shapes of one class and their motions; None for bodies at rest."""

    shape: Shape
    motion: Motion | None

    @property
    def screws(self) -> Floats:
        """(8, n), the motions as the loops read them."""
        return AT_REST if self.motion is None else screws_in_space(self.motion)

    def make_table(self) -> BodyTable:
        """The shapes and the motions, each in their own order."""
        layout = LAYOUT_NAMES.index(LAYOUTS[type(self.shape)])
        screws = self.screws
        moves = np.full(screws.shape[1], self.motion is not None)
        layouts = np.full(self.shape.count, layout)
        return BodyTable(_check.frozen(layouts), columns_in_space(self.shape), screws, _check.frozen(moves))


def find_first_contacts(
    a: MovingBatch, b: MovingBatch, index: PairIndex, tol: float, margin: float, *, complete: bool = True
) -> FirstContacts:
    """First contacts of listed pairs; normals lead from a to b.

    Without `complete`, points and normals of bodies that overlap at the start stay NaN.
    """
    kernel, swapped = find(type(a.shape), type(b.shape))
    if b.motion is None and not (margin > 0 and kernel in SHARP):
        # Nothing has to be sorted. A kernel moves its own first body, which may be the target: then by the
        # inverse motion.
        bodies = [(columns_in_space(a.shape), index.shape), (columns_in_space(b.shape), index.target)]
        (x, i), (y, j) = bodies[::-1] if swapped else bodies
        mover = x, a.screws, i, index.motion, tol, margin, -1.0 if swapped else 1.0
        contacts = read_rows(run_loop(loops_of_one_mover(kernel), mover, y, j), a.shape.dimension)
    else:
        dimension = a.shape.dimension
        contacts, *_ = solve_pairs(a.make_table(), b.make_table(), index, tol, margin, dimension)
    if complete:
        complete_contacts(contacts, a, b, index)
    return contacts


def complete_contacts(contacts: FirstContacts, a: MovingBatch, b: MovingBatch, index: PairIndex) -> None:
    """Fill in points and normals that the loops do not know: those of the poses at the time of contact."""
    overlapping = contacts.status == Status.OVERLAPPING
    if overlapping.any() and type(a.shape) is not Sector3d and type(b.shape) is not Sector3d:
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
    for body, which, moving in ((a, pairs.shape, pairs.motion), (b, pairs.target, pairs.target_motion)):
        shape = take(body.shape, which)
        if body.motion is not None and t.any():
            shape = _repeat(shape, len(rows)).transformed(take(body.motion, moving)._at(t))
        bodies.append(shape)
    _, normal, _, point = separation("closest_points", bodies[0], bodies[1], None)
    contacts.point[rows], contacts.normal[rows] = point, normal


def _repeat(shape: Any, n: int) -> Any:
    """One shape for each of n rows."""
    return shape if shape.shape else shape.reshape((1,))[np.zeros(n, np.int64)]
