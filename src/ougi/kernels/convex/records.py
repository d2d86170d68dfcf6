"""The record of a convex polytope, and how it is read from columns."""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import borrow, device
from ougi._typing import Floats
from ougi.kernels.load import load_vec3
from ougi.kernels.records import Frame, Vec3


class Hull3d(NamedTuple):
    """A convex polytope with a radius: a template of vertices, in a frame, scaled along its axes.

    `numbers` holds the templates of the whole batch. `vertices`, `faces` and `edges` say where those of this
    one begin: blocks of eight vertices (`find_furthest`), four numbers for a face (outward normal and its
    support) and four for an edge (two vertices, two faces). A scale other than 1 needs faces that are square
    to the axes. `rank` is the dimension of the template: 0 for a point, 1 for a segment, 2 for a polygon, 3
    for a solid. `reach` is the radius of a ball about the center of the frame that holds all vertices.
    """

    numbers: Floats
    frame: Frame
    scale: Vec3
    radius: float
    size: float
    reach: float
    rank: int
    vertices: int
    vertex_count: int
    faces: int
    face_count: int
    edges: int
    edge_count: int


@device
def load_hull3d(c: Floats, i: int) -> Hull3d:
    """The templates lie behind the rows of the records, in the same memory."""
    frame = Frame(load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i), load_vec3(c, 9, i))
    return Hull3d(
        borrow(c.ravel()), frame, load_vec3(c, 12, i), c[15, i], c[16, i], c[17, i], int(c[18, i]),
        int(c[19, i]), int(c[20, i]), int(c[21, i]), int(c[22, i]), int(c[23, i]), int(c[24, i]),
    )  # fmt: skip


@device
def load_solid3d(c: Floats, i: int) -> Hull3d:
    """A convex solid: a hull, or by its rank a cylinder, cone or ellipsoid with three sizes as its scale."""
    return load_hull3d(c, i)


@device
def load_polygon2d(c: Floats, i: int) -> Hull3d:
    """A polygon of the plane is a flat one of space, at z = 0."""
    return load_hull3d(c, i)
