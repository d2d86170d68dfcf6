"""Interleaved timing: the order of the calls, the warm rounds, the statistics."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from ougi.cli.machine import describe_machine
from ougi_lab.measure import Timing, time_interleaved


class FakeClock:
    """Stands still, except when a task moves it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[str] = []

    def __call__(self) -> float:
        return self.now

    def task(self, name: str, *seconds: float) -> Callable[[], None]:
        """A task that takes these seconds, call after call."""
        left = iter(seconds)

        def call() -> None:
            self.calls.append(name)
            self.now += next(left)

        return call


def test_every_task_runs_once_per_round_in_the_given_order() -> None:
    clock = FakeClock()
    time_interleaved({name: clock.task(name, *[1.0] * 3) for name in "abc"}, repeats=2, warm=1, clock=clock)
    assert clock.calls == list("abc" * 3)


def test_warm_rounds_do_not_count() -> None:
    clock = FakeClock()
    timings = time_interleaved({"a": clock.task("a", 99, 98, 1, 5, 2)}, repeats=3, warm=2, clock=clock)
    assert timings == {"a": Timing(median=2, best=1, worst=5)}


def test_a_task_is_charged_for_its_own_time_only() -> None:
    clock = FakeClock()
    tasks = {"long": clock.task("long", 7, 7), "short": clock.task("short", 1, 1)}
    timings = time_interleaved(tasks, repeats=2, warm=0, clock=clock)
    assert timings["long"].median == 7
    assert timings["short"].median == 1


def test_the_garbage_collector_rests_and_comes_back_even_after_an_error() -> None:
    seen = []

    def fails() -> None:
        seen.append(gc.isenabled())
        raise RuntimeError("boom")

    assert gc.isenabled()
    with pytest.raises(RuntimeError, match="boom"):
        time_interleaved({"a": fails}, repeats=1)
    assert seen == [False]
    assert gc.isenabled()


def test_no_repeats_is_refused() -> None:
    with pytest.raises(ValueError, match="repeats must be positive, got 0"):
        time_interleaved({}, repeats=0)


def test_the_machine_names_what_numbers_depend_on() -> None:
    output = describe_machine()
    assert set(output) == {"cpu", "cores", "platform", "python", "numpy", "numba", "ougi", "date"}
    assert all(output.values())
    assert str(output["date"]).endswith("+00:00")
