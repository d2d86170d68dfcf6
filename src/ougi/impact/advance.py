"""Certified advancement for what has no kernel: chains of motions, meshes, and fans.

Cases are advanced together, as arrays; those that are settled leave. A mesh is descended by its tree of
balls: two balls that keep apart until the end, or until the first contact known, settle all that they hold.
"""

from __future__ import annotations

import functools
import math
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._jit import Loops, loops
from ougi._typing import Bools, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import Impact, _entries, _index, screw_impact
from ougi.impact._steps import Ride, ride, safe_step
from ougi.impact._tables import LAYOUTS
from ougi.motion import Chain, Motion
from ougi.motion.screws import lifted
from ougi.query import _separation, distance
from ougi.query._dispatch import filled
from ougi.query._dispatch import find as find_query
from ougi.query._meshes import Side, picked, side_of, split
from ougi.shapes import Aabb2d, Aabb3d, Box, Mesh, Rectangle, Sector3d, Shape, Sphere, Triangle3d, as_shape

__all__ = ["advance"]

FREE, HIT, OVERLAPPING, UNDECIDED = 0, 1, 2, 3

# Steps after which a case is undecided. A body that slides along another at a gap of 1e-5 of the way takes
# about as many; each costs some 50 us for a few cases.
MAX_STEPS = 10_000

# The rounding band, 64 eps, in units of coordinates and sizes.
_BAND = 1.5e-14

# Pairs of tree nodes looked at together, the earliest first.
_WAVE = 1024


def advance(
    shape: Any,
    motion: Motion,
    target: Any,
    target_motion: Motion | None = None,
    *,
    tol: float = 1e-9,
    margin: float = 0.0,
    pairs: Any = None,
) -> Impact:
    """When does a moving shape first touch a target? By certified advancement, for any motion.

    Only poses and bounds of the speed are used. It answers where `time_of_impact` has no kernel: for a
    `Chain`, for meshes, and for fans that have a distance. Where kernels can answer, they do.

    Parameters
    ----------
    shape, target
        Shapes or points for which `ougi.distance` is answered, cylinders, and meshes. A Mesh is its
        triangles: what is inside of a closed one touches nothing.
    motion, target_motion, margin, pairs
        As in `time_of_impact`; a `Chain` too.
    tol
        As in `time_of_impact`, but not below rounding (64 eps of the coordinates).

    Returns
    -------
    Impact
        As `time_of_impact`. A miss is certified. Bodies that pass at a hair's breadth may stay undecided
        (status 3). Fans have no points and normals: NaN.

    >>> import math, ougi
    >>> shoulder = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2)
    >>> elbow = ougi.Rotation3d([1, 0, 0], [0, 0, 1], math.pi / 2)
    >>> hand, ball = ougi.Sphere([2, 0, 0], 0.1), ougi.Sphere([0, 1.7, 0], 0.1)
    >>> impact = ougi.advance(hand, ougi.Chain(shoulder, elbow), ball)
    >>> bool(impact.hit), round(float(impact.t), 4)
    (True, 0.6205)
    """
    a, b = _able("shape", shape), _able("target", target)
    method = _method(a, motion, b, target_motion)
    for name, way in (("motion", motion), ("target_motion", target_motion)):
        if not isinstance(way, Motion) and (way is not None or name == "motion"):
            raise TypeError(f"{name} must be a motion, got {_check.named(way)}")
        if way is not None and way.dimension != b.dimension:
            raise ValueError(f"{name} must be {b.dimension}-D like the shapes, got a {type(way).__name__}")
    tol = _check.number("tol", tol, positive=True)
    margin = _check.number("margin", margin, positive=False)
    batch, cases = _cases(a, motion, b, target_motion, pairs)
    ask = _Ask(a, motion, b, target_motion, cases, tol, margin, method)
    found = _of_trees(ask) if isinstance(a, Mesh) or isinstance(b, Mesh) else ask.solved(_all(ask), None)
    return _in_shape(found, batch)


def _able(name: str, given: Any) -> Shape:
    """A shape that can be turned."""
    shape = as_shape(name, given)
    if isinstance(shape, Aabb3d):
        return Box(shape.center, shape.upper - shape.lower)
    if isinstance(shape, Aabb2d):
        return Rectangle(shape.center, shape.upper - shape.lower)
    return shape


class _Cases(NamedTuple):
    """For every case, which of the shapes, motions, targets and target motions it is about."""

    shape: Ints
    motion: Ints
    target: Ints
    target_motion: Ints


