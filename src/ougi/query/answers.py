"""Results with several fields: frozen records of arrays."""

from __future__ import annotations

from dataclasses import dataclass

from ougi._typing import Bools, Floats, Ints
from ougi.results import Result


@dataclass(frozen=True, eq=False, repr=False)
class Closest(Result):
    """Nearest points of pairs.

    Attributes
    ----------
    distance
        (...), as `ougi.distance`.
    point_a, point_b
        (..., d), points of the surfaces; of the deepest pair where the shapes overlap.

    >>> import ougi
    >>> near = ougi.closest_points(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([5, 0, 0], 1))
    >>> float(near.distance), near.point_a.tolist(), near.point_b.tolist()
    (3.0, [1.0, 0.0, 0.0], [4.0, 0.0, 0.0])
    """

    distance: Floats
    point_a: Floats
    point_b: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Result):
    """Contacts of pairs, one each; everything but `hit` is NaN where the shapes do not touch.

    Attributes
    ----------
    hit
        (...), do they touch?
    point
        (..., d), the middle between the two deepest points.
    normal
        (..., d), unit vector from the first shape to the second: moving the second along it by `depth`
        separates them with the least effort.
    depth
        (...), not negative; infinite, with point and normal NaN, for half-spaces that nothing separates.

    >>> import ougi
    >>> contact = ougi.contacts(ougi.Sphere([0, 0, 0], 2), ougi.Sphere([3, 0, 0], 2))
    >>> bool(contact.hit), float(contact.depth), contact.normal.tolist(), contact.point.tolist()
    (True, 1.0, [1.0, 0.0, 0.0], [1.5, 0.0, 0.0])
    """

    hit: Bools
    point: Floats
    normal: Floats
    depth: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Manifold(Result):
    """Contact manifolds of pairs: the points by which two touching faces support each other.

    Attributes
    ----------
    count
        (...), how many points: 0 where the shapes do not touch, at most 2 in the plane and 4 in space.
    normal
        (..., d), that of `contacts`; NaN where the shapes do not touch.
    point
        (..., 2, 2) in the plane, (..., 4, 3) in space: each in the middle between both surfaces, in cyclic
        order. Rows from `count` on are NaN.
    depth
        (..., 2) or (..., 4), of each point along the normal; not negative. The surface of the first shape is
        at point + normal * depth / 2, that of the second at point - normal * depth / 2.

    >>> import ougi
    >>> crate, floor = ougi.Box([0, 0, 0.9], [2, 2, 2]), ougi.HalfSpace3d([0, 0, 1])
    >>> manifold = ougi.manifolds(crate, floor)
    >>> int(manifold.count), manifold.normal.tolist(), manifold.depth.round(9).tolist()
    (4, [0.0, 0.0, -1.0], [0.1, 0.1, 0.1, 0.1])
    """

    count: Ints
    normal: Floats
    point: Floats
    depth: Floats


@dataclass(frozen=True, eq=False, repr=False)
class RayHits(Result):
    """First hits of rays, one each.

    Attributes
    ----------
    hit
        (...), is there one?
    t
        (...), the hit is at origin + t direction; infinite where there is none.
    point, normal
        (..., d), where, and the unit normal of the surface, against the ray; NaN where there is no hit. A ray
        that starts in a solid hits it at t = 0 and has no normal.
    body, face
        (...), which of the bodies, and which face of a mesh; -1 where there is none.

    >>> import ougi
    >>> mesh = ougi.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> hits = ougi.raycast([[0.2, 0.2, 3], [2, 2, 3]], [0, 0, -1], mesh)
    >>> hits.t.tolist(), hits.face.tolist(), hits.normal[0].tolist()
    ([3.0, inf], [0, -1], [0.0, 0.0, 1.0])
    """

    hit: Bools
    t: Floats
    point: Floats
    normal: Floats
    body: Ints
    face: Ints
