"""Processes that work side by side."""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import ougi


def start_processes(jobs: int, *, share_cores: bool = False) -> ProcessPoolExecutor:
    """Fresh processes that work side by side. Ctrl-C ends them at once, without a traceback from each.

    With `share_cores` each uses its part of the threads that this process would use.
    """
    threads = max(ougi.get_threads() // jobs, 1) if share_cores else None
    return ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_start_process, initargs=(threads,)
    )


def _start_process(threads: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if threads is not None:
        ougi.set_threads(threads)
