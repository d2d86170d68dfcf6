"""`ougi bench start`: imports and first results in fresh processes, beside `import numba` alone.

Every number is the wall time of a whole fresh process, the interpreter's own start included, except for the
last row, which is one more call in a process that has made one before.
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ougi.cli.tables import Table
from ougi_lab.bench.measurement import Measurement, Options, Report, at_most
from ougi_lab.bench.table import build_table
from ougi_lab.measure import Timing, interleaved

IMPORT_TARGET = 0.15  # seconds, `import ougi`, which must not load numba
ANSWER_TARGET = 0.35  # seconds after `import numba`, a process that finds its kernels on disk

_ANSWER = "import ougi; ougi.intersects(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([1, 0, 0], 1))"
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
        timings = interleaved(
            {
                "python": functools.partial(_python, "pass", warm),
                "import numpy": functools.partial(_python, "import numpy", warm),
                "import numba": functools.partial(_python, "import numba", warm),
                "import ougi": functools.partial(_python, "import ougi", warm),
                "first answer, compiling": lambda: _python(_ANSWER, next(fresh)),
                "answer of a second process": lambda: _python(_ANSWER, warm),
            },
            repeats,
        )
        again = Timing(*map(float, _python(_AGAIN, warm).split()))
    base = timings["import numba"].median
    imported, second = timings["import ougi"].median, timings["answer of a second process"].median - base
    lazy = at_most(IMPORT_TARGET, imported)
    targets = {
        "import ougi": lazy._replace(met=lazy.met and not loads_numba()),
        "answer of a second process": at_most(ANSWER_TARGET, second, of="after_numba"),
    }
    found = []
    for name, (median, best, worst) in {**timings, "one more answer, same process": again}.items():
        facts = {"after_numba": median - base} if name in timings else {}
        target = targets.get(name)
        found.append(Measurement("start", {}, name, median, "s", best, worst, target=target, facts=facts))
    return found


def run(options: Options) -> Report:
    """Measure imports and first results."""
    sys.stderr.write(f"starting {6 * (options.repeats + 1)} processes\n")
    found, loads = measure(options.repeats), loads_numba()
    parameters = {"repeats": options.repeats, "import_ougi_loads_numba": loads}
    return Report(parameters, found, [build_start_table(found, loads)])


def build_start_table(measurements: list[Measurement], loads: bool) -> Table:
    """Milliseconds of whole processes."""
    return build_table(
        "start of a process, ms",
        measurements,
        columns={
            ">median": lambda each: _milliseconds(each.value),
            ">best": lambda each: _milliseconds(each.best),
            ">worst": lambda each: _milliseconds(each.worst),
            ">after import numba": lambda each: _milliseconds(each["after_numba"]),
        },
        notes=(
            f"import ougi {'LOADS' if loads else 'does not load'} numba.",
            "The target of a second process is for its time after import numba, in seconds.",
        ),
    )


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds * 1e3:.0f}" if abs(seconds) > 0.01 else f"{seconds * 1e3:.4f}"


def loads_numba() -> bool:
    """Does `import ougi` import numba?"""
    return _python("import sys, ougi; print('numba' in sys.modules)").strip() == "True"


def _python(code: str, cache: Path | None = None) -> str:
    """What a fresh process prints."""
    environment = {**os.environ, **({"OUGI_CACHE_DIR": str(cache)} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
