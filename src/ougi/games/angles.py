"""How libraries of games count angles."""

from __future__ import annotations

import math
from typing import NamedTuple


class AngleUnit(NamedTuple):
    """Radians per unit, from x towards y; and do angles wrap, so that a turn is the shorter one?"""

    radians: float
    wraps: bool


RADIANS = AngleUnit(1.0, False)
# Counter-clockwise on a screen whose y points down, or clockwise where it points up.
DEGREES = AngleUnit(-math.pi / 180.0, True)
