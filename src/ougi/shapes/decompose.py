"""Convex pieces of polygons and of grids of cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.shapes.exact import find_turns


def split_polygon(corners: Floats, holes: Sequence[Floats] = ()) -> list[Floats]:
    """Convex pieces (k, 2), counter-clockwise, of a polygon (n, 2) that may touch itself but not cross.

    Holes are joined to the border by bridges. Ears are clipped, then pieces that are convex together are
    joined. Every decision is exact.
    """
    border = orient_ring(corners)
    before, after = np.roll(border, 1, axis=0), np.roll(border, -1, axis=0)
    bends = find_turns(before, border, after)
    convex = border[bends > 0]
    if not len(holes) and (bends >= 0).all() and len(convex) > 2 and _turns_once(convex):
        return [convex]
    rings = [border, *(orient_ring(hole, f"hole {k}")[::-1] for k, hole in enumerate(holes))]
    _refuse_crossings(rings)
    _refuse_outside(rings)
    pieces = _split_rings(rings) or [
        piece for traced in _trace_rings(rings) for piece in _split_rings(traced)
    ]
    if not _have_area(pieces, rings) or _do_overlap(pieces, rings):
        raise ValueError(
            "a polygon must not cross itself, and its holes must not cross, overlap or leave it; its border "
            f"begins with {border[:4].tolist()}"
        )
    return pieces


def _split_rings(rings: Sequence[Floats]) -> list[Floats]:
    """Convex pieces of a ring with holes; none if they touch in a way that bridges and ears do not know."""
    joined = _join_holes(rings)
    pieces = [joined[piece] for piece in _join_pieces(joined, _clip_ears(joined))]
    return pieces if _have_area(pieces, rings) else []


def _have_area(pieces: Sequence[Floats], rings: Sequence[Floats]) -> bool:
    area, wanted = sum(map(compute_area, pieces)), sum(map(compute_area, rings))
    return bool(pieces) and abs(area - wanted) <= _SAME_AREA * compute_area(rings[0])


def _do_overlap(pieces: Sequence[Floats], rings: Sequence[Floats]) -> bool:
    """Do rings that cross at corners go round a piece several times? Slivers have no middle to test."""
    wide = [piece for piece in pieces if compute_area(piece) > _SAME_AREA * compute_area(rings[0])]
    return bool((compute_winding(rings, np.array([piece.mean(axis=0) for piece in wide])) != 1).any())


# Areas of a polygon and of its pieces agree up to this share.
_SAME_AREA = 1e-9


def orient_ring(corners: Floats, name: str = "a polygon") -> Floats:
    """The corners of a ring, counter-clockwise, without repeated ones."""
    ring: Floats = corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)]
    if len(ring) < 3:
        raise ValueError(f"{name} must have at least three different corners, got {corners.tolist()}")
    if not find_turns(np.roll(ring, 1, axis=0), ring, np.roll(ring, -1, axis=0)).any():
        raise ValueError(f"{name} must have an area, got the corners {corners.tolist()}")
    return ring if compute_area(ring) >= 0.0 else ring[::-1]


def compute_area(ring: Floats) -> float:
    """The signed area of a ring (n, 2); positive if it is counter-clockwise."""
    x, y = (ring - ring[0]).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def compute_winding(rings: Sequence[Floats], points: Floats) -> Ints:
    """How often rings go round points (n, 2), counter-clockwise."""
    winding = np.zeros(len(points), np.int64)
    for ring in rings:
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            rises, falls = (low[1] <= points[:, 1] for low in (a, b))
            crossed = np.flatnonzero(rises != falls)
            turns = find_turns(a, b, points[crossed])
            rises = rises[crossed]
            winding[crossed] += np.where(rises, turns > 0, 0) - np.where(rises, 0, turns < 0)
    return winding


def _list_edges(rings: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Starts and ends of all edges, one ring after the other."""
    return np.concatenate(rings), np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])


