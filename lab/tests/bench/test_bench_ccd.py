"""`ougi bench ccd`: the swings and the truth about them, and the structure of what is reported."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._native import get_threads
from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi_lab.bench import ccd, ccd_peers
from ougi_lab.bench.command import bench
from ougi_lab.bench.measurement import SCHEMA, Measurement, read_measurements, require_max, select
from ougi_lab.bench.peers import NOT_INSTALLED, build_tasks, read_peer_versions
from ougi_lab.scenes import swings
from ougi_lab.scenes.motions import ANGLE_RANGES, MovingPairs, gap_at

BAT = ougi.Box([[0.6, 0, 0]], [0.8, 0.06, 0.06])
QUARTER = math.pi / 2


def swing(degrees: float, ball: list[float], radius: float = 0.04) -> MovingPairs:
    """The bat about the origin, against a ball."""
    motion = ougi.Rotation3d([[0, 0, 0]], [0, 0, 1], [math.radians(degrees)])
    return MovingPairs(BAT, motion, ougi.Sphere([ball], radius))


def about(pair: ccd.Bodies, degrees: swings.Degrees, n: int) -> tuple[MovingPairs, swings.SwingTruth]:
    rng = np.random.default_rng(7)
    return swings.draw_clear_swings(lambda m: swings.draw_swings(*pair, degrees, m, rng), n)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_the_walk_finds_the_first_contact(turns: int) -> None:
    degrees = 170 + 360 * turns
    truth = swings.find_true_contacts(swing(degrees, [0, 0.7, 0]))
    # The bat's side, 0.03 off its middle line, meets the ball of radius 0.04 at asin(0.07 / 0.7) before 90°.
    expected = (QUARTER - math.asin(0.1)) / math.radians(degrees)
    assert truth.hit.all()
    assert truth.clear.all()
    assert truth.t[0] == pytest.approx(expected, abs=1e-13)


def test_the_walk_finds_misses_grazes_and_starts_in_contact() -> None:
    miss = swings.find_true_contacts(swing(170, [0, -0.7, 0]))
    assert (miss.hit[0], miss.clear[0], math.isnan(miss.t[0])) == (False, True, True)
    above = 0.03 + 0.04  # the ball rests on the plane in which the bat's upper side moves
    for off, hit, clear in (
        (-5e-4, False, False),
        (5e-4, False, False),
        (-2e-3, True, True),
        (2e-3, False, True),
    ):
        truth = swings.find_true_contacts(swing(170, [0, 0.7, above + off]))
        assert (truth.hit[0], truth.clear[0]) == (hit, clear), off
    assert not swings.find_true_contacts(swing(170, [0.6, 0, 0])).clear[0]


@pytest.mark.parametrize("pair", ccd.PAIRS)
def test_swings_are_clear_apart_at_the_start_and_half_of_them_hit(pair: ccd.Bodies) -> None:
    case, truth = about(pair, (90, 180), 21)
    assert truth.clear.all()
    assert truth.hit.sum() == 10
    assert (gap_at(case, np.zeros(21)) > swings.NEAR).all()
    assert np.isnan(truth.t).tolist() == (~truth.hit).tolist()
    degrees = np.degrees(np.abs(case.motion.angle))
    assert ((degrees >= 90) & (degrees <= 180)).all()
    # Just before its first contact a body is free, just after it is not.
    at = np.nan_to_num(truth.t)
    assert (gap_at(case, at - 1e-9)[truth.hit] > 0).all()
    assert (gap_at(case, at + 1e-9)[truth.hit] < 0).all()


def test_the_same_seed_gives_the_same_swings() -> None:
    one, other = (about((ougi.Box, ougi.Sphere), (10, 90), 6) for _ in range(2))
    assert one[0] == other[0]
    assert one[1].t.tolist() == pytest.approx(other[1].t.tolist(), nan_ok=True, abs=0)


@pytest.mark.parametrize(
    ("form", "shapes"),
    [
        ("pairs", [(8,), (8,)]),
        ("one body", [(), (8,)]),
        ("one target", [(8,), ()]),
        ("both move", [(8,), (8,)]),
    ],
)
def test_large_arrays_come_in_four_forms(form: swings.Form, shapes: list[tuple[int, ...]]) -> None:
    rng = np.random.default_rng(1)
    case = swings.draw_timed_swings(
        lambda n: swings.draw_swings(ougi.Box, ougi.Sphere, (10, 179), n, rng, form), 8
    )
    assert [case.body.shape, case.target.shape] == shapes
    assert (case.target_motion is not None) == (form == "both move")
    status = ougi.time_of_impact(case.body, case.motion, case.target, case.target_motion).status
    assert sorted(status.tolist()) == [0] * 4 + [1] * 4


def test_undecided_swings_are_timed_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    query = ougi.time_of_impact

    def gives_up(*arguments: Any) -> Any:
        impact = query(*arguments)
        return dataclasses.replace(impact, status=np.where(impact.status == 0, 3, impact.status))

    monkeypatch.setattr(ougi, "time_of_impact", gives_up)
    measured = next(ccd.measure_arrays([(ougi.Box, ougi.Sphere)], count=10, repeats=1))
    assert (measured["hits"], measured["undecided"]) == (0.5, 5)


def test_fan_swings_are_what_fans_accept() -> None:
    case = swings.draw_fan_swings((10, 360), 200, np.random.default_rng(3))
    fan = ougi.sweep(case.body, case.motion, "sector")
    assert isinstance(fan, ougi.Sector3d)
    np.testing.assert_allclose(fan.center[:, :2], case.motion.center[:, :2], atol=1e-12)


def test_rates_are_shares_of_hits_and_of_misses() -> None:
    truth = swings.SwingTruth(
        np.array([True, True, True, True, False]),
        np.array([0.1, 0.2, 0.3, 0.4, np.nan]),
        np.ones(5, np.bool_),
    )
    judged = ccd.judge_times(truth, [0.1, 0.25, math.nan, 0.4, 0.5])
    assert (judged["missed"], judged["false"]) == (0.25, 1.0)
    assert judged["median_error"] == 0.0
    assert judged["largest_error"] == pytest.approx(0.05)
    assert ccd.judge_times(truth, [math.nan] * 5) == {"missed": 1.0, "false": 0.0}


@pytest.mark.parametrize("name", ["box-sphere", "Sphere-Box"])
def test_pairs_are_found_in_either_order(name: str) -> None:
    assert ccd.choose_pairs([name]) == ((ougi.Box, ougi.Sphere),)


def test_names_choose_pairs() -> None:
    assert ccd.choose_pairs([]) == ccd.PAIRS
    assert ccd.choose_pairs(["capsule-box", "Capsule3d-Sphere"]) == (
        (ougi.Capsule3d, ougi.Sphere),
        (ougi.Capsule3d, ougi.Box),
    )
    assert len(ccd.choose_pairs(["Box"])) == 3
    with pytest.raises(
        InvalidInputError, match=r"called 'blob'; give a class \(Box\) or one of Box-Sphere, "
    ):
        ccd.choose_pairs(["blob"])


def test_only_arrays_of_the_target_size_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = (ougi.Box, ougi.Sphere)
    small = next(ccd.measure_arrays([pair], count=10, repeats=1))
    assert (small.target, small["goal"]) == (None, None)
    monkeypatch.setattr(ccd, "TARGET_COUNT", 10)
    judged = next(ccd.measure_arrays([pair], count=10, repeats=1))
    assert judged.target == require_max(0.4, judged["value"])
    assert judged["goal"] == 0.15


def test_a_small_run_is_complete(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    threads, path = get_threads(), tmp_path / "ccd.json"
    arguments: dict[str, Any] = {"count": 20, "tests": 6, "repeats": 1, "output": path}
    assert bench("ccd", "box-sphere", **arguments) == 0
    assert get_threads() == threads
    result = json.loads(path.read_text(encoding="utf-8"))
    assert result["schema"] == SCHEMA
    assert result["parameters"]["skipped_within_m"] == swings.NEAR
    assert set(result["versions"]) == {"python-fcl", "rapier3d"}
    measured = read_measurements(result)
    arrays, rows = select(measured, "ccd/arrays"), select(measured, "ccd")
    assert len(arrays) == sum(kind.pair == (ougi.Box, ougi.Sphere) for kind in ccd.THROUGHPUT)
    assert {row["degrees"] for row in rows} == {f"{low:g}-{high:g}" for low, high in ANGLE_RANGES}
    ours = select(rows, method="ougi")
    assert len(ours) == len(select(rows, method=ccd.SINGLE)) == 2 * len(ANGLE_RANGES)
    for row in ours:
        assert (row["missed"], row["false"], row["undecided"]) == (0.0, 0.0, 0)
        assert row["largest_error"] < 1e-5
        assert row["value"] > 0
    for row in rows:
        if row.missing is None and row.method in ("sector-enclosing", "velocity-inflated AABB", "ideal AABB"):
            assert row["missed"] == 0
        if row.missing is None and row.method in ("FAN's sector", "100 substeps", "start and end alone"):
            assert row["false"] == 0
    output = capsys.readouterr().out
    assert re.search(r"Box-Sphere \(FAN\) +6 +velocity-inflated AABB", output)
    assert "by degrees" in output
    assert " 0-10 " in output


def test_a_fan_refuses_more_than_one_turn() -> None:
    measured = ccd.measure_cell((ougi.Box, ougi.Sphere), "fan", (360, 1080), 4, 1)
    rows = {each.method: each for each in measured}
    assert rows["FAN's sector"].missing == "at most one turn"
    assert rows["sector-enclosing"].missing is None


def test_missing_libraries_are_named_and_have_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without_peers(name: str, package: str | None = None) -> ModuleType:
        if name in ("fcl", "rapier3d"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without_peers)
    measured = ccd.measure_cell((ougi.Capsule3d, ougi.Sphere), "any", (10, 90), 4, 1)
    assert [(each.method, each.value is None) for each in measured] == [
        ("ougi", False),
        (ccd.SINGLE, False),
        ("python-fcl", True),
        ("rapier3d", True),
    ]
    assert read_peer_versions(ccd_peers.PEERS) == {"python-fcl": None, "rapier3d": None}
    assert format_table(ccd.build_tool_tables(measured, {})[0]).count(NOT_INSTALLED) == 2


# Neither is exact: FCL stops early by up to 3e-3 of the swing, rapier computes in single precision.
@pytest.mark.parametrize(("module", "name"), [("fcl", "python-fcl"), ("rapier3d", "rapier3d")])
@pytest.mark.parametrize("pair", ccd.PAIRS)
def test_libraries_agree_on_small_turns(module: str, name: str, pair: ccd.Bodies) -> None:
    pytest.importorskip(module, reason=f"compares with {name}")
    case, truth = about(pair, (10, 60), 40)
    made, _ = build_tasks(ccd_peers.PEERS, case)
    times = np.array(made[name]())
    assert np.sum(np.isnan(times) != np.isnan(truth.t)) <= 1
    assert np.nanmedian(np.abs(times - truth.t)) < 1e-3


def test_a_missed_target_of_a_large_array_is_reported() -> None:
    case, facts = {"pair": "Box-Box", "swings": 100_000}, {"hits": 0.5, "undecided": 0, "goal": 0.6}
    array = Measurement(
        "ccd/arrays", case, "ougi", 2.0, "us", 1.9, 2.2, target=require_max(1.5, 2.0), facts=facts
    )
    text = format_table(ccd.build_array_table([array], load=3.25))
    assert "Load average of the machine before the run: 3.2." in text
    assert "0.6  <= 1.5 us MISSED" in text
    assert "0 of 1 targets met." in text