def _cases(a: Shape, motion: Motion, b: Shape, other: Motion | None, pairs: Any) -> tuple[Any, _Cases]:
    rest = () if other is None else other.shape
    if pairs is None:
        shapes = {"shape": a.shape, "motion": motion.shape, "target": b.shape, "target_motion": rest}
        batch = _check.broadcast_shape(**shapes)
        return batch, _Cases(*(_index(shape, batch) for shape in shapes.values()))
    first = _check.broadcast_shape(shape=a.shape, motion=motion.shape)
    second = _check.broadcast_shape(target=b.shape, target_motion=rest)
    rows = _check.pairs(pairs, math.prod(first), math.prod(second))
    columns = [
        _index(shape, whole)[rows[:, k]]
        for k, whole, parts in ((0, first, (a.shape, motion.shape)), (1, second, (b.shape, rest)))
        for shape in parts
    ]
    return (len(rows),), _Cases(*columns)


# --- how two convex bodies or fans are measured ---------------------------------------------------------


def _part(shape: Shape) -> type[Shape]:
    """What a body is made of: a mesh of triangles."""
    return Triangle3d if isinstance(shape, Mesh) else type(shape)


def _is_cylinder(shape: Shape) -> bool:
    return isinstance(shape, Sector3d) and bool(
        (shape.half_angle == np.pi).all() and (shape.inner_radius == 0).all()
    )


def _method(a: Shape, motion: Motion, b: Shape, other: Motion | None) -> str:
    """How the parts of two bodies are asked: kernel, separation (from a cylinder: cylinder) or distance."""
    types = _part(a), _part(b)
    fans = [shape for shape in (a, b) if isinstance(shape, Sector3d)]
    whole = all(_is_cylinder(shape) for shape in fans)
    in_kernels = whole and all(cls in LAYOUTS for cls in types)
    if in_kernels and a.dimension == b.dimension:
        if not isinstance(motion, Chain) and not isinstance(other, Chain):
            return "kernel"
        return "cylinder" if fans else "separation"
    try:
        find_query("distance", "advance", *types)
    except UnsupportedPairError as error:
        more = "; a moving cylinder can be asked about all but other fans" if fans else ""
        raise UnsupportedPairError(f"{error}{more}") from None
    return "distance"


def _separated(method: str, a: Shape, b: Shape) -> tuple[Floats, Floats, Floats]:
    """Gaps, normals from a to b and points of b; the latter NaN for fans, and for cylinders that overlap."""
    if method == "separation":
        gap, normal, _, point = _separation("advance", a, b, None)
        return gap, normal, point
    if method == "distance":
        nowhere = np.full((a.count, a.dimension), np.nan)
        return np.asarray(distance(a, b)), nowhere, nowhere
    swapped = isinstance(a, Sector3d)
    x, y = (b, a) if swapped else (a, b)
    layout = LAYOUTS[type(x)]
    rows = filled(cylinder_loops(layout), (layout, "cylinder"), x, y, None, 10, np.float64)
    rows[1:, rows[0] <= 0] = np.nan
    normal, mine, other = (rows[k : k + 3].T for k in (1, 4, 7))
    return rows[0], -normal if swapped else normal, mine if swapped else other


@functools.cache
def cylinder_loops(layout: str) -> Loops:
    """The loops of separations from cylinders."""
    from ougi.kernels import cylinder, cylinder_cylinder, load

    name = f"separation_{layout}_cylinder"
    module = cylinder_cylinder if layout == "cylinder" else cylinder
    kernel, load_a = getattr(module, name), getattr(load, f"load_{layout}")
    return loops(name, kernel, load_a, load.load_cylinder, load.store_separation3d)


# --- bodies without trees -------------------------------------------------------------------------------


class _Parts(NamedTuple):
    """Which pairs of parts are asked: the case, and the triangle on either side (0 for other bodies)."""

    case: Ints
    a: Ints
    b: Ints


