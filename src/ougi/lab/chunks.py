"""Long work in chunks: side by side, with progress, each kept as soon as it is done."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from ougi.lab.machine import machine

Key = TypeVar("Key")
Result = TypeVar("Result")

# Seconds of work after which progress is shown.
PATIENCE = 2.0


def processes(jobs: int) -> ProcessPoolExecutor:
    """Fresh processes that work side by side. Ctrl-C ends them at once, without a traceback from each."""
    return ProcessPoolExecutor(
        jobs,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_DFL),
    )


def work(
    function: Callable[..., Result],
    calls: Mapping[Key, tuple[Any, ...]],
    keep: Callable[[Key, Result], None],
    *,
    label: str,
    executor: Executor | None = None,
    jobs: int | None = None,
    quiet: bool = False,
) -> None:
    """Call a function for every chunk and give each result to `keep`, on this thread, as soon as it is there.

    Parameters
    ----------
    function
        Of its arguments alone; it may run in another process.
    calls
        Chunk -> arguments.
    keep
        Takes a chunk and its result, in the order in which they finish.
    label
        Stands before the progress bar.
    executor
        Runs the calls; threads by default, as many as `jobs` (None: all cores).
    quiet
        Show no progress.
    """
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(ThreadPoolExecutor(jobs or cores(), thread_name_prefix=label))
        step = stack.enter_context(_progress(label, len(calls), quiet))
        futures: dict[Future[Result], Key] = {}
        stack.callback(lambda: [future.cancel() for future in futures])  # what an error leaves over
        futures |= {executor.submit(function, *arguments): key for key, arguments in calls.items()}
        for future in as_completed(futures):
            keep(futures[future], future.result())
            step()


def cores() -> int:
    """How many this process may use."""
    found = machine()["cores"]
    return found if isinstance(found, int) else 1


def versions() -> dict[str, Any]:
    """What must not differ between chunks of one run."""
    facts = machine()
    return {name: facts[name] for name in ("ougi", "numpy", "numba", "python")}


def difference(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The message for kept chunks whose header is not that of this run."""
    names = [name for name in wanted if found.get(name) != wanted[name]]
    parts = ", ".join(f"{name} {found.get(name)!r} instead of {wanted[name]!r}" for name in names)
    return f"{path} belongs to another run ({parts}); choose another folder, or --force to start over"


@contextmanager
def _progress(label: str, count: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """A function to call after each chunk; draws a bar on stderr once the work has taken a while."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    line = bar.add_task(label, total=count)
    start, shown = time.monotonic(), False

    def step() -> None:
        nonlocal shown
        bar.advance(line)
        if not shown and time.monotonic() - start > PATIENCE:
            bar.start()
            shown = True

    try:
        yield step
    finally:
        bar.stop()
