"""The wheel of the library: what is in it, and what works where nothing else is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sources as they are, by the build backend that is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("ougi-*.whl")
    return built


def test_it_holds_the_library_and_nothing_of_the_laboratory(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"ougi"}
    assert {"ougi/py.typed", "ougi/evidence.json", "ougi/cli/app.py"} <= set(names)
    assert [name for name in names if {"lab", "results"} & set(name.split("/"))] == []
    assert [name for name in names if name.endswith(".json")] == ["ougi/evidence.json"]


def test_it_requires_numpy_and_numba_alone(wheel: Path) -> None:
    (metadata,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("METADATA"))
    lines = zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
    required = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert sorted(line.split()[1].split("<")[0].split(">")[0] for line in required) == ["numba", "numpy"]


# Where the compiler is not needed: the kernels run as plain Python.
PROGRAM = """
import math, sys
import numpy as np
import ougi

bat = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06])
swing = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170))
ball = ougi.Sphere([0, 0.7, 0], 0.04)
assert not ougi.intersects(bat, ball)
assert abs(float(ougi.time_of_impact(bat, swing, ball).t) - 0.495652) < 1e-6
world = ougi.World()
world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[1, 0], [0, 0]]))
assert len(world.step(4.0).began) == 1
room = ougi.Corridor([[0, 0], [4, 0], [4, 4], [0, 4]])
assert room.step([[1, 1]], [[9, 5]], 0.5, 1.0).bounce_count[0] > 0
solid = ougi.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
from ougi.radar import collide
free = collide(solid, ougi.Translation3d([0, 0, 9]), solid.transformed(ougi.Pose([0, 0, 3])))
assert abs(float(free.distance) - 2) < 1e-9, free
scene = ougi.Scene((ougi.scene.Body("a", bat), ougi.scene.Body("b", ball)), duration=1.0)
ougi.check(scene)
try:
    ougi.load_scene("door.toml")
except ougi.MissingExtraError as error:
    print(error)
print(sorted(name for name in ("cyclopts", "rich", "msgspec", "matplotlib", "scipy") if name in sys.modules))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="paths of a virtual environment")
def test_it_works_in_an_environment_with_its_two_requirements(wheel: Path, tmp_path: Path) -> None:
    """An environment of its own; numpy, numba and llvmlite are linked from ours, nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    import numba

    ours = Path(numba.__file__).parents[1]
    for pattern in ("numpy*", "numba", "numba-*", "llvmlite*"):
        for path in ours.glob(pattern):
            (site / path.name).symlink_to(path)
    python = tmp_path / "env" / "bin" / "python"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [python, "-c", PROGRAM], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "reading door.toml needs the extra 'scene': pip install \"ougi[scene]\"",
        "[]",
    ]
    for arguments in (["check", "door.toml"], ["--help"], []):
        said = subprocess.run(
            [python, "-m", "ougi", *arguments], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert (said.returncode, said.stdout) == (3, "")
        assert said.stderr == "ougi: the command line needs the extra 'cli': pip install \"ougi[cli]\"\n"
