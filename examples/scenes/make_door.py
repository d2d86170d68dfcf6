"""Writes door.glb: a door with a handle that swings open in an animation, beside a stool. glTF has y upward.

`ougi check door.glb` needs nothing else: between two LINEAR keys the door makes one exact turn.
"""

from __future__ import annotations

import itertools
import json
import math
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

TIMES = [0.0, 1.0, 2.5]
DEGREES = [0.0, 40.0, 105.0]
# Name, full size and middle, seen from the hinge; the stool stands in the room.
DOOR = ("door", (0.9, 2.0, 0.04), (0.45, 1.0, 0.0))
HANDLE = ("handle", (0.12, 0.02, 0.08), (0.82, 1.0, -0.06))
STOOL = ("stool", (0.3, 1.04, 0.3), (0.05, 0.52, -0.98))

_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box(size: tuple[float, ...]) -> tuple[Any, Any]:
    """Vertices and triangles of a box around the origin."""
    corners = np.array(list(itertools.product([-0.5, 0.5], repeat=3))) * size
    faces = [half for a, b, c, d in _QUADS for half in ((a, b, c), (a, c, d))]
    return corners.astype("<f4"), np.array(faces, "<u2").ravel()


class Document:
    """A glTF document and its binary chunk, which grow together."""

    def __init__(self) -> None:
        self.binary = b""
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": []}
        self.json |= {"nodes": [], "meshes": []}

    def accessor(self, values: Any, kind: str) -> int:
        """The number of an accessor for an array."""
        components = {"<f4": 5126, "<u2": 5123}[values.dtype.str]
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": values.nbytes}
        self.binary += values.tobytes() + b"\0" * (-values.nbytes % 4)
        self.json["bufferViews"].append(view)
        entry: dict[str, Any] = {"bufferView": len(self.json["bufferViews"]) - 1, "type": kind}
        entry |= {"componentType": components, "count": len(values)}
        if kind != "VEC4":
            entry |= {
                "min": np.atleast_1d(values.min(0)).tolist(),
                "max": np.atleast_1d(values.max(0)).tolist(),
            }
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def part(self, name: str, size: tuple[float, ...], middle: tuple[float, ...]) -> int:
        """The number of a node with a box."""
        vertices, faces = box(size)
        primitive = {"attributes": {"POSITION": self.accessor(vertices, "VEC3")}}
        primitive["indices"] = self.accessor(faces, "SCALAR")  # type: ignore[assignment]
        self.json["meshes"].append({"primitives": [primitive]})
        node = {"name": name, "mesh": len(self.json["meshes"]) - 1, "translation": list(middle)}
        self.json["nodes"].append(node)
        return len(self.json["nodes"]) - 1

    def bytes(self) -> bytes:
        """The whole as a GLB file."""
        self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        chunks += struct.pack("<II", len(self.binary), 0x004E4942) + self.binary
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def door() -> bytes:
    """The file."""
    made = Document()
    children = [made.part(*DOOR), made.part(*HANDLE)]
    stool = made.part(*STOOL)
    made.json["nodes"].append({"name": "hinge", "children": children})
    hinge = len(made.json["nodes"]) - 1
    halves = [math.radians(angle) / 2 for angle in DEGREES]
    turns = np.array([[0.0, math.sin(half), 0.0, math.cos(half)] for half in halves], "<f4")
    sampler = {"input": made.accessor(np.array(TIMES, "<f4"), "SCALAR"), "interpolation": "LINEAR"}
    sampler["output"] = made.accessor(turns, "VEC4")
    channel = {"sampler": 0, "target": {"node": hinge, "path": "rotation"}}
    made.json["animations"] = [{"name": "open", "channels": [channel], "samplers": [sampler]}]
    made.json["scenes"], made.json["scene"] = [{"nodes": [hinge, stool]}], 0
    return made.bytes()


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("door.glb")).write_bytes(door())
