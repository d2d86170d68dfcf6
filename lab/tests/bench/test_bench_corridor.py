"""`ougi bench corridor` on a small scene: its numbers are there, and it counts what others miss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi_lab.bench import command, corridor
from ougi_lab.bench.measurement import select
from ougi_lab.bench.peers import MissingPeerError, Peer


def test_small_runs_report_positive_numbers() -> None:
    casts = [each for cell in corridor.measure_casts(["rough 1e3"], 50, 1) for each in cell]
    assert list(dict.fromkeys(each["speed"] for each in casts)) == list(corridor.SPEEDS)
    for name in corridor.OURS:
        for each in select(casts, method=name):
            assert min(each["value"], each["build_s"], each["nbytes"]) > 0
    runs = [each for cell in corridor.measure_simulations(["rough 1e3"], 20, 5) for each in cell]
    for each in select(runs, method="reach"):
        assert (each["outside"], each["energy"]) == pytest.approx((0.0, 1.0))
    throughput = [
        *corridor.measure_characters(["rough 1e3"], 200, 2),
        corridor.measure_interacting("rough 1e3", 50, 2),
    ]
    assert all(min(each["fps"], each["value"]) > 0 for each in throughput)
    assert [each["mutual"] for each in throughput] == [False, True]
    tables = corridor.build_tables([*casts, *runs, *throughput], {})
    assert "rough 1e3" in format_table(tables[0])
    assert max(len(line) for table in tables for line in format_table(table).split("\n")) <= 120


def test_contacts_of_pymunk_are_counted() -> None:
    pytest.importorskip("pymunk")
    for cell in corridor.measure_casts(["rough 1e3"], 50, 1):
        (each,) = select(cell, method="pymunk")
        assert each.wrong is not None
        assert each["contacts"] >= each.wrong
        assert each["contacts"] > 0


def test_contacts_that_others_miss_or_find_late_are_counted() -> None:
    ours = np.array([0.5, 0.5, math.nan, 0.5])
    motion = np.tile([1.0, 0.0], (4, 1))
    assert corridor.count_wrong_casts([0.5, math.nan, 0.1, 0.6], ours, motion) == (1, 1)


def test_missing_libraries_leave_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_there(peer: Peer) -> Any:
        raise MissingPeerError("not installed")

    monkeypatch.setattr(Peer, "load", not_there)
    cell = next(corridor.measure_casts(["rough 1e3"], 20, 1))
    assert [each.method for each in cell if each.missing] == ["shapely", "scipy", "pymunk"]
    assert all(each.value is None and each.wrong is None for each in cell if each.missing)
    assert "pymunk: not installed" in format_table(corridor.build_tables(cell, {})[0])


def test_it_takes_no_pairs() -> None:
    with pytest.raises(InvalidInputError, match="bench corridor takes no pairs, got sphere"):
        command.bench("corridor", "sphere")
