"""Seeded queries for `ougi verify ccd`: any pivot, any angle, screws, and cases that break kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi.motion import Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import Shape
from ougi_lab.scenes.cores import cross, extract_core_around, perpendicular, unit
from ougi_lab.scenes.pairs import draw_pairs, translate

TOL = 1e-9


class MovingPairs(NamedTuple):
    """A batch of first-contact queries: bodies, motions, targets and tolerances."""

    body: Any
    motion: Any
    target: Any
    target_motion: Any = None
    tol: float = TOL
    margin: float = 0.0

    def take(self, index: Any) -> MovingPairs:
        """Return a subset of the queries. What is single stays single."""
        parts = (self.body, self.motion, self.target, self.target_motion)
        selected = [part if part is None or part.shape == () else part[index] for part in parts]
        return self._replace(**dict(zip(self._fields, selected, strict=False)))


def shapes_at(case: MovingPairs, t: Floats) -> tuple[Any, Any]:
    """Return the bodies at times t."""
    target = case.target
    if case.target_motion is not None:
        target = target.transformed(case.target_motion.at(t))
    return case.body.transformed(case.motion.at(t)), target


def separation_at(case: MovingPairs, t: Floats) -> tuple[Floats, Floats]:
    """Return the gaps at times t, less the margin, and unit vectors (3, n) from the body to the target."""
    from ougi import query

    signed, normal, _, _ = query.queries.separation("closest_points", *shapes_at(case, t), None)
    flat = np.zeros((len(t), 3 - normal.shape[1]))
    return signed - case.margin, np.concatenate([normal, flat], axis=1).T


def gap_at(case: MovingPairs, t: Floats) -> Floats:
    """Return the gaps at times t, less the margin."""
    from ougi import query

    gap: Floats = query.distance(*shapes_at(case, t)) - case.margin
    return gap


# Degrees; as many cases in each range.
ANGLE_RANGES = ((0, 10), (10, 90), (90, 180), (180, 360), (360, 1080))

# Kinds of motion, one per batch.
MOTIONS = {2: ("rotation", "translation"), 3: ("rotation", "screw", "translation")}

# Angles that matter, drawn more often than by chance.
_ANGLES = np.array([0.0, 1e-12, 1e-6, *(np.pi / 2 * np.array([1, -1, 2, -2, 3, 4, -4, 8]))])

# Share of the targets that are placed on the path of the body, so that about half of all cases are hits.
_AIMED = 0.5


def draw_moving_pairs(
    a: type[Shape], b: type[Shape], kind: str, both: bool, n: int, rng: np.random.Generator
) -> MovingPairs:
    """Draw n queries for two classes: any pose, any pivot, and the motions that break kernels.

    `kind` is one of `MOTIONS`. With `both`, the target has a motion of this kind about its own axis.
    """
    body, target = draw_separate_pairs(a, b, n, rng)
    motion = draw_motion(kind, body, target, rng)
    case = MovingPairs(body, motion, target, draw_motion(kind, target, body, rng) if both else None)
    return case._replace(target=_aim_targets(case, rng.random(n) < _AIMED, rng))


def draw_separate_pairs(
    a: type[Shape], b: type[Shape], n: int, rng: np.random.Generator, family: str | None = None
) -> tuple[Any, Any]:
    """Draw pairs as `draw_pairs` does, most of them moved apart so that they do not overlap at the start."""
    x, y = draw_pairs(a, b, n, rng, family)
    reach = x.bounding_sphere().radius + y.bounding_sphere().radius
    offset = rng.normal(size=(n, x.dimension))
    offset *= (reach * rng.uniform(0.2, 2.5, n) / np.linalg.norm(offset, axis=1))[:, None]
    offset = np.where(rng.random((n, 1)) < 0.2, np.round(2 * offset) / 2, offset)  # whole numbers stay whole
    return x, translate(y, np.where(rng.random((n, 1)) < 0.85, offset, 0.0))


def _aim_targets(case: MovingPairs, chosen: Any, rng: np.random.Generator) -> Any:
    """Return the targets, with the chosen ones moved to the path of the body."""
    n, d = case.body.count, case.body.dimension
    t = rng.uniform(0, 1, n)
    body, target = shapes_at(case, t)
    own, other = body.bounding_sphere(), target.bounding_sphere()
    beside = rng.normal(size=(n, d))
    beside *= ((own.radius + other.radius) * rng.uniform(0, 1, n) / np.linalg.norm(beside, axis=1))[:, None]
    shift = np.where(np.asarray(chosen)[:, None], own.center + beside - other.center, 0.0)
    return translate(case.target, _to_start_shift(case, shift, t))


def _to_start_shift(case: MovingPairs, shift: Floats, t: Floats) -> Floats:
    """Return the shift of the target's start that shifts it at times t."""
    if case.target_motion is None:
        return shift
    turn = case.target_motion.at(t).rotation
    return np.asarray((np.swapaxes(turn, -1, -2) @ shift[..., None])[..., 0])


