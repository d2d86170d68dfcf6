"""First contacts of listed pairs of bodies of many classes: one call for each two classes.

Chains and meshes have no kernels; they are asked one kind against another.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.impact import time_of_impact
from ougi.impact.listed import listed_impact
from ougi.query import intersects
from ougi.world.bodies import Roster, Scene


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
    nowhere = np.zeros((m, dimension))
    found = Firsts(pairs, np.zeros(m, np.int64), np.full(m, np.nan), nowhere, nowhere.copy())
    ordered, turned, known = _ordered(scene.roster, pairs)
    movers = functools.cache(functools.partial(scene.movers, seconds=seconds))
    for part in _parts(scene.roster.crowd, scene.roster.local, ordered, known):
        answer = listed_impact(movers(part.a), movers(part.b), part.local, tol)
        _write(found, part.rows, answer, turned[part.rows])
    kinds = scene.roster.kinds
    for part in _parts(scene.roster.kind, scene.roster.place, ordered, ~known):
        swap = not kinds[part.a].moves
        a, b, local = (part.b, part.a, part.local[:, ::-1]) if swap else (part.a, part.b, part.local)
        way = kinds[a].way(scene.time, seconds)
        assert way is not None  # one of the two moves
        other = kinds[b].way(scene.time, seconds)
        impact = time_of_impact(scene.shapes[a], way, scene.shapes[b], other, tol=tol, pairs=local)
        _write(found, part.rows, impact, turned[part.rows] ^ swap)
    return found


def touching(scene: Scene, pairs: Ints) -> Bools:
    """Which pairs of bodies touch at the scene's moment."""
    out = np.zeros(len(pairs), np.bool_)
    roster = scene.roster
    ordered, _, known = _ordered(roster, pairs)
    for part in _parts(roster.crowd, roster.local, ordered, known):
        out[part.rows] = intersects(scene.crowds[part.a], scene.crowds[part.b], pairs=part.local)
    for part in _parts(roster.kind, roster.place, ordered, ~known):
        out[part.rows] = intersects(scene.shapes[part.a], scene.shapes[part.b], pairs=part.local)
    return out


def _ordered(roster: Roster, pairs: Ints) -> tuple[Ints, Bools, Bools]:
    """Pairs in the order of what bodies are and do, where they changed places, and which have kernels.

    An answer does not depend on ids: rounding would differ.
    """
    turned: Bools = roster.order[pairs[:, 0]] > roster.order[pairs[:, 1]]
    ordered = np.where(turned[:, None], pairs[:, ::-1], pairs)
    i, j = roster.crowd[ordered.T]
    known: Bools = (i < roster.with_kernels) & (j < roster.with_kernels)
    return ordered, turned, known


class _Part(NamedTuple):
    """Pairs of two classes or kinds: which rows of the list, the two, and indices in them."""

    rows: Ints
    a: int
    b: int
    local: Ints


def _parts(label: Ints, place: Ints, pairs: Ints, chosen: Bools) -> Iterator[_Part]:
    """The chosen pairs by the labels of the two."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return
    labels = int(label[-1]) + 1  # they count upwards
    i, j = pairs[rows].T
    code = label[i] * labels + label[j]
    for each in np.flatnonzero(np.bincount(code)):
        some = rows[code == each]
        yield _Part(some, *divmod(int(each), labels), place[pairs[some]])


def _write(found: Firsts, rows: Ints, answer: Any, turned: Bools) -> None:
    found.status[rows], found.t[rows], found.point[rows] = answer.status, answer.t, answer.point
    found.normal[rows] = np.where(turned[:, None], -answer.normal, answer.normal)
