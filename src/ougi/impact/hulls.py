"""First contacts of hulls, polygons, cones and ellipsoids with all convex bodies, by kernels."""

from __future__ import annotations

import functools

from ougi._native import Loops, Parts
from ougi.impact.batches import MovingBatch, complete_contacts
from ougi.impact.contacts import read_rows
from ougi.impact.kernels import run_loop
from ougi.impact.pairing import PairIndex
from ougi.impact.tables import HULLS, LAYOUTS, SOLIDS
from ougi.kernels.constants import FINEST_TOL
from ougi.motion import Chain, Motion
from ougi.results import FirstContacts
from ougi.shapes import Sector3d, Shape


def is_supported(shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None) -> bool:
    """Is one of them such a class, the other convex, and does neither move by a chain?"""
    classes = type(shape), type(target)
    return (
        any(cls in HULLS for cls in classes)
        and all(cls in HULLS or (cls in LAYOUTS and cls is not Sector3d) for cls in classes)
        and shape.dimension == target.dimension
        and not isinstance(motion, Chain)
        and not isinstance(target_motion, Chain)
    )


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
    rest = max(tol, FINEST_TOL), margin, 1.0
    first = (shape.columns("hull3d"), a.screws, index.shape, index.motion, *rest)
    second = (target.columns("hull3d"), b.screws, index.target, index.target_motion, *rest)
    layout = "solid3d" if type(shape) in SOLIDS or type(target) in SOLIDS else "hull3d"
    made = hull_loops(layout if shape.dimension == 3 else "polygon2d")
    contacts = read_rows(run_loop(made, first, second, None), shape.dimension)
    complete_contacts(contacts, a, b, index)
    return contacts


@functools.cache
def hull_loops(layout: str) -> Loops:
    """The loops of two moving hulls, polygons or solids: `hull3d`, `polygon2d` or `solid3d`."""
    kernel = f"{layout}_{layout}"

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.impact.hull3d_hull3d import KERNELS, load_moving_hull3d

        return Parts(KERNELS[kernel], load_moving_hull3d, load_moving_hull3d, load.store_impact3d)

    return Loops(f"moving_{kernel}", find_parts)
