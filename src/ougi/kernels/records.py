"""What kernels work on: small immutable records of floats. This file imports nothing of ours.

A record is what a kernel receives of a shape. Its fields, flattened in order, are the rows of the shape's
`columns`; `load.py` reads them back.
"""

from __future__ import annotations

from typing import NamedTuple


class Vec2(NamedTuple):
    """A point or vector in the plane."""

    x: float
    y: float


class Vec3(NamedTuple):
    """A point or vector in space."""

    x: float
    y: float
    z: float


class Circle(NamedTuple):
    center: Vec2
    radius: float


class Capsule2d(NamedTuple):
    start: Vec2
    end: Vec2
    radius: float


class Triangle2d(NamedTuple):
    a: Vec2
    b: Vec2
    c: Vec2


class Rectangle(NamedTuple):
    """`half` are half edge lengths, `x` is the unit vector of the first edge."""

    center: Vec2
    half: Vec2
    x: Vec2


class Aabb2d(NamedTuple):
    lower: Vec2
    upper: Vec2


class Sphere(NamedTuple):
    center: Vec3
    radius: float


class Capsule3d(NamedTuple):
    start: Vec3
    end: Vec3
    radius: float


class Triangle3d(NamedTuple):
    a: Vec3
    b: Vec3
    c: Vec3


class Box(NamedTuple):
    """`half` are half edge lengths, `x`, `y`, `z` the unit vectors of the edges (right-handed)."""

    center: Vec3
    half: Vec3
    x: Vec3
    y: Vec3
    z: Vec3


class Aabb3d(NamedTuple):
    lower: Vec3
    upper: Vec3


class Frame(NamedTuple):
    """A right-handed frame: FAN's O, A, K = U x A and U, in this order (2.3)."""

    center: Vec3
    x: Vec3
    y: Vec3
    z: Vec3


class Sector3d(NamedTuple):
    """A thick fan in its frame: `side` is (cos, sin) of the half angle."""

    frame: Frame
    side: Vec2
    inner_radius: float
    outer_radius: float
    half_height: float


class Cylinder(NamedTuple):
    """A thick fan that is a whole cylinder, about the z axis of its frame."""

    frame: Frame
    radius: float
    half_height: float


class Sector2d(NamedTuple):
    """A fan in the plane: `x` is the unit vector along its middle, `side` (cos, sin) of the half angle."""

    center: Vec2
    x: Vec2
    side: Vec2
    inner_radius: float
    outer_radius: float


class Screw3d(NamedTuple):
    """Turn by `angle` about the axis while moving `advance` along it; both are reached at t = 1."""

    center: Vec3
    axis: Vec3
    angle: float
    advance: float


class BoxTurn(NamedTuple):
    """A box and how it turns: center and axis in the box's own coordinates, cos and sin of the angle.

    The angle is not negative, and `half_turns` is it over pi.
    """

    box: Box
    center: Vec3
    axis: Vec3
    cos: float
    sin: float
    half_turns: float


class Separation2d(NamedTuple):
    """See Separation3d."""

    distance: float
    normal: Vec2
    point_a: Vec2
    point_b: Vec2


class Separation3d(NamedTuple):
    """How far apart a and b are: point_b = point_a + distance * normal, the points lie on the surfaces.

    A negative distance is minus the least translation that separates them; `normal` points from a to b.
    """

    distance: float
    normal: Vec3
    point_a: Vec3
    point_b: Vec3


class Impact3d(NamedTuple):
    """First contact of a motion: status as in `ougi.Impact`, time in [0, 1], point and normal."""

    status: float
    t: float
    point: Vec3
    normal: Vec3
