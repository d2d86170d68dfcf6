"""Proofs that moving bodies do not touch: a chain of moving planes, each good for a while.

At a time t a plane with unit normal n separates two bodies if all corners of one lie on its one side and all
of the other on its other, by more than the radii. In the time d that follows, the gap between two corners,
measured along n, is at least

    g + v d - M d^2 / 2,   g and v: the gap and its rate now, M: a bound of its second derivative,

so that nothing can touch before the first zero of these parabolas. Any normal serves, and it may move in any
way: it rests, it turns with one of the bodies, or it turns so that it stays perpendicular to an edge of each.
A poor one costs steps, never truth. Corners, poses and bounds are plain NumPy; nothing here is shared with
the kernels of continuous detection, and what `query` says about the nearest points is only a guess of n.

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


class Way(NamedTuple):
    """A motion as rates: x' = omega x (x - center) + shift, with omega = angle * axis along the shift."""

    center: Floats  # (3, n)
    axis: Floats  # (3, n), zero without a turn
    angle: Floats  # (n,)
    shift: Floats  # (3, n)

    def take(self, index: Any) -> Way:
        """Some of the motions."""
        return Way(*(x[..., index] for x in self))


def way_of(motion: Any, n: int) -> Way:
    """The rates of n motions of the plane or of space; None is rest."""
    zero = np.zeros((3, n))
    if motion is None:
        return Way(zero, zero, np.zeros(n), zero)
    if hasattr(motion, "offset"):
        return Way(zero, zero, np.zeros(n), _lifted(motion.offset.T))
    axis = motion.axis.T if motion.dimension == 3 else np.tile([[0.0], [0.0], [1.0]], n)
    shift = getattr(motion, "advance", np.zeros(n)) * axis
    return Way(_lifted(motion.center.T), axis, np.asarray(motion.angle), shift)


def _lifted(v: Floats) -> Floats:
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
class Corners:
    """n moving bodies: corners at the start, seen from the motion's center, and unit vectors along edges."""

    way: Way
    arms: Floats  # (k, 3, n)
    edges: Floats  # (m, 3, n)
    from_axis: Floats  # (k, n)
    speed: Floats  # (k, n): it does not change

    def take(self, index: Any) -> Corners:
        """Some of the bodies."""
        arrays = (self.arms, self.edges, self.from_axis, self.speed)
        return Corners(self.way.take(index), *(x[..., index] for x in arrays))

    def at(self, t: Floats) -> Posed:
        """The corners at times t."""
        way, angle = self.way, self.way.angle * t
        arms = turned(way.axis, angle, self.arms)
        pivot = way.center + t * way.shift
        rate = way.angle * cross_all(way.axis, arms) + way.shift
        return Posed(pivot + arms, rate, turned(way.axis, angle, self.edges), pivot)


def cross_all(u: Floats, v: Floats) -> Floats:
    """u x v for one u (3, n) and several v (k, 3, n)."""
    return np.stack(
        [u[1] * v[:, 2] - u[2] * v[:, 1], u[2] * v[:, 0] - u[0] * v[:, 2], u[0] * v[:, 1] - u[1] * v[:, 0]], 1
    )


def turned(axis: Floats, angle: Floats, v: Floats) -> Floats:
    """Rodrigues' formula; 1 - cos as a square, which a small angle does not cancel."""
    beside = cross_all(axis, v)
    turned: Floats = v + np.sin(angle) * beside + 2 * np.sin(angle / 2) ** 2 * cross_all(axis, beside)
    return turned


def _length(v: Floats) -> Floats:
    return np.asarray(np.sqrt(dot(v, v)))


class Scene(NamedTuple):
    """Pairs of moving bodies; cores nearer than `reach`, the radii and the margin, touch."""

    a: Corners
    b: Corners
    reach: Floats

    def take(self, index: Any) -> Scene:
        """Some of the pairs."""
        return Scene(self.a.take(index), self.b.take(index), self.reach[index])

    @property
    def speed(self) -> Floats:
        """No gap changes faster."""
        speed: Floats = self.a.speed.max(axis=0) + self.b.speed.max(axis=0)
        return speed


def scene_of(body: Any, motion: Any, target: Any, target_motion: Any, margin: float) -> Scene:
    """The bodies of a batch of questions."""
    (a, radius_a), (b, radius_b) = _corners_of(body, motion), _corners_of(target, target_motion)
    return Scene(a, b, radius_a + radius_b + margin)


def _corners_of(shape: Any, motion: Any) -> tuple[Corners, Floats]:
    core = extract_core(shape)
    way = way_of(motion, shape.count)
    arms = _lifted(core.origin + core.corners) - way.center
    edges = _lifted(core.edges)
    edges = np.stack([unit(edge) for edge in edges]) if len(edges) else edges
    from_axis = _length(cross_all(way.axis, arms))
    speed = np.hypot(way.angle * from_axis, _length(way.shift))
    return Corners(way, arms, edges, from_axis, speed), core.radius


