"""Candidate pairs in blocks, so that memory does not grow with the number of pairs.

A block holds every candidate pair whose first body is one of its own, over all times. Pairs are checked
independently of each other, so blocks are too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.checks.tracks import Cuts, Tracks
from ougi.shapes import Aabb2d, Aabb3d

# Cuts that are checked at once, about: each takes up to 1 kB in the narrow phase.
BLOCK_SIZE = 400_000

# Broad phases of all blocks and windows together. Each compares the tracks of a block with all others.
_MAX_SEARCHES = 20_000


class Block(NamedTuple):
    """Bodies whose rank lies in [start, stop), and how many cuts they begin, about."""

    start: int
    stop: int
    cuts: int


class Candidates:
    """The candidate pairs of a scene: counted first, then given out block by block.

    Parameters
    ----------
    tracks
        Of the scene.
    tol, margin, frame
        As in `Tracks.boxes`.
    block_size
        How many cuts a block has, about; a body is never divided.
    max_pairs
        More candidate pairs than this are refused.
    count
        Called with the number of cuts that were found, now and then.

    Attributes
    ----------
    pairs, cuts
        How many candidate pairs there are, and how many cuts they have.
    """

    def __init__(
        self,
        tracks: Tracks,
        tol: float,
        margin: float,
        frame: float | None,
        block_size: int,
        max_pairs: int,
        count: Callable[[int], None],
    ) -> None:
        self._tracks, self._boxes = tracks, tracks.boxes(tol, margin, frame)
        self.pairs = self.cuts = 0
        self._kept: list[Cuts] | None = []
        counted = []
        for block in _estimate_blocks(tracks, self._boxes, block_size):
            found = self._find(block)
            self.pairs += count_pairs(tracks, found)
            self.cuts += len(found.a)
            count(len(found.a))
            if self.pairs > max_pairs:
                raise ValueError(
                    f"max_pairs is {max_pairs:,}, but the scene has {self.pairs:,} candidate pairs or more; "
                    "raise max_pairs, or exclude pairs by groups and masks or by [[ignore]]"
                )
            counted.append(block._replace(cuts=len(found.a)))
            # Few cuts are kept. Many are found again when their turn comes.
            if self._kept is not None:
                self._kept = [*self._kept, found] if self.cuts <= block_size else None
        self._blocks = _join_blocks(counted, block_size)

    def __iter__(self) -> Iterator[Cuts]:
        if self._kept is not None:
            if self._kept:
                yield self._tracks.sort_cuts(self._kept)
        else:
            for block in self._blocks:
                yield self._find(block)

    def _find(self, block: Block) -> Cuts:
        return self._tracks.candidates(self._boxes, block.start, block.stop)


def count_pairs(tracks: Tracks, cuts: Cuts) -> int:
    """How many pairs of bodies the cuts have, which are in order of pairs."""
    code = tracks.pair_codes(cuts)
    return int(np.count_nonzero(np.diff(code))) + 1 if len(code) else 0


def split_pairs(tracks: Tracks, cuts: Cuts, size: int) -> list[Ints]:
    """Rows of the cuts, which are in order of pairs, in parts of about so many; no pair is divided."""
    code = tracks.pair_codes(cuts)
    borders = np.flatnonzero(np.diff(code)) + 1
    chosen = np.unique(np.searchsorted(borders, np.arange(size, len(code), size)))
    rows = np.arange(len(code))
    return [part for part in np.split(rows, borders[chosen[chosen < len(borders)]]) if len(part)]


def _estimate_blocks(tracks: Tracks, boxes: Aabb2d | Aabb3d, block_size: int) -> list[Block]:
    """Blocks of bodies with about so many cuts at most, by bounds of their number."""
    if not len(tracks.body):
        return []
    rank, which = np.unique(tracks.rank, return_inverse=True)
    bound = np.zeros(len(rank))
    np.add.at(bound, which.ravel(), _bound_overlaps(tracks, boxes))
    windows = len(list(tracks.windows()))
    size = max(block_size, bound.sum() / max(_MAX_SEARCHES // windows, 1))
    each = [Block(int(k), int(k) + 1, int(n)) for k, n in zip(rank, bound, strict=True)]
    return _join_blocks(each, size)


def _bound_overlaps(tracks: Tracks, boxes: Aabb2d | Aabb3d) -> Ints:
    """For each track, how many others at most it can meet: those that overlap along one axis, or in time."""
    spans: list[tuple[Floats, Floats]] = [(tracks.start, tracks.stop)]
    spans += [(boxes.lower[:, k], boxes.upper[:, k]) for k in range(boxes.lower.shape[1])]
    counts = [
        np.searchsorted(np.sort(low), high, side="right") - np.searchsorted(np.sort(high), low, side="left")
        for low, high in spans
    ]
    return np.asarray(np.min(counts, axis=0), np.int64)


def _join_blocks(blocks: list[Block], size: float) -> list[Block]:
    """Neighbouring blocks as one, as long as they have no more cuts together than `size`."""
    joined: list[Block] = []
    for block in blocks:
        if joined and joined[-1].cuts + block.cuts <= size:
            last = joined.pop()
            block = Block(last.start, block.stop, last.cuts + block.cuts)
        joined.append(block)
    return joined


__all__ = ["BLOCK_SIZE", "Candidates", "count_pairs", "split_pairs"]
