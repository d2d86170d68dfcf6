"""Which kernel finds the first contact of which pair.

Every class has one canonical layout: points are balls of radius 0, segments capsules of radius 0, shapes of
the plane are flat shapes of space, and whole sectors are cylinders. There is one kernel per unordered
pair of layouts, in `kernels/impact/<kernel>.py`: its first body moves, its second rests.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ougi import _check
from ougi.errors import UnsupportedPairError
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
    Sector2d,
    Sector3d,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)

# What users may choose: the engine that fits, or certified advancement for everything.
Method: TypeAlias = Literal["auto", "advancement"]

LAYOUTS: dict[type[Shape], str] = {
    Point2d: "sphere",
    Circle: "sphere",
    Segment2d: "capsule3d",
    Capsule2d: "capsule3d",
    Triangle2d: "triangle3d",
    Rectangle: "box",
    Aabb2d: "box",
    Point3d: "sphere",
    Sphere: "sphere",
    Segment3d: "capsule3d",
    Capsule3d: "capsule3d",
    Triangle3d: "triangle3d",
    Box: "box",
    Aabb3d: "box",
    Cylinder: "cylinder",
    Sector3d: "cylinder",
}

# Classes with kernels of their own (`hulls.py`); every convex body can be laid out like them.
HULLS: tuple[type[Shape], ...] = (ConvexHull3d, ConvexPolygon2d, Cone, Ellipsoid)

# Those that are curved, for which hulls have a kernel of support functions.
SOLIDS: tuple[type[Shape], ...] = (Cylinder, Cone, Ellipsoid)

KERNELS = (
    "sphere_sphere",
    "sphere_capsule3d",
    "sphere_triangle3d",
    "sphere_box",
    "capsule3d_capsule3d",
    "capsule3d_triangle3d",
    "capsule3d_box",
    "triangle3d_triangle3d",
    "triangle3d_box",
    "box_box",
    "sphere_cylinder",
    "capsule3d_cylinder",
    "triangle3d_cylinder",
    "box_cylinder",
    "cylinder_cylinder",
)

# Those of bodies without radius: their kernels follow separating axes, which know no gaps. A margin is
# certified by the kernels of two moving bodies.
SHARP = ("triangle3d_triangle3d", "triangle3d_box", "box_box")


class Found(NamedTuple):
    """The kernel of a pair; `swapped` if its moving body is the target, in the frame of the moving shape."""

    kernel: str
    swapped: bool


def find(moving: type[Shape], target: type[Shape]) -> Found:
    """The kernel of a moving class and a target."""
    a, b = LAYOUTS.get(moving), LAYOUTS.get(target)
    if a and b and moving.dimension == target.dimension:
        if f"{a}_{b}" in KERNELS:
            return Found(f"{a}_{b}", swapped=False)
        if f"{b}_{a}" in KERNELS:
            return Found(f"{b}_{a}", swapped=True)
    raise UnsupportedPairError(describe_unsupported(moving, target))


def require_cylinder(name: str, sector: Sector3d) -> None:
    """Refuse sectors that are no whole cylinders, on a GPU and as links of robots."""
    whole = "here, where sectors must be whole cylinders: half_angle=math.pi and inner_radius=0"
    _check.refuse(sector.half_angle < np.pi, f"{name}.half_angle", f"be math.pi {whole}", sector.half_angle)
    _check.refuse(sector.inner_radius > 0, f"{name}.inner_radius", f"be 0 {whole}", sector.inner_radius)


def is_cylinder(sector: Sector3d) -> bool:
    """Are all of them whole cylinders, which kernels know?"""
    return bool((sector.half_angle == np.pi).all() and (sector.inner_radius == 0).all())


def describe_unsupported(moving: type[Shape], target: type[Shape]) -> str:
    """The message about two classes that no engine knows."""
    start = f"time_of_impact({_name(moving)}, {_name(target)}) is not supported"
    for cls in (moving, target):
        if hasattr(cls, "_intersects"):  # a Sweep has no one dimension
            return f"{start}; use intersects or contains with a {cls.__name__}"
    if moving.dimension != target.dimension:
        return f"{start}: {_name(moving)} is {moving.dimension}-D and {_name(target)} is {target.dimension}-D"
    classes: list[type[Shape]] = [*LAYOUTS, *HULLS, Sector2d]
    known = ", ".join(_name(cls) for cls in classes if cls.dimension == moving.dimension)
    return f"{start}; all pairs of these are: {known}"


def _name(cls: type[Shape]) -> str:
    return "points" if cls in (Point2d, Point3d) else cls.__name__
