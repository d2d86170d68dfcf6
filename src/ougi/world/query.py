"""Which bodies do shapes touch, at once or on their paths, while these bodies rest?"""

from __future__ import annotations

import numpy as np

from ougi._typing import Array, Floats, Ints
from ougi.broad import candidate_pairs
from ougi.errors import UnsupportedPairError
from ougi.impact import FirstContacts, Status, time_of_impact
from ougi.impact.contacts import make_free
from ougi.impact.tables import HULLS
from ougi.motion import Chain, Motion
from ougi.query import intersects
from ougi.query.queries import separation
from ougi.shapes import Aabb2d, Aabb3d, Compound, Shape
from ougi.sweeps.engines import sweep_bounds
from ougi.timeline import BodyGroup
from ougi.timeline.swept_boxes import TOLERANCE_GROWTH
from ougi.timeline.timeline import make_rest
from ougi.world.events import Hits


def find_hits(
    groups: list[BodyGroup], time: float, probe: Shape, motion: Motion | None, mask: int, tol: float
) -> Hits:
    """The bodies that probes (n,) touch where they are at a time: by probe, the earliest first."""
    swept = _sweep_bounds(probe, motion)
    none: Ints = np.empty(0, np.int64)
    parts = [(none, none, make_free(0, probe.dimension))]
    for group in groups:
        rows = np.flatnonzero(group.group & mask)
        if not len(rows):
            continue
        shape, _ = group.during(rows, np.full(len(rows), time), np.zeros(len(rows)))
        pairs = _find_near(swept, shape, tol)
        if not len(pairs):
            continue
        if motion is None:
            found = _find_overlaps(probe, shape, pairs, tol)
        else:
            found = time_of_impact(probe, motion, shape, tol=tol, pairs=pairs)
        chosen = np.flatnonzero(found.status)
        parts.append((group.body[rows[pairs[chosen, 1]]], pairs[chosen, 0], found[chosen]))
    body, number = (np.concatenate([part[k] for part in parts]) for k in range(2))
    names = ("status", "hit", "t", "point", "normal")
    columns: list[Array] = [np.concatenate([getattr(part[2], name) for part in parts]) for name in names]
    order = np.lexsort((body, columns[2], number))
    return Hits(*(column[order] for column in [*columns, body, number]))


def _sweep_bounds(probe: Shape, motion: Motion | None) -> tuple[Floats, Floats]:
    """Bounds of all that probes sweep over."""
    if motion is None:
        return probe._bounds()
    if isinstance(motion, Chain):
        return motion.path_bounds(*probe._bounding_sphere())
    if isinstance(probe, (*HULLS, Compound)):
        probe = probe.bounds()._turnable()
    return sweep_bounds(probe, motion)


def _find_near(swept: tuple[Floats, Floats], shape: Shape, tol: float) -> Ints:
    """Pairs of probes and shapes whose bounds meet, or do so up to the tolerance of first contacts."""
    low, high = shape._bounds()
    lower, upper = (np.atleast_2d(x) for x in swept)
    low, high = np.atleast_2d(low), np.atleast_2d(high)
    size = _measure_size(lower, upper) + 2 * _measure_size(low, high).max(initial=0.0)
    grow = TOLERANCE_GROWTH * tol * size
    box = Aabb2d if shape.dimension == 2 else Aabb3d
    probes = box._from_fields((len(lower),), {"lower": lower - grow, "upper": upper + grow})
    return candidate_pairs(probes, box._from_fields((len(low),), {"lower": low, "upper": high}))


def _measure_size(lower: Floats, upper: Floats) -> Floats:
    """(n, 1), the largest finite coordinate of boxes; half-spaces have infinite ones."""
    far = np.maximum(np.abs(lower), np.abs(upper))
    return np.asarray(np.where(np.isfinite(far), far, 0.0).max(axis=-1, keepdims=True))


def _find_overlaps(probe: Shape, shape: Shape, pairs: Ints, tol: float) -> FirstContacts:
    """Bodies that overlap probes now, as contacts at the start; sectors have no points."""
    try:
        overlap = intersects(probe, shape, pairs=pairs)
    except UnsupportedPairError:
        return time_of_impact(probe, make_rest(probe.dimension), shape, tol=tol, pairs=pairs)
    found = make_free(len(pairs), probe.dimension)
    found.status[overlap], found.hit[overlap], found.t[overlap] = Status.OVERLAPPING, True, 0.0
    measured: Ints = pairs[overlap]
    try:
        _, found.normal[overlap], first, second = separation("closest_points", probe, shape, measured)
    except UnsupportedPairError:
        return found
    found.point[overlap] = (first + second) / 2
    return found
