"""Results of a corridor's queries: arrays, one entry for each circle or point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.results import FirstContacts, Result


@dataclass(frozen=True, eq=False, repr=False)
class WallContacts(FirstContacts):
    """First contacts of moving circles with the wall: `FirstContacts`, and what is touched.

    Attributes
    ----------
    segment
        (...), the segment, numbered as given; -1 without a contact. At a corner, the one that starts there.
    corner
        (...), True where the circle touches the corner at the start of the segment.
    test_count
        (...), how many segments were tested.

    >>> import ougi
    >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> corridor.cast([1, 1], [10, 0], 0.5)
    <WallContacts: 1 hit of 1>
    """

    segment: Ints
    corner: Bools
    test_count: Ints

    def __repr__(self) -> str:
        return f"<WallContacts: {np.count_nonzero(self.hit)} hit of {np.size(self.hit)}>"


@dataclass(frozen=True, eq=False, repr=False)
class MovedCircles(Result):
    """Circles after a step.

    Attributes
    ----------
    position, velocity
        (..., 2).
    bounce_count
        (...), contacts with walls and other circles.
    time_left
        (...), seconds of the step that a circle could not use. It is above 0 only at the limit of bounces.
        The circle then stands still at its last contact, where it fits.
    test_count
        (...), how many segments were tested.
    group
        (n, 2), the groups that CORRIDOR's published methods tested, for the next step; None for all others.

    >>> import ougi
    >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> corridor.step([[1, 1], [2, 2]], [[10, 0], [0, 0]], 0.5, dt=1)
    <MovedCircles: 2 circles, 3 bounces>
    """

    position: Floats
    velocity: Floats
    bounce_count: Ints
    time_left: Floats
    test_count: Ints
    group: Ints | None = field(default=None, compare=False)

    @property
    def stopped(self) -> Ints:
        """The indices of the circles that reached the limit of bounces."""
        return np.flatnonzero(self.time_left > 0)

    def __repr__(self) -> str:
        bounces = int(np.sum(self.bounce_count))
        return f"<MovedCircles: {np.size(self.bounce_count)} circles, {bounces} bounces>"


@dataclass(frozen=True, eq=False, repr=False)
class NearestWall(Result):
    """The nearest wall points of points.

    Attributes
    ----------
    distance
        (...), not negative.
    segment
        (...), the segment, numbered as given.
    point
        (..., 2), the nearest point on it.
    inside
        (...), is the point inside of the corridor?

    >>> import ougi
    >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> corridor.nearest([[1, 0.25], [-2, 1]])
    <NearestWall: 2 points, 1 inside, distances 0.25 to 2>
    """

    distance: Floats
    segment: Ints
    point: Floats
    inside: Bools

    def __repr__(self) -> str:
        n = np.size(self.distance)
        if n == 0:
            return "<NearestWall: 0 points>"
        low, high = np.min(self.distance), np.max(self.distance)
        inside = np.count_nonzero(self.inside)
        return f"<NearestWall: {n} points, {inside} inside, distances {low:.6g} to {high:.6g}>"
