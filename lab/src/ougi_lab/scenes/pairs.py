"""Seeded random pairs of shapes: ordinary ones, and those that break kernels.

A pair is drawn as two `Draw`s, which hold enough numbers for every class, so that the families below are
written once: they make draws flat, parallel, far away and so on, and only then the classes are built.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Cylinder,
    Ellipsoid,
    Point2d,
    Point3d,
    Rectangle,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)

CLASSES: tuple[type[Shape], ...] = (
    *(Point2d, Circle, Segment2d, Capsule2d, Triangle2d, Rectangle, Aabb2d),
    *(Point3d, Sphere, Segment3d, Capsule3d, Triangle3d, Box, Aabb3d),
)

HULLS: tuple[type[Shape], ...] = (ConvexPolygon2d, ConvexHull3d)

SOLIDS: tuple[type[Shape], ...] = (Cylinder, Cone, Ellipsoid)

# Family -> share of the cases.
FAMILIES = {
    "ordinary": 0.44,  # sizes 0.1..3, anywhere in a cube in which about half of the pairs overlap
    "flat": 0.12,  # radii and edges zero or tiny: discs, needles, slivers, points
    "parallel": 0.12,  # the same or nearly the same orientation, faces and edges flush
    "aligned": 0.06,  # along the coordinate axes
    "integer": 0.10,  # small whole and half numbers: many touch exactly
    "far": 0.04,  # up to 1e6 away from the origin
    "tiny": 0.04,  # everything times 1e-3
    "huge": 0.04,  # everything times 1e3
    "uneven": 0.04,  # one small, the other long
}


@dataclass
class Draw:
    """n bodies: `half` are half edges along the columns of `turn`, `corners` a triangle's in that frame."""

    center: Floats  # (n, d)
    half: Floats  # (n, d)
    angle: Floats  # (n,), used in the plane
    turn: Floats  # (n, d, d)
    radius: Floats  # (n,)
    corners: Floats  # (n, 3, d), in [-1, 1]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.center.shape[1])

    def __getitem__(self, index: Any) -> Draw:
        return Draw(**{f.name: getattr(self, f.name)[index] for f in fields(self)})


def draw_pairs(
    a: type[Shape], b: type[Shape], n: int, rng: np.random.Generator, family: str | None = None
) -> tuple[Any, Any]:
    """n random pairs of two classes as two batches of shape (n,).

    Parameters
    ----------
    a, b
        Classes of `CLASSES`, `HULLS` or `SOLIDS`, of one dimension.
    n
        How many.
    rng
        Decides everything.
    family
        A key of `FAMILIES`; None mixes them by their shares.
    """
    names = list(FAMILIES)
    if family is None:
        which = rng.choice(len(names), size=n, p=list(FAMILIES.values()))
    else:
        which = np.full(n, names.index(family))
    x, y = _draw_bodies(a.dimension, n, rng), _draw_bodies(a.dimension, n, rng)
    _flatten(x, which == names.index("flat"), rng)
    _flatten(y, which == names.index("flat"), rng)
    uneven = which == names.index("uneven")
    shrink = 10 ** rng.uniform(-4, 0, (n, 1))
    x.half[uneven] *= shrink[uneven]
    x.radius[uneven] *= shrink[uneven, 0]
    y.half[uneven, 0] *= 10 ** rng.uniform(0, 3, n)[uneven]
    for cls, body in ((a, x), (b, y)):
        if cls in HULLS:
            _share_sizes(body, which)
    reach = (_estimate_reach(a, x) + _estimate_reach(b, y))[:, None]
    y.center[:] = x.center + rng.uniform(-1, 1, y.center.shape) * (_SPREAD[a.dimension] * reach + 0.1)
    _make_parallel(x, y, which == names.index("parallel"), rng)
    for body in (x, y):
        _align_axes(body, (which == names.index("aligned")) | (which == names.index("integer")), rng)
        _round_numbers(body, which == names.index("integer"), rng)
    for name, factor in (("tiny", 1e-3), ("huge", 1e3)):
        for body in (x, y):
            scaled = which == names.index(name)
            body.center[scaled] *= factor
            body.half[scaled] *= factor
            body.radius[scaled] *= factor
    away = rng.normal(size=x.center.shape) * 10 ** rng.uniform(2, 6, (n, 1))
    away[which != names.index("far")] = 0.0
    x.center += away
    y.center += away
    return build_shapes(a, x), build_shapes(b, y)


