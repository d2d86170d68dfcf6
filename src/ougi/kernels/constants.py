"""Every number that decides in a kernel: rounding, tolerances, iteration limits, codes. Each is here once.

"Size" is the extent of both bodies together; for a turning body it includes the distance from the axis.
A unit of "size" means that the constant is multiplied by it. Nothing here is a setting for users.
"""

from __future__ import annotations

# --- codes ------------------------------------------------------------------------------------------------

# Status of a first contact; `ougi.Status` has the same values. Floats, because kernels write rows of floats.
# FREE is certified, and UNDECIDED is certified up to the reported time.
FREE, HIT, OVERLAPPING, UNDECIDED = 0.0, 1.0, 2.0, 3.0

# What a separating axis is: a normal of the resting or of the moving body, or the product of two edges.
RESTING, MOVING, CROSSED = 0, 1, 2

# How the planes between two moving bodies move: at rest, with a body, or with an edge of each.
STILL, WITH_A, WITH_B, WITH_EDGES = 0, 1, 2, 3

# The number of roots of 0 = 0, and of crossings of curves that coincide.
EVERYWHERE = -1

# --- infinity ---------------------------------------------------------------------------------------------

# Stand for infinity, because 0 times infinity is NaN. NEVER is a cotangent whose square times a length is
# finite; FAR is a coordinate whose square is; ENDLESS is a parameter; LARGEST a squared distance.
NEVER, FAR, ENDLESS, LARGEST = 1e100, 1e150, 1e300, 1e308

# --- rounding ---------------------------------------------------------------------------------------------

# The spacing of floats at 1. Unit: 1.
EPS = 2.0**-52

# Where rounding may decide, in units of the largest coordinate plus the size: a chain of about 64 roundings.
# `ougi verify` allows this much disagreement. Wider: contacts are reported earlier. Narrower: wrong verdicts.
BAND = 64.0 * EPS

# Rounding of a distance, a gap or a height along an axis: a sum of nine products, 4.5 eps. Unit: size.
# Larger: bodies at this gap overlap at the start. Smaller: lines that cross are seen as apart.
ROUNDING, ROUNDING_SQ = 1e-15, 1e-30

# The same in the plane, with four products. Unit: size. Larger: normals of sides replace those of corners.
PLANAR_ROUNDING = 5e-16

# Rounding of a point that was constructed on an edge, and of a comparison of two such points. Unit: size.
# Larger: bodies within it are touching. Smaller: a proof of a distance fails, and slower methods follow.
POINT_ROUNDING, PROOF_ROUNDING = 2e-15, 4e-15

# A share of the squared offset that is rounding after one normalisation: 45 eps. Unit: 1.
OFFSET_ROUNDING_SQ = 1e-14

# Rounding of a rate: a sum of products of coordinates and angular speeds, taken generously. Unit: speed.
# Larger: certified advancement takes shorter steps.
RATE_ROUNDING = 1e-12

# Two axes of motions are one line if they differ by no more, 2 eps. Unit: coordinates.
# Larger: two turns are treated as one although they are not. Smaller: the slower kernel of two movers runs.
COAXIAL_ROUNDING = 4e-16

# 1 - cosine of axes that are tilted beyond any rounding: a quick test before the exact one. Unit: 1.
COAXIAL_TILT = 1e-12

# Its third root is not lost in rounding, but it is. Unit: that of a normalised polynomial.
TINY = 1e-18

# Veltkamp's factor 2^27 + 1: splits a float64 into two halves of 26 bits, whose products are exact.
SPLIT = 134217729.0

# Below these angles (radians) quotients of `screw_steps` are 0 / 0 up to rounding: a series replaces them.
SERIES, SQUARE_SERIES = 1e-3, 1e-4

# --- tolerances -------------------------------------------------------------------------------------------

# The smallest `tol` for two moving bodies: rounding of their poses. Unit: size.
FINEST_TOL = 1e-14

# What a loop of first contacts cannot resolve, a hundred roundings. Unit: size. If it makes no progress at a
# gap this small, it has found a contact. Larger: early contacts. Smaller: more undecided cases.
RESOLUTION = 1e-13

# Bodies without radius are stopped at this gap if `tol` is not smaller. Unit: size. Near sharp corners the
# distance exceeds the gap along the best axis; this leaves a reserve for it below `tol`, at no cost.
STOP_GAP = 1e-12

# A turn of fewer radians is a translation: its square underflows.
NO_TURN = 1e-150

# A step that is a smaller share of the motion does not change the time: about 2 eps.
NO_PROGRESS = 5e-16

# Below this gap the difference of nearest points is a poor normal, because its error is rounding / gap. Then
# faces and edges give the normal. Unit: size. Larger: slower. Smaller: less precise normals.
NEAR = 0.02

# Corners whose heights differ by less touch together. Unit: size. Larger: the slow nearest points run more
# often. Smaller: one of two corners is taken for the contact.
TIE = 1e-6

# Squared distances whose ratio is smaller may differ by the rounding of tiny offsets. Unit: 1.
AS_NEAR = 1.0 + 1e-9

# --- angles -----------------------------------------------------------------------------------------------

# Squared sines. Below PARALLEL_SQ two edges have no axis worth a step; below LINE_PARALLEL_SQ two lines have
# no common perpendicular; below NEARLY_PARALLEL_SQ the product of two edges may vanish during a step, so the
# axis at rest is tried too. They decide which bound is used, never a result.
PARALLEL_SQ, LINE_PARALLEL_SQ, NEARLY_PARALLEL_SQ = 1e-12, 1e-16, 1e-2

# Squared sine between an edge and a plane below which the edge belongs to the nearest feature of its body.
# It decides which bound is tried first, never a result.
LEVEL_SQ = 1e-6

# Sine between a normal and a cylinder's axis below which the normal belongs to a cap: the capsule around the
# cylinder would be nearly a ball. It decides which body encloses the cylinder, never a result.
STEEP = 0.03

# --- iteration limits -------------------------------------------------------------------------------------

# Steps of a first contact with one mover. The worst case seen takes 133. Each adds a rounding to the pose.
# At the limit the answer is UNDECIDED, never hit or miss.
MAX_STEPS = 1000

# A screw may take more steps: so many for each turn in which its body is at the height of the target, and
# this many at most. Each turn needs two or more. Further steps cost time, and each a rounding of the pose.
STEPS_PER_TURN, MAX_SCREW_STEPS = 12.0, 100_000.0

# The same with two movers. At a constant gap g steps shrink to sqrt(g); poses are computed from the time, so
# many steps cost time and nothing else.
MAX_STEPS_TWO_MOVERS = 100_000

# So many steps use the bounds that are usually best; later all bounds are tried. Decides speed, not results.
LIKELY_STEPS = 12

# A step is cut once per corner or pair of corners at most, and rarely more than three times.
MAX_CUTS = 70

# From this step on the plane carried by a ball is tried too: it helps where the gap stays tiny along an arc.
BOTH_PLANES = 3

# Newton steps: for the nearest point of a rim (they double their digits), for crossings of two rims (each at
# least halves a bracket of 52 bits), and for a normal between two cylinders.
RIM_STEPS, CROSSING_STEPS, NORMAL_STEPS = 40, 120, 3

# Two cylinders: halvings of a slide along a rim and its first length (radians); rounds of pulling points
# together, and pulls in the first round. Fewer: a gap is reported that no normal proves.
SLIDES, FIRST_SLIDE, ROUNDS, PULLS = 60, 1e-6, 8, 16

# The share of their speed with which bodies usually approach: the length of the first step that is tried.
APPROACH_SHARE = 0.125
