"""`ougi bench games`, `gltf` and `view`: the structure of what they report."""

from __future__ import annotations

import json
from typing import Any

from ougi.cli import app as cli
from ougi.cli.tables import format_table
from ougi_lab.bench import games
from ougi_lab.bench.measurement import read_measurements


def test_games_are_compared(capsys: Any) -> None:
    assert cli.run(["bench", "games", "--quick", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    every = read_measurements(result)
    measured = [each for each in every if each.subject == "games"]
    assert {each["targets"] for each in every if each.subject == "games/speed"} == {24, 100, 1000}
    # "none": ougi.games without a game library, for all kinds of blades and targets.
    assert {each["library"] for each in measured} == {"none", *result["versions"]}
    assert {(each["rate"], each["speed"]) for each in measured} == {
        (rate, speed) for rate in (30, 60) for speed in (40.0, 80.0)
    }
    for each in measured:
        assert each["found"] <= each["hits"]
        assert each.wrong == each["hits"] - each["found"] + each["ghosts"]
    table = format_table(games.build_hit_table(measured))
    assert len([line for line in table.split("\n") if line.startswith("pygame-ce")]) == 8


def test_the_slider_is_measured(capsys: Any) -> None:
    assert cli.run(["bench", "view", "--quick"]) == 0
    assert "milliseconds per update" in capsys.readouterr().out


def test_detailed_files_are_checked(capsys: Any) -> None:
    assert cli.run(["bench", "gltf", "--quick"]) == 0
    assert "watch" in capsys.readouterr().out


def test_neither_takes_pairs(capsys: Any) -> None:
    assert cli.run(["bench", "games", "Box"]) == cli.BAD_INPUT
    assert "bench games takes no pairs, got Box" in capsys.readouterr().err
