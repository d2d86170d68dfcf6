"""Functions of one number."""

from __future__ import annotations

from ougi._native import device


@device
def clamp01(t: float) -> float:
    """Clamp to 0..1, FAN (2.44)."""
    return max(0.0, min(t, 1.0))
