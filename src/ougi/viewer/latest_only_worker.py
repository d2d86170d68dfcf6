"""A worker thread that works on the newest value only."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LatestOnlyWorker(Generic[T]):
    """Calls `work(value)` on a thread of its own, for the newest value alone.

    A dragged slider sends values faster than a scene can be drawn. Values that are no longer the newest are
    dropped, so there is no queue. An exception of `work` is written to stderr, and the worker goes on.

    >>> seen = []
    >>> with LatestOnlyWorker(seen.append) as worker:
    ...     worker.submit(1)
    ...     worker.wait_idle()
    >>> seen
    [1]
    """

    def __init__(self, work: Callable[[T], object]) -> None:
        self._work = work
        self._condition = threading.Condition()
        self._pending: list[T] = []  # at most one value
        self._busy = self._closed = False
        self._thread = threading.Thread(target=self._run, name="ougi viewer", daemon=True)
        self._thread.start()

    def submit(self, value: T) -> None:
        """Work on this value next, instead of a value that waits."""
        with self._condition:
            self._pending = [value]
            self._condition.notify_all()

    def wait_idle(self) -> None:
        """Wait until no value waits or is worked on."""
        with self._condition:
            self._condition.wait_for(lambda: not (self._pending or self._busy) or self._closed)

    def close(self) -> None:
        """Stop after the current value."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> LatestOnlyWorker[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._busy = False
                self._condition.notify_all()
                self._condition.wait_for(lambda: self._pending or self._closed)
                if self._closed:
                    return
                value, self._busy = self._pending.pop(), True
            try:
                self._work(value)
            except Exception:
                traceback.print_exc(file=sys.stderr)
