"""Shapes of all classes as rows of one table, for compiled loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ougi._typing import DynamicBatch, Floats, Ints
from ougi.errors import MissingExtraError, UnsupportedPairError
from ougi.impact.tables import require_cylinder
from ougi.kernels.robot.constants import (
    BOX,
    CONE,
    CYLINDER,
    ELLIPSOID,
    HALF_SPACE,
    MESH,
    POINT,
    POLYTOPE,
    SEGMENT,
)
from ougi.kernels.robot.records import LinkShapes
from ougi.shapes import (
    Aabb3d,
    Box,
    Capsule3d,
    Cone,
    ConvexHull3d,
    Cylinder,
    Ellipsoid,
    HalfSpace3d,
    Mesh,
    Point3d,
    Sector3d,
    Segment3d,
    Shape,
    Sphere,
    Triangle3d,
)

# Rounding of bounding balls, in units of their coordinates.
_ROUNDING = 4e-16

# Steps towards the center of the smallest ball around others: its radius is 1 % too large at worst.
_BALL_STEPS = 400


class Row(NamedTuple):
    """One shape in the frame of its joint; see `ougi.kernels.robot.records.LinkShapes`."""

    code: int
    center: Floats
    radius: float
    core_radius: float
    rounding_radius: float
    size: Sequence[float] = ()
    vertices: Floats | None = None
    mesh: Mesh | None = None


def _read_spheres(shape: DynamicBatch) -> Iterable[Row]:
    for center, radius in zip(shape.center, shape.radius, strict=True):
        yield Row(POINT, center, float(radius), 0.0, float(radius))


def _read_points(shape: DynamicBatch) -> Iterable[Row]:
    for center in shape.position:
        yield Row(POINT, center, 0.0, 0.0, 0.0)


def _read_capsules(shape: DynamicBatch) -> Iterable[Row]:
    radii = getattr(shape, "radius", np.zeros(shape.count))
    for start, end, radius in zip(shape.start, shape.end, radii, strict=True):
        half = (end - start) / 2
        length = float(np.linalg.norm(half))
        yield Row(SEGMENT, (start + end) / 2, length + float(radius), length, float(radius), half.tolist())


def _read_boxes(shape: DynamicBatch) -> Iterable[Row]:
    for column in shape.columns("box").T:  # center, half sizes, and the unit vectors of edges
        center, half, edges = column[:3], column[3:6], column[6:15]
        radius = float(np.linalg.norm(half))
        yield Row(BOX, center, radius, radius, 0.0, [*edges, *half])


def _read_triangles(shape: DynamicBatch) -> Iterable[Row]:
    for corners in zip(shape.a, shape.b, shape.c, strict=True):
        yield _bound_vertices(POLYTOPE, np.array(corners))


def _read_hulls(shape: DynamicBatch) -> Iterable[Row]:
    for k in range(shape.count):
        row, radius = _bound_vertices(POLYTOPE, shape[k].vertices), float(shape.radius[k])
        yield row._replace(radius=row.radius + radius, rounding_radius=radius)


def _read_cylinders(shape: DynamicBatch) -> Iterable[Row]:
    require_cylinder("cylinder", shape)
    for center, axis, radius, half in zip(
        shape.center, shape.axis, shape.outer_radius, shape.half_height, strict=True
    ):
        extent = float(np.hypot(radius, half))
        yield Row(CYLINDER, center, extent, extent, 0.0, [*axis, float(radius), float(half)])


def _read_cones(shape: DynamicBatch) -> Iterable[Row]:
    centers, extents = shape._bounding_sphere()
    tips = ((shape.center - centers) * shape.axis).sum(axis=1) + shape.half_height
    for center, extent, axis, radius, tip, half in zip(
        centers, extents, shape.axis, shape.radius, tips, shape.half_height, strict=True
    ):
        extent = float(extent) * (1 + _ROUNDING)
        yield Row(
            CONE, center, extent, extent, 0.0, [*axis, float(radius), float(tip), float(tip - 2 * half)]
        )


def _read_ellipsoids(shape: DynamicBatch) -> Iterable[Row]:
    semi_axes = (shape.rotation * shape.radii[:, None, :]).swapaxes(1, 2).reshape((-1, 9))
    for center, radii, rows in zip(shape.center, shape.radii, semi_axes, strict=True):
        extent = float(radii.max())
        yield Row(ELLIPSOID, center, extent, extent, 0.0, rows.tolist())


def _read_half_spaces(shape: DynamicBatch) -> Iterable[Row]:
    for normal, offset in zip(shape.normal, shape.offset, strict=True):
        yield Row(HALF_SPACE, normal * offset, np.inf, np.inf, 0.0, normal.tolist())


def _read_mesh(mesh: Mesh) -> Iterable[Row]:
    used = mesh._used()
    hull = _find_hull(used)
    center, _ = find_ball(hull, np.zeros(len(hull)))
    radius = float(np.linalg.norm(used - center, axis=1).max())
    yield Row(MESH, center, radius, radius, 0.0, vertices=hull, mesh=mesh)


def _bound_vertices(code: int, vertices: Floats) -> Row:
    center, _ = find_ball(vertices, np.zeros(len(vertices)))
    radius = float(np.linalg.norm(vertices - center, axis=1).max())
    return Row(code, center, radius, radius, 0.0, vertices=vertices)


def _find_hull(vertices: Floats) -> Floats:
    """The vertices of the convex hull; of a flat body all, because it has none."""
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError:
        raise MissingExtraError("mesh", "a robot with meshes") from None
    try:
        hull: Floats = vertices[ConvexHull(vertices).vertices]
    except QhullError:
        return vertices
    return hull


_READERS: dict[type[Shape], Callable[[DynamicBatch], Iterable[Row]]] = {
    Point3d: _read_points,
    Sphere: _read_spheres,
    Segment3d: _read_capsules,
    Capsule3d: _read_capsules,
    Box: _read_boxes,
    Aabb3d: _read_boxes,
    Triangle3d: _read_triangles,
    Cylinder: _read_cylinders,
    Sector3d: _read_cylinders,
    Cone: _read_cones,
    Ellipsoid: _read_ellipsoids,
    ConvexHull3d: _read_hulls,
    HalfSpace3d: _read_half_spaces,
}


def read_rows(shape: Shape) -> list[Row]:
    """The rows of a batch of shapes, in its order."""
    if isinstance(shape, Mesh):
        return list(_read_mesh(shape))
    reader = _READERS.get(type(shape))
    if reader is None:
        known = ", ".join(cls.__name__ for cls in (*_READERS, Mesh) if cls is not Point3d)
        raise UnsupportedPairError(
            f"a robot cannot be checked against a {type(shape).__name__}; use one of: {known}, points, "
            "Compound3d"
        )
    return list(reader(shape.reshape((shape.count,))))


def find_ball(centers: Floats, radii: Floats) -> tuple[Floats, float]:
    """A small ball around balls; the center moves towards the furthest one by shorter and shorter steps."""
    center = (centers.min(axis=0) + centers.max(axis=0)) / 2
    for k in range(_BALL_STEPS if len(centers) > 1 else 0):
        reach = np.linalg.norm(centers - center, axis=1) + radii
        furthest = int(np.argmax(reach))
        center = center + (centers[furthest] - center) / (k + 2)
    radius = float((np.linalg.norm(centers - center, axis=1) + radii).max())
    return center, radius + _ROUNDING * (radius + float(np.abs(centers).max()))


def join_rows(rows: Sequence[Row], joints: Sequence[int]) -> LinkShapes:
    """The table of rows on these joints."""
    n = len(rows)
    size = np.zeros((n, 12))
    first, count, root = (np.zeros(n, np.int64) for _ in range(3))
    vertices: list[Floats] = [np.zeros((1, 3))]
    nodes: list[Floats] = [np.zeros((1, 7))]
    children: list[Ints] = [np.zeros((1, 2), np.int64)]
    triangles: list[Floats] = [np.zeros((1, 9))]
    n_vertices = n_nodes = n_triangles = 1  # arrays of no rows would be loops of another kind
    for k, row in enumerate(rows):
        size[k, : len(row.size)] = row.size
        if row.vertices is not None:
            first[k], count[k] = n_vertices, len(row.vertices)
            vertices.append(row.vertices)
            n_vertices += len(row.vertices)
        if row.mesh is not None:
            tree, corners = row.mesh._tree(), row.mesh.vertices[row.mesh.faces].reshape((-1, 9))
            is_leaf = tree.leaf >= 0
            pair = np.stack([tree.first, tree.second], axis=1) + n_nodes
            pair[is_leaf, 0], pair[is_leaf, 1] = -1, tree.leaf[is_leaf] + n_triangles
            root[k] = n_nodes
            nodes.append(np.column_stack([tree.center, tree.half, tree.radius]))
            children.append(pair)
            triangles.append(corners)
            n_nodes, n_triangles = n_nodes + len(tree.leaf), n_triangles + len(corners)
    radius = np.array([[row.radius, row.core_radius, row.rounding_radius] for row in rows], np.float64)
    radius = radius.reshape((n, 3))
    radius[:, :2] *= 1 + _ROUNDING
    return LinkShapes(
        np.array([row.code for row in rows], np.int64),
        np.array(joints, np.int64),
        np.array([row.center for row in rows], np.float64).reshape((n, 3)),
        radius,
        size,
        first,
        count,
        root,
        np.ascontiguousarray(np.concatenate(vertices)),
        np.ascontiguousarray(np.concatenate(nodes)),
        np.ascontiguousarray(np.concatenate(children)),
        np.ascontiguousarray(np.concatenate(triangles)),
    )
