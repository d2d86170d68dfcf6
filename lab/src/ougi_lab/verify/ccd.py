"""`ougi verify ccd`: is every first contact of time_of_impact right?

Two oracles, neither of which knows the kernels' steps and roots: gaps of the posed bodies, measured by
`ougi.query`, whose every answer `ougi verify narrow` proves; and chains of planes (`ccd_oracle`), which prove
that nothing touches on the path. Three kinds of chunks: `random` bodies and motions; `near`, the target moved
along the normal at the smallest gap until they miss, or overlap, by 1e-6 to 1e-10 of their size; `second`:
times held against bisection, and margins. In half of the cases both bodies move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats
from ougi.query.tables import HULLS
from ougi_lab.scenes.cores import extract_core
from ougi_lab.scenes.motions import (
    ANGLE_RANGES,
    MOTIONS,
    MovingPairs,
    draw_grazing_pairs,
    draw_moving_pairs,
    gap_at,
    shapes_at,
)
from ougi_lab.scenes.pairs import CLASSES
from ougi_lab.verify.ccd_oracle import build_bodies
from ougi_lab.verify.ccd_walk import find_early_overlap, walk_paths
from ougi_lab.verify.certificates import BAND, EPS, gap, largest_coordinate, size, worst
from ougi_lab.verify.narrow import HULL_FILES, parse_pair
from ougi_lab.verify.runner import Task, derive_seed
from ougi_lab.verify.tally import LISTED, NONFINITE_ERROR, Tally, TallyGroup, describe_pair, to_finite

# Tolerances near rounding, for cases that are built to graze and for times.
_FINE = 1e-12
_FINEST = 1e-14

# The share of the speed with which bodies must approach to have an exact time, and how exact it is.
NOT_GRAZING = 1e-3
_TIME = 1e-12
_BRACKET = 1e-7


def run_ougi(case: MovingPairs) -> Any:
    """Return the results of `ougi.time_of_impact`."""
    from ougi import impact

    return impact.time_of_impact(
        case.body, case.motion, case.target, case.target_motion, tol=case.tol, margin=case.margin
    )


class Share(NamedTuple):
    """A part of a chunk: cases of one order of classes and one kind of motion."""

    number: int
    moving: Any
    target: Any
    motion: str
    both: bool
    size: int

    @property
    def name(self) -> str:
        """Such as `both screw`."""
        return f"{'both' if self.both else 'one'} {self.motion}"


@dataclass(frozen=True)
class Ccd:
    """The subject `ccd` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[MovingPairs], Any] = field(default=run_ougi)
    name: str = "ccd"
    kinds: tuple[str, ...] = ("random", "near", "second")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/impact")

    def pairs(self) -> tuple[str, ...]:
        """Names like `sphere-box`; either of the two moves in half of the cases."""
        names = [cls.__name__.lower() for cls in CLASSES]
        same = [
            (i, j) for i, a in enumerate(CLASSES) for j, b in enumerate(CLASSES) if a.dimension == b.dimension
        ]
        return tuple(f"{names[i]}-{names[j]}" for i, j in same if i <= j)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind."""
        tally = Tally()
        for share, case in draw_cases(pair, kind, n, rng):
            if kind == "second":
                self._check_times_and_margins(tally, share, case)
            else:
                self._judge(tally, share, case, near=kind == "near")
        return tally

    def _check_times_and_margins(self, tally: Tally, share: Share, case: MovingPairs) -> None:
        self._check_times(tally, share, case)
        reach = case.body.bounding_sphere().radius + case.target.bounding_sphere().radius
        self._judge(tally, share, case._replace(margin=0.1 * float(np.median(reach))))

    def _judge(self, tally: Tally, share: Share, case: MovingPairs, near: bool = False) -> None:
        """Count what is wrong with the answers."""
        result = self.query(case)
        status, n = result.status, case.body.count
        width, scale = compute_band(case), compute_scale(case)
        start = gap_at(case, np.zeros(n))
        hit = status == 1
        at_start = hit & (result.t == 0)  # within the margin from the start
        end = np.where(hit | (status == 3), result.t, 1.0)
        last = gap_at(case, np.where(np.isfinite(end), end, 0.0))
        errors = {"status": np.where((status >= 0) & (status <= 3) & np.isfinite(end), 0.0, NONFINITE_ERROR)}
        wrong_start = (status == 2) != (start + case.margin <= 0)
        errors["start"] = np.where(wrong_start, np.abs(start + case.margin) / width, 0.0)
        errors["late"] = np.where(hit & ~at_start, np.maximum(-last, 0.0) / width, 0.0)
        errors["early"] = np.where(hit, np.maximum(last, 0.0) / (case.tol * scale + width), 0.0)
        errors["before"], unproved, smallest = self._find_early_overlaps(
            case, (status != 2) & ~at_start, end, width, scale
        )
        errors |= _find_contact_errors(case, result, hit & ~at_start, width, scale)
        in_band = (np.abs(start) <= width) | ((status == 0) & (np.abs(smallest) <= width))
        self._count_cases(
            tally, share, case, result, errors, {"in_band": in_band, "unproved": unproved}, near
        )

    def _find_early_overlaps(
        self, case: MovingPairs, judged: Bools, end: Floats, width: Floats, scale: Floats
    ) -> tuple[Floats, Bools, Floats]:
        """Return overlaps before the reported contact, unproved paths, and the smallest gaps."""
        error, unproved, smallest = (
            np.zeros(len(end)),
            np.zeros(len(end), np.bool_),
            np.full(len(end), np.inf),
        )
        index = np.flatnonzero(judged & np.isfinite(end))
        if len(index):
            subset = case.take(index)
            walk = walk_paths(subset, end[index], width[index], scale[index])
            error[index] = find_early_overlap(walk, subset, end[index], width[index], scale[index])
            unproved[index], smallest[index] = ~walk.proved & ~(error[index] > 1), walk.smallest
        return error, unproved, smallest

    def _count_cases(
        self,
        tally: Tally,
        share: Share,
        case: MovingPairs,
        result: Any,
        errors: dict[str, Floats],
        marks: dict[str, Bools],
        near: bool,
    ) -> None:
        n = case.body.count
        error = worst(errors)
        undecided = result.status == 3
        tally.in_band += int(marks["in_band"].sum())
        tally.unproved += int(marks["unproved"].sum())
        tally.undecided += int(undecided.sum())
        tally.undecided_cases += [
            {"share": share.name, "number": share.number, "index": int(i)} for i in np.flatnonzero(undecided)
        ][: LISTED - len(tally.undecided_cases)]
        tally.cases += 0 if near else n
        tally.near += n if near else 0
        for name, chosen in split_by_angle(share, case):
            tally.groups.setdefault(name, TallyGroup()).add(
                TallyGroup(
                    cases=0 if near else int(chosen.sum()),
                    near=int(chosen.sum()) if near else 0,
                    in_band=int(marks["in_band"][chosen].sum()),
                    disagreements=int((~(error[chosen] <= 1)).sum()),
                    undecided=int(undecided[chosen].sum()),
                    unproved=int(marks["unproved"][chosen].sum()),
                    worst=to_finite(error[chosen].max(initial=0.0)),
                )
            )
        self._record_first(tally, share, case, result, errors)

    def _record_first(
        self, tally: Tally, share: Share, case: MovingPairs, result: Any, errors: dict[str, Floats]
    ) -> None:
        def question(i: int) -> str:
            other = None if case.target_motion is None else case.target_motion[i]
            return (
                f"motion={case.motion[i]!r}, target_motion={other!r}, tol={case.tol}, "
                f"margin={case.margin}: status {int(result.status[i])}, t {result.t[i]!r}"
            )

        describe = describe_pair(result.t, case.body, case.target, question)
        tally.judge(errors, lambda i: {**describe(i), "share": share.name, "number": share.number})

    def _check_times(self, tally: Tally, share: Share, case: MovingPairs) -> None:
        """Where bodies approach fast enough the time itself is exact: bisection of the gap's sign."""
        case = case._replace(tol=_FINEST)
        result = self.query(case)
        subset = np.flatnonzero((result.status == 1) & (result.t > _BRACKET) & (result.t < 1 - _BRACKET))
        error = np.zeros(case.body.count)
        if len(subset):
            error[subset] = self._measure_time_errors(case.take(subset), result.t[subset])
        self._record_first(tally, share, case, result, {"time": error})

    def _measure_time_errors(self, case: MovingPairs, t: Floats) -> Floats:
        rounding = compute_band(case) + _FINEST * compute_scale(case)
        return measure_time_errors(case, t, build_bodies(*case[:4], case.margin).speed, rounding)


