"""A slice of `ougi fuzz api`, and what keeps its list of calls whole."""

from __future__ import annotations

import os
import time

import numpy as np

import ougi
from ougi_lab.fuzz import api, runner


def test_every_public_name_is_called_or_excluded() -> None:
    rng = np.random.default_rng(0)
    public: list[str] = vars(ougi)["__all__"]
    called = {call.name for dimension in (2, 3) for call in api.list_calls(rng, dimension)}
    assert set(public) <= called | api.NOT_CALLED


def test_a_case_is_always_the_same_call() -> None:
    for case in range(20):
        first, second = (api.describe_call(*api.make_case(3, case)) for _ in range(2))
        assert first.split(" at 0x")[0] == second.split(" at 0x")[0]


def test_a_slice_of_cases_ends_without_internal_errors() -> None:
    failures = [failure for case in range(400) if (failure := api.run_case(7, case)) is not None]
    assert failures == []


def run_badly(seed: int, case: int) -> api.CallFailure | None:
    """Crashes in case 1, hangs in case 3, takes too much memory in case 4, and fails in case 5."""
    if case == 1:
        os._exit(9)
    if case == 3:
        time.sleep(600)
    if case == 4:
        np.ones(runner.CALL_BYTES // 8 + (1 << 25))  # 256 MB beyond the limit
    return api.CallFailure(case, "call", "error", "where") if case == 5 else None


def test_the_runner_goes_on_after_crashes_hangs_and_excess_memory() -> None:
    tally = runner.run_cases(0, 120, 7, run=run_badly, case_seconds=15)
    assert tally.cases == 7
    assert [(failure.case, failure.error.split(":")[0]) for failure in tally.failures] == [
        (1, "Crash"),
        (3, "Hang"),
        (4, "MemoryError"),
        (5, "error"),
    ]
