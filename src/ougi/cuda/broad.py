"""Which of many bodies on a GPU can touch? Volumes in, index pairs out; nothing goes through the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import Ints
from ougi.broad.room import MOST
from ougi.cuda._driver import as_stream, empty, to_numpy
from ougi.cuda._grid import grid_search
from ougi.cuda._room import Launches, Room
from ougi.cuda._scene import Scene, scene_of
from ougi.cuda._tree import tree_search
from ougi.cuda.batches import DeviceBatch, operand, together
from ougi.cuda.query import Where
from ougi.shapes import Shape

__all__ = ["PairFinder", "candidate_pairs"]

METHODS: dict[str, Callable[[Scene, Room], Launches]] = {"grid": grid_search, "tree": tree_search}


class PairFinder:
    """Finds candidate pairs on the GPU, frame after frame, in memory that it keeps.

    Fastest for one batch that keeps its place on the GPU while its numbers change (`from_columns`).

    Parameters
    ----------
    method
        As in `candidate_pairs`.
    max_pairs
        More pairs than this are refused, by an error that says how many there are.

    >>> import ougi, ougi.cuda
    >>> finder = ougi.cuda.PairFinder()
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1))
    >>> finder.pairs(balls, result="numpy").tolist()
    [[0, 1]]
    """

    def __init__(self, method: str = "grid", *, max_pairs: int = MOST) -> None:
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)} on the GPU; got {method!r}")
        self._method = METHODS[method]
        self._room = Room(_check.whole_number("max_pairs", max_pairs))

    def pairs(self, a: Any, b: Any = None, *, stream: Any = None, result: Where = "device") -> Any:
        """As `candidate_pairs`; the next call overwrites an answer on the device."""
        if result not in ("device", "numpy"):
            raise ValueError(f"result must be 'device' or 'numpy', got {result!r}")
        first = _bodies("a", a)
        second = None if b is None else _bodies("b", b)
        together(("a", first), *([] if second is None else [("b", second)]))
        if second is not None and first.kind.dimension != second.kind.dimension:  # type: ignore[attr-defined]
            raise ValueError(
                f"a and b must be of one dimension, got a {first.kind.__name__} and a {second.kind.__name__}"
            )
        on = as_stream(stream)
        found = self._found(first, second, on)
        return found if result == "device" else _sorted(to_numpy(found, on))

    def _found(self, a: DeviceBatch, b: DeviceBatch | None, stream: Any) -> Any:
        if a.count < 2 if b is None else not a.count * b.count:
            return empty((0, 2), np.int32, stream)
        return self._room.search(scene_of(a, b, stream), self._method, stream)


def candidate_pairs(
    a: Any,
    b: Any = None,
    *,
    method: str = "grid",
    max_pairs: int = MOST,
    stream: Any = None,
    result: Where = "device",
) -> Any:
    """Which bodies can touch: the pairs of `ougi.candidate_pairs`, found on the GPU.

    Parameters
    ----------
    a, b
        Batches on the GPU. Of `from_columns` these can be spheres and axis-aligned boxes; the bounds of other
        shapes are computed on the host, when they are first asked for.
    method
        `grid` sorts into cells: bodies of like sizes. `tree` builds a tree of boxes: mixed sizes, clusters.
    max_pairs
        More pairs than this are refused, by an error that says how many there are.
    stream, result
        As in `ougi.cuda.intersects`. On the device pairs come in any order; NumPy's are sorted.

    Returns
    -------
    (m, 2) indices: of one batch each pair once, i < j; of two, i counts in a and j in b. On the device they
    are 32-bit integers, as `pairs=` of the other questions takes them.

    >>> import ougi, ougi.cuda
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1))
    >>> ougi.cuda.candidate_pairs(balls, result="numpy").tolist()
    [[0, 1]]
    """
    return PairFinder(method, max_pairs=max_pairs).pairs(a, b, stream=stream, result=result)


def _sorted(pairs: Any) -> Ints:
    ordered: Ints = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].astype(np.int64)
    return ordered


def _bodies(name: str, value: Any) -> DeviceBatch:
    batch = operand(name, value)
    if not issubclass(batch.kind, Shape):
        raise TypeError(f"{name} must be a shape, got a {batch.kind.__name__}")
    return batch
