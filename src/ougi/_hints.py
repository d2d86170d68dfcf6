"""Hints for names that `ougi` does not have."""

from __future__ import annotations

import difflib

# Names of other libraries -> what to use instead.
SYNONYMS = {
    "AABB": "use Aabb2d or Aabb3d",
    "Ball": "use Circle or Sphere",
    "Compound": "use Compound2d or Compound3d",
    "Capsule": "use Capsule2d or Capsule3d",
    "ConvexHull": "use ConvexHull3d or ConvexPolygon2d",
    "Cuboid": "use Box",
    "Halfspace": "use HalfSpace2d or HalfSpace3d",
    "HeightField": "use from_heights of the class Mesh",
    "Hull": "use ConvexHull3d or ConvexPolygon2d",
    "LineString": "use Segment2d or Segment3d",
    "OBB": "use Rectangle or Box",
    "Plane": "use HalfSpace2d or HalfSpace3d",
    "Hitbox": "use Hitbox of the package games",
    "Point": "points are plain arrays (..., 2) or (..., 3)",
    "Polygon": "use ConvexPolygon2d, or Polygon2d if it is not convex or has holes",
    "Projectile": "use Projectile of the package games",
    "Ray": "use raycast with origins and directions",
    "Rect": "use Rectangle or Aabb2d",
    "Segment": "use Segment2d or Segment3d",
    "Swing": "use Swing of the package games",
    "TargetSet": "use TargetSet of the package games",
    "Transform": "use Pose",
    "Triangle": "use Triangle2d or Triangle3d",
    "collide": "use intersects or contacts",
    "sdf": "use distance",
    "separation": "use distance or closest_points",
    "toi": "use time_of_impact",
    "shape_cast": "use time_of_impact with a translation, or World.query",
    "shapecast": "use time_of_impact with a translation, or World.query",
}


def find_hint(name: str, names: list[str]) -> str:
    """What to use instead of an unknown name; empty if nothing is near.

    >>> find_hint("Spher", ["Sphere", "Box"]), find_hint("Cuboid", ["Sphere", "Box"])
    ("; did you mean 'Sphere'?", '; use Box')
    """
    known = {other.lower(): other for other in names}
    synonyms = {other.lower(): hint for other, hint in SYNONYMS.items()}
    stem = name.lower().removesuffix("2d").removesuffix("3d")
    if name.startswith("_"):
        return ""
    if hint := synonyms.get(name.lower(), synonyms.get(stem)):
        return f"; {hint}"
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75)
    return f"; did you mean {known[near[0]]!r}?" if near else ""
