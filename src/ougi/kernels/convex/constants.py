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

# Steps of Newton's method, which come first, and by how much the furthest points may lie beside each other
# after them. Units: 1, size. More, or less: the slower method follows. Larger: points are less precise.
MAX_NEWTON_STEPS, ABOVE = 8, 1e-10

# By how much the bounds of the distance of solids may differ that were moved apart so. Unit: size.
# Larger: more steps follow, or points are less precise. Smaller: GJK takes more steps.
ROUGH, FINE = 1e-7, 1e-14

# Steps that improve such a direction. Unit: 1. Smaller: it stays off where solids are as curved as a sphere.
MAX_PROXIMAL_STEPS = 60

# Share of the turn before by which a step must turn such a direction, so that the next one starts ahead.
# Unit: 1.
# Larger: deep overlaps need more steps. Smaller: more steps start too far ahead.
SLOW = 0.25

# By how much the bounds of a distance of curved solids may differ. Unit: size. Larger: distances and normals
# are less precise. Smaller: slower methods follow.
SOLID_TOLERANCE = 1e-13

# How much better than the direction of a reported depth another one may be: none is, by a proof. Unit: size.
# `ougi verify` allows three times as much. Larger: of two directions the worse one may be reported. Smaller:
# proofs take longer, in proportion to its root where all directions of a cone are equally good.
DEPTH_TOLERANCE = 3e-11

# Cells of directions around the best one, at first, and as many around the opposite one. Unit: 1.
# Each has a corner of its own of the face that touches. More: more of these are those of their cells.
CELLS_AROUND = 6

# How far beside the best direction the corner for a cell is found, as a share of the angle at which the depth
# falls by the tolerance. Unit: 1. Larger: on curved surfaces it is not far enough. Smaller: rounding.
BESIDE = 0.03

# Cells of directions that are left to search: one for each time that a cell is divided. Each fourth division,
# at the latest, divides the loss by four, so twice 35 divisions end at the tolerance. Unit: 1.
# Smaller: a search ends without a proof.
MAX_CELLS = 128

# The numbers of a cell, six vectors, and of all cells that can be left. Unit: 1.
CELL_SIZE, MAX_CELL_NUMBERS = 18, 18 * MAX_CELLS

# Cells that one search tries. Random bodies need 100 to 600. Unit: 1.
# Smaller: more depths are proved to a coarser tolerance.
MAX_CELL_STEPS = 200_000

# Cells after which those around an axis are tried, where directions may be equally good. Unit: 1.
# Decides speed, not results.
LIKELY_CELL_STEPS = 2000

# --- directions around an axis ----------------------------------------------------------------------------

# The sine of the angle between an axis and that of a round body up to which its sections count as circles
# around the first one. Unit: 1. Larger: bounds of these are loose. Smaller: more bodies count by points.
MAX_TILT = 0.1

# The sine of the angle between the axes of two round bodies, and the distance of the center of one from the
# axis of the other, up to which directions around an axis are searched first. Units: 1, size.
# Decides speed, not results.
COAXIAL = 1e-2

# Directions nearer to an axis than this many times the tilt of a body are searched with points of it, because
# the reach of a circle is bounded by 1 - 1 / POLAR_TILTS of itself. It must be larger than 1. Unit: 1.
# Larger: more directions are searched so. Smaller: bounds are loose near the axis.
POLAR_TILTS = 4.0

# Ratio of two radii of an ellipsoid up to which it counts as nearly round. Unit: 1. The loss of a cell grows
# with their difference. Larger: cells are narrow. Smaller: more ellipsoids count by points.
MAX_ASPECT = 1.25

# Ratio of all radii of an ellipsoid up to which it counts as nearly a ball. Unit: 1. Larger, or smaller: more
# ellipsoids are searched by bounds that are loose for them.
MAX_BALL_ASPECT = 1.1

# Numbers of a cell between two angles and two azimuths, and cells that are left to search: one for each time
# that a cell is divided. Angles are divided about 23 times until they are 1e-6. All cells lie in the memory
# of `MAX_CELL_NUMBERS`. Unit: 1. Smaller: a search ends without a proof.
RING_CELL_SIZE, MAX_RING_CELLS = 32, 72

# How many tolerances a direction must be better to be improved at once. Unit: 1. Larger: it is improved by
# smaller cells instead, which is slow. Smaller: more searches.
BETTER = 1000.0

# Cells that such a search tries, around each axis in turn, and then again if both searches have not ended.
# Unit: 1. Larger, for the first: a search around the worse axis takes longer. Smaller: more searches again.
LIKELY_RING_STEPS, MAX_RING_STEPS = 3000, 20_000

# The tolerance of a search that has not ended is multiplied by this. Unit: 1.
COARSER = 10.0

# Searches, of which each but the last finds a better direction or is not ended. Unit: 1. Smaller: the last
# direction is not proved.
MAX_SEARCHES = 40

# Share of a time up to which curved bodies may be apart that is tried next. Unit: 1.
# Larger: more tries are in vain. Smaller: steps are shorter.
CURVED_SHARE = 0.98

# --- first contacts: these decide speed, not results ------------------------------------------------------

# Bodies that are farther apart than this get a rough normal, and steps that need not end at the contact.
# Unit: size. Larger: later steps are shorter. Smaller: more steps of GJK.
NEAR_HULLS = 0.05

# Steps of bodies that are not near end where this share of the gap is left. Unit: 1.
# Larger: more steps. Smaller: more supports for each.
ENOUGH_SHARE = 0.05

# The share of its bound that the second derivative of a gap usually has at most. Unit: 1.
# Larger: shorter tries. Smaller: more tries in vain.
TRIED_SHARE = 0.25

# How often a height is measured to follow one plane. Unit: 1. Smaller: steps may be shorter than they can be.
MAX_TRIES = 20

# Roundings below which a gap is measured, instead of taken from the distance. Unit: 1.
SMALL_GAP = 1000.0

# The sine of the angle between the axes of a motion and of a body of revolution below which its points are
# taken not to turn about its axis. Unit: 1.
ROUND = 0.25

# Angle of the differences by which curvatures are measured. Unit: radian.
# Larger: they are those of other places. Smaller: they are all rounding.
TILT = 1e-6
