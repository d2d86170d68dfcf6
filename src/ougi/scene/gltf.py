"""glTF 2.0 (Khronos 2021): the nodes and meshes of .glb and .gltf files.

What is not supported is refused by name, or skipped by request: moving morph targets, CUBICSPLINE, required
extensions that change geometry. `animation.py` has what moves, `skins.py` what bends.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

import msgspec
import numpy as np
from msgspec import Struct, field

from ougi._typing import Array, Floats, Ints, JsonValue
from ougi.motion import Pose
from ougi.scene.colors import format_color
from ougi.scene.draco import decode_draco
from ougi.scene.file_access import read_bytes, resolve_inside
from ougi.scene.limits import Budget
from ougi.scene.meshopt import decode_meshopt
from ougi.scene.problems import Findings, SceneError, scene_error, warn_user

# --- the file's own records; keys that do not matter here are passed over -----------------------------------


class _Asset(Struct):
    version: str


class _Buffer(Struct, rename="camel"):
    byte_length: int
    uri: str | None = None


class _Meshopt(Struct, rename="camel"):
    buffer: int
    byte_length: int
    byte_stride: int
    count: int
    mode: str
    byte_offset: int = 0
    filter: str = "NONE"


class _ViewExtensions(Struct):
    meshopt: _Meshopt | None = field(default=None, name="EXT_meshopt_compression")
    khr_meshopt: _Meshopt | None = field(default=None, name="KHR_meshopt_compression")


class _View(Struct, rename="camel"):
    buffer: int
    byte_length: int
    byte_offset: int = 0
    byte_stride: int | None = None
    extensions: _ViewExtensions = field(default_factory=_ViewExtensions)


class _SparseValues(Struct, rename="camel"):
    buffer_view: int
    byte_offset: int = 0
    component_type: int = 0


class _Sparse(Struct):
    count: int
    indices: _SparseValues
    values: _SparseValues


class _Accessor(Struct, rename="camel"):
    component_type: int
    count: int
    type: str
    buffer_view: int | None = None
    byte_offset: int = 0
    normalized: bool = False
    sparse: _Sparse | None = None


class _Draco(Struct, rename="camel"):
    buffer_view: int
    attributes: dict[str, int] = field(default_factory=dict)


class _PrimitiveExtensions(Struct):
    draco: _Draco | None = field(default=None, name="KHR_draco_mesh_compression")


class Primitive(Struct):
    attributes: dict[str, int]
    indices: int | None = None
    mode: int = 4
    material: JsonValue = None
    targets: list[dict[str, int]] = field(default_factory=list)
    extensions: _PrimitiveExtensions = field(default_factory=_PrimitiveExtensions)


class _MeshRecord(Struct):
    primitives: list[Primitive]
    name: str = ""
    weights: list[float] = field(default_factory=list)


class _Node(Struct):
    name: str = ""
    children: list[int] = field(default_factory=list)
    mesh: int | None = None
    skin: int | None = None
    weights: list[float] = field(default_factory=list)
    matrix: list[float] | None = None
    translation: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    rotation: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0, 1.0])
    scale: list[float] = field(default_factory=lambda: [1.0, 1.0, 1.0])


class Skin(Struct, rename="camel"):
    joints: list[int]
    inverse_bind_matrices: int | None = None


class _SceneRecord(Struct):
    nodes: list[int] = field(default_factory=list)


class _Pointer(Struct):
    pointer: str = ""


class _TargetExtensions(Struct):
    pointer: _Pointer | None = field(default=None, name="KHR_animation_pointer")


class Target(Struct):
    path: str
    node: int | None = None
    extensions: _TargetExtensions = field(default_factory=_TargetExtensions)


class _ChannelRecord(Struct):
    sampler: int
    target: Target


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
    skins: list[Skin] = field(default_factory=list)
    accessors: list[_Accessor] = field(default_factory=list)
    buffer_views: list[_View] = field(default_factory=list)
    buffers: list[_Buffer] = field(default_factory=list)
    animations: list[Animation] = field(default_factory=list)
    materials: JsonValue = None  # appearance, so mistakes in it do not matter
    extensions_required: list[str] = field(default_factory=list)


# --- bytes ----------------------------------------------------------------------------------------------

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_JSON, _BINARY = 0x4E4F534A, 0x004E4942

# Modes of primitives that have triangles: a list, a strip and a fan.
TRIANGLES = (4, 5, 6)

# Required extensions that move no triangle, or that are supported. Hidden nodes are checked, too.
_APPEARANCE = re.compile(r"[A-Z0-9]+_(texture|materials?|technique|lights?|image|xmp|environment|audio)(_|$)")
_SUPPORTED = (
    "KHR_mesh_quantization",
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_animation_pointer",
    "KHR_node_visibility",
)

# How far the length of a quaternion may be from 1: files hold bytes and short integers, too.
_UNIT = 0.02


class Gltf:
    """A file: its document, its bytes, and arrays made of them."""

    def __init__(self, path: Path, budget: Budget, *, skip_unsupported: bool = False) -> None:
        self.path, self.name, self.budget = path, path.name, budget
        self.skip_unsupported = skip_unsupported
        self.skipped: list[str] = []
        self.findings = Findings(path.name)
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
            raise scene_error(self.name, _find_version(text) or f"malformed glTF: {error}") from None
        if wrong := _describe_version(self.document.asset.version):
            raise scene_error(self.name, wrong)
        for extension in self.document.extensions_required:
            if extension not in _SUPPORTED and not _APPEARANCE.match(extension):
                self.findings.add(0, f"the extension {extension} is required and not supported")
        self.findings.raise_if_any()
        self._buffers: dict[int, bytes | memoryview] = {}
        self._unpacked: dict[int, bytes] = {}
        self.meshes: dict[tuple[int, tuple[float, ...]], tuple[Floats, Ints]] = {}
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

    def refuse(self, text: str, skipped: str) -> None:
        """Collect a feature that is not supported; by request it is a warning, and `skipped` is not read."""
        if not self.skip_unsupported:
            self.findings.add(0, f"{text}; --skip-unsupported reads the file without {skipped}")
        elif text not in self.skipped:
            self.skipped.append(text)
            warn_user(self.name, f"skipped {skipped}: {text}")

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

    def array(self, index: int) -> Array:
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
        label = f"accessor {index}"
        if accessor.buffer_view is None:
            values = np.zeros((accessor.count,) if width == 1 else (accessor.count, width), dtype)
        else:
            place = accessor.buffer_view, accessor.byte_offset
            values = self._read_view(*place, accessor.count, dtype, width, label)
        if accessor.sparse is not None:
            self._replace_sparse(values, accessor.sparse, label)
        return _dequantize(values) if accessor.normalized else values

    def _replace_sparse(self, values: Array, sparse: _Sparse, label: str) -> None:
        """Put the values of a sparse accessor to their places."""
        if sparse.indices.component_type not in (5121, 5123, 5125) or not 0 <= sparse.count <= len(values):
            raise ValueError(f"{label} has sparse indices of a wrong type or number")
        dtype, width = values.dtype, 1 if values.ndim == 1 else values.shape[1]
        order, given = sparse.indices, sparse.values
        index_type = np.dtype(_COMPONENTS[order.component_type])
        rows = self._read_view(order.buffer_view, order.byte_offset, sparse.count, index_type, 1, label)
        if len(rows) and int(rows.max()) >= len(values):
            raise ValueError(f"{label} has sparse indices that it does not have")
        values[rows] = self._read_view(
            given.buffer_view, given.byte_offset, sparse.count, dtype, width, label
        )

    def _read_view(
        self, index: int, offset: int, count: int, dtype: np.dtype[np.generic], width: int, label: str
    ) -> Array:
        """A copy of numbers in a buffer view: (count,) or (count, width)."""
        view = get_item(self.document.buffer_views, index, "bufferView")
        size = dtype.itemsize * width
        stride = view.byte_stride or size
        span = stride * (count - 1) + size if count else 0
        if min(view.byte_offset, offset) < 0 or stride < size:
            raise ValueError(f"{label} has a negative offset or too small a stride")
        if offset + span > view.byte_length:
            raise ValueError(f"{label} reaches behind its buffer view")
        content, first = self._view_buffer(index, label)
        start = first + offset
        if start + span > len(content):
            raise ValueError(f"{label} reaches behind its buffer")
        shape, strides = ((count,), (stride,)) if width == 1 else ((count, width), (stride, dtype.itemsize))
        return np.ndarray(shape, dtype, content, start, strides).copy()

    def _view_buffer(self, index: int, label: str) -> tuple[bytes | memoryview, int]:
        """The buffer that a view is a part of, and where the view begins in it."""
        view = self.document.buffer_views[index]
        packed = view.extensions.meshopt or view.extensions.khr_meshopt
        if packed is None:
            get_item(self.document.buffers, view.buffer, "buffer")
            return self.buffer(view.buffer), view.byte_offset
        if index not in self._unpacked:
            self._unpacked[index] = self._unpack(packed, label)
        return self._unpacked[index], 0

    def _unpack(self, packed: _Meshopt, label: str) -> bytes:
        """The bytes of a compressed view."""
        get_item(self.document.buffers, packed.buffer, "buffer")
        content, first = self.buffer(packed.buffer), packed.byte_offset
        last = first + packed.byte_length
        if min(first, packed.byte_length, packed.count, packed.byte_stride) < 0 or last > len(content):
            raise ValueError(f"{label} has compressed data that reaches behind its buffer")
        size = packed.count * packed.byte_stride
        self.budget.take("mesh_bytes", size, f"{label}, when it is decompressed")
        source = bytes(content[first:last])
        return decode_meshopt(source, packed.count, packed.byte_stride, packed.mode, packed.filter).tobytes()

    def view_bytes(self, index: int, label: str) -> bytes:
        """All bytes of a buffer view."""
        view = get_item(self.document.buffer_views, index, "bufferView")
        if view.byte_offset < 0 or view.byte_length < 0:
            raise ValueError(f"{label} has a negative offset or length")
        content, first = self._view_buffer(index, label)
        if first + view.byte_length > len(content):
            raise ValueError(f"{label} reaches behind its buffer")
        return bytes(content[first : first + view.byte_length])


class _Versioned(Struct):
    asset: _Asset


def _find_version(text: bytes | memoryview) -> str:
    """What is wrong with the version of a malformed file; '' if nothing is."""
    try:
        return _describe_version(msgspec.json.decode(text, type=_Versioned).asset.version)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def _describe_version(version: str) -> str:
    return "" if version.startswith("2.") else f"glTF {version} is not supported, only 2.x"


def _dequantize(values: Array) -> Array:
    """Normalized integers, glTF 2.0 sec. 3.11."""
    if values.dtype.kind == "f":
        return values
    return np.maximum(values / np.iinfo(values.dtype).max, -1.0)


T = TypeVar("T")


def get_item(items: list[T], index: int, what: str) -> T:
    if not 0 <= index < len(items):
        raise ValueError(f"there is no {what} {index}; the file has {len(items)}")
    return items[index]


def label_item(name: str, index: int) -> str:
    return repr(name) if name else str(index)


# --- meshes ---------------------------------------------------------------------------------------------


def to_scene_error(gltf: Gltf, error: ValueError) -> SceneError:
    """What is wrong inside a file, as an error of the file."""
    return error if isinstance(error, SceneError) else scene_error(gltf.name, str(error))


def read_mesh(gltf: Gltf, index: int, weights: Sequence[float] = ()) -> tuple[Floats, Ints]:
    """Vertices and faces of a mesh, all primitives together, with morph targets at rest; each is read once.

    Points and lines have no triangles and are not read.
    """
    mesh: _MeshRecord = get_item(gltf.document.meshes, index, "mesh")
    used = tuple(weights or mesh.weights)
    if (index, used) not in gltf.meshes:
        gltf.meshes[index, used] = _read_primitives(gltf, mesh, f"mesh {label_item(mesh.name, index)}", used)
    return gltf.meshes[index, used]


def find_color(gltf: Gltf, index: int) -> str:
    """The colour of a mesh: that of its first material with a plain colour; '' without one."""
    for primitive in gltf.document.meshes[index].primitives:
        try:
            base = gltf.document.materials[primitive.material].get("pbrMetallicRoughness", {})
            if "baseColorTexture" not in base and "baseColorFactor" in base:
                return format_color(base["baseColorFactor"], linear=True)
        except (AttributeError, IndexError, KeyError, TypeError):
            continue
    return ""


def _read_primitives(
    gltf: Gltf, mesh: _MeshRecord, label: str, weights: tuple[float, ...]
) -> tuple[Floats, Ints]:
    vertices, faces = [np.empty((0, 3))], [np.empty((0, 3), np.int64)]
    first: dict[int, int] = {}  # primitives often share their vertices
    count = face_count = 0
    if not mesh.primitives:
        raise ValueError(f"{label} has no primitives")
    for primitive in mesh.primitives:
        if primitive.mode not in TRIANGLES:
            continue
        accessor = get_position(primitive, label)
        has_own = primitive.extensions.draco is not None or (primitive.targets and any(weights))
        if accessor in first and not has_own:
            start, corners = first[accessor], _read_corners(gltf, primitive, accessor)
            _require_vertices(corners, get_item(gltf.document.accessors, accessor, "accessor").count, label)
        else:
            start = count
            points, corners, _ = read_primitive(gltf, primitive, label, weights)
            vertices.append(points)
            count += len(points)
            if not has_own:
                first[accessor] = start
        faces.append(corners + start)
        face_count += len(corners)
        Budget(gltf.budget.limits).take("faces", max(face_count, -(-count // 3)), label)
    return np.concatenate(vertices), np.concatenate(faces)


def get_position(primitive: Primitive, label: str) -> int:
    """The accessor of the vertices of a primitive."""
    if "POSITION" not in primitive.attributes:
        raise ValueError(f"a primitive of {label} has no POSITION")
    return primitive.attributes["POSITION"]


def read_primitive(
    gltf: Gltf, primitive: Primitive, label: str, weights: tuple[float, ...], names: Sequence[str] = ()
) -> tuple[Floats, Ints, dict[str, Array]]:
    """Vertices (n, 3), with morph targets at rest, faces (m, 3), and those named attributes that it has."""
    accessor, draco = get_position(primitive, label), primitive.extensions.draco
    morphs = primitive.targets and any(weights)
    if draco is not None and not morphs:
        own = Budget(gltf.budget.limits)
        wanted = {name: draco.attributes[name] for name in names if name in draco.attributes}
        content = gltf.view_bytes(draco.buffer_view, label)
        points, corners, more = decode_draco(content, label, own, wanted)
    else:
        points, corners = _read_positions(gltf, accessor, label), _read_corners(gltf, primitive, accessor)
        more = {
            name: gltf.array(primitive.attributes[name]) for name in names if name in primitive.attributes
        }
        if morphs:
            points = points + _sum_targets(gltf, primitive.targets, weights, points.shape, label)
    _require_vertices(corners, len(points), label)
    return points, corners, more


def _require_vertices(corners: Ints, count: int, label: str) -> None:
    if corners.size and not 0 <= corners.min() <= corners.max() < count:
        raise ValueError(f"{label} refers to vertices that it does not have")


def _read_corners(gltf: Gltf, primitive: Primitive, accessor: int) -> Ints:
    size = get_item(gltf.document.accessors, accessor, "accessor").count
    if primitive.indices is None:
        return _build_faces(np.arange(min(max(size, 0), 3 * gltf.budget.limits.faces)), primitive.mode)
    return _build_faces(np.asarray(gltf.array(primitive.indices), np.int64), primitive.mode)


def _sum_targets(
    gltf: Gltf, targets: list[dict[str, int]], weights: tuple[float, ...], shape: tuple[int, ...], label: str
) -> Floats:
    """The displacement of vertices by morph targets with weights."""
    if len(weights) != len(targets):
        raise ValueError(f"{label} has {len(targets)} morph targets, but {len(weights)} weights")
    total = np.zeros(shape)
    for target, weight in zip(targets, weights, strict=True):
        if weight and "POSITION" in target:
            offsets = _read_positions(gltf, target["POSITION"], label)
            if offsets.shape != shape:
                raise ValueError(f"{label} has a morph target of another length")
            total += weight * offsets
    return total


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


class NodeTree:
    """The nodes of the file's scene, parents before children, and what each does to its children at rest.

    Attributes
    ----------
    order
        Numbers of the nodes; the arrays below have a row for each.
    row
        Node -> row.
    parent
        (n,) the row of each node's parent; -1 for a root of the scene.
    translation, linear
        (n, 3) and (n, 3, 3): where nodes are in the frames of their parents; `linear` has rotation and scale.
    rotation, scale
        (n, 3, 3) and (n, 3), the factors of `linear`; of a node with a matrix they are the identity.
    has_matrix
        (n,), such a node cannot be animated.
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
        self._read_rest_poses()

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

    def hold_scale(self, row: int, values: Floats) -> bool:
        """Give a node the scale of its keys, if these are all the same up to 1e-5."""
        if np.abs(values - self.scale[row]).max() > 1e-5:
            if np.abs(values - values[0]).max() > 1e-5:
                return False
            self.scale[row] = _even_scales(values[:1])[0]
            self.linear[row] = self.rotation[row] * self.scale[row]
        return True

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
        whole[:, :3, :3] = self.linear
        whole[:, :3, 3] = self.translation
        whole[:, 3, 3] = 1.0
        for rows in self.levels():
            if (self.parent[rows] >= 0).all():
                whole[rows] = whole[self.parent[rows]] @ whole[rows]
        return whole

    def _read_rest_poses(self) -> None:
        """Translations, rotations, scales and matrices of all nodes at once."""
        records = [self.nodes[node] for node in self.order]
        for row, record in enumerate(records):
            lengths = [len(record.translation), len(record.rotation), len(record.scale)]
            if record.matrix is None and lengths != [3, 4, 3]:
                raise ValueError(
                    f"{self.label(row)} has a translation, rotation or scale of the wrong length"
                )
            if record.matrix is not None and len(record.matrix) != 16:
                raise ValueError(f"{self.label(row)} has a matrix that is not 16 finite numbers")
        n = len(records)
        self.has_matrix = np.array([record.matrix is not None for record in records], bool)
        self.translation, self.scale = np.zeros((n, 3)), np.ones((n, 3))
        self.rotation = np.tile(np.eye(3), (n, 1, 1))
        if not self.has_matrix.all():
            rows = np.flatnonzero(~self.has_matrix)
            plain = [records[row] for row in rows]
            self.translation[rows] = [record.translation for record in plain]
            self.scale[rows] = _even_scales(np.array([record.scale for record in plain], np.float64))
            finite = np.isfinite(self.translation[rows]).all(axis=1) & np.isfinite(self.scale[rows]).all(
                axis=1
            )
            if not finite.all():
                raise ValueError(f"{self.label(int(rows[~finite][0]))} has a place that is not finite")
            quaternions = np.array([record.rotation for record in plain], np.float64)
            length = np.linalg.norm(quaternions, axis=1)
            bad = ~(np.abs(length - 1) < _UNIT)
            if bad.any():
                raise ValueError(
                    f"{self.label(int(rows[bad][0]))} has a rotation that is not a unit quaternion"
                )
            self.rotation[rows] = Pose(np.zeros(3), quaternions / length[:, None]).rotation
        self.linear = self.rotation * self.scale[:, None, :]
        if self.has_matrix.any():
            rows = np.flatnonzero(self.has_matrix)
            numbers = np.array([records[row].matrix for row in rows], np.float64)
            matrices = numbers.reshape((-1, 4, 4)).swapaxes(1, 2)
            bad = ~np.isfinite(matrices).all(axis=(1, 2))
            if bad.any():
                raise ValueError(
                    f"{self.label(int(rows[bad][0]))} has a matrix that is not 16 finite numbers"
                )
            self.translation[rows], self.linear[rows] = matrices[:, :3, 3], matrices[:, :3, :3]


def _even_scales(scales: Floats) -> Floats:
    """Scales (n, 3) whose sizes differ by less than 1e-6 of them, as single precision does, made even.

    Nodes that turn below an uneven scale would shear their meshes.
    """
    size = np.abs(scales).mean(axis=1, keepdims=True)
    is_even = (np.abs(np.abs(scales) - size) < 1e-6 * size).all(axis=1, keepdims=True)
    return np.where(is_even, np.copysign(size, scales), scales)


def read_rotations(quaternions: Floats, label: str) -> Floats:
    """Matrices of quaternions in single precision or of normalized integers."""
    length = np.linalg.norm(quaternions, axis=-1, keepdims=True)
    if not (np.abs(length - 1) < _UNIT).all():
        raise ValueError(f"{label} has a rotation that is not a unit quaternion")
    return Pose(np.zeros(3), quaternions / length).rotation
