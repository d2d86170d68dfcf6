"""First contacts of sectors with all bounded shapes but meshes, by convex pieces (`kernels/pieces`)."""

from __future__ import annotations

import functools

import numpy as np

from ougi import _check
from ougi._native import Loops, Parts, run
from ougi._typing import Floats, Loop
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
    return _measure("distance", _lay_out(a), _lay_out(b), margin)


def measure_depths(a: Shape, b: Shape) -> Floats:
    """Lower bounds of the depths of n pairs of bodies, one of which is a sector; 0 if they are apart.

    Depths below 1e-6 of the thickness of the sector are 0, and all of a flat sector of space.
    """
    a, b = (a, b) if isinstance(a, Sector2d | Sector3d) else (b, a)
    columns = _lay_out(a).copy()
    outer, inner, half_height = columns[12:15]
    columns[15] = 0.4 * (outer - inner)
    if a.dimension == 3:
        columns[15] = np.minimum(columns[15], 0.8 * half_height)
    return _measure("depth", _check.frozen(columns), _lay_out(b), 0.0)


def _measure(question: str, a: Floats, b: Floats, margin: float) -> Floats:
    out = np.empty(a.shape[1])
    for start in range(0, len(out), _BLOCK):
        part = out[start : start + _BLOCK]
        each, rest = np.arange(len(part)), np.zeros(len(part), np.int64)
        behind = _check.frozen(start + each), _check.frozen(rest), 0.0, margin, _make_stacks(len(part))
        sides = (a, AT_REST, *behind), (b, AT_REST, *behind)
        pairs = _check.frozen(np.stack([each, each], axis=1))
        run(body_loops(question).listed, *sides, pairs, 0, part, size=len(part))
    return out


def _make_stacks(n: int) -> Floats:
    return np.empty((n, STACK_SIZE, 5))


def _lay_out(shape: Shape) -> Floats:
    """The columns that kernels read; bodies of the plane are flat ones of space."""
    return shape.columns("body3d" if type(shape) in (Sector2d, Sector3d) else "hull3d")


@functools.cache
def body_loops(question: str) -> Loops:
    """The loops of two bodies, one of which is a sector: `moving`, `distance` or `depth`."""

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.pieces import distance, first_contact
        from ougi.kernels.pieces.records import load_moving_body3d

        kernels: dict[str, Loop] = {
            "moving": first_contact.find_contact_of_bodies,
            "distance": distance.distance_of_bodies,
            "depth": distance.depth_of_bodies,
        }
        store = load.store_impact3d if question == "moving" else load.store_value
        return Parts(kernels[question], load_moving_body3d, load_moving_body3d, store)

    return Loops(f"{question}_body3d_body3d", find_parts)
