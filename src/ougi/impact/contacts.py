"""Columns of first contacts: those that the loops write, and those of moving targets."""

from __future__ import annotations

import numpy as np

from ougi._typing import Floats
from ougi.motion import Motion
from ougi.results import FirstContacts, Status


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
