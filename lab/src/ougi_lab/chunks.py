"""Long work in chunks: side by side, with progress, each kept as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from typing import Any, TypeVar

from ougi.cli.machine import machine
from ougi.cli.progress import show_progress

Key = TypeVar("Key")
Result = TypeVar("Result")


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
        update = stack.enter_context(show_progress(label, quiet=quiet))
        futures: dict[Future[Result], Key] = {}
        stack.callback(lambda: [future.cancel() for future in futures])  # what an error leaves over
        futures |= {executor.submit(function, *arguments): key for key, arguments in calls.items()}
        for done, future in enumerate(as_completed(futures), 1):
            keep(futures[future], future.result())
            update(done, len(calls))


def cores() -> int:
    """How many this process may use."""
    found = machine()["cores"]
    return found if isinstance(found, int) else 1


def versions() -> dict[str, Any]:
    """What must not differ between chunks of one run."""
    facts = machine()
    return {name: facts[name] for name in ("ougi", "numpy", "numba", "python")}
