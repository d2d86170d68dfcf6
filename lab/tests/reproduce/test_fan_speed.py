"""`fan-speed`: what is timed gives the right answers; how long it takes is nothing a test can say."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._check import frozen
from ougi_lab.reproduce import fan_speed, fan_speed_tasks, files
from ougi_lab.scenes.fan_motions import draw_fan_turns


@pytest.mark.parametrize("one_pair", [False, True])
def test_every_method_of_the_tables_is_timed(tmp_path: Path, one_pair: bool) -> None:
    calls: list[tuple[int, int]] = []
    outcome = fan_speed.run(
        data=2, tests=500, one_pair=one_pair, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(2, 2)]
    published = (
        fan_speed.TABLE_2D,
        fan_speed.TABLE_3D,
        fan_speed.TABLE_TEST,
        fan_speed.TABLE_BUILD,
        fan_speed.TABLE_BOTH,
    )
    for table, paper in zip(outcome.tables, published, strict=True):
        beside = {str(row[0]).removesuffix(" (published)"): row for row in table.rows if row[1] is not None}
        assert set(beside) == set(paper)
        for name, row in beside.items():
            assert row[1:4] == paper[name]
            mean, best, worst = row[4:7]
            assert isinstance(mean, float)
            assert isinstance(best, float)
            assert isinstance(worst, float)
            assert 0 < best <= mean <= worst
    assert {verdict.holds for verdict in outcome.verdicts} == {None}  # of too few data
    assert not any(verdict.binding for verdict in outcome.verdicts)
    files.write_outcome(tmp_path / "fan-speed", outcome, {}, 0, {"wall": 1.0, "cpu": 1.0})
    assert (tmp_path / "fan-speed" / "figure-3-14.csv").read_text(encoding="utf-8").count("\n") == 3


def test_a_pair_is_repeated_only_with_the_option() -> None:
    columns = ougi.Sphere([1, 2, 3], 4).columns()
    assert fan_speed_tasks.repeat_columns(columns, 3).tolist() == [[1.0] * 3, [2.0] * 3, [3.0] * 3, [4.0] * 3]
    both = ougi.Sphere([[1, 2, 3], [0, 0, 0]], 4).columns()
    assert fan_speed_tasks.repeat_columns(both, 2) is both


def test_volumes_built_by_kernels_are_those_of_sweep() -> None:
    box, turn = draw_fan_turns(300, 20.0, np.random.default_rng(4))
    rng = np.random.default_rng(5)
    balls = ougi.Sphere(turn.center + rng.uniform(-30, 30, (300, 3)), rng.uniform(0, 12.5, 300))
    columns = fan_speed_tasks.lay_out_turns(box, turn)
    index = frozen(np.repeat(np.arange(300)[:, None], 2, axis=1))
    volumes = {
        "speculative": ougi.sweep(box, turn, "speculative-start-end"),
        "sector": ougi.sweep(box, turn, "sector"),
    }
    for (name, volume), kind in itertools.product(volumes.items(), ("sum", "built")):
        out: Any = np.empty(300, np.bool_ if kind == "built" else np.float64)
        fan_speed_tasks.build_loops()[f"{name}_{kind}"].listed(
            columns, balls.columns(), index, 0, out, 0, 300
        )
        if kind == "sum":
            assert np.allclose(out, volume.columns().sum(axis=0), rtol=0, atol=1e-10)
        else:
            assert np.array_equal(out, ougi.intersects(volume, balls))
            assert 0 < np.count_nonzero(out) < 300


def test_without_the_transform_the_frame_is_not_used() -> None:
    n, rng = 2_000, np.random.default_rng(6)
    index = frozen(np.repeat(np.arange(n)[:, None], 2, axis=1))
    rows_of_frame = {"sector2d": 4, "sector3d": 12}
    for flat, pairs in (
        (True, fan_speed_tasks._build_pairs_2d()),
        (False, fan_speed_tasks._build_pairs_3d()),
    ):
        drawn = fan_speed_tasks._draw_shapes(n, flat, rng)
        for name, pair in pairs.items():
            if not name.startswith("sector"):
                continue
            a, b = (
                drawn[kind].columns(layout)
                for kind, layout in zip((pair.a, pair.b), pair.layouts, strict=True)
            )
            elsewhere = a.copy()
            elsewhere[: rows_of_frame[pair.layouts[0]]] = rng.normal(size=(rows_of_frame[pair.layouts[0]], n))

            def calls(suffix: str, sectors: Any, pair: Any = pair, b: Any = b) -> Any:
                out = np.empty(n, np.bool_)
                pair.loops[suffix].listed(sectors, b, index, 0, out, 0, n)
                return out

            own = calls(" (published)", a)
            assert 0 < np.count_nonzero(own) < n
            assert np.array_equal(calls(" (published, any frame)", a), own), name
            assert np.array_equal(calls(" (published)", frozen(elsewhere)), own), name
            assert not np.array_equal(calls(" (published, any frame)", frozen(elsewhere)), own), name
