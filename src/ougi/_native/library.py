"""Loops from the library of machine code that was built ahead of time (`build.py`).

It is in the wheel, or `ougi warmup` has built it in the user's cache folder. `loops.json` beside the
libraries lists every loop with its signature and the source files that it is made of, and a library for each
level of the processor. A loop whose files have changed since is not taken from there. OUGI_LIBRARY names
another folder, or is "off".
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import platform
import sys
import warnings
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from ougi._native.entry import bind, connect
from ougi._native.folders import cache_root, is_private
from ougi._typing import Loop

T = TypeVar("T")

FOLDER = Path(__file__).parent / "lib"
PACKAGE = os.path.dirname(os.path.dirname(__file__))
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
    """An open library, its loops as (signature, origin, numbers of files), and files with their hashes.

    `is_users`: it is that of `ougi warmup`.
    """

    handle: ctypes.CDLL
    loops: dict[str, tuple[str, str, list[int]]]
    files: list[tuple[str, str]]
    is_users: bool


class LibraryError(Exception):
    """Why a library cannot be used."""


class OutdatedError(LibraryError):
    """A library was built by another version of ougi."""


def users_folder() -> Path | None:
    """Where `ougi warmup` stores the library of this copy of the package. None without a cache folder."""
    root = cache_root()
    return None if root is None else root / f"library-{hash_content(PACKAGE.encode())}"


def name_platform() -> str:
    """The platform of this process, as in the names of libraries: linux-x86_64."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    return f"{system}-{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }"


@functools.cache
def open_library() -> Library | None:
    """The library for this processor. None if there is none; a warning if it cannot be used.

    A library of `ougi warmup` becomes old with every edit of the sources, so this is no reason for a warning.
    """
    given = os.environ.get("OUGI_LIBRARY")
    if given == "off":
        return None
    own = users_folder()
    is_users = not given and own is not None and not (FOLDER / MANIFEST).exists()
    folder = own if is_users and own is not None else Path(given or FOLDER)
    if not (given or (folder / MANIFEST).exists()) or (is_users and not is_private(folder)):
        return None
    try:
        return _open(folder, is_users)
    except (LibraryError, OSError, ValueError, KeyError, TypeError) as error:
        if not (is_users and isinstance(error, OutdatedError)):
            reason = str(error) or type(error).__name__
            again = "Run `ougi warmup` again" if is_users else "Install ougi again"
            warnings.warn(
                f"the machine code in {folder} is not used, because {reason}. Numba compiles instead, if it "
                f"is installed. {again}, or set OUGI_LIBRARY=off",
                RuntimeWarning,
                stacklevel=2,
            )
        return None


def _open(folder: Path, is_users: bool) -> Library:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    if manifest["platform"] != name_platform():
        raise LibraryError(f"it is for {manifest['platform']} and not for {name_platform()}")
    if not all(is_unchanged(*file) for file in manifest["generators"]):
        raise OutdatedError("it was built by another version of ougi")
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
    connect(handle)
    return Library(handle, manifest["loops"], manifest["files"], is_users)


def hash_source(path: str) -> str:
    """A hash of a file of this package."""
    with open(f"{PACKAGE}/{path}", "rb") as file:
        return hash_content(file.read())


def hash_content(content: bytes) -> str:
    """A hash that is quick to compute and to import, and the same in all versions of Python.

    `importlib.util.source_hash` is another one in every version.
    """
    return f"{len(content):x}-{zlib.crc32(content):08x}"


@functools.cache
def is_unchanged(path: str, expected: str) -> bool:
    """Does a file of this package have this hash? A frozen program has no files, and its library was checked
    when it was frozen (`ougi/__pyinstaller`)."""
    try:
        return hash_source(path) == expected
    except OSError:
        return bool(getattr(sys, "frozen", False))


def is_current(folder: Path) -> bool:
    """Is there a library for this platform, and was all of it made from the sources of this package?"""
    if not (folder / MANIFEST).exists():
        return False
    manifest = json.loads((folder / MANIFEST).read_bytes())
    files = manifest["generators"] + manifest["files"]
    return manifest["platform"] == name_platform() and all(is_unchanged(*file) for file in files)


def choose_level(levels: Iterable[str]) -> str:
    """The best of these levels that this processor has."""
    features: dict[str, bool] = __import__("numpy._core._multiarray_umath", fromlist=["*"]).__cpu_features__
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


def name_symbol(name: str) -> str:
    """The name of a loop's entry point."""
    return name.replace(".", "_")


def find_loop(function: Loop) -> Loop | None:
    """The loop from the library. If it is not there, or not of the same sources, it is compiled when called.

    None without a library.
    """
    if open_library() is None:
        return None
    name = f"{function.__module__}.{function.__name__}"
    return bind_loop(name, getattr(function, "origin", "")) or _defer_compiling(function)


def bind_loop(name: str, origin: str = "") -> Loop | None:
    """A loop of the library by its full name; `origin` is the module that chose the parts of a generated one.

    None if it is not there, or not of the same sources.
    """
    library = open_library()
    if library is None or name not in library.loops:
        return None
    signature, expected, files = library.loops[name]
    if origin != expected:
        return None
    if not all(is_unchanged(*library.files[k]) for k in files):
        if not library.is_users:
            _warn_outdated()
        return None
    entry = ctypes.cast(library.handle[name_symbol(name)], ctypes.c_void_p)
    bound_loops[name] = bind(name.rpartition(".")[2], entry, signature, library.handle)
    return bound_loops[name]


# The loops of this process that come from a library, by name.
bound_loops: dict[str, Loop] = {}


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