def draw_shapes(cls: type[Shape], n: int, rng: np.random.Generator, family: str | None = None) -> Any:
    """n random shapes of one class: the first halves of random pairs."""
    return draw_pairs(cls, cls, n, rng, family)[0]


# Half the side of the cube of relative positions, in units of the two reaches: about half of the pairs of
# solids overlap.
_SPREAD = {2: 1.1, 3: 1.05}


def _draw_bodies(d: int, n: int, rng: np.random.Generator) -> Draw:
    angle = rng.uniform(-np.pi, np.pi, n)
    turn = rotation_2d(angle) if d == 2 else rotation_3d(rng.normal(size=(n, 4)))
    return Draw(
        center=rng.uniform(-2, 2, (n, d)),
        half=rng.uniform(0.05, 1.5, (n, d)),
        angle=angle,
        turn=turn,
        radius=rng.uniform(0.05, 1.5, n),
        corners=rng.uniform(-1, 1, (n, 3, d)),
    )


def rotation_2d(angle: Floats) -> Floats:
    """Rotation matrices (n, 2, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c, -s, s, c], axis=-1).reshape((*angle.shape, 2, 2))


def rotation_3d(quaternion: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of quaternions xyzw of any length."""
    x, y, z, w = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        *(w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    ]
    return np.stack(rows, axis=-1).reshape((*x.shape, 3, 3))


def _estimate_reach(cls: type[Shape], draw: Draw) -> Floats:
    """How far a body reaches on average, roughly."""
    name = cls.__name__
    if name.startswith("Point"):
        return np.zeros(len(draw.radius))
    if name in ("Circle", "Sphere"):
        return draw.radius
    if name.startswith("Segment"):
        return draw.half[:, 0] / 2
    if name.startswith("Capsule"):
        return draw.half[:, 0] / 2 + draw.radius
    size: Floats = draw.half.mean(axis=1)
    return size / 2 if name.startswith("Triangle") else size


_FLAT = np.array([0.0, 0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1.0])


def _flatten(draw: Draw, chosen: Bools, rng: np.random.Generator) -> None:
    draw.half[chosen] *= rng.choice(_FLAT, draw.half.shape)[chosen]
    draw.radius[chosen] *= rng.choice(_FLAT, draw.radius.shape)[chosen]


def _make_parallel(a: Draw, b: Draw, chosen: Bools, rng: np.random.Generator) -> None:
    """Give b the orientation of a, exactly or nearly, up to right angles; often flush or in one plane."""
    index = np.flatnonzero(chosen)
    n, d = len(index), a.dimension
    quarter, steps = _draw_right_angles(d, n, rng)
    error = 10 ** rng.uniform(-13, -1, n) * rng.choice([0.0, 1.0], n)
    b.angle[index] = a.angle[index] + steps * (np.pi / 2) + error
    if d == 2:
        b.turn[index] = rotation_2d(b.angle[index])
    else:
        axis = error[:, None] * rng.normal(size=(n, 3))
        b.turn[index] = a.turn[index] @ quarter @ rotation_3d(np.append(axis, np.ones((n, 1)), axis=1))
    for body in (a, b):  # triangles in parallel planes
        body.half[index, -1] *= rng.choice([0.0, 1.0], n)
    width = (quarter @ b.half[index][:, :, None])[..., 0]
    flush = a.half[index] + rng.choice([-1.0, 1.0], (n, d)) * np.abs(width)
    offset = rng.choice([-1.0, 1.0], (n, d)) * flush * rng.choice([0.0, 0.5, 1.0, 1.0], (n, d))
    b.center[index] = a.center[index] + (a.turn[index] @ offset[..., None])[..., 0]


