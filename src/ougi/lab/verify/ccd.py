"""`ougi verify ccd`: is every first contact of time_of_impact right?

The oracle poses the bodies by rotation matrices and measures their gap with `ougi.distance`, whose every
answer `ougi verify narrow` proves by a certificate; it knows nothing of steps, planes and roots. Three kinds
of chunks: `random` bodies and motions, the gap sampled along the way; `near`, the target moved along the
normal at the least gap until they miss, or overlap, by 1e-3 to 1e-9 of their size; and `second`: the way
walked in steps of gap over speed, which can miss nothing, times held against bisection, both bodies moving,
and margins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats
from ougi.lab.verify import ccd_cylinder
from ougi.lab.verify.cases import CLASSES, moved
from ougi.lab.verify.ccd_cases import KINDS, random_bodies, random_motion
from ougi.lab.verify.certificates import BAND, EPS, core_of, gap, largest_coordinate, size
from ougi.lab.verify.digest import kernel_digest
from ougi.lab.verify.narrow import classes
from ougi.lab.verify.tally import HOPELESS, Opinion, Tally

# Poses at which the gap is measured on the way to the answer.
_SAMPLES = 48

# Poses from which the least gap is refined, and thirds taken for it.
_THIRDS = 60

_TOL = 1e-9

# A gap of this share of the rounding band is none.
_INSTANT = 0.1

# Steps of the walk; at a gap below this share of the size it goes on in steps of this length.
_STRIDE = 1e-4
_MOST_STRIDES = 4_000

# A step this long in time, and the share of the speed with which bodies must approach to have an exact time.
_BRACKET = 1e-7
_NOT_GRAZING = 1e-3
_TIME = 1e-12


class Case(NamedTuple):
    """A batch of questions: who moves how against what, and how precisely."""

    body: Any
    motion: Any
    target: Any
    target_motion: Any = None
    tol: float = _TOL
    margin: float = 0.0


def ask(case: Case) -> Any:
    """The answers of `ougi.time_of_impact`."""
    from ougi import impact

    return impact.time_of_impact(
        case.body, case.motion, case.target, case.target_motion, tol=case.tol, margin=case.margin
    )


@dataclass(frozen=True)
class Ccd:
    """The subject `ccd` for the runner. `answer` is what is examined; tests plant mistakes there."""

    answer: Callable[[Case], Any] = field(default=ask)
    name: str = "ccd"
    kinds: tuple[str, ...] = ("random", "near", "second")

    def pairs(self) -> tuple[str, ...]:
        """Names like `sphere-box`; either of the two moves in half of the cases."""
        names = [cls.__name__.lower() for cls in CLASSES]
        same = [
            (i, j) for i, a in enumerate(CLASSES) for j, b in enumerate(CLASSES) if a.dimension == b.dimension
        ]
        convex = (f"{names[i]}-{names[j]}" for i, j in same if i <= j)
        return (*convex, *ccd_cylinder.pairs())

    def digest(self, pair: str) -> str:
        """Digest of the sources that answer for a pair."""
        from ougi.impact._tables import find

        kernel = find(*(ccd_cylinder.classes(pair) or classes(pair))).kernel
        return kernel_digest(f"impact_{kernel}") + kernel_digest("impact_moving_pairs")

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind."""
        if found := ccd_cylinder.classes(pair):
            return ccd_cylinder.check(self.answer, found[0], kind, n, rng)
        tally = Tally()
        a, b = classes(pair)
        motions = KINDS[a.dimension]
        orders = [(a, b), (b, a)]
        shares = [(order, motion) for motion in motions for order in orders]
        for k, ((x, y), motion) in enumerate(shares):
            count = n * (k + 1) // len(shares) - n * k // len(shares)
            if count:
                self._batch(tally, kind, x, y, motion, count, rng)
        return tally

    def _batch(
        self, tally: Tally, kind: str, a: Any, b: Any, motion: str, n: int, rng: np.random.Generator
    ) -> None:
        body, target = random_bodies(a, b, n, rng)
        case = Case(body, random_motion(motion, body, target, rng), target)
        if kind == "random":
            tally.cases += n
            self._judge(tally, case, rng)
        elif kind == "near":
            case, at = grazing(case, rng)
            tally.near += n
            self._judge(tally, case, rng, at)
        else:
            self._judge(tally, case, rng, walk=True)
            self._time(tally, case)
            both = case._replace(target_motion=random_motion(KINDS[a.dimension][-2], target, body, rng))
            self._judge(tally, both, rng)
            reach = float(np.median(body.bounding_sphere().radius + target.bounding_sphere().radius))
            self._judge(tally, case._replace(margin=0.1 * reach), rng)

    def _judge(
        self, tally: Tally, case: Case, rng: np.random.Generator, at: Floats | None = None, walk: bool = False
    ) -> None:
        """Count what is wrong with the answers; `at` are further times to look at."""
        answer = self.answer(case)
        status, n = answer.status, case.body.count
        width, scale = _band(case), _scale(case)
        start = gap_at(case, np.zeros(n))
        hit = status == 1
        end = np.where(hit, answer.t, 1.0)
        errors = {"status": np.where((status >= 0) & (status <= 3), 0.0, HOPELESS)}
        errors["start"] = np.where(
            (status == 2) == (start + case.margin <= 0), 0.0, np.abs(start + case.margin) / width
        )
        last = gap_at(case, end)
        at_start = hit & (answer.t == 0)  # within the margin from the start
        errors["late"] = np.where(hit & ~at_start, np.maximum(-last, 0.0) / width, 0.0)
        errors["early"] = np.where(hit, np.maximum(last, 0.0) / (case.tol * scale + width), 0.0)
        least = np.minimum(start, np.where(status == 0, last, np.inf))
        times = [end * (k + rng.random(n)) / _SAMPLES for k in range(_SAMPLES)]
        if at is not None:
            times.append(np.where(at < end, at, 0.0))
        for t in times:
            least = np.minimum(least, gap_at(case, t))
        judged = (status == 0) | (hit & ~at_start)
        errors["before"] = np.where(judged, np.maximum(-least, 0.0) / width, 0.0)
        errors |= _contact_errors(case, answer, hit & ~at_start, width, scale)
        if walk:
            errors["walk"] = np.where(judged, _walked(case, end, width), 0.0)
        tally.in_band += int((np.abs(start) <= width).sum())
        decided = tally.opinions.setdefault("decided", Opinion())
        decided.add(Opinion(n, int((status == 3).sum())))
        first = tally.judge(errors)
        if first is not None and tally.first is None:
            tally.first = _place(first, errors, case, answer)

    def _time(self, tally: Tally, case: Case) -> None:
        """Where bodies approach fast enough the time itself is exact: bisection of the gap's sign."""
        answer = self.answer(case._replace(tol=1e-14))
        early, late = answer.t - _BRACKET, answer.t + _BRACKET
        keep = (answer.status == 1) & (early > 0) & (late < 1)
        after = gap_at(case, np.where(keep, late, 0.0))
        keep &= after < -_NOT_GRAZING * _speed(case) * _BRACKET
        lo, hi = np.where(keep, early, 0.0), np.where(keep, late, 1.0)
        for _ in range(40):
            middle = (lo + hi) / 2
            free = gap_at(case, middle) > 0
            lo, hi = np.where(free, middle, lo), np.where(free, hi, middle)
        rounding = _band(case) / np.where(keep, -after / _BRACKET, 1.0)
        scale = 1e-14 * _scale(case) / np.where(keep, -after / _BRACKET, 1.0)
        error = np.where(keep, np.abs(answer.t - hi) / (_TIME + rounding + scale), 0.0)
        first = tally.judge({"time": error})
        if first is not None and tally.first is None:
            tally.first = _place(first, {"time": error}, case, answer)


