"""Every number that decides in a kernel of meshes; see `ougi.kernels.constants`."""

from __future__ import annotations

from ougi.kernels.constants import EPS

# What a body beside a mesh is: the layout of its columns.
SPHERE, CAPSULE, TRIANGLE, BOX = 0, 1, 2, 3

# Entries of a stack that any two trees of fewer than 2**31 triangles can need together.
STACK_SIZE = 128

# Rounding of the sheared corners of a ray. Unit: their distance from the ray's origin. Boxes are grown by it.
# Larger: more boxes are opened. Smaller: a ray along the face of a box may miss the triangles in it.
RAY_GROWTH = 16.0 * EPS

# Axes of a turned box: sweeps of Jacobi's rotations, and the covariance, as a share of the trace, that is
# left between two axes. Fewer or larger: boxes are looser. Neither decides a result.
JACOBI_SWEEPS, DIAGONAL = 5, 1e-9

# A span is halved while its bound of motion exceeds this share of the sizes of both nodes; then nodes are
# halved. Unit: size. Larger or smaller: slower. It decides how much is compared, never a result.
HALVED_SHARE = 0.5

# The same of two triangles: this share of the smaller one, or that of the larger one. Unit: size.
# Larger: more pairs of triangles are listed. Smaller: more spans are compared.
LEAF_SHARE, LARGE_LEAF_SHARE = 0.25, 0.01

# Spans that are not halved any more: of nodes, because many spans cost time, and of two triangles. Unit: the
# motion. Shorter: slower. Longer: more pairs of triangles are listed.
SHORTEST_SPAN, SHORTEST_LEAF_SPAN = 2.0**-12, 2.0**-24

# While two meshes touch: of so many pairs of triangles that touch, the one that does so for longest is
# followed, until its advances are smaller than this share of the first one. Larger: fewer advances, but
# slower ones. They decide how many advances are made, never a result.
FOLLOWED_PAIRS, FOLLOWED_SHARE = 16, 0.25
