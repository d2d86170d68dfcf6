"""What other methods would have said: those of game engines, which look once per frame, and FAN's sectors."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.checks.narrow import MOST, Tell
from ougi.checks.tracks import Cuts, Tracks
from ougi.errors import UnsupportedPairError
from ougi.impact import time_of_impact
from ougi.motion import Chain, Motion, Rotation2d, Rotation3d, Screw3d
from ougi.query import intersects
from ougi.shapes import Mesh, Shape
from ougi.sweeps import BoxMethod, sweep
from ougi.sweeps._engines import cast_motion

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

# Poses per frame that `substeps` looks at.
SUBSTEPS = 8

# Frame borders that differ by less, as a share of a frame, are one.
_SAME = 1e-6

NO, YES, CANNOT = 0, 1, 2


def frames(cuts: Cuts, frame: float) -> tuple[Cuts, Ints]:
    """Cuts cut once more, at the frames of an engine; and which cut each comes from."""
    first = np.floor(cuts.start / frame + _SAME).astype(np.int64)
    last = np.ceil(cuts.stop / frame - _SAME).astype(np.int64)
    count = np.maximum(last - first, 1)
    source = np.repeat(np.arange(len(count)), count)
    number = first[source] + np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count)
    whole = cuts.taken(source)
    start = np.where(number == first[source], whole.start, number * frame)
    stop = np.where(number == last[source] - 1, whole.stop, np.minimum((number + 1) * frame, whole.stop))
    return Cuts(whole.a, whole.b, start, np.maximum(stop, start)), source


def said(tracks: Tracks, cuts: Cuts, method: str, tell: Tell) -> Ints:
    """What the method says about each cut: NO, YES or CANNOT."""
    out = np.full(len(cuts.a), CANNOT)
    for ask in tracks.asks(cuts, MOST):
        out[ask.rows] = _said((ask.a, ask.motion, ask.b, ask.other), method, len(ask.rows))
        tell(len(ask.rows))
    return out


def _said(sides: tuple[Any, Any, Any, Any], method: str, n: int) -> Any:
    """As `said`, of one question. Of a batch that holds what the method cannot express, one by one."""
    if not all(_expresses(method, motion) for motion in sides[1::2]):
        return CANNOT
    try:
        return np.broadcast_to(_asked(*sides, method), (n,)).astype(np.int64)
    except UnsupportedPairError:
        return CANNOT
    except ValueError:
        if n == 1:
            return CANNOT
        halves = (slice(0, n // 2), n // 2), (slice(n // 2, n), n - n // 2)
        parts = [_said(_some(sides, part), method, k) for part, k in halves]
        return np.concatenate([np.broadcast_to(x, (k,)) for x, (_, k) in zip(parts, halves, strict=True)])


def _some(sides: tuple[Any, Any, Any, Any], part: slice) -> Any:
    return tuple(x if x is None or x.shape == () else x[part] for x in sides)


def _expresses(method: str, motion: Motion | None) -> bool:
    """Can the method express motions of this class? For single ones it may still say no."""
    if motion is None:
        return True
    if method in SECTORS:
        return isinstance(motion, Rotation2d | Rotation3d | Screw3d)
    if method in get_args(BoxMethod) and method != "speculative-start-end":
        return not isinstance(motion, Chain)
    return True


def _asked(a: Any, way: Any, b: Any, other: Any, method: str) -> Bools:
    """Does the method see a contact?"""
    if method in ("discrete", "substeps"):
        return _at_poses(a, way, b, other, 1 if method == "discrete" else SUBSTEPS)
    if method == "cast":
        ways = [None if m is None else cast_motion(x, m) for x, m in ((a, way), (b, other))]
        if ways[0] is None:
            return intersects(a, b)
        return np.asarray(time_of_impact(a, ways[0], b, ways[1]).status > 0)
    return intersects(_cover(a, way, method), _cover(b, other, method))


def _at_poses(a: Any, way: Any, b: Any, other: Any, steps: int) -> Bools:
    touched = np.zeros((), np.bool_)
    for t in np.linspace(0, 1, steps + 1):
        bodies = (x if m is None else x.transformed(m.at(t)) for x, m in ((a, way), (b, other)))
        touched = touched | intersects(*bodies)
    return touched


def _cover(shape: Shape, motion: Motion | None, method: str) -> Shape:
    """What the method takes a moving shape for."""
    if motion is None:
        return shape
    if isinstance(shape, Mesh):
        motion = motion if motion.shape == () else motion[0]
    return sweep(shape, motion, method)


class Seen(NamedTuple):
    """The frames in which a method sees a contact of one pair, by time; and did it once not know?"""

    start: Floats
    stop: Floats
    is_open: bool

    def first(self, before: float, exact: float, until: float, room: float) -> tuple[float, float]:
        """The first frame that is said of the contact from `exact` to `until`; NaN for none.

        Frames are said of the next contact as soon as the one before has ended, and where both are in one
        frame it is said of both.
        """
        fits = (self.start >= before - room) | (self.stop >= exact - room)
        fits &= (self.start < until - room) | (self.start <= exact + room)
        k = np.flatnonzero(fits)
        return (float(self.start[k[0]]), float(self.stop[k[0]])) if len(k) else (np.nan, np.nan)


UNSEEN = Seen(np.empty(0), np.empty(0), False)


def seen(tracks: Tracks, cuts: Cuts, answer: Ints) -> dict[Pair, Seen]:
    """All pairs of bodies of which a method sees a contact, or does not know."""
    rows = np.flatnonzero(answer != NO)
    pairs = np.stack([tracks.body[cuts.a[rows]], tracks.body[cuts.b[rows]]], axis=1)
    order = np.lexsort((cuts.start[rows], pairs[:, 1], pairs[:, 0]))
    rows, pairs = rows[order], pairs[order]
    borders = np.flatnonzero((pairs[1:] != pairs[:-1]).any(axis=1)) + 1
    frames: dict[Pair, Seen] = {}
    for part in np.split(rows, borders) if len(rows) else ():
        yes = part[answer[part] == YES]
        key = int(tracks.body[cuts.a[part[0]]]), int(tracks.body[cuts.b[part[0]]])
        frames[key] = Seen(cuts.start[yes], cuts.stop[yes], bool((answer[part] == CANNOT).any()))
    return frames
