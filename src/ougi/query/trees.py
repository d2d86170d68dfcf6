"""Meshes and other bodies as the loops of `kernels.mesh` take them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ougi._typing import Floats, Ints
from ougi.kernels.constants import BAND
from ougi.kernels.mesh.constants import BOX, CAPSULE, SPHERE, STACK_SIZE, TRIANGLE
from ougi.kernels.mesh.oriented import fit_boxes
from ougi.kernels.mesh.pairs import NodeStack, SimpleBodies, list_triangles_near
from ougi.kernels.mesh.rays import list_entered_boxes
from ougi.kernels.mesh.tree import BoxTree, make_tree
from ougi.shapes import Aabb3d, Box, Capsule3d, Mesh, Point3d, Segment3d, Shape, Sphere, Triangle3d

_KINDS: dict[type[Shape], tuple[int, str]] = {
    Point3d: (SPHERE, "sphere"),
    Sphere: (SPHERE, "sphere"),
    Segment3d: (CAPSULE, "capsule3d"),
    Capsule3d: (CAPSULE, "capsule3d"),
    Triangle3d: (TRIANGLE, "triangle3d"),
    Box: (BOX, "box"),
    Aabb3d: (BOX, "box"),
}


def get_tree(mesh: Mesh) -> BoxTree:
    """The tree of a mesh, built on first use; a mesh and its moved copies share it."""
    source = mesh._source
    found: BoxTree | None = source.__dict__.get("_boxes")
    if found is None:
        if not len(source.faces):
            raise ValueError("a Mesh without faces touches nothing; give it faces")
        found = source.__dict__["_boxes"] = make_tree(source.vertices[source.faces])
    return found


def get_turned_boxes(mesh: Mesh) -> Floats:
    """(2 n - 1, 15), turned boxes around the nodes of its tree, fitted on first use and shared likewise."""
    source = mesh._source
    found: Floats | None = source.__dict__.get("_turned_boxes")
    if found is None:
        tree = get_tree(mesh)
        found = np.empty((len(tree.links), 15))
        fit_boxes(tree, found, np.empty((len(found), 2), np.int64), np.empty((3, 3)), np.empty((3, 3)))
        source.__dict__["_turned_boxes"] = found
    return found


def get_pose(mesh: Mesh) -> Floats:
    """(1, 12), where a mesh is, in coordinates of its tree: rotation by rows, and position."""
    pose = mesh._pose
    return np.concatenate([pose.rotation.ravel(), pose.position])[None]


def make_workspace() -> NodeStack:
    """The stack of one thread."""
    return NodeStack(np.empty((STACK_SIZE, 2), np.int64), np.empty(STACK_SIZE))


def has_bodies(shape: Shape) -> bool:
    """Do loops know this class?"""
    return type(shape) in _KINDS


def make_bodies(shape: Shape) -> SimpleBodies:
    """A batch of bodies with boxes around their cores, in frames of their own."""
    kind, layout = _KINDS[type(shape)]
    columns = shape.columns(layout)
    n = columns.shape[1]
    boxes, poses, radius = np.zeros((n, 6)), np.zeros((n, 12)), np.zeros(n)
    poses[:, :9:4] = 1.0
    if kind == SPHERE:
        poses[:, 9:], radius[:] = columns[:3].T, columns[3]
    elif kind == CAPSULE:
        along, radius[:] = columns[3:6].T - columns[:3].T, columns[6]
        boxes[:, 3] = _set_rotations(poses, along, _find_across(along))
        poses[:, 9:] = columns[:3].T
    elif kind == TRIANGLE:
        a, b, c = columns[:3].T, columns[3:6].T, columns[6:].T
        _set_rotations(poses, b - a, c - a)
        turn = poses[:, :9].reshape((n, 3, 3))
        corners = np.stack([np.zeros((n, 3)), *(((x - a)[:, None] @ turn)[:, 0] for x in (b, c))])
        boxes[:, :3], boxes[:, 3:], poses[:, 9:] = corners.min(axis=0), corners.max(axis=0), a
    else:
        boxes[:, :3], boxes[:, 3:], poses[:, 9:] = -columns[3:6].T, columns[3:6].T, columns[:3].T
        poses[:, :9] = columns[6:].reshape((3, 3, n)).transpose((2, 1, 0)).reshape((n, 9))
    return SimpleBodies(kind, columns, boxes, poses, radius)


def _set_rotations(poses: Floats, x: Floats, xy: Floats) -> Floats:
    """Write rotations whose first axis lies along x and whose third is perpendicular to both; lengths of x.

    Where there is no such axis, the rotation is left as it is, which is as good but for larger boxes.
    """
    size: Floats = np.linalg.norm(x, axis=-1)
    z = np.cross(x, xy)
    height = np.linalg.norm(z, axis=-1)
    is_flat = height > 1e-6 * size * np.linalg.norm(xy, axis=-1)
    rows = np.flatnonzero(is_flat)
    u, w = x[rows] / size[rows, None], z[rows] / height[rows, None]
    poses[rows, :9] = np.stack([u, np.cross(w, u), w], axis=-1).reshape((-1, 9))
    return size


def _find_across(x: Floats) -> Floats:
    """Vectors that are far from parallel to x: the axes along which x is shortest."""
    across: Floats = np.eye(3)[np.abs(x).argmin(axis=-1)]
    return across


def take_triangles(mesh: Mesh, rows: Ints) -> Triangle3d:
    """The triangles of a mesh that stand in these rows of its tree."""
    corners = mesh._get_corners(get_tree(mesh).faces[rows])
    return Triangle3d._from_fields(rows.shape, dict(zip("abc", np.moveaxis(corners, 1, 0), strict=True)))


def list_near_triangles(mesh: Mesh, center: Floats, radius: Floats) -> Ints:
    """(m, 2), pairs of balls and rows of triangles whose boxes are as near as the radius."""
    poses = np.zeros((len(center), 12))
    poses[:, :9:4], poses[:, 9:] = 1.0, center
    return _collect(
        lambda out, work: list_triangles_near(
            get_tree(mesh), get_pose(mesh), poses, radius, np.zeros((1, 6)), out, work
        )
    )


def list_faces_above(mesh: Mesh, points: Floats) -> Ints:
    """(m, 2), pairs of points and faces of a mesh whose boxes a ray along z from the point may enter."""
    tree, pose = get_tree(mesh), mesh._pose
    rays = to_local_rays(mesh, points, np.broadcast_to([0.0, 0.0, 1.0], points.shape))
    far = np.abs(tree.boxes[0]).max() + np.abs(pose.position).max() + np.abs(points).max(axis=-1)
    found = _collect(
        lambda out, work: list_entered_boxes(tree, rays, 4 * BAND * far, out, np.empty(STACK_SIZE, np.int64))
    )
    found[:, 1] = tree.faces[found[:, 1]]
    return found


def to_local_rays(mesh: Mesh, origins: Floats, directions: Floats) -> Floats:
    """(n, 6), origins and directions in the coordinates of a mesh's tree."""
    if "_moved_by" not in mesh.__dict__:
        return np.concatenate([origins, directions], axis=-1)
    pose = mesh._pose
    return np.concatenate([(origins - pose.position) @ pose.rotation, directions @ pose.rotation], axis=-1)


def _collect(fill: Callable[[Ints, NodeStack], int]) -> Ints:
    """Rows that a loop writes into a buffer; it returns their number, and runs again if they do not fit."""
    out, work = np.empty((1024, 2), np.int64), make_workspace()
    count = fill(out, work)
    if count > len(out):
        out = np.empty((count, 2), np.int64)
        fill(out, work)
    return out[:count]
