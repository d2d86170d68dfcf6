"""Compiling everything ahead of time: `ougi warmup`, `ougi cache`."""

from __future__ import annotations

import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Literal

from ougi.errors import InvalidInputError

Task = tuple[str, str]


def tasks() -> list[Task]:
    """Every loop that a query can need, as (question, kernel); (impact, kernel) for continuous detection."""
    from ougi.query._tables import TABLES

    found = {(question, row.kernel) for question, rows in TABLES.items() for row in rows}
    return [*sorted(found, reverse=True), ("impact", "box_sphere")]


def compile_task(task: Task) -> float:
    """Compile both loops of one kernel, or load them from disk; the seconds it took."""
    import numpy as np

    from ougi import impact
    from ougi._check import frozen
    from ougi.query._dispatch import pair_loops

    start = time.perf_counter()
    question, kernel = task
    loops = impact._loops() if question == "impact" else pair_loops(question, kernel)
    columns = frozen(np.zeros((32, 1)))  # more rows than any record
    rows = {"intersects": (0,), "distance": (0,)}.get(question, (16, 0))
    out: Any = np.zeros(rows, np.bool_ if question == "intersects" else np.float64)
    loops.cross(columns, columns, out, 0, 0)
    loops.listed(columns, columns, frozen(np.zeros((0, 2), np.int64)), 0, out, 0, 0)
    return time.perf_counter() - start


def warmup(*, jobs: int | None = None, quiet: bool = False) -> int:
    """Compile all kernels now, so that no later call waits for the compiler.

    The machine code is kept on disk and found again by every later process, until ougi or Numba changes.

    Parameters
    ----------
    jobs
        How many processes compile side by side; all cores by default.
    quiet
        Say nothing unless something goes wrong.
    """
    from rich.console import Console
    from rich.progress import track

    from ougi._jit import cache_folder

    if jobs is not None and jobs < 1:
        raise InvalidInputError(f"jobs must be positive, got {jobs}")
    folder = cache_folder()
    if folder is None:
        raise OSError("no writable folder for compiled kernels; set OUGI_CACHE_DIR to one")
    todo = tasks()
    workers = min(jobs or os.cpu_count() or 1, len(todo))
    console = Console(stderr=True, quiet=quiet)
    start = time.perf_counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        done = pool.map(compile_task, todo)
        for _ in track(done, "compiling kernels", len(todo), console=console, disable=quiet):
            pass
    console.print(f"{len(todo)} kernels ready in {time.perf_counter() - start:.0f} s, kept in {folder}")
    return 0


def cache(action: Literal["show", "clear"] = "show") -> int:
    """Show where compiled kernels are kept and how large they are, or delete them all.

    Parameters
    ----------
    action
        `show` or `clear`. Clearing removes the kernels of every version of ougi.
    """
    from ougi._jit import cache_root

    root = cache_root()
    if root is None:
        print("there is no folder for compiled kernels", file=sys.stderr)  # noqa: T201
        return 0
    files = [path for path in root.rglob("*.nb?") if path.is_file()] if root.is_dir() else []
    size = sum(path.stat().st_size for path in files)
    print(f"{root}: {len(files)} files, {size / 1e6:.1f} MB")  # noqa: T201
    if action == "clear":
        for folder in {path.parent for path in files}:
            if folder.parent == root:  # only folders that hold our kernels
                shutil.rmtree(folder)
        print("cleared")  # noqa: T201
    return 0
