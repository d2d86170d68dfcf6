"""Triangle meshes of files."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np

from ougi._typing import Array, Floats, Ints
from ougi.errors import MissingExtraError
from ougi.scene.file_access import read_bytes
from ougi.scene.limits import Budget
from ougi.shapes import Mesh

# Read by trimesh; `gltf.py` and `collada.py` read the others.
_TRIMESH_SUFFIXES = ("obj", "stl", "ply")
SUFFIXES = ("glb", "gltf", "dae", *_TRIMESH_SUFFIXES)


class MeshFiles:
    """Reads the mesh files of a scene, each once."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._read: dict[Path, tuple[Floats, Ints]] = {}
        self._scaled: dict[tuple[Path, tuple[float, ...]], Mesh] = {}

    def read(self, path: Path, scale: float | Floats = 1.0) -> Mesh:
        """The triangles of a file, all of its parts together; a ValueError if it cannot be read.

        The file is handed to the reader as bytes: whatever it refers to (materials, textures) is not read.
        Every use counts as triangles of the scene, because every body has its own copy of them.
        """
        if path not in self._read:
            self._read[path] = _read_triangles(path, self._budget)
        vertices, faces = self._read[path]
        count_mesh(self._budget, vertices, faces, f"the mesh {path.name!r}")
        key = path, tuple(np.broadcast_to(scale, 3).tolist())
        if key not in self._scaled:
            self._scaled[key] = Mesh(vertices * scale, faces)
        return self._scaled[key]


def count_mesh(budget: Budget, vertices: Floats, faces: Ints, what: str) -> None:
    """Count the triangles of a body; vertices count as the faces that could have them."""
    budget.take("faces", max(len(faces), -(-len(vertices) // 3)), what)


def _read_triangles(path: Path, budget: Budget) -> tuple[Floats, Ints]:
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in SUFFIXES:
        raise ValueError(f"{path.name!r} must be one of {', '.join(SUFFIXES)}")
    if suffix in ("glb", "gltf"):
        from ougi.scene.gltf_triangles import read_triangles

        vertices, faces = read_triangles(path, budget)
    elif suffix == "dae":
        from ougi.scene.collada import read_collada

        vertices, faces = read_collada(read_bytes(path, budget, "mesh_bytes"), path.name, budget)
    else:
        vertices, faces = _read_with_trimesh(path, suffix, budget)
    if not len(faces):
        raise ValueError(f"{path.name!r} holds no triangles")
    return vertices, faces


def _read_with_trimesh(path: Path, suffix: str, budget: Budget) -> tuple[Array, Array]:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError("mesh", f"reading {path.name}") from None
    content = read_bytes(path, budget, "mesh_bytes")
    if suffix == "obj":
        content = _strip_obj(content)
        take = Budget(budget.limits).take  # before the reader makes triangles of polygons
        take("faces", _count_obj_triangles(content), f"the mesh {path.name!r}")
    try:
        loaded = trimesh.load(io.BytesIO(content), file_type=suffix, force="mesh", process=False)
        return np.asarray(loaded.vertices, np.float64), np.asarray(loaded.faces)
    except Exception as error:  # whatever a malformed file makes the reader raise
        raise ValueError(f"{path.name!r} cannot be read as {suffix.upper()}: {error}") from error


def _strip_obj(content: bytes) -> bytes:
    """The vertices and faces of an OBJ file, without materials, normals and textures, which need Pillow."""
    lines = re.findall(rb"^[ \t]*([vf][ \t].*)$", content.replace(b"\\\n", b" "), re.MULTILINE)
    return b"\n".join(re.sub(rb"/\S*", b"", line) if line[:1] == b"f" else line for line in lines)


def _count_obj_triangles(content: bytes) -> int:
    """The number of triangles of the polygons of an OBJ file."""
    return sum(max(len(line.split()) - 3, 0) for line in io.BytesIO(content) if line.startswith(b"f"))
