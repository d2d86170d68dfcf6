"""Reading files: how large they may be, and that they stay inside the scene's folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from ougi.scene.limits import Budget
from ougi.scene.problems import scene_error


def read_bytes(path: Path, budget: Budget, limit: str) -> bytes:
    """The bytes of a file; a SceneError if there are more than the limit of this name allows."""
    name = path.name
    if not path.exists():
        raise scene_error(name, f"there is no such file in {path.absolute().parent}")
    if not path.is_file():
        raise scene_error(name, f"this is not a file: {os.fspath(path)}")
    try:
        budget.take(limit, path.stat().st_size, "the size of the file")
    except ValueError as error:
        raise scene_error(name, str(error)) from None
    max_bytes = getattr(budget.limits, limit)
    with path.open("rb") as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:  # it has grown, or it is no plain file
        raise scene_error(name, f"the file has more than the {max_bytes:,} bytes of the limit {limit}")
    return content


def resolve_inside(folder: Path, name: str) -> Path:
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
    try:
        exists = path.exists()
    except OSError as error:  # such as a name that is too long
        raise ValueError(f"{name!r} is no file name: {error.strerror}") from None
    if not exists:
        raise ValueError(f"there is no file {name!r} in the folder of the scene")
    return path
