"""Writes small GLB files for the tests: a document and arrays, nothing of the reader's code."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_COMPONENTS = {"f4": 5126, "u4": 5125, "u2": 5123, "i2": 5122, "u1": 5121, "i1": 5120}


class Maker:
    """Collects arrays, and gives each an accessor."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "accessors": [],
            "bufferViews": [],
            "nodes": [],
            "meshes": [],
        }
        self.binary = b""

    def accessor(self, values: Any, kind: str = "f4", **more: Any) -> int:
        """The number of a new accessor for these values."""
        array = np.asarray(values, f"<{kind}")
        width = 1 if array.ndim == 1 else array.shape[1]
        self.binary += b"\0" * (-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": array.nbytes}
        self.binary += array.tobytes()
        self.document["bufferViews"].append(view)
        accessor: dict[str, Any] = {
            "bufferView": len(self.document["bufferViews"]) - 1,
            "componentType": _COMPONENTS[kind],
        }
        accessor |= {"count": len(array), "type": _TYPES[width], **more}
        self.document["accessors"].append(accessor)
        return len(self.document["accessors"]) - 1

    def mesh(self, vertices: Any, faces: Any, **more: Any) -> int:
        indices = self.accessor(np.asarray(faces).ravel(), "u2")
        primitive = {"attributes": {"POSITION": self.accessor(vertices)}, "indices": indices, **more}
        self.document["meshes"].append({"primitives": [primitive]})
        return len(self.document["meshes"]) - 1

    def node(self, **fields: Any) -> int:
        self.document["nodes"].append(fields)
        return len(self.document["nodes"]) - 1

    def animate(self, *tracks: tuple[int, str, Any, Any], step: bool = False, name: str = "") -> None:
        """Tracks are (node, path, times, values)."""
        animation: dict[str, Any] = {"channels": [], "samplers": [], "name": name}
        for node, path, times, values in tracks:
            sampler = {"input": self.accessor(times), "output": self.accessor(values)}
            sampler["interpolation"] = "STEP" if step else "LINEAR"  # type: ignore[assignment]
            animation["channels"].append(
                {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
            )
            animation["samplers"].append(sampler)
        self.document.setdefault("animations", []).append(animation)

    def glb(self, path: Path) -> Path:
        self.document["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + b"\0" * (-len(self.binary) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
        return path

    def gltf(self, path: Path, uri: str | None = None) -> Path:
        """With the buffer embedded, or at another address."""
        uri = uri or "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        self.document["buffers"] = [{"byteLength": len(self.binary), "uri": uri}]
        path.write_text(json.dumps(self.document))
        return path
