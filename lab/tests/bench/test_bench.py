"""`ougi bench`: the structure of what it reports. How fast things are is nothing a test can say."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest

import ougi
from ougi._native import get_threads, one_thread
from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi.query.tables import TABLES
from ougi_lab.bench import narrow, narrow_hulls, narrow_peers, single, start
from ougi_lab.bench.command import SubjectName, bench
from ougi_lab.bench.measurement import SCHEMA, Measurement, read_measurements, require_max, select
from ougi_lab.bench.peers import NOT_INSTALLED
from ougi_lab.scenes.batches import draw_batch
from ougi_lab.scenes.meshes import make_sphere


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str, **options: Any) -> dict[str, Any]:
    subject: Any = arguments[0]
    assert bench(subject, *arguments[1:], format="json", quick=True, **options) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_every_row_of_the_tables_is_measured_in_both_forms() -> None:
    found = [(case.query, case.pair, case.form) for case in narrow.choose_cases()]
    expected = {
        (query, pair, form)
        for query, table in (("intersects", TABLES["intersects"]), ("distance", TABLES["distance"]))
        for pair in table
        for form in ("one", "listed")
    }
    assert len(found) == len(expected)
    assert set(found) == expected


@pytest.mark.parametrize("name", ["Sphere-Box", "box-sphere", "sphere-box"])
def test_a_pair_is_found_in_either_order_and_case(name: str) -> None:
    assert {narrow.name_pair(case.pair) for case in narrow.choose_cases([name])} == {"Sphere-Box"}


def test_classes_kernels_and_dimensions_name_pairs_too() -> None:
    assert all(ougi.Box in (case.pair.a, case.pair.b) for case in narrow.choose_cases(["Box"]))
    assert {case.pair.kernel for case in narrow.choose_cases(["box_box"])} == {"box_box"}
    assert len(narrow.choose_cases(["2d"])) + len(narrow.choose_cases(["3d"])) == len(narrow.choose_cases())


def test_an_unknown_pair_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no pair is called 'Blob'"):
        narrow.choose_cases(["Box", "Blob"])


def test_targets_name_pairs_of_the_table() -> None:
    pairs = {narrow.name_pair(pair) for pair in TABLES["intersects"]}
    assert set(narrow.TARGETS) | set(narrow.TARGETS_NS) <= pairs
    assert not set(narrow.TARGETS) & set(narrow.TARGETS_NS)  # a row has one target


def check(measured: list[list[Measurement]]) -> None:
    for kernel, public, copy in measured:
        numbers = [kernel[name] for name in ("value", "best", "worst", "ratio", "best_ratio")]
        numbers += [public.value, public.ratio, copy.value, copy.best]
        assert all(math.isfinite(number) and number > 0 for number in numbers), kernel
        assert 0 <= kernel["hits"] <= 1


def measure(*names: str, count: int = 3, listed: int = 3, repeats: int = 1) -> list[list[Measurement]]:
    return list(narrow.measure(narrow.choose_cases(names), count, listed, repeats))


def test_a_small_run_reports_positive_finite_numbers() -> None:
    cases = narrow.choose_cases(["Sphere-Sphere", "Sphere-Box"])
    measured = measure("Sphere-Sphere", "Sphere-Box", count=20, listed=30, repeats=2)
    assert [tuple(kernel.case.values()) for kernel, _, _ in measured] == [
        (narrow.name_pair(case.pair), case.query, case.form) for case in cases
    ]
    assert {kernel["tests"] for kernel, _, _ in measured} == {20, 30}
    check(measured)


@pytest.mark.slow
def test_the_whole_table_runs() -> None:
    measured = measure(count=20, listed=30)
    assert len(measured) == len(narrow.choose_cases())
    check(measured)


def test_only_the_size_of_the_target_is_judged() -> None:
    (one, listed, *_) = narrow.choose_cases(["Sphere-Sphere"])
    assert narrow._choose_target(one, narrow.TARGET_COUNT, 1.0, 0.5) == require_max(1.0, 0.5, of="ratio")
    assert narrow._choose_target(one, 2000, 1.0, 0.5) is None
    assert narrow._choose_target(listed, narrow.TARGET_COUNT, 1.0, 0.5) is None


def test_threads_are_as_before_after_a_run() -> None:
    before = get_threads()
    rows = narrow.measure(narrow.choose_cases(["Sphere-Sphere"]), count=3, listed=3, repeats=1)
    next(rows)  # and between two rows
    assert get_threads() == before
    with one_thread():
        list(rows)


def test_json_round_trips_and_says_where_it_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_json(capsys, "narrow", "Sphere-Sphere", count=10, listed=10, repeats=1)
    assert (result["schema"], result["subject"]) == (SCHEMA, "narrow")
    assert result["machine"]["ougi"] == ougi.__version__
    assert result["parameters"]["count"] == 10
    measured = read_measurements(result)
    assert [each.to_dict() for each in measured] == result["measurements"]
    assert {each["pair"] for each in measured} == {"Sphere-Sphere"}
    beside = select(measured, "narrow/peers", method="ougi, single")
    assert [each["query"] for each in beside] == ["intersects", "distance"]
    assert set(result["versions"]) == {"coal", "python-fcl"}


def test_every_subject_of_the_command_has_a_module() -> None:
    for name in set(get_args(SubjectName)) - {"cuda"}:
        assert callable(importlib.import_module(f"ougi_lab.bench.{name}").run)


@pytest.mark.parametrize("suffix", [".json", ".txt"])
def test_the_output_file_takes_its_form_from_its_suffix(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / f"result{suffix}"
    bench("narrow", "Sphere-Sphere", count=10, listed=10, repeats=1, quick=True, output=path)
    output = capsys.readouterr().out
    assert "─" not in output  # no drawing when it is not a terminal
    if suffix == ".txt":
        assert path.read_text() == output
    else:
        assert json.loads(path.read_text())["measurements"]


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
    (measured,) = narrow_peers.measure([("intersects", narrow_peers.PAIRS[0])], tests=3, repeats=1)
    *_, coal, fcl = measured
    assert (coal.missing, coal.value) == (NOT_INSTALLED, None)
    assert fcl.missing == "cannot be imported: libfcl.so: cannot open shared object file"
    assert f"coal: {NOT_INSTALLED}" in format_table(narrow.build_peer_table(measured, {}))


# python-fcl stops early between capsules and boxes: 2e-3 m in 50,000 tests, where coal confirms ours.
@pytest.mark.parametrize(("module", "name", "gap"), [("coal", "coal", 1e-8), ("fcl", "python-fcl", 5e-3)])
def test_peers_agree(module: str, name: str, gap: float) -> None:
    pytest.importorskip(module)
    every = [(query, pair) for query in narrow.QUERIES for pair in narrow_peers.PAIRS]
    cells = list(narrow_peers.measure(every, tests=200, repeats=1))
    assert len(cells) == 2 * len(narrow_peers.PAIRS) == 10
    for cell in cells:
        (measured,) = select(cell, method=name)
        assert measured.wrong == 0, measured
        assert (measured["worst_gap"] or 0.0) < gap, measured


def test_differences_are_counted() -> None:
    assert narrow_peers.compare_results(np.array([True, False]), np.array([True, True])) == (1, None)
    ours, theirs = np.array([1.0, 2.0, -0.5, 3.0]), np.array([1.0, 2.25, -1.0, 0.0])
    assert narrow_peers.compare_results(ours, theirs) == (1, 0.25)


def test_a_missed_target_is_reported() -> None:
    kernel, public, copy = measure("Box-Box")[0]
    judged = dataclasses.replace(kernel, target=require_max(5.0, 7.0, of="ratio"))
    text = format_table(narrow.build_pair_table([judged, public, copy]))
    assert "<= 5x MISSED" in text
    assert "0 of 1 targets met." in text


def test_a_target_in_nanoseconds_is_judged_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narrow, "TARGET_COUNT", 3)
    measured = measure("Sector3d-Capsule3d")[0]
    assert measured[0].value is not None
    assert measured[0].target == require_max(200.0, measured[0].value)
    assert "<= 200 ns " in format_table(narrow.build_pair_table(measured))


def test_import_ougi_does_not_load_numba() -> None:
    assert not start.loads_numba()


@pytest.mark.slow
def test_start_measures_processes(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_json(capsys, "start", repeats=1)
    assert result["parameters"]["import_ougi_loads_numba"] is False
    rows = {each.method: each for each in read_measurements(result)}
    assert all(row["value"] > 0 for row in rows.values())
    assert rows["import numpy"]["after_numpy"] == 0
    judged = {start.IMPORT, start.AFTER_IMPORT} & set(rows)
    assert {name for name, row in rows.items() if row.target} == judged


def test_single_calls_are_measured_beside_peers(capsys: pytest.CaptureFixture[str]) -> None:
    rows = read_measurements(run_json(capsys, "single", repeats=1))
    own = {row["call"]: row for row in rows if row.method == "ougi"}
    assert {"Sphere(...)", "intersects Sphere-Box", "time_of_impact Box-Sphere"} <= set(own)
    assert all(row["value"] > 0 for row in own.values())
    peers = {row.method for row in rows} - {"ougi"}
    assert peers == {"coal", "embreex", "python-fcl", "rapier3d", "shapely", "pymunk"}


def test_edges_of_robots_are_proven_and_none_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    rows = read_measurements(run_json(capsys, "robots", repeats=1, tests=40))
    certified = next(row for row in rows if row.method == "ougi, certified")
    assert certified.case["shapes"] == 59
    assert certified.case["free"] > 5
    assert certified.wrong == 0
    assert {row.method for row in rows} >= {"ougi, sampled", "pinocchio with coal, sampled"}


@pytest.mark.parametrize("peer", single.RAY_PEERS, ids=lambda peer: peer.name)
def test_libraries_of_rays_hit_the_same_faces(peer: Any) -> None:
    module = pytest.importorskip(peer.module)
    mesh, rng = make_sphere(20, 12, 1.0, 0.2), np.random.default_rng(0)
    origins = 3 * rng.normal(size=(200, 3))
    theirs: Any = peer.build(module, mesh, origins, -origins)()
    ours = ougi.raycast(origins, -origins, mesh).face
    assert (theirs != ours).sum() <= 2  # single precision decides otherwise near edges


@pytest.mark.parametrize("peer", single.PLANAR_PEERS, ids=lambda peer: peer.name)
def test_libraries_of_the_plane_find_the_same_contacts(peer: Any) -> None:
    module = pytest.importorskip(peer.module)
    for cls in (ougi.Circle, ougi.Rectangle):
        a, b = draw_batch(ougi.Circle, 50, 1), draw_batch(cls, 50, 2)
        theirs = peer.build(module, "intersects", a, b)()
        hits = [each if isinstance(each, bool) else bool(each.points) for each in theirs]
        ours = [bool(ougi.intersects(x, y)) for x, y in zip(a, b, strict=True)]
        assert sum(x != y for x, y in zip(hits, ours, strict=True)) <= 1  # shapely's discs are polygons


@pytest.mark.parametrize("kind", ["polygon of 8", 12])
def test_distances_of_hulls_agree_with_other_libraries(kind: int | str) -> None:
    case = narrow_hulls.HullCase(kind, kind)
    found = {each.method: each for each in narrow_hulls.measure_case(case, tests=20, repeats=1)}
    measured = {name for name, each in found.items() if not each.missing}
    assert measured == {"ougi"} | ({"shapely"} if kind != 12 else {"coal"}) | (measured & {"python-fcl"})
    assert all(found[name]["worst_gap"] < 1e-9 for name in measured - {"ougi"})
