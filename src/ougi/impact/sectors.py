"""First contacts of sectors with all bounded shapes but meshes, by convex pieces (`kernels/pieces`)."""

from __future__ import annotations

import functools

import numpy as np

from ougi import _check
from ougi._native import Loops, Parts, run
from ougi._typing import Floats
from ougi.impact.batches import AT_REST, MovingBatch
from ougi.impact.contacts import read_rows
from ougi.impact.kernels import run_loop
from ougi.impact.pairing import PairIndex
from ougi.impact.tables import HULLS, LAYOUTS
from ougi.kernels.constants import FINEST_TOL
from ougi.kernels.pieces.constants import STACK_SIZE
from ougi.motion import Chain, Motion
from ougi.results import FirstContacts
from ougi.shapes import Sector2d, Sector3d, Shape

# Pairs that are computed together: their stacks take 2.6 kB each.
_BLOCK = 4096


def has_pieces(a: type[Shape], b: type[Shape]) -> bool:
    """Is one class that of a sector, and are both laid out for these kernels?"""
    known = (Sector2d, Sector3d, *LAYOUTS, *HULLS)
    has_sector = issubclass(a, Sector2d | Sector3d) or issubclass(b, Sector2d | Sector3d)
    return has_sector and a in known and b in known and a.dimension == b.dimension


def is_supported(shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None) -> bool:
    """As `has_pieces`, if neither moves on a chain."""
    are_chains = isinstance(motion, Chain) or isinstance(target_motion, Chain)
    return not are_chains and has_pieces(type(shape), type(target))


def find_first_contacts(
    a: MovingBatch, b: MovingBatch, index: PairIndex, tol: float, margin: float
) -> FirstContacts:
    """First contacts of listed pairs; normals lead from a to b.

    Of bodies that overlap at the start points and normals are NaN.
    """
    columns = _lay_out(a.shape), _lay_out(b.shape)
    out = np.empty((8, len(index.shape)))
    for start in range(0, len(index.shape), _BLOCK):
        part = index.take(slice(start, start + _BLOCK))
        rest = max(tol, FINEST_TOL), margin, _make_stacks(len(part.shape))
        first = columns[0], a.screws, part.shape, part.motion, *rest
        second = columns[1], b.screws, part.target, part.target_motion, *rest
        out[:, start : start + _BLOCK] = run_loop(body_loops("moving"), first, second, None)
    return read_rows(out, a.shape.dimension)


def measure_gaps(a: Shape, b: Shape, margin: float) -> Floats:
    """Lower bounds of the distances of n pairs of bodies, one of which is a sector.

    They are too small by up to a seventh of what lies beyond the margin.
    """
    n = a.count
    each, rest = _check.frozen(np.arange(n)), _check.frozen(np.zeros(n, np.int64))
    out = np.empty(n)
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        part, index = np.empty(len(each[rows])), _check.frozen(each[rows])
        behind = index, _check.frozen(rest[rows]), 0.0, margin, _make_stacks(len(part))
        sides = (_lay_out(a), AT_REST, *behind), (_lay_out(b), AT_REST, *behind)
        pairs = _check.frozen(np.stack([each[: len(part)]] * 2, axis=1))
        run(body_loops("distance").listed, *sides, pairs, 0, part, size=len(part))
        out[rows] = part
    return out


def _make_stacks(n: int) -> Floats:
    return np.empty((n, STACK_SIZE, 5))


def _lay_out(shape: Shape) -> Floats:
    """The columns that kernels read; bodies of the plane are flat ones of space."""
    return shape.columns("body3d" if type(shape) in (Sector2d, Sector3d) else "hull3d")


@functools.cache
def body_loops(question: str) -> Loops:
    """The loops of two bodies, one of which is a sector: `moving` or `distance`."""

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.pieces import distance, first_contact
        from ougi.kernels.pieces.records import load_moving_body3d

        is_moving = question == "moving"
        kernel = first_contact.find_contact_of_bodies if is_moving else distance.distance_of_bodies
        store = load.store_impact3d if is_moving else load.store_value
        return Parts(kernel, load_moving_body3d, load_moving_body3d, store)

    return Loops(f"{question}_body3d_body3d", find_parts)
