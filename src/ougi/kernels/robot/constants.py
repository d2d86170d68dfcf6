"""Numbers that decide in the kernels of robots, beside those of `ougi.kernels.constants`."""

from __future__ import annotations

# What a shape is without its radius. Rows of `LinkShapes.size` depend on it; see `ougi.robot.shape_table`. Of
# two shapes the one with the smaller code comes first.
POINT, SEGMENT, BOX, CYLINDER, CONE, ELLIPSOID, POLYTOPE, MESH, HALF_SPACE = range(9)

# What an interval of a pair is: certified free, not decided, or with a gap below the tolerance.
PROVEN, OPEN, TOUCHING = 0, 1, 2

# Iterations of a distance. Polytopes need about ten, two cylinders about thirty. More iterations: slower in
# rare cases. Fewer: bounds that are less tight, so that intervals are halved once more.
MAX_ITERATIONS = 48

# The relative error at which a distance is found. Unit: the distance. Smaller: more iterations.
DISTANCE_TOLERANCE = 1e-12

# How far a core is moved away from one that it nearly touches, to find the direction between them, and how
# often. Unit of AWAY: the radii of both; its square is how exact a distance must be then. Smaller: more
# rounding of the direction. Larger: points that are less exact, by about sqrt(2 DISTANCE_TOLERANCE) of it.
AWAY, MAX_TRIES = 1e-5, 4

# A direction is along the axis of a cylinder if its part across it is a smaller share: rounding. Larger:
# bounds of a distance are wrong by this share of the cylinder's radius.
NO_RADIAL_PART = 1e-15

# Rounding of a gap: its unit, and its multiples for a distance, for each joint above and for each radian.
# Unit: the reach of the scene. With u = 2^-53 a rotation is off by 12 u in the Frobenius norm (entries by
# Rodrigues' formula, 4 u each), two products of matrices by 11 u, axes and origins by 4 u, and an angle by
# 3 u of its size. So a pose is off by 27 u per joint and 3 u per radian, times the reach. A distance adds
# 16 u for support points and 24 u for products and roots. Both bodies count, so everything is doubled. The
# gap of two boxes is measured along the axes of one of them, which are orthogonal up to 27 u per joint as
# well. All is rounded up to powers of two.
ROUNDING_UNIT, ROUNDING_BASE, ROUNDING_JOINT, ROUNDING_RADIAN = 2.0**-53, 128.0, 128.0, 8.0

# A first contact has a gap of at most this multiple of rounding if `tol` is smaller. Less: undecided edges.
FINEST_TOLERANCE = 8.0

# An angle beyond which a chord is no longer bounded by the arc: the diameter is shorter.
MAX_CHORD = 2.0

# Meshes are searched only if their hulls are nearer than this share of what a proof needs. Otherwise the
# interval is halved until the hulls are a proof, which is cheaper: the error of their bound goes with the
# square of the interval. Larger: more searches; first contacts of a Panda take twice as long at 0.25.
HULL_SHARE = 0.01

# Pairs of tree nodes that wait for their turn: two trees of 2^60 triangles have not more.
STACK_SIZE = 256

# How often an interval can be halved: beyond it, times are rounding.
MAX_DEPTH = 50
