"""`sort`: readings against plain loops, published numbers against each other, chunks that are kept."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.broad import count_tests
from ougi.errors import InvalidInputError
from ougi_lab.reproduce import sort, sort_claims, sort_measure, sort_published, sort_readings
from ougi_lab.reproduce.sort_measure import COUNTED, TIMED, SortSizes, compute_dense_edge, measure
from ougi_lab.scenes.bouncing import DISTRIBUTIONS, BouncingBalls, draw_balls

SMALL = SortSizes(worlds=4, frames=2, largest=1000, densest=5000)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return sort.run(worlds=8, frames=2, densest=5000, largest=1000, folder=tmp_path_factory.mktemp("sort"))


# --- what the paper prints ---------------------------------------------------------------------------------


def test_the_printed_tables_agree_with_each_other_but_for_one_misprint() -> None:
    for method, column in sort_published.PER_OBJECT.items():
        for n, k, share in zip(sort_published.N, column, sort_published.SHARE[method], strict=True):
            expected = sort_published.find_published(sort_published.TESTS, method, n)
            assert expected is not None
            if (method, n) != ("best-axis", 1000):
                assert abs(k - expected / n) <= 0.0006
            assert abs(share - k / n) <= 0.0006
    axes, best = (sort_published.TESTS[m] for m in ("axes", "best-axis"))
    saved = tuple(round(100 * (1 - b / a)) for a, b in zip(axes, best, strict=True))
    assert np.abs(np.subtract(saved, sort_published.REDUCTION)).max() <= 1


# --- readings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_readings_are_what_plain_loops_find(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    balls = ougi.Sphere(rng.uniform(-20, 20, (n, 3)), rng.uniform(0.5, 5, n))
    lower, upper = balls.center - balls.radius[:, None], balls.center + balls.radius[:, None]
    contacts = ougi.candidate_pairs(balls)
    for chosen_by in ("both", "behind"):
        tested = []
        for i in range(n):
            lists = []
            for axis in range(3):
                over = [
                    j
                    for j in range(n)
                    if j != i and lower[j, axis] <= upper[i, axis] and lower[i, axis] <= upper[j, axis]
                ]
                behind = [j for j in over if lower[j, axis] > lower[i, axis]]
                lists.append((len(over if chosen_by == "both" else behind), axis, behind))
            tested += [{i, j} for j in min(lists)[2]]
        lost = sum({i, j} not in tested for i, j in contacts.tolist())
        assert sort_readings.count_forward(balls, contacts, chosen_by=chosen_by) == (len(tested), lost)
    left = list(range(n))
    for axis in range(2):
        left = [
            j
            for j in left
            if any(
                lower[i, axis] < end < upper[i, axis]
                for i in left
                if i != j
                for end in (lower[j, axis], upper[j, axis])
            )
        ]
    pairs = [
        (i, j) for i, j in combinations(left, 2) if lower[i, 2] <= upper[j, 2] and lower[j, 2] <= upper[i, 2]
    ]
    lost = sum(not {i, j} <= set(left) for i, j in contacts.tolist())
    assert sort_readings.count_as_published(balls, contacts) == (len(pairs), lost)


def test_the_counterexamples_of_the_errata_lose_contacts() -> None:
    centers = np.array([[1, 0, 0], [0, 1, 0], [50, -1.5, 10], [-1.5, 50, 20], [100, 100, 0], [200, 200, 0]])
    balls = ougi.Sphere(centers, 1)
    assert sort_readings.count_forward(balls, ougi.candidate_pairs(balls), chosen_by="both").lost == 1
    nested = ougi.Sphere([[5.0, 0, 0], [4.5, 0, 0]], [5, 0.5])
    assert sort_readings.count_as_published(nested, ougi.candidate_pairs(nested)).lost == 1


# --- worlds -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_all_balls_lie_in_the_cube(name: str) -> None:
    balls = draw_balls(name, 500, np.random.default_rng(1))
    assert balls.count == 500
    assert np.abs(balls.center).max() <= 48 + 1e-12


def test_density_stays_the_same() -> None:
    for n in (1000, 5000, 70_000):
        assert n / compute_dense_edge(n) ** 3 == pytest.approx(5000 / 100**3)


# --- runs -------------------------------------------------------------------------------------------------


def test_counts_are_those_of_count_tests_in_the_middle_of_the_frames() -> None:
    """Ten frames of a slow world are about the same: the mean lies near a count of the first."""
    arrays = sort_measure.run_task(("counts", 200, 0), SMALL, 3)
    world_0 = BouncingBalls(200, [3, 200, 0])
    world_0.step()
    for k, method in enumerate(COUNTED):
        one = count_tests(world_0.balls, method=method).tests
        assert arrays["tests"][0, k] == pytest.approx(one, rel=0.1)
    assert arrays["tests"].shape == (4, len(COUNTED))


def test_finished_chunks_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_measure, "list_tasks", lambda sizes: [("counts", 50, 0), ("times", 50, 0)])
    calls: list[tuple[int, int]] = []
    first = measure(SMALL, 1, tmp_path, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 2), (2, 2)]
    monkeypatch.setattr(sort_measure, "run_task", lambda *task: pytest.fail("done already"))
    again = measure(SMALL, 1, tmp_path)
    assert np.array_equal(first.tests[50], again.tests[50])
    assert np.array_equal(first.milliseconds[50], again.milliseconds[50])
    with pytest.raises(InvalidInputError, match="seed 1 instead of 2"):
        measure(SMALL, 2, tmp_path)


def test_worlds_of_several_chunks_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sort_measure, "GROUP", 3)
    sizes = SMALL._replace(worlds=8)
    monkeypatch.setattr(sort_measure, "list_tasks", lambda sizes: [("counts", 20, k) for k in range(3)])
    found = measure(sizes, 1)
    assert found.tests[20].shape == (8, len(COUNTED))
    assert len(np.unique(found.tests[20], axis=0)) > 4


def test_the_numbers_of_the_paper_come_out(outcome: Any) -> None:
    assert all(verdict.holds for verdict in outcome.verdicts if verdict.binding)
    full = sort.build_outcome({**outcome.numbers, "worlds": 100, "frames": 100})
    assert {verdict.holds for verdict in outcome.verdicts} == {None}  # of too few data
    failing = [verdict.claim for verdict in full.verdicts if not verdict.holds]
    for claim in ("at constant density", "no distribution", "tests only pairs ahead", "as printed"):
        assert any(claim in words for words in failing), claim
    titles = [table.title.split(":")[0] for table in outcome.tables]
    assert {f"Table {k}" for k in range(1, 8)} <= set(titles)
    assert {f"figure-{k}" for k in (9, 10, 11, 12)} <= {figure.name for figure in outcome.figures}
    assert all(len(row) == len(table.headings) for table in outcome.tables for row in table.rows)


def test_other_counts_would_fail(outcome: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**sort_published.TESTS, "best-axis": tuple(1.05 * x for x in sort_published.TESTS["best-axis"])}
    monkeypatch.setattr(sort_claims, "TESTS", wrong)
    full = {**outcome.numbers, "worlds": 100, "frames": 100}  # as many as are judged
    failing = [v.claim for v in sort.build_outcome(full).verdicts if v.is_refuted]
    assert failing == ["Tables 6, 7: tests of best axis, n >= 500, within 2%"]


def test_all_follows_from_the_numbers_that_are_kept(outcome: Any) -> None:
    again = sort.build_outcome(json.loads(json.dumps(outcome.numbers)))
    assert (again.tables, again.verdicts) == (outcome.tables, outcome.verdicts)
    assert [figure.rows for figure in again.figures] == [figure.rows for figure in outcome.figures]


def test_every_method_is_timed(outcome: Any) -> None:
    for row in outcome.numbers["ms"].values():
        assert set(row) == set(TIMED)
        assert all(ms > 0 for ms in row.values())


def test_too_small_a_run_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="worlds must be at least 2, got 1"):
        sort.run(worlds=1)
    with pytest.raises(InvalidInputError, match="largest must be at least 1000, got 10"):
        sort.run(largest=10)
