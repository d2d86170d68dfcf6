"""`ougi bench broad`: crowds, what is compared, and the structure of what is reported."""

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
from ougi.cli.tables import plain
from ougi.errors import InvalidInputError
from ougi_lab.bench import broad, broad_peers, broad_show
from ougi_lab.bench.command import bench
from ougi_lab.scenes.volumes import BENCH_SCENES, NUMBER, SIDE, scaled_side


@pytest.mark.parametrize("scene", BENCH_SCENES)
def test_the_same_seed_gives_the_same_crowd(scene: str) -> None:
    one, other = (BENCH_SCENES[scene](50, np.random.default_rng(3)) for _ in range(2))
    assert one == other
    assert len(one) == 50


def test_grown_boxes_keep_their_density() -> None:
    assert scaled_side(NUMBER) == SIDE
    assert scaled_side(8 * NUMBER) == pytest.approx(2 * SIDE)


@pytest.mark.parametrize("scene", BENCH_SCENES)
@pytest.mark.parametrize("name", broad_peers.PEERS)
def test_peers_find_our_pairs(scene: str, name: str) -> None:
    peer = broad_peers.PEERS[name]
    pytest.importorskip(peer.module)
    bodies = BENCH_SCENES[scene](400, np.random.default_rng(5))
    ours = ougi.candidate_pairs(bodies if peer.spheres else bodies.bounds())
    made, missing = broad_peers.tasks(bodies, len(ours))
    if name in made:
        assert broad._differ(made[name], ours) == 0
    else:
        assert missing[name] == "equal spheres only"


def test_differences_are_counted() -> None:
    ours, none = np.array([[0, 1], [1, 2]]), np.empty((0, 2), np.int64)

    def told(found: Any) -> int:
        return broad._differ(broad_peers.Task(lambda: found, lambda result: result), ours)

    assert told(np.array([[2, 1], [1, 0]])) == 0
    assert told(np.array([[0, 1], [0, 2]])) == 2
    assert told(none) == 2
    assert told(5) == 3


def small(monkeypatch: pytest.MonkeyPatch, *names: str) -> list[broad.Row]:
    monkeypatch.setattr(broad, "_IN_A_ROW", 1)
    return list(broad.rows(broad.chosen(names), (60, 6_000), repeats=1))


def test_a_small_run_has_a_row_for_each_scene_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = small(monkeypatch, "even", "iv")
    assert [(row.scene, row.n) for row in rows] == [
        (scene, n) for scene in ("ii even", "iv rods") for n in (60, 6_000)
    ]
    for row in rows:
        assert row.auto_ms > 0
        assert row.bytes > 0
        assert row.to_copy > 0
        assert row.peers.keys() == broad_peers.PEERS.keys()
        assert (row.best_peer is None) == (row.ratio is None)


def test_missing_peers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> ModuleType:
        if name in {peer.module for peer in broad_peers.PEERS.values()}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    (row, _) = small(monkeypatch, "i")
    assert (row.best_peer, row.ratio, row.met) == (None, None, None)
    assert row.peers["ipctk LBVH"].missing == 'not installed (pip install "ougi[peers]")'
    text = "\n".join(map(plain, broad_show.tables([row], broad_peers.versions())))
    assert 'ipctk LBVH: not installed (pip install "ougi[peers]")' in text


ROW = broad.Row(
    scene="ii even",
    n=5_000,
    pairs=3_000,
    auto_ms=1.0,
    best_ms=0.9,
    searches={"grid": 1.0, "sweep": None},
    to_best=1.0,
    to_copy=20.0,
    bytes=80.0,
    peers={"scipy cKDTree": broad.Peer(ms=10.0, ratio=10.0, differ=1)},
    best_peer="scipy cKDTree",
    ratio=10.0,
)


def test_growth_is_fitted_from_the_given_number_on() -> None:
    rows = [dataclasses.replace(ROW, n=n, auto_ms=n**1.5) for n in (5_000, 50_000, 500_000)]
    rows.append(dataclasses.replace(ROW, n=1_000, auto_ms=1e9))
    assert broad.growth(rows)["ii even"]["auto"] == pytest.approx(1.5)


def test_targets_are_judged() -> None:
    good = {v.what: v.met for v in broad.verdicts([ROW])}
    assert good
    assert all(good.values())
    assert ROW.met
    bad = dataclasses.replace(ROW, ratio=3.0, to_best=2.0, bytes=500.0)
    assert not bad.met
    grows = dataclasses.replace(bad, n=50_000, auto_ms=100.0)
    assert not any(v.met for v in broad.verdicts([bad, grows]))
    text = "\n".join(map(plain, broad_show.tables([bad, grows], {})))
    assert ">= 4 MISSED" in text
    assert "10.0 (1)" in text  # a pair differs


def test_the_plot_shows_exponents(tmp_path: Path) -> None:
    rows = [dataclasses.replace(ROW, n=n, auto_ms=n / 1000) for n in (5_000, 50_000)]
    path = tmp_path / "new" / "growth.svg"
    broad_show.plot(rows, path)
    assert path.stat().st_size > 1000


def test_the_command_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broad, "NUMBERS", (50,))
    bench("broad", "rods", quick=True, repeats=1, format="json", output=tmp_path / "result.json")
    printed = capsys.readouterr()
    assert "measured crowds: 1 of 1" in printed.err  # not a terminal: no bar
    result = json.loads(printed.out)
    assert result["schema"] == "ougi-bench-broad/1"
    assert result == json.loads((tmp_path / "result.json").read_text())
    assert result["parameters"]["scenes"] == ["iv rods"]
    row = result["rows"][0]
    assert set(row["peers"]) == set(broad_peers.PEERS)


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


def test_the_page_tells_what_the_committed_run_found() -> None:
    root = Path(__file__).parents[3]
    result = json.loads((root / "lab" / "results" / "bench-broad.json").read_text(encoding="utf-8"))
    page = (root / "docs" / "comparison.md").read_text(encoding="utf-8")
    assert broad_show.compared(result) in page
    for row in result["rows"]:
        known = [peer["ratio"] for peer in row["peers"].values() if peer["ratio"] is not None]
        assert row["ratio"] == min(known, default=None)
    for target in result["targets"]:
        assert f"{target['value']:.2f}" in page, target["what"]


def test_five_million_are_asked_only_where_their_pairs_fit() -> None:
    numbers = (*broad.NUMBERS, broad.LARGE)
    assert broad.numbers_of("i box", numbers) == list(broad.NUMBERS)
    assert broad.numbers_of("ii even", numbers) == list(numbers)


def test_a_few_bodies_are_asked_by_all_methods_that_have_a_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broad, "_IN_A_ROW", 1)
    rows = list(broad.few(["ii even"], (2, 70), repeats=1))
    assert [(row.scene, row.n) for row in rows] == [("ii even", 2), ("ii even", 70)]
    for row in rows:
        assert row.methods.keys() == {"brute", "x", "sweep", "grid", "tree"}
        assert row.to_best == row.auto_us / min(row.methods.values())
    slow = [dataclasses.replace(rows[0], to_best=2.0)]
    assert [v.met for v in broad.verdicts([ROW], slow) if "few bodies" in v.what] == [False]
    assert "a few bodies" in "\n".join(map(plain, broad_show.tables([ROW], {}, slow)))
