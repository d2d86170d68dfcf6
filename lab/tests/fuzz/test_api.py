"""A slice of `ougi fuzz api`, and what keeps its list of calls whole."""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Iterator

import numpy as np

from ougi_lab.fuzz import api, calls, runner


def list_public_names() -> Iterator[tuple[str, list[str]]]:
    """Names of public functions, constructors and methods; a method's under each of its classes."""
    for module in calls.MODULES:
        for name in vars(module)["__all__"]:
            thing = getattr(module, name)
            if callable(thing) and name not in calls.RESULTS:
                yield name, [name]
            if not isinstance(thing, type) or issubclass(thing, BaseException | enum.Enum | tuple):
                continue
            for method in dir(thing):
                if not method.startswith("_") and callable(getattr(thing, method)):
                    yield f"{name}.{method}", [f"{base.__name__}.{method}" for base in thing.__mro__]


def test_every_public_function_and_method_is_called_or_excluded() -> None:
    rng = np.random.default_rng(0)
    called = {call.name for dimension in (2, 3) for call in calls.list_calls(rng, dimension)}
    public = list(list_public_names())
    assert [
        name for name, homes in public if called.isdisjoint(homes) and calls.NOT_CALLED.isdisjoint(homes)
    ] == []
    known = {each for _, homes in public for each in homes}
    assert sorted(name for name in calls.NOT_CALLED | called if name not in known and "[]" not in name) == []


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