def gap_at(case: Case, t: Floats) -> Floats:
    """The gap at times t, less the margin."""
    from ougi import query

    target = case.target
    if case.target_motion is not None:
        target = target.transformed(case.target_motion.at(t))
    body = case.body.transformed(case.motion.at(t))
    if body.solid and target.solid:
        signed = query.distance(body, target)
    else:  # that would be 0 for a ball in the middle of a triangle
        signed = query._separation("closest_points", body, target, None)[0]
    out: Floats = signed - case.margin
    return out


def grazing(case: Case, rng: np.random.Generator) -> tuple[Case, Floats]:
    """The target moved along the normal at the least gap, to miss or overlap by a little; and that time."""
    from ougi import query

    n = case.body.count
    grid = np.linspace(0, 1, _SAMPLES + 1)
    gaps = np.stack([gap_at(case, np.full(n, t)) for t in grid])
    best = grid[np.argmin(gaps, axis=0)]
    at = refined(case, np.maximum(best - 1 / _SAMPLES, 0), np.minimum(best + 1 / _SAMPLES, 1))
    placed = case.body.transformed(case.motion.at(at))
    signed, normal, _, _ = query._separation("closest_points", placed, case.target, None)
    reach = case.body.bounding_sphere().radius + case.target.bounding_sphere().radius
    little = reach * 10 ** rng.uniform(-9, -3, n) * rng.choice([-1.0, 1.0], n)
    shift = np.where(signed > 0, little - signed, 0.0)[:, None] * normal
    return case._replace(target=moved(case.target, shift)), at


def refined(case: Case, lo: Floats, hi: Floats) -> Floats:
    """Where the gap is least between two times, by thirds."""
    for _ in range(_THIRDS):
        p, q = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        left = gap_at(case, p) <= gap_at(case, q)
        lo, hi = np.where(left, lo, p), np.where(left, q, hi)
    return (lo + hi) / 2


