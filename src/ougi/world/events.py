"""The results of a world: events of a step, and hits of a query."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, NamedTuple

from ougi._typing import Floats, Ints, JsonObject
from ougi.impact import FirstContacts, Status
from ougi.timeline import Contacts
from ougi.timeline.events import BEGAN, ENDED, ONGOING
from ougi.world.overlaps import Overlaps


class StepProfile(NamedTuple):
    """Wall-clock seconds of the stages of one `World.step`, in their order, and how many pairs they had.

    Attributes
    ----------
    poses
        Poses of all bodies at the end of the step, and at its start where they are not known yet.
    swept_boxes
        Bounding boxes of what the bodies sweep over.
    candidate_pairs
        The broad phase over these boxes.
    classification
        Filter by group and mask.
    first_contacts
        The narrow phase.
    bookkeeping
        What began, continues or ended.
    candidate_count, tested_count, queried_count
        Pairs from the broad phase, pairs that the filter leaves, and pairs that enclosing sectors leave for
        first contacts.

    >>> import ougi
    >>> world = ougi.World()
    >>> ids = world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
    >>> profile = world.step(1 / 60).profile
    >>> profile.candidate_count, profile.tested_count, profile.total > profile.first_contacts > 0
    (1, 1, True)
    """

    poses: float = 0.0
    swept_boxes: float = 0.0
    candidate_pairs: float = 0.0
    classification: float = 0.0
    first_contacts: float = 0.0
    bookkeeping: float = 0.0
    candidate_count: int = 0
    tested_count: int = 0
    queried_count: int = 0

    @property
    def seconds(self) -> dict[str, float]:
        """Stage -> seconds."""
        return dict(zip(self._fields[:6], self[:6], strict=True))

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self[:6])


class _CompletedColumn:
    """A column of events that is complete when it is read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, events: Events | None, owner: type) -> Floats | _CompletedColumn:
        if events is None:
            return self
        events._complete()
        column: Floats = vars(events)[self.name]
        return column

    def __set__(self, events: Events, column: Floats) -> None:
        vars(events)[self.name] = column


@dataclass(frozen=True, eq=False, repr=False)
class Events(Contacts):
    """Contacts of one step, one row each, ordered by time, state and pair.

    Attributes
    ----------
    pair
        (m, 2), ids of two bodies, the smaller first.
    state
        (m,), 0 began, 1 ongoing (they touched when the step began, and an earlier step has reported it),
        2 ended (they do not touch when the step ends). A pair that passes through each other within one
        step began and ended.
    time, t
        (m,), when they first touch, in seconds of the world's clock and as a share of the step; for ongoing
        contacts the beginning of the step, for ended ones its end.
    status, hit
        (m,), as in `FirstContacts`; status 3 (undecided) counts as a contact, and 0 stands for an end.
    point, normal
        (m, d), where they touch, and the unit vector from the first body to the second; NaN for contacts
        that ended, and for cylinders that overlap from the start. Those of other bodies that overlap from the
        start are computed when they are read first.
    engine
        (m,), what computed the contact; empty for contacts that ended.
    profile
        `StepProfile`, seconds of the stages of the whole step. It does not count when events are compared.

    >>> import ougi
    >>> world = ougi.World()
    >>> ball = world.add(ougi.Circle([0, 0], 1), ougi.Translation2d([60, 0]), name="ball")
    >>> wall = world.add(ougi.Aabb2d([2, -5], [3, 5]), name="wall")
    >>> events = world.step(1 / 60)
    >>> events.began.pair.tolist(), events.began.time.round(6).tolist()
    ([[0, 1]], [0.016667])
    """

    state: Ints
    profile: StepProfile = field(default=StepProfile(), compare=False, repr=False)
    _overlaps: Overlaps | None = field(default=None, compare=False, repr=False)

    if not TYPE_CHECKING:
        point = _CompletedColumn()
        normal = _CompletedColumn()

    @property
    def began(self) -> Events:
        """The contacts that began in this step."""
        return self._select(BEGAN)

    @property
    def ongoing(self) -> Events:
        """The contacts that began in an earlier step and continue."""
        return self._select(ONGOING)

    @property
    def ended(self) -> Events:
        """The contacts that are over when the step ends."""
        return self._select(ENDED)

    def _select(self, state: int) -> Events:
        rows = self.state == state
        if self._overlaps is None or (self.status[rows] == Status.OVERLAPPING).any():
            chosen: Events = self[rows]
            return chosen
        columns = {field.name: vars(self)[field.name][rows] for field in fields(self) if field.compare}
        return Events(**columns, profile=self.profile)

    def _complete(self) -> None:
        """Compute what nothing has read before.

        In copies, so that another thread that reads meanwhile never finds columns that are half written.
        """
        columns = vars(self)
        overlaps: Overlaps | None = columns["_overlaps"]
        if overlaps is not None:
            point, normal = columns["point"].copy(), columns["normal"].copy()
            overlaps.write(point, normal)
            columns["point"], columns["normal"], columns["_overlaps"] = point, normal, None

    def __getstate__(self) -> JsonObject:
        self._complete()
        return vars(self)


@dataclass(frozen=True, eq=False, repr=False)
class Hits(FirstContacts):
    """Bodies that shapes touch, one row each, sorted by shape; of each shape the earliest first.

    Attributes
    ----------
    body
        (m,), their ids.
    index
        (m,), which of the shapes touches it; 0 for a single shape.
    t
        (m,), when along the shape's motion, in [0, 1]; 0 for bodies that it overlaps at the start.
    status, hit
        (m,), as in `FirstContacts`; status 3 (undecided) counts as a hit of the query.
    point, normal
        (m, d), where they touch, and the unit vector from the shape to the body; NaN where `contacts` has no
        result, as for sectors.

    >>> import ougi
    >>> world = ougi.World()
    >>> ids = world.add(ougi.Circle([[5, 0], [9, 0], [5, 5]], 1))
    >>> hits = world.query(ougi.Circle([0, 0], 1), ougi.Translation2d([10, 0]))
    >>> hits.body.tolist(), hits.t.round(6).tolist()
    ([0, 1], [0.3, 0.7])
    """

    body: Ints
    index: Ints

    def __len__(self) -> int:
        return len(self.body)
