"""Files that a robot names: in its own folder, in a ROS package around it, or in folders that the user gives.

A robot file must not choose what is read, so every file must lie inside a folder that is allowed: the folder
of the robot, a folder above it that is the package it names or that has a `package.xml`, and folders given by
`--package NAME=DIR`, `ROS_PACKAGE_PATH` or `AMENT_PREFIX_PATH`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from ougi.errors import InvalidInputError
from ougi.scene.file_access import resolve_inside
from ougi.scene.limits import Budget
from ougi.scene.problems import SceneError
from ougi.scene.xml_tree import parse_xml

# How many folders above a robot are searched for packages; never the home folder or one above it.
_MAX_LEVELS = 8

# Bytes of a package.xml that are read.
_MAX_MANIFEST = 2**20


def parse_packages(words: list[str]) -> dict[str, Path]:
    """Folders of packages from words such as `ur_description=~/ws/src/ur_description`.

    >>> from ougi.scene.packages import parse_packages
    >>> parse_packages(["arm=robots/arm"])["arm"].as_posix()
    'robots/arm'
    """
    found = {}
    for word in words:
        name, equals, folder = word.partition("=")
        if not (name and equals and folder):
            raise InvalidInputError(f"a package is given as NAME=DIR, got {word!r}")
        found[name] = Path(folder).expanduser()
    return found


class PackageFinder:
    """Finds the files that a robot names.

    Parameters
    ----------
    file
        The robot.
    packages
        Folders given by the user: name of a package -> its folder. Names without a scheme are searched in
        all of them.
    """

    def __init__(self, file: Path, packages: Mapping[str, str | os.PathLike[str]]) -> None:
        if not isinstance(packages, Mapping):
            raise TypeError(f"packages must map names to folders, got {type(packages).__name__}")
        self._folder = file.resolve().parent
        self._given = {name: Path(folder) for name, folder in packages.items()}
        for name, folder in self._given.items():
            if not folder.is_dir():
                raise InvalidInputError(f"the folder of the package {name!r} does not exist: {folder}")
        self._folders: dict[str, list[Path]] = {}

    def find(self, name: str) -> Path:
        """The file of a name, which may begin with `package://`; a ValueError if it is not allowed."""
        scheme, separator, rest = name.partition("://")
        if not separator:
            return self._find_path(name)
        if scheme in ("package", "model"):
            package, _, rest = rest.lstrip("/").partition("/")
            return _first_inside(self.package_folders(package), rest, name, package)
        if scheme == "file":
            return self._find_path(unquote(rest))
        raise ValueError(f"{name!r} is an address; only files are read")

    def _find_path(self, name: str) -> Path:
        """A path relative to the robot; it may leave the robot's folder only into an allowed one."""
        try:
            return resolve_inside(self._folder, name)
        except ValueError as error:
            for root in (*self._given.values(), *self._enclosing_packages()):
                for path in (self._folder / name, root / name):
                    if _is_file_inside(root, path):
                        return path.resolve()
            hint = "; folders outside of it are given by --package NAME=DIR"
            raise ValueError(f"{error}{'' if str(error).startswith('there is no') else hint}") from None

    def package_folders(self, package: str) -> list[Path]:
        """The folders that may be this package, the most likely first."""
        if package not in self._folders:
            self._folders[package] = list(self._iter_package_folders(package))
        return self._folders[package]

    def _iter_package_folders(self, package: str) -> Iterator[Path]:
        if package in self._given:
            yield self._given[package]
        yield self._folder
        if not package or package in (".", ".."):
            return
        yield self._folder / package
        for folder in self._ancestors():
            if folder.name == package or _read_package_name(folder) == package:
                yield folder
            if (folder / package / "package.xml").is_file():
                yield folder / package
        for root in _environment_folders("ROS_PACKAGE_PATH"):
            yield from (root / package, *([root] if package in (root.name, _read_package_name(root)) else []))
        for root in _environment_folders("AMENT_PREFIX_PATH"):
            yield root / "share" / package

    def _ancestors(self) -> Iterator[Path]:
        """The folder of the robot and those above it, below the home folder."""
        home = Path.home()
        for folder in (self._folder, *self._folder.parents)[:_MAX_LEVELS]:
            if folder == home or folder in home.parents:
                return
            yield folder

    def _enclosing_packages(self) -> Iterator[Path]:
        return (folder for folder in self._ancestors() if (folder / "package.xml").is_file())


def _first_inside(folders: list[Path], rest: str, name: str, package: str) -> Path:
    refused = ""
    for folder in folders:
        try:
            return resolve_inside(folder, rest)
        except ValueError as error:
            if not str(error).startswith("there is no"):
                refused = str(error)
    raise ValueError(refused or f"there is no file {name!r}; give the folder by --package {package}=DIR")


def _is_file_inside(root: Path, path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):  # a name that is too long, or with a zero character
        return False


def _environment_folders(variable: str) -> list[Path]:
    return [Path(word) for word in os.environ.get(variable, "").split(os.pathsep) if word]


def _read_package_name(folder: Path) -> str | None:
    """The name in the `package.xml` of a folder."""
    path = folder / "package.xml"
    if not path.is_file() or path.stat().st_size > _MAX_MANIFEST:
        return None
    try:
        name = parse_xml(path.read_bytes(), path.name, Budget(), text=True).find("name")
    except SceneError:
        return None
    return None if name is None else name.text.strip()
