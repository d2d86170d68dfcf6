"""What a corridor answers: arrays, one entry for each character or point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Cast:
    """First contacts of circles that move.

    `t` is the share of the motion, NaN where nothing is hit; `segment` is then -1. At a `corner` the segment
    is the one that starts there, and the normal, which points into the corridor, is radial. `tests` counts
    the segments that were looked at.
    """

    t: Floats
    normal: Floats
    segment: Ints
    corner: Bools
    tests: Ints

    @property
    def hit(self) -> Any:
        """Where there is a contact."""
        return self.segment >= 0


@dataclass(frozen=True, eq=False)
class Moved:
    """Characters after a frame.

    `left` are seconds of the frame that a character could not use: more than 0 only if it reached the limit
    of bounces, and then it stands still at the last contact, where it fits. `index` are the groups that
    CORRIDOR's published methods tested, for the next frame; None for all others.
    """

    position: Floats
    velocity: Floats
    bounces: Ints
    left: Floats
    tests: Ints
    index: Ints | None = None

    @property
    def stopped(self) -> Ints:
        """The characters that reached the limit of bounces."""
        return np.flatnonzero(self.left > 0)


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest wall points: `distance`, `segment`, the `point` on it, and whether one is `inside`."""

    distance: Floats
    segment: Ints
    point: Floats
    inside: Bools
