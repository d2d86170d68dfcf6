"""Machine code of loops on disk: where it is stored, for whom, and what it was made of."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ougi._native.folders import cache_root, is_private, make_private
from ougi._native.sources import digest_loop, generator_digest
from ougi._typing import Foreign, Loop


def folder_name() -> str:
    """The name of the folder: a digest of what compiles."""
    import numba

    versions = f"{numba.__version__} {sys.version_info[:2]} {generator_digest()}"
    return hashlib.sha256(versions.encode()).hexdigest()[:16]


@functools.cache
def cache_folder() -> Path | None:
    """The user's own folder of this version's compiled code, or None: then every process compiles anew."""
    root = cache_root()
    if root is None or generator_digest() is None:
        return None
    folder = root / folder_name()
    try:
        make_private(root, folder)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder if is_private(folder) else None


class PrivateFiles:
    """Mixed into Numba's cache files: written for this user alone, and loaded if no other could write them.

    A file that is not loaded is replaced after its loop has been compiled.
    """

    def _load_index(self: Foreign) -> Foreign:
        return super()._load_index() if is_private(self._index_path) else {}  # type: ignore[misc]

    def _load_data(self: Foreign, name: str) -> Foreign:
        if not is_private(path := self._data_path(name)):
            raise FileNotFoundError(path)  # Numba takes it for deleted and compiles
        return super()._load_data(name)  # type: ignore[misc]

    @contextlib.contextmanager
    def _open_for_write(self, path: str) -> Iterator[Foreign]:
        with super()._open_for_write(path) as file:  # type: ignore[misc]
            if hasattr(os, "geteuid"):
                os.fchmod(file.fileno(), 0o600)  # whatever the umask is
            yield file


class Locator:
    """Where Numba's cache finds one of our loops, and what it was made of."""

    def __init__(self, key: str) -> None:
        self._key = key

    def ensure_cache_path(self) -> None:
        """`cache_folder` has tried it."""

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return f"{generator_digest()} {self._key}"

    def get_disambiguator(self) -> str:
        return self._key  # a part of the file's name

    @classmethod
    def from_function(cls, py_func: Loop, py_file: str) -> Locator:
        return cls(str(digest_loop(py_func)))


def can_cache(function: Loop) -> bool:
    """Is there a folder for the machine code of a loop, and is all known that it is made of?"""
    return cache_folder() is not None and digest_loop(function) is not None
