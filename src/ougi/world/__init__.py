"""Many bodies and time, one step after the other."""

from ougi.world.events import Events, Hits, StepProfile
from ougi.world.world import Snapshot, World

__all__ = ["Events", "Hits", "Snapshot", "StepProfile", "World"]
