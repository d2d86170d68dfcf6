"""Load damaged files in a child process with a limit of memory and of time per case.

The child writes one line before each case, so a case that hangs or ends the process is known by its number.
Format, seed and number make the same file again.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ougi_lab.fuzz.mutate import MUTATIONS, mutate
from ougi_lab.fuzz.samples import COLLADA, ROBOT, SAMPLES, SRDF, TRAJECTORY, encode_triangle

# Limits of one case: bytes above what the libraries take, and seconds.
CASE_BYTES = 2**30
CASE_SECONDS = 20.0


class FileFailure(NamedTuple):
    """A case that did not end in a scene or in a SceneError."""

    format: str
    seed: int
    case: int
    what: str


class FileTally(NamedTuple):
    """How many cases ran, how many of them gave a scene, and what failed."""

    cases: int
    loaded: int
    failures: list[FileFailure]


def fuzz_files(
    format: str, *, seed: int = 0, cases: int | None = None, seconds: float | None = None
) -> FileTally:
    """Load damaged files of a format until a number of cases or a time is over.

    Parameters
    ----------
    format
        One of `MUTATIONS`: toml, json, gltf, glb, urdf, srdf, dae or csv.
    seed
        The same seed gives the same files.
    cases, seconds
        When to end; at least one of them.
    """
    if format not in MUTATIONS or (cases is None and seconds is None):
        raise ValueError(
            f"format must be one of {', '.join(MUTATIONS)}, with cases or seconds; got {format!r}"
        )
    end = float("inf") if seconds is None else time.monotonic() + seconds
    last = cases if cases is not None else 2**62
    failures: list[FileFailure] = []
    done = loaded = 0
    while done < last and time.monotonic() < end:
        case, ran, scenes, what = _run_child(format, seed, done, last, end, failures)
        done, loaded = case, loaded + scenes
        if what:
            failures.append(FileFailure(format, seed, ran, what))
    return FileTally(done, loaded, failures)


def _run_child(
    format: str, seed: int, first: int, last: int, end: float, failures: list[FileFailure]
) -> tuple[int, int, int, str]:
    """Run a child until it ends; the next case, the last one, scenes, and why the child was lost."""
    command = [sys.executable, "-m", "ougi_lab.fuzz.files", format, str(seed), str(first), str(last)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    selector = selectors.DefaultSelector()
    selector.register(child.stdout, selectors.EVENT_READ)
    case, scenes, rest, what = first - 1, 0, b"", ""
    try:
        while True:
            if not selector.select(CASE_SECONDS if case >= first else 120.0):
                what = f"took more than {CASE_SECONDS:g} s"
                break
            part = os.read(child.stdout.fileno(), 2**16)
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                found = json.loads(line)
                case = found["case"]
                scenes += found.get("loaded", 0)
                if "failed" in found:
                    failures.append(FileFailure(format, seed, case, found["failed"]))
            if not part:
                code = child.wait()
                what = f"the process ended with {code}" if code else ""
                break
            if time.monotonic() > end:
                break
    finally:
        child.kill()
        child.communicate()
        selector.close()
    return max(case + 1, first + 1), case, scenes, what


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


def _run_cases(format: str, seed: int, first: int, last: int) -> None:
    """The child: load one case after the other."""
    import resource

    import ougi.scene.animation
    import ougi.scene.scene_file
    import ougi.scene.urdf  # noqa: F401

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        load_case(format, SAMPLES[format], folder)  # so that all libraries are there
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + CASE_BYTES, mapped + CASE_BYTES))
        loaded = 0
        for case in range(first, last):
            line: dict[str, object] = {"case": case, "loaded": loaded}
            _write_line(line)
            loaded = 0
            try:
                loaded = int(load_case(format, make_case(format, seed, case), folder))
            except BaseException as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{Path(where.filename).name}:{where.lineno}"
                _write_line({"case": case, "failed": f"{type(error).__name__} at {place}: {error!s:.200}"})


def _write_line(line: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _run_cases(sys.argv[1], *map(int, sys.argv[2:5]))
