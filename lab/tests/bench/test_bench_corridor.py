"""`ougi bench corridor` on a small scene: its numbers are there, and it counts what others miss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ougi.cli.tables import plain
from ougi.errors import InvalidInputError
from ougi_lab.bench import command, corridor


def test_small_runs_report_positive_numbers() -> None:
    casts = list(corridor.casts(["rough 1e3"], 50, 1))
    assert [row.speed for row in casts] == list(corridor.SPEEDS)
    for row in casts:
        assert all(row.ns[name] > 0 for name in corridor.OURS)  # type: ignore[operator]
        assert row.contacts > 0
        assert all(row.build_s[name] > 0 < row.nbytes[name] for name in corridor.OURS)
    runs = list(corridor.simulations(["rough 1e3"], 20, 5))
    for run in runs:
        told = run.engines["reach"]
        assert told is not None
        assert told[1:] == pytest.approx((0.0, 1.0))
    crowds = [*corridor.crowds(["rough 1e3"], 200, 2), corridor.crowds_among("rough 1e3", 50, 2)]
    assert all(row.fps > 0 < row.cpu_ns for row in crowds)
    assert [row.among for row in crowds] == [False, True]
    tables = corridor.tables(casts, runs, crowds)
    assert "rough 1e3" in plain(tables[0])
    assert max(len(line) for table in tables for line in plain(table).split("\n")) <= 120


def test_contacts_that_others_miss_or_find_late_are_counted() -> None:
    ours = np.array([0.5, 0.5, math.nan, 0.5])
    motion = np.tile([1.0, 0.0], (4, 1))
    assert corridor._compared([0.5, math.nan, 0.1, 0.6], ours, motion) == (1, 1)


def test_missing_libraries_leave_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    row = next(corridor.casts(["rough 1e3"], 20, 1))
    assert row.ns["pymunk"] is None
    assert row.ns["shapely"] is None
    assert row.missed is None
    assert "-" in plain(corridor.tables([row], [], [])[0])


def test_it_takes_no_pairs() -> None:
    with pytest.raises(InvalidInputError, match="bench corridor takes no pairs, got sphere"):
        command.bench("corridor", "sphere")
