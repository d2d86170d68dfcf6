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
    reversed_rows
        Rows whose normal leads from the second of the listed bodies to the first.
    """

    timeline: Timeline
    place: Callable[[], BodyTable]
    time: float
    hits: SortedHits
    hulls: Ints
    hull_pairs: Ints
    reversed_rows: Ints

    def write(self, point: Floats, normal: Floats) -> None:
        """Write the points and normals of these rows."""
        if len(self.hits.rows):
            mixed.write_nearest(self.hits, self.place(), point, normal)
        if len(self.hulls):
            nearest = self.timeline.find_nearest(self.hull_pairs[:, 0], self.hull_pairs[:, 1], self.time)
            normal[self.hulls], point[self.hulls] = nearest
        normal[self.reversed_rows] = 0.0 - normal[self.reversed_rows]

    def renumber(self, source: Ints, count: int, ids: Ints) -> Overlaps | None:
        """The same for events, of which each is one of `count` contacts or none (-1); None if it is empty.

        Normals of events lead from the smaller of `ids` to the larger.
        """
        if not len(self.hits.rows) + len(self.hulls):
            return None
        event = np.empty(count + 1, np.int64)  # the last is that of the contacts that ended
        event[source] = np.arange(len(source))
        rows, hulls = event[self.hits.rows], event[self.hulls]
        i, j = np.concatenate([self.hits.bodies, self.hull_pairs]).T
        is_reversed = (ids[i] > ids[j]) ^ np.concatenate([self.hits.flipped, np.zeros(len(hulls), np.bool_)])
        reversed_rows = np.concatenate([rows, hulls])[is_reversed]
        return self._replace(hits=self.hits._replace(rows=rows), hulls=hulls, reversed_rows=reversed_rows)


def list_overlaps(
    timeline: Timeline,
    place: Callable[[], BodyTable],
    time: float,
    hits: SortedHits,
    first_other: int,
    others: Ints,
    advanced: Contacts | None,
) -> Overlaps:
    """Contacts that `mixed` and `timeline` left without points and normals; the others begin at a row."""
    none: Ints = np.empty(0, np.int64)
    hulls = none
    if advanced is not None:
        both = timeline.has_hull[others].all(axis=1)
        hulls = np.flatnonzero((advanced.status == Status.OVERLAPPING) & both)
    return Overlaps(timeline, place, time, hits, first_other + hulls, others[hulls], none)
