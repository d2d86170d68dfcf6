"""Are bodies of animated glTF files where the rules of glTF 2.0 put them?

`python -m ougi_lab.gltf_poses FOLDER ...` reads every animation of every file below the folders by
`ougi.load_scene`, and draws 50 random pairs of a body and a time. Three points of the node's frame, and the
bounds of its mesh, are compared with an evaluation that shares no code with the library: it reads the file's
JSON and bytes, multiplies 4 x 4 matrices down the tree, and interpolates by hand. It knows nothing of rigid
motions, chains or matrices that are applied to vertices. The exit code is 1 if a place is off by more than
1e-12 of the largest coordinate or of 1.

Exporters store scales with the rounding of single precision, such as 1.0000001, and give them keys that
differ by as much. No rigid body follows these, so the evaluation uses scales as the page on glTF files says:
even ones where they differ by less than a millionth, and constant ones where their keys differ by less than
1e-5. The last column is the largest error with the scales as they are stored; it is not judged.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ougi._typing import Floats
from ougi.cli.tables import Table, print_tables
from ougi.errors import InvalidInputError
from ougi.scene import Scene, load_scene

# By node and property: times, values, and whether they jump.
Tracks = dict[tuple[int, str], tuple[Floats, Floats, bool]]

_POSES = 50
_ACCURACY = 1e-12
_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
# The origin and two axes of a node.
_POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])


# --- the rules ----------------------------------------------------------------------------------------------


def rotate(quaternion: Any) -> Floats:
    """The matrix of a quaternion x, y, z, w of any length."""
    x, y, z, w = np.asarray(quaternion, np.float64) / np.linalg.norm(np.asarray(quaternion, np.float64))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def interpolate_rotations(a: Any, b: Any, share: float) -> Floats:
    """Spherical linear interpolation as in appendix C of the specification."""
    a, b = (np.asarray(q, np.float64) / np.linalg.norm(np.asarray(q, np.float64)) for q in (a, b))
    b = b if a @ b >= 0 else -b
    # From both chords: the arc cosine of a product near 1 loses half of the digits.
    angle = 2 * math.atan2(float(np.linalg.norm(a - b)), float(np.linalg.norm(a + b)))
    if angle < 1e-9:
        return np.asarray(a + share * (b - a))
    return np.asarray((math.sin((1 - share) * angle) * a + math.sin(share * angle) * b) / math.sin(angle))


def interpolate(times: Any, values: Any, t: float, path: str, *, step: bool) -> Floats:
    """The value of a track at a time."""
    times, values = (np.asarray(x, np.float32).astype(np.float64) for x in (times, values))
    k = int(np.clip(np.searchsorted(times, t, "right") - 1, 0, len(times) - 1))
    if t <= times[0] or k == len(times) - 1 or step:
        return np.asarray(values[k])
    share = (t - times[k]) / (times[k + 1] - times[k])
    if path == "rotation":
        return interpolate_rotations(values[k], values[k + 1], share)
    return np.asarray(values[k] + share * (values[k + 1] - values[k]))


def place_node(nodes: list[Any], tracks: Tracks, parents: dict[int, int], node: int, t: float) -> Floats:
    """The matrix from the frame of a node to the world at a time."""
    record = nodes[node]
    local = np.eye(4)
    if "matrix" in record:
        local = np.array(record["matrix"], np.float64).reshape((4, 4)).T
    else:
        parts: dict[str, Any] = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
        for path in parts:
            parts[path] = record.get(path, parts[path])
            if (node, path) in tracks:
                times, values, step = tracks[node, path]
                parts[path] = interpolate(times, values, t, path, step=step)
        local[:3, :3] = rotate(parts["rotation"]) @ np.diag(parts["scale"])
        local[:3, 3] = parts["translation"]
    if node not in parents:
        return local
    return place_node(nodes, tracks, parents, parents[node], t) @ local


# --- files --------------------------------------------------------------------------------------------------


class _File:
    """The JSON of a file, and its numbers."""

    def __init__(self, path: Path) -> None:
        raw, self._binary = path.read_bytes(), b""
        if raw[:4] == b"glTF":
            size = struct.unpack_from("<I", raw, 12)[0]
            raw, self._binary = raw[20 : 20 + size], raw[20 + size + 8 :]
        self.json: Any = json.loads(raw)
        self._folder = path.parent
        self.nodes: list[Any] = self.json.get("nodes", [])
        self.parents = {child: k for k, node in enumerate(self.nodes) for child in node.get("children", [])}

    def read(self, index: int) -> Floats:
        """The numbers of an accessor; KeyError if they are not stored plainly."""
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        if "sparse" in accessor or "extensions" in view:
            raise KeyError("sparse or compressed")
        dtype, width = np.dtype(_TYPES[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        stride = view.get("byteStride", dtype.itemsize * width)
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        shape, strides = (accessor["count"], width), (stride, dtype.itemsize)
        values = np.ndarray(shape, dtype, self._read_bytes(view["buffer"]), start, strides).astype(np.float64)
        if accessor.get("normalized"):
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        return values

    def _read_bytes(self, index: int) -> bytes:
        uri = self.json["buffers"][index].get("uri")
        if uri is None:
            return self._binary
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        return (self._folder / unquote(uri)).read_bytes()

    def read_tracks(self, animation: int) -> Tracks:
        """What an animation moves."""
        record, tracks = self.json["animations"][animation], {}
        for channel in record["channels"]:
            sampler, target = record["samplers"][channel["sampler"]], channel["target"]
            if "node" in target and target["path"] != "weights":
                times, values = self.read(sampler["input"])[:, 0], self.read(sampler["output"])
                step = sampler.get("interpolation", "LINEAR") == "STEP"
                tracks[target["node"], target["path"]] = times, values, step
        return tracks

    def list_bodies(self) -> dict[str, tuple[int, int | None]]:
        """By the name of a body: its node, and its mesh if it is no bone; unique names alone."""
        found: list[tuple[str, int, int | None]] = []
        for k, node in enumerate(self.nodes):
            if "mesh" not in node:
                continue
            name = node.get("name") or self.json["meshes"][node["mesh"]].get("name") or f"node {k}"
            if "skin" not in node:
                found.append((name, k, node["mesh"]))
                continue
            for joint in self.json["skins"][node["skin"]]["joints"]:
                found.append((f"{name}/{self.nodes[joint].get('name') or f'node {joint}'}", joint, None))
        count = Counter(name for name, _, _ in found)
        return {name: (node, mesh) for name, node, mesh in found if count[name] == 1}

    def read_vertices(self, mesh: int) -> Floats | None:
        """All vertices of the triangles of a mesh; None if they are compressed or have morph targets."""
        primitives = [p for p in self.json["meshes"][mesh]["primitives"] if p.get("mode", 4) in (4, 5, 6)]
        if any("targets" in p or "extensions" in p for p in primitives):
            return None
        try:
            return np.concatenate([self.read(p["attributes"]["POSITION"]) for p in primitives])
        except KeyError:
            return None


# --- comparison ---------------------------------------------------------------------------------------------


def even_scale(scale: Any) -> Floats:
    """A scale, made even if its parts have the same size up to a millionth."""
    scale = np.asarray(scale, np.float64)
    size = np.abs(scale).sum() / 3
    is_even = (np.abs(np.abs(scale) - size) < 1e-6 * size).all()
    return np.asarray(size * np.sign(scale) if is_even else scale)


def hold_scales(nodes: list[Any], tracks: Tracks) -> tuple[list[Any], Tracks]:
    """Nodes with even scales, and tracks without scales that stay the same."""
    nodes = [node | {"scale": even_scale(node.get("scale", [1, 1, 1]))} for node in nodes]
    moving = {}
    for (node, path), (times, values, step) in tracks.items():
        if path != "scale" or np.abs(values - values[0]).max() > 1e-5:
            moving[node, path] = times, values, step
        elif np.abs(values - nodes[node]["scale"]).max() > 1e-5:
            nodes[node] |= {"scale": even_scale(values[0])}
    return nodes, moving


def measure_error(path: Path, animation: int, seed: int = 0) -> tuple[int, float, float]:
    """Poses that were compared, and the largest errors relative to the largest coordinate or 1.

    The first error is with scales that are held, the second with scales as they are stored.
    """
    file = _File(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scene: Scene = load_scene(path, animation=str(animation), skip_unsupported=True)
    tracks, known = file.read_tracks(animation), file.list_bodies()
    bodies = [body for body in scene.bodies if body.name in known]
    rng, errors = np.random.default_rng(seed), np.zeros(2)
    for _ in range(_POSES if bodies else 0):
        body, t = bodies[rng.integers(len(bodies))], float(rng.uniform(0, scene.duration))
        node, mesh = known[body.name]
        vertices = None if mesh is None else file.read_vertices(mesh)
        for k, rules in enumerate((hold_scales(file.nodes, tracks), (file.nodes, tracks))):
            start, now = (place_node(*rules, file.parents, node, at) for at in (0.0, t))
            got = [body.at(t).apply(_POINTS @ start[:3, :3].T + start[:3, 3])]
            want = [_POINTS @ now[:3, :3].T + now[:3, 3]]
            if vertices is not None:
                shape: Any = body.shape
                there, here = body.at(t).apply(shape.vertices), vertices @ now[:3, :3].T + now[:3, 3]
                got += [there.min(axis=0), there.max(axis=0)]
                want += [here.min(axis=0), here.max(axis=0)]
            off = np.abs(np.vstack(got) - np.vstack(want)).max() / max(np.abs(np.vstack(want)).max(), 1.0)
            errors[k] = max(errors[k], off)
    return (_POSES if bodies else 0), float(errors[0]), float(errors[1])


def iter_animations(folder: Path) -> Iterator[tuple[Path, int]]:
    """All animations of all glTF files below a folder that have one."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".glb", ".gltf"):
            try:
                count = len(_File(path).json.get("animations", []))
            except (ValueError, struct.error, OSError, AttributeError):
                continue
            yield from ((path, k) for k in range(count))


def build_table(folders: list[Path]) -> tuple[Table, bool]:
    """A row for each animation, and whether all agree."""
    rows: list[tuple[str, int, int, str, str]] = []
    agree = True
    for folder in folders:
        for path, animation in iter_animations(folder):
            name = path.relative_to(folder).as_posix()
            try:
                count, worst, stored = measure_error(path, animation)
            except (InvalidInputError, KeyError) as error:
                rows.append((name, animation, 0, "-", str(error).splitlines()[0].partition(": ")[2]))
                continue
            agree &= worst <= _ACCURACY
            rows.append((name, animation, count, f"{worst:.1e}", f"{stored:.1e}"))
    return Table("", ("file", "animation", "poses", "largest error", "with stored scales"), rows), agree


if __name__ == "__main__":
    table, agree = build_table([Path(word) for word in sys.argv[1:]])
    print_tables([table])
    sys.exit(0 if agree else 1)
