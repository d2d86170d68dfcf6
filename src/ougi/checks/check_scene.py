"""Check a scene: contacts with time and place, and what other methods would have reported."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import TypeVar, get_args

import numpy as np

from ougi import _check
from ougi._typing import Array, Floats, Ints
from ougi.checks import frame_methods
from ougi.checks.enclosed import find_enclosed
from ougi.checks.frame_methods import Method
from ougi.checks.free_robots import find_free_bodies
from ougi.checks.report import FOUND, GHOST, LATE, MISSED, OPEN, Comparison, Enclosed, Report
from ougi.checks.robot_spans import RobotSpans
from ougi.impact import Status
from ougi.impact.contacts import make_free
from ougi.scene import Scene
from ougi.timeline import Contacts
from ougi.timeline.candidates import BLOCK_SIZE, Candidates, split_pairs
from ougi.timeline.contacts import make_contacts
from ougi.timeline.repeat_contacts import find_all_contacts, find_begun
from ougi.timeline.spans import PairSpans

# Frames of a scene in which another method is compared: those of one pair take 0.1 GB and a second.
_MAX_FRAMES = 1_000_000

# Limits by default: candidate pairs, which cost time, and rows of a report, which cost memory.
MAX_PAIRS, MAX_CONTACTS = 100_000_000, 500_000

# About how many pairs of spans with a contact are searched for later contacts together.
FOLLOW_SIZE = 25_000

# About how many pairs of spans are checked before what was found is kept for a check that is stopped.
PART_SIZE = 4_000

_Rows = TypeVar("_Rows", Contacts, Comparison, Enclosed)


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
    timeout: float | None = None,
) -> Report:
    """Find all contacts of a scene, with time and place.

    Every pair of bodies that the scene does not exclude is covered over all times, and every contact is
    reported with the time at which it begins. Pairs of two bodies at rest are covered too: if they overlap,
    that is a contact at the start. `Report.coverage` counts the excluded pairs by reason. After a contact of
    two convex bodies their depth certifies that they do not part yet, in steps of at least 1e-7 of the span.
    Meshes, cylinders and sectors are tested in steps until they are apart, and so is a contact of
    little depth that lasts: 16 steps in every span in which neither changes its motion, and 64 more for the
    length of the scene and for every turn. After 4096 queries of one span, or 16 undecided results, the pair
    is given up: `Report.unfinished` names it.

    Parameters
    ----------
    scene
        From `ougi.load_scene`, or built in Python.
    margin
        Also report pairs that never touch but come as near as this: when and where first.
    tol
        As in `time_of_impact`.
    method
        `exact`, or another one to compare with, which tests once per frame: `discrete` (poses at the borders
        of frames), `substeps` (8 poses per frame), and the methods of `ougi.sweep`: `cast`, `swept-sphere`,
        `speculative-...` with its reading, `sector`, `sector-enclosing`, `sector-balanced`. The exact result
        is reported as well; `Report.compared` marks what the method misses and which contacts are ghosts.
        Where a method cannot express a motion or a pair it has no result.
    fps
        Frames per second of the other methods. Times at which a motion changes are borders of frames too.
    progress
        Called now and then with two counts: queries computed, and all of them so far. Their ratio never
        decreases. Candidate pairs are counted before the first query, and large scenes are checked in blocks
        of them, so memory stays bounded.
    max_pairs
        A scene with more candidate pairs than this is refused. A million of them take some seconds.
    max_contacts
        A scene with more contacts and near misses than this is refused. A million of them take 0.1 GB in the
        report, and 2 GB when `ougi check` prints them.
    timeout
        Seconds after which the check stops. The report then has what was found, and `Report.unchecked` counts
        the candidate pairs that are left. Ctrl-C does the same.

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
        scene,
        margin,
        tol,
        method,
        fps,
        progress,
        max_pairs=max_pairs,
        max_contacts=max_contacts,
        timeout=timeout,
    )
    return prepared.run()


