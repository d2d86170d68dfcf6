"""Queries of meshes: of their triangles, by their trees of boxes, and of what solid ones enclose."""

from __future__ import annotations

import math

import numpy as np

from ougi import _check
from ougi._native import each
from ougi._typing import Array, ArrayLike, DTypeLike, DynamicBatch, Floats, Ints
from ougi.errors import UnsupportedPairError
from ougi.kernels.constants import BAND
from ougi.kernels.mesh.pairs import (
    find_nearest_triangle,
    find_nearest_triangles,
    find_touching_triangle,
    find_touching_triangles,
)
from ougi.query.dispatch import compute_pairs, find_triangle_partners
from ougi.query.inside import find_enclosed, find_inside
from ougi.query.trees import (
    get_pose,
    get_tree,
    get_turned_boxes,
    has_bodies,
    list_near_triangles,
    make_bodies,
    make_workspace,
    take_triangles,
)
from ougi.shapes import Mesh, Point3d, Shape, Sphere

# Bodies that one thread compares with a mesh at a time.
_CHUNK = 512


def compute_mesh_pairs(
    question: str, verb: str, a: Shape, b: Shape, pairs: ArrayLike | None, rows: int | None, dtype: DTypeLike
) -> tuple[Array, bool]:
    """`compute_pairs` where a or b is a mesh."""
    _require_support(question, verb, a, b)
    if pairs is not None:
        index = _check.pairs(pairs, a.count, b.count)
        batch: tuple[int, ...] = (len(index),)
    else:
        batch = _check.broadcast_shape(a=a.shape, b=b.shape)
        index = _list_cases(a, b, math.prod(batch))
    if question == "intersects":
        touching = find_enclosed(a, b, index)
        rest = np.flatnonzero(~touching)
        touching[rest] = find_touching_rows(a, b, index[rest])[:, 0] >= 0
        return touching.reshape(batch), False
    lead = () if rows is None else (rows,)
    if a.solid and isinstance(b, _BALLS):
        out = _compute_ball_pairs(question, verb, b, a, index[:, 1], rows)
        return out.reshape((*lead, *batch)), True
    if b.solid and isinstance(a, _BALLS):
        out = _compute_ball_pairs(question, verb, a, b, index[:, 0], rows)
        return out.reshape((*lead, *batch)), False
    out, swapped = _compute_nearest(question, verb, a, b, index, rows)
    signed = out if rows is None else out[0]
    np.maximum(signed, 0.0, out=signed)  # no depths: what overlaps has the distance 0
    signed[find_enclosed(a, b, index)] = 0.0
    return out.reshape((*lead, *batch)), swapped


def _list_cases(a: Shape, b: Shape, n: int) -> Ints:
    """(n, 2), cases of two shapes, one of which is a single mesh."""
    bodies = np.arange(n)
    return np.stack([np.zeros_like(bodies) if isinstance(x, Mesh) else bodies for x in (a, b)], axis=-1)


def measure_part_gaps(a: Shape, b: Shape, n: int) -> Floats:
    """For n cases: minus the depth of two parts that touch, 0 for what a solid mesh encloses, else infinity.

    The depth of one pair of parts is a lower bound: mesh and body touch at least as long as these parts do.
    """
    index = _list_cases(a, b, n)
    touching = find_touching_rows(a, b, index)
    gap = np.full(n, np.inf)
    gap[find_enclosed(a, b, index)] = 0.0
    rows = np.flatnonzero(touching[:, 0] >= 0)
    if len(rows):
        parts = [take_parts(shape, touching[rows, k]) for k, shape in enumerate((a, b))]
        out, _ = compute_pairs("separation", "contacts", parts[0], parts[1], None, 10, np.float64)
        gap[rows] = np.minimum(out[0], 0.0)
    return gap


# Bodies that can lie at a depth in a solid mesh; others that overlap it have the distance 0.
_BALLS = (Point3d, Sphere)


