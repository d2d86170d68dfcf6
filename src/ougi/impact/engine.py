"""How a first contact is computed: `plan` chooses the engine, `run` computes. Every front end calls these.

Nothing is checked here: shapes, motions, tolerances and indices come checked from the front ends.
"""

from __future__ import annotations

import enum
import itertools
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools
from ougi.impact import advancement, half_spaces, hulls, radar, sectors
from ougi.impact.batches import MovingBatch, find_first_contacts
from ougi.impact.contacts import make_free, write_earlier
from ougi.impact.pairing import PairIndex
from ougi.impact.tables import LAYOUTS, Method, find, is_cylinder
from ougi.motion import Chain, Motion
from ougi.query.compounds import find_enclosed_by_polygons
from ougi.query.inside import find_enclosed
from ougi.results import FirstContacts, Status
from ougi.shapes import Compound, HalfSpace, Sector3d, Shape
from ougi.shapes.compound import split_parts


class Engine(enum.StrEnum):
    """What computes a first contact."""

    ONE_MOVER = "kernel with one mover"
    TWO_MOVERS = "kernel with two movers"
    HULLS = "kernel of hulls"
    HALF_SPACES = "kernel of half-spaces"
    SECTORS = "kernel of sectors"
    RADAR = "radar"
    ADVANCEMENT = "certified advancement"
    PARTS = "the engines of its parts"

    @property
    def is_kernel(self) -> bool:
        """Is it a kernel of one layout for each class?"""
        return self in (Engine.ONE_MOVER, Engine.TWO_MOVERS)

    @property
    def label(self) -> str:
        """Its name in reports: kernel, radar, advancement or parts."""
        return "kernel" if self.startswith("kernel") else self.split()[-1]


class Plan(NamedTuple):
    """The engine for a pair of batches, and for advancement how it measures gaps.

    Compounds have a plan for each two classes of their parts.
    """

    engine: Engine
    measure: advancement.Measure | None = None
    parts: tuple[Plan, ...] = ()


def plan(
    shape: Shape,
    motion: Motion,
    target: Shape,
    target_motion: Motion | None,
    margin: float = 0.0,
    method: Method = "auto",
) -> Plan:
    """Choose the engine by the classes of shapes and motions.

    Kernels know convex shapes, hulls, half-spaces and sectors that move by one screw. The radar knows meshes,
    boxes and triangles that move by one screw relative to each other, without a margin. Everything else is
    advanced, if it has a distance.

    Raises
    ------
    UnsupportedPairError
        If there is no engine for the pair.
    """
    if isinstance(shape, Compound) or isinstance(target, Compound):
        pairs = itertools.product(split_parts(shape), split_parts(target))
        plans = (plan(x.shape, motion, y.shape, target_motion, margin, method) for x, y in pairs)
        return Plan(Engine.PARTS, None, tuple(plans))
    if isinstance(shape, HalfSpace) or isinstance(target, HalfSpace):
        if half_spaces.is_supported(shape, motion, target, target_motion):
            return Plan(Engine.HALF_SPACES)
        shape, target = half_spaces.bound_half_spaces(shape, motion, target, target_motion)
        return _plan_advancement(shape, motion, target, target_motion)
    if method == "advancement":
        return _plan_advancement(shape, motion, target, target_motion)
    if has_kernel(shape, motion) and has_kernel(target, target_motion):
        find(type(shape), type(target))  # refuses shapes of two dimensions
        return Plan(Engine.ONE_MOVER if target_motion is None else Engine.TWO_MOVERS)
    if hulls.is_supported(shape, motion, target, target_motion):
        return Plan(Engine.HULLS)
    if sectors.is_supported(shape, motion, target, target_motion):
        return Plan(Engine.SECTORS)
    if margin == 0 and radar.is_supported(shape, motion, target, target_motion):
        return Plan(Engine.RADAR)
    return _plan_advancement(shape, motion, target, target_motion)


def _plan_advancement(shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None) -> Plan:
    return Plan(Engine.ADVANCEMENT, advancement.choose_measure(shape, motion, target, target_motion))


def has_kernel(shape: Shape, motion: Motion | None) -> bool:
    """Do kernels know a body of this class that moves like this (None: at rest)?"""
    if isinstance(motion, Chain) or (isinstance(shape, Sector3d) and not is_cylinder(shape)):
        return False
    return type(shape) in LAYOUTS


def run(
    plan: Plan,
    shape: Shape,
    motion: Motion,
    target: Shape,
    target_motion: Motion | None,
    index: PairIndex,
    tol: float,
    margin: float,
    *,
    complete: bool = True,
) -> FirstContacts:
    """The first contacts of listed pairs, one row each; normals lead from the shape to the target.

    Without `complete`, kernels leave points and normals of bodies that overlap at the start NaN.
    """
    if plan.engine is Engine.PARTS:
        return _run_parts(plan, shape, motion, target, target_motion, index, tol, margin)
    if plan.engine.is_kernel:
        a, b = MovingBatch(shape, motion), MovingBatch(target, target_motion)
        return find_first_contacts(a, b, index, tol, margin, complete=complete)
    if plan.engine is Engine.HULLS:
        return hulls.find_first_contacts(shape, motion, target, target_motion, index, tol, margin)
    if plan.engine is Engine.HALF_SPACES:
        return half_spaces.find_first_contacts(shape, motion, target, target_motion, index, tol, margin)
    if plan.engine is Engine.SECTORS:
        a, b = MovingBatch(shape, motion), MovingBatch(target, target_motion)
        return sectors.find_first_contacts(a, b, index, tol, margin)
    if isinstance(shape, HalfSpace) or isinstance(target, HalfSpace):
        shape, target = half_spaces.bound_half_spaces(shape, motion, target, target_motion)
    if plan.engine is Engine.RADAR:
        contacts = radar.find_first_contacts(shape, motion, target, target_motion, index, tol)
    else:
        assert plan.measure is not None
        contacts = advancement.find_first_contacts(
            shape, motion, target, target_motion, index, tol, margin, plan.measure
        )
    enclosed = find_enclosed(shape, target, np.stack([index.shape, index.target], axis=-1))
    _mark_overlapping(contacts, enclosed & (contacts.status != Status.OVERLAPPING))
    return contacts


def _run_parts(
    plan: Plan,
    shape: Shape,
    motion: Motion,
    target: Shape,
    target_motion: Motion | None,
    index: PairIndex,
    tol: float,
    margin: float,
) -> FirstContacts:
    """The earliest contact of all parts of each pair."""
    bodies = np.stack([index.shape, index.target], axis=-1)
    best, until = make_free(len(bodies), shape.dimension), np.ones(len(bodies))
    pairs = itertools.product(split_parts(shape), split_parts(target))
    for part, (x, y) in zip(plan.parts, pairs, strict=True):
        case, listed = x.pair(y, bodies)
        mine, theirs = np.ascontiguousarray(listed.T)
        rows = PairIndex(mine, index.motion[case], theirs, index.target_motion[case]).take(slice(None))
        found = run(part, x.shape, motion, y.shape, target_motion, rows, tol, margin)
        write_earlier(best, until, case, found)
    enclosed = find_enclosed_by_polygons(shape, target, bodies)
    _mark_overlapping(best, enclosed & (best.status != Status.OVERLAPPING))
    return best


def _mark_overlapping(contacts: FirstContacts, rows: Bools) -> None:
    """Write overlaps at the start; their points and normals are unknown."""
    contacts.status[rows], contacts.hit[rows], contacts.t[rows] = Status.OVERLAPPING, True, 0.0
    contacts.point[rows] = contacts.normal[rows] = np.nan
