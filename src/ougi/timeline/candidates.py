"""Candidate pairs in blocks, so that memory does not grow with the number of pairs.

A block holds every candidate pair whose first body is one of its own, over all times. Pairs are checked
independently of each other, so blocks are too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.shapes import Aabb3d
from ougi.timeline.spans import PairSpans, SceneSpans

# Pairs of spans that are checked at once, about: each takes up to 1 kB in the narrow phase.
BLOCK_SIZE = 400_000

# Broad phases of all blocks and windows together. Each compares the spans of a block with all others.
_MAX_SEARCHES = 20_000


class Block(NamedTuple):
    """Bodies whose rank lies in [start, stop), and about how many pairs of spans they begin."""

    start: int
    stop: int
    size: int


class Candidates:
    """The candidate pairs of a scene: counted first, then returned block by block.

    Parameters
    ----------
    spans
        Of the scene.
    tol, margin, frame
        As in `SceneSpans.make_boxes`.
    block_size
        About how many pairs of spans a block has; a body is never divided.
    max_pairs
        More candidate pairs than this are refused.
    count
        Called with the number of pairs of spans that were found, now and then.

    Attributes
    ----------
    pairs, span_pairs
        How many candidate pairs of bodies and of spans there are.
    """

    def __init__(
        self,
        spans: SceneSpans,
        tol: float,
        margin: float,
        frame: float | None,
        block_size: int,
        max_pairs: int,
        count: Callable[[int], None],
    ) -> None:
        self._spans, self._boxes = spans, spans.make_boxes(tol, margin, frame)
        self.pairs = self.span_pairs = 0
        self._stored: list[PairSpans] | None = []
        counted = []
        for block in _estimate_blocks(spans, self._boxes, block_size):
            found = self._find(block)
            self.pairs += count_pairs(spans, found)
            self.span_pairs += len(found.a)
            count(len(found.a))
            if self.pairs > max_pairs:
                raise ValueError(
                    f"max_pairs is {max_pairs:,}, but the scene has {self.pairs:,} candidate pairs or more; "
                    "raise max_pairs, or exclude pairs by groups and masks or by [[ignore]]"
                )
            counted.append(block._replace(size=len(found.a)))
            # Up to one block is stored. More are found again when they are needed.
            if self._stored is not None:
                self._stored = [*self._stored, found] if self.span_pairs <= block_size else None
        self._blocks = _join_blocks(counted, block_size)

    def __iter__(self) -> Iterator[PairSpans]:
        if self._stored is not None:
            if self._stored:
                yield self._spans.sort_pairs(self._stored)
        else:
            for block in self._blocks:
                yield self._find(block)

    def _find(self, block: Block) -> PairSpans:
        return self._spans.find_candidates(self._boxes, block.start, block.stop)


def count_pairs(spans: SceneSpans, pairs: PairSpans) -> int:
    """How many pairs of bodies there are in pairs of spans, which are in order of bodies."""
    code = spans.get_codes(pairs)
    return int(np.count_nonzero(np.diff(code))) + 1 if len(code) else 0


def split_pairs(spans: SceneSpans, pairs: PairSpans, size: int) -> list[Ints]:
    """Rows of pairs of spans in parts of about this size; no pair of bodies is divided."""
    code = spans.get_codes(pairs)
    borders = np.flatnonzero(np.diff(code)) + 1
    chosen = np.unique(np.searchsorted(borders, np.arange(size, len(code), size)))
    rows = np.arange(len(code))
    return [part for part in np.split(rows, borders[chosen[chosen < len(borders)]]) if len(part)]


def _estimate_blocks(spans: SceneSpans, boxes: Aabb3d, block_size: int) -> list[Block]:
    """Blocks of bodies, by bounds of the number of their pairs of spans."""
    if not len(spans.body):
        return []
    rank, which = np.unique(spans.rank, return_inverse=True)
    bound = np.zeros(len(rank))
    np.add.at(bound, which.ravel(), _bound_overlaps(spans, boxes))
    windows = len(list(spans.iter_windows()))
    size = max(block_size, bound.sum() / max(_MAX_SEARCHES // windows, 1))
    each = [Block(int(k), int(k) + 1, int(n)) for k, n in zip(rank, bound, strict=True)]
    return _join_blocks(each, size)


def _bound_overlaps(spans: SceneSpans, boxes: Aabb3d) -> Ints:
    """For each span, how many others at most it can meet: those that overlap along one axis, or in time."""
    ranges: list[tuple[Floats, Floats]] = [(spans.start, spans.stop)]
    ranges += [(boxes.lower[:, k], boxes.upper[:, k]) for k in range(boxes.lower.shape[1])]
    counts = [
        np.searchsorted(np.sort(low), high, side="right") - np.searchsorted(np.sort(high), low, side="left")
        for low, high in ranges
    ]
    return np.asarray(np.min(counts, axis=0), np.int64)


def _join_blocks(blocks: list[Block], size: float) -> list[Block]:
    """Neighbouring blocks as one, as long as they are no larger together than `size`."""
    joined: list[Block] = []
    for block in blocks:
        if joined and joined[-1].size + block.size <= size:
            last = joined.pop()
            block = Block(last.start, block.stop, last.size + block.size)
        joined.append(block)
    return joined


__all__ = ["BLOCK_SIZE", "Candidates", "count_pairs", "split_pairs"]
