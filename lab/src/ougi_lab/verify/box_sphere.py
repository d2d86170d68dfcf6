"""`ougi verify box-sphere`: a box turns about any axis through any pivot; when does it hit a resting ball?

The rows are ranges of angles. Tolerances are as small as rounding permits. `time_of_impact` is compared with
chains of planes (`ccd_oracle`), which prove misses, and with a gap in plain NumPy, from the ball's center in
the frame of the box, whose change of sign is bracketed and bisected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats
from ougi.motion import Rotation3d
from ougi.shapes import Box, Sphere
from ougi_lab.scenes.motions import ANGLE_RANGES, MovingPairs
from ougi_lab.scenes.pairs import rotation_3d
from ougi_lab.verify.ccd import NOT_GRAZING, compute_band, compute_scale, run_ougi
from ougi_lab.verify.ccd_walk import find_early_overlap, walk_paths
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, describe_pair

# The gap at the reported time is rounding alone.
_TOL = 1e-15

# How far before and after the reported time the bracket begins and ends, and how often it is halved.
_BRACKET = 1e-6
_HALVINGS = 36

# Error of an exact time, besides the rounding of the gap.
_TIME = 1e-12

# One in this number overlaps at the start, because overlaps have no first contact.
_OVERLAPPING = 20


class TurningBoxes(NamedTuple):
    """n boxes, turns and balls as plain arrays."""

    middle: Floats
    half: Floats
    axes: Floats  # (n, 3, 3), columns
    pivot: Floats
    axis: Floats
    angle: Floats
    center: Floats
    radius: Floats

    def take(self, index: Any) -> TurningBoxes:
        """Return a subset."""
        return TurningBoxes(*(x[index] for x in self))

    def case(self) -> MovingPairs:
        """Return the queries."""
        box = Box(self.middle, 2 * self.half, self.axes)
        return MovingPairs(
            box,
            Rotation3d(self.pivot, self.axis, self.angle),
            Sphere(self.center, self.radius),
            tol=_TOL,
        )

    def gap(self, t: Floats) -> Floats:
        """The ball's gap at times t: its center turned back about the pivot, in the box's frame."""
        w, angle = self.center - self.pivot, -self.angle * t
        s, v = np.sin(angle)[:, None], 2 * np.sin(angle / 2)[:, None] ** 2
        beside = np.cross(self.axis, w)
        back = self.pivot + w + s * beside + v * np.cross(self.axis, beside)
        q = np.abs(np.einsum("nji,nj->ni", self.axes, back - self.middle)) - self.half
        outside = np.linalg.norm(np.maximum(q, 0.0), axis=1)
        gap: Floats = np.where(outside > 0, outside, q.max(axis=1)) - self.radius
        return gap

    @property
    def speed(self) -> Floats:
        """Speed of the ball's center in the frame of the box, which bounds the approach."""
        away = np.linalg.norm(np.cross(self.axis, self.center - self.pivot), axis=1)
        speed: Floats = np.abs(self.angle) * away
        return speed


def draw_turns(degrees: tuple[float, float], n: int, rng: np.random.Generator) -> TurningBoxes:
    """n turns by angles of a range; pivots in, on, beside and far from the box; balls near its path."""
    many = 3 * n + 20
    half = rng.uniform(0.02, 1.5, (many, 3)) * rng.choice([0.0, 0.02, 1.0, 1.0, 1.0, 1.0], (many, 3))
    axes = rotation_3d(rng.normal(size=(many, 4)))
    middle = rng.uniform(-2, 2, (many, 3))
    spread = rng.choice([0.0, 0.5, 1.0, 1.0, 2.0, 4.0, 20.0], (many, 1))
    pivot = middle + np.einsum("nij,nj->ni", axes, half * rng.uniform(-1, 1, (many, 3)) * spread)
    pivot += rng.normal(size=(many, 3)) * rng.choice([0.0, 1.0, 2.0], (many, 1))
    axis = rng.normal(size=(many, 3))
    plain = rng.random(many) < 0.25  # parallel to an edge, as in FAN
    axis[plain] = np.swapaxes(axes, 1, 2)[np.arange(many), rng.integers(0, 3, many)][plain]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle: Floats = np.radians(rng.uniform(*degrees, many)) * rng.choice([-1.0, 1.0], many)
    radius = rng.uniform(0.01, 1, many) * rng.choice([0.0, 0.01, 1.0, 1.0, 1.0, 1.0], many)
    at = Rotation3d(pivot, axis, angle).at(rng.random(many))
    along = np.einsum("nij,nj->ni", at.rotation, middle) + at.position
    reach = radius + np.linalg.norm(half, axis=1)
    aside = rng.normal(size=(many, 3))
    aside *= (reach * rng.uniform(0.2, 1.2, many) / np.linalg.norm(aside, axis=1))[:, None]
    turn = TurningBoxes(middle, half, axes, pivot, axis, angle, along + aside, radius)
    chosen = (turn.gap(np.zeros(many)) > 0) | (np.arange(many) % _OVERLAPPING == 0)
    order = np.argsort(~chosen, kind="stable")[:n]
    return turn.take(order)


