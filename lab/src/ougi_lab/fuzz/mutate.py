"""Damage files: pure functions from bytes and a generator of random numbers to other bytes.

Each format has a mutation that knows its structure, so that files stay readable enough to reach the code
behind the parser, and all share one that knows bytes only.
"""

from __future__ import annotations

import copy
import json
import re
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

Random: TypeAlias = np.random.Generator

# What breaks readers: borders of types, no numbers, empty and long texts.
NUMBERS = (
    "0", "-0.0", "-1", "1", "2", "3", "255", "65536", "2147483648", "4294967295", "1e-320", "1e-40",
    "1e60", "1e61", "1e308", "-1e308", "1e999", "nan", "inf", "-inf", "0.1", "1.5", "360",
    "1" + "0" * 400, "0x10", "1_000", "",
)  # fmt: skip
TEXTS = (
    "",
    "a",
    "*",
    "../x",
    "/etc/passwd",
    "\u202e",
    "\x1b[2J",
    "x" * 1000,
    "=1",
    "\0",
    "mesh.stl",
    "file://x",
)
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 2**31, 2**53, 2**64, 10**400, 0.5, -0.0, 1e-300, 1e61, 1e308, *TEXTS,
    [], {}, [0, 0, 0], [1, 0, 0, 0], [[]], {"type": "sphere"}, {"type": "mesh", "file": "mesh.stl"},
)  # fmt: skip
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_STRING = re.compile(rb'"[^"\n]*"')


def mutate_bytes(content: bytes, rng: Random) -> bytes:
    """Flip, remove, repeat, move or cut off bytes."""
    damaged = bytearray(content)
    if not damaged:
        return bytes(rng.integers(0, 256, 8, np.uint8))
    start = int(rng.integers(len(damaged)))
    stop = min(len(damaged), start + int(2 ** rng.uniform(0, 8)))
    action = rng.integers(6)
    if action == 0:
        damaged[start] ^= 1 << int(rng.integers(8))
    elif action == 1:
        del damaged[start:stop]
    elif action == 2:
        damaged[start:start] = damaged[start:stop] * int(rng.integers(1, 4))
    elif action == 3:
        damaged[start:stop] = bytes(rng.integers(0, 256, stop - start, np.uint8))
    elif action == 4:
        part = damaged[start:stop]
        del damaged[start:stop]
        place = int(rng.integers(len(damaged) + 1))
        damaged[place:place] = part
    else:
        del damaged[start:]
    return bytes(damaged)