def list_border(rings: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Starts and ends of the border that rings bound: their edges, where none runs along another one.

    Where two edges run along each other in opposite directions, the polygon lies on both sides or on none.
    """
    start, end = _list_edges(rings)
    i, j = _list_near_edges(start, end)
    a, b, c, d = start[i], end[i], start[j], end[j]
    along = (find_turns(a, b, c) == 0) & (find_turns(a, b, d) == 0)
    beside: dict[int, list[int]] = {}
    for k, m in zip(i[along].tolist(), j[along].tolist(), strict=True):
        beside.setdefault(k, []).append(m)
        beside.setdefault(m, []).append(k)
    if not beside:
        return start, end
    stretches = []
    for k in range(len(start)):
        others = beside.get(k, [])
        stretches += _cut_edge(start[k], end[k], start[others], end[others])
    cut: Floats = np.array(stretches).reshape((-1, 2, 2))
    return cut[:, 0], cut[:, 1]


def _trace_rings(rings: Sequence[Floats]) -> list[list[Floats]]:
    """Rings of the same polygon that touch themselves and each other at common corners only.

    A list for each part: its border and its holes; none if rings overlap. The border is cut where corners lie
    on it. Wherever several edges begin it is followed with the sharpest turn to the left, so the solid side
    stays together.
    """
    start, end = list_border(rings)
    i, j = _list_near_edges(start, end)
    cuts: list[list[Floats]] = [[a] for a in start]
    for k, m in [*zip(i.tolist(), j.tolist(), strict=True), *zip(j.tolist(), i.tolist(), strict=True)]:
        on = find_turns(start[k], end[k], start[m : m + 1])[0] == 0
        if on and ((start[m] - start[k]) * (start[m] - end[k])).sum() < 0:
            cuts[k].append(start[m])
    after: dict[tuple[float, ...], list[Floats]] = {}
    for a, b, own in zip(start, end, cuts, strict=True):
        path = [*sorted(own, key=lambda p: float(((p - a) * (b - a)).sum())), b]
        for p, q in pairwise(path):
            if (p != q).any():
                after.setdefault(tuple(p.tolist()), []).append(q)
    traced = []
    while after:
        first, ends = next(iter(after.items()))
        begin = p = ends[-1]
        loop = [np.array(first)]
        while True:
            choices = after.get(tuple(p.tolist()), [])
            if not choices:  # rings overlap
                return []
            best = 0
            for n in range(1, len(choices)):
                best = n if _turns_further(loop[-1], p, choices[n], choices[best]) else best
            before, p = p, choices.pop(best)
            if p is begin:
                break
            loop.append(before)
        after = {key: ends for key, ends in after.items() if ends}
        traced.append(np.array(loop))
    borders = sorted((ring for ring in traced if compute_area(ring) > 0), key=compute_area)
    parts = [[border] for border in borders]
    for hole in (ring for ring in traced if compute_area(ring) < 0):
        inside = [k for k, border in enumerate(borders) if compute_winding([border], hole[:1])[0] > 0]
        if inside:
            parts[inside[0]].append(hole)
    return parts


def _turns_further(a: Floats, p: Floats, q: Floats, other: Floats) -> bool:
    """Does the path a p q turn further to the left than the path a p other?"""
    side, other_side = (int(find_turns(a, p, x[None])[0]) for x in (q, other))
    return side > other_side or (side == other_side and int(find_turns(p, other, q[None])[0]) > 0)


def _cut_edge(a: Floats, b: Floats, start: Floats, end: Floats) -> list[tuple[Floats, Floats]]:
    """The stretches of the edge a b along which none of the edges on its line runs in the other direction."""
    axis = int(np.argmax(np.abs(b - a)))
    sense = 1.0 if b[axis] > a[axis] else -1.0
    # An edge that runs back goes from its end to its start in the direction of a b.
    back = sense * start[:, axis] > sense * end[:, axis]
    found = []
    for low, high in sorted(zip(end[back], start[back], strict=True), key=lambda x: sense * x[0][axis]):
        if sense * low[axis] >= sense * b[axis]:
            break
        if sense * low[axis] > sense * a[axis]:
            found.append((a, low))
        if sense * high[axis] > sense * a[axis]:
            a = high
    return [*found, (a, b)] if sense * a[axis] < sense * b[axis] else found


def _list_near_edges(start: Floats, end: Floats) -> tuple[Ints, Ints]:
    """Pairs of edges whose boxes touch."""
    i, j = np.triu_indices(len(start), 1)
    low, high = np.minimum(start, end), np.maximum(start, end)
    near = ((low[i] <= high[j]) & (low[j] <= high[i])).all(axis=1)
    return i[near], j[near]


def _refuse_crossings(rings: Sequence[Floats]) -> None:
    start, end = _list_edges(rings)
    i, j = _list_near_edges(start, end)
    a, b, c, d = start[i], end[i], start[j], end[j]
    crossing = _are_crossing(a, b, c, d)
    if not crossing.any():
        return
    k = int(np.argmax(crossing))
    edges = f"{a[k].tolist()} to {b[k].tolist()} and {c[k].tolist()} to {d[k].tolist()}"
    ring = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    first, second = ring[i[k]], ring[j[k]]
    if first != second:
        names = f"{f'hole {first - 1}' if first else 'its border'} and hole {second - 1}"
        raise ValueError(f"{names} of a polygon must not cross, but their edges from {edges} do")
    remedy = "make several holes of it"
    if first == 0:
        remedy = "make several polygons of it, or use ConvexPolygon2d.from_points for its convex hull"
    name = f"hole {first - 1} of a polygon" if first else "a polygon"
    raise ValueError(f"{name} must not cross itself, but its edges from {edges} cross; {remedy}")


def _are_crossing(a: Floats, b: Floats, c: Floats, d: Floats) -> Bools:
    """Which segments a b and c d cross in their interiors?"""
    sides = find_turns(a, b, c) * find_turns(a, b, d)
    crossing: Bools = (sides < 0) & (find_turns(c, d, a) * find_turns(c, d, b) < 0)
    return crossing


def _refuse_outside(rings: Sequence[Floats]) -> None:
    """Holes must lie in the border, and not in each other; edges do not cross, so one inner point decides."""
    for k, ring in enumerate(rings[1:]):
        middles = (ring + np.roll(ring, -1, axis=0)) / 2
        others = [other for m, other in enumerate(rings) if m != k + 1]
        winding = compute_winding(others, np.concatenate([ring, middles]))
        if (winding < 1).all():
            raise ValueError(f"hole {k} of a polygon must lie in its border and not in other holes")


def _turns_once(corners: Floats) -> bool:
    """Does a polygon whose corners are all convex go round only once?"""
    edges = np.roll(corners, -1, axis=0) - corners
    ahead = np.roll(edges, -1, axis=0)
    turns = np.arctan2(edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0], (edges * ahead).sum(axis=1))
    return bool(turns.sum() < 3 * np.pi)


def _join_holes(rings: Sequence[Floats]) -> Floats:
    """One ring: holes, which are clockwise, are joined to the border by bridges passed in both directions."""
    ring, holes = rings[0], list(rings[1:])
    while holes:
        k, at, m = _find_bridge(ring, holes)
        if k < 0:
            break  # the area of the pieces will differ
        hole = holes.pop(k)
        around = np.roll(hole, -m, axis=0)
        ring = np.concatenate([ring[: at + 1], around, around[:1], ring[at:]])
    return ring


def _find_bridge(ring: Floats, holes: list[Floats]) -> tuple[int, int, int]:
    """A hole, a corner of the ring and one of the hole, between which nothing lies: the shortest, or -1."""
    start, end = _list_edges([ring, *holes])
    own = np.concatenate(holes)
    gaps = np.linalg.norm(ring[:, None] - own, axis=2)
    for flat in np.argsort(gaps, axis=None, kind="stable"):
        at, to = divmod(int(flat), len(own))
        p, q = ring[at], own[to]
        k = int(np.searchsorted(np.cumsum([len(hole) for hole in holes]), to, side="right"))
        m = to - sum(len(hole) for hole in holes[:k])
        if _is_ahead(ring, at, q) and _is_ahead(holes[k], m, p) and _is_free(p, q, start, end):
            return k, at, m
    return -1, -1, -1


def _is_ahead(ring: Floats, at: int, point: Floats) -> bool:
    """Does a point lie in the angle of the polygon at a corner of a ring, or on the corner itself?"""
    corner, before, after = ring[at], ring[at - 1], ring[(at + 1) % len(ring)]
    if (corner == point).all():
        return True
    one, two, bend = find_turns(
        np.stack([before, corner, before]),
        np.stack([corner, after, corner]),
        np.stack([point, point, after]),
    )
    return bool(one > 0 and two > 0) if bend > 0 else bool(one > 0 or two > 0)


def _is_free(p: Floats, q: Floats, start: Floats, end: Floats) -> bool:
    """Does the segment p q touch no edge but at p and q?"""
    if (p == q).all():
        return True
    if _are_crossing(p, q, start, end).any():
        return False
    between = ((start - p) * (start - q)).sum(axis=1) < 0
    if (between & (find_turns(p, q, start) == 0)).any():  # a corner on the bridge
        return False
    inner = [((x - start) * (x - end)).sum(axis=1) < 0 for x in (p, q)]
    touched = [on & (find_turns(start, end, x) == 0) for on, x in zip(inner, (p, q), strict=True)]
    return not (touched[0] | touched[1]).any()


def _clip_ears(corners: Floats) -> list[list[int]]:
    """Triangles, as indices of corners.

    Straight corners are dropped as soon as possible, which makes fewer triangles. If a bridge lies on the
    line of an edge, such a corner may be needed at its other visit. Then all corners are clipped again.
    """
    return _clip_in_order(corners, keep_straight=False) or _clip_in_order(corners, keep_straight=True)


def _clip_in_order(corners: Floats, *, keep_straight: bool) -> list[list[int]]:
    """Triangles, or none if there is no ear; straight corners are dropped at once, or if there is no ear.

    A corner that is no ear is examined again only when its neighbours have changed, or the corner that lay in
    its triangle is gone.
    """
    left = list(range(len(corners)))
    alive = np.ones(len(corners), np.bool_)
    blocked: dict[int, tuple[int, int, int]] = {}  # its neighbours, and what lies in the triangle
    pieces = []
    while len(left) > 2:
        straight = -1
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            known = blocked.get(j)
            if known is not None and known[:2] == (i, m) and alive[known[2]]:
                continue
            bend = _orient(corners, i, j, m)
            if bend == 0 and keep_straight:
                straight = k
                continue
            inner = j if bend < 0 else _find_inner(corners, alive, i, j, m) if bend > 0 else -1
            if inner < 0:
                break
            blocked[j] = i, m, inner
        else:
            if straight < 0:
                return []
            k, bend = straight, 0
        if bend:
            pieces.append([left[k - 1], left[k], left[(k + 1) % len(left)]])
        alive[left.pop(k)] = False
    return pieces


def _orient(corners: Floats, i: int, j: int, m: int) -> int:
    return int(find_turns(corners[i], corners[j], corners[m : m + 1])[0])


def _find_inner(corners: Floats, alive: Bools, i: int, j: int, m: int) -> int:
    """Another corner in the triangle, or -1."""
    triangle = corners[[i, j, m]]
    inside = alive.copy()
    inside[[i, j, m]] = False
    inside &= ((corners >= triangle.min(axis=0)) & (corners <= triangle.max(axis=0))).all(axis=1)
    others = np.flatnonzero(inside)
    others = others[~(corners[others][:, None] == triangle).all(axis=2).any(axis=1)]
    for k in range(3):
        others = others[find_turns(triangle[k], triangle[(k + 1) % 3], corners[others]) >= 0]
    return int(others[0]) if len(others) else -1


def _join_pieces(corners: Floats, pieces: list[list[int]]) -> list[list[int]]:
    """Join pieces over common edges as long as they are convex together: each with the first that fits."""
    owner = {edge: k for k, piece in enumerate(pieces) for edge in _list_sides(piece)}
    joined: list[list[int]] = []
    gone: set[int] = set()
    for k, piece in enumerate(pieces):
        if k in gone:
            continue
        refused: set[tuple[int, ...]] = set()
        found: list[int] = piece
        while found:
            piece, found = found, []
            # Neighbours, each with the place of the first common edge.
            beside: dict[int, int] = {}
            for at, (start, end) in enumerate(_list_sides(piece)):
                other = owner.get((end, start), -1)
                if other > k and other not in gone:
                    beside.setdefault(other, at)
            for other, at in sorted(beside.items()):
                around = (
                    piece[at - 1],
                    piece[at],
                    piece[(at + 1) % len(piece)],
                    piece[(at + 2) % len(piece)],
                )
                if (other, *around) in refused:
                    continue
                if found := _join(corners, piece, at, pieces[other]):
                    gone.add(other)
                    break
                refused.add((other, *around))
        joined.append(piece)
    return joined


def _list_sides(piece: list[int]) -> list[tuple[int, int]]:
    return list(zip(piece, piece[1:] + piece[:1], strict=True))


def _join(corners: Floats, a: list[int], k: int, b: list[int]) -> list[int]:
    """Two convex pieces as one over the side k of a; empty if they are not convex together."""
    start, end = a[k], a[(k + 1) % len(a)]
    at = b.index(end)
    inner = [b[(at + 1 + s) % len(b)] for s in range(1, len(b) - 1)]
    # Only at the ends of the common side the corners have changed.
    first, second = (
        _orient(corners, a[k - 1], start, inner[0]),
        _orient(corners, inner[-1], end, a[(k + 2) % len(a)]),
    )
    return [*a[: k + 1], *inner, *a[k + 1 :]] if first >= 0 and second >= 0 else []


def split_grid(solid: Bools) -> Ints:
    """Rectangles (n, 4) of solid cells: first column and row, and the column and row after the last.

    Runs of cells are joined with equal runs of the row before.
    """
    edges = np.diff(solid.astype(np.int8), axis=1, prepend=0, append=0)
    rows, columns = (each.tolist() for each in np.nonzero(edges))
    runs: list[list[tuple[int, int]]] = [[] for _ in range(len(solid) + 1)]
    for row, first, last in zip(rows[::2], columns[::2], columns[1::2], strict=True):
        runs[row].append((first, last))
    open_runs: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int, int, int]] = []
    for row, here in enumerate(runs):
        for first, last in [run for run in open_runs if run not in here]:
            found.append((first, open_runs.pop((first, last)), last, row))
        for run in here:
            open_runs.setdefault(run, row)
    return np.array(found, np.int64).reshape(-1, 4)
