"""Load damaged files. Format, seed and number make the same file again."""

from __future__ import annotations

import tempfile
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


def make_case(format: str, seed: int, case: int) -> bytes:
    """The damaged file of a case."""
    rng = np.random.default_rng([seed, case, *format.encode()])
    return mutate(format, SAMPLES[format], rng)


def load_case(format: str, content: bytes, folder: Path) -> bool:
    """Load a damaged file beside the files that it may name; False if it is refused as it should be."""
    from ougi.errors import InvalidInputError
    from ougi.scene import load_scene

    if format in ("urdf", "srdf", "dae", *TRAJECTORIES):
        others = {"robot.urdf": ROBOT, "robot.csv": TRAJECTORY, "robot.srdf": SRDF, "mesh.dae": COLLADA}
        name = f"mesh.{format}" if format == "dae" else f"robot.{TRAJECTORIES.get(format, format)}"
    else:
        others = {"robot.urdf": SMALL_ROBOT, "robot.csv": SMALL_TRAJECTORY, "mesh.dae": COLLADA}
        name = f"mesh.{format}" if format in MESHES else f"case.{format}"
    for other, text in others.items():
        (folder / other).write_text(text, encoding="utf-8")
    (folder / "mesh.stl").write_bytes(encode_triangle())
    path = folder / name
    path.write_bytes(content)
    try:
        if "robot.srdf" in others:
            trajectory = path if format in TRAJECTORIES else folder / "robot.csv"
            load_scene(folder / "robot.urdf", trajectory=trajectory)
        elif format in MESHES:
            (folder / "case.toml").write_text(MESH_SCENE.format(name), encoding="utf-8")
            load_scene(folder / "case.toml")
        else:
            load_scene(path, skip_unsupported=len(content) % 2 == 0)
    except InvalidInputError:
        return False
    return True


def run_file_case(format: str, seed: int, case: int) -> CallFailure | bool:
    """Load one damaged file: True if it is a scene, False if it is refused, or a failure."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return load_case(format, make_case(format, seed, case), Path(folder))
        except Exception as error:
            return build_failure(case, f"{format} case {case} of seed {seed}", error)
