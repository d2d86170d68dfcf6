"""The records of convex bodies and sectors, and of the convex pieces of these."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import borrow, device, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.convex.gjk_solids import find_solid_support
from ougi.kernels.impact.movers import load_screw
from ougi.kernels.load import load_vec3
from ougi.kernels.pieces.constants import SECTOR
from ougi.kernels.records import Frame, Screw3d, Vec2, Vec3
from ougi.kernels.vec3 import add, cross, length_sq, scale, sub


class Body(NamedTuple):
    """A convex body, as in `Hull3d`, or a sector, whose rank is SECTOR.

    The scale of a sector is its outer and inner radius and its half height. `half_angle` is 0 for others.
    The radius of a sector is 0, or that with which `depth_of_bodies` begins.
    """

    numbers: Floats
    frame: Frame
    scale: Vec3
    radius: float
    size: float
    reach: float
    rank: int
    vertices: int
    vertex_count: int
    half_angle: float


class Slice(NamedTuple):
    """A piece of a sector: angles within `half` of `middle`. Bodies that are no sectors are one piece."""

    middle: float
    half: float


class Piece(NamedTuple):
    """A convex body, or the convex hull of a piece of a sector, about the x axis of its frame.

    `side` is (cos, sin) of the piece's half angle, at most a right angle. It reaches from the chord of the
    inner arc to the outer arc. A ball of radius `reach` about the point `shift` on the x axis holds all of it
    but its radius.
    """

    numbers: Floats
    frame: Frame
    scale: Vec3
    radius: float
    size: float
    reach: float
    rank: int
    vertices: int
    vertex_count: int
    side: Vec2
    shift: float


class MovingBody(NamedTuple):
    """A body, how it moves, how precisely its first contact is wanted, and memory for a stack."""

    body: Body
    motion: Screw3d
    tol: float
    margin: float
    stack: Floats
    row: int


# Columns, motions, index of the shape, index of the motion, tol, margin, stacks.
MovingColumns = tuple[Floats, Floats, Ints, Ints, float, float, Floats]


@device
def load_body3d(c: Floats, i: int) -> Body:
    """Row 21 is the half angle of a sector; of hulls it says where their faces begin."""
    frame = Frame(load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i), load_vec3(c, 9, i))
    is_sector = int(c[18, i]) == SECTOR
    return Body(
        borrow(c.ravel()), frame, load_vec3(c, 12, i), c[15, i], c[16, i], c[17, i],
        int(c[18, i]), int(c[19, i]), int(c[20, i]), c[21, i] if is_sector else 0.0,
    )  # fmt: skip


@device
def load_moving_body3d(m: MovingColumns, i: int) -> MovingBody:
    motion = load_screw(m[1], m[3][i])
    return MovingBody(load_body3d(m[0], m[2][i]), motion, m[4], m[5], borrow(m[6]), i)


@procedure
def cut_piece(b: Body, part: Slice) -> Piece:
    """The hull of a piece of a sector; other bodies are one piece."""
    f, side, shift, reach = b.frame, Vec2(1.0, 0.0), 0.0, b.reach
    if b.rank == SECTOR:
        c, s = math.cos(part.middle), math.sin(part.middle)
        x, y = add(scale(f.x, c), scale(f.y, s)), sub(scale(f.y, c), scale(f.x, s))
        f = Frame(f.center, x, y, f.z)
        side = Vec2(math.cos(part.half), math.sin(part.half))
        outer, inner = b.scale.x, b.scale.y
        shift = 0.5 * (outer + inner * side.x)
        at_outer = (outer * side.x - shift) ** 2 + (outer * side.y) ** 2
        at_inner = (inner * side.x - shift) ** 2 + (inner * side.y) ** 2
        reach = math.sqrt(max(at_outer, at_inner) + b.scale.z * b.scale.z)
    return Piece(
        b.numbers, f, b.scale, b.radius, b.size, reach, b.rank, b.vertices, b.vertex_count, side, shift
    )


@procedure
def find_piece_support(h: Piece, d: Vec3) -> Vec3:
    """The point that lies furthest along d; both in the own frame of the piece."""
    if h.rank != SECTOR:
        return find_solid_support(h, d)  # type: ignore[arg-type]
    outer, c, s = h.scale.x, h.side.x, h.side.y
    z = h.scale.z if d.z > 0.0 else (-h.scale.z if d.z < 0.0 else 0.0)
    across = abs(d.y)
    if d.x >= 0.0 and across * c <= d.x * s:
        rho = math.sqrt(d.x * d.x + d.y * d.y)
        share = outer / rho if rho > 0.0 else 0.0
        return Vec3(share * d.x if rho > 0.0 else outer, share * d.y, z)
    radius = outer if d.x * c + across * s > 0.0 else h.scale.y
    return Vec3(radius * c, radius * s if d.y > 0.0 else -radius * s, z)


@device
def measure_sagitta(b: Body, part: Slice) -> float:
    """How far the chord of a piece's inner arc is from the arc at most; 0 for bodies that are no sectors."""
    s = math.sin(0.5 * part.half)
    return 2.0 * b.scale.y * s * s if b.rank == SECTOR else 0.0


@device
def measure_bulge(h: Piece, p: Vec3) -> float:
    """How far a point of a piece lies within the hole of its sector, both where the piece is now."""
    if h.rank != SECTOR:
        return 0.0
    return max(h.scale.y - math.sqrt(length_sq(cross(sub(p, h.frame.center), h.frame.z))), 0.0)
