"""Proofs that moving sectors and convex bodies do not touch: planes between pieces, for spans of time.

A sector is cut by angle into pieces, time into spans. Let n be any unit vector, at rest during a span. Of
each point the height along n has a second derivative of at most m, so it lies above the chord of its heights
at both ends, less m d^2 / 8 for a span of length d. The same holds of the lowest point of a body, and so of
the gap of two bodies along n. If n turns with a body, the bound of Coriolis' and the centrifugal acceleration
is added. A piece or a span that is not proved is halved. Supports, poses and bounds are those of the
definitions; the kernels of pieces only guess n, and a bad guess costs time but never correctness.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ougi._native import loop, procedure
from ougi._typing import Floats, Ints
from ougi.impact.batches import MovingBatch
from ougi.kernels.impact.movers import load_screw
from ougi.kernels.pieces.first_contact import place_piece
from ougi.kernels.pieces.nearest import measure_gap
from ougi.kernels.pieces.records import Slice, cut_piece, load_body3d
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import NOWHERE
from ougi.shapes import Cone, Cylinder, Ellipsoid, Sector2d, Sector3d
from ougi_lab.scenes.cores import extract_core
from ougi_lab.verify.ccd_oracle import extract_rates, to_space

# What a body is.
_POLYTOPE, _CYLINDER, _CONE, _ELLIPSOID, _SECTOR = range(5)

# States of a path.
PROVED, TOUCHED, OPEN = 0, 1, 2

# Items of one path, after which it stays open, and rows of the stack.
_MAX_ITEMS, _STACK = 20_000, 512

# Half the angle of the first pieces.
_WIDEST = math.pi / 4


class Bodies(NamedTuple):
    """n bodies by their definitions, at t = 0, and their motions."""

    kind: Ints
    center: Floats  # (n, 3)
    axes: Floats  # (n, 3, 3), rows
    sizes: Floats  # (n, 4): outer and inner radius, half height and half angle; radius, half height; radii
    corners: Floats  # (n, k, 3), from the center
    radius: Floats
    rates: Floats  # (n, 10): center, axis, angle, shift of the motion
    columns: Floats  # what guesses read
    screws: Floats


def describe_bodies(shape: Any, motion: Any) -> Bodies:
    """The arrays of a batch (n,)."""
    n = shape.count
    rates = extract_rates(motion, n)
    numbers = np.column_stack([rates.center.T, rates.axis.T, rates.angle, rates.shift.T])
    is_sector = type(shape) in (Sector2d, Sector3d)
    layout = "body3d" if is_sector else "hull3d"
    screws = np.ascontiguousarray(np.broadcast_to(MovingBatch(shape, motion).screws, (8, n)))
    axes, sizes, radius = np.zeros((n, 3, 3)), np.zeros((n, 4)), np.zeros(n)
    corners = np.zeros((n, 1, 3))
    if is_sector:
        kind, center = _SECTOR, to_space(shape.center.T).T
        x = to_space(shape.direction.T).T
        z = shape.axis if shape.dimension == 3 else np.tile([0.0, 0.0, 1.0], (n, 1))
        axes = np.stack([x, np.cross(z, x), z], axis=1)
        height = getattr(shape, "half_height", np.zeros(n))
        sizes = np.column_stack([shape.outer_radius, shape.inner_radius, height, shape.half_angle])
    elif isinstance(shape, Ellipsoid):
        kind, center, axes = _ELLIPSOID, shape.center, np.swapaxes(shape.rotation, 1, 2)
        sizes[:, :3] = shape.radii
    elif isinstance(shape, Cylinder | Cone):
        kind, center = _CONE if isinstance(shape, Cone) else _CYLINDER, shape.center
        axes[:, 2] = shape.axis
        sizes[:, 0], sizes[:, 1] = shape.radius, shape.half_height
    else:
        core = extract_core(shape)
        kind, center, radius = _POLYTOPE, to_space(core.origin).T, np.asarray(core.radius)
        corners = np.moveaxis(to_space(core.corners), 2, 0)
    return Bodies(
        np.full(n, kind),
        np.ascontiguousarray(center, np.float64),
        np.ascontiguousarray(axes, np.float64),
        np.ascontiguousarray(sizes, np.float64),
        np.ascontiguousarray(corners, np.float64),
        np.ascontiguousarray(np.broadcast_to(radius, (n,)), np.float64),
        np.ascontiguousarray(numbers, np.float64),
        shape.columns(layout),
        screws,
    )


class PathProofs(NamedTuple):
    """For each path its state, and a time: of a touch, or up to which nothing touches."""

    state: Ints
    time: Floats


def prove_paths(a: Bodies, b: Bodies, start: Floats, end: Floats, width: Floats, margin: float) -> PathProofs:
    """Can it be proved that bodies come nowhere nearer than the margin less the widths, between two times?"""
    n = len(end)
    proofs = PathProofs(np.zeros(n, np.int64), np.zeros(n))
    stack = np.empty((_STACK, 6))
    _prove_all(a, b, start, end, np.ascontiguousarray(width), margin, stack, proofs.state, proofs.time)
    return proofs


# --- bodies at a time -----------------------------------------------------------------------------------


@procedure
def _turn(rates: Floats, i: int, angle: float, v: Vec3) -> Vec3:
    """Rodrigues' formula; 1 - cos as a square, which a small angle does not cancel."""
    x, y, z = rates[i, 3], rates[i, 4], rates[i, 5]
    s, w = math.sin(angle), 2.0 * math.sin(0.5 * angle) ** 2
    p, q, r = y * v.z - z * v.y, z * v.x - x * v.z, x * v.y - y * v.x
    return Vec3(
        v.x + s * p + w * (y * r - z * q),
        v.y + s * q + w * (z * p - x * r),
        v.z + s * r + w * (x * q - y * p),
    )


