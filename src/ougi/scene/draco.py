"""Draco-compressed triangles of glTF, by DracoPy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ougi._typing import Array, Floats, Ints
from ougi.errors import MissingExtraError
from ougi.scene.limits import Budget

_MESH, _SEQUENTIAL, _EDGEBREAKER = 1, 0, 1


def decode_draco(
    content: bytes, label: str, budget: Budget, attributes: Mapping[str, int]
) -> tuple[Floats, Ints, dict[str, Array]]:
    """Vertices (n, 3), faces (m, 3) and attributes (n, k) of a compressed mesh.

    `attributes` are names and their numbers in the data. Malformed or too large data is a ValueError. A few
    bytes can announce millions of faces, so the counts of the header are checked before decoding.
    """
    try:
        import DracoPy
    except ImportError:
        raise MissingExtraError("draco", f"reading {label}") from None
    vertex_count, face_count = read_counts(content)
    budget.take("faces", max(face_count, -(-vertex_count // 3)), label)
    try:
        mesh = DracoPy.decode(content)
        vertices = np.asarray(mesh.points, np.float64).reshape((-1, 3))
        faces = np.asarray(mesh.faces, np.int64).reshape((-1, 3))
        found = {name: mesh.get_attribute_by_unique_id(number) for name, number in attributes.items()}
        more = {name: np.asarray(values["data"]) for name, values in found.items()}
    except Exception as error:  # whatever malformed data makes the decoder raise
        raise ValueError(f"{label} cannot be decoded as Draco: {error}") from error
    return vertices, faces, more


def read_counts(content: bytes) -> tuple[int, int]:
    """The numbers of vertices and faces in the header of a bitstream of version 2.2.

    >>> from ougi.scene.draco import read_counts
    >>> read_counts(b"DRACO" + bytes([2, 2, 1, 0, 0, 0, 0x80, 0x01, 9]))
    (9, 128)
    """
    if content[:5] != b"DRACO" or len(content) < 13:
        raise ValueError("compressed data does not begin with 'DRACO'")
    version, encoder, method = tuple(content[5:7]), content[7], content[8]
    if content[10] & 0x80:
        raise ValueError("compressed data with metadata is not supported")
    if version != (2, 2) or encoder != _MESH or method not in (_SEQUENTIAL, _EDGEBREAKER):
        raise ValueError(
            f"Draco {version[0]}.{version[1]} with the encoder {encoder}.{method} is not supported"
        )
    first, place = _read_varint(content, 11 + method)  # the edgebreaker has a byte for its traversal
    second, _ = _read_varint(content, place)
    return (second, first) if method == _SEQUENTIAL else (first, second)


def _read_varint(content: bytes, place: int) -> tuple[int, int]:
    """A number of 7 bits per byte, low bits first, and where it ends."""
    value = 0
    for shift in range(0, 63, 7):
        if place >= len(content):
            raise ValueError("compressed data ends within its header")
        byte = content[place]
        value |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            return value, place
    raise ValueError("compressed data has a number that is too large")
