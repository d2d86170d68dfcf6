"""Buffers that are compressed by EXT_meshopt_compression, decoded by the rules of its appendix."""

from __future__ import annotations

import numpy as np

from ougi._typing import Array, Floats, Ints

# First bytes of the three kinds of data, of which later versions exist that the extension does not have.
_ATTRIBUTES, _TRIANGLES, _INDICES = 0xA0, 0xE1, 0xD1

# Elements whose differences are packed together, and the largest blocks of them in bytes and elements.
_GROUP, _BLOCK_BYTES, _BLOCK = 16, 8192, 256


def decode_meshopt(content: bytes, count: int, stride: int, mode: str, filter_name: str) -> Array:
    """The bytes (count, stride) of a compressed buffer view; a ValueError if it is malformed.

    Parameters
    ----------
    content
        The compressed bytes.
    count, stride
        Elements, and bytes of each.
    mode
        ATTRIBUTES, TRIANGLES or INDICES.
    filter_name
        NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL, for attributes.
    """
    try:
        if mode == "ATTRIBUTES":
            return _apply_filter(_decode_attributes(content, count, stride), filter_name)
        if mode not in ("TRIANGLES", "INDICES") or stride not in (2, 4):
            raise ValueError(f"compressed data has the mode {mode!r} with a stride of {stride} bytes")
        values = _decode_triangles(content, count) if mode == "TRIANGLES" else _decode_indices(content, count)
    except IndexError:
        raise ValueError("compressed data ends too early") from None
    numbers = np.array(values, np.int64) & (0xFFFF if stride == 2 else 0xFFFFFFFF)
    return numbers.astype(f"<u{stride}").view(np.uint8).reshape((count, stride))


# --- attributes -----------------------------------------------------------------------------------------


