"""The game of the examples runs without a window in every library, and finds more than once per frame."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ougi

GAMES = Path(__file__).parent.parent.parent / "examples" / "games"
LIBRARIES = {"pygame": "masks", "arcade": "hit boxes", "pymunk": "pymunk"}


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(name, "dummy")
    monkeypatch.syspath_prepend(str(GAMES))


def load(library: str) -> Any:
    return importlib.import_module(f"{library}_arena")


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_sword_hits_enemies_that_pass_between_frames(
    library: str, capsys: pytest.CaptureFixture[str]
) -> None:
    game = load(library).main(400)
    assert game.found > game.seen > 0
    assert all(game.walls.inside([enemy.position for enemy in game.enemies]))
    assert f"{game.found} sword hits by ougi, {game.seen} by {LIBRARIES[library]}" in capsys.readouterr().out


def test_the_game_is_the_same_in_all_libraries_that_have_its_polygons() -> None:
    """Their coordinates differ: y is down in pygame."""
    pygame, arcade = (load(library).main(150) for library in ("pygame", "arcade"))
    assert len(pygame.enemies) == len(arcade.enemies) == 8
    assert pygame.solid.tolist() == arcade.solid[::-1].tolist()


def test_arrows_stop_at_walls_and_hit_enemies() -> None:
    game = load("pymunk").Game()
    target = game.enemies[0]
    for enemy in game.enemies:
        enemy.velocity, enemy.spin = (0.0, 0.0), 0.0
    game.knight, target.position = (100.0, 240.0), (500.0, 240.0)
    game.shoot()
    for _ in range(12):
        game.update()
    assert target.flash > 0
    assert game.arrows == []
    target.position = (500.0, 300.0)
    game.shoot()
    for _ in range(30):
        game.update()
    assert target.flash == 0
    assert game.arrows == []


def test_the_vanilla_switch_wounds_only_what_the_library_sees() -> None:
    game = load("pymunk").Game()
    game.is_vanilla = True
    for _ in range(200):
        game.play_alone()
        game.arrows.clear()
        game.update()
    assert game.sparks == []
    assert game.found > game.seen


def test_an_enemy_falls_at_its_last_wound_and_comes_back_faster() -> None:
    game = load("pymunk").Game()
    enemy = game.enemies[0]
    speed = np.hypot(*enemy.velocity)
    for _ in range(3):
        assert game.score == 0
        game.wound([enemy])
    game.update()
    assert game.score == 1
    assert enemy.sprite not in game.targets
    for _ in range(120):
        game.update()
    assert enemy.sprite in game.targets
    assert np.hypot(*enemy.velocity) > 1.1 * speed


def test_a_round_ends_after_a_minute_or_when_no_heart_is_left() -> None:
    game = load("pymunk").Game()
    game.knight = (-500.0, 0.0)
    for _ in range(3605):
        game.update()
    assert (game.hearts, game.seconds) == (5, 0)
    assert game.describe("pymunk").startswith("The round is over.")
    game = load("pymunk").Game()
    while game.hearts:
        game.knight = game.enemies[0].position
        game.update()
    places = [enemy.position for enemy in game.enemies]
    game.update()
    assert places == [enemy.position for enemy in game.enemies]


def test_vanilla_marks_what_the_library_misses() -> None:
    game = load("pymunk").Game()
    game.is_vanilla = True
    marks = 0
    for _ in range(400):
        game.play_alone()
        game.update()
        marks += sum(left == 40 for _, _, left in game.misses)
    assert marks == game.found - game.seen > 0


def test_a_sword_of_panda3d_hits_what_dense_steps_find() -> None:
    """The truth is `intersects`, at 200 poses of each frame."""
    pytest.importorskip("panda3d")
    sword = importlib.import_module("panda3d_sword")
    game = sword.Game(importlib.import_module("panda3d.core").NodePath("render"))
    expected: list[tuple[int, str]] = []
    seen: set[str] = set()
    overlaps = 0
    for frame in range(40):
        if frame % 10 == 0:
            game.strike()
            seen = set()
        before, stood = game.before, game.stood
        game.update()
        if frame % 10 < 5:
            turn, step = ougi.between(before, game.before), game.stood - stood
            for t in np.linspace(0, 1, 200):
                places = stood + t * step
                blade = sword.BLADE.transformed(before).transformed(turn.at(t))
                hit = ougi.intersects(blade, sword.make_bodies(places))
                new = {game.enemies[k].get_name() for k in np.flatnonzero(hit)} - seen
                seen |= new
                expected += [(frame, name) for name in new]
            overlaps += game.count_overlaps()
    assert sorted((frame, name) for frame, name, _ in game.hits) == sorted(expected)
    assert len(expected) > overlaps > 0


def test_an_example_is_a_command() -> None:
    command = [sys.executable, str(GAMES / "pymunk_arena.py"), "60"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("60 steps, ")


@pytest.mark.parametrize("library", ["pygame", "arcade"])
def test_a_game_draws_the_room_and_its_enemies_without_a_screen(library: str, tmp_path: Path) -> None:
    """pymunk's game is drawn by pygame's."""
    picture, environment = tmp_path / "game.png", {**os.environ, "ARCADE_HEADLESS": "True"}
    empty = [sys.executable, "-c", "import arcade; arcade.Window(8, 8)"]
    if library == "arcade" and subprocess.run(empty, env=environment, capture_output=True).returncode:
        pytest.skip("Arcade finds no EGL driver")
    command = [sys.executable, str(GAMES / f"{library}_arena.py"), "60", str(picture)]
    subprocess.run(command, check=True, env=environment)
    pixels = np.asarray(Image.open(picture).convert("RGB")).reshape(-1, 3)
    colors, counts = np.unique(pixels, axis=0, return_counts=True)
    seen = {tuple(color): int(count) for color, count in zip(colors.tolist(), counts, strict=True)}
    wall, blue = {"pygame": (102, 102, 102), "arcade": (105, 105, 105)}[library], (70, 130, 180)
    assert seen[wall] > 50_000
    assert seen[blue] > 1_000
    assert seen[255, 255, 255] > 150_000


def test_every_game_is_tested_here_and_short() -> None:
    for path in GAMES.glob("*_arena.py"):
        assert path.stem.removesuffix("_arena") in LIBRARIES
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 120
