"""All triangles of a glTF file as one mesh at rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ougi._typing import Floats, Ints
from ougi.scene.gltf import Gltf, NodeTree, read_mesh, to_scene_error
from ougi.scene.limits import Budget
from ougi.scene.skins import pose_skin


def read_triangles(path: Path, budget: Budget) -> tuple[Floats, Ints]:
    """All triangles of a file where its nodes and skins put them, without animations."""
    gltf = Gltf(path, budget)
    try:
        return _collect_triangles(gltf)
    except ValueError as error:
        raise to_scene_error(gltf, error) from None


def _collect_triangles(gltf: Gltf) -> tuple[Floats, Ints]:
    tree = NodeTree(gltf)
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    places = dict(zip(tree.order, tree.matrices(), strict=True))
    own = Budget(gltf.budget.limits)  # the triangles count for the scene when a body uses them
    for node, whole in places.items():
        record = gltf.document.nodes[node]
        if record.mesh is None:
            continue
        if record.skin is not None:  # its joints place it, not its node
            points, corners = pose_skin(gltf, node, places)
        else:
            points, corners = read_mesh(gltf, record.mesh, record.weights)
            points = points @ whole[:3, :3].T + whole[:3, 3]
        own.take("faces", max(len(corners), -(-len(points) // 3)), f"mesh {record.mesh}")
        vertices.append(points)
        faces.append(corners + count)
        count += len(points)
    return np.concatenate(vertices), np.concatenate(faces)
