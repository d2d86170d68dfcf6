"""Bodies without an end beside others: the volumes of half-spaces have infinite corners.

Searches scale volumes into a unit cube, so infinite ones are compared with all others instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ougi import _check
from ougi._typing import Bools, Ints
from ougi.broad.brute import brute
from ougi.broad.volumes import Volumes
from ougi.broad.workspace import Workspace

Search = Callable[[Volumes, Volumes | None, Workspace], Ints]


def run_bounded(search: Search, a: Volumes, b: Volumes | None, workspace: Workspace) -> Ints:
    """The pairs of a search, to which only finite volumes are given. They are sorted if there are others."""
    if _is_bounded(a) and (b is None or _is_bounded(b)):
        return search(a, b, workspace)
    sides = (a,) if b is None else (a, b)
    ends: list[Bools] = [np.asarray(np.isfinite(side.columns).all(axis=0)) for side in sides]
    first = [np.flatnonzero(end) for end in ends]
    found = search(_take(a, ends[0]), None if b is None else _take(b, ends[1]), workspace)
    parts = [np.stack([first[0][found[:, 0]], first[-1][found[:, 1]]], axis=1)]
    open_a = np.flatnonzero(~ends[0])
    near = brute(_take(a, ~ends[0]), a if b is None else b, workspace)
    pairs = np.stack([open_a[near[:, 0]], near[:, 1]], axis=1)
    if b is None:  # two such volumes are listed from either side, and each with itself
        i, j = pairs.T
        pairs = np.sort(pairs[ends[0][j] | (i < j)], axis=1)
    parts.append(pairs)
    if b is not None:
        open_b = np.flatnonzero(~ends[1])
        near = brute(_take(a, ends[0]), _take(b, ~ends[1]), workspace)
        parts.append(np.stack([first[0][near[:, 0]], open_b[near[:, 1]]], axis=1))
    joined = np.concatenate(parts)
    return np.ascontiguousarray(joined[np.lexsort(joined.T[::-1])])


def _is_bounded(volumes: Volumes) -> bool:
    """Are all volumes finite? Balls always are."""
    columns = volumes.columns
    return volumes.balls or not columns.size or bool(columns.min() > -np.inf and columns.max() < np.inf)


def _take(volumes: Volumes, chosen: Bools) -> Volumes:
    return replace(volumes, columns=_check.frozen(np.ascontiguousarray(volumes.columns[:, chosen])))
