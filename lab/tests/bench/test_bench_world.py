"""`ougi bench world`: groups, stages that are those of a step, and what engines are given."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.cli.tables import plain
from ougi.errors import InvalidInputError
from ougi_lab.bench import world, world_peers, world_show
from ougi_lab.bench.command import bench
from ougi_lab.scenes.groups import DEGREES, TURNING, BodyGroup, draw_steady_groups


def groups(dimension: int, n: int) -> list[BodyGroup]:
    return draw_steady_groups(dimension, n, world.DT, np.random.default_rng(4))


@pytest.mark.parametrize("dimension", [2, 3])
def test_groups_are_what_they_are_said_to_be(dimension: int) -> None:
    drawn = groups(dimension, 3000)
    counts: dict[str, int] = {}
    for group in drawn:
        name = type(group.shape).__name__
        counts[name] = counts.get(name, 0) + len(group.shape)
    assert list(counts.values()) == [1000, 1000, 1000]
    turning = [group for group in drawn if hasattr(group.motion, "angle")]
    assert sum(len(group.shape) for group in turning) / 3000 == pytest.approx(TURNING, abs=0.02)
    most = max(np.abs(group.motion.angle).max() for group in turning) * world.DT
    assert 0.9 * DEGREES < np.degrees(most) <= DEGREES
    _, events, near = world.staged_step(world.world_of(drawn), world.DT, time.perf_counter)
    assert near / 3000 == pytest.approx(1.0, abs=0.15)
    assert len(events) > 300


@pytest.mark.parametrize("dimension", [2, 3])
def test_stages_are_those_of_a_step(dimension: int) -> None:
    one, other = (world.world_of(groups(dimension, 300)) for _ in range(2))
    for _ in range(3):
        stages, events, _ = world.staged_step(one, world.DT, time.perf_counter)
        assert list(stages) == list(world.STAGES)
        assert events == other.step(world.DT)
        assert one.time == other.time


def touching(drawn: list[BodyGroup], at: float) -> int:
    """How many pairs touch at a time, asked of all."""
    shapes = [group.shape.transformed(group.motion.at(at)) for group in drawn]
    found = 0
    for i, a in enumerate(shapes):
        for b in shapes[i:]:
            table = ougi.intersects(a[:, None], b)
            found += int((np.triu(table, 1) if a is b else table).sum())
    return found


def test_pymunk_is_given_the_same_bodies() -> None:
    pymunk = pytest.importorskip("pymunk")
    drawn = groups(2, 300)
    space = world_peers.pymunk_space(pymunk, drawn)
    for _ in range(3):
        space.step(world.DT)
    mine = touching(drawn, 3 * world.DT)
    theirs = sum(len(space.shape_query(shape)) for shape in space.shapes) / 2
    assert mine > 30
    assert abs(theirs - mine) <= 2


def test_rapier_is_given_the_same_bodies() -> None:
    rapier = pytest.importorskip("rapier3d")
    drawn = groups(3, 300)
    engine = world_peers.rapier_world(rapier, drawn)
    engine.integration_parameters.dt = world.DT
    for _ in range(3):
        engine.step()
    engine.detect_collisions()
    theirs = sum(touch for *_, touch in engine.narrow_phase.intersection_pairs())
    mine = touching(drawn, 3 * world.DT)
    assert mine > 30
    assert abs(theirs - mine) <= 2


def test_the_command_writes_rows_and_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ougi_lab.bench.command._QUICK", (200, 1, 1, 2))
    path = tmp_path / "world.json"
    assert bench("world", "space", quick=True, output=path) == 0
    told = json.loads(path.read_text())
    assert told["schema"] == "ougi-bench-world/1"
    (row,) = told["rows"]
    assert (row["scene"], row["n"]) == ("space", 200)
    assert set(row["stages"]) == set(world.STAGES)
    assert "first contacts" in capsys.readouterr().out
    with pytest.raises(InvalidInputError, match="no scene of bench world is called 'x'; known are plane"):
        bench("world", "x")


def test_missing_engines_are_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world_peers, "load", lambda module: "not installed")
    (row,) = world.rows(["plane"], 60, 1)
    assert row.peers == {"pymunk": world.Peer(missing="not installed")}
    tables: list[Any] = world_show.tables([row], world_peers.versions(), None)
    assert "pymunk: not installed" in plain(tables[1])


def test_the_committed_run_is_of_both_scenes() -> None:
    from ougi_lab.results import result

    told = result("bench-world")
    assert told is not None
    assert [(row["scene"], row["n"]) for row in told["rows"]] == [
        (name, world.NUMBER) for name in world.SCENES
    ]
    assert all(set(row["stages"]) == set(world.STAGES) for row in told["rows"])