@dataclass(frozen=True)
class BoxSphere:
    """The subject `box-sphere` for the runner; its pairs are ranges of angles in degrees."""

    query: Callable[[MovingPairs], Any] = field(default=run_ougi)
    name: str = "box-sphere"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/impact")

    def pairs(self) -> tuple[str, ...]:
        """Names like `90-180`."""
        return tuple(f"{low}-{high}" for low, high in ANGLE_RANGES)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n turns of a range of angles."""
        low, high = (float(x) for x in pair.split("-"))
        turn = draw_turns((low, high), n, rng)
        case = turn.case()
        result = self.query(case)
        width, scale = compute_band(case), compute_scale(case)
        status, start = result.status, turn.gap(np.zeros(n))
        hit, overlap = status == 1, status == 2
        end = np.where(hit, result.t, 1.0)
        last = turn.gap(end)
        index = np.flatnonzero(~overlap)
        walk = walk_paths(case.take(index), end[index], width[index], scale[index])
        before = np.zeros(n)
        before[index] = find_early_overlap(walk, case.take(index), end[index], width[index], scale[index])
        errors = {
            "status": np.where((status >= 0) & (status <= 3), 0.0, NONFINITE_ERROR),
            "missed": np.where(status == 0, before, 0.0),
            "late": np.where(hit, np.maximum(before, np.maximum(-last, 0.0) / width), 0.0),
            "false": np.where(hit, np.maximum(last, 0.0) / (width + _TOL * scale), 0.0),
            "start": np.where(overlap != (start <= 0), np.abs(start) / width, 0.0),
        }
        errors["time"], off = _measure_time_errors(turn, hit, end, width + _TOL * scale)
        tally = Tally(cases=n, undecided=int((status == 3).sum()), unproved=int((~walk.proved).sum()))
        tally.in_band = int((np.abs(start) <= width).sum())
        tally.undecided_cases = [{"index": int(i)} for i in np.flatnonzero(status == 3)]
        tally.largest = {
            "gap": float(np.abs(last[hit]).max(initial=0.0)),
            **{name: float(error.max(initial=0.0)) for name, error in off.items()},
        }
        inexact = int((off["time"] > _TIME).sum())
        tally.counts = {"hits": int(hit.sum()), "overlapping": int(overlap.sum()), "times > 1e-12": inexact}

        def question(i: int) -> str:
            return f"motion={case.motion[i]!r}, tol={_TOL}: status {int(status[i])}"

        tally.judge(errors, describe_pair(result.t, case.body, case.target, question))
        return tally


def _measure_time_errors(
    turn: TurningBoxes, hit: Bools, end: Floats, width: Floats
) -> tuple[Floats, dict[str, Floats]]:
    """Errors of the times by which balls are reached that are not merely grazed, in units of what is allowed;
    and in t itself, for two shares of the speed with which they are approached."""
    error = np.zeros(len(end))
    index = np.flatnonzero(hit & (end > 0) & (end < 1))
    subset, t = turn.take(index), end[index]
    lo, hi = np.maximum(t - _BRACKET, 0.0), np.minimum(t + _BRACKET, 1.0)
    approach = (subset.gap(lo) - subset.gap(hi)) / (hi - lo)
    for _ in range(_HALVINGS):
        middle = (lo + hi) / 2
        free = subset.gap(middle) > 0
        lo, hi = np.where(free, middle, lo), np.where(free, hi, middle)
    off = np.abs(t - (lo + hi) / 2)
    share = approach / np.where(subset.speed > 0, subset.speed, 1.0)
    fast = share > NOT_GRAZING
    error[index] = np.where(fast, off / (_TIME + width[index] / np.where(fast, approach, 1.0)), 0.0)
    return error, {"time": off[fast], "time, approach > 0.1": off[share > 0.1]}
