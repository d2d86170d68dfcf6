"""The normal of a contact that exists at the start, up to the tolerance.

Later contacts have a normal from the step before, when the gap was wide. At the start the normal is the
direction of the gap itself. Beside a corner a gap of 1e-14 points anywhere, and with the lever of a whole
side that direction separates nothing. Then the normal of a side does, or one perpendicular to the rod.
"""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.constants import BAND, HIT
from ougi.kernels.impact.cores import TriangleCore, top_triangle
from ougi.kernels.impact.movers import ContactRecord
from ougi.kernels.records import Vec3
from ougi.kernels.support3d import triangle_edges
from ougi.kernels.vec3 import cross, dot, length, neg, sub, unit_or


@device
def _gap(t: TriangleCore, p: Vec3, q: Vec3, n: Vec3) -> float:
    """By how much the plane across n keeps the segment pq and the triangle apart."""
    return min(dot(n, p), dot(n, q)) - top_triangle(t, n)


@device
def separate_at_start(contact: ContactRecord, t: TriangleCore, p: Vec3, q: Vec3) -> ContactRecord:
    """The contact of a triangle with the segment pq at the start, with a normal that separates them."""
    if not (contact.status == HIT and contact.t == 0.0):
        return contact
    n = neg(contact.normal)
    gap = _gap(t, p, q, n)
    edges = triangle_edges(t.corners)
    extent = length(p) + length(q) + length(edges[0]) + length(edges[1])
    if not gap < -BAND * extent:
        return contact
    for e in (edges[0], edges[1], edges[2], sub(q, p)):
        side = unit_or(cross(t.normal, e), n)
        for m in (side, neg(side)):
            apart = _gap(t, p, q, m)
            if apart > gap:
                n, gap = m, apart
    return ContactRecord(contact.status, contact.t, contact.point_a, contact.point_b, neg(n))
