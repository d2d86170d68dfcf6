"""The wheel of the library: what is in it, and what works where nothing else is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def build_wheel(folder: Path, **environment: str) -> Path:
    """A wheel of the sources as they are, by the build backend that is installed."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    env = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("ougi-*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of pure Python."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def make_environment(wheel: Path, folder: Path) -> Path:
    """The Python of an environment that has the wheel and, linked from ours, NumPy."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    for path in Path(np.__file__).parents[1].glob("numpy*"):
        (site / path.name).symlink_to(path)
    return folder / "bin" / "python"


def run_alone(python: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python without the variables that would change what it imports or compiles."""
    foreign = ("PYTHONPATH", "OUGI_LIBRARY", "NUMBA_DISABLE_JIT")
    env = {**{name: value for name, value in os.environ.items() if name not in foreign}, **environment}
    folder = python.parents[1]
    return subprocess.run([python, *arguments], capture_output=True, text=True, cwd=folder, env=env)


def test_it_holds_the_library_and_nothing_of_the_laboratory(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.name.endswith("-py3-none-any.whl")
    assert {name.split("/")[0].split("-")[0] for name in names} == {"ougi"}
    assert {"ougi/py.typed", "ougi/evidence.json", "ougi/cli/app.py", "ougi/_native/runtime.c"} <= set(names)
    assert [name for name in names if {"lab", "results"} & set(name.split("/"))] == []
    assert [name for name in names if name.endswith(".json")] == ["ougi/evidence.json"]


def test_it_requires_numpy_alone(wheel: Path) -> None:
    (metadata,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("METADATA"))
    lines = zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
    required = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert required == ["Requires-Dist: numpy>=2"]


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
print(sorted(name for name in ("numba", "cyclopts", "rich", "msgspec", "scipy") if name in sys.modules))
"""


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of a virtual environment")


def test_it_works_as_plain_python_in_an_environment_with_numpy_alone(wheel: Path, tmp_path: Path) -> None:
    python = make_environment(wheel, tmp_path / "env")
    done = run_alone(python, "-c", PROGRAM, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "reading door.toml needs the extra 'scene': pip install \"ougi[scene]\"",
        "[]",
    ]
    for arguments in (["check", "door.toml"], ["--help"], []):
        output = run_alone(python, "-m", "ougi", *arguments)
        assert (output.returncode, output.stdout) == (3, "")
        assert output.stderr == "ougi: the command line needs the extra 'cli': pip install \"ougi[cli]\"\n"


def test_without_machine_code_and_numba_the_first_query_names_the_extra(wheel: Path, tmp_path: Path) -> None:
    python = make_environment(wheel, tmp_path / "env")
    done = run_alone(python, "-c", "import ougi; ougi.intersects([0, 0], ougi.Circle([0, 0], 1))")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "ougi is installed without machine code, and compiling a kernel needs the extra 'jit': "
        'pip install "ougi[jit]"'
    )


# The loops of PROGRAM. All loops take minutes; `make wheel` builds them.
LOOPS = (
    r"intersects_(sphere_box|circle_circle)|impact_sphere_(box|sphere)|ougi\.(impact|timeline)\."
    r"|broad\.(brute|keys)|corridor\.(trees|touchable|grid|circle_loop)|radar\.(motion_frames|resolve)"
)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a linker to build a library")
def test_with_machine_code_it_needs_numpy_alone_and_writes_nothing(tmp_path: Path) -> None:
    library, cache = tmp_path / "lib", tmp_path / "cache"
    folders = ["--out", str(library), "--objects", str(tmp_path / "objects")]
    options = ["--this-processor", *folders, "--only", LOOPS]
    command = [sys.executable, "-m", "ougi.cli.native", *options]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    built = subprocess.run(command, capture_output=True, text=True, env=env)
    assert built.returncode == 0, built.stderr
    wheel = build_wheel(tmp_path / "dist", OUGI_LIBRARY_FOLDER=str(library))
    assert "-py3-none-any" not in wheel.name
    python = make_environment(wheel, tmp_path / "env")
    done = run_alone(python, "-W", "error", "-c", PROGRAM, OUGI_CACHE_DIR=str(cache))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert not cache.exists()
