"""`ougi verify sweep`: do sectors hold what moving shapes cover, and which points does a turning box cover?

Rows `<class>-enclosing`: points of random shapes at random times, each moved by Rodrigues' formula, must lie
in the enclosing sector; every fifth is one that decides: nearest to the axis, farthest from it, or tangent to
a plane through it. Rows `fan-...` and `fan2d-...` are about the motions of FAN sec. 3.1, whose sweep is known
in polar form: the published sector is part of it and of the enclosing one, and the areas that the sectors
share with it are measured.

Rows `box-exact` and `rectangle-exact`: is a point in the exact sweep? Seen from the box it runs on a circle,
and how far it is outside is the largest of six sinusoids, one for each face. Their least maximum over the
turn lies at an end, at the bottom of one or where two are equal: all of these angles are tried. Points are
random, on the path, or nearly on the border.

A case is a point; one motion gets fifty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats
from ougi.motion import Rotation2d, Rotation3d
from ougi.shapes import Box, Rectangle
from ougi_lab.scenes.cores import cross, dot, extract_core, unit
from ougi_lab.scenes.motions import draw_moving_pairs
from ougi_lab.scenes.pairs import CLASSES, rotation_2d, rotation_3d
from ougi_lab.verify.ccd_oracle import Rates, extract_rates, rotate, to_space
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.sector import band
from ougi_lab.verify.sector_oracle import signed_distance
from ougi_lab.verify.tally import Mean, Tally, describe_pair

# Points per motion, and one in how many is a deciding one.
_POINTS = 50
_DECIDING = 5

# Radii at which the angles that a sector and a sweep share are measured.
_RADII = 400

# Points in doubt are shifted by these numbers of rounding bands: by few, not to step across a narrow hole,
# and by many.
_SHIFTS = (2.0, 16.0, 128.0, 1e3)

# Target of the balanced sector's mean overlap with the sweep, area in both over area in either.
BALANCED = 0.95


def run_ougi(shape: Any, motion: Any, method: str) -> Any:
    """Return the result of `ougi.sweep`."""
    from ougi import sweeps

    return sweeps.sweep(shape, motion, method)


@dataclass(frozen=True)
class SweepSubject:
    """The subject `sweep` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[Any, Any, str], Any] = field(default=run_ougi)
    name: str = "sweep"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/impact", "sweeps")

    def pairs(self) -> tuple[str, ...]:
        """Names like `box-enclosing` and `fan-balanced`."""
        classes = [name for cls in CLASSES if not (name := cls.__name__.lower()).startswith("point")]
        fans = [
            f"{fan}-{method}" for fan in ("fan2d", "fan") for method in ("sector", "enclosing", "balanced")
        ]
        return (*(f"{name}-enclosing" for name in classes), *fans, "rectangle-exact", "box-exact")

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n points."""
        subject, method = pair.split("-")
        if subject in ("fan2d", "fan"):
            return self._check_fan(2 if subject == "fan2d" else 3, method, n, rng)
        cls = next(cls for cls in CLASSES if cls.__name__.lower() == subject)
        count = -(-n // _POINTS)
        if method == "exact":
            return self._check_exact(draw_moving_pairs(cls, cls, "rotation", False, count, rng), n, rng)
        case = draw_moving_pairs(
            cls, cls, str(rng.choice(["rotation", "screw"][: cls.dimension - 1])), False, count, rng
        )
        fan = self.query(case.body, case.motion, "sector-enclosing")
        owner = np.arange(n) % count
        points = _find_deciding_points(case.body, case.motion, owner, rng)
        chosen = np.arange(n) // count % _DECIDING > 0
        points[:, chosen] = draw_points(case.body, owner[chosen], rng)
        t = np.clip(rng.uniform(-0.2, 1.2, n), 0, 1)
        tally = Tally(cases=n)
        self._check_within(
            tally, fan, owner, move_points(extract_rates(case.motion, count).take(owner), points, t).T, case
        )
        return tally

    def _check_exact(self, case: Any, n: int, rng: np.random.Generator) -> Tally:
        """n points in the sweeps of turning boxes or not."""
        from ougi import query

        count = case.body.count
        owner = np.arange(n) % count
        points = _draw_around_sweep(case.body, case.motion, owner, rng)
        inside = query.contains(
            self.query(case.body, case.motion, "exact")[owner], points[: case.body.dimension].T
        )
        outside, width = measure_outside(case.body, case.motion, owner, points)
        errors = {
            "wrong": np.where(inside == (outside <= 0), 0.0, np.abs(outside) / width),
            "missed": np.zeros(n),
        }
        doubtful = np.flatnonzero(~inside & (np.abs(outside) <= width))
        errors["missed"][doubtful] = 2.0 * _enclosed_points(case, owner[doubtful], points[:, doubtful])
        tally = Tally(cases=n, in_band=int((np.abs(outside) <= width).sum()))
        tally.near = int((np.abs(outside) <= 1e6 * width).sum())
        tally.counts = {"inside": int(inside.sum())}
        own = case.body[owner]
        tally.judge(errors, describe_pair(outside, own, own, _describe_motion(case, owner, points.T)))
        return tally

    def _check_within(
        self, tally: Tally, fan: Any, owner: Any, points: Floats, case: Any, name: str = "outside"
    ) -> None:
        """Points (n, 3) must lie in the sectors of their owners."""
        from ougi import query

        points = points[:, : fan.dimension]
        own = fan[owner]
        inside = query.contains(own, points)
        width, signed = band(fan, fan)[owner], signed_distance(fan, points, owner)
        # Never missing means never: even what is outside by less than rounding counts.
        errors = {name: np.where(inside, 0.0, 2.0 + np.maximum(signed, 0.0) / width)}
        tally.in_band += int((np.abs(signed) <= width).sum())
        tally.judge(
            errors, describe_pair(signed, case.body[owner], own, _describe_motion(case, owner, points))
        )

    def _check_fan(self, dimension: int, method: str, n: int, rng: np.random.Generator) -> Tally:
        count = -(-n // _POINTS)
        case = draw_polar_motions(dimension, count, rng)
        named = {"sector": "sector", "enclosing": "sector-enclosing", "balanced": "sector-balanced"}[method]
        fan = self.query(case.body, case.motion, named)
        tally, owner = Tally(), np.arange(n) % count
        if method == "sector":
            self._check_part_of_sweep(tally, case, fan, owner, rng)
        elif method == "enclosing":
            points = draw_points(case.body, owner, rng)
            t = np.clip(rng.uniform(-0.2, 1.2, n), 0, 1)
            self._check_within(
                tally,
                fan,
                owner,
                move_points(extract_rates(case.motion, count).take(owner), points, t).T,
                case,
            )
        tally.cases = n
        errors = {"direction": _measure_direction_error(case, fan) / 1e-9}
        tally.judge(errors, describe_pair(fan.half_angle, case.body, fan))
        shared = measure_overlap(case, fan)
        promised = BALANCED if method == "balanced" else 0.0
        tally.means = {"iou": Mean(float(shared.sum()), float((shared**2).sum()), count, promised)}
        return tally

    def _check_part_of_sweep(
        self, tally: Tally, case: PolarMotion, fan: Any, owner: Any, rng: np.random.Generator
    ) -> None:
        """Points of the published sector lie in the exact sweep, and in the enclosing sector."""
        n = len(owner)
        own = fan[owner]
        rho = own.inner_radius + (own.outer_radius - own.inner_radius) * np.clip(
            rng.uniform(-0.1, 1.1, n), 0, 1
        )
        psi = own.half_angle * np.clip(rng.uniform(-1.1, 1.1, n), -1, 1)
        own_case = case.take(owner)
        within = np.maximum(rho, own_case.lever - own_case.along / 2)  # the same radius, rounded otherwise
        low, high = find_covered_angles(own_case, within)
        over = np.maximum(np.maximum(np.abs(psi) - high, low - np.abs(psi)), 0.0) * rho + within - rho
        width = band(fan, fan)[owner]
        tally.judge({"not swept": over / width}, describe_pair(over, case.body[owner], own))
        x = own.direction
        if fan.dimension == 2:
            points = own.center + rho[:, None] * (rotation_2d(psi) @ x[..., None])[..., 0]
        else:
            y = np.cross(own.axis, x)
            points = own.center + rho[:, None] * (np.cos(psi)[:, None] * x + np.sin(psi)[:, None] * y)
            points = (
                points + (own.half_height * np.clip(rng.uniform(-1.1, 1.1, n), -1, 1))[:, None] * own.axis
            )
        around = self.query(case.body, case.motion, "sector-enclosing")
        self._check_within(tally, around, owner, points, case, "not enclosed")


def _describe_motion(case: Any, owner: Any, points: Floats) -> Callable[[int], str]:
    """The motion and the point (n, 3) of a case."""
    return lambda i: f"motion={case.motion[int(owner[i])]!r}, point {points[i].tolist()}"


def draw_points(shape: Any, owner: Any, rng: np.random.Generator) -> Floats:
    """A random point (3, n) of each owner's shape, often on an edge or a face: mixed corners, a radius."""
    core = extract_core(shape).take(owner)
    weights = rng.gamma(0.3, size=(len(core.corners), len(owner))) + 1e-300
    weights /= weights.sum(axis=0)
    away = unit(rng.normal(size=(core.dimension, len(owner))))
    away *= core.radius * rng.choice([1.0, 1.0, 0.5], len(owner))
    return to_space(core.origin + (weights[:, None] * core.corners).sum(axis=0) + away)


