"""Points and normals of bodies that overlap when a step begins, computed when they are read.

They are those of `closest_points`, which takes a quarter to a half of a step, and many programs read only
what began. A result keeps no poses: the bodies are placed again, at the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.impact import Status, mixed
from ougi.impact.mixed import SortedHits
from ougi.impact.table import BodyTable
from ougi.timeline import Contacts, Timeline


class Overlaps(NamedTuple):
    """Rows of contacts without points and normals.

    Attributes
    ----------
    timeline, place
        All bodies; `place` returns their poses.
    time
        When the step begins.
    hits
        Bodies with kernels, as rows of the contacts and of the bodies.
    hulls, hull_pairs
        (h,), (h, 2), the same of hulls.
    ids
        (n,), of the bodies.
    source
        (m,), the contact of each event, -1 for none; None before there are events.
    """

    timeline: Timeline
    place: Callable[[], BodyTable]
    time: float
    hits: SortedHits
    hulls: Ints
    hull_pairs: Ints
    ids: Ints
    source: Ints | None = None

    @property
    def is_empty(self) -> bool:
        """Are there no such rows?"""
        return not len(self.hits.rows) + len(self.hulls)

    def write(self, point: Floats, normal: Floats) -> None:
        """Write the points and normals of these rows, which are those of the events if there are any.

        Normals of contacts lead from the first to the second body of a pair as it was listed, normals of
        events from the smaller of their ids to the larger.
        """
        hits, hulls = self.hits, self.hulls
        if self.source is not None:
            # The last entry is that of the contacts that ended.
            event = np.empty(
                max(hits.rows.max(initial=0), hulls.max(initial=0), self.source.max()) + 2, np.int64
            )
            event[self.source] = np.arange(len(self.source))
            hits, hulls = hits._replace(rows=event[hits.rows]), event[hulls]
        if len(hits.rows):
            mixed.write_nearest(hits, self.place(), point, normal)
        if len(hulls):
            nearest = self.timeline.find_nearest(self.hull_pairs[:, 0], self.hull_pairs[:, 1], self.time)
            normal[hulls], point[hulls] = nearest
        if self.source is not None:
            i, j = np.concatenate([hits.bodies, self.hull_pairs]).T
            flipped = np.concatenate([hits.flipped, np.zeros(len(hulls), np.bool_)])
            rows = np.concatenate([hits.rows, hulls])[(self.ids[i] > self.ids[j]) ^ flipped]
            normal[rows] = 0.0 - normal[rows]


def list_overlaps(
    timeline: Timeline,
    place: Callable[[], BodyTable],
    time: float,
    hits: SortedHits,
    pair_count: int,
    others: Ints,
    advanced: Contacts | None,
) -> Overlaps:
    """Contacts that `mixed` and `timeline` left without points and normals; the others follow the pairs."""
    hulls: Ints = np.empty(0, np.int64)
    if advanced is not None:
        both = timeline.has_hull[others].all(axis=1)
        hulls = np.flatnonzero((advanced.status == Status.OVERLAPPING) & both)
    return Overlaps(timeline, place, time, hits, pair_count + hulls, others[hulls], timeline.body)