def mutate_text(content: bytes, rng: Random) -> bytes:
    """Replace a number or a text in quotation marks, or repeat, remove or exchange lines."""
    action = rng.integers(5)
    if action == 0:
        return _replace_match(content, _NUMBER, str(rng.choice(NUMBERS)).encode(), rng)
    if action == 1:
        others = _STRING.findall(content)
        text = rng.choice(TEXTS)
        chosen = json.dumps(str(text)).encode() if rng.random() < 0.5 or not others else _choose(others, rng)
        return _replace_match(content, _STRING, chosen, rng)
    lines = content.split(b"\n")
    i, j = (int(k) for k in rng.integers(len(lines), size=2))
    if action == 2:
        lines.insert(j, lines[i])
    elif action == 3:
        del lines[i]
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def mutate_json(content: bytes, rng: Random) -> bytes:
    """Replace, remove, rename or copy a value somewhere in a document."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return mutate_bytes(content, rng)
    entries = list(_list_entries(document))
    if not entries:
        return json.dumps(_choose(_VALUES, rng)).encode()
    holder, key = _choose(entries, rng)
    action = rng.integers(6)
    if action == 0:
        del holder[key]
    elif action == 1:
        other, name = _choose(entries, rng)
        holder[key] = copy.deepcopy(other.get(name) if isinstance(other, dict) else other[name])
    elif action == 2 and isinstance(holder, dict):
        holder[str(_choose([*TEXTS, key + "s"], rng))] = holder.pop(key)
    elif action == 3 and isinstance(holder, list):
        holder.extend(copy.deepcopy(holder[: int(rng.integers(1, 5))]))
    elif action == 4 and isinstance(holder[key], int | float):
        holder[key] = holder[key] + int(rng.integers(-2, 3))
    else:
        holder[key] = copy.deepcopy(_choose(_VALUES, rng))
    return json.dumps(document).encode()


def mutate_glb(content: bytes, rng: Random) -> bytes:
    """Damage the JSON or the binary chunk of a GLB; the lengths mostly stay right."""
    if len(content) < 20 or rng.random() < 0.1:
        return mutate_bytes(content, rng)
    size = int.from_bytes(content[12:16], "little")
    text, rest = content[20 : 20 + size], content[20 + size :]
    if len(rest) > 8 and rng.random() < 0.3:
        rest = rest[:8] + mutate_bytes(rest[8:], rng)
        rest = struct.pack("<I", len(rest) - 8) + rest[4:]
    else:
        text = mutate_json(text, rng)
        text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + rest
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def mutate_toml(content: bytes, rng: Random) -> bytes:
    """Damage a TOML scene: mostly values and lines, seldom bytes."""
    return mutate_text(content, rng) if rng.random() < 0.8 else mutate_bytes(content, rng)


def mutate_urdf(content: bytes, rng: Random) -> bytes:
    """Damage an XML file: values of attributes, elements, seldom bytes."""
    return mutate_text(content, rng) if rng.random() < 0.8 else mutate_bytes(content, rng)


def mutate_csv(content: bytes, rng: Random) -> bytes:
    """Damage a trajectory: cells, rows, columns, seldom bytes."""
    if rng.random() < 0.3:
        return mutate_bytes(content, rng)
    if rng.random() < 0.5:
        return mutate_text(content, rng)
    rows = [line.split(b",") for line in content.split(b"\n")]
    row = rows[int(rng.integers(len(rows)))]
    row[int(rng.integers(len(row)))] = _choose(
        [*(word.encode() for word in NUMBERS), *row, b'"', b"time"], rng
    )
    return b"\n".join(map(b",".join, rows))


MUTATIONS: dict[str, Callable[[bytes, Random], bytes]] = {
    "toml": mutate_toml,
    "json": mutate_json,
    "gltf": mutate_json,
    "glb": mutate_glb,
    "urdf": mutate_urdf,
    "srdf": mutate_urdf,
    "dae": mutate_urdf,
    "obj": mutate_toml,
    "stl": mutate_bytes,
    "ply": mutate_toml,
    "csv": mutate_csv,
    "columns": mutate_json,
    "ros": mutate_json,
    "npy": mutate_bytes,
    "npz": mutate_bytes,
}


def mutate(format: str, content: bytes, rng: Random) -> bytes:
    """A file of a format with one to three damages.

    >>> import numpy as np
    >>> from ougi_lab.fuzz.mutate import mutate
    >>> one, other = (mutate("toml", b"ougi = 1", np.random.default_rng(7)) for _ in range(2))
    >>> one == other != b"ougi = 1"
    True
    """
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        content = MUTATIONS[format](content, rng)
    return content


def _choose(items: Any, rng: Random) -> Any:
    return items[int(rng.integers(len(items)))]


def _replace_match(content: bytes, pattern: re.Pattern[bytes], by: bytes, rng: Random) -> bytes:
    """Replace one of the matches."""
    matches = list(pattern.finditer(content))
    if not matches:
        return mutate_bytes(content, rng)
    found = _choose(matches, rng)
    return content[: found.start()] + by + content[found.end() :]


def _list_entries(value: Any) -> list[tuple[Any, Any]]:
    """List every container of a document with each of its keys."""
    found: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        holder = todo.pop()
        if isinstance(holder, dict | list):
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            found.extend((holder, key) for key in keys)
            todo.extend(holder[key] for key in keys)
    return found
