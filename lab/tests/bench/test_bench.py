"""`ougi bench`: the structure of what it reports. How fast things are is nothing a test can say."""

from __future__ import annotations

import importlib
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._jit import get_threads, one_thread
from ougi.cli.tables import plain
from ougi.errors import InvalidInputError
from ougi.query._tables import TABLES
from ougi_lab.bench import narrow, peers, show, start
from ougi_lab.bench.command import bench

NUMBERS = ("kernel_ns", "kernel_best_ns", "kernel_worst_ns", "public_ns", "copy_ns", "copy_best_ns")
RATIOS = ("ratio", "best_ratio", "public_ratio")


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, **options: Any) -> dict[str, Any]:
    subject: Any = arguments[0]
    assert bench(subject, *arguments[1:], format="json", quick=True, **options) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_every_row_of_the_tables_is_measured_in_both_forms() -> None:
    found = [(case.question, case.pair, case.form) for case in narrow.cases()]
    expected = {
        (question, pair, form)
        for question, table in (("intersects", TABLES["intersects"]), ("distance", TABLES["distance"]))
        for pair in table
        for form in ("one", "listed")
    }
    assert len(found) == len(expected)
    assert set(found) == expected


@pytest.mark.parametrize("name", ["Sphere-Box", "box-sphere", "sphere-box"])
def test_a_pair_is_found_in_either_order_and_case(name: str) -> None:
    assert {narrow.pair_name(case.pair) for case in narrow.cases([name])} == {"Sphere-Box"}


def test_classes_kernels_and_dimensions_name_pairs_too() -> None:
    assert all(ougi.Box in (case.pair.a, case.pair.b) for case in narrow.cases(["Box"]))
    assert {case.pair.kernel for case in narrow.cases(["box_box"])} == {"box_box"}
    assert len(narrow.cases(["2d"])) + len(narrow.cases(["3d"])) == len(narrow.cases())


def test_an_unknown_pair_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no pair is called 'Blob'"):
        narrow.cases(["Box", "Blob"])


def test_targets_name_pairs_of_the_table() -> None:
    pairs = {narrow.pair_name(pair) for pair in TABLES["intersects"]}
    assert set(narrow.TARGETS) | set(narrow.TARGETS_NS) <= pairs
    assert not set(narrow.TARGETS) & set(narrow.TARGETS_NS)  # a row has one target


def check(rows: list[narrow.Row]) -> None:
    for row in rows:
        assert all(
            math.isfinite(getattr(row, name)) and getattr(row, name) > 0 for name in NUMBERS + RATIOS
        ), row
        assert 0 <= row.hits <= 1


def test_a_small_run_reports_positive_finite_numbers() -> None:
    cases = narrow.cases(["Sphere-Sphere", "Sphere-Box"])
    rows = list(narrow.rows(cases, count=20, listed=30, repeats=2))
    assert [(row.question, row.pair, row.form) for row in rows] == [
        (case.question, narrow.pair_name(case.pair), case.form) for case in cases
    ]
    assert {row.tests for row in rows} == {20, 30}
    check(rows)


@pytest.mark.slow
def test_the_whole_table_runs() -> None:
    cases = narrow.cases()
    rows = list(narrow.rows(cases, count=20, listed=30, repeats=1))
    assert len(rows) == len(cases)
    check(rows)


def test_only_the_size_of_the_target_is_judged() -> None:
    (one, listed, *_) = narrow.cases(["Sphere-Sphere"])
    assert narrow._target(one, narrow.TARGET_COUNT, narrow.TARGETS) == 1.0
    assert narrow._target(one, 2000, narrow.TARGETS) is None
    assert narrow._target(listed, narrow.TARGET_COUNT, narrow.TARGETS) is None


def test_threads_are_as_before_after_a_run() -> None:
    before = get_threads()
    rows = narrow.rows(narrow.cases(["Sphere-Sphere"]), count=3, listed=3, repeats=1)
    next(rows)  # and between two rows
    assert get_threads() == before
    with one_thread():
        list(rows)


