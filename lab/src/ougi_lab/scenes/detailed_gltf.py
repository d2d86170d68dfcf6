"""Animated glTF files with as many faces and keys as two of Khronos' samples, for timing `ougi check`.

    python -m ougi_lab.scenes.detailed_gltf FOLDER
    ougi check FOLDER/plant.glb

`plant` has the numbers of DiffuseTransmissionPlant: 9 bodies, 68,000 faces, 501 keys in 16.7 s. Its leaves
touch each other. `watch` has those of ChronographWatch: 100,000 faces, with hands that turn close together.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats, Ints


def make_sheet(faces: int, width: float, length: float, wave: float) -> tuple[Floats, Ints]:
    """A wavy strip of triangles along x, in the plane of x and z."""
    columns = max(int(np.sqrt(faces / 2)), 1)
    rows = faces // (2 * columns)
    u, v = np.meshgrid(np.linspace(0, 1, columns + 1), np.linspace(-0.5, 0.5, rows + 1))
    points = np.stack([length * u, wave * np.sin(9 * u) * np.cos(7 * v), width * v], axis=2).reshape(-1, 3)
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    left, right = corner + columns + 1, corner + columns + 2
    lower, upper = np.stack([corner, corner + 1, left]), np.stack([corner + 1, right, left])
    return points, np.concatenate([lower, upper], axis=1).T


class GltfWriter:
    """Bodies that turn about an axis of their own, as one binary file."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._document: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": []}],
            **{name: [] for name in ("nodes", "meshes", "accessors", "bufferViews", "animations")},
        }

    def _add_accessor(self, values: Any, kind: str, *, bounds: bool = False) -> int:
        component = {"f": 5126, "u": 5125}[values.dtype.kind]
        view = {"buffer": 0, "byteOffset": len(self._data), "byteLength": values.nbytes}
        self._data += values.tobytes()
        self._document["bufferViews"].append(view)
        made = {
            "bufferView": len(self._document["bufferViews"]) - 1,
            "componentType": component,
            "count": len(values),
            "type": kind,
        }
        if bounds:
            flat = values.reshape(len(values), -1)
            made |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self._document["accessors"].append(made)
        return len(self._document["accessors"]) - 1

    def add_body(
        self, name: str, points: Floats, faces: Ints, at: Any, times: Floats, axis: Any, angles: Floats
    ) -> None:
        """Add a mesh at a place that turns about an axis, by these angles at these times."""
        position = self._add_accessor(points.astype(np.float32), "VEC3", bounds=True)
        indices = self._add_accessor(faces.astype(np.uint32).ravel(), "SCALAR")
        document = self._document
        document["meshes"].append(
            {"primitives": [{"attributes": {"POSITION": position}, "indices": indices}]}
        )
        document["nodes"].append({"name": name, "mesh": len(document["meshes"]) - 1, "translation": list(at)})
        node = len(document["nodes"]) - 1
        document["scenes"][0]["nodes"].append(node)
        if np.any(angles):
            half = np.asarray(angles)[:, None] / 2
            turns = np.concatenate([np.sin(half) * np.asarray(axis, float), np.cos(half)], axis=1)
            keys = self._add_accessor(np.asarray(times, np.float32), "SCALAR", bounds=True)
            values = self._add_accessor(turns.astype(np.float32), "VEC4")
            channel = {"sampler": 0, "target": {"node": node, "path": "rotation"}}
            document["animations"].append(
                {"channels": [channel], "samplers": [{"input": keys, "output": values}]}
            )

    def write(self, path: Path) -> None:
        """Write a `.glb` file."""
        self._data += bytes(-len(self._data) % 4)
        self._document["buffers"] = [{"byteLength": len(self._data)}]
        text = json.dumps(self._document).encode()
        text += b" " * (-len(text) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self._data))
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        path.write_bytes(head + chunks + struct.pack("<I4s", len(self._data), b"BIN\0") + self._data)


def make_plant(faces: int = 68_000, keys: int = 501) -> GltfWriter:
    """A pot and eight leaves that sway about its rim."""
    made, times = GltfWriter(), np.linspace(0, 16.7, keys)
    made.add_body(
        "pot", *make_sheet(faces // 9, 1.0, 1.0, 0.05), (-0.5, -0.6, 0), times, (0, 0, 1), 0 * times
    )
    for k in range(8):
        points, triangles = make_sheet(faces // 9, 0.25, 1.0, 0.03)
        turn = np.array([[np.cos(k * np.pi / 4), 0, np.sin(k * np.pi / 4)]])
        placed = (
            points[:, :1] * turn
            + points[:, 1:2] * [[0, 1, 0]]
            + points[:, 2:] * turn[:, [2, 1, 0]] * [[-1, 0, 1]]
        )
        axis = turn[0, [2, 1, 0]] * [-1, 0, 1]
        sway = 0.3 * np.sin(0.9 * times + k) + 0.02 * np.sin(7 * times)
        made.add_body(f"leaf {k}", placed + 0.3 * turn, triangles, (0, 0.05 * k, 0), times, axis, sway)
    return made


def make_watch(faces: int = 100_000, keys: int = 61) -> GltfWriter:
    """A dial at rest and three hands above it that turn."""
    made, times = GltfWriter(), np.linspace(0, 10, keys)
    made.add_body("dial", *make_sheet(faces // 2, 2.0, 2.0, 0.01), (-1, 0, 0), times, (0, 1, 0), 0 * times)
    for k, (name, speed) in enumerate({"hour": 0.05, "minute": 0.6, "second": 6.0}.items()):
        hand = make_sheet(faces // 6, 0.05, 0.9 - 0.1 * k, 0.003)
        made.add_body(name, *hand, (0, 0.012 + 0.004 * k, 0), times, (0, 1, 0), speed * times / 10)
    return made


FILES = {"plant": make_plant, "watch": make_watch}


def main(folder: Path) -> None:
    """Write all files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        make().write(folder / f"{name}.glb")
        sys.stdout.write(f"{folder / name}.glb\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
