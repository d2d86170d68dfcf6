"""Proofs that moving bodies do not touch: a chain of moving planes, each good for a while.

At a time t a plane with unit normal n separates two bodies if all corners of one lie on its one side and all
of the other on its other, by more than the radii. In the time d that follows, the gap between two corners,
measured along n, is at least

    g + v d - M d^2 / 2,   g and v: the gap and its rate now, M: a bound of its second derivative,

so that nothing can touch before the first zero of these parabolas. Any normal is valid, and it may move: it
rests, it turns with one of the bodies, or it turns so that it stays perpendicular to an edge of each. A poor
normal costs steps but never correctness. Corners, poses and bounds are plain NumPy. Nothing is shared with
the kernels of continuous detection. The nearest points of `query` are only a guess of n.

Arrays are component-major: vectors (3, n), corners (k, 3, n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi_lab.scenes.cores import cross, dot, extract_core, unit

# How often a bound that depends on the length of the step is made for a shorter one.
_WINDOWS = 2


class Rates(NamedTuple):
    """A motion as rates: x' = omega x (x - center) + shift, with omega = angle * axis along the shift."""

    center: Floats  # (3, n)
    axis: Floats  # (3, n), zero without a turn
    angle: Floats  # (n,)
    shift: Floats  # (3, n)

    def take(self, index: Any) -> Rates:
        """Return a subset of the motions."""
        return Rates(*(x[..., index] for x in self))


def extract_rates(motion: Any, n: int) -> Rates:
    """The rates of n motions of the plane or of space; None is rest."""
    zero = np.zeros((3, n))
    if motion is None:
        return Rates(zero, zero, np.zeros(n), zero)
    if hasattr(motion, "offset"):
        return Rates(zero, zero, np.zeros(n), to_space(motion.offset.T))
    axis = motion.axis.T if motion.dimension == 3 else np.tile([[0.0], [0.0], [1.0]], n)
    shift = getattr(motion, "advance", np.zeros(n)) * axis
    return Rates(to_space(motion.center.T), axis, np.asarray(motion.angle), shift)


def to_space(v: Floats) -> Floats:
    """Vectors (..., d, n) of the plane or of space, in space."""
    flat = np.zeros((*v.shape[:-2], 3 - v.shape[-2], v.shape[-1]))
    return np.concatenate([v, flat], axis=-2)


class Posed(NamedTuple):
    """Corners at some time: where they are, how fast, and a point of the axis."""

    x: Floats  # (k, 3, n)
    rate: Floats  # (k, 3, n)
    edges: Floats  # (m, 3, n)
    pivot: Floats  # (3, n)


@dataclass(frozen=True)
class MovingCorners:
    """n moving bodies: corners at the start, seen from the motion's center, and unit vectors along edges."""

    rates: Rates
    arms: Floats  # (k, 3, n)
    edges: Floats  # (m, 3, n)
    from_axis: Floats  # (k, n)
    speed: Floats  # (k, n): it does not change

    def take(self, index: Any) -> MovingCorners:
        """Return a subset of the bodies."""
        arrays = (self.arms, self.edges, self.from_axis, self.speed)
        return MovingCorners(self.rates.take(index), *(x[..., index] for x in arrays))

    def at(self, t: Floats) -> Posed:
        """The corners at times t."""
        rates, angle = self.rates, self.rates.angle * t
        arms = rotate(rates.axis, angle, self.arms)
        pivot = rates.center + t * rates.shift
        rate = rates.angle * cross_all(rates.axis, arms) + rates.shift
        return Posed(pivot + arms, rate, rotate(rates.axis, angle, self.edges), pivot)


def cross_all(u: Floats, v: Floats) -> Floats:
    """u x v for one u (3, n) and several v (k, 3, n)."""
    return np.stack(
        [u[1] * v[:, 2] - u[2] * v[:, 1], u[2] * v[:, 0] - u[0] * v[:, 2], u[0] * v[:, 1] - u[1] * v[:, 0]], 1
    )


