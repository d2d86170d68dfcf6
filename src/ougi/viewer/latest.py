"""One worker that only ever does what was asked last."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Calls `work(value)` on a thread of its own, for the newest value alone.

    A dragged slider asks more often than a scene can be drawn; values that were overtaken are dropped, so
    that nothing queues. What `work` raises is printed, and the next value is worked on.

    >>> seen = []
    >>> with Latest(seen.append) as latest:
    ...     latest.ask(1)
    ...     latest.rest()
    >>> seen
    [1]
    """

    def __init__(self, work: Callable[[T], object]) -> None:
        self._work = work
        self._turn = threading.Condition()
        self._asked: list[T] = []  # one at most
        self._busy = self._over = False
        self._thread = threading.Thread(target=self._go, name="ougi viewer", daemon=True)
        self._thread.start()

    def ask(self, value: T) -> None:
        """Have this done, and nothing that was asked before and has not begun."""
        with self._turn:
            self._asked = [value]
            self._turn.notify_all()

    def rest(self) -> None:
        """Wait until all is done."""
        with self._turn:
            self._turn.wait_for(lambda: not (self._asked or self._busy) or self._over)

    def close(self) -> None:
        """Stop after what is being done now."""
        with self._turn:
            self._over = True
            self._turn.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Latest[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _go(self) -> None:
        while True:
            with self._turn:
                self._busy = False
                self._turn.notify_all()
                self._turn.wait_for(lambda: self._asked or self._over)
                if self._over:
                    return
                value, self._busy = self._asked.pop(), True
            try:
                self._work(value)
            except Exception:
                traceback.print_exc(file=sys.stderr)
