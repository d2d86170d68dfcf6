"""`ougi bench start`: imports and first results in fresh processes, beside `import numpy` alone.

Most numbers are the wall time of a whole fresh process, the interpreter's own start included. The rows below
them are times within a process: the first answer after the import of all names that it needs, and one more
call. A library of machine code is that of the installed wheel, of `ougi warmup`, or of the folder
OUGI_LIBRARY.
"""

from __future__ import annotations

import functools
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ougi._native.library import open_library, users_folder
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, require_max
from ougi_lab.bench.table import build_table
from ougi_lab.measure import Timing, time_interleaved

IMPORT_TARGET = 120.0  # ms after `import numpy`
ANSWER_TARGET = 10.0  # ms after the import, by a library of machine code

_NAMES = "from ougi import Box, Rotation3d, Sphere, time_of_impact"
_ANSWER = f"""
import time
{_NAMES}
start = time.perf_counter()
bat, swing = Box([0.6, 0, 0], [0.8, 0.06, 0.06]), Rotation3d([0, 0, 0], [0, 0, 1], 2.9)
time_of_impact(bat, swing, Sphere([0, 0.7, 0], 0.04))
print(time.perf_counter() - start)
"""
FROM_LIBRARY = "first answer, from the library"
IMPORT = "import of four names of ougi"
AFTER_IMPORT = "first answer after the import, from the library"
_AGAIN = """
import statistics, time
import ougi
a, b = ougi.Sphere([0, 0, 0], 1), ougi.Sphere([1, 0, 0], 1)
seconds = []
for _ in range(1000):
    start = time.perf_counter()
    ougi.intersects(a, b)
    seconds.append(time.perf_counter() - start)
print(statistics.median(seconds), min(seconds[1:]), max(seconds[1:]))
"""


def measure(repeats: int) -> list[Measurement]:
    """Start processes, all kinds in turn."""
    with tempfile.TemporaryDirectory(prefix="ougi-bench-") as folder:
        fresh = (Path(folder) / f"cold-{i}" for i in itertools.count())
        warm = Path(folder) / "warm"
        tasks: dict[str, Callable[[], object]] = {
            "python": functools.partial(_run_python, "pass", warm),
            "import numpy": functools.partial(_run_python, "import numpy", warm),
            "import numba": functools.partial(_run_python, "import numba", warm),
            "import ougi": functools.partial(_run_python, "import ougi", warm),
            IMPORT: functools.partial(_run_python, _NAMES, warm),
            "first answer, compiling": lambda: _run_python(_ANSWER, next(fresh), OUGI_LIBRARY="off"),
            "first answer, compiled before": lambda: _run_python(_ANSWER, warm, OUGI_LIBRARY="off"),
        }
        library = open_library()
        # The one of `ougi warmup` is in the cache folder, of which these processes have another one.
        place = {"OUGI_LIBRARY": str(users_folder())} if library is not None and library.is_users else {}
        answer = functools.partial(_run_python, _ANSWER, Path(folder) / "unused", **place)
        if library is not None:
            tasks[FROM_LIBRARY] = answer
        timings = time_interleaved(tasks, repeats)
        inside = {"one more answer, same process": Timing(*map(float, _run_python(_AGAIN, warm).split()))}
        if FROM_LIBRARY in tasks:
            found = [float(answer()) for _ in range(repeats)]
            inside[AFTER_IMPORT] = Timing(statistics.median(found), min(found), max(found))
        if (Path(folder) / "unused").exists():
            raise RuntimeError("a process with a library of machine code wrote to the cache folder")
    base = timings["import numpy"].median
    rows = []
    for name, seconds in {**timings, **inside}.items():
        median, best, worst = (1e3 * each for each in seconds)
        facts = {"after_numpy": median - 1e3 * base} if name in timings else {}
        target = None
        if name == IMPORT:
            target = require_max(IMPORT_TARGET, facts["after_numpy"], of="after_numpy")
            target = target._replace(met=target.met and not loads_numba())
        elif name == AFTER_IMPORT:
            target = require_max(ANSWER_TARGET, median)
        rows.append(Measurement("start", {}, name, median, "ms", best, worst, target=target, facts=facts))
    return rows


def run(options: Options) -> BenchReport:
    """Measure imports and first results."""
    sys.stderr.write(f"starting about {7 * (options.repeats + 1)} processes\n")
    found, loads = measure(options.repeats), loads_numba()
    parameters = {"repeats": options.repeats, "import_ougi_loads_numba": loads}
    table = build_table(
        "start of a process, ms",
        found,
        columns="ms {value:,.3f} | best {best:,.3f} | worst {worst:,.3f} | after numpy {after_numpy:,.3f}",
        notes=(
            f"import ougi {'LOADS' if loads else 'does not load'} numba.",
            "The target of the import is for the time after import numpy.",
        ),
    )
    return BenchReport(parameters, found, [table])


def loads_numba() -> bool:
    """Does the import of names of ougi import numba?"""
    return _run_python(f"{_NAMES}\nimport sys; print('numba' in sys.modules)").strip() == "True"


def _run_python(code: str, cache: Path | None = None, **variables: str) -> str:
    """What a fresh process prints."""
    environment = {**os.environ, **({"OUGI_CACHE_DIR": str(cache)} if cache else {}), **variables}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
