"""What a world tells: contacts of a step, and answers to a query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.results import Result

# States of a contact, in the order of `Events.state`.
BEGAN, ONGOING, ENDED = 0, 1, 2


class StepProfile(NamedTuple):
    """Wall-clock seconds of the stages of one `World.step`, in their order, and how many pairs they had.

    Attributes
    ----------
    poses
        Poses of all bodies at the start and at the end of the step.
    swept_boxes
        Bounding boxes of what the bodies sweep over.
    candidate_pairs
        The broad phase over these boxes.
    classification
        Filter by group and mask, and order by id.
    first_contacts
        The narrow phase.
    bookkeeping
        What began, continues or ended.
    candidate_count, tested_count
        Pairs from the broad phase, and pairs that the filter leaves for the narrow phase.

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

    @property
    def seconds(self) -> dict[str, float]:
        """Stage -> seconds."""
        return dict(zip(self._fields[:6], self[:6], strict=True))

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self[:6])


@dataclass(frozen=True, eq=False)
class Events(Result):
    """Contacts of one step, one row each, ordered by time and pair.

    Attributes
    ----------
    pair
        (m, 2), ids of two bodies, the smaller first.
    state
        (m,), 0 began, 1 ongoing (they touched when the step began and are known since an earlier one),
        2 ended (they do not touch when the step ends). A pair that passes through each other within one
        step began and ended.
    time
        (m,), seconds of the world's clock: when they first touch; of what is ongoing the begin, and of what
        has ended the end of the step.
    point, normal
        (m, d), where they touch, and the unit vector from the first body to the second; NaN for what has
        ended, and for cylinders that overlap from the start.
    undecided
        (m,), True where the first contact could not be decided, and so counts as one.
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

    pair: Ints
    state: Ints
    time: Floats
    point: Floats
    normal: Floats
    undecided: Bools
    profile: StepProfile = field(default=StepProfile(), compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def began(self) -> Events:
        """Those that began in this step."""
        return self._those(BEGAN)

    @property
    def ongoing(self) -> Events:
        """Those that have begun before and go on."""
        return self._those(ONGOING)

    @property
    def ended(self) -> Events:
        """Those that are over when the step ends."""
        return self._those(ENDED)

    def _those(self, state: int) -> Events:
        chosen: Events = self[self.state == state]
        return chosen

    def joined(self, others: Events) -> Events:
        """These events and others."""
        names = ("pair", "state", "time", "point", "normal", "undecided")
        rows: Any = (np.concatenate([getattr(self, name), getattr(others, name)]) for name in names)
        return Events(*rows)


class Resting(NamedTuple):
    """Contacts of two bodies that both rest, which are tested once; as in `Events`.

    All pairs of ids below `next_id` have been tested.
    """

    pair: Ints
    point: Floats
    normal: Floats
    undecided: Bools
    next_id: int

    @classmethod
    def none(cls) -> Resting:
        """Nothing has been tested."""
        nowhere = np.empty((0, 0))
        return cls(np.empty((0, 2), np.int64), nowhere, nowhere, np.empty(0, np.bool_), 0)

    def taken(self, rows: Bools) -> Resting:
        """A subset of the contacts."""
        pair, point, normal, undecided, next_id = self
        return Resting(pair[rows], point[rows], normal[rows], undecided[rows], next_id)

    def extended(self, pair: Ints, point: Floats, normal: Floats, undecided: Bools, next_id: int) -> Resting:
        """These contacts and new ones."""
        if not len(self.pair):  # without the dimension of its points, too
            return Resting(pair, point, normal, undecided, next_id)
        return Resting(
            np.concatenate([self.pair, pair]),
            np.concatenate([self.point, point]),
            np.concatenate([self.normal, normal]),
            np.concatenate([self.undecided, undecided]),
            next_id,
        )

    def ongoing(self, time: float) -> Events:
        """The contacts as events of a step that begins at this time."""
        n = len(self.pair)
        state = np.full(n, ONGOING)
        return Events(self.pair, state, np.full(n, time), self.point, self.normal, self.undecided)


@dataclass(frozen=True, eq=False)
class Hits(Result):
    """Bodies that a shape touches, one row each, the earliest first.

    Attributes
    ----------
    body
        (m,), their ids.
    t
        (m,), when along the shape's motion, in [0, 1]; 0 for what it overlaps at once.
    point, normal
        (m, d), where they touch, and the unit vector from the shape to the body; NaN where `contacts` has no
        answer, as for fans.
    undecided
        (m,), True where the contact could not be decided, and so counts as one.

    >>> import ougi
    >>> world = ougi.World()
    >>> ids = world.add(ougi.Circle([[5, 0], [9, 0], [5, 5]], 1))
    >>> hits = world.query(ougi.Circle([0, 0], 1), ougi.Translation2d([10, 0]))
    >>> hits.body.tolist(), hits.t.round(6).tolist()
    ([0, 1], [0.3, 0.7])
    """

    body: Ints
    t: Floats
    point: Floats
    normal: Floats
    undecided: Bools

    def __len__(self) -> int:
        return len(self.body)
