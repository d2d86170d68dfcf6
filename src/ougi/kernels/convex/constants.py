"""Every number that decides in a kernel of polytopes; see `ougi.kernels.constants`."""

from __future__ import annotations

# Vertices of a block in the records of hulls, whose x lie together, then their y, then their z. Unit: 1.
# `find_furthest` reads eight numbers at a time, and its indices contain this number.
VERTEX_BLOCK = 8

# Steps of GJK between two hulls. Random ones need three on average and eleven at most. Unit: 1.
# Smaller: nearest points are improved by a slower method.
MAX_GJK_STEPS = 100

# How far overlapping bodies are moved apart beyond the depth to find where they touch. Unit: size.
# Larger: an error r of the depth lets the points of both bodies lie beside each other by sqrt(2 r MOVED_OUT).
# Smaller: rounding of the poses decides which features are nearest.
MOVED_OUT = 1e-12

# How often the axis of an overlap is improved by the nearest points of the bodies moved apart. Unit: 1.
# One is enough but for bodies that are thinner than rounding times their length. Smaller: depths of these are
# off.
MAX_MOVES_OUT = 4

# Share of the product of its edges by which the origin must lie inside of a simplex, a hundred roundings.
# Unit: 1. Larger: more overlaps are confirmed by a slower method. Smaller: slivers may claim to hold it.
INSIDE = 1e-13

# Ranks of records that are no polytopes: cylinders, cones and ellipsoids. Ranks of polytopes are 0 to 3.
CYLINDER, CONE, ELLIPSOID = 4, 5, 6

# Steps of GJK between curved solids. Each about halves the angle to the normal, so 30 are enough. Unit: 1.
# Smaller: nearest points are improved by a slower method.
MAX_SOLID_STEPS = 100

# How far overlapping solids are moved apart to improve the direction in which they overlap least. Unit: size.
# Larger: the direction converges slowly. Smaller: rounding of the nearest points decides about it.
PUSHED_OUT = 1e-4

# The same in the end, and when the points are found at which they touch. Unit: size.
# Larger: the direction converges slowly where radii of curvature are smaller. Smaller: rounding decides.
NEXT_TO = 1e-8

# Steps that improve such a direction. Unit: 1. Smaller: it stays off where solids are as curved as a sphere.
MAX_PROXIMAL_STEPS = 60

# Share of the turn before by which a step must turn such a direction, so that the next one starts ahead.
# Unit: 1.
# Larger: deep overlaps need more steps. Smaller: more steps start too far ahead.
SLOW = 0.25

# By how much the bounds of a distance of curved solids may differ. Unit: size. Larger: distances and normals
# are less precise. Smaller: slower methods follow.
SOLID_TOLERANCE = 1e-13

# How much better than the direction of a reported depth another one may be. Unit: size. A reported direction
# is locally best to rounding, and up to three others that may be as good are tried. Larger: of two directions
# the worse one may be reported. Smaller: proofs take longer.
DEPTH_TOLERANCE = 1e-5

# The same for a first search, which finds the best region before cells are used up in another. Unit: size.
# Larger: regions may be missed. Smaller: cells may not suffice.
COARSE_TOLERANCE = 0.02

# Cosine of the angle beyond which a direction that may be as good is another one, and is tried too. Unit: 1.
# Larger: it is often the same. Smaller: the other one may be missed.
ELSEWHERE = 0.99

# Cells of directions that are tried to prove a depth. Unit: 1. Smaller: fewer depths of round solids are
# proved.
MAX_CELLS = 4000

# Share of a time up to which curved bodies may be apart that is tried next. Unit: 1.
# Larger: more tries are in vain. Smaller: steps are shorter.
CURVED_SHARE = 0.98

# Angle of the differences by which curvatures are measured. Unit: radian.
# Larger: they are those of other places. Smaller: they are all rounding.
TILT = 1e-6
