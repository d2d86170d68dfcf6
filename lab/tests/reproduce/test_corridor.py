"""The experiment of CORRIDOR: counts that can be held to, and a page made of the committed run."""

from __future__ import annotations

import pytest

from ougi.errors import InvalidInputError
from ougi_lab.reproduce import corridor, page
from ougi_lab.reproduce import corridor_measure as measure

NUMBERS = page.load_committed_runs()["corridor"]["numbers"]


def test_misses_are_those_of_the_committed_run() -> None:
    committed = NUMBERS["missed"][1]
    found = measure.count_missed(
        committed["segments"], committed["k"], committed["speed"], 100, NUMBERS["audit"], NUMBERS["seed"]
    )
    assert found == committed, "run `ougi reproduce corridor` and `make docs`"


def test_those_who_leave_are_those_of_the_committed_run() -> None:
    committed = NUMBERS["escaped"][1]
    found = measure.measure_escaped(
        committed["segments"], committed["speed"], 100, 5 * NUMBERS["audit"], NUMBERS["seed"]
    )
    assert found == committed, "run `ougi reproduce corridor` and `make docs`"


def test_exact_structures_end_alike_and_reach_tests_least() -> None:
    found = measure.measure_exact_cost(measure.build_maze(3, 500), 5.0, 100, 0, measure.EXACT)
    assert found["alike"]
    tests = {name: found[name]["tests"] for name in measure.EXACT}
    assert min(tests, key=lambda name: tests[name]) == "reach"


def test_a_rate_is_never_above_the_cap() -> None:
    walls = measure.build_strip(100)
    simulation = measure.PublishedRun(walls, measure.METHODS[4], 8, measure.draw_state(walls, 1, 1.0, 0))
    assert measure.measure_frames(simulation, 2)["fps"] == [62.0, 62.0]
    assert simulation.tests[0] > 0


def test_the_full_size_is_committed() -> None:
    assert (NUMBERS["seconds"], NUMBERS["largest"]) == (30, 1_000_000)
    assert list(NUMBERS["frames"]) == ["1", "100", "10000", "30000", "100000"]


def test_verdicts_say_what_was_found() -> None:
    outcome = corridor.build_outcome(NUMBERS)
    held = {verdict.claim: verdict.holds for verdict in outcome.verdicts}
    assert not held["2: the accuracy of the test is kept (as printed)"]
    assert all(verdict.holds for verdict in outcome.verdicts if verdict.binding)


@pytest.mark.parametrize("option", ["seconds", "largest", "audit"])
def test_sizes_must_be_positive(option: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{option} must be positive, got 0"):
        corridor.run(**{option: 0})  # type: ignore[arg-type]
