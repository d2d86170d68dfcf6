"""Products of screws: where they move a point, how fast, and bounds on both.

The factors M_1 ... M_k of a motion, parent first, stand on an axis behind the batch's. Each is a screw at a
constant rate, M_i(t) = exp(t xi_i), given where its axis lies at t = 0. A point x goes to
y_1 = M_1 ... M_k x; let y_i = M_i ... M_k x be what the factors from i on make of it, and y_(k+1) = x. Then

    y_i' = xi_i(y_i) + R_i y_(i+1)',    |xi_i(y)| = hypot(angle_i rho_i(y), advance_i),

where rho_i is the distance from axis i, which M_i itself does not change: rho_i(y_i) = rho_i(y_(i+1)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints

# Sums of a few products are rounded by less than this; bounds are grown by it.
_ROUNDING = 1e-12


class Screws(NamedTuple):
    """Factors of motions in space: center and axis (..., k, 3), angle and advance (..., k)."""

    center: Floats
    axis: Floats
    angle: Floats
    advance: Floats

    def take(self, index: Ints) -> Screws:
        """The screws at an index of a flat batch."""
        return Screws(*(field[index] for field in self))


class PointStates(NamedTuple):
    """Points (..., 3) in motion: where they are, how fast, and how the bodies turn."""

    position: Floats
    velocity: Floats
    rotation: Floats
    spin: Floats


class Bounds(NamedTuple):
    """Upper bounds for all points of a ball in a span of time."""

    speed: Floats
    acceleration: Floats


def stack_screws(center: Floats, axis: Floats, angle: Floats, advance: Floats) -> Screws:
    """Single screws as motions of one factor."""
    return Screws(center[..., None, :], axis[..., None, :], angle[..., None], advance[..., None])


def embed_points(xy: Floats) -> Floats:
    """Points of the plane, at z = 0."""
    return np.concatenate([xy, np.zeros((*xy.shape[:-1], 1))], axis=-1)


def normalize(vector: Floats) -> tuple[Floats, Floats]:
    """Unit vectors and lengths; a zero vector gets the x direction."""
    length = np.linalg.norm(vector, axis=-1)
    zero = length == 0
    unit = vector / np.where(zero, 1.0, length)[..., None]
    return np.where(zero[..., None], np.eye(vector.shape[-1])[0], unit), length


def build_rotations(axis: Floats, angle: Floats) -> Floats:
    """Rodrigues' formula, FAN (2.2), as a matrix."""
    x, y, z = np.moveaxis(axis, -1, 0)
    zero = np.zeros_like(x)
    skew = np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], axis=-2
    )
    s, v = np.sin(angle)[..., None, None], 2 * np.sin(angle / 2)[..., None, None] ** 2
    turn: Floats = np.eye(3) + s * skew + v * (skew @ skew)
    return turn


def compute_poses(screws: Screws, t: Floats) -> tuple[Floats, Floats]:
    """Positions (..., 3) and rotations (..., 3, 3) of each screw by itself at time t, which broadcasts."""
    angle = screws.angle * t
    u, c = screws.axis, screws.center
    s, v = np.sin(angle)[..., None], 2 * np.sin(angle / 2)[..., None] ** 2
    radial = c - (c * u).sum(-1, keepdims=True) * u
    # c - R c, written so that a far center does not cancel.
    offset = v * radial - s * np.cross(u, c) + (screws.advance * t)[..., None] * u
    return offset, build_rotations(u, angle)


def compose_poses(screws: Screws, t: Floats) -> tuple[Floats, Floats]:
    """Positions and rotations of the product of the factors at time t."""
    offset, turn = compute_poses(screws, t[..., None])
    position, rotation = offset[..., -1, :], turn[..., -1, :, :]
    for i in reversed(range(screws.angle.shape[-1] - 1)):
        position = _apply(turn[..., i, :, :], position) + offset[..., i, :]
        rotation = turn[..., i, :, :] @ rotation
    return position, rotation


