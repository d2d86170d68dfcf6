"""Loops and tasks on many threads; results never depend on how many."""

from __future__ import annotations

import collections
import contextlib
import itertools
import os
import reprlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")
U = TypeVar("U")

# Entries that are timed on the calling thread to learn what the rest will cost.
_PROBE = 512
# Seconds of work below which a further thread costs more than it saves (about 60 us to hand out a call).
_WORTH = 200e-6

# More threads than any machine has cores would only take memory.
MAX_THREADS = 1024

_lock = threading.Lock()
_local = threading.local()
_threads: int | None = None
_pool: ThreadPoolExecutor | None = None


def get_threads() -> int:
    """How many threads large queries use.

    >>> import ougi
    >>> ougi.set_threads(1)
    >>> ougi.get_threads()
    1
    >>> ougi.set_threads(None)
    """
    if _threads is not None:
        return _threads
    configured = os.environ.get("OUGI_THREADS", "")
    if not configured:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not configured.isdecimal() or len(configured) > 4 or not 1 <= int(configured) <= MAX_THREADS:
        raise ValueError(
            f"OUGI_THREADS must be a whole number from 1 to {MAX_THREADS}, got {configured[:40]!r}"
        )
    return int(configured)


def set_threads(n: int | None) -> None:
    """Set how many threads large queries use; None returns to OUGI_THREADS or all cores.

    Results never depend on it.

    >>> import ougi
    >>> ougi.set_threads(2)
    >>> ougi.get_threads()
    2
    >>> ougi.set_threads(None)
    """
    global _threads, _pool
    is_count = isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= MAX_THREADS
    if n is not None and not is_count:
        raise ValueError(f"n must be a whole number from 1 to {MAX_THREADS} or None, got {reprlib.repr(n)}")
    with _lock:
        _threads = n
        _pool = None  # its threads end when the last query that uses them has ended


def _forget_pool() -> None:
    """After fork the pool's threads do not exist in the child, and its lock may be held for ever."""
    global _pool, _lock
    _pool = None
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep the queries of the calling thread on it: for tasks that already run side by side."""
    before = getattr(_local, "alone", False)
    _local.alone = True
    try:
        yield
    finally:
        _local.alone = before


def run(loop: Callable[..., None], *arguments: object, size: int) -> None:
    """Call `loop(*arguments, start, stop)` over 0..size, in slices on many threads if that pays."""
    if size < 4 * _PROBE or getattr(_local, "alone", False) or (threads := get_threads()) == 1:
        loop(*arguments, 0, size)
        return
    begun = time.perf_counter()
    loop(*arguments, 0, _PROBE)
    rest = size - _PROBE
    cost = (time.perf_counter() - begun) / _PROBE * rest
    slices = max(1, min(threads, int(cost / _WORTH)))
    edges = [_PROBE + rest * k // slices for k in range(slices + 1)]
    spans = itertools.pairwise(edges[1:])
    tasks = [_executor().submit(loop, *arguments, start, stop) for start, stop in spans]
    loop(*arguments, _PROBE, edges[1])  # the calling thread works too
    for task in tasks:
        task.result()


def each(work: Callable[[T], U], parts: Sequence[T]) -> list[U]:
    """What `work` makes of each part, in their order; on many threads if there are several parts."""
    threads = 1 if getattr(_local, "alone", False) or len(parts) < 2 else min(get_threads(), len(parts))
    if threads == 1:
        return [work(part) for part in parts]
    done: dict[int, U] = {}
    left = collections.deque(enumerate(parts))

    def take() -> None:
        while left:
            try:
                k, part = left.popleft()
            except IndexError:  # another thread took the last one
                return
            done[k] = work(part)

    tasks = [_executor().submit(take) for _ in range(threads - 1)]
    take()  # the calling thread works too
    for task in tasks:
        task.result()
    return [done[k] for k in range(len(parts))]


def _executor() -> ThreadPoolExecutor:
    global _pool
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and single queries need no threads

    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(get_threads(), thread_name_prefix="ougi")
        return _pool
