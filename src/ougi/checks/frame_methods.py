"""The contacts of other methods: those of game engines, which test once per frame, and FAN's sectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ougi._typing import Bools, DynamicBatch, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import time_of_impact
from ougi.motion import (
    Chain,
    Displacement2d,
    Motion,
    Rotation2d,
    Rotation3d,
    Screw3d,
    Translation2d,
    Translation3d,
)
from ougi.query import intersects
from ougi.shapes import Mesh, Shape
from ougi.sweeps import BoxMethod, sweep
from ougi.sweeps.engines import cast_motion
from ougi.timeline.spans import PairSpans, SceneSpans

Pair: TypeAlias = tuple[int, int]
Method: TypeAlias = Literal[
    "exact",
    "discrete",
    "substeps",
    "cast",
    "swept-sphere",
    "speculative-start-end",
    "speculative-inflated",
    "speculative-temporal",
    "speculative-ideal",
    "sector",
    "sector-enclosing",
    "sector-balanced",
]

SECTORS = ("sector", "sector-enclosing", "sector-balanced")

# Poses per frame that `substeps` tests.
SUBSTEPS = 8

# Frame borders that differ by less, as a share of a frame, are one.
_SAME = 1e-6

NO, YES, UNKNOWN = 0, 1, 2


def split_frames(pairs: PairSpans, frame: float) -> tuple[PairSpans, Ints]:
    """Pairs of spans divided at the frames of an engine, and which row each part comes from."""
    first = np.floor(pairs.start / frame + _SAME).astype(np.int64)
    last = np.ceil(pairs.stop / frame - _SAME).astype(np.int64)
    count = np.maximum(last - first, 1)
    source = np.repeat(np.arange(len(count)), count)
    number = first[source] + np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
    whole = pairs.take(source)
    start = np.where(number == first[source], whole.start, number * frame)
    stop = np.where(number == last[source] - 1, whole.stop, np.minimum((number + 1) * frame, whole.stop))
    return PairSpans(whole.a, whole.b, start, np.maximum(stop, start)), source


def run_method(spans: SceneSpans, pairs: PairSpans, method: str, progress: Callable[[int], None]) -> Ints:
    """Does the method report a contact of each row? NO, YES or UNKNOWN."""
    out = np.full(len(pairs.a), UNKNOWN)
    for query in spans.iter_queries(pairs.a, pairs.b, pairs.start, pairs.seconds):
        out[query.rows] = _test(query[2:], method, len(query.rows))
        progress(len(query.rows))
    return out


def _test(sides: tuple[DynamicBatch, ...], method: str, n: int) -> Ints | int:
    """As `run_method`, of one query. A batch with motions that the method cannot express is halved."""
    if not all(_expresses(method, motion) for motion in sides[1::2]):
        return UNKNOWN
    try:
        return np.broadcast_to(_find_contacts(*sides, method=method), (n,)).astype(np.int64)
    except UnsupportedPairError:
        return UNKNOWN
    except ValueError:
        if n == 1:
            return UNKNOWN
        halves = (slice(0, n // 2), n // 2), (slice(n // 2, n), n - n // 2)
        parts = [_test(_take(sides, part), method, k) for part, k in halves]
        return np.concatenate([np.broadcast_to(x, (k,)) for x, (_, k) in zip(parts, halves, strict=True)])


def _take(sides: tuple[DynamicBatch, ...], part: slice) -> tuple[DynamicBatch, ...]:
    return tuple(x if x is None or x.shape == () else x[part] for x in sides)


def _expresses(method: str, motion: Motion | None) -> bool:
    """Can the method express motions of this class? It may still refuse single ones."""
    if motion is None:
        return True
    if method in SECTORS:
        return isinstance(motion, Rotation2d | Rotation3d | Screw3d) or _is_straight(motion)
    if method in get_args(BoxMethod) and method != "speculative-start-end":
        return not isinstance(motion, Chain)
    return True


def _is_straight(motion: Motion) -> bool:
    """Does no body of the batch turn?"""
    if isinstance(motion, Translation2d | Translation3d):
        return True
    return isinstance(motion, Displacement2d | Screw3d) and not np.any(motion.angle)


def _find_contacts(a: Shape, motion: Motion | None, b: Shape, other: Motion | None, *, method: str) -> Bools:
    """Does the method report a contact?"""
    if method in ("discrete", "substeps"):
        return _test_poses(a, motion, b, other, 1 if method == "discrete" else SUBSTEPS)
    if method == "cast":
        moves = [None if m is None else cast_motion(x, m) for x, m in ((a, motion), (b, other))]
        if moves[0] is None:
            return intersects(a, b)
        return np.asarray(time_of_impact(a, moves[0], b, moves[1]).status > 0)
    return intersects(_cover(a, motion, method), _cover(b, other, method))


def _test_poses(a: Shape, motion: Motion | None, b: Shape, other: Motion | None, steps: int) -> Bools:
    touched = np.zeros((), np.bool_)
    for t in np.linspace(0, 1, steps + 1):
        bodies = (x if m is None else x.transformed(m.at(t)) for x, m in ((a, motion), (b, other)))
        touched = touched | intersects(*bodies)
    return touched


def _cover(shape: Shape, motion: Motion | None, method: str) -> Shape:
    """The shape that the method uses instead of a moving one.

    A body that moves straight has no sector. FAN sec. 2.7 tests a sector against capsules, so it is covered
    by the capsule of its path. Bodies need not be in both covers at the same time, so this errs to hits.
    """
    if motion is None:
        return shape
    if method in SECTORS and _is_straight(motion):
        method = "swept-sphere"
    if isinstance(shape, Mesh):
        motion = motion if motion.shape == () else motion[0]
    return sweep(shape, motion, method)


class ReportedFrames(NamedTuple):
    """The frames in which a method reports a contact of one pair, by time; is there one without a result?"""

    start: Floats
    stop: Floats
    is_open: bool

    def find_first(self, before: float, exact: float, until: float, rounding: float) -> tuple[float, float]:
        """The first frame that belongs to the contact from `exact` to `until`; NaN for none.

        Frames belong to the next contact as soon as the one before has ended. Where both are in one frame it
        belongs to both.
        """
        fits = (self.start >= before - rounding) | (self.stop >= exact - rounding)
        fits &= (self.start < until - rounding) | (self.start <= exact + rounding)
        k = np.flatnonzero(fits)
        return (float(self.start[k[0]]), float(self.stop[k[0]])) if len(k) else (np.nan, np.nan)


NO_FRAMES = ReportedFrames(np.empty(0), np.empty(0), False)


def collect_frames(spans: SceneSpans, pairs: PairSpans, result: Ints) -> dict[Pair, ReportedFrames]:
    """All pairs of bodies of which a method reports a contact, or has no result."""
    rows = np.flatnonzero(result != NO)
    bodies = spans.get_bodies(pairs.take(rows))
    order = np.lexsort((pairs.start[rows], bodies[:, 1], bodies[:, 0]))
    rows, bodies = rows[order], bodies[order]
    borders = np.flatnonzero((bodies[1:] != bodies[:-1]).any(axis=1)) + 1
    frames: dict[Pair, ReportedFrames] = {}
    for part in np.split(rows, borders) if len(rows) else ():
        yes = part[result[part] == YES]
        key = int(spans.body[pairs.a[part[0]]]), int(spans.body[pairs.b[part[0]]])
        is_open = bool((result[part] == UNKNOWN).any())
        frames[key] = ReportedFrames(pairs.start[yes], pairs.stop[yes], is_open)
    return frames
