"""Candidate pairs on a GPU: volumes in, index pairs out; nothing goes through the host."""

from __future__ import annotations

from typing import get_args

import numpy as np

from ougi import _check
from ougi._typing import Array, DeviceArray, Ints, Stream
from ougi.broad.workspace import MAX_PAIRS
from ougi.cuda._grid import grid_search
from ougi.cuda._scene import build_scene
from ougi.cuda._tree import tree_search
from ougi.cuda._workspace import DeviceWorkspace, Search
from ougi.cuda.batches import DeviceBatch, DeviceOperand, as_device_batch, require_same_device
from ougi.cuda.driver import as_stream, empty, to_numpy
from ougi.cuda.query import QueryResult, ResultPlace
from ougi.shapes import Shape

__all__ = ["PairFinder", "candidate_pairs"]

METHODS: dict[str, Search] = {"grid": grid_search, "tree": tree_search}


class PairFinder:
    """Finds candidate pairs on the GPU, frame after frame, in memory that it keeps.

    Fastest for one batch that keeps its place on the GPU while its numbers change (`from_columns`).

    Parameters
    ----------
    method
        As in `candidate_pairs`.
    max_pairs
        More pairs than this raise an error that states their number.

    >>> import ougi, ougi.cuda
    >>> finder = ougi.cuda.PairFinder()
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1))
    >>> finder.pairs(balls, result="numpy").tolist()
    [[0, 1]]
    """

    def __init__(self, method: str = "grid", *, max_pairs: int = MAX_PAIRS) -> None:
        _check.require_choice("method", method, METHODS)
        self._method = METHODS[method]
        self._workspace = DeviceWorkspace(_check.whole_number("max_pairs", max_pairs))

    def pairs(
        self,
        a: DeviceOperand,
        b: DeviceOperand | None = None,
        *,
        stream: Stream = None,
        result: ResultPlace = "device",
    ) -> QueryResult:
        """As `candidate_pairs`; the next call overwrites a result on the device."""
        _check.require_choice("result", result, get_args(ResultPlace))
        first = _as_bodies("a", a)
        second = None if b is None else _as_bodies("b", b)
        require_same_device(("a", first), *([] if second is None else [("b", second)]))
        if second is not None and first.kind.dimension != second.kind.dimension:  # type: ignore[attr-defined]
            raise ValueError(
                f"a and b must be of one dimension, got a {first.kind.__name__} and a {second.kind.__name__}"
            )
        on = as_stream(stream)
        found = self._find(first, second, on)
        return found if result == "device" else _sort_pairs(to_numpy(found, on))

    def _find(self, a: DeviceBatch, b: DeviceBatch | None, stream: Stream) -> DeviceArray:
        if a.count < 2 if b is None else not a.count * b.count:
            return empty((0, 2), np.int32, stream)
        return self._workspace.search(build_scene(a, b, stream), self._method, stream)


def candidate_pairs(
    a: DeviceOperand,
    b: DeviceOperand | None = None,
    *,
    method: str = "grid",
    max_pairs: int = MAX_PAIRS,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> QueryResult:
    """Find the pairs of `ougi.candidate_pairs` on the GPU.

    Parameters
    ----------
    a, b
        Batches on the GPU. Of `from_columns` these can be spheres and axis-aligned boxes; the bounds of other
        shapes are computed on the host when they are first needed.
    method
        `grid` sorts into cells, for equal sizes. `tree` builds a tree of boxes, for mixed sizes and clusters.
    max_pairs
        More pairs than this raise an error that states their number.
    stream, result
        As in `ougi.cuda.intersects`. On the device pairs come in any order; NumPy's are sorted.

    Returns
    -------
    (m, 2) indices. For one batch each pair once, with i < j; for two, i is an index of a and j of b. On the
    device they are 32-bit integers, as `pairs=` of the other queries takes them.

    >>> import ougi, ougi.cuda
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1))
    >>> ougi.cuda.candidate_pairs(balls, result="numpy").tolist()
    [[0, 1]]
    """
    return PairFinder(method, max_pairs=max_pairs).pairs(a, b, stream=stream, result=result)


def _sort_pairs(pairs: Array) -> Ints:
    ordered: Ints = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64)
    return ordered


def _as_bodies(name: str, value: DeviceOperand) -> DeviceBatch:
    batch = as_device_batch(name, value)
    if not issubclass(batch.kind, Shape):
        raise TypeError(f"{name} must be a shape, got a {batch.kind.__name__}")
    return batch
