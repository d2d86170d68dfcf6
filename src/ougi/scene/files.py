"""Reading files: how large they may be, and that they stay inside the scene's folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from ougi.scene.problems import refused

# What a file may hold. Beyond this it is a mistake or an attack, not a scene.
SCENE_BYTES = 32 * 2**20
MESH_BYTES = 512 * 2**20
BODIES = 200_000
KEYS = 1_000_000
FACES = 5_000_000


def read(path: Path, most: int) -> bytes:
    """The bytes of a file, if there are not too many."""
    name = path.name
    if not path.exists():
        raise refused(name, f"there is no such file: {os.fspath(path)}")
    if not path.is_file():
        raise refused(name, f"this is not a file: {os.fspath(path)}")
    size = path.stat().st_size
    if size > most:
        raise refused(name, f"the file has {size / 2**20:.0f} MiB, more than the {most / 2**20:.0f} allowed")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise refused(name, f"the file has more than the {most / 2**20:.0f} MiB allowed")
    return content


def inside(folder: Path, name: str) -> Path:
    """The file of this name in the folder; a ValueError if it lies outside, be it by a link."""
    if not name or "\0" in name:
        raise ValueError(f"{name!r} is no file name")
    if "://" in name:
        raise ValueError(f"{name!r} is an address; only files in the folder of the scene are read")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        raise ValueError(f"{name!r} must be a path inside the folder of the scene, not an absolute one")
    home = folder.resolve()
    path = (home / name).resolve()
    if not path.is_relative_to(home):
        raise ValueError(f"{name!r} leads out of the folder of the scene; files stay inside it")
    if not path.exists():
        raise ValueError(f"there is no file {name!r} in the folder of the scene")
    return path
