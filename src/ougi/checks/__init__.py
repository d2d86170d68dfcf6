"""A scene checked: what touches what, when and where, and what other methods would have said."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.checks import engines
from ougi.checks.enclosed import find_enclosed
from ougi.checks.engines import Method
from ougi.checks.later import all_contacts
from ougi.checks.narrow import UNANSWERED, Firsts, begun, first_contacts, named
from ougi.checks.report import FOUND, GHOST, LATE, MISSED, OPEN, Comparison, Enclosed, Report, Touches
from ougi.checks.tracks import Cuts, Tracks
from ougi.scene import Scene

__all__ = ["Comparison", "Enclosed", "Method", "Report", "Touches", "check"]


def check(
    scene: Scene,
    *,
    margin: float = 0.0,
    tol: float = 1e-9,
    method: Method | str = "exact",
    fps: float = 60.0,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """What touches what in a scene, when and where?

    Every pair of bodies that the scene does not exclude is covered over all times, and every contact is
    reported with the time at which it begins. Pairs of two bodies at rest are covered too: an overlap of
    theirs is a contact at the start. `Report.coverage` counts the excluded pairs by reason. After a contact
    the bodies are tested in steps until they are apart: 16 in every span in which neither changes its motion,
    and 64 more for the length of the scene and for every turn. So contacts that are apart by less than a step
    are reported as one. After 4096 such queries of one span, or 16 undecided results, the pair is given up:
    `Report.unfinished` names it.

    Parameters
    ----------
    scene
        From `ougi.load_scene`, or made by hand.
    margin
        Also tell of pairs that never touch but come as near as this: when and where first.
    tol
        As in `time_of_impact`.
    method
        `exact`, or another one to compare with, which looks once per frame: `discrete` (poses at the borders
        of frames), `substeps` (8 poses per frame), and the methods of `ougi.sweep`: `cast`, `swept-sphere`,
        `speculative-...` with its reading, `sector`, `sector-enclosing`, `sector-balanced`. The exact answer
        is told as well; `Report.compared` marks what the method misses and which contacts are ghosts. Where
        a method cannot express a motion or a pair it cannot say.
    fps
        Frames per second of the other methods. Times at which a motion changes are borders of frames, too.
    progress
        Called now and then with two counts: questions answered, and all of them so far.

    Returns
    -------
    Report
        contacts, near misses and the comparison. A covered pair without a contact is proven to be free.

    >>> import math, ougi
    >>> from ougi.scene import Body, Piece
    >>> swing = Piece(0.0, 1 / 60, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170)))
    >>> bat = Body("bat", ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06]), (swing,))
    >>> ball = Body("ball", ougi.Sphere([0, 0.7, 0], 0.04))
    >>> report = ougi.check(ougi.Scene((bat, ball), duration=1 / 60), method="discrete")
    >>> report.names(report.contacts), (60 * report.contacts.time).round(6).tolist()
    ([('bat', 'ball')], [0.495652])
    >>> report.compared.verdict.tolist()  # a test once per frame misses it
    [1]
    """
    if not isinstance(scene, Scene):
        raise TypeError(f"scene must be a Scene, as ougi.load_scene reads it; got {type(scene).__name__}")
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}; got {method!r}")
    margin = _check.number("margin", margin, positive=False)
    tol = _check.number("tol", tol, positive=True)
    frame = 1 / _check.number("fps", fps, positive=True)
    tracks = Tracks(scene)
    cuts = tracks.meetings(tol, margin, None if method == "exact" else frame)
    told = _Progress(progress)
    told.more(len(cuts.a))
    firsts = first_contacts(tracks, cuts, tol, 0.0, told)
    every = all_contacts(tracks, cuts, firsts, tol, told.more, told)
    new, until = begun(tracks, every.cuts, every.found)
    rows = _by_time(tracks, every.cuts, every.found, new)
    contacts = _touches(tracks, every.cuts, every.found, rows)
    near = _near(tracks, cuts, firsts, tol, margin, told)
    compared = None
    if method != "exact":
        compared = _compared(tracks, cuts, contacts, until[rows], method, frame, told)
    unfinished = np.unique(_pairs(tracks, every.cuts.taken(every.unfinished)), axis=0)
    enclosed = find_enclosed(tracks, cuts, firsts)
    return Report(scene, contacts, near, compared, method, margin, _count(tracks, cuts), unfinished, enclosed)


class _Progress:
    """Counts questions and answers."""

    def __init__(self, say: Callable[[int, int], None] | None) -> None:
        self.say, self.done, self.all = say, 0, 0

    def more(self, count: int) -> None:
        self.all += count
        self(0)

    def __call__(self, count: int) -> None:
        self.done += count
        if self.say is not None:
            self.say(self.done, self.all)


def _pairs(tracks: Tracks, cuts: Cuts) -> Ints:
    return np.stack([tracks.body[cuts.a], tracks.body[cuts.b]], axis=1)


def _count(tracks: Tracks, cuts: Cuts) -> int:
    return len(np.unique(_pairs(tracks, cuts), axis=0))


def _by_time(tracks: Tracks, cuts: Cuts, found: Firsts, chosen: Bools) -> Ints:
    """The rows that are chosen, by time and pair."""
    rows = np.flatnonzero(chosen)
    pair = _pairs(tracks, cuts.taken(rows))
    return rows[np.lexsort((pair[:, 1], pair[:, 0], found.time[rows]))]


def _touches(tracks: Tracks, cuts: Cuts, found: Firsts, rows: Ints) -> Touches:
    """Some rows, in their order."""
    return Touches(
        _pairs(tracks, cuts.taken(rows)),
        found.time[rows],
        found.point[rows],
        found.normal[rows],
        named(found, cuts, tracks)[rows],
        found.engine[rows],
    )


def _near(tracks: Tracks, cuts: Cuts, found: Firsts, tol: float, margin: float, told: _Progress) -> Touches:
    """When pairs without a contact first come within the margin."""
    pair = _pairs(tracks, cuts)
    code = pair[:, 0] * np.int64(len(tracks.scene.bodies)) + pair[:, 1]
    free = ~np.isin(code, code[found.status > 0]) if margin > 0 else np.zeros(len(code), np.bool_)
    some = cuts.taken(free)
    told.more(len(some.a))
    within = first_contacts(tracks, some, tol, margin, told)
    rows = np.flatnonzero(within.status > 0)
    _, first = np.unique(code[free][rows], return_index=True)  # cuts of a pair are in order of time
    chosen = np.zeros(len(some.a), np.bool_)
    chosen[rows[first]] = True
    touches = _touches(tracks, some, within, _by_time(tracks, some, within, chosen))
    # At the start they may be nearer than the margin: that is no overlap, they never touch.
    status = np.where(touches.status == 2, 1, touches.status)
    return Touches(touches.pair, touches.time, touches.point, touches.normal, status, touches.engine)


def _compared(
    tracks: Tracks, cuts: Cuts, contacts: Touches, until: Floats, method: str, frame: float, told: _Progress
) -> Comparison:
    """What a method says about each contact, and about pairs without any."""
    # Bodies that never move look alike in every frame, so the first one is enough.
    fixed = tracks.fixed[cuts.a] & tracks.fixed[cuts.b]
    first = np.minimum(cuts.stop, cuts.start + frame)
    small, _ = engines.frames(cuts._replace(stop=np.where(fixed, first, cuts.stop)), frame)
    told.more(len(small.a))
    seen = engines.seen(tracks, small, engines.said(tracks, small, method, told))
    exact: dict[engines.Pair, list[int]] = {}
    for row, (i, j) in enumerate(contacts.pair.tolist()):
        exact.setdefault((i, j), []).append(row)
    rows = []
    for pair in sorted(exact.keys() | seen.keys()):
        frames, before = seen.get(pair, engines.UNSEEN), -np.inf
        touching = exact.get(pair, [])
        for row in touching:
            t = float(contacts.time[row])
            start, stop = frames.first(before, t, float(until[row]), 1e-6 * frame)
            verdict = _verdict(start, stop, frames.is_open, t, frame)
            rows.append((pair, OPEN if contacts.status[row] == UNANSWERED else verdict, start, t))
            before = float(until[row])
        if not touching:
            start, _ = frames.first(-np.inf, np.inf, np.inf, 0.0)
            rows.append((pair, OPEN if np.isnan(start) else GHOST, start, np.nan))
    return Comparison(
        np.array([row[0] for row in rows], np.int64).reshape((-1, 2)),
        np.array([row[1] for row in rows], np.int64),
        *(np.array([row[k] for row in rows], np.float64) for k in (2, 3)),
    )


def _verdict(start: float, stop: float, is_open: bool, exact: float, frame: float) -> int:
    """Of a method that sees a contact first in the frame from start to stop; NaN: in none."""
    room = 1e-6 * frame
    if np.isnan(start):
        return OPEN if is_open else MISSED
    if stop < exact - room:
        return GHOST
    return LATE if start > exact + room else FOUND
