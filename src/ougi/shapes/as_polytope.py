"""Every convex body, with a radius, as the record `Hull3d`: polytopes, cylinders, cones and ellipsoids."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ougi._typing import ArrayLike, DynamicBatch, Floats
from ougi.kernels.convex.constants import CONE, CYLINDER, ELLIPSOID, VERTEX_BLOCK
from ougi.shapes.polytope import (
    FLAT,
    PlacedTemplates,
    Polytope,
    Templates,
    find_normals,
    group_templates,
    join_bodies,
    lay_out,
    make_cube,
    make_point,
    make_segment,
    make_square,
    pack_templates,
)


def lay_out_hulls(*shapes: DynamicBatch) -> Floats:
    """The columns of batches of any convex bodies as hulls; bodies of the plane lie at z = 0."""
    return lay_out(join_bodies([_describe(shape) for shape in shapes]))


@functools.cache
def _get_templates(make: Callable[[], Polytope]) -> Templates:
    return pack_templates([make()])


def _describe(shape: DynamicBatch) -> PlacedTemplates:
    if hasattr(shape, "faces"):
        return _from_corners(shape)
    fields = {name: getattr(shape, name) for name in shape._fields}
    if hasattr(shape, "_solid"):
        return _from_solids(shape)
    if "template" in fields:
        return _from_templates(shape)
    if {"a", "b", "c"} <= fields.keys():
        return _from_triangles(shape)
    if "start" in fields:
        return _from_segments(shape)
    if "lower" in fields:
        center, half = (shape.lower + shape.upper) / 2, (shape.upper - shape.lower) / 2
        return _from_boxes(shape, center, half, np.eye(shape.dimension))
    if "size" in fields:
        axes = shape.rotation if shape.dimension == 3 else np.stack(shape._axes(), axis=-1)
        return _from_boxes(shape, shape.center, shape.size / 2, axes)
    center = shape.position if "position" in fields else shape.center
    return _make_bodies(shape, center, np.eye(shape.dimension), 1.0, _get_templates(make_point))


def _from_corners(mesh: DynamicBatch) -> PlacedTemplates:
    """The corners of a mesh, without faces and edges. Its support points are those of its convex hull."""
    source = mesh._source
    found: tuple[Templates, Floats] | None = source.__dict__.get("_corners")
    if found is None:
        corners = source._used()
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        none = np.empty((0, 4))
        cloud = Polytope(corners - middle, none, none.astype(np.int64), np.empty((0, 3), np.int64), 3)
        found = source.__dict__["_corners"] = pack_templates([cloud]), middle
    templates, middle = found
    pose = mesh._pose
    return _make_bodies(mesh, pose._apply(middle), pose.rotation, 1.0, templates)


def _make_bodies(
    shape: DynamicBatch,
    center: Floats,
    axes: Floats,
    scale: ArrayLike,
    templates: Templates,
    index: ArrayLike = 0,
) -> PlacedTemplates:
    """Arrays over the flattened batch; those of the plane get a third coordinate."""
    n, d = shape.count, shape.dimension
    full = np.zeros((n, 3))
    full[:, :d] = np.broadcast_to(center, (*shape.shape, d)).reshape((n, d))
    turned = np.zeros((n, 3, 3))
    turned[:, 2, 2] = 1.0
    turned[:, :d, :d] = np.broadcast_to(axes, (*shape.shape, d, d)).reshape((n, d, d))
    sizes = np.ones((n, 3))
    if np.ndim(scale):
        width = np.shape(scale)[-1]
        sizes[:, :width] = np.broadcast_to(scale, (*shape.shape, width)).reshape((n, width))
    radius = np.broadcast_to(getattr(shape, "radius", 0.0), shape.shape).reshape((n,))
    return PlacedTemplates(full, turned, sizes, radius, templates, np.broadcast_to(index, (n,)))


# The ranks of curved solids, as kernels read them.
_RANKS = {"cylinder": CYLINDER, "cone": CONE, "ellipsoid": ELLIPSOID}


def _from_solids(shape: DynamicBatch) -> PlacedTemplates:
    """Cylinders, cones and ellipsoids have no vertices, but sizes along three axes, and no radius around."""
    center, axes, scale, kind = shape._solid()
    none = np.zeros((1, 3), np.int64)
    template = Templates(
        np.empty(0), none, none, np.array([_RANKS[kind]]), np.ones((1, 3)), np.array([np.sqrt(3.0)])
    )
    bodies = _make_bodies(shape, center, axes, scale, template)
    return bodies._replace(radius=np.zeros(shape.count))


def _from_templates(shape: DynamicBatch) -> PlacedTemplates:
    groups = group_templates(shape.template)
    index = np.empty(shape.count, np.int64)
    for k, (_, rows) in enumerate(groups):
        index[rows] = k
    templates = pack_templates([template for template, _ in groups])
    return _make_bodies(shape, shape.position, shape.rotation, 1.0, templates, index)


def _from_triangles(shape: DynamicBatch) -> PlacedTemplates:
    """A template for each, relative to its middle. One without area is a segment or a point."""
    n, d = shape.count, shape.dimension
    corners = np.zeros((n, 3, 3))
    for k, name in enumerate(("a", "b", "c")):
        corners[:, k, :d] = getattr(shape, name).reshape((n, d))
    middle = (corners.min(axis=1) + corners.max(axis=1)) / 2
    templates = _pack_triangles(corners - middle[:, None], is_planar=d == 2)
    return _make_bodies(
        shape, middle[:, :d].reshape((*shape.shape, d)), np.eye(d), 1.0, templates, np.arange(n)
    )


def _pack_triangles(corners: Floats, is_planar: bool) -> Templates:
    """Templates of triangles (n, 3, 3), each of the same length; those of the plane are counterclockwise."""
    n = len(corners)
    product = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if is_planar:
        clockwise = product[:, 2] < 0
        corners[clockwise] = corners[clockwise, ::-1]
    sides = np.linalg.norm(corners[:, [1, 2, 0]] - corners, axis=2)
    area = np.linalg.norm(product, axis=1)
    longest = np.argmax(sides, axis=1)
    extent = sides[np.arange(n), longest]
    rank = np.where(area > FLAT * extent**2, 2, np.where(extent > 0, 1, 0))
    # A segment has the ends of the longest side as its first two vertices.
    order = np.where(rank[:, None] == 2, 0, longest[:, None]) + np.arange(3)
    corners = np.take_along_axis(corners, (order % 3)[..., None], axis=1)
    unit = find_normals(corners)
    heights = (corners * unit[:, None]).sum(axis=2)
    faces = np.concatenate([unit, heights.max(axis=1)[:, None], -unit, -heights.min(axis=1)[:, None]], axis=1)
    edges = np.broadcast_to(np.array([0.0, 1, 0, 1, 1, 2, 0, 1, 2, 0, 0, 1]), (n, 12))
    counts = np.array([[1, 0, 0], [2, 0, 1], [3, 2, 3]])[rank]
    lanes = np.arange(VERTEX_BLOCK) * (np.arange(VERTEX_BLOCK) < counts[:, :1])
    blocks = np.take_along_axis(corners, lanes[..., None], axis=1).transpose((0, 2, 1))
    numbers = np.concatenate([blocks.reshape((n, 3 * VERTEX_BLOCK)), faces, edges], axis=1)
    # Vertices that a flat template does not count lie between those that it counts, or on them.
    radius = np.linalg.norm(corners, axis=2).max(axis=1)
    starts = numbers.shape[1] * np.arange(n)[:, None] + np.array([0, 24, 32])
    return Templates(numbers.ravel(), starts, counts, rank, np.abs(corners).max(axis=1), radius)


def _from_segments(shape: DynamicBatch) -> PlacedTemplates:
    middle, along = (shape.start + shape.end) / 2, (shape.end - shape.start) / 2
    half = np.linalg.norm(along, axis=-1)
    x = np.where(
        half[..., None] > 0, along / np.where(half > 0, half, 1.0)[..., None], np.eye(shape.dimension)[0]
    )
    return _make_bodies(shape, middle, _complete_axes(x), half[..., None], _get_templates(make_segment))


def _complete_axes(x: Floats) -> Floats:
    """Orthonormal axes, as columns, whose first is x."""
    if x.shape[-1] == 2:
        return np.stack([x, np.stack([-x[..., 1], x[..., 0]], axis=-1)], axis=-1)
    other = np.eye(3)[np.argmin(np.abs(x), axis=-1)]
    y = np.cross(x, other)
    y = y / np.linalg.norm(y, axis=-1)[..., None]
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _from_boxes(shape: DynamicBatch, center: Floats, half: Floats, axes: Floats) -> PlacedTemplates:
    template = make_cube if shape.dimension == 3 else make_square
    return _make_bodies(shape, center, axes, half, _get_templates(template))
