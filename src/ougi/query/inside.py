"""Which points does a solid mesh contain? Decided exactly, for coordinates as they are given.

A vertical ray from the point counts the faces above it: +1 where it leaves the solid, -1 where it enters. The
sum is the winding number. A ray through an edge or a vertex is moved sideways by an infinitesimal amount, so
it passes every edge on one side. Signs of determinants decide; those that rounding leaves open are computed
again in whole numbers.
"""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Pose
from ougi.query.trees import list_faces_above
from ougi.shapes import Compound, ConvexHull3d, ConvexPolygon2d, Mesh, Sector3d, Shape
from ougi.shapes.closed import label_parts
from ougi.shapes.exact import find_exact_sign
from ougi.shapes.polytope import group_templates

# Determinants of order 2 and 3 are right in sign above this share of the sum of their products (Shewchuk
# 1997, first stage), unless the products underflow.
_EPSILON_2D, _EPSILON_3D, _UNDERFLOW = 2.0**-51, 2.0**-50, 1e-290


def find_inside(mesh: Mesh, points: Floats) -> Bools:
    """Which points (n, 3) have a positive winding number? Those on the surface may be inside or outside."""
    inside: Bools = compute_windings(mesh, points) > 0
    return inside


def compute_windings(mesh: Mesh, points: Floats) -> Ints:
    """How often the faces of a closed mesh go round points (n, 3); 1 for points on a face."""
    case, face = list_faces_above(mesh, points).T
    corners, p = mesh._get_corners(face), points[case]
    above = corners[..., 2].max(axis=1) >= p[:, 2]
    case, corners, p = case[above], corners[above], p[above]
    turns = _count_turns(corners[..., :2], p[:, :2])
    crossed = turns != 0
    case, corners, p, turns = case[crossed], corners[crossed], p[crossed], turns[crossed]
    height = turns * _find_signs_3d(corners[:, 0], corners[:, 1], corners[:, 2], p)
    winding = np.bincount(case, turns * (height > 0), minlength=len(points)).astype(np.int64)
    winding[case[height == 0]] = 1  # on the face itself
    return winding


def _count_turns(corners: Floats, p: Floats) -> Ints:
    """How often do triangles (n, 3, 2) go round p, counter-clockwise? Edges through p lie to its left."""
    turns = np.zeros(len(p), np.int64)
    for k in range(3):
        a, b = corners[:, k], corners[:, (k + 1) % 3]
        rises = (a[:, 1] <= p[:, 1]) & (p[:, 1] < b[:, 1])
        falls = (b[:, 1] <= p[:, 1]) & (p[:, 1] < a[:, 1])
        rows = np.flatnonzero(rises | falls)
        sign = _find_signs_2d(a[rows], b[rows], p[rows])
        turns[rows] += np.where(rises[rows], sign > 0, -(sign < 0).astype(np.int64))
    return turns


def _find_signs_2d(a: Floats, b: Floats, p: Floats) -> Ints:
    """Is p to the left (1) or to the right (-1) of the lines from a to b, or on them (0)?"""
    u, v = a - p, b - p
    left, right = u[:, 0] * v[:, 1], u[:, 1] * v[:, 0]
    determinant = left - right
    error = _EPSILON_2D * (np.abs(left) + np.abs(right)) + _UNDERFLOW
    vanishes = ((u[:, 0] == 0) | (v[:, 1] == 0)) & ((u[:, 1] == 0) | (v[:, 0] == 0))
    return _resolve_signs(determinant, error, vanishes, np.stack([a, b, p], axis=1))


def _find_signs_3d(a: Floats, b: Floats, c: Floats, p: Floats) -> Ints:
    """Is p below (1), above (-1) or on (0) the planes through a, b and c, counter-clockwise from above?"""
    rows = a - p, b - p, c - p
    determinant, total = np.zeros(len(p)), np.zeros(len(p))
    for k in range(3):
        u, v, w = rows[k], rows[(k + 1) % 3], rows[(k + 2) % 3]
        left, right = v[:, 0] * w[:, 1], v[:, 1] * w[:, 0]
        determinant += u[:, 2] * (left - right)
        total += np.abs(u[:, 2]) * (np.abs(left) + np.abs(right))
    vanishes = (rows[0][:, 2] == 0) & (rows[1][:, 2] == 0) & (rows[2][:, 2] == 0)
    error = _EPSILON_3D * total + _UNDERFLOW
    return _resolve_signs(determinant, error, vanishes, np.stack([a, b, c, p], axis=1))


def _resolve_signs(determinant: Floats, error: Floats, vanishes: Bools, points: Floats) -> Ints:
    signs = np.where(vanishes, 0, np.sign(determinant)).astype(np.int64)
    for i in np.flatnonzero((np.abs(determinant) <= error) & ~vanishes):
        signs[i] = find_exact_sign(points[i].tolist())
    return signs


def find_enclosed(a: Shape, b: Shape, index: Ints) -> Bools:
    """For which pairs (n, 2) does a solid mesh contain a point of the other body?

    One point of each connected part is tested. So a body that is not found either lies outside or touches the
    surface.
    """
    enclosed = np.zeros(len(index), np.bool_)
    for outer, inner, column in ((a, b, 1), (b, a, 0)):
        if not (isinstance(outer, Mesh) and outer.solid):
            continue
        points = get_points(inner)
        if isinstance(inner, Mesh):
            enclosed |= find_inside(outer, points).any()
        else:
            enclosed |= find_inside(outer, points[index[:, column]])
    return enclosed


def _find_seeds(mesh: Mesh) -> Ints:
    """One face of each connected part, found on first use."""
    found: Ints | None = mesh.__dict__.get("_seeds")
    if found is None:
        part = label_parts(mesh.faces, len(mesh.vertices))[mesh.faces[:, 0]]
        found = mesh.__dict__["_seeds"] = np.unique(part, return_index=True)[1]
    return found


def get_points(shape: Shape) -> Floats:
    """A point of each shape of a batch, flattened; for a mesh, a point of each connected part."""
    if isinstance(shape, Mesh):
        return shape._get_corners(_find_seeds(shape._source))[:, 0]
    if isinstance(shape, Compound | ConvexHull3d | ConvexPolygon2d):
        local = np.empty((shape.count, shape.dimension))
        for template, rows in group_templates(shape.template):
            is_hull = not isinstance(shape, Compound)
            local[rows] = (template.vertices if is_hull else get_points(template.shapes[0]))[
                0, : local.shape[1]
            ]
        points = Pose._of(shape.position, shape.rotation)._apply(local.reshape(shape.position.shape))
    elif isinstance(shape, Sector3d):  # the center lies in the hole of a ring
        points = shape.center + shape.outer_radius[..., None] * shape.direction
    else:
        points = getattr(shape, next(iter(shape._fields)))  # a center or a corner
    return np.asarray(points).reshape((-1, shape.dimension))
