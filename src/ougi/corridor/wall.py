"""Walls from segments in any order: closed loops with the inside on their left, or a list of problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import loop
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.broad import candidate_pairs
from ougi.corridor.contact import CORNER, DIRECTION, LENGTH, ROW_COLUMNS, START, STRAIGHT, Wall
from ougi.corridor.junctions import pair_junction_ends
from ougi.corridor.orientation import orientations
from ougi.corridor.tiles import check_grid, place_corners, trace_outlines
from ougi.shapes import Aabb2d, Circle

# Rounding band, as everywhere in ougi: 64 eps * (largest coordinate + size).
_BAND = 64 * 2.0**-52
# Problems of one kind that are listed.
_MAX_LISTED = 8


@dataclass(frozen=True)
class WallProblem:
    """A reason why a wall cannot be used: its kind, the segments, and a sentence.

    >>> import ougi
    >>> try:
    ...     ougi.Corridor([[0, 0], [2, 2], [2, 0], [0, 2]])
    ... except ougi.corridor.WallError as error:
    ...     print(error.report.problems[0].kind, error.report.problems[0].segments)
    crossing (0, 2)
    """

    kind: str  # open, meeting, crossing, folded, zero-length, outside, tolerance
    segments: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class WallReport:
    """How a wall was built from its segments.

    `joined` ends were moved, by no more than the tolerance. `duplicates` were ignored. `flipped` segments
    were reversed, so that the inside is on the left of all.

    >>> import ougi
    >>> print(ougi.Corridor([[0, 0], [0, 3], [4, 3], [4, 0]]).report)
    4 segments in 1 loop, 0 holes, 4 segments reversed
    """

    segments: int
    loops: int = 0
    holes: int = 0
    duplicates: tuple[int, ...] = ()
    joined: int = 0
    flipped: int = 0
    straight: int = 0  # corners at which the wall goes straight on
    shortest: float = 0.0
    longest: float = 0.0
    problems: tuple[WallProblem, ...] = field(default=())

    def __str__(self) -> str:
        loops = "1 loop" if self.loops == 1 else f"{self.loops} loops"
        holes = "1 hole" if self.holes == 1 else f"{self.holes} holes"
        parts = [f"{self.segments:,} segments in {loops}", holes]
        parts += [f"{len(self.duplicates)} duplicates ignored"] if self.duplicates else []
        parts += [f"{self.joined} ends joined"] if self.joined else []
        parts += [f"{self.flipped:,} segments reversed"] if self.flipped else []
        parts += [problem.text for problem in self.problems]
        return ", ".join(parts)


class WallError(ValueError):
    """A wall that cannot be used; `report` lists all its problems.

    >>> import ougi
    >>> try:
    ...     ougi.Corridor([[0, 0], [2, 2], [2, 0], [0, 2]])
    ... except ougi.corridor.WallError as error:
    ...     print(error)
    segments 0 and 2 of the wall cross near (1, 1)
    """

    def __init__(self, report: WallReport) -> None:
        texts = [problem.text for problem in report.problems]
        more = f"; and {len(texts) - 3} more, see error.report.problems" if len(texts) > 3 else ""
        super().__init__("; ".join(texts[:3]) + more)
        self.report = report

    def __reduce__(self) -> tuple[type[WallError], tuple[WallReport]]:
        """Errors may come from another process."""
        return type(self), (self.report,)


class BuiltWall(NamedTuple):
    """A wall, its loops, and the input segment that each of its segments was."""

    wall: Wall
    starts: Ints  # (loops + 1,) where loops begin
    source: Ints
    report: WallReport


def build_from_points(points: ArrayLike, holes: Sequence[ArrayLike]) -> BuiltWall:
    """A loop of corners in order, and holes; segment i leads from corner i to the next."""
    loops = [_check_corners("points", points)]
    loops += [_check_corners(f"holes[{k}]", hole) for k, hole in enumerate(holes)]
    start = np.concatenate(loops)
    end = np.concatenate([np.roll(corners, -1, axis=0) for corners in loops])
    edges = np.cumsum([0, *map(len, loops)])
    n = len(start)
    zero = np.flatnonzero((start == end).all(axis=1))
    if len(zero):
        raise WallError(WallReport(n, problems=_list_zero_length(zero, start)))
    if len(np.unique(start, axis=0)) < n:  # loops touch each other, or themselves, at a corner
        return build_from_segments(np.stack([start, end], axis=1), 0.0)
    built = _build(start, np.arange(n), edges, np.zeros(n, np.bool_), WallReport(n))
    outside = np.flatnonzero(count_enclosing_loops(start, edges)[1:] == 0)
    if len(outside):
        raise WallError(replace(built.report, problems=_list_outside(outside, edges, start)))
    return built


def _list_outside(which: Ints, edges: Ints, start: Floats) -> tuple[WallProblem, ...]:
    first = edges[which + 1]
    return tuple(
        WallProblem(
            "outside",
            (int(i),),
            f"holes[{k}], segments from {i} on, at {_at(start[i])}, is outside of the wall",
        )
        for k, i in zip(which[:_MAX_LISTED], first[:_MAX_LISTED], strict=True)
    )


def _check_corners(name: str, value: ArrayLike) -> Floats:
    corners = _check.vectors(name, value, 2) + 0.0  # no negative zeros: they are equal, but not the same bits
    if corners.ndim != 2 or len(corners) < 3:
        raise ValueError(f"{name} must be at least 3 corners, (n, 2), got an array of shape {corners.shape}")
    if (corners[0] == corners[-1]).all():
        corners = corners[:-1]  # closed by repeating its first corner
    return corners


def build_from_segments(segments: ArrayLike, tol: float) -> BuiltWall:
    """Chain segments (n, 2, 2), in any order and direction."""
    ends = _check.vectors("segments", segments, 2) + 0.0
    if ends.ndim != 3 or ends.shape[1] != 2 or len(ends) < 3:
        raise ValueError(
            f"segments must be at least 3 of them, (n, 2, 2), got an array of shape {ends.shape}"
        )
    n = len(ends)
    zero = np.flatnonzero(np.hypot(*(ends[:, 1] - ends[:, 0]).T) <= tol)
    if len(zero):
        raise WallError(WallReport(n, problems=_list_zero_length(zero, ends[:, 0], tol)))
    vertex, corners, moved = _join_ends(ends.reshape(-1, 2), tol)
    if moved.max() > tol:
        k = int(moved.argmax())
        text = (
            f"the end of segment {k // 2} at {_at(ends[k // 2, k % 2])} would be moved by {moved[k]:.3g}, "
            f"because more ends lie near each other; the tolerance {tol:g} is too large"
        )
        raise WallError(WallReport(n, problems=(WallProblem("tolerance", (k // 2,), text),)))
    joined = int((moved > 0).sum())
    pairs = vertex.reshape(n, 2)
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    _, first = np.unique(low * len(corners) + high, return_index=True)
    is_unique = np.zeros(n, np.bool_)
    is_unique[first] = True
    unique, duplicates = np.flatnonzero(is_unique), tuple(np.flatnonzero(~is_unique).tolist())
    report = WallReport(n, duplicates=duplicates, joined=joined)
    order, turned, edges = _chain_segments(pairs[unique], unique, corners, report)
    start = corners[np.where(turned, pairs[order, 1], pairs[order, 0])]
    return _build(start, order, edges, turned, report)


def build_from_grid(solid: ArrayLike, cell: ArrayLike, origin: ArrayLike) -> BuiltWall:
    """The outlines of free cells of a grid."""
    corners, after = trace_outlines(check_grid(solid))
    n = len(after)
    mate = np.empty(2 * n, np.int64)
    mate[2 * np.arange(n) + 1], mate[2 * after] = 2 * after, 2 * np.arange(n) + 1
    order, turned, edges, loops = follow_loops(mate)
    start = place_corners(corners[order], cell, origin)
    return _build(start, np.arange(n), edges[: loops + 1], turned, WallReport(n))


def _join_ends(ends: Floats, tol: float) -> tuple[Ints, Floats, Floats]:
    """The vertex of each end, the places of the vertices, and how far each end was moved there."""
    keys = ends[:, 0] + 1j * ends[:, 1]
    places, vertex = np.unique(keys, return_inverse=True)
    corners = np.stack([places.real, places.imag], axis=1)
    vertex = vertex.reshape(-1).astype(np.int64)
    if tol == 0:
        return vertex, corners, np.zeros(len(vertex))
    around = {"center": corners.copy(), "radius": np.full(len(corners), tol / 2)}
    near = candidate_pairs(Circle._from_fields((len(corners),), around))
    owner = np.arange(len(corners))
    while True:  # the lowest number spreads through each cluster
        before = owner.copy()
        np.minimum.at(owner, near[:, 1], owner[near[:, 0]])
        np.minimum.at(owner, near[:, 0], owner[near[:, 1]])
        owner = owner[owner]
        if np.array_equal(before, owner):
            break
    return owner[vertex], corners, np.hypot(*(corners[owner[vertex]] - corners[vertex]).T)


def _list_zero_length(which: Ints, where: Floats, tol: float = 0.0) -> tuple[WallProblem, ...]:
    words = "no length" if tol == 0 else f"no length beyond the tolerance {tol:g}"
    return tuple(
        WallProblem("zero-length", (int(k),), f"segment {k} of the wall has {words}, at {_at(where[k])}")
        for k in which[:_MAX_LISTED]
    )


def _at(place: Floats) -> str:
    return f"({place[0]:.6g}, {place[1]:.6g})"


def _chain_segments(
    pairs: Ints, names: Ints, corners: Floats, report: WallReport
) -> tuple[Ints, Bools, Ints]:
    """The order of the segments, which of them are reversed, and where loops begin."""
    ends = pairs.reshape(-1)
    degree = np.bincount(ends, minlength=len(corners))
    by_vertex = np.argsort(ends, kind="stable")
    position = np.concatenate([[0], np.cumsum(degree)])
    mate = np.empty(len(ends), np.int64)
    two = by_vertex[position[:-1][degree == 2][:, None] + [0, 1]]
    mate[two[:, 0]], mate[two[:, 1]] = two[:, 1], two[:, 0]
    bad, kinds = list[int](), list[str]()
    for v in np.flatnonzero((degree != 0) & (degree != 2)).tolist():
        here = by_vertex[position[v] : position[v + 1]]
        paired = None if degree[v] % 2 else pair_junction_ends(v, here, corners, pairs)
        if paired is None:
            bad.append(v)
            kinds.append("open" if degree[v] == 1 else "meeting")
        else:
            first, second = np.array(paired).T
            mate[first], mate[second] = second, first
    if bad:
        where = np.array(bad)
        problems = [
            WallProblem(kind, tuple(names[by_vertex[position[v] : position[v + 1]] // 2].tolist()), "")
            for v, kind in zip(bad[:_MAX_LISTED], kinds, strict=False)
        ]
        texts = [_describe_end(problem, corners, where, k) for k, problem in enumerate(problems)]
        raise WallError(replace(report, problems=tuple(texts)))
    order, turned, edges, loops = follow_loops(mate)
    return names[order], turned, edges[: loops + 1]


def _describe_end(problem: WallProblem, corners: Floats, bad: Ints, k: int) -> WallProblem:
    """A text for an end with no neighbour or too many."""
    place = corners[bad[k]]
    if problem.kind == "meeting":
        named = ", ".join(map(str, problem.segments))
        reason = (
            "their number is odd"
            if len(problem.segments) % 2
            else "the corridor turns by 180 degrees or more"
        )
        text = f"segments {named} of the wall meet at {_at(place)}, and {reason} there"
        return WallProblem("meeting", problem.segments, text)
    distance = np.hypot(*(corners[bad] - place).T)
    distance[k] = np.inf
    gap = float(distance.min())
    advice = f", the nearest other end is {gap:.3g} away; a larger tol would join them"
    text = f"the wall is open: segment {problem.segments[0]} ends alone at {_at(place)}"
    return WallProblem("open", problem.segments, text + (advice if np.isfinite(gap) else ""))


@loop
def follow_loops(mate: Ints) -> tuple[Ints, Bools, Ints, int]:
    """Walk along the loops: end 2 i and 2 i + 1 are those of segment i, `mate` the other end at a vertex."""
    n = len(mate) // 2
    order, turned = np.empty(n, np.int64), np.empty(n, np.bool_)
    visited, edges = np.zeros(n, np.bool_), np.zeros(n + 1, np.int64)
    count, loops = 0, 0
    for first in range(n):
        at = 2 * first
        while not visited[at >> 1]:
            visited[at >> 1] = True
            order[count], turned[count] = at >> 1, at & 1 == 1
            count += 1
            at = mate[at ^ 1]
        if count > edges[loops]:
            loops += 1
            edges[loops] = count
    return order, turned, edges, loops


def _build(start: Floats, source: Ints, edges: Ints, turned: Bools, report: WallReport) -> BuiltWall:
    """Orient loops so that the inside is on the left, check them, and fill the rows of the wall."""
    n = len(start)
    after = np.arange(1, n + 1)
    after[edges[1:] - 1] = edges[:-1]
    problems = _find_crossings(start, after, source)
    if problems:
        raise WallError(replace(report, loops=len(edges) - 1, problems=problems))
    before = np.empty(n, np.int64)
    before[after] = np.arange(n)
    is_hole = count_enclosing_loops(start, edges) % 2 == 1
    wrong = _is_counter_clockwise(start, edges, before, after) == is_hole
    order = np.arange(n)
    for k in np.flatnonzero(wrong):
        order[edges[k] : edges[k + 1]] = order[edges[k] : edges[k + 1]][::-1]
    loop_of = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    # Segment k leads from corner k to the next; reversed, it starts at that one.
    start = np.where(wrong[loop_of][:, None], start[after][order], start)
    source, turned = source[order], turned[order] ^ wrong[loop_of]
    wall = make_wall(start, before, after)
    final = replace(
        report,
        loops=len(edges) - 1,
        holes=int(is_hole.sum()),
        flipped=int(turned.sum()),
        straight=int((np.abs(_turn_sines(wall)) < STRAIGHT).sum()),
        shortest=float(wall.rows[:, LENGTH].min()),
        longest=float(wall.rows[:, LENGTH].max()),
    )
    return BuiltWall(wall, edges, source, final)


def _is_counter_clockwise(start: Floats, edges: Ints, before: Ints, after: Ints) -> Bools:
    """Does each loop run counter-clockwise? Its leftmost corner is convex and decides."""
    lowest = np.array([a + np.lexsort((start[a:b, 1], start[a:b, 0]))[0] for a, b in pairwise(edges)])
    return orientations(start[before[lowest]], start[lowest], start[after[lowest]]) > 0


def make_wall(start: Floats, before: Ints, after: Ints) -> Wall:
    """The rows of a wall whose segment k leads from corner k to corner after[k]."""
    edge = start[after] - start
    length = np.hypot(edge[:, 0], edge[:, 1])
    rows = np.empty((len(start), ROW_COLUMNS))
    rows[:, START], rows[:, DIRECTION], rows[:, LENGTH] = start, edge / length[:, None], length
    extent = float(np.abs(start).max() + np.ptp(start, axis=0).max())
    wall = Wall(rows, _check.frozen(before), _check.frozen(after), _BAND * extent)
    rows[:, CORNER] = _turn_sines(wall) < STRAIGHT
    return wall._replace(rows=_check.frozen(rows))


def _turn_sines(wall: Wall) -> Floats:
    """Sine of the angle by which the wall turns left at the start of each segment; 2 for more than a right
    angle, -2 to the right."""
    u, v = wall.rows[wall.before, DIRECTION], wall.rows[:, DIRECTION]
    sine = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    cosine = (u * v).sum(axis=1)
    return np.where(cosine > 0, sine, np.copysign(2.0, sine))


# --- problems ----------------------------------------------------------------------------------------------


def _find_crossings(start: Floats, after: Ints, source: Ints) -> tuple[WallProblem, ...]:
    """Segments that cross, touch or fold back, exactly."""
    end = start[after]
    pairs = candidate_pairs(Aabb2d(np.minimum(start, end), np.maximum(start, end)))
    i, j = pairs.T
    follows = (after[i] == j) | (after[j] == i)
    problems = []
    for k in np.flatnonzero(_is_folded(start, after))[:_MAX_LISTED]:
        names = (int(source[k]), int(source[after[k]]))
        text = f"segments {names[0]} and {names[1]} of the wall fold back onto each other at {_at(end[k])}"
        problems.append(WallProblem("folded", names, text))
    i, j = i[~follows], j[~follows]
    across = orientations(start[i], end[i], start[j]) * orientations(start[i], end[i], end[j])
    maybe = across <= 0
    i, j = i[maybe], j[maybe]
    back = orientations(start[j], end[j], start[i]) * orientations(start[j], end[j], end[i])
    i, j = i[back <= 0], j[back <= 0]
    only_meet = _only_meet(start, end, i, j)
    i, j = i[~only_meet], j[~only_meet]
    for a, b in zip(i[:_MAX_LISTED], j[:_MAX_LISTED], strict=True):
        names = (int(min(source[a], source[b])), int(max(source[a], source[b])))
        where = (np.maximum(np.minimum(start[a], end[a]), np.minimum(start[b], end[b]))
                 + np.minimum(np.maximum(start[a], end[a]), np.maximum(start[b], end[b]))) / 2  # fmt: skip
        text = f"segments {names[0]} and {names[1]} of the wall cross near {_at(where)}"
        problems.append(WallProblem("crossing", names, text))
    return tuple(problems)


def _only_meet(start: Floats, end: Floats, i: Ints, j: Ints) -> Bools:
    """Do segments i and j have one end in common, and nothing else?"""
    out = np.zeros(len(i), np.bool_)
    for here, there in ((start, end), (end, start)):
        for other, beyond in ((start, end), (end, start)):
            k = np.flatnonzero((here[i] == other[j]).all(axis=1))
            p, a, b = here[i[k]], there[i[k]], beyond[j[k]]
            along = ((a - p) * (b - p)).sum(axis=1) > 0
            out[k] = ~(along & (orientations(p, a, b) == 0))
    return out


def _is_folded(start: Floats, after: Ints) -> Bools:
    """Does the segment behind segment k lead back along it?"""
    end = start[after]
    far = end[after]
    back = ((end - start) * (far - end)).sum(axis=1) < 0
    out = np.zeros(len(start), np.bool_)
    k = np.flatnonzero(back)
    out[k] = orientations(start[k], end[k], far[k]) == 0
    return out


def signed_areas(start: Floats, edges: Ints) -> Floats:
    """The area of each loop, positive if it runs counter-clockwise."""
    out = np.empty(len(edges) - 1)
    for k in range(len(out)):
        x, y = (start[edges[k] : edges[k + 1]] - start[edges[k]]).T
        out[k] = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    return out


def count_enclosing_loops(start: Floats, edges: Ints) -> Ints:
    """How many other loops each loop lies in. A loop in an odd number of others is a hole."""
    loops = len(edges) - 1
    if loops == 1:
        return np.zeros(1, np.int64)
    low, high = np.minimum.reduceat(start, edges[:-1]), np.maximum.reduceat(start, edges[:-1])
    out = np.zeros(loops, np.int64)
    count_loops_around(start, edges, low, high, out)
    return out


@loop
def count_loops_around(start: Floats, edges: Ints, low: Floats, high: Floats, out: Ints) -> None:
    """Count the loops around a point of each loop, by crossings of a ray.

    The point is the middle of its first segment: at corners loops may touch.
    """
    for k in range(len(out)):
        x = (start[edges[k], 0] + start[edges[k] + 1, 0]) / 2
        y = (start[edges[k], 1] + start[edges[k] + 1, 1]) / 2
        for m in range(len(out)):
            if m == k or x < low[m, 0] or x > high[m, 0] or y < low[m, 1] or y > high[m, 1]:
                continue
            odd = False
            j = edges[m + 1] - 1
            for i in range(edges[m], edges[m + 1]):
                if (start[i, 1] > y) != (start[j, 1] > y):
                    share = (y - start[i, 1]) / (start[j, 1] - start[i, 1])
                    if x < start[i, 0] + share * (start[j, 0] - start[i, 0]):
                        odd = not odd
                j = i
            out[k] += odd
