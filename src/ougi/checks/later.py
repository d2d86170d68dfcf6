"""What comes after the first contact of a cut: the bodies part and meet again.

A cut is looked at, after a contact, at evenly spaced times. At the first one at which the bodies do not touch
the first contact from there on is asked for, as exactly as the one before. So contacts that are apart by less
than one step are told as one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.checks.narrow import UNANSWERED, Firsts, Tell, first_contacts
from ougi.checks.tracks import Cuts, Tracks
from ougi.impact.advance import FREE, UNDECIDED

# Steps in every cut; and more of them for the length of the whole scene, and for every turn of a body.
STEPS, MORE_STEPS = 16, 64

# Questions about one cut, and undecided answers, which may take long, after which no more are asked.
QUESTIONS, OPEN_QUESTIONS = 4096, 16


@dataclass(frozen=True, eq=False)
class All:
    """All contacts: cuts in smaller pieces, each with its first contact, which lasts no longer than it."""

    cuts: Cuts
    found: Firsts
    unfinished: Bools  # one for each piece: was there no end to the questions?


def all_contacts(tracks: Tracks, cuts: Cuts, firsts: Firsts, tol: float, more: Tell, tell: Tell) -> All:
    """The cuts and their first contacts, and what comes after these."""
    steps = _steps(tracks, cuts)
    step = (cuts.stop - cuts.start) / steps
    pieces, answers, sources = [cuts], [firsts], [np.arange(len(cuts.a))]
    rows = np.flatnonzero(_has_later(tracks, cuts, firsts))
    following = _next(firsts.time, cuts.start, step)
    open_answers = np.zeros(len(steps), np.int64)
    for _ in range(QUESTIONS):
        rows = rows[(following[rows] < steps[rows]) & (open_answers[rows] < OPEN_QUESTIONS)]
        if not len(rows):
            break
        rest = cuts.taken(rows)._replace(start=cuts.start[rows] + following[rows] * step[rows])
        more(len(rows))
        found = first_contacts(tracks, rest, tol, 0.0, tell)
        open_answers[rows] += found.status == UNDECIDED
        parted = ~found.at_once
        pieces.append(rest.taken(parted))
        answers.append(_taken(found, parted))
        sources.append(rows[parted])
        again = _next(found.time, cuts.start[rows], step[rows])
        following[rows] = np.where(parted, again, following[rows] + 1)
        rows = rows[found.status != FREE]
    return _sorted(tracks, pieces, answers, sources, _unfinished(rows, open_answers))


def _steps(tracks: Tracks, cuts: Cuts) -> Ints:
    """Into how many steps each cut is divided."""
    seconds = cuts.stop - cuts.start
    share = seconds / max(tracks.scene.duration, np.finfo(np.float64).tiny)
    turns = seconds * (tracks.turning[cuts.a] + tracks.turning[cuts.b])
    # More steps than questions are of use: most of them are passed over between two contacts.
    steps: Ints = STEPS + np.ceil(MORE_STEPS * np.minimum(share + turns, 1e9)).astype(np.int64)
    return steps


def _has_later(tracks: Tracks, cuts: Cuts, firsts: Firsts) -> Bools:
    """Is there a contact after which there may be another? Bodies at rest keep what they have."""
    moves = tracks.moves[tracks.kind[cuts.a]] | tracks.moves[tracks.kind[cuts.b]]
    touch = (firsts.status != FREE) & (firsts.status != UNANSWERED)
    return np.asarray(touch & moves & (cuts.stop > cuts.start), np.bool_)


def _next(time: Floats, start: Floats, step: Floats) -> Ints:
    """The number of the first step after a time; 0 where there is none."""
    share = (time - start) / np.where(step > 0, step, 1.0)
    return np.where(np.isnan(share), 0, np.floor(np.nan_to_num(share)) + 1).astype(np.int64)


def _unfinished(rows: Ints, open_answers: Ints) -> Bools:
    """Cuts with questions that were not asked any more."""
    left: Bools = open_answers >= OPEN_QUESTIONS
    left[rows] = True
    return left


def _taken(found: Firsts, which: Bools | Ints) -> Firsts:
    return Firsts(*(getattr(found, field.name)[which] for field in fields(Firsts)))


def _sorted(
    tracks: Tracks, pieces: list[Cuts], answers: list[Firsts], sources: list[Ints], unfinished: Bools
) -> All:
    """All pieces by body pairs and times; each ends where the next one of its cut begins."""
    cuts = Cuts(*(np.concatenate(columns) for columns in zip(*pieces, strict=True)))
    found = Firsts(*(np.concatenate([getattr(x, field.name) for x in answers]) for field in fields(Firsts)))
    source = np.concatenate(sources)
    order = np.lexsort((cuts.start, tracks.body[cuts.b], tracks.body[cuts.a]))
    cuts, source = cuts.taken(order), source[order]
    same = source[1:] == source[:-1]
    stop = cuts.stop.copy()
    stop[:-1][same] = cuts.start[1:][same]
    return All(cuts._replace(stop=stop), _taken(found, order), unfinished[source])


__all__ = ["All", "all_contacts"]