def _compute_ball_pairs(
    question: str, verb: str, balls: Shape, mesh: DynamicBatch, which: Ints, rows: int | None
) -> Floats:
    """Distances and nearest points of balls and a solid mesh: those of the centers, less the radius."""
    center, radius = (x[which] for x in balls.reshape((balls.count,))._bounding_sphere())
    points = Point3d._from_fields((len(which),), {"position": center})
    case = np.arange(len(which))
    index = np.stack([case, np.zeros_like(case)], axis=-1)
    nearest = find_nearest_rows(points, mesh, index)
    faces = take_triangles(mesh, nearest[:, 1])
    out: Floats
    out, _ = compute_pairs(question, verb, points, faces, None, rows, np.float64)
    outward = np.where(find_inside(mesh, center), -1.0, 1.0)
    signed = out if rows is None else out[0]
    gap = np.abs(signed)
    signed[:] = outward * gap - radius
    if rows is not None:
        out[1:4] *= outward
        _orient_at_surface(out[1:4], gap, center, faces)
        out[4:7] += radius * out[1:4]
    return out


def _orient_at_surface(normal: Floats, gap: Floats, center: Floats, faces: DynamicBatch) -> None:
    """Point normals (3, n) into the solid where rounding hides on which side of a face a center lies."""
    down = np.cross(faces.c - faces.a, faces.b - faces.a)
    length = np.linalg.norm(down, axis=-1)
    size = np.abs(np.stack([center, faces.a, faces.b, faces.c])).max(axis=(0, 2))
    rows = np.flatnonzero((gap <= BAND * size) & (length > 0))
    normal[:, rows] = (down[rows] / length[rows, None]).T


def _require_support(question: str, verb: str, a: Shape, b: Shape) -> None:
    named = f"{verb}({', '.join('points' if 'Point' in (n := type(x).__name__) else n for x in (a, b))})"
    if a.dimension != b.dimension:
        flat, other = sorted((a, b), key=lambda x: x.dimension)
        raise UnsupportedPairError(
            f"{named} is not supported: {type(flat).__name__} is 2-D and {type(other).__name__} is 3-D"
        )
    if verb == "contains" and not a.solid:
        raise UnsupportedPairError(
            f"{named} is not supported: this Mesh is a surface and contains no points; "
            "Mesh(..., solid=True) is a volume"
        )
    balls_in_solid = any(
        isinstance(x, Mesh) and x.solid and isinstance(y, _BALLS) for x, y in ((a, b), (b, a))
    )
    if verb == "contacts" and not balls_in_solid:
        raise UnsupportedPairError(
            f"{named} is not supported: a Mesh has no penetration depth, except for points and balls in a "
            "solid one; use closest_points"
        )
    partners = find_triangle_partners(question)
    if not all(isinstance(x, Mesh) or type(x) in partners for x in (a, b)):
        others = ", ".join(cls.__name__ for cls in partners).replace("Point3d", "points")
        raise UnsupportedPairError(f"{named} is not supported; a Mesh can be tested against: Mesh, {others}")


def _compute_nearest(
    question: str, verb: str, a: Shape, b: Shape, index: Ints, rows: int | None
) -> tuple[Floats, bool]:
    """Results of the nearest triangles of cases (n, 2), and whether a and b were swapped."""
    nearest = find_nearest_rows(a, b, index)
    parts = [take_parts(shape, nearest[:, k]) for k, shape in enumerate((a, b))]
    out: Floats
    out, swapped = compute_pairs(question, verb, parts[0], parts[1], None, rows, np.float64)
    return out, swapped


def take_parts(shape: Shape, which: Ints) -> Shape:
    """Triangles of a mesh by the rows of its tree, or bodies of a batch."""
    return take_triangles(shape, which) if isinstance(shape, Mesh) else shape.reshape((shape.count,))[which]


def find_touching_rows(a: Shape, b: Shape, index: Ints) -> Ints:
    """For cases (n, 2), rows of two parts that touch; -1 where there are none.

    Parts are triangles of a mesh, by the rows of its tree, and bodies of a batch.
    """
    return _find_rows(a, b, index, nearest=False)