def _walked(case: Case, end: Floats, width: Floats) -> Floats:
    """Walk from 0 to `end` in steps of gap over speed, at least a stride: nothing deeper than one is missed.

    The least gap on the way is refined and must not be an overlap.
    """
    speed, stride = _speed(case), _STRIDE * _scale(case)
    t, best, least = np.zeros_like(end), np.zeros_like(end), np.full_like(end, np.inf)
    for _ in range(_MOST_STRIDES):
        here = gap_at(case, t)
        lower = here < least
        best, least = np.where(lower, t, best), np.where(lower, here, least)
        step = np.maximum(here, stride) / np.where(speed > 0, speed, 1.0)
        if (t >= end).all():
            break
        t = np.minimum(t + step, end)
    about = 2 * stride / np.where(speed > 0, speed, 1.0)
    at = refined(case, np.maximum(best - about, 0), np.minimum(best + about, end))
    least = np.minimum(least, gap_at(case, at))
    touches = -least
    if not (case.body.solid or case.target.solid):
        # Two bodies without inside or radius pass through each other in an instant.
        touches = np.where(least <= _INSTANT * width, 2.0 * width, 0.0)
    # The end of the way is the contact itself.
    return np.where(at < end * (1 - 1e-9), np.maximum(touches, 0.0) / width, 0.0)


def _speed(case: Case) -> Floats:
    """A bound of how fast the gap can change, from the ball around the moving body."""
    ball, motion = case.body.bounding_sphere(), case.motion
    if hasattr(motion, "offset"):
        return np.asarray(np.linalg.norm(motion.offset, axis=-1))
    arm = _from_axis(motion, ball.center) + ball.radius
    return np.asarray(np.abs(motion.angle) * arm + np.abs(getattr(motion, "advance", 0.0)))


def _from_axis(motion: Any, x: Floats) -> Floats:
    if hasattr(motion, "offset"):
        return np.zeros(len(x))
    w = x - motion.center
    if motion.dimension == 3:
        w = w - (w * motion.axis).sum(-1, keepdims=True) * motion.axis
    return np.asarray(np.linalg.norm(w, axis=-1))


def _scale(case: Case) -> Floats:
    """The scale of tol: the sizes of the bodies and their distance from the axes."""
    x, y = case.body.bounding_sphere(), case.target.bounding_sphere()
    away = np.maximum(_from_axis(case.motion, x.center), _from_axis(case.motion, y.center))
    if case.target_motion is not None:
        away = away + _from_axis(case.target_motion, y.center)
    return np.asarray(3 * (x.radius + y.radius) + away)


def _band(case: Case) -> Floats:
    """64 eps x (largest coordinate + size), of bodies, pivots and everything on the way."""
    a, b = core_of(case.body), core_of(case.target)
    width = np.maximum(largest_coordinate(a), largest_coordinate(b)) + np.maximum(size(a), size(b))
    for motion in (case.motion, case.target_motion):
        if motion is None:
            continue
        if hasattr(motion, "offset"):
            width = width + np.linalg.norm(motion.offset, axis=-1)
            continue
        far = np.linalg.norm(motion.center, axis=-1) + _from_axis(motion, case.body.bounding_sphere().center)
        turns = 1 + np.abs(motion.angle)  # an angle in radians is rounded too
        width = width + turns * far + np.abs(getattr(motion, "advance", 0.0))
    return np.asarray(np.maximum(BAND * EPS * width, np.finfo(np.float64).tiny))


def _contact_errors(case: Case, answer: Any, hit: Bools, width: Floats, scale: Floats) -> dict[str, Floats]:
    """The point must lie on the target, and the plane through it must have the bodies on its two sides."""
    from ougi import query

    t = np.where(hit, answer.t, 0.0)
    body = case.body.transformed(case.motion.at(t))
    target = case.target
    if case.target_motion is not None:
        target = target.transformed(case.target_motion.at(t))
    room = width + case.tol * scale
    given = np.isfinite(answer.point).all(axis=1) & np.isfinite(answer.normal).all(axis=1)
    away = np.abs(query.distance(target, np.where((hit & given)[:, None], answer.point, 0.0)))
    a, b = core_of(body), core_of(target)
    normal = np.where((hit & given)[:, None], answer.normal, 0.0)
    between = gap(a, b, normal.T) - a.radius - b.radius
    # The difference of two corners has a direction up to rounding / gap.
    turn = width * scale / np.maximum(np.abs(query.distance(body, target)), width)
    unit = np.abs(np.linalg.norm(normal, axis=-1) - 1)
    return {
        "contact": np.where(hit & ~given, HOPELESS, 0.0),
        "point": np.where(hit, away / room, 0.0),
        "normal": np.where(hit, np.maximum(case.margin - between, 0.0) / (room + turn), 0.0),
        "unit": np.where(hit, unit / (BAND * EPS), 0.0),
    }


def _place(i: int, errors: dict[str, Floats], case: Case, answer: Any) -> dict[str, Any]:
    """Case i and the check that it fails by most."""
    finite = {name: float(e[i]) if np.isfinite(e[i]) else HOPELESS for name, e in errors.items()}
    check = max(finite, key=lambda name: finite[name])
    motions = f"{case.motion[i]!r}, {case.target_motion[i] if case.target_motion is not None else None!r}"
    return {
        "index": i,
        "check": check,
        "error": finite[check],
        "signed": float(np.nan_to_num(answer.t[i], nan=-1.0)),
        "a": f"{case.body[i]!r}, {motions}, status {int(answer.status[i])}",
        "b": repr(case.target[i]),
    }
