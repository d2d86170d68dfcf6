"""All that the bodies of a scene do, as arrays, and which of it can meet.

A track is one span of one body: a rest, or one motion. Tracks of one class of shape and one class of motion
are a kind, so that pairs of kinds can be asked as whole arrays, over all times at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.broad import candidate_pairs
from ougi.impact.advancement import make_turnable
from ougi.impact.tables import is_cylinder
from ougi.motion import Chain, Motion, Pose
from ougi.scene import Scene
from ougi.shapes import Aabb2d, Aabb3d, Mesh, Sector3d, Shape
from ougi.sweeps._engines import sweep_bounds

# Tracks that begin in one window of time, at least; more in larger scenes. All tracks of a window are
# compared with each other, also those of one body, so long windows cost.
_WINDOW = 256

# First contacts are reported within `tol` of the bodies' size and distance from axes; boxes grow by more.
_ROOM = 8.0

# Pairs of one broad phase. The limit of a check counts the pairs of all of them.
_MAX_PAIRS = 2**62


@dataclass(frozen=True, eq=False)
class Kind:
    """Tracks of one class of shape and motion; a mesh, of which there are no batches, has kinds of its own.

    `pose` leads shapes from where they are at t = 0 to where they are when the track begins.
    """

    shape: Shape
    pose: Pose
    motion: Motion | None

    def shapes(self, index: Ints) -> Any:
        """The shapes of some tracks at t = 0."""
        return self.shape if isinstance(self.shape, Mesh) else self.shape[index]

    def hull(self, index: Ints) -> Any:
        """Convex bodies of one batch that hold the shapes, as they are at t = 0."""
        if not isinstance(self.shape, Mesh):
            return self.shape[index]
        around = self.shape.bounds()._turnable()
        return around._from_fields((len(index),), {name: getattr(around, name) for name in around._fields})

    def cut(self, index: Any, first: Any, last: Any) -> tuple[Any, Motion | None]:
        """The poses of tracks at shares `first` of their ways, and the motions from there to shares `last`.

        Index and shares are arrays, or all single.
        """
        pose = self.pose[index]
        if self.motion is None:
            return pose, None
        motion: Motion = self.motion[index]
        return motion.at(first) @ pose, motion.part(first, last)


class Cuts(NamedTuple):
    """Two tracks during a time that they have in common, one row each, by body pairs and times."""

    a: Ints
    b: Ints
    start: Floats
    stop: Floats

    def taken(self, index: Any) -> Cuts:
        """Some of them."""
        return Cuts(*(column[index] for column in self))


class Ask(NamedTuple):
    """Cuts as a question: two shapes, or batches, and their motions; the first moves if any does."""

    rows: Ints
    swapped: bool  # is the first one the cut's b?
    a: Shape
    motion: Motion | None
    b: Shape
    other: Motion | None


class Tracks:
    """The tracks of all bodies of a scene; every column has one entry for each."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        groups: dict[Any, list[tuple[int, Any]]] = {}
        shapes = [make_turnable(body.shape) for body in scene.bodies]
        spans = [(i, span) for i, body in enumerate(scene.bodies) for span in body.spans(scene.duration)]
        for k, (i, span) in enumerate(spans):
            groups.setdefault((_shape_key(shapes[i], i), _motion_key(span.motion)), []).append((k, span))
        self.body = np.array([i for i, _ in spans], np.int64)
        self.start, self.stop = (
            np.array([getattr(span, name) for _, span in spans], np.float64) for name in ("start", "stop")
        )
        self.jumped = np.array([span.jumped for _, span in spans], np.bool_)
        self.kind, self.local = np.empty(len(spans), np.int64), np.empty(len(spans), np.int64)
        self.kinds: list[Kind] = []
        for members in groups.values():
            rows = [k for k, _ in members]
            self.kind[rows], self.local[rows] = len(self.kinds), np.arange(len(rows))
            self.kinds.append(_kind([shapes[self.body[k]] for k in rows], [span for _, span in members]))
        rests = np.array([not body.moves for body in scene.bodies], np.bool_)
        # Of a pair a body that moves comes first, or else the first in the scene.
        self.rank = self.body + len(scene.bodies) * rests[self.body]
        # Bodies that never move: one test of each pair covers the whole scene.
        self.fixed = rests[self.body]
        self.is_last = np.append(self.body[1:] != self.body[:-1], True)[: len(spans)]
        self.moves = np.array([kind.motion is not None for kind in self.kinds], np.bool_)
        self.turning = self._turning()

    def _turning(self) -> Floats:
        """Turns per second, of chains the sum over all factors."""
        turns = np.zeros(len(self.body))
        for k, kind in enumerate(self.kinds):
            angle = getattr(kind.motion, "angle", None)
            if angle is not None:
                rows = np.flatnonzero(self.kind == k)
                turns[rows] = np.abs(angle).reshape((len(rows), -1)).sum(axis=1) / (2 * np.pi)
        seconds = self.stop - self.start
        return turns / np.where(seconds > 0, seconds, np.inf)

    def candidates(self, boxes: Aabb2d | Aabb3d, first: int = 0, last: int | None = None) -> Cuts:
        """All cuts that are to be checked and not proved free by their `boxes`, in order.

        With `first` and `last` only those of pairs whose first body has a rank in between.
        """
        last = 2 * len(self.scene.bodies) if last is None else last
        own, later = (self.rank >= first) & (self.rank < last), self.rank >= last
        parts = [self._near(boxes, own & self.fixed, later & self.fixed, 0.0, np.inf)]
        # All but the windows in which a body of the block moves are empty.
        for start, stop in self.windows() if (own & ~self.fixed).any() else ():
            active = (self.start < stop) & (self.stop >= start)
            movers = own & active & ~self.fixed
            parts.append(self._near(boxes, movers, later & active & ~self.fixed, start, stop))
            others = np.flatnonzero(self.fixed)
            rows = np.flatnonzero(movers)
            parts.append(self._common(_between(boxes, rows, others), start, stop))
        return self.sort_cuts(parts)

    def _near(self, boxes: Any, own: Bools, later: Bools, start: float, stop: float) -> Cuts:
        """Cuts of tracks among themselves, and with later ones, that begin in a window of time."""
        rows, others = np.flatnonzero(own), np.flatnonzero(later)
        near = rows[candidate_pairs(boxes[rows], sort=False, max_pairs=_MAX_PAIRS)]
        near = np.concatenate([near, _between(boxes, rows, others)])
        return self._common(near, start, stop)

    def sort_cuts(self, parts: list[Cuts]) -> Cuts:
        """All of them, by body pairs and times."""
        cuts = Cuts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        return cuts.taken(np.lexsort((cuts.start, self.pair_codes(cuts))))

    def pair_codes(self, cuts: Cuts) -> Ints:
        """A number for the pair of bodies of each cut, in order of the pairs."""
        codes: Ints = self.body[cuts.a] * np.int64(len(self.scene.bodies)) + self.body[cuts.b]
        return codes

    def asks(self, cuts: Cuts, most: int) -> Iterator[Ask]:
        """The cuts in groups of two kinds, of at most so many rows."""
        n = len(self.kinds)
        rests_first = ~self.moves[self.kind[cuts.a]] & self.moves[self.kind[cuts.b]]
        first, second = np.where(rests_first, (cuts.b, cuts.a), (cuts.a, cuts.b))
        code = (self.kind[first] * n + self.kind[second]) * 2 + rests_first
        for each in np.unique(code):
            rows = np.flatnonzero(code == each)
            kinds = [self.kinds[k] for k in divmod(int(each) // 2, n)]
            for part in self._alike(rows, kinds, first, second, cuts, most):
                sides = [
                    self._side(kind, tracks[part], cuts.start[part], cuts.stop[part])
                    for kind, tracks in zip(kinds, (first, second), strict=True)
                ]
                yield Ask(part, bool(each % 2), *sides[0], *sides[1])

    def _side(self, kind: Kind, tracks: Ints, start: Floats, stop: Floats) -> tuple[Shape, Motion | None]:
        """Shapes of tracks of a kind at `start`, and what they do until `stop`."""
        index: Any = self.local[tracks]
        length = self.stop[tracks] - self.start[tracks]
        safe = np.where(length > 0, length, 1.0)
        first, last = ((t - self.start[tracks]) / safe for t in (start, stop))
        if isinstance(kind.shape, Mesh):  # all rows are of one track and one time
            index, first, last = index[0], first[0], last[0]
        pose, motion = kind.cut(index, first, last)
        moved: Shape = kind.shapes(index).transformed(pose)
        return moved, motion

    def _alike(
        self, rows: Ints, kinds: list[Kind], first: Ints, second: Ints, cuts: Cuts, most: int
    ) -> Iterator[Ints]:
        """Parts of rows that can be asked at once: a mesh has one place and one motion at a time."""
        marks = []
        for kind, tracks in zip(kinds, (first, second), strict=True):
            if isinstance(kind.shape, Mesh):
                marks.append(tracks[rows].astype(np.float64))
                marks += [] if kind.motion is None else [cuts.start[rows], cuts.stop[rows]]
        if marks:
            _, group = np.unique(np.stack(marks), axis=1, return_inverse=True)
            order = np.argsort(group.ravel(), kind="stable")
            parts = np.split(rows[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1)
        else:
            parts = [rows]
        for part in parts:
            yield from (part[k : k + most] for k in range(0, len(part), most))

    def boxes(self, tol: float, margin: float = 0.0, frame: float | None = None) -> Aabb2d | Aabb3d:
        """Boxes around all that the tracks cover, and around rounding and half of the margin.

        With a `frame`, in seconds, also around what the covers of engines may hold that look once per frame.
        """
        d = self.scene.dimension
        lower, upper = np.empty((len(self.body), d)), np.empty((len(self.body), d))
        for k, kind in enumerate(self.kinds):
            rows = np.flatnonzero(self.kind == k)
            body = kind.hull(self.local[rows]).transformed(kind.pose)
            low, high = covered(body, kind.motion)
            reach = np.maximum(np.abs(low), np.abs(high)).max(axis=-1)
            grow = _ROOM * tol * (reach + _axis_distance(kind.motion)) + margin / 2
            if frame is not None and kind.motion is not None:
                grow = grow + _engine_reach(body, kind.motion, frame, self.stop[rows] - self.start[rows])
            lower[rows], upper[rows] = low - grow[:, None], high + grow[:, None]
        return (Aabb2d if d == 2 else Aabb3d)(lower, upper)

    def windows(self) -> Iterator[tuple[float, float]]:
        """Spans of time in which about as many tracks begin."""
        size = max(_WINDOW, 2 * sum(body.moves for body in self.scene.bodies))
        borders = np.unique(np.sort(self.start)[::size])
        yield from zip(borders, np.append(borders, np.inf)[1:], strict=True)

    def _common(self, near: Ints, start: float, stop: float) -> Cuts:
        """Pairs of tracks as cuts: those that begin in a window and are wanted."""
        turn = self.rank[near[:, 0]] > self.rank[near[:, 1]]
        a, b = np.where(turn, near.T[::-1], near.T)
        begin = np.maximum(self.start[a], self.start[b])
        end = np.minimum(np.minimum(self.stop[a], self.stop[b]), self.scene.duration)
        here = (self.body[a] != self.body[b]) & (begin >= start) & (begin < stop)
        # A jump at the end of the scene leads to spans without length, with what is there at the end.
        here &= (begin < end) | ((begin == self.scene.duration) & self.is_last[a] & self.is_last[b])
        cuts = Cuts(a[here], b[here], begin[here], end[here])
        return cuts.taken(self.scene.covers(np.stack([self.body[cuts.a], self.body[cuts.b]], axis=1)))


def _between(boxes: Any, rows: Ints, others: Ints) -> Ints:
    """Candidate pairs of some tracks with others."""
    if not len(rows) or not len(others):
        return np.empty((0, 2), np.int64)
    i, j = candidate_pairs(boxes[rows], boxes[others], sort=False, max_pairs=_MAX_PAIRS).T
    return np.stack([rows[i], others[j]], axis=1)


def covered(body: Any, motion: Motion | None) -> tuple[Floats, Floats]:
    """Corners of boxes around all that bodies cover; of chains, around the ways of balls."""
    if motion is None:
        return body._bounds()  # type: ignore[no-any-return]
    if isinstance(motion, Chain):
        ball = body.bounding_sphere()
        return motion.path_bounds(ball.center, ball.radius)
    return sweep_bounds(body, motion)


def _axis_distance(motion: Motion | None) -> Any:
    """How far away centers of turns lie, at most."""
    center = getattr(motion, "center", None)
    if motion is None or center is None:
        return 0.0
    return np.abs(center).reshape((motion.count, -1)).max(axis=-1)


def _engine_reach(body: Any, motion: Motion, frame: float, seconds: Floats) -> Floats:
    """How far the covers of engines may go beyond what a body covers.

    A sector that encloses the way holds points at the angle of one corner and the radius of another, no
    farther than sqrt(2) diameters. Boxes grown by the speeds reach a frame's way of the middle and the spin
    times half a diagonal, which is at most sqrt(3) radii.
    """
    ball = body.bounding_sphere()
    share = np.minimum(frame / np.where(seconds > 0, seconds, frame), 1.0)
    reach: Floats = 3 * ball.radius + 3 * share * motion.speed_bound(ball.center, ball.radius)
    return reach


def _shape_key(shape: Shape, body: int) -> Any:
    """Equal for shapes that make one batch and are asked alike."""
    if isinstance(shape, Mesh):
        return "mesh", body
    return type(shape).__name__, isinstance(shape, Sector3d) and is_cylinder(shape)


def _motion_key(motion: Motion | None) -> Any:
    """Equal for motions that make one batch."""
    if not isinstance(motion, Chain):
        return type(motion).__name__
    # In the plane every factor of a batch is either a turn or a move.
    moves = tuple(type(factor).__name__ for factor in motion.factors)
    return "Chain", moves


def _kind(shapes: list[Any], spans: list[Any]) -> Kind:
    poses = _stacked([span.pose for span in spans])
    motions = [span.motion for span in spans]
    shape = shapes[0] if isinstance(shapes[0], Mesh) else _stacked(shapes)
    if isinstance(shape, Mesh):
        shape._tree()  # made once; moved meshes take it along
    return Kind(shape, poses, None if motions[0] is None else _stacked(motions))


def _stacked(single: list[Any]) -> Any:
    """A batch of single ones; `concatenate` takes ten times as long for thousands of them."""
    values = {name: np.stack([getattr(one, name) for one in single]) for name in single[0]._fields}
    return single[0]._from_fields((len(single),), values)
