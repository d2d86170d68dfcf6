"""Progress of long work, on the standard error stream: a bar on a terminal, lines now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

# Called with two counts: what is done, and all there is to do (None: unknown).
ProgressCallback: TypeAlias = Callable[[int, int | None], None]

# Seconds of work before a bar appears, and between two lines.
BAR_DELAY = 2.0
LINE_INTERVAL = 5.0


@contextmanager
def show_progress(label: str, *, quiet: bool = False) -> Iterator[ProgressCallback]:
    """Yield a function that shows how far the work labelled `label` is."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        with _show_bar(label) as update:
            yield update
    else:
        yield _LineWriter(label)


@contextmanager
def _show_bar(label: str) -> Iterator[ProgressCallback]:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=None)
    start = time.monotonic()

    def update(done: int, total: int | None) -> None:
        bar.update(task, completed=done, total=total)
        if not bar.live.is_started and time.monotonic() - start > BAR_DELAY:
            bar.start()

    try:
        yield update
    finally:
        bar.stop()


class _LineWriter:
    """Progress as plain lines, not more often than every `LINE_INTERVAL` seconds."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._last = time.monotonic()

    def __call__(self, done: int, total: int | None) -> None:
        if time.monotonic() - self._last > LINE_INTERVAL:
            self._last = time.monotonic()
            sys.stderr.write(f"{self._label}: {done:,}" + (f" of {total:,}\n" if total else "\n"))
