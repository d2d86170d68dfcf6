"""`ougi verify solid` and `moving-solid`: are the answers about cylinders, cones and ellipsoids right?

Supports and memberships are those of the definitions, in plain NumPy; nothing is shared with the kernels.
Points of both bodies bound a distance from above, and the gap along the normal bounds it from below. The gap
also bounds a depth from above; no direction of a search may have a depth that is clearly smaller. A path is
free if planes that rest or turn with a body lie between both, each for a while, or if bodies that move at
their largest speeds cannot meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.impact.tables import LAYOUTS
from ougi.query.tables import SOLIDS, Pair
from ougi.shapes import Cone, Cylinder, Ellipsoid
from ougi_lab.scenes.cores import ConvexCore, extract_core, extract_core_around
from ougi_lab.scenes.motions import MovingPairs, gap_at, separation_at, shapes_at
from ougi_lab.scenes.pairs import draw_pairs, translate
from ougi_lab.verify.ccd import Ccd, MovingHulls, Share, compute_scale, measure_time_errors
from ougi_lab.verify.certificates import compute_distance, largest_coordinate, size
from ougi_lab.verify.narrow import HULL_FILES, Narrow
from ougi_lab.verify.tally import NONFINITE_ERROR, PeerCount, Tally, describe_pair, to_finite

CURVED = (Cylinder, Cone, Ellipsoid)

# Share of (largest coordinate + size) within which an iterated distance is proved.
BAND = 1e-10

# The same share, by which another direction may have a smaller depth. Kernels prove a third of it.
DEPTH_BAND = 1e-10

# The two points of bodies that touch or overlap lie along the normal within this share: a direction whose
# depth is the smallest up to rounding is off by its root. Points of bodies that are apart have `BAND`.
ASIDE_BAND = 1e-8

# coal iterates curved bodies to about this share of (largest coordinate + size).
COAL_BAND = 2e-5

# Steps of a walk along a path, after which it is not proved, and how often one of them is shortened.
_WALK = 300
_CUTS = 12

# A search tries so many random directions, and so many steps from the best one, each of several tries. Pairs
# are searched in blocks that stay in the caches.
_DIRECTIONS = 400
_SEARCH_STEPS = 40
_TRIES = 8
_BLOCK = 512

# What lays them out.
_FILES = ("shapes/cone.py", "shapes/cylinder.py", "shapes/ellipsoid.py")


def prepare(shape: Any) -> Any:
    """What the functions below take as well as a shape, without the work of reading it again."""
    return shape if isinstance(shape, (*CURVED, ConvexCore)) else extract_core(shape)


def get_origin(shape: Any) -> Floats:
    """(n, 3), the point that supports are relative to."""
    return np.asarray(shape.center if isinstance(shape, CURVED) else prepare(shape).origin.T)


def compute_support(shape: Any, d: Floats) -> Floats:
    """How far bodies reach along vectors (..., n, d), from their origins on, times their lengths."""
    if not isinstance(shape, CURVED):
        return _compute_core_support(prepare(shape), d)
    x, y, z = np.moveaxis(d, -1, 0)
    if isinstance(shape, Ellipsoid):
        squares = [(r * (u * x + v * y + w * z)) ** 2 for u, v, w, r in zip(*_split(shape), strict=True)]
        return np.asarray(np.sqrt(squares[0] + squares[1] + squares[2]))
    u, v, w = np.ascontiguousarray(shape.axis.T)
    height = (u * x + v * y + w * z) * shape.half_height
    beside = np.sqrt((v * z - w * y) ** 2 + (w * x - u * z) ** 2 + (u * y - v * x) ** 2) * shape.radius
    if isinstance(shape, Cone):
        return np.asarray(np.maximum(height, beside - height))
    return np.asarray(np.abs(height) + beside)


def _compute_core_support(core: ConvexCore, d: Floats) -> Floats:
    """In the plane or in space."""
    parts = np.moveaxis(d, -1, 0)
    reach = np.full(d.shape[:-1], -np.inf)
    for corner in core.corners:  # all at once would take much memory
        along = corner[0] * parts[0]
        for u, x in zip(corner[1:], parts[1:], strict=True):
            along = along + u * x
        np.maximum(reach, along, out=reach)
    return np.asarray(reach + core.radius * np.linalg.norm(d, axis=-1))


def _split(shape: Ellipsoid) -> list[Floats]:
    """The components (3, n) of the axes along x, y and z, and the radii along the axes."""
    axes = np.ascontiguousarray(shape.rotation.transpose((1, 2, 0)))
    return [*axes, np.ascontiguousarray(shape.radii.T)]


def measure_outside(shape: Any, p: Floats, normal: Floats) -> Floats:
    """By how much points (n, 3), relative to the origins, lie outside; `normal` points out of the body."""
    if isinstance(shape, Ellipsoid):
        return _measure_outside_ellipsoid(np.einsum("nk,nkj->nj", p, shape.rotation), shape.radii)
    if isinstance(shape, Cylinder | Cone):
        z = (p * shape.axis).sum(axis=-1)
        rho = np.linalg.norm(p - z[:, None] * shape.axis, axis=-1)
        over = np.abs(z) - shape.half_height
        if isinstance(shape, Cylinder):
            return np.asarray(np.maximum(np.maximum(over, rho - shape.radius), 0.0))
        slant = np.hypot(shape.radius, 2 * shape.half_height)
        beside = rho * 2 * shape.half_height + (z - shape.half_height) * shape.radius
        flat = np.where(slant > 0, beside / np.where(slant > 0, slant, 1.0), rho)
        return np.asarray(np.maximum(np.maximum(over, flat), np.maximum(rho - shape.radius, 0.0)))
    core = prepare(shape)
    return compute_distance(core, p.T - core.radius * normal.T)


def _measure_outside_ellipsoid(p: Floats, radii: Floats) -> Floats:
    """Along the line to the center; what is across an axis of next to no length counts by itself."""
    thin = radii <= 1e-5 * radii.max(axis=-1, keepdims=True)
    across = np.where(thin, np.maximum(np.abs(p) - radii, 0.0), 0.0)
    rest = np.where(thin, 0.0, p)
    share = np.linalg.norm(rest / np.where(thin, 1.0, radii), axis=-1)
    beyond = np.linalg.norm(rest, axis=-1) * np.maximum(1.0 - 1.0 / np.maximum(share, 1.0), 0.0)
    return np.asarray(beyond + np.linalg.norm(across, axis=-1))


def compute_gap(a: Any, b: Any, n: Floats) -> Floats:
    """How far b lies beyond a along unit vectors (..., n, 3)."""
    x, y, z = np.moveaxis(n, -1, 0)
    u, v, w = (get_origin(b) - get_origin(a)).T
    gap: Floats = u * x + v * y + w * z - compute_support(a, n) - compute_support(b, -n)
    return gap


def search_gap(a: Any, b: Any, rng: np.random.Generator) -> Floats:
    """The largest gap that a search over directions finds: random ones, then smaller and smaller steps."""
    blocks = [slice(k, k + _BLOCK) for k in range(0, a.count, _BLOCK)]
    found = [_search_block(prepare(a[part]), prepare(b[part]), rng) for part in blocks]
    return np.concatenate(found)


def _search_block(a: Any, b: Any, rng: np.random.Generator) -> Floats:
    n_pairs = len(get_origin(a))
    n, best = np.zeros((n_pairs, 3)), np.full(n_pairs, -np.inf)
    for _ in range(_DIRECTIONS // _TRIES):
        n, best = _try_directions(a, b, n, best, _draw_vectors(n_pairs, rng))
    step = 0.2
    for _ in range(_SEARCH_STEPS):
        n, best = _try_directions(a, b, n, best, n + step * _draw_vectors(n_pairs, rng))
        step *= 0.8
    return best


def _draw_vectors(n: int, rng: np.random.Generator) -> Floats:
    """(m, n, 3), of which each component is one piece of memory."""
    return np.moveaxis(rng.normal(size=(3, _TRIES, n)), 0, -1)


def _try_directions(a: Any, b: Any, n: Floats, best: Floats, tries: Floats) -> tuple[Floats, Floats]:
    """The best direction so far of each pair, or the best one of vectors (m, n, 3), and its gap."""
    x, y, z = np.moveaxis(tries, -1, 0)
    gaps = compute_gap(a, b, tries) / np.sqrt(x * x + y * y + z * z)
    chosen, rows = np.argmax(gaps, axis=0), np.arange(len(best))
    found = gaps[chosen, rows]
    better = found > best
    n = np.where(better[:, None], _normalize(tries[chosen, rows]), n)
    return n, np.where(better, found, best)


def _normalize(v: Floats) -> Floats:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def measure_scale(a: Any, b: Any) -> Floats:
    """The largest coordinate and size of two bodies."""
    x, y = extract_core_around(a), extract_core_around(b)
    scale = np.maximum(largest_coordinate(x), largest_coordinate(y)) + np.maximum(size(x), size(y))
    return np.asarray(np.maximum(scale, np.finfo(np.float64).tiny))


@dataclass(frozen=True)
class Solids(Narrow):
    """The subject `solid`: pairs with curved solids, by their definitions."""

    name: str = "solid"
    folders: tuple[str, ...] = ("kernels", "kernels/convex", *HULL_FILES, *_FILES)
    rows: tuple[Pair, ...] = SOLIDS

    def _judge(self, tally: Tally, a: Any, b: Any, given: dict[str, Floats]) -> None:
        signed, normal, p, q = self.queries.separation(a, b)
        scale = measure_scale(a, b)
        width = BAND * scale
        hit = self.queries.intersects(a, b)
        between = q - p
        length = np.linalg.norm(between, axis=1)
        aside = np.linalg.norm(between - signed[:, None] * normal, axis=1)
        x, y = prepare(a), prepare(b)
        gap = compute_gap(x, y, normal)
        apart = signed > 0
        errors = {
            "unit": np.abs(np.linalg.norm(normal, axis=1) - 1.0) / 1e-14,
            "point_a": measure_outside(x, p - get_origin(x), normal) / width,
            "point_b": measure_outside(y, q - get_origin(y), -normal) / width,
            "link": np.where(apart, np.abs(length - signed) / width, aside / (ASIDE_BAND * scale)),
            "gap": np.abs(gap - signed) / width,
            "intersects": np.where(hit == ~apart, 0.0, np.abs(signed) / width),
        }
        over = np.flatnonzero(~apart)
        errors["depth"] = np.zeros(len(signed))
        if len(over):
            found = search_gap(a[over], b[over], np.random.default_rng(len(over)))
            errors["depth"][over] = np.maximum(found - signed[over], 0.0) / (DEPTH_BAND * scale[over])
        other = np.where(apart, width, DEPTH_BAND * scale)  # in another order another direction may be found
        errors |= self._errors_of_other_calls(a, b, hit, (signed, normal, p, q), other)
        tally.in_band += int((np.abs(signed) <= width).sum())
        tally.judge(errors, describe_pair(signed, a, b))

    def _check_near(self, a: Any, b: Any, n: int, rng: np.random.Generator) -> Tally:
        x, y = draw_pairs(a, b, n, rng)
        signed, normal, _, _ = self.queries.separation(x, y)
        gaps = measure_scale(x, y) * 10 ** rng.uniform(-12, -3, n) * rng.choice([1.0, -1.0, 0.0], n)
        tally = Tally(near=n)
        self._judge(tally, x, translate(y, (gaps - signed)[:, None] * normal), {})
        return tally

    def _check_peers(self, a: Any, b: Any, n: int, rng: np.random.Generator) -> Tally:
        from ougi_lab.verify.peers import compare_solids_with_coal, find_peers

        x, y = draw_pairs(a, b, n, rng, "ordinary")
        signed = self.queries.separation(x, y)[0]
        tally = Tally()
        if "coal" in find_peers():
            # Depths of coal are off by up to the size: a point in a cylinder gets the distance from the wall.
            scale = COAL_BAND * measure_scale(x, y)
            error = np.where(signed > 0, compare_solids_with_coal(x, y, signed), 0.0) / scale
            tally.judge({"coal": error}, describe_pair(signed, x, y))
            tally.peers["coal"] = PeerCount(n, int((~(error <= 1.0)).sum()), to_finite(np.max(error)))
        return tally


@dataclass(frozen=True)
class MovingSolids(Ccd):
    """The subject `moving-solid`: first contacts of pairs with curved solids that no older kernel knows."""

    name: str = "moving-solid"
    folders: tuple[str, ...] = (*MovingHulls.folders, *_FILES)

    def pairs(self) -> tuple[str, ...]:
        """Names like `cone-box`."""
        known = set(LAYOUTS)
        rows = [row for row in SOLIDS if not {row.a, row.b} <= known]
        return tuple(f"{row.a.__name__}-{row.b.__name__}".lower() for row in rows)

    def _judge(self, tally: Tally, share: Share, case: MovingPairs, near: bool = False) -> None:
        result = self.query(case)
        status, n = result.status, case.body.count
        width = _measure_band(case)
        allowed = case.tol * compute_scale(case) + width
        start = gap_at(case, np.zeros(n))
        hit = status == 1
        at_start = hit & (result.t == 0)  # within the margin from the start
        end = np.where(hit | (status == 3), result.t, 1.0)
        last = gap_at(case, np.where(np.isfinite(end), end, 0.0))
        overlap = start + case.margin
        errors = {
            "status": np.where((status >= 0) & (status <= 3) & np.isfinite(end), 0.0, NONFINITE_ERROR),
            "start": np.where((status == 2) != (overlap <= 0), np.abs(overlap) / width, 0.0),
            "contact": np.where(hit, np.where(at_start, np.maximum(last, 0.0), np.abs(last)) / allowed, 0.0),
        }
        judged = (status != 2) & ~at_start
        lowest, proved = walk_along(case, np.where(judged, end, 0.0), width)
        errors["before"] = np.where(judged, np.maximum(-lowest, 0.0) / width, 0.0)
        errors |= _find_contact_errors(case, result, np.flatnonzero(hit & ~at_start), allowed)
        marks = {"in_band": np.abs(lowest) <= width, "unproved": ~proved & judged}
        self._count_cases(tally, share, case, result, errors, marks, near)

    def _measure_time_errors(self, case: MovingPairs, t: Floats) -> Floats:
        speed = bound_speed(case.body, case.motion) + bound_speed(case.target, case.target_motion)
        return measure_time_errors(case, t, speed, _measure_band(case))


def _measure_band(case: MovingPairs) -> Floats:
    """The gaps that may be rounding; they grow with coordinates, also those of centers of motions."""
    motions = [motion for motion in (case.motion, case.target_motion) if hasattr(motion, "center")]
    away = sum((np.linalg.norm(motion.center, axis=-1) for motion in motions), np.zeros(()))
    return np.asarray(BAND * (measure_scale(case.body, case.target) + away))


def _find_contact_errors(case: MovingPairs, result: Any, index: Ints, allowed: Floats) -> dict[str, Floats]:
    """The point must lie on the target, and the plane through it must have the bodies on its two sides."""
    errors = {name: np.zeros(len(allowed)) for name in ("point", "normal", "unit")}
    if len(index):
        body, target = shapes_at(case.take(index), result.t[index])
        point, normal = result.point[index], result.normal[index]
        x, y = prepare(body), prepare(target)
        # Inside of the target, or beyond its plane.
        beyond = compute_support(y, -normal) + ((point - get_origin(y)) * normal).sum(axis=-1)
        outside = measure_outside(y, point - get_origin(y), -normal)
        errors["point"][index] = np.maximum(np.abs(beyond), outside) / allowed[index]
        errors["normal"][index] = np.maximum(case.margin - compute_gap(x, y, normal), 0.0) / allowed[index]
        errors["unit"][index] = np.abs(np.linalg.norm(normal, axis=-1) - 1.0) / 1e-14
    return errors


def walk_along(case: MovingPairs, end: Floats, width: Floats) -> tuple[Floats, Bools]:
    """The smallest gap on each path up to a time, and whether nothing can have been missed in between."""
    speed = bound_speed(case.body, case.motion) + bound_speed(case.target, case.target_motion)
    t, lowest = np.zeros(len(end)), np.full(len(end), np.inf)
    stride = np.asarray(end, np.float64).copy()
    index = np.flatnonzero(end > 0)
    for _ in range(_WALK):
        if not len(index):
            break
        subset = case.take(index)
        gap, normal = separation_at(subset, t[index])
        lowest[index] = np.minimum(lowest[index], gap)
        rest = end[index] - t[index]
        # Just before a contact the gap is all tolerance: the rest of the path is as short.
        sure = np.maximum(gap, width[index]) / np.maximum(speed[index], 1e-300)
        step = _find_free_step(subset, t[index], normal.T, np.minimum(4 * stride[index], rest), width[index])
        stride[index] = step = np.maximum(step, sure)
        t[index] += step
        index = index[(step < rest) & (lowest[index] > -width[index])]
    proved = np.ones(len(end), np.bool_)
    proved[index] = False
    return lowest, proved


class _MovingSide(NamedTuple):
    """A body at a time, and the normal out of it: n . x' is `rate` + turn . (x - origin) for a point x.

    n . x'' is at most `bend` while n rests, and x moves at most with `speed`. `spin` is the angular velocity.
    No point is farther from the origin than `reach`.
    """

    shape: Any
    normal: Floats
    spin: Floats
    turn: Floats
    rate: Floats
    bend: Floats
    speed: Floats
    reach: Floats


def _find_free_step(case: MovingPairs, t: Floats, normal: Floats, rest: Floats, width: Floats) -> Floats:
    """A time within which the bodies do not overlap by more than half a band, from t on; 0 if none is found.

    Planes across a normal that rests, or that turns with either body, separate them. Points then move along
    it by first and second derivatives, of which the second are bounded. The first are linear in the point, so
    the furthest point is that of a support. As the least of such functions of all points is concave, both
    ends of a step bound all of it.
    """
    poses = shapes_at(case, t)
    sides = [
        _make_moving_side(shape, motion, n, t)
        for shape, motion, n in zip(poses, (case.motion, case.target_motion), (normal, -normal), strict=True)
    ]
    apart = get_origin(sides[1].shape) - get_origin(sides[0].shape)
    slack = 0.5 * width - case.margin
    start = compute_gap(sides[0].shape, sides[1].shape, normal) + slack
    free = np.zeros(len(t))
    for carrier in (None, *sides):
        free = np.maximum(free, _cut_step(sides, carrier, apart, slack, rest))
        if (free >= rest).all():
            break
    return np.where(start >= 0, free, 0.0)


def _cut_step(
    sides: list[_MovingSide], carrier: _MovingSide | None, apart: Floats, slack: Floats, rest: Floats
) -> Floats:
    """How long planes that turn with the carrier, or rest, keep two bodies apart, at most `rest`."""
    gap_now = (apart * sides[0].normal).sum(axis=-1) + slack
    turns, rates, bends = [], [], []
    for side, arm in zip(sides, (-apart, np.zeros_like(apart)), strict=True):  # from the origin of the second
        turn, rate, bend = side.turn, side.rate, side.bend
        if carrier is not None:
            change = np.cross(carrier.spin, side.normal)
            drift = np.linalg.norm(change, axis=-1)
            spin = np.linalg.norm(carrier.spin, axis=-1)
            far = np.linalg.norm(arm, axis=-1) + side.reach + side.speed * rest
            turn, rate = turn + change, rate + (change * arm).sum(axis=-1)
            bend = (np.linalg.norm(side.spin, axis=-1) + 2 * drift) * side.speed + spin**2 * far
        turns.append(turn)
        rates.append(rate)
        bends.append(bend)
    step, free = np.array(rest), np.zeros(len(rest))
    for _ in range(_CUTS):
        gap = gap_now - step * (sum(rates) + 0.5 * sum(bends) * step)
        for side, turn in zip(sides, turns, strict=True):
            gap = gap - compute_support(side.shape, side.normal + step[:, None] * turn)
        free = np.where((gap >= 0) & (free == 0), step, free)
        if (free > 0).all():
            break
        step = np.where(free > 0, step, step / 3)
    return free


def _make_moving_side(shape: Any, motion: Any, n: Floats, t: Floats) -> _MovingSide:
    ball = shape.bounding_sphere()
    body = prepare(shape)
    zero, none = np.zeros_like(n), np.zeros(len(n))
    reach = np.linalg.norm(ball.center - get_origin(body), axis=-1) + ball.radius
    speed = bound_speed(shape, motion)
    if motion is None:
        return _MovingSide(body, n, zero, zero, none, none, speed, reach)
    if hasattr(motion, "offset"):
        return _MovingSide(body, n, zero, zero, (n * motion.offset).sum(axis=-1), none, speed, reach)
    shift = np.asarray(getattr(motion, "advance", 0.0))[..., None] * motion.axis
    spin = motion.angle[..., None] * motion.axis
    turn = np.cross(n, spin)
    arm = get_origin(body) - (motion.center + t[:, None] * shift)
    rate = (turn * arm).sum(axis=-1) + (n * shift).sum(axis=-1)
    bend = np.abs(motion.angle) * _measure_arm(shape, motion) * np.linalg.norm(turn, axis=-1)
    return _MovingSide(body, n, spin, turn, rate, bend, speed, reach)


def _measure_arm(shape: Any, motion: Any) -> Floats:
    """No point of a body is farther from the axis of its motion."""
    ball = shape.bounding_sphere()
    across = np.cross(ball.center - motion.center, motion.axis)
    return np.asarray(np.linalg.norm(across, axis=-1) + ball.radius)


def bound_speed(shape: Any, motion: Any) -> Floats:
    """The largest speed of a point of a body, per unit of time."""
    if motion is None:
        return np.zeros(shape.count)
    if hasattr(motion, "offset"):
        return np.asarray(np.linalg.norm(motion.offset, axis=-1))
    return np.asarray(
        np.hypot(np.abs(motion.angle) * _measure_arm(shape, motion), getattr(motion, "advance", 0.0))
    )