class _Ask(NamedTuple):
    """A question: bodies, motions, cases, tolerances and the method for parts."""

    a: Shape
    motion: Motion
    b: Shape
    target_motion: Motion | None
    cases: _Cases
    tol: float
    margin: float
    method: str

    def bodies(self, parts: _Parts) -> tuple[Shape, Shape]:
        """The bodies, or triangles of them, of each pair of parts."""
        return (
            picked(self.a, self.cases.shape[parts.case], parts.a),
            picked(self.b, self.cases.target[parts.case], parts.b),
        )

    def rides(self, case: Ints, balls: Any) -> tuple[Ride, Ride]:
        """Balls on their way; `balls` are centers and radii of both sides."""
        (center_a, radius_a), (center_b, radius_b) = balls
        return (
            ride(self.motion, self.cases.motion[case], center_a, radius_a),
            ride(self.target_motion, self.cases.target_motion[case], center_b, radius_b),
        )

    def solved(self, parts: _Parts, t: Any) -> Impact:
        """First contacts of pairs of parts that are free until t."""
        a, b = self.bodies(parts)
        if self.method == "kernel":
            way = _entries(self.motion, self.cases.motion[parts.case])
            other = self.target_motion
            if other is not None:
                other = _entries(other, self.cases.target_motion[parts.case])
            return screw_impact(a, way, b, other, self.tol, self.margin)
        rides = self.rides(parts.case, [a._bounding_sphere(), b._bounding_sphere()])
        return _advanced(self, a, b, rides, np.zeros(a.count) if t is None else t.copy())


def _all(ask: _Ask) -> _Parts:
    case = np.arange(len(ask.cases.shape))
    return _Parts(case, np.zeros_like(case), np.zeros_like(case))


def _advanced(ask: _Ask, a: Shape, b: Shape, rides: tuple[Ride, Ride], t: Floats) -> Impact:
    """Conservative advancement of n pairs of bodies from times t on."""
    impact = _nothing(len(t), ask.b.dimension)
    band = _BAND * (rides[0].coordinates() + rides[1].coordinates())
    slack = np.maximum(0.5 * ask.tol * (rides[0].scale() + rides[1].scale()), band)
    left = np.arange(len(t))
    for step in range(MAX_STEPS):
        if not len(left):
            break
        one, two = rides[0].taken(left), rides[1].taken(left)
        now = one.at(t[left]), two.at(t[left])
        body = a[left]._transformed(one.pose(now[0], a.dimension))
        other = b[left]._transformed(two.pose(now[1], b.dimension))
        gap, normal, point = _separated(ask.method, body, other)
        touching = gap - ask.margin <= 2 * slack[left]
        first = (gap <= band[left]) & (t[left] == 0) & (step == 0)
        _settle(impact, left, np.where(first, OVERLAPPING, HIT), t, normal, point, touching)
        keep = np.flatnonzero(~touching)
        left, one, two = left[keep], one.taken(keep), two.taken(keep)
        now = _rows(now[0], keep), _rows(now[1], keep)
        room = gap[keep] - ask.margin - slack[left]
        hop = safe_step(one, two, now, t[left], room, _in_space(normal[keep]))
        stuck = t[left] + hop == t[left]
        _leave_open(impact, left[stuck], t)
        t[left] += hop
        left = left[~stuck & (t[left] < 1.0)]
    _leave_open(impact, left, t)
    return impact


def _rows(state: Any, index: Ints) -> Any:
    return type(state)(*(x[index] for x in state))


def _in_space(normal: Floats) -> Floats:
    return normal if normal.shape[-1] == 3 else lifted(normal)


def _nothing(n: int, dimension: int) -> Impact:
    """n certified misses, until something else is found."""
    nowhere = np.full((n, dimension), np.nan)
    return Impact(np.zeros(n, np.int64), np.full(n, False), np.full(n, np.nan), nowhere, nowhere.copy())


def _settle(
    impact: Impact, left: Ints, status: Ints, t: Floats, normal: Floats, point: Floats, which: Bools
) -> None:
    """Write down the contacts of some of the cases that are left."""
    found = left[which]
    impact.status[found], impact.hit[found], impact.t[found] = status[which], True, t[found]
    impact.point[found], impact.normal[found] = point[which], normal[which]


def _leave_open(impact: Impact, cases: Ints, t: Floats) -> None:
    impact.status[cases], impact.t[cases] = UNDECIDED, t[cases]


def _in_shape(impact: Impact, batch: tuple[int, ...]) -> Impact:
    values = {}
    for field in fields(Impact):
        flat = getattr(impact, field.name)
        values[field.name] = flat.reshape((*batch, *flat.shape[1:]))
        if flat.ndim == 1:
            values[field.name] = values[field.name][()]
    return Impact(**values)


# --- meshes ---------------------------------------------------------------------------------------------


