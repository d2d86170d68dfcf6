"""Which shapes, motions and targets a query pairs: all that broadcast, or listed ones."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple, TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, DynamicBatch, Index, Ints
from ougi.motion import Motion
from ougi.shapes import Shape

BatchShape: TypeAlias = tuple[int, ...]


class PairIndex(NamedTuple):
    """For every pair, indices into the flattened shapes, motions, targets and target motions."""

    shape: Ints
    motion: Ints
    target: Ints
    target_motion: Ints

    def take(self, rows: Index) -> PairIndex:
        """The index of these rows."""
        return PairIndex(*(_check.frozen(index[rows]) for index in self))


def resolve_pairs(
    shape: Shape, motion: Motion, target: Shape, target_motion: Motion | None, pairs: ArrayLike | None
) -> tuple[BatchShape, PairIndex]:
    """The batch shape of the result, and the index of its pairs."""
    rest = () if target_motion is None else target_motion.shape
    if pairs is None:
        shapes = {"shape": shape.shape, "motion": motion.shape, "target": target.shape, "target_motion": rest}
        batch = _check.broadcast_shape(**shapes)
        return batch, PairIndex(*(broadcast_index(given, batch) for given in shapes.values()))
    first = _check.broadcast_shape(shape=shape.shape, motion=motion.shape)
    second = _check.broadcast_shape(target=target.shape, target_motion=rest)
    i, j = _check.pairs(pairs, math.prod(first), math.prod(second)).T
    return (len(i),), PairIndex(
        *(_check.frozen(broadcast_index(given, first)[i]) for given in (shape.shape, motion.shape)),
        *(_check.frozen(broadcast_index(given, second)[j]) for given in (target.shape, rest)),
    )


def broadcast_index(shape: BatchShape, batch: BatchShape) -> Ints:
    """Which entry of a batch of this shape belongs to each entry of the result."""
    return _cached_index(shape, batch) if math.prod(batch) <= _CACHED_SIZE else _make_index(shape, batch)


def _make_index(shape: BatchShape, batch: BatchShape) -> Ints:
    numbers = np.arange(math.prod(shape)).reshape(shape)
    return _check.frozen(np.ascontiguousarray(np.broadcast_to(numbers, batch)).ravel())


# A game queries a few bodies, of the same shapes, every frame.
_CACHED_SIZE = 256
_cached_index = functools.lru_cache(maxsize=256)(_make_index)


def take(given: DynamicBatch, index: Ints) -> DynamicBatch:
    """Entries of a flattened batch, one for each index; a single one stays single."""
    if not given.shape:  # a mesh is never a batch
        return given
    return given.reshape(()) if given.count == 1 else given.reshape((given.count,))[index]
