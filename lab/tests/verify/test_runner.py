"""Chunks, resuming, reports."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ougi.cli.evidence import hash_definitions
from ougi.errors import InvalidInputError
from ougi_lab.verify import runner
from ougi_lab.verify.box_sphere import BoxSphere
from ougi_lab.verify.narrow import Narrow
from ougi_lab.verify.runner import Task, derive_seed, plan_tasks, run, run_task
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

COUNTS = {"random": 25_000, "near": 12_000}


class Killed(Exception):
    """Stands for the end of the process."""


@dataclass
class Dice:
    """A subject that is quick and wrong once in a while."""

    folders: tuple[str, ...] = ("kernels",)
    calls: int = 0
    allowed: int = 1_000
    name: str = "dice"
    kinds: tuple[str, ...] = ("random", "near")
    many_small_arrays: bool = False

    def pairs(self) -> tuple[str, ...]:
        return ("red-blue", "red-green")

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        self.calls += 1
        if self.calls > self.allowed:
            raise Killed
        tally = Tally(cases=n) if kind == "random" else Tally(near=n)
        tally.judge({"roll": rng.exponential(0.1, n), "other": rng.random(n)}, {})
        return tally


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return json.dumps(a["pairs"]) == json.dumps(b["pairs"]) and a["disagreements"] == b["disagreements"]


def _run(subject: Any, **options: Any) -> dict[str, Any]:
    return run(subject, subject.pairs(), COUNTS, quiet=True, **options)


def test_a_plan_covers_all_cases() -> None:
    tasks = plan_tasks(("a-b",), COUNTS)
    assert [t.size for t in tasks if t.kind == "random"] == [10_000, 10_000, 5_000]
    assert [t.size for t in tasks if t.kind == "near"] == [10_000, 2_000]


def test_every_chunk_has_its_own_seed() -> None:
    tasks = plan_tasks(("a-b", "b-a"), COUNTS)
    states = {tuple(derive_seed("narrow", t, seed).generate_state(4)) for t in tasks for seed in (0, 1)}
    assert len(states) == 2 * len(tasks)


def test_a_run_stopped_halfway_ends_like_one_that_was_not(tmp_path: Path) -> None:
    whole = _run(Dice())
    assert whole["disagreements"] > 0
    with pytest.raises(Killed):
        _run(Dice(allowed=4), folder=tmp_path, jobs=1)
    rest = Dice()
    assert _same(_run(rest, folder=tmp_path, jobs=1), whole)
    assert rest.calls == 6
    again = Dice(allowed=0)
    assert _same(_run(again, folder=tmp_path), whole)


def test_a_line_cut_off_by_the_end_is_repeated(tmp_path: Path) -> None:
    whole = _run(Dice(), folder=tmp_path, jobs=1)
    file = tmp_path / "dice.jsonl"
    file.write_text(file.read_text()[:-40])
    rest = Dice()
    assert _same(_run(rest, folder=tmp_path), whole)
    assert rest.calls == 1


def test_more_cases_reuse_whole_chunks(tmp_path: Path) -> None:
    _run(Dice(), folder=tmp_path)
    more = Dice()
    run(more, more.pairs(), {"random": 40_000, "near": 12_000}, folder=tmp_path, quiet=True)
    assert more.calls == 2 * 2


@pytest.mark.parametrize(("other", "seed"), [(Dice(("query",)), 0), (Dice(), 1)])
def test_a_folder_of_other_kernels_or_another_seed_is_refused(tmp_path: Path, other: Dice, seed: int) -> None:
    _run(Dice(), folder=tmp_path)
    with pytest.raises(InvalidInputError, match="force"):
        _run(other, folder=tmp_path, seed=seed)
    assert _same(_run(other, folder=tmp_path, seed=seed, force=True), _run(other, seed=seed))


def test_the_report_does_not_depend_on_the_number_of_workers() -> None:
    one = _run(Dice(), jobs=1)
    assert _same(_run(Dice(), jobs=5), one)
    with ThreadPoolExecutor(3) as pool:
        assert _same(_run(Dice(), executor=pool), one)


def test_kernels_answer_alike_from_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CHUNK", 500)
    reports = []
    for jobs in (1, 4):
        counts = {"random": 2_000, "near": 500, "second": 50}
        reports.append(run(Narrow(), ("circle-rectangle", "sphere-capsule3d"), counts, jobs=jobs, quiet=True))
    assert _same(*reports)


def test_a_report_names_the_first_disagreement_and_its_chunk() -> None:
    report = _run(Dice(), seed=3)
    first = report["pairs"]["red-blue"]["first"]
    tally = run_task(Dice(), Task("red-blue", first["kind"], first["chunk"], first["size"]), first["seed"])
    assert tally.first == first


def test_a_report_says_what_it_is_about() -> None:
    report = _run(Dice())
    assert report["schema"] == runner.SCHEMA
    assert set(report["versions"]) == {"ougi", "numpy", "numba", "python"}
    assert report["machine"]["cpu"]
    definitions = " ".join(sorted(hash_definitions("kernels")))
    assert report["sources"] == {"folders": ["kernels"], "definitions": definitions}
    assert report["commit"]
    assert report["pairs"]["red-blue"]["cases"] == 25_000
    assert report["pairs"]["red-blue"]["near"] == 12_000
    json.dumps(report, allow_nan=False)


def test_an_error_in_a_chunk_says_where() -> None:
    with pytest.raises(Killed) as caught:
        _run(Dice(allowed=0), jobs=1)
    assert "dice red-blue, random chunk 0, seed 0" in caught.value.__notes__[0]


def test_not_a_number_counts_as_wrong() -> None:
    tally = Tally(cases=3)
    assert tally.judge({"x": np.array([0.5, np.nan, 0.1])}, lambda i: {"a": f"case {i}"}) == 1
    assert tally.judge({"x": np.array([2.0])}, {"a": "another"}) == 0
    assert tally.first == {"index": 1, "check": "x", "error": NONFINITE_ERROR, "a": "case 1"}
    assert tally.disagreements == 2
    json.dumps(tally.to_json(), allow_nan=False)


def test_processes_serve_subjects_of_small_arrays_and_change_nothing() -> None:
    subject = BoxSphere()
    counts = {"random": 30_100}
    with runner.open_processes(subject, subject.pairs()[:3], counts, 2) as executor:
        assert isinstance(executor, ProcessPoolExecutor)
    with runner.open_processes(subject, subject.pairs()[:1], {"random": 100}, 2) as executor:
        assert executor is None  # not worth their start
    with runner.open_processes(Narrow(), ("sphere-box",) * 20, counts, 2) as executor:
        assert executor is None  # large arrays: threads do not wait for each other
    task = Task("0-10", "random", 0, 50)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(run_task, subject, task, 3).result() == run_task(subject, task, 3)


def test_a_report_is_json_with_a_line_per_pair() -> None:
    report = run(BoxSphere(), ("0-10", "10-90"), {"random": 50}, quiet=True, jobs=1)
    text = runner.format_report(report)
    assert json.loads(text) == json.loads(json.dumps(report))
    assert sum(line.startswith('  "') for line in text.splitlines()) == 2
