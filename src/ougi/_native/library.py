"""Loops from the library of machine code that was built ahead of time (`build.py`).

`loops.json` beside the libraries lists every loop with the digest of its sources and its signature, and a
library for each level of the processor. A loop whose sources have changed since is not taken from there.
OUGI_LIBRARY names another folder, or is "off".
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import json
import os
import platform
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from ougi._native.entry import bind
from ougi._native.sources import digest_loop, generator_digest
from ougi._typing import Loop

T = TypeVar("T")

FOLDER = Path(__file__).parent / "lib"
MANIFEST = "loops.json"

# Levels of a processor, the best first, and the features that NumPy finds in it; any group is enough.
LEVELS: dict[str, dict[str, list[list[str]]]] = {
    "x86_64": {
        "v4": [["X86_V4"], ["AVX512_SKX"]],
        "v3": [["X86_V3"], ["AVX2", "FMA3"]],
        "v2": [["X86_V2"], ["SSE42", "POPCNT"]],
    },
    "aarch64": {"base": [[]]},
}


class Library(NamedTuple):
    """An open library, and its loops with their digests and signatures."""

    handle: ctypes.CDLL
    loops: dict[str, tuple[str, str]]


class LibraryError(Exception):
    """Why a library cannot be used."""


def name_platform() -> str:
    """The platform of this process, as in the names of libraries: linux-x86_64."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    return f"{system}-{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }"


@functools.cache
def open_library() -> Library | None:
    """The library for this processor. None if there is none; a warning if it cannot be used."""
    folder = os.environ.get("OUGI_LIBRARY") or FOLDER
    if folder == "off" or not (Path(folder) / MANIFEST).exists():
        return None
    try:
        return _open(Path(folder))
    except (LibraryError, OSError, ValueError, KeyError, TypeError) as error:
        reason = str(error) or type(error).__name__
        warnings.warn(
            f"the machine code in {folder} is not used, because {reason}. Numba compiles instead, if it is "
            "installed. Install ougi again, or set OUGI_LIBRARY=off",
            RuntimeWarning,
            stacklevel=2,
        )
        return None


def _open(folder: Path) -> Library:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    if manifest["platform"] != name_platform():
        raise LibraryError(f"it is for {manifest['platform']} and not for {name_platform()}")
    if manifest["generators"] != generator_digest():
        raise LibraryError("it was built by another version of ougi")
    level = choose_level(manifest["libraries"])
    entry = manifest["libraries"][level]
    path = folder / entry["file"]
    # A file that was cut off could crash the process, because the system maps it into memory.
    if (size := path.stat().st_size) != entry["size"]:
        raise LibraryError(f"{path.name} has {size:,} bytes instead of {entry['size']:,}")
    _require_layout()
    handle = ctypes.CDLL(str(path))
    ctypes.c_int64.in_dll(handle, "ougi_header").value = object.__basicsize__
    ctypes.c_int64.in_dll(handle, "ougi_ndarray").value = id(np.ndarray)
    return Library(handle, manifest["loops"])


def choose_level(levels: Iterable[str]) -> str:
    """The best of these levels that this processor has."""
    features: dict[str, bool] = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    machine = name_platform().split("-")[1]
    for level, groups in LEVELS.get(machine, {}).items():
        if level in levels and any(all(features.get(each) for each in group) for group in groups):
            return level
    raise LibraryError(f"this processor has none of the levels {', '.join(levels)}")


def _require_layout() -> None:
    """Check that NumPy's arrays lie in memory as the entry points read them."""
    array = np.arange(6.0).reshape(2, 3)
    fields = id(array) + object.__basicsize__

    def read(kind: type[ctypes._SimpleCData[T]], address: int) -> T:
        return kind.from_address(address).value

    pointer, word = ctypes.c_void_p, ctypes.c_int64
    shape, strides, dtype = (read(pointer, fields + at) or 0 for at in (16, 24, 40))
    found = read(pointer, fields - 8), read(pointer, fields), read(ctypes.c_int32, fields + 8), dtype
    expected = id(np.ndarray), array.ctypes.data, 2, id(array.dtype)
    if found != expected or array.itemsize != 8 or type(array).__basicsize__ < object.__basicsize__ + 56:
        raise LibraryError(f"NumPy {np.__version__} has another layout of arrays")
    kind = dtype + object.__basicsize__
    inside: list[int | bytes] = [read(word, at + 8 * k) for at in (shape, strides) for k in range(2)]
    inside += [
        read(ctypes.c_int32, fields + 48) & 0x101,
        read(ctypes.c_char, kind + 8),
        read(word, kind + 24),
    ]
    if inside != [2, 3, 24, 8, 0x101, b"f", 8]:
        raise LibraryError(f"NumPy {np.__version__} has another layout of arrays")


def name_symbol(function: Loop) -> str:
    """The name of a loop's entry point."""
    return f"{function.__module__}.{function.__name__}".replace(".", "_")


def find_loop(function: Loop) -> Loop | None:
    """The loop from the library. If it is not there, or not of the same sources, it is compiled when called.

    None without a library.
    """
    library = open_library()
    if library is None:
        return None
    name = f"{function.__module__}.{function.__name__}"
    digest, signature = library.loops.get(name, (None, ""))
    if digest is None:
        return _defer_compiling(function)
    if digest != digest_loop(function):
        _warn_outdated()
        return _defer_compiling(function)
    return bind(
        function, getattr(library.handle, name_symbol(function)), signature, library.handle.ougi_release
    )


def _defer_compiling(function: Loop) -> Loop:
    """A loop that Numba compiles. Loops that are never called are not compiled and do not import Numba."""

    @functools.cache
    def compiled() -> Loop:
        from ougi._native.compiler import _compile

        return _compile(function)

    @functools.wraps(function)
    def run(*arguments: object) -> object:
        return compiled()(*arguments)

    return run


@functools.cache
def _warn_outdated() -> None:
    warnings.warn(
        "the library of machine code was built from other sources of ougi. Loops that differ are compiled by "
        "Numba. Build it again (`python -m ougi.cli.native`), or set OUGI_LIBRARY=off",
        RuntimeWarning,
        stacklevel=2,
    )
