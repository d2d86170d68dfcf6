"""What a check tells."""

from __future__ import annotations

from dataclasses import dataclass

from ougi._typing import Floats, Ints, Strings
from ougi.results import Result
from ougi.scene import PairCounts, Scene

# Words of `Touches.status` and of `Comparison.verdict`.
STATUSES = {1: "hit", 2: "overlapping at the start", 3: "undecided", 4: "cannot say"}
FOUND, MISSED, GHOST, LATE, OPEN = range(5)
VERDICTS = {FOUND: "found", MISSED: "missed", GHOST: "ghost", LATE: "late", OPEN: "cannot say"}


@dataclass(frozen=True, eq=False)
class Touches(Result):
    """Contacts or near misses, one row each, by time.

    Attributes
    ----------
    pair
        (m, 2), indices of two bodies of the scene: one that moves first, else the first in the scene.
    time
        (m,), seconds: when the contact begins, or when they first come within the margin. Where a contact is
        undecided, the time up to which there is certainly none.
    point
        (m, d), where they touch. Of a near miss the point of the one that rests, or of the second if none
        does, that is nearest to the other. NaN where none is known: fans, and cylinders that overlap.
    normal
        (m, d), unit vector from the first body to the second.
    status
        (m,), 1 hit; 2 overlapping at the start, or after a jump; 3 undecided, which counts as a contact;
        4 cannot say: there is no method for these shapes, and their bounds meet.
    engine
        (m,), what computed the contact: `kernel`, `radar` or `advancement`; empty for status 4.
    """

    pair: Ints
    time: Floats
    point: Floats
    normal: Floats
    status: Ints
    engine: Strings

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """What another method says about contacts, beside the exact answer; by pairs and times.

    Attributes
    ----------
    pair
        (m, 2), bodies, a row for each of their contacts; one row if they do not touch and the method says
        so, or cannot say anything.
    verdict
        (m,), 0 found in the frame in which the contact begins; 1 missed; 2 a ghost: reported in a frame
        before the contact and after the one before it, or without any; 3 late: found in a later frame only;
        4 the method cannot say.
    time
        (m,), when the frame begins in which the method first sees the contact; NaN for none. What it sees
        after the last contact of a pair is not told.
    exact
        (m,), when the contact begins; NaN for none.
    """

    pair: Ints
    verdict: Ints
    time: Floats
    exact: Floats

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True, eq=False)
class Enclosed(Result):
    """Bodies that are inside of a closed mesh and do not touch it, by time.

    Attributes
    ----------
    pair
        (m, 2), indices of a body and of the mesh.
    time
        (m,), seconds: 0 for the start, else when one of them arrives by a jump.
    """

    pair: Ints
    time: Floats

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True, eq=False)
class Report:
    """What touches what in a scene, made by `ougi.check`.

    Attributes
    ----------
    scene
        What was checked.
    contacts, near
        Touches: all contacts, and near misses within the margin of pairs that never touch.
    compared
        What the method that was asked for says instead; None for `exact`.
    method, margin
        What was asked for.
    pairs
        How many candidate pairs the broad phase found. Bounds prove that all other covered pairs are free.
    unfinished
        (k, 2), pairs that meet so often within one span that their last contacts are not told.
    enclosed
        Bodies inside of a closed mesh that do not touch it. A mesh is a surface, so this is no contact, and
        such a pair may be certified as free.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> ball = Body("ball", ougi.Circle([0, 0], 1), (Piece(0.0, 2.0, ougi.Translation2d([9, 0])),))
    >>> report = ougi.check(ougi.Scene((ball, Body("wall", ougi.Aabb2d([6, -1], [7, 1]))), duration=2.0))
    >>> report.hit, report.names(report.contacts), report.contacts.time.round(4).tolist()
    (True, [('ball', 'wall')], [1.1111])
    >>> report.coverage
    PairCounts(total=1, covered=1, excluded={})
    """

    scene: Scene
    contacts: Touches
    near: Touches
    compared: Comparison | None
    method: str
    margin: float
    pairs: int
    unfinished: Ints
    enclosed: Enclosed

    @property
    def hit(self) -> bool:
        """Is there a contact, or a pair that is not proven to be free?"""
        return len(self.contacts) > 0

    @property
    def coverage(self) -> PairCounts:
        """How many pairs were covered, and how many were excluded for which reason."""
        return self.scene.pair_counts

    @property
    def certified(self) -> bool:
        """Is every covered pair proven to be free over all times? False if no pair was covered.

        Excluded pairs are not part of it; `coverage` counts them.

        >>> import ougi
        >>> from ougi.scene import Body
        >>> posts = [Body(f"post {x}", ougi.Circle([x, 0], 1)) for x in (0, 5)]
        >>> ougi.check(ougi.Scene(tuple(posts))).certified
        True
        >>> ougi.check(ougi.Scene(tuple(posts), ignore=(("*", "*"),))).certified
        False
        """
        return self.coverage.covered > 0 and not self.hit

    def names(self, rows: Touches | Comparison | Enclosed | Ints) -> list[tuple[str, str]]:
        """The bodies' names, of rows or of pairs."""
        names = [body.name for body in self.scene.bodies]
        return [(names[i], names[j]) for i, j in (rows.pair if isinstance(rows, Result) else rows)]

    def interval(self, rows: Touches) -> Ints:
        """In which interval between `scene.times` each begins."""
        last = max(len(self.scene.times) - 2, 0)
        number: Ints = (self.scene.times.searchsorted(rows.time, side="right") - 1).clip(0, last)
        return number


__all__ = ["Comparison", "Enclosed", "Report", "Touches"]
