"""`ougi play corridor`, without a screen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ougi.cli import app as cli
from ougi_lab.play.corridor import OTHER, PLAYER, Game


def game(others: int = 60) -> Game:
    return Game(3, 300, others, 1)


def test_the_ball_goes_where_it_is_pushed_and_stays_inside() -> None:
    world = game(1)
    for _ in range(30):
        world.step(np.array([1.0, 0.0]))
    assert world.position[0, 0] > 0.05
    assert world.frames == 30
    assert world.corridor.inside(world.position).all()


def test_no_ball_overlaps_another() -> None:
    world = game()
    assert len(world.position) > 30
    for _ in range(40):
        world.step(np.array([0.0, 1.0]))
    apart = np.hypot(*(world.position[:, None] - world.position).transpose(2, 0, 1))
    reach = world.radius[:, None] + world.radius
    np.fill_diagonal(apart, 1.0)
    assert (apart - reach).min() > -1e-9
    near = world.corridor.nearest(world.position)
    assert (near.distance > world.radius * (1 - 1e-9)).all()
    assert (world.radius.max(), world.radius.min()) == (PLAYER, OTHER)


def test_the_last_cell_is_the_goal() -> None:
    world = game(1)
    assert not world.is_won
    world.position[0] = 2.0
    assert world.is_won


def test_a_game_runs_without_a_screen_and_leaves_a_picture(tmp_path: Path) -> None:
    pygame = pytest.importorskip("pygame")
    path = tmp_path / "shot.png"
    options = ["--cells", "3", "--segments", "300", "--others", "60", "--frames", "5", "--headless"]
    assert cli.run(["play", "corridor", *options, "--screenshot", str(path)]) == 0
    picture = pygame.image.load(path)
    assert picture.get_size() == (760, 788)
    colors = {tuple(picture.get_at((x, y)))[:3] for x in range(0, 760, 2) for y in range(0, 760, 2)}
    assert {(0xD7, 0x3A, 0x2D), (0x3B, 0x6F, 0xB6), (0xF4, 0xEF, 0xE6)} <= colors


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--headless"], "headless requires --frames"),
        (["--others", "0"], "others must be positive, got 0"),
        (["--frames", "-1"], "frames must not be negative, got -1"),
        (["--screenshot", "shot.bmp"], "screenshot must end in .png"),
    ],
)
def test_bad_options_are_refused(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["play", "corridor", *options]) == 2
    assert words in capsys.readouterr().err
