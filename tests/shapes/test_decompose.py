"""Pieces of polygons are those of the plain procedure, which examines every corner and pair again."""

from __future__ import annotations

import numpy as np
import pytest

from ougi._typing import Floats
from ougi.shapes import decompose
from ougi.shapes.exact import find_turns


def clip_plainly(corners: Floats) -> list[list[int]]:
    """Cut off the first ear, again and again."""
    left, pieces = list(range(len(corners))), []
    while len(left) > 2:
        for k, j in enumerate(left):
            i, m = left[k - 1], left[(k + 1) % len(left)]
            bend = find_turns(corners[i], corners[j], corners[m : m + 1])[0]
            others = corners[[n for n in left if n not in (i, j, m)]]
            inside = ~(others[:, None] == corners[[i, j, m]]).all(axis=2).any(axis=1)
            for p, q in ((i, j), (j, m), (m, i)):
                inside &= find_turns(corners[p], corners[q], others) >= 0
            if bend == 0 or (bend > 0 and not inside.any()):
                break
        else:
            raise ValueError("crosses itself")
        if bend:
            pieces.append([i, j, m])
        left.pop(k)
    return pieces


def join_plainly(corners: Floats, pieces: list[list[int]]) -> list[list[int]]:
    """Join each piece with the first later one that makes a convex piece."""
    k = 0
    while k < len(pieces):
        for m in range(k + 1, len(pieces)):
            if joined := join_two(corners, pieces[k], pieces[m]):
                pieces[k] = joined
                pieces.pop(m)
                break
        else:
            k += 1
    return pieces


def join_two(corners: Floats, a: list[int], b: list[int]) -> list[int]:
    for k, start in enumerate(a):
        end = a[(k + 1) % len(a)]
        for at, other in enumerate(b):
            if other == end and b[(at + 1) % len(b)] == start:
                inner = [b[(at + 1 + s) % len(b)] for s in range(1, len(b) - 1)]
                joined = [*a[: k + 1], *inner, *a[k + 1 :]]
                before, after = np.roll(joined, 1), np.roll(joined, -1)
                convex = find_turns(corners[before], corners[joined], corners[after]) >= 0
                return joined if convex.all() else []
    return []


@pytest.mark.plain
@pytest.mark.parametrize("seed", range(60))
def test_pieces_are_those_of_the_plain_procedure(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    angle = np.sort(rng.uniform(0, 2 * np.pi, n))
    border = np.stack([np.cos(angle), np.sin(angle)], axis=1) * rng.uniform(0.3, 2, (n, 1))
    if seed % 3 == 0:
        border = np.round(border * 4) / 4  # straight and repeated corners, and crossings
    holes = [np.array([[0.01, 0.01], [0.03, 0.01], [0.02, 0.03]])] if seed % 4 == 0 else []
    found = []
    for clip, join in (
        (decompose._clip_ears, decompose._join_pieces),
        (clip_plainly, join_plainly),
    ):
        monkeypatch.setattr(decompose, "_clip_ears", clip)
        monkeypatch.setattr(decompose, "_join_pieces", join)
        try:
            found.append([piece.tolist() for piece in decompose.split_polygon(border, holes)])
        except ValueError as error:
            found.append([[str(error)[:30]]])
    assert found[0] == found[1]


def test_a_star_of_two_thousand_corners_is_divided() -> None:
    angle = np.linspace(0, 2 * np.pi, 2000, endpoint=False)
    star = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (1 + 0.5 * (np.arange(2000) % 2))[:, None]
    pieces = decompose.split_polygon(star)
    assert len(pieces) < 1100
    areas = [decompose.compute_area(piece) for piece in pieces]
    assert min(areas) > 0
    assert sum(areas) == pytest.approx(decompose.compute_area(star))
