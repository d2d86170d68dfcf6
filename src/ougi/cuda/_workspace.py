"""Memory of searches on a GPU, kept from call to call, and the pairs that they find."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ougi._typing import Array, DeviceArray, DTypeLike, Foreign, Stream
from ougi.cuda._scene import DeviceVolumes
from ougi.cuda.driver import SIMULATED, Graph, empty, to_device, to_numpy
from ougi.cuda.driver import THREADS as _FULL

THREADS = 2 if SIMULATED else _FULL
# Capacity in pairs for each volume, at first.
_GUESS = 2

# All launches of a search, into a stream and an array of pairs.
Launches: TypeAlias = Callable[[Stream, DeviceArray], None]
Search: TypeAlias = "Callable[[DeviceVolumes, DeviceWorkspace], Launches]"


class DeviceWorkspace:
    """Arrays by name, a counter, and the pairs of the last search."""

    def __init__(self, max_pairs: int) -> None:
        self._max_pairs = max_pairs
        self._arrays: dict[str, DeviceArray] = {}
        self._views: dict[tuple[str, tuple[int, ...]], DeviceArray] = {}
        self._needed = 0
        self._last: tuple[DeviceVolumes, int] | None = None
        self._graph: Graph | None = None
        self.counter = to_device(np.zeros(1, np.int64))
        self.pairs: DeviceArray = None

    def array(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        """Return a named array of any contents."""
        if (name, shape) not in self._views:
            size = math.prod(shape)
            array = self._arrays.get(name)
            if array is None or array.size < size:
                self._views = {key: view for key, view in self._views.items() if key[0] != name}
                self._last = self._graph = None  # the recorded graph uses the old memory
                array = self._arrays[name] = empty((size,), dtype)
            self._views[name, shape] = array[:size].reshape(shape)
        return self._views[name, shape]

    def fill_array(self, name: str, first: Array) -> DeviceArray:
        """Return a named array that holds these numbers at first, and later what kernels write."""
        if (name, first.shape) not in self._views:
            self._views[name, first.shape] = to_device(first)
        return self._views[name, first.shape]

    def search(
        self,
        scene: DeviceVolumes,
        method: Callable[[DeviceVolumes, DeviceWorkspace], Launches],
        stream: Stream,
    ) -> DeviceArray:
        """Find the pairs of a scene; search again with more memory if there was too little.

        A search counts on when memory is full, so a second one is enough.
        """
        while True:
            capacity = max(_GUESS * scene.count + 64, self._needed)
            pairs = self.array("pairs", (capacity, 2), np.int32)
            self._run(scene, method, pairs, stream)
            found = int(to_numpy(self.counter, stream)[0])
            if found > self._max_pairs:
                raise ValueError(f"there are {found:,} pairs, more than max_pairs = {self._max_pairs:,}")
            if found <= capacity:
                return pairs[:found]
            self._needed = found + found // 8

    def _run(self, scene: DeviceVolumes, method: Search, pairs: DeviceArray, stream: Stream) -> None:
        """Launch all; a search that is repeated is recorded, and from then on started as one graph."""
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


def launch_per_volume(kernel: Foreign, count: int, *arguments: object, stream: Stream) -> None:
    """Start a kernel of one thread for each volume."""
    blocks = -(-count // THREADS)
    kernel[blocks if SIMULATED else max(blocks, 128), THREADS, stream](*arguments)
