"""Memory that broad phases work in, and the answers that they write into it piece by piece."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ougi._native import each, loop
from ougi._typing import Ints, Words

# Pairs that an answer may have unless the caller says else: 1.6 GB.
MOST = 100_000_000

# Bytes: arrays begin at multiples of a cache line.
_ALIGNED = 64
# Bytes that are worth a slab: the allocator has less at hand.
_LARGE = 1 << 20
# Bytes of a call that are left for the next one. Fresh pages cost the system more than the search: at five
# million balls 20 to 100 ns for each.
_LEFT = 1 << 29
_NONE = np.empty(0, np.uint8)
# Pairs that a part of a query has room for, for each of its volumes and at most: 0.5 MB, in the second cache.
_FIRST, _BUFFER = 2, 1 << 16
# Pairs that an answer has to spare at most while it is written: 0.5 MB.
_SPARE = 1 << 15
# Pairs that may wait for their turn, for each volume of the scene: 16 bytes.
_AHEAD = 2
# Pairs that a part has room for at least, and a loop at first.
_LEAST = 64
_FEW = 512

_LOWER = (1 << 31) - 1  # a number without the mark of a second batch

# asks(part, first, last, out): what touches the volumes from `first` on; where it stopped for want of room,
# and the count.
Asks = Callable[[int, int, int, Words], tuple[int, int]]

_left: list[Any] = []


def let_go() -> None:
    """Give the memory back to the system that the last call left for the next."""
    _left.clear()


def _slab(size: int) -> Any:
    """So many bytes: what the last call left, if it is enough and not far too much."""
    try:
        left = _left.pop()
    except IndexError:
        left = _NONE
    return left if size <= len(left) <= 4 * size else np.empty(size, np.uint8)


def no_pairs() -> Ints:
    """An answer without pairs."""
    return np.empty((0, 2), np.int64)


class Room:
    """Named arrays for methods to work in, and the answers they give.

    Nothing is ever cut: a query that finds more than fits gets more room and goes on. Whoever keeps a room
    between calls saves the allocation; then answers are views that the next call overwrites.
    """

    def __init__(self, max_pairs: int = MOST, *, kept: bool = False) -> None:
        self.max_pairs = max_pairs
        self._kept = kept
        self._arrays: dict[str, Any] = {}
        self._buffers: list[Words] = []
        self._slab = _NONE
        self._used = 0
        self._pairs = no_pairs()

    def reserve(self, size: int) -> None:
        """Take so many bytes at once for the arrays to come: large blocks get large pages, and few faults."""
        if len(self._slab) < size and size >= _LARGE:
            self._slab, self._used = (np.empty(size, np.uint8) if self._kept else _slab(size)), 0

    def array(self, name: str, shape: tuple[int, ...], kind: Any) -> Any:
        """Memory under a name, of any contents; the same as last time if it is large enough."""
        size = math.prod(shape)
        kept = self._arrays.get(name)
        if kept is None or kept.size < size:
            kept = self._arrays[name] = self._taken(size if kept is None else size + size // 4, kind)
        return kept[:size] if len(shape) == 1 else kept[:size].reshape(shape)

    def _taken(self, size: int, kind: Any) -> Any:
        if not len(self._slab):
            return np.empty(size, kind)
        start = -(-self._used // _ALIGNED) * _ALIGNED
        end = start + size * np.dtype(kind).itemsize
        if end > len(self._slab):
            return np.empty(size, kind)
        self._used = end
        return self._slab[start:end].view(kind)

    def gathered(self, asks: Asks, parts: Sequence[tuple[int, int]]) -> Ints:
        """The pairs that a query finds for the parts of a scene, in the order of the parts."""
        stream = _Stream(self, asks, parts)
        each(stream.ask, range(len(parts)))
        return self._answer(stream.count)

    def _answer(self, count: int) -> Ints:
        """So many pairs, as they were written: a view of a room that is kept, else all that there is."""
        self.require(count)
        if self._kept:
            return self._pairs[:count]
        self._leave()
        pairs, self._pairs = self._pairs, no_pairs()
        pairs.resize((count, 2), refcheck=False)  # nobody else has seen it
        return pairs

    def _leave(self) -> None:
        """Leave the slab for the next call."""
        if 0 < len(self._slab) <= _LEFT:
            _left[:] = [self._slab]
        self._arrays, self._slab, self._used = {}, _NONE, 0

    def buffer(self, size: int) -> Words:
        """Memory for so many pairs of numbers, one above the other."""
        while self._buffers:
            if (last := self._buffers.pop()).shape[1] >= size:
                return last
        return np.empty((2, size), np.uint32)

    def done_with(self, buffer: Words) -> None:
        """Another part may have this buffer."""
        self._buffers.append(buffer)

    def held(self, used: int, need: int, likely: int) -> Ints:
        """Memory for `need` pairs, `used` of them written; in the end there will be about `likely`."""
        if need > len(self._pairs):
            spare = likely // 4 if self._kept else min(likely // 64, _SPARE)
            size = max(need, min(likely + spare, self.max_pairs))
            if used and not self._kept:
                self._pairs.resize((size, 2), refcheck=False)  # moves pages, not their contents
            else:
                before, self._pairs = self._pairs, np.empty((size, 2), np.int64)
                self._pairs[:used] = before[:used]
        return self._pairs

    def filled(self, loop: Callable[..., int], *arguments: Any) -> Ints:
        """The pairs that `loop(*arguments, pairs)` writes."""
        count = loop(*arguments, self.held(0, _FEW, 0))
        self.require(count)
        if count > len(self._pairs):
            count = loop(*arguments, self.held(0, count, count if self._kept else 0))
        return self._answer(count)

    def require(self, count: int) -> None:
        """Refuse more pairs than the caller has allowed."""
        if count > self.max_pairs:
            raise ValueError(
                f"max_pairs is {self.max_pairs:,}, but there are {count:,} pairs "
                f"({count * 16 / 1e9:.1f} GB); allow more, or ask about fewer shapes at once"
            )


class _Stream:
    """What the parts of a query find, written as pairs in the order of the parts.

    A part whose turn it is writes what it has whenever its buffer is full. Others keep theirs meanwhile;
    where too much is kept they wait. Parts begin in their order, so the one whose turn it is never waits.
    """

    def __init__(self, room: Room, asks: Asks, parts: Sequence[tuple[int, int]]) -> None:
        self._room, self._asks, self._parts = room, asks, parts
        self._turns = threading.Condition()
        self._most_ahead = max(_AHEAD * parts[-1][1], _BUFFER) if parts else 0
        self._ahead = 0  # pairs that wait for their turn
        self._failed = False
        self._turn = 0
        self._found = 0  # by all parts
        self._waiting: dict[int, list[tuple[Words, int]]] = {}
        self.count = 0  # of the parts that had their turn

    def ask(self, k: int) -> None:
        """Ask about part k."""
        first, last = self._parts[k]
        pieces: list[tuple[Words, int]] = []
        size = min(_FIRST * (last - first), _BUFFER) + _LEAST
        while first < last:
            out, before = self._room.buffer(size), first
            try:
                first, count = self._asks(k, first, last, out)
                pieces.append((out, count))
                if first == before:
                    size *= 2  # not even its first step had room
                with self._turns:
                    self._found += count
                    self._ahead += count
                    self._hand_in(k, first, pieces)
                    self._turns.wait_for(lambda: self._may_go_on(k))
            except BaseException:
                self._fail()
                raise

    def _may_go_on(self, k: int) -> bool:
        kept = self._ahead if self._found <= self._room.max_pairs else 0
        return self._turn >= k or kept <= self._most_ahead or self._failed

    def _fail(self) -> None:
        """Let nobody wait for a part that will not come."""
        with self._turns:
            self._failed = True
            self._turns.notify_all()

    def _hand_in(self, k: int, done: int, pieces: list[tuple[Words, int]]) -> None:
        """Write what part k has found up to volume `done`, if it is its turn, and what waited for it."""
        last = self._parts[k][1]
        if self._turn == k:
            self._write(pieces, done)
            if done == last:
                self._turn += 1
                while self._turn in self._waiting:
                    self._write(self._waiting.pop(self._turn), self._parts[self._turn][1])
                    self._turn += 1
        elif done == last:
            self._waiting[k] = pieces
        elif self._found > self._room.max_pairs:
            # There are too many: from now on they are only counted.
            pieces[:] = [(pieces[0][0], sum(count for _, count in pieces))]

    def _write(self, pieces: list[tuple[Words, int]], done: int) -> None:
        total = self.count + sum(count for _, count in pieces)
        if self._found <= self._room.max_pairs:
            pairs = self._room.held(self.count, total, total * self._parts[-1][1] // max(done, 1))
            at = self.count
            for numbers, count in pieces:
                unpack(numbers, count, pairs, at)
                at += count
        for numbers, count in pieces:
            self._room.done_with(numbers)
            self._ahead -= count
        self.count = total
        pieces.clear()
        self._turns.notify_all()


@loop
def unpack(numbers: Words, count: int, pairs: Ints, at: int) -> None:
    """Write numbers that touch as rows of `pairs` from row `at` on, the lower (or that of a) first."""
    rows = pairs[at : at + count]
    for k in range(np.uint64(count)):
        a, b = np.int64(numbers[0, k]), np.int64(numbers[1, k])
        rows[k, 0], rows[k, 1] = min(a, b), max(a, b) & _LOWER
