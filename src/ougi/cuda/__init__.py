"""The questions of ougi on a GPU: the same kernels under a grid of threads.

Shapes are copied to the GPU once, by `put`, and asked there. `import ougi` does not load this module; it
needs the extra `cuda` and, when it is used, an NVIDIA GPU.
"""

from __future__ import annotations

from ougi.cuda.batches import DeviceBatch, from_columns, put
from ougi.cuda.broad import PairFinder, candidate_pairs
from ougi.cuda.corridor import DeviceCorridor, DeviceMoved
from ougi.cuda.impact import DeviceImpact, time_of_impact
from ougi.cuda.query import contains, distance, intersects
from ougi.cuda.radar import DeviceDetection, DeviceMeshes, DeviceVolume, detect

__all__ = [
    "DeviceBatch",
    "DeviceCorridor",
    "DeviceDetection",
    "DeviceImpact",
    "DeviceMeshes",
    "DeviceMoved",
    "DeviceVolume",
    "PairFinder",
    "candidate_pairs",
    "contains",
    "detect",
    "distance",
    "from_columns",
    "intersects",
    "put",
    "time_of_impact",
]
