"""Seeded random batches as code, shared by benchmarks, documentation and tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ougi._typing import Floats, Ints
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Point2d,
    Point3d,
    Rectangle,
    Sector2d,
    Sector3d,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)

Random: TypeAlias = np.random.Generator

# Half the edge of the square or cube, in metres, in which the middles lie: so wide that a tenth to a third of
# the solid shapes touch a central one. With far fewer hits, kernels that leave early would look too fast.
SPREAD = {2: 2.0, 3: 1.5}

# Uniform between (low, high); lengths in metres, angles in radians.
RADIUS = (0.3, 0.7)  # of balls and discs
EDGE = (0.4, 1.4)  # of boxes and rectangles
LENGTH = (0.6, 2.0)  # of segments and of capsules without their caps
TUBE_RADIUS = (0.15, 0.45)  # of capsules
CORNER_DISTANCE = (0.4, 1.0)  # of triangles' corners from their middle
INNER_RADIUS = (0.1, 0.5)  # of sectors
WIDTH = (0.5, 1.0)  # of sectors: outer minus inner radius
HALF_ANGLE = (0.3, 1.5)
HALF_HEIGHT = (0.2, 0.6)


def draw_batch(cls: type[Shape], n: int, rng: Random | int) -> Shape:
    """A batch of n shapes of a class, of everyday sizes, strewn about the origin.

    Parameters
    ----------
    cls
        A class of shapes; meshes are not made here.
    n
        How many.
    rng
        Generator or seed.

    >>> import ougi
    >>> draw_batch(ougi.Sphere, 3, 0)
    <Sphere batch of shape (3,)>
    """
    random = np.random.default_rng(rng)
    spread = SPREAD[cls.dimension]
    return _builder(cls)(random.uniform(-spread, spread, (n, cls.dimension)), random)


def draw_central(cls: type[Shape], rng: Random | int) -> Shape:
    """A single shape as in `random_batch`, with its middle at the origin.

    >>> import ougi
    >>> draw_central(ougi.Sphere, 0).center.tolist()
    [0.0, 0.0, 0.0]
    """
    return _builder(cls)(np.zeros(cls.dimension), np.random.default_rng(rng))


def draw_index_pairs(n_a: int, n_b: int, m: int, rng: Random | int) -> Ints:
    """Index pairs (m, 2) into batches of n_a and n_b shapes, in no order.

    >>> draw_index_pairs(5, 5, 3, 0).shape
    (3, 2)
    """
    return np.random.default_rng(rng).integers(0, [n_a, n_b], (m, 2))


def _number(between: tuple[float, float], middle: Floats, rng: Random) -> Floats:
    """One number for each middle."""
    return rng.uniform(*between, middle.shape[:-1])


def _unit(middle: Floats, components: int, rng: Random) -> Floats:
    """A random direction for each middle."""
    v = rng.normal(size=(*middle.shape[:-1], components))
    unit: Floats = v / np.linalg.norm(v, axis=-1, keepdims=True)
    return unit


def _ends(middle: Floats, rng: Random) -> tuple[Floats, Floats]:
    half = _unit(middle, middle.shape[-1], rng) * _number(LENGTH, middle, rng)[..., None] / 2
    return middle - half, middle + half


def _corners(middle: Floats, rng: Random) -> tuple[Floats, Floats, Floats]:
    def corner() -> Floats:
        away = _number(CORNER_DISTANCE, middle, rng)[..., None]
        point: Floats = middle + away * _unit(middle, middle.shape[-1], rng)
        return point

    return corner(), corner(), corner()


def _edges(middle: Floats, rng: Random) -> Floats:
    return rng.uniform(*EDGE, middle.shape)


def _aabb(cls: type[Aabb2d] | type[Aabb3d], middle: Floats, rng: Random) -> Shape:
    half = _edges(middle, rng) / 2
    return cls(middle - half, middle + half)


def _rectangle(middle: Floats, rng: Random) -> Shape:
    return Rectangle(middle, _edges(middle, rng), _number((-np.pi, np.pi), middle, rng))


def _sector2d(middle: Floats, rng: Random) -> Shape:
    inner = _number(INNER_RADIUS, middle, rng)
    return Sector2d(
        center=middle,
        direction=_unit(middle, 2, rng),
        half_angle=_number(HALF_ANGLE, middle, rng),
        inner_radius=inner,
        outer_radius=inner + _number(WIDTH, middle, rng),
    )


def _sector3d(middle: Floats, rng: Random) -> Shape:
    inner = _number(INNER_RADIUS, middle, rng)
    return Sector3d(
        center=middle,
        axis=_unit(middle, 3, rng),
        direction=_unit(middle, 3, rng),
        half_angle=_number(HALF_ANGLE, middle, rng),
        inner_radius=inner,
        outer_radius=inner + _number(WIDTH, middle, rng),
        half_height=_number(HALF_HEIGHT, middle, rng),
    )


# A class -> how shapes of it are made around given middles (..., d).
_BUILDERS: dict[type[Shape], Callable[[Floats, Any], Shape]] = {
    Point2d: lambda middle, rng: Point2d(middle),
    Circle: lambda middle, rng: Circle(middle, _number(RADIUS, middle, rng)),
    Segment2d: lambda middle, rng: Segment2d(*_ends(middle, rng)),
    Capsule2d: lambda middle, rng: Capsule2d(*_ends(middle, rng), _number(TUBE_RADIUS, middle, rng)),
    Triangle2d: lambda middle, rng: Triangle2d(*_corners(middle, rng)),
    Rectangle: _rectangle,
    Aabb2d: lambda middle, rng: _aabb(Aabb2d, middle, rng),
    Point3d: lambda middle, rng: Point3d(middle),
    Sphere: lambda middle, rng: Sphere(middle, _number(RADIUS, middle, rng)),
    Segment3d: lambda middle, rng: Segment3d(*_ends(middle, rng)),
    Capsule3d: lambda middle, rng: Capsule3d(*_ends(middle, rng), _number(TUBE_RADIUS, middle, rng)),
    Triangle3d: lambda middle, rng: Triangle3d(*_corners(middle, rng)),
    Box: lambda middle, rng: Box(middle, _edges(middle, rng), _unit(middle, 4, rng)),
    Aabb3d: lambda middle, rng: _aabb(Aabb3d, middle, rng),
    Sector2d: _sector2d,
    Sector3d: _sector3d,
}


def _builder(cls: type[Shape]) -> Callable[[Floats, Random], Shape]:
    if cls not in _BUILDERS:
        known = ", ".join(c.__name__ for c in _BUILDERS)
        raise TypeError(f"no random {cls.__name__} is made here; known are {known}")
    return _BUILDERS[cls]
