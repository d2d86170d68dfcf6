"""Columns of first contacts: those that the loops write, and those of moving targets."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import Motion
from ougi.results import FirstContacts, Status

# The order in which results of the same time count, by status.
_RANKS = np.zeros(len(Status), np.int64)
_RANKS[[Status.OVERLAPPING, Status.HIT, Status.UNDECIDED, Status.FREE, Status.UNSUPPORTED]] = range(5)


def make_free(n: int, dimension: int) -> FirstContacts:
    """n certified misses, to write contacts over."""
    nowhere = np.full((n, dimension), np.nan)
    return FirstContacts(
        np.zeros(n, np.int64), np.full(n, False), np.full(n, np.nan), nowhere, nowhere.copy()
    )


def read_rows(out: Floats, dimension: int) -> FirstContacts:
    """Contacts from what the loops write: (8, n), status, t, point and normal."""
    status = out[0].astype(np.int64)
    hit = (status == Status.HIT) | (status == Status.OVERLAPPING)
    out[5:] += 0.0  # no -0.0 in normals
    return FirstContacts(status, hit, out[1], out[2 : 2 + dimension].T, out[5 : 5 + dimension].T)


def to_world(contacts: FirstContacts, motion: Motion) -> FirstContacts:
    """Contacts in the frame of a moving target, in the world."""
    pose = motion.at(np.where(np.isnan(contacts.t), 0.0, contacts.t))
    point = pose._apply(contacts.point)
    normal = (pose.rotation @ contacts.normal[..., None])[..., 0]
    return FirstContacts(contacts.status, contacts.hit, contacts.t, point, normal)


def write_earlier(best: FirstContacts, until: Floats, case: Ints, found: FirstContacts) -> None:
    """Write the earliest known contact of each case.

    At equal times an overlap counts before a hit, which may be one within the margin, and a hit before an
    undecided result.
    """
    settled = np.flatnonzero(found.status > 0)
    order = settled[np.lexsort((_RANKS[found.status[settled]], found.t[settled], case[settled]))]
    cases, first = np.unique(case[order], return_index=True)
    source = order[first]
    earlier = (found.t[source] < until[cases]) | (best.status[cases] == Status.FREE)
    is_same = found.t[source] == until[cases]
    earlier |= is_same & (_RANKS[found.status[source]] < _RANKS[best.status[cases]])
    cases, source = cases[earlier], source[earlier]
    until[cases] = found.t[source]
    for field in fields(FirstContacts):
        getattr(best, field.name)[cases] = getattr(found, field.name)[source]
