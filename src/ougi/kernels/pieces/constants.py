"""Every number that decides in a kernel of pieces of sectors; see `ougi.kernels.constants`."""

from __future__ import annotations

# Rank of a record that is a sector; other ranks are those of `ougi.kernels.convex.constants`.
SECTOR = 7

# Steps of GJK between two pieces. Each about halves the angle to the normal. Unit: 1.
# Smaller: distances are too large, and such steps are too short.
MAX_PIECE_STEPS = 100

# How often GJK begins anew with other corners where slivers do not let it go on. Unit: 1.
# Smaller: more results are undecided. Larger: such distances take longer.
MAX_RESTARTS = 2

# Distance beyond which nearest points give the normal, off by rounding over the distance. That of the best
# bound is off by the root of rounding. Unit: size. Larger or smaller: normals are less precise.
DIRECT = 1e-7

# Share of a distance by which its bounds may differ while bodies advance. Unit: 1.
# Larger: steps are shorter. Smaller: each step takes longer.
ROUGH = 1e-2

# Share of the tolerance of a first contact by which a piece may stand out of its sector. Unit: 1.
# Larger: less of the tolerance is left for the gap. Smaller: more pieces.
BULGE_SHARE = 0.125

# Share of the tolerance at which a gap is closed, and by which it may be larger if no plane parts the pieces;
# the rest is left for two bulges. Unit: 1. Larger: bodies are farther apart when they touch. Smaller: more
# results are undecided.
CLOSED_SHARE, STUCK_SHARE = 0.5, 0.25

# Share of the time of a contact of pieces from which on their parts are followed. Unit: 1.
# Larger: parts may overlap from there on, by rounding. Smaller: more steps.
EARLIER = 0.99

# Pairs of pieces after which a result is undecided. Where a round body fills a hole up to a gap g of its
# radius, there are about 3 / sqrt(g) of them. Unit: 1.
MAX_PIECES = 50_000

# Rows of the stack of pieces of a pair: each of 26 divisions on either side adds one to the first four.
# Unit: 1.
STACK_SIZE = 64

# Share of a distance by which a piece may stand out of its sector where only distances are known. Unit: 1.
# Larger: steps are shorter. Smaller: more pieces.
BULGE_OF_GAP = 0.125

# Steps of the first pair of pieces after which it is undecided; the k-th pair has 1 / k of these, but no
# fewer than the second number. Unit: 1.
# Larger: where a body follows a wall for long, more results are decided, each after more time.
MAX_STEPS_OF_PIECES, MIN_STEPS_OF_PIECES = 100_000, 200

# Sine of the angle, and distance as a share of the size, up to which a body turns about its own axis: 4 eps.
# Larger: a body that is round about its axis may be off by as much. Smaller: its turns take many steps.
OWN_AXIS = 1e-15

# How often the radius of a rounded sector is halved to measure a depth. Unit: 1.
# Fewer: small depths count as 0. More: overlaps without a depth take longer.
MAX_HALVINGS = 20

# Share of its radius up to which the distance of a rounded sector's core counts as known. Unit: 1.
# Larger: depths are smaller. Smaller: more pieces.
NEAR_CORE = 0.25