class PreparedCheck:
    """A check whose candidate pairs are counted, ready to run; the parameters are those of `check`.

    Attributes
    ----------
    pairs
        How many candidate pairs there are.
    is_interrupted
        Was the run ended by Ctrl-C?
    """

    is_interrupted = False

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
        timeout: float | None = None,
    ) -> None:
        if not isinstance(scene, Scene):
            raise TypeError(f"scene must be a Scene, as ougi.load_scene reads it; got {type(scene).__name__}")
        _check.require_choice("method", method, get_args(Method))
        self._margin = _check.number("margin", margin, positive=False)
        self._tol = _check.number("tol", tol, positive=True)
        self._frame = 1 / _check.number("fps", fps, positive=True)
        self._method, self._max_contacts = method, _check.whole_number("max_contacts", max_contacts)
        max_pairs = _check.whole_number("max_pairs", max_pairs)
        seconds = math.inf if timeout is None else _check.number("timeout", timeout, positive=True)
        deadline = time.monotonic() + seconds
        self._progress = _Progress(progress, deadline)
        is_exact = method == "exact"
        if not is_exact and scene.duration / self._frame > _MAX_FRAMES:
            highest = _MAX_FRAMES / scene.duration
            raise ValueError(
                f"fps must not exceed {highest:.6g} for a scene of {scene.duration:g} s, got {fps:g}: "
                f"a method is compared in at most {_MAX_FRAMES:,} frames"
            )
        self._scene = scene
        free = find_free_bodies(scene, self._margin, self._tol, deadline) if is_exact else frozenset()
        self._progress.more(0)  # of a hundred thousand bodies or motions each step takes seconds
        self._spans = RobotSpans(scene, free)
        self._progress.more(0)
        # Another method has one query for each frame.
        size = BLOCK_SIZE if is_exact else int(BLOCK_SIZE / max(scene.duration / self._frame, 1.0)) + 1
        self._candidates = Candidates(
            self._spans,
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
        scene, found = self._scene, _Found(self._scene.dimension)
        try:
            for pairs in self._candidates:
                for part in split_pairs(self._spans, pairs, PART_SIZE):
                    self._find_first(pairs.take(part), found)
            # Later contacts cost far more than first ones, so they come after all limits.
            while found.touching:
                pairs, first = found.touching[0]
                for part in split_pairs(self._spans, pairs, FOLLOW_SIZE):
                    self._find_all(pairs.take(part), first[part], found)
                del found.touching[0]
        except (KeyboardInterrupt, _TimeoutReached) as error:
            self.is_interrupted = isinstance(error, KeyboardInterrupt)
            self._keep_first(found)
        contacts, order = _join(Contacts, found.contacts, "time")
        compared = None
        if self._method != "exact" and not found.unchecked:
            compared = self._compare(contacts, np.concatenate(found.until)[order])
        return Report(
            scene,
            contacts,
            _join(Contacts, found.near, "time")[0],
            compared,
            self._method,
            self._margin,
            self.pairs,
            np.unique(np.concatenate(found.unfinished), axis=0),
            _join(Enclosed, found.enclosed, "time")[0],
            found.unchecked,
        )

    def _keep_first(self, found: _Found) -> None:
        """Keep the first contacts of a check that was stopped, and count the pairs that are not finished."""
        spans = self._spans
        found.unchecked = max(self.pairs - found.checked, 0)
        for pairs, first in found.touching:
            codes = spans.get_codes(pairs)
            hit = np.flatnonzero(first.status != Status.FREE)
            _, rows = np.unique(codes[hit], return_index=True)  # in order of time
            found.contacts.append(first[hit[rows]])
            found.until.append(first.time[hit[rows]])
            found.unchecked += len(np.unique(codes))

    def _find_first(self, pairs: PairSpans, found: _Found) -> None:
        """First contacts and near misses of a block."""
        spans = self._spans
        first = self._find_contacts(pairs, 0.0)
        code = spans.get_codes(pairs)
        hit = np.unique(code[first.status != Status.FREE])
        touching = np.isin(code, hit)
        found.touching.append((pairs.take(touching), first[touching]))
        found.rows += len(hit)
        found.checked += len(np.unique(code))
        self._require(found.rows)
        if self._margin > 0:
            found.near.append(self._find_near(pairs.take(~touching)))
            found.rows += len(found.near[-1])
        self._require(found.rows)
        found.enclosed.append(find_enclosed(spans, pairs, first))

    def _find_contacts(self, pairs: PairSpans, margin: float) -> Contacts:
        return self._spans.find_first_contacts(
            pairs.a, pairs.b, pairs.start, pairs.seconds, self._tol, margin, self._progress
        )

    def _find_near(self, pairs: PairSpans) -> Contacts:
        """When pairs without a contact first come within the margin."""
        self._progress.more(len(pairs.a))
        within = self._find_contacts(pairs, self._margin)
        rows = np.flatnonzero(within.status)
        _, first = np.unique(self._spans.get_codes(pairs)[rows], return_index=True)  # in order of time
        near: Contacts = within[rows[first]]
        # At the start they may be nearer than the margin: that is no overlap, they never touch.
        return replace(near, status=np.where(near.status == Status.OVERLAPPING, Status.HIT, near.status))

    def _find_all(self, pairs: PairSpans, first: Contacts, found: _Found) -> None:
        """All contacts of pairs that touch."""
        spans, progress = self._spans, self._progress
        series = find_all_contacts(spans, pairs, first, self._tol, progress.more, progress)
        new, until = find_begun(spans, series.pairs, series.contacts)
        contacts = series.contacts
        # In a report, bodies overlap only at the start of the scene, or after a jump.
        late = (contacts.status == Status.OVERLAPPING) & (contacts.time > 0) & ~spans.get_jumps(series.pairs)
        contacts = replace(contacts, status=np.where(late, Status.HIT, contacts.status))
        found.contacts.append(contacts[new])
        found.until.append(until[new])
        found.unfinished.append(spans.get_bodies(series.pairs.take(series.unfinished)))
        self._require(sum(map(len, found.contacts)) + sum(map(len, found.near)))

    def _compare(self, contacts: Contacts, until: Floats) -> Comparison:
        """The contacts of the other method, block by block."""
        spans = self._spans
        n = np.int64(len(spans.scene.bodies))
        code = contacts.pair[:, 0] * n + contacts.pair[:, 1]
        parts = [Comparison(np.empty((0, 2), np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))]
        for pairs in self._candidates:
            rows = np.flatnonzero(np.isin(code, spans.get_codes(pairs)))
            parts.append(self._compare_block(pairs, contacts[rows], until[rows]))
        return _join(Comparison, parts)[0]

    def _compare_block(self, pairs: PairSpans, contacts: Contacts, until: Floats) -> Comparison:
        """What a method reports of each contact, and of pairs without any."""
        spans, frame = self._spans, self._frame
        # Bodies that never move are the same in every frame, so the first one is enough.
        fixed = spans.fixed[pairs.a] & spans.fixed[pairs.b]
        first = np.minimum(pairs.stop, pairs.start + frame)
        parts, _ = frame_methods.split_frames(pairs._replace(stop=np.where(fixed, first, pairs.stop)), frame)
        self._progress.more(len(parts.a))
        result = frame_methods.run_method(spans, parts, self._method, self._progress)
        reported = frame_methods.collect_frames(spans, parts, result)
        exact: dict[frame_methods.Pair, list[int]] = {}
        for row, (i, j) in enumerate(contacts.pair.tolist()):
            exact.setdefault((i, j), []).append(row)
        rows = []
        for pair in sorted(exact.keys() | reported.keys()):
            frames, before = reported.get(pair, frame_methods.NO_FRAMES), -np.inf
            touching = exact.get(pair, [])
            for row in touching:
                t = float(contacts.time[row])
                start, stop = frames.find_first(before, t, float(until[row]), 1e-6 * frame)
                verdict = _judge(start, stop, frames.is_open, t, frame)
                known = contacts.status[row] != Status.UNSUPPORTED
                rows.append((pair, verdict if known else OPEN, start, t))
                before = float(until[row])
            if not touching:
                start, _ = frames.find_first(-np.inf, np.inf, np.inf, 0.0)
                rows.append((pair, OPEN if np.isnan(start) else GHOST, start, np.nan))
        return Comparison(
            np.array([row[0] for row in rows], np.int64).reshape((-1, 2)),
            np.array([row[1] for row in rows], np.int64),
            *(np.array([row[k] for row in rows], np.float64) for k in (2, 3)),
        )

    def _require(self, rows: int) -> None:
        if rows > self._max_contacts:
            raise ValueError(
                f"max_contacts is {self._max_contacts:,}, but the scene has {rows:,} contacts and near "
                "misses or more; raise max_contacts, or exclude pairs by groups and masks or by [[ignore]]"
            )


class _Found:
    """The results so far, in parts; the first part of each list is empty."""

    def __init__(self, dimension: int) -> None:
        pair, time = np.empty((0, 2), np.int64), np.empty(0)
        none = make_contacts(make_free(0, dimension), pair, time, np.empty(0, "U11"))
        self.rows = 0  # contacts and near misses, at least
        self.checked, self.unchecked = 0, 0  # candidate pairs
        self.touching: list[tuple[PairSpans, Contacts]] = []
        self.contacts, self.near, self.until = [none], [none], [time]
        self.unfinished, self.enclosed = [pair], [Enclosed(pair, time)]


def _join(cls: type[_Rows], parts: list[_Rows], *keys: str) -> tuple[_Rows, Ints]:
    """The rows of all parts by the keys and pairs, and their order; equal ones stay in their order."""
    columns: dict[str, Array] = {
        each.name: np.concatenate([getattr(x, each.name) for x in parts]) for each in fields(cls)
    }
    pair = columns["pair"]
    order = np.lexsort((pair[:, 1], pair[:, 0], *(columns[key] for key in keys)))
    return cls(**{name: column[order] for name, column in columns.items()}), order


class _TimeoutReached(Exception):
    """The time of a check is over."""


class _Progress:
    """Counts queries, those that are done and all of them. Ends the check at a deadline."""

    def __init__(self, report: Callable[[int, int], None] | None, deadline: float) -> None:
        self.report, self.done, self.all, self._shown = report, 0, 0, 0.0
        self._deadline = deadline

    def more(self, count: int) -> None:
        self.all += count
        self._show()

    def __call__(self, count: int) -> None:
        self.done += count
        self._show()
        if time.monotonic() > self._deadline:
            raise _TimeoutReached

    def _show(self) -> None:
        if self.report is not None:
            # More queries may turn up, but what is shown never goes back.
            self._shown = max(self._shown, self.done / max(self.all, 1))
            self.report(min(round(self._shown * self.all), self.all), self.all)


def _judge(start: float, stop: float, is_open: bool, exact: float, frame: float) -> int:
    """The verdict on a method that first reports a contact in the frame from start to stop; NaN: in none."""
    rounding = 1e-6 * frame
    if np.isnan(start):
        return OPEN if is_open else MISSED
    if stop < exact - rounding:
        return GHOST
    return LATE if start > exact + rounding else FOUND
