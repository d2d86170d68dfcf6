"""Triangle meshes of files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from ougi.errors import MissingExtraError
from ougi.scene.files import FACES, MESH_BYTES, read
from ougi.shapes import Mesh

# Read by trimesh; GLB and glTF are read by `gltf.py`.
_BY_TRIMESH = ("obj", "stl", "ply")
SUFFIXES = ("glb", "gltf", *_BY_TRIMESH)


def read_mesh(path: Path, scale: float = 1.0) -> Mesh:
    """The triangles of a file, all of its parts together; a ValueError says what is wrong with it.

    The file is handed to the reader as bytes: whatever it refers to (materials, textures) is not looked for.
    """
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in SUFFIXES:
        raise ValueError(f"{path.name!r} must be one of {', '.join(SUFFIXES)}")
    if suffix in ("glb", "gltf"):
        from ougi.scene.gltf import triangles

        vertices, faces = triangles(path)
    else:
        vertices, faces = _by_trimesh(path, suffix)
    if not len(faces):
        raise ValueError(f"{path.name!r} holds no triangles")
    if len(faces) > FACES:
        raise ValueError(f"{path.name!r} holds {len(faces)} triangles, more than the {FACES} allowed")
    return Mesh(vertices * scale, faces)


def _by_trimesh(path: Path, suffix: str) -> tuple[Any, Any]:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError("mesh", f"reading {path.name}") from None
    content = read(path, MESH_BYTES)
    try:
        loaded = trimesh.load(io.BytesIO(content), file_type=suffix, force="mesh", process=False)
        return np.asarray(loaded.vertices, np.float64), np.asarray(loaded.faces)
    except Exception as error:  # whatever a malformed file makes the reader raise
        raise ValueError(f"{path.name!r} cannot be read as {suffix.upper()}: {error}") from error
