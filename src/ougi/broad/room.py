"""Memory for pairs: it grows when a loop finds more than fit, and is kept from call to call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ougi._typing import Ints

# Pairs that an answer may have unless the caller says else: 1.6 GB.
MOST = 100_000_000


class Room:
    """Where loops write pairs.

    A loop counts on beyond the end of its room without writing; then there is a larger room, and it runs
    again. So nothing is ever cut.
    """

    def __init__(self, max_pairs: int = MOST) -> None:
        self.max_pairs = max_pairs
        self._pairs = np.empty((64, 2), np.int64)

    def filled(self, loop: Callable[..., int], *arguments: Any) -> Ints:
        """The pairs that `loop(*arguments, pairs)` writes, a view that the next call overwrites."""
        count = loop(*arguments, self._pairs)
        if count > len(self._pairs):
            self.require(count)
            self._pairs = np.empty((count + count // 4, 2), np.int64)
            count = loop(*arguments, self._pairs)
        return self._pairs[:count]

    def require(self, count: int) -> None:
        """Refuse more pairs than the caller has allowed."""
        if count > self.max_pairs:
            raise ValueError(
                f"max_pairs is {self.max_pairs:,}, but there are {count:,} pairs "
                f"({count * 16 / 1e9:.1f} GB); allow more, or ask about fewer shapes at once"
            )