class _Work(NamedTuple):
    """Pairs of nodes whose bodies do not touch before t."""

    case: Ints
    a: Ints
    b: Ints
    t: Floats

    def taken(self, which: Any) -> _Work:
        return _Work(*(x[which] for x in self))


def _of_trees(ask: _Ask) -> Impact:
    """First contacts where one body or both are meshes."""
    n = len(ask.cases.shape)
    sides = side_of(ask.a), side_of(ask.b)
    a = np.zeros(n, np.int64) if isinstance(ask.a, Mesh) else np.asarray(ask.cases.shape)
    b = np.zeros(n, np.int64) if isinstance(ask.b, Mesh) else np.asarray(ask.cases.target)
    work = _Work(np.arange(n), a, b, np.zeros(n))
    best = _nothing(n, ask.b.dimension)
    until = np.ones(n)  # the end, or the first contact found so far
    while len(work.t):
        work, rest = _earliest(work)
        parts = sides[0].part[work.a], sides[1].part[work.b]
        ready = (parts[0] >= 0) & (parts[1] >= 0)
        if ready.any():
            leaves = _Parts(work.case[ready], parts[0][ready], parts[1][ready])
            _keep_first(best, until, leaves.case, ask.solved(leaves, work.t[ready]))
        work, near = _moved_on(ask, sides, work.taken(~ready))
        work = _together([work.taken(~near), *split(sides, work.taken(near)), rest])
        work = work.taken((work.t < until[work.case]) & (work.t < 1.0))
    return best


def _earliest(work: _Work) -> tuple[_Work, _Work]:
    """A wave of the earliest work, and the rest: early contacts spare later work."""
    if len(work.t) <= _WAVE:
        return work, work.taken(slice(0, 0))
    order = np.argpartition(work.t, _WAVE)
    return work.taken(order[:_WAVE]), work.taken(order[_WAVE:])


def _moved_on(ask: _Ask, sides: tuple[Side, Side], work: _Work) -> tuple[_Work, Bools]:
    """One step of all pairs; and which are too near for a step worth taking, compared with a node's size."""
    balls = [(side.center[k], side.radius[k]) for side, k in zip(sides, (work.a, work.b), strict=True)]
    rides = ask.rides(work.case, balls)
    now = rides[0].at(work.t), rides[1].at(work.t)
    apart = now[1].position - now[0].position
    length = np.linalg.norm(apart, axis=-1)
    gap = length - rides[0].radius - rides[1].radius
    normal = apart / np.where(length > 0, length, 1.0)[:, None]
    parts = sides[0].part[work.a], sides[1].part[work.b]
    for k in (0, 1):
        # A triangle, or a body without a tree, is measured itself: it may be far smaller than its ball.
        which = np.flatnonzero(parts[k] >= 0)
        if len(which):
            body = ask.bodies(_Parts(work.case[which], parts[0][which], parts[1][which]))[k]
            body = body._transformed(rides[k].taken(which).pose(_rows(now[k], which), 3))
            ball = Sphere(now[1 - k].position[which], rides[1 - k].radius[which])
            method = "distance" if isinstance(body, Sector3d) else "separation"
            gap[which], away, _ = _separated(method, body, ball)
            normal[which] = away if k == 0 else -away
    sizes = (np.where(part >= 0, 0.0, body.radius) for part, body in zip(parts, rides, strict=True))
    gap -= ask.margin + _BAND * (rides[0].coordinates() + rides[1].coordinates())
    near = gap <= 0.5 * np.maximum(*sizes)
    hop = safe_step(*rides, now, work.t, np.where(near, 1.0, gap), normal)
    near |= work.t + hop == work.t
    return work._replace(t=np.where(near, work.t, work.t + hop)), near


def _together(parts: list[_Work]) -> _Work:
    return _Work(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _keep_first(best: Impact, until: Floats, case: Ints, found: Impact) -> None:
    """Of each case keep the earliest that is known; of the same time a hit rather than an open question."""
    settled = np.flatnonzero(found.status > 0)
    rank = np.where(found.status[settled] == UNDECIDED, 1, 0)
    order = settled[np.lexsort((rank, found.t[settled], case[settled]))]
    cases, first = np.unique(case[order], return_index=True)
    source = order[first]
    earlier = (found.t[source] < until[cases]) | (best.status[cases] == FREE)
    cases, source = cases[earlier], source[earlier]
    until[cases] = found.t[source]
    for field in fields(Impact):
        getattr(best, field.name)[cases] = getattr(found, field.name)[source]