@procedure
def _get_pivot(rates: Floats, i: int, t: float) -> Vec3:
    """A point of the axis, which moves along it."""
    return Vec3(rates[i, 0] + t * rates[i, 7], rates[i, 1] + t * rates[i, 8], rates[i, 2] + t * rates[i, 9])


@procedure
def _reach_along(b: Bodies, i: int, part: Slice, d: Vec3) -> float:
    """How far a body, or a piece of a sector, reaches at t = 0 along d, from its center."""
    kind, axes, sizes = b.kind[i], b.axes, b.sizes
    length = math.sqrt(d.x * d.x + d.y * d.y + d.z * d.z)
    if kind == _POLYTOPE:
        best = -1e300
        for k in range(b.corners.shape[1]):
            best = max(best, d.x * b.corners[i, k, 0] + d.y * b.corners[i, k, 1] + d.z * b.corners[i, k, 2])
        return float(best + b.radius[i] * length)
    w = d.x * axes[i, 2, 0] + d.y * axes[i, 2, 1] + d.z * axes[i, 2, 2]
    if kind in (_CYLINDER, _CONE):
        p, q, r = d.x - w * axes[i, 2, 0], d.y - w * axes[i, 2, 1], d.z - w * axes[i, 2, 2]
        rho = sizes[i, 0] * math.sqrt(p * p + q * q + r * r)
        below = rho - w * sizes[i, 1]
        return float(max(w * sizes[i, 1], below) if kind == _CONE else abs(w) * sizes[i, 1] + rho)
    u = d.x * axes[i, 0, 0] + d.y * axes[i, 0, 1] + d.z * axes[i, 0, 2]
    v = d.x * axes[i, 1, 0] + d.y * axes[i, 1, 1] + d.z * axes[i, 1, 2]
    if kind == _ELLIPSOID:
        return math.sqrt((u * sizes[i, 0]) ** 2 + (v * sizes[i, 1]) ** 2 + (w * sizes[i, 2]) ** 2)
    away = math.atan2(v, u) - part.middle
    away -= 2.0 * math.pi * math.floor(away / (2.0 * math.pi) + 0.5)
    share = math.cos(max(abs(away) - part.half, 0.0))
    radius = sizes[i, 0] if share > 0.0 else sizes[i, 1]
    return float(math.sqrt(u * u + v * v) * share * radius + abs(w) * sizes[i, 2])


@procedure
def _measure_height(b: Bodies, i: int, part: Slice, t: float, n: Vec3, o: Vec3) -> float:
    """How far a body reaches along n at time t, from a point o."""
    p = _get_pivot(b.rates, i, t)
    arm = Vec3(b.center[i, 0] - b.rates[i, 0], b.center[i, 1] - b.rates[i, 1], b.center[i, 2] - b.rates[i, 2])
    c = _turn(b.rates, i, b.rates[i, 6] * t, arm)
    back = _turn(b.rates, i, -b.rates[i, 6] * t, n)
    at_center = n.x * (p.x - o.x + c.x) + n.y * (p.y - o.y + c.y) + n.z * (p.z - o.z + c.z)
    return at_center + _reach_along(b, i, part, back)


