"""Contacts after the first one: two bodies part, and meet again while neither changes its motion.

While two convex bodies overlap by some depth they cannot part before the fastest points have moved so far, so
time advances by the depth over a bound of the speed, until they are apart. Of meshes it is the depth of two
triangles, or of a triangle and a body, that touch; two meshes are followed by a compiled loop. Of sectors it
is a lower bound. From there on the next first contact is as certain as the first one. Where the depth is 0 or
not known, steps double from a small one up to a fixed one: 16 of those are in every span, and 64 more for the
length of the scene and for every turn. After 4,096 advances of one contact, or
65,536 of the loop, all steps are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.impact import Status
from ougi.timeline.contacts import Contacts
from ougi.timeline.spans import PairSpans, SceneSpans
from ougi.timeline.swept_boxes import TOLERANCE_GROWTH

# Fixed steps in every span; and more of them for the length of the whole scene, and for every turn of a body.
STEPS, MORE_STEPS = 16, 64

# Advances by depth within one contact.
MAX_ADVANCES = 4096

# Advances by depths of triangles of two meshes that count as one, because they are that much faster.
_TRIANGLE_ADVANCES = 16

# The smallest advance, as a share of the common time. It doubles while bodies touch without depth.
_SMALLEST = 1e-7

# Queries about one pair of spans, and undecided results, which may take long, after which it is given up.
MAX_QUERIES, MAX_UNDECIDED = 4096, 16

# A contact that comes so soon, as a share of the common time, is there when that begins.
_AT_ONCE = 1e-9


class ContactSeries(NamedTuple):
    """All contacts: pairs of spans in smaller pieces, each with its first contact, which ends within it."""

    pairs: PairSpans
    contacts: Contacts
    unfinished: Bools  # one for each piece: was the pair given up?


def is_at_once(contacts: Contacts) -> Bools:
    """Which contacts are there when the common time begins?"""
    touching = (contacts.status != Status.FREE) & (contacts.status != Status.UNSUPPORTED)
    return np.asarray(touching & (contacts.t <= _AT_ONCE), np.bool_)


def find_all_contacts(
    spans: SceneSpans,
    pairs: PairSpans,
    first: Contacts,
    tol: float,
    count: Callable[[int], None],
    progress: Callable[[int], None],
) -> ContactSeries:
    """The first contacts of pairs of spans, and all that follow."""
    search = _Search(spans, pairs, first, tol)
    while len(search.rows):
        apart = search.advance()
        if len(apart):
            count(len(apart))
            search.query(apart, progress)
    return search.sort()


class _Search:
    """The search for later contacts; arrays have one entry for each pair of spans."""

    def __init__(self, spans: SceneSpans, pairs: PairSpans, first: Contacts, tol: float) -> None:
        self.spans, self.pairs, self.tol = spans, pairs, tol
        self.speed = spans.speed[pairs.a] + spans.speed[pairs.b]
        size = np.abs(spans.table.columns[:9]).max(axis=0)
        self.slack = TOLERANCE_GROWTH * tol * (size[pairs.a] + size[pairs.b])
        self.fixed_step = pairs.seconds / _count_steps(spans, pairs)
        self.time = np.nan_to_num(first.time)
        self.smallest = _SMALLEST * pairs.seconds
        self.step = self.smallest.copy()
        self.advances, self.queries, self.undecided = np.zeros((3, len(first)), np.int64)
        self.pieces, self.found, self.sources = [pairs], [first], [np.arange(len(first))]
        touching = (first.status != Status.FREE) & (first.status != Status.UNSUPPORTED)
        # Bodies at rest do not part.
        self.rows = np.flatnonzero(touching & spans.get_moves(pairs) & (pairs.seconds > 0))
        self._skip(self.rows, first.status[self.rows] == Status.UNDECIDED)

    def _skip(self, rows: Ints, is_undecided: Bools) -> None:
        """Go on one fixed step behind what could not be decided."""
        self.time[rows] += np.where(is_undecided, self.fixed_step[rows], 0.0)

    def advance(self) -> Ints:
        """Advance the time of all rows that touch, and return those that are apart."""
        limited = (self.queries >= MAX_QUERIES) | (self.undecided >= MAX_UNDECIDED)
        self.rows = self.rows[(self.time < self.pairs.stop)[self.rows] & ~limited[self.rows]]
        self._follow_meshes(self.rows)
        rows = self.rows = self.rows[(self.time < self.pairs.stop)[self.rows]]
        gap, has_depth = self.spans.measure_gaps(self.pairs.a[rows], self.pairs.b[rows], self.time[rows])
        is_apart = gap > np.where(has_depth, self.slack[rows], 0.0)
        self._move(rows[~is_apart], -gap[~is_apart], has_depth[~is_apart])
        return rows[is_apart]

    def _follow_meshes(self, rows: Ints) -> None:
        """Advance pairs of meshes by the depths of their triangles."""
        rows = rows[self.advances[rows] < MAX_ADVANCES]
        lasts, steps = self.spans.follow_contacts(
            self.pairs.a[rows],
            self.pairs.b[rows],
            self.time[rows],
            (self.pairs.stop - self.time)[rows],
            self.smallest[rows],
            _TRIANGLE_ADVANCES * MAX_ADVANCES,
        )
        self.time[rows] += lasts
        self.step[rows[steps > 0]] = self.smallest[rows[steps > 0]]
        self.advances[rows] += steps // _TRIANGLE_ADVANCES

    def _move(self, rows: Ints, depth: Floats, has_depth: Bools) -> None:
        """Advance rows by their depths, or by steps that double where there is none."""
        certified = np.where(has_depth, depth / np.maximum(self.speed[rows], 1e-300), 0.0)
        is_certified = certified > self.smallest[rows]
        is_fixed = self.advances[rows] >= MAX_ADVANCES
        step = np.where(is_certified, certified, self.step[rows])
        self.time[rows] += np.where(is_fixed, np.maximum(step, self.fixed_step[rows]), step)
        longer = np.minimum(2 * self.step[rows], self.fixed_step[rows])
        self.step[rows] = np.where(is_certified, self.smallest[rows], longer)
        self.advances[rows] += 1

    def query(self, rows: Ints, progress: Callable[[int], None]) -> None:
        """Find the next first contacts of rows that are apart; where they touch at once, advance."""
        rest = self.pairs.take(rows)._replace(start=self.time[rows])
        found = self.spans.find_first_contacts(
            rest.a, rest.b, rest.start, rest.seconds, self.tol, 0.0, progress
        )
        self.queries[rows] += 1
        # The same contact, if the bodies have moved by less than the tolerance since they were apart.
        is_same = (found.status == Status.HIT) & (
            (found.time - rest.start) * self.speed[rows] <= self.slack[rows]
        )
        at_once = is_at_once(found) | is_same
        self._move(rows[at_once], np.zeros(at_once.sum()), np.ones(at_once.sum(), np.bool_))
        new = np.flatnonzero(~at_once)
        own, status = rows[new], found.status[new]
        self.pieces.append(rest.take(new))
        self.found.append(found[new])
        self.sources.append(own)
        self.undecided[own] += status == Status.UNDECIDED
        self.time[own], self.advances[own] = np.nan_to_num(found.time[new]), 0
        self.step[own] = self.smallest[own]
        self._skip(own, status == Status.UNDECIDED)
        self.rows = np.setdiff1d(self.rows, own[status == Status.FREE])

    def sort(self) -> ContactSeries:
        """All pieces by body pairs and times; each ends where the next one of its pair of spans begins."""
        pairs, source = PairSpans.join(self.pieces), np.concatenate(self.sources)
        order = np.lexsort((pairs.start, self.spans.get_codes(pairs)))
        pairs, source = pairs.take(order), source[order]
        same = source[1:] == source[:-1]
        stop = pairs.stop.copy()
        stop[:-1][same] = pairs.start[1:][same]
        limited = (self.queries >= MAX_QUERIES) | (self.undecided >= MAX_UNDECIDED)
        unfinished = limited & (self.time < self.pairs.stop)
        return ContactSeries(pairs._replace(stop=stop), Contacts.join(self.found)[order], unfinished[source])


def _count_steps(spans: SceneSpans, pairs: PairSpans) -> Ints:
    """Into how many fixed steps each pair of spans is divided."""
    share = pairs.seconds / max(spans.scene.duration, np.finfo(np.float64).tiny)
    turns = pairs.seconds * (spans.turning[pairs.a] + spans.turning[pairs.b])
    steps: Ints = STEPS + np.ceil(MORE_STEPS * np.minimum(share + turns, 1e9)).astype(np.int64)
    return steps


def find_begun(spans: SceneSpans, pairs: PairSpans, contacts: Contacts) -> tuple[Bools, Floats]:
    """Which rows are contacts of their own, and until when each of these lasts at most.

    The others continue from an earlier row of the same bodies. A contact that is there when its common time
    begins continues from the row before, if that one has a contact too and neither body jumped. A time in
    which both rest changes nothing, so what was before it counts.
    """
    new: Bools = contacts.status != Status.FREE
    until = pairs.stop.copy()
    rests, at_once = ~spans.get_moves(pairs), is_at_once(contacts)
    code = spans.get_codes(pairs)
    follows: Bools = np.zeros(len(new), np.bool_)
    follows[1:] = (code[1:] == code[:-1]) & (pairs.start[1:] == pairs.stop[:-1])
    follows &= ~spans.get_jumps(pairs)
    # Bodies without a contact, or with one row, need no loop: their rows stay as they are.
    _, which, count = np.unique(code, return_inverse=True, return_counts=True)
    hits = np.bincount(which.ravel(), weights=new, minlength=len(count))
    touched, own = False, 0
    for row in np.flatnonzero(((hits > 0) & (count > 1))[which.ravel()]).tolist():
        touched = touched and bool(follows[row])
        status = contacts.status[row]
        hit = status != Status.FREE
        new[row] = hit and not (touched and (at_once[row] or status == Status.UNSUPPORTED))
        touched = bool(hit) or (touched and bool(rests[row]))
        own = row if new[row] else own
        if touched:
            until[own] = pairs.stop[row]
    return new, until
