"""Skins of glTF: a convex hull for each joint.

Vertices of a skin follow several joints at once, so the mesh bends and is no rigid body. Every triangle
belongs to the joints that its corners follow most, and the triangles of a joint become a convex hull that
moves with it. In the pose in which the skin was bound the hulls cover all triangles. In other poses they are
an approximation, so the hulls of one skin are not checked against each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ougi._typing import Array, Floats, Ints
from ougi.scene.gltf import TRIANGLES, Gltf, get_item, label_item, read_primitive
from ougi.scene.limits import Budget
from ougi.shapes import ConvexHull3d

# Up to this number of points a hull is exact. More points are rounded to a grid with 32 cells per extent, and
# a radius makes up for it: 2.7 % of the extent. A thousand points on a sphere take 0.4 s, 5,000 take 6 s.
_EXACT_POINTS = 1000
_CELLS = 32


class Bone(NamedTuple):
    """The vertices (n, 3) of a joint's triangles, in the frame of the joint, which is a node."""

    joint: int
    points: Floats


class _SkinnedPart(NamedTuple):
    """A primitive: vertices (n, 3), faces (m, 3); the joints of each vertex and their weights (n, k)."""

    vertices: Floats
    faces: Ints
    joints: Ints
    weights: Floats


def read_bones(gltf: Gltf, node: int) -> list[Bone]:
    """The bones of a node with a skin; joints without triangles have none."""
    joints, inverse = _read_joints(gltf, node)
    points: dict[int, list[Floats]] = {}
    for part in _iter_parts(gltf, node, len(joints)):
        strongest = np.take_along_axis(part.joints, part.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
        owners = strongest[part.faces]
        for bone in np.unique(owners).tolist():
            own = np.unique(part.faces[(owners == bone).any(axis=1)])
            matrix = inverse[bone]
            points.setdefault(bone, []).append(part.vertices[own] @ matrix[:3, :3].T + matrix[:3, 3])
    ordered = sorted(points.items())
    return [Bone(joints[bone], np.unique(np.concatenate(own), axis=0)) for bone, own in ordered]


def build_hull(points: Floats) -> ConvexHull3d:
    """The convex hull of points (n, 3); of many points a slightly larger one, because hulls take long."""
    if len(points) <= _EXACT_POINTS:
        return ConvexHull3d(points)
    cell = np.ptp(points, axis=0).max() / _CELLS or 1.0
    near = np.unique(np.round(points / cell), axis=0) * cell
    return ConvexHull3d(
        near, radius=np.sqrt(3) / 2 * cell
    )  # no point is further from where it was rounded to


def pose_skin(gltf: Gltf, node: int, places: dict[int, Floats]) -> tuple[Floats, Ints]:
    """The triangles of a node with a skin, exactly, where these places (4, 4) of its joints put them."""
    joints, inverse = _read_joints(gltf, node)
    label = _label(gltf, node)
    matrices = np.array([_get_place(places, joint, label) for joint in joints]) @ inverse
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    for part in _iter_parts(gltf, node, len(joints)):
        total = part.weights.sum(axis=1, keepdims=True)
        share = part.weights / np.where(total > 0, total, 1.0)
        blended = np.einsum("nk,nkij->nij", share, matrices[part.joints])
        vertices.append((blended[:, :3, :3] @ part.vertices[..., None])[..., 0] + blended[:, :3, 3])
        faces.append(part.faces + count)
        count += len(part.vertices)
    return np.concatenate(vertices), np.concatenate(faces)


def _get_place(places: dict[int, Floats], joint: int, label: str) -> Floats:
    if joint not in places:
        raise ValueError(f"{label}: the joint {joint} of its skin is not in the scene")
    return places[joint]


def _label(gltf: Gltf, node: int) -> str:
    return f"node {label_item(gltf.document.nodes[node].name, node)}"


def _read_joints(gltf: Gltf, node: int) -> tuple[list[int], Floats]:
    """The nodes of a skin, and the matrices (k, 4, 4) from the mesh to their frames."""
    index = gltf.document.nodes[node].skin
    assert index is not None
    skin = get_item(gltf.document.skins, index, "skin")
    if not skin.joints:
        raise ValueError(f"skin {index} has no joints")
    for joint in skin.joints:
        get_item(gltf.document.nodes, joint, "node")
    matrices = np.tile(np.eye(4), (len(skin.joints), 1, 1))
    if skin.inverse_bind_matrices is not None:
        numbers = np.asarray(gltf.array(skin.inverse_bind_matrices), np.float64)
        if numbers.ndim != 2 or numbers.shape[1] != 16 or len(numbers) < len(skin.joints):
            raise ValueError(f"skin {index} does not have a matrix for each of its {len(skin.joints)} joints")
        matrices = numbers[: len(skin.joints)].reshape((-1, 4, 4)).swapaxes(1, 2)
        if not np.isfinite(matrices).all():
            raise ValueError(f"skin {index} has a matrix that is not 16 finite numbers")
    return skin.joints, matrices


def _iter_parts(gltf: Gltf, node: int, joint_count: int) -> Iterator[_SkinnedPart]:
    """The primitives with triangles, one by one."""
    record = gltf.document.nodes[node]
    assert record.mesh is not None
    mesh = get_item(gltf.document.meshes, record.mesh, "mesh")
    label, own = f"mesh {label_item(mesh.name, record.mesh)}", Budget(gltf.budget.limits)
    for primitive in mesh.primitives:
        if primitive.mode not in TRIANGLES:
            continue
        sets = sum(name.startswith("JOINTS_") for name in primitive.attributes)
        names = [f"{what}_{k}" for what in ("JOINTS", "WEIGHTS") for k in range(sets)]
        morphs = tuple(record.weights or mesh.weights)
        vertices, faces, found = read_primitive(gltf, primitive, label, morphs, names)
        own.take("faces", max(len(faces), -(-len(vertices) // 3)), label)
        if not sets or len(found) < len(names):
            raise ValueError(f"{label} has a skin, but not JOINTS and WEIGHTS for all vertices")
        joints, weights = (
            _join_sets([found[name] for name in names[k : k + sets]], len(vertices), label) for k in (0, sets)
        )
        if joints.size and not 0 <= joints.min() <= joints.max() < joint_count:
            raise ValueError(f"{label} refers to joints that its skin does not have")
        yield _SkinnedPart(vertices, faces, joints.astype(np.int64), weights)


def _join_sets(sets: list[Array], count: int, label: str) -> Floats:
    """Four joints or weights per vertex and set, side by side."""
    if any(values.shape != (count, 4) for values in sets):
        raise ValueError(f"JOINTS and WEIGHTS of {label} must be VEC4, one for each vertex")
    joined = np.concatenate(sets, axis=1).astype(np.float64)
    if not np.isfinite(joined).all():
        raise ValueError(f"JOINTS and WEIGHTS of {label} must be finite")
    return joined
