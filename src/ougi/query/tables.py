"""Which kernel computes which query of which pair: one literal table per query.

A row names two classes, in the fixed order of the table, and the kernel's file, which also says what each
class is laid out as: `Pair(Segment3d, Box, "capsule3d_box")` treats a segment as a capsule of radius 0.
"""

from __future__ import annotations

from typing import NamedTuple

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
    HalfSpace2d,
    HalfSpace3d,
    Mesh,
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


class Pair(NamedTuple):
    """A row: the kernel `<question>_<kernel>` in `kernels/<kernel>.py` takes an `a` and a `b`."""

    a: type[Shape]
    b: type[Shape]
    kernel: str

    @property
    def layouts(self) -> tuple[str, str]:
        """The records that the kernel takes."""
        a, b = self.kernel.split("_")
        return a, b


# Distance, nearest points and contacts: cores and radii, ten kernels per dimension.
SEPARATION = (
    Pair(Point2d, Point2d, "circle_circle"),
    Pair(Point2d, Circle, "circle_circle"),
    Pair(Point2d, Segment2d, "circle_capsule2d"),
    Pair(Point2d, Capsule2d, "circle_capsule2d"),
    Pair(Point2d, Triangle2d, "circle_triangle2d"),
    Pair(Point2d, Rectangle, "circle_rectangle"),
    Pair(Point2d, Aabb2d, "circle_rectangle"),
    Pair(Circle, Circle, "circle_circle"),
    Pair(Circle, Segment2d, "circle_capsule2d"),
    Pair(Circle, Capsule2d, "circle_capsule2d"),
    Pair(Circle, Triangle2d, "circle_triangle2d"),
    Pair(Circle, Rectangle, "circle_rectangle"),
    Pair(Circle, Aabb2d, "circle_rectangle"),
    Pair(Segment2d, Segment2d, "capsule2d_capsule2d"),
    Pair(Segment2d, Capsule2d, "capsule2d_capsule2d"),
    Pair(Segment2d, Triangle2d, "capsule2d_triangle2d"),
    Pair(Segment2d, Rectangle, "capsule2d_rectangle"),
    Pair(Segment2d, Aabb2d, "capsule2d_rectangle"),
    Pair(Capsule2d, Capsule2d, "capsule2d_capsule2d"),
    Pair(Capsule2d, Triangle2d, "capsule2d_triangle2d"),
    Pair(Capsule2d, Rectangle, "capsule2d_rectangle"),
    Pair(Capsule2d, Aabb2d, "capsule2d_rectangle"),
    Pair(Triangle2d, Triangle2d, "triangle2d_triangle2d"),
    Pair(Triangle2d, Rectangle, "triangle2d_rectangle"),
    Pair(Triangle2d, Aabb2d, "triangle2d_rectangle"),
    Pair(Rectangle, Rectangle, "rectangle_rectangle"),
    Pair(Rectangle, Aabb2d, "rectangle_rectangle"),
    Pair(Aabb2d, Aabb2d, "rectangle_rectangle"),
    Pair(Point3d, Point3d, "sphere_sphere"),
    Pair(Point3d, Sphere, "sphere_sphere"),
    Pair(Point3d, Segment3d, "sphere_capsule3d"),
    Pair(Point3d, Capsule3d, "sphere_capsule3d"),
    Pair(Point3d, Triangle3d, "sphere_triangle3d"),
    Pair(Point3d, Box, "sphere_box"),
    Pair(Point3d, Aabb3d, "sphere_box"),
    Pair(Sphere, Sphere, "sphere_sphere"),
    Pair(Sphere, Segment3d, "sphere_capsule3d"),
    Pair(Sphere, Capsule3d, "sphere_capsule3d"),
    Pair(Sphere, Triangle3d, "sphere_triangle3d"),
    Pair(Sphere, Box, "sphere_box"),
    Pair(Sphere, Aabb3d, "sphere_box"),
    Pair(Segment3d, Segment3d, "capsule3d_capsule3d"),
    Pair(Segment3d, Capsule3d, "capsule3d_capsule3d"),
    Pair(Segment3d, Triangle3d, "capsule3d_triangle3d"),
    Pair(Segment3d, Box, "capsule3d_box"),
    Pair(Segment3d, Aabb3d, "capsule3d_box"),
    Pair(Capsule3d, Capsule3d, "capsule3d_capsule3d"),
    Pair(Capsule3d, Triangle3d, "capsule3d_triangle3d"),
    Pair(Capsule3d, Box, "capsule3d_box"),
    Pair(Capsule3d, Aabb3d, "capsule3d_box"),
    Pair(Triangle3d, Triangle3d, "triangle3d_triangle3d"),
    Pair(Triangle3d, Box, "triangle3d_box"),
    Pair(Triangle3d, Aabb3d, "triangle3d_box"),
    Pair(Box, Box, "box_box"),
    Pair(Box, Aabb3d, "box_box"),
    Pair(Aabb3d, Aabb3d, "box_box"),
)

