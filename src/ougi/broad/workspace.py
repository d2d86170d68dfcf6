"""Memory of the searches, and the pairs that they write into it piece by piece."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence

import numpy as np

from ougi._native import each, loop
from ougi._typing import Array, DTypeLike, Ints, Words

# Default limit of pairs: 1.6 GB.
MAX_PAIRS = 100_000_000

# Capacity of the buffer of a part in pairs: for each of its volumes, and at most 0.5 MB, in the second cache.
_FIRST, _BUFFER = 2, 1 << 16
# Spare pairs of a result at most, while it is written: 0.5 MB.
_SPARE = 1 << 15
# Pairs that may wait for their turn, for each volume of the scene: 16 bytes.
_AHEAD = 2
# Capacity in pairs of a part at least, and of a loop at first.
_MIN_BUFFER = 64
_INITIAL = 512

_LOWER = (1 << 31) - 1  # a number without the mark of a second batch

# search_part(part, first, last, out) writes what touches the volumes from `first` on. It returns where it
# stopped because `out` was full, and the count.
PartSearch = Callable[[int, int, int, Words], tuple[int, int]]


def no_pairs() -> Ints:
    """Return an empty list of pairs."""
    return np.empty((0, 2), np.int64)


class Workspace:
    """Named arrays for the searches, and the pairs that they return.

    No pair is ever dropped: a search that finds more than fits gets more memory and goes on. A workspace that
    is `reused` by many calls saves the allocation. Then results are views that the next call overwrites.
    """

    def __init__(self, max_pairs: int = MAX_PAIRS, *, reused: bool = False) -> None:
        self.max_pairs = max_pairs
        self._reused = reused
        self._arrays: dict[str, Array] = {}
        self._buffers: list[Words] = []
        self._pairs = no_pairs()

    def array(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return a named array of any contents: the memory of the last call if it is large enough."""
        size = math.prod(shape)
        array = self._arrays.get(name)
        if array is None or array.size < size:
            array = self._arrays[name] = np.empty(size if array is None else size + size // 4, dtype)
        return array[:size] if len(shape) == 1 else array[:size].reshape(shape)

    def gather_pairs(self, search_part: PartSearch, parts: Sequence[tuple[int, int]]) -> Ints:
        """Return the pairs that a search finds for the parts of a scene, in the order of the parts."""
        stream = _Stream(self, search_part, parts)
        each(stream.search, range(len(parts)))
        return self._finish(stream.count)

    def _finish(self, count: int) -> Ints:
        """Return the first `count` pairs: a view if the workspace is reused, else an array of its own."""
        self.require(count)
        if self._reused:
            return self._pairs[:count]
        self._arrays = {}
        pairs, self._pairs = self._pairs, no_pairs()
        pairs.resize((count, 2), refcheck=False)  # there is no other reference
        return pairs

    def buffer(self, size: int) -> Words:
        """Return memory for `size` pairs of numbers, as two rows."""
        while self._buffers:
            if (last := self._buffers.pop()).shape[1] >= size:
                return last
        return np.empty((2, size), np.uint32)

    def release_buffer(self, buffer: Words) -> None:
        """Give a buffer back for other parts."""
        self._buffers.append(buffer)

    def reserve_pairs(self, used: int, need: int, likely: int) -> Ints:
        """Return memory for `need` pairs, `used` of them written; in the end about `likely` are expected."""
        if need > len(self._pairs):
            spare = likely // 4 if self._reused else min(likely // 64, _SPARE)
            size = max(need, min(likely + spare, self.max_pairs))
            if used and not self._reused:
                self._pairs.resize((size, 2), refcheck=False)  # moves pages, not their contents
            else:
                before, self._pairs = self._pairs, np.empty((size, 2), np.int64)
                self._pairs[:used] = before[:used]
        return self._pairs

    def fill_pairs(self, loop: Callable[..., int], *arguments: object) -> Ints:
        """Return the pairs that `loop(*arguments, pairs)` writes."""
        count = loop(*arguments, self.reserve_pairs(0, _INITIAL, 0))
        self.require(count)
        if count > len(self._pairs):
            count = loop(*arguments, self.reserve_pairs(0, count, count if self._reused else 0))
        return self._finish(count)

    def require(self, count: int) -> None:
        """Refuse more pairs than the caller allowed."""
        if count > self.max_pairs:
            raise ValueError(
                f"max_pairs is {self.max_pairs:,}, but there are {count:,} pairs "
                f"({count * 16 / 1e9:.1f} GB); raise max_pairs, or pass fewer shapes at once"
            )


class _Stream:
    """The results of the parts of a search, written as pairs in the order of the parts.

    The part whose turn it is writes its pairs whenever its buffer is full. Others hold theirs back, and wait
    if these are too many. Parts begin in their order, so the one whose turn it is never waits.
    """

    def __init__(
        self, workspace: Workspace, search_part: PartSearch, parts: Sequence[tuple[int, int]]
    ) -> None:
        self._workspace, self._search_part, self._parts = workspace, search_part, parts
        self._turns = threading.Condition()
        self._max_ahead = max(_AHEAD * parts[-1][1], _BUFFER) if parts else 0
        self._ahead = 0  # pairs that wait for their turn
        self._failed = False
        self._turn = 0
        self._found = 0  # by all parts
        self._waiting: dict[int, list[tuple[Words, int]]] = {}
        self.count = 0  # of the parts that had their turn

    def search(self, k: int) -> None:
        """Search part k."""
        first, last = self._parts[k]
        pieces: list[tuple[Words, int]] = []
        size = min(_FIRST * (last - first), _BUFFER) + _MIN_BUFFER
        while first < last:
            out, before = self._workspace.buffer(size), first
            try:
                first, count = self._search_part(k, first, last, out)
                pieces.append((out, count))
                if first == before:
                    size *= 2  # too small for its first step
                with self._turns:
                    self._found += count
                    self._ahead += count
                    self._hand_in(k, first, pieces)
                    self._turns.wait_for(lambda: self._may_go_on(k))
            except BaseException:
                self._fail()
                raise

    def _may_go_on(self, k: int) -> bool:
        waiting = self._ahead if self._found <= self._workspace.max_pairs else 0
        return self._turn >= k or waiting <= self._max_ahead or self._failed

    def _fail(self) -> None:
        """Wake all parts, because the one that they wait for has failed."""
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
        elif self._found > self._workspace.max_pairs:
            # There are too many: from now on they are only counted.
            pieces[:] = [(pieces[0][0], sum(count for _, count in pieces))]

    def _write(self, pieces: list[tuple[Words, int]], done: int) -> None:
        total = self.count + sum(count for _, count in pieces)
        if self._found <= self._workspace.max_pairs:
            pairs = self._workspace.reserve_pairs(
                self.count, total, total * self._parts[-1][1] // max(done, 1)
            )
            at = self.count
            for numbers, count in pieces:
                unpack(numbers, count, pairs, at)
                at += count
        for numbers, count in pieces:
            self._workspace.release_buffer(numbers)
            self._ahead -= count
        self.count = total
        pieces.clear()
        self._turns.notify_all()


@loop
def unpack(numbers: Words, count: int, pairs: Ints, at: int) -> None:
    """Write numbers of touching volumes as rows of `pairs` from row `at` on, the lower (that of a) first."""
    rows = pairs[at : at + count]
    for k in range(np.uint64(count)):
        a, b = np.int64(numbers[0, k]), np.int64(numbers[1, k])
        rows[k, 0], rows[k, 1] = min(a, b), max(a, b) & _LOWER
