"""Spans of bodies, one motion each: where they are, what they sweep over, and when they first touch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Bools, DynamicBatch, FloatLike, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.impact import FirstContacts, Status, hull_table, mixed, sectors
from ougi.impact.contacts import make_free
from ougi.impact.engine import plan, run
from ougi.impact.hull_table import HullTable
from ougi.impact.near_parts import follow_contact, make_moving_parts
from ougi.impact.pairing import resolve_pairs
from ougi.impact.table import BodyTable
from ougi.motion import Chain, Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.query import intersects
from ougi.query.meshes import measure_part_gaps
from ougi.query.queries import separation
from ougi.shapes import (
    Aabb3d,
    HalfSpace,
    Mesh,
    Shape,
)
from ougi.timeline.body_order import compare_bodies
from ougi.timeline.contacts import Contacts, make_contacts
from ougi.timeline.groups import BodyGroup
from ougi.timeline.swept_boxes import TOLERANCE_GROWTH, sweep_boxes

# Pairs of one query: enough that calls cost nothing, so few that progress is visible.
MAX_ROWS = 20_000


class PairQuery(NamedTuple):
    """Pairs of two groups: shapes and motions, the first of which moves if any does.

    `rows` are those of the list of pairs; `swapped` says that the first shape is the second of the list.
    """

    rows: Ints
    swapped: bool
    a: Shape
    motion: Motion | None
    b: Shape
    other: Motion | None


class Timeline:
    """Groups of spans as one list: a row for each span, group after group.

    Attributes
    ----------
    groups
        Those with kernels first; `kernel_count` rows belong to them.
    group, local
        (n,), the group of each row, and where it stands in there.
    start, length, body
        (n,), as in `BodyGroup`.
    table
        The hulls of all rows when their spans begin.
    moves
        (n,), False for spans of rest.
    is_bounded
        False if there is a half-space.
    """

    def __init__(self, groups: Sequence[BodyGroup], dimension: int) -> None:
        self.groups, self.dimension = sorted(groups, key=lambda group: not group.has_kernel), dimension
        counts = [len(group) for group in self.groups]
        none: Ints = np.empty(0, np.int64)
        self.group = np.repeat(np.arange(len(counts)), counts)
        self.local = np.concatenate([none, *(np.arange(count) for count in counts)])
        self.body = np.concatenate([none, *(group.body for group in self.groups)])
        self.start = np.concatenate([np.empty(0), *(group.start for group in self.groups)])
        self.length = np.concatenate([np.empty(0), *(group.length for group in self.groups)])
        self.kernel_count = sum(len(group) for group in self.groups if group.has_kernel)
        self.is_bounded = not any(isinstance(group.shape, HalfSpace) for group in self.groups)
        self._bounded_apart = [
            k
            for k, group in enumerate(self.groups)
            if isinstance(group.shape, HalfSpace) or isinstance(group.motion, Chain)
        ]
        # The hull of a body on a chain stands still in the table.
        motions = [None if isinstance(group.motion, Chain) else group.motion for group in self.groups]
        hulls = [group.hull for group in self.groups]
        self.table = BodyTable.join(list(zip(hulls, motions, strict=True)))
        self.moves = np.repeat([group.motion is not None for group in self.groups], counts).astype(np.bool_)
        self.has_hull = np.repeat([group.has_hull for group in self.groups], counts).astype(np.bool_)

    def exclude_floors(self, pairs: Ints) -> Ints:
        """Pairs of rows without those of two half-spaces at rest: floors and walls meet by design."""
        if self.is_bounded:
            return pairs
        is_open = np.array([isinstance(group.shape, HalfSpace) for group in self.groups], np.bool_)
        rows = is_open[self.group] & ~self.moves
        return pairs[~(rows[pairs[:, 0]] & rows[pairs[:, 1]])]

    @functools.cached_property
    def turns(self) -> Bools:
        """(n,), which rows have motions that turn."""
        turning = [isinstance(group.motion, Rotation2d | Rotation3d | Screw3d) for group in self.groups]
        return np.array(turning, np.bool_)[self.group]

    @functools.cached_property
    def turning_count(self) -> int:
        """How many rows have motions that turn."""
        return int(np.count_nonzero(self.turns))

    @functools.cached_property
    def speed(self) -> Floats:
        """(n,), bounds of the speeds of all points, per second."""
        return np.concatenate([np.empty(0), *(group.speed for group in self.groups)])

    @functools.cached_property
    def hulls(self) -> HullTable:
        """The bodies that can be laid out as hulls, when their spans begin."""
        shapes: list[DynamicBatch] = [
            group.shape if group.pose is None else group.shape.transformed(group.pose)
            for group in self.groups
            if group.has_hull
        ]
        return HullTable.join(shapes, np.ascontiguousarray(self.table.screws[:, self.has_hull]))

    def place(self, start: FloatLike, seconds: FloatLike) -> BodyTable:
        """All rows at `start`, with their motions in the seconds that follow."""
        return self.table.place((start - self.start) / self.length, seconds / self.length)

    def sweep_boxes(
        self, now: BodyTable, end: BodyTable, start: FloatLike, seconds: FloatLike, tol: float
    ) -> Floats:
        """(6, n), corners of boxes around all that the rows sweep over, in seconds from `start` on."""
        step = np.where(seconds > 0, seconds, 1.0) if isinstance(seconds, np.ndarray) else seconds or 1.0
        boxes = sweep_boxes(now, end, (start + seconds - self.start) / step, tol, self.dimension)
        for k in self._bounded_apart:
            group, rows, d = self.groups[k], np.flatnonzero(self.group == k), self.dimension
            is_open = isinstance(group.shape, HalfSpace)
            first, step = (np.broadcast_to(x, self.start.shape)[rows] for x in (start, seconds))
            low, high = (group.open_bounds if is_open else group.path_bounds)(first, step)
            far = np.abs(np.concatenate([low, high], axis=-1))
            far = np.where(np.isfinite(far), far, 0.0).max(axis=-1)
            if isinstance(group.motion, Chain):
                far = far + np.abs(group.motion.center).max(axis=(-1, -2))
            grow = (TOLERANCE_GROWTH * tol * far)[:, None]
            boxes[:d, rows], boxes[3 : 3 + d, rows] = (low - grow).T, (high + grow).T
        return boxes

    # --- pairs of rows ----------------------------------------------------------------------------------

    def iter_queries(self, a: Ints, b: Ints, start: FloatLike, seconds: FloatLike) -> Iterator[PairQuery]:
        """Pairs of rows as queries of two groups, of at most MAX_ROWS pairs each."""
        n = len(self.groups)
        start, seconds = (np.broadcast_to(x, a.shape) for x in (start, seconds))
        first, second, swapped = self._order_pairs(a, b)
        code = (self.group[first] * n + self.group[second]) * 2 + swapped
        for each in np.unique(code):
            rows = np.flatnonzero(code == each)
            groups = [self.groups[k] for k in divmod(int(each) // 2, n)]
            for part in self._split_meshes(rows, groups, first, second, start, seconds):
                sides = [
                    group.during(self.local[chosen[part]], start[part], seconds[part])
                    for group, chosen in zip(groups, (first, second), strict=True)
                ]
                yield PairQuery(part, bool(each % 2), *sides[0], *sides[1])

    def _order_pairs(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Bools]:
        """Pairs of rows in an order that depends on what they are, and which of them change places.

        A body that moves comes before one that rests.
        """
        is_later = np.empty(len(a), np.bool_)
        compare_bodies(self.table, self.start, a.copy(), b.copy(), is_later)
        groups_a, groups_b = self.group[a], self.group[b]
        is_later = np.where(groups_a == groups_b, is_later, groups_a > groups_b)
        swapped: Bools = np.where(self.moves[a] == self.moves[b], is_later, self.moves[b])
        return np.where(swapped, b, a), np.where(swapped, a, b), swapped

    def _split_meshes(
        self, rows: Ints, groups: list[BodyGroup], first: Ints, second: Ints, start: Floats, seconds: Floats
    ) -> Iterator[Ints]:
        """Parts of the rows that make one query: a mesh has one place and one motion at a time."""
        marks = []
        for group, chosen in zip(groups, (first, second), strict=True):
            if group.is_mesh:
                marks.append(chosen[rows].astype(np.float64))
                marks += [] if group.motion is None else [start[rows], seconds[rows]]
        parts = [rows]
        if marks:
            _, number = np.unique(np.stack(marks), axis=1, return_inverse=True)
            order = np.argsort(number.ravel(), kind="stable")
            parts = np.split(rows[order], np.flatnonzero(np.diff(number.ravel()[order])) + 1)
        for part in parts:
            yield from (part[k : k + MAX_ROWS] for k in range(0, len(part), MAX_ROWS))

    def find_first_contacts(
        self,
        a: Ints,
        b: Ints,
        start: FloatLike,
        seconds: FloatLike,
        tol: float,
        margin: float = 0.0,
        progress: Callable[[int], None] | None = None,
        *,
        complete: bool = True,
    ) -> Contacts:
        """When the bodies of pairs of rows first come as near as the margin, within seconds from `start`.

        Without `complete`, points and normals of hulls that overlap at the start are NaN: see `find_nearest`.
        """
        m = len(a)
        start, seconds = np.broadcast_to(start, m), np.broadcast_to(seconds, m)
        found, engine = make_free(m, self.dimension), np.full(m, "", "U11")
        listed, hulls, others = self._split_pairs(a, b)
        for rows in (listed[k : k + MAX_ROWS] for k in range(0, len(listed), MAX_ROWS)):
            bodies, pairs = self.place_pairs(a[rows], b[rows], start[rows], seconds[rows])
            part, _, overlapping = mixed.find_first_contacts(bodies, pairs, tol, margin, self.dimension)
            mixed.write_nearest(overlapping, bodies, part.point, part.normal)
            found.write(rows, part)
            engine[rows] = "kernel"
            if progress is not None:
                progress(len(rows))
        for rows in (hulls[k : k + MAX_ROWS] for k in range(0, len(hulls), MAX_ROWS)):
            first, second, swapped = self._order_pairs(a[rows], b[rows])
            placed = self._list_hulls(first, second, start[rows], seconds[rows])
            part = hull_table.find_first_contacts(self.hulls, *placed, tol, margin, complete=complete)
            part.normal[swapped] = 0.0 - part.normal[swapped]
            found.write(rows, part)
            engine[rows] = "kernel"
            if progress is not None:
                progress(len(rows))
        for query in self.iter_queries(a[others], b[others], start[others], seconds[others]):
            rows = others[query.rows]
            part, engine[rows] = find_by_engine(query, tol, margin)
            found.write(rows, part)
            if progress is not None:
                progress(len(rows))
        time = start + np.where(found.status == Status.FREE, np.nan, found.t * seconds)
        pair = np.stack([self.body[a], self.body[b]], axis=1)
        return make_contacts(found, pair, time, engine)

    def find_nearest(self, a: Ints, b: Ints, time: float) -> tuple[Floats, Floats]:
        """Normals of pairs of rows of hulls at a time, and points on the second, or on the one that rests."""
        first, second, swapped = self._order_pairs(a, b)
        normal, point = hull_table.find_nearest(self.hulls.place(*self._list_hulls(first, second, time, 0.0)))
        normal[swapped] = 0.0 - normal[swapped]
        return normal, point

    def place_pairs(self, a: Ints, b: Ints, start: Floats, seconds: Floats) -> tuple[BodyTable, Ints]:
        """Both sides of pairs of rows, each at its own time, as a table and pairs in there."""
        rows, share, factor = self._list_bodies(a, b, start, seconds)
        m = len(a)
        pairs = np.stack([np.arange(m), np.arange(m, 2 * m)], axis=1)
        return self.table.take(rows).place(share, factor), pairs

    def _list_bodies(
        self, a: Ints, b: Ints, start: FloatLike, seconds: FloatLike
    ) -> tuple[Ints, Floats, Floats]:
        """Both sides of pairs, each at its own time, as rows, shares of motions and factors of these."""
        rows = np.concatenate([a, b])
        length = self.length[rows]
        share = (np.tile(np.broadcast_to(start, a.shape), 2) - self.start[rows]) / length
        return rows, share, np.tile(np.broadcast_to(seconds, a.shape), 2) / length

    def _split_pairs(self, a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
        """Which pairs of rows have kernels, which have the kernel of hulls, and all others."""
        kernel = np.maximum(a, b) < self.kernel_count
        hull = ~kernel & self.has_hull[a] & self.has_hull[b]
        return np.flatnonzero(kernel), np.flatnonzero(hull), np.flatnonzero(~(kernel | hull))

    def _list_hulls(
        self, a: Ints, b: Ints, start: FloatLike, seconds: FloatLike
    ) -> tuple[Ints, Floats, Floats]:
        """As `_list_bodies`, with rows of `hulls`."""
        rows, share, factor = self._list_bodies(a, b, start, seconds)
        return (np.cumsum(self.has_hull) - 1)[rows], share, factor

    def measure_gaps(self, a: Ints, b: Ints, time: Floats) -> tuple[Floats, Bools]:
        """Signed distances of pairs of rows at given times, and are negative ones depths?

        Of meshes it is the depth of two parts that touch, of sectors a lower bound. Where no depth is known,
        as of sectors and half-spaces, it is 0 where they touch, and 1 where they do not.
        """
        gap, has_depth = np.empty(len(a)), np.ones(len(a), np.bool_)
        rows, hulls, others = self._split_pairs(a, b)
        if len(rows):
            bodies, pairs = self.place_pairs(a[rows], b[rows], time[rows], np.zeros(len(rows)))
            gap[rows], has_depth[rows] = mixed.measure_gaps(bodies, pairs, self.dimension)
            others = np.concatenate([others, rows[~has_depth[rows] & (gap[rows] <= 0.0)]])
        if len(hulls):
            placed = self.hulls.place(*self._list_hulls(a[hulls], b[hulls], time[hulls], 0.0))
            gap[hulls] = hull_table.measure_gaps(placed)
        for query in self.iter_queries(a[others], b[others], time[others], 0.0):
            rows = others[query.rows]
            gap[rows], has_depth[rows] = _measure_gaps(query)
        return gap, has_depth

    def follow_contacts(
        self, a: Ints, b: Ints, start: Floats, seconds: Floats, smallest: Floats, max_steps: int
    ) -> tuple[Floats, Ints]:
        """How long pairs of meshes certainly touch from `start` on, and the advances (m,) that it took.

        Advances are longer than `smallest`. It is 0 for other bodies, and where meshes do not overlap.
        """
        lasts, steps = np.zeros(len(a)), np.zeros(len(a), np.int64)
        are_meshes = np.array([group.is_mesh for group in self.groups], np.bool_)[self.group]
        rows = np.flatnonzero(are_meshes[a] & are_meshes[b] & (seconds > 0))
        for query in self.iter_queries(a[rows], b[rows], start[rows], seconds[rows]):
            own = rows[query.rows]
            share, steps[own] = follow_contact(
                make_moving_parts(query.a, 0, query.motion, 0),
                make_moving_parts(query.b, 0, query.other, 0),
                float((smallest[own] / seconds[own]).max()),
                max_steps,
            )
            lasts[own] = share * seconds[own]
        return lasts, steps

    def find_overlaps(self, a: Ints, b: Ints, time: float, tol: float) -> Bools:
        """Which pairs of rows overlap at a time."""
        overlaps = np.empty(len(a), np.bool_)
        hull = self.has_hull[a] & self.has_hull[b]
        rows = np.flatnonzero(hull)
        if len(rows):
            placed = self.hulls.place(*self._list_hulls(a[rows], b[rows], time, 0.0))
            overlaps[rows] = hull_table.find_overlaps(placed)
        others = np.flatnonzero(~hull)
        for query in self.iter_queries(a[others], b[others], time, 0.0):
            overlaps[others[query.rows]] = _find_overlaps(query, tol)
        return overlaps


def find_by_engine(query: PairQuery, tol: float, margin: float) -> tuple[FirstContacts, str]:
    """First contacts of a query, with normals in the order of its list, and the engine's label.

    Pairs without an engine have the status UNSUPPORTED, unless both rest: then an overlap is enough.
    """
    n, dimension = len(query.rows), query.a.dimension
    motion = make_rest(dimension) if query.motion is None else query.motion
    try:
        chosen = plan(query.a, motion, query.b, query.other, margin)
    except UnsupportedPairError:
        found = make_free(n, dimension)
        found.status[:], found.t[:] = Status.UNSUPPORTED, 0.0
        if query.motion is None and margin == 0:
            try:
                overlap = intersects(query.a, query.b)
            except UnsupportedPairError:
                return found, ""
            found.status[:], found.hit[:] = np.where(overlap, Status.OVERLAPPING, Status.FREE), overlap
            return found, "kernel"
        return found, ""
    _, index = resolve_pairs(query.a, motion, query.b, query.other, None)
    found = run(chosen, query.a, motion, query.b, query.other, index, tol, margin)
    if query.swapped:
        np.negative(found.normal, out=found.normal)
    return found, chosen.engine.label


def _find_overlaps(query: PairQuery, tol: float) -> Bools:
    """Which pairs overlap? By the engine of first contacts where no query knows; else none does."""
    try:
        return np.asarray(intersects(query.a, query.b), np.bool_)
    except UnsupportedPairError:
        found, _ = find_by_engine(query, tol, 0.0)
        return found.hit


def _measure_gaps(query: PairQuery) -> tuple[FloatLike, bool]:
    """Signed distances where bodies have depths, else 0 where they touch and 1 where they do not."""
    try:
        if isinstance(query.a, Mesh) or isinstance(query.b, Mesh):
            return measure_part_gaps(query.a, query.b, len(query.rows)), True
        return separation("contacts", query.a, query.b, None)[0], True
    except UnsupportedPairError:
        pass
    if sectors.has_pieces(type(query.a), type(query.b)):
        gap = sectors.measure_gaps(query.a, query.b, 0.0)
        touching = np.flatnonzero(gap <= 0.0)
        gap[touching] = -sectors.measure_depths(query.a[touching], query.b[touching])
        return gap, True
    try:
        return np.where(intersects(query.a, query.b), 0.0, 1.0), False
    except UnsupportedPairError:  # a first contact may be known nevertheless
        return 1.0, False


def make_rest(dimension: int) -> Motion:
    """A motion by nothing."""
    return Translation2d([0.0, 0.0]) if dimension == 2 else Translation3d([0.0, 0.0, 0.0])


def make_boxes(corners: Floats) -> Aabb3d:
    """Boxes of corners (6, n), which are their layout too."""
    boxes = Aabb3d._from_fields((corners.shape[1],), {"lower": corners[:3].T, "upper": corners[3:].T})
    boxes._columns["aabb3d"] = _check.frozen(corners)
    return boxes