# Sectors are not convex: they have distances, which are 0 where bodies overlap, but no depths and normals.
_SECTOR_DISTANCES = (
    Pair(Sector2d, Point2d, "sector2d_circle"),
    Pair(Sector2d, Circle, "sector2d_circle"),
    Pair(Sector2d, Segment2d, "sector2d_capsule2d"),
    Pair(Sector2d, Capsule2d, "sector2d_capsule2d"),
    Pair(Sector2d, Triangle2d, "sector2d_triangle2d"),
    Pair(Sector2d, Rectangle, "sector2d_rectangle"),
    Pair(Sector2d, Aabb2d, "sector2d_rectangle"),
    Pair(Sector2d, Sector2d, "sector2d_sector2d"),
    Pair(Sector3d, Point3d, "sector3d_sphere"),
    Pair(Sector3d, Sphere, "sector3d_sphere"),
    Pair(Sector3d, Segment3d, "sector3d_capsule3d"),
    Pair(Sector3d, Capsule3d, "sector3d_capsule3d"),
)

# Sectors against bodies in space to which they have no distance.
_SECTOR_TESTS = (
    Pair(Sector3d, Triangle3d, "sector3d_triangle3d"),
    Pair(Sector3d, Box, "sector3d_box"),
    Pair(Sector3d, Aabb3d, "sector3d_box"),
    Pair(Sector3d, Sector3d, "sector3d_sector3d"),
)

# Axis-aligned boxes have faster tests of their own.
_OWN_TESTS = (
    Pair(Point2d, Aabb2d, "circle_aabb2d"),
    Pair(Circle, Aabb2d, "circle_aabb2d"),
    Pair(Aabb2d, Aabb2d, "aabb2d_aabb2d"),
    Pair(Point3d, Aabb3d, "sphere_aabb3d"),
    Pair(Sphere, Aabb3d, "sphere_aabb3d"),
    Pair(Aabb3d, Aabb3d, "aabb3d_aabb3d"),
)

_own = {(row.a, row.b) for row in _OWN_TESTS}
INTERSECTS = (
    *(row for row in SEPARATION if (row.a, row.b) not in _own),
    *_OWN_TESTS,
    *_SECTOR_DISTANCES,
    *_SECTOR_TESTS,
)

# Pairs with hulls and polygons: one kernel for each dimension, in `kernels/convex`, for all questions. Every
# polytope can be laid out as a hull.
HULLS = (
    *(
        Pair(other, ConvexPolygon2d, "polygon2d_polygon2d")
        for other in (Point2d, Circle, Segment2d, Capsule2d, Triangle2d, Rectangle, Aabb2d, ConvexPolygon2d)
    ),
    *(
        Pair(other, ConvexHull3d, "hull3d_hull3d")
        for other in (Point3d, Sphere, Segment3d, Capsule3d, Triangle3d, Box, Aabb3d, ConvexHull3d)
    ),
)

# Tests of cylinders, which are sectors of a whole turn.
_CYLINDER_TESTS = (
    *(Pair(Cylinder, row.b, row.kernel) for row in INTERSECTS if row.a is Sector3d and row.b is not Sector3d),
    Pair(Cylinder, Sector3d, "sector3d_sector3d"),
    Pair(Cylinder, Cylinder, "sector3d_sector3d"),
)

# Pairs with curved solids, by support functions: one kernel in `kernels/convex` for all questions.
SOLIDS = tuple(
    Pair(solid, other, "solid3d_solid3d")
    for solid, others in (
        (Cylinder, (Cylinder,)),
        (Cone, (Cylinder, Cone)),
        (Ellipsoid, (Cylinder, Cone, Ellipsoid)),
    )
    for other in (Point3d, Sphere, Segment3d, Capsule3d, Triangle3d, Box, Aabb3d, ConvexHull3d, *others)
)

# Pairs with half-spaces, in `kernels/half_space`, for all questions: the support point of a body decides.
HALF_SPACES = (
    *(
        Pair(other, HalfSpace2d, "polygon2d_halfspace2d")
        for other in (Point2d, Circle, Segment2d, Capsule2d, Triangle2d, Rectangle, Aabb2d, ConvexPolygon2d)
    ),
    Pair(Sector2d, HalfSpace2d, "sector2d_halfspace2d"),
    *(
        Pair(other, HalfSpace3d, "hull3d_halfspace3d")
        for other in (
            *(Point3d, Sphere, Segment3d, Capsule3d, Triangle3d, Box, Aabb3d, ConvexHull3d, Mesh),
            *(Cone, Ellipsoid),
        )
    ),
    Pair(Sector3d, HalfSpace3d, "sector3d_halfspace3d"),
    Pair(Cylinder, HalfSpace3d, "sector3d_halfspace3d"),
    Pair(HalfSpace2d, HalfSpace2d, "halfspace2d_halfspace2d"),
    Pair(HalfSpace3d, HalfSpace3d, "halfspace3d_halfspace3d"),
)

# Rows that serve every question.
COMPLETE = (*HULLS, *HALF_SPACES)

# Kernel -> its folder in `ougi.kernels`, where it is not that itself.
FOLDERS = {
    **{row.kernel: "convex" for row in (*HULLS, *SOLIDS)},
    **{row.kernel: "half_space" for row in HALF_SPACES},
}

# Question -> its rows, without those that serve every question and those of curved solids.
TABLES = {
    "intersects": INTERSECTS,
    "distance": (*SEPARATION, *_SECTOR_DISTANCES),
    "separation": SEPARATION,
}


def list_rows(question: str) -> tuple[Pair, ...]:
    """All rows of a question."""
    solids = SOLIDS
    if question == "intersects":
        tested = {(row.a, row.b) for row in _CYLINDER_TESTS}
        solids = (*_CYLINDER_TESTS, *(row for row in SOLIDS if (row.a, row.b) not in tested))
    return (*TABLES[question], *COMPLETE, *solids)
