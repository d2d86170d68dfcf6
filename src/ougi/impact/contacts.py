"""The result of every query for first contacts."""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Motion
from ougi.query.answers import _Answer


class Status(enum.IntEnum):
    """What is known of a first contact.

    >>> import ougi
    >>> ball = ougi.Sphere([0, 0, 0], 1)
    >>> found = ougi.time_of_impact(ball, ougi.Translation3d([1, 0, 0]), ougi.Sphere([9, 0, 0], 1))
    >>> ougi.Status(found.status).name
    'FREE'
    """

    FREE = 0  # certified: no contact during the whole motion
    HIT = 1
    OVERLAPPING = 2  # at the start, t = 0
    UNDECIDED = 3  # certified free up to t, unknown from there on


@dataclass(frozen=True, eq=False)
class FirstContacts(_Answer):
    """First contacts of moving shapes with targets.

    Attributes
    ----------
    status
        (...), values of `Status`: 0 free (a certified miss), 1 hit, 2 overlapping at the start (t = 0),
        3 undecided after the iteration limit (t is the last certified free time).
    hit
        (...), status 1 or 2. Status 3 is not a hit: if a missed contact is unacceptable, require
        `status == Status.FREE`.
    t
        (...), time of the first contact in [0, 1]; NaN where there is none. For status 3 the time up to which
        there is certainly none.
    point
        (..., d), where they touch, on the target.
    normal
        (..., d), unit vector from the moving shape to the target. Point and normal are NaN where there is no
        contact. For shapes that overlap at the start they are those of `closest_points` (NaN for cylinders).

    >>> import math, ougi
    >>> door = ougi.Box([0.5, 0, 0], [1, 0.05, 2])
    >>> found = ougi.time_of_impact(
    ...     door, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), ougi.Sphere([0, 0.8, 0], 0.1)
    ... )
    >>> bool(found.hit), round(float(found.t), 4)
    (True, 0.9001)
    """

    status: Ints
    hit: Bools
    t: Floats
    point: Floats
    normal: Floats

    def write(self, rows: Any, part: FirstContacts) -> None:
        """Write the contacts of `part` over some rows."""
        for field in fields(FirstContacts):
            getattr(self, field.name)[rows] = getattr(part, field.name)

    def reshape(self, batch: tuple[int, ...]) -> FirstContacts:
        """The same contacts in another batch shape."""
        values = (getattr(self, field.name) for field in fields(FirstContacts))
        return FirstContacts(*(flat.reshape((*batch, *flat.shape[1:]))[()] for flat in values))


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
