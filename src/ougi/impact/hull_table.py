"""First contacts of listed pairs of bodies, all of which are laid out as hulls in one table.

Templates of vertices are packed once, when bodies change. A step only places their frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import loop, run
from ougi._typing import Array, Bools, DTypeLike, Floats, Ints
from ougi.impact.contacts import make_free
from ougi.impact.hulls import choose_layout, run_hulls
from ougi.impact.table import load_vector, put_vector, scale_screw, turn_at, turn_point, turn_vector
from ougi.impact.tables import SOLIDS
from ougi.query.dispatch import pair_loops
from ougi.results import FirstContacts, Status
from ougi.shapes import Shape
from ougi.shapes.as_polytope import lay_out_hulls

# Rows of the record `Hull3d` before its templates.
_HEIGHT = 25


class HullTable(NamedTuple):
    """Bodies at one moment as hulls, and their motions from then on.

    Attributes
    ----------
    columns
        (25 or more, n), records with their templates behind.
    screws
        (8, n), motions as in `Screw3d`.
    is_solid
        (n,), True for cylinders, cones and ellipsoids.
    dimension
        2 or 3.
    """

    columns: Floats
    screws: Floats
    is_solid: Bools
    dimension: int

    @classmethod
    def join(cls, shapes: Sequence[Shape], screws: Floats) -> HullTable:
        """Batches of convex shapes as one table."""
        counts = [shape.count for shape in shapes]
        is_solid = np.repeat([type(shape) in SOLIDS for shape in shapes], counts)
        columns = lay_out_hulls(*shapes)
        return cls(_check.frozen(columns), _check.frozen(screws), is_solid, shapes[0].dimension)

    def place(self, rows: Ints, share: Floats, factor: Floats) -> HullTable:
        """A subset of the bodies after shares of their motions, and the motions scaled by factors."""
        n, m = self.columns.shape[1], len(rows)
        templates = self.columns.reshape(-1)[_HEIGHT * n :]
        columns, screws = np.empty((_HEIGHT - (-len(templates) // m), m)), np.empty((8, m))
        columns.reshape(-1)[_HEIGHT * m :][: len(templates)] = templates
        times = _check.frozen(share), _check.frozen(factor)
        run(_place_hulls, self.columns, self.screws, _check.frozen(rows), *times, columns, screws, size=m)
        placed = _check.frozen(columns), _check.frozen(screws)
        return HullTable(*placed, self.is_solid[rows], self.dimension)


def find_first_contacts(
    table: HullTable,
    rows: Ints,
    share: Floats,
    factor: Floats,
    tol: float,
    margin: float,
    *,
    complete: bool = True,
) -> FirstContacts:
    """First contacts of m pairs of bodies; rows (2 m,) of the table are the first ones, then the second ones.

    Motions begin after shares of those of the table and are scaled by factors. Normals lead from the first.
    Without `complete`, points and normals of bodies that overlap at the start are NaN: see `find_nearest`.
    """
    bodies, m = table.place(rows, share, factor), len(rows) // 2
    contacts = make_free(m, table.dimension)
    for layout, part in _iter_layouts(bodies, np.arange(m)):
        first, second = _check.frozen(part), _check.frozen(part + m)
        a, b = ((bodies.columns, bodies.screws, each, each) for each in (first, second))
        contacts.write(part, run_hulls(layout, a, b, tol, margin))
    if complete:
        overlapping = np.flatnonzero(contacts.status == Status.OVERLAPPING)
        _write_nearest(contacts, overlapping, bodies, overlapping)
    if table.dimension == 2:
        # Flat bodies that meet may leave their plane along its normal, which is none in the plane.
        lost = np.flatnonzero((contacts.status == Status.HIT) & (np.abs(contacts.normal).max(axis=-1) < 0.5))
        if len(lost):
            both = np.append(lost, lost + m)
            times = share[both] + np.tile(contacts.t[lost], 2) * factor[both]
            there = table.place(rows[both], times, factor[both])
            _write_nearest(contacts, lost, there, np.arange(len(lost)))
    return contacts


def find_nearest(bodies: HullTable) -> tuple[Floats, Floats]:
    """Normals and points of the second bodies of pairs, of which the first bodies come first in the table."""
    contacts = make_free(len(bodies.is_solid) // 2, bodies.dimension)
    rows = np.arange(len(contacts.t))
    _write_nearest(contacts, rows, bodies, rows)
    return contacts.normal, contacts.point


def find_overlaps(bodies: HullTable) -> Bools:
    """Which pairs overlap; the first bodies of all pairs come first in the table."""
    out: Bools = _query("intersects", bodies, np.arange(len(bodies.is_solid) // 2), (), np.bool_)
    return out


def measure_gaps(bodies: HullTable) -> Floats:
    """Signed distances of pairs, of which the first bodies come first in the table."""
    gaps: Floats = _measure(bodies, np.arange(len(bodies.is_solid) // 2))[0]
    return gaps


def _write_nearest(contacts: FirstContacts, rows: Ints, bodies: HullTable, pairs: Ints) -> None:
    """Write the normals and the points of the second bodies of `closest_points`."""
    if len(rows):
        d = bodies.dimension
        out = _measure(bodies, pairs)
        contacts.normal[rows], contacts.point[rows] = out[1 : 1 + d].T + 0.0, out[1 + 2 * d :].T


def _measure(bodies: HullTable, pairs: Ints) -> Floats:
    return _query("separation", bodies, pairs, (1 + 3 * bodies.dimension,), np.float64)


def _query(question: str, bodies: HullTable, pairs: Ints, lead: tuple[int, ...], dtype: DTypeLike) -> Array:
    """Results of a query of some of the pairs, the last axis."""
    out = np.empty((*lead, len(pairs)), dtype)
    for layout, rows in _iter_layouts(bodies, pairs):
        part = np.empty((*lead, len(rows)), dtype)
        made, listed = pair_loops(question, f"{layout}_{layout}"), _list_bodies(bodies, pairs[rows])
        run(made.listed, bodies.columns, bodies.columns, listed, 0, part, size=len(rows))
        out[..., rows] = part
    return out


def _list_bodies(bodies: HullTable, pairs: Ints) -> Ints:
    """(m, 2), the two bodies of each pair."""
    return _check.frozen(np.stack([pairs, pairs + len(bodies.is_solid) // 2], axis=1))


def _iter_layouts(bodies: HullTable, pairs: Ints) -> Iterator[tuple[str, Ints]]:
    """The layouts that occur, and which of the pairs have each."""
    is_solid = bodies.is_solid[_list_bodies(bodies, pairs)].any(axis=1)
    for value in (False, True):
        rows = np.flatnonzero(is_solid == value)
        if len(rows):
            yield choose_layout(bodies.dimension, value), rows


@loop
def _place_hulls(
    base: Floats,
    screws: Floats,
    rows: Ints,
    share: Floats,
    factor: Floats,
    columns: Floats,
    scaled: Floats,
    start: int,
    stop: int,
) -> None:
    """Bodies after shares of their motions, and the motions scaled. Templates begin where records end."""
    shift = _HEIGHT * (len(rows) - base.shape[1])
    for k in range(start, stop):
        i = rows[k]
        turn = turn_at(screws, i, share[k])
        put_vector(columns, 0, k, turn_point(turn, load_vector(base, 0, i)))
        for row in range(3, 12, 3):
            put_vector(columns, row, k, turn_vector(turn, load_vector(base, row, i)))
        for row in range(12, _HEIGHT):
            columns[row, k] = base[row, i]
        for row in range(19, _HEIGHT, 2):
            columns[row, k] += shift
        scale_screw(screws, i, factor[k], scaled, k)
