"""glTF 2.0 (Khronos 2021): the nodes and meshes of .glb and .gltf files.

What is not supported is refused by name: skins, morph targets, CUBICSPLINE, sparse accessors, extensions that
the file requires. `animation.py` has what moves.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np
from msgspec import Struct, field

from ougi._typing import Floats, Ints
from ougi.motion import Pose
from ougi.scene.file_access import read_bytes, resolve_inside
from ougi.scene.limits import Budget
from ougi.scene.problems import Findings, SceneError, scene_error

# --- the file's own records; keys that do not matter here are passed over -----------------------------------


class _Asset(Struct):
    version: str


class _Buffer(Struct, rename="camel"):
    byte_length: int
    uri: str | None = None


class _View(Struct, rename="camel"):
    buffer: int
    byte_length: int
    byte_offset: int = 0
    byte_stride: int | None = None


class _Accessor(Struct, rename="camel"):
    component_type: int
    count: int
    type: str
    buffer_view: int | None = None
    byte_offset: int = 0
    normalized: bool = False
    sparse: Any = None


class _Primitive(Struct):
    attributes: dict[str, int]
    indices: int | None = None
    mode: int = 4
    targets: Any = None


class _MeshRecord(Struct):
    primitives: list[_Primitive]
    name: str = ""


class _Node(Struct):
    name: str = ""
    children: list[int] = field(default_factory=list)
    mesh: int | None = None
    skin: int | None = None
    matrix: list[float] | None = None
    translation: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    rotation: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 1.0])
    scale: list[float] = field(default_factory=lambda: [1.0, 1.0, 1.0])


class _SceneRecord(Struct):
    nodes: list[int] = field(default_factory=list)


class _Target(Struct):
    path: str
    node: int | None = None


class _ChannelRecord(Struct):
    sampler: int
    target: _Target


class Sampler(Struct):
    input: int
    output: int
    interpolation: str = "LINEAR"


class Animation(Struct):
    channels: list[_ChannelRecord]
    samplers: list[Sampler]
    name: str = ""


class _Document(Struct, rename="camel"):
    asset: _Asset
    scene: int | None = None
    scenes: list[_SceneRecord] = field(default_factory=list)
    nodes: list[_Node] = field(default_factory=list)
    meshes: list[_MeshRecord] = field(default_factory=list)
    accessors: list[_Accessor] = field(default_factory=list)
    buffer_views: list[_View] = field(default_factory=list)
    buffers: list[_Buffer] = field(default_factory=list)
    animations: list[Animation] = field(default_factory=list)
    extensions_required: list[str] = field(default_factory=list)


# --- bytes ----------------------------------------------------------------------------------------------

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_JSON, _BINARY = 0x4E4F534A, 0x004E4942

# How far the length of a quaternion may be from 1: files hold bytes and short integers, too.
_UNIT = 0.02


class Gltf:
    """A file: its document, its bytes, and arrays made of them."""

    def __init__(self, path: Path, budget: Budget) -> None:
        self.path, self.name, self.budget = path, path.name, budget
        raw = read_bytes(path, budget, "mesh_bytes")
        text: bytes | memoryview = raw
        self._binary: memoryview | None = None
        if raw[:4] == b"glTF":
            text, self._binary = self._split_chunks(raw)
        if path.suffix.lower() == ".glb" and raw[:4] != b"glTF":
            raise scene_error(self.name, "this is no GLB file: it does not begin with 'glTF'")
        try:
            self.document = msgspec.json.decode(text, type=_Document)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise scene_error(self.name, f"malformed glTF: {error}") from None
        if not self.document.asset.version.startswith("2."):
            raise scene_error(self.name, f"glTF {self.document.asset.version} is not supported, only 2.x")
        self._refuse_unsupported()
        self._buffers: dict[int, bytes | memoryview] = {}
        self._meshes: dict[int, tuple[Floats, Ints]] = {}
        try:
            budget.take("nodes", len(self.document.nodes), "the number of nodes")
        except ValueError as error:
            raise scene_error(self.name, str(error)) from None

    def _split_chunks(self, raw: bytes) -> tuple[memoryview, memoryview | None]:
        """The JSON and the binary chunk of a GLB."""
        if len(raw) < 20:
            raise scene_error(self.name, "the GLB ends within its header")
        _, version, length = struct.unpack_from("<III", raw)
        if version != 2:
            raise scene_error(self.name, f"GLB version {version} is not supported, only 2")
        if length != len(raw):
            raise scene_error(
                self.name,
                f"the header of the GLB gives a size of {length} bytes, but the file has {len(raw)}",
            )
        found: dict[int, memoryview] = {}  # parts of the file, not copies of them
        at = 12
        while at + 8 <= len(raw):
            size, chunk_type = struct.unpack_from("<II", raw, at)
            if at + 8 + size > len(raw):
                raise scene_error(self.name, "a chunk of the GLB ends behind the file")
            found.setdefault(chunk_type, memoryview(raw)[at + 8 : at + 8 + size])
            at += 8 + size
        if _JSON not in found:
            raise scene_error(self.name, "the GLB has no JSON chunk")
        return found[_JSON], found.get(_BINARY)

    def _refuse_unsupported(self) -> None:
        document, findings = self.document, Findings(self.name)
        for extension in document.extensions_required:
            findings.add(0, f"the extension {extension} is required and not supported")
        for i, node in enumerate(document.nodes):
            if node.skin is not None:
                findings.add(0, f"node {label_item(node.name, i)}: skins are not supported")
        for i, mesh in enumerate(document.meshes):
            if any(primitive.targets for primitive in mesh.primitives):
                findings.add(0, f"mesh {label_item(mesh.name, i)}: morph targets are not supported")
            if any(primitive.mode not in (4, 5, 6) for primitive in mesh.primitives):
                findings.add(
                    0, f"mesh {label_item(mesh.name, i)}: points and lines are not supported, only triangles"
                )
        if any(accessor.sparse is not None for accessor in document.accessors):
            findings.add(0, "sparse accessors are not supported")
        for i, animation in enumerate(document.animations):
            label = f"animation {label_item(animation.name, i)}"
            if any(sampler.interpolation == "CUBICSPLINE" for sampler in animation.samplers):
                findings.add(0, f"{label}: CUBICSPLINE is not supported; export LINEAR keys")
            if any(channel.target.path == "weights" for channel in animation.channels):
                findings.add(0, f"{label}: morph targets (weights) are not supported")
        findings.raise_if_any()

    def buffer(self, index: int) -> bytes | memoryview:
        """The bytes of a buffer: the GLB's own, embedded in its address, or a file in the folder."""
        if index not in self._buffers:
            record = self.document.buffers[index]
            content = self._read_buffer(record, index)
            if len(content) < record.byte_length:
                raise ValueError(f"buffer {index} has {len(content)} bytes, not {record.byte_length}")
            self._buffers[index] = content
        return self._buffers[index]

    def _read_buffer(self, record: _Buffer, index: int) -> bytes | memoryview:
        if record.uri is None:
            if self._binary is None or index != 0:
                raise ValueError(f"buffer {index} has neither an address nor the file's binary chunk")
            return self._binary
        if record.uri.startswith("data:"):
            head, _, body = record.uri.partition(",")
            if not head.endswith(";base64"):
                raise ValueError(f"buffer {index} is embedded, but not as base64")
            try:
                return base64.b64decode(body, validate=True)
            except binascii.Error as error:
                raise ValueError(f"buffer {index} is not valid base64: {error}") from None
        return read_bytes(resolve_inside(self.path.parent, unquote(record.uri)), self.budget, "mesh_bytes")

    def array(self, index: int) -> Any:
        """The numbers of an accessor: (count,) or (count, width); normalized integers as floats."""
        accessor = get_item(self.document.accessors, index, "accessor")
        if accessor.component_type not in _COMPONENTS or accessor.type not in _WIDTHS:
            given = f"{accessor.component_type} {accessor.type}"
            raise ValueError(f"accessor {index} has the type {given}, which is not supported")
        dtype, width = np.dtype(_COMPONENTS[accessor.component_type]), _WIDTHS[accessor.type]
        max_count = 3 * self.budget.limits.faces
        if not 0 <= accessor.count <= max_count:
            raise ValueError(
                f"accessor {index} has {accessor.count:,} elements, more than {max_count:,}, which is 3 "
                "times the limit of faces; raise it by --limit faces=N, or in Python by "
                "limits=Limits(faces=N)"
            )
        shape = (accessor.count,) if width == 1 else (accessor.count, width)
        if accessor.buffer_view is None:
            return np.zeros(shape, dtype)
        view = get_item(self.document.buffer_views, accessor.buffer_view, "bufferView")
        stride = view.byte_stride or dtype.itemsize * width
        span = stride * (accessor.count - 1) + dtype.itemsize * width if accessor.count else 0
        get_item(self.document.buffers, view.buffer, "buffer")
        start = view.byte_offset + accessor.byte_offset
        if min(view.byte_offset, accessor.byte_offset) < 0 or stride < dtype.itemsize * width:
            raise ValueError(f"accessor {index} has a negative offset or too small a stride")
        if accessor.byte_offset + span > view.byte_length:
            raise ValueError(f"accessor {index} reaches behind its buffer view")
        content = self.buffer(view.buffer)
        if start + span > len(content):
            raise ValueError(f"accessor {index} reaches behind its buffer")
        strides = (stride,) if width == 1 else (stride, dtype.itemsize)
        found = np.ndarray(shape, dtype, content, start, strides).copy()
        return _dequantize(found) if accessor.normalized else found


