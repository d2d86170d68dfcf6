"""Disc against disc."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.records import Circle, Separation2d, Vec2
from ougi.kernels.separation2d import add_radii
from ougi.kernels.vec2 import length, length_sq, sub, unit_or


@device
def intersects_circle_circle(a: Circle, b: Circle) -> bool:
    reach = a.radius + b.radius
    return length_sq(sub(a.center, b.center)) <= reach * reach


@device
def separation_circle_circle(a: Circle, b: Circle) -> Separation2d:
    """Concentric discs are pushed apart along x."""
    d = sub(b.center, a.center)
    return add_radii(a.center, length(d), unit_or(d, Vec2(1.0, 0.0)), a.radius, b.radius)
