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

from ougi_lab.bench.measurement import Measurement, Options, Report, require_max
from ougi_lab.bench.table import build_table
from ougi_lab.measure import Timing, time_interleaved

IMPORT_TARGET = 150.0  # ms, `import ougi`, which must not load numba
ANSWER_TARGET = 350.0  # ms after `import numba`, a process that finds its kernels on disk

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
        timings = time_interleaved(
            {
                "python": functools.partial(_run_python, "pass", warm),
                "import numpy": functools.partial(_run_python, "import numpy", warm),
                "import numba": functools.partial(_run_python, "import numba", warm),
                "import ougi": functools.partial(_run_python, "import ougi", warm),
                "first answer, compiling": lambda: _run_python(_ANSWER, next(fresh)),
                "answer of a second process": lambda: _run_python(_ANSWER, warm),
            },
            repeats,
        )
        again = Timing(*map(float, _run_python(_AGAIN, warm).split()))
    base = timings["import numba"].median
    found = []
    for name, seconds in {**timings, "one more answer, same process": again}.items():
        median, best, worst = (1e3 * each for each in seconds)
        facts = {"after_numba": median - 1e3 * base} if name in timings else {}
        target = None
        if name == "import ougi":
            target = require_max(IMPORT_TARGET, median)
            target = target._replace(met=target.met and not loads_numba())
        elif name == "answer of a second process":
            target = require_max(ANSWER_TARGET, facts["after_numba"], of="after_numba")
        found.append(Measurement("start", {}, name, median, "ms", best, worst, target=target, facts=facts))
    return found


def run(options: Options) -> Report:
    """Measure imports and first results."""
    sys.stderr.write(f"starting {6 * (options.repeats + 1)} processes\n")
    found, loads = measure(options.repeats), loads_numba()
    parameters = {"repeats": options.repeats, "import_ougi_loads_numba": loads}
    table = build_table(
        "start of a process, ms",
        found,
        columns="ms {value:,.3f} | best {best:,.3f} | worst {worst:,.3f} | after numba {after_numba:,.3f}",
        notes=(
            f"import ougi {'LOADS' if loads else 'does not load'} numba.",
            "The target of a second process is for its time after import numba.",
        ),
    )
    return Report(parameters, found, [table])


def loads_numba() -> bool:
    """Does `import ougi` import numba?"""
    return _run_python("import sys, ougi; print('numba' in sys.modules)").strip() == "True"


def _run_python(code: str, cache: Path | None = None) -> str:
    """What a fresh process prints."""
    environment = {**os.environ, **({"OUGI_CACHE_DIR": str(cache)} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
