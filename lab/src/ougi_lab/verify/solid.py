"""`ougi verify solid` and `moving-solid`: are the answers about cylinders, cones and ellipsoids right?

Supports and memberships are those of the definitions, in plain NumPy; nothing is shared with the kernels.
Points of both bodies bound a distance from above, and the gap along the normal bounds it from below. The gap
also bounds a depth from above; no direction of a search may have a depth that is clearly smaller. A path is
free if bodies that move at their largest speeds cannot meet between poses whose gaps are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.impact.tables import LAYOUTS
from ougi.query.tables import SOLIDS, Pair
from ougi.shapes import Cone, Cylinder, Ellipsoid
from ougi_lab.scenes.cores import extract_core, extract_core_around
from ougi_lab.scenes.motions import MovingPairs, gap_at
from ougi_lab.scenes.pairs import draw_pairs, translate
from ougi_lab.verify.ccd import Ccd, MovingHulls, Share
from ougi_lab.verify.certificates import compute_distance, largest_coordinate, size
from ougi_lab.verify.narrow import HULL_FILES, Narrow
from ougi_lab.verify.tally import NONFINITE_ERROR, PeerCount, Tally, describe_pair, to_finite

CURVED = (Cylinder, Cone, Ellipsoid)

# Share of (largest coordinate + size) within which an iterated distance is proved.
BAND = 1e-10

# The same share, by which another direction may have a smaller depth. Kernels prove their depths to 1e-5, and
# improve all directions that they know to rounding.
DEPTH_BAND = 1e-10

# The two points of bodies that touch or overlap lie along the normal within this share: a direction whose
# depth is the smallest up to rounding is off by its root. Points of bodies that are apart have `BAND`.
ASIDE_BAND = 1e-8

# coal iterates curved bodies to about this share of (largest coordinate + size).
COAL_BAND = 2e-5

# Steps of a walk along a path, after which it is not proved.
_WALK = 1500

_DIRECTIONS = 400
_SEARCH_STEPS = 40

# What lays them out.
_FILES = ("shapes/cone.py", "shapes/cylinder.py", "shapes/ellipsoid.py")


def get_origin(shape: Any) -> Floats:
    """(n, 3), the point that supports are relative to."""
    return np.asarray(shape.center) if isinstance(shape, CURVED) else extract_core(shape).origin.T


def compute_support(shape: Any, d: Floats) -> Floats:
    """How far bodies reach along unit vectors (..., n, 3), from their origins on."""
    if isinstance(shape, Ellipsoid):
        local = np.einsum("...nk,nkj->...nj", d, shape.rotation)
        return np.asarray(np.linalg.norm(local * shape.radii, axis=-1))
    if isinstance(shape, Cylinder | Cone):
        z = (d * shape.axis).sum(axis=-1)
        rho = np.linalg.norm(d - z[..., None] * shape.axis, axis=-1) * shape.radius
        if isinstance(shape, Cone):
            return np.asarray(np.maximum(z * shape.half_height, rho - z * shape.half_height))
        return np.asarray(np.abs(z) * shape.half_height + rho)
    core = extract_core(shape)
    return np.asarray(np.einsum("kjn,...nj->k...n", core.corners, d).max(axis=0) + core.radius)


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
    core = extract_core(shape)
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
    apart = get_origin(b) - get_origin(a)
    gap: Floats = (n * apart).sum(axis=-1) - compute_support(a, n) - compute_support(b, -n)
    return gap


def search_gap(a: Any, b: Any, rng: np.random.Generator) -> Floats:
    """The largest gap that a search over directions finds: random ones, then smaller and smaller steps."""
    directions = _normalize(rng.normal(size=(_DIRECTIONS, a.count, 3)))
    gaps = compute_gap(a, b, directions)
    chosen = np.argmax(gaps, axis=0)
    rows = np.arange(a.count)
    n, best = directions[chosen, rows], gaps[chosen, rows]
    step = 0.2
    for _ in range(_SEARCH_STEPS):
        tries = _normalize(n + step * rng.normal(size=(8, a.count, 3)))
        gaps = compute_gap(a, b, tries)
        chosen = np.argmax(gaps, axis=0)
        better = gaps[chosen, rows] > best
        n = np.where(better[:, None], tries[chosen, rows], n)
        best = np.maximum(best, gaps[chosen, rows])
        step *= 0.8
    return np.asarray(best)


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
        gap = compute_gap(a, b, normal)
        apart = signed > 0
        errors = {
            "unit": np.abs(np.linalg.norm(normal, axis=1) - 1.0) / 1e-14,
            "point_a": measure_outside(a, p - get_origin(a), normal) / width,
            "point_b": measure_outside(b, q - get_origin(b), -normal) / width,
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
    kinds: tuple[str, ...] = ("random", "near")
    folders: tuple[str, ...] = (*MovingHulls.folders, *_FILES)

    def pairs(self) -> tuple[str, ...]:
        """Names like `cone-box`."""
        known = set(LAYOUTS)
        rows = [row for row in SOLIDS if not {row.a, row.b} <= known]
        return tuple(f"{row.a.__name__}-{row.b.__name__}".lower() for row in rows)

    def _judge(self, tally: Tally, share: Share, case: MovingPairs, near: bool = False) -> None:
        result = self.query(case)
        status, n = result.status, case.body.count
        scale = measure_scale(case.body, case.target) + _measure_pivots(case)
        width = BAND * scale
        start = gap_at(case, np.zeros(n))
        hit = status == 1
        end = np.where(hit | (status == 3), result.t, 1.0)
        last = gap_at(case, np.where(np.isfinite(end), end, 0.0))
        errors = {
            "status": np.where((status >= 0) & (status <= 3) & np.isfinite(end), 0.0, NONFINITE_ERROR),
            "start": np.where((status == 2) != (start <= 0), np.abs(start) / width, 0.0),
            "contact": np.where(hit, np.abs(last) / (case.tol * scale + width), 0.0),
        }
        lowest, proved = walk_along(case, np.where(status == 2, 0.0, end), width)
        errors["before"] = np.where(status == 2, 0.0, np.maximum(-lowest, 0.0) / width)
        marks = {"in_band": np.abs(lowest) <= width, "unproved": ~proved & (status != 2)}
        self._count_cases(tally, share, case, result, errors, marks, near)


def _measure_pivots(case: MovingPairs) -> Floats:
    """How far centers of motions lie from the bodies: rounding of poses grows with it."""
    motions = [motion for motion in (case.motion, case.target_motion) if hasattr(motion, "center")]
    return np.asarray(sum((np.linalg.norm(motion.center, axis=-1) for motion in motions), np.zeros(())))


def walk_along(case: MovingPairs, end: Floats, width: Floats) -> tuple[Floats, Bools]:
    """The smallest gap on each path up to a time, and whether nothing can have been missed in between."""
    speed = _bound_speed(case.body, case.motion) + _bound_speed(case.target, case.target_motion)
    t, lowest = np.zeros(len(end)), np.full(len(end), np.inf)
    index = np.arange(len(end))
    for _ in range(_WALK):
        subset = case.take(index)
        gap = gap_at(subset, t[index])
        lowest[index] = np.minimum(lowest[index], gap)
        # Just before a contact the gap is all tolerance: the rest of the path is as short.
        step = np.maximum(gap, width[index]) / np.maximum(speed[index], 1e-300)
        t[index] += step
        index = index[(t[index] < end[index]) & (lowest[index] > -width[index])]
        if not len(index):
            break
    proved = np.ones(len(end), np.bool_)
    proved[index] = False
    return lowest, proved


def _bound_speed(shape: Any, motion: Any) -> Floats:
    """The largest speed of a point of a body, per unit of time."""
    if motion is None:
        return np.zeros(shape.count)
    if hasattr(motion, "offset"):
        return np.asarray(np.linalg.norm(motion.offset, axis=-1))
    ball = shape.bounding_sphere()
    arm = np.linalg.norm(np.cross(ball.center - motion.center, motion.axis), axis=-1) + ball.radius
    return np.asarray(np.hypot(np.abs(motion.angle) * arm, getattr(motion, "advance", 0.0)))
