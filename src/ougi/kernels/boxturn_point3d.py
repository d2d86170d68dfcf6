"""Point against all that a turning box covers: exact, for any axis and angle, without trigonometry.

In the frame of the box the point runs on a circle: coordinate i is m + a cos d + b sin d. It is in the box
where it is in three slabs at once, and each slab holds it on arcs. If arcs of all three meet, they do so
where one of them begins, or at the start: seven poses decide. No branches, so that the loop vectorises.
"""

from __future__ import annotations

import math

from ougi._native import device
from ougi.kernels.closest3d import to_box
from ougi.kernels.constants import PROOF_ROUNDING
from ougi.kernels.records import BoxTurn, Vec3
from ougi.kernels.vec3 import along, cross, dot, sub


@device
def intersects_boxturn_point3d(turn: BoxTurn, point: Vec3) -> bool:
    p = to_box(turn.box, point)
    w = sub(p, turn.center)
    half = turn.box.half
    far = abs(point.x) + abs(point.y) + abs(point.z)  # points are rounded, too
    slack = PROOF_ROUNDING * (far + abs(p.x) + abs(p.y) + abs(p.z) + abs(w.x) + abs(w.y) + abs(w.z))
    wide = Vec3(half.x + slack, half.y + slack, half.z + slack)
    starts = (abs(p.x) <= wide.x) & (abs(p.y) <= wide.y) & (abs(p.z) <= wide.z)
    height = dot(w, turn.axis)
    m, a, b = along(turn.center, turn.axis, height), along(w, turn.axis, -height), cross(w, turn.axis)
    x, y, z = Vec3(m.x, a.x, b.x), Vec3(m.y, a.y, b.y), Vec3(m.z, a.z, b.z)
    enters_x = _enters(turn, x, half.x, y, wide.y, z, wide.z)
    enters_y = _enters(turn, y, half.y, z, wide.z, x, wide.x)
    enters_z = _enters(turn, z, half.z, x, wide.x, y, wide.y)
    return starts | enters_x | enters_y | enters_z


@device
def _enters(turn: BoxTurn, x: Vec3, h: float, y: Vec3, h_y: float, z: Vec3, h_z: float) -> bool:
    """Does the point enter the slab |x| <= h during the turn while it is in the other two?

    A coordinate is (m, a, b). a cos d + b sin d = g has the solutions (a g -+ b q, b g +- a q) / rho^2; the
    upper sign is where the coordinate falls. Cosines and sines stay multiplied by rho^2.
    """
    m, a, b = x.x, x.y, x.z
    rho_sq = a * a + b * b
    top, bottom = h - m, -h - m
    q_sq, r_sq = rho_sq - top * top, rho_sq - bottom * bottom
    q, r = math.sqrt(max(q_sq, 0.0)), math.sqrt(max(r_sq, 0.0))
    falls = _is_in(turn, a * top - b * q, b * top + a * q, rho_sq, y, h_y, z, h_z)
    rises = _is_in(turn, a * bottom + b * r, b * bottom - a * r, rho_sq, y, h_y, z, h_z)
    return (q_sq >= 0.0) & falls | (r_sq >= 0.0) & rises


@device
def _is_in(
    turn: BoxTurn, cos: float, sin: float, rho_sq: float, y: Vec3, h_y: float, z: Vec3, h_z: float
) -> bool:
    """Is this angle within the turn, and the point in the slabs y and z there?"""
    in_y = abs(y.x * rho_sq + y.y * cos + y.z * sin) <= h_y * rho_sq
    in_z = abs(z.x * rho_sq + z.y * cos + z.z * sin) <= h_z * rho_sq
    return (rho_sq > 0.0) & in_y & in_z & _is_within_turn(turn, cos, sin)


@device
def _is_within_turn(turn: BoxTurn, cos: float, sin: float) -> bool:
    """Does an angle with this cosine and sine, of any length, lie between 0 and the angle of the turn?"""
    ahead = cos * turn.sin - sin * turn.cos  # the sine of what would be left
    short = (sin >= 0.0) & (ahead >= 0.0) & (cos * (1.0 + turn.cos) + sin * turn.sin >= 0.0)
    long = (turn.half_turns >= 2.0) | (sin >= 0.0) | (ahead >= 0.0)
    return short if turn.half_turns < 1.0 else long
