"""Memory that broad phases work in: it grows when more is needed, and is kept from call to call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ougi._jit import each
from ougi._typing import Ints, Words

# Pairs that an answer may have unless the caller says else: 1.6 GB.
MOST = 100_000_000

_NONE = np.empty(0, np.uint8)
# Bytes: arrays begin at multiples of a cache line.
_ALIGNED = 64
# Pairs that a part of a query has room for at first, for each of its volumes.
_FIRST = 2.0

# asks(part, first, last, out): what touches the volumes from `first` on; where it stopped for want of room,
# and the count.
Asks = Callable[[int, int, int, Words], tuple[int, int]]
# Numbers that touch, one above the other, and how many of the columns count.
Piece = tuple[Words, int]


class Room:
    """Named arrays for methods to work in, and the answers they give.

    Nothing is ever cut: a query that finds more than fits gets more room and goes on. Whoever keeps a room
    between calls saves the allocation; then answers are views that the next call overwrites.
    """

    def __init__(self, max_pairs: int = MOST, *, kept: bool = False) -> None:
        self.max_pairs = max_pairs
        self._kept = kept
        self._arrays: dict[str, Any] = {}
        self._numbers: dict[tuple[int, int], Words] = {}
        self._slab = _NONE
        self._used = 0
        self._pairs = np.empty((64, 2), np.int64)
        self._found = 0
        self._rate = _FIRST

    def reserve(self, size: int) -> None:
        """Take so many bytes at once for the arrays to come: large blocks get large pages, and few faults."""
        if len(self._slab) < size:
            self._slab, self._used = np.empty(size, np.uint8), 0

    def array(self, name: str, shape: tuple[int, ...], kind: Any) -> Any:
        """Memory under a name, of any contents; the same as last time if it is large enough."""
        size = math.prod(shape)
        kept = self._arrays.get(name)
        if kept is None or kept.size < size:
            kept = self._arrays[name] = self._taken(size if kept is None else size + size // 4, kind)
        return kept[:size] if len(shape) == 1 else kept[:size].reshape(shape)

    def _taken(self, size: int, kind: Any) -> Any:
        start = -(-self._used // _ALIGNED) * _ALIGNED
        end = start + size * np.dtype(kind).itemsize
        if end > len(self._slab):
            return np.empty(size, kind)
        self._used = end
        return self._slab[start:end].view(kind)

    def gathered(self, asks: Asks, parts: Sequence[tuple[int, int]]) -> list[Piece]:
        """What a query finds for the parts of a scene, in their order."""
        self._found, self._rate = 0, max(self._rate, _FIRST)
        found = each(lambda k: self._part(asks, k, *parts[k]), range(len(parts)))
        self.require(sum(count for count, _ in found))
        return [piece for _, pieces in found for piece in pieces]

    def _part(self, asks: Asks, k: int, first: int, last: int) -> tuple[int, list[Piece]]:
        """How many pairs there are for a part, and where their numbers stand."""
        pieces: list[Piece] = []
        volumes = last - first
        total, size = 0, int(self._rate * volumes) + 64
        while first < last:
            out = self._for_numbers((k, len(pieces)), size)
            before = first
            first, count = asks(k, first, last, out)
            total += count
            self._found += count
            if self._found <= self.max_pairs:
                pieces.append((out, count))
                size *= 2
            elif first > before:
                continue  # there are too many: from now on they are only counted
            if first == before:
                size *= 2
        # Dense scenes: the next part gets room for all at once.
        self._rate = max(self._rate, min(1.25 * total, self.max_pairs) / volumes)
        return total, pieces

    def _for_numbers(self, place: tuple[int, int], size: int) -> Words:
        """Memory for so many pairs of numbers; not of the slab, which may be gone when they are read."""
        kept = self._numbers.get(place)
        if kept is None or kept.shape[1] < size:
            kept = self._numbers[place] = np.empty((2, size), np.uint32)
        return kept

    def filled(self, loop: Callable[..., int], *arguments: Any) -> Ints:
        """The pairs that `loop(*arguments, pairs)` writes, a view that the next call overwrites."""
        count = loop(*arguments, self._pairs)
        self.require(count)
        if count > len(self._pairs):
            self.pairs(count)
            count = loop(*arguments, self._pairs)
        return self._pairs[:count]

    def pairs(self, count: int) -> Ints:
        """Memory for so many pairs; first a room that is not kept gives back what searches worked in."""
        self.require(count)
        if not self._kept:
            self._arrays, self._slab, self._used = {}, _NONE, 0
        if count > len(self._pairs):
            self._pairs = np.empty((count + count // 4 if self._kept else count, 2), np.int64)
        return self._pairs[:count]

    def require(self, count: int) -> None:
        """Refuse more pairs than the caller has allowed."""
        if count > self.max_pairs:
            raise ValueError(
                f"max_pairs is {self.max_pairs:,}, but there are {count:,} pairs "
                f"({count * 16 / 1e9:.1f} GB); allow more, or ask about fewer shapes at once"
            )
