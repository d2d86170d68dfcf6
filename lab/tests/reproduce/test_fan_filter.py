"""`fan-filter`: what is left and lost is counted right; times are nothing a test can judge."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ougi
from ougi_lab.reproduce import fan_filter, files
from ougi_lab.scenes.fan_motions import draw_fan_turns


def test_counts_are_those_of_the_public_questions(tmp_path: Path) -> None:
    outcome = fan_filter.run(movers=12, count=150, repeats=1, seed=3)
    rng = np.random.default_rng(3)
    box, turn = draw_fan_turns(12, fan_filter.SPREAD, rng)
    balls = fan_filter.draw_bodies(ougi.Sphere, 150, rng)
    truth = ougi.intersects(ougi.sweep(box, turn)[:, None], balls)
    assert truth.any()
    labels = [each.label for each in fan_filter.FILTERS]
    rows = dict(zip(labels, outcome.numbers["rows"]["balls"], strict=True))
    assert (rows["no filter"]["left"], rows["no filter"]["lost"]) == (12 * 150, 0)
    for label, method in (("as published", "sector"), (", enclosing", "sector-enclosing")):
        remaining = ougi.intersects(ougi.sweep(box, turn, method)[:, None], balls)
        row = rows[f"sector{' ' if label[0] == 'a' else ''}{label}"]
        assert (row["left"], row["lost"]) == (
            np.count_nonzero(remaining),
            np.count_nonzero(truth & ~remaining),
        )
    assert all(verdict.holds for verdict in outcome.verdicts if verdict.binding)
    files.write_outcome(tmp_path / "fan-filter", outcome, {}, 3, {"wall": 1.0, "cpu": 1.0})
    assert (tmp_path / "fan-filter" / "filter-boxes.csv").read_text(encoding="utf-8").count("\n") == 9


def test_only_filters_that_lose_are_marked() -> None:
    outcome = fan_filter.run(movers=30, count=300, repeats=1, seed=1)
    for table in outcome.tables:
        for row in table.rows:
            assert (row[4] == "LOSES") == (row[3] != 0)
        marked = {row[0] for row in table.rows if row[4]}
        assert "sector as published" in marked
        lossless = {"no filter", "sector, enclosing", "AABB of the whole sweep"}
        assert lossless <= {row[0] for row in table.rows} - marked


def test_turns_are_those_that_the_sector_can_express() -> None:
    box, turn = draw_fan_turns(200, 50.0, np.random.default_rng(0))
    fan = ougi.sweep(box, turn, "sector")
    assert isinstance(fan, ougi.Sector3d)
    lever = np.linalg.norm(box.center - turn.center, axis=1)
    assert np.allclose(fan.inner_radius, lever - box.size[:, 1] / 2)
    assert np.allclose(fan.outer_radius, lever + box.size[:, 1] / 2)
    assert np.allclose(fan.half_height, box.size[:, 2] / 2)