def free_time(scene: Scene, t: Floats, n: Floats, rest: Floats, thorough: bool) -> tuple[Floats, Floats]:
    """The gap at t along the unit vectors n (3, n) from a to b, and for how long after t nothing can touch.

    The time is at most `rest`, and 0 where the gap is not positive. The plane that keeps to two edges, which
    costs as much as the others together, is tried if `thorough`.
    """
    a, b = scene.a.at(t), scene.b.at(t)
    # (k_b, k_a, n): how far a corner of b lies beyond one of a.
    gap = dot(b.x, n)[:, None] - dot(a.x, n) - scene.reach
    rate = dot(b.rate, n)[:, None] - dot(a.rate, n)
    bend = _at_rest(scene.b, n)[:, None] + _at_rest(scene.a, n)
    free = _first_zero(gap, rate, bend)
    free = np.maximum(free, _taken_along(scene.a, a, scene.b, b, gap, n, rest))
    free = np.maximum(free, _taken_along(scene.b, b, scene.a, a, np.swapaxes(gap, 0, 1), -n, rest))
    if thorough and len(a.edges) and len(b.edges):
        free = np.maximum(free, _between_edges(scene, a, b, gap, rate, n, rest))
    return gap.min(axis=(0, 1)), np.minimum(free, rest)


def _first_zero(gap: Floats, rate: Floats, bend: Floats) -> Floats:
    """The first zero of gap + rate d - bend d^2 / 2 over all corners; infinite if there is none."""
    room = np.maximum(gap, 0.0)
    root = np.sqrt(rate * rate + 2 * bend * room)
    rising = rate > 0  # two forms of one formula, so that neither cancels
    over, under = np.where(rising, root + rate, 2 * room), np.where(rising, bend, root - rate)
    some = under > 0
    zero = np.where(some, over / np.where(some, under, 1.0), np.inf)
    return np.asarray(np.where(gap > 0, zero, 0.0).min(axis=(0, 1)))


def _at_rest(body: Corners, n: Floats) -> Floats:
    """Bounds (k, n) of accelerations along a normal that rests: they point to the axis, across it."""
    return np.asarray(body.way.angle**2 * body.from_axis * _length(cross(body.way.axis, n)))


def _taken_along(
    carrier: Corners, here: Posed, other: Corners, there: Posed, gap: Floats, n: Floats, rest: Floats
) -> Floats:
    """Free time from a plane that the carrier takes along; n points from it to the other.

    Seen from the carrier, whose own corners rest, a corner y has the velocity y' - shift - omega x r and the
    acceleration y'' - 2 omega x y' + omega x (omega x r), where r is its arm from the carrier's axis.
    """
    way = carrier.way
    arms = there.x - here.pivot
    seen = there.rate - way.angle * cross_all(way.axis, arms) - way.shift
    rate = dot(seen, n)[:, None]
    own = other.way.angle**2 * other.from_axis
    turn, slant = np.abs(way.angle), _length(cross(way.axis, n))
    from_axis = _length(cross_all(way.axis, arms))
    moving = other.speed.any()
    free, window = np.zeros_like(rest), rest
    for _ in range(_WINDOWS if moving else 1):
        farthest = from_axis + other.speed * window
        bend = own + slant * turn * (2 * other.speed + turn * farthest)
        found = _first_zero(gap, rate, bend[:, None])
        free = np.maximum(free, np.minimum(found, window) if moving else found)
        window = np.minimum(rest, 2 * free)
    return free


def _between_edges(
    scene: Scene, a: Posed, b: Posed, gap: Floats, rate: Floats, n: Floats, rest: Floats
) -> Floats:
    """Free time from a plane that turns to stay perpendicular to an edge of each body, as far as it can.

    n' is found from n'.e + n.e' = 0 for both edges. The second derivative of n.(y - x) is that of the
    corners, twice |n'| times their speed, and |n'|^2 times their distance.
    """
    e, e_rate = _flattest(scene.a, a, n)
    f, f_rate = _flattest(scene.b, b, n)
    volume = dot(n, cross(e, f))
    good = np.abs(volume) > 1e-6
    turn = dot(n, e_rate) * cross(n, f) + dot(n, f_rate) * cross(e, n)  # with the signs of n x f = -(f x n)
    turn = np.where(good, turn / np.where(good, volume, 1.0), 0.0)
    way = b.x[:, None] - a.x
    leaning = rate + dot(way, turn)
    fast, w = scene.b.speed[:, None] + scene.a.speed, _length(turn)
    own = (scene.b.way.angle**2 * scene.b.from_axis)[:, None] + scene.a.way.angle**2 * scene.a.from_axis
    apart = _length(way)
    free, window = np.zeros_like(rest), rest
    for _ in range(_WINDOWS):
        bend = own + 2 * w * fast + w * w * (apart + fast * window)
        free = np.maximum(free, np.minimum(_first_zero(gap, leaning, bend), window))
        window = np.minimum(rest, 2 * free)
    return np.where(good, free, 0.0)


def _flattest(body: Corners, posed: Posed, n: Floats) -> tuple[Floats, Floats]:
    """The edge most nearly perpendicular to n, and its rate."""
    each = np.arange(n.shape[1])
    edge = posed.edges[np.argmin(np.abs(dot(posed.edges, n)), axis=0), :, each].T
    return edge, body.way.angle * cross(body.way.axis, edge)
