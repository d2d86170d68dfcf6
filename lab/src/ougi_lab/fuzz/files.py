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
    ROBOT,
    SAMPLES,
    SMALL_ROBOT,
    SMALL_TRAJECTORY,
    SRDF,
    TRAJECTORY,
    encode_triangle,
)


def make_case(format: str, seed: int, case: int) -> bytes:
    """The damaged file of a case."""
    rng = np.random.default_rng([seed, case, *format.encode()])
    return mutate(format, SAMPLES[format], rng)


def load_case(format: str, content: bytes, folder: Path) -> bool:
    """Load a damaged file beside the files that it may name; False if it is refused as it should be."""
    from ougi.errors import InvalidInputError
    from ougi.scene import load_scene

    names = {"urdf": "robot.urdf", "csv": "robot.csv", "srdf": "robot.srdf", "dae": "mesh.dae"}
    others = {"robot.urdf": ROBOT, "robot.csv": TRAJECTORY, "robot.srdf": SRDF, "mesh.dae": COLLADA}
    if format not in names:
        others = {"robot.urdf": SMALL_ROBOT, "robot.csv": SMALL_TRAJECTORY, "mesh.dae": COLLADA}
    for name, other in others.items():
        (folder / name).write_text(other, encoding="utf-8")
    (folder / "mesh.stl").write_bytes(encode_triangle())
    path = folder / names.get(format, f"case.{format}")
    path.write_bytes(content)
    try:
        if format in names:
            load_scene(folder / "robot.urdf", trajectory=folder / "robot.csv")
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
