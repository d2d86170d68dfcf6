"""`ougi bench games` and `ougi bench view`: the structure of what they report."""

from __future__ import annotations

import json
from typing import Any

from ougi.cli import app as cli


def test_games_are_compared(capsys: Any) -> None:
    assert cli.run(["bench", "games", "--quick", "--format", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["schema"] == "ougi-bench-games/1"
    assert {row["library"] for row in result["rows"]} == set(result["versions"])
    assert {(row["rate"], row["speed"]) for row in result["rows"]} == {
        (rate, speed) for rate in (30, 60) for speed in (40.0, 80.0)
    }
    assert all(row["found"] <= row["hits"] for row in result["rows"])


def test_the_slider_is_measured(capsys: Any) -> None:
    assert cli.run(["bench", "view", "--quick"]) == 0
    assert "milliseconds per update" in capsys.readouterr().out


def test_neither_takes_pairs(capsys: Any) -> None:
    assert cli.run(["bench", "games", "Box"]) == cli.BAD_INPUT
    assert "bench games takes no pairs, got Box" in capsys.readouterr().err
