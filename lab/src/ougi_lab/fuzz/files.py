"""Load damaged files. Format, seed and number make the same file again."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np

from ougi_lab.fuzz.api import CallFailure, build_failure
from ougi_lab.fuzz.mutate import mutate
from ougi_lab.fuzz.samples import (
    COLLADA,
    MESH_SCENE,
    ROBOT,
    SAMPLES,
    SMALL_ROBOT,
    SMALL_TRAJECTORY,
    SRDF,
    TRAJECTORY,
    encode_triangle,
)

# Formats that another file names, and the suffixes of trajectories.
MESHES = ("obj", "stl", "ply")
TRAJECTORIES = {"csv": "csv", "columns": "json", "ros": "json", "npy": "npy", "npz": "npz"}

# Those that are read with a robot.
_OF_ROBOTS = ("urdf", "srdf", "dae", *TRAJECTORIES)

_MESH = re.compile(r"<mesh [^>]*/>")


def make_case(format: str, seed: int, case: int) -> bytes:
    """The damaged file of a case."""
    rng = np.random.default_rng([seed, case, *format.encode()])
    return mutate(format, SAMPLES[format], rng)


def _find_place(format: str) -> str:
    """The name of the damaged file."""
    if format in ("dae", *MESHES):
        return f"mesh.{format}"
    return f"robot.{TRAJECTORIES.get(format, format)}" if format in _OF_ROBOTS else f"case.{format}"


def prepare_folder(format: str, folder: Path) -> None:
    """Write the files that a damaged one may name."""
    name = _find_place(format)
    texts = {"mesh.dae": COLLADA, "case.toml": MESH_SCENE.format(name)}
    if format in _OF_ROBOTS:
        # Two thirds of the time would be spent on meshes, which the formats of robots and meshes cover.
        robot = _MESH.sub('<sphere radius="0.1"/>', ROBOT) if format in TRAJECTORIES else ROBOT
        texts |= {"robot.urdf": robot, "robot.csv": TRAJECTORY, "robot.srdf": SRDF}
    else:
        texts |= {"robot.urdf": SMALL_ROBOT, "robot.csv": SMALL_TRAJECTORY}
    for other, text in texts.items():
        (folder / other).write_text(text, encoding="utf-8")
    (folder / "mesh.stl").write_bytes(encode_triangle())


def load_case(format: str, content: bytes, folder: Path) -> bool:
    """Load a damaged file in a prepared folder; False if it is refused as it should be."""
    from ougi.errors import InvalidInputError
    from ougi.scene import load_scene

    path = folder / _find_place(format)
    path.unlink(missing_ok=True)  # where it is overwritten, ext4 waits for the disk
    path.write_bytes(content)
    try:
        if format in _OF_ROBOTS:
            trajectory = path if format in TRAJECTORIES else folder / "robot.csv"
            load_scene(folder / "robot.urdf", trajectory=trajectory)
        elif format in MESHES:
            load_scene(folder / "case.toml")
        else:
            load_scene(path, skip_unsupported=len(content) % 2 == 0)
    except InvalidInputError:
        return False
    return True


def run_file_case(format: str, folder: Path, seed: int, case: int) -> CallFailure | bool:
    """Load one damaged file: True if it is a scene, False if it is refused, or a failure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load_case(format, make_case(format, seed, case), folder)
        except Exception as error:
            return build_failure(case, f"{format} case {case} of seed {seed}", error)