def test_json_round_trips_and_says_where_it_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_json(capsys, "narrow", "Sphere-Sphere", count=10, listed=10, repeats=1)
    assert result["schema"] == "ougi-bench-narrow/1"
    assert result["machine"]["ougi"] == ougi.__version__
    assert result["parameters"]["count"] == 10
    assert narrow.Row(**result["rows"][0]).pair == "Sphere-Sphere"
    assert [row["question"] for row in result["peers"]] == ["intersects", "distance"]


@pytest.mark.parametrize("suffix", [".json", ".txt"])
def test_the_output_file_takes_its_form_from_its_suffix(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / f"result{suffix}"
    bench("narrow", "Sphere-Sphere", count=10, listed=10, repeats=1, quick=True, output=path)
    printed = capsys.readouterr().out
    assert "─" not in printed  # no drawing when it is not a terminal
    if suffix == ".txt":
        assert path.read_text() == printed
    else:
        assert json.loads(path.read_text())["rows"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "count must be positive, got 0"),
        ({"repeats": -1}, "repeats must be positive, got -1"),
        ({"output": Path("a.csv")}, r"output must end in .json or .txt, got 'a.csv'"),
    ],
)
def test_bad_options_are_refused_before_anything_is_measured(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bench("narrow", **options)
    with pytest.raises(InvalidInputError, match="bench start takes no pairs, got Box"):
        bench("start", "Box")


def test_a_missing_peer_is_named_and_has_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without_peers(name: str, package: str | None = None) -> ModuleType:
        if name == "coal":
            raise ModuleNotFoundError("No module named 'coal'", name="coal")
        if name == "fcl":
            raise ImportError("libfcl.so: cannot open shared object file")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without_peers)
    (row,) = peers.rows(narrow.cases(["Sphere-Sphere"])[:1], tests=3, repeats=1)
    assert row.peers["coal"] == peers.Peer(missing='not installed (pip install "ougi[peers]")')
    assert row.peers["python-fcl"].missing == "cannot be imported: libfcl.so: cannot open shared object file"
    assert 'not installed (pip install "ougi[peers]")' in plain(show.peers_table([row]))


# python-fcl stops early between capsules and boxes: 2e-3 m in 50,000 tests, where coal confirms ours.
@pytest.mark.parametrize(("module", "name", "gap"), [("coal", "coal", 1e-8), ("fcl", "python-fcl", 5e-3)])
def test_peers_agree(module: str, name: str, gap: float) -> None:
    pytest.importorskip(module)
    rows = list(peers.rows(narrow.cases(), tests=200, repeats=1))
    assert len(rows) == 2 * len(peers.PAIRS) == 10
    for row in rows:
        assert row.peers[name].differ == 0, row
        assert (row.peers[name].worst or 0.0) < gap, row


def test_differences_are_counted() -> None:
    assert peers._compared(1.0, np.array([True, False]), np.array([True, True])).differ == 1
    told = peers._compared(1.0, np.array([1.0, 2.0, -0.5, 3.0]), np.array([1.0, 2.25, -1.0, 0.0]))
    assert (told.differ, told.worst) == (1, 0.25)


def test_a_missed_target_is_told() -> None:
    (row,) = narrow.rows(narrow.cases(["Box-Box"])[:1], count=3, listed=3, repeats=1)
    judged = narrow.Row(**{**vars(row), "target": 5.0, "met": False})
    text = plain(show.narrow_table([judged]))
    assert "<= 5 MISSED" in text
    assert "0 of 1 targets met." in text


def test_a_target_in_nanoseconds_is_judged_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow, "TARGET_COUNT", 3)
    (row,) = narrow.rows(narrow.cases(["Sector3d-Capsule3d"])[:1], count=3, listed=3, repeats=1)
    assert (row.target, row.target_ns) == (None, 200.0)
    assert row.met == (row.kernel_ns <= 200.0)
    assert "<= 200 ns " in plain(show.narrow_table([row]))


def test_import_ougi_does_not_load_numba() -> None:
    assert not start.loads_numba()


@pytest.mark.slow
def test_start_measures_processes(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_json(capsys, "start", repeats=1)
    assert result["import_ougi_loads_numba"] is False
    rows = {row["what"]: row for row in result["rows"]}
    assert all(row["seconds"] > 0 for row in rows.values())
    assert rows["import numba"]["after_numba"] == 0
    assert [what for what, row in rows.items() if row["target"]] == [
        "import ougi",
        "answer of a second process",
    ]
