"""Every number that decides in a kernel of manifolds; see `ougi.kernels.constants`."""

from __future__ import annotations

# Points of a manifold, at most.
MAX_POINTS = 4

# Sine of the angle between the normal of a contact and that of a face, or the plane of an edge, up to which
# these lie on each other. Unit: 1. Larger: contacts of two edges get points of the faces beside them.
# Smaller: bodies that rock on a face get one point at times.
ALIGNED_SINE = 0.05

# Cosine of that angle below which a face is seen edge-on, so its edges are used. Unit: 1.
# Larger: tilted faces give fewer points. Smaller: depths at points of steep faces are less precise.
STEEP_COSINE = 0.1

# Cosines of angles that differ by less are equal: of such faces the first one of the body counts, in whatever
# pose it is. Unit: 1. Larger: a face that is turned away more may be used. Smaller: rounding decides.
SAME_COSINE = 1e-9

# How far from a face or an edge the point of a contact may be that lies on it. Unit: size.
# Larger: faces beside it are taken for its own. Smaller: rounding loses the face, and a single point is left.
ON_FEATURE = 1e-9

# The same of rounded bodies at most, whose points are less precise. Unit: size of the smaller body.
# Larger: edges beside a corner are taken for its own. Smaller: rounding leaves a single point.
MAX_ASIDE = 1e-4

# How far outside of a face a point may lie that is clipped by it, and how much less deep than the deepest
# point another one is that is as deep. Unit: size. Larger: points lie beside their face by more.
# Smaller: rounding drops points where faces end together.
CLIP_ROUNDING = 1e-12

# Distance up to which two points are one. Unit: size of the smaller body.
# Larger: thin contacts lose points. Smaller: points are listed twice.
SAME_POINT = 1e-9
