"""First contacts of hulls, polygons, cylinders, cones and ellipsoids with convex bodies, by kernels."""

from __future__ import annotations

import functools

from ougi._native import Loops, Parts
from ougi._typing import Record
from ougi.impact.batches import MovingBatch, complete_contacts
from ougi.impact.contacts import read_rows
from ougi.impact.kernels import run_loop
from ougi.impact.pairing import PairIndex
from ougi.impact.tables import HULLS, LAYOUTS, SOLIDS
from ougi.kernels.constants import FINEST_TOL
from ougi.motion import Chain, Motion
from ougi.results import FirstContacts
from ougi.shapes import Sector3d, Shape


def has_hull(shape: Shape, motion: Motion | None) -> bool:
    """Can a body of this class that moves like this (None: at rest) be laid out as a moving hull?"""
    cls = type(shape)
    known = cls in HULLS or cls in SOLIDS or (cls in LAYOUTS and not isinstance(shape, Sector3d))
    return known and not isinstance(motion, Chain)


def is_supported(shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None) -> bool:
    """Is one of them a hull, polygon, cone or ellipsoid, and can both be laid out as moving hulls?"""
    return (
        (type(shape) in HULLS or type(target) in HULLS)
        and has_hull(shape, motion)
        and has_hull(target, target_motion)
        and shape.dimension == target.dimension
    )


def choose_layout(dimension: int, is_solid: bool) -> str:
    """How a pair is laid out, of which a body may be a cylinder, cone or ellipsoid."""
    return "polygon2d" if dimension == 2 else "solid3d" if is_solid else "hull3d"


def find_first_contacts(
    shape: Shape,
    motion: Motion,
    target: Shape,
    target_motion: Motion | None,
    index: PairIndex,
    tol: float,
    margin: float,
) -> FirstContacts:
    """First contacts of listed pairs; normals lead from the shape to the target."""
    a, b = MovingBatch(shape, motion), MovingBatch(target, target_motion)
    first = shape.columns("hull3d"), a.screws, index.shape, index.motion
    second = target.columns("hull3d"), b.screws, index.target, index.target_motion
    layout = choose_layout(shape.dimension, type(shape) in SOLIDS or type(target) in SOLIDS)
    contacts = run_hulls(layout, first, second, tol, margin)
    complete_contacts(contacts, a, b, index)
    return contacts


def run_hulls(layout: str, first: Record, second: Record, tol: float, margin: float) -> FirstContacts:
    """First contacts of two operands: columns of shapes and motions, and an index into each."""
    rest = max(tol, FINEST_TOL), margin, 1.0
    out = run_loop(hull_loops(layout), (*first, *rest), (*second, *rest), None)
    return read_rows(out, 2 if layout == "polygon2d" else 3)


@functools.cache
def hull_loops(layout: str) -> Loops:
    """The loops of two moving hulls, polygons or solids: `hull3d`, `polygon2d` or `solid3d`."""
    kernel = f"{layout}_{layout}"

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.impact.convex.hull3d_hull3d import KERNELS, load_moving_hull3d

        return Parts(KERNELS[kernel], load_moving_hull3d, load_moving_hull3d, load.store_impact3d)

    return Loops(f"moving_{kernel}", find_parts)