def compute_state(screws: Screws, t: Floats, points: Floats) -> PointStates:
    """What becomes of points (..., 3) that are given at t = 0."""
    offset, turn = compute_poses(screws, t[..., None])
    y = points
    velocity, spin = np.zeros(3), np.zeros(3)
    rotation = np.eye(3)
    for i in reversed(range(screws.angle.shape[-1])):
        r, u = turn[..., i, :, :], screws.axis[..., i, :]
        y = _apply(r, y) + offset[..., i, :]
        rotation = r @ rotation
        own = screws.angle[..., i, None] * u
        along = screws.advance[..., i, None] * u
        velocity = np.cross(own, y - screws.center[..., i, :]) + along + _apply(r, velocity)
        spin = own + _apply(r, spin)
    return PointStates(y, velocity, rotation, spin)


def compute_bounds(screws: Screws, center: Floats, radius: Floats, start: Floats, stop: Floats) -> Bounds:
    """Bounds for all points of balls, given at t = 0, between two times.

    Speed: the sum of |xi_i|. The ball's center strays from where it is in the middle of the span by at most
    half the span times its own bound, and the distance from an axis changes no faster than the point.
    Acceleration: d/dt of R_1 ... R_(i-1) xi_i(y_i) is at most the spin of the parents times |xi_i| plus
    |angle_i| |y_i'|; summed up, sum_i |xi_i| (|angle_i| + 2 sum_(j<i) |angle_j|).
    """
    middle, half = (start + stop) / 2, (stop - start) / 2
    offset, turn = compute_poses(screws, middle[..., None])
    rate = np.abs(screws.angle)
    parents = np.cumsum(rate, axis=-1) - rate
    y, strays = center, np.zeros(())
    speed, acceleration = np.zeros(()), np.zeros(())
    for i in reversed(range(rate.shape[-1])):
        w, u = y - screws.center[..., i, :], screws.axis[..., i, :]
        rho = np.linalg.norm(w - (w * u).sum(-1, keepdims=True) * u, axis=-1) + half * strays
        own = np.hypot(rate[..., i] * (rho + radius), screws.advance[..., i])
        strays = strays + np.hypot(rate[..., i] * rho, screws.advance[..., i])
        speed = speed + own
        acceleration = acceleration + own * (rate[..., i] + 2 * parents[..., i])
        y = _apply(turn[..., i, :, :], y) + offset[..., i, :]
    return Bounds(speed * (1 + _ROUNDING), acceleration * (1 + _ROUNDING))


# Into how many spans a path is cut to find its bounds.
_SPANS = 16


def path_bounds(
    screws: Screws, center: Floats, radius: Floats, start: Floats, stop: Floats
) -> tuple[Floats, Floats]:
    """Boxes that balls, given at t = 0, do not leave between two times.

    Within a span the center strays from where it is in the middle by at most half the span times its speed.
    """
    corners = []
    for k in range(_SPANS):
        first, last = (start + (stop - start) * (share / _SPANS) for share in (k, k + 1))
        middle = compute_state(screws, (first + last) / 2, center).position
        speed = compute_bounds(screws, center, np.zeros(()), first, last).speed
        grown = (radius + speed * (last - first) / 2)[..., None] + _ROUNDING * np.abs(middle)
        corners.append((middle - grown, middle + grown))
    lower, upper = (np.stack(np.broadcast_arrays(*side)) for side in zip(*corners, strict=True))
    return lower.min(axis=0), upper.max(axis=0)


def compute_reach(screws: Screws, points: Floats) -> Floats:
    """The largest distance of points from the axes about which they turn, as these lie at t = 0."""
    w = points[..., None, :] - screws.center
    across = w - (w * screws.axis).sum(-1, keepdims=True) * screws.axis
    far: Floats = np.where(screws.angle == 0, 0.0, np.linalg.norm(across, axis=-1)).max(axis=-1)
    return far


def _apply(matrix: Floats, vector: Floats) -> Floats:
    out: Floats = (matrix @ vector[..., None])[..., 0]
    return out