@dataclass(frozen=True)
class MovingHulls(Ccd):
    """The subject `moving-hull`: the same for hulls and polygons, which have kernels of their own."""

    name: str = "moving-hull"
    folders: tuple[str, ...] = (
        "impact/hulls.py", "kernels", "kernels/convex", "kernels/impact", "kernels/impact/convex", *HULL_FILES
    )  # fmt: skip

    def pairs(self) -> tuple[str, ...]:
        """Names like `box-convexhull3d`."""
        return tuple(f"{row.a.__name__}-{row.b.__name__}".lower() for row in HULLS)


def measure_time_errors(case: MovingPairs, t: Floats, speed: Floats, rounding: Floats) -> Floats:
    """Return the distance of times from the change of the gap's sign, in units of the allowed rounding.

    `speed` is the largest one of all points, `rounding` that of gaps.
    """
    lo, hi = t - _BRACKET, t + _BRACKET
    # Faces may meet flat at the end of an arc: quick after the contact, but not before it.
    approach = np.minimum(gap_at(case, lo), -gap_at(case, hi)) / _BRACKET
    for _ in range(40):
        middle = (lo + hi) / 2
        free = gap_at(case, middle) > 0
        lo, hi = np.where(free, middle, lo), np.where(free, hi, middle)
    fast = approach > NOT_GRAZING * speed
    allowed = _TIME + rounding / np.where(fast, approach, 1.0)
    return np.where(fast, np.abs(t - hi) / allowed, 0.0)


