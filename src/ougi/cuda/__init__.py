"""Queries on a GPU: the kernels of the CPU under a grid of threads.

Shapes are copied to the GPU once, by `put`, and queried there. `import ougi` does not load this module; it
needs the extra `cuda` and, when it is used, an NVIDIA GPU.
"""

from __future__ import annotations

from ougi.cuda import _extra  # noqa: F401 (before a module that needs Numba)
from ougi.cuda.batches import DeviceBatch, from_columns, put
from ougi.cuda.broad import PairFinder, candidate_pairs
from ougi.cuda.corridor import DeviceCorridor
from ougi.cuda.impact import time_of_impact
from ougi.cuda.query import closest_points, contains, distance, intersects
from ougi.cuda.radar import DeviceMeshes, DeviceVolume, detect
from ougi.cuda.results import DeviceResult
from ougi.cuda.robot import DeviceRobot

__all__ = [
    "DeviceBatch",
    "DeviceCorridor",
    "DeviceMeshes",
    "DeviceResult",
    "DeviceRobot",
    "DeviceVolume",
    "PairFinder",
    "candidate_pairs",
    "closest_points",
    "contains",
    "detect",
    "distance",
    "from_columns",
    "intersects",
    "put",
    "time_of_impact",
]
