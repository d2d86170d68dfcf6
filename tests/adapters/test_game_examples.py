"""The examples of game libraries run without a window and find what they should."""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GAMES = Path(__file__).parent.parent.parent / "examples" / "games"


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(name, "dummy")


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"game_{name}", GAMES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pygame_sword(capsys: pytest.CaptureFixture[str]) -> None:
    game = load("pygame_sword").main(130)
    wounds = [wolf.wounds for wolf in game.wolves]
    assert max(wounds) <= 3  # at most once in each of three strokes
    assert sum(wounds) >= 3
    assert f"130 frames, {sum(wounds)} hits" in capsys.readouterr().out


def test_arcade_sword(capsys: pytest.CaptureFixture[str]) -> None:
    game = load("arcade_sword").main(200)
    far = [bat for bat in game.bats if abs(bat.center_y - 240) > 130 + 6]
    assert all(game.wounds[bat] == 0 for bat in far)
    assert min(game.wounds[bat] for bat in game.bats if bat not in far) >= 1  # nobody flies through
    assert f"{sum(game.wounds.values())} hits" in capsys.readouterr().out


def test_pymunk_flipper(capsys: pytest.CaptureFixture[str]) -> None:
    game = load("pymunk_flipper").main(600)
    assert game.hits > game.seen > 0
    kicked = [ball.body.velocity.length for ball in game.balls]
    assert all(math.isfinite(speed) for speed in kicked)
    assert f"{game.hits} hits between steps" in capsys.readouterr().out


def test_an_example_is_a_command() -> None:
    command = [sys.executable, str(GAMES / "pymunk_flipper.py"), "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("60 steps: ")


def test_every_game_is_tested_here_and_short() -> None:
    for path in GAMES.glob("*.py"):
        assert f"test_{path.stem}" in globals()
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 110