def _draw_right_angles(d: int, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Random turns by right angles, exact; in the plane also as the number of quarter turns."""
    steps = rng.integers(0, 4, n)
    if d == 2:
        c, s = np.array([1.0, 0, -1, 0])[steps], np.array([0.0, 1, 0, -1])[steps]
        return np.stack([c, -s, s, c], axis=-1).reshape((n, 2, 2)), steps
    axes = np.argsort(rng.random((n, 3)), axis=1)
    turn = np.zeros((n, 3, 3))
    np.put_along_axis(turn, axes[:, None, :], rng.choice([-1.0, 1.0], (n, 1, 3)), axis=1)
    turn[:, :, 2] *= np.linalg.det(turn)[:, None].round()
    return turn, steps


def _align_axes(draw: Draw, chosen: Bools, rng: np.random.Generator) -> None:
    index = np.flatnonzero(chosen)
    turn, steps = _draw_right_angles(draw.dimension, len(index), rng)
    draw.turn[index] = turn
    draw.angle[index] = steps * (np.pi / 2) * rng.choice([0.0, 1.0], len(index))


def _round_numbers(draw: Draw, chosen: Bools, rng: np.random.Generator) -> None:
    for name in ("center", "half", "radius"):
        values = getattr(draw, name)
        values[chosen] = np.round(2 * values[chosen]) / 2
    draw.corners[chosen] = np.round(draw.corners[chosen])


# Bodies of one family have one of this many sizes, so that they share templates, which take long to build.
_SIZES = 12


def _share_sizes(draw: Draw, which: Ints) -> None:
    """Give the bodies of each family few different sizes."""
    for family in np.unique(which):
        rows = np.flatnonzero(which == family)
        first = rows[: min(_SIZES, len(rows))]
        draw.half[rows] = draw.half[first[np.arange(len(rows)) % len(first)]]


def _build_hulls(cls: Any, draw: Draw) -> Any:
    """Hulls of up to 12 points, of coordinates in [-1, 1] times half the edges; a third has no radius."""
    sizes, index = np.unique(draw.half, axis=0, return_inverse=True)
    rng = np.random.default_rng(12)
    make = cls.from_points if draw.dimension == 2 else cls
    templates = []
    for k, half in enumerate(sizes):
        points = rng.uniform(-1, 1, (int(rng.integers(1, 13)), draw.dimension))
        points = np.sign(points) if k % 4 == 0 else np.round(points) if k % 4 == 1 else points
        templates.append(make(points * half))
    order = np.array([one.template.item() for one in templates], object)
    offset = np.reshape([one.position for one in templates], (-1, draw.dimension))
    index = index.ravel()
    fields = {
        "template": order[index],
        "position": draw.center + (draw.turn @ offset[index][..., None])[..., 0],
        "rotation": draw.turn,
        "radius": np.where(index % 3 == 0, 0.0, draw.radius),
    }
    return cls._from_fields((len(index),), fields)


def build_shapes(cls: type[Shape], draw: Draw) -> Any:
    """The shapes of a class that a draw describes."""
    make: Any = cls
    center, name = draw.center, cls.__name__
    if cls in HULLS:
        return _build_hulls(cls, draw)
    if cls is Ellipsoid:
        return make(center, draw.half, draw.turn)
    if cls in SOLIDS:
        return make(center, draw.turn[:, :, 2], draw.radius, draw.half[:, 2])
    if name.startswith("Point"):
        return make(center)
    if name in ("Circle", "Sphere"):
        return make(center, draw.radius)
    if name.startswith(("Segment", "Capsule")):
        along = draw.turn[:, :, 0] * draw.half[:, :1]
        radius = (draw.radius,) if name.startswith("Capsule") else ()
        return make(center - along, center + along, *radius)
    if name.startswith("Triangle"):
        corners = center[:, None] + (draw.corners * draw.half[:, None]) @ np.swapaxes(draw.turn, 1, 2)
        return make(*np.moveaxis(corners, 1, 0))
    if name.startswith("Aabb"):
        return make(center - draw.half, center + draw.half)
    return make(center, 2 * draw.half, draw.angle if draw.dimension == 2 else draw.turn)


# Class -> fields that move with the shape.
_POSITIONS = ("position", "center", "start", "end", "a", "b", "c", "lower", "upper")


def translate(shape: Any, offset: Floats) -> Any:
    """A batch moved by (n, d) offsets; nothing else about it changes, not by one bit."""
    values = {name: getattr(shape, name) for name in shape._fields}
    values.update({name: values[name] + offset for name in _POSITIONS if name in values})
    return shape._from_fields(shape.shape, values)