def rotate(axis: Floats, angle: Floats, v: Floats) -> Floats:
    """Rodrigues' formula; 1 - cos as a square, which a small angle does not cancel."""
    beside = cross_all(axis, v)
    rotate: Floats = v + np.sin(angle) * beside + 2 * np.sin(angle / 2) ** 2 * cross_all(axis, beside)
    return rotate


def _norm(v: Floats) -> Floats:
    return np.asarray(np.sqrt(dot(v, v)))


class MovingBodies(NamedTuple):
    """Pairs of moving bodies; cores nearer than `reach`, the radii and the margin, touch."""

    a: MovingCorners
    b: MovingCorners
    reach: Floats

    def take(self, index: Any) -> MovingBodies:
        """Return a subset of the pairs."""
        return MovingBodies(self.a.take(index), self.b.take(index), self.reach[index])

    @property
    def speed(self) -> Floats:
        """No gap changes faster."""
        speed: Floats = self.a.speed.max(axis=0) + self.b.speed.max(axis=0)
        return speed


def build_bodies(body: Any, motion: Any, target: Any, target_motion: Any, margin: float) -> MovingBodies:
    """The bodies of a batch of questions."""
    (a, radius_a), (b, radius_b) = _build_corners(body, motion), _build_corners(target, target_motion)
    return MovingBodies(a, b, radius_a + radius_b + margin)


def _build_corners(shape: Any, motion: Any) -> tuple[MovingCorners, Floats]:
    core = extract_core(shape)
    rates = extract_rates(motion, shape.count)
    arms = to_space(core.origin + core.corners) - rates.center
    edges = to_space(core.edges)
    edges = np.stack([unit(edge) for edge in edges]) if len(edges) else edges
    from_axis = _norm(cross_all(rates.axis, arms))
    speed = np.hypot(rates.angle * from_axis, _norm(rates.shift))
    return MovingCorners(rates, arms, edges, from_axis, speed), core.radius


def find_free_time(
    scene: MovingBodies, t: Floats, n: Floats, rest: Floats, thorough: bool
) -> tuple[Floats, Floats]:
    """The gap at t along the unit vectors n (3, n) from a to b, and for how long after t nothing can touch.

    The time is at most `rest`, and 0 where the gap is not positive. The plane that keeps to two edges, which
    costs as much as the others together, is tried if `thorough`.
    """
    a, b = scene.a.at(t), scene.b.at(t)
    # (k_b, k_a, n): how far a corner of b lies beyond one of a.
    gap = dot(b.x, n)[:, None] - dot(a.x, n) - scene.reach
    rate = dot(b.rate, n)[:, None] - dot(a.rate, n)
    bend = _bound_at_rest(scene.b, n)[:, None] + _bound_at_rest(scene.a, n)
    free = _find_first_zero(gap, rate, bend)
    free = np.maximum(free, _bound_by_attached_plane(scene.a, a, scene.b, b, gap, n, rest))
    free = np.maximum(
        free, _bound_by_attached_plane(scene.b, b, scene.a, a, np.swapaxes(gap, 0, 1), -n, rest)
    )
    if thorough and len(a.edges) and len(b.edges):
        free = np.maximum(free, _bound_by_edge_plane(scene, a, b, gap, rate, n, rest))
    return gap.min(axis=(0, 1)), np.minimum(free, rest)


def _find_first_zero(gap: Floats, rate: Floats, bend: Floats) -> Floats:
    """The first zero of gap + rate d - bend d^2 / 2 over all corners; infinite if there is none."""
    positive_gap = np.maximum(gap, 0.0)
    root = np.sqrt(rate * rate + 2 * bend * positive_gap)
    rising = rate > 0  # two forms of one formula, so that neither cancels
    over, under = np.where(rising, root + rate, 2 * positive_gap), np.where(rising, bend, root - rate)
    valid = under > 0
    zero = np.where(valid, over / np.where(valid, under, 1.0), np.inf)
    return np.asarray(np.where(gap > 0, zero, 0.0).min(axis=(0, 1)))


