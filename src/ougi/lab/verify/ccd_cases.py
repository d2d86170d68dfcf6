"""Seeded random motions for `ougi verify ccd`: any pivot, any angle, screws, and those that break kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.lab.verify.cases import moved, random_pairs
from ougi.motion import Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import Shape

# Degrees; as many cases in each range.
RANGES = ((0, 10), (10, 90), (90, 180), (180, 360), (360, 1080))

# Kinds of motion, one per batch.
KINDS = {2: ("rotation", "translation"), 3: ("rotation", "screw", "translation")}


def random_bodies(
    a: type[Shape], b: type[Shape], n: int, rng: np.random.Generator, family: str | None = None
) -> tuple[Any, Any]:
    """Pairs of `random_pairs`, most of them drawn apart so that they do not overlap at the start."""
    x, y = random_pairs(a, b, n, rng, family)
    reach = x.bounding_sphere().radius + y.bounding_sphere().radius
    way = rng.normal(size=(n, x.dimension))
    way *= (reach * rng.uniform(0.2, 2.5, n) / np.linalg.norm(way, axis=1))[:, None]
    return x, moved(y, np.where(rng.random((n, 1)) < 0.85, way, 0.0))


def random_motion(kind: str, body: Any, target: Any, rng: np.random.Generator) -> Motion:
    """A motion of `body` that may well meet the target: pivots anywhere, on the bodies, or far away."""
    n, d = body.count, body.dimension
    mine, other = body.bounding_sphere(), target.bounding_sphere()
    apart = other.center - mine.center
    reach = mine.radius + other.radius + 1e-3 * np.linalg.norm(apart, axis=1)
    if kind == "translation":
        offset = apart * rng.uniform(0, 2, (n, 1)) + rng.normal(size=(n, d)) * reach[:, None] * 0.7
        offset *= rng.choice([0.0, 1e-9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1e3], (n, 1))
        return Translation2d(offset) if d == 2 else Translation3d(offset)
    low, high = np.array(RANGES, np.float64)[rng.integers(0, len(RANGES), n)].T
    angle = np.radians(rng.uniform(low, high)) * rng.choice([-1.0, 1.0], n)
    angle = np.where(rng.random(n) < 0.03, rng.choice([0.0, 1e-12, 1e-6, np.pi, 2 * np.pi], n), angle)
    center = _pivots(body, target, reach, rng)
    if d == 2:
        return Rotation2d(center, angle)
    axis = _axes(body, target, rng)
    if kind == "rotation":
        return Rotation3d(center, axis, angle)
    return Screw3d(center, axis, angle, rng.uniform(-2, 2, n) * reach * rng.choice([1e-6, 1.0, 1.0, 1.0], n))


def _pivots(body: Any, target: Any, reach: Floats, rng: np.random.Generator) -> Floats:
    """Beside the bodies; at the center, a corner or an end of either; in between; far away."""
    n, d = body.count, body.dimension
    mine, other = body.bounding_sphere().center, target.bounding_sphere().center
    beside = mine + rng.normal(size=(n, d)) * reach[:, None]
    choices = [
        beside,
        beside,
        beside,
        mine + (other - mine) * rng.uniform(0, 1, (n, 1)),
        mine,
        other,
        _corner(body),
        _corner(target),
        np.round(beside),
        mine + rng.normal(size=(n, d)) * reach[:, None] * 30,
    ]
    which = rng.integers(0, len(choices), n)
    return np.asarray(np.stack(choices)[which, np.arange(n)])


def _corner(body: Any) -> Floats:
    """A corner or an end, where the class has one."""
    for name in ("start", "a", "lower", "position"):
        if hasattr(body, name):
            return np.asarray(getattr(body, name))
    return np.asarray(body.center)


def _axes(body: Any, target: Any, rng: np.random.Generator) -> Floats:
    """Any direction; along the coordinates; along an edge of either."""
    n = body.count
    choices = [rng.normal(size=(n, 3)) for _ in range(4)]
    choices.append(np.eye(3)[rng.integers(0, 3, n)])
    choices += [_edge(body), _edge(target)]
    axis = np.stack(choices)[rng.integers(0, len(choices), n), np.arange(n)]
    dull = np.linalg.norm(axis, axis=1) == 0
    return np.where(dull[:, None], [0.0, 0.0, 1.0], axis)


def _edge(body: Any) -> Floats:
    if hasattr(body, "rotation"):
        return np.asarray(body.rotation[..., 0])
    for first, second in (("start", "end"), ("a", "b")):
        if hasattr(body, second):
            return np.asarray(getattr(body, second) - getattr(body, first))
    return np.tile([1.0, 0.0, 0.0], (body.count, 1))