def draw_motion(kind: str, body: Any, target: Any, rng: np.random.Generator) -> Motion:
    """Draw a motion of `body` that often meets the target: pivots anywhere, on the bodies, or far away."""
    n, d = body.count, body.dimension
    own, other = body.bounding_sphere(), target.bounding_sphere()
    apart = other.center - own.center
    reach = own.radius + other.radius + 1e-3 * np.linalg.norm(apart, axis=1)
    if kind == "translation":
        offset = apart * rng.uniform(0, 2, (n, 1)) + rng.normal(size=(n, d)) * reach[:, None] * 0.7
        along = _draw_axes(body, target, rng) * reach[:, None] * rng.uniform(-3, 3, (n, 1))
        offset = np.where(rng.random((n, 1)) < 0.15, along, offset)
        offset *= rng.choice([0.0, 1e-9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e3], (n, 1))
        return Translation2d(offset) if d == 2 else Translation3d(offset)
    low, high = np.array(ANGLE_RANGES, np.float64)[rng.integers(0, len(ANGLE_RANGES), n)].T
    angle = np.radians(rng.uniform(low, high)) * rng.choice([-1.0, 1.0], n)
    angle = np.where(rng.random(n) < 0.05, rng.choice(_ANGLES, n), angle)
    center = _draw_pivots(body, target, reach, rng)
    if d == 2:
        return Rotation2d(center, angle)
    axis = _draw_axes(body, target, rng)
    if kind == "rotation":
        return Rotation3d(center, axis, angle)
    return Screw3d(center, axis, angle, rng.uniform(-2, 2, n) * reach * rng.choice([1e-6, 1.0, 1.0, 1.0], n))


def _draw_pivots(body: Any, target: Any, reach: Floats, rng: np.random.Generator) -> Floats:
    """Beside the bodies; at the center, a corner or an end of either; in between; far away."""
    n, d = body.count, body.dimension
    own, other = body.bounding_sphere().center, target.bounding_sphere().center
    beside = own + rng.normal(size=(n, d)) * reach[:, None]
    choices = [
        *(beside, beside, beside),
        own + (other - own) * rng.uniform(0, 1, (n, 1)),
        *(own, other, _find_corner(body), _find_corner(target)),
        np.round(beside),
        own + rng.normal(size=(n, d)) * reach[:, None] * 30,
    ]
    which = rng.integers(0, len(choices), n)
    return np.asarray(np.stack(choices)[which, np.arange(n)])


def _find_corner(body: Any) -> Floats:
    """A corner or an end, or the center of a ball."""
    core = extract_core_around(body)
    return np.asarray((core.origin + core.corners[-1]).T)


def _draw_axes(body: Any, target: Any, rng: np.random.Generator) -> Floats:
    """Any direction; along the coordinates; along an edge of either, and across it."""
    n, d = body.count, body.dimension
    choices = [rng.normal(size=(n, d)) for _ in range(4)]
    choices.append(np.eye(d)[rng.integers(0, d, n)])
    for edges in (extract_core_around(body).edges, extract_core_around(target).edges):
        if len(edges):
            choices.append(unit(edges[0]).T)
            if d == 3:
                choices.append(unit(cross(edges[0], edges[-1])).T)  # a face's normal
                choices.append(perpendicular(rng.normal(size=(3, n)), unit(edges[0])).T)
    axis = np.stack(choices)[rng.integers(0, len(choices), n), np.arange(n)]
    dull = np.linalg.norm(axis, axis=1) == 0
    return np.asarray(np.where(dull[:, None], np.eye(d)[-1], axis))


# Poses at which the gap is measured, and steps of the golden section between them.
_SAMPLES = 24
_SECTIONS = 50
_GOLDEN = (np.sqrt(5) - 1) / 2

# Shares of the size by which near cases miss or overlap.
_MISS_EXPONENTS = (-10, -6)


def draw_grazing_pairs(
    a: type[Shape], b: type[Shape], kind: str, both: bool, n: int, rng: np.random.Generator
) -> MovingPairs:
    """Draw up to n queries whose targets are missed, or overlapped, by 1e-6 to 1e-10 of the bodies' size.

    The target is moved along the normal at the smallest gap. That may make another pose the nearest, so cases
    that overlap by more at one of the samples are excluded.
    """
    from ougi import query

    case = draw_moving_pairs(a, b, kind, both, 2 * n + 16, rng)
    at, smallest = _find_nearest_sample(case)
    case, at = case.take(smallest > 0), at[smallest > 0]
    case, at = case.take(slice(0, n)), at[:n]
    at = _minimize_gap(case, np.maximum(at - 1 / _SAMPLES, 0), np.minimum(at + 1 / _SAMPLES, 1))
    signed, normal, _, _ = query.queries.separation("closest_points", *shapes_at(case, at), None)
    reach = case.body.bounding_sphere().radius + case.target.bounding_sphere().radius
    miss = reach * 10 ** rng.uniform(*_MISS_EXPONENTS, len(at)) * rng.choice([-1.0, 1.0], len(at))
    shift = _to_start_shift(case, (miss - signed)[:, None] * normal, at)
    case = case._replace(target=translate(case.target, shift))
    return case.take(_find_nearest_sample(case)[1] > -reach * 10.0 ** _MISS_EXPONENTS[1])


def _find_nearest_sample(case: MovingPairs) -> tuple[Floats, Floats]:
    """Return the time of the smallest gap among samples, and that gap."""
    n = case.body.count
    grid = np.linspace(0, 1, _SAMPLES + 1)
    gaps = np.stack([gap_at(case, np.full(n, t)) for t in grid])
    return grid[np.argmin(gaps, axis=0)], gaps.min(axis=0)


def _minimize_gap(case: MovingPairs, lo: Floats, hi: Floats) -> Floats:
    """Return the time of the smallest gap between two times, by golden sections."""
    p, q = hi - _GOLDEN * (hi - lo), lo + _GOLDEN * (hi - lo)
    at_p, at_q = gap_at(case, p), gap_at(case, q)
    for _ in range(_SECTIONS):
        left = at_p <= at_q
        lo, hi = np.where(left, lo, p), np.where(left, q, hi)
        new = np.where(left, hi - _GOLDEN * (hi - lo), lo + _GOLDEN * (hi - lo))
        gap = gap_at(case, new)
        p, q = np.where(left, new, q), np.where(left, p, new)
        at_p, at_q = np.where(left, gap, at_q), np.where(left, at_p, gap)
    return np.asarray(np.where(at_p <= at_q, p, q))
