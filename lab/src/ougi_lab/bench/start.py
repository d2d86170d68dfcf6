"""`ougi bench start`: imports and first answers in fresh processes, beside `import numba` alone.

Every number is the wall time of a whole fresh process, the interpreter's own start included, except for the
last row, which is one more answer in a process that has answered before.
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Row:
    """Seconds: median, best and worst, and the median less that of `import numba`."""

    what: str
    seconds: float
    best: float
    worst: float
    after_numba: float | None
    target: str | None
    met: bool | None


def rows(repeats: int) -> list[Row]:
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
    lazy = not loads_numba()
    targets = {
        "import ougi": (f"<= {IMPORT_TARGET} s", timings["import ougi"].median <= IMPORT_TARGET and lazy),
        "answer of a second process": (
            f"<= numba + {ANSWER_TARGET} s",
            timings["answer of a second process"].median - base <= ANSWER_TARGET,
        ),
    }
    measured = [
        Row(what, *timing, timing.median - base, *targets.get(what, (None, None)))
        for what, timing in timings.items()
    ]
    return [*measured, Row("one more answer, same process", *again, None, None, None)]


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
