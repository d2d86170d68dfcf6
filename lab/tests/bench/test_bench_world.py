"""`ougi bench world`: its scenes, the stages of a step, and what engines are given."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi_lab.bench import world, world_peers
from ougi_lab.bench.command import bench
from ougi_lab.bench.measurement import SCHEMA, read_measurements, select
from ougi_lab.bench.peers import MissingPeerError, Peer
from ougi_lab.scenes.groups import DEGREES, TURNING, RandomGroup, draw_steady_groups


def groups(dimension: int, n: int) -> list[RandomGroup]:
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
    largest = max(np.abs(group.motion.angle).max() for group in turning) * world.DT
    assert 0.9 * DEGREES < np.degrees(largest) <= DEGREES
    events = world.build_world(drawn).step(world.DT)
    assert events.profile.candidate_count / 3000 == pytest.approx(1.0, abs=0.15)
    assert len(events) > 300


STAGES = tuple(ougi.StepProfile().seconds)


def touching(drawn: list[RandomGroup], at: float) -> int:
    """Count the pairs that touch at a time, by all pairs."""
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
    space = world_peers.build_pymunk_space(pymunk, drawn)
    for _ in range(3):
        space.step(world.DT)
    mine = touching(drawn, 3 * world.DT)
    theirs = sum(len(space.shape_query(shape)) for shape in space.shapes) / 2
    assert mine > 30
    assert abs(theirs - mine) <= 2


def test_rapier_is_given_the_same_bodies() -> None:
    rapier = pytest.importorskip("rapier3d")
    drawn = groups(3, 300)
    engine = world_peers.build_rapier_world(rapier, drawn)
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
    document = json.loads(path.read_text())
    assert document["schema"] == SCHEMA
    ours, small = select(read_measurements(document), method="ougi")
    assert (ours["scene"], ours["n"], small["n"]) == ("space", 200, world.SMALL)
    assert ours.target is not None
    assert small.target is not None
    assert (ours.target.bound, small.target.bound, ours.target.of) == (6.0, 0.06, "best")
    assert set(ours["stage_wall_ms"]) == set(STAGES)
    assert all(ms > 0 for ms in ours["stage_wall_ms"].values())
    assert "first contacts" in capsys.readouterr().out
    with pytest.raises(InvalidInputError, match="no scene of bench world is called 'x'; known are plane"):
        bench("world", "x")


def test_a_step_is_measured_alone_and_with_all_columns_read() -> None:
    ours, read = world.measure_scene("plane", 2000, 5)[:2]
    assert (ours.method, read.method) == ("ougi", "ougi, all read")
    assert ours.best is not None
    assert read.best is not None


def test_steps_in_a_row_begin_at_the_start_again() -> None:
    steps = world.build_steps(groups(2, 300), 3)
    first, again = steps(), steps()
    assert [count for _, count in first] == [count for _, count in again]
    one = world.build_steps(groups(2, 300), 1)
    assert [count for _, count in first] == [one()[0][1] for _ in range(3)]


def test_sectors_exclude_pairs_and_lose_no_event() -> None:
    wide = world.measure_sectors(4.0, 20, repeats=1)
    assert 0 < wide["after"] < wide["before"] / 2
    assert wide.wrong == 0


def test_missing_engines_are_reported_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_there(peer: Peer) -> None:
        raise MissingPeerError("not installed")

    monkeypatch.setattr(Peer, "load", not_there)
    measured = world.measure_scene("plane", 60, 1)
    assert [(each.method, each.missing) for each in measured] == [
        ("ougi", None),
        ("ougi, all read", None),
        ("pymunk", "not installed"),
    ]
    assert "pymunk: not installed" in format_table(world.build_tables(measured, {})[1])


def test_the_committed_run_is_of_all_scenes() -> None:
    from ougi_lab.results import load_result

    document = load_result("bench-world")
    assert document is not None
    ours = select(read_measurements(document), method="ougi")
    assert [(each["scene"], each["n"]) for each in ours] == [
        *(("plane", world.NUMBER), ("plane", world.SMALL)),
        *(("space", world.NUMBER), ("space", world.SMALL)),
        ("hulls", world.NUMBER),
    ]
    for each in ours:  # stages are wall times, which are longer than CPU time on a busy machine
        assert each.best is not None
        assert sum(each["stage_wall_ms"].values()) > 0.8 * each.best
