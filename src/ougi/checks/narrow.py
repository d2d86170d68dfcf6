"""First contacts of cuts: which kernel or method answers, and what goes on from one cut to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np

from ougi._typing import Bools, Floats, Ints, Strings
from ougi.checks.tracks import Ask, Cuts, Tracks
from ougi.errors import UnsupportedPairError
from ougi.impact import FirstContacts, Status
from ougi.impact.engine import plan, run
from ougi.impact.pairing import resolve_pairs
from ougi.motion import Motion, Translation2d, Translation3d
from ougi.query import intersects
from ougi.shapes import Shape

Tell: TypeAlias = Callable[[int], None]

# Beside the statuses of `FirstContacts`: there is no method for these classes.
UNANSWERED = 4

# Rows asked at once: enough that calls cost nothing, few enough that progress is seen.
MOST = 20_000

# A contact that comes so soon, as a share of its cut, is there when the cut begins.
_AT_ONCE = 1e-9


@dataclass(frozen=True, eq=False)
class Firsts:
    """First contacts, one row for each cut: normals from a to b, `time` in seconds."""

    status: Ints
    time: Floats
    point: Floats
    normal: Floats
    engine: Strings
    at_once: Bools

    def take(self, which: Bools | Ints) -> Firsts:
        """Those of some cuts."""
        return Firsts(*(getattr(self, field.name)[which] for field in fields(Firsts)))


def first_contacts(tracks: Tracks, cuts: Cuts, tol: float, margin: float, tell: Tell) -> Firsts:
    """When the bodies of each cut first come as near as the margin."""
    n, d = len(cuts.a), tracks.scene.dimension
    found = Firsts(
        np.full(n, Status.FREE), np.full(n, np.nan), np.full((n, d), np.nan), np.full((n, d), np.nan),
        np.full(n, "", "U11"), np.zeros(n, np.bool_),
    )  # fmt: skip
    for ask in tracks.asks(cuts, MOST):
        rows = ask.rows
        impact, found.engine[rows] = _answered(ask, tol, margin)
        if impact is None:
            found.status[rows], found.time[rows] = UNANSWERED, cuts.start[rows]
            if ask.motion is None and margin == 0:
                _test_overlap(found, ask)
        else:
            seconds = cuts.stop[rows] - cuts.start[rows]
            found.status[rows], found.time[rows] = impact.status, cuts.start[rows] + impact.t * seconds
            found.point[rows] = impact.point
            found.normal[rows] = -impact.normal if ask.swapped else impact.normal
            found.at_once[rows] = (impact.status > 0) & (impact.t <= _AT_ONCE)
        tell(len(rows))
    return found


def _answered(ask: Ask, tol: float, margin: float) -> tuple[FirstContacts | None, str]:
    """The first contacts, None if there is no engine; and what computed them."""
    motion = _at_rest(ask.a) if ask.motion is None else ask.motion
    try:
        chosen = plan(ask.a, motion, ask.b, ask.other, margin)
    except UnsupportedPairError:
        return None, ""
    _, index = resolve_pairs(ask.a, motion, ask.b, ask.other, None)
    found = run(chosen, ask.a, motion, ask.b, ask.other, index, tol, margin)
    return found, chosen.engine.label


def _test_overlap(found: Firsts, ask: Ask) -> None:
    """Two bodies at rest need no first contact, only a test; there are more of these."""
    try:
        overlap = intersects(ask.a, ask.b)
    except UnsupportedPairError:
        return
    found.status[ask.rows] = np.where(overlap, Status.OVERLAPPING, Status.FREE)
    found.at_once[ask.rows] = overlap
    found.engine[ask.rows] = "kernel"


def _at_rest(shape: Shape) -> Motion:
    return Translation2d([0.0, 0.0]) if shape.dimension == 2 else Translation3d([0.0, 0.0, 0.0])


def begun(tracks: Tracks, cuts: Cuts, found: Firsts) -> tuple[Bools, Floats]:
    """Which rows are contacts of their own, and until when each of these lasts at most.

    The others go on from an earlier cut of the same pair. A contact that is there when its cut begins goes on
    from the cut before, if that one has a contact too and nobody jumped. A cut in which both rest changes
    nothing: what was before it counts.
    """
    new: Bools = found.status != Status.FREE
    until = cuts.stop.copy()
    still = ~(tracks.moves[tracks.kind[cuts.a]] | tracks.moves[tracks.kind[cuts.b]])
    code = tracks.pair_codes(cuts)
    follows: Bools = np.zeros(len(new), np.bool_)
    follows[1:] = (code[1:] == code[:-1]) & (cuts.start[1:] == cuts.stop[:-1])
    follows &= ~(arrived(tracks, cuts.a, cuts.start) | arrived(tracks, cuts.b, cuts.start))
    # Pairs without a contact, or with one cut, need no loop: their rows stay as they are.
    _, which, count = np.unique(code, return_inverse=True, return_counts=True)
    hits = np.bincount(which.ravel(), weights=new, minlength=len(count))
    touched, own = False, 0
    for row in np.flatnonzero(((hits > 0) & (count > 1))[which.ravel()]).tolist():
        touched = touched and bool(follows[row])
        hit = found.status[row] != Status.FREE
        new[row] = hit and not (touched and (found.at_once[row] or found.status[row] == UNANSWERED))
        touched = bool(hit) or (touched and bool(still[row]))
        own = row if new[row] else own
        if touched:
            until[own] = cuts.stop[row]
    return new, until


def arrived(tracks: Tracks, track: Ints, time: Floats) -> Bools:
    """Where a track begins with a jump."""
    here: Bools = tracks.jumped[track] & (tracks.start[track] == time)
    return here


def named(found: Firsts, cuts: Cuts, tracks: Tracks) -> Ints:
    """Statuses for reports: overlapping only at the start of the scene, or after a jump."""
    jump = arrived(tracks, cuts.a, cuts.start) | arrived(tracks, cuts.b, cuts.start)
    late = (found.status == Status.OVERLAPPING) & (found.time > 0) & ~jump
    return np.where(late, Status.HIT, found.status)


__all__ = ["MOST", "UNANSWERED", "Firsts", "arrived", "begun", "first_contacts", "named"]