def split_cases(pair: str, n: int) -> Iterator[Share]:
    """How n cases of a pair are shared out: both orders, all motions, one or both moving."""
    a, b = parse_pair(pair)
    kinds = [
        (order, motion, both)
        for motion in MOTIONS[a.dimension]
        for both in (False, True)
        for order in ((a, b), (b, a))
    ]
    for k, ((moving, target), motion, both) in enumerate(kinds):
        count = n * (k + 1) // len(kinds) - n * k // len(kinds)
        if count:
            yield Share(k, moving, target, motion, both, count)


def draw_cases(pair: str, kind: str, n: int, rng: np.random.Generator) -> Iterator[tuple[Share, MovingPairs]]:
    """The shares of a chunk with their cases."""
    for share in split_cases(pair, n):
        make = draw_grazing_pairs if kind == "near" else draw_moving_pairs
        case = make(share.moving, share.target, share.motion, share.both, share.size, rng)
        yield share, case._replace(tol=_FINE) if kind == "near" and share.number % 2 else case


def repeat_case(pair: str, place: dict[str, Any], subject: str = Ccd.name) -> MovingPairs:
    """The question that a report of a subject lists: seed, kind, chunk, size, number and index in `place`."""
    task = Task(pair, place["kind"], place["chunk"], place["size"])
    rng = np.random.default_rng(derive_seed(subject, task, place["seed"]))
    found = next(
        case for share, case in draw_cases(pair, task.kind, task.size, rng) if share.number == place["number"]
    )
    return found.take([place["index"]])


