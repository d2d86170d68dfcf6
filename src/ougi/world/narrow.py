"""First contacts of listed pairs of bodies of many classes: one call for each two kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.impact import time_of_impact
from ougi.query import intersects
from ougi.world.bodies import Scene


@dataclass(frozen=True, eq=False)
class Firsts:
    """First contacts, one row for each pair: as in `Impact`, normals from the first body to the second."""

    pairs: Ints
    status: Ints
    t: Floats
    point: Floats
    normal: Floats


def first_contacts(scene: Scene, pairs: Ints, seconds: float, tol: float, dimension: int) -> Firsts:
    """When the bodies in these rows (m, 2) of the scene first touch, t in [0, 1] of so many seconds."""
    m = len(pairs)
    found = Firsts(
        pairs, np.zeros(m, np.int64), np.full(m, np.nan), np.zeros((m, dimension)), np.zeros((m, dimension))
    )
    motions = scene.motions(seconds)
    for rows, a, b, local, turned in _by_kinds(scene, pairs):
        way = motions[a]
        assert way is not None  # moving kinds come first, and one of the two moves
        impact = time_of_impact(scene.shapes[a], way, scene.shapes[b], motions[b], tol=tol, pairs=local)
        found.status[rows], found.t[rows] = impact.status, impact.t
        found.point[rows] = impact.point
        found.normal[rows] = np.where(turned[:, None], -impact.normal, impact.normal)
    return found


def touching(scene: Scene, pairs: Ints) -> Bools:
    """Which pairs of bodies touch at the scene's moment."""
    out = np.zeros(len(pairs), np.bool_)
    for rows, a, b, local, _ in _by_kinds(scene, pairs):
        out[rows] = intersects(scene.shapes[a], scene.shapes[b], pairs=local)
    return out


def _by_kinds(scene: Scene, pairs: Ints) -> Iterator[tuple[Any, int, int, Ints, Bools]]:
    """Pairs in groups of two kinds: which rows, the kinds, indices in them, and where the two change places.

    The bodies' order is that of kinds and ranks, so that an answer does not depend on ids: rounding would
    differ. Moving kinds come first.
    """
    if not len(pairs):
        return
    order = scene.kind * np.int64(len(scene.ids)) + scene.rank
    turned = order[pairs[:, 0]] > order[pairs[:, 1]]
    ordered = np.where(turned[:, None], pairs[:, ::-1], pairs)
    code = scene.kind[ordered[:, 0]] * len(scene.kinds) + scene.kind[ordered[:, 1]]
    for each in np.unique(code):
        rows = np.flatnonzero(code == each)
        a, b = divmod(int(each), len(scene.kinds))
        yield rows, a, b, scene.local[ordered[rows]], turned[rows]
