"""A scene checked: what touches what, when and where, and what other methods would have said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, get_args

import numpy as np

from ougi import _check
from ougi._typing import Bools, Floats, Ints
from ougi.checks import engines
from ougi.checks.candidates import BLOCK_SIZE, Candidates, split_pairs
from ougi.checks.enclosed import find_enclosed
from ougi.checks.engines import Method
from ougi.checks.later import all_contacts
from ougi.checks.narrow import UNANSWERED, Firsts, begun, first_contacts, named
from ougi.checks.report import FOUND, GHOST, LATE, MISSED, OPEN, Comparison, Enclosed, Report, Touches
from ougi.checks.tracks import Cuts, Tracks
from ougi.scene import Scene

# Unless the caller raises them: candidate pairs, which cost time, and rows of a report, which cost memory.
MAX_PAIRS, MAX_CONTACTS = 100_000_000, 500_000

# Cuts with a contact that are followed at once, about. Each is tested in up to 16 steps together.
FOLLOW_SIZE = 25_000

_Rows = TypeVar("_Rows", Touches, Comparison, Enclosed)


def check(
    scene: Scene,
    *,
    margin: float = 0.0,
    tol: float = 1e-9,
    method: Method | str = "exact",
    fps: float = 60.0,
    progress: Callable[[int, int], None] | None = None,
    max_pairs: int = MAX_PAIRS,
    max_contacts: int = MAX_CONTACTS,
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
        Called now and then with two counts: queries computed, and all of them so far. Candidate pairs are
        counted before the first query, and large scenes are checked in blocks of them, so memory stays
        bounded.
    max_pairs
        A scene with more candidate pairs than this is refused. A million of them take some seconds.
    max_contacts
        A scene with more contacts and near misses than this is refused. A million of them take 0.1 GB in the
        report, and 2 GB when `ougi check` prints them.

    Returns
    -------
    Report
        contacts, near misses and the comparison. A covered pair without a contact is proven to be free.

    Raises
    ------
    ValueError
        If a limit is exceeded, or for a mesh without faces.

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
    prepared = PreparedCheck(
        scene, margin, tol, method, fps, progress, max_pairs=max_pairs, max_contacts=max_contacts
    )
    return prepared.run()


class PreparedCheck:
    """A check whose candidate pairs are counted, ready to run; the parameters are those of `check`.

    Attributes
    ----------
    pairs
        How many candidate pairs there are.
    """

    def __init__(
        self,
        scene: Scene,
        margin: float,
        tol: float,
        method: str,
        fps: float,
        progress: Callable[[int, int], None] | None,
        *,
        max_pairs: int = MAX_PAIRS,
        max_contacts: int = MAX_CONTACTS,
    ) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(f"scene must be a Scene, as ougi.load_scene reads it; got {type(scene).__name__}")
        if method not in get_args(Method):
            raise ValueError(f"method must be one of {', '.join(get_args(Method))}; got {method!r}")
        self._margin = _check.number("margin", margin, positive=False)
        self._tol = _check.number("tol", tol, positive=True)
        self._frame = 1 / _check.number("fps", fps, positive=True)
        self._method, self._max_contacts = method, _check.whole_number("max_contacts", max_contacts)
        max_pairs = _check.whole_number("max_pairs", max_pairs)
        self._tracks = Tracks(scene)
        self._progress = _Progress(progress)
        is_exact = method == "exact"
        # Another method has one query for each frame.
        size = BLOCK_SIZE if is_exact else int(BLOCK_SIZE / max(scene.duration / self._frame, 1.0)) + 1
        self._candidates = Candidates(
            self._tracks,
            self._tol,
            self._margin,
            None if is_exact else self._frame,
            size,
            max_pairs,
            self._progress.more,
        )
        self.pairs = self._candidates.pairs

    def run(self) -> Report:
        """Check all candidate pairs, block by block."""
        scene, found = self._tracks.scene, _Found(self._tracks.scene.dimension)
        for cuts in self._candidates:
            self._find_first(cuts, found)
        # Later contacts cost far more than first ones, so they come after all limits.
        for cuts, firsts in found.touching:
            for part in split_pairs(self._tracks, cuts, FOLLOW_SIZE):
                self._find_all(cuts.taken(part), firsts.take(part), found)
        contacts, order = _join(Touches, found.contacts, "time")
        compared = None
        if self._method != "exact":
            compared = self._compare(contacts, np.concatenate(found.until)[order])
        return Report(
            scene,
            contacts,
            _join(Touches, found.near, "time")[0],
            compared,
            self._method,
            self._margin,
            self.pairs,
            np.unique(np.concatenate(found.unfinished), axis=0),
            _join(Enclosed, found.enclosed, "time")[0],
        )

    def _find_first(self, cuts: Cuts, found: _Found) -> None:
        """First contacts and near misses of a block."""
        tracks = self._tracks
        firsts = first_contacts(tracks, cuts, self._tol, 0.0, self._progress)
        code = tracks.pair_codes(cuts)
        pairs = np.unique(code[firsts.status > 0])
        touching = np.isin(code, pairs)
        found.touching.append((cuts.taken(touching), firsts.take(touching)))
        found.rows += len(pairs)
        self._require(found.rows)
        found.near.append(_near(tracks, cuts, firsts, self._tol, self._margin, self._progress))
        found.rows += len(found.near[-1])
        self._require(found.rows)
        found.enclosed.append(find_enclosed(tracks, cuts, firsts))

    def _find_all(self, cuts: Cuts, firsts: Firsts, found: _Found) -> None:
        """All contacts of pairs that touch."""
        tracks, progress = self._tracks, self._progress
        every = all_contacts(tracks, cuts, firsts, self._tol, progress.more, progress)
        new, until = begun(tracks, every.cuts, every.found)
        rows = _by_time(tracks, every.cuts, every.found, new)
        found.contacts.append(_touches(tracks, every.cuts, every.found, rows))
        found.until.append(until[rows])
        found.unfinished.append(np.unique(_pairs(tracks, every.cuts.taken(every.unfinished)), axis=0))
        self._require(sum(map(len, found.contacts)) + sum(map(len, found.near)))

    def _compare(self, contacts: Touches, until: Floats) -> Comparison:
        """What the other method reports, block by block."""
        tracks = self._tracks
        n = np.int64(len(tracks.scene.bodies))
        code = contacts.pair[:, 0] * n + contacts.pair[:, 1]
        none = Comparison(np.empty((0, 2), np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))
        parts = [none]
        for cuts in self._candidates:
            rows = np.flatnonzero(np.isin(code, tracks.pair_codes(cuts)))
            own = Touches(*(getattr(contacts, each.name)[rows] for each in fields(Touches)))
            parts.append(_compared(tracks, cuts, own, until[rows], self._method, self._frame, self._progress))
        return _join(Comparison, parts)[0]

    def _require(self, rows: int) -> None:
        if rows > self._max_contacts:
            raise ValueError(
                f"max_contacts is {self._max_contacts:,}, but the scene has {rows:,} contacts and near "
                "misses or more; raise max_contacts, or exclude pairs by groups and masks or by [[ignore]]"
            )


class _Found:
    """What is found so far, in parts; the first part of each list is empty."""

    def __init__(self, dimension: int) -> None:
        pair, time, vector = np.empty((0, 2), np.int64), np.empty(0), np.empty((0, dimension))
        none = Touches(pair, time, vector, vector, np.empty(0, np.int64), np.empty(0, np.bool_))
        self.rows = 0  # contacts and near misses, at least
        self.touching: list[tuple[Cuts, Firsts]] = []
        self.contacts, self.near, self.until = [none], [none], [time]
        self.unfinished, self.enclosed = [pair], [Enclosed(pair, time)]


def _join(cls: type[_Rows], parts: list[_Rows], *keys: str) -> tuple[_Rows, Ints]:
    """The rows of all parts by the keys and pairs, and their order; equal ones stay in their order."""
    columns: dict[str, Any] = {
        each.name: np.concatenate([getattr(x, each.name) for x in parts]) for each in fields(cls)
    }
    pair = columns["pair"]
    order = np.lexsort((pair[:, 1], pair[:, 0], *(columns[key] for key in keys)))
    return cls(**{name: column[order] for name, column in columns.items()}), order


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
    code = tracks.pair_codes(cuts)
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
