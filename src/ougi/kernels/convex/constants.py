"""Every number that decides in a kernel of polytopes; see `ougi.kernels.constants`."""

from __future__ import annotations

# Steps of GJK between two hulls. Random ones need three on average and eleven at most. Unit: 1.
# Smaller: nearest points are improved by a slower method.
MAX_GJK_STEPS = 100

# How far overlapping bodies are moved apart beyond the depth to find where they touch. Unit: size.
# Larger: an error r of the depth lets the points of both bodies lie beside each other by sqrt(2 r MOVED_OUT).
# Smaller: rounding of the poses decides which features are nearest.
MOVED_OUT = 1e-12

# Share of the product of its edges by which the origin must lie inside of a simplex, a hundred roundings.
# Unit: 1. Larger: more overlaps are confirmed by a slower method. Smaller: slivers may claim to hold it.
INSIDE = 1e-13
