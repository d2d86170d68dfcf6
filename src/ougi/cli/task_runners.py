"""One function over many tasks: here, in processes, or on a cluster. Results come as they finish."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from ougi.cli.processes import start_processes
from ougi.errors import MissingExtraError

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def run_tasks(
    function: Callable[[Task], Answer], tasks: Sequence[Task], jobs: int, cluster: str | None
) -> Iterator[tuple[int, Answer | Exception]]:
    """Yield the index of each task with its answer, or with the reason why its process ended without one.

    Exceptions of the function are raised here if the tasks run in this process, and yielded otherwise.
    """
    if cluster is not None:
        return _run_on_cluster(function, tasks, cluster)
    if jobs > 1 and len(tasks) > 1:
        return _run_in_processes(function, tasks, jobs)
    return ((k, function(task)) for k, task in enumerate(tasks))


def _run_in_processes(
    function: Callable[[Task], Answer], tasks: Sequence[Task], jobs: int
) -> Iterator[tuple[int, Answer | Exception]]:
    """After a process has died, the tasks that ran then run alone, so that one that kills is found."""
    waiting, suspects = deque(range(len(tasks))), deque[int]()
    while waiting or suspects:
        queue, count = (suspects, 1) if suspects else (waiting, min(jobs, len(waiting)))
        running: dict[Future[Answer], int] = {}
        with start_processes(count, share_cores=True) as pool:
            while queue or running:
                while queue and len(running) < count:
                    k = queue.popleft()
                    running[pool.submit(function, tasks[k])] = k
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                lost = [running.pop(future) for future in done if _has_lost_process(future)]
                for future in done & running.keys():
                    yield running.pop(future), future.exception() or future.result()  # type: ignore[misc]
                if lost and count == 1 and len(lost) == 1:
                    yield lost[0], RuntimeError("the process that checked it was killed")
                elif lost:
                    suspects.extend([*lost, *running.values()])
                if lost:
                    break


def _has_lost_process(future: Future[Answer]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def _run_on_cluster(
    function: Callable[[Task], Answer], tasks: Sequence[Task], address: str
) -> Iterator[tuple[int, Answer | Exception]]:
    """On the workers of a dask scheduler, which runs a task again if its worker is lost."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise MissingExtraError("distributed", "a check on a cluster") from error
    with Client(address) as client:
        index = {client.submit(function, task, pure=False): k for k, task in enumerate(tasks)}
        for future in as_completed(list(index)):
            yield index.pop(future), future.exception() or future.result()