def move_points(rates: Rates, points: Floats, t: Floats) -> Floats:
    """Points (3, n) at times t."""
    arms = rotate(rates.axis, rates.angle * t, (points - rates.center)[None])[0]
    out: Floats = rates.center + arms + t * rates.shift
    return out


def _find_deciding_points(shape: Any, motion: Any, owner: Any, rng: np.random.Generator) -> Floats:
    """The point nearest to the axis or, of a corner's ball, the farthest, highest, lowest or tangent one."""
    rates, core, n = (
        extract_rates(motion, shape.count).take(owner),
        extract_core(shape).take(owner),
        len(owner),
    )
    each, corner = np.arange(n), rng.integers(0, len(core.corners), n)
    center = to_space(core.origin + core.corners[corner, :, each].T)
    arm = center - rates.center
    arm = arm - dot(arm, rates.axis) * rates.axis
    rho, out = np.sqrt(dot(arm, arm)), unit(arm)
    side = cross(rates.axis, out)
    sine = np.minimum(core.radius / np.where(rho > 0, rho, 1.0), 1.0)
    tangent = np.sqrt(1 - sine**2) * side * rng.choice([-1.0, 1.0], n) - sine * out
    upright = rates.axis * rng.choice([-1.0, 1.0], n) * (core.dimension == 3)
    away = np.stack([out, tangent, upright])[rng.integers(0, 3, n), :, each].T
    nearest = _find_nearest_to_axis(shape, motion)[:, owner]
    return np.where(rng.random(n) < 0.3, nearest, center + core.radius * away)