def _dequantize(values: Any) -> Any:
    """Normalized integers, glTF 2.0 sec. 3.11."""
    if values.dtype.kind == "f":
        return values
    return np.maximum(values / np.iinfo(values.dtype).max, -1.0)


def get_item(items: list[Any], index: int, what: str) -> Any:
    if not 0 <= index < len(items):
        raise ValueError(f"there is no {what} {index}; the file has {len(items)}")
    return items[index]


def label_item(name: str, index: int) -> str:
    return repr(name) if name else str(index)


# --- meshes ---------------------------------------------------------------------------------------------


def read_triangles(path: Path, budget: Budget) -> tuple[Floats, Ints]:
    """All triangles of a file where its nodes put them, without animations."""
    gltf = Gltf(path, budget)
    try:
        return _collect_triangles(gltf)
    except ValueError as error:
        raise to_scene_error(gltf, error) from None


def to_scene_error(gltf: Gltf, error: ValueError) -> SceneError:
    """What is wrong inside a file, as an error of the file."""
    return error if isinstance(error, SceneError) else scene_error(gltf.name, str(error))


def _collect_triangles(gltf: Gltf) -> tuple[Floats, Ints]:
    tree = Tree(gltf)
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    matrices = tree.matrices()
    own = Budget(gltf.budget.limits)  # the triangles count for the scene when a body uses them
    for node, whole in zip(tree.order, matrices, strict=True):
        mesh = gltf.document.nodes[node].mesh
        if mesh is not None:
            points, corners = read_mesh(gltf, mesh)
            own.take("faces", max(len(corners), -(-len(points) // 3)), f"mesh {mesh}")
            vertices.append(points @ whole[:3, :3].T + whole[:3, 3])
            faces.append(corners + count)
            count += len(points)
    return np.concatenate(vertices), np.concatenate(faces)


def read_mesh(gltf: Gltf, index: int) -> tuple[Floats, Ints]:
    """Vertices and faces of a mesh, all primitives together; each mesh is read once."""
    if index not in gltf._meshes:
        gltf._meshes[index] = _read_primitives(gltf, index)
    return gltf._meshes[index]


def _read_primitives(gltf: Gltf, index: int) -> tuple[Floats, Ints]:
    mesh: _MeshRecord = get_item(gltf.document.meshes, index, "mesh")
    label = f"mesh {label_item(mesh.name, index)}"
    vertices: list[Floats] = []
    faces: list[Ints] = []
    first: dict[int, int] = {}  # primitives often share their vertices
    count = face_count = 0
    for primitive in mesh.primitives:
        if "POSITION" not in primitive.attributes:
            raise ValueError(f"a primitive of {label} has no POSITION")
        accessor = primitive.attributes["POSITION"]
        if accessor not in first:
            points = _read_positions(gltf, accessor, label)
            vertices.append(points)
            first[accessor] = count
            count += len(points)
        size = get_item(gltf.document.accessors, accessor, "accessor").count
        order = np.arange(size) if primitive.indices is None else gltf.array(primitive.indices)
        corners = _build_faces(np.asarray(order, np.int64), primitive.mode)
        if corners.size and not 0 <= corners.min() <= corners.max() < size:
            raise ValueError(f"{label} refers to vertices that it does not have")
        faces.append(corners + first[accessor])
        face_count += len(corners)
        Budget(gltf.budget.limits).take("faces", max(face_count, -(-count // 3)), label)
    if not vertices:
        raise ValueError(f"{label} has no primitives")
    return np.concatenate(vertices), np.concatenate(faces)


def _read_positions(gltf: Gltf, accessor: int, label: str) -> Floats:
    points = np.asarray(gltf.array(accessor), np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"POSITION of {label} must be VEC3")
    if not np.isfinite(points).all():
        raise ValueError(f"POSITION of {label} must be finite")
    return points


def _build_faces(order: Ints, mode: int) -> Ints:
    """Triangles of a list (4), a strip (5) or a fan (6)."""
    if order.ndim != 1:
        raise ValueError("indices must be single numbers")
    if mode == 4:
        if len(order) % 3:
            raise ValueError(f"a list of triangles has {len(order)} corners, which is no multiple of 3")
        return order.reshape((-1, 3))
    first = order[:-2] if mode == 5 else np.full(max(len(order) - 2, 0), order[0] if len(order) else 0)
    return np.stack([first, order[1:-1], order[2:]], axis=1) if len(order) > 2 else np.empty((0, 3), np.int64)


# --- nodes ----------------------------------------------------------------------------------------------


class Tree:
    """The nodes of the file's scene, parents before children, and what each does to its children at rest.

    Attributes
    ----------
    order
        Numbers of the nodes; the arrays below have a row for each.
    row
        Node -> row.
    parent
        (n,) the row of each node's parent; -1 for a root of the scene.
    translation, rotation, scale
        (n, 3), (n, 3, 3) and (n, 3), in the frame of the parent.
    """

    def __init__(self, gltf: Gltf) -> None:
        document = gltf.document
        self.nodes = document.nodes
        parent: dict[int, int] = {}
        for i, node in enumerate(self.nodes):
            for child in node.children:
                get_item(self.nodes, child, "node")
                if child in parent:
                    raise ValueError(f"node {label_item(self.nodes[child].name, child)} has two parents")
                parent[child] = i
        roots = [i for i in range(len(self.nodes)) if i not in parent]
        lost = set(range(len(self.nodes))) - set(self._iter_down(roots))
        if lost:
            name = label_item(self.nodes[min(lost)].name, min(lost))
            raise ValueError(f"node {name} is its own ancestor, or a child of one that is")
        if document.scenes:
            roots = get_item(document.scenes, document.scene or 0, "scene").nodes
        self.order = list(self._iter_down(roots))
        self.row = {node: k for k, node in enumerate(self.order)}
        rows = [self.row.get(parent.get(node, -1), -1) for node in self.order]
        self.parent = np.array(rows, np.int64)
        self.translation, self.rotation, self.scale = self._rest_poses()

    def _iter_down(self, roots: list[int]) -> Iterator[int]:
        todo, seen = list(reversed(roots)), set[int]()
        while todo:
            node = todo.pop()
            get_item(self.nodes, node, "node")
            if node in seen:
                raise ValueError(
                    f"node {label_item(self.nodes[node].name, node)} is its own ancestor, or twice a root"
                )
            seen.add(node)
            yield node
            todo.extend(reversed(self.nodes[node].children))

    def label(self, row: int) -> str:
        """How messages name the node of a row."""
        node = self.order[row]
        return f"node {label_item(self.nodes[node].name, node)}"

    def levels(self) -> Iterator[Ints]:
        """The rows of the roots, then the rows of their children, and so on."""
        depth = np.zeros(len(self.order), np.int64)
        for row, above in enumerate(self.parent.tolist()):
            depth[row] = depth[above] + 1 if above >= 0 else 0
        by_depth = np.argsort(depth, kind="stable")
        yield from np.split(by_depth, np.cumsum(np.bincount(depth))[:-1] if len(depth) else [])

    def matrices(self) -> Floats:
        """Where the nodes are at rest, with all scales: (n, 4, 4)."""
        whole = np.zeros((len(self.order), 4, 4))
        whole[:, :3, :3] = self.rotation * self.scale[:, None, :]
        whole[:, :3, 3] = self.translation
        whole[:, 3, 3] = 1.0
        for rows in self.levels():
            if (self.parent[rows] >= 0).all():
                whole[rows] = whole[self.parent[rows]] @ whole[rows]
        return whole

    def _rest_poses(self) -> tuple[Floats, Floats, Floats]:
        """Translations, rotations and scales of all nodes at once."""
        records = [self.nodes[node] for node in self.order]
        for row, record in enumerate(records):
            lengths = [len(record.translation), len(record.rotation), len(record.scale)]
            if record.matrix is None and lengths != [3, 4, 3]:
                raise ValueError(
                    f"{self.label(row)} has a translation, rotation or scale of the wrong length"
                )
            if record.matrix is not None and len(record.matrix) != 16:
                raise ValueError(f"{self.label(row)} has a matrix that is not 16 finite numbers")
        with_matrix = np.array([record.matrix is not None for record in records], bool)
        translation, rotation, scale = (
            np.zeros((len(records), 3)),
            np.zeros((len(records), 3, 3)),
            np.ones((len(records), 3)),
        )
        plain = [record for record in records if record.matrix is None]
        if plain:
            rows = np.flatnonzero(~with_matrix)
            translation[rows] = [record.translation for record in plain]
            scale[rows] = [record.scale for record in plain]
            finite = np.isfinite(translation[rows]).all(axis=1) & np.isfinite(scale[rows]).all(axis=1)
            if not finite.all():
                raise ValueError(f"{self.label(int(rows[~finite][0]))} has a place that is not finite")
            quaternions = np.array([record.rotation for record in plain], np.float64)
            length = np.linalg.norm(quaternions, axis=1)
            bad = ~(np.abs(length - 1) < _UNIT)
            if bad.any():
                raise ValueError(
                    f"{self.label(int(rows[bad][0]))} has a rotation that is not a unit quaternion"
                )
            rotation[rows] = Pose(np.zeros(3), quaternions / length[:, None]).rotation
        if with_matrix.any():
            rows = np.flatnonzero(with_matrix)
            numbers = np.array([record.matrix for record in records if record.matrix is not None], np.float64)
            parts = self._decompose(numbers.reshape((-1, 4, 4)).swapaxes(1, 2), rows)
            translation[rows], rotation[rows], scale[rows] = parts
        return translation, rotation, scale

    def _decompose(self, matrices: Floats, rows: Ints) -> tuple[Floats, Floats, Floats]:
        """Translations, rotations and scales of matrices, which must not shear."""

        def refuse(bad: Any, text: str) -> None:
            if bad.any():
                raise ValueError(f"{self.label(int(rows[bad][0]))} has a matrix that {text}")

        refuse(~np.isfinite(matrices).all(axis=(1, 2)), "is not 16 finite numbers")
        linear = matrices[:, :3, :3]
        scale = np.linalg.norm(linear, axis=1)
        refuse(~(scale > 0).all(axis=1), "squeezes everything flat")
        scale[np.linalg.det(linear) < 0, 0] *= -1
        turn = linear / scale[:, None, :]
        refuse(
            np.abs(turn.swapaxes(1, 2) @ turn - np.eye(3)).max(axis=(1, 2)) > 1e-5,
            "shears, which is not supported",
        )
        return matrices[:, :3, 3], Pose(np.zeros(3), _orthonormalize(turn)).rotation, scale


def _orthonormalize(matrix: Floats) -> Floats:
    """The nearest rotations: files hold single precision."""
    u, _, v = np.linalg.svd(matrix)
    return np.asarray(u @ v)


def read_rotations(quaternions: Floats, label: str) -> Floats:
    """Matrices of quaternions in single precision or of normalized integers."""
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    if not (np.abs(length - 1) < _UNIT).all():
        raise ValueError(f"{label} has a rotation that is not a unit quaternion")
    return Pose(np.zeros(3), quaternions / length).rotation
