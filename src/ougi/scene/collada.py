"""Collada meshes (.dae), by pycollada."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np

from ougi._typing import Floats, Foreign, Ints
from ougi.errors import MissingExtraError
from ougi.scene.limits import Budget
from ougi.scene.xml_tree import parse_xml

# References that may be broken, because they move no triangle.
_HARMLESS = re.compile(r"Error: (Camera|Light|Material|Effect|Missing (surface|sampler)|Image|Texture)")


def read_collada(content: bytes, file: str, budget: Budget) -> tuple[Floats, Ints]:
    """All triangles of the scene of a file, in metres: (n, 3) vertices and (m, 3) faces.

    The unit of the file is applied and its up axis is not, as in RViz and MoveIt. pycollada sees only files
    that are XML within the limits, without a document type.
    """
    try:
        import collada
    except ImportError:
        raise MissingExtraError("mesh", f"reading {file}") from None
    parse_xml(content, file, Budget(budget.limits), children=False)
    own = Budget(budget.limits)  # the triangles count for the scene when a body uses them
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    try:
        document = collada.Collada(io.BytesIO(content), ignore=[collada.common.DaeBrokenRefError])
        for broken in document.errors:
            if not _HARMLESS.search(str(broken)):
                raise broken
        for matrix, geometry in _iter_geometries(document.scene, own):
            for primitive in geometry.primitives:
                points, corners = _read_triangles(primitive)
                own.take("faces", max(len(corners), -(-len(points) // 3)), f"the mesh {file!r}")
                vertices.append(points @ matrix[:3, :3].T + matrix[:3, 3])
                faces.append(corners + count)
                count += len(points)
        unit = document.assetInfo.unitmeter or 1.0
    except ValueError:
        raise
    except Exception as error:  # whatever a malformed file makes the reader raise
        raise ValueError(f"{file!r} cannot be read as DAE: {error}") from error
    return np.concatenate(vertices) * float(unit), np.concatenate(faces)


def _iter_geometries(scene: Foreign, budget: Budget) -> Iterator[tuple[Floats, Foreign]]:
    """The geometries of a scene with their matrices. Nodes may be instances, so visits are counted."""
    from collada.scene import GeometryNode, Node, NodeNode

    todo = [(np.eye(4), node) for node in (scene.nodes if scene is not None else ())]
    while todo:
        matrix, node = todo.pop()
        budget.take("nodes", 1, "the number of nodes")
        if isinstance(node, GeometryNode):
            yield matrix, node.geometry
        elif isinstance(node, NodeNode):
            todo.append((matrix, node.node))
        elif isinstance(node, Node):
            todo.extend((matrix @ np.asarray(node.matrix, np.float64), child) for child in node.children)


def _read_triangles(primitive: Foreign) -> tuple[Floats, Ints]:
    """Vertices and triangles of triangles, polygons or polygon lists; nothing of lines."""
    if hasattr(primitive, "triangleset"):
        primitive = primitive.triangleset()
    if type(primitive).__name__ != "TriangleSet" or primitive.vertex_index is None:
        return np.empty((0, 3)), np.empty((0, 3), np.int64)
    points = np.asarray(primitive.vertex, np.float64).reshape((-1, 3))
    corners = np.asarray(primitive.vertex_index, np.int64).reshape((-1, 3))
    if corners.size and not 0 <= corners.min() <= corners.max() < len(points):
        raise ValueError("a mesh refers to vertices that it does not have")
    return points, corners