def find_nearest_rows(a: Shape, b: Shape, index: Ints) -> Ints:
    """For cases (n, 2), rows of the nearest parts; of those that touch, the first found."""
    return _find_rows(a, b, index, nearest=True)


def _find_rows(a: Shape, b: Shape, index: Ints, *, nearest: bool) -> Ints:
    if isinstance(a, Mesh) and isinstance(b, Mesh):
        row = find_rows_of_meshes(a, b, get_pose(a), get_pose(b), nearest=nearest)
        return np.repeat(row, len(index), axis=0)
    column = 0 if isinstance(a, Mesh) else 1
    mesh, bodies = (a, b) if column == 0 else (b, a)
    which = index[:, 1 - column].copy()  # loops take no read-only indices
    rows = np.empty((len(index), 2), np.int64)
    rows[:, 1 - column] = which
    if has_bodies(bodies):
        rows[:, column] = _find_triangles(mesh, bodies, which, nearest=nearest)
    else:
        rows[:, column] = _list_triangles(mesh, bodies, which, nearest=nearest)
    rows[rows[:, column] < 0] = -1
    return rows


def find_rows_of_meshes(
    a: DynamicBatch, b: DynamicBatch, pose_a: Floats, pose_b: Floats, *, nearest: bool
) -> Ints:
    """For poses of both meshes (n, 12): rows (n, 2) of the nearest triangles, or of two that touch, or -1."""
    n = len(pose_a)
    rows = np.empty((n, 2), np.int64)
    trees, work = (get_tree(a), get_tree(b)), make_workspace()
    if nearest:
        turned = (get_turned_boxes(a), get_turned_boxes(b))
        find_nearest_triangles(*trees, *turned, pose_a, pose_b, rows, np.empty(n), work, 0, n)
    else:
        find_touching_triangles(*trees, pose_a, pose_b, rows, work, 0, n)
    return rows


def _find_triangles(mesh: DynamicBatch, shape: Shape, which: Ints, *, nearest: bool) -> Ints:
    """For bodies that loops know: the row of the nearest triangle, or of one that touches, or -1."""
    tree, pose, bodies = get_tree(mesh), get_pose(mesh), make_bodies(shape)
    rows, gaps = np.empty(len(which), np.int64), np.empty(len(which))

    def find(start: int) -> None:
        stop, work = min(start + _CHUNK, len(which)), make_workspace()
        if nearest:
            find_nearest_triangle(tree, pose, bodies, which, rows, gaps, work, start, stop)
        else:
            find_touching_triangle(tree, pose, bodies, which, rows, work, start, stop)

    each(find, range(0, len(which), _CHUNK))
    return rows


def _list_triangles(mesh: DynamicBatch, shape: Shape, which: Ints, *, nearest: bool) -> Ints:
    """The same for other bodies: their kernels judge all triangles that balls around them do not exclude."""
    center, radius = (x[which] for x in shape.reshape((shape.count,))._bounding_sphere())
    rows = np.full(len(which), -1)
    if nearest:
        points = Point3d._from_fields((len(which),), {"position": center})
        guess = _find_triangles(mesh, points, np.arange(len(which)), nearest=True)
        upper, _ = compute_pairs(
            "distance",
            "distance",
            take_parts(shape, which),
            take_triangles(mesh, guess),
            None,
            None,
            np.float64,
        )
        radius = radius + np.maximum(upper, 0.0)
    case, row = list_near_triangles(mesh, center, radius).T
    question, dtype = ("distance", np.float64) if nearest else ("intersects", np.bool_)
    found, _ = compute_pairs(
        question, question, take_parts(shape, which[case]), take_triangles(mesh, row), None, None, dtype
    )
    if not nearest:
        rows[case[found]] = row[found]
        return rows
    order = np.lexsort((row, found, case))
    cases, first = np.unique(case[order], return_index=True)
    rows[cases] = row[order[first]]
    return rows