def _find_nearest_to_axis(shape: Any, motion: Any) -> Floats:
    """The points (3, n) of the shapes that are nearest to the axes."""
    from ougi import query
    from ougi.shapes import Segment3d

    if shape.dimension == 2:
        return to_space(query.closest_points(shape, motion.center).point_a.T)
    ball = shape.bounding_sphere()
    middle = motion.center + ((ball.center - motion.center) * motion.axis).sum(1)[:, None] * motion.axis
    along = 2 * ball.radius[:, None] * motion.axis
    return np.asarray(query.closest_points(shape, Segment3d(middle - along, middle + along)).point_a.T)


def _draw_around_sweep(shape: Any, motion: Any, owner: Any, rng: np.random.Generator) -> Floats:
    """Points (3, n): a third anywhere about the sweep, a third on the path, a third nearly on the border."""
    n, kind = len(owner), rng.integers(0, 3, len(owner))
    rates, ball = extract_rates(motion, shape.count).take(owner), shape.bounding_sphere()[owner]
    t = np.clip(rng.uniform(-0.5, 1.5, n), 0, 1)
    size = ball.radius + 1e-3 * np.abs(ball.center).max(axis=1)
    away = to_space(rng.normal(size=(shape.dimension, n))) * size
    somewhere = to_space(ball.center.T) + away
    border = np.where(
        rng.random(n) < 0.5, _find_deciding_points(shape, motion, owner, rng), draw_points(shape, owner, rng)
    )
    border = border + away * 10 ** rng.uniform(-17, -3, n)
    chosen = np.where(kind == 0, somewhere, np.where(kind == 1, draw_points(shape, owner, rng), border))
    return move_points(rates, chosen, t)


