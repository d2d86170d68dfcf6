"""One door for all formats."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np

from ougi.errors import MissingExtraError
from ougi.scene.limits import Budget, Limits
from ougi.scene.meshes import SUFFIXES as MESH_SUFFIXES
from ougi.scene.model import Scene
from ougi.scene.options import LoadOptions
from ougi.scene.problems import MJCF_ADVICE, scene_error, suggest_name
from ougi.scene.units import Placement
from ougi.shapes import Mesh

# The group of entry points of readers in other distributions: a suffix without its dot, and a function that
# takes a path and returns a `Scene`.
READERS = "ougi.scene_readers"

_SUFFIXES = (".toml", ".json", ".glb", ".gltf", ".urdf", ".xacro")


def load_scene(
    path: str | os.PathLike[str],
    *,
    trajectory: str | os.PathLike[str] | None = None,
    animation: str | None = None,
    srdf: str | os.PathLike[str] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    run_xacro: bool = False,
    skip_unsupported: bool = False,
    hulls: str | Sequence[str] = (),
    limits: Limits | None = None,
) -> Scene:
    """Read a scene: a scene file (TOML or JSON), the animations of a glTF file, or a URDF robot.

    Parameters
    ----------
    path
        A file ending in .toml, .json, .glb, .gltf, .urdf or .xacro. Meshes that it names must lie in its
        folder. For meshes of robots see `packages`. Other distributions read more formats through the
        entry-point group `ougi.scene_readers`.
    trajectory
        For a URDF: a CSV, JSON or NumPy file with a column of times in seconds, `time`, and one column for
        each joint that moves, named like it, in radians or lengths.
    animation
        For glTF: the name or number of one animation; all play together by default.
    srdf
        For a URDF: the file with the pairs of links that are not checked. By default the file of the same
        name that ends in .srdf, beside the robot or in a folder `srdf` beside its folder, if there is one.
    packages
        For a URDF: name of a ROS package -> its folder. Packages above the robot, and those of
        `ROS_PACKAGE_PATH` and `AMENT_PREFIX_PATH`, are found without it.
    run_xacro
        Expand a .xacro file. It evaluates Python expressions, so do this only with files that you trust.
    skip_unsupported
        Skip what is not supported (morph targets, shapes that cannot be read) instead of refusing the
        file. Each is a warning and an entry of `Scene.skipped`.
    hulls
        Names of bodies whose meshes become their convex hulls, which are solid and faster: patterns with the
        wildcards * and ?, so ("*",) means all. A hull of more than 1,000 vertices is up to 5.4 % too large.
    limits
        How large the scene may be; see `ougi.scene.Limits`. What is larger is refused.

    Returns
    -------
    Scene
        Bodies with names, shapes, motions over time, and which pairs to check.

    Raises
    ------
    SceneError
        With everything that is wrong with the file: `problems`, each with file, line and text.
    MissingExtraError
        For OBJ, STL, PLY and Collada meshes without trimesh and pycollada, Draco without DracoPy, and xacro
        without xacrodoc.

    >>> import ougi, pathlib
    >>> text = '''
    ... ougi = 1
    ... [[body]]
    ... name = "bat"
    ... shape = { type = "box", size = [0.8, 0.06, 0.06] }
    ... at = [0.6, 0, 0]
    ... motion = { type = "rotate", axis = [0, 0, 1], about = [0, 0, 0], degrees = 170, seconds = 0.1 }
    ... [[body]]
    ... name = "ball"
    ... shape = { type = "sphere", radius = 0.04 }
    ... at = [0, 0.7, 0]
    ... '''
    >>> _ = pathlib.Path("bat.toml").write_text(text)
    >>> scene = ougi.load_scene("bat.toml")
    >>> [body.name for body in scene.bodies], scene.duration
    (['bat', 'ball'], 0.1)
    """
    options = LoadOptions(
        None if trajectory is None else Path(trajectory),
        animation,
        None if srdf is None else Path(srdf),
        packages or {},
        run_xacro,
        skip_unsupported,
    )
    scene = load_file(Path(path), options, Budget(limits))
    patterns = [hulls] if isinstance(hulls, str) else list(hulls)
    return _replace_meshes(scene, patterns, Path(path).name) if patterns else scene


def _replace_meshes(scene: Scene, patterns: list[str], file: str) -> Scene:
    """The scene with convex hulls instead of the meshes of bodies with these names."""
    from ougi.scene.skins import build_hull

    chosen = set()
    for pattern in patterns:
        found = np.flatnonzero(scene.match_names(pattern)).tolist()
        if not any(isinstance(scene.bodies[i].shape, Mesh) for i in found):
            raise scene_error(file, f"hulls: {pattern!r} matches no body with a mesh")
        chosen |= set(found)
    bodies = [
        replace(body, shape=build_hull(body.shape._used()))
        if i in chosen and isinstance(body.shape, Mesh)
        else body
        for i, body in enumerate(scene.bodies)
    ]
    return replace(scene, bodies=tuple(bodies))


def _read_by_plugin(file: Path, suffix: str, options: LoadOptions, *, is_included: bool) -> Scene:
    """Read a format of another distribution: an entry point named like the suffix, a function of the path."""
    readers = {f".{entry.name.lower()}": entry for entry in entry_points(group=READERS)}
    if suffix in (".xml", ".mjcf") and suffix not in readers:
        raise scene_error(file.name, f"no scene ends in {suffix!r}. If {MJCF_ADVICE}")
    if suffix not in readers:
        raise scene_error(
            file.name, f"no scene ends in {suffix!r}{suggest_name(suffix, (*_SUFFIXES, *readers))}"
        )
    for name in ("trajectory", "srdf", "animation"):
        if getattr(options, name) is not None:
            raise scene_error(file.name, f"{name} is not for {suffix} files")
    if is_included:
        raise scene_error(file.name, f"a scene cannot include {suffix} files")
    scene = readers[suffix].load()(file)
    if not isinstance(scene, Scene):
        raise TypeError(f"{readers[suffix].value} must return a Scene, got {type(scene).__name__}")
    return scene


def load_file(file: Path, options: LoadOptions, budget: Budget, placement: Placement | None = None) -> Scene:
    """Read a scene, or a file that a scene includes, within what is left of a budget."""
    is_included, placement = placement is not None, placement or Placement()
    suffix = file.suffix.lower()
    is_robot = suffix in (".urdf", ".xacro")
    if suffix.lstrip(".") in MESH_SUFFIXES and suffix not in _SUFFIXES:
        shape = f'[[body]] name = "{file.stem}", shape = {{ type = "mesh", file = "{file.name}" }}'
        raise scene_error(
            file.name, f"this is a mesh, not a scene; put it into a scene file (.toml): {shape}"
        )
    if suffix not in _SUFFIXES:
        return _read_by_plugin(file, suffix, options, is_included=is_included)
    if options.trajectory is not None and not is_robot:
        raise scene_error(file.name, "a trajectory belongs to a URDF; this file has motions of its own")
    if options.srdf is not None and not is_robot:
        raise scene_error(file.name, "an SRDF belongs to a URDF")
    if options.animation is not None and suffix not in (".glb", ".gltf"):
        raise scene_error(file.name, "an animation belongs to a glTF file")
    if importlib.util.find_spec("msgspec") is None:
        raise MissingExtraError("scene", f"reading {file.name}")
    try:
        if suffix in (".toml", ".json"):
            from ougi.scene.scene_file import read_scene_file

            return read_scene_file(file, options, budget)
        if is_robot:
            from ougi.scene.urdf import read_urdf

            return read_urdf(file, options, budget, placement)
        from ougi.scene.animation import read_gltf

        return read_gltf(file, options, budget, placement)
    except RecursionError:
        raise scene_error(file.name, "lists or tables are nested too deeply") from None
