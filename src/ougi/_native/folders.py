"""Where machine code is stored for this user, and whether it may be loaded."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from pathlib import Path


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


def make_private(*folders: Path) -> None:
    """Make folders that this user alone can read and write."""
    for each in folders:
        each.parent.mkdir(parents=True, exist_ok=True)
        each.mkdir(mode=0o700, exist_ok=True)


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
