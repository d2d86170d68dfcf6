"""Memory of searches on a GPU, kept from call to call, and the pairs that they find."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ougi.cuda._driver import SIMULATED, copied, empty, to_numpy
from ougi.cuda._driver import THREADS as _FULL

THREADS = 2 if SIMULATED else _FULL
# Pairs for each volume that there is room for at first.
_GUESS = 2


class Room:
    """Arrays by name, a counter, and the pairs of the last search."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._arrays: dict[str, Any] = {}
        self._views: dict[tuple[str, tuple[int, ...]], Any] = {}
        self._zero = copied(np.zeros(1, np.int64))
        self.counter = copied(np.zeros(1, np.int64))
        self.pairs: Any = None

    def array(self, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """Memory under a name; its content is anyone's."""
        if (name, shape) not in self._views:
            size = math.prod(shape)
            kept = self._arrays.get(name)
            if kept is None or kept.size < size:
                self._views = {key: view for key, view in self._views.items() if key[0] != name}
                kept = self._arrays[name] = empty((size,), dtype)
            self._views[name, shape] = kept[:size].reshape(shape)
        return self._views[name, shape]

    def filled(self, name: str, first: Any) -> Any:
        """Memory that holds these numbers at first, and later what kernels leave there."""
        if (name, first.shape) not in self._views:
            self._views[name, first.shape] = copied(first)
        return self._views[name, first.shape]

    def search(self, kernel: Any, count: int, arguments: tuple[Any, ...], stream: Any) -> None:
        """Run a search of a thread for each volume; again with more room if there was too little.

        It counts on where there is none left, so a second run is enough.
        """
        room = max(_GUESS * count + 64, 0 if self.pairs is None else int(self.pairs.shape[0]))
        while True:
            pairs = self.array("pairs", (room, 2), np.int32)
            blocks = -(-count // THREADS)
            blocks = blocks if SIMULATED else max(blocks, 128)
            kernel[blocks, THREADS, stream](*arguments, pairs, self.counter)
            found = int(to_numpy(self.counter, stream)[0])
            if found > self._most:
                raise ValueError(f"there are {found:,} pairs, more than max_pairs = {self._most:,}")
            if found <= room:
                self.pairs = pairs[:found]
                return
            room = found + found // 8
            self.counter.copy_to_device(self._zero, stream=stream)