def _bound_at_rest(body: MovingCorners, n: Floats) -> Floats:
    """Bounds (k, n) of accelerations along a normal that rests: they point to the axis, across it."""
    return np.asarray(body.rates.angle**2 * body.from_axis * _norm(cross(body.rates.axis, n)))


def _bound_by_attached_plane(
    carrier: MovingCorners,
    here: Posed,
    other: MovingCorners,
    there: Posed,
    gap: Floats,
    n: Floats,
    rest: Floats,
) -> Floats:
    """Bound the free time by a plane that moves with the carrier; n points from it to the other.

    Seen from the carrier, whose own corners rest, a corner y has the velocity y' - shift - omega x r and the
    acceleration y'' - 2 omega x y' + omega x (omega x r), where r is its arm from the carrier's axis.
    """
    rates = carrier.rates
    arms = there.x - here.pivot
    relative = there.rate - rates.angle * cross_all(rates.axis, arms) - rates.shift
    rate = dot(relative, n)[:, None]
    own = other.rates.angle**2 * other.from_axis
    turn, slant = np.abs(rates.angle), _norm(cross(rates.axis, n))
    from_axis = _norm(cross_all(rates.axis, arms))
    moving = other.speed.any()
    free, window = np.zeros_like(rest), rest
    for _ in range(_WINDOWS if moving else 1):
        farthest = from_axis + other.speed * window
        bend = own + slant * turn * (2 * other.speed + turn * farthest)
        found = _find_first_zero(gap, rate, bend[:, None])
        free = np.maximum(free, np.minimum(found, window) if moving else found)
        window = np.minimum(rest, 2 * free)
    return free


def _bound_by_edge_plane(
    scene: MovingBodies, a: Posed, b: Posed, gap: Floats, rate: Floats, n: Floats, rest: Floats
) -> Floats:
    """Free time from a plane that turns to stay perpendicular to an edge of each body, as far as it can.

    n' is found from n'.e + n.e' = 0 for both edges. The second derivative of n.(y - x) is that of the
    corners, twice |n'| times their speed, and |n'|^2 times their distance.
    """
    e, e_rate = _find_flattest_edge(scene.a, a, n)
    f, f_rate = _find_flattest_edge(scene.b, b, n)
    volume = dot(n, cross(e, f))
    good = np.abs(volume) > 1e-6
    turn = dot(n, e_rate) * cross(n, f) + dot(n, f_rate) * cross(e, n)  # with the signs of n x f = -(f x n)
    turn = np.where(good, turn / np.where(good, volume, 1.0), 0.0)
    offset = b.x[:, None] - a.x
    leaning = rate + dot(offset, turn)
    fast, w = scene.b.speed[:, None] + scene.a.speed, _norm(turn)
    own = (scene.b.rates.angle**2 * scene.b.from_axis)[:, None] + scene.a.rates.angle**2 * scene.a.from_axis
    apart = _norm(offset)
    free, window = np.zeros_like(rest), rest
    for _ in range(_WINDOWS):
        bend = own + 2 * w * fast + w * w * (apart + fast * window)
        free = np.maximum(free, np.minimum(_find_first_zero(gap, leaning, bend), window))
        window = np.minimum(rest, 2 * free)
    return np.where(good, free, 0.0)


def _find_flattest_edge(body: MovingCorners, posed: Posed, n: Floats) -> tuple[Floats, Floats]:
    """The edge most nearly perpendicular to n, and its rate."""
    each = np.arange(n.shape[1])
    edge = posed.edges[np.argmin(np.abs(dot(posed.edges, n)), axis=0), :, each].T
    return edge, body.rates.angle * cross(body.rates.axis, edge)
