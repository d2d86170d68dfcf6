"""Tasks in processes: results, errors, and a task that kills its process."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from ougi.cli.task_runners import run_tasks


def divide(number: int) -> float:
    """1 / number; the task 13 kills its process."""
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1 / number


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_is_answered(jobs: int) -> None:
    assert dict(run_tasks(divide, [4, 1, 2], jobs, None)) == {0: 0.25, 1: 1.0, 2: 0.5}


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_task_that_kills_its_process_is_named_and_the_others_go_on() -> None:
    results = dict(run_tasks(divide, [4, 13, 2, 0, 1], 2, None))
    assert {k: results[k] for k in (0, 2, 4)} == {0: 0.25, 2: 0.5, 4: 1.0}
    assert isinstance(results[1], RuntimeError)
    assert isinstance(results[3], ZeroDivisionError)