def _enclosed_points(case: Any, owner: Any, points: Floats) -> Bools:
    """Are points also in the sweep when they are shifted, in all directions, by much more than rounding?

    A flat box comes to a point in the middle of its sweep, but never holds it by more than rounding. Not for
    points on the axis: there a sweep may have a hole as narrow as rounding.
    """
    rates = extract_rates(case.motion, case.body.count).take(owner)
    arm = cross(points - rates.center, rates.axis)
    _, width = measure_outside(case.body, case.motion, owner, points)
    surrounded: Bools = np.sqrt(dot(arm, arm)) > 2 * max(_SHIFTS) * width
    for bands, shift in product(_SHIFTS, np.concatenate([np.eye(3), -np.eye(3)])):
        near = points + np.multiply.outer(shift, bands * width)
        outside, _ = measure_outside(case.body, case.motion, owner, near)
        surrounded &= outside <= width
    return surrounded


def measure_outside(shape: Any, motion: Any, owner: Any, points: Floats) -> tuple[Floats, Floats]:
    """How far points (3, n) stay outside of turning boxes, negative inside, by faces; and a rounding band."""
    rates, own = extract_rates(motion, shape.count).take(owner), shape[owner]
    half, center = to_space(own.size.T / 2), to_space(own.center.T)
    frame = np.broadcast_to(np.eye(3), (len(owner), 3, 3)).copy()
    flat = shape.dimension == 2
    frame[:, : shape.dimension, : shape.dimension] = rotation_2d(own.angle) if flat else own.rotation
    axis = rates.axis * np.where(rates.angle < 0, -1.0, 1.0)
    w = points - rates.center
    height = dot(w, axis) * axis
    # The box turns forward: to it, the point turns back.
    terms = (height + rates.center - center, w - height, cross(w, axis))
    m, a, b = (np.einsum("nij,in->jn", frame, v) for v in terms)
    level, a, b = (
        np.concatenate([v[: shape.dimension] for v in both])
        for both in ((m - half, -m - half), (a, -a), (b, -b))
    )
    turn = np.abs(rates.angle)
    smallest = np.full(len(owner), np.inf)
    for angle in (turn, *_iterate_decisive_angles(level, a, b)):
        phi = np.where((angle is turn) | (np.mod(angle, 2 * np.pi) <= turn), angle, 0.0)  # or else the start
        smallest = np.minimum(smallest, (level + a * np.cos(phi) + b * np.sin(phi)).max(axis=0))
    largest = np.abs(np.stack([points, rates.center, center, half])).max(axis=(0, 1))
    return smallest, np.maximum(2 * BAND * EPS * largest, np.finfo(np.float64).tiny)


def _iterate_decisive_angles(level: Floats, a: Floats, b: Floats) -> Iterator[Floats]:
    """Where one of the sinusoids level + a cos + b sin (k, n) is lowest, and where two of them are equal."""
    for i in range(len(level)):
        yield np.arctan2(-b[i], -a[i])
        for j in range(i):
            u, v, rest = a[i] - a[j], b[i] - b[j], level[j] - level[i]
            rho = np.hypot(u, v)
            apart = np.arccos(np.clip(rest / np.where(rho > 0, rho, 1.0), -1.0, 1.0))
            middle = np.arctan2(v, u)
            yield middle + apart
            yield middle - apart