class MotionBounds(NamedTuple):
    """What no point of a body exceeds: its rate of turning, distance from the axis, speed along the axis."""

    rate: float
    arm: float
    shift: float


@procedure
def _bound_motion(b: Bodies, i: int) -> MotionBounds:
    x, y, z = b.center[i, 0] - b.rates[i, 0], b.center[i, 1] - b.rates[i, 1], b.center[i, 2] - b.rates[i, 2]
    p, q, r = b.rates[i, 3], b.rates[i, 4], b.rates[i, 5]
    u, v, w = q * z - r * y, r * x - p * z, p * y - q * x
    reach = 0.0
    if b.kind[i] == _POLYTOPE:
        for k in range(b.corners.shape[1]):
            square = b.corners[i, k, 0] ** 2 + b.corners[i, k, 1] ** 2 + b.corners[i, k, 2] ** 2
            reach = max(reach, math.sqrt(square) + b.radius[i])
    elif b.kind[i] == _ELLIPSOID:
        reach = max(b.sizes[i, 0], max(b.sizes[i, 1], b.sizes[i, 2]))
    else:
        height = b.sizes[i, 2] if b.kind[i] == _SECTOR else b.sizes[i, 1]
        reach = math.sqrt(b.sizes[i, 0] ** 2 + height**2)
    shift = math.sqrt(b.rates[i, 7] ** 2 + b.rates[i, 8] ** 2 + b.rates[i, 9] ** 2)
    return MotionBounds(abs(b.rates[i, 6]), math.sqrt(u * u + v * v + w * w) + reach, shift)


# --- proofs ---------------------------------------------------------------------------------------------


@procedure
def _find_gap(a: Bodies, b: Bodies, i: int, first: Slice, second: Slice, t: float, n: Vec3, o: Vec3) -> float:
    """How far b lies beyond a along n."""
    back = Vec3(-n.x, -n.y, -n.z)
    return -_measure_height(b, i, second, t, back, o) - _measure_height(a, i, first, t, n, o)


@procedure
def _is_free(
    a: Bodies,
    b: Bodies,
    i: int,
    first: Slice,
    second: Slice,
    span: tuple[float, float],
    n: Vec3,
    limit: float,
) -> bool:
    """Does a plane across n, which rests or turns with a or b, keep the pieces apart in a span?"""
    d, middle = span[1] - span[0], 0.5 * (span[0] + span[1])
    x, y = _bound_motion(a, i), _bound_motion(b, i)
    o = Vec3(a.center[i, 0], a.center[i, 1], a.center[i, 2])
    own_a, own_b = x.rate * x.rate * x.arm, y.rate * y.rate * y.arm
    speed_a, speed_b = x.rate * x.arm + x.shift, y.rate * y.arm + y.shift
    for carrier in range(3):
        m, low = own_a + own_b, 1e300
        if carrier == 1:
            p, q = _get_pivot(a.rates, i, middle), _get_pivot(b.rates, i, middle)
            far = math.sqrt((p.x - q.x) ** 2 + (p.y - q.y) ** 2 + (p.z - q.z) ** 2) + y.arm + _over(b, i)
            far += d * (speed_a + speed_b)
            m = own_b + x.rate * (2.0 * (speed_b + x.shift) + x.rate * far)
        elif carrier == 2:
            p, q = _get_pivot(a.rates, i, middle), _get_pivot(b.rates, i, middle)
            far = math.sqrt((p.x - q.x) ** 2 + (p.y - q.y) ** 2 + (p.z - q.z) ** 2) + x.arm + _over(a, i)
            far += d * (speed_a + speed_b)
            m = own_a + y.rate * (2.0 * (speed_a + y.shift) + y.rate * far)
        for t in span:
            turned = n
            if carrier == 1:
                turned = _turn(a.rates, i, a.rates[i, 6] * (t - middle), n)
            elif carrier == 2:
                turned = _turn(b.rates, i, b.rates[i, 6] * (t - middle), n)
            low = min(low, _find_gap(a, b, i, first, second, t, turned, o))
        if low - 0.125 * m * d * d > limit:
            return True
        if x.rate == 0.0 and y.rate == 0.0:
            break
    return False


