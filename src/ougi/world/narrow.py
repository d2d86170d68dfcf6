"""First contacts of listed pairs of bodies of many classes: one call for each two classes.

Chains and meshes have no kernels; they are asked one kind against another.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.impact.engine import plan, run
from ougi.impact.kernels import find_first_contacts
from ougi.impact.pairing import PairIndex, resolve_pairs
from ougi.motion import Motion, Translation2d, Translation3d
from ougi.query import intersects
from ougi.world.bodies import Roster, Scene


@dataclass(frozen=True, eq=False)
class Firsts:
    """First contacts, one row for each pair; normals lead from the first body to the second."""

    pairs: Ints
    status: Ints
    t: Floats
    point: Floats
    normal: Floats

    def taken(self, rows: Ints) -> Firsts:
        """Some of them."""
        return Firsts(*(field[rows] for field in vars(self).values()))


def first_contacts(scene: Scene, pairs: Ints, seconds: float, tol: float, dimension: int) -> Firsts:
    """When the bodies in these rows (m, 2) of the scene first touch, t in [0, 1] of so many seconds.

    Those that do not are left out; the order is that of the classes.
    """
    ordered = _sorted(scene.roster, pairs)
    m = len(pairs)
    nowhere = np.empty((m, dimension))
    found = Firsts(pairs[ordered.row], np.empty(m, np.int64), np.empty(m), nowhere, nowhere.copy())
    movers = functools.cache(functools.partial(scene.movers, seconds=seconds))
    kinds = scene.roster.kinds
    for part in ordered.parts():
        answer: Any
        if part.has_kernels:
            swap = False
            i, j = (_check.frozen(np.ascontiguousarray(part.local[:, k])) for k in (0, 1))
            answer = find_first_contacts(movers(part.a), movers(part.b), PairIndex(i, i, j, j), tol, 0.0)
        else:
            swap = not kinds[part.a].moves
            a, b, local = (part.b, part.a, part.local[:, ::-1]) if swap else part[:3]
            way = kinds[a].way(scene.time, seconds)
            way = _at_rest(dimension) if way is None else way
            other = kinds[b].way(scene.time, seconds)
            shapes = scene.shapes[a], scene.shapes[b]
            _, index = resolve_pairs(shapes[0], way, shapes[1], other, local)
            answer = run(
                plan(shapes[0], way, shapes[1], other), shapes[0], way, shapes[1], other, index, tol, 0.0
            )
        rows = part.rows
        found.status[rows], found.t[rows], found.point[rows] = answer.status, answer.t, answer.point
        turned = part.turned ^ swap
        found.normal[rows] = answer.normal * np.where(turned, -1.0, 1.0)[:, None]
    return found.taken(np.flatnonzero(found.status > 0))


def _at_rest(dimension: int) -> Motion:
    return Translation2d([0.0, 0.0]) if dimension == 2 else Translation3d([0.0, 0.0, 0.0])


def touching(scene: Scene, pairs: Ints) -> Bools:
    """Which pairs of bodies touch at the scene's moment."""
    ordered = _sorted(scene.roster, pairs)
    out = np.empty(len(pairs), np.bool_)
    for part in ordered.parts():
        shapes = scene.crowds if part.has_kernels else scene.shapes
        out[ordered.row[part.rows]] = intersects(shapes[part.a], shapes[part.b], pairs=part.local)
    return out


class _Part(NamedTuple):
    """Pairs of two crowds, or else of two kinds: which they are, indices in them, rows of the sorted list.

    `turned` says where the first body of the list's pair is the second here.
    """

    a: int
    b: int
    local: Ints
    rows: slice
    turned: Bools
    has_kernels: bool


class _Sorted(NamedTuple):
    """Pairs sorted by their classes: which `row` of the given ones each was, and in what order it is asked.

    That is the order of what bodies are and do, not of ids: rounding would differ. `code` tells the classes.
    """

    roster: Roster
    row: Ints
    ordered: Ints
    turned: Bools
    code: Ints

    def parts(self) -> Iterator[_Part]:
        """Pairs of two classes at a time."""
        edges = np.flatnonzero(np.diff(self.code, prepend=-1, append=-1))
        labels = len(self.roster.kinds) + 1
        for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            rows = slice(start, stop)
            a, b = divmod(int(self.code[start]), labels)
            has_kernels = a < labels * labels
            place = self.roster.local if has_kernels else self.roster.place
            yield _Part(
                a % (labels * labels), b, place[self.ordered[rows]], rows, self.turned[rows], has_kernels
            )


def _sorted(roster: Roster, pairs: Ints) -> _Sorted:
    i, j = pairs.T
    turned = roster.order[i] > roster.order[j]
    i, j = np.where(turned, j, i), np.where(turned, i, j)
    labels = len(roster.kinds) + 1
    code = roster.crowd[i] * labels + roster.crowd[j]
    alone = (roster.crowd[i] >= roster.with_kernels) | (roster.crowd[j] >= roster.with_kernels)
    if alone.any():
        # By kinds, and behind the others.
        code[alone] = (labels**2 + roster.kind[i[alone]]) * labels + roster.kind[j[alone]]
    # Short numbers are sorted by their digits, seven times as fast.
    short = labels * labels <= np.iinfo(np.int16).max and not alone.any()
    order = np.argsort(code.astype(np.int16) if short else code, kind="stable")
    ordered = np.stack([i[order], j[order]], axis=-1)
    return _Sorted(roster, order, ordered, turned[order], code[order])
