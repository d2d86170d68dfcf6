"""Which scene files of other projects load: `python -m ougi_lab.scene_files FOLDER ...`.

A folder is an unpacked distribution with robots (example-robot-data, pybullet, jrl, rtb-data) or with glTF
models. Every URDF and glTF file below it is read by `ougi.load_scene` as it is, without options, and every
URDF by `ougi.Robot.load`, too. A robot that is refused is tried again with the folders that a user of the
project would give: for each package that the message names, the nearest folder above the robot in which its
files lie. The table has both counts, and the reason of every refusal.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ougi.cli.tables import Table, print_tables
from ougi.errors import InvalidInputError
from ougi.robot import Robot
from ougi.scene import load_scene

# A thousand random objects of pybullet have a row of their own.
_RANDOM_OBJECTS = "random_urdfs"

_SUFFIXES = (".urdf", ".glb", ".gltf")

_MISSING = re.compile(r"there is no file '(package:/*)?([^/']+)/([^']+)'")


class FileResult(NamedTuple):
    """How a file was read: by itself, with folders of packages, or not."""

    path: Path
    loaded: bool
    needs_folders: bool
    bodies: int
    reason: str


def read_scene(path: Path) -> FileResult:
    """Load a file, first without options, then with the folders of its packages."""
    packages: dict[str, Path] = {}
    reason = ""
    for _ in range(4):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                bodies = len(load_scene(path, packages=packages).bodies)
                if path.suffix == ".urdf":
                    Robot.load(path, packages=packages)
            return FileResult(path, True, bool(packages), bodies, "")
        except InvalidInputError as error:
            reason = str(error).splitlines()[0].partition(": ")[2]
            found = dict(_find_packages(path, str(error)))
            if found.items() <= packages.items():
                break
            packages |= found
    return FileResult(path, False, False, 0, reason)


def _find_packages(path: Path, message: str) -> Iterator[tuple[str, Path]]:
    """Folders above a robot that hold a file that a message misses."""
    for scheme, package, rest in _MISSING.findall(message):
        name = rest if scheme else f"{package}/{rest}"
        for folder in path.resolve().parents[:8]:
            if (folder / name).is_file():
                yield package, folder
                break


def build_tables(folders: list[Path]) -> list[Table]:
    """The counts of each folder, and the refused files with their reasons."""
    rows, refused = [], []
    for folder in folders:
        results = [read_scene(path) for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES]
        groups = {folder.name: [r for r in results if _RANDOM_OBJECTS not in r.path.parts]}
        groups[f"{folder.name}, {_RANDOM_OBJECTS}"] = [r for r in results if _RANDOM_OBJECTS in r.path.parts]
        for name, group in groups.items():
            if group:
                count = Counter((r.loaded, r.needs_folders) for r in group)
                empty = sum(r.loaded and not r.bodies for r in group)
                plain, helped = count[True, False], count[True, True]
                rows.append((name, len(group), plain, helped, len(group) - plain - helped, empty))
        refused += [(r.path.relative_to(folder).as_posix(), r.reason) for r in results if not r.loaded]
    headings = ("collection", "files", "load", "load with --package", "refused", "without collision shapes")
    return [Table("", headings, rows), Table("", ("refused file", "reason"), refused)]


if __name__ == "__main__":
    print_tables(build_tables([Path(word) for word in sys.argv[1:]]))
