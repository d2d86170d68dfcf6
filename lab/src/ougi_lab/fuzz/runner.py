"""Runs cases in a child process with limits of memory and time; a case that exceeds them is a failure."""

from __future__ import annotations

import math
import multiprocessing
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ougi_lab.fuzz.api import CallFailure, iterate_cases, run_case

# Runs one case of a seed; a function of a module, so that a child can import it.
# True or False: it was accepted or refused.
RunCase: TypeAlias = Callable[[int, int], CallFailure | bool | None]

# Of one call, which may have to compile its kernels; and of the start of a child.
CALL_SECONDS = 60.0
CALL_BYTES = 2 << 30

# Of reading one file, beyond what the child has at the start. Nothing is compiled.
FILE_SECONDS = 20.0
FILE_BYTES = 1 << 30


@dataclass
class CallTally:
    """How many cases were run, how many returned True, and which failed."""

    cases: int = 0
    accepted: int = 0
    failures: list[CallFailure] = field(default_factory=list)


def run_cases(
    seed: int,
    seconds: float,
    cases: int | None = None,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
    *,
    run: RunCase = run_case,
    case_seconds: float = CALL_SECONDS,
    case_bytes: int = CALL_BYTES,
) -> CallTally:
    """Run cases until the time is up or there are no more. The child starts anew after a hang or a crash.

    The time begins after the first case of a child: its start and its imports do not count.
    """
    tally, following = CallTally(), 0
    while seconds > 0 and following < (sys.maxsize if cases is None else cases):
        following, used = _run_child(
            run, seed, following, cases, seconds, case_seconds, case_bytes, tally, progress
        )
        seconds -= used
    return tally


def _run_child(
    run: RunCase,
    seed: int,
    first: int,
    cases: int | None,
    seconds: float,
    case_seconds: float,
    case_bytes: int,
    tally: CallTally,
    progress: Callable[[int, int | None], None],
) -> tuple[int, float]:
    """Run cases in one child; the number of the case to go on with, and the seconds used."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    child = context.Process(
        target=_run_in_child, args=(there, run, seed, first, cases, seconds, case_bytes), daemon=True
    )
    child.start()
    there.close()
    case, begin = first, time.monotonic()
    try:
        while here.poll(case_seconds if case > first else max(case_seconds, CALL_SECONDS)):
            try:
                result = here.recv()
            except EOFError:
                child.join()
                if child.exitcode == 0:  # the time is up, or there are no more cases
                    return sys.maxsize, time.monotonic() - begin
                _add_failure(tally, seed, case, f"Crash: exit code {child.exitcode}")
                return case + 1, time.monotonic() - begin
            if case == first:
                begin = time.monotonic()
            tally.cases += 1
            tally.accepted += result is True
            if isinstance(result, CallFailure):
                tally.failures.append(result)
            case += 1
            progress(tally.cases, cases)
        _add_failure(tally, seed, case, f"Hang: no end after {case_seconds:g} s")
        return case + 1, time.monotonic() - begin
    finally:
        child.kill()
        child.join()


def _add_failure(tally: CallTally, seed: int, case: int, error: str) -> None:
    tally.cases += 1
    tally.failures.append(CallFailure(case, f"case {case} of seed {seed}", error, ""))


def _run_in_child(
    pipe: Any, run: RunCase, seed: int, first: int, cases: int | None, seconds: float, case_bytes: int
) -> None:
    """Runs in the child."""
    end = math.inf
    for case in iterate_cases(first, cases):
        if time.monotonic() >= end:
            break
        _limit_memory(case_bytes)  # of each, because loaded machine code stays
        try:
            result = run(seed, case)
        except MemoryError as error:
            result = CallFailure(case, f"case {case} of seed {seed}", f"MemoryError: {error}", "")
        pipe.send(result)
        if case == first:
            end = time.monotonic() + seconds
    pipe.close()


def _limit_memory(case_bytes: int) -> None:
    """Of the address space, where the system has such a limit."""
    if sys.platform == "linux":
        import resource
        from pathlib import Path

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + case_bytes, resource.RLIM_INFINITY))
