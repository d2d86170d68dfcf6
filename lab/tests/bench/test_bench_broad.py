"""`ougi bench broad`: scenes, what is compared, and the structure of what is reported."""

from __future__ import annotations

import dataclasses
import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi_lab.bench import broad, broad_growth, broad_peers
from ougi_lab.bench.command import bench
from ougi_lab.bench.measurement import SCHEMA, Measurement, read_measurements, require_min, select
from ougi_lab.bench.peers import NOT_INSTALLED, Peer, build_tasks
from ougi_lab.scenes.volumes import BENCH_SCENES, NUMBER, SIDE, scale_side


@pytest.mark.parametrize("scene", BENCH_SCENES)
def test_the_same_seed_gives_the_same_bodies(scene: str) -> None:
    one, other = (BENCH_SCENES[scene](50, np.random.default_rng(3)) for _ in range(2))
    assert one == other
    assert len(one) == 50


def test_grown_boxes_keep_their_density() -> None:
    assert scale_side(NUMBER) == SIDE
    assert scale_side(8 * NUMBER) == pytest.approx(2 * SIDE)


@pytest.mark.parametrize("scene", BENCH_SCENES)
@pytest.mark.parametrize("peer", broad_peers.PEERS, ids=lambda peer: peer.name)
def test_peers_find_our_pairs(scene: str, peer: Peer) -> None:
    pytest.importorskip(peer.module)
    bodies = BENCH_SCENES[scene](400, np.random.default_rng(5))
    ours = ougi.candidate_pairs(bodies if peer.name in broad_peers.FOR_SPHERES else bodies.bounds())
    made, missing = build_tasks([peer], bodies, len(ours))
    if made:
        assert broad.count_differences(made[peer.name], ours) == 0
    else:
        assert missing == {peer.name: "equal spheres only"}


def test_differences_are_counted() -> None:
    ours, none = np.array([[0, 1], [1, 2]]), np.empty((0, 2), np.int64)

    def count(found: Any) -> int:
        return broad.count_differences(broad_peers.PairTask(lambda: found, lambda result: result), ours)

    assert count(np.array([[2, 1], [1, 0]])) == 0
    assert count(np.array([[0, 1], [0, 2]])) == 2
    assert count(none) == 2
    assert count(5) == 3


