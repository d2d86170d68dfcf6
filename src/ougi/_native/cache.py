"""Machine code of loops on disk: where it is stored, for whom, and what it was made of."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from ougi._native.sources import digest_loop, generator_digest
from ougi._typing import Foreign, Loop


def cache_root() -> Path | None:
    """Where compiled code is stored: OUGI_CACHE_DIR, or the user's cache folder; None without any."""
    if configured := os.environ.get("OUGI_CACHE_DIR"):
        return Path(configured)
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "ougi" / "cache"
    if sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "ougi"
    except RuntimeError:  # no HOME and no such user
        return None


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
        root.parent.mkdir(parents=True, exist_ok=True)
        for each in (root, folder):
            each.mkdir(mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder if is_private(folder) else None


def is_private(path: str | Path) -> bool:
    """Test that no other user can have written a file or folder; warn once if one could.

    Loading machine code runs it. So it must come from this user or from root, who could do anything anyway.
    The folder above needs no test: who writes there still cannot make files that belong to this user.
    Windows keeps the profiles of users apart by itself.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return True
    if status.st_uid not in (os.geteuid(), 0):
        _warn_once(f"it belongs to user {status.st_uid}", path)
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _warn_once(f"other users can write it (mode {stat.S_IMODE(status.st_mode):04o})", path)
    else:
        return True
    return False


_is_warned = False


def _warn_once(reason: str, path: str | Path) -> None:
    global _is_warned
    if not _is_warned:
        _is_warned = True
        warnings.warn(
            f"compiled kernels are not loaded from {path}, because {reason}. They are compiled anew. Delete "
            "it, or set OUGI_CACHE_DIR to a folder that only you can write",
            RuntimeWarning,
            stacklevel=2,
        )


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
