"""Numbers that decide in the kernels of robots, beside those of `ougi.kernels.constants`."""

from __future__ import annotations

# What a shape is without its radius. Rows of `LinkShapes.size` depend on it; see `ougi.robot.shape_table`.
POINT, SEGMENT, BOX, CYLINDER, POLYTOPE, MESH = range(6)

# What an interval of a pair is: certified free, not decided, or with a gap below the tolerance.
PROVEN, OPEN, TOUCHING = 0, 1, 2

# Iterations of a distance. Polytopes need about ten, two cylinders about thirty. More iterations: slower in
# rare cases. Fewer: bounds that are less tight, so that intervals are halved once more.
MAX_ITERATIONS = 48

# The relative error at which a distance is found. Unit: the distance. Smaller: more iterations.
DISTANCE_TOLERANCE = 1e-12

# A direction is along the axis of a cylinder if its part across it is a smaller share: rounding. Larger:
# bounds of a distance are wrong by this share of the cylinder's radius.
NO_RADIAL_PART = 1e-15

# Rounding of a gap, in units of the extent of the scene: poses by a chain of 20 joints, and a distance.
GAP_ROUNDING = 1e-14

# An angle beyond which a chord is no longer bounded by the arc: the diameter is shorter.
MAX_CHORD = 2.0

# Pairs of tree nodes that wait for their turn: two trees of 2^60 triangles have not more.
STACK_SIZE = 256

# How often an interval can be halved: beyond it, times are rounding.
MAX_DEPTH = 50
