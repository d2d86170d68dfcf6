"""From poses at times to pieces of motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import (
    Chain,
    Motion,
    Pose,
    Rotation2d,
    Rotation3d,
    Screw3d,
    Translation2d,
    Translation3d,
    between,
)
from ougi.scene.model import Piece

# An offset that leans less than this from the axis, as a sine, goes along it: a screw.
_ALONG = 1e-14


# What a body does in a span between two keys.
REST, MOVE, TURN, SCREW, MOVE_AND_TURN = range(5)


class LinearSpans:
    """Motions of frames with straight paths of their origins and even rotations by the smaller angle.

    There is one motion for each span. LINEAR keys of glTF mean the same (lerp and slerp). The motion is a
    screw if the path is parallel to the axis, or if there is no path or no turn. Otherwise it is a rotation
    and a translation.

    Parameters
    ----------
    start, end
        Poses of shape (n,) in space.

    Attributes
    ----------
    code
        (n,) REST, MOVE, TURN, SCREW or MOVE_AND_TURN.

    >>> import ougi
    >>> from ougi.scene.spans import LinearSpans
    >>> spans = LinearSpans(ougi.Pose([[0, 0, 0]]), ougi.Pose([[1, 0, 0]], [0, 0, 0.6, 0.8]))
    >>> spans.motions()
    [Chain(Screw3d(...), Screw3d(...))]
    """

    def __init__(self, start: Pose, end: Pose) -> None:
        zero = np.zeros(3)
        self.start, self.offset = start.position, end.position - start.position
        turn = between(Pose(zero, start.rotation), Pose(zero, end.rotation))
        assert isinstance(turn, Screw3d)
        self.axis, self.angle = turn.axis, turn.angle
        self.along = (self.offset * self.axis).sum(axis=-1)
        across = np.linalg.norm(self.offset - self.along[:, None] * self.axis, axis=-1)
        is_screw = across <= _ALONG * np.linalg.norm(self.offset, axis=-1)
        moves, turns = self.offset.any(axis=-1), self.angle != 0
        code = np.where(moves, np.where(is_screw, SCREW, MOVE_AND_TURN), TURN)
        self.code: Ints = np.where(turns, code, np.where(moves, MOVE, REST))

    def parts(self, code: int, rows: Ints) -> list[Motion]:
        """The motions of spans with one code, parent first, each of the shape of `rows`."""
        start, offset, axis, angle = (each[rows] for each in (self.start, self.offset, self.axis, self.angle))
        if code == REST:
            return []
        if code == SCREW:
            return [Screw3d(start, axis, angle, self.along[rows])]
        moves = [] if code == TURN else [Translation3d(offset)]
        turns = [] if code == MOVE else [Rotation3d(start, axis, angle)]
        return [*moves, *turns]

    def motions(self) -> list[Motion | None]:
        """The motion of each span; None for a rest."""
        return MotionGroups(len(self.code)).extended(self.code, self.parts).motions()


class PlanarSpans:
    """As `LinearSpans`, in the plane and by any angle: arrays (n, 2), (n, 2) and (n,)."""

    def __init__(self, start: Floats, end: Floats, angle: Floats) -> None:
        self.start, self.offset, self.angle = start, end - start, angle

    def motions(self) -> list[Motion | None]:
        """The motion of each span; None for a rest."""
        moves, turns = self.offset.any(axis=-1), self.angle != 0
        code = np.where(turns, np.where(moves, MOVE_AND_TURN, TURN), np.where(moves, MOVE, REST))
        return MotionGroups(len(code)).extended(code, self._parts).motions()

    def _parts(self, code: int, rows: Ints) -> list[Motion]:
        moves = [Translation2d(self.offset[rows])] if code in (MOVE, MOVE_AND_TURN) else []
        turns = [Rotation2d(self.start[rows], self.angle[rows])] if code in (TURN, MOVE_AND_TURN) else []
        return [*moves, *turns]


def combine(parts: Sequence[Motion]) -> Motion | None:
    """Motions at the same time as one; None for no motion."""
    return Chain(*parts) if len(parts) > 1 else parts[0] if parts else None


class MotionGroups:
    """The motions of a body in n spans, with all its parents, in as few batches as possible.

    Spans in which the same parents have motions of the same class are one group. A group has rows, and
    motions with parents first, each a batch.

    >>> import ougi
    >>> from ougi.scene.spans import MotionGroups
    >>> turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], [0.1, 0.2])
    >>> arm = MotionGroups(2).extended([1, 0], lambda code, rows: [turn[rows]] if code else [])
    >>> [motion is None for motion in arm.motions()]
    [False, True]
    """

    def __init__(self, count: int, groups: list[tuple[Ints, tuple[Motion, ...]]] | None = None) -> None:
        self.count = count
        self._groups = [(np.arange(count), ())] if groups is None else groups

    def extended(self, code: Ints, parts: Callable[[int, Ints], Sequence[Motion]]) -> MotionGroups:
        """With the motions of one more node: `parts(code, rows)` returns them for rows with one code."""
        codes, groups = np.asarray(code), []
        for rows, above in self._groups:
            for each in np.unique(codes[rows]).tolist():
                inside = np.flatnonzero(codes[rows] == each)
                inherited = above if len(inside) == len(rows) else tuple(part[inside] for part in above)
                groups.append((rows[inside], (*inherited, *parts(each, rows[inside]))))
        return MotionGroups(self.count, groups)

    def combined(self) -> MotionGroups:
        """With one motion for each group, so that nodes below need not combine it again."""
        groups = [(rows, tuple(filter(None, [combine(parts)]))) for rows, parts in self._groups]
        return MotionGroups(self.count, groups)

    def motions(self) -> list[Motion | None]:
        """The motion of each span; None for a rest."""
        found: list[Motion | None] = [None] * self.count
        for rows, parts in self._groups:
            _scatter(found, rows, combine(parts))
        return found


def _scatter(found: list[Motion | None], rows: Ints, motions: Motion | None) -> None:
    """Put each motion of a batch to its place in a list."""
    if motions is not None:
        for row, motion in zip(rows.tolist(), motions, strict=True):
            found[row] = motion


def build_pieces(times: Sequence[float], motions: Sequence[Motion | None]) -> tuple[Piece, ...]:
    """Pieces of a body with one motion for each span between times; rests are omitted."""
    spans = zip(times[:-1], times[1:], motions, strict=True)
    return tuple(
        Piece(float(start), float(stop), motion) for start, stop, motion in spans if motion is not None
    )