def small(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[list[Measurement]]:
    monkeypatch.setattr(broad, "_IN_A_ROW", 1)
    return list(broad.measure(broad.choose_scenes(names), (60, 6_000), repeats=1))


PEER_NAMES = [peer.name for peer in broad_peers.PEERS]


def test_a_small_run_has_a_row_for_each_scene_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = small(monkeypatch, "even", "iv")
    assert [tuple(cell[0].case.values()) for cell in cells] == [
        (scene, n) for scene in ("ii even", "iv rods") for n in (60, 6_000)
    ]
    for auto, *others in cells:
        assert auto.method == "auto"
        assert min(auto["value"], auto["bytes"], auto["to_copy"]) > 0
        assert [each.method for each in others] == ["sweep", "grid", "tree", *PEER_NAMES]
        assert all((each.value is None) == (each.missing is not None) for each in others)
        assert (auto["best_peer"] is None) == (auto["best_ratio"] is None) == (auto.target is None)


def test_missing_peers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> ModuleType:
        if name in {peer.module for peer in broad_peers.PEERS}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    (cell, _) = small(monkeypatch, "i")
    assert (cell[0]["best_peer"], cell[0]["best_ratio"], cell[0].target) == (None, None, None)
    assert {each.missing for each in cell if each.method in PEER_NAMES} == {NOT_INSTALLED}
    text = "\n".join(map(format_table, broad.build_tables(cell, {})))
    assert f"ipctk LBVH: {NOT_INSTALLED}" in text


def auto(n: int = 5_000, ms: float = 1.0, /, **facts: float) -> Measurement:
    known = {"pairs": 3_000, "to_best": 1.0, "to_copy": 20.0, "bytes": 80.0, "best_ratio": 10.0, **facts}
    target = require_min(broad.EVERY, known["best_ratio"], of="best_ratio")
    return Measurement("broad", {"scene": "ii even", "n": n}, "auto", ms, target=target, facts=known)


def test_growth_is_fitted_from_the_given_number_on() -> None:
    rows = [auto(n, n**1.5) for n in (5_000, 50_000, 500_000)]
    (fitted,) = broad_growth.fit_growth([*rows, auto(1_000, 1e9)])
    assert fitted.value == pytest.approx(1.5)


def test_targets_are_judged() -> None:
    good = [each.target for each in broad.judge_run([auto()])]
    assert len(good) == 4
    assert all(target is not None and target.met for target in good)
    bad = {"best_ratio": 3.0, "to_best": 2.0, "bytes": 500.0}
    rows = [auto(**bad), auto(50_000, 100.0, **bad)]
    judged = [each.target for each in broad.judge_run(rows)]
    assert len(judged) == 5
    assert not any(target is None or target.met for target in judged)
    scipy = Measurement("broad", rows[0].case, "scipy cKDTree", 10.0, ratio=10.0, wrong=1)
    text = "\n".join(map(format_table, broad.build_tables([*rows, scipy], {})))
    assert ">= 4 MISSED" in text
    assert "10.0 (1)" in text  # a pair differs


def test_the_plot_shows_exponents(tmp_path: Path) -> None:
    path = tmp_path / "new" / "growth.svg"
    broad_growth.draw_growth([auto(n, n / 1000) for n in (5_000, 50_000)], path)
    assert path.stat().st_size > 1000


def test_the_command_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broad, "NUMBERS", (50,))
    bench("broad", "rods", quick=True, repeats=1, format="json", output=tmp_path / "result.json")
    output = capsys.readouterr()
    result = json.loads(output.out)
    assert result["schema"] == SCHEMA
    assert result == json.loads((tmp_path / "result.json").read_text())
    assert result["parameters"]["scenes"] == ["iv rods"]
    assert {each.method for each in select(read_measurements(result), "broad")} >= set(PEER_NAMES)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("broad", "octopus"), {}, "no scene of bench broad is called 'octopus'; known are i box, "),
        (("broad",), {"plot": Path("a.gif")}, "plot must end in .png, .svg or .pdf, got 'a.gif'"),
        (("ccd",), {"large": True}, "bench ccd takes neither --large nor --plot"),
    ],
)
def test_bad_options_are_refused(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        bench(*arguments, **options)


def test_the_page_has_the_numbers_of_the_committed_run() -> None:
    root = Path(__file__).parents[3]
    document = json.loads((root / "lab" / "results" / "bench-broad.json").read_text(encoding="utf-8"))
    page = (root / "docs" / "comparison.md").read_text(encoding="utf-8")
    measured = read_measurements(document)
    assert broad_growth.render_comparison(measured) in page
    for row in select(measured, "broad", method="auto"):
        beside = select(measured, "broad", **row.case)
        known = [each.ratio for each in beside if each.ratio is not None]
        assert row["best_ratio"] == min(known, default=None)
    targets = select(measured, "broad/targets")
    assert targets == broad.judge_run(measured)
    for each in targets:
        assert f"{each.value:.2f}" in page, each.case


def test_five_million_are_measured_only_where_their_pairs_fit() -> None:
    numbers = (*broad.NUMBERS, broad.LARGE)
    assert broad.list_numbers("i box", numbers) == list(broad.NUMBERS)
    assert broad.list_numbers("ii even", numbers) == list(numbers)


def test_small_scenes_are_measured_by_all_methods_that_can_be_fastest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(broad, "_IN_A_ROW", 1)
    cells = list(broad.measure_small(["ii even"], (2, 70), repeats=1))
    assert [tuple(cell[0].case.values()) for cell in cells] == [("ii even", 2), ("ii even", 70)]
    for fastest, *methods in cells:
        assert {each.method for each in methods} == {"brute", "x", "sweep", "grid", "tree"}
        assert fastest["to_best"] == fastest["value"] / min(each["value"] for each in methods)
    slow = dataclasses.replace(cells[0][0], facts={"to_best": 2.0})
    judged = [each for each in broad.judge_run([auto(), slow]) if "few bodies" in each["number"]]
    assert [each.target is not None and each.target.met for each in judged] == [False]
    assert "a few bodies" in "\n".join(map(format_table, broad.build_tables([auto(), slow], {})))
