"""What comes after the first contact of a cut: the bodies part and meet again.

A cut is looked at, after a contact, at evenly spaced times. At the first one at which the bodies do not touch
the first contact from there on is asked for, as exactly as the one before. So contacts that are apart by less
than one step are told as one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.checks.narrow import MOST, UNANSWERED, Firsts, Tell, first_contacts
from ougi.checks.tracks import Cuts, Tracks
from ougi.errors import UnsupportedPairError
from ougi.impact import Status
from ougi.query import intersects
from ougi.shapes import Mesh

# Steps in every cut; and more of them for the length of the whole scene, and for every turn of a body.
STEPS, MORE_STEPS = 16, 64

# Questions about one cut, and undecided answers, which may take long, after which no more are asked.
QUESTIONS, OPEN_QUESTIONS = 4096, 16

# Steps of one cut that are looked at together, at most.
AT_ONCE = 16


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
    most = np.where(_has_mesh(tracks, cuts), 1, AT_ONCE)
    asked, open_answers, count = np.repeat([[0], [0], [1]], len(steps), axis=1)
    while len(rows := rows[following[rows] < steps[rows]]):
        rows = rows[(asked[rows] < QUESTIONS) & (open_answers[rows] < OPEN_QUESTIONS)]
        source, number = _in_steps(rows, following, np.minimum(count, steps - following))
        rest = cuts.taken(source)._replace(start=cuts.start[source] + number * step[source])
        apart = ~_meshes_touch(tracks, rest, most[source] == 1)
        np.add.at(asked, source, 1)
        rest, source = rest.taken(apart), source[apart]
        more(len(source))
        found = first_contacts(tracks, rest, tol, 0.0, tell)
        parted = np.flatnonzero(~found.at_once)
        _, first = np.unique(source[parted], return_index=True)  # steps of a cut are in order of time
        parted = parted[first]
        pieces.append(rest.taken(parted))
        answers.append(found.take(parted))
        own = source[parted]
        sources.append(own)
        open_answers[own] += found.status[parted] == Status.UNDECIDED
        # As long as they touch, more steps at a time; after that the next contact, if there is one.
        following[rows] += count[rows]
        count[rows] = np.minimum(2 * count[rows], most[rows])
        following[own], count[own] = _next(found.time[parted], cuts.start[own], step[own]), 1
        rows = np.setdiff1d(rows, own[found.status[parted] == Status.FREE])
    unfinished = (asked >= QUESTIONS) | (open_answers >= OPEN_QUESTIONS)
    return _sorted(tracks, pieces, answers, sources, unfinished & (following < steps))


def _in_steps(rows: Ints, following: Ints, count: Ints) -> tuple[Ints, Ints]:
    """So many steps of each row: its number, and that of the step."""
    many = count[rows]
    source = np.repeat(rows, many)
    return source, following[source] + np.arange(len(source)) - np.repeat(np.cumsum(many) - many, many)


def _steps(tracks: Tracks, cuts: Cuts) -> Ints:
    """Into how many steps each cut is divided."""
    seconds = cuts.stop - cuts.start
    share = seconds / max(tracks.scene.duration, np.finfo(np.float64).tiny)
    turns = seconds * (tracks.turning[cuts.a] + tracks.turning[cuts.b])
    # More steps than questions are of use: most of them are passed over between two contacts.
    steps: Ints = STEPS + np.ceil(MORE_STEPS * np.minimum(share + turns, 1e9)).astype(np.int64)
    return steps


def _has_later(tracks: Tracks, cuts: Cuts, firsts: Firsts) -> Bools:
    """Is there a contact after which another can be told? Bodies at rest keep what they have."""
    moves = tracks.moves[tracks.kind[cuts.a]] | tracks.moves[tracks.kind[cuts.b]]
    touch = (firsts.status != Status.FREE) & (firsts.status != UNANSWERED)
    return np.asarray(touch & moves & (cuts.stop > cuts.start), np.bool_)


def _has_mesh(tracks: Tracks, cuts: Cuts) -> Bools:
    """Meshes are asked one time after the other."""
    meshes = np.array([isinstance(kind.shape, Mesh) for kind in tracks.kinds], np.bool_)
    return np.asarray(meshes[tracks.kind[cuts.a]] | meshes[tracks.kind[cuts.b]], np.bool_)


def _meshes_touch(tracks: Tracks, rest: Cuts, has_mesh: Bools) -> Bools:
    """Which meshes touch when their cuts begin? That alone is far easier than a first contact."""
    touch = np.zeros(len(has_mesh), np.bool_)
    rows = np.flatnonzero(has_mesh)
    now = rest.taken(rows)
    for ask in tracks.asks(now._replace(stop=now.start), MOST):
        try:
            touch[rows[ask.rows]] = intersects(ask.a, ask.b)
        except UnsupportedPairError:
            continue  # a first contact may be known nevertheless
    return touch


def _next(time: Floats, start: Floats, step: Floats) -> Ints:
    """The number of the first step after a time; of the first one where there is none."""
    share = np.nan_to_num((time - start) / np.where(step > 0, step, 1.0))
    number: Ints = np.floor(share).astype(np.int64) + 1
    return number


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
    return All(cuts._replace(stop=stop), found.take(order), unfinished[source])


__all__ = ["All", "all_contacts"]
