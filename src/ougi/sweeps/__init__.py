"""A shape and a motion make another shape: what the moving shape covers, exactly or approximately."""

from ougi.sweeps.exact import Sweep
from ougi.sweeps.methods import BoxMethod, Method, sweep

__all__ = ["BoxMethod", "Method", "Sweep", "sweep"]
