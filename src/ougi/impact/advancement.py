"""Certified advancement for what has no kernel: chains of motions, meshes, and fans.

Cases are advanced together, as arrays; those that are settled leave. Of meshes only those triangles are
advanced that may come together (`near_parts.py`), the earliest first, until a contact is known.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import sectors
from ougi.impact.batches import MovingBatch
from ougi.impact.batches import find_first_contacts as find_by_kernels
from ougi.impact.contacts import make_free, write_earlier
from ougi.impact.kernels import cylinder_loops
from ougi.impact.near_parts import list_near_parts, make_moving_parts
from ougi.impact.pairing import PairIndex
from ougi.impact.steps import MovingBalls, make_moving_balls, safe_step
from ougi.impact.tables import HULLS, LAYOUTS, describe_unsupported, is_cylinder
from ougi.kernels.constants import BAND
from ougi.motion import Chain, Motion
from ougi.motion.screws import embed_points
from ougi.query.dispatch import run_loops
from ougi.query.meshes import find_touching_rows, take_parts
from ougi.query.queries import separation
from ougi.query.trees import has_bodies
from ougi.results import FirstContacts, Status
from ougi.shapes import Aabb2d, Aabb3d, Mesh, Sector3d, Shape, Triangle3d

# How gaps of parts are measured: first contacts by kernels, separations (from cylinders: by kernels of their
# own), or of sectors: first contacts by their kernel, or distances of pieces.
Measure: TypeAlias = Literal["kernel", "separation", "cylinder", "sector", "pieces"]

# Distances of sectors are too small by at most a seventh.
_PIECES_SHARE = 6 / 7

# Steps after which a case is undecided. A body that slides along another at a gap of 1e-5 of its path takes
# about as many; each costs about 50 us for a small batch.
MAX_STEPS = 10_000

# Pairs of parts that are computed together, the earliest first: in the first wave, and in later ones at most.
_FIRST_WAVE, _WAVE = 64, 4096


def find_first_contacts(
    shape: Shape,
    motion: Motion,
    target: Shape,
    target_motion: Motion | None,
    index: PairIndex,
    tol: float,
    margin: float,
    measure: Measure,
) -> FirstContacts:
    """First contacts of listed pairs by certified advancement; see `engine.run`."""
    a, b = make_turnable(shape), make_turnable(target)
    query = _AdvancementQuery(a, motion, b, target_motion, index, tol, margin, measure)
    if isinstance(a, Mesh) or isinstance(b, Mesh):
        return _search_parts(query)
    return query.solve(_all_parts(query), None)


def make_turnable(shape: Shape) -> Shape:
    """The shape, or a box that can be turned for one that is aligned with the axes."""
    return shape._turnable() if isinstance(shape, Aabb2d | Aabb3d) else shape


# --- how two convex bodies or fans are measured ---------------------------------------------------------


def _part(shape: Shape) -> type[Shape]:
    """What a body is made of: a mesh of triangles."""
    return Triangle3d if isinstance(shape, Mesh) else type(shape)


def choose_measure(a: Shape, motion: Motion, b: Shape, other: Motion | None) -> Measure:
    """How gaps between parts of two bodies are measured; refuses pairs without a distance."""
    types = _part(make_turnable(a)), _part(make_turnable(b))
    thick = [shape for shape in (a, b) if isinstance(shape, Sector3d)]
    are_known = all(map(is_cylinder, thick)) and all(cls in LAYOUTS for cls in types)
    if are_known and a.dimension == b.dimension:
        if not isinstance(motion, Chain) and not isinstance(other, Chain):
            return "kernel"
        return "cylinder" if thick else "separation"
    are_convex = all(cls in (*LAYOUTS, *HULLS) and cls is not Sector3d for cls in types)
    if a.dimension == b.dimension and are_convex:
        return "separation"
    if not sectors.has_pieces(*types):
        raise UnsupportedPairError(describe_unsupported(*types))
    return "pieces" if isinstance(motion, Chain) or isinstance(other, Chain) else "sector"


def _measure_gaps(measure: Measure, a: Shape, b: Shape, margin: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """Gaps, normals from a to b, and points of b.

    Normals and points are NaN for sectors, and for cylinders that overlap.
    """
    if measure == "separation":
        gap, normal, _, point = separation("time_of_impact", a, b, None)
        return gap, normal, point
    if measure == "pieces":
        nowhere = np.full((a.count, a.dimension), np.nan)
        return sectors.measure_gaps(a, b, margin), nowhere, nowhere
    swapped = isinstance(a, Sector3d)
    x, y = (b, a) if swapped else (a, b)
    layout = LAYOUTS[type(x)]
    rows = run_loops(cylinder_loops(layout), (layout, "cylinder"), x, y, None, 10, np.float64)
    rows[1:, rows[0] <= 0] = np.nan
    normal, mine, other = (rows[k : k + 3].T for k in (1, 4, 7))
    return rows[0], -normal if swapped else normal, mine if swapped else other


# --- bodies without trees -------------------------------------------------------------------------------


class _PartPairs(NamedTuple):
    """Which pairs of parts are measured: the case, and the row of a tree on either side, if it has one."""

    case: Ints
    a: Ints
    b: Ints


class _AdvancementQuery(NamedTuple):
    """Bodies, motions, pairs, tolerances and the measure of gaps."""

    a: Shape
    motion: Motion
    b: Shape
    target_motion: Motion | None
    pairs: PairIndex
    tol: float
    margin: float
    measure: Measure

    def bodies(self, parts: _PartPairs) -> tuple[Shape, Shape]:
        """The bodies, or triangles of them, of each pair of parts."""
        return (
            take_parts(self.a, parts.a if isinstance(self.a, Mesh) else self.pairs.shape[parts.case]),
            take_parts(self.b, parts.b if isinstance(self.b, Mesh) else self.pairs.target[parts.case]),
        )

    def moving_balls(self, case: Ints, balls: Any) -> tuple[MovingBalls, MovingBalls]:
        """Moving balls; `balls` are centers and radii of both sides."""
        (center_a, radius_a), (center_b, radius_b) = balls
        return (
            make_moving_balls(self.motion, self.pairs.motion[case], center_a, radius_a),
            make_moving_balls(self.target_motion, self.pairs.target_motion[case], center_b, radius_b),
        )

    def solve(self, parts: _PartPairs, t: Any) -> FirstContacts:
        """First contacts of pairs of parts that are free until t."""
        a, b = self.bodies(parts)
        if self.measure in ("kernel", "sector"):
            each = np.arange(len(parts.case))
            motions = self.pairs.motion[parts.case], self.pairs.target_motion[parts.case]
            pairs = PairIndex(each, motions[0], each, motions[1]).take(slice(None))
            movers = MovingBatch(a, self.motion), MovingBatch(b, self.target_motion)
            find = find_by_kernels if self.measure == "kernel" else sectors.find_first_contacts
            return find(*movers, pairs, self.tol, self.margin)
        balls = self.moving_balls(parts.case, [a._bounding_sphere(), b._bounding_sphere()])
        return _advance(self, a, b, balls, np.zeros(a.count) if t is None else t.copy())


def _all_parts(query: _AdvancementQuery) -> _PartPairs:
    case = np.arange(len(query.pairs.shape))
    return _PartPairs(case, np.zeros_like(case), np.zeros_like(case))


def _advance(
    query: _AdvancementQuery, a: Shape, b: Shape, balls: tuple[MovingBalls, MovingBalls], t: Floats
) -> FirstContacts:
    """Conservative advancement of n pairs of bodies from times t on."""
    impact = make_free(len(t), query.b.dimension)
    band = BAND * (balls[0].coordinates() + balls[1].coordinates())
    tol = (_PIECES_SHARE if query.measure == "pieces" else 1.0) * query.tol
    slack = np.maximum(0.5 * tol * (balls[0].scale() + balls[1].scale()), band)
    left = np.arange(len(t))
    for count in range(MAX_STEPS):
        if not len(left):
            break
        one, two = balls[0].take(left), balls[1].take(left)
        now = one.at(t[left]), two.at(t[left])
        body = a[left]._transformed(one.pose(now[0], a.dimension))
        other = b[left]._transformed(two.pose(now[1], b.dimension))
        gap, normal, point = _measure_gaps(query.measure, body, other, query.margin)
        touching = gap - query.margin <= 2 * slack[left]
        first = (gap <= band[left]) & (t[left] == 0) & (count == 0)
        _write_contacts(
            impact, left, np.where(first, Status.OVERLAPPING, Status.HIT), t, normal, point, touching
        )
        keep = np.flatnonzero(~touching)
        left, one, two = left[keep], one.take(keep), two.take(keep)
        now = _rows(now[0], keep), _rows(now[1], keep)
        usable = gap[keep] - query.margin - slack[left]
        step = safe_step(one, two, now, t[left], usable, _in_space(normal[keep]))
        stuck = t[left] + step == t[left]
        _mark_undecided(impact, left[stuck], t)
        t[left] += step
        left = left[~stuck & (t[left] < 1.0)]
    _mark_undecided(impact, left, t)
    return impact


def _rows(state: Any, index: Ints) -> Any:
    return type(state)(*(x[index] for x in state))


def _in_space(normal: Floats) -> Floats:
    return normal if normal.shape[-1] == 3 else embed_points(normal)


def _write_contacts(
    impact: FirstContacts, left: Ints, status: Ints, t: Floats, normal: Floats, point: Floats, which: Bools
) -> None:
    """Write the contacts of selected cases."""
    found = left[which]
    impact.status[found], impact.hit[found], impact.t[found] = status[which], True, t[found]
    impact.point[found], impact.normal[found] = point[which], normal[which]


def _mark_undecided(impact: FirstContacts, cases: Ints, t: Floats) -> None:
    impact.status[cases], impact.t[cases] = Status.UNDECIDED, t[cases]


# --- meshes ---------------------------------------------------------------------------------------------


def _search_parts(query: _AdvancementQuery) -> FirstContacts:
    """First contacts where one body or both are meshes: of parts that may come together, by time."""
    n = len(query.pairs.shape)
    best = make_free(n, query.b.dimension)
    until = np.ones(n)  # the end, or the first contact found so far
    if all(isinstance(x, Mesh) or has_bodies(x) for x in (query.a, query.b)):  # where it is quick to find
        _write_overlaps(query, best, until, np.arange(n))
    parts, t = _list_parts(query, np.flatnonzero(best.status == Status.FREE))
    left, size = np.argsort(t, kind="stable"), _FIRST_WAVE
    while len(left):
        wave, left = left[:size], left[size:]
        chosen = _PartPairs(*(x[wave] for x in parts))
        write_earlier(best, until, chosen.case, query.solve(chosen, t[wave]))
        left, size = left[t[left] < until[parts.case[left]]], min(2 * size, _WAVE)
    # Parts within the margin at the start end the search before those that touch are found.
    _write_overlaps(query, best, until, np.flatnonzero((best.status == Status.HIT) & (best.t == 0)))
    return best


def _write_overlaps(query: _AdvancementQuery, best: FirstContacts, until: Floats, cases: Ints) -> None:
    """Write the cases in which two parts touch at the start."""
    overlapping = _find_overlapping(query, cases)
    if len(overlapping.case):
        found = query.solve(overlapping, np.zeros(len(overlapping.case)))
        certain = found.status == Status.OVERLAPPING
        write_earlier(best, until, overlapping.case[certain], found[certain])


def _find_overlapping(query: _AdvancementQuery, cases: Ints) -> _PartPairs:
    """Two parts that touch at the start, of all cases that have them."""
    index = np.stack([query.pairs.shape[cases], query.pairs.target[cases]], axis=1)
    for k, shape in enumerate((query.a, query.b)):
        if isinstance(shape, Mesh):
            index[:, k] = 0
    rows = find_touching_rows(query.a, query.b, index)
    touching = np.flatnonzero(rows[:, 0] >= 0)
    return _PartPairs(cases[touching], *rows[touching].T)


def _list_parts(query: _AdvancementQuery, cases: Ints) -> tuple[_PartPairs, Floats]:
    """The parts that may come together in these cases, and until when they are apart."""
    pairs, made = query.pairs, {}
    exact = isinstance(query.a, Mesh) and isinstance(query.b, Mesh)
    columns: list[list[Any]] = [[np.empty(0, np.int64)] for _ in range(3)]
    times = [np.empty(0)]
    for case in cases.tolist():
        sides = []
        for k, (shape, motion, body, move) in enumerate(
            (
                (query.a, query.motion, pairs.shape, pairs.motion),
                (query.b, query.target_motion, pairs.target, pairs.target_motion),
            )
        ):
            key = k, 0 if isinstance(shape, Mesh) else int(body[case]), int(move[case])
            if key not in made:
                made[key] = make_moving_parts(shape, key[1], motion, key[2])
            sides.append(made[key])
        near = list_near_parts(sides[0], sides[1], query.tol, query.margin, exact=exact)
        for column, rows in zip(columns, (np.full(len(near.t), case), near.a, near.b), strict=True):
            column.append(rows)
        times.append(near.t)
    return _PartPairs(*map(np.concatenate, columns)), np.concatenate(times)