@procedure
def _over(b: Bodies, i: int) -> float:
    """How far the center of a body is from the point of its axis that rates name."""
    x, y, z = b.center[i, 0] - b.rates[i, 0], b.center[i, 1] - b.rates[i, 1], b.center[i, 2] - b.rates[i, 2]
    return math.sqrt(x * x + y * y + z * z)


@procedure
def _sagitta(b: Bodies, i: int, part: Slice) -> float:
    """How far a piece stands out of its sector."""
    if b.kind[i] != _SECTOR:
        return 0.0
    return float(2.0 * b.sizes[i, 1] * math.sin(0.5 * part.half) ** 2)


@procedure
def _count_pieces(b: Bodies, i: int) -> int:
    return max(math.ceil(b.sizes[i, 3] / _WIDEST), 1) if b.kind[i] == _SECTOR else 1


@procedure
def _prove_path(
    a: Bodies, b: Bodies, i: int, span: tuple[float, float], width: float, margin: float, stack: Floats
) -> tuple[int, float]:
    depth = 0
    count_a, count_b = _count_pieces(a, i), _count_pieces(b, i)
    half_a, half_b = a.sizes[i, 3] / count_a, b.sizes[i, 3] / count_b
    for k in range(count_a):
        for j in range(count_b):
            stack[depth, 0], stack[depth, 1] = span
            stack[depth, 2], stack[depth, 3] = half_a * (2 * k + 1 - count_a), half_a
            stack[depth, 4], stack[depth, 5] = half_b * (2 * j + 1 - count_b), half_b
            depth += 1
    body, other = load_body3d(a.columns, i), load_body3d(b.columns, i)
    motion, other_motion = load_screw(a.screws, i), load_screw(b.screws, i)
    o = body.frame.center
    for _ in range(_MAX_ITEMS):
        if depth == 0:
            return PROVED, span[1]
        depth -= 1
        t0, t1 = stack[depth, 0], stack[depth, 1]
        first, second = Slice(stack[depth, 2], stack[depth, 3]), Slice(stack[depth, 4], stack[depth, 5])
        t = 0.5 * (t0 + t1)
        guess = measure_gap(
            place_piece(cut_piece(body, first), motion, t, o),
            place_piece(cut_piece(other, second), other_motion, t, o),
            NOWHERE,
            0.0,
            0.0,
        )
        n = guess.normal
        size = math.sqrt(n.x * n.x + n.y * n.y + n.z * n.z)
        if abs(size - 1.0) < 1e-12 and _is_free(a, b, i, first, second, (t0, t1), n, margin - width):
            continue
        # By the piece if that stands out further than the gap, else by the span.
        out_a, out_b = _sagitta(a, i, first), _sagitta(b, i, second)
        gap = guess.distance - margin
        if depth + 2 > len(stack):
            return OPEN, t0
        if gap <= 0.0 and max(out_a, out_b) <= 0.5 * abs(width):
            return TOUCHED, t
        if gap <= 0.0 or max(out_a, out_b) > 16.0 * gap:
            column, part = (2, first) if out_a >= out_b else (4, second)
            for k in range(2):
                for j in range(6):
                    stack[depth + k, j] = stack[depth, j]
                stack[depth + k, column] = part.middle + (k - 0.5) * part.half
                stack[depth + k, column + 1] = 0.5 * part.half
        elif t1 - t0 <= 4e-16:
            return OPEN, t0
        else:
            for j in range(6):
                stack[depth + 1, j] = stack[depth, j]
            stack[depth, 0], stack[depth + 1, 1] = t, t
        depth += 2
    bound = span[1]
    for k in range(depth):
        bound = min(bound, stack[k, 0])
    return OPEN, bound


@loop
def _prove_all(
    a: Bodies,
    b: Bodies,
    start: Floats,
    end: Floats,
    width: Floats,
    margin: float,
    stack: Floats,
    state: Ints,
    time: Floats,
) -> None:
    for i in range(len(state)):
        state[i], time[i] = _prove_path(a, b, i, (start[i], end[i]), width[i], margin, stack)
