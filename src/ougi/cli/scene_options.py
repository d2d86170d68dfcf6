"""Options of all commands that read a scene."""

from __future__ import annotations

import glob
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import Parameter

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi._typing import JsonObject
    from ougi.scene import Scene


@Parameter(name="*", negative_iterable=())
@dataclass(frozen=True)
class SceneOptions:
    """Which parts of a scene are read, and which pairs are ignored.

    Parameters
    ----------
    trajectory
        For a robot: a CSV, JSON or NumPy file with a column `time` and one for each joint that moves.
    animation
        For glTF: the name or number of one animation; all play together by default.
    srdf
        For a robot: an SRDF file with pairs of links that are not checked; by default the one beside it.
    package
        For a robot: the folder of a ROS package, as NAME=DIR; may be repeated.
    run_xacro
        Expand a .xacro file. It runs Python expressions, so do this only with files that you trust.
    skip_unsupported
        Skip what is not supported, such as moving morph targets, instead of refusing the file. Each is a
        warning.
    hulls
        Replace the meshes of bodies by their convex hulls: a name with the wildcards * and ?; may be
        repeated.
    ignore
        Ignore pairs of bodies: two patterns A,B with the wildcards * and ?; may be repeated.
    ignore_initial
        Ignore pairs of bodies that touch or overlap at the start.
    limit
        Allow a larger scene: NAME=VALUE, such as faces=8000000; may be repeated. docs/limits.md lists all.
    """

    trajectory: Path | None = None
    animation: str | None = None
    srdf: Path | None = None
    package: list[str] | None = None
    run_xacro: bool = False
    skip_unsupported: bool = False
    hulls: list[str] | None = None
    ignore: list[str] | None = None
    ignore_initial: bool = False
    limit: list[str] | None = None

    def load(self, path: Path) -> Scene:
        """Read a scene with these options."""
        from ougi.scene import Limits, load_scene
        from ougi.scene.packages import parse_packages

        scene = load_scene(
            path,
            trajectory=self.trajectory,
            animation=self.animation,
            srdf=self.srdf,
            packages=parse_packages(self.package or []),
            run_xacro=self.run_xacro,
            skip_unsupported=self.skip_unsupported,
            hulls=self.hulls or (),
            limits=Limits.parse(self.limit or ()),
        )
        if self.ignore:
            scene = replace(scene, ignore=(*scene.ignore, *map(_parse_pair, self.ignore)))
            for pattern in {pattern for word in self.ignore for pattern in _parse_pair(word)}:
                if not scene.match_names(pattern).any():
                    raise InvalidInputError(f"{path.name}: --ignore: {pattern!r} matches no body")
        return ignore_initial_contacts(scene) if self.ignore_initial else scene

    def describe(self, scene: Path, folder: Path) -> JsonObject:
        """How the scene was read, for a result in this folder: paths relative to it, and options."""
        given = {name: value for name, value in asdict(self).items() if value not in (None, False)}
        found: JsonObject = {"path": _relate(scene, folder)}
        for name, value in given.items():
            found[name] = _relate(value, folder) if isinstance(value, Path) else value
        return found

    def complete(self, result: Path, sources: JsonObject) -> SceneOptions:
        """These options, and those of the scene that a result is about.

        A result cannot allow what is not safe: to run xacro, to read packages anywhere, or larger scenes.
        """
        found: JsonObject = {}
        for name in ("trajectory", "srdf"):
            if isinstance(word := sources.get(name), str) and getattr(self, name) is None:
                found[name] = find_recorded(result, word)
        for name, allowed in (("animation", str), ("skip_unsupported", bool), ("ignore_initial", bool)):
            if isinstance(value := sources.get(name), allowed) and not getattr(self, name):
                found[name] = value
        for name in ("hulls", "ignore"):
            words = sources.get(name)
            if isinstance(words, list) and not getattr(self, name) and all(isinstance(w, str) for w in words):
                found[name] = words
        return replace(self, **found)


def _relate(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix()
    except ValueError:  # another drive
        return str(path.absolute())


def find_recorded(result: Path, name: str) -> Path:
    """A file that a result names: relative to the result or to this folder, and below one of them."""
    for folder in (result.parent, Path()):
        for place in (folder / name, folder / Path(name).name):
            inside = (place.resolve().is_relative_to(home.resolve()) for home in (result.parent, Path()))
            if place.is_file() and any(inside):
                return place
    raise InvalidInputError(
        f"{result.name} is about {name!r}, which is neither in the folder of the result nor in this one, nor "
        "below; run the command in a folder that holds both"
    )


def _parse_pair(word: str) -> tuple[str, str]:
    a, comma, b = word.partition(",")
    if not (a and comma and b):
        raise InvalidInputError(f"ignore takes two patterns, A,B; got {word!r}")
    return a, b


def ignore_initial_contacts(scene: Scene) -> Scene:
    """The scene without the pairs that touch or overlap at the start."""
    from ougi import check

    report = check(replace(scene, bodies=tuple(replace(body, pieces=()) for body in scene.bodies)))
    names = [(glob.escape(a), glob.escape(b)) for a, b in report.names(report.contacts)]
    return replace(scene, ignore=(*scene.ignore, *dict.fromkeys(names)))
