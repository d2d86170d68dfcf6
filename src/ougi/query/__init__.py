"""Queries of two shapes. Touching counts. Arrays of points are operands too."""

from ougi.query.answers import Closest, Contact, Manifold, RayHits
from ougi.query.queries import closest_points, contacts, contains, distance, intersects

__all__ = [
    "Closest",
    "Contact",
    "Manifold",
    "RayHits",
    "closest_points",
    "contacts",
    "contains",
    "distance",
    "intersects",
]
