"""Planar fan against rectangle. FAN sec. 2.3, by clipping the edges instead of testing crossings."""

from __future__ import annotations

from ougi._native import device
from ougi.kernels.closest2d import to_rectangle
from ougi.kernels.records import Rectangle, Sector2d, Vec2
from ougi.kernels.sector2d_wedge import (
    fan_edges_distance,
    polygon_edges_meet_fan,
    to_sector2d,
    turn_to_sector2d,
)
from ougi.kernels.support2d import rectangle_corners
from ougi.kernels.vec2 import along


@device
def _in_frame(a: Sector2d, b: Rectangle) -> Rectangle:
    """The rectangle in the fan's frame."""
    return Rectangle(to_sector2d(a, b.center), b.half, turn_to_sector2d(a, b.x))


@device
def _holds_the_fan(a: Sector2d, b: Rectangle) -> bool:
    """Does the rectangle hold a point of the fan: the middle of the outer arc?"""
    q = to_rectangle(b, along(a.center, a.x, a.outer_radius))
    return (abs(q.x) <= b.half.x) & (abs(q.y) <= b.half.y)


@device
def intersects_sector2d_rectangle(a: Sector2d, b: Rectangle) -> bool:
    """An edge touches the fan, or the rectangle holds all of it."""
    corners = rectangle_corners(_in_frame(a, b), Vec2(0.0, 0.0))
    return polygon_edges_meet_fan(a.side, a.inner_radius, a.outer_radius, corners) or _holds_the_fan(a, b)


@device
def distance_sector2d_rectangle(a: Sector2d, b: Rectangle) -> float:
    """0 where they touch or overlap."""
    if _holds_the_fan(a, b):
        return 0.0
    corners = rectangle_corners(_in_frame(a, b), Vec2(0.0, 0.0))
    return fan_edges_distance(a.side, a.inner_radius, a.outer_radius, corners)
