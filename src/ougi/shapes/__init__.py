"""What users build: immutable batches of shapes."""

from ougi.shapes._shape import Shape
from ougi.shapes.aabb import Aabb2d, Aabb3d
from ougi.shapes.box import Box
from ougi.shapes.capsule import Capsule2d, Capsule3d
from ougi.shapes.circle import Circle
from ougi.shapes.compound import Compound, Compound2d, Compound3d, Polygon2d
from ougi.shapes.cone import Cone
from ougi.shapes.cylinder import Cylinder
from ougi.shapes.ellipsoid import Ellipsoid
from ougi.shapes.half_space import HalfSpace, HalfSpace2d, HalfSpace3d
from ougi.shapes.hull import ConvexHull3d, ConvexPolygon2d
from ougi.shapes.mesh import Mesh
from ougi.shapes.point import Point2d, Point3d, ShapeLike, as_shape
from ougi.shapes.rectangle import Rectangle
from ougi.shapes.sector import Sector2d, Sector3d
from ougi.shapes.segment import Segment2d, Segment3d
from ougi.shapes.sphere import Sphere
from ougi.shapes.triangle import Triangle2d, Triangle3d

__all__ = [
    "Aabb2d",
    "Aabb3d",
    "Box",
    "Capsule2d",
    "Capsule3d",
    "Circle",
    "Compound",
    "Compound2d",
    "Compound3d",
    "Cone",
    "ConvexHull3d",
    "ConvexPolygon2d",
    "Cylinder",
    "Ellipsoid",
    "HalfSpace",
    "HalfSpace2d",
    "HalfSpace3d",
    "Mesh",
    "Point2d",
    "Point3d",
    "Polygon2d",
    "Rectangle",
    "Sector2d",
    "Sector3d",
    "Segment2d",
    "Segment3d",
    "Shape",
    "ShapeLike",
    "Sphere",
    "Triangle2d",
    "Triangle3d",
    "as_shape",
]