def _decode_attributes(content: bytes, count: int, stride: int) -> Array:
    """Differences between elements, byte by byte, in groups of 16 that have 0, 2, 4 or 8 bits each."""
    if not content or content[0] != _ATTRIBUTES:
        raise ValueError("compressed attributes are of an unknown version")
    if not 4 <= stride <= 256 or stride % 4:
        raise ValueError(f"compressed attributes have a stride of {stride} bytes")
    tail = max(stride, 32)
    if len(content) < 1 + tail:
        raise IndexError
    data = np.frombuffer(content, np.uint8)
    end = len(data) - tail
    last = data[len(data) - stride :]
    out = np.empty((count, stride), np.uint8)
    block = min(_BLOCK_BYTES // stride & ~(_GROUP - 1), _BLOCK)
    place = 1
    for first in range(0, count, block):
        size = min(block, count - first)
        for byte in range(stride):
            steps, place = _decode_steps(data, place, end, size)
            out[first : first + size, byte] = last[byte] + np.cumsum(steps, dtype=np.uint8)
        last = out[first + size - 1]
    return out


def _decode_steps(data: Array, place: int, end: int, size: int) -> tuple[Array, int]:
    """The differences (size,) of one byte of a block of elements, and where their data ends."""
    groups = -(-size // _GROUP)
    header = data[place : place + -(-groups // 4)]
    place += -(-groups // 4)
    values = np.zeros(groups * _GROUP, np.uint8)
    for group in range(groups):
        code = int(header[group // 4]) >> 2 * (group % 4) & 3
        if place > end:
            raise IndexError
        if code == 0:
            continue
        own = values[group * _GROUP : (group + 1) * _GROUP]
        if code == 3:
            own[:] = data[place : place + _GROUP]
            place += _GROUP
            continue
        bits = 2 * code  # the largest value says that a whole byte follows
        packed = data[place : place + 2 * bits]
        place += 2 * bits
        shifts = np.arange(8 - bits, -1, -bits)
        own[:] = (packed[:, None] >> shifts & (1 << bits) - 1).ravel()
        large = np.flatnonzero(own == (1 << bits) - 1)
        own[large] = data[place : place + len(large)]
        place += len(large)
    if place > end:
        raise IndexError
    values = values[:size]
    steps: Array = values >> 1 ^ -(values & 1)  # signs are in the lowest bit
    return steps, place


def _apply_filter(content: Array, name: str) -> Array:
    """What a filter stands for, in as many bytes. Directions do not matter to triangles."""
    if name in ("NONE", "OCTAHEDRAL"):
        return content
    count, stride = content.shape
    if name == "EXPONENTIAL":
        numbers = content.view("<i4")
        values: Floats = np.ldexp((numbers << 8 >> 8).astype(np.float64), numbers >> 24)
        return values.astype("<f4").view(np.uint8).reshape((count, stride))
    if name == "QUATERNION" and stride == 8:
        turned = np.round(32767 * _decode_quaternions(content.view("<i2")))
        return turned.astype("<i2").view(np.uint8).reshape((count, stride))
    raise ValueError(f"compressed data has the filter {name!r} with a stride of {stride} bytes")


def _decode_quaternions(numbers: Ints) -> Floats:
    """Three components of each, and the largest one from their lengths."""
    scale = (numbers[:, 3] | 3).astype(np.float64) * np.sqrt(2)
    if (scale == 0).any():
        raise ValueError("compressed quaternions have a scale of zero")
    small = numbers[:, :3] / scale[:, None]
    largest = np.sqrt(np.maximum(1 - (small**2).sum(axis=1), 0))
    place = numbers[:, 3] & 3
    out = np.empty((len(numbers), 4))
    for k, values in enumerate((largest, *small.T)):
        out[np.arange(len(numbers)), (place + k) % 4] = values
    return out


# --- indices --------------------------------------------------------------------------------------------


class _Bytes:
    """Bytes that are read one by one."""

    def __init__(self, content: bytes, place: int, end: int) -> None:
        self._content, self._place, self._end = content, place, end

    def byte(self) -> int:
        if self._place >= self._end:
            raise IndexError
        self._place += 1
        return self._content[self._place - 1]

    def number(self) -> int:
        """A number of 7 bits per byte, low bits first."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
        return value

    def step(self) -> int:
        """A number with its sign in the lowest bit."""
        value = self.number()
        return value >> 1 ^ -(value & 1)


def _decode_indices(content: bytes, count: int) -> list[int]:
    """Differences from one of two earlier indices, which the lowest bit chooses."""
    if not content or content[0] != _INDICES:
        raise ValueError("compressed indices are of an unknown version")
    source, last, out = _Bytes(content, 1, len(content) - 4), [0, 0], []
    for _ in range(count):
        value = source.number()
        chosen, value = value & 1, value >> 1
        last[chosen] += value >> 1 ^ -(value & 1)
        out.append(last[chosen])
    return out


class _TriangleDecoder:
    """Triangles as references to the last 16 edges and vertices, to new vertices, and to others."""

    def __init__(self, source: _Bytes) -> None:
        self._source = source
        self._edges: list[tuple[int, int]] = [(0, 0)] * 16
        self._vertices = [0] * 16
        self._edge_count = self._vertex_count = 0
        self._new = self._last = 0  # the next vertex that was not used before; the last one given by a number

    def read(self, code: int, table: bytes) -> tuple[int, int, int]:
        """The triangle of a code; `table` has the usual second codes."""
        if code >> 4 < 15:
            a, b = self._edges[(self._edge_count - 1 - (code >> 4)) % 16]
            c = self._read_third(code & 15)
            self._push_edges((c, b), (a, c))
            return a, b, c
        usual = code < 0xFE
        second = table[code & 15] if usual else self._source.byte()
        if second == 0 and not usual:
            self._new = 0
        codes = (15 if code == 0xFF else 0, second >> 4, second & 15)
        # Vertices are new in their order, and only then are others read and all remembered.
        found = [self._take_new() if k == 0 else self._vertices[(self._vertex_count - k) % 16] for k in codes]
        if not usual:
            found = [self._read_other() if k == 15 else v for k, v in zip(codes, found, strict=True)]
        for k, vertex in zip(codes, found, strict=True):
            if k == 0 or (k == 15 and not usual):
                self._push_vertex(vertex)
        a, b, c = found
        self._push_edges((b, a), (c, b), (a, c))
        return a, b, c

    def _read_third(self, code: int) -> int:
        """The vertex beside an edge."""
        if 0 < code < 13:
            return self._vertices[(self._vertex_count - 1 - code) % 16]
        if code == 0:
            vertex = self._take_new()
        elif code == 15:
            vertex = self._read_other()
        else:
            self._last += 1 if code == 14 else -1
            vertex = self._last
        self._push_vertex(vertex)
        return vertex

    def _take_new(self) -> int:
        self._new += 1
        return self._new - 1

    def _read_other(self) -> int:
        self._last += self._source.step()
        return self._last

    def _push_vertex(self, vertex: int) -> None:
        self._vertices[self._vertex_count % 16] = vertex
        self._vertex_count += 1

    def _push_edges(self, *edges: tuple[int, int]) -> None:
        for edge in edges:
            self._edges[self._edge_count % 16] = edge
            self._edge_count += 1


def _decode_triangles(content: bytes, count: int) -> list[int]:
    if not content or content[0] != _TRIANGLES:
        raise ValueError("compressed triangles are of an unknown version")
    if count % 3:
        raise ValueError(f"compressed triangles have {count} corners, which is no multiple of 3")
    start = 1 + count // 3
    if len(content) < start + 16:
        raise IndexError
    decoder, table = _TriangleDecoder(_Bytes(content, start, len(content) - 16)), content[-16:]
    return [vertex for code in content[1:start] for vertex in decoder.read(code, table)]
