"""First contacts with half-spaces: by kernels, of two of them in closed form, of chains by advancement."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ougi._native import Loops, Parts
from ougi._typing import Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact.batches import MovingBatch, complete_contacts
from ougi.impact.contacts import make_free, read_rows
from ougi.impact.kernels import run_loop
from ougi.impact.pairing import PairIndex
from ougi.kernels.constants import FINEST_TOL
from ougi.motion import Chain, Motion, Translation2d, Translation3d
from ougi.query.dispatch import find_pair
from ougi.query.queries import separation
from ougi.results import FirstContacts, Status
from ougi.shapes import Box, HalfSpace, Rectangle, Sector2d, Sector3d, Shape


def is_supported(shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None) -> bool:
    """Is one of them a half-space, the other a body that has a distance from it, and neither on a chain?"""
    if not isinstance(shape, HalfSpace) and not isinstance(target, HalfSpace):
        return False
    find_pair("separation", "time_of_impact", type(shape), type(target))
    if isinstance(shape, HalfSpace) and isinstance(target, HalfSpace):
        for moves in (motion, target_motion):
            if moves is not None and not isinstance(moves, Translation2d | Translation3d):
                raise UnsupportedPairError(
                    f"time_of_impact of two half-spaces takes translations, got a {type(moves).__name__}: "
                    "half-spaces overlap as soon as their surfaces are not parallel; replace one by a "
                    f"{'Rectangle' if shape.dimension == 2 else 'Box'}"
                )
    return not isinstance(motion, Chain) and not isinstance(target_motion, Chain)


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
    if isinstance(shape, HalfSpace) and isinstance(target, HalfSpace):
        return _find_contacts_of_planes(shape, motion, target, target_motion, index, margin)
    is_plane = isinstance(shape, HalfSpace)
    body = target if is_plane else shape
    a, b = MovingBatch(shape, motion), MovingBatch(target, target_motion)
    rest = max(tol, FINEST_TOL), margin, -1.0 if is_plane else 1.0
    columns = [_lay_out(each) for each in (shape, target)]
    first = (columns[0], a.screws, index.shape, index.motion, *rest)
    second = (columns[1], b.screws, index.target, index.target_motion, *rest)
    if is_plane:
        first, second = second, first
    layout = "sector3d" if isinstance(body, Sector2d | Sector3d) else "hull3d"
    contacts = read_rows(run_loop(plane_loops(layout), first, second, None), shape.dimension)
    complete_contacts(contacts, a, b, index)
    return contacts


def _find_contacts_of_planes(
    shape: HalfSpace,
    motion: Any,
    target: HalfSpace,
    target_motion: Any,
    index: PairIndex,
    margin: float,
) -> FirstContacts:
    """Of half-spaces that are shifted: their distance is a linear function of time."""
    rises = [
        _compute_rise(shape, motion, index.shape, index.motion),
        _compute_rise(target, target_motion, index.target, index.target_motion),
    ]
    speed = rises[0] + rises[1]
    pairs = np.stack([index.shape, index.target], axis=-1)
    gap, normal, _, point = separation("time_of_impact", shape, target, pairs)
    near = gap <= margin
    late = np.divide(gap - margin, speed, out=np.full(len(gap), np.inf), where=~near & (speed > 0))
    t = np.where(near, 0.0, late)
    hit = t <= 1
    contacts = make_free(len(gap), shape.dimension)
    contacts.hit[:] = hit
    contacts.status[hit] = np.where(gap[hit] > 0, Status.HIT, Status.OVERLAPPING)
    contacts.t[hit], contacts.normal[hit] = t[hit], normal[hit]
    contacts.point[hit] = point[hit] - (rises[1][hit] * t[hit])[:, None] * normal[hit] + 0.0
    return contacts


def _compute_rise(plane: HalfSpace, motion: Any, rows: Ints, moving: Ints) -> Floats:
    """How far surfaces move along their normals."""
    if motion is None:
        return np.zeros(len(rows))
    d = plane.dimension
    rise: Floats = (plane.normal.reshape((-1, d))[rows] * motion.offset.reshape((-1, d))[moving]).sum(axis=-1)
    return rise


def _lay_out(shape: Shape) -> Floats:
    """The columns that kernels read; bodies of the plane are flat ones of space."""
    if isinstance(shape, HalfSpace):
        return shape.columns()
    return shape.columns("sector3d" if isinstance(shape, Sector2d | Sector3d) else "hull3d")


@functools.cache
def plane_loops(layout: str) -> Loops:
    """The loops of a moving body and a moving half-space."""
    kernel = f"{layout}_halfspace3d"

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.half_space.first_contact import KERNELS, LOADERS, load_moving_halfspace3d

        return Parts(KERNELS[kernel], LOADERS[layout], load_moving_halfspace3d, load.store_impact3d)

    return Loops(f"moving_{kernel}", find_parts)


# --- chains ---------------------------------------------------------------------------------------------


def bound_half_spaces(
    shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None
) -> tuple[Any, Any]:
    """Bodies on chains and, in place of half-spaces at rest, boxes that are as good.

    A box reaches farther along the plane, and deeper below it, than the body moves.
    """
    is_plane = isinstance(shape, HalfSpace)
    plane, path = (shape, target_motion) if is_plane else (target, motion)
    body: Any = target if is_plane else shape
    still = motion if is_plane else target_motion
    if still is not None and np.any(still.speed_bound(np.zeros(body.dimension), 1.0)):
        raise UnsupportedPairError(
            "time_of_impact of a body on a Chain and a half-space that moves is not supported; "
            "let the half-space rest, or replace it by a Box"
        )
    assert isinstance(plane, HalfSpace)
    center, radius = body._bounding_sphere()
    far = np.max(radius) + (0.0 if path is None else np.max(path.speed_bound(center, radius)))
    points = center.reshape((-1, body.dimension))
    far = 2.0 * (far + np.linalg.norm(points - points.mean(axis=0), axis=-1).max())
    box = _make_boxes(plane, points.mean(axis=0), far)
    return (box, target) if is_plane else (shape, box)


def _make_boxes(plane: Any, point: Floats, far: float) -> Any:
    """Boxes as wide as twice `far` about the foot of a point, and as deep, below the plane."""
    n = plane.normal
    height = (n * point).sum(axis=-1) - plane.offset
    reach = far + np.abs(height)
    center = point - (height + reach)[..., None] * n
    size = np.broadcast_to(2.0 * reach[..., None], center.shape)
    if plane.dimension == 2:
        return Rectangle(center, size, np.arctan2(n[..., 1], n[..., 0]))
    other = np.eye(3)[np.argmin(np.abs(n), axis=-1)]
    x = np.cross(other, n)
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return Box(center, size, np.stack([x, np.cross(n, x), n], axis=-1))
