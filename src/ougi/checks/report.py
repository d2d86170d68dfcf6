"""What a check tells."""

from __future__ import annotations

from dataclasses import dataclass

from ougi._typing import Bools, Floats, Ints
from ougi.query.answers import _Answer
from ougi.scene import Scene

# Words of `Touches.status` and of `Comparison.verdict`.
STATUSES = {1: "hit", 2: "overlapping at the start", 3: "undecided", 4: "cannot say"}
FOUND, MISSED, GHOST, LATE, OPEN = range(5)
VERDICTS = {FOUND: "found", MISSED: "missed", GHOST: "ghost", LATE: "late", OPEN: "cannot say"}


@dataclass(frozen=True, eq=False)
class Touches(_Answer):
    """Contacts or near misses, one row each, by time.

    Attributes
    ----------
    pair
        (m, 2), indices of two bodies of the scene: one that moves first, else the first in the scene.
    time
        (m,), seconds: when they first touch, or come within the margin. Where a contact is undecided, the
        time up to which there is certainly none.
    point
        (m, d), where they touch. Of a near miss the point of the one that rests, or of the second if none
        does, that is nearest to the other. NaN where none is known: fans, and cylinders that overlap.
    normal
        (m, d), unit vector from the first body to the second.
    status
        (m,), 1 hit; 2 overlapping at the start, or after a jump; 3 undecided, which counts as a contact (two
        cylinders always are, once the gap is below 0.13 % of a radius);
        4 cannot say: there is no method for these shapes, and their bounds meet.
    by_kernel
        (m,), True if a kernel answered, in closed steps; False for certified advancement.
    """

    pair: Ints
    time: Floats
    point: Floats
    normal: Floats
    status: Ints
    by_kernel: Bools

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True, eq=False)
class Comparison(_Answer):
    """What another method says about pairs of bodies, beside the exact answer; by pairs.

    Attributes
    ----------
    pair
        (m, 2), bodies that touch, or of which the method says so, or about which it cannot say anything.
    verdict
        (m,), 0 found in the frame of the first contact; 1 missed; 2 a ghost: reported in a frame before the
        first contact, or without any; 3 late: found in a later frame only; 4 the method cannot say.
    time
        (m,), when the frame begins in which the method first sees a contact; NaN for none.
    exact
        (m,), when they first touch; NaN for never.
    """

    pair: Ints
    verdict: Ints
    time: Floats
    exact: Floats

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
        How many pairs of bodies were near enough to be asked; all others are certainly free.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> ball = Body("ball", ougi.Circle([0, 0], 1), (Piece(0.0, 2.0, ougi.Translation2d([9, 0])),))
    >>> report = ougi.check(ougi.Scene((ball, Body("wall", ougi.Aabb2d([6, -1], [7, 1]))), duration=2.0))
    >>> report.hit, report.names(report.contacts), report.contacts.time.round(4).tolist()
    (True, [('ball', 'wall')], [1.1111])
    """

    scene: Scene
    contacts: Touches
    near: Touches
    compared: Comparison | None
    method: str
    margin: float
    pairs: int

    @property
    def hit(self) -> bool:
        """Is there a contact, or a pair that is not certainly free?"""
        return len(self.contacts) > 0

    def names(self, rows: Touches | Comparison) -> list[tuple[str, str]]:
        """The bodies' names."""
        names = [body.name for body in self.scene.bodies]
        return [(names[i], names[j]) for i, j in rows.pair]

    def interval(self, rows: Touches) -> Ints:
        """In which interval between `scene.times` each begins."""
        last = max(len(self.scene.times) - 2, 0)
        number: Ints = (self.scene.times.searchsorted(rows.time, side="right") - 1).clip(0, last)
        return number


__all__ = ["Comparison", "Report", "Touches"]