class PolarMotion(NamedTuple):
    """FAN sec. 3.1: lever arm 12.5 to 25, sizes 0 to 25 across and along the arm, angle 0 to 2 pi."""

    body: Any
    motion: Any
    lever: Floats
    across: Floats
    along: Floats

    def take(self, index: Any) -> PolarMotion:
        """Return a subset."""
        return PolarMotion(*(x[index] for x in self))


def draw_polar_motions(dimension: int, n: int, rng: np.random.Generator) -> PolarMotion:
    """n of them about the origin, in the plane or in space, in any direction."""
    lever, size = rng.uniform(12.5, 25, n), rng.uniform(0, 25, (n, dimension))
    angle = rng.uniform(0, 2 * np.pi, n)
    if dimension == 2:
        direction = rng.uniform(-np.pi, np.pi, n)
        arm = rotation_2d(direction)[..., 1] * lever[:, None]
        return PolarMotion(
            Rectangle(arm, size, direction),
            Rotation2d(np.zeros((n, 2)), angle),
            lever,
            size[:, 0],
            size[:, 1],
        )
    turn = rotation_3d(rng.normal(size=(n, 4)))
    body = Box(turn[..., 1] * lever[:, None], size, turn)
    return PolarMotion(body, Rotation3d(np.zeros((n, 3)), turn[..., 2], angle), lever, size[:, 0], size[:, 1])


def find_covered_angles(case: PolarMotion, rho: Floats) -> tuple[Floats, Floats]:
    """Angles from the middle of the turn, low <= |psi| <= high, that the sweep covers at radii rho.

    At radius rho the box covers angles g_min <= |g| <= g_max from its middle line: its outer side cuts off
    those below g_min, its flanks and its inner side those above g_max.
    """
    inner, outer = case.lever - case.along / 2, case.lever + case.along / 2
    safe = np.where(rho > 0, rho, 1.0)
    smallest = np.arccos(np.minimum(outer / safe, 1.0))
    largest_angle = np.minimum(
        np.arcsin(np.minimum(case.across / 2 / safe, 1.0)), np.arccos(np.clip(inner / safe, -1, 1))
    )
    half = np.abs(case.motion.angle) / 2
    low, high = np.maximum(smallest - half, 0.0), np.minimum(half + largest_angle, np.pi)
    nothing = (rho < inner) | (smallest > largest_angle)
    return np.where(nothing, 0.0, low), np.where(nothing, -1.0, high)


def measure_overlap(case: PolarMotion, fan: Any) -> Floats:
    """Area in both the sector and the sweep over the area in either, FAN (3.1) without a lattice.

    Both lie symmetrically about the middle of the turn and have the same height.
    """
    top = np.maximum(np.hypot(case.lever + case.along / 2, case.across / 2), fan.outer_radius)
    both, either = np.zeros(len(top)), np.zeros(len(top))
    bottom = np.minimum(case.lever - case.along / 2, fan.inner_radius)
    for k in range(_RADII):
        rho = bottom + (top - bottom) * (k + 0.5) / _RADII
        low, high = find_covered_angles(case, rho)
        own = np.where((rho >= fan.inner_radius) & (rho <= fan.outer_radius), fan.half_angle, 0.0)
        swept = np.maximum(high - low, 0.0)
        shared = np.maximum(np.minimum(high, own) - low, 0.0)
        both += rho * shared
        either += rho * (swept + own - shared)
    return np.asarray(both / either)


def _measure_direction_error(case: PolarMotion, fan: Any) -> Floats:
    """By how much the sector's direction differs from the box's middle line turned by half the angle."""
    n = len(case.lever)
    half = np.full(n, 0.5)
    arm = move_points(extract_rates(case.motion, n), to_space(case.body.center.T), half) / case.lever
    return np.asarray(np.linalg.norm(arm.T[:, : fan.dimension] - fan.direction, axis=1))
