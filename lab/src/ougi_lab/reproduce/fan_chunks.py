"""The motions of fan-accuracy, drawn and counted in chunks that can be stored.

This file, `lattice` and `scenes.fan_motions` decide the numbers, so stored chunks are refused after an edit.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi_lab.chunks import read_versions, run_chunks
from ougi_lab.lattice.count import CELLS, EXACT, METHODS, POSES, STEPS, Counts, Ints, count_points
from ougi_lab.machine import digest_sources
from ougi_lab.scenes.fan_motions import FanMotions, draw_fan_motions
from ougi_lab.store import Arrays, ChunkStore, decode_arrays, encode_arrays

NAME = "fan-accuracy"

# Motions of one chunk: a fraction of a second.
CHUNK = 250


@dataclass(frozen=True)
class LatticeCounts:
    """Counts, motion by motion.

    Attributes
    ----------
    sets, groups
        See `lattice.count.Counts`.
    attempts
        (n,): how often a motion was drawn again because a denominator was empty.
    angle, stretch
        (n,): the angle in radians, and Wy - Wx.
    """

    sets: Ints
    groups: Ints
    attempts: Ints
    angle: Floats
    stretch: Floats

    def ratios(self, reference: str) -> Floats:
        """(n, methods, 3): accuracy, over and under in percent; not a number where both sets are empty."""
        column = {POSES: 1, EXACT: 2}[reference]
        own, both = self.sets[..., 0], self.sets[..., column]
        true = self.sets[:, METHODS.index(reference), 0][:, None]
        parts = np.stack([both, own - both, true - both], axis=-1)
        either = parts.sum(axis=-1, keepdims=True)
        return np.where(either > 0, 100.0 * parts / np.maximum(either, 1), np.nan)


def count_all(
    motions: int,
    seed: int,
    executor: Executor | None = None,
    folder: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
    device: str = "cpu",
) -> LatticeCounts:
    """Count for a number of motions, in chunks; see `fan_accuracy.run`."""
    store = None if folder is None else ChunkStore(folder, NAME, build_header(seed), force)
    sizes = {chunk: min(CHUNK, motions - chunk * CHUNK) for chunk in range(-(-motions // CHUNK))}
    done: dict[int, Arrays] = {}
    for chunk, size in sizes.items():
        if store is not None and str(chunk) in store.chunks:
            arrays = decode_arrays(store.chunks[str(chunk)])
            if len(arrays["angle"]) >= size:
                done[chunk] = arrays
    if progress is not None:
        progress(len(done), len(sizes))

    def store_chunk(chunk: int, arrays: Arrays) -> None:
        done[chunk] = arrays
        if store is not None:
            store.append(str(chunk), encode_arrays(arrays))
        if progress is not None:
            progress(len(done), len(sizes))

    calls = {chunk: (seed, chunk * CHUNK, size) for chunk, size in sizes.items() if chunk not in done}
    if device == "cuda":
        _count_on_gpu(calls, store_chunk)
    else:
        run_chunks(count_chunk, calls, store_chunk, label=NAME, executor=executor, quiet=True)
    parts = {
        name: np.concatenate([done[chunk][name][:size] for chunk, size in sizes.items()])
        for name in LatticeCounts.__dataclass_fields__
    }
    return LatticeCounts(**parts)


def _count_on_gpu(
    calls: dict[int, tuple[int, int, int]], store_chunk: Callable[[int, Arrays], None], chunk_count: int = 100
) -> None:
    """Count the same chunks, many at once, because a GPU needs thousands of motions."""
    from ougi_lab.lattice import count_cuda

    chunks = list(calls)
    for first in range(0, len(chunks), chunk_count):
        part = chunks[first : first + chunk_count]
        numbers = np.concatenate([calls[chunk][1] + np.arange(calls[chunk][2]) for chunk in part])
        arrays = count_numbered(calls[part[0]][0], numbers, CELLS, count_cuda.count_points)
        edges = np.cumsum([calls[chunk][2] for chunk in part])[:-1]
        pieces = {name: np.split(array, edges) for name, array in arrays.items()}
        for k, chunk in enumerate(part):
            store_chunk(chunk, {name: piece[k] for name, piece in pieces.items()})


def build_header(seed: int) -> dict[str, Any]:
    """Return the values that must be equal for all chunks of a run."""
    files = ("reproduce/fan_chunks.py", "lattice/count.py", "lattice/readings.py", "scenes/fan_motions.py")
    return {
        "experiment": NAME,
        "seed": seed,
        "chunk": CHUNK,
        "sources": digest_sources(*files),
        "versions": read_versions(),
    }


def count_chunk(seed: int, first: int, size: int, cells: int = CELLS) -> Arrays:
    """Draw and count motions from the one numbered `first`."""
    return count_numbered(seed, first + np.arange(size), cells, count_points)


def count_numbered(
    seed: int, numbers: Ints, cells: int, count_points: Callable[[FanMotions, int, int], Counts]
) -> Arrays:
    """Draw and count motions by their numbers; draw again if a denominator of (3.1) or (3.2) is 0."""
    size = len(numbers)
    attempts = np.zeros(size, np.int64)
    sets, groups = np.zeros((size, len(METHODS), 3), np.int32), np.zeros((size, 7), np.int32)
    angle, stretch = np.zeros(size), np.zeros(size)
    todo = np.arange(size)
    while len(todo):
        motions = draw_fan_motions(seed, numbers[todo], attempts[todo])
        counts = count_points(motions, cells, STEPS)
        sets[todo], groups[todo] = counts
        angle[todo], stretch[todo] = motions.angle, motions.size[:, 1] - motions.size[:, 0]
        total = counts.groups.sum(axis=1)
        empty = (total == counts.groups[:, 2]) | (total == counts.groups[:, 1])
        todo = todo[empty]
        attempts[todo] += 1
    return {"sets": sets, "groups": groups, "attempts": attempts, "angle": angle, "stretch": stretch}