def split_by_angle(share: Share, case: MovingPairs) -> Iterator[tuple[str, Bools]]:
    """The ranges of angles of a share's cases; a straight motion has none."""
    if share.motion == "translation":
        yield share.name, np.ones(case.body.count, np.bool_)
        return
    degrees = np.degrees(np.abs(case.motion.angle))
    ranges = np.searchsorted([high for _, high in ANGLE_RANGES[:-1]], degrees, side="right")
    for k, (low, high) in enumerate(ANGLE_RANGES):
        if (ranges == k).any():
            yield f"{share.name} {low}-{high}", ranges == k


def compute_scale(case: MovingPairs) -> Floats:
    """The scale of tol: the sizes of the bodies and their distance from the axes."""
    x, y = case.body.bounding_sphere(), case.target.bounding_sphere()
    away = np.maximum(distance_from_axis(case.motion, x.center), distance_from_axis(case.motion, y.center))
    if case.target_motion is not None:
        away = away + distance_from_axis(case.target_motion, y.center)
    return np.asarray(3 * (x.radius + y.radius) + away)


def distance_from_axis(motion: Any, x: Floats) -> Floats:
    """Distances (n,) of points from the axes of motions; 0 without an axis."""
    if motion is None or hasattr(motion, "offset"):
        return np.zeros(len(x))
    w = x - motion.center
    if motion.dimension == 3:
        w = w - (w * motion.axis).sum(-1, keepdims=True) * motion.axis
    return np.asarray(np.linalg.norm(w, axis=-1))


def compute_band(case: MovingPairs) -> Floats:
    """64 eps x (largest coordinate + size), of bodies, pivots and paths."""
    a, b = extract_core(case.body), extract_core(case.target)
    width = np.maximum(largest_coordinate(a), largest_coordinate(b)) + np.maximum(size(a), size(b))
    for motion in (case.motion, case.target_motion):
        if motion is None:
            continue
        if hasattr(motion, "offset"):
            width = width + np.linalg.norm(motion.offset, axis=-1)
            continue
        far = np.linalg.norm(motion.center, axis=-1) + distance_from_axis(
            motion, case.body.bounding_sphere().center
        )
        turns = 1 + np.abs(motion.angle)  # an angle in radians is rounded too
        width = width + turns * far + np.abs(getattr(motion, "advance", 0.0))
    return np.asarray(np.maximum(BAND * EPS * width, np.finfo(np.float64).tiny))


def _find_contact_errors(
    case: MovingPairs, result: Any, hit: Bools, width: Floats, scale: Floats
) -> dict[str, Floats]:
    """The point must lie on the target, and the plane through it must have the bodies on its two sides."""
    errors = {name: np.zeros(len(hit)) for name in ("contact", "point", "normal", "unit")}
    given = np.isfinite(result.point).all(axis=1) & np.isfinite(result.normal).all(axis=1)
    errors["contact"][hit & ~given] = NONFINITE_ERROR
    index = np.flatnonzero(hit & given & np.isfinite(result.t))
    if len(index):
        found = _find_plane_errors(case.take(index), result, index, width[index], scale[index])
        for name, error in found.items():
            errors[name][index] = error
    return errors


def _find_plane_errors(
    case: MovingPairs, result: Any, index: Any, width: Floats, scale: Floats
) -> dict[str, Floats]:
    from ougi import query

    body, target = shapes_at(case, result.t[index])
    normal, allowed = result.normal[index], width + case.tol * scale
    a, b = extract_core(body), extract_core(target)
    between = gap(a, b, normal.T) - a.radius - b.radius
    apart = query.distance(body, target)
    # The difference of two corners has a direction up to rounding / gap.
    turn = width * scale / np.maximum(np.abs(apart), width)
    return {
        "point": np.abs(query.distance(target, result.point[index])) / allowed,
        "normal": np.maximum(case.margin - between, 0.0) / (allowed + turn),
        "unit": np.abs(np.linalg.norm(normal, axis=-1) - 1) / (BAND * EPS),
    }
