"""Heights of the points of a body over a plane, and their rates."""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device
from ougi.kernels.convex.polytope import to_axes
from ougi.kernels.impact.two_movers import Line
from ougi.kernels.pieces.records import Piece
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import dot


class MovingHeights(NamedTuple):
    """Heights n . p of the points of a body and their rates, change . p: of its center, and of what is added
    to it in the own frame of the body.
    """

    height: float
    rate: float
    n: Vec3
    change: Vec3


@device
def describe_heights(h: Piece, n: Vec3, change: Vec3) -> MovingHeights:
    o = h.frame.center
    return MovingHeights(dot(n, o), dot(change, o), to_axes(n, h.frame), to_axes(change, h.frame))


@device
def measure_line(x: MovingHeights, p: Vec3) -> Line:
    return Line(x.height + dot(x.n, p), x.rate + dot(x.change, p))
