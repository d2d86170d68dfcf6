"""Memory of searches on a GPU, kept from call to call, and the pairs that they find."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ougi.cuda._driver import SIMULATED, Graph, copied, empty, to_numpy
from ougi.cuda._driver import THREADS as _FULL
from ougi.cuda._scene import Scene

THREADS = 2 if SIMULATED else _FULL
# Pairs for each volume that there is room for at first.
_GUESS = 2

# All launches of a search, into a stream and an array of pairs.
Launches: TypeAlias = Callable[[Any, Any], None]


class Room:
    """Arrays by name, a counter, and the pairs of the last search."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._arrays: dict[str, Any] = {}
        self._views: dict[tuple[str, tuple[int, ...]], Any] = {}
        self._needed = 0
        self._last: tuple[Scene, int] | None = None
        self._graph: Graph | None = None
        self.counter = copied(np.zeros(1, np.int64))
        self.pairs: Any = None

    def array(self, name: str, shape: tuple[int, ...], dtype: Any) -> Any:
        """Memory under a name; its content is anyone's."""
        if (name, shape) not in self._views:
            size = math.prod(shape)
            kept = self._arrays.get(name)
            if kept is None or kept.size < size:
                self._views = {key: view for key, view in self._views.items() if key[0] != name}
                self._last = self._graph = None  # what was recorded knows the old memory
                kept = self._arrays[name] = empty((size,), dtype)
            self._views[name, shape] = kept[:size].reshape(shape)
        return self._views[name, shape]

    def filled(self, name: str, first: Any) -> Any:
        """Memory that holds these numbers at first, and later what kernels leave there."""
        if (name, first.shape) not in self._views:
            self._views[name, first.shape] = copied(first)
        return self._views[name, first.shape]

    def search(self, scene: Scene, method: Callable[[Scene, Room], Launches], stream: Any) -> Any:
        """The pairs of a scene; searched again with more room if there was too little.

        A search counts on where there is none left, so a second one is enough.
        """
        while True:
            room = max(_GUESS * scene.count + 64, self._needed)
            pairs = self.array("pairs", (room, 2), np.int32)
            self._run(scene, method, pairs, stream)
            found = int(to_numpy(self.counter, stream)[0])
            if found > self._most:
                raise ValueError(f"there are {found:,} pairs, more than max_pairs = {self._most:,}")
            if found <= room:
                return pairs[:found]
            self._needed = found + found // 8

    def _run(self, scene: Scene, method: Callable[[Scene, Room], Launches], pairs: Any, stream: Any) -> None:
        """Launch all; what is asked a second time is recorded, and from then on started as one."""
        again = self._last is not None and self._last[0].is_same(scene) and self._last[1] == len(pairs)
        if again and self._graph is not None:
            self._graph.launch(stream)
            return
        launches = method(scene, self)
        self._graph = None
        if again and not SIMULATED:
            self._graph = Graph(lambda recorder: launches(recorder, pairs))
            self._graph.launch(stream)
        else:
            launches(stream, pairs)
        self._last = scene, len(pairs)


def ask(kernel: Any, count: int, *arguments: Any, stream: Any) -> None:
    """Start a kernel of one thread for each volume."""
    blocks = -(-count // THREADS)
    kernel[blocks if SIMULATED else max(blocks, 128), THREADS, stream](*arguments)
