"""Arrays of a robot as compiled loops take them. One row is one joint, shape or pair."""

from __future__ import annotations

from typing import NamedTuple

from ougi._typing import Floats, Ints


class Joints(NamedTuple):
    """A tree of joints with one degree of freedom each, parents before children.

    Attributes
    ----------
    parent
        (n,), the joint above; -1 at the base.
    depth
        (n,), how many joints are above.
    turns
        (n,), 1 for a rotation about the axis, 0 for a translation along it.
    origin
        (n, 12), the pose in the frame of the parent at the value 0: rotation by rows, then translation.
    axis
        (n, 3), unit vectors in the own frame.
    source
        (n,), the column of the configuration that a joint follows.
    factor, offset
        (n,), the value of a joint is `factor * column + offset`.
    """

    parent: Ints
    depth: Ints
    turns: Ints
    origin: Floats
    axis: Floats
    source: Ints
    factor: Floats
    offset: Floats


class LinkShapes(NamedTuple):
    """Shapes in the frames of joints. Every shape is a core and a radius around it.

    Attributes
    ----------
    code
        (n,), `POINT`, `SEGMENT`, ... of `kernels.robot.constants`.
    joint
        (n,), the joint whose frame a shape is in; -1 for the world.
    center
        (n, 3), of the bounding ball.
    radius
        (n, 3), of the bounding ball of the shape, of that of its core, and the radius around the core.
    size
        (n, 12), what the core is. Segment: half of it as a vector. Box: three unit vectors, half sizes.
        Cylinder: unit vector of its axis, radius, half height. Cone: unit vector of its axis, radius, heights
        of tip and base above the center of the ball. Ellipsoid: semi-axes as vectors. Half-space: unit vector
        of its normal; its ball is about a point of the surface and has no end.
    first, n_vertices
        (n,), the rows of `vertices` of a polytope, or of the hull of a mesh.
    root
        (n,), the root in `nodes` of a mesh.
    vertices
        (m, 3).
    nodes
        (k, 7), of trees: center and half sizes of a box in the frame of the joint, and the radius of a ball
        about the center. Both hold all triangles below.
    children
        (k, 2), the children of a node; of a leaf -1 and its triangle.
    triangles
        (t, 9).
    """

    code: Ints
    joint: Ints
    center: Floats
    radius: Floats
    size: Floats
    first: Ints
    n_vertices: Ints
    root: Ints
    vertices: Floats
    nodes: Floats
    children: Ints
    triangles: Floats


class Pairs(NamedTuple):
    """Pairs of shapes to check. Pairs of groups come first; each stands for the pairs of its members.

    Attributes
    ----------
    row
        (n, 5), the shapes a and b, the level, and the first and last row of the pairs that a pair of groups
        stands for, or 0 and 0. The bounding ball of a group is a shape of its own. The level is how many
        joints lie above both: motion is measured relative to the last of these.
    n_groups
        How many pairs of groups there are.
    """

    row: Ints
    n_groups: int


class RobotWorkspace(NamedTuple):
    """Memory for one configuration after the other.

    Attributes
    ----------
    value, change, rate
        (n,), the values of joints, by how much they can change, and the part of the change that is linear in
        time, with its sign.
    pose
        (n + 1, 12), of joints in the world; the last one is the world's.
    axis
        (n, 3), of joints in the world.
    place
        (s, 3), centers of bounding balls.
    motion
        (s, d), how far a point of a core can move relative to the frame above the joint of each depth.
    stamp
        (s + 1,), the configuration that `place` and `motion` belong to; the last one is the present one.
    open
        Rows of pairs that are not decided: all pairs of groups, the members of those that are not proven, and
        one list for each time that the interval was halved.
    bounds
        (lists + 1,), where these lists begin.
    stack
        (.,), pairs of nodes of two trees.
    simplex
        (5, 9), points of a Minkowski difference, and of the two bodies; then the direction of a lower bound.
    guess
        (pairs, 3), the direction of the last lower bound of each pair in the frame of its second shape, or 0.
    """

    value: Floats
    change: Floats
    rate: Floats
    pose: Floats
    axis: Floats
    place: Floats
    motion: Floats
    stamp: Ints
    open: Ints
    bounds: Ints
    stack: Ints
    simplex: Floats
    guess: Floats
