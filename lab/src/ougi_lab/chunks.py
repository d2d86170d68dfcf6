"""Run long work in chunks: in parallel, with progress, and store each chunk as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from typing import Any, TypeVar

from ougi.cli.machine import describe_machine
from ougi.cli.progress import show_progress

Key = TypeVar("Key")
Result = TypeVar("Result")


def run_chunks(
    function: Callable[..., Result],
    calls: Mapping[Key, tuple[Any, ...]],
    store: Callable[[Key, Result], None],
    *,
    label: str,
    executor: Executor | None = None,
    jobs: int | None = None,
    quiet: bool = False,
) -> None:
    """Call a function for every chunk and pass each result to `store`, on this thread, when it is ready.

    Parameters
    ----------
    function
        Depends on its arguments alone, because it may run in another process.
    calls
        Chunk -> arguments.
    store
        Takes a chunk and its result, in the order in which they finish.
    label
        Text before the progress bar.
    executor
        Runs the calls; threads by default, as many as `jobs` (None: all cores).
    quiet
        Show no progress.
    """
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(
                ThreadPoolExecutor(jobs or count_cores(), thread_name_prefix=label)
            )
        update = stack.enter_context(show_progress(label, quiet=quiet))
        futures: dict[Future[Result], Key] = {}
        stack.callback(lambda: [future.cancel() for future in futures])  # after an error
        futures |= {executor.submit(function, *arguments): key for key, arguments in calls.items()}
        for done, future in enumerate(as_completed(futures), 1):
            store(futures[future], future.result())
            update(done, len(calls))


def count_cores() -> int:
    """Count the cores that this process may use."""
    cores = describe_machine()["cores"]
    return cores if isinstance(cores, int) else 1


def read_versions() -> dict[str, Any]:
    """Return the versions that must not differ between chunks of one run."""
    facts = describe_machine()
    return {name: facts[name] for name in ("ougi", "numpy", "numba", "python")}
