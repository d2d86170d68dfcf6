"""The spans of a scene's bodies, and when two of them can meet.

A span is a rest or one motion of one body. Candidate pairs are found in windows of time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ougi._typing import Bools, DynamicBatch, Floats, Index, Ints
from ougi.broad import candidate_pairs
from ougi.impact.advancement import make_turnable
from ougi.impact.table import BodyTable
from ougi.impact.tables import is_cylinder
from ougi.motion import Chain, Motion
from ougi.query.trees import get_tree
from ougi.shapes import Aabb3d, Mesh, Sector3d, Shape
from ougi.timeline.groups import BodyGroup
from ougi.timeline.timeline import Timeline, make_boxes

if TYPE_CHECKING:
    from ougi.scene import Scene

# Spans that begin in one window of time, at least; more in larger scenes. All spans of a window are compared
# with each other, also those of one body, so long windows cost.
_WINDOW = 256

# Pairs of one broad phase. The limit of a check counts the pairs of all of them.
_MAX_PAIRS = 2**62


class PairSpans(NamedTuple):
    """Two spans, as rows of a timeline, during a time that they have in common; by body pairs and times."""

    a: Ints
    b: Ints
    start: Floats
    stop: Floats

    @property
    def seconds(self) -> Floats:
        """How long each lasts."""
        return self.stop - self.start

    def take(self, index: Index) -> PairSpans:
        """A subset of the rows."""
        return PairSpans(self.a[index], self.b[index], self.start[index], self.stop[index])

    @classmethod
    def join(cls, parts: list[PairSpans]) -> PairSpans:
        """The rows of all parts."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class SceneSpans(Timeline):
    """The spans of all bodies of a scene; further columns have one entry for each."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        shapes = [make_turnable(body.shape) for body in scene.bodies]
        spans = [(i, span) for i, body in enumerate(scene.bodies) for span in body.spans(scene.duration)]
        alike: dict[object, list[int]] = {}
        for k, (i, span) in enumerate(spans):
            alike.setdefault((_get_shape_key(shapes[i], i), _get_motion_key(span.motion)), []).append(k)
        pairs = [
            (_make_group([(shapes[spans[k][0]], *spans[k]) for k in members]), members)
            for members in alike.values()
        ]
        pairs.sort(key=lambda pair: not pair[0].has_kernel)
        super().__init__([group for group, _ in pairs], scene.dimension)
        number = np.array([k for _, members in pairs for k in members], np.int64)
        bodies = np.array([i for i, _ in spans], np.int64)
        self.stop = np.array([span.stop for _, span in spans], np.float64)[number]
        self.jumped = np.array([span.jumped for _, span in spans], np.bool_)[number]
        self.is_last = np.append(bodies[1:] != bodies[:-1], True)[: len(spans)][number]
        rests = np.array([not body.moves for body in scene.bodies], np.bool_)
        # Bodies that never move: one test of each pair covers the whole scene.
        self.fixed = rests[self.body]
        # Of a pair a body that moves comes first, or else the first in the scene.
        self.rank = self.body + len(scene.bodies) * self.fixed

    @property
    def turning(self) -> Floats:
        """(n,), turns per second, of chains the sum over all factors."""
        turns = np.zeros(len(self.body))
        for k, group in enumerate(self.groups):
            angle = getattr(group.motion, "angle", None)
            if angle is not None:
                turns[self.group == k] = np.abs(angle).reshape((len(group), -1)).sum(axis=1) / (2 * np.pi)
        return np.asarray(turns / self.length)

    def make_boxes(self, tol: float, margin: float = 0.0, frame: float | None = None) -> Aabb3d:
        """Boxes around all that the spans sweep over, around rounding and half of the margin.

        With a `frame`, in seconds, also around what methods may cover that test once per frame. A sector that
        encloses a path holds points at the angle of one corner and the radius of another, no farther than
        sqrt(2) diameters. Boxes grown by speeds reach as far as the middle moves in a frame, and the spin
        times half a diagonal, which is at most sqrt(3) radii.
        """
        ones = np.ones(len(self.body))
        end: BodyTable = self.table.place(ones, ones)
        corners = self.sweep_boxes(self.table, end, self.start, self.length, tol)
        grow = np.full(len(self.body), margin / 2)
        if frame is not None:
            radius = np.concatenate([np.empty(0), *(g.hull._bounding_sphere()[1] for g in self.groups)])
            grow += self.moves * 3 * (radius + self.speed * np.minimum(frame, self.length))
        corners[: self.dimension] -= grow
        corners[3 : 3 + self.dimension] += grow
        return make_boxes(corners)

    def find_candidates(self, boxes: Aabb3d, first: int = 0, last: int | None = None) -> PairSpans:
        """All pairs of spans that are to be checked and that their boxes do not prove to be free, in order.

        With `first` and `last` only pairs whose first body has a rank in between.
        """
        last = 2 * len(self.scene.bodies) if last is None else last
        own, later = (self.rank >= first) & (self.rank < last), self.rank >= last
        parts = [self._find_near(boxes, own & self.fixed, later & self.fixed, 0.0, np.inf)]
        # All but the windows in which a body of the block moves are empty.
        for start, stop in self.iter_windows() if (own & ~self.fixed).any() else ():
            active = (self.start < stop) & (self.stop >= start)
            movers = own & active & ~self.fixed
            parts.append(self._find_near(boxes, movers, later & active & ~self.fixed, start, stop))
            near = _find_between(boxes, np.flatnonzero(movers), np.flatnonzero(self.fixed))
            parts.append(self._find_common(near, start, stop))
        return self.sort_pairs(parts)

    def _find_near(
        self, boxes: DynamicBatch, own: Bools, later: Bools, start: float, stop: float
    ) -> PairSpans:
        """Pairs of spans among themselves, and with later ones, that begin in a window of time."""
        rows, others = np.flatnonzero(own), np.flatnonzero(later)
        near = rows[candidate_pairs(boxes[rows], sort=False, max_pairs=_MAX_PAIRS)]
        near = np.concatenate([near, _find_between(boxes, rows, others)])
        return self._find_common(near, start, stop)

    def _find_common(self, near: Ints, start: float, stop: float) -> PairSpans:
        """Pairs of spans with a time in common that begins in a window, and that are to be checked."""
        flip = self.rank[near[:, 0]] > self.rank[near[:, 1]]
        a, b = np.where(flip, near.T[::-1], near.T)
        begin = np.maximum(self.start[a], self.start[b])
        end = np.minimum(np.minimum(self.stop[a], self.stop[b]), self.scene.duration)
        here = (self.body[a] != self.body[b]) & (begin >= start) & (begin < stop)
        # A jump at the end of the scene leads to spans without length, with what is there at the end.
        here &= (begin < end) | ((begin == self.scene.duration) & self.is_last[a] & self.is_last[b])
        pairs = PairSpans(a[here], b[here], begin[here], end[here])
        return pairs.take(self.scene.covers(self.get_bodies(pairs)))

    def iter_windows(self) -> Iterator[tuple[float, float]]:
        """Windows of time in which about as many spans begin."""
        size = max(_WINDOW, 2 * sum(body.moves for body in self.scene.bodies))
        borders = np.unique(np.sort(self.start)[::size])
        yield from zip(borders, np.append(borders, np.inf)[1:], strict=True)

    def sort_pairs(self, parts: list[PairSpans]) -> PairSpans:
        """All of them, by body pairs and times."""
        pairs = PairSpans.join(parts)
        return pairs.take(np.lexsort((pairs.start, self.get_codes(pairs))))

    def get_bodies(self, pairs: PairSpans) -> Ints:
        """(m, 2), the bodies of pairs."""
        return np.stack([self.body[pairs.a], self.body[pairs.b]], axis=1)

    def get_codes(self, pairs: PairSpans) -> Ints:
        """(m,), the two bodies as a single number, in order of the pairs."""
        codes: Ints = self.body[pairs.a] * np.int64(len(self.scene.bodies)) + self.body[pairs.b]
        return codes

    def get_moves(self, pairs: PairSpans) -> Bools:
        """(m,), does one of the two move?"""
        return self.moves[pairs.a] | self.moves[pairs.b]

    def get_jumps(self, pairs: PairSpans) -> Bools:
        """(m,), does one of the two arrive by a jump when the common time begins?"""
        jumps = (self.jumped[rows] & (self.start[rows] == pairs.start) for rows in (pairs.a, pairs.b))
        return np.asarray(np.logical_or(*jumps), np.bool_)


def _find_between(boxes: DynamicBatch, rows: Ints, others: Ints) -> Ints:
    """Candidate pairs of spans with others."""
    if not len(rows) or not len(others):
        return np.empty((0, 2), np.int64)
    i, j = candidate_pairs(boxes[rows], boxes[others], sort=False, max_pairs=_MAX_PAIRS).T
    return np.stack([rows[i], others[j]], axis=1)


def _get_shape_key(shape: Shape, body: int) -> object:
    """Equal for shapes that make one batch and have the same engines."""
    if isinstance(shape, Mesh):
        return "mesh", body
    return type(shape).__name__, isinstance(shape, Sector3d) and is_cylinder(shape)


def _get_motion_key(motion: Motion | None) -> object:
    """Equal for motions that make one batch."""
    if not isinstance(motion, Chain):
        return type(motion).__name__
    # In the plane every factor of a batch is either a turn or a move.
    return "Chain", tuple(type(factor).__name__ for factor in motion.factors)


def _make_group(members: list[tuple[Shape, int, DynamicBatch]]) -> BodyGroup:
    """Spans of one key, given as shapes, bodies and spans."""
    shapes, bodies, spans = zip(*members, strict=True)
    if isinstance(shapes[0], Mesh):
        get_tree(shapes[0])  # refuses a mesh without faces; moved meshes share it
    start = np.array([span.start for span in spans], np.float64)
    length = np.array([span.stop for span in spans], np.float64) - start
    bits = np.ones(len(spans), np.int64)
    return BodyGroup(
        shape=shapes[0] if isinstance(shapes[0], Mesh) else _stack(shapes),
        motion=None if spans[0].motion is None else _stack([span.motion for span in spans]),
        start=start,
        length=np.where(length > 0, length, 1.0),
        body=np.array(bodies, np.int64),
        group=bits,
        mask=bits,
        pose=_stack([span.pose for span in spans]),
    )


def _stack(single: Sequence[DynamicBatch]) -> DynamicBatch:
    """A batch of single ones; `concatenate` takes ten times as long for thousands of them."""
    values = {name: np.stack([getattr(one, name) for one in single]) for name in single[0]._fields}
    return single[0]._from_fields((len(single),), values)
