"""Every number that decides in a kernel of polytopes; see `ougi.kernels.constants`."""

from __future__ import annotations

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
PUSHED_OUT = 1e-3

# Steps that improve such a direction. Unit: 1. Smaller: it stays off where solids are as curved as a sphere.
MAX_PROXIMAL_STEPS = 60

# By how much the bounds of a distance of curved solids may differ. Unit: size. Larger: distances and normals
# are less precise. Smaller: slower methods follow, because GJK leaves slivers behind at rulings of cones.
SOLID_TOLERANCE = 1e-13

# How much worse than the best normal that between the nearest points may be. Unit: size. Larger: normals are
# less precise. Smaller: points that radii move along the normal lie beside each other.
LOOSE_TOLERANCE = 1e-12

# How much better than the direction of a reported depth another one may be. Unit: size. A reported direction
# is locally best to rounding, and some others that may be as good are tried. Larger: of two directions the
# worse one may be reported. Smaller: proofs take longer.
DEPTH_TOLERANCE = 1e-5

# The same for a first search, which finds the best region before cells are used up in another. Unit: size.
# Larger: regions may be missed. Smaller: cells may not suffice.
COARSE_TOLERANCE = 0.02

# How many directions that may be as good are tried, and the cosine of the angle beyond which they are others.
# Unit: 1. Solids that can leave each other in all directions of a plane alike have endlessly many.
MAX_ATTEMPTS, ELSEWHERE = 6, 0.99

# Cells of directions that are tried to prove a depth. Unit: 1. Smaller: fewer depths of round solids are
# proved.
MAX_CELLS = 4000

# Angle of the differences by which curvatures are measured. Unit: radian.
# Larger: they are those of other places. Smaller: they are all rounding.
TILT = 1e-6

# Share of a time up to which curved bodies may be apart that is tried next. Unit: 1.
# Larger: more tries are in vain. Smaller: steps are shorter.
CURVED_SHARE = 0.98

# Steps of Newton's method for the fixed point of two projections; it doubles its digits. Unit: 1.
# Smaller: points of solids that nearly touch stay beside each other.
MAX_FIXED_POINT_STEPS = 12

# Steps to the root that projects on an ellipsoid; it needs six. Unit: 1.
MAX_ROOT_STEPS = 40

# By how much a point is moved to measure how its projections follow. Unit: size.
# Larger: curvatures are those of other places. Smaller: they are all rounding.
SHIFT = 1e-6

# The smallest distance at which nearest points and normal are found together. Unit: size. Larger: normals of
# tiny bodies beside large ones converge slowly. Smaller: rounding of the points decides about the normal.
MIN_APART = 1e-6

# How often nearest points are found again after the normal was improved by them. Unit: 1. Two are enough but
# for bodies with tiny radii of curvature. Smaller: points of these lie beside each other.
MAX_PLACEMENTS = 6

# Squared share of a movement below which two bodies are flat along it. Unit: 1.
# Larger: fixed points of slightly curved bodies converge slowly. Smaller: rounding moves points along flat
# bodies.
SMALLEST_SLOPE_SQ = 1e-14
