"""Convex pieces of polygons and of grids of cells."""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.corridor.orientation import orientations


def split_polygon(corners: Floats) -> list[Floats]:
    """Convex pieces (k, 2), counter-clockwise, of a polygon (n, 2) that may touch itself but not cross.

    Ears are clipped, then pieces that are convex together are joined. Every decision is exact.
    """
    distinct = corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)]
    n = len(distinct)
    if n < 3:
        raise ValueError(f"a polygon must have at least three different corners, got {corners.tolist()}")
    x, y = (distinct - distinct[0]).T
    area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    if area < 0.0:
        distinct = distinct[::-1]
    before, after = np.roll(distinct, 1, axis=0), np.roll(distinct, -1, axis=0)
    bends = orientations(before, distinct, after)
    if not bends.any():
        raise ValueError(f"a polygon must have an area, got the corners {corners.tolist()}")
    if (bends >= 0).all() and _turns_once(distinct[bends > 0]):
        return [distinct[bends > 0]]
    _refuse_crossings(distinct)
    return [distinct[piece] for piece in _join_pieces(distinct, _clip_ears(distinct))]


def _refuse_crossings(corners: Floats) -> None:
    ends = np.roll(corners, -1, axis=0)
    i, j = np.triu_indices(len(corners), 2)
    a, b, c, d = corners[i], ends[i], corners[j], ends[j]
    sides = orientations(a, b, c) * orientations(a, b, d)
    crossing = (sides < 0) & (orientations(c, d, a) * orientations(c, d, b) < 0)
    if crossing.any():
        k = int(np.argmax(crossing))
        raise ValueError(
            f"a polygon must not cross itself, but its edges {i[k]} and {j[k]} cross: {corners.tolist()}"
        )


def _turns_once(corners: Floats) -> bool:
    """Does a polygon whose corners are all convex go round only once?"""
    edges = np.roll(corners, -1, axis=0) - corners
    ahead = np.roll(edges, -1, axis=0)
    turns = np.arctan2(edges[:, 0] * ahead[:, 1] - edges[:, 1] * ahead[:, 0], (edges * ahead).sum(axis=1))
    return bool(turns.sum() < 3 * np.pi)


def _clip_ears(corners: Floats) -> list[list[int]]:
    """Triangles, as indices of corners."""
    left = list(range(len(corners)))
    pieces = []
    while len(left) > 2:
        for k in range(len(left)):
            i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
            bend = _orient(corners, i, j, m)
            if bend == 0 or (bend > 0 and _is_ear(corners, left, i, j, m)):
                break
        else:
            raise ValueError(f"a polygon must not cross itself, got the corners {corners.tolist()}")
        if bend:
            pieces.append([i, j, m])
        left.pop(k)
    return pieces


def _orient(corners: Floats, i: int, j: int, m: int) -> int:
    return int(orientations(corners[i : i + 1], corners[j : j + 1], corners[m : m + 1])[0])


def _is_ear(corners: Floats, left: list[int], i: int, j: int, m: int) -> bool:
    """Does no other corner lie in the triangle?"""
    triangle = corners[[i, j, m]]
    others = corners[[n for n in left if n not in (i, j, m)]]
    others = others[~(others[:, None] == triangle).all(axis=2).any(axis=1)]
    inside: Bools = np.ones(len(others), np.bool_)
    for k in range(3):
        start, end = (np.broadcast_to(triangle[(k + s) % 3], others.shape) for s in (0, 1))
        inside &= orientations(start, end, others) >= 0
    return not inside.any()


def _join_pieces(corners: Floats, pieces: list[list[int]]) -> list[list[int]]:
    """Join pieces over common edges as long as they are convex together."""
    k = 0
    while k < len(pieces):
        other = next((m for m in range(k + 1, len(pieces)) if _join(corners, pieces[k], pieces[m])), None)
        if other is None:
            k += 1
        else:
            pieces[k] = _join(corners, pieces[k], pieces.pop(other))
    return pieces


def _join(corners: Floats, a: list[int], b: list[int]) -> list[int]:
    """Two pieces as one; empty if they have no common edge or are not convex together."""
    for k, start in enumerate(a):
        end = a[(k + 1) % len(a)]
        if start not in b or end not in b:
            continue
        at = b.index(end)
        if b[(at + 1) % len(b)] != start:
            continue
        joined = [*a[: k + 1], *(b[(at + 1 + s) % len(b)] for s in range(1, len(b) - 1)), *a[k + 1 :]]
        before, after = np.roll(joined, 1), np.roll(joined, -1)
        bends = orientations(corners[before], corners[joined], corners[after])
        return joined if (bends >= 0).all() else []
    return []


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
